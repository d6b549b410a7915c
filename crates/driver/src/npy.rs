//! Arrays in `.npy` files: reading, writing, and the conversions that lose nothing.

use crate::memory;
use crate::native::Element;
use frit_ir::{Const, Scalar, Tensor, TensorData, UnOp};
use npyz::WriterBuilder;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// What every `.npy` file begins with.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// What is wrong with an `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpyError {
    /// It cannot be read or written.
    Io(String),
    /// Its element type has no counterpart.
    UnsupportedType(String),
    /// It is shorter than its header says.
    Truncated,
    /// No machine has memory for its shape.
    ShapeTooLarge,
}

impl std::fmt::Display for NpyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NpyError::Io(error) => f.write_str(error),
            NpyError::UnsupportedType(name) => {
                write!(f, "elements of type `{name}` are not supported here; use f8, f4, f2, i8, i4, u1 or ? (bool)")
            }
            NpyError::Truncated => f.write_str("the file is shorter than its header says"),
            NpyError::ShapeTooLarge => f.write_str("the shape has more elements than can be counted"),
        }
    }
}

impl std::error::Error for NpyError {}

impl From<io::Error> for NpyError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => NpyError::Truncated,
            _ => NpyError::Io(error.to_string()),
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// The array, in row-major order. Complex elements are an axis more, of their two parts.
    pub tensor: Tensor,
    /// The elements are complex.
    pub is_complex: bool,
    /// The elements are `f2`, which no program computes with; they were made `f4`.
    pub is_half: bool,
}

/// Reads an array of reals, integers or truth values.
///
/// # Errors
///
/// The file cannot be read, or has other elements.
pub fn read(path: &Path) -> Result<Tensor, NpyError> {
    let Content { tensor, is_complex, .. } = read_content(path)?;
    match is_complex {
        false => Ok(tensor),
        true => Err(NpyError::UnsupportedType(format!("c{}", 2 * tensor.elem().bytes()))),
    }
}

/// Reads an array of any element type that has a counterpart. The file may be a pipe.
///
/// # Errors
///
/// The file cannot be read, or has other elements.
pub fn read_content(path: &Path) -> Result<Content, NpyError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    read_from(file, metadata.is_file().then_some(metadata.len()))
}

/// Reads an array from a stream, of which it may be known how many bytes it has.
pub(crate) fn read_from(mut source: impl Read, length: Option<u64>) -> Result<Content, NpyError> {
    let (raw, text) = header(&mut source)?;
    // The crate that reads the header multiplies the extents without a look at their size.
    if !is_countable(&text) {
        return Err(NpyError::ShapeTooLarge);
    }
    let header = npyz::NpyHeader::from_reader(raw.as_slice())?;
    let dtype = header.dtype();
    let mut shape = Vec::new();
    for &extent in header.shape() {
        shape.push(usize::try_from(extent).map_err(|_| NpyError::ShapeTooLarge)?);
    }
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).ok_or(NpyError::ShapeTooLarge)?;
    // A header may claim any size: believe it only as far as the file goes, before memory is taken.
    let bytes = count.checked_mul(dtype.num_bytes().unwrap_or(1)).ok_or(NpyError::ShapeTooLarge)?;
    if length.is_some_and(|length| bytes as u64 > length) {
        return Err(NpyError::Truncated);
    }
    let name = dtype.descr();
    let is_swapped = name.contains(if cfg!(target_endian = "little") { '>' } else { '<' });
    let name = name.trim_matches(['\'', '<', '>', '|', '=']);
    let is_complex = matches!(name, "c16" | "c8");
    let mut elements =
        Elements { source, count: count * if is_complex { 2 } else { 1 }, is_swapped, is_known: length.is_some() };
    let data = match name {
        "f8" | "c16" => TensorData::F64(elements.read()?),
        "f4" | "c8" => TensorData::F32(elements.read()?),
        "f2" => TensorData::F32(elements.read()?.into_iter().map(|bits| half::f16::from_bits(bits).to_f32()).collect()),
        "i8" => TensorData::I64(elements.read()?),
        "i4" => TensorData::I32(elements.read()?),
        "i2" => TensorData::I16(elements.read()?),
        "i1" => TensorData::I8(elements.read()?),
        "u8" => TensorData::U64(elements.read()?),
        "u4" => TensorData::U32(elements.read()?),
        "u2" => TensorData::U16(elements.read()?),
        "u1" => TensorData::U8(elements.read()?),
        "b1" => TensorData::Bool(elements.read::<u8>()?.into_iter().map(|byte| byte != 0).collect()),
        other => return Err(NpyError::UnsupportedType(other.to_string())),
    };
    let is_by_columns = header.order() == npyz::Order::Fortran && shape.len() > 1;
    let data = if is_by_columns { by_rows(&shape, &data, if is_complex { 2 } else { 1 }) } else { data };
    shape.extend(is_complex.then_some(2));
    let tensor = Tensor::new(shape, data).ok_or(NpyError::Truncated)?;
    Ok(Content { tensor, is_complex, is_half: name == "f2" })
}

