//! Whatever text comes in, `frit fuse` ends, with the text transformed or a message that has a place, and every byte outside of the regions
//! stays: kernels and broken files with parts deleted, doubled, exchanged and put in.

use frit_c::region::HoleKind;
use frit_c::{File, Region};
use frit_driver::c_loops::{FuseOptions, FusedFile, ReadOptions, Recompute, fuse};
use frit_support::{Diagnostic, FileId, Index, SourceMap};
use frit_support::{Random, random};
use frit_testkit::c_files::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

/// A text takes seconds; after this time its fusion hangs.
const HANGING: Duration = Duration::from_secs(300);

/// What is put into texts.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ";",
    "\n#pragma scop\n",
    "\n#pragma endscop\n",
    "\n#pragma omp parallel for\n",
    "i",
    "n",
    "++",
    "--",
    "[",
    "]",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "if (i < n)",
    "else ",
    "for (;;)",
    "for (int i = 0; i < n; i++)",
    "for (long i = n; i-- > 0; )",
    "while (n--)",
    "return;",
    "break;",
    "continue;",
    "goto x;",
    "x:",
    "\n#define A(x) x A(x)\n",
    "\n#define n (n + 1)\n",
    "\n#if 0\n",
    "\n#endif\n",
    "\\\n",
    "0",
    "0x",
    "1e999",
    "99999999999999999999999999",
    "-9223372036854775808",
    "4294967296",
    "% 0",
    "/ 0",
    "*",
    "&",
    "=",
    "+=",
    ",",
    "?",
    ":",
    "->",
    ".",
    "malloc(n)",
    "free(t);",
    "sizeof",
    "(float)",
    "static ",
    "volatile ",
    "unsigned char ",
    "typedef int T;",
    "struct s { int x[3]; };",
    "asm(\"\");",
    "__attribute__((const)) ",
    "\u{e9}",
    "\u{1f980}",
    "\u{0}",
    "\r\n",
    "\t",
];

fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["kernels", "broken"] {
        found.extend(
            files(folder).into_iter().filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))),
        );
    }
    found
}

/// Where words and signs begin, and the end.
fn boundaries(text: &str) -> Vec<usize> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = vec![0];
    let mut before = None;
    for (at, letter) in text.char_indices() {
        if before.is_some_and(|before| !is_word(before) || !is_word(letter)) {
            found.push(at);
        }
        before = Some(letter);
    }
    found.push(text.len());
    found
}

/// Changes a text in one place or two.
fn mutate(text: &mut String, others: &[(PathBuf, String)], random: &mut Random) {
    let places = boundaries(text);
    let span = |random: &mut Random| {
        let from = random.below(places.len());
        let longest = if random.below(4) == 0 { 60 } else { 6 };
        places[from]..places[(from + random.below(longest)).min(places.len() - 1)]
    };
    match random.below(8) {
        0 => text.replace_range(span(random), ""),
        1 => {
            let part = text[span(random)].to_string();
            text.insert_str(places[random.below(places.len())], &part);
        }
        2 => {
            let (one, two) = (span(random), span(random));
            let (one, two) = if one.start <= two.start { (one, two) } else { (two, one) };
            if one.end <= two.start {
                let (first, second) = (text[one.clone()].to_string(), text[two.clone()].to_string());
                text.replace_range(two, &first);
                text.replace_range(one, &second);
            }
        }
        3 => {
            let other = &others[random.below(others.len())].1;
            let places_there = boundaries(other);
            let from = random.below(places_there.len());
            let to = (from + random.below(40)).min(places_there.len() - 1);
            text.insert_str(places[random.below(places.len())], &other[places_there[from]..places_there[to]]);
        }
        4 => {
            let depth = [3, 40, 400, 4_000][random.below(4)];
            let (open, close) = [("(", ")"), ("{", "}"), ("[", "]"), ("-", ""), ("a[", "]")][random.below(5)];
            let at = span(random);
            text.insert_str(at.end, &close.repeat(depth));
            text.insert_str(at.start, &open.repeat(depth));
        }
        5 => {
            // A number becomes another one.
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()).map(|(at, _)| at).collect();
            if !digits.is_empty() {
                let at = digits[random.below(digits.len())];
                let numbers = ["0", "-1", "7", "2147483648", "18446744073709551616", "3.5e400", "0b"];
                text.replace_range(at..at + 1, numbers[random.below(numbers.len())]);
            }
        }
        _ => {
            let at = span(random);
            let at = if random.below(2) == 0 { at.start..at.start } else { at };
            text.replace_range(at, PIECES[random.below(PIECES.len())]);
        }
    }
}

/// Every message says where.
fn check_places(sources: &SourceMap, messages: &[Diagnostic]) {
    for message in messages {
        assert!(sources.position(message.span()).is_some(), "no place: {} {}", message.code, message.message);
    }
}

/// Regions follow each other, and the holes of their statements are parts of the text.
fn check_regions(file: &File) {
    let mut end = 0;
    for region in &file.regions {
        assert!(end <= region.range.start && region.range.end <= file.text.len());
        end = region.range.end;
        check_holes(region, &file.text);
    }
}

