//! What the first comments of a file say.

use std::collections::BTreeMap;

/// What is to become of the functions of a file, and how to call them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The number of fusions of a function under the default options.
    pub fuse: BTreeMap<String, usize>,
    /// The same where everything legal is fused, if that is another number.
    pub always: BTreeMap<String, usize>,
    /// The same under the default options after clang's optimisations, if that is another number.
    pub cooked: BTreeMap<String, usize>,
    /// The number of loads that take what was stored from a register, in functions that are fused as they are to be.
    pub forwarded: BTreeMap<String, usize>,
    /// The number of allocations that are gone in these.
    pub removed: BTreeMap<String, usize>,
    /// Functions, and codes that the log has for them.
    pub refuse: Vec<(String, String)>,
    /// How to call functions.
    pub calls: Vec<Call>,
}

/// How to call a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Where integers come from: lowest and highest, C expressions in those before.
    pub integers: Vec<(String, String, String)>,
    /// What pointers point to.
    pub pointers: BTreeMap<String, Pointer>,
    /// What all other pointers point to.
    pub buffers: Option<Pointer>,
    /// Pointers that may overlap.
    pub alias: Alias,
    /// How many calls, if that is said.
    pub runs: Option<usize>,
}

/// Which pointers may overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Alias {
    /// None.
    #[default]
    None,
    /// All of them.
    Any,
    /// These.
    Of(Vec<String>),
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The type of the elements.
    pub elem: Elem,
    /// How many there are, a C expression.
    pub count: String,
    /// The lowest and the highest integer among them.
    pub range: Option<(String, String)>,
}

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elem {
    /// Floating-point, not integer.
    pub is_float: bool,
    /// In bytes.
    pub size: usize,
}

impl Elem {
    /// The type of this name, in the words of headers or of LLVM.
    pub fn parse(name: &str) -> Option<Elem> {
        let (is_float, size) = match name {
            "i8" => (false, 1),
            "i16" => (false, 2),
            "i32" => (false, 4),
            "i64" => (false, 8),
            "f32" | "float" => (true, 4),
            "f64" | "double" => (true, 8),
            _ => return None,
        };
        Some(Elem { is_float, size })
    }
}

const KEYS: [&str; 7] = ["fuse", "always", "cooked", "forwarded", "removed", "refuse", "run"];

impl Header {
    /// Reads the first comments of a file.
    pub fn parse(source: &str) -> Result<Header, String> {
        let mut header = Header::default();
        let comment = |line: &'_ str| line.strip_prefix(';').or(line.strip_prefix("//")).map(str::to_string);
        for line in source.lines().map_while(comment) {
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim(), value.trim());
            match key {
                "fuse" => counts(value, &mut header.fuse)?,
                "always" => counts(value, &mut header.always)?,
                "cooked" => counts(value, &mut header.cooked)?,
                "forwarded" => counts(value, &mut header.forwarded)?,
                "removed" => counts(value, &mut header.removed)?,
                "refuse" => {
                    for one in value.split(',') {
                        let pair =
                            one.trim().split_once(' ').ok_or_else(|| format!("`{one}` is no function and code"))?;
                        header.refuse.push((pair.0.into(), pair.1.trim().into()));
                    }
                }
                "run" => header.calls.push(Call::parse(value)?),
                _ if KEYS.iter().any(|known| known.starts_with(key) || key.starts_with(known)) => {
                    return Err(format!("unknown key `{key}`"));
                }
                _ => {}
            }
        }
        if header.fuse.is_empty() {
            return Err("the header needs `fuse`".into());
        }
        let told = header.always.keys().chain(header.cooked.keys()).chain(header.refuse.iter().map(|(name, _)| name));
        let told = told.chain(header.forwarded.keys()).chain(header.removed.keys());
        match told.chain(header.calls.iter().map(|call| &call.function)).find(|name| !header.fuse.contains_key(*name)) {
            Some(name) => Err(format!("`fuse` does not say what is to become of `{name}`")),
            None => Ok(header),
        }
    }
}

