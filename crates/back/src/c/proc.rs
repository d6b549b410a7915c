//! Procedures of the loop IR as C functions: headers, declarations, frames and the handover of
//! results.
//!
//! A procedure becomes a static function that returns 0, or 1 after it has noted its failure in the
//! worker. On failure nothing is released: the whole call ends, and its context frees all live
//! memory.
//!
//! `layout` says which parts and declarations there are. Statements are printed in `stmt`.

use super::expr::Term;
use super::layout::{Block, BlockId, Layout, Uses};
use super::module::{Function, ModulePrinter};
use super::names::Names;
use super::scan::ScanBlock;
use super::types::{c_type, element_type};
use frit_ir::Scalar;
use frit_ir::nest::{Array, Binding, Expr, Proc, ProcId, Stmt, Storage, Var};
use frit_support::{Index, Span, Table};
use std::fmt::Write as _;

/// What an array is called in C.
#[derive(Clone, Debug, Default)]
pub(super) struct ArrayNames {
    /// Its first element.
    pub(super) elements: String,
    /// The buffer that it owns or shares; `None` for memory that is not counted.
    pub(super) owner: Option<String>,
    /// Its extents.
    pub(super) extents: Vec<Extent>,
}

/// An extent of an array in C.
#[derive(Clone, Debug)]
pub(super) enum Extent {
    Constant(i64),
    /// A variable of the loop IR that keeps its value as long as the array lives.
    Stable(Var),
    /// A variable of its own, assigned where the array is allocated or bound.
    Own(String),
}

/// What a failure does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Leaves the function.
    Return,
    /// Ends an iteration of a parallel loop.
    Label(String),
}

/// Prints one procedure.
pub(super) struct ProcPrinter<'m, 'p> {
    pub(super) module: &'m mut ModulePrinter<'p>,
    pub(super) id: ProcId,
    pub(super) proc: &'p Proc,
    pub(super) layout: Layout<'p>,
    name: String,
    names: Names,
    pub(super) vars: Table<Var, String>,
    pub(super) arrays: Table<Array, ArrayNames>,
    /// Variables and arrays to declare at the head of their blocks.
    pub(super) heads: Table<BlockId, Vec<Binding>>,
    /// The text of the current function.
    pub(super) out: String,
    pub(super) indent: usize,
    /// Outlined parts and loops, each after those it calls.
    outlined: Vec<Function>,
    /// The number of loops that are functions.
    pub(super) loop_count: usize,
    pub(super) block: BlockId,
    pub(super) exit: Exit,
    pub(super) is_in_parallel: bool,
    pub(super) is_in_simd: bool,
    /// The number of quotients in the current vector loop that could be sequences of
    /// multiplications.
    pub(super) quotients: usize,
    /// True while the first phase of a scan is printed.
    pub(super) scan_block: Option<ScanBlock>,
    /// True if the current statement is in a sequential loop.
    pub(super) is_repeated: bool,
}

/// Deeper code is not indented further, lest indentation outgrow the code.
const MAX_INDENT: usize = 24;

impl<'m, 'p> ProcPrinter<'m, 'p> {
    /// Prints the procedure and its parts, each behind what it calls. Its frame goes to the module's declarations.
    pub(super) fn print(module: &'m mut ModulePrinter<'p>, id: ProcId) -> Vec<Function> {
        let proc = &module.program.procs[id];
        let layout = Layout::new(proc);
        let heads = layout.blocks.iter().map(|_| Vec::new()).collect();
        let mut printer = ProcPrinter {
            name: module.proc_names[id].clone(),
            id,
            proc,
            block: layout.body.id,
            layout,
            names: Names::default(),
            vars: Table::new(),
            arrays: Table::new(),
            heads,
            out: String::new(),
            indent: 0,
            outlined: Vec::new(),
            loop_count: 0,
            exit: Exit::Return,
            is_in_parallel: false,
            is_in_simd: false,
            quotients: 0,
            scan_block: None,
            is_repeated: false,
            module,
        };
        printer.choose_names();
        printer.definition();
        let Self { mut outlined, out: text, .. } = printer;
        outlined.push(Function { declaration: None, text });
        outlined
    }

