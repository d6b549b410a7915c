//! Modules: what each defines, exports and sees, and the types that names stand for.

use super::error::SacError;
use super::objects::ObjectDefinition;
use super::output::Variadic;
use super::signature::Signature;
use super::suggestion::nearest;
use super::{Checker, Origin};
use crate::sac::ast::{self, Item, Name, QualifiedName, Symbols, TypeExpr};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Basic, Elem, FunctionId, Nominal, Struct};
use frit_support::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A position in [`Checker::declarations`].
pub(super) type DeclId = usize;

/// A function as its module declares it.
pub(super) struct Declaration<'a> {
    pub unit: usize,
    pub signature: &'a ast::Signature,
    /// `None` for external functions.
    pub function: Option<&'a ast::Function>,
    /// Of an external function: what pragmas say.
    pub link: Option<&'a ast::Link>,
    /// What its signature means, once someone has asked.
    pub types: Option<Rc<Signature>>,
    /// The function of the program, once something calls it.
    pub id: Option<FunctionId>,
    /// The primitive that it wraps, once someone has asked.
    pub wrapped: Option<Option<super::prims::Wrapped>>,
}

/// A type definition.
#[derive(Clone, Copy)]
pub(super) enum TypeDefinition<'a> {
    Nominal(&'a TypeExpr, &'a Name),
    Handle(&'a TypeExpr, &'a Name),
    Struct(&'a [(TypeExpr, Name)], &'a Name),
}

impl<'a> TypeDefinition<'a> {
    fn name(self) -> &'a Name {
        match self {
            TypeDefinition::Nominal(_, name) | TypeDefinition::Handle(_, name) | TypeDefinition::Struct(_, name) => {
                name
            }
        }
    }
}

/// How far a type definition has been resolved.
#[derive(Clone, Copy)]
pub(super) enum TypeState {
    /// It is being resolved, so asking for it is recursion.
    Active,
    /// It is this element type.
    Known(Elem),
    /// It is wrong, which was reported.
    Wrong,
}

/// What a file defines.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub functions: HashMap<&'a str, Vec<DeclId>>,
    pub types: HashMap<&'a str, TypeDefinition<'a>>,
    /// Other names for types of arrays, which the grammar knows.
    pub aliases: HashSet<&'a str>,
    pub objects: HashMap<&'a str, ObjectDefinition<'a>>,
    pub uses: Vec<&'a ast::Use>,
    pub exports: Vec<&'a Symbols>,
}

pub(super) fn contains(symbols: &Symbols, name: &str) -> bool {
    match symbols {
        Symbols::All { except } => !except.iter().any(|other| other.text == name),
        Symbols::Only(names) => names.iter().any(|other| other.text == name),
    }
}

/// Classes that hide each other: a definition for `T[+]` replaces the library's for `T[*]`, and the other way round.
fn alike(x: &Class, y: &Class) -> bool {
    x == y || matches!((x, y), (Class::AtLeast(_), Class::AtLeast(_)))
}

impl<'a> Checker<'a> {
    /// Notes what all units define, and reports what is wrong with that as such.
    pub(super) fn declare_all(&mut self) {
        for (unit, source) in self.units.iter().enumerate() {
            self.module_names.entry(source.name.as_str()).or_insert(unit);
            self.declare_unit(unit);
        }
        for unit in 0..self.units.len() {
            if self.units[unit].origin == Origin::User {
                self.check_uses(unit);
                self.check_definitions(unit);
            }
        }
    }

