//! Sessions: what inputs give, and what is kept between them.

use frit_driver::Options;
use frit_repl::{Answer, Language, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn session(language: Language) -> Session {
    Session::new(language, Options::default(), Arc::default())
}

/// Takes inputs in turn; each must give the text beside it, or an error that begins with it.
#[track_caller]
fn talks(session: &mut Session, talk: &[(&str, &str)]) {
    for (input, expected) in talk {
        match session.answer(input) {
            Ok(Answer::Text(text)) => assert_eq!(text.trim_end(), *expected, "{input}"),
            Ok(Answer::Quit) => assert_eq!(*expected, "quit", "{input}"),
            Err(error) => assert!(error.to_string().starts_with(expected), "{input}: {error}"),
        }
    }
}

#[test]
fn values_and_functions_of_l0_are_kept_and_replaced() {
    talks(
        &mut session(Language::L0),
        &[
            ("", ""),
            ("1 + 2", "3"),
            ("a = [1.0, 2.0]", ""),
            ("fun real sum([real] x) = reduce(op +, 0.0, x)", ""),
            ("sum(a)", "3.0"),
            ("let both = {sum(a), a}", ""),
            ("let {s, x} = both in s + x[1]", "5.0"),
            ("fun real sum([real] x) = reduce(op +, 10.0, x)", ""),
            ("sum(a)", "13.0"),
            // What was computed stays as it was.
            ("both", "{3.0, [1.0, 2.0]}"),
            (":type both", "{real, [real]}"),
            ("(sum(a) = 13.0)", "True"),
            (":quit", "quit"),
        ],
    );
}

#[test]
fn values_are_the_same_in_all_languages() {
    talks(
        &mut session(Language::Numpy),
        &[
            ("z = np.arange(6).reshape(2, 3)", ""),
            ("def f(x):\n    y = x + 1\n    return y * 2\n", ""),
            ("f(z)[1:]", "[[8, 10, 12]]"),
            ("z", "[[0, 1, 2], [3, 4, 5]]"),
            (":type z * 1.5", "float64[:, :]"),
            (":type z * 1j", "complex128[:, :]"),
            (":lang sac", ""),
            ("twice = 2 * z", ""),
            (":type twice", "int[.,.]"),
            ("twice + z", "[[0,3,6],[9,12,15]]"),
            ("int sum_of_rows(int[.] v) { return sum(v); }", ""),
            ("sum_of_rows(z[1])", "12"),
            (":lang l0", ""),
            ("{z[1, 2], twice}", "{5, [[0, 2, 4], [6, 8, 10]]}"),
        ],
    );
}

#[test]
fn overloads_of_sac_stay_and_redefinitions_replace() {
    talks(
        &mut session(Language::Sac),
        &[
            ("int f(int x) { return x; }", ""),
            ("int f(int[.] x) { return sum(x); }", ""),
            ("int f(int  x) { return 3 * x; }", ""),
            ("f(7)", "21"),
            ("f([7, 8])", "15"),
            ("v = [1.5, 2.5];", ""),
            ("sum(v);", "4.0"),
            ("printf(\"%d\\n\", 3)", "3"),
        ],
    );
}

#[test]
fn mistakes_are_placed_in_the_input_and_change_nothing() {
    let mut session = session(Language::L0);
    talks(
        &mut session,
        &[
            ("a = [1, 2]", ""),
            ("a[0] + b", "error[unknown-variable]: there is no variable `b` here\n  ┌─ <input>:1:8\n"),
            ("a[2]", "error[out-of-bounds]: index 2 is out of bounds for size 2\n  ┌─ <input>:1:1\n"),
            ("fun int f(int x) = y", "error[unknown-variable]"),
            ("f(1)", "error[unknown-function]"),
            ("a = b", "error[unknown-variable]"),
            ("a", "[1, 2]"),
            ("c = load nothing.npy", "error[file]"),
            ("c = load nothing.txt", "error[file]"),
            (":lang c", "error[usage]: there is no language `c`"),
            (":type", "error[usage]: `:type` needs an expression"),
            (":what", "error[usage]: there is no command `:what`"),
            ("1 +", "error[unexpected-token]"),
            (":lang sac", ""),
            ("a + nothing", "error[unknown-variable]: there is no variable `nothing` here\n  ┌─ <input>:1:5\n"),
            (":lang numpy", ""),
            ("a +", "error[python-syntax]"),
        ],
    );
}

#[test]
fn inputs_go_on_while_brackets_are_open() {
    let mut l0 = session(Language::L0);
    for (input, is_complete) in [
        ("map(op +,", false),
        ("map(op +, a)", true),
        ("\"(\"", true),
        ("'(' = '('", true),
        ("1 // (", true),
        ("let x = 1 in", false),
        ("let x = 1 in x", true),
        ("let x = 1", true),
        ("if x then 1", false),
        ("fun int f(int x) =", false),
        (":type (", true),
    ] {
        assert_eq!(l0.is_complete(input), is_complete, "{input}");
    }
    talks(&mut l0, &[(":lang sac", "")]);
    for (input, is_complete) in [
        ("int f(int x)", false),
        ("int f(int x) { return x;", false),
        ("int f(int x) { return x; }", true),
        ("f(x)", true),
    ] {
        assert_eq!(l0.is_complete(input), is_complete, "{input}");
    }
    talks(&mut l0, &[(":lang numpy", "")]);
    for (input, is_complete) in
        [("def f(x):\n", false), ("def f(x):\n  return x\n", false), ("def f(x):\n  return x\n\n", true)]
    {
        assert_eq!(l0.is_complete(input), is_complete, "{input:?}");
    }
}

#[test]
fn commands_show_what_the_compiler_made() {
    let mut session = session(Language::L0);
    let mut says = |input: &str| match session.answer(input) {
        Ok(Answer::Text(text)) => text,
        other => panic!("{input}: {other:?}"),
    };
    says("a = [1.0, 2.0]");
    let explained = says(":explain reduce(op +, 0.0, map(op * (2.0), a))");
    assert!(explained.starts_with("1 pass over memory instead of 2") && !explained.contains("--all"), "{explained}");
    assert!(says(":c map(op * (2.0), a)").contains("int64_t"));
    assert!(says(":time map(op * (2.0), a)").contains("on native code"));
    assert!(says(":names").contains("a: [real], [2]"));
    assert!(says(":help").contains(":explain"));
    assert!(
        session.completions().iter().any(|word| word == "reduce") && session.completions().contains(&"a".to_string())
    );
}

#[test]
fn long_computations_are_compiled_and_can_be_interrupted() {
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut session = Session::new(Language::L0, Options::default(), interrupt.clone());
    talks(&mut session, &[("loop (s = 0) = for i < 10000000 do (s * 3 + i) % 1000003 in s", "751197")]);
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(600));
        interrupt.store(true, Ordering::Relaxed);
    });
    let forever = "loop (s = 0) = for i < 1000000000 do loop (s) = for k < 1000 do (s * 3 + i) % 1000003 in s in s";
    talks(&mut session, &[(forever, "error[interrupted]"), ("1", "1")]);
    other.join().unwrap();
}

