//! `frit repl`: a session on a terminal, from a pipe, or of the expressions on the command line.

use crate::commands::{default_options, is_colored, print, tell};
use clap::{Args, ValueEnum};
use frit_driver::Error;
use frit_repl::{Answer, Language, Session};
use reedline::{
    Completer, DefaultPrompt, DefaultPromptSegment, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder,
    Reedline, ReedlineEvent, ReedlineMenu, Signal, Span, Suggestion, ValidationResult, Validator,
    default_emacs_keybindings,
};
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Args)]
pub(crate) struct Repl {
    /// The language of inputs; `:lang` changes it
    #[arg(long, value_enum, default_value_t = LanguageName::L0)]
    lang: LanguageName,
    /// Take this input and end; several times for several inputs
    #[arg(short, long, value_name = "INPUT")]
    eval: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LanguageName {
    /// L0
    L0,
    /// SAC
    Sac,
    /// Functions on NumPy arrays
    Numpy,
}

/// How many inputs are kept for later sessions.
const HISTORY: usize = 10_000;

/// Of a longer text only the beginning is shown on a terminal.
const SHOWN: usize = 4_000;

/// `frit repl`; the exit status.
pub(crate) fn repl(command: &Repl) -> Result<u8, Error> {
    let language = match command.lang {
        LanguageName::L0 => Language::L0,
        LanguageName::Sac => Language::Sac,
        LanguageName::Numpy => Language::Numpy,
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut session = Session::new(language, default_options()?, interrupt.clone());
    if !command.eval.is_empty() {
        for input in &command.eval {
            if let Answer::Text(text) = session.answer(input)? {
                print(text)?;
            }
        }
        return Ok(0);
    }
    if std::io::stdin().is_terminal() { on_terminal(session, interrupt) } else { from_pipe(session) }
}

/// Takes inputs line by line; a mistake in one does not end the session.
fn from_pipe(mut session: Session) -> Result<u8, Error> {
    let mut status = 0;
    let mut input = String::new();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        let line = lines.next().transpose().map_err(|error| Error::file(Path::new("<stdin>"), error))?;
        let is_last = line.is_none();
        if let Some(line) = line {
            input += &line;
            input.push('\n');
            if !session.is_complete(&input) {
                continue;
            }
        }
        match session.answer(&std::mem::take(&mut input)) {
            Ok(Answer::Text(text)) => print(text)?,
            Ok(Answer::Quit) => return Ok(status),
            Err(error) => {
                report(&error);
                if status == 0 {
                    status = error.exit_code();
                }
            }
        }
        if is_last {
            return Ok(status);
        }
    }
}

fn report(error: &Error) {
    tell(&error.render(is_colored(&std::io::stderr())));
}

fn on_terminal(session: Session, interrupt: Arc<AtomicBool>) -> Result<u8, Error> {
    // While a line is read the terminal gives Ctrl-C as a key. What a first one does not end, as a loop without loops inside, a second one
    // ends with the session.
    let signal = signal_hook::consts::SIGINT;
    signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.clone())
        .and_then(|_| signal_hook::flag::register(signal, interrupt))
        .map_err(|error| Error::file(Path::new("<terminal>"), error))?;
    let session = Arc::new(Mutex::new(session));
    let mut editor = editor(&session)?;
    tell(&format!("Frit {}. `:help` tells what can be typed, `:quit` ends.\n", env!("CARGO_PKG_VERSION")));
    loop {
        let left = DefaultPromptSegment::Basic(lock(&session).language().name().to_string());
        let prompt = DefaultPrompt::new(left, DefaultPromptSegment::Empty);
        let read = editor.read_line(&prompt).map_err(|error| Error::file(Path::new("<terminal>"), error))?;
        let input = match read {
            Signal::Success(input) => input,
            Signal::CtrlC => continue,
            _ => return Ok(0),
        };
        let answer = lock(&session).answer(&input);
        match answer {
            Ok(Answer::Text(text)) => print(shortened(text))?,
            Ok(Answer::Quit) => return Ok(0),
            Err(error) => report(&error),
        }
    }
}

fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    // An answer that panicked changed nothing.
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The beginning of a long line, with how much is missing; texts of many lines stay.
fn shortened(text: String) -> String {
    if text.len() <= SHOWN || text.trim_end().contains('\n') {
        return text;
    }
    let end = (0..=SHOWN).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{} ... ({} more characters)\n", &text[..end], text.len() - end)
}

fn editor(session: &Arc<Mutex<Session>>) -> Result<Reedline, Error> {
    let mut keys = default_emacs_keybindings();
    let complete =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu("completion".to_string()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    let menu = reedline::ColumnarMenu::default().with_name("completion");
    let editor = Reedline::create()
        .with_completer(Box::new(Words(session.clone())))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_validator(Box::new(Brackets(session.clone())));
    let Some(path) = history_file() else { return Ok(editor) };
    // A session without a history is better than none.
    match FileBackedHistory::with_file(HISTORY, path) {
        Ok(history) => Ok(editor.with_history(Box::new(history))),
        Err(_) => Ok(editor),
    }
}

/// `$XDG_STATE_HOME/frit/history`, or below `~/.local/state`.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
    Some(state.filter(|path| path.is_absolute()).or_else(home)?.join("frit/history"))
}

/// Completes the word before the cursor.
struct Words(Arc<Mutex<Session>>);

impl Completer for Words {
    fn complete(&mut self, line: &str, end: usize) -> Vec<Suggestion> {
        let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
        let before = &line[..end];
        let start = before.rfind(|c| !is_in_word(c)).map_or(0, |at| at + 1);
        let words = lock(&self.0).completions().into_iter().filter(|word| word.starts_with(&before[start..]));
        words
            .map(|value| Suggestion {
                value,
                span: Span::new(start, end),
                append_whitespace: false,
                ..Suggestion::default()
            })
            .collect()
    }
}

/// Continues an input whose brackets are open.
struct Brackets(Arc<Mutex<Session>>);

impl Validator for Brackets {
    fn validate(&self, line: &str) -> ValidationResult {
        if lock(&self.0).is_complete(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}
