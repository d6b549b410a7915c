//! From what was read of a region to sets, relations and templates.
//!
//! Here it is decided which dimensions arrays have, which accesses are exact, and which arrays may overlap and so are one.

use super::Reason;
use super::affine::{Atom, Cond, Expr, ParamText, Params, choices};
use super::aliases::classes;
use super::builder::{Builder, Effects, Object, RawAccess, RawHole, RawNode, RawStatement};
use super::carried::mark_carried;
use super::delinearise::{Flat, Shape};
use super::liveness::{Liveness, Surroundings};
use super::names::Decl;
use super::notes::{attach_comments, indent};
use super::regions::Found;
use super::syntax::is_within;
use crate::ast::{CType, Size};
use crate::region::{CArray, CLoop, CParam, Declaration, Form, Hole, HoleKind, Outside, Pinned};
use crate::region::{Region, Remark, Storage, Template};
use frit_isl::{Map, PwAff, Set};
use frit_scop::model::{ArrayData, Home, LoopData, ParamData, Reduction};
use frit_scop::{Access, AccessKind, Array, Loop, Node as ScopNode, Param, Scop, Statement, StatementData};
use frit_support::{Index, Span, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A region whose statements are read.
pub(crate) struct Finisher<'t, 'f> {
    builder: Builder<'t, 'f>,
    surroundings: Surroundings,
    /// What the subscripts of a linear array are multiplied with.
    strides: BTreeMap<Object, Vec<Expr>>,
    /// What the subscripts of a linear array are added to, where that is not 0.
    starts: BTreeMap<Object, Expr>,
    /// Statements that do nothing that matters.
    dead: BTreeSet<usize>,
    /// The array of each object.
    arrays: BTreeMap<Object, Array>,
    /// Objects that share an array with others.
    merged: BTreeSet<Object>,
    c_arrays: Table<Array, CArray>,
    array_data: Table<Array, RawArray>,
    memory: Option<Array>,
}

/// An array before its sets are made.
struct RawArray {
    name: String,
    elem_bytes: u64,
    extents: Vec<Option<String>>,
    dims: usize,
    liveness: Liveness,
    home: Home,
    span: Span,
}

impl<'t, 'f> Finisher<'t, 'f> {
    pub(crate) fn new(builder: Builder<'t, 'f>, surroundings: Surroundings) -> Self {
        Self {
            builder,
            surroundings,
            strides: BTreeMap::new(),
            starts: BTreeMap::new(),
            dead: BTreeSet::new(),
            arrays: BTreeMap::new(),
            merged: BTreeSet::new(),
            c_arrays: Table::new(),
            array_data: Table::new(),
            memory: None,
        }
    }

    /// The region; `None` if nothing is in it.
    pub(crate) fn finish(
        mut self,
        found: &Found<'t>,
        nodes: &[RawNode],
    ) -> Result<(Option<Region>, Vec<Remark>), String> {
        for object in self.builder.objects.indices().collect::<Vec<_>>() {
            self.shape(object);
        }
        self.settle();
        self.bury();
        self.spread_unknown();
        self.make_arrays();
        let nodes = alive(nodes, &self.dead);
        if nodes.is_empty() {
            return Ok((None, self.builder.remarks));
        }
        self.describe(found, &nodes)
            .map(|region| (Some(region), self.builder.remarks))
            .map_err(|error| error.to_string())
    }

    /// Finds the dimensions of an array that is subscripted as one of one dimension.
    fn shape(&mut self, object: Object) {
        let data = &self.builder.objects[object];
        let is_fixed = data.heap.is_some() || self.builder.is_inside(data.decl);
        if data.dims != 1 {
            return;
        }
        let total = data.heap.as_ref().and_then(|heap| heap.elements.clone()).or_else(|| data.extents[0].clone());
        let flat = |statement: &RawStatement, access: &RawAccess| {
            let subscript = access.subscripts.first()?.clone()?;
            (access.object == object).then(|| Flat {
                depth: statement.loops.len(),
                conds: statement.conds.clone(),
                subscript,
            })
        };
        let flats: Vec<Flat> = self
            .builder
            .statements
            .iter()
            .flat_map(|statement| statement.effects.accesses.iter().filter_map(|access| flat(statement, access)))
            .collect();
        let all = self.builder.statements.iter().flat_map(|statement| &statement.effects.accesses);
        let is_exact = all.filter(|access| access.object == object).count() == flats.len();
        if is_exact && self.shape_in_multiples(object, &flats, total.as_ref(), is_fixed).is_some() {
            return;
        }
        if let Some((shape, extents)) = self.rows(&flats, total.as_ref(), is_fixed) {
            self.set_shape(object, shape.subscripts, extents, shape.strides);
        }
    }

    /// Finds the dimensions of an array whose subscripts are one number and multiples of a parameter.
    fn shape_in_multiples(
        &mut self,
        object: Object,
        flats: &[Flat],
        total: Option<&Expr>,
        is_fixed: bool,
    ) -> Option<()> {
        let spacing = self.builder.spacing(flats)?;
        let total = total.filter(|total| self.builder.starts_inside(&spacing, total));
        let of_multiples: Vec<Flat> = flats
            .iter()
            .zip(&spacing.multiples)
            .map(|(flat, multiple)| Flat { depth: flat.depth, conds: flat.conds.clone(), subscript: multiple.clone() })
            .collect();
        let (subscripts, extents, strides) = match self.rows(&of_multiples, total, is_fixed) {
            Some((shape, extents)) => {
                let strides = shape.strides.iter().map(|stride| stride * &spacing.by).collect();
                (shape.subscripts, extents, strides)
            }
            None => {
                let subscripts = spacing.multiples.into_iter().map(|multiple| vec![multiple]).collect();
                (subscripts, vec![total.cloned()], vec![spacing.by])
            }
        };
        let is_affine = subscripts.iter().flatten().all(|subscript| self.builder.params.is_affine(subscript));
        if !is_affine || is_fixed && extents[0].is_none() {
            return None;
        }
        self.set_shape(object, subscripts, extents, strides);
        if !spacing.start.is_zero() {
            self.starts.insert(object, spacing.start);
        }
        Some(())
    }

    /// The dimensions of an array, and their extents.
    fn rows(&mut self, flats: &[Flat], total: Option<&Expr>, is_fixed: bool) -> Option<(Shape, Vec<Option<Expr>>)> {
        let shape = self.builder.delinearise(flats)?;
        let extents = self.whole_rows(&shape, total, flats).unwrap_or_else(|| shape.extents(total.cloned()));
        (!is_fixed || extents[0].is_some()).then_some((shape, extents))
    }

    fn set_shape(
        &mut self,
        object: Object,
        subscripts: Vec<Vec<Expr>>,
        extents: Vec<Option<Expr>>,
        strides: Vec<Expr>,
    ) {
        let dims = strides.len();
        let mut subscripts = subscripts.into_iter();
        for access in self.builder.statements.iter_mut().flat_map(|statement| &mut statement.effects.accesses) {
            if access.object == object {
                access.subscripts = match access.subscripts[0] {
                    Some(_) => subscripts.next().expect("one for each access").into_iter().map(Some).collect(),
                    None => vec![None; dims],
                };
            }
        }
        let data = &mut self.builder.objects[object];
        (data.dims, data.extents) = (dims, extents);
        self.strides.insert(object, strides);
    }

    /// The extents of an array that has a few elements more than rows, if nothing reaches these: `w * h + 1`.
    fn whole_rows(&mut self, shape: &Shape, total: Option<&Expr>, flats: &[Flat]) -> Option<Vec<Option<Expr>>> {
        let total = total?;
        let rest = total.terms().find(|(monomial, factor)| monomial.powers().is_empty() && *factor > 0)?.1;
        let extents = shape.extents(Some(total.clone() - Expr::constant(rest)));
        let rows = extents[0].clone()?;
        let stays_in = |(flat, subscripts): (&Flat, &Vec<Expr>)| {
            let beyond = Cond::at_most(&rows, &subscripts[0]);
            self.builder.is_empty(flat.depth, flat.conds.iter().chain([&beyond]))
        };
        flats.iter().zip(&shape.subscripts).all(stays_in).then_some(extents)
    }

    /// Subscripts that are not affine are not known; what stands in them is read, then.
    fn settle(&mut self) {
        let params = &mut self.builder.params;
        for statement in &mut self.builder.statements {
            let effects = &mut statement.effects;
            for access in &mut effects.accesses {
                for subscript in &mut access.subscripts {
                    if subscript.as_ref().is_some_and(|expr| !params.is_affine(expr)) {
                        *subscript = None;
                    }
                }
            }
            let mut more = Vec::new();
            for hole in &mut effects.holes {
                let is_exact =
                    hole.accesses.iter().all(|at| effects.accesses[*at].subscripts.iter().all(Option::is_some));
                let (accesses, holes) = std::mem::take(&mut hole.derived);
                if is_exact {
                    continue;
                }
                if hole.name.is_none() {
                    for at in &hole.accesses {
                        let object = effects.accesses[*at].object;
                        self.builder.objects[object].is_pinned = true;
                    }
                }
                more.push((accesses, holes));
            }
            for (accesses, holes) in more {
                let by = effects.accesses.len();
                effects.accesses.extend(accesses);
                effects.holes.extend(holes.into_iter().map(|mut hole| {
                    hole.accesses.iter_mut().for_each(|at| *at += by);
                    hole
                }));
            }
            // A write of a place that is not known is none that is sure.
            for access in &mut effects.accesses {
                if access.kind == AccessKind::Write && access.subscripts.iter().any(Option::is_none) {
                    access.kind = AccessKind::MayWrite;
                }
            }
            if let Some((read, write, _)) = statement.reduction
                && [read, write].iter().any(|at| effects.accesses[*at].subscripts.iter().any(Option::is_none))
            {
                statement.reduction = None;
            }
        }
    }

    /// Finds statements that give a value to a variable which nothing reads.
    fn bury(&mut self) {
        loop {
            let statements = self.builder.statements.iter().enumerate().filter(|(at, _)| !self.dead.contains(at));
            let read: BTreeSet<Object> = statements
                .clone()
                .flat_map(|(_, statement)| &statement.effects.accesses)
                .filter(|access| access.kind == AccessKind::Read)
                .map(|access| access.object)
                .collect();
            let is_used = |object: &Object| {
                let decl = self.builder.objects[*object].decl;
                let after = self.builder.names.occurrences.get(&decl).into_iter().flatten();
                read.contains(object) || after.into_iter().any(|node| node.start_byte() >= self.builder.region.end)
            };
            let dead: Vec<usize> = statements
                .filter(|(_, statement)| statement.defines.is_some_and(|object| !is_used(&object)))
                .map(|(at, _)| at)
                .collect();
            if dead.is_empty() {
                break;
            }
            self.dead.extend(dead);
        }
        // A pointer to a row that stays has the array's name in its text.
        for at in 0..self.builder.statements.len() {
            if let (false, Some(object)) = (self.dead.contains(&at), self.builder.statements[at].defines)
                && let Some(super::builder::Binding::Row(base, _)) =
                    self.builder.bindings.get(&self.builder.objects[object].decl)
            {
                self.builder.objects[*base].is_pinned = true;
            }
        }
    }

    /// Who touches memory that is not known touches whatever others may know of.
    fn spread_unknown(&mut self) {
        let builder = &mut self.builder;
        let used: BTreeSet<Object> = builder
            .statements
            .iter()
            .flat_map(|statement| &statement.effects.accesses)
            .map(|access| access.object)
            .collect();
        let all = builder.statements.iter().flat_map(|statement| &statement.effects.accesses);
        let written: BTreeSet<Object> =
            all.filter(|access| access.kind != AccessKind::Read).map(|access| access.object).collect();
        let reachable: BTreeSet<Object> = used
            .iter()
            .copied()
            .filter(|object| {
                let data = &builder.objects[*object];
                let is_restrict = matches!(data.of, CType::Pointer { is_restrict: true, .. }) && !data.is_member;
                if data.dims == 0 {
                    builder.names.decls[data.decl].is_global() || builder.taken.contains(&data.decl)
                } else {
                    data.is_member
                        || builder.is_reachable(data.decl)
                            && !(is_restrict && builder.escape(data.decl) == Default::default())
                }
            })
            .collect();
        // What the body of a loop declares is there only in it.
        let lives_in: BTreeMap<Object, usize> = used
            .iter()
            .filter(|object| builder.is_inside(builder.objects[**object].decl))
            .filter_map(|object| {
                let declared = &builder.names.decls[builder.objects[*object].decl].range;
                Some((*object, builder.innermost_loop(declared)?))
            })
            .collect();
        for statement in &mut builder.statements {
            let effects = &mut statement.effects;
            let is_there = |object: &&Object| lives_in.get(object).is_none_or(|of| statement.loops.contains(of));
            // Where control goes on, values of all that the region writes may be needed.
            for object in if effects.jumps { &written } else { &reachable }.iter().filter(is_there) {
                let subscripts = vec![None; builder.objects[*object].dims];
                let mut touch =
                    |kind| effects.accesses.push(RawAccess { object: *object, kind, subscripts: subscripts.clone() });
                if effects.reads_unknown {
                    touch(AccessKind::Read);
                }
                if effects.writes_unknown {
                    touch(AccessKind::MayWrite);
                }
            }
        }
    }

    fn make_arrays(&mut self) {
        let alive = self.builder.statements.iter().enumerate().filter(|(at, _)| !self.dead.contains(at));
        let mut used: Vec<Object> = Vec::new();
        let mut written: BTreeSet<Object> = BTreeSet::new();
        let mut pointers: Vec<Object> = Vec::new();
        for access in alive.flat_map(|(_, statement)| &statement.effects.accesses) {
            if !used.contains(&access.object) {
                used.push(access.object);
            }
            if access.kind != AccessKind::Read {
                written.insert(access.object);
            }
        }
        // What only the text after the region uses is declared for it.
        for (object, data) in self.builder.objects.iter() {
            let all = self.builder.names.occurrences.get(&data.decl).into_iter().flatten();
            let is_used_later = all.into_iter().any(|node| node.start_byte() >= self.builder.region.end);
            if is_used_later && !data.is_member && self.builder.is_inside(data.decl) && !used.contains(&object) {
                used.push(object);
                if matches!(data.of, CType::Pointer { .. }) && data.heap.is_none() {
                    pointers.push(object);
                }
            }
        }
        // Of a pointer that is set behind the region, there is only itself.
        for pointer in pointers {
            self.builder.objects[pointer].dims = 0;
        }
        let classes = classes(&self.builder, &used, &written);
        for class in classes {
            let array = match class[..] {
                [one] => self.array(one),
                _ => self.overlapping(&class),
            };
            for object in class {
                self.arrays.insert(object, array);
            }
        }
        let touches_unknown =
            |statement: &RawStatement| statement.effects.reads_unknown || statement.effects.writes_unknown;
        if self.builder.statements.iter().any(touches_unknown) {
            self.memory = Some(self.unknown_array("memory", String::new(), 1));
        }
    }

    fn unknown_array(&mut self, name: &str, element: String, elem_bytes: u64) -> Array {
        let span = Span::new(self.builder.file, self.builder.region.start, self.builder.region.start);
        self.array_data.push(RawArray {
            name: name.to_string(),
            elem_bytes,
            extents: Vec::new(),
            dims: 0,
            liveness: Liveness::ALL,
            home: Home::Outside,
            span,
        });
        self.c_arrays.push(CArray {
            name: name.to_string(),
            element,
            alignment: String::new(),
            is_number: false,
            is_float: false,
            form: Form::Unknown,
            start: None,
            extents: Vec::new(),
            declaration: None,
            outside: None,
            is_pinned: false,
        })
    }

    /// One array of several objects that may overlap.
    fn overlapping(&mut self, class: &[Object]) -> Array {
        let names: Vec<String> =
            class.iter().map(|object| format!("`{}`", self.builder.objects[*object].name)).collect();
        let declared = self.builder.names.decls[self.builder.objects[class[0]].decl].range.clone();
        let region = self.builder.region.clone();
        let place = if declared.is_empty() { region } else { declared };
        self.builder.remark(
            Reason::MayAlias,
            place,
            format!(
                "{} may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`",
                names.join(", ")
            ),
        );
        self.merged.extend(class);
        let first = &self.builder.objects[class[0]];
        let (element, bytes) =
            (self.builder.names.decls[first.decl].element_text(), first.of.element().bytes().unwrap_or(8));
        let name = class.iter().map(|object| self.builder.objects[*object].name.clone()).collect::<Vec<_>>().join("|");
        self.unknown_array(&name, element, bytes)
    }

    fn array(&mut self, object: Object) -> Array {
        let liveness = self.builder.liveness(object, &self.surroundings);
        let data = self.builder.objects[object].clone();
        let decl = self.builder.names.decls[data.decl].clone();
        let is_inside = self.builder.is_inside(data.decl);
        let home = match (is_inside, self.builder.innermost_loop(&decl.range)) {
            (false, _) => Home::Outside,
            (true, None) => Home::Region,
            (true, Some(at)) => Home::Body(Loop::new(at)),
        };
        let params = &mut self.builder.params;
        let c_extents: Vec<Option<String>> = data
            .extents
            .iter()
            .take(data.dims)
            .map(|extent| extent.as_ref().and_then(|extent| params.c_text(extent)))
            .collect();
        let extents: Vec<Option<String>> = data
            .extents
            .iter()
            .take(data.dims)
            .map(|extent| extent.as_ref().and_then(|extent| params.function(extent)))
            .collect();
        let form = match self.strides.get(&object) {
            _ if data.dims == 0 => Form::Scalar,
            Some(strides) => {
                Form::Linear(strides.iter().map(|stride| stride_text(params, stride, data.is_wide)).collect())
            }
            None if data.dims == 1 && !data.is_subscripted && self.is_at_zero(object) => Form::Pointed,
            None => Form::Nested,
        };
        let start = self.starts.get(&object);
        let start = start.map(|start| stride_text(&mut self.builder.params, start, data.is_wide));
        let element = if data.dims == 0 { decl.scalar_text() } else { decl.element_text() };
        let of = if data.dims == 0 { &data.of } else { data.of.element() };
        let declaration = if is_inside { self.declaration(object, &element) } else { None };
        self.array_data.push(RawArray {
            name: data.name.clone(),
            elem_bytes: of.bytes().unwrap_or(8),
            extents,
            dims: data.dims,
            liveness,
            home,
            span: Span::new(self.builder.file, decl.range.start, decl.range.end),
        });
        let is_float = matches!(of, CType::Float { .. });
        let is_number = is_float || matches!(of, CType::Int { .. });
        let element = if data.is_member { data.base } else { element };
        let (name, extents) = (data.name, c_extents);
        let outside = if is_inside { None } else { self.outside(object, &form, &extents) };
        self.c_arrays.push(CArray {
            name,
            element,
            alignment: decl.alignment(),
            is_number,
            is_float,
            form,
            start,
            extents,
            declaration,
            is_pinned: data.is_pinned,
            outside,
        })
    }

    /// What stands outside of the region for an array. Of one that is linear the extents stand where it gets its size.
    fn outside(&self, object: Object, form: &Form, extents: &[Option<String>]) -> Option<Result<Outside, Pinned>> {
        let mut outside = self.builder.outside(object)?;
        if let Ok(outside) = &mut outside
            && let Ok(size) = &outside.size
            && let Form::Linear(_) = form
        {
            let stands = size.allocation.as_ref().map(|call| &call.arguments).or(size.brackets.first()).cloned();
            let stands = stands.unwrap_or(0..0);
            let is_known = |extent: &Option<String>| {
                extent.as_ref().is_some_and(|text| self.builder.is_known_from(text, stands.start))
            };
            if size.brackets.len() + usize::from(size.allocation.is_some()) > 1 || !extents.iter().all(is_known) {
                outside.size = Err(Pinned { why: "gives it its size before that is known".to_string(), range: stands });
            }
        }
        Some(outside)
    }

    /// Only the first element of the array is accessed.
    fn is_at_zero(&self, object: Object) -> bool {
        let accesses = self.builder.statements.iter().flat_map(|statement| &statement.effects.accesses);
        accesses.filter(|access| access.object == object).all(|access| access.subscripts == [Some(Expr::zero())])
    }

    fn declaration(&mut self, object: Object, element: &str) -> Option<Declaration> {
        let data = &self.builder.objects[object];
        let decl = &self.builder.names.decls[data.decl];
        let text = self.declared(data.decl)?;
        let storage = match &data.heap {
            None => Storage::Automatic,
            Some(heap) => {
                let (is_zeroed, is_freed) = (heap.is_zeroed, heap.is_freed);
                let allocation = match heap.elements.as_ref().filter(|_| heap.names_locals) {
                    None => heap.allocation.clone(),
                    Some(elements) => {
                        let elements = self.builder.params.c_text(elements)?;
                        if is_zeroed {
                            format!("calloc({elements}, sizeof({element}))")
                        } else {
                            format!("malloc(({elements}) * sizeof({element}))")
                        }
                    }
                };
                Storage::Heap { allocation, is_zeroed, is_freed }
            }
        };
        Some(Declaration { range: decl.statement?.byte_range(), text, storage })
    }

    /// A declaration of a variable alone, as `float *restrict t` or `float t[n][4]`.
    fn declared(&self, decl: Decl) -> Option<String> {
        let data = &self.builder.names.decls[decl];
        let is_pointer = matches!(data.of, CType::Pointer { .. });
        let base = if data.typed.is_const && is_pointer { "const " } else { "" };
        let base = format!("{base}{}", data.typed.base);
        let mut declarator = data.name.clone();
        let mut at = &data.of;
        loop {
            match at {
                CType::Array { element, size, .. } => {
                    declarator += &format!("[{}]", self.extent(*size)?);
                    at = element;
                }
                CType::Pointer { target, is_restrict } => {
                    let restrict = if *is_restrict { "restrict " } else { "" };
                    declarator = format!("*{restrict}{declarator}");
                    if matches!(**target, CType::Array { .. }) {
                        declarator = format!("({declarator})");
                    }
                    at = target;
                }
                CType::Function => return None,
                _ => return Some(format!("{}{base} {declarator}", data.alignment())),
            }
        }
    }

    /// The extent of an array as the source has it.
    fn extent(&self, size: Size) -> Option<String> {
        let source = &self.builder.facts.source;
        let written = size.node.and_then(|node| self.builder.facts.tree.node(node).place());
        written.map(|place| source[place].to_string()).or_else(|| size.count.map(|count| count.to_string()))
    }

    fn is_exact(&self, access: &RawAccess) -> bool {
        !self.merged.contains(&access.object) && access.subscripts.iter().all(Option::is_some)
    }

    /// The relation of an access without its parameters.
    fn relation(&mut self, statement: Statement, depth: usize, access: &RawAccess) -> (Array, String) {
        let array = self.arrays[&access.object];
        let from: Vec<String> = (0..depth).map(|at| format!("i{at}")).collect();
        let subscripts = if self.merged.contains(&access.object) { &[][..] } else { &access.subscripts[..] };
        let params = &mut self.builder.params;
        let (mut to, mut conds) = (Vec::new(), Vec::new());
        for (at, subscript) in subscripts.iter().enumerate() {
            let place = Expr::symbol(Atom::Var(depth + at));
            to.push(match subscript {
                Some(subscript) if !choices(subscript).is_empty() => {
                    conds.extend(params.cond(&Cond::Zero(subscript - &place)).map(|cond| format!("({cond})")));
                    params.expr(&place)
                }
                Some(subscript) => params.expr(subscript),
                None => None,
            });
        }
        let to: Vec<String> =
            to.into_iter().enumerate().map(|(at, to)| to.unwrap_or_else(|| format!("o{at}"))).collect();
        let when = if conds.is_empty() { String::new() } else { format!(" : {}", conds.join(" and ")) };
        (array, format!("{{ {statement}[{}] -> {array}[{}]{when} }}", from.join(", "), to.join(", ")))
    }

    fn describe(&mut self, found: &Found<'t>, nodes: &[RawNode]) -> frit_isl::Result<Region> {
        // Parameters come up while texts are made; so all texts are made before the first set.
        let mut order = Vec::new();
        numbers(nodes, &mut order);
        let mut texts = Vec::new();
        for (at, number) in order.iter().enumerate() {
            let statement = self.builder.statements[*number].clone();
            let name = Statement::new(at);
            let depth = statement.loops.len();
            let tuple: Vec<String> = (0..depth).map(|at| format!("i{at}")).collect();
            let conds: Vec<String> = statement
                .conds
                .iter()
                .map(|cond| format!("({})", self.builder.params.cond(cond).expect("conditions were tried before")))
                .collect();
            let when = if conds.is_empty() { String::new() } else { format!(" : {}", conds.join(" and ")) };
            let domain = format!("{{ {name}[{}]{when} }}", tuple.join(", "));
            let mut relations: Vec<(Array, String, AccessKind, bool)> = Vec::new();
            for access in &statement.effects.accesses {
                let (array, relation) = self.relation(name, depth, access);
                let is_exact = self.is_exact(access);
                let is_sure = is_exact || access.kind == AccessKind::Read;
                relations.push((array, relation, if is_sure { access.kind } else { AccessKind::MayWrite }, is_exact));
            }
            if let Some(memory) = self.memory {
                let relation = format!("{{ {name}[{}] -> {memory}[] }}", tuple.join(", "));
                if statement.effects.reads_unknown {
                    relations.push((memory, relation.clone(), AccessKind::Read, false));
                }
                if statement.effects.writes_unknown {
                    relations.push((memory, relation, AccessKind::MayWrite, false));
                }
            }
            texts.push((domain, relations));
        }
        let isl = self.builder.isl.clone();
        let prefix = self.builder.params.prefix();
        let known = self.builder.params.known();
        let assumed = Set::parse(
            &isl,
            &format!("{prefix}{{ : {} }}", if known.is_empty() { "0 = 0".to_string() } else { known.join(" and ") }),
        )?;
        let file = self.builder.file;
        let span = |range: &Range<usize>| Span::new(file, range.start, range.end);
        let used = used_loops(nodes);
        let new_loop: BTreeMap<usize, Loop> =
            used.iter().enumerate().map(|(at, number)| (*number, Loop::new(at))).collect();
        let (mut statements, mut templates) = (Table::new(), Table::new());
        for (number, (domain, relations)) in order.iter().zip(texts) {
            let statement = self.builder.statements[*number].clone();
            let mut accesses = Vec::new();
            for (array, relation, kind, is_exact) in relations {
                let relation = Map::parse(&isl, &format!("{prefix}{relation}"))?;
                accesses.push(Access { array, kind, relation, is_exact });
            }
            let reduction = statement
                .reduction
                .filter(|(read, write, _)| accesses[*read].is_exact && accesses[*write].is_exact)
                .map(|(read, write, is_exact)| Reduction { read, write, is_exact });
            statements.push(StatementData {
                loops: statement.loops.iter().map(|number| new_loop[number]).collect(),
                domain: Set::parse(&isl, &format!("{prefix}{domain}"))?,
                accesses,
                reduction,
                opaque: statement.effects.opaque.clone(),
                work: statement.effects.work.max(1),
                span: span(&statement.range),
            });
            templates.push(Template {
                range: statement.range.clone(),
                holes: self.holes(&statement),
                choice: statement.choice.clone(),
                leading: statement.leading.clone(),
                is_skippable: statement.is_skippable,
            });
        }
        let mut arrays: Table<Array, ArrayData> = Table::new();
        for (array, data) in self.array_data.iter() {
            let extents: frit_isl::Result<Vec<Option<PwAff>>> = (0..data.dims)
                .map(|at| match data.extents.get(at) {
                    Some(Some(extent)) => PwAff::parse(&isl, &format!("{prefix}{{ {extent} }}")).map(Some),
                    _ => Ok(None),
                })
                .collect();
            let home = match data.home {
                Home::Body(at) => new_loop.get(&at.at()).map_or(Home::Region, |at| Home::Body(*at)),
                home => home,
            };
            arrays.push(ArrayData {
                name: data.name.clone(),
                elem_bytes: data.elem_bytes,
                extents: extents?,
                is_live_in: data.liveness.is_live_in,
                is_live_out: data.liveness.is_live_out,
                home,
                origin: array,
                expanded: 0,
                span: data.span,
            });
        }
        let (mut loops, mut c_loops) = (Table::new(), Table::new());
        for number in &used {
            let data = &self.builder.loops[*number];
            loops.push(LoopData { name: data.name.clone(), is_reversed: data.is_reversed, span: span(&data.range) });
            c_loops.push(CLoop {
                c_type: data.c_type.clone(),
                is_plain: data.is_plain,
                range: data.range.clone(),
                leading: data.leading.clone(),
            });
        }
        let params = &self.builder.params.all;
        let param_data: Table<Param, ParamData> =
            params.iter().map(|(_, data)| ParamData { name: plain(&data.text) }).collect();
        let c_params: Table<Param, CParam> = params.iter().map(|(_, data)| c_param(data)).collect();
        self.remark_opaque(&order);
        let source = self.builder.facts.source;
        let mut region = Region {
            range: self.builder.region.clone(),
            indent: indent(source, self.builder.region.start),
            function: found.function.name().to_string(),
            scop: Scop {
                isl,
                params: param_data,
                assumed,
                arrays,
                loops,
                statements,
                body: body(nodes, &order, &new_loop),
            },
            statements: templates,
            arrays: std::mem::take(&mut self.c_arrays),
            params: c_params,
            loops: c_loops,
            gone: self.gone(),
            frees: std::mem::take(&mut self.builder.frees),
        };
        let with = |is_it: fn(&Liveness) -> bool| -> BTreeSet<Array> {
            self.array_data.iter().filter(|(_, data)| is_it(&data.liveness)).map(|(array, _)| array).collect()
        };
        mark_carried(&mut region.scop, &with(|of| of.is_carried), &with(|of| of.is_zeroed));
        attach_comments(&mut region, found, source);
        Ok(region)
    }

    /// The variables that the region declares and that are not declared any more: those whose definitions are dead, and those that loops count.
    fn gone(&self) -> Vec<(String, Range<usize>)> {
        let objects = self.dead.iter().filter_map(|at| self.builder.statements[*at].defines);
        let dead = objects.map(|object| self.builder.objects[object].decl);
        let counters = self.builder.counters.iter().copied().filter(|decl| self.builder.is_inside(*decl));
        let decls = dead.chain(counters).map(|decl| &self.builder.names.decls[decl]);
        decls.map(|decl| (decl.name.clone(), decl.range.clone())).collect()
    }

    fn holes(&self, statement: &RawStatement) -> Vec<Hole> {
        let Effects { accesses, holes, iterators, counted, .. } = &statement.effects;
        let is_exact = |hole: &RawHole| hole.accesses.iter().all(|at| self.is_exact(&accesses[*at]));
        let mut all: Vec<Hole> = Vec::new();
        for hole in holes {
            if is_exact(hole) {
                let mut positions = hole.accesses.clone();
                positions.dedup();
                all.push(Hole {
                    range: hole.range.clone(),
                    kind: HoleKind::Access(positions),
                    is_derived: hole.is_derived,
                });
            }
        }
        let exact: Vec<Range<usize>> = all.iter().map(|hole| hole.range.clone()).collect();
        all.retain(|hole| !exact.iter().any(|outer| *outer != hole.range && is_within(&hole.range, outer)));
        let is_covered = |range: &Range<usize>| exact.iter().any(|outer| is_within(range, outer));
        for hole in holes.iter().filter(|hole| !is_exact(hole)) {
            if let Some(name) = hole.name.as_ref().filter(|name| !is_covered(name)) {
                let is_merged = hole.accesses.iter().any(|at| self.merged.contains(&accesses[*at].object));
                if !is_merged {
                    all.push(Hole { range: name.clone(), kind: HoleKind::Name(hole.accesses[0]), is_derived: false });
                }
            }
        }
        for (range, depth) in iterators.iter().filter(|(range, _)| !is_covered(range)) {
            all.push(Hole { range: range.clone(), kind: HoleKind::Iterator(*depth), is_derived: false });
        }
        for (range, counted) in counted.iter().filter(|(range, _)| !is_covered(range)) {
            let kind = HoleKind::Counted(Box::new(counted.clone()));
            all.push(Hole { range: range.clone(), kind, is_derived: false });
        }
        all.sort_by_key(|hole| (hole.range.start, hole.range.end));
        all.dedup_by(|one, two| one.range == two.range);
        all
    }

    fn remark_opaque(&mut self, order: &[usize]) {
        for number in order {
            let statement = &self.builder.statements[*number];
            let Some(why) = statement.effects.opaque.clone() else { continue };
            let range = statement.range.clone();
            let is_told = self.builder.remarks.iter().any(|remark| {
                let inner = remark.span.start as usize..remark.span.end as usize;
                is_within(&inner, &range) && remark.code != Reason::MayAlias.code()
            });
            if !is_told {
                self.builder.remark(Reason::Opaque, range, format!("this statement is not taken apart: {why}"));
            }
        }
    }
}

/// What a subscript is multiplied with.
fn stride_text(params: &mut Params, stride: &Expr, is_wide: bool) -> String {
    let text = params.c_text(stride).unwrap_or_else(|| "1".to_string());
    let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match (stride.as_constant(), is_wide) {
        (None, true) if is_word => format!("(long){text}"),
        (None, true) => format!("(long)({text})"),
        _ => text,
    }
}

fn c_param(data: &ParamText) -> CParam {
    CParam { text: data.text.clone(), c_type: data.c_type.clone(), is_plain: data.is_plain }
}

/// A parameter's text without the parentheses round it.
fn plain(text: &str) -> String {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text).to_string()
}

