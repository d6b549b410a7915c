//! Macros: their definitions, and their expansion.
//!
//! An expansion is read again for macros in it, before the text goes on, and a macro is not expanded within its own
//! expansion; so expansion ends. It may still grow without bounds in practice, so what it makes is counted.

use super::super::error::SyntaxError;
use super::super::lex::{Raw, RawKind, Word, lex_pasted};
use super::Preprocessor;
use frit_support::Span;
use std::cell::Cell;
use std::rc::Rc;

/// A macro.
pub(super) struct Macro {
    /// `None` for a macro that is no function.
    params: Option<Vec<Word>>,
    /// The last parameter takes all arguments that are left.
    is_variadic: bool,
    body: Vec<Piece>,
    span: Span,
    /// Its expansion is being read.
    is_open: Cell<bool>,
}

struct Piece {
    kind: PieceKind,
    /// `##` follows.
    is_pasted: bool,
}

enum PieceKind {
    Word(Raw),
    Param(usize),
    /// `#` and a parameter.
    Quote(usize),
}

impl Macro {
    fn is_same(&self, other: &Macro) -> bool {
        let same = |(a, b): (&Piece, &Piece)| {
            a.is_pasted == b.is_pasted
                && match (&a.kind, &b.kind) {
                    (PieceKind::Word(a), PieceKind::Word(b)) => a.text == b.text && a.kind == b.kind,
                    (PieceKind::Param(a), PieceKind::Param(b)) | (PieceKind::Quote(a), PieceKind::Quote(b)) => a == b,
                    _ => false,
                }
        };
        self.params == other.params
            && self.is_variadic == other.is_variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(same)
    }
}

/// Words that are read before the text goes on.
pub(super) struct Context {
    tokens: Vec<Raw>,
    at: usize,
    /// What they are the expansion of. `None` for words that are expanded on their own: nothing is read beyond them.
    expansion: Option<Rc<Macro>>,
}

impl Preprocessor<'_, '_> {
    // ---- definitions

    /// `#define`, of which `rest` is what follows.
    pub(super) fn define(&mut self, rest: &[Raw], span: Span) {
        let bad = |this: &mut Self, at: Span, problem| this.bad_directive(at, "define", problem);
        let Some((&name, rest)) = rest.split_first().filter(|(name, _)| name.kind == RawKind::Name) else {
            return bad(self, span, "expected the name of the macro");
        };
        if self.text(name) == "defined" {
            return bad(self, name.span, "`defined` has a meaning of its own");
        }
        let has_params = rest.first().is_some_and(|raw| raw.kind == RawKind::Punct(b'(') && raw.is_joined);
        let mut is_variadic = false;
        let (params, body) = if has_params {
            let Some(close) = rest.iter().position(|raw| raw.kind == RawKind::Punct(b')')) else {
                return bad(self, name.span, "no `)` ends the parameters");
            };
            let Some(params) = self.params(&rest[1..close], &mut is_variadic) else {
                let at = rest[0].span.to(rest[close].span);
                return bad(self, at, "expected different names separated by commas");
            };
            (Some(params), &rest[close + 1..])
        } else {
            (None, rest)
        };
        let Some(body) = self.body(params.as_deref(), body) else { return };
        let made = Macro { params, is_variadic, body, span: name.span, is_open: Cell::new(false) };
        if let Some(first) = self.macros.get(&name.text).filter(|first| !first.is_same(&made)) {
            let error =
                SyntaxError::MacroRedefined { span: name.span, name: self.text(name).to_string(), first: first.span };
            self.errors.push(error);
        }
        self.macros.insert(name.text, Rc::new(made));
    }

    /// The parameters between the parentheses; `None` if they are malformed.
    fn params(&mut self, list: &[Raw], is_variadic: &mut bool) -> Option<Vec<Word>> {
        let mut params: Vec<Word> = Vec::new();
        if list.is_empty() {
            return Some(params);
        }
        for part in list.split(|raw| raw.kind == RawKind::Punct(b',')) {
            if *is_variadic {
                return None;
            }
            let is_dots = part.len() == 3 && part.iter().all(|raw| raw.kind == RawKind::Punct(b'.'));
            let name = match part {
                [one] if one.kind == RawKind::Name => one.text,
                _ if is_dots => {
                    *is_variadic = true;
                    self.words.of("__VA_ARGS__")
                }
                _ => return None,
            };
            if params.contains(&name) {
                return None;
            }
            params.push(name);
        }
        Some(params)
    }

