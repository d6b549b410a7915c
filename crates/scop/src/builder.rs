//! Regions built by calls, loop by loop. Bounds, conditions and subscripts are written as isl reads
//! them, with the names of the source; the sets and relations of the [`Scop`] are made of them. A
//! front end may also make those itself.

use crate::model::{
    Access, AccessKind, Array, ArrayData, Home, Loop, LoopData, Node, ParamData, Scop, Statement, StatementData,
};
use frit_isl::{Context, Map, PwAff, Result, Set};
use frit_support::{Index, Span, Table};

/// A region that is being described: what is added goes into the innermost loop or condition that
/// is open.
///
/// In texts, names of parameters and of open loops stand for their values; inner loops hide outer
/// ones of the same name.
pub struct Builder {
    scop: Scop,
    open: Vec<(Opened, Vec<Node>)>,
    /// The extents of every array, as isl reads them.
    extents: Table<Array, Vec<String>>,
}

/// What an array is to the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It holds values from before the region.
    Input,
    /// Its values are needed after the region.
    Output,
    /// Both.
    InOut,
    /// It is declared outside of the region, and its values are not needed there.
    Temporary,
    /// It is declared here: in the region, or in the innermost loop that is open, each iteration of
    /// which has its own.
    Local,
}

/// What has to be closed.
enum Opened {
    Region,
    /// A loop and the values that its variable takes.
    Loop(Loop, String),
    If(String),
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A region without anything in it.
    pub fn new() -> Builder {
        let isl = Context::new();
        let scop = Scop {
            assumed: Set::parse(&isl, "{ : }").expect("isl reads the universe"),
            isl,
            params: Table::new(),
            arrays: Table::new(),
            loops: Table::new(),
            statements: Table::new(),
            body: Vec::new(),
        };
        Builder { scop, open: vec![(Opened::Region, Vec::new())], extents: Table::new() }
    }

    /// Names the parameters, and says what is known of them, as `n >= 2`; to be called before all
    /// else.
    pub fn params(&mut self, names: &[&str], known: &str) -> Result<()> {
        self.scop.params = names.iter().map(|name| ParamData { name: name.to_string() }).collect();
        let text = format!("{}{{ : {} }}", self.prefix(), self.resolve(known));
        self.scop.assumed = Set::parse(&self.scop.isl, &text)?;
        Ok(())
    }

    /// Adds an array, or a scalar as an array without extents. An extent that is not known is `?`.
    pub fn array(&mut self, name: &str, elem_bytes: u64, extents: &[&str], role: Role) -> Result<Array> {
        let texts: Vec<String> = extents.iter().map(|extent| self.resolve(extent)).collect();
        let parse = |extent: &String| {
            let text = format!("{}{{ [{extent}] }}", self.prefix());
            (extent != "?").then(|| PwAff::parse(&self.scop.isl, &text)).transpose()
        };
        let home = match (role, self.loops().last()) {
            (Role::Local, Some((of, _))) => Home::Body(of),
            (Role::Local, None) => Home::Region,
            (Role::Input | Role::Output | Role::InOut | Role::Temporary, _) => Home::Outside,
        };
        let data = ArrayData {
            name: name.to_string(),
            elem_bytes,
            extents: texts.iter().map(parse).collect::<Result<_>>()?,
            is_live_in: matches!(role, Role::Input | Role::InOut),
            is_live_out: matches!(role, Role::Output | Role::InOut),
            home,
            origin: Array::new(self.scop.arrays.len()),
            expanded: 0,
            span: Span::NONE,
        };
        self.extents.push(texts);
        Ok(self.scop.arrays.push(data))
    }

    /// The last array of this name.
    pub fn find(&self, name: &str) -> Option<Array> {
        self.scop.arrays.iter().rfind(|(_, data)| data.name == name).map(|(array, _)| array)
    }

    /// Opens a loop over `lower <= name < upper`. It counts up from `lower` by `step`; by a
    /// negative step it counts down from `upper - 1`.
    pub fn open_loop(&mut self, name: &str, lower: &str, upper: &str, step: i64) -> Loop {
        let (lower, upper) = (self.resolve(lower), self.resolve(upper));
        let variable = format!("i{}", self.loops().count());
        let is_reversed = step < 0;
        let passed = if is_reversed { format!("{upper} - 1 - {variable}") } else { format!("{variable} - ({lower})") };
        let stride = if step.abs() == 1 { String::new() } else { format!(" and ({passed}) mod {} = 0", step.abs()) };
        let values = format!("{lower} <= {variable} < {upper}{stride}");
        let of = self.scop.loops.push(LoopData { name: name.to_string(), is_reversed, span: Span::NONE });
        self.open.push((Opened::Loop(of, values), Vec::new()));
        of
    }

