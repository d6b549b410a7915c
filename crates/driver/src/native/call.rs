//! Loading compiled programs and calling them on arrays of this process.
//!
//! Arguments are passed where they are; a consumed one is copied unless the caller gives it away. Results stay in the memory
//! that the program allocated, and go back to it when they are dropped, to be used again by the next call.

use super::NativeError;
use crate::npy::Array;
use frit_back::c::{Entry, EntryExtent, EntryParam, EntryParamKind, Site};
use frit_ir::effect::Caller;
use frit_ir::effect::callback::Place;
use frit_ir::{Const, FailureKind, Scalar, Tensor, TensorData};
use frit_support::{Span, with_deep_stack};
use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

// The structures of `public.h`.

#[repr(C)]
struct CArgument {
    elements: *const c_void,
    shape: *const i64,
    given: i32,
}

#[repr(C)]
struct CResult {
    elements: *mut c_void,
    shape: *mut i64,
    owner: *mut c_void,
    scalar: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CReport {
    status: i32,
    kind: i32,
    site: i32,
    leaked: i32,
    numbers: [i64; 2],
    bytes: i64,
    nanoseconds: i64,
}

#[repr(C)]
struct CPlace {
    elements: *mut c_void,
    shape: *const i64,
    rank: i32,
    elem: i32,
}

type OpenFunction = unsafe extern "C" fn(c_int) -> *mut c_void;
type CloseFunction = unsafe extern "C" fn(*mut c_void);
type CallFunction = unsafe extern "C" fn(*mut c_void, *const CArgument, *mut CResult) -> c_int;
type ReleaseFunction = unsafe extern "C" fn(*mut c_void, *mut c_void);
type SinkFunction = unsafe extern "C" fn(*mut c_void, *const c_char, usize);
type WriteToFunction = unsafe extern "C" fn(*mut c_void, Option<SinkFunction>, *mut c_void);
type ReadFromFunction = unsafe extern "C" fn(*mut c_void, *const c_char, usize);
type CallerFunction = unsafe extern "C" fn(*mut c_void, i32, *const CPlace, i32, *mut u64, i32) -> c_int;
type CallByFunction = unsafe extern "C" fn(*mut c_void, Option<CallerFunction>, *mut c_void);
type AskFunction = unsafe extern "C" fn(*mut c_void, Option<AskerFunction>, *mut c_void);
type AskerFunction = unsafe extern "C" fn(*mut c_void) -> bool;
type ReportFunction = unsafe extern "C" fn(*const c_void) -> *const CReport;

/// The code of a program, as long as anything needs it.
#[derive(Debug)]
struct Code {
    open: OpenFunction,
    close: CloseFunction,
    call: CallFunction,
    release: ReleaseFunction,
    report: ReportFunction,
    write_to: WriteToFunction,
    read_from: ReadFromFunction,
    call_by: CallByFunction,
    ask: AskFunction,
    /// Last, as the functions are in it.
    _library: libloading::Library,
}

/// What a program keeps between calls: threads' memory to use again.
#[derive(Debug)]
struct Context {
    pointer: *mut c_void,
    threads: usize,
    code: Arc<Code>,
}

// SAFETY: the context is a C object without ties to a thread. One call has it at a time (see `Library::idle`), and giving results
// back is safe from any thread at any time.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was opened by this code, and results hold it: none is left.
        unsafe { (self.code.close)(self.pointer) }
    }
}

/// A loaded program.
#[derive(Debug)]
pub struct Library {
    entry: Entry,
    code: Arc<Code>,
    /// Contexts that no call has. Calls of several threads have one each.
    idle: Mutex<Vec<Arc<Context>>>,
}

/// A type of array elements.
pub trait Element: Copy + private::Sealed + 'static {
    /// Its scalar type. Characters are `u32` in memory, but none of their own here.
    const SCALAR: Scalar;
}

mod private {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($t:ty => $scalar:ident),*) => {
        $(impl private::Sealed for $t {}
        impl Element for $t {
            const SCALAR: Scalar = Scalar::$scalar;
        })*
    };
}

elements!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32, f64 => F64, bool => Bool);

