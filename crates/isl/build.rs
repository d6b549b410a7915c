//! Links the isl library, and says what to install where it is missing.

use std::env;
use std::process::{Command, exit};

/// What a command that succeeds prints.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rustc-link-lib=isl");
    if let Some(flags) = answer("pkg-config", &["--libs-only-L", "isl"]) {
        for folder in flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")) {
            println!("cargo:rustc-link-search=native={folder}");
        }
        return;
    }
    // Without pkg-config: does the linker find it where it always looks? Then the compiler answers with a path.
    let cc = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let is_path =
        |library: &str| answer(&cc, &[&format!("-print-file-name={library}")]).is_some_and(|path| path.contains('/'));
    if !is_path("libisl.so") && !is_path("libisl.a") {
        eprintln!("Frit needs isl, the integer set library. On Debian and Ubuntu: apt-get install libisl-dev");
        exit(1);
    }
}
