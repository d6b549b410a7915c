//! Places as the protocol has them: lines and UTF-16 units from 0; and paths as it has them: URIs.

use lsp_types::{Position, Range, Uri};
use std::str::FromStr;

/// A text and where its lines begin.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    lines: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, lines }
    }

    /// The place of a byte.
    pub(crate) fn position(&self, byte: usize) -> Position {
        let byte = byte.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= byte) - 1;
        let before = self.text.get(self.lines[line]..byte).unwrap_or("");
        Position::new(line as u32, before.encode_utf16().count() as u32)
    }

    pub(crate) fn range(&self, bytes: &std::ops::Range<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// The byte at a place; places behind the end of a line are its end.
    pub(crate) fn byte(&self, position: Position) -> usize {
        let Some(&start) = self.lines.get(position.line as usize) else { return self.text.len() };
        let line = self.text[start..].split('\n').next().unwrap_or("");
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + line.len()
    }

    /// The range of a line, by its number from 1, without its indentation.
    pub(crate) fn line(&self, number: usize) -> Range {
        let start = self.lines.get(number.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let line = self.text[start..].split('\n').next().unwrap_or("");
        let indent = line.len() - line.trim_start().len();
        self.range(&(start + indent..start + line.len()))
    }
}

/// The path of a file; the URI itself for anything that is no file.
pub(crate) fn path(uri: &Uri) -> String {
    let Some(path) = uri.as_str().strip_prefix("file://") else { return uri.as_str().to_string() };
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let ahead = rest.clone();
        let digits: Vec<u8> = ahead.take(2).collect();
        let code = std::str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(|_| byte == b'%' && digits.len() == 2) {
            Some(code) => {
                bytes.push(code);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The URI of a file.
pub(crate) fn uri(path: &str) -> Option<Uri> {
    let absolute = std::path::absolute(path).ok()?;
    let mut text = "file://".to_string();
    for byte in absolute.to_str()?.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02X}");
        }
    }
    Uri::from_str(&text).ok()
}
