//! The exit codes and messages for wrong sources, wrong input and wrong use.

use crate::cli::place::{Place, project};
use std::io::Read;
use std::process::{Command, Stdio};

const DOUBLE: &str = "fun int main(int a) = a * 2\n";

#[test]
fn success_is_0() {
    let place = Place::with_program(DOUBLE);
    place.run(&["21"]).prints("42\n");
    let done = place.frit(["check", "p.l0"]).prints("");
    assert_eq!(done.err, "");
    place.frit(["--version"]).done().succeeded();
    place.frit(["--help"]).done().succeeded();
}

#[test]
fn a_failing_program_is_1() {
    let place = Place::with_program("fun int main(int a) = 100 / a\n");
    let done = place.run(&["0"]).fails(1, &["error[division-by-zero]", "p.l0:1:23", "100 / a"]);
    assert_eq!(done.said("error["), 1);
}

#[test]
fn wrong_input_is_1() {
    let place = Place::with_program("fun int main(int a, [int] b) = a + size(0, b)\n");
    for (input, place_of_mistake) in [
        ("", "<stdin>:1:1"),
        ("1", "<stdin>:1:2"),
        ("1 x", "<stdin>:1:3"),
        ("1 [1, 2\n", "<stdin>:"),
        ("1 [1]\n 2", "<stdin>:2:2"),
        ("1.5 [1]", "<stdin>:1:1"),
        ("1 [True]", "<stdin>:1:4"),
        ("99999999999999999999 [1]", "<stdin>:1:1"),
        ("1 [[1]]", "<stdin>:1:4"),
    ] {
        place.run(&["--engine", "interpreter"]).input(input).fails(1, &["error[bad-input]", place_of_mistake]);
    }
    place.run(&[]).input(b"1 [\xff]").fails(1, &["error[bad-input]", "UTF-8"]);
}

#[test]
fn wrong_use_is_2() {
    let place = Place::with_program(DOUBLE);
    place.file("p.txt", DOUBLE);
    for words in [
        &["frobnicate"] as &[&str],
        &[],
        &["run"],
        &["run", "p.l0", "1", "--frobnicate"],
        &["run", "p.l0", "1", "-O4"],
        &["run", "p.l0", "1", "--threads", "0"],
        &["run", "p.l0", "1", "--threads", "many"],
        &["run", "p.l0", "1", "--engine", "steam"],
        &["build", "p.l0"],
        &["dump"],
        &["bench", "p.l0", "1", "--runs", "0"],
    ] {
        place.frit(words).fails(2, &[]);
    }
    place.frit(["run", "p.txt", "1"]).fails(2, &["error[usage]", ".l0"]);
    place.frit(["check", "p"]).fails(2, &["error[usage]", ".l0"]);
    place.run(&["1", "2"]).fails(2, &["error[usage]", "takes 1 argument (a: int)"]);
}

#[test]
fn files_that_cannot_be_read_are_2() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder.l0")).unwrap();
    for command in ["run", "check", "dump", "bench"] {
        place.frit([command, "missing.l0"]).fails(2, &["error[file]", "`missing.l0`", "No such file"]);
        place.frit([command, "folder.l0"]).fails(2, &["error[file]", "`folder.l0`", "directory"]);
    }
}

#[test]
fn a_wrong_source_is_3_and_nothing_runs() {
    let place = Place::with_program("fun int main(int a) = a + b\n");
    for command in ["run", "check", "dump", "bench"] {
        place.frit([command, "p.l0"]).fails(3, &["error[unknown-variable]", "p.l0:1:27"]);
    }
    place.frit(["build", "p.l0", "-o", "p.so"]).fails(3, &["error[unknown-variable]"]);
    assert_eq!(place.files(), ["p.l0"]);
}

#[test]
fn a_source_that_is_no_text_is_3() {
    let place = Place::with_program("");
    place.frit(["check", "p.l0"]).fails(3, &["error[empty-program]"]);
    place.file("p.l0", b"fun int main() = 1 // \xff\n");
    place.frit(["check", "p.l0"]).fails(3, &["error[not-utf8]", "p.l0:1:23"]);
    place.file("p.l0", [0u8; 100]);
    place.frit(["check", "p.l0"]).fails(3, &["error["]);
    place.file("p.l0", b"\xef\xbb\xbffun int main() = 1\n");
    let done = place.frit(["check", "p.l0"]).done();
    assert!([Some(0), Some(3)].contains(&done.code), "{}", done.err);
    place.file("p.ir", "func @main() -> i64 {");
    place.frit(["check", "p.ir"]).fails(3, &["error[ir-syntax]", "p.ir:1:"]);
}

#[test]
fn ten_mistakes_are_ten_messages() {
    let place = Place::new();
    let folder = project().join("tests/front/l0/err");
    for name in ["ten_mistakes.l0", "ten_mistakes_in_one_function.l0"] {
        place.file(name, std::fs::read(folder.join(name)).unwrap());
        let done = place.frit(["check", name]).fails(3, &[]);
        assert_eq!(done.said("error["), 10, "{}", done.err);
    }
}

#[test]
fn a_program_without_main_can_be_checked_and_not_run() {
    let place = Place::with_program("fun int f(int a) = a\n");
    place.frit(["check", "p.l0"]).prints("");
    place.run(&["1"]).fails(1, &["error[missing-main]"]);
    place.frit(["build", "p.l0", "-o", "p.so"]).fails(1, &["error[missing-main]"]);
    place.frit(["dump", "p.l0"]).done().succeeded();
}

#[test]
fn huge_numbers_in_sources_are_messages() {
    let digits = "9".repeat(5000);
    for (source, said) in [
        (format!("fun int main() = {digits}\n"), "error["),
        (format!("fun int main([int] a) = a[{digits}]\n"), "error["),
        (format!("fun int main([int] a) = size({digits}, a)\n"), "error["),
    ] {
        let place = Place::with_program(&source);
        place.frit(["check", "p.l0"]).fails(3, &[said, "p.l0:1:"]);
    }
    let place = Place::with_program(&format!("fun real main() = {digits}.0e-5000\n"));
    place.run(&[]).prints("1.0\n");
    let place = Place::with_program("fun int main() = 9223372036854775807 + 1\n");
    place.run(&[]).prints("-9223372036854775808\n");
    let place = Place::with_program("fun [int] main(int n) = iota(n)\n");
    for engine in ["native", "interpreter"] {
        place.run(&["9223372036854775807", "--engine", engine]).fails(1, &["error[negative-size]"]);
        // 2^46 elements: a size that arrays may have, but not in this machine's memory.
        place.run(&["70368744177664", "--engine", engine]).fails(1, &["error[out-of-memory]"]);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::with_program("fun [int] main(int n) = iota(n)\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_frit"))
        .args(["run", "p.l0", "1000000"])
        .current_dir(place.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(&start, b"[0, 1, 2, ");
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
