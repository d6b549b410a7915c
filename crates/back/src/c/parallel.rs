//! Parallel loops.
//!
//! A parallel loop is a function of a range of its iterations. Each thread of a team calls it for its share; where a team does not
//! pay, it is called once for all, without the microseconds that even a team of one costs. The C compiler sees a long loop once and
//! in a function of its own: its time grows faster than the length of functions. Short loops that run again and again are inlined,
//! because few iterations take no longer than the call.

use super::layout::{Block, Uses};
use super::proc::{Exit, Extent, ProcPrinter, needs_worker};
use super::stmt::reduction_operator;
use super::types::element_type;
use frit_ir::nest::{Array, ArrayData, Binding, Expr, LoopData, Parallel, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::{BinOp, Scalar, UnOp};
use std::collections::HashSet;

/// Iterations of vector loops are shared out in multiples of this: whole vectors of the smallest elements.
const VECTOR: i64 = 64;

/// Statements up to which the body of a loop is inlined, and those of a procedure whose loops are.
const INLINED: usize = 32;
const INLINED_INTO: usize = 400;

/// Names for a loop whose iterations can fail.
struct Failing {
    /// A pointer to what has failed so far.
    failures: String,
    /// Where a failed iteration goes.
    label: String,
}

/// Names for a reduction of a loop.
struct Partial {
    reduction: Reduction,
    /// What one call of the loop's function adds to, a variable of the caller.
    result: String,
    /// The parameter that points to it.
    pointer: String,
}

/// Something of the procedure that the function of a loop is given.
struct Captured {
    /// The type up to the name.
    declared: String,
    name: String,
    /// It points to memory that begins at a multiple of `FRIT_ALIGNMENT`.
    is_aligned: bool,
}

/// The function of a loop.
struct LoopFunction {
    name: String,
    /// What it takes beside the worker and the range, in C.
    arguments: Vec<String>,
}

impl LoopFunction {
    fn call(&self, worker: &str, from: &str, to: &str) -> String {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).chain([from, to]).collect();
        format!("{}({worker}, {});", self.name, arguments.join(", "))
    }
}

