//! What statements compute in which others are evaluated.

use crate::model::{Statement, StatementData};
use crate::program::Expr;
use frit_isl::{Dim, Error, Map};
use frit_support::Index;

/// A statement of the region as it was, evaluated where a statement stands: as that statement itself, or in the place of an operand.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The statement, as the region had it before.
    pub statement: Statement,
    /// The values of its loops' variables. [`Expr::Iterator`] of number `k` stands for the variable of the `k`-th loop round the statement that
    /// runs.
    pub iterators: Vec<Expr>,
    /// What became of each of its accesses.
    pub operands: Vec<Operand>,
    /// From instances of the statement that runs to instances of this one.
    pub(super) relation: Map,
}

/// What became of an access.
#[derive(Clone, Debug)]
pub enum Operand {
    /// The access of the statement that runs at this position.
    Access(usize),
    /// What is read is computed here.
    Value(Box<Evaluation>),
    /// The value is not written, but used where it is computed.
    Result,
}

impl Evaluation {
    /// The statement as it was.
    pub fn of(statement: Statement, data: &StatementData) -> Result<Evaluation, Error> {
        let relation = Map::identity(&Map::from_domain_and_range(&data.domain, &data.domain)?.get_space()?)?;
        let depth = data.domain.dim(Dim::Set)?;
        Ok(Evaluation {
            statement,
            iterators: (0..depth).map(|at| Expr::Iterator(Index::new(at))).collect(),
            operands: (0..data.accesses.len()).map(Operand::Access).collect(),
            relation,
        })
    }

    /// No other statement is evaluated in it.
    pub fn is_plain(&self) -> bool {
        self.operands.iter().all(|operand| matches!(operand, Operand::Access(_)))
    }

    /// The values of its loops' variables where those of the statement that runs have these.
    pub fn iterators_at(&self, variables: &[Expr]) -> Vec<Expr> {
        self.iterators.iter().map(|iterator| iterator.with_iterators(&|of| variables[of.at()].clone())).collect()
    }

    /// It, and all that are evaluated in it.
    pub fn all(&self) -> Vec<&Evaluation> {
        let mut found = vec![self];
        let mut at = 0;
        while let Some(evaluation) = found.get(at) {
            found.extend(evaluation.values());
            at += 1;
        }
        found
    }

    /// What is evaluated in the place of an operand.
    pub fn values(&self) -> impl Iterator<Item = &Evaluation> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Value(value) => Some(&**value),
            Operand::Access(_) | Operand::Result => None,
        })
    }

    /// The statement, and the position among its accesses, that an access of the statement that runs stems from.
    pub(super) fn origin(&self, position: usize) -> Option<(Statement, usize)> {
        self.operands.iter().enumerate().find_map(|(at, operand)| match operand {
            Operand::Access(found) => (*found == position).then_some((self.statement, at)),
            Operand::Value(value) => value.origin(position),
            Operand::Result => None,
        })
    }

    /// Evaluates `value` in the place of the access at `position` of the statement that runs. The accesses after it move down by one.
    pub(super) fn replace(&mut self, position: usize, value: &Evaluation) {
        for operand in &mut self.operands {
            match operand {
                Operand::Access(at) if *at == position => *operand = Operand::Value(Box::new(value.clone())),
                Operand::Access(at) => *at -= usize::from(*at > position),
                Operand::Value(inner) => inner.replace(position, value),
                Operand::Result => {}
            }
        }
    }

    /// The evaluation at other instances: `at` gives the variables of the statement that ran, `relation` its instances, and `operand` what
    /// becomes of its accesses.
    pub(super) fn moved(
        &self,
        at: &[Expr],
        relation: &Map,
        operand: &dyn Fn(usize) -> Operand,
    ) -> Result<Evaluation, Error> {
        let operands = self.operands.iter().map(|of| match of {
            Operand::Access(position) => Ok(operand(*position)),
            Operand::Value(inner) => Ok(Operand::Value(Box::new(inner.moved(at, relation, operand)?))),
            Operand::Result => Ok(Operand::Result),
        });
        Ok(Evaluation {
            statement: self.statement,
            iterators: self.iterators_at(at),
            operands: operands.collect::<Result<_, Error>>()?,
            relation: relation.apply_range(&self.relation)?,
        })
    }
}
