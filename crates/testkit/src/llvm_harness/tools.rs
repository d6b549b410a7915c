//! Runs `frit-llvm`, clang and LLVM's tools.

use super::header::Header;
use super::module::Module;
use crate::place::built;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How C becomes LLVM IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cooking {
    /// Loops are not rotated; only variables are values instead of memory.
    Raw,
    /// After clang's optimisations, without those that follow loop fusion.
    Cooked,
}

/// What `frit-llvm` made of a module.
#[derive(Clone, Debug, Default)]
pub struct Fused {
    /// The module, as text.
    pub text: String,
    /// Functions and how many fusions they had.
    pub counts: BTreeMap<String, usize>,
    /// Functions and how many loads take what was stored from a register.
    pub forwarded: BTreeMap<String, usize>,
    /// Functions and how many allocations are gone.
    pub removed: BTreeMap<String, usize>,
    /// Functions and the codes of decisions about them that are not merges.
    pub codes: Vec<(String, String)>,
    /// Functions of which something would be right, but does not pay.
    pub not_chosen: Vec<String>,
    /// The log as it is.
    pub log: String,
}

/// The command `frit-llvm`: what the variable `FRIT_LLVM` names, or what was built.
pub fn frit_llvm() -> PathBuf {
    std::env::var_os("FRIT_LLVM").map_or_else(|| built("frit-llvm"), PathBuf::from)
}

/// The plugin of clang and opt.
pub fn plugin() -> PathBuf {
    std::env::var_os("FRIT_LLVM_PLUGIN").map_or_else(|| built("libfrit_llvm.so"), PathBuf::from)
}

/// Commands take seconds; after this number of seconds one hangs.
const HANGING: &str = "600";

