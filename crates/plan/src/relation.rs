//! Relations between small numbers as bit matrices: which nodes may be merged, which are reached from which.

/// A relation between the numbers below `size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    /// The empty relation.
    pub(crate) fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Self { words, bits: vec![0; words * size] }
    }

    pub(crate) fn contains(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, from: usize, to: usize) {
        self.bits[from * self.words + to / 64] |= 1 << (to % 64);
    }

    pub(crate) fn remove(&mut self, from: usize, to: usize) {
        self.bits[from * self.words + to / 64] &= !(1 << (to % 64));
    }

    /// What `from` is related to, as a bit set.
    pub(crate) fn row(&self, from: usize) -> &[u64] {
        &self.bits[from * self.words..(from + 1) * self.words]
    }

    /// Relates `from` to all that `other` is related to.
    pub(crate) fn unite(&mut self, from: usize, other: usize) {
        for word in 0..self.words {
            self.bits[from * self.words + word] |= self.bits[other * self.words + word];
        }
    }

    /// Relates `from` to all that `row` is related to in `other`, a relation between as many numbers.
    pub(crate) fn unite_row(&mut self, from: usize, other: &Relation, row: usize) {
        for word in 0..self.words {
            self.bits[from * self.words + word] |= other.bits[row * self.words + word];
        }
    }

    /// Keeps of what `from` is related to only what `other` is related to as well.
    pub(crate) fn intersect(&mut self, from: usize, other: usize) {
        for word in 0..self.words {
            self.bits[from * self.words + word] &= self.bits[other * self.words + word];
        }
    }

    /// Keeps of what `from` is related to only what `row` is related to in `other`, a relation between as many numbers.
    pub(crate) fn intersect_row(&mut self, from: usize, other: &Relation, row: usize) {
        for word in 0..self.words {
            self.bits[from * self.words + word] &= other.bits[row * self.words + word];
        }
    }

    /// What `from` is related to, ascending.
    pub(crate) fn related(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        members(self.row(from))
    }

    /// The relation read from right to left.
    pub(crate) fn reversed(&self, size: usize) -> Self {
        let mut reversed = Self::new(size);
        for from in 0..size {
            for to in self.related(from) {
                reversed.insert(to, from);
            }
        }
        reversed
    }
}

/// The numbers in a bit set, ascending.
pub(crate) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|&rest| rest != 0)
            .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_numbers_come_in_ascending_order() {
        let mut relation = Relation::new(130);
        for to in [129, 0, 64, 63] {
            relation.insert(7, to);
        }
        assert_eq!(relation.related(7).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(relation.reversed(130).contains(64, 7));
        relation.remove(7, 64);
        assert!(!relation.contains(7, 64));
    }
}
