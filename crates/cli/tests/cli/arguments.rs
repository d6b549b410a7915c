//! Arguments as text, as words and as `.npy` files; results as text and as `.npy` files.

use crate::cli::npy;
use crate::cli::place::Place;

#[test]
fn text_on_standard_input() {
    let place = Place::with_program(
        "fun {int, real, bool, char, [char], [[int]], [{int, bool}]}\n  \
           main(int a, real b, bool c, char d, [char] e, [[int]] f, [{int, bool}] g) = {a, b, c, d, e, f, g}\n",
    );
    let input = "// a comment\n-3 2.5e-3 True '\\n' \"a\\\"b\"\n[[1, 2], [3, 4]] [{1, True}, {-2, False}]";
    let expected = "{-3, 0.0025, True, '\\n', a\"b, [[1, 2], [3, 4]], Checked, [1, -2], [True, False]}\n";
    for engine in ["native", "interpreter"] {
        place.run(&["--engine", engine]).input(input).prints(expected);
    }
    let empties = "0 1 False 'x' \"\" [] empty({int, bool})";
    let expected = "{0, 1.0, False, 'x', empty(char), empty([int]), Checked, empty(int), empty(bool)}\n";
    place.run(&[]).input(empties).prints(expected);
    place.run(&[]).input("0 1 False 'x' [] empty([int]) []").prints(expected);
}

#[test]
fn words_of_the_command_line() {
    let place = Place::with_program("fun {int, real, [int]} main(int a, real b, [int] c) = {a, b, c}\n");
    place.run(&["1", "2", "[3, 4]"]).prints("{1, 2.0, [3, 4]}\n");
    place.run(&["-1", "-2.5", "[-3]"]).prints("{-1, -2.5, [-3]}\n");
    place.run(&["-1", "-2.5e-1", "[]", "--threads", "1"]).prints("{-1, -0.25, empty(int)}\n");
    place.run(&["--", "-1", "-0.0", "[ -3 ,4 ]"]).prints("{-1, -0.0, [-3, 4]}\n");
    // Words are complete values each: nothing is read from standard input besides.
    place.run(&["1", "2"]).input("[3]").fails(2, &["takes 3 arguments", "a: int, b: real, c: [int]"]);
    place.run(&["1", "2", "[3]", "4"]).fails(2, &["takes 3 arguments"]);
    place.run(&["1", "2 3", "[3]"]).fails(1, &["error[bad-input]", "<argument 2>:1:3"]);
    place.run(&["1", "x", "[3]"]).fails(1, &["error[bad-input]", "<argument 2>:1:1"]);
}

#[test]
fn a_program_without_parameters_ignores_its_input() {
    let place = Place::with_program("fun int main() = 42\n");
    place.run(&[]).input("whatever [").prints("42\n");
    place.run(&["1"]).fails(2, &["takes no arguments"]);
}

#[test]
fn files_of_every_type_are_widened() {
    let place = Place::with_program("fun {int, [int]} main([int] a) = {reduce(op +, 0, a), a}\n");
    let types: [(&str, usize, &[i64]); 10] = [
        ("<i8", 8, &[-5, i64::MAX, 7]),
        ("<i4", 4, &[-5, 2147483647, 7]),
        ("<i2", 2, &[-5, 32767, 7]),
        ("|i1", 1, &[-5, 127, 7]),
        ("<u4", 4, &[5, 4294967295, 7]),
        ("<u2", 2, &[5, 65535, 7]),
        ("|u1", 1, &[5, 255, 7]),
        (">i8", 8, &[-5, 1 << 40, 7]),
        (">i4", 4, &[-5, 1 << 20, 7]),
        (">u2", 2, &[5, 65535, 7]),
    ];
    for (descr, bytes, values) in types {
        let element = |v: &i64| match descr.starts_with('>') {
            true => v.to_be_bytes()[8 - bytes..].to_vec(),
            false => v.to_le_bytes()[..bytes].to_vec(),
        };
        let elements: Vec<u8> = values.iter().flat_map(element).collect();
        place.file("a.npy", npy::file(descr, false, &[3], &elements));
        let sum = values.iter().fold(0i64, |sum, v| sum.wrapping_add(*v));
        place.run(&["a.npy"]).prints(&format!("{{{sum}, {values:?}}}\n"));
    }
}