fn alive(nodes: &[RawNode], dead: &BTreeSet<usize>) -> Vec<RawNode> {
    let keep = |node: &RawNode| match node {
        RawNode::Statement(at) => (!dead.contains(at)).then(|| node.clone()),
        RawNode::Loop(at, body) => {
            let body = alive(body, dead);
            (!body.is_empty()).then_some(RawNode::Loop(*at, body))
        }
    };
    nodes.iter().filter_map(keep).collect()
}

fn numbers(nodes: &[RawNode], order: &mut Vec<usize>) {
    for node in nodes {
        match node {
            RawNode::Statement(at) => order.push(*at),
            RawNode::Loop(_, body) => numbers(body, order),
        }
    }
}

fn used_loops(nodes: &[RawNode]) -> Vec<usize> {
    let mut used = Vec::new();
    for node in nodes {
        if let RawNode::Loop(at, body) = node {
            used.push(*at);
            used.extend(used_loops(body));
        }
    }
    used
}

fn body(nodes: &[RawNode], order: &[usize], loops: &BTreeMap<usize, Loop>) -> Vec<ScopNode> {
    let of = |node: &RawNode| match node {
        RawNode::Statement(at) => {
            let position = order.iter().position(|number| number == at).expect("every statement is in the order");
            ScopNode::Statement(Statement::new(position))
        }
        RawNode::Loop(at, inner) => ScopNode::Loop(loops[at], body(inner, order, loops)),
    };
    nodes.iter().map(of).collect()
}
