//! The messages for mistakes in the text of SAC programs, and the index that explains their codes.

use crate::common;

use common::{codes_are_in_the_error_index, programs_of_the_error_index_are_what_it_says};
use frit_front::sac;
use frit_front::sac::source::{Included, include_from_disk, preprocess};
use frit_support::{Diagnostic, FileId, SourceMap};
use std::path::PathBuf;

/// Loads; a program that includes itself is found by its name, though it is in no folder.
fn check(map: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    let (name, text) =
        map.file(file).map(|file| (file.name.clone(), file.text.clone())).expect("the file is in the map");
    if !text.contains(&format!("#include \"{name}\"")) {
        return sac::load(map, file, &[]).err().unwrap_or_default();
    }
    let mut include = |written: &str, from: &std::path::Path| {
        if written != name {
            return include_from_disk(written, from, &[], &mut Default::default());
        }
        Ok(Included { path: PathBuf::from(&name), text: text.clone() })
    };
    preprocess(map, file, &mut include).parse(&sac::source::Vocabulary::default()).1
}

#[test]
fn every_code_is_in_the_error_index() {
    codes_are_in_the_error_index("src/sac/error.rs", 40);
}

#[test]
fn the_programs_of_the_error_index_are_what_it_says() {
    programs_of_the_error_index_are_what_it_says("## SAC: mistakes in the text of a program", "sac", check);
}
