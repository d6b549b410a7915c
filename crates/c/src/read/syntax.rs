//! Helpers over the nodes of the syntax tree.
//!
//! Read `names` next.

use crate::ast::{CType, Decl, DeclKind, Kind, Node, Part};
use std::ops::Range;

/// The children that carry meaning: no comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.all_children().filter(|child| child.kind() != Kind::Comment).collect()
}

/// The children, comments among them.
pub(crate) fn children_and_comments(node: Node<'_>) -> Vec<Node<'_>> {
    node.all_children().collect()
}

/// The children that are this part of a node.
pub(crate) fn fields(node: Node<'_>, part: impl Into<Part>) -> Vec<Node<'_>> {
    let part = part.into();
    node.all_children().filter(|child| child.part() == part && !is_loose(*child)).collect()
}

/// The child that is this part of a node.
pub(crate) fn field(node: Node<'_>, part: impl Into<Part>) -> Option<Node<'_>> {
    let part = part.into();
    node.all_children().find(|child| child.part() == part && !is_loose(*child))
}

/// A comment or a line of the preprocessor.
pub(crate) fn is_loose(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Comment | Kind::Directive)
}

/// The arguments of a call.
pub(crate) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    fields(call, Part::Argument)
}

/// The name of the function that is called; `None` if a pointer to one is.
pub(crate) fn callee(call: Node<'_>) -> Option<&str> {
    let callee = bare(field(call, Part::Callee).filter(|_| call.kind() == Kind::Call)?);
    let decl = callee.decl().filter(|_| callee.kind() == Kind::Name)?;
    (call.tree().decls[decl].kind == DeclKind::Function).then(|| callee.name())
}

/// The text of a node; empty if it stands in the definition of a macro.
pub(crate) fn text(node: Node<'_>) -> &str {
    node.place().and_then(|place| node.tree().text.get(place)).unwrap_or("")
}

/// The operator of an expression, as `+=`.
pub(crate) fn operator(node: Node<'_>) -> &str {
    match node.kind() {
        Kind::Member => {
            let is_pointer = field(node, Part::Operand).is_some_and(|base| base.of().is_array());
            if is_pointer { "->" } else { "." }
        }
        _ => node.operator(),
    }
}

/// The expression without the parentheses round it.
pub(crate) fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == Kind::Paren {
        match node.all_children().next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// The bytes that are the text of an expression, with parentheses round it if a macro has those too.
pub(crate) fn place(node: Node<'_>) -> Option<Range<usize>> {
    let parentheses = std::iter::successors(node.parent(), |node| node.parent());
    let around = parentheses.take_while(|node| node.kind() == Kind::Paren);
    node.place().or_else(|| around.filter_map(Node::place).next())
}

/// The expression without parentheses and casts round it.
pub(crate) fn uncast(mut node: Node<'_>) -> Node<'_> {
    loop {
        node = bare(node);
        match (node.kind(), field(node, Part::Value)) {
            (Kind::Cast, Some(value)) => node = value,
            _ => return node,
        }
    }
}

/// The null pointer, or 0.
pub(crate) fn is_null(node: Node<'_>) -> bool {
    let node = uncast(node);
    node.kind() == Kind::Number && node.value() == Some(0)
}

/// Two expressions are the same, as far as they are written alike.
pub(crate) fn is_same(one: Node<'_>, two: Node<'_>) -> bool {
    let (one, two) = (bare(one), bare(two));
    let (first, second) = (children(one), children(two));
    one.kind() == two.kind()
        && one.kind() != Kind::Unknown
        && one.kind() != Kind::Literal
        && one.operator() == two.operator()
        && one.decl() == two.decl()
        && one.value() == two.value()
        && one.of() == two.of()
        && first.len() == second.len()
        && first.into_iter().zip(second).all(|(one, two)| is_same(one, two))
}

/// All nodes below and including this one, in the order of the text, without recursion.
pub(crate) fn descendants(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut open = vec![root];
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.all_children().rev());
        Some(node)
    })
}

/// A variable that the head of a loop gives a first value.
#[derive(Clone, Copy)]
pub(crate) struct First<'t> {
    /// The assignment, or the declared variable with its value.
    pub(crate) node: Node<'t>,
    /// The variable: a name, or its declaration.
    pub(crate) name: Node<'t>,
    /// The value.
    pub(crate) value: Node<'t>,
    /// It is declared in the head.
    pub(crate) is_declared: bool,
    /// How the head changes it after each iteration; `None` if it does not, or in the condition.
    pub(crate) update: Option<Node<'t>>,
}

/// The variables that the head of a `for` gives first values; empty if something else happens there.
pub(crate) fn first_values(node: Node<'_>) -> Vec<First<'_>> {
    if node.kind() != Kind::For {
        return Vec::new();
    }
    let Some(initial) = field(node, Part::Initial) else { return Vec::new() };
    let initial = if initial.kind() == Kind::ExpressionStatement {
        children(initial).into_iter().next().unwrap_or(initial)
    } else {
        initial
    };
    let is_declared = initial.kind() == Kind::Declaration;
    let all = if is_declared { fields(initial, Part::Variable) } else { operands(initial) };
    let updates: Vec<Node<'_>> = field(node, Part::Update).map(operands).unwrap_or_default();
    let first = |node| {
        let node: Node<'_> = node;
        let (name, value) = match node.kind() {
            Kind::Variable => (node, field(node, Part::Value)?),
            Kind::Assign if operator(node) == "=" => (bare(field(node, Part::Left)?), field(node, Part::Right)?),
            _ => return None,
        };
        let decl = name.decl().filter(|_| matches!(name.kind(), Kind::Variable | Kind::Name))?;
        let changes = |update: &&Node<'_>| {
            let changed = field(**update, Part::Left).or_else(|| field(**update, Part::Operand)).map(bare);
            changed.is_some_and(|changed| changed.decl() == Some(decl))
        };
        Some(First { node, name, value, is_declared, update: updates.iter().find(changes).copied() })
    };
    all.into_iter().map(first).collect::<Option<_>>().unwrap_or_default()
}

/// The operands of comma operators.
pub(crate) fn operands(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let node = bare(node);
        if node.kind() == Kind::Comma {
            open.extend([Part::Right, Part::Left].iter().filter_map(|side| field(node, side)));
        } else {
            found.push(node);
        }
    }
    found
}

/// Whether one range lies in the other.
pub(crate) fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The variable that an array of numbers belongs to which is a member of a structure: the structure is the variable, or what that points to, and no
/// other member shares its memory.
pub(crate) fn inline_array(node: Node<'_>) -> Option<Decl> {
    let array = bare(node);
    let is_array = matches!(array.of(), CType::Array { .. });
    let is_number = matches!(array.of().leaf(), CType::Int { .. } | CType::Float { .. });
    let mut member = (array.kind() == Kind::Member && is_array && is_number).then_some(array)?;
    loop {
        let operand = bare(field(member, Part::Operand)?);
        let is_fit = match (operand.of(), operator(member)) {
            (CType::Struct { .. }, ".") => true,
            (CType::Pointer { .. }, "->") => operand.kind() == Kind::Name,
            _ => false,
        };
        if !is_fit || member.tree().shared.contains(&member.id()) {
            return None;
        }
        match operand.kind() {
            Kind::Name => return operand.decl(),
            Kind::Member => member = operand,
            _ => return None,
        }
    }
}
