//! The text form of the array IR round-trips.

use frit_ir::array::parse::parse_program;

/// Every construct of the text form, as the printer writes it.
const CORPUS: [(&str, &str); 3] = [
    ("operations", include_str!("corpus/operations.ir")),
    ("control", include_str!("corpus/control.ir")),
    ("with_loops", include_str!("corpus/with_loops.ir")),
];

#[test]
fn what_is_parsed_prints_the_same() {
    for (name, text) in CORPUS {
        let program = parse_program(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(program.to_string(), text, "{name}");
    }
}
