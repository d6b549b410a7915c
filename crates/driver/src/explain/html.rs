//! Explanations as one page that needs nothing else: the source with the decisions beside it, the totals, the data-flow graphs
//! before and after, and the IR and C on demand. Everything that names a loop links to where it is.

use super::summary::summary;
use super::{Decision, Explanation, Loop, Outcome, Stage, moved, terminal};
use crate::graph::svg::{self, Annotate, Drawing, escape};
use crate::graph::{Graph, Node};
use crate::source::Unit;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub fn print(explanation: &Explanation, unit: &Unit) -> String {
    let of = Page { explanation, unit, decided: decided(explanation) };
    let links = [
        ("source", "Source"),
        ("totals", "Totals"),
        ("decisions", "Decisions"),
        ("loops", "How loops run"),
        ("before", "Before"),
        ("after", "After"),
        ("texts", "Code"),
    ];
    let links = links.map(|(to, says)| (to.to_string(), says.to_string()));
    let main = format!(
        "<main>\n{}<div class=\"report\">\n{}{}{}{}{}{}</div>\n</main>",
        of.source(),
        of.totals(),
        of.decisions(),
        of.how_loops_run(),
        of.graph("before", "Data flow before", &explanation.before),
        of.graph("after", "Data flow after", &explanation.after),
        of.texts(),
    );
    page(&unit.name, "which loops were merged", &summary(explanation, unit).verdict.join(" "), &links, &main)
}

/// A page about a program of this name: its subject, what it says in a sentence, the links to its sections, and the element `main`.
pub(crate) fn page(name: &str, subject: &str, says: &str, links: &[(String, String)], main: &str) -> String {
    let name = escape(name);
    let link = |(to, says): &(String, String)| format!("<a href=\"#{to}\">{}</a>", escape(says));
    let links: Vec<String> = links.iter().map(link).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name}: {subject}</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n<p>{}</p>\n<nav>{}</nav>\n</header>\n\
         {main}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        svg::STYLE,
        escape(says),
        links.join(" "),
    )
}

/// A text line by line, each with links to the decisions about its loops. Line 7 is found as the `prefix` and its number.
pub(crate) fn lines(
    title: &str,
    id: &str,
    prefix: &str,
    text: &str,
    decided: &BTreeMap<usize, BTreeSet<usize>>,
) -> String {
    let mut all = format!(
        "<section id=\"{id}\">\n<h2>{title}</h2>\n<div class=\"code\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{title}\"><div class=\"lines\">\n",
    );
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let decisions = decided.get(&number).cloned().unwrap_or_default();
        let _ = writeln!(
            all,
            "<div id=\"{prefix}{number}\"{}><span class=\"marks\">{}</span><span class=\"no\">{number}</span><code>{}</code></div>",
            data(&decisions),
            marks(&decisions),
            escape(line)
        );
    }
    all + "</div></div>\n</section>\n"
}

/// The decisions that name each loop, by its label.
fn decided(explanation: &Explanation) -> BTreeMap<&str, BTreeSet<usize>> {
    let mut decided: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for decision in &explanation.decisions {
        for label in decision.labels() {
            decided.entry(label).or_default().insert(decision.number);
        }
    }
    decided
}

