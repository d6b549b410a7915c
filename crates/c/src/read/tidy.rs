//! What has no use any more in a text with transformed regions: variables that only stood in what is gone, and labels of checks.
//!
//! The compiler says what is not used; what the source had no use for stays.

use super::outside::declared_item;
use super::syntax::{children, descendants, field};
use crate::ast::{Kind, Node, Part, Tree};
use crate::write::lexical::{blanked, is_word};
use crate::write::outside::{Edit, Edits, applied};
use std::collections::BTreeSet;
use std::ops::Range;

/// What the compiler says of names without a use: where they are declared, in which function, and in words.
pub(super) fn unused(tree: &Tree) -> impl Iterator<Item = (Range<usize>, String, String)> + '_ {
    tree.unused.iter().filter_map(|(place, what)| {
        let function = super::regions::function_at(tree, place)?;
        Some((place.clone(), function.name().to_string(), what.clone()))
    })
}

/// The text without what it has no use for, other than what is `known` to have none; `None` if nothing is to be done.
pub(super) fn tidied(tree: &Tree, known: &BTreeSet<(String, String)>) -> Option<String> {
    let blank = blanked(&tree.text);
    let mut edits = Edits::default();
    let mut others = Vec::new();
    for (place, function, what) in unused(tree) {
        if known.contains(&(function, what)) {
            continue;
        }
        let length = blank.as_bytes()[place.start..].iter().take_while(|byte| is_word(**byte)).count();
        let name = place.start..place.start + length;
        let function = super::regions::function_at(tree, &place)?;
        let is_it = |node: &Node<'_>| node.decl().is_some_and(|decl| tree.decls[decl].range == name);
        let declared = descendants(function).find(|node| node.kind() == Kind::Variable && is_it(node));
        let label = descendants(function).find(|node| node.kind() == Kind::Label && node.start_byte() == name.start);
        let item =
            declared.filter(|variable| is_idle(*variable)).and_then(|variable| declared_item(variable, &blank).ok());
        if let Some(item) = item {
            edits.remove(&[item]);
        } else if let Some(label) = label {
            let end = name.end + blank[name.end..label.end_byte()].find(':')? + 1;
            let space = blank[end..].len() - blank[end..].trim_start().len();
            others.push(Edit { range: name.start..end + space, text: String::new() });
        } else {
            // Its value is computed by what has to stay: it is said to be of no use.
            let statement = declared.and_then(Node::parent).filter(|parent| parent.kind() == Kind::Declaration);
            let after = match statement {
                Some(statement) if statement.parent().is_some_and(|around| around.kind() == Kind::Block) => {
                    statement.end_byte()
                }
                Some(_) => continue,
                None => field(function, Part::Body)?.start_byte() + 1,
            };
            let line = tree.text[..after].rfind('\n').map_or(0, |newline| newline + 1);
            let indent: String = tree.text[line..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
            let indent = if statement.is_some() { indent } else { format!("{indent}    ") };
            others.push(Edit { range: after..after, text: format!("\n{indent}(void){};", &tree.text[name]) });
        }
    }
    let edits = edits.finish(&tree.text, &blank, others);
    (!edits.is_empty()).then(|| applied(&tree.text, &edits))
}

/// Nothing happens where the variable gets its value, and nothing names it besides.
fn is_idle(variable: Node<'_>) -> bool {
    let acts =
        |node: Node<'_>| matches!(node.kind(), Kind::Call | Kind::Assign | Kind::Update | Kind::StatementExpression);
    let is_named = || {
        let function = super::regions::function_of(variable);
        let mut all = function.into_iter().flat_map(descendants);
        all.any(|node| node.kind() == Kind::Name && node.decl() == variable.decl())
    };
    let in_block = variable.parent().and_then(Node::parent).is_some_and(|around| around.kind() == Kind::Block);
    in_block && !children(variable).into_iter().flat_map(descendants).any(acts) && !is_named()
}
