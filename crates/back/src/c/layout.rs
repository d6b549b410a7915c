//! The layout of a procedure as C: its blocks, the C function that each block is printed in, and
//! the place where every variable and array is declared.
//!
//! A C compiler's time grows faster than the length of a function, and its parser limits how deep
//! braces nest. Code that is too long or too deep is therefore *outlined*: its blocks become parts.
//! A part is a function of its own, and parts share variables in a frame. Procedures of ordinary
//! size have one part and no frame.
//!
//! This module knows no C syntax. Read `stmt` for the printing.

use frit_ir::Scalar;
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, Binding, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_support::{Index, Table, define_index};
use std::collections::HashMap;

define_index!(
    /// A brace-enclosed block of generated C.
    BlockId, "block"
);
define_index!(
    /// A function of generated C that holds part of a procedure; the first is the procedure itself.
    Part, "part"
);

/// Weight, in statements and larger expressions, up to which code stays in one function.
const PART_WEIGHT: u32 = 1500;
/// Nesting depth up to which code stays in one function.
const PART_HEIGHT: u32 = 40;

/// A block and what it contains.
#[derive(Debug)]
pub(super) struct Block<'p> {
    pub(super) id: BlockId,
    /// The block is the body of a function of its own.
    pub(super) outlined: Option<Part>,
    pub(super) items: Vec<Item<'p>>,
}

/// What a block contains.
#[derive(Debug)]
pub(super) enum Item<'p> {
    /// A statement with its blocks in order. A `while` has two, of one brace-enclosed block.
    Stmt {
        stmt: &'p Stmt,
        blocks: Vec<Block<'p>>,
        /// No inner block is outlined.
        is_whole: bool,
    },
    /// A run of statements in a function of its own.
    Run(Block<'p>),
}

/// Where a block is.
#[derive(Debug)]
pub(super) struct BlockData {
    pub(super) parent: Option<BlockId>,
    depth: u32,
    pub(super) part: Part,
}

/// How a variable or array is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// The innermost block that encloses all uses; the declaration goes there.
    pub(super) home: Option<BlockId>,
    /// It is used in several parts: it lives in the frame.
    pub(super) in_frame: bool,
    /// How often it is read.
    pub(super) reads: u32,
    /// How often it is assigned, loop headers not counted. For arrays: how often it may be written
    /// through.
    pub(super) writes: u32,
    /// The block of the only assignment.
    pub(super) written_in: Option<BlockId>,
    /// The first mention, in order, is an assignment directly in this block.
    pub(super) begins_in: Option<BlockId>,
}

/// The layout of a procedure.
#[derive(Debug)]
pub(super) struct Layout<'p> {
    pub(super) body: Block<'p>,
    pub(super) blocks: Table<BlockId, BlockData>,
    pub(super) part_count: usize,
    pub(super) vars: Table<Var, Uses>,
    pub(super) arrays: Table<Array, Uses>,
    /// Variables that a loop header assigns.
    pub(super) is_loop_var: Table<Var, bool>,
    /// For truth values in vector loops over wider elements, the bytes of these elements. Otherwise
    /// each comparison would have to be narrowed for each step of a reduction.
    pub(super) truth_bytes: Table<Var, usize>,
    /// Bytes of the widest element that the current loop loads.
    widest_load: usize,
}

impl<'p> Layout<'p> {
    /// Lays a procedure out.
    pub(super) fn new(proc: &'p Proc) -> Self {
        let mut outliner = Outliner { proc, sizes: HashMap::new(), blocks: Table::new(), part_count: 1, splits: false };
        let total = outliner.measure(&proc.body);
        outliner.splits = total.weight > 2 * PART_WEIGHT || total.height > 2 * PART_HEIGHT;
        let root = outliner.block(None, Part::new(0));
        let body = Block { id: root, outlined: None, items: outliner.items(&proc.body, root, 0) };
        let Outliner { blocks, part_count, .. } = outliner;
        let mut layout = Self {
            body: Block { id: root, outlined: None, items: Vec::new() },
            blocks,
            part_count,
            vars: proc.vars.iter().map(|_| Uses::default()).collect(),
            arrays: proc.arrays.iter().map(|_| Uses::default()).collect(),
            is_loop_var: proc.vars.iter().map(|_| false).collect(),
            truth_bytes: proc.vars.iter().map(|_| 1).collect(),
            widest_load: 0,
        };
        layout.count_interface(proc, root);
        layout.count_block(proc, &body);
        layout.count_results(proc, root);
        layout.body = body;
        layout
    }

