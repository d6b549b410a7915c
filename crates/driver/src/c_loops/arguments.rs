//! The arguments with which a function is called to compare two versions of it: numbers, arrays of numbers, and structures that are made of both.
//!
//! The program that makes the calls ([`verify.c`](super::verify)) knows numbers and arrays alone, each in a slot. A caller, in C, puts structures together
//! before a call, and takes them apart afterwards, so that what the function has left in them is compared like everything else.

use frit_c::signature::{Member, MemberKind, Parameter, Signature};
use frit_c::{Form, Region};
use std::fmt::Write;

/// A number or an array of numbers.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// What it is to the function, as `image->width`.
    pub(super) name: String,
    /// The type of it, or of its elements.
    element: String,
    pub(super) is_array: bool,
    /// It says which memory a pointer in a structure points to, behind the call.
    pub(super) is_hidden: bool,
    /// Which arrays of a region say how many elements it has.
    pub(super) array: Named,
    /// It has this many elements at least, in structures.
    pub(super) least: i64,
    /// It has this many numbers for each element of the array: a structure has several.
    pub(super) of_each: i64,
}

/// The name of an array.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// This one.
    This(String),
    /// Any element of an array of pointers, as `p->level[cur]`.
    ElementOf(String),
}

impl Named {
    pub(super) fn is(&self, name: &str) -> bool {
        match self {
            Named::This(this) => this == name,
            Named::ElementOf(array) => name.strip_prefix(array.as_str()).is_some_and(|rest| rest.starts_with('[')),
        }
    }
}

/// How a function is called.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// Its name.
    pub(super) function: String,
    /// The type of its result; `None` for `void`.
    result: Option<String>,
    /// What it is called with, before the result.
    pub(super) slots: Vec<Slot>,
    /// Statements before the call, the arguments, and statements behind it.
    before: String,
    arguments: Vec<String>,
    after: String,
}

/// What callers are made of: a type as the harness knows it, and which of some memory a pointer points to.
pub(super) const CALLERS: &str = r"
#define FRIT_VERIFY_KIND(T) _Generic((T){0}, char: (char)-1 < 0 ? 1 : 2, signed char: 1, short: 1, int: 1, long: 1, long long: 1, \
    unsigned char: 2, unsigned short: 2, unsigned: 2, unsigned long: 2, unsigned long long: 2, \
    float: 3, double: 4, long double: 5, _Bool: 6, default: 0)
struct frit_verify_type { int kind; int is_array; unsigned long size; };
static inline int frit_verify_which(void **of, int count, const volatile void *pointer) {
    while (count-- > 0) if (of[count] == (const void *)pointer) return count;
    return -1;
}
";

impl Arguments {
    /// How a function with these regions is called.
    ///
    /// # Errors
    ///
    /// Arguments cannot be made up: why.
    pub(super) fn of(signature: &Signature, regions: &[&Region]) -> Result<Self, String> {
        let mut arguments = Arguments {
            function: signature.name.clone(),
            result: signature.result.clone(),
            slots: Vec::new(),
            before: String::new(),
            arguments: Vec::new(),
            after: String::new(),
        };
        for (at, parameter) in signature.parameters.iter().enumerate() {
            match &parameter.members {
                None => arguments.plain(parameter),
                Some(members) if !parameter.is_array => {
                    let name = format!("frit_s{at}");
                    arguments.structure(&parameter.element, &name, &format!("{}.", parameter.name), members);
                    arguments.arguments.push(name);
                }
                Some(members) if is_one(&parameter.name, members, regions) => {
                    let name = format!("frit_s{at}");
                    arguments.structure(&parameter.element, &name, &format!("{}->", parameter.name), members);
                    arguments.arguments.push(format!("(void *)&{name}"));
                }
                Some(members) => arguments.many(parameter, members, at)?,
            }
        }
        Ok(arguments)
    }

    /// A slot, by number.
    fn slot(&mut self, name: String, element: &str, is_array: bool) -> usize {
        let array = Named::This(name.clone());
        let element = element.to_string();
        self.slots.push(Slot { name, element, is_array, is_hidden: false, array, least: 0, of_each: 1 });
        self.slots.len() - 1
    }

