//! The loop IR of characteristic programs, as read and found good by a person. `UPDATE_EXPECT=1` rewrites the files.

use crate::support;

use expect_test::expect_file;
use frit_ir::nest::{Program, Storage};
use frit_lower::Options;
use support::program;

const SEQUENTIAL: Options = Options { strict_fp: false, parallel: false, ..Options::USUAL };
const PARALLEL: Options = Options { strict_fp: false, ..Options::USUAL };

/// Compares the loop IR with and without threads with the files; returns the one without.
macro_rules! check {
    ($name:literal) => {{
        let source = program(include_str!(concat!("programs/", $name, ".ir")));
        let sequential = support::lower(&source, &SEQUENTIAL);
        expect_file![concat!("programs/", $name, ".sequential.nest")].assert_eq(&sequential.to_string());
        let parallel = support::lower(&source, &PARALLEL);
        expect_file![concat!("programs/", $name, ".parallel.nest")].assert_eq(&parallel.to_string());
        sequential
    }};
}

/// How many heap arrays the first procedure has.
fn heap_arrays(program: &Program) -> usize {
    let (_, proc) = program.procs.iter().next().expect("a program has a procedure");
    proc.arrays.iter().filter(|(_, array)| matches!(array.storage, Storage::Heap)).count()
}

#[test]
fn a_map_is_one_loop() {
    assert_eq!(heap_arrays(&check!("map")), 1);
}

#[test]
fn a_map_of_reductions_has_no_temporary_per_row() {
    assert_eq!(heap_arrays(&check!("map_of_reduce")), 2);
}

#[test]
fn columns_are_walked_along_rows() {
    assert_eq!(heap_arrays(&check!("matrix_product")), 1);
}

#[test]
fn a_histogram_has_no_copy_but_private_tables() {
    assert_eq!(heap_arrays(&check!("histogram")), 2);
}

#[test]
fn branches_that_update_in_place_or_not_share_the_array() {
    assert_eq!(heap_arrays(&check!("branches_in_place")), 0);
}

#[test]
fn shortest_paths_have_two_buffers_and_a_panel() {
    assert_eq!(heap_arrays(&check!("shortest_paths")), 3);
}

#[test]
fn a_relaxation_has_two_buffers() {
    // One for the result of no iteration at all.
    assert_eq!(heap_arrays(&check!("relaxation")), 2);
}

#[test]
fn generators_of_the_same_rows_share_the_loop_over_them() {
    let relax = check!("borders");
    let (_, proc) = relax.procs.iter().next().expect("a program has a procedure");
    // The iteration, the first row, the last row (a range that is known to be one only when it runs, and its columns), the
    // rows between, and in these the left column's loop, the inner ones' and the right one's.
    assert_eq!(proc.loops.len(), 7, "{relax}");
}

#[test]
fn an_iteration_has_two_buffers() {
    // One for the result of no iteration at all.
    assert_eq!(heap_arrays(&check!("double_buffering")), 2);
}

#[test]
fn what_a_step_has_made_is_not_copied() {
    // One for the steps, and one for the result of none.
    assert_eq!(heap_arrays(&check!("steps_while_needed")), 2);
}

#[test]
fn arrays_that_change_places_are_not_copied() {
    check!("leapfrog");
}

#[test]
fn temporaries_of_rows_are_one_per_thread() {
    assert_eq!(heap_arrays(&check!("row_temporaries")), 2);
}

#[test]
fn views_iota_and_replicate_are_not_stored() {
    assert_eq!(heap_arrays(&check!("views")), 1);
}

#[test]
fn vectors_are_accumulated_in_buffers() {
    check!("sum_of_rows");
}

#[test]
fn a_filter_keeps_the_front_of_a_buffer() {
    check!("sieve_and_filter");
}

#[test]
fn the_first_row_tells_the_size() {
    check!("rows_of_unknown_size");
}

#[test]
fn a_scan_in_chunks_has_two_passes() {
    check!("scan_and_fold");
}

#[test]
fn generators_have_loops_of_their_own_also_where_a_fold_reads_them() {
    check!("generators");
}

#[test]
fn several_statistics_of_columns_are_computed_along_rows() {
    check!("column_statistics");
}

#[test]
fn costly_cells_of_a_scan_are_computed_ahead() {
    check!("scan_of_costly_cells");
}

#[test]
fn costly_cells_of_a_filter_are_computed_for_what_is_kept() {
    check!("filter_of_costly_cells");
}

#[test]
fn checks_are_made_ahead_block_by_block() {
    check!("checked_gather");
}