/// The counts in `f 2, g 0`.
fn counts(text: &str, counts: &mut BTreeMap<String, usize>) -> Result<(), String> {
    for one in text.split(',') {
        let count = one.trim().split_once(' ').and_then(|(name, count)| Some((name, count.trim().parse().ok()?)));
        let (name, count) = count.ok_or_else(|| format!("`{one}` is no function and number"))?;
        counts.insert(name.to_string(), count);
    }
    Ok(())
}

impl Call {
    /// Reads what stands behind `run:`.
    pub fn parse(text: &str) -> Result<Call, String> {
        let mut words = text.split_whitespace();
        let function = words.next().ok_or("`run` names no function")?.to_string();
        let mut call = Call { function, ..Call::default() };
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| format!("`{word}` is not of the form `name=value`"))?;
            match name {
                "alias" if value == "any" => call.alias = Alias::Any,
                "alias" => call.alias = Alias::Of(value.split(',').map(str::to_string).collect()),
                "buffers" => call.buffers = Some(Pointer::parse(value)?),
                "runs" => call.runs = Some(value.parse().map_err(|_| format!("`{value}` is no number"))?),
                _ if value.contains('[') => {
                    call.pointers.insert(name.into(), Pointer::parse(value)?);
                }
                _ => {
                    let (low, high) = value.split_once("..").ok_or_else(|| format!("`{value}` is no range"))?;
                    call.integers.push((name.into(), low.into(), high.into()));
                }
            }
        }
        Ok(call)
    }
}

impl Pointer {
    fn parse(text: &str) -> Result<Pointer, String> {
        let wrong = || format!("`{text}` is not of the form `f64[n]`");
        let (elem, rest) = text.split_once('[').ok_or_else(wrong)?;
        let (count, rest) = rest.rsplit_once(']').ok_or_else(wrong)?;
        let range = match rest.strip_prefix(':') {
            None => None,
            Some(range) => Some(range.split_once("..").map(|(low, high)| (low.into(), high.into())).ok_or_else(wrong)?),
        };
        Ok(Pointer { elem: Elem::parse(elem).ok_or_else(wrong)?, count: count.into(), range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let text = "; Two loops: one.\n; fuse: f 2, g 0\n; always: g 1\n; refuse: g no-reuse\n; removed: f 1\n\
            ; run: f a=f64[n*m+1] idx=i32[n]:0..n-1 n=0..7 m=n..n+1 alias=a,idx runs=9\n\ndefine\n; fuse: h 7\n";
        let header = Header::parse(text).unwrap();
        assert_eq!(header.fuse, BTreeMap::from([("f".into(), 2), ("g".into(), 0)]));
        assert_eq!(header.always, BTreeMap::from([("g".into(), 1)]));
        assert_eq!(header.removed, BTreeMap::from([("f".into(), 1)]));
        assert_eq!(header.refuse, [("g".to_string(), "no-reuse".to_string())]);
        let [call] = &header.calls[..] else { panic!("{:?}", header.calls) };
        assert_eq!(call.integers[1], ("m".to_string(), "n".to_string(), "n+1".to_string()));
        assert_eq!(call.pointers["a"].count, "n*m+1");
        assert_eq!(call.pointers["idx"].range, Some(("0".to_string(), "n-1".to_string())));
        assert_eq!(call.alias, Alias::Of(vec!["a".into(), "idx".into()]));
        assert_eq!(call.runs, Some(9));
    }

    #[test]
    fn mistakes_in_headers_are_told() {
        let error = |text: &str| Header::parse(text).unwrap_err();
        assert!(error("; Nothing.\n").contains("needs `fuse`"));
        assert!(error("; fuses: f 1\n").contains("unknown key"));
        assert!(error("; fuse: f\n").contains("no function and number"));
        assert!(error("; fuse: f 1\n; run: g n=0..1\n").contains("become of `g`"));
        assert!(error("; fuse: f 1\n; forwarded: g 2\n").contains("become of `g`"));
        assert!(error("; fuse: f 1\n; run: f a=f80[4]\n").contains("f64[n]"));
    }
}