/// An argument of a call.
#[derive(Debug)]
pub struct Arg<'a> {
    elem: Scalar,
    shape: &'a [usize],
    elements: *const c_void,
    /// A scalar, which `elements` does not point to.
    scalar: Option<u64>,
    given: Given,
    memory: PhantomData<&'a [u8]>,
}

/// What a program may do with the memory of an argument, where it consumes its parameter; the codes of `public.h`.
#[derive(Clone, Copy, Debug)]
enum Given {
    OnlyRead = 0,
    Overwrite = 1,
    InPlace = 2,
}

// Extents are passed as they are.
const _: () = assert!(size_of::<usize>() == size_of::<i64>());

impl<'a> Arg<'a> {
    /// A tensor, only read. One of rank 0 is a scalar.
    pub fn tensor(tensor: &'a Tensor) -> Self {
        Self::new(tensor.elem(), tensor.shape(), tensor.data().as_ptr().cast(), Given::OnlyRead)
    }

    /// A tensor that the program may overwrite where it consumes its parameter; then its elements are undefined afterwards.
    pub fn given(tensor: &'a mut Tensor) -> Self {
        let (elem, elements) = (tensor.elem(), tensor.data_mut().as_mut_ptr().cast_const().cast());
        Self::new(elem, tensor.shape(), elements, Given::Overwrite)
    }

    /// Elements in row-major order, only read; `None` if their number is not that of the shape.
    pub fn slice<T: Element>(elements: &'a [T], shape: &'a [usize]) -> Option<Self> {
        let count = shape.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent))?;
        (count == elements.len()).then(|| Self::new(T::SCALAR, shape, elements.as_ptr().cast(), Given::OnlyRead))
    }

    /// Elements in row-major order, only read.
    ///
    /// # Safety
    ///
    /// There are so many elements of this type, aligned for it, as long as the argument lives; nothing changes them meanwhile.
    pub unsafe fn at(elem: Scalar, shape: &'a [usize], elements: *const c_void) -> Self {
        Self::new(elem, shape, elements, Given::OnlyRead)
    }

    /// Elements in row-major order that the program may overwrite where it consumes its parameter. A result may be left there:
    /// then it has no owner, and its elements are where the argument's were.
    ///
    /// # Safety
    ///
    /// There are so many elements of this type, aligned for it, as long as the argument and the results of the call live; only
    /// the program reads and changes them meanwhile.
    pub unsafe fn in_place(elem: Scalar, shape: &'a [usize], elements: *mut c_void) -> Self {
        Self::new(elem, shape, elements, Given::InPlace)
    }

    /// A scalar.
    pub fn scalar(value: Const) -> Self {
        let bits = match value {
            Const::Int(_, value) => value as u64,
            Const::F32(bits) => bits.into(),
            Const::F64(bits) => bits,
            Const::Bool(value) => value.into(),
            Const::Char(code) => code.into(),
            Const::Cert => 0,
        };
        Self { scalar: Some(bits), ..Self::new(value.scalar(), &[], std::ptr::null(), Given::OnlyRead) }
    }

    fn new(elem: Scalar, shape: &'a [usize], elements: *const c_void, given: Given) -> Self {
        Self { elem, shape, elements, scalar: None, given, memory: PhantomData }
    }

    /// The extents.
    pub fn shape(&self) -> &[usize] {
        self.shape
    }

    /// A copy as a tensor.
    pub fn to_tensor(&self) -> Tensor {
        let elements = self.scalar.as_ref().map_or(self.elements, |bits| (&raw const *bits).cast());
        // SAFETY: an argument has so many elements of its type; a scalar's are in this structure.
        unsafe { tensor_of(self.elem, self.shape.to_vec(), elements) }
    }

    /// The value of a scalar of type `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        if self.elem != Scalar::I64 || !self.shape.is_empty() {
            return None;
        }
        // SAFETY: what is no immediate scalar points to elements, of which an array of rank 0 has one.
        Some(self.scalar.map_or_else(|| unsafe { *self.elements.cast::<i64>() }, |bits| bits as i64))
    }
}

// SAFETY: what it refers to is only read, or given away by one who holds it alone.
unsafe impl Send for Arg<'_> {}
// SAFETY: as above.
unsafe impl Sync for Arg<'_> {}

