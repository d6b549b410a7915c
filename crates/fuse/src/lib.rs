//! Merges of loops: candidates, proofs and rules, on the array IR and on the loop IR of `frit-ir`.
//!
//! This crate names no source language and generates no code. What pays is decided by `frit-plan`; what is right is
//! decided here.
//!
//! # Whole programs: the planner chooses the merges
//!
//! The sum of the doubled elements of an array, as two loops with an array between them:
//!
//! ```
//! use frit_fuse::array::{Options, fuse};
//! use frit_ir::array::{parse::parse_program, verify::verify};
//! use frit_plan::Log;
//!
//! let mut program = parse_program("
//! func @main[%0](%1: f64[%0]) -> (f64) {
//!   %5: f64[%0] = w0: with (%2) in [%0] {
//!     [0] <= iv < [%0] {
//!       %3: f64 = index %1[%2]
//!       %4: f64 = mul %3, 2.0
//!       yield %4
//!     }
//!   } : genarray
//!   %11: f64 = w1: with (%6) in [%0] {
//!     [0] <= iv < [%0] {
//!       %7: f64 = index %5[%6]
//!       yield %7
//!     }
//!   } : fold commutative (0.0) by (%8: f64, %9: f64) {
//!     %10: f64 = add %8, %9
//!     yield %10
//!   }
//!   return %11
//! }
//! ")?;
//! verify(&program)?;
//! let mut log = Log::default();
//! fuse(&mut program, &Options::default(), &mut log);
//! verify(&program)?;
//! frit_simplify::simplify(&mut program, &frit_simplify::Options::default()); // drops what nothing uses now
//! assert!(!program.to_string().contains("genarray")); // the array is never made
//! assert_eq!(
//!     log.to_string(),
//!     "main: with-loop-fusion: map w0 and reduce w1: merged into w1, saves 16*%0 bytes moved, 8*%0 bytes held\n\
//!      main: plan of 2 loops and statements, exact: saves 16*%0 bytes moved, 8*%0 bytes held\n",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Single rules, wherever they are legal
//!
//! [`RULES`](array::RULES) is the catalogue. A rule that is wrong somewhere says why: the array
//! below is needed as a whole.
//!
//! ```
//! use frit_fuse::array::RULES;
//! use frit_ir::array::parse::parse_program;
//!
//! let mut program = parse_program("
//! func @main[%0](%1: f64[%0]) -> (f64[%0], f64[%0]) {
//!   %5: f64[%0] = w0: with (%2) in [%0] {
//!     [0] <= iv < [%0] {
//!       %3: f64 = index %1[%2]
//!       %4: f64 = exp %3
//!       yield %4
//!     }
//!   } : genarray
//!   %9: f64[%0] = w1: with (%6) in [%0] {
//!     [0] <= iv < [%0] {
//!       %7: f64 = index %5[%6]
//!       %8: f64 = add %7, 1.0
//!       yield %8
//!     }
//!   } : genarray
//!   return %5, %9
//! }
//! ")?;
//! let mut apply = |name: &str| {
//!     let rule = RULES.iter().find(|rule| rule.name == name).expect("the rule exists");
//!     let (_, func) = program.funcs.iter_mut().next().expect("there is a function");
//!     (rule.everywhere)(func)
//! };
//! let folding = apply("with-loop-folding");
//! assert_eq!((folding.applied, folding.refused[0].code()), (0, "used-as-whole"));
//! assert_eq!(apply("with-loop-fusion").applied, 1); // one loop makes both arrays
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Loop nests over storage: the array between them gets smaller
//!
//! Two nests run row by row as one, and of the array between them only the three rows exist that
//! are still needed:
//!
//! ```
//! use frit_fuse::nest::{Fate, Options, fuse};
//! use frit_ir::nest::{parse::parse_program, verify::verify};
//! use frit_plan::Log;
//!
//! let mut program = parse_program("
//! proc @main(s0: i64, s1: i64, A0: f64[s0, s1]) -> (A2) {
//!   var s2, s3, s4, s5: i64
//!   array A1: heap f64[s0, s1]
//!   array A2: heap f64[s0, s1]
//!   alloc A1
//!   L0: for s2 in 0..s0 independent {
//!     L1: for s3 in 0..s1 independent simd {
//!       A1[s2, s3] = A0[s2, s3] * 0.5
//!     }
//!   }
//!   alloc A2
//!   L2: for s4 in 1..s0 - 1 independent {
//!     L3: for s5 in 0..s1 independent simd {
//!       A2[s4, s5] = A1[s4 - 1, s5] + A1[s4 + 1, s5]
//!     }
//!   }
//!   release A1
//! }
//! ")?;
//! verify(&program)?;
//! let mut log = Log::default();
//! let report = fuse(&mut program, &Options::default(), &mut log);
//! verify(&program)?;
//! let Fate::Window { shape, .. } = &report.arrays[0].fate else { panic!("{log}") };
//! assert_eq!(shape[0].as_constant(), Some(3));
//! assert_eq!(log.to_string(), "main: windows: loop L0 and loop L2: merged into L0\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The modules
//!
//! - [`mod@array`]: merges of with-loops on the array IR: the planner's candidates, the proofs, and
//!   one file for each rule;
//! - [`nest`]: loop nests of the loop IR, fused where an array between them then needs less memory.
//!
//! Read [`mod@array`] next.

pub mod array;
pub mod nest;
