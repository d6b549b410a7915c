//! The syntax of a C file as the compiler sees it: every name is resolved, every expression has its type, macros are expanded.
//!
//! A [`Tree`] is made once of what libclang says (`convert`) and owns everything; a [`Node`] is a place in it. Where a node's text stands in
//! the file is known, too: see [`Node::place`].
//!
//! Read `types` next, then `clang`, `convert` and `macros`.

mod clang;
mod convert;
mod macros;
mod options;
mod types;

pub(crate) use clang::{Message, Unit};
pub(crate) use macros::{Expanded, Use};
pub use options::CompileOptions;
pub(crate) use types::{CType, Size, Typed};

use frit_support::{Table, define_index};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

define_index!(
    /// A declaration of a variable, function or constant.
    Decl, "d"
);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // Statements.
    Block,
    ExpressionStatement,
    Declaration,
    If,
    For,
    While,
    Do,
    Switch,
    Case,
    Break,
    Continue,
    Return,
    Goto,
    Label,
    Empty,
    Asm,
    /// A line of the preprocessor.
    Directive,
    Comment,
    // Parts of declarations.
    Function,
    Variable,
    /// The definition of a type, or the declaration of a function, in a block.
    Definition,
    // Expressions.
    Name,
    /// An integer, or any expression whose integer value the compiler knows.
    Number,
    /// Another literal.
    Literal,
    Subscript,
    Member,
    /// `*x` or `&x`.
    Pointer,
    Unary,
    Update,
    Assign,
    Binary,
    Comma,
    Conditional,
    Cast,
    Call,
    Paren,
    Sizeof,
    List,
    CompoundLiteral,
    StatementExpression,
    /// What is not understood.
    Unknown,
}

impl Kind {
    /// A loop.
    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Kind::For | Kind::While | Kind::Do)
    }

    /// An expression.
    pub(crate) fn is_expression(self) -> bool {
        use Kind::{
            Assign, Binary, Call, Cast, Comma, CompoundLiteral, Conditional, List, Literal, Member, Name, Number,
            Paren, Pointer, Sizeof, StatementExpression, Subscript, Unary, Update,
        };
        matches!(
            self,
            Assign
                | Binary
                | Call
                | Cast
                | Comma
                | CompoundLiteral
                | Conditional
                | List
                | Literal
                | Member
                | Name
                | Number
                | Paren
                | Pointer
                | Sizeof
                | StatementExpression
                | Subscript
                | Unary
                | Update
        )
    }
}

/// What a node is to the one that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One of several.
    Item,
    Left,
    Right,
    /// What an operator, a subscript or the choice of a member is applied to.
    Operand,
    Index,
    Condition,
    Consequence,
    Alternative,
    Callee,
    Argument,
    /// What is cast, what initialises a variable, what a `case` is for.
    Value,
    Initial,
    Update,
    Body,
    Variable,
    /// The extent of an array.
    Size,
}

/// A part may be given by reference.
impl From<&Part> for Part {
    fn from(part: &Part) -> Part {
        *part
    }
}

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

/// What is known of a node.
#[derive(Clone, Debug)]
struct NodeData {
    kind: Kind,
    part: Part,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    /// The bytes of the file that it comes from: with the whole use of a macro where it begins or ends in one.
    range: Range<usize>,
    /// These bytes are its text, and nothing else's.
    is_written: bool,
    /// The uses of macros that it begins or ends in.
    uses: Vec<usize>,
    of: usize,
    /// The operator, or the name of a member or a label.
    word: String,
    decl: Option<Decl>,
    value: Option<i64>,
    /// Nodes below, including itself, and levels of them.
    count: usize,
    height: usize,
}

