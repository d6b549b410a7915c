//! Whole L0 programs from the repository: those that run are accepted, those in `tests/front/l0/err` are refused with
//! exactly the messages that their first lines announce.

use crate::common;

use common::{announced_messages_are_given, messages, programs};
use frit_front::l0;
use frit_support::{Diagnostic, FileId, SourceMap};

fn check(map: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    l0::load(map, file).err().unwrap_or_default()
}

#[test]
fn programs_that_run_are_accepted() {
    let paths: Vec<_> = ["tests/run/l0", "examples"].into_iter().flat_map(|folder| programs(folder, "l0")).collect();
    assert!(paths.len() > 150, "only {} programs", paths.len());
    let refused: Vec<_> =
        paths.iter().map(|path| messages(path, check)).filter(|(places, _)| !places.is_empty()).collect();
    let shown: String = refused.iter().map(|(_, text)| text.as_str()).collect();
    assert!(refused.is_empty(), "{} programs refused\n{shown}", refused.len());
}

#[test]
fn refused_programs_get_exactly_the_announced_messages() {
    announced_messages_are_given("tests/front/l0/err", "l0", 90, check);
}
