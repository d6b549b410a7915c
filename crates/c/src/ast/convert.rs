//! From what libclang says to a tree of our own: once for each file, function by function.
//!
//! # Where text comes from
//!
//! The first and the last token of a node each stand in the file, perhaps as an argument of a macro, or in the definition of a macro. Of a token in
//! a definition the place is the whole use of the macro. The bytes between both ends are the node's text if no use of a macro at an end has
//! tokens of anything else in it.

#![allow(non_upper_case_globals)] // names of libclang's constants

use super::clang::{Cursor, Type, Unit};
use super::macros::Use;
use super::types::{CType, Typed};
use super::{Decl, DeclInfo, DeclKind, Head, Kind, Member, Node, NodeData, NodeId, Part, Tree};
use crate::write::lexical::blanked;
use clang_sys::*;
use frit_support::Table;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Nodes in more others than these are not converted.
const DEEPEST: usize = 300;
/// Of so many nodes in one macro none is looked for that is all of it.
const MOST_IN_MACRO: usize = 500;
/// Structures in structures, or behind their pointers, are not followed further.
const MOST_INNER_STRUCTURES: usize = 3;
/// A location in a macro has this bit.
const IN_MACRO: u32 = 1 << 31;

/// Where a token stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// At this byte of the file.
    File(usize),
    /// In the definition of a macro, by this use of it.
    Use(usize),
    /// In another file.
    Elsewhere,
}

struct Converter<'u> {
    unit: &'u Unit,
    tree: Tree,
    blank: String,
    starts: HashMap<usize, usize>,
    ends: HashMap<usize, usize>,
    /// For each use of a macro the innermost other one whose arguments it stands in.
    enclosing: Vec<Option<usize>>,
    /// So many uses of macros were looked at for nodes.
    looked: Cell<u64>,
    type_of: HashMap<(usize, usize), usize>,
    /// The members of structures that were looked at, by their declarations and how deep they were found.
    members_of: HashMap<(usize, usize), Vec<Member>>,
    decl_of: HashMap<usize, Decl>,
    undeclared: &'u BTreeSet<String>,
    /// Functions of headers that are called.
    called: Vec<Cursor>,
    seen: BTreeSet<usize>,
    depth: usize,
    /// The encoded locations of the ends of nodes that begin or end in macros.
    raw: HashMap<usize, (u32, u32)>,
}

impl Tree {
    /// The syntax of a file that the compiler has read; `undeclared` are the names that only the prelude declares.
    pub(crate) fn of(unit: &Unit, text: &str, undeclared: &BTreeSet<String>) -> Tree {
        let tree = Tree {
            text: text.to_string(),
            nodes: Vec::new(),
            types: vec![CType::Unknown],
            decls: Table::new(),
            functions: Vec::new(),
            heads: BTreeMap::new(),
            left_out: Vec::new(),
            bases: BTreeMap::new(),
            shared: BTreeSet::new(),
            by_name: BTreeMap::new(),
            attributed: BTreeMap::new(),
            uses: Vec::new(),
            loose: Vec::new(),
            undeclared: BTreeSet::new(),
            #[cfg(test)]
            looked: 0,
            skipped: unit.skipped(),
            unused: unit.unused().into_iter().filter_map(|message| Some((message.place.ok()?, message.text))).collect(),
        };
        let mut converter = Converter {
            unit,
            tree,
            blank: blanked(text),
            starts: HashMap::new(),
            ends: HashMap::new(),
            enclosing: Vec::new(),
            looked: Cell::new(0),
            type_of: HashMap::new(),
            members_of: HashMap::new(),
            decl_of: HashMap::new(),
            undeclared,
            called: Vec::new(),
            seen: BTreeSet::new(),
            depth: 0,
            raw: HashMap::new(),
        };
        converter.file();
        #[cfg(test)]
        {
            converter.tree.looked = converter.looked.get();
        }
        converter.tree
    }
}

