//! Counts allocated memory, for tests of how the work of a pass grows with the length of programs. Times depend on the
//! machine and on what else runs there; the number of bytes does not, and copies or walks of a whole program for each of its
//! parts show in it.

use crate::with_deep_stack;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// An allocator that counts the bytes that each thread allocates, and leaves the work to another. A binary of tests that calls
/// [`allocated`] has `#[global_allocator] static ALLOCATOR: Counting<System> = Counting(System);`.
pub struct Counting<A>(pub A);

fn count(bytes: usize) {
    ALLOCATED.set(ALLOCATED.get() + bytes as u64);
}

// SAFETY: the other allocator does all the work. Counting does not allocate: the counter is a plain number.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: what the caller promises is handed on.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises is handed on.
        unsafe { self.0.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: what the caller promises is handed on.
        unsafe { self.0.realloc(place, layout, size) }
    }
}

/// The bytes that are allocated while the work is done. It is done on one thread with a deep stack, so that work of other
/// threads does not count, and that of nested calls of [`with_deep_stack`] does.
pub fn allocated<T: Send>(work: impl FnOnce() -> T + Send) -> (T, u64) {
    with_deep_stack(|| {
        let before = ALLOCATED.get();
        let result = work();
        let bytes = ALLOCATED.get() - before;
        assert!(bytes > 0, "nothing was allocated: is `Counting` the global allocator?");
        (result, bytes)
    })
}

/// Asserts that work on a program of the `long` length is at most `most` times the work on one of the `short` length.
#[track_caller]
pub fn assert_growth(what: &str, [short, long]: [usize; 2], most: f64, work: impl Fn(usize) -> u64) {
    let [less, more] = [short, long].map(work);
    let growth = more as f64 / less as f64;
    println!("{what}: {less} of length {short}, {more} of length {long}, {growth:.2} times as much");
    assert!(growth < most, "{what}: {growth:.2} times the work for {} times the length", long / short);
}
