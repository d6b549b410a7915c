//! Memory of large arrays.

/// From so many bytes on huge pages are asked for: what is walked through once then needs few entries of the table of pages.
const LEAST_HUGE: usize = 4 << 20;

/// So many zeros, in huge pages if they are many and the system has such. Pages are touched by whoever touches them first.
pub(crate) fn zeros<T: bytemuck::Zeroable + Clone>(count: usize) -> Vec<T> {
    let zeros = vec![T::zeroed(); count];
    advise_huge(&zeros);
    zeros
}

#[cfg(target_os = "linux")]
fn advise_huge<T>(elements: &[T]) {
    const PAGE: usize = 4096;
    let bytes = std::mem::size_of_val(elements);
    if bytes >= LEAST_HUGE {
        let start = elements.as_ptr() as usize;
        let first = start.next_multiple_of(PAGE);
        // SAFETY: the pages belong to the vector alone, whose elements stay as they are; if the advice is not taken, nothing changes.
        unsafe { libc::madvise(first as *mut libc::c_void, start + bytes - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge<T>(_: &[T]) {}
