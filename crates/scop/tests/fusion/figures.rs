//! The figures of \[MEM\], as loops.

use crate::fusion::support::planned;
use expect_test::expect;
use frit_scop::contraction::contract;
use frit_scop::dependence::Dependences;
use frit_scop::fusion::Options;
use frit_scop::program::Fate;
use frit_support::Index;

#[test]
fn figure_1_becomes_one_parallel_loop() {
    let text = "
        params n
        array X[n] in
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = X[i] }
        for i in 0..n { B[i] = A[i] }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        par S0 i, S1 i {
          S0
          S1
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-fusion"), 1);
}

#[test]
fn figure_2_becomes_one_loop_that_needs_the_last_two_elements() {
    let text = "
        params n
        array X[n + 1] in
        array A[n + 1] temp
        array B[n + 1] out
        for i in 1..n + 1 { A[i] = X[i] }
        for i in 2..n + 1 { B[i] = A[i - 1], A[i] }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        for S0 i, S1 i {
          S0
          S1
        }
    "#]]
    .assert_eq(&planned.text());
}

/// The loops of figure 3 with the dependences of figure 4: `a2` is read ahead.
fn figure_3(ahead: &str) -> String {
    format!(
        "
        params n
        array in0[n] in
        array in1[n + 1] in
        array a1[n] temp
        array a2[n + 1] temp
        array a3[n] temp
        array a4[n] temp
        array out0[n] out
        for i in 0..n {{
            a1[i] = in0[i]
        }}
        for i in 0..n + 1 {{
            a2[i] = in1[i]
        }}
        for i in 0..n {{
            a3[i] = {ahead}
        }}
        for i in 0..n {{
            a4[i] = a1[i], a3[i]
        }}
        for i in 0..n {{
            out0[i] = a3[i], a4[i]
        }}"
    )
}

