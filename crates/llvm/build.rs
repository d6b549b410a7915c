//! Compiles the C++ shim against LLVM 19, and says what to install where that is missing.

use std::env;
use std::process::{Command, exit};

/// What `llvm-config` answers.
fn llvm_config(question: &str) -> Option<String> {
    let prefix = env::var("LLVM_SYS_191_PREFIX").map(|prefix| format!("{prefix}/bin/llvm-config")).ok();
    let names = prefix.into_iter().chain(["llvm-config-19", "llvm-config"].map(String::from));
    names.into_iter().find_map(|name| {
        let version = Command::new(&name).arg("--version").output().ok()?;
        if !String::from_utf8_lossy(&version.stdout).starts_with("19.") {
            return None;
        }
        let output = Command::new(&name).arg(question).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    })
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let Some(flags) = llvm_config("--cxxflags") else {
        eprintln!("frit-llvm needs LLVM 19. On Debian and Ubuntu: apt-get install llvm-19-dev");
        exit(1);
    };
    let mut build = cc::Build::new();
    build.cpp(true).warnings(false).flag_if_supported("-fno-rtti").flag_if_supported("-Wno-unused-parameter");
    for flag in flags.split_whitespace() {
        match flag.strip_prefix("-I") {
            // System headers: their warnings are not ours.
            Some(folder) => build.flag("-isystem").flag(folder),
            None => build.flag(flag),
        };
    }
    build.file("shim/shim.cpp");
    build.compile("frit_llvm_shim");
}