/// The syntax of a file.
pub(crate) struct Tree {
    /// The text of the file.
    pub(crate) text: String,
    nodes: Vec<NodeData>,
    types: Vec<CType>,
    /// What names mean.
    pub(crate) decls: Table<Decl, DeclInfo>,
    /// The definitions of functions of the file, in order.
    functions: Vec<NodeId>,
    heads: BTreeMap<NodeId, Head>,
    /// Functions that the compiler does not accept.
    left_out: Vec<NodeId>,
    /// How the innermost element types of members that are arrays or pointers are written.
    pub(crate) bases: BTreeMap<NodeId, String>,
    /// The choices of members that share their memory with other members.
    pub(crate) shared: BTreeSet<NodeId>,
    /// All definitions of functions that are known by name, those of headers among them.
    by_name: BTreeMap<String, NodeId>,
    /// Functions that are declared `const` or `pure`; true for `const`.
    pub(crate) attributed: BTreeMap<String, bool>,
    /// The uses of macros in the file, in order of their beginnings.
    pub(crate) uses: Vec<Use>,
    /// The lines of the preprocessor, and comments.
    pub(crate) loose: Vec<(Range<usize>, Kind)>,
    /// Names that nothing declares.
    pub(crate) undeclared: BTreeSet<String>,
    /// So many uses of macros, and nodes in them, were looked at to find out where nodes are.
    #[cfg(test)]
    pub(crate) looked: u64,
    /// The bytes that conditions of the preprocessor leave out.
    pub(crate) skipped: Vec<Range<usize>>,
    /// What is said of variables, parameters and labels without a use: where they are declared.
    pub(crate) unused: Vec<(Range<usize>, String)>,
}

/// What kind of name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclKind {
    /// A parameter of a function.
    Parameter,
    /// A variable of a function; of the file if it is `static`.
    Local,
    /// A variable of the file.
    Global,
    /// A constant of an enumeration, with its value.
    Constant(Option<i64>),
    /// A function.
    Function,
    /// Nothing declares it: it stands for an integer that is given on the command line.
    Undeclared,
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct DeclInfo {
    pub(crate) name: String,
    pub(crate) kind: DeclKind,
    pub(crate) typed: Typed,
    /// The bytes of the name, in the file.
    pub(crate) range: Range<usize>,
    /// The variable in the function that declares it.
    pub(crate) variable: Option<NodeId>,
    /// The type as the compiler writes it.
    pub(crate) written: String,
    /// The number that it is initialised with, of a global constant.
    pub(crate) number: Option<i64>,
    /// The attributes of a variable of a function, as they may stand before a declaration.
    pub(crate) attributes: Vec<String>,
    /// The members of the structure that a parameter is or points to; empty for other types, and where they are not known.
    pub(crate) members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    /// Its type.
    pub(crate) of: CType,
    /// How the innermost element type is written, without qualifiers.
    pub(crate) base: String,
    /// The type as the compiler writes it.
    pub(crate) written: String,
    /// It has no address, or shares its memory with others.
    pub(crate) is_odd: bool,
    /// The members of the structure that it is or points to.
    pub(crate) members: Vec<Member>,
}

/// What stands before a function's parameters, and how many there may be.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// The type of the result.
    pub(crate) result: Typed,
    /// It as the compiler writes it.
    pub(crate) result_text: String,
    /// It has no result.
    pub(crate) is_void: bool,
    /// It takes any number of arguments.
    pub(crate) is_variadic: bool,
}

/// A place in the syntax of a file.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let data = self.data();
        write!(f, "{:?} {:?} {:?} {:?}", data.part, data.kind, data.word, data.range)?;
        if !data.is_written {
            write!(f, " hidden")?;
        }
        Ok(())
    }
}

