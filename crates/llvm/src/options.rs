//! What the user may choose. The same names serve the command and the plugin.

/// Which legal fusions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuse {
    /// All of them.
    Always,
    /// Those that the cost model expects to pay.
    Profitable,
}

/// How dependences between accesses are found; the counterpart of LLVM's `-loop-fusion-dependence-analysis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// The exact test on integer sets.
    Exact,
    /// LLVM's dependence analysis: whether there is one at all.
    Da,
    /// Addresses with the same step only.
    Scev,
    /// Exact, and where that fails LLVM's.
    All,
}

/// The options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which legal fusions are made.
    pub fuse: Fuse,
    /// How many iterations a loop may be shifted against another one, at most: LLVM's `-loop-fusion-peel-max-count`.
    pub peel_max_count: i64,
    /// How dependences are found.
    pub analysis: Analysis,
    /// Check at run time whether memory overlaps, where the compiler cannot tell.
    pub runtime_checks: bool,
    /// Forward stores to loads in fused loops, and remove arrays that only they use.
    pub contract: bool,
    /// No code may grow: set for functions that are optimised for their size.
    pub(crate) small: bool,
    /// How many parts, loops and what is between them, are planned together, about.
    pub region_size: usize,
    /// Stop after so many fusions.
    pub limit: Option<usize>,
    /// Write the decision log here, as JSON.
    pub log: Option<String>,
    /// A line for every function on standard error.
    pub verbose: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            fuse: Fuse::Profitable,
            peel_max_count: 32,
            analysis: Analysis::Exact,
            runtime_checks: true,
            contract: true,
            small: false,
            region_size: 80,
            limit: None,
            log: None,
            verbose: false,
        }
    }
}

impl Options {
    /// Sets the option of this name, as `frit-fuse`.
    ///
    /// # Errors
    ///
    /// There is no such option, or the value is none of it: says what is expected.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &str| Err(format!("-{name}: expected {expected}, found `{value}`"));
        let on_off = || match value {
            "on" | "true" | "1" => Some(true),
            "off" | "false" | "0" => Some(false),
            _ => None,
        };
        match name {
            "frit-fuse" => match value {
                "always" => self.fuse = Fuse::Always,
                "profitable" => self.fuse = Fuse::Profitable,
                _ => return wrong("`always` or `profitable`"),
            },
            "frit-fuse-peel-max-count" => match value.parse() {
                Ok(count) if count >= 0 => self.peel_max_count = count,
                _ => return wrong("a number of iterations"),
            },
            "frit-fuse-dependence-analysis" => match value {
                "exact" => self.analysis = Analysis::Exact,
                "da" => self.analysis = Analysis::Da,
                "scev" => self.analysis = Analysis::Scev,
                "all" => self.analysis = Analysis::All,
                _ => return wrong("`exact`, `da`, `scev` or `all`"),
            },
            "frit-fuse-runtime-checks" => match on_off() {
                Some(on) => self.runtime_checks = on,
                None => return wrong("`on` or `off`"),
            },
            "frit-fuse-contract" => match on_off() {
                Some(on) => self.contract = on,
                None => return wrong("`on` or `off`"),
            },
            "frit-fuse-region-size" => match value.parse() {
                Ok(size) if size >= 2 => self.region_size = size,
                _ => return wrong("a number of loops, 2 or more"),
            },
            "frit-fuse-limit" => match value.parse() {
                Ok(limit) => self.limit = Some(limit),
                Err(_) => return wrong("a number of fusions"),
            },
            "frit-fuse-log" => self.log = Some(value.to_string()),
            "frit-fuse-verbose" => match on_off() {
                Some(on) => self.verbose = on,
                None => return wrong("`on` or `off`"),
            },
            _ => return Err(format!("no option is called -{name}")),
        }
        Ok(())
    }
}
