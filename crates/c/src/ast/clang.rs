//! libclang, loaded when it is needed: a small safe wrapper. Everything unsafe of this crate is here.
//!
//! Cursors and types are handles into a [`Unit`]; they must not outlive it, which is why only `convert` sees them, within one function.

#![allow(non_upper_case_globals)] // names of libclang's constants

use super::options::CompileOptions;
use clang_sys::*;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

/// The name of a file that declares what nothing else does.
const PRELUDE: &str = "/frit-undeclared.h";
/// Statements and brackets in more others are not read.
const MOST_NESTED: usize = 1000;
/// As many bytes before a definition are looked at.
const LINES: usize = 400;
/// What is said where the library is missing.
const MISSING: &str = "C files are read with libclang, version 17 or later, which is not found: install it (Debian and Ubuntu: `apt-get install libclang1-19 libclang-common-19-dev`), or say with the environment variable `LIBCLANG_PATH` where it is";

/// Makes the library known to this thread.
fn load() -> Result<(), String> {
    static LIBRARY: OnceLock<Result<Arc<SharedLibrary>, String>> = OnceLock::new();
    if is_loaded() {
        return Ok(());
    }
    let library = LIBRARY.get_or_init(|| {
        let newest = std::env::var_os("LIBCLANG_PATH").is_none().then(newest_directory).flatten();
        if let Some(directory) = newest {
            // SAFETY: no other thread is in this crate's code here, and the variable is only read by the search for the library.
            unsafe { std::env::set_var("LIBCLANG_PATH", directory) };
        }
        // The compiler recurses over what it reads: on the stack of who calls it, which is deep, not on one of its own.
        // SAFETY: as above.
        unsafe { std::env::set_var("LIBCLANG_NOTHREADS", "1") };
        load_manually().map(Arc::new).map_err(|why| format!("{MISSING} ({why})"))
    });
    set_library(Some(library.clone()?));
    if !clang_getCursorBinaryOperatorKind::is_loaded() {
        set_library(None);
        return Err(format!("{MISSING} (an older version is there)"));
    }
    Ok(())
}

/// Where Debian has the newest version.
fn newest_directory() -> Option<std::path::PathBuf> {
    let version = |path: &std::path::Path| path.file_name()?.to_str()?.strip_prefix("llvm-")?.parse::<u32>().ok();
    let holds = |path: &std::path::Path| {
        std::fs::read_dir(path.join("lib")).is_ok_and(|files| {
            files.flatten().any(|file| {
                let name = file.file_name();
                // Not libclang-cpp, which is another library.
                let version = name.to_str().and_then(|name| name.strip_prefix("libclang-"));
                version.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(".so"))
            })
        })
    };
    let directories = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let found = directories.filter_map(|path| Some((version(&path)?, path))).filter(|(_, path)| holds(path));
    found.max().map(|(_, path)| path.join("lib"))
}

/// A message of the compiler.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) text: String,
    /// Where in the file that is read, or else in which file and line.
    pub(crate) place: Result<Range<usize>, String>,
}

/// A file that the compiler has read.
pub(crate) struct Unit {
    index: CXIndex,
    unit: CXTranslationUnit,
    main: CXFile,
    /// The macros that flags define, with what they stand for.
    pub(super) defined: BTreeMap<String, String>,
}

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: both were made by `parse` and are given back once.
        unsafe {
            clang_disposeTranslationUnit(self.unit);
            clang_disposeIndex(self.index);
        }
    }
}

