//! The machine's memory bandwidth, measured with as many threads as the program runs on: what timings are compared with.

use std::hint::black_box;
use std::time::Instant;

/// Elements of each of the two arrays: larger than any cache.
const ELEMENTS: usize = 16 << 20;
/// Sweeps; the best counts, as the others were disturbed.
const SWEEPS: usize = 5;

/// Bytes per second that `threads` threads read and write together when each scales its part of one array into another.
pub fn measure(threads: usize) -> f64 {
    let threads = threads.max(1);
    let source = vec![1.0f64; ELEMENTS];
    let mut target = vec![0.0f64; ELEMENTS];
    let part = ELEMENTS.div_ceil(threads);
    let mut best = f64::INFINITY;
    for _ in 0..SWEEPS {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in source.chunks(part).zip(target.chunks_mut(part)) {
                scope.spawn(move || {
                    for (x, y) in from.iter().zip(to) {
                        *y = 3.0 * x;
                    }
                });
            }
        });
        best = best.min(start.elapsed().as_secs_f64());
        black_box(&mut target);
    }
    // One array read, one written; the write's own read for ownership is not counted, as in STREAM.
    2.0 * (ELEMENTS * size_of::<f64>()) as f64 / best
}
