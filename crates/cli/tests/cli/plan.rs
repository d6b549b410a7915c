//! `frit plan`: graphs and plans as files, messages for wrong graphs, the experiment.

use crate::cli::place::Place;

const GRAPH: &str = r#"{"format": "dfg/1",
 "loops": ["read", "smooth", "edge", "max", "scale"],
 "arrays": [{"name": "raw", "size": 40}, {"name": "soft", "size": 40},
            {"name": "grad", "size": 80}, {"name": "pic", "size": 10, "kept": true}],
 "edges": [{"from": "read",   "to": "smooth", "array": "raw"},
           {"from": "smooth", "to": "edge",   "array": "soft", "preventing": false},
           {"from": "edge",   "to": "max",    "array": "grad", "preventing": false},
           {"from": "edge",   "to": "scale",  "array": "grad", "preventing": false, "comment": "ignored"},
           {"from": "max",    "to": "scale",  "array": null,   "preventing": true}]}
"#;

fn place() -> Place {
    let place = Place::new();
    place.file("g.json", GRAPH);
    place
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_plan_is_printed_in_the_format_of_results() {
    let done = place().frit(["plan", "g.json"]).done();
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let plan = json(&done.text());
    assert_eq!(plan["format"], "dfg-result/1");
    assert_eq!(plan["removable"], serde_json::json!(["raw", "soft"]));
    assert_eq!(plan["removed"], serde_json::json!(["raw", "soft"]));
    assert_eq!((plan["removed_size"].as_u64(), plan["total_size"].as_u64()), (Some(80), Some(170)));
    assert_eq!(plan["clusters"], serde_json::json!([["read", "smooth", "edge", "max"], ["scale"]]));
    assert_eq!(plan["proved"], true);
    let fates: Vec<&str> = plan["arrays"].as_array().unwrap().iter().map(|a| a["fate"].as_str().unwrap()).collect();
    assert_eq!(fates, ["removed", "removed", "preventing-path", "kept"]);
    assert_eq!(plan["arrays"][2]["path"][1]["preventing"], true);
}

#[test]
fn a_plan_in_a_file_is_told_in_words() {
    let place = place();
    let done = place.frit(["plan", "g.json", "-o", "plan.json"]).done();
    let text = done.text();
    assert!(text.contains("removed   2 of 4 arrays, 80 of 170 in size"), "{text}");
    assert!(text.contains("between edge and scale come max and scale, which cannot be fused"), "{text}");
    let whole = place.frit(["plan", "g.json"]).done();
    assert_eq!(place.read("plan.json"), whole.out);
}

#[test]
fn every_objective_has_its_plan() {
    let place = place();
    for (objective, cost) in [("size", 90), ("peak", 90), ("traffic", 160)] {
        let plan = json(&place.frit(["plan", "g.json", "--objective", objective]).done().text());
        assert_eq!((plan["objective"].as_str(), plan["cost"].as_u64()), (Some(objective), Some(cost)));
        assert_eq!(plan[objective].as_u64().unwrap_or(90), cost);
    }
}

#[test]
fn a_drawing_has_loops_arrays_and_clusters() {
    let place = place();
    place.frit(["plan", "g.json", "--svg", "g.svg", "-o", "plan.json"]).done().succeeded();
    let drawing = String::from_utf8(place.read("g.svg")).unwrap();
    for part in ["<svg", "smooth", "raw* (40)", "grad (80)", "loop 1", "class=\"slash\"", "class=\"gone\"", "removable"]
    {
        assert!(drawing.contains(part), "{part} is missing");
    }
    assert_eq!(place.files(), ["g.json", "g.svg", "plan.json"]);
}

#[test]
fn wrong_graphs_are_3_and_messages_say_where() {
    let place = Place::new();
    for (graph, code, at) in [
        (r#"{"format": "dfg/1",]"#, "graph-syntax", "g.json:1:20"),
        ("", "graph-syntax", "g.json:1:1"),
        ("[1]", "graph-format", "g.json:1:1"),
        (r#"{"loops": []}"#, "graph-format", "g.json:1:1"),
        (r#"{"format": "dfg/2", "loops": [], "arrays": [], "edges": []}"#, "graph-format", "g.json:1:12"),
        (r#"{"format": "dfg/1", "loops": "a", "arrays": [], "edges": []}"#, "graph-format", "g.json:1:30"),
        ("{\"format\": \"dfg/1\",\n\"loops\": [1], \"arrays\": [], \"edges\": []}", "graph-format", "g.json:2:11"),
        (
            r#"{"format": "dfg/1", "loops": ["a", "a"], "arrays": [], "edges": []}"#,
            "graph-repeated-name",
            "g.json:1:36",
        ),
        (
            r#"{"format": "dfg/1", "loops": [], "arrays": [{"name": "x", "size": 1.5}], "edges": []}"#,
            "graph-format",
            "g.json:1:67",
        ),
        (
            r#"{"format": "dfg/1", "loops": [], "arrays": [{"name": "x", "size": 18446744073709551616}], "edges": []}"#,
            "graph-format",
            "g.json:1:67",
        ),
    ] {
        place.file("g.json", graph);
        place.frit(["plan", "g.json"]).fails(3, &[&format!("error[{code}]"), at]);
    }
    for (edge, code, word) in [
        (r#""from": "a", "to": "c", "array": null, "preventing": false"#, "graph-unknown-name", "loop `c`"),
        (r#""from": "a", "to": "b", "array": "y", "preventing": false"#, "graph-unknown-name", "array `y`"),
        (r#""from": "b", "to": "a", "array": null, "preventing": false"#, "graph-edge", "backwards"),
        (r#""from": "a", "to": "a", "array": null, "preventing": false"#, "graph-edge", "itself"),
        (r#""from": "a", "to": "b", "preventing": false"#, "graph-format", "`array` is missing"),
        (r#""from": "a", "to": "b", "array": null, "preventing": null"#, "graph-format", "`preventing` is not"),
    ] {
        let graph = r#"{"format": "dfg/1", "loops": ["a", "b"], "arrays": [], "edges": [{EDGE}]}"#;
        place.file("g.json", graph.replace("EDGE", edge));
        place.frit(["plan", "g.json"]).fails(3, &[&format!("error[{code}]"), word, "g.json:1:"]);
    }
    place.file("g.json", b"{\"format\": \xff}");
    place.frit(["plan", "g.json"]).fails(3, &["error[not-utf8]", "g.json:1:12"]);
}

#[test]
fn all_mistakes_of_a_graph_are_told() {
    let place = Place::new();
    let edge = r#"{"from": "a", "to": "nowhere", "array": "nothing", "preventing": 1}"#;
    place.file("g.json", format!(r#"{{"format": "dfg/1", "loops": ["a"], "arrays": [], "edges": [{edge}]}}"#));
    let done = place.frit(["plan", "g.json"]).fails(3, &["`nowhere`", "`nothing`", "`preventing`"]);
    assert_eq!(done.said("error["), 3);
}

#[test]
fn wrong_use_of_plan_is_2() {
    let place = place();
    for words in [
        &["plan"] as &[&str],
        &["plan", "g.json", "--experiment"],
        &["plan", "g.json", "--graphs", "3"],
        &["plan", "--experiment", "--objective", "peak"],
        &["plan", "g.json", "--objective", "beauty"],
        &["plan", "g.json", "--time-limit", "0"],
        &["plan", "g.json", "--time-limit", "soon"],
    ] {
        place.frit(words).fails(2, &[]);
    }
    place.frit(["plan", "missing.json"]).fails(2, &["error[file]", "`missing.json`"]);
    place.frit(["plan", "g.json", "-o", "same", "--svg", "same"]).fails(2, &["error[usage]"]);
    assert_eq!(place.files(), ["g.json"]);
}

#[test]
fn the_experiment_proves_every_plan_and_reports_three_gains() {
    let place = Place::new();
    let done = place.frit(["plan", "--experiment", "--graphs", "42", "--json"]).done();
    assert_eq!(done.code, Some(0));
    let report = json(&done.text());
    assert_eq!((report["graphs"].as_u64(), report["proved"].as_u64()), (Some(42), Some(42)));
    let part = |whole: &str| report[whole]["size"].as_f64().unwrap();
    assert!(0.0 < part("of_all") && part("of_all") < part("of_those_without_preventing_edge"));
    assert!(part("of_those_without_preventing_edge") < part("of_removable") && part("of_removable") < 1.0);
    let table = place.frit(["plan", "--experiment", "--graphs", "42", "--seed", "2"]).done();
    for part in ["42 graphs of 10 to 30 loops, seed 2", "for all", "all arrays", "removable arrays", "on one core"] {
        assert!(table.text().contains(part), "{}", table.text());
    }
    assert_eq!(table.err, "");
}
