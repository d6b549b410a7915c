//! Uniqueness.
use super::Signatures;
use crate::l0::error::L0Error;
use crate::l0::typed::Function;

pub(super) fn check(_function: &Function, _signatures: &Signatures, _errors: &mut Vec<L0Error>) {}
