//! Integers that exchange their values, as subscripts of buffers do between time steps.
//!
//! ```text
//! int now = 0, next = 1;
//! for (...) {
//!     S(w[now], w[next]);                      where `now` and `next` are 0 and 1, or 1 and 0
//!     int tmp = now; now = next; next = tmp;   or `now = 1 - now; next = 1 - next;`
//! }
//! ```
//!
//! The values that a few variables have together are found by running the statements that change them, on sets of values: both sides of each condition,
//! loops until nothing is new. Only variables are followed that have few values. Read `buffers` next.

use super::affine::Params;
use super::builder::Builder;
use super::checks::is_own_variable;
use super::names::{Decl, DeclKind};
use super::statements::runs_once;
use super::syntax::{bare, children, descendants, field, fields, is_within, operands, operator};
use super::writes::{is_changed, is_changed_at};
use crate::ast::{CType, Kind, Node, Part};
use frit_scop::Param;
use std::collections::{BTreeMap, BTreeSet};

/// The values that variables have together where a region begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selectors {
    /// The variables.
    pub(crate) decls: Vec<Decl>,
    /// All that they may be, each time for all of them.
    pub(crate) values: Vec<Vec<i64>>,
}

/// A variable with more values is not followed.
const MOST_VALUES: usize = 8;
/// More variables are not followed together.
const MOST_VARIABLES: usize = 8;
/// More values of all variables together are not followed.
const MOST_STATES: usize = 64;
/// Larger numbers are no subscripts of buffers.
const LARGEST: i64 = 1 << 14;

/// The values of all variables that are followed; `None` for one that has none yet.
type State = Vec<Option<i64>>;
type States = BTreeSet<State>;

/// Variables that are integers of the function, and all that gives each of them values.
type Changes<'t> = BTreeMap<Decl, Vec<Node<'t>>>;

/// What is known of the variables of a region that other statements exchange.
pub(crate) fn selectors(builder: &Builder<'_, '_>) -> Selectors {
    find(builder).unwrap_or_default()
}

fn find(builder: &Builder<'_, '_>) -> Option<Selectors> {
    let in_region = |name: &Node<'_>| is_within(&name.byte_range(), &builder.region);
    let names = &builder.names;
    let is_used = |decl: &Decl| {
        let occurrences = &names.occurrences[decl];
        occurrences.iter().any(in_region)
            && !occurrences
                .iter()
                .any(|name| in_region(name) && (is_changed_at(*name) || name.kind() == Kind::Variable))
    };
    let candidates = || names.used().map(|(decl, _)| decl).filter(|decl| names.occurrences.contains_key(decl));
    let is_changed_integer = |decl: &Decl| is_followed(builder, *decl) && is_changed(*decl, names) && is_used(decl);
    if candidates().filter(is_changed_integer).count() < 2 || !is_plain(builder.function) {
        return None;
    }
    let mut changes: Changes<'_> = BTreeMap::new();
    for decl in candidates().filter(|decl| is_followed(builder, *decl)) {
        if let Some(all) = changes_of(builder, decl) {
            changes.insert(decl, all);
        }
    }
    few(&mut changes);
    let decls: Vec<Decl> = changes.keys().copied().filter(is_changed_integer).collect();
    // What they get their values from, too.
    let mut followed: BTreeSet<Decl> = decls.iter().copied().collect();
    loop {
        let sources = followed.iter().flat_map(|decl| &changes[decl]).flat_map(|change| descendants(*change));
        let more: BTreeSet<Decl> = sources.filter_map(Node::decl).filter(|decl| !followed.contains(decl)).collect();
        if more.is_empty() {
            break;
        }
        followed.extend(more);
    }
    if decls.len() < 2 || followed.len() > MOST_VARIABLES {
        return None;
    }
    let mut walk = Walk {
        region: builder.region.start,
        decls: followed.into_iter().collect(),
        found: States::new(),
        left: Vec::new(),
        continued: Vec::new(),
    };
    let first = States::from([vec![None; walk.decls.len()]]);
    walk.statement(field(builder.function, Part::Body)?, first)?;
    let columns: Vec<usize> =
        decls.iter().map(|decl| walk.decls.iter().position(|other| other == decl)).collect::<Option<_>>()?;
    // What reads a variable without a value means nothing.
    let values =
        walk.found.iter().filter_map(|state| columns.iter().map(|at| state[*at]).collect::<Option<Vec<i64>>>());
    let values: BTreeSet<Vec<i64>> = values.collect();
    Some(Selectors { decls, values: values.into_iter().collect() })
}

