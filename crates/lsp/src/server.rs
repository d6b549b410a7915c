//! Messages in, answers out. Texts are looked at when they have not changed for a moment; what takes long runs beside, and is thrown away
//! if its text changed meanwhile.

use crate::analysis::{Analysis, analyse};
use crate::lenses::lenses;
use crate::places::{Text, path, uri};
use frit_format::{Language, format};
use frit_support::diagnostic::Severity;
use frit_support::{Diagnostic, FileId, Index, Span};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    CodeLensOptions, CodeLensParams, CompletionItem, CompletionItemKind, CompletionOptions, CompletionParams,
    DiagnosticRelatedInformation, DiagnosticSeverity, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentFormattingParams, GotoDefinitionParams, Hover, HoverContents, HoverParams,
    Location, MarkupContent, MarkupKind, NumberOrString, OneOf, PublishDiagnosticsParams, Range, RenameParams,
    ServerCapabilities, TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
    WorkspaceEdit, notification, request,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A text is looked at when it has not changed for this long.
const PAUSE: Duration = Duration::from_millis(120);

/// Why the server ends before the client asked it to.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A file that the editor has open.
#[derive(Debug)]
struct Document {
    uri: Uri,
    name: String,
    language: Language,
    version: i32,
    text: Arc<Text>,
    /// What was found in this text; `None` until it is looked at.
    analysis: Option<Analysis>,
    /// What was found in the last text without mistakes.
    checked: Option<Analysis>,
    is_published: bool,
}

impl Document {
    fn analysis(&mut self) -> &Analysis {
        if self.analysis.is_none() {
            let analysis = analyse(self.language, &self.name, &self.text.text);
            if analysis.is_checked {
                self.checked = Some(analysis.clone());
            }
            self.analysis = Some(analysis);
        }
        self.analysis.as_ref().expect("the text was just looked at")
    }
}

/// A place in a document.
struct Spot<'d> {
    document: &'d Document,
    analysis: &'d Analysis,
    byte: usize,
    /// The name there.
    word: Option<std::ops::Range<usize>>,
}

/// The versions of open files, for work beside.
type Versions = Arc<Mutex<HashMap<String, i32>>>;

struct Server {
    connection: Connection,
    documents: BTreeMap<String, Document>,
    versions: Versions,
}

/// Serves one client on standard input and output, until it says that it ends.
///
/// # Errors
///
/// The client does not keep to the protocol, or the connection breaks.
pub fn run() -> Result<(), Failure> {
    let (connection, threads) = Connection::stdio();
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions::default()),
        rename_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        ..ServerCapabilities::default()
    };
    connection.initialize(serde_json::to_value(capabilities)?)?;
    let mut server = Server { connection, documents: BTreeMap::new(), versions: Versions::default() };
    server.serve()?;
    drop(server);
    threads.join()?;
    Ok(())
}

