//! What a program may ask of the machine that it runs on: to write, to read, to tell the time, to keep a number, to call a function in C.
//! All of it is one kind of operation in both IRs, an [`Effect`], and keeps its order by the same rule as output (`Note [Effects]` in
//! [`mod@crate::array`]).
//!
//! [`Host`] carries effects out for interpreters; the run-time system of generated C does the same (`input.c` in the back end).

pub mod callback;
pub mod foreign;
mod host;

pub use callback::{Callback, Caller};
pub use foreign::Foreign;
pub use host::{Host, Sink};

use crate::format::Taken;
use crate::{Format, Scalar};
use std::fmt;
use std::sync::Arc;

/// What a program asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Writes a text to standard output. The arguments are those of the conversions: scalars, and for `%s` vectors of `char`.
    Print(Arc<Format>),
    /// Writes a text to a stream: the first argument, an `i64`, is its number.
    PrintTo(Arc<Format>),
    /// Calls a function in C.
    Call(Arc<Foreign>),
    /// Keeps a copy of the argument in a cell.
    Keep(Cell),
    /// The value in a cell: what was kept there last in this run, zeros before. An array has as many elements as its extents say, which a
    /// program asks for by [`Request::Extent`].
    Recall(Cell),
    /// Calls a function that is not compiled. It gives its scalar results and the extents of arrays, and new versions of the arrays that it writes.
    Callback(Arc<Callback>),
    /// An array that is a result of the last such call, the cell's number among its results.
    Take(Cell),
    /// Anything else.
    Ask(Request),
}

/// A place where a program keeps a value for the rest of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its number, from 0 on. All that a program does with a cell is about values of one type and rank.
    pub number: usize,
    /// The type of the elements.
    pub elem: Scalar,
    /// The number of axes.
    pub rank: usize,
}

/// What an argument of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A scalar `i64`.
    Number,
    /// A vector of `char`.
    Text,
}

/// A row for each request: its name in the text of the IR and in generated C; what its arguments are.
macro_rules! requests {
    ($($(#[$doc:meta])* $request:ident = $name:literal ($($param:ident),*);)*) => {
        /// A question to the machine. The answer is an `i64`.
        ///
        /// Streams have numbers: 0 is standard input, 1 standard output, 2 standard error; files that were opened have larger ones. A
        /// character is its code point. What fails gives a negative number: the system's number of the error, negated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Request {
            $($(#[$doc])* $request,)*
        }

        impl Request {
            /// All of them.
            pub const ALL: [Request; [$($name),*].len()] = [$(Request::$request),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Request::$request => $name,)*
                }
            }

            /// What its arguments are.
            pub fn params(self) -> &'static [Param] {
                match self {
                    $(Request::$request => &[$(Param::$param),*],)*
                }
            }
        }
    };
}

requests! {
    /// `(stream, k)`: the character that is `k` characters ahead, without taking it; -1 behind the end.
    Peek = "peek" (Number, Number);
    /// `(stream, n)`: takes `n` characters; gives how many there were.
    Skip = "skip" (Number, Number);
    /// `(stream, c)`: puts a character before those that come.
    Unread = "unread" (Number, Number);
    /// `(name, mode)`: opens a file as C's `fopen`; the number of its stream.
    Open = "open" (Text, Text);
    /// `(text)`: opens a stream that reads the text; its number.
    Read = "read" (Text);
    /// `(text)`: the number written there is m times 2 to the power e, as exactly as a `double` can be; m, which is below 2^53.
    Mantissa = "mantissa" (Text);
    /// `(text)`: the e of the same number.
    Exponent = "exponent" (Text);
    /// `(stream)`: closes it.
    Close = "close" (Number);
    /// `(stream)`: hands over what was written so far.
    Flush = "flush" (Number);
    /// `(stream, offset, base)`: goes on at this byte, counted from the beginning (0), from here (1) or from the end (2).
    Seek = "seek" (Number, Number, Number);
    /// `(stream)`: the byte at which it goes on.
    Tell = "tell" (Number);
    /// `(name)`: removes a file.
    Remove = "remove" (Text);
    /// `(0)`: the time of day, `(1)`: the time since some moment, without jumps; in nanoseconds.
    Clock = "clock" (Number);
    /// `(k)`: what is kept under the number `k`, from 0 to 15; 0 at the start of a run.
    Load = "load" (Number);
    /// `(k, x)`: keeps `x` under the number `k`.
    Store = "store" (Number, Number);
    /// `(cell, axis)`: the extent of the array in the [cell](Cell) of this number; 0 if there is none.
    Extent = "extent" (Number, Number);
}

