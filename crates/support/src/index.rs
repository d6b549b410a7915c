//! Typed indices and the tables they index. Whatever has a name in an intermediate representation lives in a
//! [`Table`] and is named by an index type of its own, made by [`define_index!`](crate::define_index).

use std::fmt;
use std::marker::PhantomData;
use std::ops;

/// A typed position in a [`Table`].
pub trait Index: Copy + Eq + Ord + fmt::Debug {
    /// The index at position `at`.
    fn new(at: usize) -> Self;
    /// The position.
    fn at(self) -> usize;
}

/// Defines an index type that prints as its prefix and number: `define_index!(Value, "%")` prints `%7`.
#[macro_export]
macro_rules! define_index {
    ($(#[$attr:meta])* $name:ident, $prefix:literal) => {
        $(#[$attr])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(unreachable_pub)] // an index may also name what is private to a module
        pub struct $name(u32);

        impl $crate::Index for $name {
            #[inline]
            fn new(at: usize) -> Self {
                Self(u32::try_from(at).expect("a table holds fewer than 2^32 entries"))
            }
            #[inline]
            fn at(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A growable table whose entries are named by the index type `I`.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<I, T> {
    entries: Vec<T>,
    index: PhantomData<fn() -> I>,
}

impl<I: Index, T> Table<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self { entries: Vec::new(), index: PhantomData }
    }

    /// Adds an entry and names it.
    pub fn push(&mut self, entry: T) -> I {
        let index = I::new(self.entries.len());
        self.entries.push(entry);
        index
    }

    /// Forgets all entries but so many.
    pub fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry named by `index`, if there is one.
    #[inline]
    pub fn get(&self, index: I) -> Option<&T> {
        self.entries.get(index.at())
    }

    /// All entries in order, with their names.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(at, entry)| (I::new(at), entry))
    }

    /// All entries in order, to change, with their names.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.entries.iter_mut().enumerate().map(|(at, entry)| (I::new(at), entry))
    }

    /// All names in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }
}

impl<I: Index, T> Default for Table<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Index, T> ops::Index<I> for Table<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, index: I) -> &T {
        &self.entries[index.at()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.entries[index.at()]
    }
}

impl<I: Index, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Index, T> FromIterator<T> for Table<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(entries: It) -> Self {
        Self { entries: entries.into_iter().collect(), index: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_index!(Thing, "t");

    #[test]
    fn an_index_prints_as_prefix_and_number() {
        let mut table: Table<Thing, &str> = Table::new();
        table.push("first");
        let second = table.push("second");
        assert_eq!(second.to_string(), "t1");
        assert_eq!(table[second], "second");
    }
}