fn check_holes(region: &Region, text: &str) {
    for (statement, template) in region.statements.iter() {
        let accesses = region.scop.statements[statement].accesses.len();
        for hole in &template.holes {
            assert!(text.get(hole.range.clone()).is_some());
            if let HoleKind::Access(positions) = &hole.kind {
                assert!(positions.iter().all(|at| *at < accesses));
            }
        }
    }
}

/// The lines of a file outside of its regions are in the result, in order, but for those that name an array that goes or shrinks, or what nothing
/// uses any more.
fn check_outside(text: &str, options: &ReadOptions, fused: &FusedFile) {
    let file = frit_support::with_deep_stack(|| {
        let file = frit_c::read(FileId::new(0), text, options).unwrap_or_else(|_| panic!("it was read before"));
        check_regions(&file);
        file.regions.iter().map(|region| file.source.place(region.range.clone())).collect::<Vec<_>>()
    });
    let is_changed: Vec<bool> = fused.regions.iter().map(|region| region.unchanged.is_none()).collect();
    if !is_changed.contains(&true) {
        assert_eq!(fused.text, text, "a file in which nothing was done has changed");
        return;
    }
    // What was done is told in a comment, before the first line that is none or after the comments there.
    let start = fused.text.find("/* Transformed by frit fuse").expect("a comment says what was done");
    let end = start + fused.text[start..].find("*/").expect("it ends") + 2;
    let rest = fused.text[end..].trim_start_matches('\r').strip_prefix('\n').unwrap_or(&fused.text[end..]);
    let found = format!("{}{rest}", &fused.text[..start]);
    let mut at = 0;
    let mut parts = Vec::new();
    for (range, is_changed) in file.into_iter().zip(is_changed) {
        if is_changed {
            parts.push(&text[at..range.start]);
            at = range.end;
        }
    }
    parts.push(&text[at..]);
    let arrays = fused.regions.iter().flat_map(|region| &region.arrays);
    let changed: BTreeSet<&str> =
        arrays.filter(|array| array.fate != "kept").map(|array| array.name.as_str()).collect();
    let used: BTreeSet<&str> = words(&found).collect();
    // A declaration of variables of loops, as `int i, j;`: loops in the result may have variables of their own.
    let declares = |line: &str| {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ' ' | ',');
        line.strip_suffix(';').is_some_and(|line| line.contains(' ') && line.chars().all(is_plain))
    };
    let may_go = |line: &str| declares(line) || words(line).any(|word| changed.contains(word) || !used.contains(word));
    let mut left = found.lines();
    for line in parts.into_iter().flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()) {
        let before = left.clone();
        if !left.any(|found| found.contains(line)) {
            assert!(may_go(line), "`{line}` is not there any more");
            left = before;
        }
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// Whether something was transformed.
fn check(text: &str, options: &FuseOptions) -> bool {
    match fuse(Path::new("mutated.c"), text, options) {
        Ok(fused) => {
            check_places(&fused.sources, &fused.remarks);
            check_outside(text, &options.read, &fused);
            fused.regions.iter().any(|region| region.unchanged.is_none())
        }
        Err(error) => {
            assert_eq!(error.exit_code(), 3, "{error}");
            check_places(&error.sources, &error.diagnostics);
            false
        }
    }
}

#[test]
fn no_text_brings_fusion_down() {
    let cases = random::cases(60);
    let seeds = random::seeds(cases);
    let originals = texts();
    let (next, transformed, failures) = (AtomicU64::new(seeds.start), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let mut random = Random::new(seed);
                    let mut text = originals[random.below(originals.len())].1.clone();
                    for _ in 0..1 + random.below(5) {
                        mutate(&mut text, &originals, &mut random);
                    }
                    let recompute = if seed % 3 == 0 { Recompute::All } else { Recompute::Cheaper };
                    let read =
                        ReadOptions { auto: seed % 2 == 0, assume_no_alias: seed % 4 < 2, ..ReadOptions::default() };
                    let options = FuseOptions { read, recompute, minimal: seed % 5 == 0, ..FuseOptions::default() };
                    let (send, done) = mpsc::channel();
                    let failed = |why: String| {
                        let path = std::env::temp_dir().join(format!("frit-c-robust-{seed}.c"));
                        let _ = std::fs::write(&path, &text);
                        failures.lock().unwrap().push(format!("seed {seed}, {}: {why}", path.display()));
                    };
                    let copy = text.clone();
                    // A thread that hangs is left behind: the failure says of which text.
                    let work = std::thread::spawn(move || {
                        let is_transformed = check(&copy, &options);
                        let _ = send.send(is_transformed);
                    });
                    match done.recv_timeout(HANGING) {
                        Ok(is_transformed) => {
                            transformed.fetch_add(usize::from(is_transformed), Ordering::Relaxed);
                        }
                        Err(mpsc::RecvTimeoutError::Timeout) => {
                            failed("it hangs".to_string());
                        }
                        Err(mpsc::RecvTimeoutError::Disconnected) => {
                            let panic = work.join().expect_err("it sends before it ends");
                            let said = panic.downcast_ref::<String>().map(String::as_str);
                            let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default().to_string();
                            failed(said);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} texts:\n{}", failures.len(), failures.join("\n"));
    let transformed = transformed.into_inner();
    println!("{transformed} of {cases} texts were transformed");
    assert!(transformed * 20 > cases, "only {transformed} of {cases} texts were transformed");
}