/// How many numbers a program can keep.
pub const CELLS: usize = 16;

impl Request {
    /// The request of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|request| request.name() == name)
    }
}

impl Effect {
    /// The text that it writes, and how many arguments stand before those of the conversions.
    pub fn format(&self) -> Option<(&Arc<Format>, usize)> {
        match self {
            Effect::Print(format) => Some((format, 0)),
            Effect::PrintTo(format) => Some((format, 1)),
            Effect::Call(_)
            | Effect::Callback(_)
            | Effect::Take(_)
            | Effect::Keep(_)
            | Effect::Recall(_)
            | Effect::Ask(_) => None,
        }
    }

    /// True if it keeps its place among all effects. Else it is only a function that the program does not have, and cells may have it.
    pub fn is_ordered(&self) -> bool {
        match self {
            Effect::Print(_)
            | Effect::PrintTo(_)
            | Effect::Callback(_)
            | Effect::Take(_)
            | Effect::Keep(_)
            | Effect::Recall(_)
            | Effect::Ask(_) => true,
            Effect::Call(foreign) => foreign.is_ordered,
        }
    }

    /// What it gives beside the certificate that it has happened: scalar types, and whether each is an array.
    pub fn answers(&self) -> Vec<(Scalar, bool)> {
        match self {
            Effect::Print(_) | Effect::PrintTo(_) | Effect::Keep(_) => Vec::new(),
            Effect::Call(foreign) => foreign.result_types().collect(),
            Effect::Callback(call) => call.answers(),
            Effect::Take(cell) | Effect::Recall(cell) => vec![(cell.elem, cell.rank > 0)],
            Effect::Ask(_) => vec![(Scalar::I64, false)],
        }
    }

    /// How many arguments it has.
    pub fn arity(&self) -> usize {
        match self {
            Effect::Print(format) => format.takes().count(),
            Effect::PrintTo(format) => 1 + format.takes().count(),
            Effect::Call(foreign) => foreign.args.len(),
            Effect::Callback(call) => call.args.len(),
            Effect::Keep(_) => 1,
            Effect::Take(_) | Effect::Recall(_) => 0,
            Effect::Ask(request) => request.params().len(),
        }
    }

    /// Why an argument of this type does not fit, if it does not.
    pub fn misfit(&self, at: usize, elem: Scalar, rank: usize) -> Option<String> {
        let number = || {
            ((elem, rank) != (Scalar::I64, 0)).then(|| format!("argument {at} is a number, not {elem} of rank {rank}"))
        };
        match self {
            Effect::PrintTo(_) if at == 0 => number(),
            Effect::Print(format) | Effect::PrintTo(format) => {
                let skipped = at - usize::from(matches!(self, Effect::PrintTo(_)));
                let taken = format.takes().nth(skipped)?;
                (!taken.accepts(elem, rank)).then(|| match taken {
                    Taken::Value(conversion) => format!("`{conversion}` shows no {elem} of rank {rank}"),
                    Taken::Count(conversion) => format!("`{conversion}` counts by no {elem} of rank {rank}"),
                })
            }
            Effect::Call(foreign) => foreign.misfit(at, elem, rank),
            Effect::Keep(cell) => ((elem, rank) != (cell.elem, cell.rank))
                .then(|| format!("the cell keeps {} of rank {}, not {elem} of rank {rank}", cell.elem, cell.rank)),
            Effect::Callback(call) => call.misfit(at, elem, rank),
            Effect::Take(_) | Effect::Recall(_) => None,
            Effect::Ask(request) => match request.params().get(at)? {
                Param::Number => number(),
                Param::Text => ((elem, rank) != (Scalar::Char, 1))
                    .then(|| format!("argument {at} is a vector of char, not {elem} of rank {rank}")),
            },
        }
    }
}

/// `0 f64 1`: number, type of elements, rank.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.number, self.elem, self.rank)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