    /// True if `inner` is `outer` or lies in it.
    pub(super) fn is_within(&self, inner: BlockId, outer: BlockId) -> bool {
        let mut at = inner;
        while self.blocks[at].depth > self.blocks[outer].depth {
            at = self.blocks[at].parent.expect("a block with a depth has a parent");
        }
        at == outer
    }

    fn common(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        let up = |block: BlockId| self.blocks[block].parent.expect("blocks of a procedure have a common ancestor");
        while a != b {
            if self.blocks[a].depth >= self.blocks[b].depth {
                a = up(a);
            } else {
                b = up(b);
            }
        }
        a
    }

    fn mention(&self, uses: &Uses, block: BlockId) -> (BlockId, bool) {
        let home = uses.home.map_or(block, |home| self.common(home, block));
        let crosses = uses.home.is_some_and(|home| self.blocks[home].part != self.blocks[block].part);
        (home, uses.in_frame || crosses || self.blocks[home].part != self.blocks[block].part)
    }

    fn read_var(&mut self, var: Var, block: BlockId) {
        let (home, in_frame) = self.mention(&self.vars[var], block);
        let uses = &mut self.vars[var];
        (uses.home, uses.in_frame) = (Some(home), in_frame);
        uses.reads += 1;
    }

    fn write_var(&mut self, var: Var, block: BlockId, directly: bool) {
        let (home, in_frame) = self.mention(&self.vars[var], block);
        let uses = &mut self.vars[var];
        if uses.home.is_none() && directly {
            uses.begins_in = Some(block);
        }
        (uses.home, uses.in_frame) = (Some(home), in_frame);
        uses.writes += 1;
        uses.written_in = (uses.writes == 1).then_some(block);
    }

    fn mention_array(&mut self, array: Array, block: BlockId, begins: bool) {
        let (home, in_frame) = self.mention(&self.arrays[array], block);
        let uses = &mut self.arrays[array];
        if uses.home.is_none() && begins {
            uses.begins_in = Some(block);
        }
        (uses.home, uses.in_frame) = (Some(home), in_frame);
    }

    fn read_array(&mut self, array: Array, block: BlockId) {
        self.mention_array(array, block, false);
        self.arrays[array].reads += 1;
    }

    fn write_array(&mut self, array: Array, block: BlockId) {
        self.mention_array(array, block, false);
        self.arrays[array].writes += 1;
    }

    /// Parameters are declared by the procedure's header: their home is the root block.
    fn count_interface(&mut self, proc: &Proc, root: BlockId) {
        for &param in &proc.params {
            match param {
                Binding::Var(var) => {
                    self.read_var(var, root);
                    self.vars[var].reads = 0;
                }
                Binding::Array(array) => {
                    self.mention_array(array, root, false);
                    self.count_extents(proc, array, root);
                }
            }
        }
    }

    fn count_results(&mut self, proc: &Proc, root: BlockId) {
        for &result in &proc.results {
            match result {
                Binding::Var(var) => self.read_var(var, root),
                Binding::Array(array) => {
                    self.read_array(array, root);
                    self.count_extents(proc, array, root);
                }
            }
        }
    }

    fn count_extents(&mut self, proc: &Proc, array: Array, block: BlockId) {
        for extent in &proc.arrays[array].extents {
            self.count_expr(proc, extent, block);
        }
    }

