//! What the tests of native code share: a cache for all of them, and comparison with the interpreter.

#![allow(dead_code)] // each test file uses some of it

use frit_back::c::{self, CSource};
use frit_driver::native::{Arg, Cache, Compiler, Library, NativeError, compiler::Optimisation};
use frit_interp::RunError;
use frit_ir::nest::{Program, parse::parse_program};
use frit_ir::{Const, Tensor, TensorData};
use frit_support::{SourceMap, with_deep_stack};
use std::sync::LazyLock;

static CACHE: LazyLock<Cache> = LazyLock::new(|| {
    let directory = std::env::temp_dir().join("frit-test-cache");
    Cache::at(directory, 64 << 20).expect("the temporary directory can be written")
});

/// Parses a program of the loop IR.
pub(crate) fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|error| panic!("{error:?}"))
}

pub(crate) fn int(value: i64) -> Tensor {
    Tensor::scalar(Const::i64(value))
}

pub(crate) fn i64s(shape: &[usize], elements: &[i64]) -> Tensor {
    Tensor::new(shape.to_vec(), TensorData::I64(elements.to_vec())).unwrap()
}

pub(crate) fn f64s(shape: &[usize], elements: &[f64]) -> Tensor {
    Tensor::new(shape.to_vec(), TensorData::F64(elements.to_vec())).unwrap()
}

/// The C of a program.
pub(crate) fn c_of(program: &Program, strict_fp: bool) -> CSource {
    let options = c::Options { name: "test".into(), strict_fp, ..c::Options::default() };
    with_deep_stack(|| c::print(program, &SourceMap::new(), &options))
}

/// A program compiled and loaded.
pub(crate) struct Native {
    pub(crate) library: Library,
}

impl Native {
    pub(crate) fn new(program: &Program, strict_fp: bool) -> Self {
        Self::of_source(&c_of(program, strict_fp), Optimisation::Native)
    }

    pub(crate) fn of_source(source: &CSource, optimisation: Optimisation) -> Self {
        let compiler = Compiler::find().unwrap();
        let object = compiler.compile(source, optimisation, &CACHE).unwrap_or_else(|error| panic!("{error}"));
        Self { library: Library::load(&object.path, &source.entry).unwrap() }
    }

    pub(crate) fn call(&self, args: &[Tensor], threads: usize) -> Result<Vec<Tensor>, NativeError> {
        let args: Vec<Arg<'_>> = args.iter().map(Arg::tensor).collect();
        let run = self.library.call(&args, threads)?;
        assert_eq!(run.leaked, 0, "buffers were neither released nor returned");
        Ok(run.results.iter().map(|result| result.to_tensor()).collect())
    }
}

/// Asserts that native code, on one thread and on several, strict and not, gives what the interpreter gives.
pub(crate) fn assert_agree(program: &Program, args: &[Tensor]) {
    for strict_fp in [true, false] {
        let native = Native::new(program, strict_fp);
        for threads in [1usize, 2, 3] {
            let options = frit_interp::Options { threads: threads as i64, ..frit_interp::Options::default() };
            let entry = program.entry.unwrap();
            let expected = with_deep_stack(|| frit_interp::nest::run(program, entry, args.to_vec(), &options));
            match (native.call(args, threads), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{threads} threads"),
                (Err(NativeError::Failed { kind, args, span: _ }), Err(RunError::Failed(failure))) => {
                    assert_eq!((kind, args), (failure.kind, failure.args), "{threads} threads");
                }
                (found, expected) => panic!("{threads} threads: native {found:?}, interpreted {expected:?}"),
            }
        }
    }
}

/// The error of a run that must fail.
pub(crate) fn native_error(program: &Program, args: &[Tensor], threads: usize) -> NativeError {
    Native::new(program, false).call(args, threads).unwrap_err()
}