/// The elements of a file.
struct Elements<R> {
    source: R,
    count: usize,
    /// Their bytes are in the other order than in this machine's memory.
    is_swapped: bool,
    /// There are as many bytes as the elements have.
    is_known: bool,
}

impl<R: Read> Elements<R> {
    fn read<T: bytemuck::Pod>(&mut self) -> Result<Vec<T>, NpyError> {
        let mut elements = if self.is_known {
            let mut elements = memory::zeros(self.count);
            self.source.read_exact(bytemuck::cast_slice_mut(&mut elements))?;
            elements
        } else {
            let bytes = self.count * size_of::<T>();
            let mut read = Vec::new();
            self.source.by_ref().take(bytes as u64).read_to_end(&mut read)?;
            if read.len() < bytes {
                return Err(NpyError::Truncated);
            }
            let mut elements = memory::zeros(self.count);
            bytemuck::cast_slice_mut(&mut elements).copy_from_slice(&read);
            elements
        };
        if self.is_swapped {
            bytemuck::cast_slice_mut::<T, u8>(&mut elements).chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        }
        Ok(elements)
    }
}

/// The elements of an array of this shape by rows, from those by columns. Each element has so many parts, which stay together.
fn by_rows(shape: &[usize], by_columns: &TensorData, parts: usize) -> TensorData {
    let mut data = TensorData::with_capacity(by_columns.scalar(), by_columns.len());
    // Where the next element by rows is, and its index.
    let (mut at, mut index) = (0, vec![0; shape.len()]);
    let strides: Vec<usize> = shape
        .iter()
        .scan(parts, |stride, &extent| {
            let this = *stride;
            *stride *= extent;
            Some(this)
        })
        .collect();
    while data.len() < by_columns.len() {
        data.extend_from(by_columns, at, parts);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    data
}

/// The bytes of a file's header, and the text in it.
fn header(source: &mut impl Read) -> Result<(Vec<u8>, String), NpyError> {
    let mut raw = vec![0; 8];
    source.read_exact(&mut raw)?;
    // Major version 1 has two bytes for the length of the text, later ones have four.
    let mut length = [0; 4];
    let width = if raw[6] <= 1 { 2 } else { 4 };
    source.read_exact(&mut length[..width])?;
    raw.extend(&length[..width]);
    let start = raw.len();
    source.take(u32::from_le_bytes(length).into()).read_to_end(&mut raw)?;
    let text = String::from_utf8_lossy(&raw[start..]).into_owned();
    Ok((raw, text))
}

/// Whether the bytes of an array with this header can be counted, even if extents that are zero were not.
fn is_countable(header: &str) -> bool {
    const LARGEST_ELEMENT: u64 = 1 << 10;
    let shape = header.split("shape").nth(1).and_then(|rest| rest.split('(').nth(1)?.split(')').next());
    let mut extents = shape.unwrap_or("").split(',').map(str::trim).filter(|extent| !extent.is_empty());
    let bytes = extents.try_fold(LARGEST_ELEMENT, |bytes, extent| {
        extent.parse::<u64>().ok().and_then(|extent| bytes.checked_mul(extent.max(1)))
    });
    bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok())
}

/// An array that can be written, wherever its elements are.
pub trait Array {
    /// The type of the elements.
    fn elem(&self) -> Scalar;

    /// The extents; none for a scalar.
    fn shape(&self) -> &[usize];

    /// The elements in row-major order, if they are of this type. Those of `char` are `u32`; those of `bool` may be had as `u8`.
    fn as_slice<T: Element>(&self) -> Option<&[T]>;
}

