//! The work of compiling grows with the length of programs, and not with its square. What is measured is the memory that is allocated on the way, all
//! of it together: other than times it is the same on busy machines, and what walks or copies the whole program for each part of it shows there.
//! `benches/compile.sh` tells the times.

use frit_driver::{Options, build, load_entry, load_l0};
use frit_testkit::large_programs::{SHAPES, Shape};
use frit_testkit::place::Scratch;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of lines of the shorter program; the longer one has four times as many.
const LINES: usize = 1000;
/// How much more may be allocated for the longer program: four times is linear, sixteen times quadratic.
const GROWTH: f64 = 8.0;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: what the caller promises is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises is handed on.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size as u64, Ordering::Relaxed);
        // SAFETY: what the caller promises is handed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that are allocated while a program is compiled to C.
fn allocated(shape: &Shape, lines: usize) -> u64 {
    let program = shape.program(lines);
    let folder = Scratch::new("large");
    let before = ALLOCATED.load(Ordering::Relaxed);
    let unit = match shape.entry {
        None => load_l0(shape.name, &program),
        Some(entry) => {
            let file = folder.join("large.sac");
            std::fs::write(&file, &program).unwrap();
            load_entry(&file, entry)
        }
    };
    let unit = unit.unwrap_or_else(|error| panic!("{}: {error}", shape.name));
    build(&unit, &folder.join("large.c"), &Options::default()).unwrap();
    let after = ALLOCATED.load(Ordering::Relaxed);
    after - before
}

#[test]
fn work_grows_with_the_length() {
    for shape in SHAPES {
        let (short, long) = (allocated(shape, LINES), allocated(shape, 4 * LINES));
        let growth = long as f64 / short as f64;
        println!("{}: {} MB, {} MB, {growth:.1} times as much", shape.name, short >> 20, long >> 20);
        assert!(
            growth < GROWTH,
            "{}: a program of four times the lines takes {growth:.1} times the memory",
            shape.name
        );
    }
}
