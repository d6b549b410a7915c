//! Which arrays are computed where they are read: those that were asked for, or those that need not be kept because computing them is as cheap.

use super::{Failure, FuseOptions, Planned, Request};
use crate::error::Error;
use frit_c::{File, Form, Region, Texts};
use frit_plan::{Cost, Decision, Log, LoopRef, Outcome, Size};
use frit_scop::program::Fate;
use frit_scop::recompute::{self, Recomputed, When};
use frit_scop::{Array, ArrayData, Scop};
use std::collections::BTreeSet;

/// Which arrays are computed where they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Recompute {
    /// Those that would stay arrays, where computing an element takes no more operations and loads than to keep it.
    #[default]
    Cheaper,
    /// All that can be.
    All,
    /// Those of these names.
    Named(BTreeSet<String>),
}

/// The rule's name in reports.
pub(super) const RULE: &str = "recomputation";

/// Every name belongs to an array of some region.
pub(super) fn check_names(file: &File, options: &FuseOptions) -> Result<(), Error> {
    let Recompute::Named(names) = &options.recompute else { return Ok(()) };
    let arrays = file.regions.iter().flat_map(|region| region.arrays.iter());
    let arrays = arrays.filter(|(_, array)| !array.extents.is_empty()).map(|(_, array)| array.name.clone());
    let arrays: BTreeSet<String> = arrays.collect();
    match names.iter().find(|name| !arrays.contains(*name)) {
        Some(name) => Err(super::unknown_name("array", name, &arrays)),
        None => Ok(()),
    }
}

impl Request<'_> {
    /// The region with the arrays computed where they are read that were asked for.
    pub(super) fn recomputed(&self, scop: &Scop, log: &mut Log) -> Result<Recomputed, Failure> {
        let is_wanted = |data: &ArrayData| match &self.options.recompute {
            Recompute::Cheaper => false,
            Recompute::All => !data.is_live_in && !data.is_live_out,
            Recompute::Named(names) => names.contains(&data.name),
        };
        let wanted = scop.arrays.iter().filter(|(array, data)| is_wanted(data) && self.is_array(scop, *array));
        let wanted: BTreeSet<Array> = wanted.map(|(array, _)| array).collect();
        if wanted.is_empty() {
            return Ok(Recomputed::nothing(scop.clone())?);
        }
        let texts = Texts::new(self.file, self.region);
        let recomputed = recompute::recompute(scop, &wanted, When::Legal, self.at_most, &texts)?;
        record(self.region, &recomputed, log);
        Ok(recomputed)
    }

    /// The region with those arrays computed where they are read that a plan keeps in memory though they are as cheaply computed; `None` if
    /// there are none.
    pub(super) fn cheaper(&self, scop: &Scop, planned: &Planned) -> Result<Option<Recomputed>, Failure> {
        let is_kept = |array: Array| {
            let data = &scop.arrays[array];
            let is_stored = matches!(planned.contraction.fates[array], Fate::Kept | Fate::Window { .. });
            is_stored && !data.is_live_in && !data.is_live_out && self.is_array(scop, array)
        };
        let wanted: BTreeSet<Array> = scop.arrays.indices().filter(|array| is_kept(*array)).collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let texts = Texts::new(self.file, self.region);
        let mut recomputed = recompute::recompute(scop, &wanted, When::Cheaper, self.at_most, &texts)?;
        // Nobody asked for those that stay.
        recomputed.arrays.retain(|_, outcome| outcome.is_ok());
        Ok(recomputed.is_changed().then_some(recomputed))
    }

    /// It is an array of the source, not a scalar.
    fn is_array(&self, scop: &Scop, array: Array) -> bool {
        let c = &self.region.arrays[scop.arrays[array].origin];
        !c.extents.is_empty() && c.form != Form::Unknown
    }
}

/// Logs what became of arrays.
pub(super) fn record(region: &Region, recomputed: &Recomputed, log: &mut Log) {
    let scop = &recomputed.scop;
    for (&array, outcome) in &recomputed.arrays {
        let data = &scop.arrays[array];
        let of = LoopRef { label: String::new(), kind: "array", names: vec![data.name.clone()], span: data.span };
        let outcome = match outcome {
            Ok(inlined) => {
                let again = inlined.times.map_or(i64::MAX, |times| i64::try_from(times.max(1) - 1).unwrap_or(i64::MAX));
                let saved = Cost { work: Size::constant(-again), ..Cost::default() };
                Outcome::Merged { into: String::new(), saved, passes: 0 }
            }
            Err(refusal) => {
                Outcome::Refused { code: refusal.code(), reason: refusal.reason(scop), place: refusal.place() }
            }
        };
        let function = region.function.clone();
        log.decisions.push(Decision { rule: RULE, function, first: of.clone(), second: of, outcome });
    }
}