/// Control goes through a function as its statements stand.
fn is_plain(function: Node<'_>) -> bool {
    descendants(function).all(|node| match node.kind() {
        Kind::Goto | Kind::Label | Kind::Asm => false,
        Kind::StatementExpression => {
            !descendants(node).any(|inner| matches!(inner.kind(), Kind::Break | Kind::Continue))
        }
        _ => true,
    })
}

fn is_followed(builder: &Builder<'_, '_>, decl: Decl) -> bool {
    let data = &builder.names.decls[decl];
    data.kind == DeclKind::Local
        && matches!(data.of, CType::Int { bytes, .. } if bytes >= 2)
        && is_own_variable(decl, &builder.names)
}

/// The declarations and assignments that give a variable its values; `None` if it gets others elsewhere.
fn changes_of<'t>(builder: &Builder<'t, '_>, decl: Decl) -> Option<Vec<Node<'t>>> {
    let mut found = Vec::new();
    for name in &builder.names.occurrences[&decl] {
        let is_declared = name.kind() == Kind::Variable;
        if !is_declared && !is_changed_at(*name) {
            continue;
        }
        let outer = |node: Node<'t>| std::iter::successors(node.parent(), |node| node.parent());
        let change = if is_declared { *name } else { outer(*name).find(|node| node.kind() != Kind::Paren)? };
        let is_change = is_declared || matches!(change.kind(), Kind::Assign | Kind::Update);
        let mut whole = change;
        while let Some(parent) = whole.parent().filter(|parent| matches!(parent.kind(), Kind::Paren | Kind::Comma)) {
            whole = parent;
        }
        let first = whole.parent()?;
        let is_statement = match first.kind() {
            Kind::ExpressionStatement | Kind::Declaration => true,
            Kind::For => matches!(whole.part(), Part::Initial | Part::Update),
            _ => false,
        };
        let is_in_order = outer(first).all(|node| {
            matches!(node.kind(), Kind::Block | Kind::If | Kind::For | Kind::While | Kind::Do | Kind::Function)
        });
        if !is_change || !is_statement || !is_in_order {
            return None;
        }
        found.push(change);
    }
    Some(found)
}

/// Leaves only variables that have few values, whatever the order is in which statements run.
fn few(changes: &mut Changes<'_>) {
    loop {
        let mut values: BTreeMap<Decl, BTreeSet<i64>> = changes.keys().map(|decl| (*decl, BTreeSet::new())).collect();
        let mut unknown = BTreeSet::new();
        loop {
            let mut is_new = false;
            for (decl, change) in changes.iter().flat_map(|(decl, all)| all.iter().map(move |change| (decl, change))) {
                let named: BTreeSet<Decl> = descendants(*change).filter_map(Node::decl).collect();
                let Some(choices) = combinations(&named, &values, *decl) else {
                    unknown.insert(*decl);
                    continue;
                };
                for choice in choices {
                    match changed(*change, &|decl| choice.get(&decl).copied()) {
                        Some(Some(value)) => is_new |= values.get_mut(decl).is_some_and(|all| all.insert(value)),
                        Some(None) => {}
                        None => drop(unknown.insert(*decl)),
                    }
                }
                if values[decl].len() > MOST_VALUES {
                    unknown.insert(*decl);
                }
            }
            if !is_new || !unknown.is_empty() {
                break;
            }
        }
        if unknown.is_empty() {
            return;
        }
        changes.retain(|decl, _| !unknown.contains(decl));
    }
}

/// All values that these variables may have together; `None` if one is not followed.
fn combinations(
    named: &BTreeSet<Decl>,
    values: &BTreeMap<Decl, BTreeSet<i64>>,
    own: Decl,
) -> Option<Vec<BTreeMap<Decl, i64>>> {
    let mut all = vec![BTreeMap::new()];
    for decl in named {
        let values = values.get(decl)?;
        if values.is_empty() && *decl == own {
            // Its first value is still to come.
            continue;
        }
        all = all
            .into_iter()
            .flat_map(|known| {
                values.iter().map(move |value| {
                    let mut known: BTreeMap<Decl, i64> = known.clone();
                    known.insert(*decl, *value);
                    known
                })
            })
            .collect();
        if all.len() > MOST_STATES {
            return None;
        }
    }
    Some(all)
}