    // ---- names ----

    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.names.fresh(wanted)
    }

    fn choose_names(&mut self) {
        let proc = self.proc;
        for (var, data) in proc.vars.iter() {
            let wanted = data.name.as_deref().map_or_else(|| var.to_string(), str::to_owned);
            let name = self.placed(&wanted, self.layout.vars[var].in_frame);
            self.vars.push(name);
        }
        for (array, data) in proc.arrays.iter() {
            let in_frame = self.layout.arrays[array].in_frame;
            let wanted = data.name.as_deref().map_or_else(|| format!("a{}", array.at()), str::to_owned);
            let elements = match &data.storage {
                Storage::Table(tensor) => self.module.table(tensor, &wanted),
                Storage::Param { .. } | Storage::Heap | Storage::Stack | Storage::Reference => {
                    self.placed(&wanted, in_frame)
                }
            };
            let owned = match data.storage {
                Storage::Param { .. } => self.module.passes_owner(self.id, array),
                Storage::Heap | Storage::Reference => true,
                Storage::Stack | Storage::Table(_) => false,
            };
            let owner = owned.then(|| self.placed(&format!("{wanted}_owner"), in_frame));
            let extents = (0..data.extents.len()).map(|axis| self.choose_extent(array, axis, &wanted)).collect();
            self.arrays.push(ArrayNames { elements, owner, extents });
        }
        for var in proc.vars.indices() {
            let uses = &self.layout.vars[var];
            self.note_head(Binding::Var(var), uses.clone(), uses.writes > 0);
        }
        for (array, data) in proc.arrays.iter() {
            let declares = match data.storage {
                Storage::Heap | Storage::Stack | Storage::Reference => true,
                Storage::Param { .. } | Storage::Table(_) => false,
            };
            self.note_head(Binding::Array(array), self.layout.arrays[array].clone(), declares);
        }
    }

    /// A fresh name, or the place in the frame.
    fn placed(&mut self, wanted: &str, in_frame: bool) -> String {
        let name = self.names.fresh(wanted);
        if in_frame { format!("f->{name}") } else { name }
    }

    fn choose_extent(&mut self, array: Array, axis: usize, wanted: &str) -> Extent {
        let data = &self.proc.arrays[array];
        let is_param = matches!(data.storage, Storage::Param { .. });
        match &data.extents[axis] {
            Expr::Const(value) if value.as_i64().is_some() => Extent::Constant(value.as_i64().unwrap_or_default()),
            Expr::Var(var) if is_param || self.is_stable(*var, array) => Extent::Stable(*var),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Load { .. }
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Select { .. }
            | Expr::Threads => {
                let name = format!("{wanted}_extent{axis}");
                Extent::Own(self.placed(&name, self.layout.arrays[array].in_frame))
            }
        }
    }

    /// True if the variable cannot change between the array's beginning and its last use.
    fn is_stable(&self, var: Var, array: Array) -> bool {
        let uses = &self.layout.vars[var];
        if self.layout.is_loop_var[var] {
            return false;
        }
        // A parameter has a value before any assignment.
        let is_param = self.is_param(Binding::Var(var));
        match (uses.writes + u32::from(is_param && uses.writes > 0), uses.written_in, self.layout.arrays[array].home) {
            (0, _, _) => true,
            (1, Some(block), Some(home)) => self.layout.is_within(home, block),
            _ => false,
        }
    }

    /// Notes what is declared at the head of a block because its first mention cannot declare it.
    fn note_head(&mut self, binding: Binding, uses: Uses, declares: bool) {
        let Some(home) = uses.home else { return };
        if declares && !uses.in_frame && uses.begins_in != Some(home) && !self.is_param(binding) {
            self.heads[home].push(binding);
        }
    }

    fn is_param(&self, binding: Binding) -> bool {
        // Array parameters are known by their storage.
        matches!(binding, Binding::Var(_)) && self.proc.params.contains(&binding)
    }

    pub(super) fn var_name(&self, var: Var) -> String {
        self.vars[var].clone()
    }

    pub(super) fn array_name(&self, array: Array) -> &str {
        &self.arrays[array].elements
    }

    pub(super) fn owner_name(&self, array: Array) -> String {
        self.arrays[array].owner.clone().unwrap_or_else(|| "NULL".into())
    }

    pub(super) fn extent(&self, array: Array, axis: usize) -> Term {
        match &self.arrays[array].extents[axis] {
            Extent::Constant(value) => Term::i64(*value),
            Extent::Stable(var) => Term::atom(self.var_name(*var), Scalar::I64),
            Extent::Own(name) => Term::atom(name.clone(), Scalar::I64),
        }
    }

    /// Declares, or assigns in the frame, the extents that are variables of their own.
    pub(super) fn assign_extents(&mut self, array: Array, declares: bool) {
        for axis in 0..self.proc.arrays[array].extents.len() {
            if let Extent::Own(name) = self.arrays[array].extents[axis].clone() {
                let value = self.expr_text(&self.proc.arrays[array].extents[axis].clone());
                let t = if declares { "int64_t " } else { "" };
                self.line(&format!("{t}{name} = {value};"));
            }
        }
    }

    /// The C expression of an array's number of elements.
    pub(super) fn count(&self, array: Array) -> String {
        let rank = self.proc.arrays[array].extents.len();
        let constant = (0..rank).try_fold(1i64, |count, axis| match &self.arrays[array].extents[axis] {
            Extent::Constant(extent) => count.checked_mul((*extent).max(0)),
            Extent::Stable(_) | Extent::Own(_) => None,
        });
        if let Some(count) = constant {
            return count.to_string();
        }
        let extents: Vec<String> = (0..rank).map(|axis| self.extent(array, axis).code).collect();
        format!("frit_count({rank}, (const int64_t[]){{{}}})", extents.join(", "))
    }

    /// The type of a pointer to the array's elements, up to the name.
    pub(super) fn pointer_type(&self, array: Array) -> String {
        let data = &self.proc.arrays[array];
        let t = element_type(data.elem);
        match data.storage {
            Storage::Param { consumed: false } => format!("const {t} *restrict "),
            // Nothing else names fresh memory, but for references that come from this very pointer.
            Storage::Param { consumed: true } | Storage::Heap => format!("{t} *restrict "),
            Storage::Reference => format!("{t} *"),
            Storage::Stack | Storage::Table(_) => panic!("{array} is no pointer"),
        }
    }

    pub(super) fn element_size(&self, array: Array) -> String {
        match self.proc.arrays[array].elem {
            // Certificates carry no bits.
            Scalar::Cert => "0".into(),
            elem => format!("sizeof({})", element_type(elem)),
        }
    }

    // ---- text ----

    /// Prints a line.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.indent.min(MAX_INDENT) {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Prints a line that opens a block.
    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// Prints the line that closes a block.
    pub(super) fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    /// ` // line 12`, if the span is in a source file.
    pub(super) fn comment(&self, span: Span) -> String {
        self.module.position(span).map_or_else(String::new, |position| format!(" // line {}", position.line))
    }

    // ---- the function ----

    fn definition(&mut self) {
        let proc = self.proc;
        let has_frame = self.layout.part_count > 1;
        let header = self.header();
        let comment = self.comment(proc.span);
        self.open(&format!("{header} {{{comment}"));
        if self.module.is_recursive[self.id] {
            let site = self.module.site(None, proc.span);
            let frame = if has_frame { format!("sizeof(struct frit_frame_{})", self.name) } else { "0".into() };
            self.line(&format!("if (frit_is_too_deep(w, {site}, {frame})) return 1;"));
        }
        if has_frame {
            self.line(&format!("struct frit_frame_{0} frame, *const f = &frame;", self.name));
            self.copy_params_to_frame();
        }
        for at in 0..proc.params.len() {
            if let Binding::Var(var) = proc.params[at]
                && self.layout.vars[var].reads == 0
                && !self.layout.vars[var].in_frame
            {
                self.line(&format!("(void){};", self.vars[var]));
            }
            if let Binding::Array(array) = proc.params[at]
                && self.layout.arrays[array].reads + self.layout.arrays[array].writes == 0
                && !self.layout.arrays[array].in_frame
            {
                self.line(&format!("(void){};", self.arrays[array].elements));
            }
        }
        let body =
            std::mem::replace(&mut self.layout.body, Block { id: self.block, outlined: None, items: Vec::new() });
        self.declare_heads(body.id);
        self.items(&body.items);
        self.hand_over_results();
        if !self.out.contains("(w,") && !self.out.contains("w->") {
            self.line("(void)w;");
        }
        self.line("return 0;");
        self.close("}");
        self.out.push('\n');
        if has_frame {
            self.module.declarations += &self.frame();
        }
    }

    /// The function's header, without the brace.
    fn header(&self) -> String {
        let mut params = vec!["frit_worker *w".to_owned()];
        for (at, &param) in self.proc.params.iter().enumerate() {
            match param {
                Binding::Var(var) => {
                    params.push(format!("{} {}", c_type(self.proc.vars[var].scalar), self.param_name(&self.vars[var])));
                }
                Binding::Array(array) => {
                    let names = &self.arrays[array];
                    params.push(format!("{}{}", self.pointer_type(array), self.param_name(&names.elements)));
                    if self.module.param_owners[self.id][at] {
                        params.push(format!("frit_buffer *{}", self.param_name(&self.owner_name(array))));
                    }
                }
            }
        }
        for (at, &result) in self.proc.results.iter().enumerate() {
            params.push(match result {
                Binding::Var(var) => format!("{} *result{at}", c_type(self.proc.vars[var].scalar)),
                Binding::Array(_) => format!("frit_handover *result{at}"),
            });
        }
        format!("static int {}({})", self.name, params.join(", "))
    }

    /// Parameters that live in the frame arrive under another name.
    fn param_name(&self, name: &str) -> String {
        name.strip_prefix("f->").map_or_else(|| name.to_owned(), |name| format!("frit_given_{name}"))
    }

    fn copy_params_to_frame(&mut self) {
        for at in 0..self.proc.params.len() {
            let mut names = Vec::new();
            match self.proc.params[at] {
                Binding::Var(var) => names.push(self.vars[var].clone()),
                Binding::Array(array) => {
                    names.push(self.arrays[array].elements.clone());
                    names.extend(self.arrays[array].owner.clone());
                }
            }
            for name in names.iter().filter(|name| name.starts_with("f->")) {
                let given = self.param_name(name);
                self.line(&format!("{name} = {given};"));
            }
        }
    }

    /// The C type that a variable is declared with.
    pub(super) fn var_type(&self, var: Var) -> &'static str {
        match self.layout.truth_bytes[var] {
            8.. => "int64_t",
            4.. => "int32_t",
            2.. => "int16_t",
            _ => c_type(self.proc.vars[var].scalar),
        }
    }

    /// The structure that the parts of the procedure share.
    fn frame(&self) -> String {
        let mut frame = format!("struct frit_frame_{} {{\n", self.name);
        let mut field = |declaration: String| {
            writeln!(frame, "    {declaration};").expect("a string takes any text");
        };
        let plain = |name: &str| name.trim_start_matches("f->").to_owned();
        for (var, _) in self.proc.vars.iter() {
            if self.layout.vars[var].in_frame {
                field(format!("{} {}", self.var_type(var), plain(&self.vars[var])));
            }
        }
        for (array, data) in self.proc.arrays.iter() {
            if !self.layout.arrays[array].in_frame {
                continue;
            }
            let names = &self.arrays[array];
            match data.storage {
                Storage::Table(_) => continue,
                Storage::Stack => field(self.stack_declaration(array)),
                Storage::Param { .. } | Storage::Heap | Storage::Reference => {
                    field(format!("{}{}", self.pointer_type(array), plain(&names.elements)));
                }
            }
            if let Some(owner) = &names.owner {
                field(format!("frit_buffer *{}", plain(owner)));
            }
            for extent in &names.extents {
                if let Extent::Own(name) = extent {
                    field(format!("int64_t {}", plain(name)));
                }
            }
        }
        frame + "};\n\n"
    }

    pub(super) fn stack_declaration(&self, array: Array) -> String {
        let name = self.arrays[array].elements.trim_start_matches("f->");
        let count: i64 =
            self.count(array).parse().unwrap_or_else(|_| panic!("{array} is on the stack; its extents are constants"));
        format!("FRIT_ALIGNED {} {name}[{}]", element_type(self.proc.arrays[array].elem), count.max(1))
    }

    /// Prints a block as a function of its own, and the call of it.
    pub(super) fn part(&mut self, block: &Block<'p>, part: usize) {
        let name = format!("{}_part{part}", self.name);
        let out = std::mem::take(&mut self.out);
        let indent = std::mem::take(&mut self.indent);
        let header = format!("int {name}(frit_worker *w, struct frit_frame_{} *f)", self.name);
        self.indent += 1;
        self.line("(void)w, (void)f;");
        self.block_inside(block);
        self.line("return 0;");
        let text = std::mem::replace(&mut self.out, out);
        self.indent = indent;
        self.outline(&header, "", &text, false);
        self.line(&format!("if ({name}(w, f)) return 1;"));
    }

    /// Adds a function with this header and body to those that are printed before this one.
    pub(super) fn outline(&mut self, header: &str, comment: &str, body: &str, is_inlined: bool) {
        let (kind, declaration) = if is_inlined {
            ("static FRIT_INLINE", None)
        } else if self.module.calls_functions(body) {
            ("static FRIT_NOINLINE", None)
        } else {
            ("FRIT_APART", Some(format!("FRIT_APART {header};\n")))
        };
        self.outlined.push(Function { text: format!("{kind} {header} {{{comment}\n{body}}}\n\n"), declaration });
    }

    /// The name of the function.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The declarations and statements of a block whose braces are printed.
    pub(super) fn block_inside(&mut self, block: &Block<'p>) {
        let outer = std::mem::replace(&mut self.block, block.id);
        self.declare_heads(block.id);
        self.items(&block.items);
        self.block = outer;
    }

    pub(super) fn declare_heads(&mut self, block: BlockId) {
        for binding in std::mem::take(&mut self.heads[block]) {
            match binding {
                Binding::Var(var) => {
                    if self.layout.vars[var].reads > 0 {
                        self.line(&format!("{} {} = 0;", self.var_type(var), self.vars[var]));
                    }
                }
                Binding::Array(array) => self.declare_array(array),
            }
        }
    }

    fn declare_array(&mut self, array: Array) {
        if matches!(self.proc.arrays[array].storage, Storage::Stack) {
            let declaration = self.stack_declaration(array);
            self.line(&format!("{declaration};"));
            return;
        }
        let names = self.arrays[array].clone();
        self.line(&format!("{}{} = NULL;", self.pointer_type(array), names.elements));
        if let Some(owner) = &names.owner {
            self.line(&format!("frit_buffer *{owner} = NULL;"));
        }
        for extent in &names.extents {
            if let Extent::Own(name) = extent {
                self.line(&format!("int64_t {name} = 0;"));
            }
        }
    }

    /// Hands over the results: values, and arrays with their ownership.
    fn hand_over_results(&mut self) {
        for at in 0..self.proc.results.len() {
            match self.proc.results[at] {
                Binding::Var(var) => {
                    let name = self.var_name(var);
                    self.line(&format!("*result{at} = {name};"));
                }
                Binding::Array(array) => self.hand_over(at, array),
            }
        }
    }

    fn hand_over(&mut self, at: usize, array: Array) {
        let names = self.arrays[array].clone();
        let data = &self.proc.arrays[array];
        match data.storage {
            Storage::Heap => {
                self.line(&format!("result{at}->elements = {};", names.elements));
                self.line(&format!("result{at}->owner = {};", self.owner_name(array)));
            }
            Storage::Reference | Storage::Param { .. } | Storage::Stack | Storage::Table(_) => {
                let site = self.module.site(None, data.span);
                let (count, size) = (self.count(array), self.element_size(array));
                let function = match data.storage {
                    Storage::Reference => "frit_hand_over",
                    Storage::Heap | Storage::Param { .. } | Storage::Stack | Storage::Table(_) => "frit_share",
                };
                let owner = self.owner_name(array);
                self.line(&format!(
                    "if ({function}(w, {site}, result{at}, {}, {owner}, {count}, {size})) return 1;",
                    names.elements
                ));
            }
        }
        if self.module.is_entry(self.id) {
            let extents: Vec<String> = (0..data.extents.len()).map(|axis| self.extent(array, axis).code).collect();
            if !extents.is_empty() {
                self.open(&format!("if (result{at}->shape != NULL) {{"));
                for (axis, extent) in extents.iter().enumerate() {
                    self.line(&format!("result{at}->shape[{axis}] = frit_extent({extent});"));
                }
                self.close("}");
            }
        }
    }
}

/// True if running the statement can fail, or touch the memory of the worker.
pub(super) fn needs_worker(proc: &Proc, stmts: &[Stmt]) -> bool {
    proc.any_stmt(stmts, &mut |stmt| match stmt {
        Stmt::Alloc { array } => !matches!(proc.arrays[*array].storage, Storage::Stack),
        stmt => matches!(
            stmt,
            Stmt::Release { .. } | Stmt::Bind { .. } | Stmt::Check { .. } | Stmt::Effect { .. } | Stmt::Call { .. }
        ),
    })
}

/// The index of a part, for its name.
pub(super) fn part_number(part: super::layout::Part) -> usize {
    part.at()
}
