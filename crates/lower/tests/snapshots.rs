mod support;
#[test]
fn show() {
    for path in std::env::var("SHOW").unwrap_or_default().split(':').filter(|p| !p.is_empty()) {
        let text = std::fs::read_to_string(path).unwrap();
        println!("{}", support::lowered_text(&text));
        let p = frit_lower::lower(&support::program(&text), &frit_lower::Options::default());
        println!("PARALLEL\n{p}");
    }
}
