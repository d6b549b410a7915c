//! A deep stack: passes recurse over programs, and programs may nest ten thousand levels deep.

use std::cell::Cell;

/// Address space for the deep stack; pages are only taken when they are used.
const DEEP_STACK_BYTES: usize = 4 << 30;
/// What to try when the address space is limited (`ulimit -v`).
const FALLBACK_STACK_BYTES: usize = 256 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread whose stack holds recursion over any program the parser accepts.
///
/// Nested calls run in place. A panic in `work` goes on in the caller.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IS_DEEP.get() {
        return work();
    }
    let cell = std::sync::Mutex::new(Some(work));
    let run = || {
        IS_DEEP.set(true);
        let work = cell.lock().expect("no other thread holds the work").take().expect("the work runs once");
        work()
    };
    std::thread::scope(|scope| {
        let spawn = |bytes: usize| std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run);
        let thread = spawn(DEEP_STACK_BYTES)
            .or_else(|_| spawn(FALLBACK_STACK_BYTES))
            .expect("the system can start a thread with a 256 MiB stack");
        match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: u64) -> u64 {
        let padding = std::hint::black_box([n; 64]);
        if n == 0 { padding[0] } else { 1 + depth(n - 1) }
    }

    #[test]
    fn a_million_frames_fit() {
        assert_eq!(with_deep_stack(|| depth(1_000_000)), 1_000_000);
    }
}
