//! What `frit dump` shows of the thesis' programs after the steps that people look at. The files in `dumps/` are written by
//! `cargo xtask bless`.

use expect_test::expect_file;
use frit_driver::{Notation, Options, dump, load_l0};
use std::path::Path;

fn dumps_as_before(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join(format!("../../examples/{name}.l0"));
    let source = std::fs::read_to_string(&path).expect("the example is there");
    let unit = load_l0(&format!("{name}.l0"), &source).expect("the example is accepted");
    let steps = [
        ("front", false),
        ("simplify", false),
        ("simplify", true),
        ("fuse", false),
        ("fuse", true),
        ("lower", false),
        ("c", false),
    ];
    for (step, l0) in steps {
        let text = dump(&unit, step, if l0 { Notation::L0 } else { Notation::Ir }, &Options::default())
            .expect("the step exists");
        // The run-time system is the same in all programs.
        let text = match text.split_once("/* ---- the program ---- */\n") {
            Some((_, program)) => program.split("/* ---- entry points ---- */").next().unwrap_or(program).to_string(),
            None => text,
        };
        let notation = if l0 { "-l0" } else { "" };
        expect_file![folder.join(format!("tests/dumps/{name}-{step}{notation}.txt"))].assert_eq(&text);
    }
}

#[test]
fn p0_is_one_map() {
    dumps_as_before("p0");
}

#[test]
fn p1_is_one_nest_with_its_assertions_before_it() {
    dumps_as_before("p1");
}

#[test]
fn p2_is_one_nest_of_maps_around_a_reduction() {
    dumps_as_before("p2");
}

#[test]
fn the_histogram_updates_in_place() {
    dumps_as_before("histogram");
}
