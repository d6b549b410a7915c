//! Files with graphs, right and wrong in every way: what is wrong is told, and nothing panics.

use frit_driver::plan::{self, DataFlowGraph, Objective, SearchLimits};
use frit_plan::memory::is_legal;
use frit_support::{Random, random};

const GRAPH: &str = r#"{"format": "dfg/1", "loops": ["a", "b", "ç", "d\n"],
 "arrays": [{"name": "x", "size": 40}, {"name": "y", "size": 4.0e1, "kept": true}, {"name": "", "size": 0}],
 "edges": [{"from": "a", "to": "b", "array": "x", "preventing": false}, {"from": "b", "to": "ç", "array": null, "preventing": true},
           {"from": "a", "to": "d\n", "array": "", "preventing": false, "more": [1, {"x": null}]}]}"#;

/// Whatever a plan is for, it is legal, and can be written and told.
fn plan(graph: &DataFlowGraph) {
    for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
        let solution = plan::solve(graph, objective, &SearchLimits::default());
        assert!(is_legal(graph, &solution.clusters));
        assert!(plan::result::print(graph, &solution).contains("dfg-result/1"));
        assert!(!solution.text(graph).is_empty());
    }
}

#[test]
fn names_may_be_any_text_and_sizes_any_notation() {
    let graph = plan::parse("g", GRAPH).unwrap();
    assert_eq!((graph.nodes().len(), graph.arrays().len(), graph.edges().len()), (4, 3, 3));
    assert_eq!(graph.total_size(), 80);
    plan(&graph);
    let drawing = plan::svg::print(&graph, &plan::solve(&graph, Objective::Size, &SearchLimits::default()));
    assert!(drawing.unwrap().contains("ç"));
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut random = Random::new(random::seed());
    let parts: Vec<&str> = GRAPH.split_inclusive([' ', ',', ':', '"', '}', ']']).collect();
    let others = [
        "null",
        "-1",
        "1e999",
        "{}",
        "[]",
        "\"a\"",
        "\"x\"",
        "true",
        "\u{feff}",
        "\"\\ud800\"",
        "99999999999999999999",
    ];
    let (mut read, mut refused) = (0, 0);
    for _ in 0..random::cases(4000) {
        let mut text: Vec<&str> = parts.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            match random.below(5) {
                0 => drop(text.remove(at)),
                1 => text.truncate(at),
                2 => text[at] = others[random.below(others.len())],
                3 => text.insert(at, others[random.below(others.len())]),
                _ => {
                    let other = random.below(text.len());
                    text.swap(at, other);
                }
            }
            if text.is_empty() {
                text.push("");
            }
        }
        match plan::parse("g", &text.concat()) {
            Ok(graph) => {
                plan(&graph);
                read += 1;
            }
            Err(error) => {
                assert_eq!(error.exit_code(), 3);
                assert!(error.render(false).contains("g:"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(read > 10 && refused > 1000, "{read} graphs read, {refused} refused");
}

#[test]
fn deep_and_long_texts_are_no_trouble() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(50_000), format!("\"{}\"", "x".repeat(1 << 20))] {
        assert!(plan::parse("g", &text).is_err());
    }
    let loops: Vec<String> = (0..20_000).map(|at| format!("\"L{at}\"")).collect();
    let text = format!(r#"{{"format": "dfg/1", "loops": [{}], "arrays": [], "edges": []}}"#, loops.join(","));
    let error = plan::parse("g", &text).unwrap_err();
    assert!(error.render(false).contains("error[graph-size]"));
}
