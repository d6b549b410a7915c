//! `frit repl` from a pipe, and with expressions on the command line.

use crate::cli::npy;
use crate::cli::place::Place;

#[test]
fn inputs_come_from_a_pipe_line_by_line() {
    let place = Place::new();
    let input = "a = [1,\n  2]\na[1]\nb\n:lang sac\na + a\n:quit\nnothing\n";
    let done = place.frit(["repl"]).input(input).done();
    assert_eq!((done.code, done.text().as_str()), (Some(3), "2\n[2,4]\n"), "{}", done.err);
    assert!(done.err.contains("<input>:1:1") && done.said("error[") == 1, "{}", done.err);
}

#[test]
fn inputs_come_from_the_command_line() {
    let place = Place::new();
    place.frit(["repl", "-e", "a = iota(3)", "-e", "reduce(op +, 0, a)"]).prints("3\n");
    place.frit(["repl", "--lang", "numpy", "-e", "np.arange(3) * 2"]).prints("[0, 2, 4]\n");
    place.frit(["repl", "-e", "1 +"]).fails(3, &["<input>:1:"]);
}

#[test]
fn arrays_come_from_files() {
    let place = Place::new();
    place.file("a.npy", npy::file("<f4", false, &[2], &[1.5f32, 2.5].map(f32::to_le_bytes).concat()));
    place.frit(["repl"]).input("a = load a.npy\na[0] + a[1]\n:lang numpy\n:type a\n").prints("4.0\nfloat32[:]\n");
}
