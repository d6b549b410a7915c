//! Links the isl library, and says what to install where it is missing.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rustc-link-lib=isl");
    // Without pkg-config the linker looks where it always looks, and says itself that the library is missing.
    let Ok(answer) = Command::new("pkg-config").args(["--libs-only-L", "isl >= 0.24"]).output() else { return };
    if !answer.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&answer.stderr).trim());
        eprintln!(
            "Frit needs isl, the integer set library, version 0.24 or later. On Debian and Ubuntu: apt-get install libisl-dev"
        );
        std::process::exit(1);
    }
    for folder in String::from_utf8_lossy(&answer.stdout).split_whitespace().filter_map(|flag| flag.strip_prefix("-L"))
    {
        println!("cargo:rustc-link-search=native={folder}");
    }
}