impl<'a> From<&'a Tensor> for Arg<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Arg::tensor(tensor)
    }
}

/// A result, in the program's memory.
#[derive(Debug)]
pub struct OwnedResult {
    elem: Scalar,
    shape: Vec<usize>,
    elements: *const c_void,
    /// The value of a scalar; little-endian, as all machines with native code so far.
    scalar: u64,
    is_scalar: bool,
    owner: *mut c_void,
    context: Arc<Context>,
}

// SAFETY: the elements are not changed any more, and giving them back is safe from any thread.
unsafe impl Send for OwnedResult {}
// SAFETY: as above.
unsafe impl Sync for OwnedResult {}

impl Drop for OwnedResult {
    fn drop(&mut self) {
        // SAFETY: the owner is this result's share of a buffer of the context, or null.
        unsafe { (self.context.code.release)(self.context.pointer, self.owner) }
    }
}

impl OwnedResult {
    /// Where the elements are, row-major.
    pub fn as_ptr(&self) -> *const c_void {
        if self.is_scalar { (&raw const self.scalar).cast() } else { self.elements }
    }

    /// What tells its memory from that of other results; null if it has none, or is where an argument was.
    pub fn owner(&self) -> *const c_void {
        self.owner
    }

    /// A copy of the elements as a tensor.
    pub fn to_tensor(&self) -> Tensor {
        // SAFETY: the program has written so many elements of the type, and changes them no more.
        unsafe { tensor_of(self.elem, self.shape.clone(), self.as_ptr()) }
    }
}

/// A copy of elements as a tensor.
///
/// # Safety
///
/// There are so many elements of this type.
unsafe fn tensor_of(elem: Scalar, shape: Vec<usize>, elements: *const c_void) -> Tensor {
    // SAFETY: by this function's contract; each arm names the type of its variant.
    unsafe fn all<T: Copy>(shape: &[usize], elements: *const c_void) -> Vec<T> {
        let count: usize = shape.iter().product();
        if count == 0 || elements.is_null() {
            return Vec::new();
        }
        unsafe { std::slice::from_raw_parts(elements.cast(), count) }.to_vec()
    }
    let data = unsafe {
        match elem {
            Scalar::I8 => TensorData::I8(all(&shape, elements)),
            Scalar::I16 => TensorData::I16(all(&shape, elements)),
            Scalar::I32 => TensorData::I32(all(&shape, elements)),
            Scalar::I64 => TensorData::I64(all(&shape, elements)),
            Scalar::U8 => TensorData::U8(all(&shape, elements)),
            Scalar::U16 => TensorData::U16(all(&shape, elements)),
            Scalar::U32 => TensorData::U32(all(&shape, elements)),
            Scalar::U64 => TensorData::U64(all(&shape, elements)),
            Scalar::F32 => TensorData::F32(all(&shape, elements)),
            Scalar::F64 => TensorData::F64(all(&shape, elements)),
            // Through bytes, so that not even a broken program makes a `bool` that is none.
            Scalar::Bool => TensorData::Bool(all::<u8>(&shape, elements).iter().map(|&byte| byte != 0).collect()),
            Scalar::Char => TensorData::Char(all(&shape, elements)),
            Scalar::Cert => TensorData::Cert(shape.iter().product()),
        }
    };
    Tensor::new(shape, data).expect("there are as many elements as the shape says")
}

impl Array for OwnedResult {
    fn elem(&self) -> Scalar {
        self.elem
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let count = self.shape.iter().product();
        let elements: &[T] = match self.as_ptr() {
            start if !is_of::<T>(self.elem) || count == 0 || start.is_null() => &[],
            // SAFETY: the program has written so many elements of that type, and changes them no more.
            start => unsafe { std::slice::from_raw_parts(start.cast(), count) },
        };
        is_of::<T>(self.elem).then_some(elements)
    }
}

impl Array for Tensor {
    fn elem(&self) -> Scalar {
        Tensor::elem(self)
    }

    fn shape(&self) -> &[usize] {
        Tensor::shape(self)
    }

    fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let (start, count) = (self.data().as_ptr().cast(), self.data().len());
        // SAFETY: the elements are so many, and of that type.
        is_of::<T>(Tensor::elem(self)).then(|| unsafe { std::slice::from_raw_parts(start, count) })
    }
}

/// Elements of this type are of that one in Rust.
fn is_of<T: Element>(elem: Scalar) -> bool {
    let same = [(Scalar::Char, Scalar::U32), (Scalar::Bool, Scalar::U8)];
    elem == T::SCALAR || same.contains(&(elem, T::SCALAR))
}

/// A call that succeeded.
#[derive(Debug)]
pub struct Run {
    /// The results in order.
    pub results: Vec<OwnedResult>,
    /// How long the program itself ran, without the passing of arguments.
    pub time: Duration,
    /// Buffers that the program forgot to release; a bug in the compiler if not 0. They are free now.
    pub leaked: usize,
}

impl Library {
    /// Loads a compiled program.
    pub fn load(path: &Path, entry: &Entry) -> Result<Self, NativeError> {
        // SAFETY: the object was made by `Compiler` from generated code, which has no initialisers.
        Self::of(unsafe { libloading::Library::new(path) }, entry)
    }

    /// As [`load`](Self::load), for a program that is linked with code of the user's.
    pub(crate) fn load_with_foreign(path: &Path, entry: &Entry) -> Result<Self, NativeError> {
        // SAFETY: its initialisers are the user's, who asks to run that code.
        Self::of(unsafe { open_with_foreign(path) }, entry)
    }

    fn of(library: Result<libloading::Library, libloading::Error>, entry: &Entry) -> Result<Self, NativeError> {
        let library = library?;
        let name = |suffix: &str| format!("{}{suffix}\0", entry.name).into_bytes();
        // SAFETY: the types are those that `public.h` and the back end's `entry` give the functions.
        let code = unsafe {
            Code {
                open: *library.get(name("_open").as_slice())?,
                close: *library.get(name("_close").as_slice())?,
                call: *library.get(name("_call").as_slice())?,
                release: *library.get(name("_release").as_slice())?,
                write_to: *library.get(name("_write_to").as_slice())?,
                read_from: *library.get(name("_read_from").as_slice())?,
                call_by: *library.get(name("_call_by").as_slice())?,
                ask: *library.get(name("_ask").as_slice())?,
                report: *library.get(name("_report").as_slice())?,
                _library: library,
            }
        };
        keep_thread_library();
        Ok(Self { entry: entry.clone(), code: Arc::new(code), idle: Mutex::new(Vec::new()) })
    }

