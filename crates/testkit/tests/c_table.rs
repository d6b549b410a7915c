//! The table of kernels in `docs/c-loops.md` says what fusion does. `cargo xtask c-table` writes it anew.

use frit_testkit::c_files::{failures, files};
use frit_testkit::c_table::{HEADING, MARKER, Measured, Reported, measure, report, reported_part, row};
use frit_testkit::place::{Scratch, project};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

fn document() -> PathBuf {
    project().join("docs/c-loops.md")
}

/// What the document says before the table, its rows, and what it says behind them.
fn parts(text: &str) -> (String, Vec<String>, String) {
    let (before, rest) = text.split_once(MARKER).expect("the document has a place for the table");
    let is_row = |line: &&str| line.starts_with('|');
    let rows = rest.lines().take_while(is_row).skip(HEADING.lines().count()).map(str::to_string).collect();
    let behind: Vec<&str> = rest.lines().skip_while(is_row).collect();
    let behind = if behind.is_empty() { String::new() } else { behind.join("\n") + "\n" };
    (before.to_string(), rows, behind)
}

fn reports(paths: &[PathBuf]) -> BTreeMap<PathBuf, Reported> {
    let reports = Mutex::new(BTreeMap::new());
    let failures = failures(paths, |path| {
        let reported = report(path)?;
        reports.lock().unwrap().insert(path.to_path_buf(), reported);
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    reports.into_inner().unwrap()
}

/// The table with everything measured anew.
fn write(paths: &[PathBuf], reports: &BTreeMap<PathBuf, Reported>, before: &str, behind: &str) {
    let folder = Scratch::new("c-table");
    let measured: Mutex<BTreeMap<PathBuf, Measured>> = Mutex::default();
    let failures = failures(paths, |path| {
        let found = measure(path, &reports[path].fused, &folder)?;
        measured.lock().unwrap().insert(path.to_path_buf(), found);
        Ok(())
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let measured = measured.into_inner().unwrap();
    let rows: Vec<String> = paths.iter().map(|path| row(&reports[path], &measured[path])).collect();
    let text = format!("{before}{MARKER}{HEADING}{}\n{behind}", rows.join("\n"));
    std::fs::write(document(), text).unwrap();
}

#[test]
fn the_table_of_kernels_is_what_is_reported() {
    let paths = files("kernels");
    let reports = reports(&paths);
    let (before, rows, behind) = parts(&std::fs::read_to_string(document()).unwrap());
    if std::env::var_os("BLESS").is_some() {
        return write(&paths, &reports, &before, &behind);
    }
    let said: Vec<&str> = rows.iter().filter_map(|row| reported_part(row)).collect();
    let nothing = Measured { size: 0, bytes: (0, 0) };
    let expected: Vec<String> = paths.iter().map(|path| row(&reports[path], &nothing)).collect();
    let expected: Vec<&str> = expected.iter().filter_map(|row| reported_part(row)).collect();
    for (said, expected) in said.iter().zip(&expected) {
        assert_eq!(said, expected, "docs/c-loops.md is stale: run `cargo xtask c-table`");
    }
    assert_eq!(said.len(), expected.len(), "docs/c-loops.md lacks kernels: run `cargo xtask c-table`");
}