impl<'p> ProcPrinter<'_, 'p> {
    /// Prints a loop as a function, and its call by a team or by one thread.
    pub(super) fn parallel_loop(
        &mut self,
        data: &'p LoopData,
        body: &Block<'p>,
        parallel: &Parallel,
        simd: bool,
        reductions: &[Reduction],
    ) {
        let (lower, upper) = (self.bound(&data.lower), self.bound(&data.upper));
        let work = self.expr_text(&parallel.work);
        let can_fail = needs_worker(self.proc, &data.body);
        let choice =
            (simd || is_computed_alike(self.proc, &data.body, self.module.options)).then(|| self.fresh("choice"));
        let team = match &choice {
            Some(choice) => {
                let number = self.module.choice();
                self.line(&format!("frit_choice *const {choice} = frit_choice_of(w, {number}, {work});"));
                format!("frit_team(w, {choice})")
            }
            None => format!("frit_parallel(w, {work}) && frit_gather(w)"),
        };
        let failing = can_fail.then(|| Failing { failures: self.fresh("failures"), label: self.fresh("failed") });
        if let Some(Failing { failures, .. }) = &failing {
            self.line(&format!("frit_region {failures} = {{.iteration = INT64_MAX}};"));
        }
        let partials: Vec<Partial> = (reductions.iter())
            .map(|&reduction| Partial { reduction, result: self.fresh("partial"), pointer: self.fresh("result") })
            .collect();
        let function = self.loop_function(data, body, simd, reductions, &partials, failing.as_ref());
        let mut clauses = String::new();
        for Partial { reduction: Reduction { op, var }, result, pointer: _ } in &partials {
            let (t, value) = (self.var_type(*var), self.var_name(*var));
            self.line(&format!("{t} {result} = {value};"));
            clauses += &format!(" reduction({}:{result})", reduction_operator(*op));
        }
        // A thread has a worker of its own, for memory and failures.
        let worker = if can_fail { "frit_member(w)" } else { "w" };
        self.open(&format!("if ({team}) {{"));
        if parallel.irregular {
            let (from, to, portion) = (self.fresh("from"), self.fresh("to"), self.fresh("portion"));
            self.line(&format!("const int64_t {portion} = frit_portion(w, {lower}, {upper}, {});", data.step));
            self.line(&format!("#pragma omp parallel for num_threads(w->context->threads) schedule(dynamic){clauses}"));
            self.open(&format!("for (int64_t {from} = {lower}; {from} < {upper}; {from} += {portion}) {{"));
            self.line(&format!("const int64_t {to} = {upper} - {from} > {portion} ? {from} + {portion} : {upper};"));
            self.line(&function.call(worker, &from, &to));
        } else {
            let share = self.fresh("share");
            self.line(&format!("#pragma omp parallel num_threads(w->context->threads){clauses}"));
            self.open("{");
            let unit = data.step * if simd { VECTOR } else { 1 };
            self.line(&format!("const frit_range {share} = frit_share_of_loop({lower}, {upper}, {unit});"));
            self.line(&function.call(worker, &format!("{share}.from"), &format!("{share}.to")));
        }
        self.close("}");
        self.close("} else {");
        self.indent += 1;
        self.line(&function.call("w", &lower, &upper));
        self.close("}");
        for Partial { reduction, result, pointer: _ } in &partials {
            let name = self.var_name(reduction.var);
            self.line(&format!("{name} = {result};"));
        }
        if let Some(choice) = choice {
            self.line(&format!("frit_note(w, {choice});"));
        }
        if let Some(failing) = failing {
            self.leave_if_failed(&failing);
        }
    }

    /// Prints the function of a loop. It takes what the body uses of the procedure, and pointers to the results of reductions.
    fn loop_function(
        &mut self,
        data: &'p LoopData,
        body: &Block<'p>,
        simd: bool,
        reductions: &[Reduction],
        partials: &[Partial],
        failing: Option<&Failing>,
    ) -> LoopFunction {
        let (from, to) = (self.fresh("from"), self.fresh("to"));
        let private = self.outer_assignments(data, body, reductions);
        let out = std::mem::take(&mut self.out);
        let indent = std::mem::replace(&mut self.indent, 1);
        self.line("(void)w;");
        for Partial { reduction, result: _, pointer } in partials {
            let (t, name) = (self.var_type(reduction.var), self.var_name(reduction.var));
            self.line(&format!("{t} {name} = *{pointer};"));
        }
        for &binding in &private {
            if let Binding::Var(var) = binding {
                let (t, name) = (self.var_type(var), self.var_name(var));
                self.line(&format!("{t} {name} = 0;"));
            }
        }
        self.share_of_loop(data, body, simd, reductions, failing, (&from, &to));
        for Partial { reduction, result: _, pointer } in partials {
            let name = self.var_name(reduction.var);
            self.line(&format!("*{pointer} = {name};"));
        }
        let text = std::mem::replace(&mut self.out, out);
        self.indent = indent;

        let captured = self.captured(data, body, &private, reductions, &identifiers(&text));
        let mut params = vec!["frit_worker *w".to_owned()];
        let (mut arguments, mut aligned) = (Vec::new(), String::new());
        for Captured { declared, name, is_aligned } in captured {
            params.push(format!("{declared}{name}"));
            if is_aligned {
                aligned += &format!("    {name} = __builtin_assume_aligned({name}, FRIT_ALIGNMENT);\n");
            }
            arguments.push(name);
        }
        for Partial { reduction, result, pointer } in partials {
            params.push(format!("{} *{pointer}", self.var_type(reduction.var)));
            arguments.push(format!("&{result}"));
        }
        if let Some(Failing { failures, label: _ }) = failing {
            params.push(format!("frit_region *{failures}"));
            arguments.push(format!("&{failures}"));
        }
        self.loop_count += 1;
        let name = format!("{}_loop{}", self.name(), self.loop_count);
        let header = format!("void {name}({}, int64_t {from}, int64_t {to})", params.join(", "));
        self.outline(&header, &self.comment(data.span), &(aligned + &text), self.is_inlined(data));
        LoopFunction { name, arguments }
    }

    /// True if the call may take as long as the few iterations of a short loop, and inlining makes no long function longer.
    fn is_inlined(&self, data: &LoopData) -> bool {
        let runs_again = self.is_repeated || !self.module.is_entry(self.id);
        runs_again
            && has_at_most(self.proc, &data.body, INLINED)
            && has_at_most(self.proc, &self.proc.body, INLINED_INTO)
    }

    /// Prints the loop over a range of iterations.
    fn share_of_loop(
        &mut self,
        data: &'p LoopData,
        body: &Block<'p>,
        simd: bool,
        reductions: &[Reduction],
        failing: Option<&Failing>,
        (from, to): (&str, &str),
    ) {
        self.is_in_parallel = true;
        let is_simd = simd && failing.is_none();
        if is_simd {
            let clauses = self.clauses(data, body, reductions);
            self.line(&format!("#pragma omp simd{clauses}"));
        }
        let (header, var) = self.loop_header_between(data, from, to);
        self.open(&header);
        match failing {
            Some(failing) => self.iteration_that_may_fail(body, &var, failing),
            None => {
                self.enter_body(is_simd);
                self.inner(body);
                self.is_in_simd = false;
            }
        }
        self.close("}");
        self.is_in_parallel = false;
    }

    /// What the function of a loop is given: of variables, arrays and extents that are declared outside of the loop, and the
    /// frame, those that its text mentions.
    fn captured(
        &self,
        data: &LoopData,
        body: &Block<'p>,
        private: &[Binding],
        reductions: &[Reduction],
        mentioned: &HashSet<&str>,
    ) -> Vec<Captured> {
        let mut counters: HashSet<Var> = data.var.into_iter().collect();
        self.proc.for_each_stmt(&data.body, &mut |stmt| {
            if let Stmt::For(l) = stmt {
                counters.extend(self.proc.loops[*l].var);
            }
        });
        let is_outer = |uses: &Uses| uses.home.is_none_or(|home| !self.layout.is_within(home, body.id));
        let mut captured = Vec::new();
        let mut pass = |declared: String, name: &str, is_aligned: bool| {
            if mentioned.contains(name) {
                captured.push(Captured { declared, name: name.to_owned(), is_aligned });
            }
        };
        pass(format!("struct frit_frame_{} *", self.name()), "f", false);
        for (var, _) in self.proc.vars.iter() {
            let is_own = counters.contains(&var)
                || private.contains(&Binding::Var(var))
                || reductions.iter().any(|reduction| reduction.var == var);
            if !is_own && is_outer(&self.layout.vars[var]) {
                pass(format!("{} ", self.var_type(var)), &self.vars[var], false);
            }
        }
        let outer: Vec<(Array, &ArrayData)> =
            self.proc.arrays.iter().filter(|(array, _)| is_outer(&self.layout.arrays[*array])).collect();
        // What references of a type name is not known, so no other pointer to its elements may be restricted.
        let references: HashSet<Scalar> = (outer.iter())
            .filter(|(array, data)| {
                matches!(data.storage, Storage::Reference) && mentioned.contains(self.array_name(*array))
            })
            .map(|(_, data)| data.elem)
            .collect();
        for (array, array_data) in outer {
            let names = &self.arrays[array];
            let restrict = if references.contains(&array_data.elem) { "" } else { "restrict " };
            let pointer = format!("{} *{restrict}", element_type(array_data.elem));
            match array_data.storage {
                Storage::Table(_) => continue,
                Storage::Param { consumed: false } => pass(self.pointer_type(array), &names.elements, false),
                Storage::Param { consumed: true } | Storage::Reference => pass(pointer, &names.elements, false),
                Storage::Heap | Storage::Stack => pass(pointer, &names.elements, true),
            }
            names.owner.iter().for_each(|owner| pass("frit_buffer *".to_owned(), owner, false));
            for extent in &names.extents {
                if let Extent::Own(name) = extent {
                    pass("int64_t ".to_owned(), name, false);
                }
            }
        }
        captured
    }

    /// An iteration of a loop that can fail. The failure that counts is that of the first iteration, as if they ran in order.
    /// Later iterations are skipped.
    fn iteration_that_may_fail(&mut self, body: &Block<'p>, var: &str, failing: &Failing) {
        let Failing { failures, label } = failing;
        self.line(&format!("if (frit_is_over({failures}, {var})) continue;"));
        let outer = std::mem::replace(&mut self.exit, Exit::Label(label.clone()));
        let start = self.out.len();
        self.inner(body);
        self.exit = outer;
        if self.out[start..].contains(&format!("goto {label};")) {
            self.line("continue;");
            self.line(&format!("{label}:"));
            self.line(&format!("frit_stop(w, {failures}, {var});"));
        }
    }

    fn leave_if_failed(&mut self, failing: &Failing) {
        let failures = &failing.failures;
        let leave = self.leave();
        let fail = format!("frit_fail_region(w, &{failures})");
        match &self.exit {
            Exit::Return => self.line(&format!("if (FRIT_UNLIKELY({failures}.iteration != INT64_MAX)) return {fail};")),
            Exit::Label(_) => {
                self.line(&format!("if (FRIT_UNLIKELY({failures}.iteration != INT64_MAX)) {{ {fail}; {leave} }}"))
            }
        }
    }
}

