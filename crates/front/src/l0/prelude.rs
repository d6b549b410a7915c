//! The prelude: functions in L0 that every program may call. They stand in `prelude.l0`.

use super::ast::Program;
use super::parse::parse;
use frit_support::FileId;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How messages call it.
pub(super) const NAME: &str = "prelude.l0";

/// Its text.
pub(super) const TEXT: &str = include_str!("prelude.l0");

/// The names of its functions.
pub(super) static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    program(<FileId as frit_support::Index>::new(0)).functions.into_iter().map(|f| f.name.text).collect()
});

/// The prelude as a file of this number.
pub(super) fn program(file: FileId) -> Program {
    let (program, errors) = parse(file, TEXT);
    assert!(errors.is_empty(), "the prelude is well-formed: {errors:?}");
    program
}

/// True if a program with this text may call a function of the prelude.
pub(super) fn is_mentioned(text: &str) -> bool {
    NAMES.iter().any(|name| text.contains(name.as_str()))
}