#[test]
fn reals_bools_and_characters_come_from_files() {
    let place = Place::with_program("fun {[real], [bool], [char]} main([real] a, [bool] b, [char] c) = {a, b, c}\n");
    place.file("f8.npy", npy::reals(&[0.5, -0.0, f64::NAN, f64::INFINITY]));
    let single: Vec<u8> = [0.5f32, -1.5e10].iter().flat_map(|x| x.to_le_bytes()).collect();
    place.file("f4.npy", npy::file("<f4", false, &[2], &single));
    place.file("i8.npy", npy::ints(&[3, -4]));
    place.file("bool.npy", npy::file("|b1", false, &[3], &[1, 0, 1]));
    place.file("u1.npy", npy::file("|u1", false, &[3], b"abc"));
    place.file("u4.npy", npy::file("<u4", false, &[1], &0x1F600u32.to_le_bytes()));
    let run = |a: &str, c: &str| place.run(&[a, "bool.npy", c]);
    run("f8.npy", "u1.npy").prints("{[0.5, -0.0, nan, inf], [True, False, True], abc}\n");
    run("f4.npy", "u4.npy").prints("{[0.5, -15000000512.0], [True, False, True], \u{1F600}}\n");
    run("i8.npy", "u1.npy").prints("{[3.0, -4.0], [True, False, True], abc}\n");
}

#[test]
fn scalars_and_matrices_come_from_files() {
    let place = Place::with_program(
        "fun [[real]] main(real x, [[real]] a) = map(fn [real] ([real] row) => map(op *(x), row), a)\n",
    );
    place.file("x.npy", npy::file("<f8", false, &[], &2.0f64.to_le_bytes()));
    let elements: Vec<u8> = (0..6).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    place.file("a.npy", npy::file("<f8", false, &[2, 3], &elements));
    place.run(&["x.npy", "a.npy"]).prints("[[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]\n");
    place.file("none.npy", npy::file("<f8", false, &[0, 3], &[]));
    place.run(&["1", "none.npy"]).prints("empty([real])\n");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let place = Place::with_program("fun int main([[int]] a) = size(0, a)\n");
    let elements: Vec<u8> = (0..6i64).flat_map(i64::to_le_bytes).collect();
    let whole = npy::file("<i8", false, &[2, 3], &elements);
    let run = |name: &str, content: &[u8], said: &str| {
        place.file(name, content);
        place.run(&[name]).fails(1, &["error[bad-input]", &format!("`{name}`"), said]);
    };
    run("real.npy", &npy::file("<f8", false, &[2, 3], &elements), "elements of type f64");
    run(
        "u8.npy",
        &npy::file("<u8", false, &[1, 1], &[255; 8]),
        "has the element 18446744073709551615, which does not fit, but parameter `a` is of type [[int]]",
    );
    run("complex.npy", &npy::file("<c16", false, &[1, 3], &elements), "not supported");
    run("half.npy", &npy::file("<f2", false, &[1, 3], &elements[..6]), "elements of type f32");
    run("text.csv", b"1,2\n3,4.5\n", "line 2, field 2: `4.5` is no integer");
    run("ragged.csv", b"1,2\n3\n", "line 2: has 1 field, but the first row has 2");
    run("bool.npy", &npy::file("|b1", false, &[2, 3], &[0; 6]), "elements of type bool");
    run("rank.npy", &npy::ints(&[1, 2, 3]), "has 1 dimension, but parameter `a` of type [[int]] needs 2");
    run("short.npy", &whole[..whole.len() - 8], "shorter than its header says");
    run("header.npy", &whole[..40], "");
    run("magic.npy", b"hello", "");
    run("empty.npy", b"", "");
    run("claim.npy", &npy::file("<i8", false, &[1 << 30, 1 << 20], &elements), "shorter than its header says");
    run("more.npy", &npy::file("<i8", false, &[1 << 40, 1 << 40], &elements), "more elements than can be counted");
    run("huge.npy", &npy::file("<i8", false, &[0, usize::MAX, 3], &[]), "more elements than can be counted");
    place.run(&["missing.npy"]).fails(1, &["error[bad-input]", "`missing.npy`", "No such file"]);
    std::fs::create_dir(place.path("folder.npy")).unwrap();
    place.run(&["folder.npy"]).fails(1, &["error[bad-input]", "`folder.npy`"]);
    place.file("whole.npy", &whole);
    place.run(&["whole.npy"]).prints("2\n");
}

