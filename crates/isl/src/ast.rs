//! Loops: from an order of iterations to a tree of loops, conditions and statements.
//!
//! [`AstBuild`] makes an [`AstNode`]; [`AstNode::kind`] and [`AstExpr::kind`] take it apart. What a statement is, this
//! module does not know: it is a call of the tuple's name.

use crate::object::{Argument, Pass, collect};
use crate::sys;
use crate::{Error, Id, Result, Schedule, Set, UnionMap, Val};

objects! {
    /// How loops are built: what is known of parameters, options, names of iterators.
    pub struct AstBuild = isl_ast_build_copy, isl_ast_build_free;
    /// A loop, a condition, a sequence or a statement.
    pub struct AstNode = isl_ast_node_copy, isl_ast_node_free, isl_ast_node_to_C_str;
    /// An expression.
    pub struct AstExpr = isl_ast_expr_copy, isl_ast_expr_free, isl_ast_expr_to_C_str;
    pub(crate) struct IdList = isl_id_list_copy, isl_id_list_free;
    pub(crate) struct AstNodeList = isl_ast_node_list_copy, isl_ast_node_list_free;
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum AstNodeKind {
    /// `for (iterator = init; condition; iterator += increment) body`.
    For {
        /// The variable.
        iterator: AstExpr,
        /// Its first value.
        init: AstExpr,
        /// Under which condition there is an iteration.
        condition: AstExpr,
        /// The distance of iterations.
        increment: AstExpr,
        /// What is done in each.
        body: AstNode,
        /// Whether there is exactly one iteration; then condition and increment say nothing of use.
        degenerate: bool,
    },
    /// `if (condition) then else otherwise`.
    If {
        /// The condition.
        condition: AstExpr,
        /// What is done if it holds.
        then: AstNode,
        /// What is done if it does not.
        otherwise: Option<AstNode>,
    },
    /// One after another.
    Block(Vec<AstNode>),
    /// A statement: a call of the tuple's name.
    User(AstExpr),
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum AstExprKind {
    /// An operation on operands.
    Op(AstOp, Vec<AstExpr>),
    /// A parameter or an iterator.
    Id(Id),
    /// A number.
    Int(Val),
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident)*) => {
        /// The operations of expressions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AstOp {
            $($(#[$doc])* $name,)*
        }

        impl AstOp {
            /// In isl's order, so that the position is isl's number.
            const ALL: &[AstOp] = &[$(AstOp::$name),*];
        }
    };
}

operations! {
    /// Both operands hold.
    And
    /// Both operands hold; the second is evaluated only if the first holds.
    AndThen
    /// An operand holds.
    Or
    /// An operand holds; the second is evaluated only if the first does not hold.
    OrElse
    /// The greatest of two or more.
    Max
    /// The least of two or more.
    Min
    /// The negation.
    Minus
    /// The sum.
    Add
    /// The difference.
    Sub
    /// The product.
    Mul
    /// The quotient, which is known to be an integer.
    Div
    /// The quotient, rounded down.
    FdivQ
    /// The quotient of a dividend that is not negative, rounded down.
    PdivQ
    /// The remainder of a dividend that is not negative.
    PdivR
    /// The remainder, of which it only matters whether it is zero.
    ZdivR
    /// The second operand if the first holds, else the third; only that one is evaluated.
    Cond
    /// The second operand if the first holds, else the third.
    Select
    /// Equal.
    Eq
    /// Less or equal.
    Le
    /// Less.
    Lt
    /// Greater or equal.
    Ge
    /// Greater.
    Gt
    /// The first operand called with the others.
    Call
    /// The element of the first operand at the others.
    Access
    /// A member of a structure.
    Member
    /// The address of an element.
    AddressOf
}

impl AstNode {
    /// What it is.
    pub fn kind(&self) -> Result<AstNodeKind> {
        let kind: i32 = self.context().call(|| unsafe { sys::isl_ast_node_get_type(Pass::pass(&self)) })?;
        Ok(match kind {
            1 => AstNodeKind::For {
                iterator: self.for_get_iterator()?,
                init: self.for_get_init()?,
                condition: self.for_get_cond()?,
                increment: self.for_get_inc()?,
                body: self.for_get_body()?,
                degenerate: self.for_is_degenerate()?,
            },
            2 => AstNodeKind::If {
                condition: self.if_get_cond()?,
                then: self.if_get_then_node()?,
                otherwise: if self.if_has_else_node()? { Some(self.if_get_else_node()?) } else { None },
            },
            3 => AstNodeKind::Block(collect(&self.block_get_children()?, sys::isl_ast_node_list_foreach)?),
            5 => AstNodeKind::User(self.user_get_expr()?),
            _ => return Err(Error::invalid("a node of an unknown kind")),
        })
    }
}

impl AstExpr {
    /// What it is.
    pub fn kind(&self) -> Result<AstExprKind> {
        let kind: i32 = self.context().call(|| unsafe { sys::isl_ast_expr_get_type(Pass::pass(&self)) })?;
        Ok(match kind {
            0 => {
                let op: i32 = self.context().call(|| unsafe { sys::isl_ast_expr_op_get_type(Pass::pass(&self)) })?;
                let op = usize::try_from(op).ok().and_then(|op| AstOp::ALL.get(op).copied());
                let op = op.ok_or_else(|| Error::invalid("an expression of an unknown operation"))?;
                let operands = (0..self.op_get_n_arg()?).map(|pos| self.op_get_arg(pos)).collect::<Result<_>>()?;
                AstExprKind::Op(op, operands)
            }
            1 => AstExprKind::Id(self.id_get_id()?),
            2 => AstExprKind::Int(self.int_get_val()?),
            _ => return Err(Error::invalid("an expression of an unknown kind")),
        })
    }
}

methods! { AstNode;
    fn for_get_iterator() -> AstExpr = isl_ast_node_for_get_iterator;
    fn for_get_init() -> AstExpr = isl_ast_node_for_get_init;
    fn for_get_cond() -> AstExpr = isl_ast_node_for_get_cond;
    fn for_get_inc() -> AstExpr = isl_ast_node_for_get_inc;
    fn for_get_body() -> AstNode = isl_ast_node_for_get_body;
    fn for_is_degenerate() -> bool = isl_ast_node_for_is_degenerate;
    fn if_get_cond() -> AstExpr = isl_ast_node_if_get_cond;
    fn if_get_then_node() -> AstNode = isl_ast_node_if_get_then_node;
    fn if_has_else_node() -> bool = isl_ast_node_if_has_else_node;
    fn if_get_else_node() -> AstNode = isl_ast_node_if_get_else_node;
    fn block_get_children() -> AstNodeList = isl_ast_node_block_get_children;
    fn user_get_expr() -> AstExpr = isl_ast_node_user_get_expr;
}

methods! { AstExpr;
    fn op_get_n_arg() -> usize = isl_ast_expr_op_get_n_arg;
    fn op_get_arg(pos: usize) -> AstExpr = isl_ast_expr_op_get_arg;
    fn id_get_id() -> Id = isl_ast_expr_id_get_id;
    fn int_get_val() -> Val = isl_ast_expr_int_get_val;
}

impl AstBuild {
    /// With names of the iterators, from the outermost loop on.
    pub fn set_iterators(&self, names: &[&str]) -> Result<AstBuild> {
        let context = self.context();
        let count = names.len().hold(context)?;
        let mut list: IdList = context.call(|| unsafe { sys::isl_id_list_alloc(context.raw(), Pass::pass(&count)) })?;
        for name in names {
            let id = Id::new(context, name)?;
            list = context.call(|| unsafe { sys::isl_id_list_add(Pass::pass(&&list), Pass::pass(&&id)) })?;
        }
        context.call(|| unsafe { sys::isl_ast_build_set_iterators(Pass::pass(&self), Pass::pass(&&list)) })
    }
}

constructors! { AstBuild;
    /// Builds for parameters in a set.
    pub fn from_context(set: &Set) -> AstBuild = isl_ast_build_from_context;
}

methods! { AstBuild;
    /// Loops that visit the domain of a relation in the order of its outputs.
    pub fn node_from_schedule_map(schedule: &UnionMap) -> AstNode = isl_ast_build_node_from_schedule_map;
    /// Loops that visit iterations in the order of a tree: in less time than in that of a relation, where statements come one after another.
    pub fn node_from_schedule(schedule: &Schedule) -> AstNode = isl_ast_build_node_from_schedule;
}
