//! Files that appear whole, and all of them or none: each is written beside its place, and when the last is finished all are
//! moved there.

use crate::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Files in the making. Those not [moved](Self::appear) to their places are removed.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    files: Vec<Output>,
}

#[derive(Debug)]
struct Output {
    /// What the user called it.
    name: PathBuf,
    place: PathBuf,
    partial: PathBuf,
}

impl Outputs {
    /// Begins a file; where to write it. That it can be written is found here, before any work is done for it.
    ///
    /// # Errors
    ///
    /// The directory is missing or cannot be written; something other than a file is there.
    pub(crate) fn begin(&mut self, name: &Path) -> Result<PathBuf, Error> {
        // A link goes on pointing to the file; a device or a folder must not be replaced by one.
        let place = fs::canonicalize(name).unwrap_or_else(|_| name.to_path_buf());
        if fs::metadata(&place).is_ok_and(|metadata| !metadata.is_file()) {
            let what = if place.is_dir() { "is a directory" } else { "is not a regular file" };
            return Err(Error::file(name, what));
        }
        if self.files.iter().any(|other| other.place == place) {
            return Err(Error::usage(format!("two outputs are to go to `{}`", name.display())));
        }
        let mut partial = place.file_name().unwrap_or_default().to_os_string();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = place.with_file_name(partial);
        File::create(&partial).map_err(|error| Error::file(name, error))?;
        self.files.push(Output { name: name.to_path_buf(), place, partial: partial.clone() });
        Ok(partial)
    }

    /// Moves all files to their places; their names.
    pub(crate) fn appear(mut self) -> Result<Vec<PathBuf>, Error> {
        let mut names = Vec::new();
        while !self.files.is_empty() {
            let Output { name, place, partial } = &self.files[0];
            fs::rename(partial, place).map_err(|error| Error::file(name, error))?;
            names.push(self.files.remove(0).name);
        }
        Ok(names)
    }
}

/// Writes text files: all of them whole, or none.
///
/// # Errors
///
/// A file cannot be written, or two are the same.
pub fn write_texts(files: &[(&Path, impl AsRef<[u8]>)]) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    for (path, text) in files {
        let partial = outputs.begin(path)?;
        fs::write(partial, text).map_err(|error| Error::file(path, error))?;
    }
    outputs.appear().map(drop)
}

/// Writes a text file, which appears whole or not at all.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_text(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Error> {
    write_texts(&[(path, text)])
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for file in &self.files {
            // An error already says what went wrong; the partial file must only not stay.
            let _ = fs::remove_file(&file.partial);
        }
    }
}
