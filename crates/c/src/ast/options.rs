//! How a file is compiled.

/// The options of a compiler that decide what a C file means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// The file's path; headers in quotes are looked for beside it. Empty for a text that is no file.
    pub path: String,
    /// Options as a compiler takes them: `-I`, `-D`, `-U`, `-include`, `-std=` and others.
    pub flags: Vec<String>,
}
