//! Random pipelines: whatever their shifts, bounds and windows are, loops do what the source does.

use crate::common::notation::scop;
use crate::common::trees::tree;
use crate::generate::{check_run, fates, window};
use frit_scop::generate::{Options, generate};
use frit_scop::program::{Fate, Program};
use frit_support::random;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A pipeline of stencils, each stage aligned by at least as much as it needs, with windows of the least size.
#[derive(Clone, Debug)]
struct Pipeline {
    text: String,
    fused: String,
    windows: Vec<(String, Fate)>,
}

fn pipeline() -> impl Strategy<Value = Pipeline> {
    let stage = (prop::collection::vec((-2i64..3, -2i64..3), 1..4), (-2i64..3, -3i64..3), 0i64..2, any::<bool>());
    (1usize..3, prop::collection::vec(stage, 2..5)).prop_map(|(depth, stages)| {
        let count = stages.len();
        let mut text = "params n m\n".to_string();
        for stage in 0..count {
            let mode = if stage + 1 == count { "out" } else { "temp" };
            let extents = if depth == 1 { "[n]" } else { "[n][m]" };
            text += &format!("array A{stage}{extents} {mode}\n");
        }
        let (mut bodies, mut windows) = (Vec::new(), Vec::new());
        let (mut shift, mut inner_shift) = (0, 0);
        for (stage, (reads, (low, high), slack, apart)) in stages.iter().enumerate() {
            let before = shift;
            if stage > 0 {
                shift += reads.iter().map(|(i, _)| *i).max().unwrap().max(0) + slack;
                inner_shift += reads.iter().map(|(_, j)| *j).max().unwrap().max(0);
                let reach = shift - before - reads.iter().map(|(i, _)| *i).min().unwrap() + 1;
                let reach = reach.max(1) as u64;
                windows.push((format!("A{}", stage - 1), window(&[reach, 0][..depth])));
            }
            let place = |(i, j): &(i64, i64)| match depth {
                1 => format!("A{}[i + {i}]", stage as i64 - 1),
                _ => format!("A{}[i + {i}][j + {j}]", stage as i64 - 1),
            };
            let reads: Vec<String> = if stage == 0 { Vec::new() } else { reads.iter().map(place).collect() };
            text += &format!("for i in {low}..n + {high} {{\n");
            if depth == 1 {
                text += &format!("A{stage}[i] = {}\n}}\n", reads.join(", "));
                bodies.push((false, format!("S{stage}[i + {shift}]")));
            } else {
                text += &format!("for j in {low}..m + {high} {{\nA{stage}[i][j] = {}\n}}\n}}\n", reads.join(", "));
                bodies.push((*apart, format!("S{stage}[i + {shift}, j + {inner_shift}]")));
            }
        }
        let mut fused = String::new();
        for (stage, (apart, body)) in bodies.iter().enumerate() {
            if depth == 2 && (stage == 0 || *apart) {
                fused += if stage == 0 { "(" } else { ") (" };
            }
            fused += body;
            fused += " ";
        }
        let fused = format!("({fused}{})", if depth == 2 { ")" } else { "" });
        Pipeline { text, fused, windows }
    })
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(6)))]

    #[test]
    fn pipelines_keep_their_values(case in pipeline(), copies in prop::sample::select(vec![4usize, 12, 40])) {
        let scop = scop(&case.text);
        let options = Options { max_copies: copies, ..Options::default() };
        check_run(&scop, &generated(&case, &options), false);
        let strips = Options { parallel: true, strips: Some(6), ..options.clone() };
        check_run(&scop, &generated(&case, &strips), true);
        let tiles = Options { simd: true, tiles: Some(6), ..options };
        check_run(&scop, &generated(&case, &tiles), true);
    }
}

/// The loops of a pipeline.
fn generated(case: &Pipeline, options: &Options) -> Program {
    let scop = scop(&case.text);
    let windows: Vec<(&str, Fate)> = case.windows.iter().map(|(name, fate)| (name.as_str(), fate.clone())).collect();
    generate(&scop, &tree(&scop, &case.fused), &fates(&scop, &windows), options).unwrap()
}

#[test]
fn random_pipelines_reach_prologues_strips_and_tiles() {
    let cases = random::cases(16);
    let mut runner = TestRunner::new(frit_support::proptest_config!(cases));
    let (mut prologues, mut strips, mut tiles) = (0, 0, 0);
    for _ in 0..cases {
        let case = pipeline().new_tree(&mut runner).unwrap().current();
        let plain = generated(&case, &Options::default());
        prologues += usize::from(plain.body.len() > 1);
        let options = Options { parallel: true, strips: Some(16), ..Options::default() };
        strips += usize::from(generated(&case, &options).to_string().contains("parallel private"));
        let options = Options { tiles: Some(16), ..Options::default() };
        tiles += usize::from(generated(&case, &options).fates != plain.fates);
    }
    assert!(
        prologues > cases / 4 && strips > cases / 4 && tiles > cases / 16,
        "{prologues} prologues, {strips} strips, {tiles} tiles"
    );
}
