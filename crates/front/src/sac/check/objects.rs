//! Global objects: which one a name means, and the functions that give their first values.

use super::Checker;
use super::call::Called;
use super::convert::{any_pattern, class_pattern};
use super::error::SacError;
use super::expression::Value;
use super::modules::contains;
use super::scopes::Body;
use super::signature::class_of;
use super::types::{BOOL, Ty, type_name};
use crate::sac::ast::{self, Name, QualifiedName, TypeExpr};
use crate::sac::core::walk::Deeds;
use crate::sac::core::{
    Expr, ExprKind, FunctionId, Local, LocalData, Object, ObjectId, Param, Pattern, Stmt, StmtKind,
};
use frit_support::{Index, Span, Table};
use std::collections::BTreeSet;

/// An object as its module declares it.
#[derive(Clone, Copy)]
pub(super) struct ObjectDefinition<'a> {
    pub ty: &'a TypeExpr,
    pub name: &'a Name,
    pub value: &'a ast::Expr,
}

/// What becomes of a value that a function gives back for an argument passed by reference.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// Nothing: the state of an object of the library is the machine's.
    Nowhere,
    /// A variable gets it.
    Variable(&'a Name),
    /// An object gets it.
    Object(ObjectId),
}

impl<'a> Checker<'a> {
    /// The object of this name that a module shows to others, with the module that defines it.
    pub(super) fn exported_object(
        &self,
        module: usize,
        name: &str,
        visited: &mut Vec<usize>,
    ) -> Option<(usize, ObjectDefinition<'a>)> {
        if visited.contains(&module) {
            return None;
        }
        visited.push(module);
        let this = &self.modules[module];
        if !this.exports.iter().any(|symbols| contains(symbols, name)) {
            return None;
        }
        if let Some(object) = this.objects.get(name) {
            return Some((module, *object));
        }
        this.uses.iter().filter(|import| import.is_import && contains(&import.symbols, name)).find_map(|import| {
            let other = *self.module_names.get(import.module.text.as_str())?;
            self.exported_object(other, name, visited)
        })
    }

    /// The objects that a name in the file at hand may mean, with the modules that define them: none where a variable has it.
    fn objects_named(&self, name: &QualifiedName) -> Vec<(usize, ObjectDefinition<'a>)> {
        let unit = self.body.unit;
        let text = name.name.text.as_str();
        let shown = |module: &str| {
            let module = *self.module_names.get(module)?;
            self.exported_object(module, text, &mut Vec::new())
        };
        if let Some(module) = &name.module {
            let own = (self.units[unit].name == module.text).then(|| self.modules[unit].objects.get(text)).flatten();
            return own.map(|object| (unit, *object)).or_else(|| shown(&module.text)).into_iter().collect();
        }
        if self.body.binding(text).is_some() || self.body.declared.contains_key(text) {
            return Vec::new();
        }
        if let Some(object) = self.modules[unit].objects.get(text) {
            return vec![(unit, *object)];
        }
        let used = self.modules[unit].uses.iter().filter(|import| contains(&import.symbols, text));
        let mut found: Vec<_> = used.filter_map(|import| shown(&import.module.text)).collect();
        found.sort_by_key(|(unit, _)| *unit);
        found.dedup_by_key(|(unit, _)| *unit);
        if found.is_empty() {
            found.extend(self.units[unit].given.iter().find_map(|module| shown(module)));
        }
        found
    }