/// The options that decide what the text means.
fn arguments(options: &CompileOptions, has_prelude: bool) -> Vec<String> {
    let always = ["-xc", "-Wno-everything", "-fno-spell-checking", "-ferror-limit=50"];
    let unused = ["-Wunused-variable", "-Wunused-but-set-variable", "-Wunused-parameter", "-Wunused-label"];
    let mut all: Vec<String> = always.into_iter().chain(unused).map(String::from).collect();
    if has_prelude {
        all.extend(["-include".to_string(), PRELUDE.to_string()]);
    }
    let mut flags = options.flags.iter();
    while let Some(flag) = flags.next() {
        let takes_value =
            ["-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot"];
        let is_plain = ["-std=", "-m", "-target", "--target", "-ffreestanding", "-fno-builtin", "-nostdinc", "-ansi"];
        let matters = [
            "-funsigned-char",
            "-fsigned-char",
            "-fshort-enums",
            "-ffast-math",
            "-fms-extensions",
            "-fgnu89-inline",
            "-pthread",
            "-include",
        ];
        if takes_value.contains(&flag.as_str()) {
            all.push(flag.clone());
            all.extend(flags.next().cloned());
        } else if flag == "-o" || flag == "-MF" || flag == "-MT" || flag == "-MQ" || flag == "-x" {
            flags.next();
        } else if flag == "-fopenmp" {
            all.push("-D_OPENMP=201511".to_string());
        } else if takes_value.iter().chain(&is_plain).any(|start| flag.starts_with(start))
            || matters.contains(&flag.as_str())
        {
            all.push(flag.clone());
        }
    }
    all
}

/// Whether so many things are in each other that the compiler might run out of stack.
fn is_too_deep(text: &str) -> bool {
    let blank = crate::write::lexical::blanked(text);
    let (mut braces, mut brackets, mut statements) = (0usize, 0usize, 0usize);
    for word in blank.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if matches!(name, "for" | "while" | "if" | "else" | "do" | "switch" | "case") {
            statements += 1;
        }
        match word.chars().next_back() {
            Some('(' | '[') => brackets += 1,
            Some(')' | ']') => brackets = brackets.saturating_sub(1),
            Some('{') => (braces, statements) = (braces + 1, 0),
            Some('}') => (braces, statements) = (braces.saturating_sub(1), 0),
            Some(';') if brackets == 0 => statements = 0,
            _ => {}
        }
        if brackets + braces + statements > MOST_NESTED {
            return true;
        }
    }
    false
}

/// The macros that flags define.
fn defined(flags: &[String]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let definition = match flag.strip_prefix("-D") {
            Some("") => flags.next().map(String::as_str),
            other => other,
        };
        if let Some(definition) = definition {
            let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
            found.insert(name.to_string(), value.to_string());
        }
    }
    found
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).expect("no byte is 0")
}

fn owned(string: CXString) -> String {
    // SAFETY: the string is one that the library made, and is given back once.
    unsafe {
        let text = clang_getCString(string);
        let text = if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() };
        clang_disposeString(string);
        text
    }
}

impl Unit {
    /// Has the compiler read a text; `prelude` is read before it.
    pub(crate) fn parse(text: &str, options: &CompileOptions, prelude: Option<&str>) -> Result<Unit, String> {
        load()?;
        if is_too_deep(text) {
            return Err("the file cannot be read: statements or brackets are nested too deeply".to_string());
        }
        let path = if options.path.is_empty() { "input.c" } else { &options.path };
        let name = c_string(path);
        let arguments: Vec<CString> =
            arguments(options, prelude.is_some()).iter().map(|argument| c_string(argument)).collect();
        let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let (contents, before) = (c_string(text), c_string(prelude.unwrap_or_default()));
        let prelude_name = c_string(PRELUDE);
        let file = |name: &CString, contents: &CString| CXUnsavedFile {
            Filename: name.as_ptr(),
            Contents: contents.as_ptr(),
            Length: contents.as_bytes().len() as _,
        };
        let mut files = [file(&name, &contents), file(&prelude_name, &before)];
        let flags = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing;
        // SAFETY: all pointers live until the call ends; what it makes is owned by the result.
        unsafe {
            let index = clang_createIndex(0, 0);
            let mut unit = null_mut();
            let code = clang_parseTranslationUnit2(
                index,
                name.as_ptr(),
                pointers.as_ptr(),
                pointers.len() as i32,
                files.as_mut_ptr(),
                if prelude.is_some() { 2 } else { 1 },
                flags,
                &mut unit,
            );
            if code != CXError_Success || unit.is_null() {
                clang_disposeIndex(index);
                return Err(format!("libclang cannot read the file (code {code})"));
            }
            let main = clang_getFile(unit, name.as_ptr());
            Ok(Unit { index, unit, main, defined: defined(&options.flags) })
        }
    }

