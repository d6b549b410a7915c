//! Programs in L0 of several files.

use crate::cli::place::Place;

fn place() -> Place {
    let place = Place::with_program("include \"lib/stats.l0\"\nfun real main([real] a) = variance(a) + mean(a)\n");
    std::fs::create_dir(place.path("lib")).unwrap();
    // Files may include each other, and each is read once.
    place.file(
        "lib/stats.l0",
        "include \"square.l0\"\ninclude \"../p.l0\"\nfun real variance([real] a) =\n  \
         let m = mean(a) in mean(map(square, map(op - (m), a)))\n",
    );
    place.file("lib/square.l0", "include \"stats.l0\"\nfun real square(real x) = x * x\n");
    place
}

#[test]
fn files_are_included_by_all_commands() {
    let place = place();
    for engine in ["native", "interpreter"] {
        place.run(&["[1.0, 2.0, 3.0, 6.0]", "--engine", engine]).prints("6.5\n");
    }
    place.frit(["check", "p.l0"]).prints("");
    place.frit(["build", "p.l0", "-o", "p.so"]).prints("");
    place.frit(["dump", "p.l0", "--after", "front"]).done().succeeded().said("func @square");
    place.frit(["explain", "p.l0"]).done().succeeded().said("passes over memory");
    // What a file that is included says goes into what is recalled.
    place.file("lib/square.l0", "fun real square(real x) = x * x * x\n");
    place.run(&["[1.0, 2.0, 3.0, 6.0]"]).prints("-1.5\n");
}

#[test]
fn mistakes_are_told_in_the_file_that_has_them() {
    let place = place();
    place.file("lib/square.l0", "\n\nfun real square(real x) = x * y\n");
    place.frit(["check", "p.l0"]).fails(3, &["error[unknown-variable]", "lib/square.l0:3:31"]);
    place.file("lib/square.l0", "fun real square(real x) = x *\nfun real main() = 1.0\n");
    place.frit(["check", "p.l0"]).fails(3, &["lib/square.l0:2:1", "error[duplicate-function]", "p.l0:2:10"]);
    std::fs::remove_file(place.path("lib/square.l0")).unwrap();
    place.frit(["check", "p.l0"]).fails(3, &["error[cannot-include]", "lib/stats.l0:1:9", "lib/square.l0"]);
    place.file("fails.l0", "include \"lib/part.l0\"\nfun int main(int n) = part(iota(3), n)\n");
    place.file("lib/part.l0", "fun int part([int] a, int i) =\n  a[i]\n");
    place.frit(["run", "fails.l0", "7"]).fails(1, &["error[out-of-bounds]", "lib/part.l0:2:3"]);
}
