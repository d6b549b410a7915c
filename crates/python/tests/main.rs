//! Runs the tests of the Python package, with the library that was built for them.
//!
//! `scripts/setup.sh --test` makes the Python that runs them: a virtual environment with NumPy and pytest.

mod random;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is where it was built")
}

/// A folder with the package as `import frit` finds it: its Python files, and the library beside this test.
fn package() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test is known");
    let built = test.ancestors().nth(2).expect("tests are in a folder of the folder of libraries");
    let package = built.join("python/frit");
    std::fs::create_dir_all(&package).expect("the folder of libraries can be written");
    let sources = std::fs::read_dir(root().join("crates/python/python/frit")).expect("the package has files");
    let files = sources.map(|entry| entry.expect("the folder can be read").path());
    let library = built.join("libfrit_python.so");
    for file in files.filter(|file| file.is_file()).chain([library]) {
        let name = match file.extension() {
            Some(extension) if extension == "so" => "_frit.abi3.so".as_ref(),
            _ => file.file_name().expect("a file has a name"),
        };
        // Under another name first: a process that has loaded the old library keeps it.
        let partial = package.join(format!("{}.new", std::process::id()));
        std::fs::copy(&file, &partial).expect("a file of the package can be copied");
        std::fs::rename(&partial, package.join(name)).expect("it goes to its place");
    }
    package.parent().expect("the package is in a folder").to_owned()
}

/// Runs `pytest` on some of the tests; true if they pass, or if there is no Python for them.
fn pytest(words: &[&str], variables: &[(&str, String)]) -> bool {
    let python = root().join("target/python/bin/python");
    if !python.is_file() {
        println!("skipped: there is no {}; scripts/setup.sh --test makes it", python.display());
        return true;
    }
    let status = Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(words)
        .current_dir(root())
        .env("PYTHONPATH", package())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .status();
    status.expect("Python can be run").success()
}

#[test]
fn the_python_package_passes_its_tests() {
    let words = ["crates/python/tests", "--ignore=crates/python/tests/test_random.py"];
    assert!(pytest(&words, &[]), "the tests of the Python package fail");
}