impl Server {
    fn serve(&mut self) -> Result<(), Failure> {
        loop {
            let is_waiting = self.documents.values().any(|document| !document.is_published);
            let message = if is_waiting {
                match self.connection.receiver.recv_timeout(PAUSE) {
                    Ok(message) => message,
                    Err(error) if error.is_timeout() => {
                        self.publish()?;
                        continue;
                    }
                    Err(_) => return Ok(()),
                }
            } else {
                match self.connection.receiver.recv() {
                    Ok(message) => message,
                    Err(_) => return Ok(()),
                }
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.request(request)?;
                }
                Message::Notification(notification) => self.notification(notification)?,
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: impl Into<Message>) -> Result<(), Failure> {
        Ok(self.connection.sender.send(message.into())?)
    }

    // ---- texts

    fn notification(&mut self, message: Notification) -> Result<(), Failure> {
        match message.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<DidOpenTextDocumentParams>(message.params) else {
                    return Ok(());
                };
                let document = params.text_document;
                self.open(document.uri, document.version, document.text);
            }
            notification::DidChangeTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<DidChangeTextDocumentParams>(message.params) else {
                    return Ok(());
                };
                // Each change is the whole text.
                if let Some(change) = params.content_changes.into_iter().next_back() {
                    self.open(params.text_document.uri, params.text_document.version, change.text);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                let Ok(params) = serde_json::from_value::<DidCloseTextDocumentParams>(message.params) else {
                    return Ok(());
                };
                let uri = params.text_document.uri;
                self.documents.remove(uri.as_str());
                self.versions().remove(uri.as_str());
                self.show(PublishDiagnosticsParams::new(uri, Vec::new(), None))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn versions(&self) -> std::sync::MutexGuard<'_, HashMap<String, i32>> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&mut self, uri: Uri, version: i32, text: String) {
        let name = path(&uri);
        let Some(language) = Language::of(std::path::Path::new(&name)) else { return };
        let key = uri.as_str().to_string();
        self.versions().insert(key.clone(), version);
        let checked = self.documents.remove(&key).and_then(|document| document.checked);
        let text = Arc::new(Text::new(text));
        let document = Document { uri, name, language, version, text, analysis: None, checked, is_published: false };
        self.documents.insert(key, document);
    }

    /// Tells the mistakes of texts that changed.
    fn publish(&mut self) -> Result<(), Failure> {
        let mut all = Vec::new();
        for document in self.documents.values_mut().filter(|document| !document.is_published) {
            document.is_published = true;
            let (uri, version, text) = (document.uri.clone(), document.version, document.text.clone());
            let analysis = document.analysis();
            let shown = analysis.diagnostics.iter().map(|message| diagnostic(message, analysis, &uri, &text)).collect();
            all.push(PublishDiagnosticsParams::new(uri, shown, Some(version)));
        }
        all.into_iter().try_for_each(|params| self.show(params))
    }

    fn show(&self, params: PublishDiagnosticsParams) -> Result<(), Failure> {
        self.send(Notification::new(notification::PublishDiagnostics::METHOD.into(), params))
    }

    // ---- requests

    fn request(&mut self, message: Request) -> Result<(), Failure> {
        let Request { id, method, params } = message;
        let made = match method.as_str() {
            request::HoverRequest::METHOD => self.answer(params, Self::hover),
            request::GotoDefinition::METHOD => self.answer(params, Self::definition),
            request::Completion::METHOD => self.answer(params, Self::completion),
            request::Rename::METHOD => self.answer(params, Self::rename),
            request::Formatting::METHOD => self.answer(params, Self::formatting),
            request::CodeLensRequest::METHOD => return self.code_lenses(id, params),
            _ => Err((ErrorCode::MethodNotFound, format!("`{method}` is not supported"))),
        };
        self.send(response(id, made))
    }

    /// Answers a request; one that panics gets an error.
    fn answer<P: serde::de::DeserializeOwned, R: serde::Serialize>(
        &mut self,
        params: Value,
        handle: impl FnOnce(&mut Self, P) -> Result<R, String>,
    ) -> Answered {
        let params = serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))?;
        let handled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| handle(self, params)));
        let handled = handled.unwrap_or_else(|_| Err("this is a bug of Frit's".into()));
        let value = handled.map_err(|message| (ErrorCode::RequestFailed, message))?;
        serde_json::to_value(value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
    }

    fn document(&mut self, uri: &Uri) -> Result<&mut Document, String> {
        self.documents.get_mut(uri.as_str()).ok_or_else(|| format!("`{}` is not open", uri.as_str()))
    }

    /// What is at a place.
    fn spot(&mut self, at: &TextDocumentPositionParams) -> Result<Spot<'_>, String> {
        let document = self.document(&at.text_document.uri)?;
        document.analysis();
        let document = &*document;
        let analysis = document.analysis.as_ref().ok_or("the text was not looked at")?;
        let byte = document.text.byte(at.position);
        let word = analysis.word(byte).filter(|word| is_name(&document.text.text[word.clone()]));
        Ok(Spot { document, analysis, byte, word })
    }

    fn hover(&mut self, params: HoverParams) -> Result<Option<Hover>, String> {
        let Spot { document, analysis, byte, word } = self.spot(&params.text_document_position_params)?;
        let text = &document.text.text;
        let mut shown = word.as_ref().map(|word| (word.clone(), described(analysis, text, word)));
        if shown.as_ref().is_none_or(|(_, lines)| lines.is_empty()) {
            shown = analysis.type_at(byte).map(|(range, ty)| (range.clone(), vec![ty.clone()]));
        }
        let Some((range, lines)) = shown.filter(|(_, lines)| !lines.is_empty()) else { return Ok(None) };
        let language = match document.language {
            Language::L0 => "l0",
            Language::Sac => "sac",
        };
        let value = format!("```{language}\n{}\n```", lines.join("\n"));
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Ok(Some(Hover { contents, range: Some(document.text.range(&range)) }))
    }

    fn definition(&mut self, params: GotoDefinitionParams) -> Result<Option<Location>, String> {
        let Spot { document, analysis, word, .. } = self.spot(&params.text_document_position_params)?;
        let Some(word) = word else { return Ok(None) };
        let text = &document.text.text;
        let name = &text[word.clone()];
        let at = if analysis.is_function(text, &word) {
            analysis.function(name).map(|function| &function.at)
        } else {
            analysis.variable(text, &word).map(|variable| &variable.at)
        };
        if let Some(at) = at {
            return Ok(Some(Location::new(document.uri.clone(), document.text.range(at))));
        }
        // The library has no files that an editor could open.
        let other =
            analysis.others.iter().find(|(other, _, file, _)| other == name && std::path::Path::new(file).is_file());
        Ok(other.and_then(|(_, _, file, at)| {
            let text = Text::new(std::fs::read_to_string(file).ok()?);
            Some(Location::new(uri(file)?, text.range(at)))
        }))
    }

    fn completion(&mut self, params: CompletionParams) -> Result<Vec<CompletionItem>, String> {
        let at = params.text_document_position;
        let document = self.document(&at.text_document.uri)?;
        document.analysis();
        let byte = document.text.byte(at.position);
        let mut items: BTreeMap<String, (CompletionItemKind, Option<String>)> = BTreeMap::new();
        let keywords: Vec<&str> = match document.language {
            Language::L0 => frit_front::l0::vocabulary().collect(),
            Language::Sac => SAC_WORDS.to_vec(),
        };
        for word in keywords {
            items.insert(word.to_string(), (CompletionItemKind::KEYWORD, None));
        }
        if document.language == Language::L0 {
            let prelude = frit_front::l0::prelude_functions();
            items.extend(prelude.map(|name| (name.to_string(), (CompletionItemKind::FUNCTION, None))));
        }
        for analysis in [document.checked.as_ref(), document.analysis.as_ref()].into_iter().flatten() {
            for (name, signature, ..) in &analysis.others {
                if is_name(name) && !name.starts_with('_') {
                    items.insert(name.clone(), (CompletionItemKind::FUNCTION, Some(signature.clone())));
                }
            }
            for function in &analysis.functions {
                items.insert(function.name.clone(), (CompletionItemKind::FUNCTION, Some(function.signature.clone())));
            }
        }
        // The words around stand for the variables of a text that cannot be read.
        let analysis = document.analysis.as_ref().ok_or("the text was not looked at")?;
        let whole = analysis.around(byte).map_or(0..document.text.text.len(), |function| function.whole.clone());
        let names = analysis.words.iter().filter(|word| whole.contains(&word.start) && word.end != byte);
        for word in names.map(|word| &document.text.text[word.clone()]).filter(|word| is_name(word)) {
            items.entry(word.to_string()).or_insert((CompletionItemKind::VARIABLE, None));
        }
        let item =
            |(label, (kind, detail))| CompletionItem { label, kind: Some(kind), detail, ..CompletionItem::default() };
        Ok(items.into_iter().map(item).collect())
    }

    fn rename(&mut self, params: RenameParams) -> Result<Option<WorkspaceEdit>, String> {
        let new = params.new_name;
        let Spot { document, analysis, word, .. } = self.spot(&params.text_document_position)?;
        let Some(word) = word else { return Err("there is no name here".into()) };
        let text = &document.text.text;
        let name = text[word.clone()].to_string();
        if !analysis.is_checked {
            return Err("names are changed in programs without mistakes only".into());
        }
        let is_function = analysis.is_function(text, &word);
        let is_variable = analysis.variable(text, &word).is_some();
        if !is_function && !is_variable {
            return Err(format!("`{name}` is not defined in this file"));
        }
        // With a name that stands nowhere, nothing can come to mean something else.
        if !is_name(&new) || analysis.words.iter().any(|word| text[word.clone()] == new) {
            return Err(format!("`{new}` is no new name: it must be a name that is not in the file"));
        }
        let whole = match is_function {
            true => 0..text.len(),
            false => analysis.around(word.start).map_or(0..text.len(), |function| function.whole.clone()),
        };
        let same = analysis.words.iter().filter(|other| {
            whole.contains(&other.start)
                && text[(*other).clone()] == name
                && analysis.is_function(text, other) == is_function
        });
        let same: Vec<_> = same.cloned().collect();
        let mut renamed = text.clone();
        for at in same.iter().rev() {
            renamed.replace_range(at.clone(), &new);
        }
        if !analyse(document.language, &document.name, &renamed).is_checked {
            return Err(format!("with the name `{new}` the program would have mistakes"));
        }
        let edits = same.iter().map(|at| TextEdit::new(document.text.range(at), new.clone())).collect();
        #[allow(clippy::mutable_key_type, reason = "the protocol's type for it")]
        let changes = HashMap::from([(document.uri.clone(), edits)]);
        Ok(Some(WorkspaceEdit::new(changes)))
    }

    fn formatting(&mut self, params: DocumentFormattingParams) -> Result<Vec<TextEdit>, String> {
        let document = self.document(&params.text_document.uri)?;
        let text = &document.text;
        let (language, name) = (document.language, document.name.as_str());
        let search = frit_driver::sac::search_path();
        let made = frit_support::with_deep_stack(|| format(language, name, &text.text, &search));
        let made =
            made.map_err(|refused| refused.diagnostics.first().map_or_else(String::new, |one| one.message.clone()))?;
        if made == text.text {
            return Ok(Vec::new());
        }
        Ok(vec![TextEdit::new(text.range(&(0..text.text.len())), made)])
    }

    /// Answers beside the other requests: a long program takes a second and more.
    fn code_lenses(&mut self, id: RequestId, params: Value) -> Result<(), Failure> {
        let Ok(params) = serde_json::from_value::<CodeLensParams>(params) else {
            return self.send(Response::new_err(id, ErrorCode::InvalidParams as i32, "no text document".into()));
        };
        let key = params.text_document.uri.as_str().to_string();
        let Some(document) = self.documents.get(&key) else {
            return self.send(Response::new_ok(id, Value::Array(Vec::new())));
        };
        let (language, name, text) = (document.language, document.name.clone(), document.text.clone());
        let (version, versions) = (document.version, self.versions.clone());
        let sender = self.connection.sender.clone();
        std::thread::spawn(move || {
            let is_current = || {
                let versions = versions.lock().unwrap_or_else(PoisonError::into_inner);
                versions.get(&key) == Some(&version)
            };
            // Text that is being typed is not worth the work.
            std::thread::sleep(PAUSE);
            let made = match is_current() {
                true => std::panic::catch_unwind(|| lenses(language, &name, &text)).ok(),
                false => None,
            };
            let response = match made {
                _ if !is_current() => {
                    Response::new_err(id, ErrorCode::ContentModified as i32, "the text has changed".into())
                }
                Some(Ok(lenses)) => Response::new_ok(id, lenses),
                // Mistakes are told elsewhere.
                Some(Err(_)) | None => Response::new_ok(id, Value::Array(Vec::new())),
            };
            // A client that has gone needs no answer.
            let _ = sender.send(response.into());
        });
        Ok(())
    }
}

