//! Arrays in `.csv` files: a line for each row, commas between numbers.
//!
//! Lines that begin with `#` are comments. A first line of words is a header and is skipped.

use crate::native::Element;
use crate::npy::Array;
use frit_front::l0::text::Digits;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use std::io::{BufWriter, Read, Write};

/// The fields of a file: rows of one length.
pub(crate) struct Table {
    rows: Vec<csv::StringRecord>,
    columns: usize,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A sentence with the line: the rows differ in length, or a field is no value.
    pub(crate) fn read(source: impl Read) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(source);
        let mut rows = Vec::new();
        for row in reader.records() {
            rows.push(row.map_err(|error| format!("is no .csv file: {error}"))?);
        }
        // What is neither a value nor a word, as `1;2`, is a mistake that is told below.
        let is_word =
            |field: &str| !is_value(field) && !field.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        if rows.first().is_some_and(|first| first.iter().all(is_word)) {
            rows.remove(0);
        }
        let columns = rows.first().map_or(0, csv::StringRecord::len);
        if let Some(other) = rows.iter().find(|row| row.len() != columns) {
            let fields = if other.len() == 1 { "field" } else { "fields" };
            return Err(format!("line {}: has {} {fields}, but the first row has {columns}", line(other), other.len()));
        }
        Ok(Self { rows, columns })
    }

    /// The type of all fields: integers if they all are, else reals; or `bool`.
    pub(crate) fn elem(&self) -> Scalar {
        let mut fields = self.rows.iter().flatten();
        if fields.clone().next().is_some() && fields.clone().all(|field| truth(field).is_some()) {
            Scalar::Bool
        } else if fields.all(|field| field.parse::<i64>().is_ok()) {
            Scalar::I64
        } else {
            Scalar::F64
        }
    }

    /// The number of axes that the array has if nothing else says so: one if there is one column, else two.
    pub(crate) fn rank(&self) -> usize {
        if self.columns == 1 { 1 } else { 2 }
    }

    /// The array of this rank with these elements. A vector is one column or one row, a scalar is one field.
    ///
    /// # Errors
    ///
    /// A sentence: the file has another shape, or a field, whose line and column are told, is no such value.
    pub(crate) fn array(&self, elem: Scalar, rank: usize) -> Result<Tensor, String> {
        let (rows, columns) = (self.rows.len(), self.columns);
        let shape = match rank {
            0 if rows * columns == 1 => vec![],
            0 => return Err(format!("has {rows} x {columns} fields where one value is needed")),
            1 if rows == 0 || columns == 1 => vec![rows],
            1 if rows == 1 => vec![columns],
            1 => {
                return Err(format!("has {rows} rows and {columns} columns where one row or one column is needed"));
            }
            2 => vec![rows, columns],
            _ => return Err(format!("has rows and columns only, but {rank} dimensions are needed: use .npy")),
        };
        let mut data = TensorData::with_capacity(elem, rows * columns);
        for row in &self.rows {
            for (at, field) in row.iter().enumerate() {
                let value = value(field, elem).ok_or_else(|| {
                    let separator = if field.contains([';', '\t']) { "; fields are separated by commas" } else { "" };
                    let wanted = wanted(elem);
                    format!("line {}, field {}: `{field}` is no {wanted}{separator}", line(row), at + 1)
                })?;
                data.push(value);
            }
        }
        Ok(Tensor::new(shape, data).expect("every row has as many fields"))
    }
}

fn line(row: &csv::StringRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}

fn truth(field: &str) -> Option<bool> {
    match field {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    }
}

/// Some element type has this value.
fn is_value(field: &str) -> bool {
    truth(field).is_some() || field.parse::<f64>().is_ok()
}

fn value(field: &str, elem: Scalar) -> Option<Const> {
    match elem {
        Scalar::F64 => field.parse().ok().map(Const::f64),
        Scalar::F32 => field.parse().ok().map(Const::f32),
        Scalar::Bool => truth(field)
            .or(match field {
                "1" => Some(true),
                "0" => Some(false),
                _ => None,
            })
            .map(Const::Bool),
        Scalar::U64 => field.parse::<u64>().ok().map(|number| Const::int(Scalar::U64, number as i64)),
        Scalar::Char | Scalar::Cert => None,
        integer => {
            let number = field.parse::<i64>().ok()?;
            let constant = Const::int(integer, number);
            matches!(constant, Const::Int(_, kept) if kept == number).then_some(constant)
        }
    }
}

fn wanted(elem: Scalar) -> &'static str {
    match elem {
        Scalar::F32 | Scalar::F64 => "number",
        Scalar::Bool => "truth value (`True` or `False`)",
        Scalar::Char => "character: characters are not read from .csv files",
        Scalar::Cert => "certificate",
        _ => "integer of the parameter's type",
    }
}

