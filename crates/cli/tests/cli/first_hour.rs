//! The programs of `examples/first-hour`: the commands at their heads print what stands below them.

use crate::cli::place::{Place, project};
use std::path::PathBuf;

/// The commands in a text, with the lines below each.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_output = false;
    for line in text.lines().map(|line| line.strip_prefix("//").unwrap_or(line)) {
        if let Some(command) = line.trim_start().strip_prefix("$ frit ") {
            found.push((command.to_string(), String::new()));
            is_output = true;
        } else if is_output && line.starts_with("  ") {
            let (_, output) = found.last_mut().unwrap();
            *output += &format!("{}\n", line.trim());
        } else {
            is_output = false;
        }
    }
    found
}

/// The words of a command; those in quotes are one.
fn words(command: &str) -> Vec<String> {
    let in_quotes = command.split('\'').enumerate();
    in_quotes
        .flat_map(|(at, part)| match at % 2 {
            1 => vec![part.to_string()],
            _ => part.split_whitespace().map(str::to_string).collect(),
        })
        .map(|word| if word.starts_with("examples/") { project().join(word).display().to_string() } else { word })
        .collect()
}

#[test]
fn their_commands_print_what_their_heads_say() {
    let place = Place::new();
    let folder = project().join("examples/first-hour");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file() && path.file_name().is_some_and(|name| name != "README.md"));
    assert_eq!(paths.len(), 6);
    for path in paths {
        let commands = commands(&std::fs::read_to_string(&path).unwrap());
        assert!(!commands.is_empty(), "{}", path.display());
        for (command, output) in commands {
            place.frit(words(&command)).prints(&output);
        }
    }
}