    /// The program's interface.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Runs the program on so many threads. The arguments are one per parameter; those that are only extents of arrays may be
    /// left out, all or none. What the program writes goes to standard output.
    pub fn call(&self, args: &[Arg<'_>], threads: usize) -> Result<Run, NativeError> {
        self.call_in(args, threads, Surroundings::default())
    }

    /// Runs the program as [`call`](Self::call) does; the sink gets what it writes, also before a failure.
    /// It reads `input`, or else the standard input of the process.
    pub fn call_writing(
        &self,
        args: &[Arg<'_>],
        threads: usize,
        input: Option<&[u8]>,
        sink: &mut Sink<'_>,
    ) -> Result<Run, NativeError> {
        self.call_in(args, threads, Surroundings { input, sink: Some(sink), ..Surroundings::default() })
    }

    /// Runs the program as [`call`](Self::call) does, with what is around it.
    pub fn call_in(&self, args: &[Arg<'_>], threads: usize, around: Surroundings<'_, '_>) -> Result<Run, NativeError> {
        let sizes = self.sizes(args)?;
        let mut next = args.iter();
        let mut scalars = Vec::with_capacity(self.entry.params.len());
        for size in &sizes {
            let arg = if size.is_none() { next.next() } else { None };
            scalars.push(size.map_or_else(|| arg.and_then(|arg| arg.scalar).unwrap_or(0), |size| size as u64));
        }
        let mut next = args.iter();
        let arguments: Vec<CArgument> = (sizes.iter().zip(&scalars))
            .map(|(size, scalar)| match (size, if size.is_none() { next.next() } else { None }) {
                (None, Some(arg)) if arg.scalar.is_none() => {
                    CArgument { elements: arg.elements, shape: arg.shape.as_ptr().cast(), given: arg.given as i32 }
                }
                _ => CArgument { elements: (&raw const *scalar).cast(), shape: std::ptr::null(), given: 0 },
            })
            .collect();
        if self.entry.is_recursive {
            let arguments = Shared(&arguments);
            with_deep_stack(move || self.run(arguments.get(), threads, around))
        } else {
            self.run(&arguments, threads, around)
        }
    }

    fn run(
        &self,
        arguments: &[CArgument],
        threads: usize,
        mut around: Surroundings<'_, '_>,
    ) -> Result<Run, NativeError> {
        let context = self.take_context(threads.max(1))?;
        let mut shapes: Vec<Vec<i64>> =
            self.entry.results.iter().map(|result| vec![0; result.rank.unwrap_or(0).max(1)]).collect();
        let mut results: Vec<CResult> = (shapes.iter_mut())
            .map(|shape| CResult {
                elements: std::ptr::null_mut(),
                shape: shape.as_mut_ptr(),
                owner: std::ptr::null_mut(),
                scalar: 0,
            })
            .collect();
        let function: Option<SinkFunction> = around.sink.is_some().then_some(write_to_sink);
        let caller: Option<CallerFunction> = around.caller.is_some().then_some(call_back);
        let input = around.input;
        let mut ask = around.ask.take();
        let (asker, asker_state): (Option<AskerFunction>, *mut c_void) = match &mut ask {
            Some(ask) => (Some(ask_caller), std::ptr::from_mut(ask).cast()),
            None => (None, std::ptr::null_mut()),
        };
        let state: *mut c_void = std::ptr::from_mut(&mut around).cast();
        let (text, size) = input.map_or((std::ptr::null(), 0), |input| (input.as_ptr().cast(), input.len()));
        // SAFETY: arguments were checked against the parameters and live until the call ends, as do input and sink; results and
        // their shapes have the number and ranks of the program's; no other call has the context.
        let report = unsafe {
            (self.code.write_to)(context.pointer, function, state);
            (self.code.read_from)(context.pointer, text, size);
            (self.code.call_by)(context.pointer, caller, state);
            (self.code.ask)(context.pointer, asker, asker_state);
            (self.code.call)(context.pointer, arguments.as_ptr(), results.as_mut_ptr());
            *(self.code.report)(context.pointer)
        };
        if let Ok(mut idle) = self.idle.try_lock() {
            idle.push(Arc::clone(&context));
        }
        if report.status != 0 {
            return Err(self.failure(&report));
        }
        let results = (self.entry.results.iter().zip(results).zip(shapes))
            .map(|((what, result), shape)| OwnedResult {
                elem: what.elem,
                shape: shape[..what.rank.unwrap_or(0)].iter().map(|&extent| extent as usize).collect(),
                elements: result.elements,
                scalar: result.scalar,
                is_scalar: what.rank.is_none(),
                owner: result.owner,
                context: Arc::clone(&context),
            })
            .collect();
        Ok(Run {
            results,
            time: Duration::from_nanos(report.nanoseconds.max(0).unsigned_abs()),
            leaked: report.leaked.max(0) as usize,
        })
    }

    /// A context for so many threads that no other call has. The lock is only tried: in a process that was forked, whoever held it may
    /// be gone.
    fn take_context(&self, threads: usize) -> Result<Arc<Context>, NativeError> {
        if let Ok(mut idle) = self.idle.try_lock() {
            idle.retain(|context| context.threads == threads);
            if let Some(context) = idle.pop() {
                return Ok(context);
            }
        }
        let count = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the function takes any number and may be called at any time.
        let pointer = unsafe { (self.code.open)(count) };
        if pointer.is_null() {
            return Err(NativeError::OutOfMemory { bytes: 0, span: Span::NONE });
        }
        Ok(Arc::new(Context { pointer, threads, code: Arc::clone(&self.code) }))
    }

    fn failure(&self, report: &CReport) -> NativeError {
        let site = usize::try_from(report.site).ok().and_then(|at| self.entry.sites.get(at));
        let span = site.map_or(Span::NONE, |&Site { span, .. }| span);
        match report.status {
            1 => {
                let kind = usize::try_from(report.kind).ok().and_then(|at| FailureKind::ALL.get(at)).copied();
                let kind = kind.expect("compiled code reports kinds by their number");
                NativeError::Failed { kind, args: report.numbers[..kind.arity()].to_vec(), span }
            }
            2 => NativeError::OutOfMemory { bytes: report.bytes, span },
            4 => NativeError::Interrupted { span },
            _ => NativeError::RecursionTooDeep { span },
        }
    }

    /// Checks the arguments. Per parameter: the size to pass, or `None` where the next argument is passed.
    fn sizes(&self, args: &[Arg<'_>]) -> Result<Vec<Option<i64>>, NativeError> {
        let params = &self.entry.params;
        let is_size = |param: &EntryParam| matches!(param.kind, EntryParamKind::Scalar { size_of: Some(_) });
        let are_left_out = args.len() != params.len();
        let needed = params.iter().filter(|param| !(are_left_out && is_size(param))).count();
        if args.len() != needed {
            return Err(NativeError::Arguments {
                message: format!("the program takes {needed} arguments, but {} are given", args.len()),
            });
        }
        let mut next = args.iter();
        let actual: Vec<Option<&Arg<'_>>> =
            params.iter().map(|param| if are_left_out && is_size(param) { None } else { next.next() }).collect();
        let size = |at: usize| match (actual[at], &params[at].kind) {
            (Some(arg), _) => arg.as_i64(),
            (None, EntryParamKind::Scalar { size_of: Some((array, axis)) }) => {
                actual[*array].and_then(|array| array.shape.get(*axis).map(|&extent| extent as i64))
            }
            (None, EntryParamKind::Scalar { size_of: None } | EntryParamKind::Array { .. }) => None,
        };
        for (param, arg) in params.iter().zip(&actual) {
            let Some(arg) = arg else { continue };
            let extents: &[EntryExtent] = match &param.kind {
                EntryParamKind::Scalar { .. } => &[],
                EntryParamKind::Array { extents, .. } => extents,
            };
            let wrong =
                |what: String| Err(NativeError::Arguments { message: format!("argument `{}` {what}", param.name) });
            if arg.elem != param.elem {
                return wrong(format!("has type {}, but {} is needed", arg.elem, param.elem));
            }
            if arg.shape.len() != extents.len()
                || (arg.scalar.is_some() && matches!(param.kind, EntryParamKind::Array { .. }))
            {
                return wrong(format!("has rank {}, but {} is needed", arg.shape.len(), extents.len()));
            }
            for (axis, (&found, extent)) in arg.shape.iter().zip(extents).enumerate() {
                let wanted = match extent {
                    EntryExtent::Constant(value) => Some(*value),
                    EntryExtent::Param(at) => size(*at),
                };
                // A negative size means none.
                if wanted.map(|wanted| wanted.max(0)) != Some(found as i64) {
                    let wanted = wanted.map_or_else(|| "another".to_owned(), |wanted| wanted.to_string());
                    return wrong(format!("has size {found} along axis {axis}, but {wanted} is needed"));
                }
            }
        }
        Ok((0..params.len()).map(|at| if actual[at].is_none() { size(at) } else { None }).collect())
    }
}

/// Takes what a program writes, piece by piece.
pub type Sink<'a> = dyn FnMut(&str) + Send + 'a;

/// Hands a piece of output to a sink.
///
/// # Safety
///
/// `state` is the address of [`Surroundings`] that nothing else uses; `text` has `length` bytes.
unsafe extern "C" fn write_to_sink(state: *mut c_void, text: *const c_char, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: by this function's contract.
    let (around, text) =
        unsafe { (&mut *state.cast::<Surroundings<'_, '_>>(), std::slice::from_raw_parts(text.cast::<u8>(), length)) };
    if let Some(sink) = &mut around.sink {
        sink(&String::from_utf8_lossy(text));
    }
}

/// What a run has around it.
#[derive(Default)]
pub struct Surroundings<'a, 's> {
    /// What the program reads; standard input if there is none.
    pub input: Option<&'a [u8]>,
    /// Gets what the program writes, also before a failure; standard output if there is none.
    pub sink: Option<&'a mut Sink<'s>>,
    /// Makes calls of functions that are not compiled.
    pub caller: Option<&'a dyn Caller>,
    /// Is called some times a second, by one thread at a time, and says whether to end the run, if the program was compiled so.
    pub ask: Option<&'a mut Asker<'s>>,
}

/// Makes a call of a function that is not compiled, or takes one of its results. A panic does not go through the code in C.
///
/// # Safety
///
/// `state` is the address of [`Surroundings`] that nothing else uses; there are `count` places, and `answer_count` answers.
unsafe extern "C" fn call_back(
    state: *mut c_void,
    number: i32,
    places: *const CPlace,
    count: i32,
    answers: *mut u64,
    answer_count: i32,
) -> c_int {
    // SAFETY: by this function's contract.
    let (around, places) = unsafe {
        let places =
            if count == 0 { &[][..] } else { std::slice::from_raw_parts(places, count.unsigned_abs() as usize) };
        (&mut *state.cast::<Surroundings<'_, '_>>(), places)
    };
    let Some(caller) = around.caller else { return 1 };
    let place = |place: &CPlace| {
        // SAFETY: a place has as many extents as its rank says.
        let shape = match place.rank {
            0 => &[][..],
            rank => unsafe { std::slice::from_raw_parts(place.shape, rank.unsigned_abs() as usize) },
        };
        let elem = Scalar::ALL[place.elem.unsigned_abs() as usize];
        Place { elements: place.elements, elem, shape }
    };
    let places: Vec<Place<'_>> = places.iter().map(place).collect();
    let mut printed = String::new();
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match usize::try_from(number) {
        Ok(number) => {
            let count = answer_count.unsigned_abs() as usize;
            // SAFETY: by this function's contract.
            let answers =
                if count == 0 { &mut [][..] } else { unsafe { std::slice::from_raw_parts_mut(answers, count) } };
            caller.call(number, &places, answers, &mut printed)
        }
        Err(_) => caller.take((-1 - number).unsigned_abs() as usize, places[0]),
    }));
    if let (Some(sink), false) = (&mut around.sink, printed.is_empty()) {
        sink(&printed);
    }
    c_int::from(!matches!(made, Ok(Ok(()))))
}

/// Says whether a run is to end.
pub type Asker<'a> = dyn FnMut() -> bool + Send + 'a;

/// Asks the caller of a run.
///
/// # Safety
///
/// `state` is the address of a `&mut Asker` that nothing else uses.
unsafe extern "C" fn ask_caller(state: *mut c_void) -> bool {
    // SAFETY: by this function's contract.
    unsafe { (*state.cast::<&mut Asker<'_>>())() }
}

/// Arguments on their way to the thread with the deep stack, while the caller waits.
struct Shared<'a>(&'a [CArgument]);

impl<'a> Shared<'a> {
    fn get(&self) -> &'a [CArgument] {
        self.0
    }
}

// SAFETY: the arguments are only read, and the thread that owns what they point to waits for the one that reads.
unsafe impl Send for Shared<'_> {}

/// Opens an object that is linked with code of the user's. What that defines comes before what this process has under the same name.
///
/// # Safety
///
/// Initialisers of the object run.
pub(crate) unsafe fn open_with_foreign(path: &Path) -> Result<libloading::Library, libloading::Error> {
    #[cfg(target_os = "linux")]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // In `dlfcn.h`.
        const RTLD_DEEPBIND: std::ffi::c_int = 8;
        // SAFETY: the caller's.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) }.map(Into::into)
    }
    #[cfg(not(target_os = "linux"))]
    // SAFETY: the caller's.
    unsafe {
        libloading::Library::new(path)
    }
}

/// Keeps the library of threads loaded for good: its idle threads outlive the programs that started them.
pub(crate) fn keep_thread_library() {
    #[cfg(target_os = "linux")]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            for name in ["libgomp.so.1", "libomp.so.5", "libomp.so"] {
                // SAFETY: these libraries are made to be loaded at any time; the compiled program has loaded one already.
                if let Ok(library) = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
                    std::mem::forget(library);
                    break;
                }
            }
        });
    }
}
