//! Arrays in `.npy` files, written and read by the definition of the format, version 1.0.

/// A file: the element type as NumPy writes it, the extents, the elements' bytes.
pub(crate) fn file(descr: &str, fortran: bool, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let extents: String = shape.iter().map(|extent| format!("{extent},")).collect();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({extents}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    file
}

/// A vector of doubles.
pub(crate) fn reals(elements: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    file("<f8", false, &[elements.len()], &bytes)
}

/// A vector of 64-bit integers.
pub(crate) fn ints(elements: &[i64]) -> Vec<u8> {
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    file("<i8", false, &[elements.len()], &bytes)
}

/// The header's text and the elements' bytes of a file.
pub(crate) fn parts(file: &[u8]) -> (String, &[u8]) {
    assert_eq!(&file[..6], b"\x93NUMPY");
    let (start, length) = match file[6] {
        1 => (10, u16::from_le_bytes(file[8..10].try_into().unwrap()) as usize),
        _ => (12, u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize),
    };
    (String::from_utf8(file[start..start + length].to_vec()).unwrap(), &file[start + length..])
}

/// The elements of a file of this type.
pub(crate) fn elements<const N: usize, T>(file: &[u8], descr: &str, convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (header, bytes) = parts(file);
    assert!(header.contains(&format!("'{descr}'")), "{header}");
    assert_eq!(bytes.len() % N, 0);
    bytes.chunks(N).map(|chunk| convert(chunk.try_into().unwrap())).collect()
}
