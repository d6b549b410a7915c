//! Compiled objects on disk, named by a hash of everything that they were made from.
//!
//! Processes share the directory without locks: an entry is written beside its place and renamed into it, so that no one sees
//! half of one. Its last bytes are a checksum, which loaders ignore, so that a damaged entry is found and made again. Entries
//! unused for longest go first when the directory outgrows its limit.

use super::{NativeError, file_error};
use std::fs::{self, File};
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Bytes that the directory may hold unless a cache is given another limit.
pub const DEFAULT_LIMIT: u64 = 256 << 20;
/// What leads the checksum at the end of an entry.
const MAGIC: &[u8; 8] = b"fritsum1";
/// Extension of the files of notes.
const NOTE: &str = "note";
/// Age from which on a file that is not yet an entry was left behind by a process that died.
const STALE: Duration = Duration::from_secs(3600);

/// A directory of compiled objects.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
    /// The directory goes with the cache.
    is_temporary: bool,
}

/// A hash of 128 bits, the same in every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64, u64);

impl Key {
    /// The key of these parts. Where one ends and the next begins matters.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut writer = KeyWriter::default();
        for part in parts {
            for hasher in &mut writer.0 {
                hasher.write_usize(part.len());
                hasher.write(part);
            }
        }
        writer.key()
    }
}

/// Makes a key of text as it is written.
pub struct KeyWriter([std::hash::DefaultHasher; 2]);

impl Default for KeyWriter {
    fn default() -> Self {
        // Two streams of the standard library's keyless hash, told apart by their first byte.
        let mut hashers = [std::hash::DefaultHasher::new(), std::hash::DefaultHasher::new()];
        hashers[0].write_u8(0);
        hashers[1].write_u8(1);
        Self(hashers)
    }
}

impl KeyWriter {
    /// The key of all that was written.
    pub fn key(&self) -> Key {
        let [first, second] = &self.0;
        Key(first.finish(), second.finish())
    }
}

impl std::fmt::Write for KeyWriter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for hasher in &mut self.0 {
            hasher.write(text.as_bytes());
        }
        Ok(())
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

impl Cache {
    /// Where the user's cache is, if there is a place for it: `$FRIT_CACHE`, `$XDG_CACHE_HOME/frit` or `~/.cache/frit`, the first that is
    /// set. It need not exist.
    pub fn directory_of_user() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        variable("FRIT_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|path| path.join("frit")))
            .or_else(|| variable("HOME").map(|path| path.join(".cache/frit")))
    }

    /// The user's cache; if it cannot be written, a directory of this process.
    pub fn of_user() -> Result<Self, NativeError> {
        match Self::directory_of_user().map(|directory| Self::at(directory, DEFAULT_LIMIT)) {
            Some(Ok(cache)) => Ok(cache),
            Some(Err(_)) | None => Self::temporary(),
        }
    }

    /// The cache in this directory, which is made if it is missing.
    pub fn at(directory: impl Into<PathBuf>, limit: u64) -> Result<Self, NativeError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(|error| file_error(&directory, "make", &error))?;
        // Compilers run with another working directory.
        let directory = fs::canonicalize(&directory).map_err(|error| file_error(&directory, "find", &error))?;
        let cache = Self { directory, limit, is_temporary: false };
        let probe = cache.scratch("probe");
        File::create(&probe).map_err(|error| file_error(&probe, "write", &error))?;
        let _ = fs::remove_file(&probe); // It is stale soon.
        Ok(cache)
    }

    /// A cache in a new directory that no one else can write, removed with the cache.
    pub fn temporary() -> Result<Self, NativeError> {
        let directory = std::env::temp_dir().join(format!("frit-{}-{}", std::process::id(), unique()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&directory).map_err(|error| file_error(&directory, "make", &error))?;
        Ok(Self { directory, limit: DEFAULT_LIMIT, is_temporary: true })
    }

    /// Where the entries are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The directory goes with the cache.
    pub fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    /// A path for a file in the making, which nobody else uses.
    pub fn scratch(&self, extension: &str) -> PathBuf {
        self.directory.join(format!("making-{}-{}.{extension}", std::process::id(), unique()))
    }

    /// The place of an entry.
    fn place(&self, key: Key) -> PathBuf {
        self.directory.join(format!("{key}.so"))
    }

    /// The place of a note.
    fn place_of_note(&self, key: Key) -> PathBuf {
        self.directory.join(format!("{key}.{NOTE}"))
    }

    /// The entry, if it is there and sound. It counts as used now.
    pub fn find(&self, key: Key) -> Option<PathBuf> {
        self.find_named(&format!("{key}.so"))
    }

    /// The entry whose file has this name, if it is there and sound. It counts as used now.
    pub fn find_named(&self, name: &str) -> Option<PathBuf> {
        let path = self.directory.join(name);
        let bytes = fs::read(&path).ok()?;
        let (content, checksum) = bytes.split_at_checked(bytes.len().checked_sub(MAGIC.len() + 32)?)?;
        if checksum != footer(content) {
            // Someone else may have renamed a sound one here meanwhile; then it is only made once more.
            let _ = fs::remove_file(&path);
            return None;
        }
        use_now(&path);
        Some(path)
    }

    /// A note: a small text about an entry, kept beside it. It counts as used now.
    pub fn find_note(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.place_of_note(key);
        let text = fs::read(&path).ok()?;
        use_now(&path);
        Some(text)
    }

    /// Keeps a note, if the directory can be written.
    pub fn insert_note(&self, key: Key, text: &[u8]) {
        let making = self.scratch(NOTE);
        let _ = fs::write(&making, text).and_then(|()| fs::rename(&making, self.place_of_note(key)));
    }

    /// Makes the finished file `made`, in the cache's directory, the entry, and evicts others if they are too many.
    pub fn insert(&self, key: Key, made: &Path) -> Result<PathBuf, NativeError> {
        let path = self.place(key);
        let content = fs::read(made).map_err(|error| file_error(made, "read", &error))?;
        let finish = || -> std::io::Result<()> {
            File::options().append(true).open(made)?.write_all(&footer(&content))?;
            fs::rename(made, &path)
        };
        finish().map_err(|error| file_error(&path, "write", &error))?;
        self.evict(&path);
        Ok(path)
    }

    /// Removes the entries unused for longest, but not `newest`, until the rest is within the limit. What cannot be removed
    /// stays: the cache works nonetheless.
    fn evict(&self, newest: &Path) {
        let Ok(directory) = fs::read_dir(&self.directory) else { return };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for entry in directory.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with("making-") {
                if now.duration_since(used).is_ok_and(|age| age > STALE) {
                    let _ = fs::remove_file(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "so" || extension == NOTE) {
                entries.push((used, path, metadata.len()));
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, path, bytes) in entries.iter().filter(|(_, path, _)| path != newest) {
            if total <= self.limit {
                break;
            }
            let _ = fs::remove_file(path);
            total -= bytes;
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

/// Notes that a file was used. A cache that cannot be written still serves; its order of eviction does not matter then.
fn use_now(path: &Path) {
    // Not opened for writing: an entry that is a program could not be started meanwhile.
    let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// What the file of an entry with this content ends with.
fn footer(content: &[u8]) -> Vec<u8> {
    let mut footer = MAGIC.to_vec();
    footer.extend(Key::of([content]).to_string().bytes());
    footer
}

/// A number that is new in this process, and unlikely to have been another's with the same process id.
fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{now:x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
