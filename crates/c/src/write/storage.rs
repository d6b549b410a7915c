//! Where the elements of each array are in the new text: where the source has them, in variables, or in a smaller array.
//!
//! Names, and the blocks that new variables are declared in, are chosen later: see `placement`.

use super::Transformed;
use super::lexical::has_word;
use super::statements::factor;
use crate::region::{CArray, Form, Outside, Region, Storage};
use frit_isl::{Aff, Dim, PwAff};
use frit_scop::model::Home;
use frit_scop::program::{Fate, LoopKind, Step};
use frit_scop::{Array, ArrayData, Scop};
use frit_support::{Index, Table};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes that a new array takes on the stack.
const LARGEST_AUTOMATIC: u64 = 1 << 16;

/// Where the elements of an array are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is no array of the program.
    Unknown,
    /// In the array or variable of the source. For each of its dimensions the position of the generated subscript; `None` stands for 0.
    Source(Vec<Option<usize>>),
    /// In as many new variables, of which the generated subscript, if there is one, gives the number.
    Cells(usize),
    /// In a new array.
    Array(NewArray),
}

/// An array that the source does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NewArray {
    /// Its extents, at least one.
    pub(super) extents: Vec<Extent>,
    /// Elements are written `a[i * w + j]`.
    pub(super) is_linear: bool,
    /// It is allocated; otherwise it is on the stack.
    pub(super) is_heap: bool,
    /// The source allocated nothing for it, so that its author did not think of what happens when that fails.
    pub(super) is_checked: bool,
}

/// An extent of a new array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The number of elements, in C.
    pub(super) text: String,
    /// It may be 0 or less.
    may_be_empty: bool,
}

impl Extent {
    /// An extent that C allows, which is at least 1, as an operand of a product.
    pub(super) fn allocated(&self) -> String {
        let Extent { text, may_be_empty } = self;
        if *may_be_empty { format!("({} > 0 ? {text} : 1)", factor(text)) } else { factor(text) }
    }

    /// An extent that C allows, in the brackets of a declaration.
    pub(super) fn brackets(&self) -> String {
        let Extent { text, may_be_empty } = self;
        if *may_be_empty { format!("[{} > 0 ? {text} : 1]", factor(text)) } else { format!("[{text}]") }
    }
}

/// The places of all arrays, and what the text around the region requires.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Where each array is.
    pub(super) places: Table<Array, Place>,
    /// Arrays of the source that are declared in the region and keep their declaration, by the array that lies there, or by themselves if none does.
    pub(super) declared: BTreeSet<Array>,
    /// Those among them that the text after the region knows.
    pub(super) staying: BTreeSet<Array>,
    /// What happens to arrays of the source that are declared outside of the region and that only it uses.
    pub(super) outside: BTreeMap<Array, Change>,
}

/// What happens to an array that is declared outside of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It has no use any more.
    Gone,
    /// It gets smaller.
    Resized(Resized),
}

/// The new size of an array of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resized {
    /// Its extents; of one that is not linear, those that are other ones now.
    pub(super) extents: Vec<Option<String>>,
    /// What subscripts are multiplied with, if it is linear.
    pub(super) strides: Option<Vec<String>>,
}

