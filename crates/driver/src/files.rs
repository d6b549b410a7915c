//! Arguments and results in files: which words of the command line name files, and in which form a file is.

use crate::csv::{self, Table};
use crate::error::Error;
use crate::npy::{self, Array, Content, NpyError};
use crate::output::Outputs;
use frit_front::l0::text::Digits;
use frit_ir::{Scalar, Tensor};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// An argument in a file.
pub(crate) enum Given {
    /// A `.npy` file.
    Npy(Content),
    /// A `.csv` file.
    Csv(Table),
    /// Text, as an argument of the command line is.
    Text(String),
}

impl Given {
    /// The array, for a parameter of this element type and rank, if that is known.
    ///
    /// # Errors
    ///
    /// A sentence: the elements do not fit.
    pub(crate) fn array(self, elem: Scalar, rank: Option<usize>) -> Result<Tensor, String> {
        match self {
            Given::Npy(Content { is_complex: true, tensor, .. }) => {
                Err(NpyError::UnsupportedType(format!("c{}", 2 * tensor.elem().bytes())).to_string())
            }
            Given::Npy(Content { tensor, .. }) => npy::convert(tensor, elem).map_err(|unfit| unfit.to_string()),
            Given::Csv(table) => table.array(elem, rank.unwrap_or_else(|| table.rank())),
            Given::Text(_) => unreachable!("a text is read as the parameter's value"),
        }
    }
}

/// The form that a name tells.
fn form(name: &Path) -> Option<&str> {
    name.extension().and_then(|extension| extension.to_str()).filter(|form| ["npy", "csv"].contains(form))
}

/// Whether a word names a file by how it ends.
pub(crate) fn is_named_file(word: &str) -> bool {
    form(Path::new(word)).is_some()
}

/// Whether a word that is no value names a file: by how it ends, or as there is one, perhaps a pipe.
pub(crate) fn is_file(word: &str) -> bool {
    is_named_file(word) || std::fs::metadata(word).is_ok_and(|metadata| !metadata.is_dir())
}

/// Reads a file. One that is neither called `.npy` nor `.csv` is what it begins like.
///
/// # Errors
///
/// A sentence: why it cannot be read.
pub(crate) fn read(word: &str) -> Result<Given, String> {
    let path = Path::new(word);
    match form(path) {
        Some("npy") => npy::read_content(path).map(Given::Npy).map_err(|error| error.to_string()),
        Some(_) => {
            let file = File::open(path).map_err(|error| error.to_string())?;
            Table::read(file).map(Given::Csv)
        }
        None => {
            let mut bytes = Vec::new();
            let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
            read.map_err(|error| error.to_string())?;
            if bytes.starts_with(npy::MAGIC) {
                let length = Some(bytes.len() as u64);
                return npy::read_from(&bytes[..], length).map(Given::Npy).map_err(|error| error.to_string());
            }
            String::from_utf8(bytes).map(Given::Text).map_err(|_| "is no .npy file, and not UTF-8 text".into())
        }
    }
}

/// Reads an array as the file has it, and tells whether its elements are complex: then the tensor has an axis more, of their two parts.
///
/// # Errors
///
/// The file cannot be read, or holds no array.
pub fn load(path: &Path) -> Result<(Tensor, bool), Error> {
    let array = match read(&path.display().to_string()) {
        Ok(Given::Npy(Content { tensor, is_complex, .. })) => Ok((tensor, is_complex)),
        Ok(Given::Csv(table)) => table.array(table.elem(), table.rank()).map(|tensor| (tensor, false)),
        Ok(Given::Text(_)) => Err("arrays are read from .npy and .csv files".into()),
        Err(why) => Err(why),
    };
    array.map_err(|why| Error::file(path, why))
}

/// Writes arrays to files, which all appear whole or not at all: `.csv` if they are called so, else `.npy`. `-` is standard
/// output; it, devices and pipes are written when the files are there.
///
/// # Errors
///
/// A file cannot be written, or is named twice.
pub fn write<A: Array>(files: &[(&Path, &A)], digits: Digits) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    let mut streams = Vec::new();
    let mut begun = Vec::new();
    for (path, array) in files {
        if is_stream(path) {
            if streams.iter().any(|(other, _)| other == path) {
                return Err(Error::usage(format!("two outputs are to go to `{}`", path.display())));
            }
            streams.push((*path, *array));
        } else {
            begun.push((outputs.begin(path)?, *path, *array));
        }
    }
    let mut texts = Vec::new();
    for (path, array) in streams {
        let mut bytes = Vec::new();
        write_to(&mut bytes, path, array, digits)?;
        texts.push((path, bytes));
    }
    for (partial, path, array) in begun {
        let file = File::create(&partial).map_err(|error| Error::file(path, error))?;
        write_to(file, path, array, digits)?;
    }
    outputs.appear()?;
    for (path, bytes) in texts {
        let written = if path == Path::new("-") {
            std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush())
        } else {
            File::options().write(true).open(path).and_then(|mut file| file.write_all(&bytes))
        };
        match written {
            // The reader has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.map_err(|error| Error::file(path, error))?,
        }
    }
    Ok(())
}

/// Standard output, a device or a pipe: it does not appear, and nothing is moved to its place.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
        || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
        || (path.starts_with("/dev") && path.exists() && !path.is_dir())
}

fn write_to<A: Array>(file: impl Write, path: &Path, array: &A, digits: Digits) -> Result<(), Error> {
    let written = match form(path) {
        Some("csv") => csv::write(file, array, digits),
        _ => npy::write_to(file, array).map_err(|error| error.to_string()),
    };
    written.map_err(|error| Error::file(path, error))
}