struct Page<'a> {
    explanation: &'a Explanation,
    unit: &'a Unit,
    decided: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl Page<'_> {
    /// The source, line by line, each with the decisions about its loops.
    fn source(&self) -> String {
        let mut by_line: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for decision in self.explanation.decisions.iter().chain(&self.explanation.how_loops_run) {
            for line in loops(decision).filter_map(|one| one.line) {
                by_line.entry(line).or_default().insert(decision.number);
            }
        }
        let source = self.unit.sources.iter().next().map_or("", |(_, file)| file.text.as_str());
        lines("Source", "source", "L", source, &by_line)
    }

    fn totals(&self) -> String {
        let mut text = String::from(
            "<section id=\"totals\">\n<h2>Totals</h2>\n<div class=\"scroll\"><table>\n\
             <tr><td></td><th scope=\"col\">before</th><th scope=\"col\">after</th></tr>\n",
        );
        for [what, before, after] in terminal::rows(self.explanation) {
            // Long products break at their factors.
            let [before, after] = [before, after].map(|cell| escape(&cell).replace('*', "*<wbr>"));
            let _ = writeln!(text, "<tr><th scope=\"row\">{what}</th><td>{before}</td><td>{after}</td></tr>");
        }
        text += "</table></div>\n";
        let notes = terminal::notes(self.explanation, self.unit);
        if !notes.is_empty() {
            let items: String = notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
            let _ = write!(text, "<ul class=\"notes\">\n{items}</ul>\n");
        }
        for (when, stage) in [("before", &self.explanation.before), ("after", &self.explanation.after)] {
            let _ = write!(text, "<h3>Moved by each loop {when} merging</h3>\n<div class=\"scroll\"><table>\n");
            for [what, amount] in moved::rows(self.explanation, stage) {
                let amount = escape(&amount).replace('*', "*<wbr>");
                let _ = writeln!(text, "<tr><th scope=\"row\">{}</th><td>{amount}</td></tr>", escape(&what));
            }
            text += "</table></div>\n";
        }
        if !self.explanation.intermediates.is_empty() {
            let arrays = self.explanation.intermediates.iter();
            let items: String =
                arrays.map(|array| format!("<li>{}</li>\n", escape(&array.sentence(self.explanation)))).collect();
            let _ = write!(text, "<h3>Arrays between loops</h3>\n<ul class=\"notes\">\n{items}</ul>\n");
        }
        let calls = super::terminal::calls(self.unit);
        if !calls.is_empty() {
            let items: String = calls.iter().map(|call| format!("<li>{}</li>\n", escape(call))).collect();
            let _ = write!(text, "<h3>Calls that are not compiled</h3>\n<ul class=\"notes\">\n{items}</ul>\n");
        }
        text + "</section>\n"
    }

    fn decisions(&self) -> String {
        let mut text = String::from("<section id=\"decisions\">\n");
        let (merged, others): (Vec<&Decision>, Vec<&Decision>) =
            self.explanation.decisions.iter().partition(|decision| matches!(decision.outcome, Outcome::Merged { .. }));
        for (heading, none, decisions) in
            [("Merged", "No loops were merged.", merged), ("Not merged", "Nothing else could be merged.", others)]
        {
            let _ = writeln!(text, "<h2>{heading}</h2>");
            if decisions.is_empty() {
                let _ = writeln!(text, "<p>{none}</p>");
                continue;
            }
            text += "<ul class=\"decisions\">\n";
            for decision in decisions {
                text += &self.decision(decision);
            }
            text += "</ul>\n";
        }
        text + "</section>\n"
    }

    fn how_loops_run(&self) -> String {
        let mut text = String::from("<section id=\"loops\">\n<h2>How loops run</h2>\n");
        if self.explanation.how_loops_run.is_empty() {
            text += "<p>There are no loops.</p>\n";
        } else {
            let items: String = self.explanation.how_loops_run.iter().map(|decision| self.decision(decision)).collect();
            let _ = writeln!(text, "<ul class=\"decisions\">\n{items}</ul>");
        }
        text + "</section>\n"
    }

    fn decision(&self, decision: &Decision) -> String {
        let number = decision.number;
        let code = match &decision.outcome {
            Outcome::Merged { .. } | Outcome::Done { .. } | Outcome::NotChosen { .. } => decision.rule.to_string(),
            Outcome::Refused { code, .. } => format!("{} ({code})", decision.rule),
        };
        let mut links: Vec<String> = Vec::new();
        let lines: BTreeSet<usize> = loops(decision).filter_map(|one| one.line).collect();
        links.extend(lines.iter().map(|line| format!("<a href=\"#L{line}\">line {line}</a>")));
        if let Outcome::Refused { place: Some(place), .. } = &decision.outcome
            && let Some(place) = self.unit.sources.position(*place)
            && !lines.contains(&place.line)
        {
            links.push(format!("because of <a href=\"#L{0}\">line {0}</a>", place.line));
        }
        for (when, stage) in [("before", &self.explanation.before), ("after", &self.explanation.after)] {
            for label in decision.labels() {
                if stage.graphs.iter().any(|(_, graph)| graph.has(label)) {
                    links.push(format!("<a href=\"#{when}-{label}\">{label} {when}</a>"));
                }
            }
        }
        format!(
            "<li id=\"d{number}\" class=\"{}\"{}><p><a class=\"number\" href=\"#d{number}\">{number}</a> {}.</p>\
             <p class=\"meta\"><code>{code}</code> {}</p></li>\n",
            decision.word(),
            data(&[number].into()),
            with_code(&escape(&capital(&decision.sentence(self.explanation)))),
            links.join(", ")
        )
    }

    fn graph(&self, when: &str, title: &str, stage: &Stage) -> String {
        let notes = Links { page: self, when };
        let drawn = |(function, graph): &(String, Graph)| {
            let title = if stage.graphs.len() == 1 { String::new() } else { function.clone() };
            svg::draw(graph, &notes).map(|drawing| (title, drawing))
        };
        let drawing = match stage.graphs.iter().map(drawn).collect::<Option<Vec<_>>>() {
            Some(parts) => Drawing::column(&parts).element(when, title),
            None => format!(
                "<p>It has more than {} nodes in one block, which no one could read as a drawing.</p>",
                svg::MAX_NODES
            ),
        };
        format!(
            "<section id=\"{when}\">\n<h2>{title}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
             aria-label=\"{title}\">\n{drawing}\n</div>\n</section>\n"
        )
    }

    fn texts(&self) -> String {
        let texts = [
            ("Array IR before", Some(&self.explanation.before.ir)),
            ("Array IR after", Some(&self.explanation.after.ir)),
            ("C", self.explanation.c.as_ref()),
        ];
        let mut all = String::from("<section id=\"texts\">\n<h2>Code</h2>\n");
        for (title, text) in texts {
            if let Some(text) = text {
                let pre = format!("<pre tabindex=\"0\">{}</pre>", escape(text));
                let _ = writeln!(all, "<details><summary>{title}</summary>{pre}</details>");
            }
        }
        all + "</section>\n"
    }
}