/// Writes an array. Characters become `u1` if they all fit, else `u4`.
///
/// # Errors
///
/// The file cannot be written.
pub(crate) fn write_to<A: Array>(file: impl Write, array: &A) -> Result<(), NpyError> {
    fn write<T: npyz::AutoSerialize>(
        file: impl Write,
        shape: &[usize],
        elements: impl IntoIterator<Item = T>,
    ) -> Result<(), NpyError> {
        let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
        let file = BufWriter::with_capacity(1 << 20, file);
        let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
        writer.extend(elements)?;
        Ok(writer.finish()?)
    }
    fn elements<A: Array, T: Element>(array: &A) -> impl Iterator<Item = T> + Clone {
        array.as_slice().expect("an array has elements of its own type").iter().copied()
    }
    let shape = array.shape();
    match array.elem() {
        Scalar::I8 => write(file, shape, elements::<_, i8>(array)),
        Scalar::I16 => write(file, shape, elements::<_, i16>(array)),
        Scalar::I32 => write(file, shape, elements::<_, i32>(array)),
        Scalar::I64 => write(file, shape, elements::<_, i64>(array)),
        Scalar::U8 => write(file, shape, elements::<_, u8>(array)),
        Scalar::U16 => write(file, shape, elements::<_, u16>(array)),
        Scalar::U32 => write(file, shape, elements::<_, u32>(array)),
        Scalar::U64 => write(file, shape, elements::<_, u64>(array)),
        Scalar::F32 => write(file, shape, elements::<_, f32>(array)),
        Scalar::F64 => write(file, shape, elements::<_, f64>(array)),
        // Through bytes, so that not even a broken program makes a `bool` that is none.
        Scalar::Bool => write(file, shape, elements::<_, u8>(array).map(|byte| byte != 0)),
        Scalar::Char => {
            let characters = elements::<_, u32>(array);
            if characters.clone().all(|character| character < 256) {
                write(file, shape, characters.map(|character| character as u8))
            } else {
                write(file, shape, characters)
            }
        }
        // Certificates carry no bits.
        Scalar::Cert => write(file, shape, (0..shape.iter().product()).map(|_: usize| true)),
    }
}

/// Why an array cannot have elements of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The type that its elements have.
    pub elem: Scalar,
    /// The first element that the other type does not have, if it is not the type as such.
    pub value: Option<i128>,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value {
            Some(value) => write!(f, "has the element {value}, which does not fit"),
            None => write!(f, "has elements of type {}", self.elem),
        }
    }
}

impl std::error::Error for Unfit {}

/// An integer as a number.
fn number(value: Const) -> Option<i128> {
    match value {
        Const::Int(Scalar::U64, bits) => Some((bits as u64).into()),
        Const::Int(_, value) => Some(value.into()),
        _ => None,
    }
}

/// Least and greatest value of an integer type; of `bool`, 0 and 1.
fn range(of: Scalar) -> Option<(i128, i128)> {
    match of {
        Scalar::Bool => Some((0, 1)),
        integer if integer.is_integer() => {
            let bits = 8 * integer.bytes();
            let half = 1i128 << (bits - 1);
            Some(if integer.is_signed() { (-half, half - 1) } else { (0, 2 * half - 1) })
        }
        _ => None,
    }
}

/// True if some elements of one type are also of the other, as [`convert`] takes it.
pub(crate) fn may_convert(from: Scalar, to: Scalar) -> bool {
    from == to
        || match to {
            Scalar::F64 => from.is_float() || from.is_integer(),
            Scalar::F32 => matches!(from, Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16),
            Scalar::Char => matches!(from, Scalar::U8 | Scalar::U16 | Scalar::U32),
            Scalar::Cert => false,
            _ => from.is_integer(),
        }
}

