//! Schedules: how the with-loops of a program run, as data. A program alone decides results; its schedule decides in which
//! order and where they are computed.
//!
//! This module has the form of schedules and its text. Which schedules are legal, and which one is good, is decided in the
//! crate `schedule`; `lower` emits what it is given.
//!
//! ```text
//! schedule @main {
//!   w4: %25 threads chunks accumulators 4
//!   w6: %29 threads, %40
//! }
//! ```
//!
//! Axes are named by their indices, outermost first. A with-loop that is not named runs in the order of the program.

use super::{FuncId, Program, Value, WithLoop, WithLoopData};
use crate::text::cursor::{Cursor, Parsed};
use crate::text::literal::GlobalName;
use crate::text::writer::Writer;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The schedule of a program. The default one is empty: everything runs in the order of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    nests: BTreeMap<(FuncId, WithLoop), Nest>,
}

/// How one with-loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// Its axes, outermost first: each axis of the index space once.
    pub axes: Vec<Axis>,
}

/// A loop over one axis of an index space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The axis of the index space.
    pub at: usize,
    /// How its iterations run.
    pub run: Run,
    /// A chunk is folded in so many pieces side by side, each with an accumulator of its own.
    pub accumulators: i64,
}

/// How the iterations of an axis run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// One after the other.
    Order,
    /// Divided among threads, where there is enough work for several.
    Threads,
    /// In chunks that threads run, so many for each thread. Each chunk has results of its own, which are combined afterwards.
    Chunks {
        /// Chunks for each thread, at least 1.
        each: i64,
    },
    /// As chunks, of one part of the axis after the other. A part fits into the caches of the threads.
    Blocks,
}

impl Axis {
    /// An axis whose iterations run one after the other.
    pub fn in_order(at: usize) -> Self {
        Self { at, run: Run::Order, accumulators: 1 }
    }
}

impl Nest {
    /// The order of the program: the last axis innermost, everything one after the other.
    pub fn in_order(data: &WithLoopData) -> Self {
        Self { axes: (0..data.space.len()).map(Axis::in_order).collect() }
    }

    /// The axes of the index space in the order of the loops.
    pub fn order(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.at).collect()
    }

    /// True if the last axis of the index space is innermost, the one before it around that, and so on.
    pub fn is_in_program_order(&self) -> bool {
        self.axes.iter().enumerate().all(|(place, axis)| place == axis.at)
    }

    /// True if some axis runs on threads.
    pub fn has_threads(&self) -> bool {
        self.axes.iter().any(|axis| axis.run != Run::Order)
    }
}

impl Schedule {
    /// How the with-loop runs, if the schedule says so.
    pub fn nest(&self, func: FuncId, with_loop: WithLoop) -> Option<&Nest> {
        self.nests.get(&(func, with_loop))
    }

    /// Says how a with-loop runs.
    pub fn set(&mut self, func: FuncId, with_loop: WithLoop, nest: Nest) {
        self.nests.insert((func, with_loop), nest);
    }

    /// All with-loops of which the schedule says how they run.
    pub fn iter(&self) -> impl Iterator<Item = (FuncId, WithLoop, &Nest)> {
        self.nests.iter().map(|(&(func, with_loop), nest)| (func, with_loop, nest))
    }

    /// The text form: one block for each function with a with-loop that does not run in the order of the program.
    pub fn print(&self, program: &Program) -> String {
        let mut text = String::new();
        for (id, func) in program.funcs.iter() {
            let mut w = Writer::default();
            for (_, with_loop, nest) in self.iter().filter(|&(of, ..)| of == id) {
                if let Some(data) = func.with_loops.get(with_loop).filter(|data| *nest != Nest::in_order(data)) {
                    w.indent();
                    w.begin();
                    w.put(format_args!("{with_loop}: "));
                    w.list(&nest.axes, |w, axis| print_axis(w, data, axis));
                    w.end();
                    w.dedent();
                }
            }
            let lines = w.finish();
            if !lines.is_empty() {
                let gap = if text.is_empty() { "" } else { "\n" };
                write!(text, "{gap}schedule {} {{\n{lines}}}\n", GlobalName(&func.name)).expect("strings take all");
            }
        }
        text
    }
}