/// The loops that a decision is about.
fn loops(decision: &Decision) -> impl Iterator<Item = &Loop> {
    std::iter::once(&decision.first).chain(&decision.second)
}

/// Links to decisions: a few, and the others on demand, since a line of a small function may be part of many loops.
fn marks(decisions: &BTreeSet<usize>) -> String {
    const SHOWN: usize = 2;
    let links: Vec<String> = decisions.iter().map(|d| format!("<a href=\"#d{d}\">{d}</a>")).collect();
    match links.get(SHOWN + 1..) {
        Some([_, ..]) => {
            let (shown, others) = (links[..SHOWN].join("&nbsp;"), links[SHOWN..].join(" "));
            format!("{shown}&nbsp;<details><summary>+{}</summary>{others}</details>", links.len() - SHOWN)
        }
        Some([]) | None => links.join("&nbsp;"),
    }
}

/// The attribute by which the script finds all that belongs to a decision.
pub(crate) fn data(decisions: &BTreeSet<usize>) -> String {
    if decisions.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = decisions.iter().map(usize::to_string).collect();
    format!(" data-d=\"{}\"", numbers.join(" "))
}

/// Names in back quotes are set as code.
pub(crate) fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(nth, part)| if nth % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() }).collect()
}

pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The links of the nodes of one drawing.
struct Links<'a> {
    page: &'a Page<'a>,
    when: &'a str,
}

impl Links<'_> {
    fn decisions(&self, node: &Node) -> BTreeSet<usize> {
        self.page.decided.get(node.id.as_str()).cloned().unwrap_or_default()
    }
}

impl Annotate for Links<'_> {
    fn attributes(&self, node: &Node) -> String {
        format!(" id=\"{}-{}\"{}", self.when, escape(&node.id), data(&self.decisions(node)))
    }

    fn line(&self, line: usize) -> Option<String> {
        Some(format!("#L{line}"))
    }

    fn links(&self, node: &Node) -> Vec<(String, String)> {
        self.decisions(node).into_iter().map(|number| (format!("#d{number}"), number.to_string())).collect()
    }
}