/// Words of SAC that are no functions.
const SAC_WORDS: &[&str] = &[
    "all", "bool", "char", "do", "double", "else", "except", "export", "external", "float", "fold", "for", "genarray",
    "if", "import", "inline", "int", "long", "modarray", "module", "return", "step", "typedef", "use", "void", "while",
    "width", "with",
];

type Answered = Result<Value, (ErrorCode, String)>;

fn response(id: RequestId, made: Answered) -> Response {
    match made {
        Ok(value) => Response::new_ok(id, value),
        Err((code, message)) => Response::new_err(id, code as i32, message),
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What is said of a name.
fn described(analysis: &Analysis, text: &str, word: &std::ops::Range<usize>) -> Vec<String> {
    let name = &text[word.clone()];
    if analysis.is_function(text, word) {
        let functions = analysis.functions.iter().filter(|function| function.name == name);
        return functions.map(|function| function.signature.clone()).collect();
    }
    if let Some(variable) = analysis.variable(text, word) {
        return vec![format!("{} {name}", variable.ty)];
    }
    let others: BTreeSet<String> = analysis
        .others
        .iter()
        .filter(|(other, ..)| other == name)
        .map(|(_, signature, ..)| signature.clone())
        .collect();
    const MOST: usize = 12;
    let more = others.len().saturating_sub(MOST);
    let mut lines: Vec<String> = others.into_iter().take(MOST).collect();
    if more > 0 {
        lines.push(format!("// and {more} more"));
    }
    lines
}

/// A message as the protocol has it.
fn diagnostic(message: &Diagnostic, analysis: &Analysis, own: &Uri, text: &Text) -> lsp_types::Diagnostic {
    let place = |span: Span| -> Option<Location> {
        if span.is_none() {
            return None;
        }
        if span.file == 0 {
            return Some(Location::new(own.clone(), text.range(&(span.start as usize..span.end as usize))));
        }
        let file = analysis.sources.file(FileId::new(span.file as usize))?;
        let other = Text::new(file.text.clone());
        Some(Location::new(uri(&file.name)?, other.range(&(span.start as usize..span.end as usize))))
    };
    let primary = message.labels.iter().find(|label| label.primary && label.span.file == 0 && !label.span.is_none());
    let range =
        primary.map_or(Range::default(), |label| text.range(&(label.span.start as usize..label.span.end as usize)));
    let related = message.labels.iter().filter(|label| Some(*label) != primary).filter_map(|label| {
        Some(DiagnosticRelatedInformation { location: place(label.span)?, message: label.message.clone() })
    });
    let label = primary.map(|label| label.message.as_str()).filter(|label| !label.is_empty());
    let lines: Vec<&str> =
        [message.message.as_str()].into_iter().chain(label).chain(message.notes.iter().map(String::as_str)).collect();
    let severity = match message.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    lsp_types::Diagnostic {
        range,
        severity: Some(severity),
        code: Some(NumberOrString::String(message.code.into())),
        source: Some("frit".into()),
        message: lines.join("\n"),
        related_information: Some(related.collect()),
        ..lsp_types::Diagnostic::default()
    }
}
