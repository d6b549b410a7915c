//! Functions of LLVM IR with mistakes: lines, operands, constants, types, predicates and attributes changed at random.
//!
//! Many are no valid IR any more; the others are code that no front end writes.

use frit_support::Random;

/// Modules of one function each: what stands around the functions of the module, and the function of this number.
pub fn single_functions(module: &str) -> Vec<String> {
    let (mut around, mut functions, mut function) = (Vec::new(), Vec::new(), None);
    for line in module.lines() {
        if line.starts_with("define ") {
            function = Some(Vec::new());
        }
        match &mut function {
            Some(lines) => lines.push(line),
            None => around.push(line),
        }
        if line == "}" {
            functions.extend(function.take());
        }
    }
    let text = |function: Vec<&str>| format!("{}\n\n{}\n", around.join("\n"), function.join("\n"));
    functions.into_iter().map(text).collect()
}

/// The module with one or two changes in its function.
pub fn mutant(module: &str, seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x6d75_7461);
    let mut lines: Vec<String> = module.lines().map(str::to_string).collect();
    for _ in 0..1 + random.below(2) {
        change(&mut lines, &mut random);
    }
    lines.join("\n") + "\n"
}

/// Words that take each other's place.
const GROUPS: &[&[&str]] = &[
    &[" eq ", " ne ", " slt ", " sle ", " sgt ", " sge ", " ult ", " ule ", " ugt ", " uge "],
    &[" olt ", " ogt ", " ueq ", " une ", " ord ", " uno "],
    &["= add ", "= sub ", "= mul ", "= and ", "= or ", "= xor ", "= shl ", "= sdiv ", "= urem ", "= ashr "],
    &["= add nuw nsw ", "= sub nuw ", "= mul nsw "],
    &["= fadd ", "= fsub ", "= fmul ", "= fdiv "],
    &[" i64 ", " i32 ", " i16 ", " i8 ", " i128 "],
    &[" double", " float", " i64", " ptr"],
    &["= zext ", "= sext ", "= trunc "],
    &["= load ", "= load volatile "],
    &["store ", "store volatile "],
    &["getelementptr inbounds ", "getelementptr "],
    &[" unordered", " monotonic", " acquire", " release", " seq_cst", " acq_rel"],
    &[" true", " false", " undef", " poison"],
    &[" nounwind", " convergent", " willreturn", " noreturn", " "],
];

/// Words that may be missing.
const OPTIONAL: &[&str] =
    &[" nuw", " nsw", " inbounds", " noalias", " nounwind", " willreturn", " noundef", " nocapture", " nneg", " exact"];

fn change(lines: &mut Vec<String>, random: &mut Random) {
    let first = lines.iter().position(|line| line.starts_with("define ")).map_or(0, |at| at + 1);
    let count = lines[first..].iter().position(|line| line == "}").unwrap_or(0);
    if count < 2 {
        return;
    }
    let at = first + random.below(count);
    let other = first + random.below(count);
    match random.below(14) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[other].clone()),
        2 => lines.swap(at, other),
        3..=5 => {
            let own = names_of_operands(&lines[at]);
            if !own.is_empty() {
                let old = &own[random.below(own.len())];
                // Blocks for blocks, and values for values that stand behind the same type, as far as that is easily seen.
                let kind = |line: &str, name: &str| {
                    let before = &line[..line.rfind(name).unwrap_or(0)];
                    before.split([' ', '[', '(']).rev().find(|word| !word.is_empty()).unwrap_or_default().to_string()
                };
                let wanted = kind(&lines[at], old);
                let all = lines[first - 1..first + count].iter();
                let new: Vec<String> = all
                    .flat_map(|line| {
                        names(line).into_iter().filter(|name| kind(line, name) == wanted).collect::<Vec<_>>()
                    })
                    .collect();
                if !new.is_empty() {
                    lines[at] = replace_last(&lines[at], old, &new[random.below(new.len())]);
                }
            }
        }
        6 | 7 => {
            let new = ["0", "1", "2", "-1", "3", "7", "64", "-2", "9223372036854775807", "1000000"][random.below(10)];
            lines[at] = with_constant(&lines[at], new, random);
        }
        8 => {
            let present: Vec<&&str> = OPTIONAL.iter().filter(|word| lines[at].contains(**word)).collect();
            if !present.is_empty() {
                lines[at] = lines[at].replacen(*present[random.below(present.len())], "", 1);
            }
        }
        9 if lines[first - 1].contains("noalias ") => lines[first - 1] = lines[first - 1].replacen("noalias ", "", 1),
        _ => {
            // Lines without any such word are many.
            for line in lines[at..first + count].iter_mut() {
                let groups: Vec<&&[&str]> =
                    GROUPS.iter().filter(|group| group.iter().any(|word| line.contains(word))).collect();
                if groups.is_empty() {
                    continue;
                }
                let group = groups[random.below(groups.len())];
                let old = group.iter().find(|word| line.contains(**word)).expect("the group has been found by it");
                *line = line.replacen(old, group[random.below(group.len())], 1);
                break;
            }
        }
    }
}

/// The names of values and blocks in a line, with `%`.
fn names(line: &str) -> Vec<String> {
    line.split('%')
        .skip(1)
        .map(|part| {
            let end = part.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(part.len());
            format!("%{}", &part[..end])
        })
        .collect()
}

/// As [`names`], without the one that the line defines.
fn names_of_operands(line: &str) -> Vec<String> {
    line.split_once(" = ").map_or_else(|| names(line), |(_, right)| names(right))
}

fn replace_last(line: &str, old: &str, new: &str) -> String {
    match line.rfind(old) {
        Some(at) => format!("{}{new}{}", &line[..at], &line[at + old.len()..]),
        None => line.to_string(),
    }
}

/// The line with another constant in the place of one of its numbers that are words of their own.
fn with_constant(line: &str, new: &str, random: &mut Random) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &str| word.trim_end_matches(',').parse::<i64>().is_ok();
    let numbers: Vec<usize> = (0..words.len()).filter(|&at| is_number(words[at])).collect();
    if numbers.is_empty() {
        return line.to_string();
    }
    let at = numbers[random.below(numbers.len())];
    let new = if words[at].ends_with(',') { format!("{new},") } else { new.to_string() };
    words.iter().enumerate().map(|(k, word)| if k == at { &new } else { *word }).collect::<Vec<_>>().join(" ")
}