    /// Opens a condition.
    pub fn open_if(&mut self, condition: &str) {
        let condition = self.resolve(condition);
        self.open.push((Opened::If(condition), Vec::new()));
    }

    /// Closes the innermost loop or condition.
    ///
    /// # Panics
    ///
    /// If none is open.
    pub fn close(&mut self) {
        let (opened, body) = self.open.pop().expect("the region is open");
        let outer = &mut self.open.last_mut().expect("a loop or a condition is open").1;
        match opened {
            Opened::Loop(of, _) => outer.push(Node::Loop(of, body)),
            Opened::Region | Opened::If(_) => outer.extend(body),
        }
    }

    /// Adds a statement that accesses these elements of arrays. A subscript that is not affine is
    /// `?`: it may be any.
    ///
    /// # Panics
    ///
    /// If an access has another number of subscripts than its array has dimensions.
    pub fn statement(&mut self, accesses: &[(Array, AccessKind, &[&str])]) -> Result<Statement> {
        let loops: Vec<Loop> = self.loops().map(|(of, _)| of).collect();
        let statement = Statement::new(self.scop.statements.len());
        let variables: Vec<String> = (0..loops.len()).map(|at| format!("i{at}")).collect();
        let instance = format!("{statement}[{}]", variables.join(", "));
        let conditions = self.open.iter().filter_map(|(opened, _)| match opened {
            Opened::Region => None,
            Opened::Loop(_, text) | Opened::If(text) => Some(format!("({text})")),
        });
        let conditions: Vec<String> = conditions.collect();
        let domain = format!("{}{{ {instance} : {} }}", self.prefix(), conditions.join(" and "));
        let domain = Set::parse(&self.scop.isl, &domain)?.intersect_params(&self.scop.assumed)?;
        let access =
            |&(array, kind, subscripts): &(Array, AccessKind, &[&str])| self.access(&instance, array, kind, subscripts);
        let accesses = accesses.iter().map(access).collect::<Result<_>>()?;
        let (reduction, opaque, work, span) = (None, None, 1, Span::NONE);
        self.scop.statements.push(StatementData { loops, domain, accesses, reduction, opaque, work, span });
        self.open.last_mut().expect("the region is open").1.push(Node::Statement(statement));
        Ok(statement)
    }

    /// A statement, to say more about it.
    pub fn statement_mut(&mut self, statement: Statement) -> &mut StatementData {
        &mut self.scop.statements[statement]
    }

    /// The region.
    ///
    /// # Panics
    ///
    /// If a loop or a condition is open.
    pub fn finish(mut self) -> Scop {
        let (opened, body) = self.open.pop().expect("the region is open");
        assert!(matches!(opened, Opened::Region), "all loops and conditions are closed");
        Scop { body, ..self.scop }
    }

    fn access(&self, instance: &str, array: Array, kind: AccessKind, subscripts: &[&str]) -> Result<Access> {
        let (extents, name) = (&self.extents[array], &self.scop.arrays[array].name);
        assert_eq!(subscripts.len(), extents.len(), "an access of `{name}` has a subscript for each dimension");
        let mut unknown = Vec::new();
        let element = subscripts.iter().zip(extents).enumerate().map(|(at, (subscript, extent))| {
            if *subscript != "?" {
                return self.resolve(subscript);
            }
            unknown.push(format!("0 <= x{at}"));
            if extent != "?" {
                unknown.push(format!("x{at} < {extent}"));
            }
            format!("x{at}")
        });
        let element = element.collect::<Vec<_>>().join(", ");
        let text = format!("{}{{ {instance} -> {array}[{element}] : {} }}", self.prefix(), unknown.join(" and "));
        Ok(Access { array, kind, relation: Map::parse(&self.scop.isl, &text)?, is_exact: unknown.is_empty() })
    }

    /// `[p0, p1] -> `, which aligns the parameters of all sets.
    fn prefix(&self) -> String {
        let params: Vec<String> = self.scop.params.indices().map(|param| param.to_string()).collect();
        format!("[{}] -> ", params.join(", "))
    }

    /// The loops that are open, outermost first, with the names of their variables.
    fn loops(&self) -> impl Iterator<Item = (Loop, &str)> {
        self.open.iter().filter_map(|(opened, _)| match opened {
            Opened::Loop(of, _) => Some((*of, self.scop.loops[*of].name.as_str())),
            Opened::Region | Opened::If(_) => None,
        })
    }

    /// A text with the names that parameters and variables have in sets.
    fn resolve(&self, text: &str) -> String {
        let name = |word: &str| {
            let at = self.loops().enumerate().filter(|(_, (_, name))| *name == word).last();
            let param = || self.scop.params.iter().find(|(_, data)| data.name == word);
            match at {
                Some((at, _)) => format!("i{at}"),
                None => param().map_or(word.to_string(), |(param, _)| param.to_string()),
            }
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
}
