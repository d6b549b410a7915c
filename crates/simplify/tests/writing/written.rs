//! What programs write.

use frit_interp::{Options as Limits, RunError, array::run_writing};
use frit_ir::Tensor;
use frit_ir::array::Program;

/// What a run writes, if it succeeds and stays within limits.
pub(crate) fn text(program: &Program, inputs: &[Tensor]) -> Option<String> {
    let limits = Limits { memory: 1 << 24, fuel: Some(400_000), ..Limits::default() };
    let mut text = String::new();
    let entry = program.entry.expect("the program has an entry");
    match run_writing(program, entry, inputs.to_vec(), &limits, &mut |piece| text += piece) {
        Ok(_) => Some(text),
        Err(RunError::Broken(message)) => panic!("{message}\n{program}"),
        Err(_) => None,
    }
}