/// Finds a place for every array. `after` is the text that follows the region in its block, with comments blanked.
pub(super) fn plan(region: &Region, transformed: &Transformed, after: &str) -> Result<Plan, String> {
    let mut private = BTreeSet::new();
    collect_private(&transformed.program.body, &mut private);
    let arrays = &transformed.scop.arrays;
    let mut places: Vec<Option<Place>> = vec![None; arrays.len()];
    let (mut declared, mut staying, mut outside) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    let (used_before, used) = (used_arrays(&region.scop), used_arrays(&transformed.scop));

    for (origin, c_array) in region.arrays.iter() {
        let parts: Vec<Array> =
            arrays.iter().filter(|(_, data)| data.origin == origin).map(|(array, _)| array).collect();
        let stays = stays_declared(region, origin, after);
        // Its elements are computed where they are read.
        let is_gone = used_before.contains(&origin) && !parts.iter().any(|part| used.contains(part));
        let in_source = |&array: &Array| {
            if is_gone || private.contains(&array) { None } else { source_place(transformed, array, c_array, stays) }
        };
        // What lives longer than the region has to be where the source has it.
        let is_live = |array: &Array| used.contains(array) && (arrays[*array].is_live_in || arrays[*array].is_live_out);
        let live = parts.iter().copied().filter(is_live);
        // What holds no value any more needs no place, unless nothing of the array ever did.
        let is_idle = !parts.iter().any(|array| used.contains(array));
        let others = parts.iter().copied().filter(|array| is_idle || used.contains(array));
        let owner = live.chain(others).find(|array| in_source(array).is_some());
        if let Some(stranded) = parts.iter().find(|array| is_live(array) && Some(**array) != owner) {
            return Err(format!(
                "`{}` is needed outside of the region, but has no place there",
                arrays[*stranded].name
            ));
        }
        for &array in &parts {
            let place = match in_source(&array) {
                Some(place) if Some(array) == owner => place,
                _ if is_gone || !used.contains(&array) => Place::Unknown,
                _ => new_place(region, transformed, array, c_array)?,
            };
            places[array.at()] = Some(place);
        }
        if matches!(c_array.outside, Some(Ok(_))) && !parts.iter().any(is_live) {
            let change = match owner {
                None => Some(Change::Gone),
                Some(owner) => resized(&arrays[owner], &transformed.program.fates[owner], c_array),
            };
            outside.extend(change.map(|change| (origin, change)));
        }
        if c_array.declaration.is_some() && (owner.is_some() || stays) {
            declared.insert(origin);
            staying.extend(stays.then_some(origin));
        }
    }
    let places = places.into_iter().collect::<Option<Vec<_>>>().ok_or("an array stems from none of the source")?;
    Ok(Plan { places: places.into_iter().collect(), declared, staying, outside })
}

/// The arrays that statements access.
fn used_arrays(scop: &Scop) -> BTreeSet<Array> {
    scop.statements.iter().flat_map(|(_, data)| data.accesses.iter().map(|access| access.array)).collect()
}

/// The declaration of an array in the region must stay: the text after the region names it, or frees it.
fn stays_declared(region: &Region, origin: Array, after: &str) -> bool {
    let data = &region.scop.arrays[origin];
    region.arrays[origin].declaration.as_ref().is_some_and(|declaration| {
        let is_freed_later = matches!(declaration.storage, Storage::Heap { is_freed: false, .. });
        data.home == Home::Region
            && (data.is_live_out || is_freed_later || has_word(after, &region.arrays[origin].name))
    })
}

fn collect_private(steps: &[Step], found: &mut BTreeSet<Array>) {
    for step in steps {
        match step {
            Step::For(each) => {
                if let LoopKind::Parallel { private } = &each.kind {
                    found.extend(private);
                }
                collect_private(&each.body, found);
            }
            Step::If { then, otherwise, .. } => {
                collect_private(then, found);
                collect_private(otherwise, found);
            }
            Step::Instance(_) | Step::Rotate { .. } => {}
        }
    }
}

/// What is left of each dimension, those that expansion added included: `None` if all of it, else the modulus.
fn moduli(data: &ArrayData, fate: &Fate) -> Vec<Option<u64>> {
    match fate {
        Fate::Kept => (0..data.extents.len()).map(|dim| (dim < data.expanded).then_some(1)).collect(),
        Fate::Scalar | Fate::Registers { .. } => vec![Some(1); data.extents.len()],
        Fate::Window { moduli } => moduli.clone(),
    }
}