/// Runs a command; what it writes, or what it has to say.
pub fn run(command: &mut Command) -> Result<(String, String), String> {
    let mut limited = Command::new("timeout");
    limited.args(["-k", "1", HANGING]).arg(command.get_program()).args(command.get_args());
    let output = limited.output().map_err(|error| format!("timeout: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (written, said) = (text(&output.stdout), text(&output.stderr));
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lines = || said.lines().chain(written.lines().take(10)).take(30).collect::<Vec<_>>().join("\n");
    match output.status.code() {
        Some(0) => Ok((written, said)),
        Some(124 | 137) => Err(format!("{name} hangs")),
        Some(code) => Err(format!("{name} ends with {code}:\n{}", lines())),
        None => Err(format!("{name} crashes ({}):\n{}", output.status, lines())),
    }
}

/// LLVM's own verifier has nothing against a module.
pub fn verify(path: &Path) -> Result<(), String> {
    run(Command::new("opt-19").args(["-passes=verify", "-disable-output"]).arg(path)).map(|_| ())
}

/// Makes LLVM IR of a C file, or takes the IR that a file is. Functions keep the names of their parameters.
pub fn compile(path: &Path, cooking: Cooking, to: &Path) -> Result<(), String> {
    if path.extension().is_some_and(|extension| extension == "ll") {
        // What the tools print, so that functions that are left can be compared as text.
        return run(Command::new("opt-19").args(["-passes=verify", "-S"]).arg(path).arg("-o").arg(to)).map(|_| ());
    }
    let mut clang = Command::new("clang-19");
    clang.args([
        "-fPIC",
        "-ffp-contract=off",
        "-fno-discard-value-names",
        "-w",
        "-gline-tables-only",
        "-S",
        "-emit-llvm",
    ]);
    match cooking {
        Cooking::Raw => clang.args(["-O0", "-Xclang", "-disable-O0-optnone"]),
        Cooking::Cooked => clang.args(["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]),
    };
    run(clang.arg(path).arg("-o").arg(to))?;
    if cooking == Cooking::Raw {
        run(Command::new("opt-19").args(["-passes=sroa", "-S"]).arg(to).arg("-o").arg(to))?;
    }
    Ok(())
}

/// Makes a shared object of a module, or with clang of a C file.
pub fn build_shared(module: &Path, optimise: bool, to: &Path) -> Result<(), String> {
    let object = to.with_extension("o");
    if optimise {
        let flags = ["-O2", "-fPIC", "-ffp-contract=off", "-w", "-c"];
        run(Command::new("clang-19").args(flags).arg(module).arg("-o").arg(&object))?;
    } else {
        let flags = ["-O0", "-filetype=obj", "-relocation-model=pic", "-fp-contract=off"];
        run(Command::new("llc-19").args(flags).arg(module).arg("-o").arg(&object))?;
    }
    run(Command::new("ld").args(["-shared", "-Bsymbolic", "-z", "noexecstack"]).arg(&object).arg("-o").arg(to))?;
    Ok(())
}

/// Fuses a module; the result stands in `to`. That it is valid is seen when [`build_shared`] compiles it: `llc` verifies what it reads.
pub fn fuse(module: &Path, options: &[&str], to: &Path) -> Result<Fused, String> {
    let log = to.with_extension("json");
    let mut command = Command::new(frit_llvm());
    command.arg(module).args(["-S", "-v"]).args(options).arg("--log").arg(&log).arg("-o").arg(to);
    let (_, said) = run(&mut command).map_err(|error| format!("{options:?}: {error}"))?;
    let mut fused = Fused {
        text: std::fs::read_to_string(to).map_err(|error| error.to_string())?,
        log: std::fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?,
        ..Fused::default()
    };
    for line in said.lines() {
        if let [name, count] = line.strip_prefix("FUSED ").unwrap_or_default().split(' ').collect::<Vec<_>>()[..] {
            fused.counts.insert(name.into(), count.parse().map_err(|_| format!("`{line}` has no number"))?);
        }
    }
    let json: serde_json::Value = serde_json::from_str(&fused.log).map_err(|error| format!("the log: {error}"))?;
    let list = |key: &str| json[key].as_array().cloned().unwrap_or_default();
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    for decision in list("decisions") {
        if decision["outcome"] != "merged" {
            fused.codes.push((word(&decision["function"]), word(&decision["code"])));
        }
        if decision["outcome"] == "not-chosen" {
            fused.not_chosen.push(word(&decision["function"]));
        }
    }
    for function in list("functions") {
        let number = |key: &str| function[key].as_u64().unwrap_or(u64::MAX) as usize;
        let (name, count) = (word(&function["name"]), number("fusions"));
        fused.forwarded.insert(name.clone(), number("forwarded"));
        fused.removed.insert(name.clone(), number("removed"));
        if fused.counts.get(&name) != Some(&count) {
            return Err(format!("the log has {count} fusions of {name}, the summary {:?}", fused.counts.get(&name)));
        }
    }
    Ok(fused)
}

impl Fused {
    /// What the header says otherwise; `before` is what the command was given.
    pub fn failures(&self, header: &Header, before: &str, is_always: bool, cooking: Cooking) -> Vec<String> {
        let mut failures = Vec::new();
        let (before, after) = (Module::parse(before), Module::parse(&self.text));
        for (name, &count) in &header.fuse {
            let mut wanted = count;
            if is_always {
                wanted = header.always.get(name).copied().unwrap_or(wanted);
            }
            if cooking == Cooking::Cooked {
                wanted = header.cooked.get(name).copied().unwrap_or(wanted);
            }
            let how = if is_always { " with everything fused" } else { "" };
            // Whether what is right pays as well is the pass's to say, unless the header has a number for that.
            let is_free = !is_always && !header.always.contains_key(name) && self.not_chosen.contains(name);
            match self.counts.get(name) {
                Some(&found) if found == wanted || found < wanted && is_free => {}
                found => {
                    let why: Vec<&str> =
                        self.codes.iter().filter(|(of, _)| of == name).map(|(_, code)| code.as_str()).collect();
                    let found = found.map_or("no number of".to_string(), usize::to_string);
                    failures.push(format!("{name} has {found} fusions instead of {wanted}{how} {why:?}"));
                }
            }
            let kinds =
                [("loads", &header.forwarded, &self.forwarded), ("allocations", &header.removed, &self.removed)];
            for (what, all_wanted, found) in kinds.into_iter().filter(|_| self.counts.get(name) == Some(&wanted)) {
                if let Some(wanted) = all_wanted.get(name)
                    && found.get(name) != Some(wanted)
                {
                    let found = found.get(name).copied().unwrap_or_default();
                    failures.push(format!("{name} has {found} {what} less instead of {wanted}{how}"));
                }
            }
            let [old, new] = [&before, &after].map(|module| module.function(name).map(|function| &function.text));
            let unplaced = |text: &String| {
                let accesses = text.lines().filter(|line| line.starts_with("  store ") || line.contains(" = load "));
                accesses.filter(|line| !line.contains("!dbg")).count()
            };
            if old.is_some_and(|old| unplaced(old) == 0) && new.is_some_and(|new| unplaced(new) > 0) {
                failures.push(format!("{name}: accesses to memory have lost their places in the source{how}"));
            }
            if self.counts.get(name) == Some(&0) && old != new {
                failures.push(format!("{name} has no fusion{how}, but its text has changed"));
            }
        }
        if !is_always {
            for (name, code) in &header.refuse {
                let of = self.codes.iter().filter(|(of, _)| of == name);
                let found: Vec<&str> = of.map(|(_, code)| code.as_str()).collect();
                if !code.split('|').any(|code| found.contains(&code)) {
                    failures.push(format!("{name}: the log does not say {code}, but {found:?}"));
                }
            }
        }
        failures
    }
}