#[test]
fn an_array_of_tuples_takes_one_file_for_each_component() {
    let place = Place::with_program(
        "fun real main([{int, real}] a, int n) = reduce(op +, toReal(n), map(weigh, a))\nfun real weigh(int k, real x) = toReal(k) * x\n",
    );
    place.file("k.npy", npy::ints(&[1, 2, 3]));
    place.file("x.npy", npy::reals(&[0.5, 0.25, 2.0]));
    place.file("short.npy", npy::reals(&[0.5, 0.25]));
    place.run(&["k.npy", "x.npy", "10"]).prints("17.0\n");
    place.run(&["[{1, 0.5}]", "10"]).prints("10.5\n");
    place.run(&["k.npy", "10"]).fails(1, &["error[bad-input]", "2 arrays"]);
    place.run(&["k.npy"]).fails(1, &["error[bad-input]", "2 arrays"]);
    place.run(&["k.npy", "x.npy"]).fails(2, &["takes 2 arguments"]);
    place.run(&["k.npy", "short.npy", "10"]).fails(1, &["error[bad-input]", "lengths", "`a`", "3", "2"]);
    place.run(&["x.npy", "k.npy", "10"]).fails(1, &["error[bad-input]", "`x.npy`", "elements of type f64"]);
}

#[test]
fn results_go_to_files_and_come_back() {
    let place = Place::with_program(
        "fun {[real], [[int]], [bool], [char], int, [{int, real}]} main(int n) =\n  \
           {map(fn real (int i) => 1.0 / toReal(i), iota(n)), map(fn [int] (int i) => iota(2), iota(n)), [True, False],\n   \
            \"h\\233llo\", n, zip(iota(n), replicate(n, 0.5))}\n",
    );
    let files = ["r.npy", "m.npy", "b.npy", "c.npy", "n.npy", "k.npy", "x.npy"];
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
    let done = place.run(&[&["3"], outputs.as_slice()].concat()).prints("");
    assert_eq!(done.err, "");
    assert_eq!(npy::elements(&place.read("r.npy"), "<f8", f64::from_le_bytes), [f64::INFINITY, 1.0, 0.5]);
    assert_eq!(npy::elements(&place.read("m.npy"), "<i8", i64::from_le_bytes), [0, 1, 0, 1, 0, 1]);
    assert!(npy::parts(&place.read("m.npy")).0.contains("(3, 2,"), "{}", npy::parts(&place.read("m.npy")).0);
    assert_eq!(npy::elements(&place.read("b.npy"), "|b1", u8::from_le_bytes), [1, 0]);
    assert_eq!(npy::elements(&place.read("c.npy"), "|u1", u8::from_le_bytes), *b"h\xe9llo");
    assert_eq!(npy::elements(&place.read("n.npy"), "<i8", i64::from_le_bytes), [3]);
    assert_eq!(npy::elements(&place.read("x.npy"), "<f8", f64::from_le_bytes), [0.5; 3]);

    place.file(
        "back.l0",
        "fun {[real], [[int]], [bool], [char], int, [{int, real}]}\n  \
           main([real] r, [[int]] m, [bool] b, [char] c, int n, [{int, real}] kx) = {r, m, b, c, n, kx}\n",
    );
    place.frit(["run", "back.l0"].iter().chain(&files)).prints(
        "{[inf, 1.0, 0.5], [[0, 1], [0, 1], [0, 1]], [True, False], h\u{e9}llo, 3, Checked, [0, 1, 2], \
         [0.5, 0.5, 0.5]}\n",
    );
}

#[test]
fn bits_survive_files() {
    let place = Place::with_program("fun [real] main([real] a) = a\n");
    let odd = [f64::NAN, -0.0, f64::MIN_POSITIVE / 3.0, f64::MAX, f64::NEG_INFINITY, 0.1];
    place.file("a.npy", npy::reals(&odd));
    place.run(&["a.npy", "-o", "b.npy"]).prints("");
    let back = npy::elements(&place.read("b.npy"), "<f8", f64::from_le_bytes);
    assert_eq!(back.map_bits(), odd.to_vec().map_bits());
}

trait Bits {
    fn map_bits(&self) -> Vec<u64>;
}

impl Bits for Vec<f64> {
    fn map_bits(&self) -> Vec<u64> {
        self.iter().map(|x| x.to_bits()).collect()
    }
}

