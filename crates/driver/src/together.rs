//! Many programs, compiled in one run of the C compiler: for a small program that takes most of its time to start and to read
//! headers.

use crate::compile::{Compiled, compile, compiler_for, generate, native, native_bug, optimisation};
use crate::error::Error;
use crate::native::{Cache, Compiler, Object};
use crate::options::Options;
use crate::pipeline::{Pipeline, Timing};
use crate::source::Unit;
use frit_back::c::{CSource, Linked};
use frit_lower::CopyMade;
use std::collections::BTreeMap;

/// A program as C.
struct Printed<'u> {
    unit: &'u Unit,
    options: Options,
    code: CSource,
    timings: Vec<Timing>,
    copies: Vec<CopyMade>,
}

/// Compiles programs as [`compile`] does, but the native code of many at once. Each result is in the place of its program.
pub fn compile_all(programs: &[(&Unit, &Options)]) -> Vec<Result<Compiled, Error>> {
    let mut printed = Vec::new();
    let ready: Vec<_> = programs.iter().map(|&(unit, options)| prepare(unit, options, &mut printed)).collect();
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, Printed { code, options, .. }) in printed.iter().enumerate() {
        let region_work = code.linked.as_ref().map(Linked::region_work);
        groups.entry((optimisation(options.level, code), &code.flags, region_work)).or_default().push(at);
    }
    let mut objects: Vec<Option<Object>> = vec![None; printed.len()];
    for ((optimisation, ..), members) in groups {
        let codes: Vec<&CSource> = members.iter().map(|&at| &printed[at].code).collect();
        let object = Compiler::find()
            .and_then(|compiler| compiler.compile_together(&codes, optimisation, &Cache::of_user()?))
            .ok();
        members.into_iter().for_each(|at| objects[at].clone_from(&object));
    }
    let finish = |(ready, &(unit, options)): (Result<Ready, Error>, &(&Unit, &Options))| match ready? {
        Ready::Compiled(compiled) => Ok(*compiled),
        Ready::Printed(at) => {
            // What cannot be compiled with others may go by itself, or tells why it does not.
            let Some(object) = &objects[at] else { return compile(unit, options) };
            let Printed { code, timings, copies, .. } = &printed[at];
            let compiler = Compiler::find().map_err(native_bug)?;
            native(&compiler, &object.path, &code.entry, object.is_cached, timings.clone(), copies.clone(), options)
        }
    };
    ready.into_iter().zip(programs).map(finish).collect()
}

/// A program before the C compiler runs.
enum Ready {
    /// It needs none.
    Compiled(Box<Compiled>),
    /// The place of its C.
    Printed(usize),
}

/// Takes a program to where the C compiler runs.
fn prepare<'u>(unit: &'u Unit, options: &Options, printed: &mut Vec<Printed<'u>>) -> Result<Ready, Error> {
    // It is linked with what no other program is.
    if unit.calls_c() {
        return Ok(Ready::Compiled(Box::new(compile(unit, options)?)));
    }
    if let Err(compiled) = compiler_for(unit, options)? {
        return Ok(Ready::Compiled(Box::new(compiled)));
    }
    // Neither makes a difference to its code.
    let options = Options { threads: 1, input: None, ..options.clone() };
    if let Some(at) = printed.iter().position(|other| std::ptr::eq(other.unit, unit) && other.options == options) {
        return Ok(Ready::Printed(at));
    }
    let mut pipeline = Pipeline::new(unit, &options);
    pipeline.name = format!("program{}", printed.len());
    pipeline.among_others = true;
    let program = pipeline.optimise(None)?;
    let code = generate(&mut pipeline, &program)?;
    let (timings, copies) = (pipeline.timings, pipeline.copies);
    printed.push(Printed { unit, options, code, timings, copies });
    Ok(Ready::Printed(printed.len() - 1))
}
