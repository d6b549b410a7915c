//! Regions from a small text form:
//!
//! ```text
//! params n m where n >= 2              // parameters, and what is known of them
//! array A[n][m] in                     // in, out, inout: live; temp: declared outside; local: in the region
//! local t                              // in a loop: every iteration has its own
//! for i in 0..n step 2 {               // `down` after the bounds for a loop from the last to the first
//!     if i >= 2 {
//!         B[i] = A[i - 1], A[i]        // a write and reads; `A[?]` for a subscript that is not affine
//!         s += A[i]                    // a reduction; `max=` for one that may be reordered exactly
//!         maybe C[i] = A[i]            // a write that may happen
//!         opaque A[?], B[?] = A[?]     // not understood
//!     }
//! }
//! ```
//!
//! Bounds, conditions and subscripts are isl's. Mistakes panic: this is for tests.

use frit_isl::{Context, Map, PwAff, Set};
use frit_scop::model::{Home, ParamData, Reduction};
use frit_scop::{Access, AccessKind, Array, ArrayData, Loop, LoopData, Node, Scop, Statement, StatementData};
use frit_support::{Index, Span, Table};

/// The region that a text describes.
pub fn scop(text: &str) -> Scop {
    let isl = Context::new();
    let scop = Scop {
        assumed: Set::parse(&isl, "{ : }").unwrap(),
        isl,
        params: Table::new(),
        arrays: Table::new(),
        loops: Table::new(),
        statements: Table::new(),
        body: Vec::new(),
    };
    let mut reader = Reader { scop, open: vec![(Opened::Region, Vec::new())] };
    for line in text.lines() {
        let line = line.split("//").next().unwrap().trim();
        if !line.is_empty() {
            reader.line(line);
        }
    }
    let (opened, body) = reader.open.pop().unwrap();
    assert!(matches!(opened, Opened::Region) && reader.open.is_empty(), "a brace is missing");
    reader.scop.body = body;
    reader.scop
}

/// What a brace belongs to.
#[derive(Clone)]
enum Opened {
    Region,
    /// A loop: its number, the name of its variable, the values that it takes.
    Loop(Loop, String, String),
    If(String),
}

