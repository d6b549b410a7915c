//! The text form of the loop IR round-trips.

use frit_ir::nest::parse::parse_program;

#[test]
fn what_is_parsed_prints_the_same() {
    let text = include_str!("corpus/loops.ir");
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.to_string(), text);
}
