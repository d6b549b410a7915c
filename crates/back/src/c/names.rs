//! Names of generated C: names of the source where there are any, made legal and distinct.
//!
//! This module knows C's reserved words, and the names that the run-time system and its headers
//! define. It does not know what it names.

use std::collections::BTreeMap;

/// Names that mean something already. These are the keywords of C and C++, what the run-time system
/// defines without a prefix, and what the headers of C and of POSIX declare or define: callers include
/// them beside ours, and a library must not take the place of the system's functions. Of macros, only
/// those that have a small letter in their names, or one letter. Sorted.
const RESERVED: &str = include_str!("reserved.txt");

/// What the names of variants of reserved names end in.
const WIDTHS: [&str; 5] = ["f128", "f32x", "f64x", "f32", "f64"];

/// The names given so far in one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Each name with the number to try next when it is wanted again.
    taken: BTreeMap<String, u32>,
}

impl Names {
    /// A name like `wanted` that nothing else in the scope has. It ends in an underscore, or in two
    /// and a number. No name of C, its library or the run-time system does.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.distinct(local(&begun_well(only_letters(wanted))))
    }

    /// A name like `wanted` that nothing else in the scope has, for what callers see. Within a
    /// definition it is the name that [`local`] makes of it.
    pub(super) fn visible(&mut self, wanted: &str) -> String {
        self.distinct(legal(wanted))
    }

    /// As `fresh`, behind a prefix that keeps it apart from all that C and the run-time system
    /// define.
    pub(super) fn prefixed(&mut self, prefix: &str, wanted: &str) -> String {
        self.distinct(format!("{prefix}{}", only_letters(wanted)))
    }

    fn distinct(&mut self, base: String) -> String {
        if !self.taken.contains_key(&base) {
            self.taken.insert(base.clone(), 2);
            return base;
        }
        loop {
            let next = self.taken.get_mut(&base).expect("the base name is taken");
            let name = format!("{base}_{next}");
            *next += 1;
            if !self.taken.contains_key(&name) {
                self.taken.insert(name.clone(), 2);
                return name;
            }
        }
    }
}

fn only_letters(wanted: &str) -> String {
    wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The name of a variable that callers know by this name.
pub(super) fn local(name: &str) -> String {
    format!("{name}_")
}

fn begun_well(mut name: String) -> String {
    if name.starts_with(|c: char| c == '_' || c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, 'v');
    }
    name
}

/// The name itself, or the nearest one that C allows and no header defines.
pub(super) fn legal(wanted: &str) -> String {
    let mut name = begun_well(only_letters(wanted));
    if ["frit_", "omp_", "atomic_", "fun_", "table_", "l0_", "sac_"].iter().any(|prefix| name.starts_with(prefix)) {
        name.insert(0, 'v');
    }
    // Functions and constants of `math.h` and `complex.h` have variants for each width.
    let stem = WIDTHS.iter().find_map(|width| name.strip_suffix(width)).unwrap_or(&name);
    // Names all in capitals are those of macros.
    let is_macro_like = stem.len() > 1 && !stem.contains(|c: char| c.is_ascii_lowercase());
    if is_macro_like || RESERVED.lines().any(|word| word == stem || word == name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_nothing_else() {
        let mut names = Names::default();
        assert_eq!(names.fresh("price"), "price_");
        assert_eq!(names.fresh("price"), "price__2");
        assert_eq!(names.fresh("price_"), "price__");
        assert_eq!(names.fresh("price"), "price__3");
        assert_eq!(names.fresh("int"), "int_");
        assert_eq!(names.fresh("1st"), "v1st_");
        assert_eq!(names.fresh("é"), "v__");
        assert_eq!(names.fresh(""), "v_");
    }

    #[test]
    fn names_that_callers_see_stay_as_they_are_where_c_allows() {
        let mut names = Names::default();
        assert_eq!(names.visible("price"), "price");
        assert_eq!(names.visible("price"), "price_2");
        assert_eq!(names.visible("int"), "int_");
        assert_eq!(names.visible("printf"), "printf_");
        assert_eq!(names.visible("EOF"), "EOF_");
        assert_eq!(names.visible("M_PIf32x"), "M_PIf32x_");
        for word in ["signal", "I", "class", "new", "expf64", "cexp", "assert"] {
            assert_eq!(names.visible(word), format!("{word}_"));
        }
        assert_eq!(names.visible("N"), "N");
        assert_eq!(names.visible("frit_open"), "vfrit_open");
        assert_eq!(names.visible("1st"), "v1st");
    }
}
