//! C files are bytes: what is not UTF-8 in them, as a name in Latin-1 in a comment, comes out as it went in.
//!
//! In a text such a byte is a character of a range for private use. Bytes that are such a character already are taken for single bytes too, so
//! nothing is lost.

/// The characters that stand for the bytes from 0 on.
const FIRST: u32 = 0x10_FF00;

/// The text of a file.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let single = |byte: &u8| char::from_u32(FIRST + u32::from(*byte)).expect("the range has characters only");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if u32::from(c) < FIRST {
                text.push(c);
            } else {
                text.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(single));
            }
        }
        text.extend(chunk.invalid().iter().map(single));
    }
    text
}

/// The bytes of a text that [`decode`] gave, or that was made from one.
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> =
            (0..=255).chain("\u{feff} é \u{10ffe9} \u{10ff00}".bytes()).chain([0xe9, b' ', 0xc3]).collect();
        assert_eq!(encode(&decode(&all)), all);
    }

    #[test]
    fn text_stays_text() {
        let text = "\u{feff}/* é */ int x;\r\n";
        assert_eq!(decode(text.as_bytes()), text);
    }
}