/// The expressions of a row of a table, without the backquotes; none where there is a dash.
fn expressions(row: &str) -> Option<Vec<Option<String>>> {
    let cells = row.replace("\\|", "\u{0}");
    let cells: Vec<&str> = cells.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
    let expression = |cell: &&str| {
        let text = cell.trim().strip_prefix('`')?.strip_suffix('`')?;
        Some(text.replace('\u{0}', "|"))
    };
    Some(cells.iter().skip(1).map(expression).collect())
}

#[test]
fn what_stands_in_one_row_of_the_page_for_those_who_know_numpy_is_the_same() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/from-numpy.md")).unwrap();
    let mut session = session(Language::Numpy);
    let mut answer = |input: &str| match session.answer(input) {
        Ok(Answer::Text(text)) => text.split_whitespace().collect::<String>().to_lowercase(),
        Ok(Answer::Quit) => "quit".to_string(),
        Err(error) => error.to_string(),
    };
    let values: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(values.len(), 5);
    values.iter().for_each(|value| _ = answer(value));
    let table =
        page.lines().skip_while(|line| !line.starts_with("| sum of arrays")).take_while(|line| !line.is_empty());
    let (mut count, mut different) = (0, String::new());
    for row in table {
        let expressions = expressions(row).unwrap_or_else(|| panic!("{row}"));
        let [Some(numpy), others @ ..] = &expressions[..] else { panic!("{row}") };
        answer(":lang numpy");
        let expected = answer(numpy);
        assert!(!expected.contains("error["), "{expected}");
        for (language, other) in ["l0", "sac"].into_iter().zip(others) {
            let Some(other) = other else { continue };
            answer(&format!(":lang {language}"));
            let found = answer(other);
            if found != expected {
                different += &format!("{numpy}\n  {expected}\n{other}\n  {found}\n");
            }
        }
        count += 1;
    }
    assert!(different.is_empty(), "{different}");
    assert!(count >= 40, "{count} rows");
}
