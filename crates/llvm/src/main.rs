//! The command `frit-llvm`.

fn main() -> std::process::ExitCode {
    frit_llvm::command::run(std::env::args_os())
}
