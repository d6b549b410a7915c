//! Writes a large program: `large SHAPE LINES`, or the names of all shapes: `large`.

use frit_testkit::large_programs::{SHAPES, shape};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let program = match &arguments[..] {
        [] => Some(SHAPES.iter().map(|shape| format!("{} {}\n", shape.name, shape.entry.unwrap_or(""))).collect()),
        [name, lines] => shape(name).zip(lines.parse().ok()).map(|(shape, lines)| shape.program(lines)),
        _ => None,
    };
    match program {
        Some(program) => print!("{program}"),
        None => {
            eprintln!("usage: large [SHAPE LINES]");
            std::process::exit(2);
        }
    }
}