    fn count_expr(&mut self, proc: &Proc, expr: &Expr, block: BlockId) {
        expr.for_each_part(&mut |part| match part {
            Expr::Var(var) => self.read_var(*var, block),
            Expr::Load { array, index: _ } => {
                self.read_array(*array, block);
                self.widest_load = self.widest_load.max(proc.arrays[*array].elem.bytes());
            }
            Expr::Const(_) | Expr::Threads | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } => {}
        });
    }

    fn count_block(&mut self, proc: &Proc, block: &Block<'_>) {
        for item in &block.items {
            match item {
                Item::Run(run) => self.count_block(proc, run),
                Item::Stmt { stmt, blocks, is_whole: _ } => self.count_stmt(proc, stmt, blocks, block.id),
            }
        }
    }

    fn count_stmt(&mut self, proc: &Proc, stmt: &Stmt, blocks: &[Block<'_>], here: BlockId) {
        if let Stmt::While { before: _, cond, body: _ } = stmt {
            self.count_block(proc, &blocks[0]);
            self.count_expr(proc, cond, blocks[0].id);
            return self.count_block(proc, &blocks[1]);
        }
        stmt.for_each_expr(proc, &mut |expr| self.count_expr(proc, expr, here));
        stmt.for_each_assigned(&mut |var| self.write_var(var, here, matches!(stmt, Stmt::Assign { .. })));
        stmt.for_each_array(&mut |array, role| match role {
            Role::Stored | Role::Filled | Role::Passed | Role::Swapped => self.write_array(array, here),
            Role::Read | Role::Shared | Role::Prefetched => self.read_array(array, here),
            Role::Allocated => self.mention_array(array, here, true),
            Role::Released => self.mention_array(array, here, false),
            Role::Bound => self.mention_array(array, here, matches!(stmt, Stmt::Bind { .. })),
        });
        match stmt {
            Stmt::For(l) => self.count_loop(proc, &proc.loops[*l], &blocks[0], here),
            _ => blocks.iter().for_each(|block| self.count_block(proc, block)),
        }
    }

    /// The variable of a loop, its reductions and its body.
    fn count_loop(&mut self, proc: &Proc, data: &LoopData, body: &Block<'_>, here: BlockId) {
        if let LoopKind::Independent { reductions, .. } | LoopKind::Scan { reductions, .. } = &data.kind {
            for reduction in reductions {
                self.read_var(reduction.var, here);
            }
        }
        if let Some(var) = data.var {
            self.is_loop_var[var] = true;
            let (home, in_frame) = self.mention(&self.vars[var], here);
            let uses = &mut self.vars[var];
            (uses.home, uses.in_frame) = (Some(home), in_frame);
        }
        let around = std::mem::take(&mut self.widest_load);
        self.count_block(proc, body);
        if let LoopKind::Independent { parallel: _, simd: true, reductions } = &data.kind {
            let truths = reductions.iter().filter(|reduction| proc.vars[reduction.var].scalar == Scalar::Bool);
            for reduction in truths {
                let bytes = &mut self.truth_bytes[reduction.var];
                *bytes = self.widest_load.max(*bytes);
            }
        }
        self.widest_load = self.widest_load.max(around);
    }
}

/// How large code is.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    weight: u32,
    height: u32,
}

/// Divides a procedure into blocks and parts.
struct Outliner<'p> {
    proc: &'p Proc,
    /// Of every statement, by its address.
    sizes: HashMap<*const Stmt, Size>,
    blocks: Table<BlockId, BlockData>,
    part_count: usize,
    splits: bool,
}

impl<'p> Outliner<'p> {
    fn measure(&mut self, stmts: &[Stmt]) -> Size {
        let mut total = Size::default();
        for stmt in stmts {
            let inner = stmt.blocks(self.proc).map(|block| self.measure(block)).reduce(beside).map(nested);
            let own = match stmt {
                Stmt::For(_) | Stmt::While { .. } => 0,
                Stmt::If { cond, .. } => expr_weight(cond),
                Stmt::Assign { var: _, value } => 1 + expr_weight(value),
                Stmt::Store { array: _, index, value } => {
                    1 + index.iter().map(expr_weight).sum::<u32>() + expr_weight(value)
                }
                _ => 2,
            };
            let size = beside(inner.unwrap_or_default(), Size { weight: own, height: 0 });
            self.sizes.insert(std::ptr::from_ref(stmt), size);
            total = beside(total, size);
        }
        total
    }

    fn size(&self, stmt: &Stmt) -> Size {
        *self.sizes.get(&std::ptr::from_ref(stmt)).expect("every statement was measured")
    }

    fn is_small(&self, stmt: &Stmt) -> bool {
        let size = self.size(stmt);
        size.weight <= PART_WEIGHT && size.height < PART_HEIGHT
    }