/// The array with elements of this type, if nothing is lost: reals to wider ones, integers to reals (as in text input), small
/// integers to characters; integers to all integer types that have their values, and to `bool` if they are 0 and 1.
///
/// # Errors
///
/// Something would be lost.
pub fn convert(tensor: Tensor, to: Scalar) -> Result<Tensor, Unfit> {
    let from = tensor.elem();
    if from == to {
        return Ok(tensor);
    }
    if let Some((least, greatest)) = range(to).filter(|_| from.is_integer()) {
        let fits = |value: &i128| least <= *value && *value <= greatest;
        if range(from).is_none_or(|(low, high)| !fits(&low) || !fits(&high)) {
            let data = tensor.data();
            let odd = (0..data.len()).filter_map(|at| number(data.get(at))).find(|value| !fits(value));
            if odd.is_some() {
                return Err(Unfit { elem: from, value: odd });
            }
        }
    }
    if !may_convert(from, to) {
        return Err(Unfit { elem: from, value: None });
    }
    let (shape, data) = tensor.into_parts();
    let converted = match (&data, to) {
        // The common cases without a detour over constants.
        (TensorData::I32(v), Scalar::I64) => TensorData::I64(v.iter().map(|&x| x.into()).collect()),
        (TensorData::U8(v), Scalar::I64) => TensorData::I64(v.iter().map(|&x| x.into()).collect()),
        (TensorData::U8(v), Scalar::Bool) => TensorData::Bool(v.iter().map(|&x| x != 0).collect()),
        (TensorData::F32(v), Scalar::F64) => TensorData::F64(v.iter().map(|&x| x.into()).collect()),
        (TensorData::I64(v), Scalar::F64) => TensorData::F64(v.iter().map(|&x| x as f64).collect()),
        (data, to) => {
            let mut converted = TensorData::with_capacity(to, data.len());
            for at in 0..data.len() {
                let element: Const = data.get(at);
                converted.push(UnOp::Convert(to).eval(element));
            }
            converted
        }
    };
    Ok(Tensor::new(shape, converted).expect("a conversion keeps the number of elements"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("frit-npy-{}-{name}", std::process::id()))
    }

    #[test]
    fn what_was_written_is_read_back() {
        let tensors = [
            Tensor::new(vec![2, 3], TensorData::F64(vec![0.0, -0.0, f64::NAN, 1e300, -1.5, f64::INFINITY])).unwrap(),
            Tensor::new(vec![0, 4], TensorData::I64(vec![])).unwrap(),
            Tensor::new(vec![], TensorData::I32(vec![-7])).unwrap(),
            Tensor::new(vec![1, 1, 1], TensorData::U8(vec![255])).unwrap(),
            Tensor::new(vec![2], TensorData::Bool(vec![true, false])).unwrap(),
        ];
        for (at, tensor) in tensors.iter().enumerate() {
            let path = scratch(&format!("{at}.npy"));
            write_to(File::create(&path).unwrap(), tensor).unwrap();
            assert_eq!(&read(&path).unwrap(), tensor);
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn a_header_that_claims_too_much_is_refused_before_memory_is_taken() {
        let path = scratch("long.npy");
        let tensor = Tensor::new(vec![2], TensorData::F64(vec![1.0, 2.0])).unwrap();
        write_to(File::create(&path).unwrap(), &tensor).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes[..128]).replace("(2,), ", "(9999999999999,), ");
        bytes.splice(..128, text.bytes().take(128));
        std::fs::write(&path, &bytes).unwrap();
        assert!(read(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn conversions_that_lose_something_are_refused() {
        let real = Tensor::new(vec![1], TensorData::F64(vec![0.5])).unwrap();
        assert_eq!(convert(real, Scalar::I64), Err(Unfit { elem: Scalar::F64, value: None }));
        let integers = |values: &[i64]| Tensor::new(vec![values.len()], TensorData::I64(values.to_vec())).unwrap();
        for (values, to, odd) in [
            (&[1, -2, 1 << 31][..], Scalar::I32, 1 << 31),
            (&[0, -1], Scalar::U64, -1),
            (&[0, 1, 2], Scalar::Bool, 2),
            (&[-128, -129], Scalar::I8, -129),
        ] {
            assert_eq!(convert(integers(values), to), Err(Unfit { elem: Scalar::I64, value: Some(odd) }));
        }
        let unsigned = Tensor::new(vec![1], TensorData::U64(vec![u64::MAX])).unwrap();
        let odd = Some(u64::MAX.into());
        assert_eq!(convert(unsigned, Scalar::I64), Err(Unfit { elem: Scalar::U64, value: odd }));
        let narrow = Tensor::new(vec![2], TensorData::I32(vec![i32::MIN, 7])).unwrap();
        assert_eq!(convert(integers(&[i32::MIN.into(), 7]), Scalar::I32), Ok(narrow));
        let flags = Tensor::new(vec![2], TensorData::U8(vec![0, 1])).unwrap();
        let truths = Tensor::new(vec![2], TensorData::Bool(vec![false, true])).unwrap();
        assert_eq!(convert(flags, Scalar::Bool), Ok(truths));
        let small = Tensor::new(vec![1], TensorData::I32(vec![3])).unwrap();
        assert_eq!(convert(small, Scalar::F64).unwrap(), Tensor::new(vec![1], TensorData::F64(vec![3.0])).unwrap());
    }
}
