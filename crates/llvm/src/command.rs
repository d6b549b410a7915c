//! The command `frit-llvm`: like `opt`, for one pass.

use crate::ir::Func;
use crate::plugin::{fuse_function, with_session};
use crate::report;
use crate::sys;
use clap::Parser;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef};
use std::ffi::{CStr, CString, OsString, c_char};
use std::path::PathBuf;
use std::process::ExitCode;
use std::ptr;

/// Fuse loops of LLVM IR.
///
/// Options may be written with one dash, as LLVM's are, or with two. Exit codes: 0 success, 1 the output could not be written,
/// 2 wrong usage, 3 the input is wrong, 4 Frit itself is wrong.
#[derive(Parser)]
#[command(name = "frit-llvm", version, max_term_width = 100)]
struct Arguments {
    /// LLVM IR, as text (`.ll`) or bitcode (`.bc`); `-` for standard input
    input: PathBuf,
    /// Where the result goes; standard output if there is no such option
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Write text, not bitcode
    #[arg(short = 'S')]
    text: bool,
    /// Which legal fusions are made: those that are expected to pay, or all
    #[arg(long, value_name = "always|profitable")]
    frit_fuse: Option<String>,
    /// How many iterations a loop may be shifted against another one, at most [default: 32]
    #[arg(long, value_name = "N")]
    frit_fuse_peel_max_count: Option<String>,
    /// How dependences are found; all but `exact` are there for comparison
    #[arg(long, value_name = "exact|da|scev|all")]
    frit_fuse_dependence_analysis: Option<String>,
    /// Check at run time whether memory overlaps, where the compiler cannot tell [default: on]
    #[arg(long, value_name = "on|off")]
    frit_fuse_runtime_checks: Option<String>,
    /// Forward stores to loads in fused loops, and remove arrays that only they use [default: on]
    #[arg(long, value_name = "on|off")]
    frit_fuse_contract: Option<String>,
    /// How many loops, with what is between them, are planned together, about; more takes longer [default: 80]
    #[arg(long, value_name = "N")]
    frit_fuse_region_size: Option<String>,
    /// Stop after so many fusions
    #[arg(long, value_name = "N")]
    frit_fuse_limit: Option<String>,
    /// Write what was decided, and why, as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print remarks on standard error
    #[arg(long)]
    remarks: bool,
    /// Write remarks as YAML
    #[arg(long, value_name = "FILE")]
    pass_remarks_output: Option<PathBuf>,
    /// Print a line `FUSED <function> <number of fusions>` for every function, and the time of the pass, on standard error
    #[arg(short)]
    verbose: bool,
}

/// What went wrong, with the exit code.
struct Failure(u8, String);

/// Runs the command with the words of its command line, of which the first is its name.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    // LLVM's options have one dash.
    let arguments = words.into_iter().map(|argument| match argument.to_str() {
        Some(text) if text.starts_with("-frit") || text.starts_with("-pass") => format!("-{text}").into(),
        _ => argument,
    });
    let arguments = Arguments::parse_from(arguments);
    let input = arguments.input.display().to_string();
    let result = std::panic::catch_unwind(|| frit_support::with_deep_stack(move || fuse(&arguments)));
    let bug = |_| Err(Failure(4, format!("this is a bug of Frit's; {input} shows it, and nothing was written")));
    match result.unwrap_or_else(bug) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(code, message)) => {
            eprintln!("error: {message}");
            ExitCode::from(code)
        }
    }
}

/// A message of LLVM's, which is released.
fn message(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM gives a string that is ours to release.
    unsafe {
        let owned = CStr::from_ptr(text).to_string_lossy().trim().to_string();
        LLVMDisposeMessage(text);
        owned
    }
}

fn fuse(arguments: &Arguments) -> Result<(), Failure> {
    let is_output = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if is_output(&arguments.log) && (is_output(&arguments.output) || arguments.output.is_none() && arguments.text) {
        let message = "log and module cannot both go to standard output: name a file with `-o`, or after `--log`";
        return Err(Failure(2, message.into()));
    }
    let values = [
        ("frit-fuse", &arguments.frit_fuse),
        ("frit-fuse-peel-max-count", &arguments.frit_fuse_peel_max_count),
        ("frit-fuse-dependence-analysis", &arguments.frit_fuse_dependence_analysis),
        ("frit-fuse-runtime-checks", &arguments.frit_fuse_runtime_checks),
        ("frit-fuse-contract", &arguments.frit_fuse_contract),
        ("frit-fuse-region-size", &arguments.frit_fuse_region_size),
        ("frit-fuse-limit", &arguments.frit_fuse_limit),
    ];
    with_session(|session| {
        session.options.verbose = arguments.verbose;
        for (name, value) in values {
            if let Some(value) = value {
                session.options.set(name, value).map_err(|message| Failure(2, message))?;
            }
        }
        Ok(())
    })?;
    // SAFETY: everything made here is released here, in the opposite order.
    unsafe {
        let context = LLVMContextCreate();
        let result = transform(context, arguments);
        LLVMContextDispose(context);
        result
    }
}