    fn plain(&mut self, parameter: &Parameter) {
        let at = self.slot(parameter.name.clone(), &parameter.element, parameter.is_array);
        self.arguments.push(match parameter.is_array {
            true => format!("frit_p[{at}]"),
            false => format!("*({} *)frit_p[{at}]", parameter.element),
        });
    }

    /// A structure with this name in the caller, whose members have these names before theirs in the function.
    fn structure(&mut self, of: &str, name: &str, path: &str, members: &[Member]) {
        let _ = writeln!(self.before, "    {of} {name}; __builtin_memset((void *)&{name}, 0, sizeof {name});");
        self.members(name, path, members);
    }

    fn members(&mut self, name: &str, path: &str, members: &[Member]) {
        for member in members {
            let (place, shown) = (format!("{name}.{}", member.name), format!("{path}{}", member.name));
            match &member.kind {
                MemberKind::Scalar => {
                    let at = self.slot(shown, &member.element, false);
                    self.copied(&place, &format!("frit_p[{at}]"), &format!("sizeof {place}"));
                }
                MemberKind::Inline(count) => {
                    let at = self.slot(shown, &member.element, true);
                    let count = i64::try_from(*count).unwrap_or(i64::MAX);
                    let slot = &mut self.slots[at];
                    // No region decides how many there are.
                    (slot.array, slot.least, slot.of_each) = (Named::This(String::new()), 1, count);
                    self.copied(&place, &format!("frit_p[{at}]"), &format!("sizeof {place}"));
                }
                MemberKind::Pointer => self.pointer(&place, shown.clone(), Named::This(shown), &member.element),
                MemberKind::Pointers(count) => {
                    for number in 0..*count {
                        let (place, name) = (format!("{place}[{number}]"), format!("{shown}[{number}]"));
                        self.pointer(&place, name, Named::ElementOf(shown.clone()), &member.element);
                    }
                }
                MemberKind::Structure(false, inner) => self.members(&place, &format!("{shown}."), inner),
                MemberKind::Structure(true, inner) => {
                    let target = format!("frit_t{}", self.slots.len());
                    let _ = write!(
                        self.before,
                        "    __typeof__(*{place}) {target}_, *{target} = &{target}_; __builtin_memset((void *){target}, 0, sizeof {target}_);\n\
                         \x20   __builtin_memcpy((void *)&{place}, &{target}, sizeof {target});\n"
                    );
                    self.members(&format!("{target}_"), &format!("{shown}->"), inner);
                }
                MemberKind::Unused(_) => {}
            }
        }
    }

    /// A pointer in a structure, and which memory it points to behind the call.
    fn pointer(&mut self, place: &str, name: String, array: Named, element: &str) {
        let at = self.slot(name.clone(), element, true);
        self.slots[at].array = array;
        let hidden = self.slot(name, "int", false);
        self.slots[hidden].is_hidden = true;
        let _ = writeln!(self.before, "    __builtin_memcpy((void *)&{place}, &frit_p[{at}], sizeof {place});");
        let _ = writeln!(self.after, "    *(int *)frit_p[{hidden}] = frit_verify_which(frit_p, FRIT_SLOTS, {place});");
    }

    /// Copies from a slot to a place in a structure, and back behind the call.
    fn copied(&mut self, place: &str, slot: &str, size: &str) {
        let _ = writeln!(self.before, "    __builtin_memcpy((void *)&{place}, {slot}, {size});");
        let _ = writeln!(self.after, "    __builtin_memcpy({slot}, (void *)&{place}, {size});");
    }

