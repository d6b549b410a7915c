//! `frit completion` and `frit man`.

use crate::cli::place::Place;

#[test]
fn completion_scripts_know_the_commands_and_their_options() {
    let place = Place::new();
    for (shell, said) in [("bash", "complete -F"), ("zsh", "#compdef frit"), ("fish", "complete -c frit")] {
        let script = place.frit(["completion", shell]).done().succeeded().text();
        assert!(script.contains(said), "{shell}:\n{script}");
        assert!(["explain", "fusion-limit", "strict-fp"].iter().all(|word| script.contains(word)), "{shell}");
    }
    place.frit(["completion", "cmd"]).fails(2, &["powershell"]);
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let place = Place::new();
    place.frit(["man", "--out", "pages/man1"]).done().succeeded();
    let page = String::from_utf8(place.read("pages/man1/frit-run.1")).unwrap();
    assert!(page.contains(".TH frit-run") && page.contains("strict"), "{page}");
    assert!(place.path("pages/man1/frit.1").is_file() && place.path("pages/man1/frit-explain.1").is_file());
    place.file("taken", "");
    place.frit(["man", "--out", "taken"]).fails(2, &["taken"]);
}
