//! Statements of the loop IR as C statements.
//!
//! Expressions are printed in `expr`. Parallel loops, scans and transposing copies have modules of their own. This
//! module decides only how C runs a loop: by a team of threads, by vectors, or in order.

use super::layout::{Block, BlockId, Item};
use super::proc::{Exit, ProcPrinter, part_number};
use super::types::{c_type, element_type};
use frit_ir::nest::walk::{Mention, Role};
use frit_ir::nest::{Arg, Array, Binding, Expr, Loop, LoopData, LoopKind, ProcId, Reduction, Stmt, Storage, Var};
use frit_ir::{BinOp, FailureKind, Scalar};
use frit_support::Span;

/// Iterations up to which the compiler unrolls a loop inside a vectorised one.
const UNROLLED: i64 = 16;
/// Bytes of a cache line.
const LINE: i64 = 64;

impl<'p> ProcPrinter<'_, 'p> {
    /// The statements of a block.
    pub(super) fn items(&mut self, items: &[Item<'p>]) {
        for item in items {
            match item {
                Item::Run(run) => {
                    let part = run.outlined.expect("a run is outlined");
                    self.part(run, part_number(part));
                }
                Item::Stmt { stmt, blocks, is_whole } => self.stmt(stmt, blocks, *is_whole),
            }
        }
    }

    /// A block within a statement, whose braces are printed.
    pub(super) fn inner(&mut self, block: &Block<'p>) {
        match block.outlined {
            Some(part) => self.part(block, part_number(part)),
            None => self.block_inside(block),
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt, blocks: &[Block<'p>], is_whole: bool) {
        match stmt {
            Stmt::Assign { var, value } => self.assign(*var, value),
            Stmt::Store { array, index, value } => {
                if self.proc.arrays[*array].elem == Scalar::Cert {
                    return;
                }
                let (target, _) = self.element(*array, index);
                let value = self.expr_text(value);
                self.line(&format!("{target} = {value};"));
            }
            Stmt::For(l) => self.for_loop(*l, &blocks[0], is_whole),
            Stmt::While { before: _, cond, body: _ } => self.while_loop(cond, &blocks[0], &blocks[1]),
            Stmt::If { cond, then: _, otherwise: _ } => self.conditional(cond, blocks),
            Stmt::Alloc { array } => self.alloc(*array),
            Stmt::Release { array } => {
                let owner = self.owner_name(*array);
                self.line(&format!("frit_release(w, {owner});"));
            }
            Stmt::Bind { reference, source, offset } => self.bind(*reference, *source, offset),
            Stmt::Swap { first, second } => self.swap(*first, *second),
            Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming } => {
                let t = self.pointer_at(*target, target_offset);
                let s = self.pointer_at(*source, source_offset);
                let bytes = i64::try_from(self.proc.arrays[*target].elem.bytes()).ok();
                let is_line =
                    count.as_i64().zip(bytes).is_some_and(|(count, bytes)| count.checked_mul(bytes) == Some(LINE));
                let (count, size) = (self.expr_text(count), self.element_size(*target));
                match streaming {
                    true if is_line => self.line(&format!("frit_stream_line({t}, {s});")),
                    true => self.line(&format!("frit_stream({t}, {s}, ({count}) * {size});")),
                    false => self.line(&format!("frit_copy(w, {t}, {s}, {count}, {size});")),
                }
            }
            Stmt::Prefetch { array, offset, count, to_write } => {
                let (elements, size) = (self.array_name(*array).to_owned(), self.element_size(*array));
                let [offset, count] = [offset, count].map(|expr| self.expr_text(expr));
                self.line(&format!("frit_prefetch({elements}, {offset}, {count}, {size}, {to_write});"));
            }
            Stmt::Check { cond, kind, args, span } => self.check(cond, *kind, args, *span),
            Stmt::Effect { effect, args, answers } => self.effect(effect, args, answers),
            Stmt::Call { callee, args, results, span } => self.call(*callee, args, results, *span),
        }
    }

    /// What leaves after a failure has been noted.
    pub(super) fn leave(&self) -> String {
        match &self.exit {
            Exit::Return => "return 1;".into(),
            Exit::Label(label) => format!("goto {label};"),
        }
    }

    fn assign(&mut self, var: Var, value: &Expr) {
        let uses = self.layout.vars[var].clone();
        if uses.reads == 0 && !uses.in_frame {
            return;
        }
        if self.keep_for_scan(var, value) {
            return;
        }
        let value = self.expr_text(value);
        let name = self.var_name(var);
        let begins = !uses.in_frame && uses.begins_in == Some(self.block) && uses.home == uses.begins_in;
        if begins && !self.proc.params.contains(&Binding::Var(var)) && self.declares_now(var) {
            let t = self.var_type(var);
            let constant = if uses.writes == 1 { "const " } else { "" };
            self.line(&format!("{constant}{t} {name} = {value};"));
        } else {
            self.line(&format!("{name} = {value};"));
        }
    }

    /// True once per variable that is declared by its first assignment.
    fn declares_now(&mut self, var: Var) -> bool {
        self.layout.vars[var].begins_in.take().is_some()
    }

    fn conditional(&mut self, cond: &Expr, blocks: &[Block<'p>]) {
        if self.is_in_simd && self.may_run_both(blocks) {
            return self.both_branches(cond, blocks);
        }
        let mut cond = self.expr_text(cond);
        let (mut then, mut otherwise) = (&blocks[0], &blocks[1]);
        let mut opening = "if";
        loop {
            if then.items.is_empty() && !otherwise.items.is_empty() && opening == "if" {
                cond = format!("!({cond})");
                (then, otherwise) = (otherwise, then);
            }
            self.open(&format!("{opening} ({cond}) {{"));
            self.inner(then);
            // A chain of alternatives stays flat, for the reader and for the C compiler.
            match otherwise.items.as_slice() {
                [] => return self.close("}"),
                [Item::Stmt { stmt: Stmt::If { cond: next, .. }, blocks, .. }]
                    if otherwise.outlined.is_none()
                        && !self.needs_statements(next)
                        && self.has_no_heads(otherwise.id) =>
                {
                    self.indent -= 1;
                    cond = self.expr_text(next);
                    (then, otherwise) = (&blocks[0], &blocks[1]);
                    opening = "} else if";
                }
                _ => {
                    self.close("} else {");
                    self.indent += 1;
                    self.inner(otherwise);
                    return self.close("}");
                }
            }
        }
    }

    /// True if a vectorised loop should compute both branches and choose. The C compiler would do
    /// so by itself, except where a branch calls a function. Code that may run needlessly must
    /// neither load nor divide integers, which is defined only where the program does it.
    fn may_run_both(&self, blocks: &[Block<'p>]) -> bool {
        let mut calls = false;
        let is_pure = blocks.iter().all(|block| self.is_arithmetic(block, &mut calls));
        is_pure && calls
    }

    fn is_arithmetic(&self, block: &Block<'p>, calls: &mut bool) -> bool {
        block.items.iter().all(|item| match item {
            Item::Run(_) => false,
            Item::Stmt { stmt, blocks, is_whole: _ } => match stmt {
                Stmt::Assign { var: _, value } => self.is_total(value, calls),
                Stmt::If { cond, then: _, otherwise: _ } => {
                    self.is_total(cond, calls) && blocks.iter().all(|block| self.is_arithmetic(block, calls))
                }
                Stmt::Store { .. }
                | Stmt::For(_)
                | Stmt::While { .. }
                | Stmt::Alloc { .. }
                | Stmt::Release { .. }
                | Stmt::Bind { .. }
                | Stmt::Swap { .. }
                | Stmt::CopyElements { .. }
                | Stmt::Prefetch { .. }
                | Stmt::Effect { .. }
                | Stmt::Check { .. }
                | Stmt::Call { .. } => false,
            },
        })
    }

    /// Runs both branches on copies of the variables that outlive them, and chooses.
    fn both_branches(&mut self, cond: &Expr, blocks: &[Block<'p>]) {
        let cond = self.expr_text(cond);
        let chosen = self.fresh("chosen");
        self.line(&format!("const bool {chosen} = {cond};"));
        let mut outer: Vec<Var> = Vec::new();
        for block in blocks {
            self.outliving(block, block.id, &mut outer);
        }
        let mut copies = Vec::new();
        for block in blocks {
            let names: Vec<String> = outer.iter().map(|&var| self.var_name(var)).collect();
            let mut branch = Vec::new();
            for (&var, name) in outer.iter().zip(&names) {
                let copy = self.fresh(name);
                self.line(&format!("{} {copy} = {name};", self.var_type(var)));
                self.vars[var].clone_from(&copy);
                branch.push(copy);
            }
            self.open("{");
            self.inner(block);
            self.close("}");
            for (&var, name) in outer.iter().zip(names) {
                self.vars[var] = name;
            }
            copies.push(branch);
        }
        for (at, &var) in outer.iter().enumerate() {
            let name = self.var_name(var);
            self.line(&format!("{name} = {chosen} ? {} : {};", copies[0][at], copies[1][at]));
        }
    }

    /// Variables that a branch assigns and that are declared outside of it, each once.
    fn outliving(&self, block: &Block<'p>, branch: BlockId, found: &mut Vec<Var>) {
        for item in &block.items {
            if let Item::Stmt { stmt, blocks, is_whole: _ } = item {
                if let Stmt::Assign { var, value: _ } = stmt {
                    let uses = &self.layout.vars[*var];
                    let is_inner = !uses.in_frame && uses.home.is_some_and(|home| self.layout.is_within(home, branch));
                    if !is_inner && uses.reads > 0 && !found.contains(var) {
                        found.push(*var);
                    }
                }
                for block in blocks {
                    self.outliving(block, branch, found);
                }
            }
        }
    }

    fn while_loop(&mut self, cond: &Expr, before: &Block<'p>, body: &Block<'p>) {
        let rounds = self.asks(self.has_loop(body), true).map(|often| (self.fresh("rounds"), often));
        if let Some((rounds, _)) = &rounds {
            self.line(&format!("uint32_t {rounds} = 0;"));
        }
        let outer = std::mem::replace(&mut self.is_repeated, true);
        if before.items.is_empty() && !self.needs_statements(cond) {
            let cond = self.expr_text(cond);
            self.open(&format!("while ({cond}) {{"));
        } else {
            self.open("for (;;) {");
            self.block_inside(before);
            let cond = self.expr_text(cond);
            self.line(&format!("if (!({cond})) break;"));
        }
        if let Some((rounds, often)) = rounds {
            self.ask(&format!("({rounds}++ & {}) == 0 && ", often - 1), self.proc.span);
        }
        self.block_inside(body);
        self.is_repeated = outer;
        self.close("}");
    }

    // ---- memory ----

    fn alloc(&mut self, array: Array) {
        if matches!(self.proc.arrays[array].storage, Storage::Stack) {
            if self.begins(array) {
                let declaration = self.stack_declaration(array);
                self.line(&format!("{declaration};"));
            }
            return;
        }
        let begins = self.begins(array);
        self.assign_extents(array, begins);
        let names = self.arrays[array].clone();
        let owner = self.owner_name(array);
        let (count, size) = (self.count(array), self.element_size(array));
        let site = self.module.site(None, self.proc.arrays[array].span);
        let t = if begins { "frit_buffer *" } else { "" };
        self.line(&format!("{t}{owner} = frit_allocate(w, {site}, {count}, {size});"));
        let leave = self.leave();
        self.line(&format!("if (FRIT_UNLIKELY({owner} == NULL)) {leave}"));
        let t = if begins { self.pointer_type(array) } else { String::new() };
        self.line(&format!("{t}{} = __builtin_assume_aligned({owner}->elements, FRIT_ALIGNMENT);", names.elements));
    }

    /// True if the array is to be declared here, by what begins its life.
    fn begins(&mut self, array: Array) -> bool {
        let uses = &mut self.layout.arrays[array];
        let begins = !uses.in_frame && uses.begins_in == Some(self.block) && uses.home == uses.begins_in;
        if begins {
            uses.begins_in = None;
        }
        begins
    }

    fn bind(&mut self, reference: Array, source: Array, offset: &Expr) {
        let begins = self.begins(reference);
        // The new extents may depend on what the reference named before only through variables.
        self.assign_extents(reference, begins);
        let from = self.pointer_at(source, offset);
        let elements = self.array_name(reference).to_owned();
        let t = if begins { self.pointer_type(reference) } else { String::new() };
        let cast = match self.proc.arrays[source].storage {
            Storage::Param { consumed: false } | Storage::Table(_) => {
                format!("({} *)", element_type(self.proc.arrays[reference].elem))
            }
            Storage::Param { consumed: true } | Storage::Heap | Storage::Stack | Storage::Reference => String::new(),
        };
        let from = if cast.is_empty() { from } else { format!("{cast}({from})") };
        self.line(&format!("{t}{elements} = {from};"));
        let (owner, source) = (self.owner_name(reference), self.owner_name(source));
        let t = if begins { "frit_buffer *" } else { "" };
        let shared = if source == "NULL" { source } else { format!("frit_retain({source})") };
        self.line(&format!("{t}{owner} = {shared};"));
    }

    fn swap(&mut self, first: Array, second: Array) {
        let t = element_type(self.proc.arrays[first].elem);
        let (a, b) = (self.array_name(first).to_owned(), self.array_name(second).to_owned());
        let held = self.fresh("held");
        self.line(&format!("{t} *{held} = {a}; {a} = {b}; {b} = {held};"));
        let (a, b) = (self.owner_name(first), self.owner_name(second));
        self.line(&format!("frit_buffer *{held}_owner = {a}; {a} = {b}; {b} = {held}_owner;"));
    }

    /// The address of an element by its row-major position.
    fn pointer_at(&mut self, array: Array, offset: &Expr) -> String {
        let offset = self.expr(offset);
        let name = self.array_name(array);
        if offset.code == "0" { name.to_owned() } else { format!("{name} + {}", offset.summand()) }
    }

    // ---- failures and calls ----

    fn check(&mut self, cond: &Expr, kind: FailureKind, args: &[Expr], span: Span) {
        let cond = self.expr_text(cond);
        let site = self.module.site(Some(kind), span);
        let number = FailureKind::ALL.iter().position(|&k| k == kind).expect("all kinds are listed");
        let mut args: Vec<String> = args.iter().map(|arg| self.expr_text(arg)).collect();
        args.resize(2, "0".into());
        let comment = self.comment(span);
        let fail = format!("frit_fail(w, {site}, {number} /* {kind} */, {})", args.join(", "));
        match &self.exit {
            Exit::Return => self.line(&format!("if (FRIT_UNLIKELY(!({cond}))) return {fail};{comment}")),
            Exit::Label(label) => {
                let text = format!("if (FRIT_UNLIKELY(!({cond}))) {{ {fail}; goto {label}; }}{comment}");
                self.line(&text);
            }
        }
    }

    fn call(&mut self, callee: ProcId, args: &[Arg], results: &[Binding], span: Span) {
        let mut arguments = vec!["w".to_owned()];
        for (at, arg) in args.iter().enumerate() {
            match arg {
                Arg::Scalar(expr) => arguments.push(self.expr_text(expr)),
                Arg::Array(array) => {
                    arguments.push(self.array_name(*array).to_owned());
                    if self.module.param_owners[callee][at] {
                        arguments.push(self.owner_name(*array));
                    }
                }
            }
        }
        let mut places = Vec::new();
        for result in results {
            let place = self.fresh("returned");
            match *result {
                Binding::Var(var) => self.line(&format!("{} {place};", c_type(self.proc.vars[var].scalar))),
                Binding::Array(_) => self.line(&format!("frit_handover {place} = {{0}};")),
            }
            arguments.push(format!("&{place}"));
            places.push(place);
        }
        let (name, leave, comment) = (self.module.proc_names[callee].clone(), self.leave(), self.comment(span));
        self.line(&format!("if (FRIT_UNLIKELY({name}({}))) {leave}{comment}", arguments.join(", ")));
        // Scalars first: the extents of the arrays may be among them.
        for (result, place) in results.iter().zip(&places) {
            if let Binding::Var(var) = *result
                && self.is_kept(var)
            {
                let name = self.var_name(var);
                self.line(&format!("{name} = {place};"));
            } else if let Binding::Var(_) = *result {
                self.line(&format!("(void){place};"));
            }
        }
        for (result, place) in results.iter().zip(&places) {
            if let Binding::Array(array) = *result {
                self.assign_extents(array, false);
                let (elements, owner) = (self.array_name(array).to_owned(), self.owner_name(array));
                self.line(&format!("{elements} = {place}.elements;"));
                self.line(&format!("{owner} = {place}.owner;"));
            }
        }
    }

    /// True if something reads the variable, so that it is declared.
    pub(super) fn is_kept(&self, var: Var) -> bool {
        self.layout.vars[var].reads > 0 || self.layout.vars[var].in_frame
    }

    // ---- loops ----

    fn for_loop(&mut self, l: Loop, body: &Block<'p>, is_whole: bool) {
        let data: &'p LoopData = &self.proc.loops[l];
        if let Some(transposing) = self.transposing(l).filter(|_| is_whole) {
            return self.transpose(&transposing);
        }
        match &data.kind {
            LoopKind::Independent { parallel, simd, reductions }
                if is_whole && self.is_private(data, body, reductions) =>
            {
                let parallel = parallel.as_ref().filter(|_| !self.is_in_parallel && may_combine(self.proc, reductions));
                let simd = *simd && self.is_vectorisable(data);
                match parallel {
                    Some(parallel) => self.parallel_loop(data, body, parallel, simd, reductions),
                    None if simd => self.simd_loop(data, body, reductions),
                    None => self.sequential_loop(data, body),
                }
            }
            LoopKind::Scan { simd: true, reductions, .. }
                if is_whole && self.is_private(data, body, reductions) && self.has_no_heads(body.id) =>
            {
                self.simd_scan(data, body, reductions);
            }
            LoopKind::Independent { .. } | LoopKind::Sequential | LoopKind::Scan { .. } => {
                self.sequential_loop(data, body);
            }
        }
    }

    pub(super) fn sequential_loop(&mut self, data: &'p LoopData, body: &Block<'p>) {
        let (header, var) = self.loop_header(data);
        self.open(&header);
        match self.asks(self.has_loop(body), false) {
            Some(1) => self.ask("", data.span),
            Some(often) => self.ask(&format!("({var} & {}) == 0 && ", often - 1), data.span),
            None => {}
        }
        let outer = std::mem::replace(&mut self.is_repeated, true);
        self.inner(body);
        self.is_repeated = outer;
        self.close("}");
    }

    /// In how many iterations a loop that begins here asks once whether to go on, a power of two; `None` if it does not ask.
    /// Iterations that have no loops inside are too short, and loops inside of loops may be.
    fn asks(&self, has_loop: bool, is_while: bool) -> Option<u32> {
        let may_ask = self.module.options.interruptible && !self.is_in_parallel && !self.is_in_simd;
        let is_outermost = !self.is_repeated && self.module.is_entry(self.id);
        match (may_ask, is_outermost, has_loop) {
            (true, true, true) => Some(1),
            (true, true, false) if is_while => Some(1024),
            (true, false, true) => Some(256),
            _ => None,
        }
    }

    fn has_loop(&self, body: &Block<'p>) -> bool {
        body.items.iter().any(|item| match item {
            Item::Run(run) => self.has_loop(run),
            Item::Stmt { stmt, blocks, is_whole: _ } => {
                matches!(stmt, Stmt::For(_) | Stmt::While { .. } | Stmt::Call { .. })
                    || blocks.iter().any(|block| self.has_loop(block))
            }
        })
    }

    /// Leaves if the caller wants the run to end.
    fn ask(&mut self, when: &str, span: Span) {
        let (site, leave) = (self.module.site(None, span), self.leave());
        self.line(&format!("if ({when}frit_is_interrupted(w, {site})) {leave}"));
    }

    /// What follows is the body of a loop, for vectors or not.
    pub(super) fn enter_body(&mut self, simd: bool) {
        self.is_in_simd = simd;
        self.quotients = 0;
    }

    fn simd_loop(&mut self, data: &'p LoopData, body: &Block<'p>, reductions: &[Reduction]) {
        let (header, _) = self.loop_header(data);
        let clauses = self.clauses(data, body, reductions);
        self.line(&format!("#pragma omp simd{clauses}"));
        self.open(&header);
        self.enter_body(true);
        self.inner(body);
        self.is_in_simd = false;
        self.close("}");
    }

    /// `for (int64_t i = 0; i < n; i++) { // line 12`, and the variable.
    fn loop_header(&mut self, data: &LoopData) -> (String, String) {
        let lower = self.expr_text(&data.lower);
        let upper = self.bound(&data.upper);
        self.loop_header_between(data, &lower, &upper)
    }

    /// The same for the iterations from one value to another, which are C.
    pub(super) fn loop_header_between(&mut self, data: &LoopData, lower: &str, upper: &str) -> (String, String) {
        let var = match data.var {
            Some(var) => self.var_name(var),
            None => self.fresh("round"),
        };
        let step = if data.step == 1 { format!("{var}++") } else { format!("{var} += {}", data.step) };
        let declaration = if var.starts_with("f->") { "" } else { "int64_t " };
        let comment = self.comment(data.span);
        (format!("for ({declaration}{var} = {lower}; {var} < {upper}; {step}) {{{comment}"), var)
    }

    /// An upper bound: evaluated once.
    pub(super) fn bound(&mut self, upper: &Expr) -> String {
        let is_fixed = match upper {
            Expr::Const(_) => true,
            Expr::Var(var) => {
                let uses = &self.layout.vars[*var];
                let is_given = self.layout.is_loop_var[*var] || self.proc.params.contains(&Binding::Var(*var));
                !uses.in_frame && uses.writes + u32::from(is_given) <= 1
            }
            Expr::Load { .. } | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => false,
        };
        let text = self.expr_text(upper);
        if is_fixed {
            return text;
        }
        let name = self.fresh("end");
        self.line(&format!("const int64_t {name} = {text};"));
        name
    }

    /// The clauses of a loop directive, each with a blank before it.
    pub(super) fn clauses(&self, data: &LoopData, body: &Block<'p>, reductions: &[Reduction]) -> String {
        let mut clauses = String::new();
        for &Reduction { op, var } in reductions {
            clauses += &format!(" reduction({}:{})", reduction_operator(op), self.var_name(var));
        }
        clauses + &self.private_clause(data, body, reductions)
    }

    /// The clause of a loop directive for private variables, with a blank before it, if there are
    /// any.
    pub(super) fn private_clause(&self, data: &LoopData, body: &Block<'p>, reductions: &[Reduction]) -> String {
        let private: Vec<String> = (self.outer_assignments(data, body, reductions).into_iter())
            .flat_map(|binding| match binding {
                Binding::Var(var) => vec![self.var_name(var)],
                Binding::Array(array) => {
                    let owner = self.arrays[array].owner.clone();
                    std::iter::once(self.array_name(array).to_owned()).chain(owner).collect()
                }
            })
            .collect();
        if private.is_empty() { String::new() } else { format!(" private({})", private.join(", ")) }
    }

    /// True if what the loop assigns, reductions apart, can be private to an iteration in C.
    fn is_private(&self, data: &LoopData, body: &Block<'p>, reductions: &[Reduction]) -> bool {
        data.var.is_none_or(|var| !self.layout.vars[var].in_frame)
            && reductions.iter().all(|r| !self.layout.vars[r.var].in_frame)
            && self.outer_assignments(data, body, reductions).into_iter().all(|binding| match binding {
                Binding::Var(var) => !self.layout.vars[var].in_frame,
                // Extents and stack memory would have to be private too; such code is not worth
                // threads.
                Binding::Array(_) => false,
            })
    }

    /// Variables and arrays that are assigned in the loop but declared outside of it, each once and
    /// in order. These are reused names: only reductions live after the loop.
    pub(super) fn outer_assignments(
        &self,
        data: &LoopData,
        body: &Block<'p>,
        reductions: &[Reduction],
    ) -> Vec<Binding> {
        let mut found = Vec::new();
        self.proc.for_each_stmt(&data.body, &mut |stmt| {
            let mut note = |binding: Binding| {
                let (home, in_frame) = match binding {
                    Binding::Var(var) => (self.layout.vars[var].home, self.layout.vars[var].in_frame),
                    Binding::Array(array) => (self.layout.arrays[array].home, self.layout.arrays[array].in_frame),
                };
                let is_inner = !in_frame && home.is_some_and(|home| self.layout.is_within(home, body.id));
                let is_reduction = matches!(binding, Binding::Var(var) if reductions.iter().any(|r| r.var == var));
                let is_read = !matches!(binding, Binding::Var(var) if self.layout.vars[var].reads == 0);
                if !is_inner && !is_reduction && is_read && !found.contains(&binding) {
                    found.push(binding);
                }
            };
            stmt.for_each_mention(&mut |mention| match mention {
                Mention::Assigned(var) => note(Binding::Var(var)),
                Mention::Array(array, Role::Allocated | Role::Bound | Role::Swapped) => note(Binding::Array(array)),
                Mention::Array(..) | Mention::Expr(_) => {}
            });
        });
        found
    }

    /// True if a vector directive helps: the body is straight-line code, perhaps with conditions,
    /// short loops of constant length, and sequential loops that the lowering wants side by side.
    fn is_vectorisable(&self, data: &LoopData) -> bool {
        !self.proc.any_stmt(&data.body, &mut |stmt| match stmt {
            Stmt::Assign { .. } | Stmt::Store { .. } | Stmt::If { .. } => false,
            Stmt::For(l) => {
                let inner = &self.proc.loops[*l];
                let length = inner.upper.as_i64().zip(inner.lower.as_i64()).map(|(upper, lower)| upper - lower);
                length.map_or(!matches!(inner.kind, LoopKind::Sequential), |length| length > UNROLLED)
            }
            Stmt::Alloc { array } => !matches!(self.proc.arrays[*array].storage, Storage::Stack),
            Stmt::While { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Prefetch { .. }
            | Stmt::Effect { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => true,
        })
    }

    fn has_no_heads(&self, block: BlockId) -> bool {
        self.heads[block].is_empty()
    }
}

/// True if threads may combine their shares of these reductions in any order without changing a
/// bit: results must not depend on which thread comes first.
fn may_combine(proc: &frit_ir::nest::Proc, reductions: &[Reduction]) -> bool {
    reductions.iter().all(|r| {
        let scalar = proc.vars[r.var].scalar;
        r.op.is_exactly_associative(scalar) && r.op.is_commutative(scalar)
    })
}

/// The operator of a reduction clause.
pub(super) fn reduction_operator(op: BinOp) -> &'static str {
    match op {
        BinOp::ADD => "+",
        BinOp::MUL => "*",
        BinOp::MIN => "min",
        BinOp::MAX => "max",
        BinOp::AND => "&",
        BinOp::OR => "|",
        BinOp::XOR => "^",
        BinOp::SUB | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => {
            panic!("{} is no operation of reductions", op.name())
        }
    }
}
