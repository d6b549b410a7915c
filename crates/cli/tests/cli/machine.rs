//! `frit machine`: what it measures, keeps and takes from the user, and what follows from it.

use crate::cli::place::Place;
use serde_json::Value;

const SUM: &str = "fun real main([real] a) = reduce(op +, 0.0, a)\n";

fn constants(place: &Place, words: &[&str]) -> Value {
    let text = place.frit(["machine", "--json"].iter().chain(words)).done().succeeded().text();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Names of the files with constants in the object cache.
fn stored(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("cache")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("machine-")).collect()
}

#[test]
fn the_machine_is_measured_once_and_anew_on_demand_or_if_the_file_is_damaged() {
    let place = Place::with_program(SUM).with_own_cache();
    let first = constants(&place, &[]);
    let number = |path: &str| first.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {first}"));
    assert!(number("/cores") >= 1.0 && number("/vector_bytes") >= 16.0);
    for path in ["/storage/memory/read_gb_per_s/one", "/storage/memory/copy_gb_per_s/one"] {
        assert!((0.01..10_000.0).contains(&number(path)), "{path}: {first}");
    }
    assert!((0.01..10_000.0).contains(&number("/fma_gflop_per_s/one")));
    assert!((0.01..10_000.0).contains(&number("/multiply_add_gflop_per_s/one")));
    assert!((1e-4..100.0).contains(&number("/threads/operation_ns")));
    assert_eq!(stored(&place).len(), 1);
    assert_eq!(constants(&place, &[]), first, "the second time they are read");
    assert_ne!(constants(&place, &["--measure"]), first, "no two measurements are alike in all digits");
    assert_eq!(stored(&place).len(), 1);
    let table = place.frit(["machine"]).done().succeeded().text();
    for said in
        ["cores", "vectors", "memory: copy", "GB/s", "Gflop/s", "a parallel loop", "stored in", &stored(&place)[0]]
    {
        assert!(table.contains(said), "{said} is not in\n{table}");
    }
    place.file(&format!("cache/{}", stored(&place)[0]), "{\"cores\": ");
    place.run(&["[1.0, 2.0]"]).prints("3.0\n");
    assert!(constants(&place, &[])["threads"]["operation_ns"].is_number());
}

#[test]
fn the_users_values_go_before_measured_ones() {
    let place = Place::new().with_own_cache();
    place.file(
        "m.json",
        r#"{"cores": 64, "storage": {"memory": {"copy_gb_per_s": {"one": 7.5}}}, "threads": {"region_us": 123}}"#,
    );
    let text = place.frit(["machine", "--json"]).env("FRIT_MACHINE", "m.json").done().succeeded().text();
    let given: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&given["cores"], &given["threads"]["region_us"]), (&64.into(), &123.0.into()));
    assert_eq!(given["storage"]["memory"]["copy_gb_per_s"]["one"], 7.5);
    assert!(given["storage"]["memory"]["read_gb_per_s"]["one"].is_number(), "the others are measured: {given}");
    let table = place.frit(["machine"]).env("FRIT_MACHINE", "m.json").done().succeeded().text();
    assert!(table.contains("123 µs on 64 threads") && table.contains("FRIT_MACHINE=m.json"), "{table}");
    assert_ne!(constants(&place, &[])["cores"], 64, "they are not stored");
}

#[test]
fn mistakes_in_the_users_file_have_places() {
    let place = Place::with_program(SUM).with_own_cache();
    place.file("m.json", "{\n  \"threads\": {\"region\": 1}\n}\n");
    for words in [&["run", "p.l0", "[1.0]"] as &[&str], &["machine"], &["bench", "p.l0", "[1.0]"]] {
        let call = place.frit(words).env("FRIT_MACHINE", "m.json");
        call.fails(2, &["error[machine-file]", "m.json:2:", "unknown field `region`", "region_us"]);
    }
    place.run(&["[1.0]"]).env("FRIT_MACHINE", "none.json").fails(2, &["error[file]", "none.json"]);
}

#[test]
fn loops_fork_from_the_work_on_that_pays_for_the_machines_threads() {
    let place = Place::with_program(SUM).with_own_cache();
    let code = |constants: &str| {
        place.file("m.json", constants);
        let call = place.frit(["dump", "p.l0", "--after", "c"]).env("FRIT_MACHINE", "m.json");
        let text = call.done().succeeded().text();
        let define = "#define FRIT_REGION_WORK ";
        let rest = text.split(define).nth(1).unwrap_or_else(|| panic!("no `{define}` in\n{text}"));
        let work = rest.split_whitespace().next().unwrap().to_owned();
        // Chunks are cut from the same work on.
        assert!(text.matches(&work).count() > 1, "{work} is only once in\n{text}");
        work.parse::<i64>().unwrap()
    };
    assert_eq!(code(r#"{"threads": {"region_us": 8.192, "operation_ns": 0.25}}"#), 65_536);
    assert_eq!(code(r#"{"threads": {"region_us": 81.92, "operation_ns": 0.25}}"#), 524_288);
}

#[test]
fn without_a_c_compiler_nothing_is_measured() {
    let place = Place::with_program(SUM).with_own_cache();
    place.frit(["machine"]).env("CC", "/nonexistent/cc").fails(2, &["error[no-c-compiler]"]);
    place.frit(["machine"]).env("CC", "false").fails(2, &["error[no-c-compiler]", "does not work"]);
    let text =
        place.frit(["bench", "p.l0", "[1.0]", "--runs", "2"]).env("CC", "/nonexistent/cc").done().succeeded().text();
    assert!(text.contains("interpreter") && !text.contains("that the machine copies"), "{text}");
}

#[test]
fn more_is_computed_again_where_memory_is_slow() {
    let place = Place::with_program(
        "fun real costly(real x) = (exp(x) + log(x) + exp(x * x) + log(x * x + 1.0) + exp(0.5 * x) + log(x + 2.0)) * x\n\
         fun [real] main([real] a) =\n  let b = map(costly, a) in\n  map(fn real (int i) => b[i] + b[i + 1], iota(size(0, a) - 1))\n",
    ).with_own_cache();
    let explained = |bandwidth: u32| {
        let memory = format!(r#"{{"memory": {{"copy_gb_per_s": {{"all": {bandwidth}}}}}}}"#);
        place.file("m.json", format!(r#"{{"storage": {memory}, "multiply_add_gflop_per_s": {{"all": 192}}}}"#));
        place.frit(["explain", "p.l0", "--all"]).env("FRIT_MACHINE", place.path("m.json")).done().succeeded().text()
    };
    let (slow, fast) = (explained(24), explained(192));
    assert!(slow.contains("the map `b` at line 3 and the map at line 4 are one loop now"), "{slow}");
    assert!(slow.contains("; repeats 59*n operations\n"), "{slow}");
    assert!(fast.contains("note[repeats-operations]: the map `b` at line 3 stays as it is"), "{fast}");
}
