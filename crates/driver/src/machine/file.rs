//! The constants as text: JSON with the names of [`Machine`]'s fields. What a user wrote wrongly is reported where it stands.

use super::constants::Machine;
use crate::error::{Error, Kind};
use crate::source::json_offset;
use frit_support::{Diagnostic, SourceMap, Span};
use std::path::Path;

/// The constants as text that [`parse`] reads.
pub fn print(machine: &Machine) -> String {
    serde_json::to_string_pretty(machine).expect("names and numbers are JSON") + "\n"
}

/// Reads constants from a file; all may be missing.
///
/// # Errors
///
/// The file cannot be read, or the first mistake in it.
pub fn load(path: &Path) -> Result<Machine, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
    parse(&path.display().to_string(), &text)
}

/// Reads constants from text; `name` is what messages call it.
///
/// # Errors
///
/// The first mistake.
pub fn parse(name: &str, text: &str) -> Result<Machine, Error> {
    serde_json::from_str(text).map_err(|error| {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        // The reader stops behind what it does not like.
        let end = json_offset(text, error.line(), error.column() + 1);
        let start = text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default();
        let diagnostic = Diagnostic::error("machine-file", "these are no constants of a machine")
            .label(Span::new(file, start, end), what)
            .note("`frit machine --json` prints an example");
        Error::new(Kind::Usage, &sources, diagnostic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        let text = r#"{"cores": 2, "vector_bytes": 32, "storage": {"L1": {"size_bytes": 32768, "shared_by": 1,
            "read_gb_per_s": {"one": 100.5}}, "memory": {"copy_gb_per_s": {"one": 10.0, "all": 20.0}}},
            "fma_gflop_per_s": {"one": 50.0}, "threads": {"region_us": 0.5}}"#;
        let machine = parse("m.json", text).unwrap();
        assert_eq!(parse("m.json", &print(&machine)).unwrap(), machine);
        assert_eq!(print(&Machine::default()), "{}\n");
    }

    #[test]
    fn mistakes_are_reported_where_they_stand() {
        for (text, said, place) in [
            ("{\n  \"coers\": 2\n}", "unknown field `coers`", "m.json:2:"),
            ("{\"cores\": 0}", "nonzero", "m.json:1:"),
            ("{\"threads\":\n {\"region_us\": -1}}", "must be above 0", "m.json:2:"),
            ("{\"storage\": {\"L9\": {}}}", "unknown variant `L9`", "m.json:1:"),
            ("{\"cores\": 2", "EOF", "m.json:1:"),
            ("", "EOF", "m.json:1:1"),
        ] {
            let rendered = parse("m.json", text).unwrap_err().render(false);
            assert!(rendered.contains("error[machine-file]"), "{rendered}");
            assert!(rendered.contains(said) && rendered.contains(place), "{said} at {place}:\n{rendered}");
        }
    }
}
