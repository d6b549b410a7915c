//! The examples of the reference are what it says they are.

/// The code blocks of the reference that are marked with this language.
fn examples(language: &str) -> Vec<String> {
    let reference = include_str!("../../../docs/ir.md");
    let opening = format!("```{language}");
    let (mut examples, mut inside) = (Vec::new(), None::<String>);
    for line in reference.lines() {
        match &mut inside {
            None if line == opening => inside = Some(String::new()),
            None => {}
            Some(_) if line == "```" => examples.extend(inside.take()),
            Some(example) => {
                example.push_str(line);
                example.push('\n');
            }
        }
    }
    examples
}

#[test]
fn array_ir_examples_are_well_formed_and_as_printed() {
    let examples = examples("ir");
    assert_eq!(examples.len(), 4);
    for text in examples {
        let program = frit_ir::array::parse::parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        frit_ir::array::verify::verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(program.to_string(), text);
    }
}

#[test]
fn loop_ir_examples_are_well_formed_and_as_printed() {
    let examples = examples("loops");
    assert_eq!(examples.len(), 1);
    for text in examples {
        let program = frit_ir::nest::parse::parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        frit_ir::nest::verify::verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(program.to_string(), text);
    }
}
