//! Effects, carried out for interpreters.

use super::callback::{Callback, Failed, Place};
use super::{CELLS, Caller, Cell, Effect, Request};
use crate::{Const, Scalar, Tensor, TensorData};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Takes what a program writes to standard output, piece by piece.
pub type Sink<'a> = dyn FnMut(&str) + Send + 'a;

/// What a run has of its machine: streams, a clock, the numbers that it keeps.
pub struct Host<'a> {
    out: &'a mut Sink<'a>,
    input: Reader<Box<dyn Read + 'a>>,
    files: BTreeMap<i64, Reader<File>>,
    texts: BTreeMap<i64, VecDeque<char>>,
    numbers: [i64; CELLS],
    cells: BTreeMap<usize, Tensor>,
    start: Instant,
    caller: Option<Arc<dyn Caller>>,
    has_failed: bool,
}

/// Characters of a stream, ahead of those that the program has taken.
struct Reader<R> {
    from: R,
    ahead: VecDeque<char>,
    /// The first bytes of a character whose others have not been read.
    begun: Vec<u8>,
}

impl<R: Read> Reader<R> {
    fn new(from: R) -> Self {
        Self { from, ahead: VecDeque::new(), begun: Vec::new() }
    }

    /// The character so far ahead.
    fn peek(&mut self, ahead: usize) -> Option<char> {
        while self.ahead.len() <= ahead {
            if !self.read_more() {
                return None;
            }
        }
        self.ahead.get(ahead).copied()
    }

    /// Reads some bytes, as many as there are now; false at the end. What is no UTF-8 becomes the replacement character.
    fn read_more(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let count = self.from.read(&mut bytes).unwrap_or(0);
        self.begun.extend(&bytes[..count]);
        loop {
            match std::str::from_utf8(&self.begun) {
                Ok(text) => {
                    self.ahead.extend(text.chars());
                    self.begun.clear();
                    return count > 0;
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    self.ahead.extend(String::from_utf8_lossy(&self.begun[..valid]).chars());
                    let wrong = match error.error_len() {
                        Some(length) => length,
                        None if count == 0 => self.begun.len() - valid,
                        None => {
                            self.begun.drain(..valid);
                            return true;
                        }
                    };
                    self.ahead.push_back('\u{fffd}');
                    self.begun.drain(..valid + wrong);
                }
            }
        }
    }

    /// How many bytes were read that the program has not taken.
    fn unread(&self) -> u64 {
        self.begun.len() as u64 + self.ahead.iter().map(|c| c.len_utf8() as u64).sum::<u64>()
    }
}

impl Reader<File> {
    /// Goes back to where the program is, before it writes.
    fn settle(&mut self) -> io::Result<()> {
        let unread = i64::try_from(self.unread()).unwrap_or(0);
        self.ahead.clear();
        self.begun.clear();
        if unread > 0 { self.from.seek_relative(-unread) } else { Ok(()) }
    }
}

/// The answer for a failure of the system.
fn failed(error: &io::Error) -> i64 {
    // 5 is EIO.
    -i64::from(error.raw_os_error().unwrap_or(5))
}

/// EBADF: there is no such stream; EINVAL: an argument has no meaning.
const BAD_STREAM: i64 = -9;
const INVALID: i64 = -22;