    fn declare_unit(&mut self, unit: usize) {
        let mut module = Module::default();
        for item in &self.units[unit].file.items {
            match item {
                Item::Use(import) => module.uses.push(import),
                Item::Export { symbols, .. } => module.exports.push(symbols),
                Item::Typedef { ty, name, is_handle } => {
                    let of = if *is_handle { TypeDefinition::Handle } else { TypeDefinition::Nominal };
                    self.declare_type(&mut module, of(ty, name));
                }
                Item::Alias(name) => {
                    module.aliases.insert(&name.text);
                }
                Item::Struct { name, fields, .. } => {
                    self.declare_type(&mut module, TypeDefinition::Struct(fields, name));
                }
                Item::Function(function) => {
                    self.declare(&mut module, unit, &function.signature, Some(function), None);
                }
                Item::External(signature, link) => self.declare(&mut module, unit, signature, None, Some(link)),
                Item::Specialize(_) => {}
                Item::Object { ty, name, value } => {
                    let first = module.objects.insert(&name.text, ObjectDefinition { ty, name, value });
                    if let Some(first) = first {
                        let (span, first) = (name.span, first.name.span);
                        self.error(SacError::DuplicateObject { span, name: name.text.clone(), first });
                    }
                }
            }
        }
        self.modules.push(module);
    }

    /// True for a file of the library, whoever asked for it.
    pub(super) fn is_text_of_library(&self, span: Span) -> bool {
        self.sources
            .file(frit_support::Index::new(span.file as usize))
            .is_some_and(|file| crate::sac::load::library_file(&file.name).is_some())
    }

    fn declare(
        &mut self,
        module: &mut Module<'a>,
        unit: usize,
        signature: &'a ast::Signature,
        function: Option<&'a ast::Function>,
        link: Option<&'a ast::Link>,
    ) {
        let id = self.declarations.len();
        self.declarations.push(Declaration { unit, signature, function, link, types: None, id: None, wrapped: None });
        module.functions.entry(&signature.name.text).or_default().push(id);
    }

    fn declare_type(&mut self, module: &mut Module<'a>, definition: TypeDefinition<'a>) {
        let name = definition.name();
        let first = match module.types.get(name.text.as_str()) {
            Some(first) => Some(first.name().span),
            None => Basic::named(&name.text).map(|_| Span::NONE),
        };
        match first {
            Some(first) => {
                self.error(SacError::DuplicateType { span: name.span, name: name.text.clone(), first });
            }
            None => {
                module.types.insert(&name.text, definition);
            }
        }
    }

    /// Reports modules and symbols that do not exist.
    fn check_uses(&mut self, unit: usize) {
        for import in self.modules[unit].uses.clone() {
            let Some(module) = self.module(&import.module) else { continue };
            let found = self.units[module].file.module.as_ref();
            if found.is_none_or(|found| found.text != import.module.text) && self.units[module].file.is_intact {
                let name =
                    found.map_or_else(|| "no module".to_string(), |found| format!("the module `{}`", found.text));
                self.error(SacError::ModuleName { span: import.module.span, name, asked: import.module.text.clone() });
                continue;
            }
            let (names, kept) = match &import.symbols {
                Symbols::All { except } => (except, false),
                Symbols::Only(names) => (names, true),
            };
            for name in names {
                let shown = &self.modules[module];
                let text = name.text.as_str();
                let is_type =
                    self.type_in(module, text, false, &mut Vec::new()).is_some() || shown.aliases.contains(text);
                let is_known = Variadic::is_in(&self.units[module].name, &name.text)
                    || self.exported_object(module, &name.text, &mut Vec::new()).is_some();
                if is_type || is_known || !self.exported(module, &name.text, &mut Vec::new()).is_empty() {
                    continue;
                }
                if kept || !self.modules[module].functions.contains_key(name.text.as_str()) {
                    self.not_in_module(module, name);
                }
            }
        }
    }

    fn not_in_module(&mut self, module: usize, name: &Name) {
        let is_hidden = self.modules[module].functions.contains_key(name.text.as_str());
        let names: Vec<&str> = self.modules[module].functions.keys().copied().collect();
        let suggestion = if is_hidden { None } else { nearest(&name.text, names.into_iter()) };
        let module = self.units[module].name.clone();
        self.error(SacError::NotInModule { span: name.span, module, name: name.text.clone(), is_hidden, suggestion });
    }