    fn block(&mut self, parent: Option<BlockId>, part: Part) -> BlockId {
        let depth = parent.map_or(0, |parent| self.blocks[parent].depth + 1);
        self.blocks.push(BlockData { parent, depth, part })
    }

    fn part(&mut self) -> Part {
        let part = Part::new(self.part_count);
        self.part_count += 1;
        part
    }

    /// The items of a block `levels` deep in its function.
    fn items(&mut self, stmts: &'p [Stmt], id: BlockId, levels: u32) -> Vec<Item<'p>> {
        let weight = |outliner: &Self| stmts.iter().fold(0u32, |sum, s| sum.saturating_add(outliner.size(s).weight));
        if !self.splits || weight(self) <= PART_WEIGHT {
            return stmts.iter().map(|stmt| self.item(stmt, id, levels)).collect();
        }
        let mut items = Vec::new();
        let mut run = 0..0;
        let mut run_weight = 0;
        for (at, stmt) in stmts.iter().enumerate() {
            let is_small = self.is_small(stmt);
            if !is_small || run_weight > PART_WEIGHT {
                items.extend(self.run(&stmts[run.clone()], id));
                (run, run_weight) = (at..at, 0);
            }
            if is_small {
                run.end = at + 1;
                run_weight += self.size(stmt).weight;
            } else {
                items.push(self.item(stmt, id, levels));
                run = at + 1..at + 1;
            }
        }
        items.extend(self.run(&stmts[run], id));
        items
    }

    fn run(&mut self, stmts: &'p [Stmt], parent: BlockId) -> Option<Item<'p>> {
        if stmts.is_empty() {
            return None;
        }
        let part = self.part();
        let id = self.block(Some(parent), part);
        let items = stmts.iter().map(|stmt| self.item(stmt, id, 0)).collect();
        Some(Item::Run(Block { id, outlined: Some(part), items }))
    }

    fn item(&mut self, stmt: &'p Stmt, here: BlockId, levels: u32) -> Item<'p> {
        let parts = self.part_count;
        // What is small stays whole, so that its loops keep their threads and vectors.
        let splits = self.splits;
        self.splits &= !self.is_small(stmt);
        let blocks = match stmt {
            Stmt::For(l) => vec![self.inner(loop_body(self.proc, *l), here, levels)],
            Stmt::While { before, cond: _, body } => {
                // One C block, as `before` and `body` share variables; only runs within them are
                // outlined.
                let part = self.blocks[here].part;
                let id = self.block(Some(here), part);
                let before = Block { id, outlined: None, items: self.items(before, id, levels + 1) };
                let body = Block { id, outlined: None, items: self.items(body, id, levels + 1) };
                vec![before, body]
            }
            stmt => stmt.inner().map(|block| self.inner(block, here, levels)).collect(),
        };
        self.splits = splits;
        Item::Stmt { stmt, blocks, is_whole: parts == self.part_count }
    }

    /// A block within a statement of `parent`, outlined if it is too deep or heavy.
    fn inner(&mut self, stmts: &'p [Stmt], parent: BlockId, levels: u32) -> Block<'p> {
        let own_weight = stmts.iter().map(|stmt| self.size(stmt).weight).filter(|w| *w <= PART_WEIGHT).sum::<u32>();
        let is_nested = stmts.iter().any(|stmt| self.size(stmt).height > 0);
        let goes = self.splits && ((levels >= PART_HEIGHT && is_nested) || own_weight > PART_WEIGHT / 4);
        let outlined = goes.then(|| self.part());
        let part = outlined.unwrap_or(self.blocks[parent].part);
        let id = self.block(Some(parent), part);
        Block { id, outlined, items: self.items(stmts, id, if goes { 0 } else { levels + 1 }) }
    }
}

fn loop_body(proc: &Proc, l: Loop) -> &[Stmt] {
    &proc.loops[l].body
}

fn nested(size: Size) -> Size {
    Size { weight: size.weight.saturating_add(1), height: size.height + 1 }
}

fn beside(a: Size, b: Size) -> Size {
    Size { weight: a.weight.saturating_add(b.weight), height: a.height.max(b.height) }
}

/// Operations per statement's weight, so that huge expressions count.
fn expr_weight(expr: &Expr) -> u32 {
    u32::try_from(expr.size() / 8).unwrap_or(u32::MAX)
}