impl Converter<'_> {
    fn file(&mut self) {
        let mut functions = Vec::new();
        for cursor in self.unit.root().children() {
            match cursor.kind() {
                CXCursor_MacroExpansion => self.macro_use(cursor),
                CXCursor_FunctionDecl => {
                    let is_here = self.unit.file_offset(cursor.location()).is_some();
                    if is_here {
                        functions.push(cursor);
                    }
                    self.attributes(cursor, is_here);
                }
                _ => {}
            }
        }
        self.tree.uses.sort_by_key(|used| used.range.start);
        self.enclosing = enclosing(&self.tree.uses);
        for (at, used) in self.tree.uses.iter().enumerate() {
            self.starts.insert(used.range.start, at);
            self.ends.insert(used.range.end, at);
        }
        for function in functions.into_iter().filter(|function| function.is_definition()) {
            let id = self.function(function);
            self.tree.functions.push(id);
        }
        while let Some(function) = self.called.pop() {
            self.function(function);
        }
        self.tree.loose = loose(&self.tree.text);
        self.insert_loose();
        self.settle();
    }

    fn macro_use(&mut self, cursor: Cursor) {
        let extent = cursor.extent();
        let start = self.unit.file_offset(Self::start(extent));
        let end = self.unit.file_offset(Self::end(extent));
        let (Some(start), Some(end)) = (start, end) else { return };
        let definition = cursor.referenced().filter(|definition| !definition.is_macro_builtin());
        let is_function = definition.is_some_and(Cursor::is_macro_function);
        let name = cursor.spelling();
        let written = definition.and_then(|definition| self.unit.text_of(definition.extent()));
        // One of the command line stands in no file.
        let given = || self.unit.defined.get(&name).filter(|_| definition.is_some() && !is_function);
        let text = written.or_else(|| given().map(|value| format!("{name} {value}")));
        let mut used = Use::new(name, start..end, text, is_function, &self.blank);
        used.is_overridable = !is_function
            && definition.and_then(|definition| self.unit.line_before(definition.extent())).is_some_and(|line| {
                let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                words == ["ifndef", &used.name] || line.contains('!') && words == ["if", "defined", &used.name]
            });
        self.tree.uses.push(used);
    }

    fn start(range: CXSourceRange) -> CXSourceLocation {
        CXSourceLocation { ptr_data: range.ptr_data, int_data: range.begin_int_data }
    }

    fn end(range: CXSourceRange) -> CXSourceLocation {
        CXSourceLocation { ptr_data: range.ptr_data, int_data: range.end_int_data }
    }

    fn attributes(&mut self, function: Cursor, is_here: bool) {
        let children = function.children();
        let has = |kind| children.iter().any(|child| child.kind() == kind);
        // What is newer than the compiler.
        let head = if is_here { self.unit.text_of(function.extent()).unwrap_or_default() } else { String::new() };
        let head = head.split('{').next().unwrap_or_default();
        if has(CXCursor_ConstAttr) || head.contains("unsequenced") {
            self.tree.attributed.insert(function.spelling(), true);
        } else if has(CXCursor_PureAttr) || head.contains("reproducible") {
            self.tree.attributed.insert(function.spelling(), false);
        }
    }

    // Where nodes are.

    fn first(&self, range: CXSourceRange) -> Spot {
        let Some(offset) = self.unit.file_offset(Self::start(range)) else { return Spot::Elsewhere };
        match self.starts.get(&offset) {
            Some(used) if range.begin_int_data & IN_MACRO != 0 => Spot::Use(*used),
            _ => Spot::File(offset),
        }
    }

    fn last(&self, range: CXSourceRange) -> Spot {
        let mut end = Self::end(range);
        if end.int_data & IN_MACRO == 0 {
            let Some(offset) = self.unit.file_offset(end) else { return Spot::Elsewhere };
            return self.ends.get(&offset).map_or(Spot::File(offset), |used| Spot::Use(*used));
        }
        // The last byte of the last token: what follows it may be in another macro.
        end.int_data -= 1;
        let Some(offset) = self.unit.file_offset(end) else { return Spot::Elsewhere };
        self.starts.get(&offset).map_or(Spot::File(offset + 1), |used| Spot::Use(*used))
    }

    /// The bytes that a node comes from, and the uses of macros at its ends. `None` in another file.
    fn place(&self, range: CXSourceRange) -> Option<(Range<usize>, Vec<usize>)> {
        let (first, last) = (self.first(range), self.last(range));
        let mut uses = Vec::new();
        let mut end = |spot: Spot, is_end: bool| match spot {
            Spot::File(offset) => Some(offset),
            Spot::Use(used) => {
                uses.push(used);
                let range = &self.tree.uses[used].range;
                Some(if is_end { range.end } else { range.start })
            }
            Spot::Elsewhere => None,
        };
        let (mut low, mut high) = (end(first, false)?, end(last, true)?);
        if (range.begin_int_data | range.end_int_data) & IN_MACRO != 0 || !uses.is_empty() {
            // Tokens of several arguments have the macro's own between them.
            let mut grows = true;
            while grows {
                grows = false;
                let mut near: Vec<usize> = self.uses_round(low).chain(self.uses_round(high)).collect();
                near.sort_unstable();
                for at in near {
                    let used = &self.tree.uses[at];
                    let touches = |byte: usize| used.range.start < byte && byte < used.range.end;
                    let is_apart = high < low || !used.arguments.iter().any(|of| of.start <= low && high <= of.end);
                    if (touches(low) || touches(high)) && is_apart {
                        (low, high) = (low.min(used.range.start), high.max(used.range.end));
                        if !uses.contains(&at) {
                            uses.push(at);
                        }
                        grows = true;
                    }
                }
            }
        }
        uses.sort_unstable();
        uses.dedup();
        Some((low..high.max(low), uses))
    }

    /// The uses of macros that begin before a byte and end there or later, the innermost one first.
    fn uses_round(&self, byte: usize) -> impl Iterator<Item = usize> {
        let last = self.tree.uses.partition_point(|used| used.range.start < byte).checked_sub(1);
        let around = std::iter::successors(last, |at| self.enclosing[*at]);
        let around = around.inspect(|_| self.looked.set(self.looked.get() + 1));
        around.filter(move |at| byte <= self.tree.uses[*at].range.end)
    }

    fn add(&mut self, kind: Kind, part: Part, parent: Option<NodeId>, cursor: Cursor) -> NodeId {
        let (range, uses, is_written) = match self.place(cursor.extent()) {
            Some((range, uses)) => (range, uses, true),
            None => (0..0, Vec::new(), false),
        };
        if !uses.is_empty() {
            let extent = cursor.extent();
            self.raw.insert(self.tree.nodes.len(), (extent.begin_int_data, extent.end_int_data));
        }
        self.push(NodeData {
            kind,
            part,
            parent,
            children: Vec::new(),
            range,
            is_written,
            uses,
            of: 0,
            word: String::new(),
            decl: None,
            value: None,
            count: 1,
            height: 1,
        })
    }

    fn push(&mut self, data: NodeData) -> NodeId {
        let id = NodeId(u32::try_from(self.tree.nodes.len()).expect("a file has fewer than 2^32 nodes"));
        if let Some(parent) = data.parent {
            self.data(parent).children.push(id);
        }
        self.tree.nodes.push(data);
        id
    }

    fn data(&mut self, id: NodeId) -> &mut NodeData {
        &mut self.tree.nodes[id.0 as usize]
    }

    fn at(&self, id: NodeId) -> Node<'_> {
        self.tree.node(id)
    }

    // Declarations.

    fn function(&mut self, cursor: Cursor) -> NodeId {
        let id = self.add(Kind::Function, Part::Item, None, cursor);
        self.seen.insert(cursor.key());
        let decl = self.decl(cursor);
        self.data(id).decl = Some(decl);
        let of = cursor.of();
        let result = of.result();
        let head = Head {
            result: self.typed(result),
            result_text: result.spelling(),
            is_void: result.canonical().kind() == CXType_Void,
            is_variadic: of.kind() == CXType_FunctionProto && of.is_variadic(),
        };
        self.tree.heads.insert(id, head);
        for child in cursor.children() {
            match child.kind() {
                CXCursor_ParmDecl => self.variable(child, id),
                CXCursor_CompoundStmt => self.statement(child, id, Part::Body),
                _ => {}
            }
        }
        self.tree.by_name.entry(cursor.spelling()).or_insert(id);
        id
    }

    fn decl(&mut self, cursor: Cursor) -> Decl {
        let key = cursor.canonical().key();
        if let Some(known) = self.decl_of.get(&key) {
            return *known;
        }
        let best = cursor.definition().unwrap_or(cursor);
        let name = best.spelling();
        let is_local = matches!(best.semantic_parent().kind(), CXCursor_FunctionDecl | CXCursor_CompoundStmt);
        let kind = match best.kind() {
            CXCursor_ParmDecl => DeclKind::Parameter,
            CXCursor_VarDecl if self.undeclared.contains(&name) && !is_local => DeclKind::Undeclared,
            CXCursor_VarDecl if is_local => DeclKind::Local,
            CXCursor_EnumConstantDecl => DeclKind::Constant(Some(best.enum_value())),
            CXCursor_FunctionDecl => DeclKind::Function,
            _ => DeclKind::Global,
        };
        let is_variable = matches!(best.kind(), CXCursor_VarDecl | CXCursor_ParmDecl);
        let mut typed = self.typed(best.of());
        typed.is_static = is_variable && best.is_static();
        if kind == DeclKind::Parameter {
            typed.of = typed.of.decayed();
        }
        let number = (is_variable && typed.is_const && matches!(typed.of, CType::Int { .. }))
            .then(|| best.initialiser().and_then(Cursor::integer))
            .flatten();
        let range = match self.unit.file_offset(best.location()) {
            Some(start) if self.tree.text[start..].starts_with(&name) => start..start + name.len(),
            _ => 0..0,
        };
        let members = if kind == DeclKind::Parameter { self.members(best.of(), 0) } else { Vec::new() };
        let decl = self.tree.decls.push(DeclInfo {
            name,
            kind,
            typed,
            range,
            variable: None,
            written: best.of().spelling(),
            number,
            attributes: Vec::new(),
            members,
        });
        self.decl_of.insert(key, decl);
        if kind == DeclKind::Function && best.is_definition() && self.unit.file_offset(best.location()).is_none() {
            self.called.push(best);
        }
        decl
    }

    /// A variable of a function, or a parameter.
    fn variable(&mut self, cursor: Cursor, parent: NodeId) {
        let id = self.add(Kind::Variable, Part::Variable, Some(parent), cursor);
        let decl = self.decl(cursor);
        let initialiser = cursor.initialiser();
        let mut sizes: Vec<Cursor> =
            cursor.children().into_iter().filter(|child| is_expression(child.kind())).collect();
        if initialiser.is_some() {
            sizes.pop();
        }
        let written = self.tree.decls[decl].typed.of.clone();
        let mut declared = self.typed(cursor.of()).of;
        let levels =
            declared.sizes_mut().into_iter().filter(|size| size.count.is_some() || size.node.is_none()).count();
        let nodes: Vec<NodeId> = sizes.iter().filter_map(|size| self.expression(*size, id, Part::Size)).collect();
        // An array without an extent, `a[]`, has none to show; it is the outermost one.
        let mut levels_of = declared.sizes_mut();
        if nodes.len() <= levels {
            for (size, node) in levels_of.iter_mut().zip(&nodes) {
                size.node = Some(*node);
            }
        }
        let is_parameter = self.tree.decls[decl].kind == DeclKind::Parameter;
        let of = if is_parameter { declared.decayed() } else { declared };
        let name = self.tree.decls[decl].range.clone();
        let attributes = cursor.children().into_iter().filter(|child| is_attribute(child.kind()));
        let attributes = attributes.map(|attribute| self.attribute(attribute)).collect();
        let data = &mut self.tree.decls[decl];
        data.attributes = attributes;
        if matches!(written, CType::Pointer { .. } | CType::Array { .. }) {
            data.typed.of = of;
        }
        data.variable = Some(id);
        let data = self.data(id);
        data.decl = Some(decl);
        let head = self.data(id).range.start..name.start;
        if let Some(base) = self.written_base(head, &self.tree.decls[decl].typed.base) {
            self.tree.decls[decl].typed.base = base;
        }
        let data = self.data(id);
        // What stands before the name belongs to the type.
        if name.is_empty() || !data.range.contains(&name.start) {
            data.is_written = false;
        } else {
            data.range.start = name.start;
        }
        if let Some(initialiser) = initialiser {
            self.expression(initialiser, id, Part::Value);
        }
    }

    /// An attribute as it may stand before a declaration: a macro as it is.
    fn attribute(&self, attribute: Cursor) -> String {
        let Some((range, uses)) = self.place(attribute.extent()) else { return "an attribute of a header".to_string() };
        let written = &self.tree.text[range.clone()];
        if matches!(written, "_Alignas" | "alignas") {
            // With what is in parentheses behind it.
            let mut depth = 0i32;
            let closes = |byte: u8| {
                depth += i32::from(byte == b'(') - i32::from(byte == b')');
                byte == b')' && depth == 0
            };
            let length = self.blank[range.end..].bytes().position(closes).map_or(0, |last| last + 1);
            return self.tree.text[range.start..range.end + length].to_string();
        }
        if uses.is_empty() { format!("__attribute__(({written}))") } else { written.to_string() }
    }

    /// The type of elements as a declaration names it with macros, if these stand for the one that is known.
    fn written_base(&self, head: Range<usize>, base: &str) -> Option<String> {
        let first = self.tree.uses.partition_point(|used| used.range.start < head.start);
        let inside = || {
            let begun = self.tree.uses[first..].iter().take_while(|used| used.range.start < head.end);
            begun.filter(|used| used.range.end <= head.end)
        };
        if head.is_empty() || inside().next().is_none() {
            return None;
        }
        let text = &self.blank[head.clone()];
        let end = text.find(['*', '(', '[', ',', '=']).unwrap_or(text.len());
        let mut words: Vec<&str> = text[..end].split_whitespace().collect();
        if text[end..].starts_with(['[', ',', '=']) {
            // The name of another variable of the declaration.
            words.pop();
        }
        let is_of_type = |word: &&str| {
            let is_qualifier = matches!(*word, "const" | "volatile" | "static" | "register" | "extern" | "auto");
            let used = inside().find(|used| used.name == **word);
            !is_qualifier && used.is_none_or(|used| used.stands_for().is_some_and(|of| base.contains(of)))
        };
        words.retain(is_of_type);
        let meaning = |word: &&str| {
            let used = inside().find(|used| used.name == **word);
            used.and_then(Use::stands_for).unwrap_or(word).to_string()
        };
        let means: Vec<String> = words.iter().map(meaning).collect();
        (means.join(" ") == base).then(|| words.join(" "))
    }

    // Types.

    fn of(&mut self, cursor: Cursor) -> usize {
        let of = cursor.of();
        if let Some(known) = self.type_of.get(&of.key()) {
            return *known;
        }
        let converted = ctype(of, true);
        self.tree.types.push(converted);
        let at = self.tree.types.len() - 1;
        self.type_of.insert(of.key(), at);
        at
    }

    /// The members of the structure that a type is, points to, or is an array of.
    fn members(&mut self, of: Type, depth: usize) -> Vec<Member> {
        let mut at = of;
        for _ in 0..64 {
            at = match at.kind() {
                CXType_Pointer => at.pointee(),
                CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray => at.element(),
                _ => match at.desugared() {
                    Some(inner) => inner,
                    None => break,
                },
            };
        }
        if at.kind() != CXType_Record || depth > MOST_INNER_STRUCTURES {
            return Vec::new();
        }
        let declaration = at.declaration();
        let declaration = declaration.definition().unwrap_or(declaration);
        if let Some(known) = self.members_of.get(&(declaration.key(), depth)) {
            return known.clone();
        }
        let is_union = declaration.kind() == CXCursor_UnionDecl;
        let fields = declaration.children().into_iter().filter(|field| field.kind() == CXCursor_FieldDecl);
        let member = |field: Cursor| {
            let typed = self.typed(field.of());
            Member {
                name: field.spelling(),
                of: typed.of,
                base: typed.base,
                written: field.of().spelling(),
                is_odd: is_union || field.is_bit_field() || field.spelling().is_empty(),
                members: self.members(field.of(), depth + 1),
            }
        };
        let members: Vec<Member> = fields.map(member).collect();
        self.members_of.insert((declaration.key(), depth), members.clone());
        members
    }

    fn typed(&self, of: Type) -> Typed {
        let (mut at, mut leaf) = (of, of);
        let (mut is_const, mut is_volatile) = (false, false);
        for _ in 0..64 {
            is_const |= at.is_const();
            is_volatile |= at.is_volatile() || at.kind() == CXType_Atomic;
            let inner = match at.kind() {
                CXType_Pointer => Some(at.pointee()),
                CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray => Some(at.element()),
                _ => None,
            };
            match inner {
                Some(inner) => {
                    (at, leaf) = (inner, inner);
                    is_const = false;
                }
                None => match at.desugared() {
                    Some(inner) => at = inner,
                    None => break,
                },
            }
        }
        let mut base = leaf.unqualified().spelling();
        if base.contains("typeof") || base.contains("auto") {
            // What its operand names may be out of sight elsewhere.
            base = leaf.canonical().unqualified().spelling();
        }
        Typed { of: ctype(of, false), base, is_volatile, is_const, is_static: false }
    }

    // Statements.

    fn statement(&mut self, cursor: Cursor, parent: NodeId, part: Part) {
        let kind = cursor.kind();
        self.depth += 1;
        if self.depth > DEEPEST {
            self.add(Kind::Unknown, part, Some(parent), cursor);
        } else if is_expression(kind) {
            self.expression_statement(cursor, parent, part);
        } else {
            self.other_statement(cursor, parent, part);
        }
        self.depth -= 1;
    }

    fn expression_statement(&mut self, cursor: Cursor, parent: NodeId, part: Part) {
        let id = self.add(Kind::ExpressionStatement, part, Some(parent), cursor);
        if let Some(expression) = self.expression(cursor, id, Part::Item) {
            let node = self.at(expression);
            let is_prefetch = node.kind() == Kind::Call
                && node.all_children().next().is_some_and(|callee| callee.name() == "__builtin_prefetch");
            let happens = |node: Node<'_>| matches!(node.kind(), Kind::Assign | Kind::Update | Kind::Call);
            let does_nothing = is_prefetch && !crate::read::syntax::descendants(node).skip(1).any(happens);
            if does_nothing {
                self.data(id).kind = Kind::Empty;
            }
        }
        self.end_at_semicolon(id);
    }

    fn other_statement(&mut self, cursor: Cursor, parent: NodeId, part: Part) {
        let children = cursor.children();
        let kind = match cursor.kind() {
            CXCursor_CompoundStmt => Kind::Block,
            CXCursor_DeclStmt => Kind::Declaration,
            CXCursor_IfStmt => Kind::If,
            CXCursor_ForStmt => Kind::For,
            CXCursor_WhileStmt => Kind::While,
            CXCursor_DoStmt => Kind::Do,
            CXCursor_SwitchStmt => Kind::Switch,
            CXCursor_CaseStmt | CXCursor_DefaultStmt => Kind::Case,
            CXCursor_BreakStmt => Kind::Break,
            CXCursor_ContinueStmt => Kind::Continue,
            CXCursor_ReturnStmt => Kind::Return,
            CXCursor_GotoStmt | CXCursor_IndirectGotoStmt => Kind::Goto,
            CXCursor_LabelStmt => Kind::Label,
            CXCursor_NullStmt => Kind::Empty,
            CXCursor_AsmStmt | CXCursor_MSAsmStmt => Kind::Asm,
            CXCursor_UnexposedStmt => {
                // A statement with attributes.
                if let Some(last) =
                    children.last().filter(|last| is_statement(last.kind()) || is_expression(last.kind()))
                {
                    self.statement(*last, parent, part);
                    return;
                }
                Kind::Unknown
            }
            _ => Kind::Unknown,
        };
        let id = self.add(kind, part, Some(parent), cursor);
        match (kind, &children[..]) {
            (Kind::Block, all) => all.iter().for_each(|child| self.statement(*child, id, Part::Item)),
            (Kind::Declaration, all) => {
                for child in all {
                    match child.kind() {
                        CXCursor_VarDecl => self.variable(*child, id),
                        CXCursor_StaticAssert => {}
                        _ => {
                            self.add(Kind::Definition, Part::Item, Some(id), *child);
                        }
                    }
                }
            }
            (Kind::If, [condition, then, otherwise @ ..]) => {
                self.expression(*condition, id, Part::Condition);
                self.statement(*then, id, Part::Consequence);
                otherwise.iter().for_each(|child| self.statement(*child, id, Part::Alternative));
            }
            (Kind::For, [head @ .., body]) => self.for_loop(id, head, *body),
            (Kind::While | Kind::Switch, [condition, body]) => {
                self.expression(*condition, id, Part::Condition);
                self.statement(*body, id, Part::Body);
                if kind == Kind::Switch {
                    self.cases(id);
                }
            }
            (Kind::Do, [body, condition]) => {
                self.statement(*body, id, Part::Body);
                self.expression(*condition, id, Part::Condition);
            }
            (Kind::Case, [values @ .., inner]) => {
                values.iter().for_each(|value| {
                    self.expression(*value, id, Part::Value);
                });
                self.statement(*inner, id, Part::Item);
            }
            (Kind::Return | Kind::Asm | Kind::Unknown, all) => {
                for child in all {
                    if is_expression(child.kind()) {
                        self.expression(*child, id, Part::Item);
                    } else if is_statement(child.kind()) {
                        self.statement(*child, id, Part::Item);
                    }
                }
            }
            (Kind::Goto, all) => {
                let label = all.iter().find(|child| child.kind() == CXCursor_LabelRef);
                self.data(id).word = label.map_or_else(String::new, |label| label.spelling());
            }
            (Kind::Label, all) => {
                self.data(id).word = cursor.spelling();
                all.iter().for_each(|child| self.statement(*child, id, Part::Item));
            }
            _ => {}
        }
        match kind {
            Kind::Break | Kind::Continue | Kind::Return | Kind::Goto | Kind::Do | Kind::Asm => {
                self.end_at_semicolon(id)
            }
            _ => {
                // The semicolon of the last statement in it.
                let last = self.data(id).children.last().copied();
                if let Some(last) = last.filter(|_| kind != Kind::Declaration) {
                    let end = self.at(last).end_byte();
                    let data = self.data(id);
                    data.range.end = data.range.end.max(end);
                }
            }
        }
    }

    /// The parts of a `for` of which some are absent are told apart by the semicolons between them.
    fn for_loop(&mut self, id: NodeId, head: &[Cursor], body: Cursor) {
        let parts = [Part::Initial, Part::Condition, Part::Update];
        let semicolons = {
            let starts = || -> Option<Vec<usize>> {
                let node = self.at(id);
                (node.data().is_written
                    && node.uses().iter().all(|used| self.tree.uses[*used].range.start > node.start_byte()))
                .then_some(())?;
                let bytes = self.blank.as_bytes();
                let open = node.start_byte() + self.blank.get(node.start_byte()..)?.find('(')?;
                let (mut depth, mut found) = (0usize, Vec::new());
                for (at, byte) in bytes.iter().enumerate().skip(open) {
                    match byte {
                        b'(' | b'[' | b'{' => depth += 1,
                        b')' | b']' | b'}' if depth == 1 => break,
                        b')' | b']' | b'}' => depth -= 1,
                        b';' if depth == 1 => found.push(at),
                        _ => {}
                    }
                }
                (found.len() == 2).then_some(found)
            };
            starts()
        };
        let split = if head.len() == 3 { None } else { semicolons.clone() };
        for (at, child) in head.iter().enumerate() {
            let part = match (&split, head.len()) {
                (_, 3) => parts[at],
                (Some(split), _) => {
                    let start = self.place(child.extent()).map_or(0, |(range, _)| range.start);
                    parts[split.iter().filter(|semicolon| **semicolon < start).count()]
                }
                (None, _) => {
                    // In a header, or in a macro: where each part is cannot be seen.
                    self.data(id).word = "unclear".to_string();
                    parts[at]
                }
            };
            if is_statement(child.kind()) {
                self.statement(*child, id, part);
            } else {
                self.expression(*child, id, part);
            }
        }
        if head.is_empty() && semicolons.is_none() {
            self.data(id).word = "unclear".to_string();
        }
        self.statement(body, id, Part::Body);
    }

    /// The statements after a label of a `switch` belong to it.
    fn cases(&mut self, switch: NodeId) {
        let Some(body) = self.data(switch).children.last().copied() else { return };
        if self.at(body).kind() != Kind::Block {
            return;
        }
        let mut regrouped: Vec<NodeId> = Vec::new();
        for child in std::mem::take(&mut self.data(body).children) {
            if self.at(child).kind() == Kind::Case {
                let mut case = child;
                regrouped.push(case);
                // `case 1: case 2: ...` are siblings.
                loop {
                    let last = self.at(case).all_children().next_back();
                    let Some(inner) = last.filter(|inner| inner.kind() == Kind::Case).map(|inner| inner.id) else {
                        break;
                    };
                    self.data(case).children.pop();
                    let end = self.at(inner).start_byte();
                    self.data(case).range.end = end;
                    self.data(inner).parent = Some(body);
                    regrouped.push(inner);
                    case = inner;
                }
            } else if let Some(case) = regrouped.last().copied().filter(|last| self.at(*last).kind() == Kind::Case) {
                self.data(child).parent = Some(case);
                let end = self.at(child).end_byte();
                let data = self.data(case);
                data.children.push(child);
                data.range.end = data.range.end.max(end);
            } else {
                regrouped.push(child);
            }
        }
        self.data(body).children = regrouped;
    }

    /// A statement ends with its semicolon.
    fn end_at_semicolon(&mut self, id: NodeId) {
        let node = self.at(id);
        let (end, is_written) = (node.end_byte(), node.data().is_written);
        let ends_in_macro = node
            .uses()
            .iter()
            .any(|used| self.tree.uses[*used].range.end == end && self.tree.uses[*used].has_semicolon);
        if !is_written || ends_in_macro {
            return;
        }
        let rest = &self.blank[end.min(self.blank.len())..];
        let next = rest.len() - rest.trim_start().len();
        if rest[next..].starts_with(';') {
            self.data(id).range.end = end + next + 1;
        } else if !self.blank[..end].ends_with(';') {
            // The semicolon stands in the definition of a macro.
            let around = self.uses_round(end).last();
            let data = self.data(id);
            data.is_written = false;
            data.uses.extend(around);
        }
    }

    // Expressions.

    fn expression(&mut self, cursor: Cursor, parent: NodeId, part: Part) -> Option<NodeId> {
        self.depth += 1;
        let id = if self.depth > DEEPEST {
            Some(self.add(Kind::Unknown, part, Some(parent), cursor))
        } else {
            self.shallow_expression(cursor, parent, part)
        };
        self.depth -= 1;
        id
    }

    fn shallow_expression(&mut self, cursor: Cursor, parent: NodeId, part: Part) -> Option<NodeId> {
        use Part::{Argument, Callee, Condition, Index, Item, Left, Operand, Right, Value};
        let all = cursor.children();
        let inner: Vec<Cursor> = all.iter().copied().filter(|child| is_expression(child.kind())).collect();
        let same = |one: Cursor| {
            let (one, two) = (one.extent(), cursor.extent());
            one.begin_int_data == two.begin_int_data && one.end_int_data == two.end_int_data
        };
        let is_in_list = self.at(parent).kind() == Kind::List;
        let (kind, word, value): (Kind, String, Option<i64>) = match cursor.kind() {
            // A conversion that is not written.
            CXCursor_UnexposedExpr if inner.len() == 1 && same(inner[0]) => {
                return self.expression(inner[0], parent, part);
            }
            CXCursor_UnexposedExpr if is_in_list => (Kind::List, String::new(), None),
            CXCursor_UnexposedExpr => match cursor.integer() {
                Some(value) => (Kind::Number, String::new(), Some(value)),
                None if all.is_empty() => (Kind::Literal, String::new(), None),
                None => (Kind::Unknown, String::new(), None),
            },
            CXCursor_DeclRefExpr => (Kind::Name, String::new(), None),
            CXCursor_MemberRefExpr => {
                let name = cursor.spelling();
                // A structure without a name in another.
                if let (true, [base]) = (name.is_empty(), &inner[..]) {
                    return self.expression(*base, parent, part);
                }
                (Kind::Member, name, None)
            }
            CXCursor_CallExpr => {
                // What the compiler is told to expect changes no value.
                let hints = match cursor.spelling().as_str() {
                    "__builtin_expect" | "__builtin_expect_with_probability" | "__builtin_assume_aligned" => {
                        inner.get(2..).unwrap_or_default()
                    }
                    _ => &[],
                };
                let is_constant = |hint: &Cursor| {
                    hint.integer().is_some()
                        || matches!(hint.kind(), CXCursor_IntegerLiteral | CXCursor_FloatingLiteral)
                };
                let is_hint = !hints.is_empty() && hints.iter().all(is_constant);
                if is_hint {
                    let id = self.add(Kind::Paren, part, Some(parent), cursor);
                    self.data(id).of = self.of(cursor);
                    self.expression(inner[1], id, Item);
                    return Some(id);
                }
                (Kind::Call, String::new(), None)
            }
            CXCursor_IntegerLiteral | CXCursor_CharacterLiteral => (Kind::Number, String::new(), cursor.integer()),
            CXCursor_GNUNullExpr => (Kind::Number, String::new(), Some(0)),
            CXCursor_FloatingLiteral | CXCursor_ImaginaryLiteral | CXCursor_StringLiteral => {
                (Kind::Literal, String::new(), None)
            }
            CXCursor_ParenExpr => (Kind::Paren, String::new(), None),
            CXCursor_UnaryOperator => match cursor.unary_operator() {
                CXUnaryOperator_PostInc => (Kind::Update, "++".to_string(), Some(1)),
                CXUnaryOperator_PostDec => (Kind::Update, "--".to_string(), Some(1)),
                CXUnaryOperator_PreInc => (Kind::Update, "++".to_string(), None),
                CXUnaryOperator_PreDec => (Kind::Update, "--".to_string(), None),
                CXUnaryOperator_AddrOf => (Kind::Pointer, "&".to_string(), None),
                CXUnaryOperator_Deref => (Kind::Pointer, "*".to_string(), None),
                CXUnaryOperator_Plus => (Kind::Unary, "+".to_string(), None),
                CXUnaryOperator_Minus => (Kind::Unary, "-".to_string(), None),
                CXUnaryOperator_Not => (Kind::Unary, "~".to_string(), None),
                CXUnaryOperator_LNot => (Kind::Unary, "!".to_string(), None),
                CXUnaryOperator_Extension => (Kind::Paren, String::new(), None),
                _ => (Kind::Unary, "?".to_string(), None),
            },
            CXCursor_ArraySubscriptExpr => (Kind::Subscript, String::new(), None),
            CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator => {
                let word = cursor.binary_operator();
                let kind = match word.as_str() {
                    "," => Kind::Comma,
                    "==" | "!=" | "<=" | ">=" => Kind::Binary,
                    word if word.ends_with('=') => Kind::Assign,
                    _ => Kind::Binary,
                };
                (kind, word, None)
            }
            CXCursor_ConditionalOperator => (Kind::Conditional, String::new(), None),
            CXCursor_CStyleCastExpr => (Kind::Cast, String::new(), None),
            CXCursor_CompoundLiteralExpr => (Kind::CompoundLiteral, String::new(), None),
            CXCursor_InitListExpr => (Kind::List, String::new(), None),
            CXCursor_StmtExpr => (Kind::StatementExpression, String::new(), None),
            CXCursor_UnaryExpr => (Kind::Sizeof, String::new(), cursor.integer()),
            CXCursor_GenericSelectionExpr => {
                // The one association of the type that the whole has is chosen.
                let of = cursor.of().canonical().key();
                let mut chosen = inner.iter().skip(1).filter(|one| one.of().canonical().key() == of);
                match (chosen.next(), chosen.next()) {
                    (Some(one), None) => {
                        let id = self.add(Kind::Paren, part, Some(parent), cursor);
                        self.data(id).of = self.of(cursor);
                        self.expression(*one, id, Item);
                        return Some(id);
                    }
                    _ => (Kind::Unknown, String::new(), None),
                }
            }
            _ => (Kind::Unknown, String::new(), None),
        };
        let id = self.add(kind, part, Some(parent), cursor);
        let of = self.of(cursor);
        let data = self.data(id);
        (data.of, data.word, data.value) = (of, word, value);
        if kind == Kind::Member && self.tree.types[of].is_array() {
            let base = self.typed(cursor.of()).base;
            self.tree.bases.insert(id, base);
        }
        if kind == Kind::Member && cursor.referenced().is_none_or(is_shared) {
            self.tree.shared.insert(id);
        }
        let mut add = |children: &[Cursor], parts: &[Part]| {
            for (child, part) in children.iter().zip(parts) {
                self.expression(*child, id, *part);
            }
        };
        match (kind, &inner[..]) {
            (Kind::Name, _) => {
                if let Some(referenced) = cursor.referenced() {
                    let decl = self.decl(referenced);
                    let value = match self.tree.decls[decl].kind {
                        DeclKind::Constant(value) => value,
                        _ => None,
                    };
                    let data = self.data(id);
                    (data.decl, data.value) = (Some(decl), value);
                } else {
                    self.data(id).kind = Kind::Unknown;
                }
            }
            (Kind::Member | Kind::Pointer | Kind::Unary | Kind::Update, all) => add(all, &[Operand]),
            (Kind::Subscript, [one, two]) => {
                let is_base = |cursor: &Cursor| ctype(cursor.of(), false).is_array();
                if is_base(one) { add(&inner, &[Operand, Index]) } else { add(&[*two, *one], &[Operand, Index]) }
            }
            (Kind::Binary | Kind::Assign | Kind::Comma, all) => add(all, &[Left, Right]),
            (Kind::Conditional, all) => add(all, &[Condition, Part::Consequence, Part::Alternative]),
            (Kind::Cast | Kind::CompoundLiteral, [.., value]) => add(&[*value], &[Value]),
            (Kind::Sizeof, [.., value]) => add(&[*value], &[Value]),
            (Kind::Call, [callee, arguments @ ..]) => {
                add(&[*callee], &[Callee]);
                arguments.iter().for_each(|argument| add(&[*argument], &[Argument]));
            }
            (Kind::StatementExpression, _) => {
                all.iter().for_each(|child| self.statement(*child, id, Part::Body));
            }
            (_, all) => all.iter().for_each(|child| add(&[*child], &[Item])),
        }
        Some(id)
    }

    // What is done at the end.

    /// Comments and lines of the preprocessor go where they stand among statements.
    fn insert_loose(&mut self) {
        let roots: Vec<NodeId> = self.tree.functions.clone();
        // So many first children of a node end before the text at hand.
        let mut finished: HashMap<NodeId, usize> = HashMap::new();
        for (range, kind) in self.tree.loose.clone() {
            let holds = |node: Node<'_>| node.start_byte() <= range.start && range.end <= node.end_byte();
            let next = roots.partition_point(|root| self.at(*root).start_byte() <= range.start);
            let Some(mut at) = next.checked_sub(1).map(|last| roots[last]).filter(|root| holds(self.at(*root))) else {
                continue;
            };
            let before = loop {
                let done = finished.entry(at).or_default();
                let children = &self.tree.nodes[at.0 as usize].children;
                // What ends before this text ends before all that follow.
                *done +=
                    children[*done..].iter().take_while(|child| self.at(**child).end_byte() <= range.start).count();
                let begun = children[*done..].iter().take_while(|child| self.at(**child).start_byte() <= range.start);
                let inner = begun.clone().find(|inner| {
                    let inner = self.at(**inner);
                    holds(inner) && !inner.kind().is_expression() && inner.data().is_written
                });
                match inner {
                    Some(inner) => at = *inner,
                    None => break *done + begun.count(),
                }
            };
            let data = NodeData {
                kind,
                part: Part::Item,
                parent: None,
                children: Vec::new(),
                range: range.clone(),
                is_written: true,
                uses: Vec::new(),
                of: 0,
                word: if kind == Kind::Directive { directive(&self.tree.text[range.clone()]) } else { String::new() },
                decl: None,
                value: None,
                count: 1,
                height: 1,
            };
            let id = self.push(data);
            self.data(id).parent = Some(at);
            self.data(at).children.insert(before, id);
        }
    }

    /// Finds out which nodes are all that stands in their bytes, and how high trees are.
    fn settle(&mut self) {
        let count = self.tree.nodes.len();
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut open: Vec<usize> = (0..count).filter(|at| self.tree.nodes[*at].parent.is_none()).collect();
        while let Some(at) = open.pop() {
            order.push(at);
            open.extend(self.tree.nodes[at].children.iter().map(|child| child.0 as usize));
        }
        let mut touching: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in &order {
            for used in &self.tree.nodes[*at].uses {
                touching.entry(*used).or_default().push(*at);
            }
        }
        let mut numbers = vec![0; count];
        for (number, at) in order.iter().enumerate() {
            numbers[*at] = number;
        }
        for at in order.into_iter().rev() {
            let (mut nodes, mut height) = (1, 0);
            for child in &self.tree.nodes[at].children {
                let child = &self.tree.nodes[child.0 as usize];
                nodes += child.count;
                height = height.max(child.height);
            }
            (self.tree.nodes[at].count, self.tree.nodes[at].height) = (nodes, height + 1);
        }
        let hidden: Vec<usize> = (0..count)
            .filter(|at| {
                let mut uses = self.tree.nodes[*at].uses.iter();
                uses.any(|used| !self.is_whole(*at, *used, &touching[used], &numbers))
            })
            .collect();
        for at in hidden {
            self.tree.nodes[at].is_written = false;
        }
    }
}