    /// An array of structures: an array for each member.
    fn many(&mut self, parameter: &Parameter, members: &[Member], number: usize) -> Result<(), String> {
        let (name, of) = (format!("frit_s{number}"), &parameter.element);
        let mut leaves = Vec::new();
        leaves_of("", members, &mut leaves).map_err(|inner| {
            format!("`{}` points to several structures, in which `{inner}` is no number", parameter.name)
        })?;
        let hidden = self.slot(format!("{}[]", parameter.name), "char", true);
        self.slots[hidden].array = Named::This(parameter.name.clone());
        // With room before and behind them, as all arrays have.
        let _ = write!(
            self.before,
            "    unsigned long {name}_n = frit_n[{hidden}], {name}_slack = frit_slack;\n\
             \x20   {of} *{name} = __builtin_calloc({name}_n + 2 * {name}_slack + !{name}_n, sizeof({of}));\n"
        );
        self.arguments.push(format!("(void *)({name} + {name}_slack)"));
        for (path, element, count) in leaves {
            let at = self.slot(format!("{}[].{path}", parameter.name), &element, true);
            let slot = &mut self.slots[at];
            (slot.array, slot.of_each) = (Named::This(parameter.name.clone()), count);
            let each = |to: &str, from: &str| {
                format!(
                    "    for (unsigned long frit_i = 0; frit_i < {name}_n; frit_i++)\n\
                     \x20       __builtin_memcpy((void *)({to}), (void *)({from}), {count} * sizeof({element}));\n"
                )
            };
            let (inner, slot) = (
                format!("&{name}[frit_i + {name}_slack].{path}"),
                format!("({element} *)frit_p[{at}] + {count} * frit_i"),
            );
            self.before += &each(&inner, &slot);
            self.after += &each(&slot, &inner);
        }
        let _ = writeln!(self.after, "    __builtin_free({name});");
        Ok(())
    }

    /// A function that takes the addresses of all slots and of the result, and the types of them.
    pub(super) fn caller(&self) -> String {
        let name = &self.function;
        let result = self.result.iter().map(|result| (result, false));
        let types: String = (self.slots.iter().map(|slot| (&slot.element, slot.is_array)))
            .chain(result)
            .map(|(element, is_array)| {
                format!("{{FRIT_VERIFY_KIND({element}), {}, sizeof({element})}}, ", u8::from(is_array))
            })
            .collect();
        let count = self.slots.len();
        let result = match &self.result {
            Some(result) => format!("*({result} *)frit_p[{count}] = "),
            None => String::new(),
        };
        let after = self.after.replace("FRIT_SLOTS", &count.to_string());
        format!(
            "const struct frit_verify_type frit_verify_types_{name}[] = {{ {types}{{0, 0, 0}} }};\n\
             void frit_verify_{name}(void **frit_p, const unsigned long *frit_n, unsigned long frit_slack) {{\n\
             \x20   (void)frit_n; (void)frit_slack;\n{}    {result}{name}({});\n{after}}}\n",
            self.before,
            self.arguments.join(", ")
        )
    }
}

/// The numbers in a structure: how each is reached, its type, and how many there are; or the member that is none.
fn leaves_of(path: &str, members: &[Member], leaves: &mut Vec<(String, String, i64)>) -> Result<(), String> {
    for member in members {
        let path = format!("{path}{}", member.name);
        match &member.kind {
            MemberKind::Scalar => leaves.push((path, member.element.clone(), 1)),
            MemberKind::Inline(count) => {
                leaves.push((path, member.element.clone(), i64::try_from(*count).unwrap_or(i64::MAX)));
            }
            MemberKind::Structure(false, inner) => leaves_of(&format!("{path}."), inner, leaves)?,
            MemberKind::Unused(_) => {}
            MemberKind::Pointer | MemberKind::Pointers(_) | MemberKind::Structure(true, _) => return Err(path),
        }
    }
    Ok(())
}

/// No region accesses more than the first structure that a pointer points to, as far as that is known; and if it is not, an array could not be made.
fn is_one(pointer: &str, members: &[Member], regions: &[&Region]) -> bool {
    let arrays = || regions.iter().flat_map(|region| region.arrays.iter()).map(|(_, array)| array);
    // Arrays that may overlap are one, whose elements are not known.
    let is_unknown =
        arrays().any(|array| array.name.contains('|') && array.name.split('|').any(|name| name == pointer));
    let mut own = arrays().filter(|array| array.name == pointer);
    own.all(|array| array.form == Form::Pointed) && !(is_unknown && leaves_of("", members, &mut Vec::new()).is_ok())
}
