//! Values of SAC as text: numbers, truth values, characters, strings, nested brackets, and `reshape(shape, value)` for arrays
//! without elements. What [`write()`] wrote, [`read()`] reads.

use frit_front::l0::text::Digits;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_support::impl_error;

/// Why a text is no value: the byte where, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// Offset in the text.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

impl_error!(ValueError, |error| error.message);

/// Deeper brackets than this are no array of anybody's.
const MAX_RANK: usize = 64;

/// Reads a value whose elements are of this type; whole numbers are numbers of any type.
///
/// # Errors
///
/// The text is no value, or one of other elements.
pub fn read(text: &str, elem: Scalar) -> Result<Tensor, ValueError> {
    let mut reader = Reader { text, at: 0, elem };
    let tensor = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.error("the value ends here, but there is more text"));
    }
    Ok(tensor)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    elem: Scalar,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Tensor, ValueError> {
        self.skip_space();
        if depth > MAX_RANK {
            return Err(self.error("the brackets are nested too deeply"));
        }
        match self.peek() {
            Some('[') => self.array(depth),
            Some('"') if self.elem == Scalar::Char => {
                self.at += 1;
                let mut characters = Vec::new();
                while self.peek() != Some('"') {
                    characters.push(self.character()?);
                }
                self.at += 1;
                Ok(vector(characters.len(), TensorData::Char(characters)))
            }
            Some(c) if c.is_ascii_alphabetic() && self.rest().starts_with("reshape") => self.reshape(depth),
            _ => self.scalar().map(Tensor::scalar),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Tensor, ValueError> {
        let open = self.at;
        self.at += 1;
        self.skip_space();
        // `[:double]` is how an empty vector is written in the language.
        if self.rest().starts_with([']', ':']) {
            let Some(close) = self.rest().find(']') else {
                return Err(self.error("this bracket is not closed"));
            };
            self.at += close + 1;
            return Ok(vector(0, TensorData::empty(self.elem)));
        }
        let mut data = TensorData::empty(self.elem);
        let mut cell: Option<Vec<usize>> = None;
        let mut count = 0;
        loop {
            self.skip_space();
            let start = self.at;
            let part = self.value(depth + 1)?;
            match &cell {
                Some(shape) if shape != part.shape() => {
                    let message = format!(
                        "the cells of an array have one shape, but one is {:?} and this one {:?}",
                        shape,
                        part.shape()
                    );
                    return Err(ValueError { at: start, message });
                }
                Some(_) => {}
                None => cell = Some(part.shape().to_vec()),
            }
            data.extend_from(part.data(), 0, part.data().len());
            count += 1;
            self.skip_space();
            match self.peek() {
                Some(',') => self.at += 1,
                Some(']') => break,
                Some(_) => return Err(self.error("`,` or `]` is wanted here")),
                None => return Err(ValueError { at: open, message: "this bracket is not closed".into() }),
            }
        }
        self.at += 1;
        let shape: Vec<usize> = std::iter::once(count).chain(cell.unwrap_or_default()).collect();
        Ok(Tensor::new(shape, data).expect("as many elements as the shape has"))
    }

    /// `reshape(shape, value)`
    fn reshape(&mut self, depth: usize) -> Result<Tensor, ValueError> {
        let start = self.at;
        self.at += "reshape".len();
        self.expect('(')?;
        let elem = std::mem::replace(&mut self.elem, Scalar::I64);
        let shape = self.value(depth + 1);
        self.elem = elem;
        let shape = shape?;
        self.expect(',')?;
        let value = self.value(depth + 1)?;
        self.expect(')')?;
        let extents: Option<Vec<usize>> = match shape.data() {
            TensorData::I64(extents) if shape.shape().len() == 1 => {
                extents.iter().map(|&extent| usize::try_from(extent).ok()).collect()
            }
            _ => None,
        };
        extents
            .and_then(|extents| Tensor::new(extents, value.into_parts().1))
            .ok_or_else(|| ValueError { at: start, message: "the shape has not as many elements as the value".into() })
    }

    fn scalar(&mut self) -> Result<Const, ValueError> {
        if self.peek() == Some('\'') && self.elem == Scalar::Char {
            self.at += 1;
            let character = self.character()?;
            self.expect('\'')?;
            return Ok(Const::Char(character));
        }
        let word: &str = {
            let rest = self.rest();
            let end =
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'))).unwrap_or(rest.len());
            &rest[..end]
        };
        let parsed = match self.elem {
            Scalar::Bool => word.parse().ok().map(Const::Bool),
            Scalar::F64 => word.parse().ok().map(Const::f64),
            Scalar::F32 => word.parse().ok().map(Const::f32),
            Scalar::U64 => word.parse::<u64>().ok().map(|n| Const::int(Scalar::U64, n as i64)),
            Scalar::Char | Scalar::Cert => None,
            integer => word
                .parse::<i64>()
                .ok()
                .map(|n| Const::int(integer, n))
                .filter(|c| matches!(c, Const::Int(_, kept) if Some(*kept) == word.parse().ok())),
        };
        let what = match self.elem {
            Scalar::Bool => "`true` or `false`",
            Scalar::F32 | Scalar::F64 => "a number",
            Scalar::Char => "a character or string",
            _ => "a whole number of the parameter's type",
        };
        let constant = parsed.ok_or_else(|| self.error(&format!("{what} is wanted here")))?;
        self.at += word.len();
        Ok(constant)
    }

    /// A character of a literal, escapes resolved.
    fn character(&mut self) -> Result<u32, ValueError> {
        let Some(c) = self.peek() else { return Err(self.error("the literal is not closed")) };
        self.at += c.len_utf8();
        if c != '\\' {
            return Ok(c.into());
        }
        let Some(escaped) = self.peek() else { return Err(self.error("the literal is not closed")) };
        self.at += escaped.len_utf8();
        Ok(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            other => other,
        }
        .into())
    }

    fn expect(&mut self, wanted: char) -> Result<(), ValueError> {
        self.skip_space();
        if self.peek() != Some(wanted) {
            return Err(self.error(&format!("`{wanted}` is wanted here")));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error(&self, message: &str) -> ValueError {
        ValueError { at: self.at, message: message.to_string() }
    }
}

fn vector(count: usize, data: TensorData) -> Tensor {
    Tensor::new(vec![count], data).expect("as many elements as the vector is long")
}

/// A value as text, reals with these digits.
pub fn write(tensor: &Tensor, digits: Digits) -> String {
    let mut text = String::new();
    if tensor.shape().contains(&0) && tensor.shape().len() > 1 {
        let extents: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
        return format!("reshape([{}],[])", extents.join(","));
    }
    if tensor.elem() == Scalar::Char && tensor.shape().len() == 1 {
        let characters = (0..tensor.data().len()).filter_map(|at| match tensor.data().get(at) {
            Const::Char(c) => char::from_u32(c),
            _ => None,
        });
        return format!("\"{}\"", characters.flat_map(char::escape_debug).collect::<String>());
    }
    write_axis(tensor, digits, 0, &mut 0, &mut text);
    text
}

fn write_axis(tensor: &Tensor, digits: Digits, axis: usize, next: &mut usize, text: &mut String) {
    let Some(&extent) = tensor.shape().get(axis) else {
        write_scalar(tensor.data().get(*next), digits, text);
        *next += 1;
        return;
    };
    text.push('[');
    for at in 0..extent {
        if at > 0 {
            text.push(',');
        }
        write_axis(tensor, digits, axis + 1, next, text);
    }
    text.push(']');
}

fn write_scalar(value: Const, digits: Digits, text: &mut String) {
    match value {
        Const::F32(bits) => digits.write(f32::from_bits(bits), text),
        Const::F64(bits) => digits.write(f64::from_bits(bits), text),
        Const::Int(Scalar::U64, n) => *text += &(n as u64).to_string(),
        Const::Int(_, n) => *text += &n.to_string(),
        Const::Bool(b) => *text += &b.to_string(),
        Const::Char(c) => *text += &format!("{:?}", char::from_u32(c).unwrap_or('?')),
        Const::Cert => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (text, elem) in [
            ("[[1,2],[3,-4]]", Scalar::I32),
            ("[0.1,nan,inf,-0.0]", Scalar::F64),
            ("true", Scalar::Bool),
            ("\"a\\nb\"", Scalar::Char),
            ("reshape([0,3],[])", Scalar::F32),
            ("[]", Scalar::I64),
        ] {
            assert_eq!(write(&read(text, elem).unwrap(), Digits::Shortest), text);
        }
    }

    #[test]
    fn what_is_no_value_is_refused_where_it_is_wrong() {
        for (text, elem, at) in [
            ("[1,2", Scalar::I32, 0),
            ("[[1],[2,3]]", Scalar::I32, 5),
            ("1.5", Scalar::I32, 0),
            ("300", Scalar::U8, 0),
            ("1 2", Scalar::I32, 2),
            ("", Scalar::F64, 0),
            ("reshape([2,2],[1])", Scalar::I32, 0),
        ] {
            assert_eq!(read(text, elem).unwrap_err().at, at, "{text}");
        }
    }
}