impl Converter<'_> {
    /// Whether nothing of a use that a node begins or ends in is outside of the node; `touching` are all nodes that begin or end in it, and
    /// `numbers` those of all nodes in an order in which each is followed by what is below it.
    fn is_whole(&self, at: usize, used: usize, touching: &[usize], numbers: &[usize]) -> bool {
        let data = &self.tree.nodes[at];
        let of = &self.tree.uses[used];
        let node = self.tree.node(NodeId(at as u32));
        self.looked.set(self.looked.get() + touching.len() as u64);
        let Some(&(begin, end)) = self.raw.get(&at).filter(|_| touching.len() <= MOST_IN_MACRO) else { return false };
        let is_in = |byte: usize| of.range.start <= byte && byte <= of.range.end;
        let is_below = |inner: usize, outer: usize| {
            (numbers[outer]..numbers[outer] + self.tree.nodes[outer].count).contains(&numbers[inner])
        };
        // An argument that is used several times is in the tree as often.
        let copies: Vec<usize> = touching
            .iter()
            .copied()
            .filter(|other| {
                let copy = &self.tree.nodes[*other];
                copy.range == data.range
                    && copy.kind == data.kind
                    && crate::read::syntax::is_same(node, self.tree.node(NodeId(*other as u32)))
            })
            .collect();
        let is_of_copy = |other: usize| copies.iter().any(|copy| is_below(other, *copy));
        let is_around = |other: usize| copies.iter().any(|copy| *copy != other && is_below(*copy, other));
        let ends: Vec<(u32, u32)> = copies.iter().filter_map(|copy| self.raw.get(copy).copied()).collect();
        let is_apart = touching.iter().all(|other| {
            let (range, raw) = (&self.tree.nodes[*other].range, self.raw.get(other));
            is_below(*other, at)
                || is_of_copy(*other)
                || is_around(*other)
                    && raw.is_some_and(|(first, last)| {
                        // What is round it may begin and end with the same tokens.
                        let begins = *first == begin || ends.iter().any(|(begin, _)| begin == first);
                        let ends = *last == end || ends.iter().any(|(_, end)| end == last);
                        (!(is_in(range.start) && range.start < of.range.end) || begins)
                            && (!(is_in(range.end) && range.end > of.range.start) || ends)
                    })
        });
        let begins = of.range.start > data.range.start || of.begins_with(node);
        let ends = of.range.end < data.range.end || of.ends_with(node);
        of.is_balanced && is_apart && begins && ends
    }
}

