//! `frit machine`: the machine's constants as a table or as JSON.

use crate::commands::{bytes, print};
use crate::progress::Progress;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use frit_driver::Error;
use frit_driver::machine::{self, Known, Machine, Rate, Target};
use std::num::NonZeroUsize;

#[derive(Debug, Args)]
pub(crate) struct MachineCommand {
    /// Measure anew, also if the constants are known
    #[arg(long)]
    measure: bool,
    /// Print one JSON object, as $FRIT_MACHINE takes it
    #[arg(long)]
    json: bool,
}

/// `frit machine`.
pub(crate) fn machine(command: &MachineCommand) -> Result<(), Error> {
    let progress = Progress::new("measuring the machine");
    let known = machine::measured(command.measure, &|doing| progress.says(doing))?;
    drop(progress);
    if command.json {
        return print(machine::file::print(&known.machine));
    }
    print(text(&known))
}

fn text(known: &Known) -> String {
    let machine = &known.machine;
    let mut text = String::new();
    let count = |n: Option<NonZeroUsize>| n.map_or("?".into(), |n| n.to_string());
    text += &format!("cores    {}\nvectors  {} bytes\n\n", count(machine.cores), count(machine.vector_bytes));
    text += &format!("{}\n\n", rates(machine));
    let all = all_threads(machine);
    let amount = |value: Option<f64>, unit: &str| value.map_or("not known".into(), |value| format!("{value} {unit}"));
    text += &format!("a parallel loop begins and ends in {} on {all}\n", amount(machine.threads.region_us, "µs"));
    text += &format!("a scalar operation takes {} at least\n", amount(machine.threads.operation_ns, "ns"));
    let target = Target::of(machine);
    text += &format!("loops run on several threads if those save {} operations\n", target.region_work);
    text += &format!(
        "at most {} operations are repeated for an element that need not be stored then\n\n",
        target.most_repeated
    );
    text += &match &known.stored {
        Some(path) => format!("measured, and stored in {}\n", path.display()),
        None => "measured, but not stored: the object cache cannot be written\n".into(),
    };
    if let Some(path) = &known.overrides {
        text += &format!("values of {}={} go before those\n", machine::VARIABLE, path.display());
    }
    text
}

fn all_threads(machine: &Machine) -> String {
    crate::commands::threads(machine.cores.map_or(1, NonZeroUsize::get))
}

/// What is moved and computed in a second, by one thread and by all.
fn rates(machine: &Machine) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["", "size", "shared by", "unit", "1 thread", &all_threads(machine)]);
    let mut row = |what: String, size: String, sharers: String, unit: &str, rate: Rate| {
        let cell = |value: Option<f64>| value.map_or(String::new(), digits);
        table.add_row([what, size, sharers, unit.into(), cell(rate.one), cell(rate.all)]);
    };
    for (level, storage) in &machine.storage {
        let size = storage.size_bytes.map_or(String::new(), |size| binary(size.get()));
        let sharers = storage.shared_by.map_or(String::new(), |n| n.to_string());
        row(format!("{}: read", level.name()), size, sharers, "GB/s", storage.read_gb_per_s);
        row(format!("{}: copy", level.name()), String::new(), String::new(), "GB/s", storage.copy_gb_per_s);
    }
    let empty = String::new;
    row("a*b + c fused".into(), empty(), empty(), "Gflop/s", machine.fma_gflop_per_s);
    row("a*b and a + b".into(), empty(), empty(), "Gflop/s", machine.multiply_add_gflop_per_s);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// A size of hardware: `48 KiB`.
fn binary(size: u64) -> String {
    match size {
        _ if size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        _ => bytes(size),
    }
}

/// A number with three digits or more.
fn digits(value: f64) -> String {
    let decimals = if value >= 100.0 { 0 } else { usize::from(value >= 10.0) + 2 * usize::from(value < 10.0) };
    format!("{value:.decimals$}")
}