struct Reader {
    scop: Scop,
    open: Vec<(Opened, Vec<Node>)>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "params" => self.params(rest),
            "array" | "local" => self.array(rest, word == "local"),
            "for" => self.open_loop(rest),
            "if" => {
                let cond = self.resolve(rest.trim_end_matches('{'));
                self.open.push((Opened::If(cond), Vec::new()));
            }
            "}" => {
                let (opened, body) = self.open.pop().unwrap();
                let outer = &mut self.open.last_mut().expect("a brace too many").1;
                match opened {
                    Opened::Loop(of, ..) => outer.push(Node::Loop(of, body)),
                    _ => outer.extend(body),
                }
            }
            _ => self.statement(line),
        }
    }

    fn params(&mut self, text: &str) {
        let (names, assumed) = text.split_once("where").unwrap_or((text, ""));
        for name in names.split_whitespace() {
            self.scop.params.push(ParamData { name: name.to_string() });
        }
        let text = format!("{}{{ : {} }}", self.prefix(), self.resolve(assumed));
        self.scop.assumed = Set::parse(&self.scop.isl, &text).unwrap();
    }

    /// `[p0, p1] -> `, which aligns the parameters of all sets.
    fn prefix(&self) -> String {
        let params: Vec<String> = self.scop.params.indices().map(|param| param.to_string()).collect();
        format!("[{}] -> ", params.join(", "))
    }

    fn loops(&self) -> impl Iterator<Item = (Loop, &str, &str)> {
        self.open.iter().filter_map(|(opened, _)| match opened {
            Opened::Loop(of, name, values) => Some((*of, name.as_str(), values.as_str())),
            _ => None,
        })
    }

    /// Names of parameters and variables as isl's sets have them.
    fn resolve(&self, text: &str) -> String {
        let name = |word: &str| {
            if let Some(at) = self.loops().map(|(_, name, _)| name).collect::<Vec<_>>().iter().rposition(|n| *n == word)
            {
                return format!("i{at}");
            }
            let param = self.scop.params.iter().find(|(_, data)| data.name == word);
            param.map_or(word.to_string(), |(param, _)| param.to_string())
        };
        let mut resolved = String::new();
        let mut word = String::new();
        for letter in text.chars().chain([' ']) {
            if letter.is_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            // A number before a name is a factor: `2i`.
            let digits = word.len() - word.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
            resolved.push_str(&word[..digits]);
            resolved.push_str(&name(&word[digits..]));
            word.clear();
            resolved.push(letter);
        }
        resolved.trim().to_string()
    }

    fn array(&mut self, text: &str, is_local: bool) {
        let (place, mode) = text.rsplit_once(' ').unwrap_or((text, "local"));
        let (place, mode) = if is_local { (text, "local") } else { (place, mode) };
        let (name, extents) = split_place(place);
        let parse = |extent: &String| {
            let text = format!("{}{{ [{}] }}", self.prefix(), self.resolve(extent));
            (extent != "?").then(|| PwAff::parse(&self.scop.isl, &text).unwrap())
        };
        let home = match (mode, self.loops().last()) {
            ("local", Some((of, ..))) => Home::Body(of),
            ("local", None) => Home::Region,
            _ => Home::Outside,
        };
        let data = ArrayData {
            name: name.to_string(),
            elem_bytes: 4,
            extents: extents.iter().map(parse).collect(),
            is_live_in: matches!(mode, "in" | "inout"),
            is_live_out: matches!(mode, "out" | "inout"),
            home,
            origin: Array::new(self.scop.arrays.len()),
            expanded: 0,
            span: Span::NONE,
        };
        assert!(matches!(mode, "in" | "out" | "inout" | "temp" | "local"), "no mode of an array: {mode}");
        self.scop.arrays.push(data);
    }

    /// `i in 0..n step 2 down {`
    fn open_loop(&mut self, text: &str) {
        let text = text.trim_end_matches('{').trim();
        let (text, is_reversed) = text.strip_suffix("down").map_or((text, false), |text| (text.trim(), true));
        let (text, step) = text.split_once(" step ").unwrap_or((text, "1"));
        let (name, range) = text.split_once(" in ").expect("`for i in 0..n {`");
        let (lower, upper) = range.split_once("..").expect("`for i in 0..n {`");
        let (lower, upper) = (self.resolve(lower), self.resolve(upper));
        let depth = self.loops().count();
        let first = if is_reversed { format!("{upper} - 1 - i{depth}") } else { format!("i{depth} - ({lower})") };
        let stride = if step == "1" { String::new() } else { format!(" and ({first}) mod {step} = 0") };
        let values = format!("{lower} <= i{depth} < {upper}{stride}");
        let of = self.scop.loops.push(LoopData { name: name.trim().to_string(), is_reversed, span: Span::NONE });
        self.open.push((Opened::Loop(of, name.trim().to_string(), values), Vec::new()));
    }

    fn statement(&mut self, text: &str) {
        let (text, is_maybe) = text.strip_prefix("maybe ").map_or((text, false), |text| (text, true));
        let (text, is_opaque) = text.strip_prefix("opaque ").map_or((text, false), |text| (text, true));
        let (left, right) = text.split_once('=').expect("`write = read, read`");
        let reduction = ["+", "max"].into_iter().find(|op| left.trim_end().ends_with(op));
        let left = left.trim_end().trim_end_matches(reduction.unwrap_or("=")).trim();
        let statement = Statement::new(self.scop.statements.len());
        let mut accesses: Vec<Access> = Vec::new();
        if reduction.is_some() {
            accesses.push(self.access(statement, left, AccessKind::Read));
        }
        for read in places(right).filter(|read| read.starts_with(char::is_alphabetic)) {
            accesses.push(self.access(statement, read, AccessKind::Read));
        }
        let kind = if is_maybe { AccessKind::MayWrite } else { AccessKind::Write };
        let write = accesses.len();
        for place in places(left) {
            let kind = if place.contains('?') { AccessKind::MayWrite } else { kind };
            accesses.push(self.access(statement, place, kind));
        }
        let loops: Vec<Loop> = self.loops().map(|(of, ..)| of).collect();
        let conditions = self.open.iter().filter_map(|(opened, _)| match opened {
            Opened::Region => None,
            Opened::Loop(_, _, text) | Opened::If(text) => Some(format!("({text})")),
        });
        let conditions: Vec<String> = conditions.collect();
        let text = format!("{}{{ {} : {} }}", self.prefix(), tuple(statement, loops.len()), conditions.join(" and "));
        let domain = Set::parse(&self.scop.isl, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let data = StatementData {
            loops,
            domain: domain.intersect_params(&self.scop.assumed).unwrap(),
            accesses,
            reduction: reduction.map(|op| Reduction { read: 0, write, is_exact: op == "max" }),
            opaque: is_opaque.then(|| "opaque".to_string()),
            work: 1,
            span: Span::NONE,
        };
        self.scop.statements.push(data);
        self.open.last_mut().unwrap().1.push(Node::Statement(statement));
    }

    fn access(&self, statement: Statement, place: &str, kind: AccessKind) -> Access {
        let (name, subscripts) = split_place(place);
        // The last of the name: inner declarations hide outer ones.
        let (array, data) =
            self.scop.arrays.iter().rfind(|(_, data)| data.name == name).unwrap_or_else(|| panic!("no array {name}"));
        assert_eq!(subscripts.len(), data.extents.len(), "dimensions of {name}");
        let mut holes = Vec::new();
        let subscripts: Vec<String> = subscripts
            .iter()
            .enumerate()
            .map(|(at, subscript)| {
                if subscript != "?" {
                    return self.resolve(subscript);
                }
                holes.push(format!("0 <= x{at}"));
                if let Some(extent) = &data.extents[at] {
                    // `[p0] -> { [(p0)] }`
                    let text = extent.to_string();
                    let value = text.split_once("[(").and_then(|(_, text)| text.split_once(")]"));
                    holes.push(format!("x{at} < {}", value.expect("an extent of one piece").0));
                }
                format!("x{at}")
            })
            .collect();
        let depth = self.loops().count();
        let text = format!(
            "{}{{ {} -> {array}[{}] : {} }}",
            self.prefix(),
            tuple(statement, depth),
            subscripts.join(", "),
            holes.join(" and ")
        );
        let relation = Map::parse(&self.scop.isl, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
        Access { array, kind, relation, is_exact: holes.is_empty() }
    }
}

/// `S3[i0, i1]`
fn tuple(statement: Statement, depth: usize) -> String {
    let variables: Vec<String> = (0..depth).map(|at| format!("i{at}")).collect();
    format!("{statement}[{}]", variables.join(", "))
}

/// The name and the subscripts of `A[i][j]`.
fn split_place(place: &str) -> (&str, Vec<String>) {
    let place = place.trim();
    let Some((name, subscripts)) = place.split_once('[') else { return (place, Vec::new()) };
    let subscripts = subscripts.strip_suffix(']').expect("`]`").split("][");
    (name.trim(), subscripts.map(str::to_string).collect())
}

/// What commas outside of brackets separate.
fn places(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let places = text.split(move |letter: char| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    places.map(str::trim).filter(|place| !place.is_empty())
}