#[test]
fn figure_4_is_one_loop_once_it_is_aligned() {
    // In the paper, the edge of a2 prevents fusion, as a2[i + 1] is not there yet. A shift by one iteration brings it in time.
    let planned = planned(&figure_3("a2[i + 1]"), &Options::default());
    expect![[r#"
        par S0 i+1, S1 i, S2 i+1, S3 i+1, S4 i+1 {
          S0
          S1
          S2
          S3
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-alignment"), 4);
}

#[test]
fn figure_5_keeps_the_array_whose_edge_prevents_fusion() {
    // Read forwards and backwards, no shift and no reversal helps: a2 stays, and all others go.
    let planned = planned(&figure_3("a2[i], a2[n - i]"), &Options::default());
    expect![[r#"
        par S1 i {
          S1
        }
        par S0 i, S2 i, S3 i, S4 i {
          S0
          S2
          S3
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.refusals(), ["unbounded-distance"]);
}

/// L1 -> L4 over a and L2 -> L3 over b, with L1 -> L3 and L2 -> L4 that prevent fusion.
fn figure_6a(first: &str, second: &str) -> String {
    format!(
        "
        params n
        array x[n] in
        array y[n] in
        array a[n] temp
        array b[n][2] temp
        array c[n] temp
        array d[n] temp
        array r[n] out
        array s[n] out
        for i in 0..n {{
            {first}
        }}
        for i in 0..n {{
            {second}
        }}
        for i in 0..n {{
            r[i] = b[i][0], c[i], c[n - 1 - i]
        }}
        for i in 0..n {{
            s[i] = a[i], d[i], d[n - 1 - i]
        }}"
    )
}

#[test]
fn figure_6a_gives_up_the_smaller_of_two_arrays_in_conflict() {
    let text = figure_6a("a[i], c[i] = x[i]", "b[i][0], d[i] = y[i]");
    let planned = planned(&text, &Options::default());
    expect![[r#"
        par S0 i {
          S0
        }
        par S1 i, S2 i {
          S1
          S2
        }
        par S3 i {
          S3
        }
    "#]]
    .assert_eq(&planned.text());
    expect![[r#"
        [
            "`b` shrinks instead: both cannot",
        ]"#]]
    .assert_eq(&format!("{:#?}", planned.not_chosen()));
}

#[test]
fn figure_6a_has_no_conflict_if_its_loops_can_be_distributed() {
    let text = figure_6a("a[i] = x[i]\n c[i] = x[i]", "b[i][0] = y[i]\n d[i] = y[i]");
    let planned = planned(&text, &Options::default());
    expect![[r#"
        par S3 i {
          S3
        }
        par S0 i, S1 i, S5 i {
          S0
          S1
          S5
        }
        par S2 i, S4 i {
          S2
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-distribution"), 1);
}

/// Loops over a graph: `1 a 3` for an array that the first loop makes and the third one reads at the same index, `1 p/ 3` for one that it reads
/// forwards and backwards, which prevents fusion. Every loop is one statement, so that none is distributed. An array has as many elements in each of `n`
/// places as `sizes` says; those that are not there are needed afterwards.
fn of_graph(loops: usize, sizes: &[(&str, u32)], edges: &[&str]) -> String {
    let edges: Vec<(usize, &str, bool, usize)> = edges
        .iter()
        .map(|edge| {
            let [from, name, to] = edge.split(' ').collect::<Vec<_>>()[..] else { panic!("{edge}") };
            let number = |text: &str| text.parse::<usize>().unwrap();
            (number(from), name.trim_end_matches('/'), name.ends_with('/'), number(to))
        })
        .collect();
    let mut text = "params n\narray x[n] in\n".to_string();
    let size = |name: &str| sizes.iter().find(|(known, _)| *known == name);
    let names: std::collections::BTreeSet<&str> = edges.iter().map(|(_, name, ..)| *name).collect();
    for name in names {
        match size(name) {
            Some((_, size)) => text += &format!("array {name}[n][{size}] temp\n"),
            None => text += &format!("array {name}[n] out\n"),
        }
    }
    for number in 1..=loops {
        text += &format!("array r{number}[n] out\n");
    }
    let place = |name: &str, index: &str| match size(name) {
        Some(_) => format!("{name}[{index}][0]"),
        None => format!("{name}[{index}]"),
    };
    for number in 1..=loops {
        let mut written: Vec<String> =
            edges.iter().filter(|(from, ..)| *from == number).map(|(_, name, ..)| place(name, "i")).collect();
        written.push(format!("r{number}[i]"));
        written.sort();
        written.dedup();
        let read = edges.iter().filter(|(.., to)| *to == number);
        let indices = |is_preventing: bool| if is_preventing { &["i", "n - 1 - i"][..] } else { &["i"] };
        let mut read: Vec<String> = read
            .flat_map(|(_, name, is_preventing, _)| indices(*is_preventing).iter().map(|index| place(name, index)))
            .collect();
        read.push("x[i]".to_string());
        text += &format!("for i in 0..n {{\n{} = {}\n}}\n", written.join(", "), read.join(", "));
    }
    text
}

/// The loops that are fused, by number, and the temporary arrays that become scalars.
fn fused_and_removed(text: &str) -> (Vec<Vec<usize>>, Vec<String>) {
    let planned = planned(text, &Options::default());
    let dependences = Dependences::new(&planned.scop, &Default::default()).unwrap();
    let contraction = contract(&planned.scop, &dependences, &planned.tree, &Default::default()).unwrap();
    let is_removed = |fate: &Fate| match fate {
        Fate::Scalar => true,
        Fate::Window { moduli } => moduli.iter().all(|modulus| *modulus == Some(1)),
        Fate::Kept | Fate::Registers { .. } => false,
    };
    let removed = contraction.fates.iter().filter(|(_, fate)| is_removed(fate));
    let removed = removed.map(|(array, _)| planned.scop.arrays[array].name.clone()).collect();
    let mut fused: Vec<Vec<usize>> = Vec::new();
    for part in &planned.tree.body {
        let mut loops: Vec<usize> = part.statements().iter().map(|statement| statement.at() + 1).collect();
        loops.sort_unstable();
        fused.push(loops);
    }
    (fused, removed)
}

#[test]
fn figure_6b_the_loops_1_3_6_and_2_4_5_cannot_both_be_fused() {
    let sizes = [("a", 9), ("b", 8), ("c", 7), ("d", 6)];
    let edges = ["1 a 3", "3 b 6", "2 c 4", "4 d 5", "1 p/ 5", "2 q 6"];
    let (fused, removed) = fused_and_removed(&of_graph(6, &sizes, &edges));
    // The smallest of the four arrays is given up.
    assert_eq!(removed, ["a", "b", "c"]);
    let of = |number: usize| fused.iter().position(|loops| loops.contains(&number));
    assert!(of(1) == of(3) && of(3) == of(6) && of(2) == of(4) && of(4) < of(5), "{fused:?}");
    // Another one is, if it is smaller.
    let sizes = [("a", 9), ("b", 5), ("c", 7), ("d", 6)];
    let (fused, removed) = fused_and_removed(&of_graph(6, &sizes, &edges));
    assert_eq!(removed, ["a", "c", "d"]);
    let of = |number: usize| fused.iter().position(|loops| loops.contains(&number));
    assert!(of(1) == of(3) && of(2) == of(4) && of(4) == of(5) && of(3) < of(6), "{fused:?}");
}

#[test]
fn figure_7_a_path_that_does_not_come_back_is_no_cycle() {
    let edges = ["1 a/ 3", "1 b 2", "2 c 4"];
    let (fused, removed) = fused_and_removed(&of_graph(4, &[("a", 2), ("b", 2), ("c", 2)], &edges));
    assert_eq!(removed, ["b", "c"]);
    assert!(fused.iter().any(|loops| [1, 2, 4].iter().all(|number| loops.contains(number))), "{fused:?}");
}

#[test]
fn figure_7_of_two_arrays_between_the_same_loops_neither_is_given_up_alone() {
    let sizes = [("a", 3), ("b", 3), ("c", 5)];
    let edges = ["1 a 2", "1 b 2", "2 c 3", "1 p/ 3"];
    let (_, removed) = fused_and_removed(&of_graph(3, &sizes, &edges));
    assert_eq!(removed, ["a", "b"]);
    let sizes = [("a", 2), ("b", 2), ("c", 5)];
    let (_, removed) = fused_and_removed(&of_graph(3, &sizes, &edges));
    assert_eq!(removed, ["c"]);
}

#[test]
fn figure_7_every_preventing_edge_is_in_a_conflict_of_its_own() {
    let edges = ["1 a 2", "2 b 3", "1 p/ 3", "1 c 4", "4 d 5", "1 q/ 5"];
    for (sizes, left) in [([3, 5, 3, 5], ["b", "d"]), ([5, 3, 5, 3], ["a", "c"]), ([3, 5, 5, 3], ["b", "c"])] {
        let sizes: Vec<(&str, u32)> = ["a", "b", "c", "d"].into_iter().zip(sizes).collect();
        let (_, removed) = fused_and_removed(&of_graph(5, &sizes, &edges));
        assert_eq!(removed, left, "{sizes:?}");
    }
}