/// The value that a declaration or an assignment gives a variable: `None` if it is not known, `Some(None)` if there is none.
fn changed(change: Node<'_>, value_of: &dyn Fn(Decl) -> Option<i64>) -> Option<Option<i64>> {
    let (target, value) = match change.kind() {
        Kind::Variable => match field(change, Part::Value) {
            None => return Some(None),
            Some(value) => (change, value_in(value, value_of)),
        },
        Kind::Assign => {
            let (left, right) = (field(change, Part::Left)?, field(change, Part::Right)?);
            let right = value_in(right, value_of);
            let before = || value_in(left, value_of);
            let value = match operator(change).strip_suffix('=')? {
                "" => right,
                sign => binary(sign, before(), right),
            };
            (left, value)
        }
        Kind::Update => {
            let target = field(change, Part::Operand)?;
            let sign = if operator(change) == "++" { "+" } else { "-" };
            (target, binary(sign, value_in(target, value_of), Value::Is(1)))
        }
        _ => return None,
    };
    let of = &change.tree().decls[bare(target).decl()?].typed.of;
    let is_signed = matches!(of, CType::Int { is_signed: true, .. });
    match value {
        Value::Is(value) if value.abs() <= LARGEST && (value >= 0 || is_signed) => Some(Some(value)),
        Value::None => Some(None),
        _ => None,
    }
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Is(i64),
    /// Of a variable that has none.
    None,
    Unknown,
}

fn value_in(node: Node<'_>, value_of: &dyn Fn(Decl) -> Option<i64>) -> Value {
    let node = bare(node);
    match value_of_kind(node, value_of) {
        // It wraps round in C.
        Value::Is(value) if value < 0 && matches!(node.of(), CType::Int { is_signed: false, .. }) => Value::Unknown,
        value => value,
    }
}

fn value_of_kind(node: Node<'_>, value_of: &dyn Fn(Decl) -> Option<i64>) -> Value {
    let part = |part: Part| field(node, part).map_or(Value::Unknown, |part| value_in(part, value_of));
    match node.kind() {
        Kind::Number => node.value().map_or(Value::Unknown, Value::Is),
        Kind::Name => match (node.value(), node.decl()) {
            (Some(value), _) => Value::Is(value),
            (None, Some(decl)) => value_of(decl).map_or(Value::None, Value::Is),
            _ => Value::Unknown,
        },
        Kind::Cast if matches!(node.of(), CType::Int { bytes, .. } if *bytes >= 4) => part(Part::Value),
        Kind::Unary => match (operator(node), part(Part::Operand)) {
            ("-", Value::Is(value)) => Value::Is(-value),
            ("+", value) => value,
            ("~", Value::Is(value)) => Value::Is(!value),
            ("!", Value::Is(value)) => Value::Is(i64::from(value == 0)),
            (_, Value::None) => Value::None,
            _ => Value::Unknown,
        },
        Kind::Conditional => match part(Part::Condition) {
            Value::Is(0) => part(Part::Alternative),
            Value::Is(_) => part(Part::Consequence),
            other => other,
        },
        Kind::Binary => binary(operator(node), part(Part::Left), part(Part::Right)),
        _ => Value::Unknown,
    }
}

fn binary(sign: &str, left: Value, right: Value) -> Value {
    let (one, two) = match (left, right) {
        (Value::Is(one), Value::Is(two)) => (one, two),
        (Value::Unknown, _) | (_, Value::Unknown) => return Value::Unknown,
        _ => return Value::None,
    };
    let value = match sign {
        "+" => one.checked_add(two),
        "-" => one.checked_sub(two),
        "*" => one.checked_mul(two),
        "/" => one.checked_div(two),
        "%" => one.checked_rem(two),
        "&" => Some(one & two),
        "|" => Some(one | two),
        "^" => Some(one ^ two),
        "==" => Some(i64::from(one == two)),
        "!=" => Some(i64::from(one != two)),
        "<" => Some(i64::from(one < two)),
        "<=" => Some(i64::from(one <= two)),
        ">" => Some(i64::from(one > two)),
        ">=" => Some(i64::from(one >= two)),
        "&&" => Some(i64::from(one != 0 && two != 0)),
        "||" => Some(i64::from(one != 0 || two != 0)),
        _ => None,
    };
    value.filter(|value| value.abs() <= LARGEST).map_or(Value::Unknown, Value::Is)
}

/// The statements of a function, run on sets of values.
struct Walk {
    /// Where the region begins.
    region: usize,
    decls: Vec<Decl>,
    /// The values there.
    found: States,
    /// The values where `break` leaves each loop around.
    left: Vec<States>,
    /// The values where `continue` goes on with it.
    continued: Vec<States>,
}