impl<'a> Host<'a> {
    /// A machine whose standard output goes to the sink. Standard input is that of the process, unless a text is given.
    pub fn new(out: &'a mut Sink<'a>, input: Option<&'a [u8]>) -> Self {
        let from: Box<dyn Read + 'a> = match input {
            Some(text) => Box::new(text),
            None => Box::new(io::stdin()),
        };
        Self {
            out,
            input: Reader::new(from),
            files: BTreeMap::new(),
            texts: BTreeMap::new(),
            numbers: [0; CELLS],
            cells: BTreeMap::new(),
            start: Instant::now(),
            caller: None,
            has_failed: false,
        }
    }

    /// The same with someone who makes calls of functions that are not compiled.
    pub fn calling(self, caller: Option<Arc<dyn Caller>>) -> Self {
        Self { caller, ..self }
    }

    /// True if such a call has failed, which ends the program.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Carries out an effect on arguments that fit it; its answers. `shapes` are those of the arrays among them.
    pub fn carry_out(&mut self, effect: &Effect, args: &[Tensor], shapes: &[Vec<usize>]) -> Vec<Tensor> {
        match effect {
            Effect::Print(format) => (self.out)(&format.render(args)),
            Effect::PrintTo(format) => self.write(number(&args[0]), &format.render(&args[1..])),
            Effect::Call(foreign) => return foreign.call(args, shapes),
            Effect::Callback(call) => return self.call_back(call, args),
            Effect::Take(cell) => return vec![self.take(*cell, shapes)],
            Effect::Keep(cell) => {
                self.cells.insert(cell.number, args[0].clone());
            }
            Effect::Recall(cell) => return vec![self.recall(*cell, shapes)],
            Effect::Ask(request) => return vec![Tensor::scalar(Const::i64(self.answer(*request, args)))],
        }
        Vec::new()
    }

    /// Calls a function that is not compiled. If it fails, the answers mean nothing.
    fn call_back(&mut self, call: &Callback, args: &[Tensor]) -> Vec<Tensor> {
        let mut args = args.to_vec();
        let shapes: Vec<Vec<i64>> =
            args.iter().map(|arg| arg.shape().iter().map(|&extent| extent as i64).collect()).collect();
        let place = |(arg, shape): (&mut Tensor, _)| {
            let elem = arg.elem();
            Place { elements: arg.data_mut().as_mut_ptr().cast(), elem, shape }
        };
        let places: Vec<Place<'_>> = args.iter_mut().zip(shapes.iter().map(Vec::as_slice)).map(place).collect();
        let mut answers = vec![0; call.scalars()];
        let mut printed = String::new();
        let caller = self.caller.clone();
        let made = caller.map_or(Err(Failed), |caller| caller.call(call.number, &places, &mut answers, &mut printed));
        self.has_failed |= made.is_err();
        (self.out)(&printed);
        let types = call.results.iter().flat_map(|&(elem, rank)| match rank {
            0 => vec![elem],
            rank => vec![Scalar::I64; rank],
        });
        let scalars = types.zip(answers).map(|(elem, bits)| Tensor::scalar(Const::from_bits(elem, bits)));
        scalars.chain(call.written.iter().map(|&at| args[at].clone())).collect()
    }

    /// An array that is a result of the last call.
    fn take(&mut self, cell: Cell, shapes: &[Vec<usize>]) -> Tensor {
        let shape = shapes.first().cloned().unwrap_or_default();
        let extents: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        let elements = TensorData::splat(cell.elem.zero(), shape.iter().product());
        let mut made = Tensor::new(shape, elements).expect("as many zeros as the shape has elements");
        let to = Place { elements: made.data_mut().as_mut_ptr().cast(), elem: cell.elem, shape: &extents };
        let taken = self.caller.as_ref().map_or(Err(Failed), |caller| caller.take(cell.number, to));
        self.has_failed |= taken.is_err();
        made
    }

    /// Writes to a stream. Nobody is told of a failure.
    fn write(&mut self, stream: i64, text: &str) {
        let _ = match stream {
            1 => {
                (self.out)(text);
                Ok(())
            }
            2 => io::stderr().write_all(text.as_bytes()),
            _ => match self.files.get_mut(&stream) {
                Some(file) => file.settle().and_then(|()| file.from.write_all(text.as_bytes())),
                None => Ok(()),
            },
        };
    }

    fn answer(&mut self, request: Request, args: &[Tensor]) -> i64 {
        let arg = |at: usize| number(&args[at]);
        let name = |at: usize| text(&args[at]);
        match request {
            Request::Peek => {
                let ahead = usize::try_from(arg(1)).unwrap_or(0);
                self.peek(arg(0), ahead).map_or(-1, |c| i64::from(u32::from(c)))
            }
            Request::Skip => {
                let mut count = 0;
                while count < arg(1) && self.peek(arg(0), 0).is_some() {
                    self.ahead(arg(0)).map(VecDeque::pop_front);
                    count += 1;
                }
                count
            }
            Request::Unread => match (self.ahead(arg(0)), u32::try_from(arg(1)).ok().and_then(char::from_u32)) {
                (Some(ahead), Some(c)) => {
                    ahead.push_front(c);
                    0
                }
                (None, _) => BAD_STREAM,
                (Some(_), None) => INVALID,
            },
            Request::Open => self.open(&name(0), &name(1)),
            Request::Read => {
                let number = self.free_number();
                self.texts.insert(number, name(0).chars().collect());
                number
            }
            Request::Mantissa => decomposed(&name(0)).0,
            Request::Exponent => decomposed(&name(0)).1,
            Request::Close => {
                let is_open = self.files.remove(&arg(0)).is_some() || self.texts.remove(&arg(0)).is_some();
                if is_open { 0 } else { BAD_STREAM }
            }
            Request::Flush => 0,
            Request::Seek => {
                let Some(file) = self.files.get_mut(&arg(0)) else { return BAD_STREAM };
                let to = match (arg(2), u64::try_from(arg(1))) {
                    (0, Ok(offset)) => SeekFrom::Start(offset),
                    (1, _) => SeekFrom::Current(arg(1)),
                    (2, _) => SeekFrom::End(arg(1)),
                    _ => return INVALID,
                };
                file.settle().and_then(|()| file.from.seek(to)).map_or_else(|error| failed(&error), |_| 0)
            }
            Request::Tell => {
                let Some(file) = self.files.get_mut(&arg(0)) else { return BAD_STREAM };
                let unread = file.unread();
                file.from
                    .stream_position()
                    .map_or_else(|error| failed(&error), |at| at.saturating_sub(unread).cast_signed())
            }
            Request::Remove => std::fs::remove_file(name(0)).map_or_else(|error| failed(&error), |()| 0),
            Request::Clock => {
                let passed = if arg(0) == 0 {
                    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
                } else {
                    self.start.elapsed()
                };
                i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX)
            }
            Request::Extent => {
                let cell = usize::try_from(arg(0)).ok().and_then(|cell| self.cells.get(&cell));
                let axis = usize::try_from(arg(1)).unwrap_or(usize::MAX);
                cell.and_then(|kept| kept.shape().get(axis)).map_or(0, |&extent| extent as i64)
            }
            Request::Load => self.number(arg(0)).map_or(0, |cell| *cell),
            Request::Store => match self.number(arg(0)) {
                Some(cell) => {
                    *cell = arg(1);
                    0
                }
                None => INVALID,
            },
        }
    }

    fn number(&mut self, at: i64) -> Option<&mut i64> {
        self.numbers.get_mut(usize::try_from(at).ok()?)
    }

    /// The value in a cell, in this shape if it is an array.
    fn recall(&self, cell: Cell, shapes: &[Vec<usize>]) -> Tensor {
        let shape = shapes.first().cloned().unwrap_or_default();
        match self.cells.get(&cell.number) {
            Some(kept) if *kept.shape() == *shape => kept.clone(),
            kept => {
                let count = shape.iter().product();
                let mut elements = TensorData::empty(cell.elem);
                for at in 0..count {
                    let known = kept.filter(|kept| at < kept.data().len()).map(|kept| kept.data().get(at));
                    elements.push(known.unwrap_or(cell.elem.zero()));
                }
                Tensor::new(shape, elements).expect("as many elements as the shape has")
            }
        }
    }

    fn peek(&mut self, stream: i64, ahead: usize) -> Option<char> {
        match stream {
            0 => self.input.peek(ahead),
            _ => match self.texts.get(&stream) {
                Some(text) => text.get(ahead).copied(),
                None => self.files.get_mut(&stream)?.peek(ahead),
            },
        }
    }

    fn ahead(&mut self, stream: i64) -> Option<&mut VecDeque<char>> {
        match stream {
            0 => Some(&mut self.input.ahead),
            _ => match self.texts.get_mut(&stream) {
                Some(text) => Some(text),
                None => self.files.get_mut(&stream).map(|file| &mut file.ahead),
            },
        }
    }

    fn free_number(&self) -> i64 {
        let is_free = |number: &i64| !self.files.contains_key(number) && !self.texts.contains_key(number);
        (3..).find(is_free).unwrap_or(i64::MAX)
    }

    fn open(&mut self, name: &str, mode: &str) -> i64 {
        let mut options = File::options();
        let updates = mode.contains('+');
        match mode.chars().next() {
            Some('r') => options.read(true).write(updates),
            Some('w') => options.read(updates).write(true).create(true).truncate(true),
            Some('a') => options.read(updates).append(true).create(true),
            _ => return INVALID,
        };
        match options.open(name) {
            Ok(file) => {
                let number = self.free_number();
                self.files.insert(number, Reader::new(file));
                number
            }
            Err(error) => failed(&error),
        }
    }
}

/// The number of a text as a mantissa below 2^53 and the exponent of 2.
fn decomposed(text: &str) -> (i64, i64) {
    let number: f64 = text.parse().unwrap_or(0.0);
    if !number.is_finite() {
        return (1 << 52, 2000);
    }
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff).cast_signed(), (bits & ((1 << 52) - 1)).cast_signed());
    let magnitude = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (if number < 0.0 { -magnitude } else { magnitude }, exponent.max(1) - 1075)
}

fn number(tensor: &Tensor) -> i64 {
    match tensor.data() {
        TensorData::I64(elements) => elements.first().copied().unwrap_or(0),
        other => panic!("a number is an i64, not {other:?}"),
    }
}

fn text(tensor: &Tensor) -> String {
    match tensor.data() {
        TensorData::Char(codes) => codes.iter().map(|&code| char::from_u32(code).unwrap_or('\u{fffd}')).collect(),
        other => panic!("a text is a vector of char, not {other:?}"),
    }
}
