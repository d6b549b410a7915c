//! Names for new variables: like those of the source, and different from every name in reach.

use super::lexical::words;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The names of a file that new ones must not collide with.
#[derive(Clone, Debug)]
pub(super) struct Names {
    of_file: Rc<BTreeSet<String>>,
    given: BTreeSet<String>,
}

impl Names {
    /// Those of a text with comments blanked: of its variables and functions, and of its macros.
    pub(super) fn of(blank: &str) -> Self {
        Names { of_file: Rc::new(words(blank).map(str::to_owned).collect()), given: BTreeSet::new() }
    }

    /// New names that begin with `base`, numbered.
    pub(super) fn fresh(&mut self, base: &str, count: usize) -> Vec<String> {
        // Of `p->level[now]` it is `level`.
        let whole = base.split('[').next().unwrap_or_default();
        let base = whole.rsplit(['.', '>']).next().filter(|name| !name.is_empty()).unwrap_or("part");
        let numbered = |stem: &str, first: usize| -> Vec<String> {
            (first..first + count).map(|number| format!("{stem}{number}")).collect()
        };
        // Several variables are numbered from 0, under the stem that leaves all of them free; one takes the first free number.
        let stems = (0..).map(|underscores| format!("{base}{}", "_".repeat(underscores)));
        let found = if count == 1 {
            (0..).map(|number| numbered(base, number)).find(|names| self.are_free(names))
        } else {
            stems.map(|stem| numbered(&stem, 0)).find(|names| self.are_free(names))
        };
        let found = found.expect("there are more names than a file can hold");
        self.given.extend(found.iter().cloned());
        found
    }

    /// Keeps a name from being given to anything else.
    pub(super) fn reserve(&mut self, name: &str) {
        self.given.insert(name.to_owned());
    }

    fn are_free(&self, names: &[String]) -> bool {
        names.iter().all(|name| !self.given.contains(name) && !self.of_file.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_are_numbered_and_never_those_of_the_file() {
        let mut names = Names::of("float tmp, tmp0, a, a1;");
        assert_eq!(names.fresh("tmp", 1), ["tmp1"]);
        assert_eq!(names.fresh("tmp", 1), ["tmp2"]);
        assert_eq!(names.fresh("a", 2), ["a_0", "a_1"]);
        assert_eq!(names.fresh("b", 3), ["b0", "b1", "b2"]);
        assert_eq!(names.fresh("p->next", 1), ["next0"]);
        assert_eq!(names.fresh("p->level[1 - now]", 1), ["level0"]);
    }
}
