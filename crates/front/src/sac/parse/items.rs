//! Top-level items: modules and what they exchange, types, and functions with their signatures.

use super::Parser;
use super::expressions::Place;
use crate::sac::ast::{
    Declaration, Expr, ExprKind, File, Function, Inlining, Item, Link, Name, Param, QualifiedName, Signature, Symbols,
    TypeExpr, Use,
};
use crate::sac::error::SyntaxError;
use crate::sac::lex::{Raw, RawKind};
use crate::sac::preprocess::Pragma;
use crate::sac::token::{Keyword, Symbol, TokenKind};
use frit_support::Span;

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek() != TokenKind::End {
            let start = self.at;
            self.item(&mut file);
            if self.is_panicking {
                self.skip_item(start);
            }
        }
        file
    }

    /// `classtype type;`: the type that the class is the name of, with functions that convert between the two.
    fn class_type(&mut self, file: &mut File) {
        let start = self.at;
        self.bump();
        let Some(ty) = self.type_expr() else { return };
        self.end_item("the type of the class");
        let Some(class) = file.module.clone() else {
            self.note(SyntaxError::ClassTypeOutside { span: self.span_from(start) });
            return;
        };
        let span = ty.span;
        let name = |text: String| Name { text, span };
        let named = |name: Name| QualifiedName { module: None, name };
        let own = TypeExpr { elem: named(class.clone()), is_struct: false, shape: None, span };
        for (from, to, function) in
            [(&ty, &own, format!("to_{}", class.text)), (&own, &ty, format!("from_{}", class.text))]
        {
            let value = Expr { kind: ExprKind::Name(named(name("value".to_string()))), span };
            let cast = Expr { kind: ExprKind::Cast(to.clone(), Box::new(value)), span };
            let param = Param { ty: from.clone(), is_reference: false, name: name("value".to_string()) };
            file.items.push(Item::Function(Function {
                inlining: Inlining::Inline,
                signature: Signature {
                    results: vec![to.clone()],
                    name: name(function),
                    params: vec![param],
                    constraints: Vec::new(),
                    span,
                },
                declarations: Vec::new(),
                body: Vec::new(),
                returns: Some(vec![cast]),
                end: span,
                span,
                is_intact: true,
            }));
        }
        file.items.push(Item::Typedef { ty, name: class, is_handle: false });
    }

    /// An object whose first value a function in C gives, which has its name unless a pragma says another.
    fn external_object(&mut self, file: &mut File) {
        self.bump();
        let Some(ty) = self.type_expr() else { return };
        let Some(name) = self.name("the name of the object") else { return };
        self.end_item("the name of the object");
        let function = Name { text: format!("initial_{}", name.text), span: name.span };
        let mut link = self.link();
        link.name.get_or_insert_with(|| name.clone());
        link.has_effect = true;
        let signature = Signature {
            results: vec![ty.clone()],
            name: function.clone(),
            params: Vec::new(),
            constraints: Vec::new(),
            span: name.span,
        };
        file.items.push(Item::External(signature, link));
        let function = QualifiedName { module: None, name: function };
        let value = Expr { kind: ExprKind::Call { function, args: Vec::new(), is_infix: false }, span: name.span };
        file.items.push(Item::Object { ty, name, value });
    }

    /// Passes tokens up to the next item, at least one since `start`. Statements on the way are no mistakes of their own: a
    /// brace too many has put them outside of their function.
    fn skip_item(&mut self, start: usize) {
        let mut may_begin = false;
        while self.peek() != TokenKind::End {
            if self.at > start && (may_begin || self.token().starts_line) && self.begins_item() {
                return;
            }
            may_begin = matches!(self.peek(), TokenKind::Symbol(Symbol::Semicolon | Symbol::OpenBrace));
            self.at = self.behind(self.at);
        }
    }

    /// True where an item seems to begin.
    fn begins_item(&self) -> bool {
        match self.peek() {
            TokenKind::Keyword(
                Keyword::Use
                | Keyword::Import
                | Keyword::Export
                | Keyword::Provide
                | Keyword::Module
                | Keyword::Class
                | Keyword::Typedef
                | Keyword::Inline
                | Keyword::NoInline
                | Keyword::Specialize
                | Keyword::External,
            ) => true,
            TokenKind::Keyword(Keyword::Struct) if self.is_at(self.at + 2, Symbol::OpenBrace) => true,
            _ => self.is_function_head(),
        }
    }

    /// True if a result type, a name and parameters follow.
    pub(super) fn is_function_head(&self) -> bool {
        let mut at = self.at;
        if self.is_keyword(Keyword::Void) {
            at += 1;
        } else {
            loop {
                let Some(end) = self.type_end(at) else { return false };
                if !self.is_at(end, Symbol::Comma) {
                    at = end;
                    break;
                }
                at = end + 1;
            }
        }
        if self.is_at(at, Symbol::OpenParen) {
            return self.operator_at(at + 1).is_some()
                && self.is_at(at + 2, Symbol::CloseParen)
                && self.is_at(at + 3, Symbol::OpenParen);
        }
        (self.is_name_at(at) || self.operator_at(at).is_some()) && self.is_at(at + 1, Symbol::OpenParen)
    }

    fn item(&mut self, file: &mut File) {
        let start = self.at;
        match self.peek() {
            TokenKind::Symbol(Symbol::Semicolon) => {
                self.bump();
            }
            TokenKind::Keyword(Keyword::Use | Keyword::Import) => {
                if let Some(item) = self.use_item() {
                    file.items.push(Item::Use(item));
                }
            }
            TokenKind::Keyword(Keyword::Export | Keyword::Provide) => {
                self.bump();
                if let Some(symbols) = self.symbols() {
                    self.end_item("the list of symbols");
                    file.items.push(Item::Export { symbols, span: self.span_from(start) });
                }
            }
            TokenKind::Keyword(Keyword::Module | Keyword::Class) => {
                self.bump();
                let Some(name) = self.name("the name of the module") else { return };
                if self.eat_word("deprecated") && matches!(self.peek(), TokenKind::Text(_)) {
                    self.bump();
                }
                self.end_item("the name of the module");
                if file.module.is_some() || !file.items.is_empty() {
                    self.note(SyntaxError::MisplacedModule { span: self.span_from(start) });
                }
                file.module.get_or_insert(name);
            }
            TokenKind::Keyword(Keyword::Typedef) => {
                self.bump();
                let Some(ty) = self.type_expr() else { return };
                let Some(name) = self.name("the name of the new type") else { return };
                self.end_item("the type definition");
                if self.vocabulary.aliases.contains_key(&name.text) {
                    file.items.push(Item::Alias(name));
                    return;
                }
                file.items.push(Item::Typedef { ty, name, is_handle: false });
            }
            TokenKind::Keyword(Keyword::Struct) if self.is_at(self.at + 2, Symbol::OpenBrace) => {
                if let Some(item) = self.struct_item(start) {
                    file.items.push(item);
                }
            }
            TokenKind::Keyword(Keyword::Specialize) => {
                self.bump();
                let Some(signature) = self.signature(start, Self::param) else { return };
                self.end_item("the signature");
                file.items.push(Item::Specialize(signature));
            }
            TokenKind::Keyword(Keyword::External) => {
                self.bump();
                let is_class = self.name_at(self.at) == Some("classtype") && self.is_at(self.at + 1, Symbol::Semicolon);
                let is_object = self.name_at(self.at) == Some("objdef") && self.type_end(self.at + 1).is_some();
                if is_object {
                    self.external_object(file);
                    return;
                }
                if is_class || self.is_keyword(Keyword::Typedef) {
                    self.bump();
                    let name = if is_class { file.module.clone() } else { self.name("the name of the type") };
                    if is_class && name.is_none() {
                        self.note(SyntaxError::ClassTypeOutside { span: self.span_from(start) });
                    }
                    let Some(name) = name else { return };
                    self.end_item("the type");
                    // What C knows it by: a pointer.
                    let elem =
                        QualifiedName { module: None, name: Name { text: "longlong".to_owned(), span: name.span } };
                    let ty = TypeExpr { elem, is_struct: false, shape: None, span: name.span };
                    file.items.push(Item::Typedef { ty, name, is_handle: true });
                    return;
                }
                let Some(signature) = self.signature(start, Self::external_param) else { return };
                self.end_item("the signature");
                let dots = (start..self.at).find(|at| self.is_at(*at, Symbol::Dots)).map(|at| self.tokens[at].span);
                let link = Link { dots, ..self.link() };
                file.items.push(Item::External(signature, link));
            }
            TokenKind::Name(word)
                if self.words.text(word) == "classtype"
                    && !self.is_function_head()
                    && self.type_end(self.at + 1).is_some() =>
            {
                self.class_type(file);
            }
            TokenKind::Name(word)
                if self.words.text(word) == "objdef"
                    && !self.is_function_head()
                    && self.type_end(self.at + 1).is_some() =>
            {
                self.bump();
                let Some(ty) = self.type_expr() else { return };
                let Some(name) = self.name("the name of the object") else { return };
                if !self.expect(Symbol::Assign, "and the first value of the object") {
                    return;
                }
                let value = self.expr(Place::default());
                self.end_item("the value of the object");
                file.items.push(Item::Object { ty, name, value });
            }
            TokenKind::Keyword(Keyword::Inline | Keyword::NoInline | Keyword::Void) => self.function_item(file),
            _ if self.type_end(self.at).is_some() => self.function_item(file),
            TokenKind::Symbol(Symbol::CloseBrace) => {
                self.unexpected("a definition: no brace is open");
                self.at += 1;
                self.is_panicking = false;
            }
            _ => self.unexpected("a definition, such as `int main() { ... }`"),
        }
    }

    /// Reads the semicolon of an item.
    fn end_item(&mut self, after: &'static str) {
        if !self.eat(Symbol::Semicolon) {
            let error = SyntaxError::MissingSemicolon { span: self.last_span(), found: self.found(), after };
            if self.token().starts_line {
                self.note(error);
            } else {
                self.fail(error);
            }
        }
    }

    // ---- modules

    fn use_item(&mut self) -> Option<Use> {
        let start = self.at;
        let is_import = self.bump().kind == TokenKind::Keyword(Keyword::Import);
        let module = self.name("the name of a module")?;
        if !self.expect(Symbol::Colon, "and the symbols, as in `use M: all;`") {
            return None;
        }
        let symbols = self.symbols()?;
        self.end_item("the list of symbols");
        Some(Use { is_import, module, symbols, span: self.span_from(start) })
    }

    fn symbols(&mut self) -> Option<Symbols> {
        if self.eat_word("all") {
            let except = if self.eat_word("except") { self.symbol_list()? } else { Vec::new() };
            return Some(Symbols::All { except });
        }
        if !self.is(Symbol::OpenBrace) {
            self.unexpected("`all` or `{`");
            return None;
        }
        self.symbol_list().map(Symbols::Only)
    }

    fn symbol_list(&mut self) -> Option<Vec<Name>> {
        let open = self.expect_open(Symbol::OpenBrace, "and names separated by commas")?;
        let names = if self.is(Symbol::CloseBrace) { Vec::new() } else { self.list(Symbol::CloseBrace, Self::symbol) };
        self.close(Symbol::CloseBrace, open);
        Some(names)
    }

    fn symbol(&mut self) -> Option<Name> {
        if self.is(Symbol::OpenParen) && self.operator_at(self.at + 1).is_some() {
            let open = self.open();
            let operator = self.operator();
            self.close(Symbol::CloseParen, open);
            return operator;
        }
        match self.operator() {
            Some(operator) => Some(operator),
            None => self.name("the name of a function or type"),
        }
    }

    // ---- types

    fn struct_item(&mut self, start: usize) -> Option<Item> {
        self.bump();
        let name = self.name("the name of the struct")?;
        let open = self.open();
        let mut fields = Vec::new();
        while self.type_end(self.at).is_some() || self.is_type_word(self.at) {
            let before = self.at;
            if let Some(Declaration { ty, names }) = self.declaration("the name of a field") {
                fields.extend(names.into_iter().map(|name| (ty.clone(), name)));
            }
            self.end_statement("the field");
            if self.at == before {
                break;
            }
        }
        self.close(Symbol::CloseBrace, open);
        self.end_item("the struct");
        Some(Item::Struct { name, fields, span: self.span_from(start) })
    }

    /// Reads `type a, b`.
    pub(super) fn declaration(&mut self, what: &str) -> Option<Declaration> {
        let ty = self.type_expr()?;
        let mut names = vec![self.name(what)?];
        while self.eat(Symbol::Comma) {
            names.push(self.name(what)?);
        }
        Some(Declaration { ty, names })
    }

    // ---- functions

    fn function_item(&mut self, file: &mut File) {
        let start = self.at;
        let errors = self.errors.len();
        let inlining = match self.peek() {
            TokenKind::Keyword(Keyword::Inline) => Inlining::Inline,
            TokenKind::Keyword(Keyword::NoInline) => Inlining::NoInline,
            _ => Inlining::Free,
        };
        if inlining != Inlining::Free {
            self.bump();
        }
        let Some(signature) = self.signature(start, Self::param) else { return };
        if self.is(Symbol::Semicolon) {
            let name = signature.name.text.clone();
            self.note(SyntaxError::PrototypeWithoutBody { span: self.token_span(), name });
            self.bump();
            return;
        }
        if self.is_panicking {
            self.recover(&[Symbol::OpenBrace]);
        }
        let Some(open) = self.expect_open(Symbol::OpenBrace, "and the body of the function") else { return };
        let body = self.function_body(open);
        file.items.push(Item::Function(Function {
            inlining,
            signature,
            declarations: body.declarations,
            body: body.statements,
            returns: body.returns,
            end: body.end,
            span: self.span_from(start),
            is_intact: self.errors.len() == errors,
        }));
    }

    /// Reads result types, name, parameters and constraints.
    fn signature(&mut self, start: usize, param: fn(&mut Self) -> Option<Param>) -> Option<Signature> {
        let mut results: Vec<TypeExpr> = Vec::new();
        if !self.eat_keyword(Keyword::Void) {
            loop {
                results.push(self.type_expr()?);
                if !self.eat(Symbol::Comma) {
                    break;
                }
            }
        }
        let name = self.function_name()?;
        let open = self.expect_open(Symbol::OpenParen, "and the parameters")?;
        let is_void = self.is_keyword(Keyword::Void) && self.is_at(self.at + 1, Symbol::CloseParen);
        let params = if self.is(Symbol::CloseParen) {
            Vec::new()
        } else if is_void {
            self.bump();
            Vec::new()
        } else {
            self.list(Symbol::CloseParen, param)
        };
        self.close(Symbol::CloseParen, open);
        let mut constraints = Vec::new();
        while self.eat(Symbol::Or) {
            loop {
                constraints.push(self.expr(Place { ends_at_bar: true, ..Place::default() }));
                if !self.eat(Symbol::Comma) {
                    break;
                }
            }
        }
        Some(Signature { results, name, params, constraints, span: self.span_from(start) })
    }

    fn function_name(&mut self) -> Option<Name> {
        let open = (self.is(Symbol::OpenParen) && self.operator_at(self.at + 1).is_some()).then(|| self.open());
        let Some(name) = self.operator() else { return self.name("the name of a function") };
        if matches!(name.text.as_str(), "&&" | "||") {
            self.note(SyntaxError::NotAnOperatorName { span: name.span, operator: name.text.clone() });
        }
        if let Some(open) = open {
            self.close(Symbol::CloseParen, open);
        }
        Some(name)
    }

    /// What pragmas behind the item that was just read say.
    fn link(&mut self) -> Link {
        let (last, next) = (self.last_span(), self.token_span());
        let is_behind = |span: Span| {
            let is_before_next = span.file != next.file || span.start < next.start || self.peek() == TokenKind::End;
            span == last || span.file == last.file && span.start >= last.end && is_before_next
        };
        let behind: Vec<&Pragma> = self.pragmas.iter().filter(|pragma| is_behind(pragma.span)).collect();
        let mut link = Link::default();
        for Pragma { span, words } in behind {
            let Some((name, rest)) = words.split_first() else { continue };
            let text = |raw: &Raw| (raw.kind == RawKind::Text).then(|| self.words.text(raw.text).trim_matches('"'));
            let texts = || rest.iter().filter_map(text).map(str::to_owned);
            let problem = match self.words.text(name.text) {
                "linkname" | "initfun" => {
                    link.name = texts().next().map(|text| Name { text, span: *span });
                    link.name.is_none().then_some("`linkname` and `initfun` take the name of a C function in quotes")
                }
                "linksign" => {
                    let numbers = rest.iter().filter(|raw| raw.kind == RawKind::Number);
                    let numbers = numbers.map(|raw| self.words.text(raw.text).parse().ok()).collect::<Option<Vec<_>>>();
                    let is_list = numbers.as_ref().is_some_and(|numbers| 2 * numbers.len() + 1 == rest.len());
                    link.sign = numbers.map(|numbers| (numbers, *span));
                    (!is_list).then_some("`linksign` takes a list of places, as in `[0, 1, 2]`")
                }
                "linkwith" => {
                    link.libraries.extend(texts());
                    texts().next().is_none().then_some("`linkwith` takes names of libraries in quotes")
                }
                "effect" => {
                    link.has_effect = true;
                    None
                }
                _ => None,
            };
            if let Some(problem) = problem {
                self.note(SyntaxError::BadDirective { span: *span, directive: "pragma", problem });
            }
        }
        link
    }

    /// A parameter of a function in another language, which needs no name, or `...` for any further ones.
    fn external_param(&mut self) -> Option<Param> {
        if self.eat(Symbol::Dots) {
            return None;
        }
        let start = self.at;
        let ty = self.type_expr()?;
        let is_reference = self.eat(Symbol::And);
        let name = if self.is(Symbol::Comma) || self.is(Symbol::CloseParen) {
            Name { text: format!("_{start}"), span: ty.span }
        } else {
            self.name("the name of the parameter")?
        };
        Some(Param { ty, is_reference, name })
    }

    fn param(&mut self) -> Option<Param> {
        let ty = self.type_expr()?;
        let is_reference = self.eat(Symbol::And);
        let name = self.name("the name of the parameter")?;
        Some(Param { ty, is_reference, name })
    }
}