#[test]
fn outputs_appear_all_or_none() {
    let place = Place::with_program("fun {[int], int} main(int n) = {iota(n), n}\n");
    place.run(&["3", "-o", "x.npy"]).fails(2, &["error[usage]", "needs 2 output files"]);
    place.run(&["3", "-o", "x.npy", "-o", "y.npy", "-o", "z.npy"]).fails(2, &["needs 2 output files"]);
    place.run(&["3", "-o", "x.npy", "-o", "missing/y.npy"]).fails(2, &["error[file]", "`missing/y.npy`"]);
    std::fs::create_dir(place.path("folder.npy")).unwrap();
    place.run(&["3", "-o", "x.npy", "-o", "folder.npy"]).fails(2, &["error[file]", "`folder.npy`"]);
    assert_eq!(place.files(), ["folder.npy", "p.l0"]);
    // What was there stays if the new one cannot be.
    place.file("x.npy", "old");
    place.run(&["3", "-o", "x.npy", "-o", "missing/y.npy"]).fails(2, &["error[file]"]);
    assert_eq!(place.read("x.npy"), b"old");
    place.run(&["3", "-o", "x.npy", "-o", "x.npy"]).fails(2, &["error[usage]", "x.npy"]);
    place.run(&["3", "-o", "x.npy", "-o", "y.npy"]).prints("");
    assert_eq!(npy::elements(&place.read("x.npy"), "<i8", i64::from_le_bytes), [0, 1, 2]);
}

