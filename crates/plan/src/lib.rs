//! Which legal merges of loops to make. Two planners, and one log of decisions for all levels.
//!
//! This crate knows no intermediate representation: whoever builds a graph says what may be merged, whoever gets a plan
//! makes the merges.
//!
//! # Least traffic: a graph of loops, its best plan, the log
//!
//! A [`FusionGraph`] says what the loops of a block read and write, and which pairs may become one
//! loop. [`solve()`] finds the plan that moves the fewest bytes. Sizes are polynomials, so the plan
//! holds for every `n`.
//!
//! ```
//! use frit_plan::{Decision, FusionGraph, Limits, Log, LoopRef, Method, Outcome, solve};
//!
//! let mut graph = FusionGraph::default();
//! let bytes = graph.add_symbol("n").scale(8); // n numbers of 8 bytes
//! let blur = graph.add_loop("blur");
//! let edge = graph.add_loop("edge");
//! graph.add_array("picture", bytes.clone(), None, &[blur]);
//! graph.add_array("soft", bytes.clone(), Some(blur), &[edge]);
//! let lines = graph.add_array("lines", bytes, Some(edge), &[]);
//! graph.keep(lines); // the result of the block
//! graph.add_pair(blur, edge);
//!
//! let plan = solve(&graph, &Limits::default());
//! assert_eq!(plan.method, Method::Exact);
//! assert_eq!(
//!     plan.text(&graph),
//!     "loop 1 blur edge\n\
//!      exact: 16*n bytes moved, 8*n bytes held; without merges 32*n bytes moved, 16*n bytes held\n",
//! );
//!
//! // Whoever makes the merge writes it down, and every report renders the same log.
//! let saved = plan.before.minus(&plan.after);
//! let mut log = Log { symbols: graph.symbols.clone(), ..Log::default() };
//! log.decisions.push(Decision {
//!     rule: "with-loop-fusion",
//!     function: "main".into(),
//!     first: LoopRef { kind: "map", names: vec!["soft".into()], ..LoopRef::default() },
//!     second: LoopRef { kind: "map", names: vec!["lines".into()], ..LoopRef::default() },
//!     outcome: Outcome::Merged { into: "one loop".into(), saved, passes: 2 },
//! });
//! assert_eq!(log.merged_count(), 1);
//! assert_eq!(
//!     log.to_string(),
//!     "main: with-loop-fusion: map (soft) and map (lines): \
//!      merged into one loop, saves 16*n bytes moved, 8*n bytes held\n",
//! );
//! ```
//!
//! # Least memory: a data-flow graph, and which arrays fusion removes
//!
//! A [`DataFlowGraph`](memory::DataFlowGraph) is the graph of \[MEM\]: an edge is a dependence, and
//! may prevent fusion. [`memory::solve`] fuses so that the arrays that stay are the smallest, and
//! says of every array why it stays.
//!
//! ```
//! use frit_plan::memory::{DataFlowGraph, Fate, Objective, SearchLimits, solve};
//!
//! let mut graph = DataFlowGraph::default();
//! let [read, smooth, edge, max, scale] =
//!     ["read", "smooth", "edge", "max", "scale"].map(|name| graph.add_node(name));
//! let raw = graph.add_array("raw", 40, false);
//! let soft = graph.add_array("soft", 40, false);
//! let grad = graph.add_array("grad", 80, false);
//! graph.add_edge(read, smooth, Some(raw), false)?;
//! graph.add_edge(smooth, edge, Some(soft), false)?;
//! graph.add_edge(edge, max, Some(grad), false)?;
//! graph.add_edge(edge, scale, Some(grad), false)?;
//! graph.add_edge(max, scale, None, true)?; // `scale` needs the maximum: the two stay apart
//!
//! let plan = solve(&graph, Objective::Size, &SearchLimits::default());
//! assert!(plan.is_proved());
//! assert_eq!(graph.array_names(&plan.removed), ["raw", "soft"]);
//! assert_eq!(plan.cost, 80); // what stays
//! assert!(matches!(plan.fates[grad], Fate::PreventingPath { .. }));
//! assert_eq!(
//!     plan.fates[grad].reason(&graph),
//!     "stays: between edge and scale come max and scale, which cannot be fused",
//! );
//! assert!(plan.text(&graph).contains("loop 1    read smooth edge max\n"));
//! # Ok::<(), frit_plan::memory::NotForward>(())
//! ```
//!
//! # The modules
//!
//! - [`graph`]: loops and opaque statements, the arrays between them, and the pairs that may be
//!   merged;
//! - [`solve`](mod@solve): the plan of least traffic, exact by integer programming up to a stated
//!   size, greedy beyond it;
//! - [`memory`]: the plan of least memory, for loop nests with dependences of any kind;
//! - [`log`]: what was merged, refused or not chosen, and what it saved.

mod deadline;
pub mod graph;
pub mod log;
pub mod memory;
mod relation;
pub mod solve;
mod strong;

pub use deadline::Deadline;
pub use frit_support::{Index, Monomial, Poly, Span, Table};
pub use graph::{Array, ArrayData, FusionGraph, Node, NodeData, Pair, Size, Symbol};
pub use log::{Decision, Log, LoopRef, Outcome, PlanRecord};
pub use solve::{Cost, Limits, Method, Plan, solve};