/// Writes an array of at most two dimensions.
///
/// # Errors
///
/// A sentence: it has more dimensions or characters, or the file cannot be written.
pub(crate) fn write<A: Array>(file: impl Write, array: &A, digits: Digits) -> Result<(), String> {
    let (rows, columns) = match *array.shape() {
        [] => (1, 1),
        [extent] => (extent, 1),
        [rows, columns] => (rows, columns),
        ref shape => {
            return Err(format!(
                "a .csv file has rows and columns, but the result has {} dimensions: use .npy",
                shape.len()
            ));
        }
    };
    let text = texts(array, digits)?;
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 20, file));
    let mut written = Ok(());
    for row in 0..rows {
        written = written.and_then(|()| writer.write_record((0..columns).map(|column| text(row * columns + column))));
    }
    written.map_err(|error| error.to_string()).and_then(|()| writer.flush().map_err(|error| error.to_string()))
}

/// The text of an element by its number.
fn texts<A: Array>(array: &A, digits: Digits) -> Result<Box<dyn Fn(usize) -> String + '_>, String> {
    fn plain<A: Array, T: Element + std::fmt::Display>(array: &A) -> Box<dyn Fn(usize) -> String + '_> {
        let elements = array.as_slice::<T>().expect("an array has elements of its own type");
        Box::new(move |at| elements[at].to_string())
    }
    fn real<A: Array, T>(array: &A, digits: Digits) -> Box<dyn Fn(usize) -> String + '_>
    where
        T: Element + Into<f64> + std::fmt::Debug,
    {
        let elements = array.as_slice::<T>().expect("an array has elements of its own type");
        Box::new(move |at| {
            let mut text = String::new();
            digits.write(elements[at], &mut text);
            text
        })
    }
    Ok(match array.elem() {
        Scalar::I8 => plain::<A, i8>(array),
        Scalar::I16 => plain::<A, i16>(array),
        Scalar::I32 => plain::<A, i32>(array),
        Scalar::I64 => plain::<A, i64>(array),
        Scalar::U8 => plain::<A, u8>(array),
        Scalar::U16 => plain::<A, u16>(array),
        Scalar::U32 => plain::<A, u32>(array),
        Scalar::U64 => plain::<A, u64>(array),
        Scalar::F32 => real::<A, f32>(array, digits),
        Scalar::F64 => real::<A, f64>(array, digits),
        Scalar::Bool => {
            let elements = array.as_slice::<u8>().expect("truth values may be had as bytes");
            Box::new(move |at| if elements[at] != 0 { "True".into() } else { "False".into() })
        }
        Scalar::Char | Scalar::Cert => return Err("characters are not written to .csv files: use .npy".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, elem: Scalar, rank: usize) -> Result<Tensor, String> {
        Table::read(text.as_bytes())?.array(elem, rank)
    }

    #[test]
    fn what_is_written_is_read() {
        let data = vec![0.1, -0.0, 1e-300, f64::INFINITY, f64::NAN, 1.2345e-7];
        for shape in [vec![6], vec![2, 3], vec![3, 2]] {
            let tensor = Tensor::new(shape, TensorData::F64(data.clone())).unwrap();
            let mut bytes = Vec::new();
            write(&mut bytes, &tensor, Digits::Shortest).unwrap();
            assert_eq!(Table::read(&bytes[..]).unwrap().array(Scalar::F64, tensor.shape().len()).unwrap(), tensor);
        }
    }

    #[test]
    fn headers_and_comments_are_skipped() {
        let tensor = read("# made by hand\nx, y\n1, 2\n3,4\n", Scalar::I64, 2).unwrap();
        assert_eq!(tensor, Tensor::new(vec![2, 2], TensorData::I64(vec![1, 2, 3, 4])).unwrap());
        assert_eq!(read("1,2,3\n", Scalar::F64, 1).unwrap().shape(), [3]);
        assert_eq!(read("", Scalar::F64, 1).unwrap().shape(), [0]);
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_line() {
        for (text, elem, rank, said) in [
            ("1,2\n3\n", Scalar::I64, 2, "line 2: has 1 field, but the first row has 2"),
            ("1,2\n3,x\n", Scalar::I64, 2, "line 2, field 2: `x` is no integer"),
            ("a,2\n3,4\n", Scalar::F64, 2, "line 1, field 1: `a` is no number"),
            ("1;2\n", Scalar::F64, 1, "`1;2` is no number; fields are separated by commas"),
            ("300\n", Scalar::U8, 1, "`300` is no integer of the parameter's type"),
            ("1,2\n3,4\n", Scalar::F64, 1, "2 rows and 2 columns where one row or one column is needed"),
            ("1\n", Scalar::F64, 3, "3 dimensions are needed"),
        ] {
            let error = read(text, elem, rank).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
