//! The checker: from syntax trees to the [`core`](super::core) language.
//!
//! [`check`] takes a file with all modules it needs and resolves names ([`modules`]), signatures ([`signature`]) and bodies
//! ([`function`], [`statement`], [`expression`], [`call`], [`with_loop`], [`tensor`]). Functions of the library are checked
//! when something calls them, so that a program pays for what it uses only.
//!
//! Element types are known exactly, shapes as far as the text tells: [`Ty`](types::Ty) holds what is known, [`scopes`] what
//! variables are at a point of the program. A mistake is reported once: what it spoils has no type and causes no further message.

mod bounds;
mod call;
mod convert;
pub(crate) mod error;
mod expression;
mod external;
mod function;
mod helper;
mod modules;
mod objects;
mod output;
mod place;
mod prims;
mod scan;
mod scopes;
mod select;
mod signature;
mod statement;
mod structs;
mod structure;
mod suggestion;
mod tensor;
mod text;
mod types;
mod walk;
mod with_loop;

use self::error::SacError;
use self::modules::{DeclId, Declaration, Module, TypeState};
use self::objects::ObjectDefinition;
use self::scopes::Body;
use super::ast;
use super::core::{FunctionId, ObjectId, OverloadId, Program};
use frit_support::{SourceMap, Span};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The file that is compiled, or a module of the user's.
    User,
    /// A module of the library.
    Library,
}

/// A file with what the loader knows of it.
#[derive(Debug)]
pub(super) struct Unit {
    /// The module's name; empty for the main file.
    pub name: String,
    /// Its tree.
    pub file: Arc<ast::File>,
    /// Whose it is.
    pub origin: Origin,
    /// Modules all of whose symbols are visible though no `use` says so. Definitions in the file hide them.
    pub given: Vec<String>,
}

/// Checks a program: the first unit is the main file, the others are the modules that can be asked for.
pub(super) fn check(sources: &SourceMap, units: &[Unit]) -> Result<Program, Vec<SacError>> {
    let mut checker = Checker::new(sources, units);
    checker.declare_all();
    checker.check_user_functions();
    checker.check_user_objects();
    checker.check_called_functions();
    checker.find_main();
    checker.order_objects();
    if units.iter().any(|unit| !unit.file.is_intact) {
        // What could not be read may have defined what is missing now.
        checker.errors.retain(|error| !error.is_about_names());
        return Err(checker.errors);
    }
    if checker.errors.is_empty() { Ok(checker.program) } else { Err(checker.errors) }
}

struct Checker<'a> {
    sources: &'a SourceMap,
    units: &'a [Unit],
    modules: Vec<Module<'a>>,
    module_names: HashMap<&'a str, usize>,
    declarations: Vec<Declaration<'a>>,
    types: HashMap<(usize, &'a str), TypeState>,
    /// Names that no type has, and the files that speak of them.
    unknown_types: HashSet<(usize, &'a str)>,
    visible: HashMap<(usize, &'a str), Rc<[DeclId]>>,
    program: Program,
    overloads: HashMap<(String, Vec<FunctionId>), OverloadId>,
    /// The functions that `sprintf` is, by the types of the values.
    texts: Vec<(Vec<types::Ty>, FunctionId)>,
    /// Functions whose bodies are still to be checked.
    called: VecDeque<(DeclId, FunctionId)>,
    /// The objects of the program, by unit and name; `None` if the type is wrong.
    objects: HashMap<(usize, &'a str), Option<ObjectId>>,
    /// Objects whose first values are still to be checked, with their units and functions.
    first_values: Vec<(usize, ObjectDefinition<'a>, FunctionId)>,
    helpers: HashMap<helper::Helper, FunctionId>,
    errors: Vec<SacError>,
    /// The function at hand.
    body: Body<'a>,
}

impl<'a> Checker<'a> {
    fn new(sources: &'a SourceMap, units: &'a [Unit]) -> Self {
        Checker {
            sources,
            units,
            modules: Vec::new(),
            module_names: HashMap::new(),
            declarations: Vec::new(),
            types: HashMap::new(),
            unknown_types: HashSet::new(),
            visible: HashMap::new(),
            program: Program::default(),
            overloads: HashMap::new(),
            texts: Vec::new(),
            called: VecDeque::new(),
            objects: HashMap::new(),
            first_values: Vec::new(),
            helpers: HashMap::new(),
            errors: Vec::new(),
            body: Body::default(),
        }
    }

    fn error(&mut self, error: SacError) {
        self.errors.push(error);
    }

    fn find_main(&mut self) {
        let mains = self.modules[0].functions.get("main").cloned().unwrap_or_default();
        let Some(&first) = mains.first() else { return };
        if let Some(&second) = mains.get(1) {
            let span = self.declarations[second].signature.name.span;
            self.error(SacError::MainType { span, words: "may be defined only once" });
        }
        self.check_main(first);
        self.program.main = self.declarations[first].id;
    }

    fn overload(&mut self, name: &str, candidates: Vec<FunctionId>) -> OverloadId {
        let key = (name.to_string(), candidates);
        if let Some(known) = self.overloads.get(&key) {
            return *known;
        }
        let (name, candidates) = key.clone();
        let id = self.program.overloads.push(super::core::Overload { name, candidates });
        self.overloads.insert(key, id);
        id
    }

    /// The span of a declaration's name.
    fn declared_at(&self, id: DeclId) -> Span {
        self.declarations[id].signature.name.span
    }
}