/// For each use of a macro, in the order of their beginnings, the innermost other one that it stands in.
fn enclosing(uses: &[Use]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(uses.len());
    for (at, used) in uses.iter().enumerate() {
        while open.last().is_some_and(|last| uses[*last].range.end < used.range.end) {
            open.pop();
        }
        found.push(open.last().copied());
        open.push(at);
    }
    found
}

/// A member of a union, or of a structure in one.
fn is_shared(member: Cursor) -> bool {
    let mut around = member.semantic_parent();
    while around.kind() == CXCursor_StructDecl {
        around = around.semantic_parent();
    }
    around.kind() == CXCursor_UnionDecl
}

fn is_attribute(kind: CXCursorKind) -> bool {
    (CXCursor_UnexposedAttr..=499).contains(&kind)
}

fn is_expression(kind: CXCursorKind) -> bool {
    (CXCursor_UnexposedExpr..=199).contains(&kind)
}

fn is_statement(kind: CXCursorKind) -> bool {
    (CXCursor_UnexposedStmt..=279).contains(&kind)
}

/// A type; with `sees_volatile`, what is `volatile` is nothing else.
fn ctype(of: Type, sees_volatile: bool) -> CType {
    let (mut at, mut is_restrict) = (of, false);
    for _ in 0..64 {
        if sees_volatile && (at.is_volatile() || at.kind() == CXType_Atomic) {
            return CType::Volatile;
        }
        is_restrict |= at.is_restrict();
        match at.desugared() {
            Some(inner) => at = inner,
            None => break,
        }
    }
    // Not of every type, as those of the compiler's own functions, may the size be asked.
    let int = |is_signed| at.size().map_or(CType::Unknown, |bytes| CType::Int { bytes, is_signed });
    match at.kind() {
        CXType_Bool | CXType_Char_U | CXType_UChar | CXType_Char16 | CXType_Char32 | CXType_UShort | CXType_UInt
        | CXType_ULong | CXType_ULongLong | CXType_UInt128 => int(false),
        CXType_Char_S | CXType_SChar | CXType_WChar | CXType_Short | CXType_Int | CXType_Long | CXType_LongLong
        | CXType_Int128 => int(true),
        CXType_Enum => ctype(at.enum_integer(), false),
        CXType_Half | CXType_Float16 | CXType_BFloat16 | CXType_Float | CXType_Double | CXType_LongDouble
        | CXType_Float128 | CXType_Ibm128 | CXType_Complex => {
            at.size().map_or(CType::Unknown, |bytes| CType::Float { bytes })
        }
        CXType_Record => CType::Struct { bytes: at.size().unwrap_or(0) },
        CXType_Pointer => CType::Pointer { target: Box::new(ctype(at.pointee(), sees_volatile)), is_restrict },
        CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray => {
            let count = at.count();
            let element = ctype(at.element(), sees_volatile);
            let in_brackets = || {
                let spelling = at.spelling();
                let brackets = spelling.split('[').nth(1).map(|rest| rest.split(']').next().unwrap_or("").to_string());
                brackets.is_some_and(|inside| inside.contains("restrict"))
            };
            let is_restrict = is_restrict || in_brackets();
            CType::Array { element: Box::new(element), size: super::Size { node: None, count }, is_restrict }
        }
        CXType_FunctionProto | CXType_FunctionNoProto => CType::Function,
        _ => CType::Unknown,
    }
}