    /// The errors that the compiler has found.
    pub(crate) fn errors(&self) -> Vec<Message> {
        self.messages(|severity| severity >= CXDiagnostic_Error)
    }

    /// What the compiler says of variables, parameters and labels that have no use.
    pub(crate) fn unused(&self) -> Vec<Message> {
        self.messages(|severity| severity == CXDiagnostic_Warning)
    }

    fn messages(&self, is_wanted: impl Fn(CXDiagnosticSeverity) -> bool) -> Vec<Message> {
        let mut messages = Vec::new();
        // SAFETY: the unit lives; each diagnostic is given back once.
        unsafe {
            for at in 0..clang_getNumDiagnostics(self.unit) {
                let diagnostic = clang_getDiagnostic(self.unit, at);
                if is_wanted(clang_getDiagnosticSeverity(diagnostic)) {
                    let location = clang_getDiagnosticLocation(diagnostic);
                    let (file, line, offset) = expansion(location);
                    let place = if file == self.main && !file.is_null() {
                        Ok(offset..offset + 1)
                    } else if file.is_null() {
                        Err(String::new())
                    } else {
                        Err(format!("{}:{line}", owned(clang_getFileName(file))))
                    };
                    messages.push(Message { text: owned(clang_getDiagnosticSpelling(diagnostic)), place });
                }
                clang_disposeDiagnostic(diagnostic);
            }
        }
        messages
    }

    /// The bytes that conditions of the preprocessor leave out.
    pub(super) fn skipped(&self) -> Vec<Range<usize>> {
        // SAFETY: the list is given back after it was copied.
        unsafe {
            let list = clang_getSkippedRanges(self.unit, self.main);
            if list.is_null() {
                return Vec::new();
            }
            let ranges = (0..(*list).count as usize).map(|at| *(*list).ranges.add(at));
            let found = ranges
                .map(|range| expansion(clang_getRangeStart(range)).2..expansion(clang_getRangeEnd(range)).2)
                .collect();
            clang_disposeSourceRangeList(list);
            found
        }
    }

    /// The cursor of the whole file.
    pub(super) fn root(&self) -> Cursor {
        // SAFETY: the unit lives.
        Cursor(unsafe { clang_getTranslationUnitCursor(self.unit) })
    }

    /// Where a token begins: in the file where it is written, or where the macro is used whose definition it stands in.
    pub(super) fn file_offset(&self, location: CXSourceLocation) -> Option<usize> {
        let (mut file, mut offset) = (null_mut(), 0);
        // SAFETY: the location is one of the unit.
        unsafe { clang_getFileLocation(location, &mut file, null_mut(), null_mut(), &mut offset) };
        (file == self.main && !file.is_null()).then_some(offset as usize)
    }

    /// The text of a range that lies in one file.
    pub(super) fn text_of(&self, range: CXSourceRange) -> Option<String> {
        // SAFETY: the range is one of the unit.
        let (file, start, end) = unsafe {
            let (file, _, start) = expansion(clang_getRangeStart(range));
            let (other, _, end) = expansion(clang_getRangeEnd(range));
            if file != other {
                return None;
            }
            (file, start, end)
        };
        self.contents(file, start, end)
    }

    /// The line before the one in which a range begins.
    pub(super) fn line_before(&self, range: CXSourceRange) -> Option<String> {
        // SAFETY: the range is one of the unit.
        let (file, _, start) = unsafe { expansion(clang_getRangeStart(range)) };
        let before = self.contents(file, start.saturating_sub(LINES), start)?;
        before.lines().rev().nth(1).map(|line| line.trim().to_string())
    }