/// The new size of an array that stays where the source has it, if it needs less than it has.
fn resized(data: &ArrayData, fate: &Fate, c_array: &CArray) -> Option<Change> {
    let Some(Ok(Outside { size: Ok(_), .. })) = &c_array.outside else { return None };
    let moduli = &moduli(data, fate)[data.expanded..];
    if moduli.iter().all(Option::is_none) {
        return None;
    }
    let moduli = moduli.iter().map(|modulus| modulus.map(|modulus| modulus.to_string()));
    let Form::Linear(_) = c_array.form else {
        return Some(Change::Resized(Resized { extents: moduli.collect(), strides: None }));
    };
    let extents =
        moduli.zip(&c_array.extents).map(|(modulus, extent)| modulus.or(extent.clone()).map(|text| factor(&text)));
    let extents: Vec<String> = extents.collect::<Option<_>>()?;
    let strides = Some(strides(&extents));
    Some(Change::Resized(Resized { extents: extents.into_iter().map(Some).collect(), strides }))
}

/// What the subscripts of a linear array with these extents are multiplied with.
pub(super) fn strides(extents: &[String]) -> Vec<String> {
    let mut strides = vec!["1".to_owned()];
    for extent in extents[1..].iter().rev() {
        let inner = &strides[strides.len() - 1];
        let extent = factor(extent);
        strides.push(if inner == "1" { extent } else { format!("{extent} * {inner}") });
    }
    strides.reverse();
    strides
}

/// The place of an array where the source has it, if it fits there and should be there.
fn source_place(transformed: &Transformed, array: Array, c_array: &CArray, stays: bool) -> Option<Place> {
    let data = &transformed.scop.arrays[array];
    let fate = &transformed.program.fates[array];
    let moduli = moduli(data, fate);
    let fits = moduli.iter().take(data.expanded).all(|modulus| *modulus == Some(1));
    let is_scalar = moduli.iter().all(|modulus| *modulus == Some(1)) && *fate != Fate::Kept;
    let pays = match data.home {
        Home::Body(_) => false,
        _ if matches!(c_array.form, Form::Scalar | Form::Pointed) => !matches!(fate, Fate::Registers { .. }),
        // Variables are better than elements of an array.
        _ if is_scalar => false,
        Home::Outside => true,
        Home::Region => stays || *fate == Fate::Kept,
    };
    let has_room = !transformed.program.oversized.contains(&array);
    if !fits || !pays || !has_room {
        return None;
    }
    let mut position = 0;
    let dims = moduli[data.expanded..].iter().map(|modulus| {
        (*modulus != Some(1)).then(|| {
            position += 1;
            position - 1
        })
    });
    Some(Place::Source(dims.collect()))
}

fn new_place(region: &Region, transformed: &Transformed, array: Array, c_array: &CArray) -> Result<Place, String> {
    let data = &transformed.scop.arrays[array];
    if c_array.form == Form::Unknown {
        return Ok(Place::Unknown);
    }
    if c_array.element.is_empty() {
        return Err(format!("the type of the elements of `{}` is not known", c_array.name));
    }
    if let Fate::Registers { count, .. } = transformed.program.fates[array] {
        return Ok(Place::Cells(usize::try_from(count).map_err(|_| "too many registers")?));
    }
    let mut extents = Vec::new();
    let mut bytes = Some(data.elem_bytes);
    for (dim, modulus) in moduli(data, &transformed.program.fates[array]).into_iter().enumerate() {
        let (extent, size) = match modulus {
            Some(1) => continue,
            Some(modulus) => (Extent { text: modulus.to_string(), may_be_empty: false }, Some(modulus)),
            None => extent(region, data, dim, c_array)
                .ok_or_else(|| format!("the extents of `{}` are not known", c_array.name))?,
        };
        extents.push(extent);
        bytes = bytes.zip(size).and_then(|(bytes, size)| bytes.checked_mul(size));
    }
    if extents.is_empty() {
        return Ok(Place::Cells(1));
    }
    let storage = c_array.declaration.as_ref().map(|declaration| &declaration.storage);
    let is_small = bytes.is_some_and(|bytes| bytes <= LARGEST_AUTOMATIC);
    let is_expanded = extents.len() > data.extents.len() - data.expanded || storage.is_none();
    // A source that has it on the stack has room for a part of it there, too.
    let is_heap = !is_small && (is_expanded || storage != Some(&Storage::Automatic));
    let is_linear = matches!(c_array.form, Form::Linear(_)) && extents.len() > 1 && !is_expanded;
    Ok(Place::Array(NewArray { extents, is_linear, is_heap, is_checked: is_expanded }))
}

