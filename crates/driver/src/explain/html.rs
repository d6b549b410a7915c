//! Explanations as one page that needs nothing else: the picture of what flows between loops before and after, the loops that run, and
//! the source beside them; on demand the totals, all decisions, the whole graphs, the IR and C. Everything that names a loop links to where
//! it is.

use super::picture::picture;
use super::summary::{Summary, summary};
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
    let summary = &summary(explanation, unit);
    let of = Page { explanation, unit, summary, decided: decided(explanation) };
    let links = [
        ("picture", "Picture"),
        ("loops", "Loops"),
        ("source", "Source"),
        ("totals", "Totals"),
        ("decisions", "Decisions"),
        ("steps", "How loops run"),
        ("before", "Data flow"),
        ("texts", "Code"),
    ];
    let links = links.map(|(to, says)| (to.to_string(), says.to_string()));
    let main = format!(
        "<main>\n{}{}{}<div class=\"report\">\n{}{}{}{}{}{}</div>\n</main>",
        of.picture(),
        of.loops(),
        of.source(),
        of.totals(),
        of.decisions(),
        of.how_loops_run(),
        of.graph("before", "All data flow before", &explanation.before),
        of.graph("after", "All data flow after", &explanation.after),
        of.texts(),
    );
    page(&unit.name, "which loops were merged", &summary.verdict.join(" "), &links, &main)
}

/// What the colours and lines of a picture mean.
const LEGEND: &str = "<p class=\"legend\">A colour for each loop that runs, in the picture and beside the source. \
    <b class=\"line stored\"></b>stored between loops <b class=\"line gone\"></b>gone: computed where it is used \
    <b class=\"line preventing\"></b>kept apart; point at it to see why <b class=\"line scalar\"></b>scalars. Click to zoom.</p>\n";

/// The drawings before and after beside each other, as wide as the page.
///
/// `name` tells them from those of other figures.
pub(crate) fn figures(name: &str, drawings: [Option<Drawing>; 2], titles: [String; 2]) -> String {
    let mut text = String::from("<div class=\"figures\">\n");
    for ((drawing, title), when) in drawings.into_iter().zip(titles).zip(["was", "is"]) {
        let title = escape(&title);
        let (width, drawn) = match drawing {
            Some(drawing) => (drawing.width.max(1.0), drawing.element(&format!("{name}-{when}"), &title)),
            None => (1.0, format!("<p>It has more than {} boxes, which no one could read.</p>", svg::MAX_NODES)),
        };
        let _ = writeln!(
            text,
            "<figure style=\"flex-grow:{width:.0}\"><figcaption>{title}</figcaption>\
             <div class=\"zoom\" tabindex=\"0\" role=\"button\" aria-label=\"{title}: zoom\">{drawn}</div></figure>"
        );
    }
    text + "</div>\n"
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
fn lines(
    title: &str,
    id: &str,
    prefix: &str,
    text: &str,
    decided: &BTreeMap<usize, BTreeSet<usize>>,
    groups: &dyn Fn(usize) -> BTreeSet<usize>,
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
            "<div id=\"{prefix}{number}\"{}><span class=\"strip\">{}</span><span class=\"no\">{number}</span><code>{}</code>\
             <span class=\"marks\">{}</span></div>",
            data(&decisions),
            strip(&groups(number)),
            escape(line),
            marks(&decisions)
        );
    }
    all + "</div></div>\n</section>\n"
}