    fn contents(&self, file: CXFile, start: usize, end: usize) -> Option<String> {
        // SAFETY: the file is one of the unit; its contents live as long as that does.
        unsafe {
            if file.is_null() || end < start {
                return None;
            }
            let mut size = 0;
            let contents = clang_getFileContents(self.unit, file, &mut size);
            if contents.is_null() || end > size {
                return None;
            }
            let bytes = std::slice::from_raw_parts(contents.cast::<u8>().add(start), end - start);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// The file, line and offset that a location is at, or where the macro is used that it is in.
unsafe fn expansion(location: CXSourceLocation) -> (CXFile, u32, usize) {
    let (mut file, mut line, mut offset) = (null_mut(), 0, 0);
    // SAFETY: the caller's location is one of a living unit.
    unsafe { clang_getExpansionLocation(location, &mut file, &mut line, null_mut(), &mut offset) };
    (file, line, offset as usize)
}

/// An entity of a file.
#[derive(Clone, Copy)]
pub(super) struct Cursor(pub(super) CXCursor);

extern "C" fn collect(cursor: CXCursor, _: CXCursor, data: CXClientData) -> CXChildVisitResult {
    // SAFETY: `data` is the vector that `Cursor::children` hands over.
    unsafe { (*data.cast::<Vec<Cursor>>()).push(Cursor(cursor)) };
    CXChildVisit_Continue
}

// SAFETY of all functions: a cursor is only used while its unit lives, as the head of this file says.
impl Cursor {
    pub(super) fn kind(self) -> CXCursorKind {
        self.0.kind
    }

    /// What is directly in it.
    pub(super) fn children(self) -> Vec<Cursor> {
        let mut all: Vec<Cursor> = Vec::new();
        unsafe { clang_visitChildren(self.0, collect, (&raw mut all).cast::<c_void>()) };
        all
    }

    pub(super) fn extent(self) -> CXSourceRange {
        unsafe { clang_getCursorExtent(self.0) }
    }

    pub(super) fn location(self) -> CXSourceLocation {
        unsafe { clang_getCursorLocation(self.0) }
    }

    pub(super) fn spelling(self) -> String {
        owned(unsafe { clang_getCursorSpelling(self.0) })
    }

    pub(super) fn of(self) -> Type {
        Type(unsafe { clang_getCursorType(self.0) })
    }

    pub(super) fn referenced(self) -> Option<Cursor> {
        some(unsafe { clang_getCursorReferenced(self.0) })
    }

    pub(super) fn definition(self) -> Option<Cursor> {
        some(unsafe { clang_getCursorDefinition(self.0) })
    }

    pub(super) fn is_definition(self) -> bool {
        unsafe { clang_isCursorDefinition(self.0) != 0 }
    }

    pub(super) fn canonical(self) -> Cursor {
        Cursor(unsafe { clang_getCanonicalCursor(self.0) })
    }

    pub(super) fn semantic_parent(self) -> Cursor {
        Cursor(unsafe { clang_getCursorSemanticParent(self.0) })
    }

    /// What tells its entity from others.
    pub(super) fn key(self) -> usize {
        self.0.data[0].addr()
    }

    pub(super) fn initialiser(self) -> Option<Cursor> {
        some(unsafe { clang_Cursor_getVarDeclInitializer(self.0) })
    }

    /// It is `static`, `extern` or of one thread.
    pub(super) fn is_static(self) -> bool {
        let class = unsafe { clang_Cursor_getStorageClass(self.0) };
        matches!(class, CX_SC_Extern | CX_SC_Static) || unsafe { clang_getCursorTLSKind(self.0) } != CXTLS_None
    }

    pub(super) fn enum_value(self) -> i64 {
        unsafe { clang_getEnumConstantDeclValue(self.0) }
    }

    pub(super) fn binary_operator(self) -> String {
        owned(unsafe { clang_getBinaryOperatorKindSpelling(clang_getCursorBinaryOperatorKind(self.0)) })
    }

    pub(super) fn unary_operator(self) -> CXUnaryOperatorKind {
        unsafe { clang_getCursorUnaryOperatorKind(self.0) }
    }

    /// A member that shares a word with others.
    pub(super) fn is_bit_field(self) -> bool {
        // SAFETY: the cursor belongs to a unit that is alive.
        unsafe { clang_Cursor_isBitField(self.0) != 0 }
    }

    pub(super) fn is_macro_builtin(self) -> bool {
        unsafe { clang_Cursor_isMacroBuiltin(self.0) != 0 }
    }

    pub(super) fn is_macro_function(self) -> bool {
        unsafe { clang_Cursor_isMacroFunctionLike(self.0) != 0 }
    }

    /// The value of an integer expression, if it is constant.
    pub(super) fn integer(self) -> Option<i64> {
        unsafe {
            let result = clang_Cursor_Evaluate(self.0);
            if result.is_null() {
                return None;
            }
            let value = (clang_EvalResult_getKind(result) == CXEval_Int).then(|| {
                if clang_EvalResult_isUnsignedInt(result) != 0 {
                    i64::try_from(clang_EvalResult_getAsUnsigned(result)).ok()
                } else {
                    Some(clang_EvalResult_getAsLongLong(result))
                }
            });
            clang_EvalResult_dispose(result);
            value.flatten()
        }
    }
}

fn some(cursor: CXCursor) -> Option<Cursor> {
    (unsafe { clang_Cursor_isNull(cursor) } == 0 && cursor.kind != CXCursor_InvalidFile).then_some(Cursor(cursor))
}

/// A type.
#[derive(Clone, Copy)]
pub(super) struct Type(pub(super) CXType);

impl Type {
    pub(super) fn kind(self) -> CXTypeKind {
        self.0.kind
    }

    pub(super) fn spelling(self) -> String {
        owned(unsafe { clang_getTypeSpelling(self.0) })
    }

    pub(super) fn canonical(self) -> Type {
        Type(unsafe { clang_getCanonicalType(self.0) })
    }

    /// The type without one layer of names.
    pub(super) fn desugared(self) -> Option<Type> {
        let inner = match self.0.kind {
            CXType_Elaborated => unsafe { clang_Type_getNamedType(self.0) },
            CXType_Typedef => unsafe { clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(self.0)) },
            CXType_Attributed => unsafe { clang_Type_getModifiedType(self.0) },
            CXType_Unexposed | CXType_Auto => self.canonical().0,
            _ => return None,
        };
        (inner.kind != CXType_Invalid && inner.kind != self.0.kind || inner.data != self.0.data).then_some(Type(inner))
    }

    pub(super) fn unqualified(self) -> Type {
        Type(unsafe { clang_getUnqualifiedType(self.0) })
    }

    /// The type of a function's result.
    pub(super) fn result(self) -> Type {
        Type(unsafe { clang_getResultType(self.0) })
    }

    /// The function takes any number of arguments.
    pub(super) fn is_variadic(self) -> bool {
        unsafe { clang_isFunctionTypeVariadic(self.0) != 0 }
    }

    pub(super) fn pointee(self) -> Type {
        Type(unsafe { clang_getPointeeType(self.0) })
    }

    pub(super) fn element(self) -> Type {
        Type(unsafe { clang_getArrayElementType(self.0) })
    }

    pub(super) fn count(self) -> Option<i64> {
        let count = unsafe { clang_getArraySize(self.0) };
        (count >= 0).then_some(count)
    }

    /// Its size, if that is constant.
    pub(super) fn size(self) -> Option<u64> {
        u64::try_from(unsafe { clang_Type_getSizeOf(self.0) }).ok()
    }

    pub(super) fn is_const(self) -> bool {
        unsafe { clang_isConstQualifiedType(self.0) != 0 }
    }

    pub(super) fn is_volatile(self) -> bool {
        unsafe { clang_isVolatileQualifiedType(self.0) != 0 }
    }

    pub(super) fn is_restrict(self) -> bool {
        unsafe { clang_isRestrictQualifiedType(self.0) != 0 }
    }

    /// The type of an enumeration's numbers.
    pub(super) fn enum_integer(self) -> Type {
        Type(unsafe { clang_getEnumDeclIntegerType(clang_getTypeDeclaration(self.0)) })
    }

    /// Where a structure, a union or an enumeration is declared.
    pub(super) fn declaration(self) -> Cursor {
        // SAFETY: the type belongs to a unit that is alive.
        Cursor(unsafe { clang_getTypeDeclaration(self.0) })
    }

    pub(super) fn key(self) -> (usize, usize) {
        (self.0.data[0].addr(), self.0.kind as usize)
    }
}
