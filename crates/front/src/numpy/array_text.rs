//! The text of an array, as NumPy prints it.

use super::print::{exponent_text, number_text};
use frit_ir::{Const, Scalar, Tensor};

/// Arrays of more elements are shown in part.
const MANY: usize = 1000;
/// Elements that are shown at each end of an axis then.
const EDGE: usize = 3;
/// Digits behind the point.
const PRECISION: usize = 8;
/// Characters of a line.
const WIDTH: usize = 75;

/// The text of an array of numbers.
pub(super) fn array_text(tensor: &Tensor) -> String {
    if tensor.data().is_empty() {
        return "[]".into();
    }
    let is_cut = tensor.data().len() > MANY;
    let mut places = Vec::new();
    shown_places(tensor.shape(), is_cut, 0, &mut places);
    let elements: Vec<Const> = places.iter().map(|&at| tensor.data().get(at)).collect();
    let mut words = words(tensor.elem(), &elements).into_iter();
    rows(tensor.shape(), is_cut, " ", WIDTH, &mut words)
}

/// True if only the ends of an axis are shown.
fn has_gap(is_cut: bool, extent: usize) -> bool {
    is_cut && extent > 2 * EDGE
}

/// Adds the positions of the elements that are shown.
fn shown_places(shape: &[usize], is_cut: bool, first: usize, places: &mut Vec<usize>) {
    let [extent, inner @ ..] = shape else {
        places.push(first);
        return;
    };
    let size: usize = inner.iter().product();
    for at in (0..*extent).filter(|&at| !has_gap(is_cut, *extent) || at < EDGE || at + EDGE >= *extent) {
        shown_places(inner, is_cut, first + at * size, places);
    }
}

/// The rows of an array in brackets.
fn rows(shape: &[usize], is_cut: bool, indent: &str, width: usize, words: &mut impl Iterator<Item = String>) -> String {
    let [extent, inner @ ..] = shape else { return words.next().expect("there is a word for each element") };
    let gap = has_gap(is_cut, *extent);
    let count = if gap { 2 * EDGE } else { *extent };
    let deeper = format!("{indent} ");
    let (mut text, mut line) = (String::new(), indent.to_string());
    let separator = "\n".repeat(inner.len());
    let put = |word: &str, text: &mut String, line: &mut String| {
        if inner.is_empty() {
            if line.chars().count() + word.chars().count() > width - 1 && line.len() > indent.len() {
                *text += line.trim_end();
                text.push('\n');
                *line = indent.to_string();
            }
            *line += word;
        } else {
            *text += indent;
            *text += word;
        }
    };
    for at in 0..count {
        if at > 0 {
            if inner.is_empty() { line.push(' ') } else { text += &separator }
        }
        if gap && at == EDGE {
            put("...", &mut text, &mut line);
            if inner.is_empty() { line.push(' ') } else { text += &separator }
        }
        let word = rows(inner, is_cut, &deeper, width - 1, words);
        put(&word, &mut text, &mut line);
    }
    if inner.is_empty() {
        text += &line;
    }
    format!("[{}]", &text[indent.len()..])
}

/// Elements as words of one length.
fn words(elem: Scalar, elements: &[Const]) -> Vec<String> {
    let right = |words: Vec<String>| {
        let width = words.iter().map(String::len).max().unwrap_or(0);
        words.into_iter().map(|word| format!("{word:>width$}")).collect()
    };
    match elem {
        Scalar::F32 | Scalar::F64 => reals(elements),
        Scalar::Bool => elements.iter().map(|&element| format!("{:>5}", number_text(element))).collect(),
        _ => right(elements.iter().map(|&element| number_text(element)).collect()),
    }
}

