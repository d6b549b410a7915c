//! Parallel loops.
//!
//! A parallel loop is a function of a range of its iterations. Each thread of a team calls it for its share; where a team does not
//! pay, it is called once for all, without the microseconds that even a team of one costs. The C compiler sees the loop once and
//! in a short function, and its time grows faster than the length of functions.

use super::layout::{Block, Uses};
use super::proc::{Exit, Extent, ProcPrinter, needs_worker};
use super::stmt::reduction_operator;
use super::types::element_type;
use frit_ir::nest::{Array, Binding, Expr, LoopData, Parallel, Reduction, Stmt, Storage, Var};
use frit_ir::{BinOp, Scalar, UnOp};
use std::collections::HashSet;

/// Iterations of vector loops are shared out in multiples of this: whole vectors of the smallest elements.
const VECTOR: i64 = 64;

/// Names for a loop whose iterations can fail.
struct Failing {
    /// A pointer to what has failed so far.
    failures: String,
    /// Where a failed iteration goes.
    label: String,
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
                self.line(&format!("static _Thread_local frit_choice {choice};"));
                format!("frit_team(w, &{choice}, {work})")
            }
            None => format!("frit_parallel(w, {work})"),
        };
        let failing = can_fail.then(|| Failing { failures: self.fresh("failures"), label: self.fresh("failed") });
        if let Some(Failing { failures, .. }) = &failing {
            self.line(&format!("frit_region {failures} = {{.iteration = INT64_MAX}};"));
        }
        let reductions: Vec<(Reduction, String)> =
            reductions.iter().map(|reduction| (*reduction, self.fresh("partial"))).collect();
        let function = self.loop_function(data, body, simd, &reductions, failing.as_ref());
        let mut clauses = String::new();
        for (Reduction { op, var }, partial) in &reductions {
            let (t, value) = (self.var_type(*var), self.var_name(*var));
            self.line(&format!("{t} {partial} = {value};"));
            clauses += &format!(" reduction({}:{partial})", reduction_operator(*op));
        }
        // A thread has a worker of its own, for memory and failures.
        let worker = if can_fail { "frit_member(w)" } else { "w" };
        self.open(&format!("if ({team}) {{"));
        if parallel.irregular {
            let (from, to, portion) = (self.fresh("from"), self.fresh("to"), self.fresh("portion"));
            let iterations = if data.step == 1 { String::new() } else { format!(" / {}", data.step) };
            let step = if data.step == 1 { String::new() } else { format!(" * {}", data.step) };
            self.line(&format!("const int64_t {portion} = frit_portion(w, ({upper} - {lower}){iterations}){step};"));
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
        for (Reduction { var, .. }, partial) in &reductions {
            let name = self.var_name(*var);
            self.line(&format!("{name} = {partial};"));
        }
        if let Some(choice) = choice {
            self.line(&format!("frit_note(&{choice});"));
        }
        if let Some(failing) = failing {
            self.leave_if_failed(&failing);
        }
    }

    /// Prints the function of a loop. It takes what the body uses of the procedure, and pointers to the values of reductions.
    fn loop_function(
        &mut self,
        data: &'p LoopData,
        body: &Block<'p>,
        simd: bool,
        reductions: &[(Reduction, String)],
        failing: Option<&Failing>,
    ) -> LoopFunction {
        let plain: Vec<Reduction> = reductions.iter().map(|(reduction, _)| *reduction).collect();
        let (from, to) = (self.fresh("from"), self.fresh("to"));
        let private = self.outer_assignments(data, body, &plain);
        let out = std::mem::take(&mut self.out);
        let indent = std::mem::replace(&mut self.indent, 1);
        self.is_in_parallel = true;
        self.line("(void)w;");
        let mut values = Vec::new();
        for (Reduction { op: _, var }, partial) in reductions {
            let (t, name, value) = (self.var_type(*var), self.var_name(*var), self.fresh("value"));
            self.line(&format!("{t} {name} = *{value};"));
            values.push((value, name, t, partial));
        }
        for &binding in &private {
            if let Binding::Var(var) = binding {
                let (t, name) = (self.var_type(var), self.var_name(var));
                self.line(&format!("{t} {name} = 0;"));
            }
        }
        let is_simd = simd && failing.is_none();
        if is_simd {
            let clauses = self.clauses(data, body, &plain);
            self.line(&format!("#pragma omp simd{clauses}"));
        }
        let (header, var) = self.loop_header_between(data, &from, &to);
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
        for (value, name, _, _) in &values {
            self.line(&format!("*{value} = {name};"));
        }
        self.is_in_parallel = false;
        let text = std::mem::replace(&mut self.out, out);
        self.indent = indent;

        let mut captured = self.captured(data, body, &private, &plain, &identifiers(&text));
        captured.extend(values.iter().map(|(value, _, t, partial)| (format!("{t} *{value}"), format!("&{partial}"))));
        if let Some(Failing { failures, label: _ }) = failing {
            captured.push((format!("frit_region *{failures}"), format!("&{failures}")));
        }
        let (params, arguments): (Vec<String>, Vec<String>) = captured.into_iter().unzip();
        let params: Vec<String> = std::iter::once("frit_worker *w".to_owned()).chain(params).collect();
        self.loop_count += 1;
        let name = format!("{}_loop{}", self.name(), self.loop_count);
        let comment = self.comment(data.span);
        let header = format!("static FRIT_NOINLINE void {name}({}, int64_t {from}, int64_t {to})", params.join(", "));
        self.outline(&format!("{header} {{{comment}\n{text}}}\n"));
        LoopFunction { name, arguments }
    }

    /// What the function of a loop is given: of variables, arrays and extents that are declared outside of the loop, and the
    /// frame, those that its text mentions. Each is a parameter with its type, and what is passed.
    fn captured(
        &self,
        data: &LoopData,
        body: &Block<'p>,
        private: &[Binding],
        reductions: &[Reduction],
        mentioned: &HashSet<&str>,
    ) -> Vec<(String, String)> {
        let mut counters: HashSet<Var> = data.var.into_iter().collect();
        self.proc.for_each_stmt(&data.body, &mut |stmt| {
            if let Stmt::For(l) = stmt {
                counters.extend(self.proc.loops[*l].var);
            }
        });
        let is_outer = |uses: &Uses| uses.home.is_none_or(|home| !self.layout.is_within(home, body.id));
        let mut captured = Vec::new();
        let mut pass = |declared: &str, name: &str| {
            if mentioned.contains(name) {
                captured.push((format!("{declared}{name}"), name.to_owned()));
            }
        };
        pass(&format!("struct {}_frame *", self.name()), "f");
        for (var, _) in self.proc.vars.iter() {
            let is_own = counters.contains(&var)
                || private.contains(&Binding::Var(var))
                || reductions.iter().any(|reduction| reduction.var == var);
            if !is_own && is_outer(&self.layout.vars[var]) {
                pass(&format!("{} ", self.var_type(var)), &self.vars[var]);
            }
        }
        let is_passed = |array: Array| {
            is_outer(&self.layout.arrays[array]) && mentioned.contains(self.arrays[array].elements.as_str())
        };
        let references: HashSet<Scalar> = (self.proc.arrays.iter())
            .filter(|(array, data)| matches!(data.storage, Storage::Reference) && is_passed(*array))
            .map(|(_, data)| data.elem)
            .collect();
        for (array, array_data) in self.proc.arrays.iter().filter(|(array, _)| is_outer(&self.layout.arrays[*array])) {
            let names = &self.arrays[array];
            let t = match array_data.storage {
                Storage::Table(_) => continue,
                // A reference need not come from the pointer that is passed beside it.
                Storage::Heap | Storage::Stack | Storage::Param { consumed: true } | Storage::Reference => {
                    let restrict = if references.contains(&array_data.elem) { "" } else { "restrict " };
                    format!("{} *{restrict}", element_type(array_data.elem))
                }
                Storage::Param { consumed: false } => self.pointer_type(array),
            };
            pass(&t, &names.elements);
            names.owner.iter().for_each(|owner| pass("frit_buffer *", owner));
            for extent in &names.extents {
                if let Extent::Own(name) = extent {
                    pass("int64_t ", name);
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
fn identifiers(text: &str) -> HashSet<&str> {
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
fn is_computed_alike(proc: &frit_ir::nest::Proc, body: &[Stmt], options: &super::Options) -> bool {
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