unsafe fn transform(context: LLVMContextRef, arguments: &Arguments) -> Result<(), Failure> {
    let module = unsafe { read(context, arguments)? };
    let mut remarks = ptr::null_mut();
    unsafe {
        if arguments.remarks {
            sys::frit_show_remarks(context);
        }
        if let Some(path) = &arguments.pass_remarks_output {
            let name = CString::new(path.to_string_lossy().as_bytes()).unwrap_or_default();
            let wrong = message(sys::frit_remarks_to(context, name.as_ptr(), &mut remarks));
            if !wrong.is_empty() {
                return Err(Failure(1, format!("{}: {wrong}", path.display())));
            }
        }
        let mut functions = Vec::new();
        let mut next = LLVMGetFirstFunction(module);
        while !next.is_null() {
            if LLVMIsDeclaration(next) == 0 {
                functions.push(Func(next));
            }
            next = LLVMGetNextFunction(next);
        }
        let log = with_session(|session| {
            for func in functions {
                let emitter = sys::frit_emitter_new(func.0);
                let changed = fuse_function(session, func, emitter);
                sys::frit_emitter_free(emitter);
                assert!(!changed || func.is_well_formed(), "`{}` is well-formed after fusion", func.name());
            }
            if session.options.verbose {
                eprintln!("frit-loop-fusion: {:.3} ms in all", session.time.as_secs_f64() * 1e3);
            }
            report::log(&session.reports)
        });
        if arguments.pass_remarks_output.is_some() {
            sys::frit_remarks_keep(context, remarks);
        }
        let log_to_output = arguments.log.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if log_to_output {
            println!("{log:#}");
        } else if let Some(path) = &arguments.log {
            std::fs::write(path, format!("{log:#}\n"))
                .map_err(|error| Failure(1, format!("{}: {error}", path.display())))?;
        }
        let result = match (&arguments.output, log_to_output) {
            (None, true) => Ok(()),
            _ => write(module, arguments),
        };
        LLVMDisposeModule(module);
        result
    }
}

/// What LLVM's reader calls instead of reporting an error.
extern "C" fn is_wrong_input(reason: *const c_char) {
    // SAFETY: LLVM gives a string of C.
    let reason = unsafe { CStr::from_ptr(reason).to_string_lossy() };
    eprintln!("error: the input is no valid LLVM IR: {reason}");
    std::process::exit(3);
}

unsafe fn read(context: LLVMContextRef, arguments: &Arguments) -> Result<LLVMModuleRef, Failure> {
    let shown = arguments.input.display();
    unsafe {
        let mut buffer: LLVMMemoryBufferRef = ptr::null_mut();
        let mut wrong = ptr::null_mut();
        let failed = if arguments.input.as_os_str() == "-" {
            LLVMCreateMemoryBufferWithSTDIN(&mut buffer, &mut wrong)
        } else {
            let name = CString::new(arguments.input.to_string_lossy().as_bytes()).unwrap_or_default();
            LLVMCreateMemoryBufferWithContentsOfFile(name.as_ptr(), &mut buffer, &mut wrong)
        };
        if failed != 0 {
            return Err(Failure(3, format!("{shown}: {}", message(wrong))));
        }
        let mut module = ptr::null_mut();
        // Wrong debug information is fatal to LLVM's reader.
        llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(is_wrong_input));
        let failed = llvm_sys::ir_reader::LLVMParseIRInContext(context, buffer, &mut module, &mut wrong);
        llvm_sys::error_handling::LLVMResetFatalErrorHandler();
        if failed != 0 {
            return Err(Failure(3, format!("{shown} is no LLVM IR: {}", message(wrong))));
        }
        let action = llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let mut wrong = ptr::null_mut();
        let failed = llvm_sys::analysis::LLVMVerifyModule(module, action, &mut wrong);
        let wrong = message(wrong);
        if failed != 0 {
            LLVMDisposeModule(module);
            return Err(Failure(3, format!("{shown} is no valid LLVM IR: {wrong}")));
        }
        Ok(module)
    }
}

unsafe fn write(module: LLVMModuleRef, arguments: &Arguments) -> Result<(), Failure> {
    use std::io::Write;
    unsafe {
        let bytes: Vec<u8> = if arguments.text {
            message(LLVMPrintModuleToString(module)).into_bytes().into_iter().chain([b'\n']).collect()
        } else {
            let buffer = llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer(module);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        };
        match arguments.output.as_ref().filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                std::fs::write(path, bytes).map_err(|error| Failure(1, format!("{}: {error}", path.display())))
            }
            None => match std::io::stdout().write_all(&bytes) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    Err(Failure(1, format!("standard output: {error}")))
                }
                _ => Ok(()),
            },
        }
    }
}