/// Two texts beside each other, line by line: what changed is marked, and what is alike stands in one row. Line 7 of the first is found as
/// `L7`, of the second as `T7`. Where the page has a script, it shows the rows from line `from` on.
pub(crate) fn aligned(
    titles: [&str; 2],
    [before, after]: [&str; 2],
    from: usize,
    decided: &BTreeMap<usize, BTreeSet<usize>>,
) -> String {
    let lines = [before, after].map(|text| text.lines().collect::<Vec<&str>>());
    let mut text = format!(
        "<section id=\"source\">\n<h2>{0} and {1}</h2>\n<div class=\"code two\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{0} and {1}\" data-from=\"L{from}\"><table><thead><tr><th></th><th></th><th scope=\"col\">{0}</th><th></th>\
         <th scope=\"col\">{1}</th></tr></thead><tbody>\n",
        titles[0], titles[1],
    );
    let mut row = |sides: [Option<usize>; 2], is_changed: bool| {
        let [id, other] = ["L", "T"].map(|prefix| move |at: usize| format!(" id=\"{prefix}{}\"", at + 1));
        let decisions = sides[0].and_then(|at| decided.get(&(at + 1))).cloned().unwrap_or_default();
        let class = if is_changed { " class=\"changed\"" } else { "" };
        let cells = |side: Option<usize>, lines: &[&str], id: &str| match side {
            Some(at) => {
                format!("<td class=\"no\">{}</td><td{id}{class}><code>{}</code></td>", at + 1, escape(lines[at]))
            }
            None => "<td></td><td class=\"none\"></td>".to_string(),
        };
        let _ = writeln!(
            text,
            "<tr{}{}><td class=\"marks\">{}</td>{}{}</tr>",
            sides[0].map(id).unwrap_or_default(),
            data(&decisions),
            marks(&decisions),
            cells(sides[0], &lines[0], ""),
            cells(sides[1], &lines[1], &sides[1].map(other).unwrap_or_default())
        );
    };
    for change in similar::TextDiff::from_slices(&lines[0], &lines[1]).ops() {
        let [old, new] = [change.old_range(), change.new_range()];
        let is_changed = change.tag() != similar::DiffTag::Equal;
        for nth in 0..old.len().max(new.len()) {
            row([&old, &new].map(|range| (nth < range.len()).then_some(range.start + nth)), is_changed);
        }
    }
    text + "</tbody></table></div>\n</section>\n"
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
    summary: &'a Summary,
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
        let loops = || self.summary.loops.iter().enumerate();
        let groups = |line| loops().filter(|(_, one)| one.lines.contains(&line)).map(|(group, _)| group).collect();
        lines("Source", "source", "L", source, &by_line, &groups)
    }

    fn picture(&self) -> String {
        let mut text = String::from("<section id=\"picture\">\n<h2>What flows between loops</h2>\n");
        let functions = picture(self.explanation, self.summary);
        for (at, (function, graphs)) in functions.iter().enumerate() {
            let in_function = if functions.len() == 1 { String::new() } else { format!("{function}: ") };
            let titles = ["Before", "After"].map(|when| format!("{in_function}{when}"));
            let drawings = [&graphs[0], &graphs[1]].map(|graph| svg::draw(graph, &Linked));
            text += &figures(&format!("f{at}"), drawings, titles);
        }
        text + LEGEND + "</section>\n"
    }

    /// The loops that run, the arrays between them, and what stays apart.
    fn loops(&self) -> String {
        let Summary { verdict: _, loops, others, stored, apart, in_other_spaces } = self.summary;
        let mut text = String::from("<section id=\"loops\">\n<h2>The loops that run</h2>\n");
        if loops.is_empty() {
            text += "<p>No loops over arrays.</p>\n";
        } else {
            text += "<table class=\"running\">\n<tr><th scope=\"col\">lines</th><th scope=\"col\">made of</th>\
                     <th scope=\"col\">reads and writes</th><th scope=\"col\">how it runs</th></tr>\n";
        }
        for (group, one) in loops.iter().enumerate() {
            let place = match (one.lines.first(), one.place.as_str()) {
                (Some(line), place) => format!("<a href=\"#L{line}\">{}</a>", escape(place)),
                (None, place) => escape(place),
            };
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{} {place} <code>{}</code></th><td class=\"made\">{}</td><td>{}</td><td>{}</td></tr>",
                strip(&[group].into()),
                escape(&one.source),
                loops_text(one.merged),
                escape(&one.moves),
                escape(&one.runs)
            );
        }
        text += if loops.is_empty() { "" } else { "</table>\n" };
        text += &others.iter().map(|others| format!("<p>{}.</p>\n", escape(&capital(others)))).collect::<String>();
        let mut list = |title: &str, items: Vec<String>| {
            if !items.is_empty() {
                let items: String =
                    items.iter().map(|item| format!("<li>{}</li>\n", with_code(&escape(item)))).collect();
                let _ = write!(text, "<h3>{title}</h3>\n<ul class=\"notes\">\n{items}</ul>\n");
            }
        };
        list("Stored between loops", stored.iter().map(|array| array.what.clone()).collect());
        let mut pairs: Vec<String> = apart.iter().map(|pair| format!("{}; {}", pair.reason, pair.advice)).collect();
        if *in_other_spaces > 0 {
            let more = if pairs.is_empty() { "" } else { "more " };
            let s = if *in_other_spaces == 1 { "" } else { "s" };
            pairs.push(format!("{in_other_spaces} {more}pair{s} of loops over different index spaces"));
        }
        list("Kept apart", pairs);
        text + "</section>\n"
    }

    fn totals(&self) -> String {
        let mut text = open("totals", "Totals");
        text += "<div class=\"scroll\"><table>\n\
             <tr><td></td><th scope=\"col\">before</th><th scope=\"col\">after</th></tr>\n";
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
        text + CLOSE
    }

    fn decisions(&self) -> String {
        let mut text = open("decisions", "Decisions");
        let (merged, others): (Vec<&Decision>, Vec<&Decision>) =
            self.explanation.decisions.iter().partition(|decision| matches!(decision.outcome, Outcome::Merged { .. }));
        for (heading, none, decisions) in
            [("Merged", "No loops were merged.", merged), ("Not merged", "Nothing else could be merged.", others)]
        {
            let _ = writeln!(text, "<h3>{heading}</h3>");
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
        text + CLOSE
    }

    fn how_loops_run(&self) -> String {
        let mut text = open("steps", "How loops run");
        if self.explanation.how_loops_run.is_empty() {
            text += "<p>There are no loops.</p>\n";
        } else {
            let items: String = self.explanation.how_loops_run.iter().map(|decision| self.decision(decision)).collect();
            let _ = writeln!(text, "<ul class=\"decisions\">\n{items}</ul>");
        }
        text + CLOSE
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
        let open = open(when, title);
        format!(
            "{open}<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{drawing}\n</div>\n{CLOSE}"
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

/// Begins a section that is folded.
pub(crate) fn open(id: &str, title: &str) -> String {
    format!("<section id=\"{id}\">\n<details><summary><h2>{title}</h2></summary>\n")
}

/// Ends it.
pub(crate) const CLOSE: &str = "</details>\n</section>\n";

/// `1 loop`, `2 loops`.
fn loops_text(count: usize) -> String {
    if count == 1 { "1 loop".into() } else { format!("{count} loops") }
}

/// The colours of these loops beside each other.
fn strip(groups: &BTreeSet<usize>) -> String {
    let one = |group: &usize| format!("<i class=\"g{}\"></i>", group % svg::COLOURS);
    groups.iter().map(one).collect()
}

/// Nodes link to their lines.
struct Linked;

impl Annotate for Linked {
    fn attributes(&self, _: &Node) -> String {
        String::new()
    }

    fn line(&self, line: usize) -> Option<String> {
        Some(format!("#L{line}"))
    }

    fn links(&self, _: &Node) -> Vec<(String, String)> {
        Vec::new()
    }
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