    fn body(&mut self, params: Option<&[Word]>, raw: &[Raw]) -> Option<Vec<Piece>> {
        let is_hash = |at: usize| raw.get(at).is_some_and(|raw| raw.kind == RawKind::Punct(b'#'));
        let is_paste = |at: usize| is_hash(at) && is_hash(at + 1) && raw[at + 1].is_joined;
        let param = |at: usize| {
            let word = raw.get(at).filter(|raw| raw.kind == RawKind::Name)?.text;
            params?.iter().position(|&param| param == word)
        };
        let mut body: Vec<Piece> = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            let kind = if is_paste(at) {
                let Some(left) = body.last_mut().filter(|_| at + 2 < raw.len()) else {
                    self.bad_directive(raw[at].span.to(raw[at + 1].span), "define", "`##` needs a word on both sides");
                    return None;
                };
                left.is_pasted = true;
                at += 2;
                continue;
            } else if is_hash(at) && params.is_some() && raw.get(at + 1).is_none_or(|&raw| self.text(raw) != "pragma") {
                let Some(param) = param(at + 1) else {
                    self.bad_directive(raw[at].span, "define", "`#` needs a parameter behind it");
                    return None;
                };
                at += 1;
                PieceKind::Quote(param)
            } else {
                match param(at) {
                    Some(param) => PieceKind::Param(param),
                    None => PieceKind::Word(raw[at]),
                }
            };
            body.push(Piece { kind, is_pasted: false });
            at += 1;
        }
        Some(body)
    }

    // ---- expansion

    /// The next word after expansion; `None` at the end of what is read.
    pub(super) fn next_expanded(&mut self) -> Option<Raw> {
        loop {
            let token = self.take()?;
            if token.kind != RawKind::Name || token.is_final {
                return Some(token);
            }
            let Some(found) = self.macros.get(&token.text).cloned() else { return Some(self.predefined(token)) };
            if found.is_open.get() {
                return Some(Raw { is_final: true, ..token });
            }
            let expansion = match &found.params {
                None => self.substitute(&found, &[], token.span, token.text),
                Some(_) if !self.is_paren_next() => return Some(token),
                Some(params) => {
                    let Some((args, end)) = self.arguments(token, params.len(), found.is_variadic) else { continue };
                    let given = args.len();
                    let Some(args) = self.matched(args, params.len(), found.is_variadic) else {
                        self.wrong_arguments(token, &found, given);
                        continue;
                    };
                    self.substitute(&found, &args, token.span.to(end), token.text)
                }
            };
            found.is_open.set(true);
            self.contexts.push(Context { tokens: expansion, at: 0, expansion: Some(found) });
        }
    }

    /// Expands words on their own.
    pub(super) fn expand(&mut self, tokens: Vec<Raw>) -> Vec<Raw> {
        self.contexts.push(Context { tokens, at: 0, expansion: None });
        let mut expanded = Vec::new();
        while let Some(token) = self.next_expanded() {
            expanded.push(token);
        }
        self.contexts.pop();
        expanded
    }

    /// The next word before expansion.
    fn take(&mut self) -> Option<Raw> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(&token) = context.tokens.get(context.at) {
                context.at += 1;
                return Some(self.separated(token));
            }
            let Some(ended) = &context.expansion else { return None };
            ended.is_open.set(false);
            self.separates = true;
            self.contexts.pop();
        }
        let token = self.take_from_files()?;
        Some(self.separated(token))
    }

    fn separated(&mut self, token: Raw) -> Raw {
        let separates = std::mem::take(&mut self.separates);
        Raw { is_joined: token.is_joined && !separates, ..token }
    }

    /// The word that [`take`](Self::take) gives next, if no directive or end of a file comes before.
    fn next_is(&self, wanted: u8) -> Option<bool> {
        for context in self.contexts.iter().rev() {
            if let Some(token) = context.tokens.get(context.at) {
                return Some(token.kind == RawKind::Punct(wanted));
            }
            context.expansion.as_ref()?;
        }
        let file = self.files.last()?;
        file.tokens.get(file.at).map(|token| token.kind == RawKind::Punct(wanted))
    }

    fn is_paren_next(&self) -> bool {
        self.next_is(b'(') == Some(true)
    }

    /// Reads the arguments of a macro, parentheses included.
    fn arguments(&mut self, name: Raw, params: usize, is_variadic: bool) -> Option<(Vec<Vec<Raw>>, Span)> {
        self.take();
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = if self.next_is(b')').is_some() { self.take() } else { None };
            let Some(token) = token else {
                let error = SyntaxError::UnterminatedMacroCall { span: name.span, name: self.text(name).to_string() };
                self.errors.push(error);
                return None;
            };
            match token.kind {
                RawKind::Punct(b'(') => depth += 1,
                RawKind::Punct(b')') if depth == 0 => return Some((args, token.span)),
                RawKind::Punct(b')') => depth -= 1,
                RawKind::Punct(b',') if depth == 0 && !(is_variadic && args.len() >= params) => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(Raw { starts_line: false, ..token });
            }
        }
    }

    /// The arguments, as many as there are parameters; `None` if they are not.
    fn matched(&self, mut args: Vec<Vec<Raw>>, params: usize, is_variadic: bool) -> Option<Vec<Vec<Raw>>> {
        if params == 0 && args.len() == 1 && args[0].is_empty() {
            return Some(Vec::new());
        }
        if is_variadic && args.len() + 1 == params {
            args.push(Vec::new());
        }
        (args.len() == params).then_some(args)
    }

    fn wrong_arguments(&mut self, name: Raw, found: &Macro, given: usize) {
        let params = found.params.as_ref().map_or(0, Vec::len);
        let takes = match (params, found.is_variadic) {
            (params, true) => format!("at least {}", params - 1),
            (0, false) => "no arguments".to_string(),
            (1, false) => "1 argument".to_string(),
            (params, false) => format!("{params} arguments"),
        };
        let name_text = self.text(name).to_string();
        self.errors.push(SyntaxError::MacroArguments {
            span: name.span,
            name: name_text,
            takes,
            given,
            defined: found.span,
        });
    }

    /// The body with the arguments in place of the parameters.
    fn substitute(&mut self, found: &Macro, args: &[Vec<Raw>], use_: Span, name: Word) -> Vec<Raw> {
        self.uses.entry(use_).or_insert(name);
        let mut out: Vec<Raw> = Vec::new();
        let mut expanded: Vec<Option<Vec<Raw>>> = args.iter().map(|_| None).collect();
        let mut is_pasting = false;
        let mut has_left = false;
        let mut follows_param = true;
        for piece in &found.body {
            let before = out.len();
            let quoted;
            let word;
            let tokens: &[Raw] = match &piece.kind {
                PieceKind::Word(raw) => {
                    let is_joined = raw.is_joined && !follows_param;
                    word = [Raw { span: use_, origin: Some(name), starts_line: false, is_joined, ..*raw }];
                    &word
                }
                PieceKind::Param(param) if is_pasting || piece.is_pasted => &args[*param],
                PieceKind::Param(param) => {
                    if expanded[*param].is_none() {
                        expanded[*param] = Some(self.expand(args[*param].clone()));
                    }
                    expanded[*param].as_deref().unwrap_or(&[])
                }
                PieceKind::Quote(param) => {
                    quoted = [self.quote(&args[*param], use_, name)];
                    &quoted
                }
            };
            if !self.produce(tokens.len() + 1, use_) {
                return Vec::new();
            }
            let is_param = matches!(piece.kind, PieceKind::Param(_));
            match (tokens.split_first(), out.last().copied()) {
                (Some((&first, rest)), Some(left)) if is_pasting && has_left => {
                    out.pop();
                    let pasted = self.paste(left, first, use_, name);
                    out.extend(pasted);
                    out.extend_from_slice(rest);
                }
                (Some((&first, rest)), _) => {
                    out.push(Raw { is_joined: first.is_joined && !is_param, ..first });
                    out.extend_from_slice(rest);
                }
                (None, _) => {}
            }
            has_left = !tokens.is_empty() || (is_pasting && has_left && before > 0);
            is_pasting = piece.is_pasted;
            follows_param = is_param;
        }
        out
    }

    /// One word, or the characters of one operator, made of two words.
    fn paste(&mut self, left: Raw, right: Raw, use_: Span, name: Word) -> Vec<Raw> {
        let text = format!("{}{}", self.text(left), self.text(right));
        let mut pasted = lex_pasted(&text, &mut self.words);
        let is_operator = !pasted.is_empty() && pasted.iter().all(|raw| matches!(raw.kind, RawKind::Punct(_)));
        let is_word = pasted.len() == 1 && !matches!(pasted[0].kind, RawKind::Stray | RawKind::Unterminated(_));
        if !is_operator && !is_word {
            let (left, right) = (self.text(left).to_string(), self.text(right).to_string());
            self.errors.push(SyntaxError::BadPaste { span: use_, left, right });
        }
        for (at, raw) in pasted.iter_mut().enumerate() {
            let is_joined = at > 0 || left.is_joined;
            *raw = Raw { span: use_, origin: Some(name), starts_line: false, is_joined, ..*raw };
        }
        pasted
    }

    /// A string that shows an argument as it is written.
    fn quote(&mut self, arg: &[Raw], use_: Span, name: Word) -> Raw {
        let mut text = String::from("\"");
        for (at, &raw) in arg.iter().enumerate() {
            if at > 0 && !raw.is_joined {
                text.push(' ');
            }
            let is_literal = matches!(raw.kind, RawKind::Text | RawKind::Char);
            for c in self.text(raw).chars() {
                if is_literal && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
        }
        text.push('"');
        let text = self.words.of(&text);
        Raw {
            kind: RawKind::Text,
            text,
            span: use_,
            is_joined: false,
            starts_line: false,
            is_final: false,
            origin: Some(name),
        }
    }

    /// Macros that every program has.
    fn predefined(&mut self, token: Raw) -> Raw {
        let text = match self.text(token) {
            "__LINE__" => self.map.position(token.span).map_or(0, |position| position.line).to_string(),
            "__FILE__" => {
                let name = self.map.position(token.span).map_or(String::new(), |position| position.file);
                format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
            }
            _ => return token,
        };
        let kind = if text.starts_with('"') { RawKind::Text } else { RawKind::Number };
        Raw { kind, text: self.words.of(&text), ..token }
    }
}