/// What a line of the preprocessor says after `#`, without needless blanks.
fn directive(line: &str) -> String {
    line.trim_start().trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The comments and the lines of the preprocessor of a text, in order.
pub(super) fn loose(text: &str) -> Vec<(Range<usize>, Kind)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut is_line_start) = (0, true);
    let line_length = |start: usize| {
        let mut end = start;
        while end < bytes.len() {
            match bytes[end] {
                b'\n' => break,
                b'\\' if bytes.get(end + 1) == Some(&b'\n') => end += 2,
                b'\\' if bytes.get(end + 1) == Some(&b'\r') && bytes.get(end + 2) == Some(&b'\n') => end += 3,
                _ => end += 1,
            }
        }
        end.min(bytes.len()) - start
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            let end = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            found.push((at..end, Kind::Comment));
            at = end;
        } else if rest.starts_with(b"//") {
            let length = line_length(at);
            found.push((at..at + text[at..at + length].trim_end().len(), Kind::Comment));
            at += length;
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            let quote = rest[0];
            at += 1;
            while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
            is_line_start = false;
        } else if rest[0] == b'#' && is_line_start {
            let length = line_length(at);
            let line = &text[at..at + length];
            // A comment that the line opens may go on in the next ones.
            let opens = line.find("/*").filter(|open| !line[*open..].contains("*/"));
            let length = opens.unwrap_or(length).max(1);
            found.push((at..at + text[at..at + length].trim_end().len().max(1), Kind::Directive));
            at += length;
        } else {
            is_line_start = rest[0] == b'\n' || is_line_start && rest[0].is_ascii_whitespace();
            at += 1;
        }
    }
    found
}
