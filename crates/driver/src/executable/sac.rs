//! Executables of programs in SAC: `main` gets the words of the command line, prints what it wants to, and gives the exit
//! status.

use crate::sac::Interface;
use frit_back::c::{CSource, EntryParamKind};
use std::fmt::Write;

/// The `main` of an executable, with what it needs, in C.
pub(super) fn main(interface: &Interface, code: &CSource) -> String {
    let name = &code.entry.name;
    let mut text = super::HEAD.to_string();
    text += include_str!("sac_words.h");
    text += "\nint main(int argc, char **argv) {\n";
    let mut line = |code: String| writeln!(text, "    {code}").expect("a string takes any text");
    super::open(name, &mut line);
    line("sac_words words = sac_read_words(argc, argv);".into());
    // The two arrays in order; sizes come from their shapes.
    let mut arrays = ["characters", "ends"].into_iter();
    let params = &code.entry.params;
    let mut array_of = Vec::new();
    for param in params {
        array_of.push(match param.kind {
            EntryParamKind::Scalar { .. } => None,
            EntryParamKind::Array { .. } => arrays.next(),
        });
    }
    line(format!("frit_argument arguments[{}] = {{{{0}}}};", params.len().max(1)));
    for (at, param) in params.iter().enumerate() {
        match (&param.kind, array_of[at]) {
            (EntryParamKind::Scalar { size_of: Some((array, _)) }, _) => {
                let array = array_of[*array].expect("sizes belong to arrays");
                line(format!("arguments[{at}].elements = &words.count_of_{array};"));
            }
            (EntryParamKind::Array { .. }, Some(array)) => {
                line(format!("arguments[{at}].elements = words.{array};"));
                line(format!("arguments[{at}].shape = &words.count_of_{array};"));
            }
            (EntryParamKind::Scalar { size_of: None } | EntryParamKind::Array { .. }, _) => {
                unreachable!("`main` takes the words of the command line and nothing else")
            }
        }
    }
    line(format!("frit_result results[{}] = {{{{0}}}};", code.entry.results.len().max(1)));
    super::call(name, &mut line);
    line("int32_t status;".into());
    line(format!("memcpy(&status, &results[{}].scalar, sizeof status);", interface.hidden_results));
    line("if (fflush(stdout) != 0 || ferror(stdout)) return 1;".into());
    line("return status;".into());
    text += "}\n";
    text
}