/// The words of a text in C, but for members of structures.
pub(super) fn identifiers(text: &str) -> HashSet<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = HashSet::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let is_member = rest[..start].ends_with("->") || rest[..start].ends_with('.');
        let word = &rest[start..];
        let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
        if !is_member {
            found.insert(word);
        }
        rest = after;
    }
    found
}

/// The iterations of a parallel loop have the same results wherever the parts of threads end, so the time may decide on how
/// many it runs.
///
/// Where the C compiler vectorises such a loop, it computes the ends of parts by the scalar variants of mathematical
/// functions. It does so only where no loop is inside. Loops that Frit vectorises are divided into whole vectors.
fn is_computed_alike(proc: &Proc, body: &[Stmt], options: &super::Options) -> bool {
    let has_loop = proc.any_stmt(body, &mut |stmt| match stmt {
        Stmt::For(l) => proc.loops[*l].lower.as_i64().is_none() || proc.loops[*l].upper.as_i64().is_none(),
        Stmt::While { .. } => true,
        _ => false,
    });
    let calls = || proc.any_stmt(body, &mut |stmt| matches!(stmt, Stmt::Call { .. }));
    let mut computes = false;
    proc.for_each_expr(body, &mut |expr| computes |= expr.any_part(&mut is_mathematics));
    has_loop || options.strict_fp || !options.vectors || !computes && !calls()
}

/// A call of a function of the mathematical library, of which some have vector variants.
fn is_mathematics(expr: &Expr) -> bool {
    match expr {
        Expr::Unary { op, .. } => matches!(op, UnOp::Math(_)),
        Expr::Binary { op, .. } => matches!(op, BinOp::Math(_)),
        Expr::Const(_) | Expr::Var(_) | Expr::Load { .. } | Expr::Select { .. } | Expr::Threads => false,
    }
}

/// The block has at most so many statements.
fn has_at_most(proc: &Proc, block: &[Stmt], most: usize) -> bool {
    let mut statements = 0;
    !proc.any_stmt(block, &mut |_| {
        statements += 1;
        statements > most
    })
}
