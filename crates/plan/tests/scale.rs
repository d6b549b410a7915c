//! Large graphs: planned exactly up to 64 loops, greedily beyond, in little time.

mod support;

use frit_plan::{Limits, Method, solve};
use std::time::Instant;
use support::{PLAIN, Random, Shape, check, random_graph};

#[test]
#[ignore = "prints figures"]
fn probe() {
    let limits = Limits::default();
    let mut shapes = Vec::new();
    for (name, shape) in [
        ("plain", PLAIN),
        ("apart 10", Shape { apart: 10, ..PLAIN }),
        ("apart 60", Shape { apart: 60, ..PLAIN }),
        ("inputs 4", Shape { inputs: 4, ..PLAIN }),
        ("mem", Shape { inputs: 3, apart: 33, kept: 5, opaque: 0, mixed: true, ..PLAIN }),
        ("spaces 2", Shape { spaces: 2, apart: 10, ..PLAIN }),
        ("spaces 4", Shape { spaces: 4, apart: 0, opaque: 0, inputs: 3, ..PLAIN }),
        ("near", Shape { distance: 5, ..PLAIN }),
        ("near2", Shape { distance: 5, spaces: 2, apart: 10, opaque: 3, ..PLAIN }),
        ("near apart 10", Shape { distance: 5, apart: 10, opaque: 2, ..PLAIN }),
        ("folds", Shape { foldable: 50, ..PLAIN }),
        ("folds near", Shape { foldable: 50, distance: 6, ..PLAIN }),
        ("folds spaces", Shape { foldable: 30, distance: 8, spaces: 3, apart: 10, opaque: 2, ..PLAIN }),
    ] {
        for nodes in [20, 30, 40, 60] {
            shapes.push((name, Shape { nodes, ..shape }));
        }
    }
    for (name, shape) in shapes {
        let mut random = Random::new(11);
        let (mut exact, mut worst, mut total, mut better) = (0, 0.0f64, 0.0, 0);
        let count = 6;
        for _ in 0..count {
            let graph = random_graph(&mut random, shape);
            let start = Instant::now();
            let plan = solve(&graph, &limits);
            let time = start.elapsed().as_secs_f64();
            worst = worst.max(time);
            total += time;
            exact += usize::from(plan.method == Method::Exact);
            let found = check(&graph, &plan, &limits);
            let greedy = check(&graph, &solve(&graph, &Limits { exact_nodes: 0, ..limits }), &limits);
            assert!(found[..3] <= greedy[..3]);
            better += usize::from(found[..3] < greedy[..3]);
        }
        println!(
            "{name:14} {:3} nodes: exact {exact}/{count} better {better} mean {:.3} worst {worst:.3}",
            shape.nodes,
            total / count as f64
        );
    }
}

#[test]
#[ignore]
fn one() {
    let mut random = Random::new(11);
    let kind = std::env::var("KIND").unwrap_or_default();
    let nodes = std::env::var("NODES").unwrap().parse().unwrap();
    let shape = match &kind[..] {
        "near" => Shape { distance: 5, nodes, ..PLAIN },
        "near2" => Shape { distance: 5, spaces: 2, apart: 10, opaque: 3, nodes, ..PLAIN },
        "folds" => Shape { foldable: 30, distance: 8, spaces: 3, apart: 10, opaque: 2, nodes, ..PLAIN },
        _ => Shape { nodes, ..PLAIN },
    };
    let graph = random_graph(&mut random, shape);
    let start = Instant::now();
    let plan = solve(&graph, &Limits::default());
    println!("{:?} {:?}", plan.method, start.elapsed());
}
