//! What became of the loops of a program, as lines above them.

use crate::places::Text;
use frit_driver::explain::summary::summary;
use frit_driver::explain::{Request, explain};
use frit_driver::machine::{Target, known};
use frit_driver::{Error, Options, load_l0, load_sac};
use frit_format::Language;
use lsp_types::{CodeLens, Command};

/// The lenses of a text: one for each loop that runs, and one for each array that is stored between loops.
///
/// # Errors
///
/// The program has mistakes, or no function that it begins with.
pub(crate) fn lenses(language: Language, name: &str, text: &Text) -> Result<Vec<CodeLens>, Error> {
    let unit = match language {
        Language::L0 => load_l0(name, &text.text)?,
        Language::Sac => load_sac(name, &text.text)?,
    };
    let options = Options { target: Target::of(&known()?.machine), ..Options::default() };
    let explanation = explain(&unit, &Request::default(), &options)?;
    let summary = summary(&explanation, &unit);
    let mut lenses = Vec::new();
    let mut add = |line: usize, title: String| {
        let command = Command { title, command: "frit.page".into(), arguments: None };
        lenses.push(CodeLens { range: text.line(line), command: Some(command), data: None });
    };
    for running in &summary.loops {
        // The others are parts of the loop at the last one.
        let (Some(&last), Some(&first)) = (running.lines.last(), running.lines.first()) else { continue };
        let merged = match running.merged {
            0 | 1 => "a loop of its own".to_string(),
            merged => format!("{merged} loops in one"),
        };
        add(last, format!("{merged}: {}", running.moves));
        for &line in running.lines.iter().filter(|&&line| line != last && first != last) {
            add(line, format!("fused with line {last}"));
        }
    }
    for kept in &summary.stored {
        if let Some(line) = kept.line {
            add(line, format!("stored: {}", kept.what));
        }
    }
    lenses.sort_by_key(|lens| lens.range.start.line);
    Ok(lenses)
}
