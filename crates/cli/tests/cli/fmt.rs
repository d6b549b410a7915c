//! `frit fmt`: files, standard input, and what it leaves alone.

use crate::cli::place::Place;

#[test]
fn files_are_laid_out_in_place_and_listed_with_check() {
    let place = Place::new();
    place.file("a.l0", "fun int main( )=1+2\n");
    place.file("b.sac", "int main(){\nreturn 0;}\n");
    place.file("good.l0", "fun int main() = 3\n");
    let listed = place.frit(["fmt", "--check", "a.l0", "good.l0", "b.sac"]).done();
    assert_eq!((listed.code, listed.text().as_str()), (Some(1), "a.l0\nb.sac\n"), "{}", listed.err);
    assert_eq!(place.read("a.l0"), b"fun int main( )=1+2\n");
    place.frit(["fmt", "a.l0", "good.l0", "b.sac"]).prints("");
    assert_eq!(String::from_utf8(place.read("a.l0")).unwrap(), "fun int main() = 1 + 2\n");
    assert_eq!(String::from_utf8(place.read("b.sac")).unwrap(), "int main() {\n  return 0; }\n");
    place.frit(["fmt", "--check", "a.l0", "good.l0", "b.sac"]).prints("");
}

#[test]
fn standard_input_needs_its_language() {
    let place = Place::new();
    place.frit(["fmt", "-", "--lang", "l0"]).input("fun int main( )=1").prints("fun int main() = 1\n");
    place.frit(["fmt", "-", "--lang", "sac"]).input("int main(){return 0;}").prints("int main() { return 0; }\n");
    place.frit(["fmt", "-"]).fails(2, &["--lang l0"]);
    place.file("a.l0", "fun int main() = 1\n");
    place.frit(["fmt", "a.l0", "--lang", "l0"]).fails(2, &["--lang"]);
    place.frit(["fmt", "a.py"]).fails(2, &["only files in L0"]);
}

#[test]
fn a_file_with_mistakes_stays_and_the_others_are_laid_out() {
    let place = Place::new();
    place.file("wrong.l0", "fun int main( ) = (1\n");
    place.file("right.l0", "fun int main( ) = 1\n");
    place.file("latin.l0", b"fun int main() = 1 // \xe4\n");
    place.frit(["fmt", "wrong.l0", "latin.l0", "right.l0"]).fails(3, &["unclosed-bracket", "wrong.l0:1:", "UTF-8"]);
    assert_eq!(place.read("wrong.l0"), b"fun int main( ) = (1\n");
    assert_eq!(place.read("right.l0"), b"fun int main() = 1\n");
}