    /// Where a value given back for the argument goes, if the argument is an object.
    pub(super) fn object_place(&mut self, name: &QualifiedName) -> Option<Place<'a>> {
        let (unit, object) = self.objects_named(name).into_iter().next()?;
        if self.is_text_of_library(object.name.span) {
            return Some(Place::Nowhere);
        }
        self.object(unit, object).map(Place::Object)
    }

    /// The value of the object that a name means; `None` if it means none.
    pub(super) fn object_value(&mut self, name: &'a QualifiedName, span: Span) -> Option<Value> {
        let found = self.objects_named(name);
        let &(unit, object) = found.first()?;
        if found.len() > 1 {
            let modules = found.iter().map(|(unit, _)| self.units[*unit].name.clone()).collect();
            self.error(SacError::AmbiguousObject { span, name: name.name.text.clone(), modules });
            return Some(Value::error(span));
        }
        if self.is_text_of_library(object.name.span) {
            let outer = std::mem::replace(&mut self.body.unit, unit);
            let value = self.value(object.value);
            self.body.unit = outer;
            return Some(Value { expr: Expr { span, ..value.expr }, ..value });
        }
        if name.module.is_none() {
            let text = name.name.text.as_str();
            self.body.objects.entry(text).or_insert(span);
            if let Some(&assigned) = self.body.assigned.get(text) {
                self.error(SacError::AssignedObject { span: assigned, name: text.to_string(), read: Some(span) });
            }
        }
        let Some(id) = self.object(unit, object) else { return Some(Value::error(span)) };
        let pattern = &self.program.objects[id].pattern;
        let ty = Ty::new(pattern.elem, pattern.class());
        Some(Value::new(ExprKind::Object(id), ty, span))
    }

    /// Notes that a statement gives a variable of this name a value, which an object of this name would not get.
    pub(super) fn note_assigned(&mut self, name: &'a Name) {
        let text = name.text.as_str();
        if self.body.declared.contains_key(text) {
            return;
        }
        self.body.assigned.entry(text).or_insert(name.span);
        if let Some(&read) = self.body.objects.get(text) {
            self.error(SacError::AssignedObject { span: name.span, name: text.to_string(), read: Some(read) });
        }
    }

    /// True if the name of a variable without a value is that of an object, which is reported.
    pub(super) fn reports_object(&mut self, name: &Name) -> bool {
        let qualified = QualifiedName { module: None, name: name.clone() };
        let is_object = !self.objects_named(&qualified).is_empty();
        if is_object {
            self.error(SacError::AssignedObject { span: name.span, name: name.text.clone(), read: None });
        }
        is_object
    }

    /// The object of the program that a definition is; `None` if its type is wrong, which was reported.
    fn object(&mut self, unit: usize, object: ObjectDefinition<'a>) -> Option<ObjectId> {
        let ObjectDefinition { ty, name, .. } = object;
        if let Some(known) = self.objects.get(&(unit, name.text.as_str())) {
            return *known;
        }
        let id = self.elem_of(unit, ty).map(|elem| {
            let pattern = class_pattern(elem, &class_of(ty), ty.span);
            let first = self.blank(name);
            self.first_values.push((unit, object, first));
            let object = Object { name: name.text.clone(), first, pattern, changes: false, rank: 0, span: name.span };
            self.program.objects.push(object)
        });
        self.objects.insert((unit, &name.text), id);
        id
    }

    /// Asks for all objects of the user's files.
    pub(super) fn check_user_objects(&mut self) {
        for unit in 0..self.units.len() {
            let mut objects: Vec<ObjectDefinition<'a>> = self.modules[unit].objects.values().copied().collect();
            objects.retain(|object| !self.is_text_of_library(object.name.span));
            objects.sort_by_key(|object| object.name.span);
            for object in objects {
                self.object(unit, object);
            }
        }
    }

    /// Makes the function that gives an object its first value.
    pub(super) fn first_value(&mut self, unit: usize, object: ObjectDefinition<'a>, id: FunctionId) {
        let ObjectDefinition { ty, name, value } = object;
        let Some(elem) = self.elem_of(unit, ty) else { return };
        self.body = Body::new(unit);
        self.body.enter();
        let value = self.value(value);
        let class = class_of(ty);
        self.body.declared.insert(&name.text, (Ty::new(elem, class.clone()), ty.span));
        let value = self.as_declared(name, value);
        let module = &self.units[unit].name;
        let function = &mut self.program.functions[id];
        function.module = (!module.is_empty()).then(|| module.clone());
        function.results = vec![class_pattern(elem, &class, ty.span)];
        function.locals = std::mem::take(&mut self.body.locals);
        function.body = std::mem::take(&mut self.body.out);
        function.returns = vec![value.expr];
    }

    /// A call within an expression whose arguments by reference are all objects: the call of a function that gives these their new
    /// values, so that this happens where and if the call does. `None` if some are no objects.
    pub(super) fn changing_objects(&mut self, called: Called, written: &'a [ast::Expr]) -> Option<Expr> {
        let Called { expr: Expr { kind: ExprKind::Call { overload, args }, span }, args: tys, results, references } =
            called
        else {
            return None;
        };
        let mut places = Vec::new();
        for (at, ty) in references {
            let ast::ExprKind::Name(name) = &written[at].kind else { return None };
            places.push((self.object_place(name)?, ty));
        }
        let mut locals: Table<Local, LocalData> = Table::new();
        let mut local = |name: &str, ty: &Ty| {
            let elem = ty.elem.unwrap_or(BOOL);
            (locals.push(LocalData { name: name.to_string(), elem, span }), any_pattern(elem))
        };
        let read = |local: Local| Expr { kind: ExprKind::Local(local), span };
        let (mut params, mut given, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        for (arg, ty) in args.into_iter().zip(&tys) {
            // The literal fits where no array would that is passed on.
            if matches!(&arg.kind, ExprKind::Array { cells, .. } if cells.is_empty()) {
                passed.push(arg);
                continue;
            }
            let (param, pattern) = local("argument", ty);
            params.push(Param { local: param, pattern });
            passed.push(read(param));
            given.push(arg);
        }
        let made: Vec<(Local, Pattern)> = results.iter().map(|ty| local("result", ty)).collect();
        let mut targets: Vec<Option<Local>> = made.iter().map(|(local, _)| Some(*local)).collect();
        let mut replaced = Vec::new();
        for (place, ty) in places {
            let value = local("object", &ty).0;
            targets.push(Some(value));
            if let Place::Object(object) = place {
                replaced.push((object, Value::new(ExprKind::Local(value), ty, span)));
            }
        }
        let value = Expr { kind: ExprKind::Call { overload, args: passed }, span };
        let outer =
            std::mem::replace(&mut self.body.out, vec![Stmt { kind: StmtKind::Assign { targets, value }, span }]);
        self.replace_objects(replaced);
        let body = std::mem::replace(&mut self.body.out, outer);
        let name = self.program.overloads[overload].name.clone();
        let function = self.blank(&Name { text: name.clone(), span });
        let data = &mut self.program.functions[function];
        (data.params, data.locals, data.body) = (params, locals, body);
        data.returns = made.iter().map(|(local, _)| read(*local)).collect();
        data.results = made.into_iter().map(|(_, pattern)| pattern).collect();
        let overload = self.overload(&name, vec![function]);
        Some(Expr { kind: ExprKind::Call { overload, args: given }, span })
    }

    /// Gives objects their new values, which are those of variables.
    pub(super) fn replace_objects(&mut self, replaced: Vec<(ObjectId, Value)>) {
        for (object, value) in replaced {
            let span = value.expr.span;
            let pattern = self.program.objects[object].pattern.clone();
            let class = pattern.class();
            if value.ty.elem.is_some_and(|elem| elem != pattern.elem) {
                let (expected, found) = (self.program.type_name(&pattern), type_name(&self.program, &value.ty));
                let what = "the value of the object".to_string();
                self.error(SacError::TypeMismatch { span, what, expected, found, because: None });
                continue;
            }
            let value = self.ascribe(value, pattern, class, "the value of the object").expr;
            self.body.out.push(Stmt { kind: StmtKind::Replace { object, value }, span });
        }
    }

    /// Finds which objects change, and in which order they get their first values; reports those that need each other.
    pub(super) fn order_objects(&mut self) {
        if self.program.objects.is_empty() {
            return;
        }
        let deeds: Vec<Deeds> =
            self.program.functions.iter().map(|(_, function)| Deeds::of(&self.program, function)).collect();
        for object in deeds.iter().flat_map(|deeds| &deeds.replaced) {
            self.program.objects[*object].changes = true;
        }
        // What the functions that lead to a first value use.
        let needs = |first: FunctionId| {
            let (mut seen, mut open) = (BTreeSet::from([first]), vec![first]);
            let mut needs = BTreeSet::new();
            while let Some(function) = open.pop() {
                let deeds = &deeds[function.at()];
                needs.extend(&deeds.objects);
                open.extend(deeds.callees.iter().filter(|callee| seen.insert(**callee)));
            }
            needs
        };
        let needs: Vec<BTreeSet<ObjectId>> =
            self.program.objects.iter().map(|(_, object)| needs(object.first)).collect();
        let mut ids: Vec<ObjectId> = self.program.objects.indices().collect();
        ids.sort_by_key(|id| self.program.objects[*id].span);
        let mut order = Order { needs: &needs, states: vec![None; ids.len()], done: 0, cycles: Vec::new() };
        ids.iter().for_each(|&id| order.visit(id));
        let Order { states, cycles, .. } = order;
        for id in ids {
            self.program.objects[id].rank = states[id.at()].unwrap_or_default();
        }
        for (object, needed) in cycles {
            let (object, needed) = (&self.program.objects[object], &self.program.objects[needed]);
            let (name, other) = (object.name.clone(), needed.name.clone());
            let needed = (object.span != needed.span).then_some(needed.span);
            self.error(SacError::CyclicObjects { span: object.span, name, other, needed });
        }
    }
}

/// Objects, each after those that it needs.
struct Order<'a> {
    needs: &'a [BTreeSet<ObjectId>],
    /// `None` if it was not visited; `usize::MAX` while it is; then its place.
    states: Vec<Option<usize>>,
    done: usize,
    /// Objects that need themselves by way of another one, which is named second.
    cycles: Vec<(ObjectId, ObjectId)>,
}

impl Order<'_> {
    fn visit(&mut self, id: ObjectId) {
        if self.states[id.at()].is_some() {
            return;
        }
        self.states[id.at()] = Some(usize::MAX);
        for &needed in &self.needs[id.at()] {
            if self.states[needed.at()] == Some(usize::MAX) {
                self.cycles.push((id, needed));
            } else {
                self.visit(needed);
            }
        }
        self.states[id.at()] = Some(self.done);
        self.done += 1;
    }
}