fn reals(elements: &[Const]) -> Vec<String> {
    let value = |element: Const| match element {
        Const::F32(bits) => f32::from_bits(bits).into(),
        Const::F64(bits) => f64::from_bits(bits),
        _ => 0.0,
    };
    let finite: Vec<f64> = elements.iter().map(|&element| value(element)).filter(|x| x.is_finite()).collect();
    let sizes = || finite.iter().map(|x| x.abs()).filter(|&x| x > 0.0);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    // NumPy compares in the type of the elements, whose digits bound what is shown without an exponent.
    let is_scientific = most > 0.0
        && match elements[0] {
            Const::F32(_) => most >= 1e6 || (least as f32) < 1e-4 || most as f32 / least as f32 > 1000.0,
            _ => most >= 1e8 || least < 1e-4 || most / least > 1000.0,
        };
    // The parts before and behind the point, and the exponent.
    let split = |element: Const| -> (String, String, String) {
        let text = if is_scientific { scientific(element) } else { positional(element) };
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        (whole.to_string(), fraction.to_string(), exponent.to_string())
    };
    let parts: Vec<Option<(String, String, String)>> =
        elements.iter().map(|&element| value(element).is_finite().then(|| split(element))).collect();
    let longest = |of: fn(&(String, String, String)) -> usize| parts.iter().flatten().map(of).max().unwrap_or(0);
    let (before, behind, exponents) =
        (longest(|part| part.0.len()), longest(|part| part.1.len()), longest(|part| part.2.len()));
    let tail = if exponents > 0 { exponents + 1 } else { 0 };
    let others = elements.iter().zip(&parts).filter(|(_, part)| part.is_none());
    let other = others.map(|(&element, _)| number_text(element).len()).max().unwrap_or(0);
    let width = if finite.is_empty() { other } else { (before + 1 + behind + tail).max(other) };
    let before = width.saturating_sub(1 + behind + tail).max(before);
    let word = |(&element, part): (&Const, &Option<(String, String, String)>)| match part {
        None => format!("{:>width$}", number_text(element)),
        Some((whole, fraction, exponent)) if is_scientific => {
            let (sign, digits) = exponent.split_at(1);
            format!("{whole:>before$}.{fraction:0<behind$}e{sign}{digits:0>0$}", exponents - 1)
        }
        Some((whole, fraction, _)) => format!("{whole:>before$}.{fraction:<behind$}"),
    };
    elements.iter().zip(&parts).map(word).collect()
}

/// The fewest digits that mean a real, but at most so many behind the point.
fn positional(element: Const) -> String {
    let (shortest, rounded) = match element {
        Const::F32(bits) => (format!("{}", f32::from_bits(bits)), format!("{:.PRECISION$}", f32::from_bits(bits))),
        Const::F64(bits) => (format!("{}", f64::from_bits(bits)), format!("{:.PRECISION$}", f64::from_bits(bits))),
        other => (number_text(other), number_text(other)),
    };
    let digits = shortest.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if digits > PRECISION { rounded.trim_end_matches('0').to_string() } else { shortest }
}

fn scientific(element: Const) -> String {
    let (shortest, rounded) = match element {
        Const::F32(bits) => (format!("{:e}", f32::from_bits(bits)), format!("{:.PRECISION$e}", f32::from_bits(bits))),
        Const::F64(bits) => (format!("{:e}", f64::from_bits(bits)), format!("{:.PRECISION$e}", f64::from_bits(bits))),
        other => (number_text(other), number_text(other)),
    };
    let split = |text: &str| {
        let (mantissa, exponent) = text.split_once('e').expect("there is an exponent");
        (mantissa.to_string(), exponent.parse::<i32>().expect("it is a number"))
    };
    let (mantissa, exponent) = split(&shortest);
    let digits = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if digits <= PRECISION {
        return mantissa + &exponent_text(exponent);
    }
    let (mantissa, exponent) = split(&rounded);
    mantissa.trim_end_matches('0').to_string() + &exponent_text(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_ir::TensorData;

    #[test]
    fn arrays_are_printed_as_by_numpy() {
        let text = |shape: &[usize], data| array_text(&Tensor::new(shape.to_vec(), data).unwrap());
        let reals = |elements: &[f64]| text(&[elements.len()], TensorData::F64(elements.to_vec()));
        assert_eq!(reals(&[1.0, 2.5, -0.125]), "[ 1.     2.5   -0.125]");
        assert_eq!(reals(&[0.1, 1.0 / 3.0]), "[0.1        0.33333333]");
        assert_eq!(reals(&[1e10, 1.0]), "[1.e+10 1.e+00]");
        assert_eq!(reals(&[0.0, f64::NAN, f64::INFINITY]), "[ 0. nan inf]");
        assert_eq!(reals(&[-1.5e-7, 0.0]), "[-1.5e-07  0.0e+00]");
        assert_eq!(reals(&[]), "[]");
        assert_eq!(text(&[2, 2], TensorData::I64(vec![1, -20, 3, 4])), "[[  1 -20]\n [  3   4]]");
        assert_eq!(text(&[2], TensorData::Bool(vec![true, false])), "[ True False]");
        assert_eq!(text(&[2, 1, 1], TensorData::I64(vec![1, 2])), "[[[1]]\n\n [[2]]]");
        assert_eq!(text(&[1001], TensorData::I64((0..1001).collect())), "[   0    1    2 ...  998  999 1000]");
        let lines = text(&[30], TensorData::I64((0..30).collect()));
        assert_eq!(
            lines,
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]"
        );
    }
}
