//! The graphs of the paper's experiment, and that every plan for them is proved.

use frit_plan::memory::Edge;
use frit_plan::memory::experiment::{graph, run};

const MAX_DEGREE: usize = 10;

#[test]
fn graphs_are_as_the_paper_says() {
    let mut preventing = 0;
    for number in 0..420 {
        let graph = graph(1, number);
        let count = graph.nodes().len();
        assert!((10..=30).contains(&count) && graph.edges().len() == 2 * count);
        for node in graph.nodes().indices() {
            let edges = || graph.edges().iter().map(|(_, edge)| edge);
            assert!(edges().filter(|edge| edge.from == node).count() <= MAX_DEGREE);
            assert!(edges().filter(|edge| edge.to == node).count() <= MAX_DEGREE);
        }
        for (array, data) in graph.arrays().iter() {
            assert!((1..=100).contains(&data.size) && !data.kept);
            let own: Vec<Edge> =
                graph.edges().iter().filter(|(_, edge)| edge.array == Some(array)).map(|(edge, _)| edge).collect();
            let edge = |edge: &Edge| graph.edges()[*edge];
            assert!(own.windows(2).all(|two| edge(&two[0]).to == edge(&two[1]).from), "{array} is no path");
        }
        preventing += graph.edges().iter().filter(|(_, edge)| edge.preventing).count();
    }
    let part = preventing as f64 / (420.0 * 40.0);
    assert!((0.3..0.37).contains(&part), "{part} of the edges prevent fusion");
    assert_eq!(graph(1, 5), graph(1, 5));
    assert_ne!(graph(1, 5), graph(2, 5));
}

#[test]
fn every_plan_of_the_experiment_is_proved() {
    let mut seen = 0;
    let report = run(210, 1, &mut || seen += 1);
    assert_eq!((report.graphs, report.proved, seen), (210, 210, 210));
    assert!(report.in_conflict > 20, "only {} graphs have conflicts", report.in_conflict);
    let [all, free, removable] = &report.gains;
    assert!(0.0 < all.size && all.size < free.size && free.size < removable.size && removable.size <= 1.0);
}
