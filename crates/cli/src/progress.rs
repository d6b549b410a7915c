//! What `-v` and long work show on standard error.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A line that shows what is being done, on a terminal, once it has taken a second.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(doing: &str) -> Self {
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})").expect("the template is well-formed");
        bar.set_style(style);
        bar.set_message(doing.to_string());
        let progress = Self { bar };
        let ticking = progress.bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            if !ticking.is_finished() {
                ticking.enable_steady_tick(Duration::from_millis(100));
            }
        });
        progress
    }

    pub(crate) fn says(&self, doing: &str) {
        self.bar.set_message(doing.to_string());
    }

    /// Clears the line for good: the program writes now.
    pub(crate) fn hide(&self) {
        if !self.bar.is_finished() {
            self.bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A duration with three digits.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds >= 1.0 {
        format!("{seconds:.2} s")
    } else if seconds >= 1e-3 {
        format!("{:.2} ms", seconds * 1e3)
    } else {
        format!("{:.1} µs", seconds * 1e6)
    }
}
