//! Whole SAC programs from the repository: those in `tests/front/sac/err` are refused with exactly the messages that
//! their first lines announce.

use crate::common;

use common::announced_messages_are_given;
use frit_front::sac;
use frit_support::{Diagnostic, FileId, SourceMap};

fn check(map: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    sac::load(map, file, &[]).err().unwrap_or_default()
}

#[test]
fn refused_programs_get_exactly_the_announced_messages() {
    announced_messages_are_given("tests/front/sac/err", "sac", 70, check);
}
