//! Replacing values on the way through a function, without losing the certificates they stood under.
//!
//! A pass walks the function in the order of execution and hands every statement to [`Replacements::apply`] before it looks at
//! it, so replacements of replacements never arise.
//!
//! A statement that is replaced by an operand may have listed certificates. They must not be lost, or the check behind
//! them would be dead code: every statement that used the value lists them from then on. Where the value is used without a
//! statement (as the result of a block, in a type) that is impossible, and [`Replacements::replace`] refuses.

use frit_ir::array::walk::{Renaming, rename_operand, rename_type};
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Value};
use frit_support::Index;
use std::collections::HashMap;

/// What stands for which value, and which certificates its uses owe.
pub(crate) struct Replacements {
    renaming: Renaming,
    owed: HashMap<Value, Vec<Value>>,
    /// Values used where no certificate can be listed.
    pinned: Vec<bool>,
    /// Those of them that are results of a block.
    yielded: Vec<bool>,
}

impl Replacements {
    pub(crate) fn new(func: &Func) -> Self {
        let mut yielded = vec![false; func.values.len()];
        pin_block(&func.body, func, &mut yielded);
        let mut pinned = yielded.clone();
        for (_, data) in func.values.iter() {
            data.ty.shape.iter().filter_map(|&e| Operand::from(e).value()).for_each(|v| pinned[v.at()] = true);
        }
        Self { renaming: Renaming::new(), owed: HashMap::new(), pinned, yielded }
    }

    /// From now on `value` is `by`, under these certificates. False if it cannot be.
    #[must_use]
    pub(crate) fn replace(&mut self, value: Value, by: Operand, certs: &[Value]) -> bool {
        if !self.can_owe(value, certs) {
            return false;
        }
        if by == Operand::Value(value) {
            return true;
        }
        self.renaming.insert(value, by);
        if !certs.is_empty() {
            self.owed.insert(value, certs.to_vec());
        }
        true
    }

    /// As [`replace`](Self::replace), for a number that is not negative, by one that is the same under these certificates and
    /// negative at worst without them. As an extent that means the same, so types need not list them.
    #[must_use]
    pub(crate) fn replace_size(&mut self, value: Value, by: Value, certs: &[Value]) -> bool {
        if self.yielded.get(value.at()).copied().unwrap_or(true) {
            return false;
        }
        self.renaming.insert(value, by.into());
        self.owed.insert(value, certs.to_vec());
        true
    }

    /// True if the uses of the value can list these certificates.
    pub(crate) fn can_owe(&self, value: Value, certs: &[Value]) -> bool {
        certs.is_empty() || !self.pinned.get(value.at()).copied().unwrap_or(true)
    }

    /// Takes back what stands for a value.
    pub(crate) fn forget(&mut self, value: Value) {
        self.renaming.remove(&value);
    }

    pub(crate) fn operand(&self, operand: Operand) -> Operand {
        rename_operand(operand, &self.renaming)
    }

    /// Rewrites the operands, certificates and types of a statement; not the blocks inside it.
    pub(crate) fn apply(&self, func: &mut Func, stmt: &mut Stmt) {
        if self.renaming.is_empty() {
            return;
        }
        let mut owed: Vec<Value> = Vec::new();
        if !self.owed.is_empty() {
            stmt.op.for_each_operand(func, &mut |operand| {
                if let Some(certs) = operand.value().and_then(|v| self.owed.get(&v)) {
                    owed.extend(certs);
                }
            });
        }
        let renaming = &self.renaming;
        let mut rename = |operand: Operand| rename_operand(operand, renaming);
        match &mut stmt.op {
            // A certificate may become a constant, which has no place here.
            Op::Conjoin { certs } => {
                *certs = certs.iter().filter_map(|&c| rename(c.into()).value()).collect();
            }
            op => op.map_operands(&mut rename),
        }
        if let Op::With(w) = stmt.op {
            func.with_loops[w].map_operands(&mut rename);
        }
        if stmt.certs.iter().any(|c| renaming.contains_key(c)) || !owed.is_empty() {
            stmt.certs.extend(owed);
            stmt.certs = stmt.certs.iter().filter_map(|&c| rename(c.into()).value()).collect();
            stmt.certs.sort_unstable();
            stmt.certs.dedup();
        }
        let results = std::mem::take(&mut stmt.results);
        results.iter().for_each(|&result| rename_type(&mut func.values[result].ty, renaming));
        stmt.results = results;
        let mut binders = Vec::new();
        stmt.op.for_each_binder(func, &mut |binder| binders.push(binder));
        binders.into_iter().for_each(|binder| rename_type(&mut func.values[binder].ty, renaming));
    }

    pub(crate) fn results(&self, block: &mut Block) {
        block.results.iter_mut().for_each(|o| *o = rename_operand(*o, &self.renaming));
    }
}

fn pin_block(block: &Block, func: &Func, pinned: &mut [bool]) {
    for stmt in &block.stmts {
        stmt.op.for_each_block(func, &mut |inner| pin_block(inner, func, pinned));
    }
    block.results.iter().filter_map(|o| o.value()).for_each(|v| pinned[v.at()] = true);
}

/// Replaces values everywhere, after closing chains; certificates may become constants.
pub(crate) fn substitute(func: &mut Func, mut renaming: Renaming) {
    close(&mut renaming);
    let body = std::mem::take(&mut func.body);
    func.body = thin_conjunctions(func, body, &renaming);
    func.substitute(&renaming);
}

/// Takes certificates that become constants out of conjunctions, which list values alone.
fn thin_conjunctions(func: &mut Func, mut block: Block, renaming: &Renaming) -> Block {
    if !renaming.values().any(|by| by.constant() == Some(frit_ir::Const::Cert)) {
        return block;
    }
    for stmt in &mut block.stmts {
        if let Op::Conjoin { certs } = &mut stmt.op {
            certs.retain(|&cert| rename_operand(cert.into(), renaming).value().is_some());
        }
        func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
            let body = std::mem::take(inner);
            *inner = thin_conjunctions(func, body, renaming);
        });
    }
    block
}

/// Follows chains: afterwards no replacement is itself replaced.
fn close(renaming: &mut Renaming) {
    let keys: Vec<Value> = renaming.keys().copied().collect();
    for key in keys {
        let mut chain = Vec::new();
        let mut at = key;
        let end = loop {
            match renaming.get(&at) {
                None => break Operand::Value(at),
                Some(&Operand::Const(c)) => {
                    chain.push(at);
                    break Operand::Const(c);
                }
                Some(&Operand::Value(next)) => {
                    chain.push(at);
                    at = next;
                }
            }
        };
        for value in chain {
            renaming.insert(value, end);
        }
    }
}