#[test]
fn complex_numbers_come_from_files_where_they_are_taken() {
    let place = Place::new();
    place.file("f.py", "import numpy as np\ndef f(z, a):\n    return np.sum(z * np.conj(z)), z[1] * a[0]\n");
    let parts: Vec<u8> = [1.0f64, 2.0, -3.0, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    place.file("z.npy", npy::file("<c16", false, &[2], &parts));
    let single: Vec<u8> = [0.0f32, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    place.file("a.npy", npy::file("<c8", false, &[1], &single));
    for engine in ["native", "interpreter"] {
        place
            .frit(["run", "f.py", "--entry", "f", "z.npy", "a.npy", "--engine", engine])
            .prints("{[14.25, 0.0], [-0.5, -3.0]}\n");
    }
    let swapped: Vec<u8> = [1.0f64, 2.0, -3.0, 0.5].iter().flat_map(|x| x.to_be_bytes()).collect();
    place.file("swapped.npy", npy::file(">c16", false, &[2], &swapped));
    place.frit(["run", "f.py", "--entry", "f", "swapped.npy", "a.npy"]).prints("{[14.25, 0.0], [-0.5, -3.0]}\n");
    place.file("half.npy", npy::file("<f2", false, &[1], &[0x00, 0x38]));
    place.frit(["run", "f.py", "--entry", "f", "z.npy", "half.npy"]).fails(2, &["`half.npy`", "not supported"]);
}

#[test]
fn another_function_of_a_program_in_l0_may_be_the_entry() {
    let place = Place::with_program(
        "fun real mean([real] a) = reduce(op +, 0.0, a) / toReal(size(0, a))\n\
         fun int twice(int n) = 2 * n\n\
         fun int main(int n) = twice(n) + 1\n",
    )
    .with_own_cache();
    let entry = |name, words: &[&'static str]| place.run(&[&["--entry", name], words].concat());
    // Each has an object of its own, whatever was compiled before.
    for _ in 0..2 {
        place.run(&["4"]).prints("9\n");
        entry("twice", &["4"]).prints("8\n");
        entry("mean", &["[1.0, 2.0]"]).prints("1.5\n");
        entry("main", &["4"]).prints("9\n");
    }
    entry("twice", &["--engine", "interpreter"]).input("5").prints("10\n");
    entry("twice", &["1", "2"]).fails(2, &["`twice` takes 1 argument (n: int)"]);
    entry("median", &["1"]).fails(3, &["error[unknown-function]", "`median`", "the file has `mean`, `twice`, `main`"]);
    place.frit(["explain", "p.l0", "--entry", "mean"]).done().succeeded();
    place.frit(["bench", "p.l0", "--entry", "twice", "3", "--runs", "1"]).done().succeeded();
    place.frit(["build", "p.l0", "--entry", "mean", "--entry", "twice", "-o", "lib.so"]).prints("");
    let header = String::from_utf8(place.read("lib.h")).unwrap();
    assert!(header.contains("lib_mean") && header.contains("lib_twice"), "{header}");
}

#[test]
fn reals_are_printed_so_that_they_are_read_back() {
    let place = Place::with_program("fun [real] main([real] a) = a\n");
    let values = "[0.00000012345, 0.1, 1e22, -0.0, inf, nan, 5e-324]";
    let printed = "[1.2345e-7, 0.1, 1e22, -0.0, inf, nan, 5e-324]\n";
    place.run(&[values]).prints(printed);
    place.run(&[printed]).prints(printed);
    place.run(&[values, "--digits", "2"]).prints("[0.00, 0.10, 10000000000000000000000.00, -0.00, inf, nan, 0.00]\n");
    place.run(&[values, "--digits", "2", "-o", "a.npy"]).fails(2, &["`--digits` has no effect"]);
    place.run(&["[0.5, 0.125]", "--digits", "2", "-o", "a.csv"]).prints("");
    assert_eq!(place.read("a.csv"), b"0.50\n0.12\n");
}

#[test]
fn csv_files_are_read_and_written() {
    let place = Place::with_program(
        "fun {[[real]], [int]} main([[real]] a, [int] b) = {map(fn [real] ([real] r) => map(op * (2.0), r), a), b}\n",
    );
    place.file("a.csv", "x, y\n1, 2.5\n3, 4\n");
    place.file("row.csv", "1,2,3\n");
    place.file("column.csv", "# made by hand\n1\n2\n");
    place.run(&["a.csv", "row.csv"]).prints("{[[2.0, 5.0], [6.0, 8.0]], [1, 2, 3]}\n");
    place.run(&["a.csv", "column.csv", "-o", "c.csv", "-o", "d.csv"]).prints("");
    assert_eq!(place.read("c.csv"), b"2.0,5.0\n6.0,8.0\n");
    assert_eq!(place.read("d.csv"), b"1\n2\n");
    place.run(&["c.csv", "d.csv"]).prints("{[[4.0, 10.0], [12.0, 16.0]], [1, 2]}\n");
    place.file("three.l0", "fun [[[int]]] main(int n) = replicate(n, replicate(n, iota(n)))\n");
    place.frit(["run", "three.l0", "2", "-o", "cube.csv"]).fails(2, &["`cube.csv`", "3 dimensions: use .npy"]);
    assert!(!place.files().contains(&"cube.csv".to_string()));
}

#[test]
fn other_forms_of_npy_files_are_read() {
    let place = Place::with_program("fun [[real]] main([[real]] a) = a\n");
    let elements: Vec<u8> = (0..6).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    place.file("fortran.npy", npy::file("<f8", true, &[2, 3], &elements));
    place.run(&["fortran.npy"]).prints("[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]\n");
    let big: Vec<u8> = (0..6).flat_map(|x| f64::from(x).to_be_bytes()).collect();
    place.file("big.npy", npy::file(">f8", true, &[3, 2], &big));
    place.run(&["big.npy"]).prints("[[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]\n");
    // 0.5, -2 and the largest number.
    place.file("half.npy", npy::file("<f2", false, &[1, 3], &[0x00, 0x38, 0x00, 0xC0, 0xFF, 0x7B]));
    place.run(&["half.npy"]).prints("[[0.5, -2.0, 65504.0]]\n");
    place.file("pairs.l0", "fun [real] main([{real, real}] z) = map(op -, z)\n");
    place.file("complex.npy", npy::file("<c16", false, &[3], &elements));
    place.frit(["run", "pairs.l0", "complex.npy"]).prints("[-1.0, -1.0, -1.0]\n");
}

#[test]
fn words_may_name_files_of_any_form() {
    let place = Place::with_program("fun [int] main([int] a) = a\n");
    place.file("values.txt", "// three\n[1, 2,\n 3]\n");
    place.file("data", npy::ints(&[4, 5]));
    place.run(&["values.txt"]).prints("[1, 2, 3]\n");
    place.run(&["data"]).prints("[4, 5]\n");
    place.file("wrong.txt", "[1, x]");
    place.run(&["wrong.txt"]).fails(1, &["error[bad-input]", "wrong.txt:1:5"]);
    place.run(&["nothing"]).fails(1, &["error[bad-input]", "there is no file `nothing` either"]);
    // A pipe has no size and no end to go to.
    place.run(&["/dev/stdin"]).input(npy::ints(&[7, 8])).prints("[7, 8]\n");
    place.run(&["/dev/stdin"]).input("[9]").prints("[9]\n");
}

#[test]
fn results_go_to_standard_output_as_files() {
    let place = Place::with_program("fun [int] main(int n) = iota(n)\n");
    for name in ["-", "/dev/stdout"] {
        let done = place.run(&["3", "-o", name]).done().succeeded();
        assert_eq!(npy::elements(&done.out, "<i8", i64::from_le_bytes), [0, 1, 2]);
    }
    place.file("two.l0", "fun {int, int} main() = {1, 2}\n");
    place.frit(["run", "two.l0", "-o", "-", "-o", "-"]).fails(2, &["two outputs are to go to `-`"]);
}