    /// Reports definitions that clash, and resolves all types, so that mistakes in them are found.
    fn check_definitions(&mut self, unit: usize) {
        let mut types: Vec<TypeDefinition<'a>> = self.modules[unit].types.values().copied().collect();
        types.sort_by_key(|definition| definition.name().span);
        for definition in types {
            self.defined_type(unit, definition, definition.name().span);
        }
        let mut names: Vec<(&'a str, Vec<DeclId>)> =
            self.modules[unit].functions.iter().map(|(name, ids)| (*name, ids.clone())).collect();
        names.sort();
        for (name, ids) in names {
            let mut seen: HashMap<Vec<(Option<Elem>, Class)>, DeclId> = HashMap::new();
            for &id in &ids {
                let params = self.signature(id).params.clone();
                if params.iter().any(|(elem, _)| elem.is_none()) {
                    continue;
                }
                match seen.get(&params) {
                    Some(&first) => {
                        let (span, first) = (self.declared_at(id), self.declared_at(first));
                        self.error(SacError::DuplicateFunction { span, name: name.to_string(), first });
                    }
                    None => {
                        seen.insert(params, id);
                    }
                }
            }
            self.report_conflicts(unit, name, &ids);
        }
    }

    /// Reports definitions of a file that modules it uses have as well, and warns of those that modules hide.
    fn report_conflicts(&mut self, unit: usize, name: &'a str, own: &[DeclId]) {
        for &id in own {
            let mut same = Vec::new();
            let mut hiding: Vec<(String, bool)> = Vec::new();
            let mut used = None;
            for import in self.modules[unit].uses.clone() {
                let module = self.module_names.get(import.module.text.as_str()).copied();
                let Some(module) = module.filter(|_| contains(&import.symbols, name)) else { continue };
                let mut others = self.exported(module, name, &mut Vec::new());
                others.retain(|other| self.declarations[*other].unit != unit);
                let asked = (import.module.text.clone(), import.is_import);
                if others.iter().any(|other| self.signature(id).params == self.signature(*other).params) {
                    same.push(asked);
                } else if let Some(other) = others.into_iter().find(|other| self.hides(*other, id))
                    && !import.is_import
                {
                    hiding.push(asked);
                    used.get_or_insert(other);
                }
            }
            let (span, name) = (self.declared_at(id), name.to_string());
            if !same.is_empty() {
                self.error(SacError::ConflictsWithUsed { span, name, modules: same });
            } else if let Some(used) = used {
                let (own, used) = (self.parameters_text(id), self.parameters_text(used));
                let warning = SacError::LessSpecificThanUsed { span, name, own, used, modules: hiding };
                self.program.warnings.push(warning.diagnostic());
            }
        }
    }

    /// True if a function takes all arrays that the other one takes, and is more specific.
    fn hides(&mut self, id: DeclId, other: DeclId) -> bool {
        let (hiding, hidden) = (self.signature(id), self.signature(other));
        let is_as_specific = |x: &Class, y: &Class| match (x, y) {
            (Class::AtLeast(x), Class::AtLeast(y)) => *x <= 1 && x >= y,
            (x, y) => x == y,
        };
        hiding.params.len() == hidden.params.len()
            && hiding.params != hidden.params
            && hiding.params.iter().zip(&hidden.params).all(|(x, y)| x.0 == y.0 && is_as_specific(&x.1, &y.1))
    }

    /// The module of this name; an error if there is none.
    pub(super) fn module(&mut self, name: &Name) -> Option<usize> {
        if let Some(&module) = self.module_names.get(name.text.as_str())
            && !name.text.is_empty()
        {
            return Some(module);
        }
        let names = self.module_names.keys().map(|name| &**name);
        let suggestion = nearest(&name.text, names.chain(crate::sac::load::library_modules().map(|name| name as &str)));
        self.error(SacError::UnknownModule { span: name.span, name: name.text.clone(), suggestion });
        None
    }

    /// The functions of this name that a module shows to others.
    fn exported(&self, module: usize, name: &str, visited: &mut Vec<usize>) -> Vec<DeclId> {
        if visited.contains(&module) {
            return Vec::new();
        }
        visited.push(module);
        let this = &self.modules[module];
        if !this.exports.iter().any(|symbols| contains(symbols, name)) {
            return Vec::new();
        }
        let mut found = this.functions.get(name).cloned().unwrap_or_default();
        for import in &this.uses {
            if import.is_import
                && contains(&import.symbols, name)
                && let Some(&other) = self.module_names.get(import.module.text.as_str())
            {
                let more = self.exported(other, name, visited);
                found.extend(more);
            }
        }
        found
    }

    /// The functions of this name that a module of the library shows; none if it was not loaded.
    pub(super) fn functions_of(&self, module: &str, name: &str) -> Vec<DeclId> {
        let module = self.module_names.get(module).copied();
        module.map_or_else(Vec::new, |module| self.exported(module, name, &mut Vec::new()))
    }

    /// The functions of this name that a file sees, its own first.
    pub(super) fn visible(&mut self, unit: usize, name: &'a str) -> Rc<[DeclId]> {
        if let Some(known) = self.visible.get(&(unit, name)) {
            return known.clone();
        }
        let own = self.modules[unit].functions.get(name).cloned().unwrap_or_default();
        let mut found = own.clone();
        for import in self.modules[unit].uses.clone() {
            if contains(&import.symbols, name)
                && let Some(&module) = self.module_names.get(import.module.text.as_str())
            {
                found.extend(self.exported(module, name, &mut Vec::new()));
            }
        }
        let mut given = Vec::new();
        for module in &self.units[unit].given {
            if let Some(&module) = self.module_names.get(module.as_str())
                && module != unit
            {
                given.extend(self.exported(module, name, &mut Vec::new()));
            }
        }
        for id in given {
            if !found.contains(&id) && !self.is_hidden(id, &found) {
                found.push(id);
            }
        }
        let mut distinct: Vec<DeclId> = Vec::new();
        for id in found {
            // What clashes with a definition of the file itself was reported; it is not to be ambiguous as well.
            let earlier: Vec<DeclId> = distinct.iter().copied().filter(|id| own.contains(id)).collect();
            if !distinct.contains(&id) && !self.is_same(id, &earlier) {
                distinct.push(id);
            }
        }
        let found: Rc<[DeclId]> = distinct.into();
        self.visible.insert((unit, name), found.clone());
        found
    }

    fn is_hidden(&mut self, id: DeclId, by: &[DeclId]) -> bool {
        by.iter().any(|&other| {
            let (hidden, hiding) = (self.signature(id), self.signature(other));
            hidden.params.len() == hiding.params.len()
                && hidden.params.iter().zip(&hiding.params).all(|(x, y)| x.0 == y.0 && alike(&x.1, &y.1))
        })
    }

    fn is_same(&mut self, id: DeclId, own: &[DeclId]) -> bool {
        own.iter().any(|&other| other != id && self.signature(id).params == self.signature(other).params)
    }

    /// The functions that a name in the file means; an error if there are none.
    pub(super) fn functions_named(&mut self, unit: usize, name: &'a QualifiedName) -> Option<Rc<[DeclId]>> {
        let Some(qualifier) = &name.module else {
            let found = self.visible(unit, &name.name.text);
            return (!found.is_empty()).then_some(found);
        };
        let module = self.module(qualifier)?;
        let found = if module == unit {
            self.modules[module].functions.get(name.name.text.as_str()).cloned().unwrap_or_default()
        } else {
            self.exported(module, &name.name.text, &mut Vec::new())
        };
        if found.is_empty() {
            self.not_in_module(module, &name.name);
            return None;
        }
        Some(found.into())
    }

    /// True if some function of this name is visible.
    pub(super) fn is_function(&mut self, name: &'a str) -> bool {
        !self.visible(self.body.unit, name).is_empty()
    }

    /// A visible function whose name looks like this one.
    pub(super) fn function_like(&self, unit: usize, name: &str) -> Option<String> {
        let mut names: Vec<&str> = self.modules[unit].functions.keys().copied().collect();
        let used = self.modules[unit].uses.iter().map(|import| (import.module.text.as_str(), Some(&import.symbols)));
        let given = self.units[unit].given.iter().map(|module| (module.as_str(), None));
        for (module, symbols) in used.chain(given) {
            let Some(&module) = self.module_names.get(module) else { continue };
            self.names_of(module, &mut Vec::new(), &mut |name| {
                if symbols.is_none_or(|symbols| contains(symbols, name)) {
                    names.push(name);
                }
            });
        }
        nearest(name, names.into_iter().filter(|name| !name.starts_with('_')))
    }

    fn names_of(&self, module: usize, visited: &mut Vec<usize>, found: &mut impl FnMut(&'a str)) {
        if visited.contains(&module) {
            return;
        }
        visited.push(module);
        let this = &self.modules[module];
        for name in this.functions.keys() {
            if this.exports.iter().any(|symbols| contains(symbols, name)) {
                found(name);
            }
        }
        for import in this.uses.iter().filter(|import| import.is_import) {
            if let Some(&other) = self.module_names.get(import.module.text.as_str()) {
                self.names_of(other, visited, found);
            }
        }
    }

    /// The element type that a type's name means; an error if there is none.
    pub(super) fn elem_of(&mut self, unit: usize, ty: &'a TypeExpr) -> Option<Elem> {
        let name = &ty.elem.name;
        if let Some(qualifier) = &ty.elem.module {
            let module = self.module(qualifier)?;
            return match self.type_in(module, &name.text, false, &mut Vec::new()) {
                Some((module, definition)) => self.defined_type(module, definition, name.span),
                None => {
                    self.not_in_module(module, name);
                    None
                }
            };
        }
        if !ty.is_struct
            && let Some(basic) = Basic::named(&name.text)
        {
            return Some(Elem::Basic(basic));
        }
        match self.type_named(unit, &name.text) {
            Some((module, definition)) => self.defined_type(module, definition, name.span),
            None => {
                // Once for each name: the others are the same mistake.
                if !self.unknown_types.insert((unit, &name.text)) {
                    return None;
                }
                if name.text == "SACarg" {
                    self.error(SacError::Unsupported {
                        span: name.span,
                        what: "`SACarg`, a value of any type in C,",
                        instead: "declare the type, and pass the extents, as in `external double total(int n, double[n] a);`",
                    });
                    return None;
                }
                let basics =
                    ["int", "long", "float", "double", "bool", "char", "byte", "short", "uint", "ulong", "void"];
                let own: Vec<&str> = self.modules[unit].types.keys().copied().collect();
                let suggestion = nearest(&name.text, own.into_iter().chain(basics));
                self.error(SacError::UnknownType { span: name.span, name: name.text.clone(), suggestion });
                None
            }
        }
    }

    /// The element type of this name; an error if there is none.
    pub(super) fn elem_named(&mut self, unit: usize, name: &'a Name) -> Option<Elem> {
        match self.type_named(unit, &name.text) {
            Some((module, definition)) => self.defined_type(module, definition, name.span),
            None => {
                let own: Vec<&str> = self.modules[unit].types.keys().copied().collect();
                let suggestion = nearest(&name.text, own.into_iter());
                self.error(SacError::UnknownType { span: name.span, name: name.text.clone(), suggestion });
                None
            }
        }
    }

    /// The definition of a type that a file sees.
    pub(super) fn type_named(&self, unit: usize, name: &str) -> Option<(usize, TypeDefinition<'a>)> {
        self.type_in(unit, name, true, &mut Vec::new())
    }

    fn type_in(
        &self,
        unit: usize,
        name: &str,
        with_uses: bool,
        visited: &mut Vec<usize>,
    ) -> Option<(usize, TypeDefinition<'a>)> {
        if visited.contains(&unit) {
            return None;
        }
        visited.push(unit);
        if let Some(definition) = self.modules[unit].types.get(name) {
            return Some((unit, *definition));
        }
        let used = self.modules[unit].uses.iter();
        let used = used.filter(|import| with_uses || import.is_import).map(|import| import.module.text.as_str());
        let given = self.units[unit].given.iter().filter(|_| with_uses).map(String::as_str);
        for module in used.chain(given) {
            if let Some(&module) = self.module_names.get(module)
                && let Some(found) = self.type_in(module, name, false, visited)
            {
                return Some(found);
            }
        }
        None
    }

    /// The element type that a definition makes.
    fn defined_type(&mut self, unit: usize, definition: TypeDefinition<'a>, asked: Span) -> Option<Elem> {
        let name = definition.name();
        let key = (unit, name.text.as_str());
        match self.types.get(&key) {
            Some(TypeState::Known(elem)) => return Some(*elem),
            Some(TypeState::Wrong) => return None,
            Some(TypeState::Active) => {
                self.error(SacError::RecursiveType { span: asked, name: name.text.clone() });
                return None;
            }
            None => {}
        }
        self.types.insert(key, TypeState::Active);
        let elem = match definition {
            TypeDefinition::Nominal(ty, _) => self.nominal(unit, ty, name, false),
            TypeDefinition::Handle(ty, _) => self.nominal(unit, ty, name, true),
            TypeDefinition::Struct(fields, _) => self.structure(unit, fields, name),
        };
        self.types.insert(key, elem.map_or(TypeState::Wrong, TypeState::Known));
        elem
    }

    fn nominal(&mut self, unit: usize, ty: &'a TypeExpr, name: &Name, is_handle: bool) -> Option<Elem> {
        let base = self.elem_of(unit, ty);
        let cell = self.known_extents(ty, "a type made by `typedef`");
        let nominal = Nominal { name: name.text.clone(), base: base?, cell: cell?, is_handle };
        if let Some(known) = self.given_type(unit, &nominal) {
            return Some(known);
        }
        Some(Elem::Nominal(self.program.nominals.push(nominal)))
    }

    /// The library's type that a definition repeats, where nothing was used that defines it: a program that says what
    /// `complex` is means the numbers that the library has functions for.
    fn given_type(&mut self, unit: usize, nominal: &Nominal) -> Option<Elem> {
        for module in &self.units[unit].given {
            let Some(&module) = self.module_names.get(module.as_str()) else { continue };
            let Some((module, definition)) = self.type_in(module, &nominal.name, false, &mut vec![unit]) else {
                continue;
            };
            let elem = self.defined_type(module, definition, definition.name().span)?;
            let Elem::Nominal(id) = elem else { continue };
            let known = &self.program.nominals[id];
            if known.base == nominal.base && known.cell == nominal.cell && known.is_handle == nominal.is_handle {
                return Some(elem);
            }
        }
        None
    }

    fn structure(&mut self, unit: usize, fields: &'a [(TypeExpr, Name)], name: &Name) -> Option<Elem> {
        // The parser has reported it.
        if fields.is_empty() {
            return None;
        }
        let mut first: HashMap<&str, Span> = HashMap::new();
        let mut known = Vec::new();
        for (ty, field) in fields {
            if let Some(first) = first.insert(&field.text, field.span) {
                self.error(SacError::DuplicateField { span: field.span, name: field.text.clone(), first });
            }
            let elem = self.elem_of(unit, ty);
            let shape = self.known_extents(ty, "a field");
            known.push(elem.zip(shape).map(|(elem, shape)| (field.text.clone(), elem, shape)));
        }
        let fields = known.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Elem::Struct(self.program.structs.push(Struct { name: name.text.clone(), fields })))
    }

    fn known_extents(&mut self, ty: &TypeExpr, what: &'static str) -> Option<Vec<i64>> {
        let mut extents = Vec::new();
        for axis in ty.shape.iter().flatten() {
            match axis {
                ast::AxisExpr::Extent(n, _) => extents.push(*n),
                ast::AxisExpr::Dot(_)
                | ast::AxisExpr::Plus(_)
                | ast::AxisExpr::Star(_)
                | ast::AxisExpr::Name(_)
                | ast::AxisExpr::Axes { .. } => {
                    self.error(SacError::ShapeNotKnown { span: ty.span, what });
                    return None;
                }
            }
        }
        Some(extents)
    }
}