impl Tree {
    /// The node of this number.
    pub(crate) fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    /// The definitions of functions in the file.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Node<'_>> {
        self.functions.iter().map(|id| self.node(*id))
    }

    /// The functions with one of these uses of macros, by number, that are other ones in a tree in which these are replaced: they differ not
    /// only in where their text stands.
    pub(crate) fn differing(&self, other: &Tree, replaced: &[&Use]) -> BTreeSet<usize> {
        let meaning = |function: NodeId, tree: &Tree| -> Vec<(Kind, String, Option<i64>, String)> {
            let solid = |node: &Node<'_>| !matches!(node.kind(), Kind::Comment | Kind::Directive);
            let nodes = crate::read::syntax::descendants(tree.node(function)).filter(solid);
            nodes
                .map(|node| {
                    let data = node.data();
                    let word = if data.kind == Kind::For { String::new() } else { data.word.clone() };
                    (data.kind, word, data.value, node.name().to_string())
                })
                .collect()
        };
        let changed: BTreeSet<usize> = replaced.iter().flat_map(|used| self.functions_around(used)).collect();
        let is_other = |at: &usize| {
            let there = other.functions.get(*at);
            there.is_none_or(|there| meaning(self.functions[*at], self) != meaning(*there, other))
        };
        let are_as_many = self.functions.len() == other.functions.len();
        changed.into_iter().filter(|at| !are_as_many || is_other(at)).collect()
    }

    /// The compiler accepts all functions here that it accepts there.
    pub(crate) fn has_all_of(&self, other: &Tree) -> bool {
        self.functions.len() == other.functions.len() && self.left_out.len() == other.left_out.len()
    }

    /// The function, by number, in which a macro is used; those that it stands for, if it defines several.
    pub(crate) fn functions_around(&self, used: &Use) -> impl Iterator<Item = usize> {
        let start = |at: usize| self.node(self.functions[at]).start_byte();
        let next = self.functions.partition_point(|function| self.node(*function).start_byte() <= used.range.start);
        let last = next.checked_sub(1);
        let same = move |at: &usize| last.is_some_and(|last| start(*at) == start(last));
        let end = used.range.end;
        (0..next).rev().take_while(same).filter(move |at| end <= self.node(self.functions[*at]).end_byte())
    }

    /// A function is not what it seems to be: nothing is known of it.
    pub(crate) fn leave_out(&mut self, function: NodeId) {
        self.functions.retain(|known| *known != function);
        self.by_name.retain(|_, known| *known != function);
        self.left_out.push(function);
    }

    /// Whether bytes are in a function that is left out.
    pub(crate) fn is_left_out(&self, place: Option<&Range<usize>>) -> bool {
        let holds = |id: &NodeId, place: &Range<usize>| {
            let range = self.node(*id).byte_range();
            range.start <= place.start && place.end <= range.end
        };
        place.is_some_and(|place| self.left_out.iter().any(|id| holds(id, place)))
    }

    /// The definition of a function, also of one in a header.
    pub(crate) fn function(&self, name: &str) -> Option<Node<'_>> {
        self.by_name.get(name).map(|id| self.node(*id))
    }
}

impl<'t> Node<'t> {
    fn data(self) -> &'t NodeData {
        &self.tree.nodes[self.id.0 as usize]
    }

    /// Its number.
    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    /// The tree that it is in.
    pub(crate) fn tree(self) -> &'t Tree {
        self.tree
    }

    pub(crate) fn kind(self) -> Kind {
        self.data().kind
    }

    pub(crate) fn part(self) -> Part {
        self.data().part
    }

    pub(crate) fn parent(self) -> Option<Node<'t>> {
        self.data().parent.map(|parent| self.tree.node(parent))
    }

    /// The nodes in it; comments and lines of the preprocessor among them.
    pub(crate) fn all_children(self) -> impl DoubleEndedIterator<Item = Node<'t>> {
        let tree = self.tree;
        self.data().children.iter().map(move |id| tree.node(*id))
    }

    /// The bytes of the file that it comes from: with the whole use of a macro where it begins or ends in one.
    pub(crate) fn byte_range(self) -> Range<usize> {
        self.data().range.clone()
    }

    pub(crate) fn start_byte(self) -> usize {
        self.data().range.start
    }

    pub(crate) fn end_byte(self) -> usize {
        self.data().range.end
    }

    /// The bytes that are its text and nothing else's: another text in their place replaces it, and no more. `None` if it stands in the
    /// definition of a macro, or in a header.
    pub(crate) fn place(self) -> Option<Range<usize>> {
        self.data().is_written.then(|| self.byte_range())
    }

    /// The uses of macros that it begins or ends in.
    pub(crate) fn uses(self) -> &'t [usize] {
        &self.data().uses
    }

    /// The operator.
    pub(crate) fn operator(self) -> &'t str {
        &self.data().word
    }

    /// The name that it is, of a variable, a member or a label.
    pub(crate) fn name(self) -> &'t str {
        match self.data().decl {
            Some(decl) => &self.tree.decls[decl].name,
            None => &self.data().word,
        }
    }

    /// What it names or declares.
    pub(crate) fn decl(self) -> Option<Decl> {
        self.data().decl
    }

    /// The value of an integer expression that the compiler knows.
    pub(crate) fn value(self) -> Option<i64> {
        self.data().value
    }

    /// Its type, before conversions.
    pub(crate) fn of(self) -> &'t CType {
        &self.tree.types[self.data().of]
    }

    /// What stands before the parameters of a function.
    pub(crate) fn head(self) -> &'t Head {
        &self.tree.heads[&self.id]
    }

    /// How many nodes it has below and including itself.
    pub(crate) fn descendant_count(self) -> usize {
        self.data().count
    }

    /// How many levels of nodes it has.
    pub(crate) fn height(self) -> usize {
        self.data().height
    }
}

#[cfg(test)]
mod tests;