impl Walk {
    /// The values behind a statement; `None` if there are too many.
    fn statement(&mut self, node: Node<'_>, states: States) -> Option<States> {
        if node.start_byte() == self.region {
            self.found.extend(states.iter().cloned());
        }
        if states.len() > MOST_STATES {
            return None;
        }
        match node.kind() {
            Kind::Block => children(node).into_iter().try_fold(states, |states, child| self.statement(child, states)),
            Kind::If => {
                let mut after = match field(node, Part::Alternative) {
                    Some(otherwise) => self.statement(otherwise, states.clone())?,
                    None => states.clone(),
                };
                if let Some(then) = field(node, Part::Consequence) {
                    after.extend(self.statement(then, states)?);
                }
                Some(after)
            }
            Kind::For | Kind::While | Kind::Do => self.repeated(node, states),
            Kind::Break => self.leave(|walk| &mut walk.left, states),
            Kind::Continue => self.leave(|walk| &mut walk.continued, states),
            Kind::Return => Some(States::new()),
            Kind::ExpressionStatement => self.changes(children(node).into_iter().flat_map(operands).collect(), states),
            Kind::Declaration => self.changes(fields(node, Part::Variable), states),
            Kind::Switch => {
                // Nothing in it gives the variables other values.
                if descendants(node).any(|inner| inner.kind() == Kind::Continue) {
                    self.leave(|walk| &mut walk.continued, states.clone())?;
                }
                if is_within(&(self.region..self.region), &node.byte_range()) {
                    self.found.extend(states.iter().cloned());
                }
                Some(states)
            }
            _ => Some(states),
        }
    }

    fn leave(&mut self, list: fn(&mut Walk) -> &mut Vec<States>, states: States) -> Option<States> {
        // A `break` outside of loops belongs to a `switch`, which is not walked through.
        list(self).last_mut()?.extend(states);
        Some(States::new())
    }

    fn repeated(&mut self, node: Node<'_>, states: States) -> Option<States> {
        let initial = field(node, Part::Initial);
        let mut head = match initial {
            Some(initial) if initial.kind() == Kind::Declaration => self.statement(initial, states)?,
            Some(initial) if initial.kind() == Kind::ExpressionStatement => self.statement(initial, states)?,
            Some(initial) => self.changes(operands(initial), states)?,
            None => states,
        };
        let is_once = node.kind() == Kind::Do && runs_once(node);
        let body = field(node, Part::Body);
        let updates: Vec<Node<'_>> = fields(node, Part::Update).into_iter().flat_map(operands).collect();
        let mut after = if node.kind() == Kind::Do { States::new() } else { head.clone() };
        loop {
            self.left.push(States::new());
            self.continued.push(States::new());
            let end = body.map_or_else(|| Some(head.clone()), |body| self.statement(body, head.clone()));
            let (left, continued) = (self.left.pop()?, self.continued.pop()?);
            let mut end = end?;
            end.extend(continued);
            let end = self.changes(updates.clone(), end)?;
            after.extend(left);
            after.extend(end.iter().cloned());
            let before = head.len();
            head.extend(end);
            if is_once || head.len() == before {
                return Some(after);
            }
            if head.len() > MOST_STATES {
                return None;
            }
        }
    }

    /// The values behind expressions that are evaluated one after the other.
    fn changes(&mut self, all: Vec<Node<'_>>, mut states: States) -> Option<States> {
        for change in all {
            let target = match change.kind() {
                Kind::Variable => change.decl(),
                Kind::Assign => field(change, Part::Left).map(bare).and_then(Node::decl),
                Kind::Update => field(change, Part::Operand).map(bare).and_then(Node::decl),
                _ => None,
            };
            let Some(at) = self.decls.iter().position(|decl| Some(*decl) == target) else { continue };
            let mut after = States::new();
            for state in &states {
                let value_of = |decl: Decl| self.decls.iter().position(|other| *other == decl).and_then(|at| state[at]);
                let mut next = state.clone();
                next[at] = changed(change, &value_of)?;
                after.insert(next);
            }
            states = after;
        }
        Some(states)
    }
}

impl Selectors {
    /// The values of one variable, for each of all.
    pub(crate) fn column(&self, decl: Decl) -> Option<usize> {
        self.decls.iter().position(|other| *other == decl)
    }
}

impl Params {
    /// What is known of parameters that have only a few values together, in isl's notation.
    pub(crate) fn selected(&self) -> Option<String> {
        let columns: Vec<(usize, Param)> = self.columns.iter().map(|(at, param)| (*at, *param)).collect();
        if columns.len() < 2 || self.values.is_empty() {
            return None;
        }
        let rows: BTreeSet<Vec<i64>> =
            self.values.iter().map(|row| columns.iter().map(|(at, _)| row[*at]).collect()).collect();
        let row = |row: &Vec<i64>| {
            let all: Vec<String> =
                columns.iter().zip(row).map(|((_, param), value)| format!("{param} = {value}")).collect();
            format!("({})", all.join(" and "))
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        Some(format!("({})", rows.join(" or ")))
    }
}
