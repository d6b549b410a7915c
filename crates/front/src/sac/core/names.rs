//! Types as the language writes them, for messages.

use super::dispatch::Class;
use super::{Axis, Count, Elem, Pattern, Program};
use std::fmt;

impl Program {
    /// The name of an element type.
    pub fn elem_name(&self, elem: Elem) -> String {
        match elem {
            Elem::Basic(basic) => basic.name().to_string(),
            Elem::Nominal(id) => self.nominals[id].name.clone(),
            Elem::Struct(id) => format!("struct {}", self.structs[id].name),
        }
    }

    /// The type that a pattern stands for, its variables left out.
    pub fn type_name(&self, pattern: &Pattern) -> String {
        let part = |axis: &Axis| match axis {
            Axis::Extent(n) => n.to_string(),
            Axis::Any | Axis::Bind(_) => ".".to_string(),
            Axis::Axes { count: Count::Fixed(n), .. } => vec!["."; *n].join(","),
            Axis::Rest { at_least: 0 } | Axis::Axes { count: Count::Bind(_), at_least: 0, .. } => "*".to_string(),
            Axis::Rest { .. } | Axis::Axes { count: Count::Bind(_), .. } => "+".to_string(),
        };
        let parts: Vec<String> = pattern.axes.iter().map(part).filter(|part| !part.is_empty()).collect();
        let elem = self.elem_name(pattern.elem);
        if parts.is_empty() { elem } else { format!("{elem}[{}]", parts.join(",")) }
    }
}

impl fmt::Display for Class {
    /// In brackets; nothing for a scalar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Extents(extents) if extents.is_empty() => Ok(()),
            Class::Extents(extents) => {
                let parts: Vec<String> =
                    extents.iter().map(|n| n.map_or_else(|| ".".to_string(), |n| n.to_string())).collect();
                write!(f, "[{}]", parts.join(","))
            }
            Class::AtLeast(0) => f.write_str("[*]"),
            Class::AtLeast(1) => f.write_str("[+]"),
            Class::AtLeast(n) => write!(f, "[{}+]", ".,".repeat(n - 1)),
        }
    }
}