fn print_axis(w: &mut Writer, data: &WithLoopData, axis: &Axis) {
    match data.indices.get(axis.at) {
        Some(index) => w.put(index),
        None => w.put(format_args!("axis {}", axis.at)),
    }
    match axis.run {
        Run::Order => {}
        Run::Threads => w.put(" threads"),
        Run::Chunks { each: 1 } => w.put(" threads chunks"),
        Run::Chunks { each } => w.put(format_args!(" threads chunks {each}")),
        Run::Blocks => w.put(" threads blocks"),
    }
    if axis.accumulators != 1 {
        w.put(format_args!(" accumulators {}", axis.accumulators));
    }
}

/// The most chunks for each thread that a schedule may ask for.
const MOST_CHUNKS_EACH: i64 = 256;

/// What follows the word `schedule`: the block of one function.
pub(super) fn parse_block(cursor: &mut Cursor<'_>, program: &Program, schedule: &mut Schedule) -> Parsed<()> {
    let position = cursor.position();
    let name = cursor.global()?;
    let id =
        program.func(&name).ok_or_else(|| cursor.error_at(position, "the program has no function of this name"))?;
    let func = &program.funcs[id];
    cursor.expect("{")?;
    while !cursor.eat("}") {
        let position = cursor.position();
        let with_loop: WithLoop = cursor.numbered("w", "a with-loop such as `w3`, or `}`")?;
        let known = func.with_loops.get(with_loop).filter(|data| !data.operators.is_empty());
        let Some(data) = known else {
            return Err(cursor.error_at(position, format!("{} has no {with_loop}", GlobalName(&func.name))));
        };
        if schedule.nest(id, with_loop).is_some() {
            return Err(cursor.error_at(position, format!("{with_loop} is scheduled twice")));
        }
        cursor.expect(":")?;
        let mut axes: Vec<Axis> = Vec::new();
        while axes.is_empty() || cursor.eat(",") {
            let position = cursor.position();
            let index: Value = cursor.value()?;
            let at = data.indices.iter().position(|&known| known == index);
            let Some(at) = at.filter(|&at| axes.iter().all(|axis| axis.at != at)) else {
                let known: Vec<String> = data.indices.iter().map(ToString::to_string).collect();
                let message = format!("each axis of {with_loop} stands here once; they are {}", known.join(", "));
                return Err(cursor.error_at(position, message));
            };
            axes.push(parse_axis(cursor, at)?);
        }
        if axes.len() != data.indices.len() {
            let missing = (0..data.indices.len()).find(|&at| axes.iter().all(|axis| axis.at != at));
            let missing = data.indices[missing.expect("one is missing")];
            return Err(cursor.error(format!("the axis {missing} of {with_loop} is missing before this")));
        }
        schedule.set(id, with_loop, Nest { axes });
    }
    Ok(())
}

fn parse_axis(cursor: &mut Cursor<'_>, at: usize) -> Parsed<Axis> {
    let mut axis = Axis::in_order(at);
    if cursor.eat_word("threads") {
        axis.run = if cursor.eat_word("chunks") {
            Run::Chunks { each: if cursor.is_constant() { count(cursor, MOST_CHUNKS_EACH)? } else { 1 } }
        } else if cursor.eat_word("blocks") {
            Run::Blocks
        } else {
            Run::Threads
        };
    }
    if cursor.eat_word("accumulators") {
        axis.accumulators = count(cursor, MOST_CHUNKS_EACH)?;
    }
    Ok(axis)
}

/// A number from 1 to `most`.
fn count(cursor: &mut Cursor<'_>, most: i64) -> Parsed<i64> {
    let position = cursor.position();
    let count = cursor.integer()?;
    if (1..=most).contains(&count) {
        Ok(count)
    } else {
        Err(cursor.error_at(position, format!("a number from 1 to {most} is needed here")))
    }
}