/// An extent in C, and its value if that is known.
fn extent(region: &Region, data: &ArrayData, dim: usize, c_array: &CArray) -> Option<(Extent, Option<u64>)> {
    let known = data.extents.get(dim)?.as_ref();
    let value = known.and_then(constant);
    let is_positive = known.is_some_and(|known| is_positive(region, known));
    let extent = match dim.checked_sub(data.expanded) {
        Some(dim) => {
            // Where C has a type of that many elements already, it has one or more. A declaration in a loop may never be reached.
            let is_type = c_array.form == Form::Nested
                && !matches!(data.home, Home::Body(_))
                && (dim > 0 || c_array.declaration.as_ref().is_some_and(|found| found.storage == Storage::Automatic));
            Extent { text: c_array.extents.get(dim)?.clone()?, may_be_empty: !is_positive && !is_type }
        }
        None => match value {
            Some(value) => Extent { text: value.max(1).to_string(), may_be_empty: false },
            None => {
                let mut pieces = known?.pieces().ok()?.into_iter().map(|(_, piece)| affine(region, &piece));
                // The largest of all pieces is large enough for each.
                let first = pieces.next()??;
                let text = pieces.try_fold(first, |most, piece| {
                    piece.map(|piece| format!("({piece} > {most} ? {piece} : {most})"))
                })?;
                Extent { text, may_be_empty: !is_positive }
            }
        },
    };
    Some((extent, value))
}

/// An extent is at least 1, whatever the parameters are: also where it is not defined, because nothing is accessed.
fn is_positive(region: &Region, extent: &PwAff) -> bool {
    let assumed = &region.scop.assumed;
    let is_total = extent.domain().and_then(|defined| assumed.is_subset(&defined.params()?));
    let least = extent.intersect_params(assumed).and_then(|extent| extent.min_val()?.to_i64());
    is_total.unwrap_or(false) && least.is_ok_and(|least| least > 0)
}

fn constant(extent: &PwAff) -> Option<u64> {
    let pieces = extent.pieces().ok()?;
    let [(_, aff)] = pieces.as_slice() else { return None };
    let value = aff.is_cst().ok()?.then(|| aff.get_constant_val().ok())??;
    value.to_string().parse().ok()
}

/// An affine form of parameters, in C.
fn affine(region: &Region, aff: &Aff) -> Option<String> {
    let number = |text: String| text.parse::<i64>().ok();
    if aff.involves_locals().ok()? || number(aff.get_denominator_val().ok()?.to_string())? != 1 {
        return None;
    }
    let mut sum = String::new();
    let mut add = |factor: i64, text: &str| {
        let sign = if factor < 0 { "-" } else { "+" };
        let term = match (factor.unsigned_abs(), text) {
            (0, _) => return,
            (1, text) if !text.is_empty() => text.to_owned(),
            (factor, "") => factor.to_string(),
            (factor, text) => format!("{factor} * {text}"),
        };
        match (sum.is_empty(), sign) {
            (true, "+") => sum = term,
            (true, _) => sum = format!("-{term}"),
            (false, sign) => sum += &format!(" {sign} {term}"),
        }
    };
    for at in 0..aff.dim(Dim::Param).ok()? {
        let factor = number(aff.get_coefficient_val(Dim::Param, at).ok()?.to_string())?;
        let name = aff.get_dim_name(Dim::Param, at).ok()??;
        let param = &region.params.get(Index::new(name.strip_prefix('p')?.parse().ok()?))?;
        add(factor, &if param.is_plain { param.text.clone() } else { format!("(long){}", param.text) });
    }
    add(number(aff.get_constant_val().ok()?.to_string())?, "");
    Some(if sum.is_empty() { "0".into() } else { sum })
}
