//! What [`report`](super::report) says, as one page that needs nothing else: the source and what it became side by side, then for each
//! region its arrays, its decisions and its data flow. Everything that names a loop links to where it is.

use super::FusedFile;
use super::drawing::{LEGEND, drawing};
use super::report::{RegionReport, headline, outside_text, sentence, size, sizes_text};
use crate::explain::html::{capital, data, lines, page, with_code};
use crate::graph::Node;
use crate::graph::svg::{Annotate, Drawing, escape};
use frit_plan::{Decision, Outcome};
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The page. `name` is the source's.
pub fn print(fused: &FusedFile, name: &str) -> String {
    let source = fused.sources.iter().next().map_or("", |(_, file)| file.text.as_str());
    let page_of = Page { fused };
    let mut body = format!(
        "<div class=\"pair\">{}{}</div>\n",
        lines("Source", "source", "L", source, &page_of.decided_lines()),
        lines("Transformed", "transformed", "T", &fused.text, &BTreeMap::new()),
    );
    let mut links = vec![("source".to_string(), "Source".to_string()), ("transformed".into(), "Transformed".into())];
    let mut first = 1;
    for (at, region) in fused.regions.iter().enumerate() {
        links.push((format!("r{at}"), format!("{}, line {}", region.function, region.line)));
        body += &page_of.region(at, region, first);
        first += region.log.decisions.len();
    }
    let headlines: Vec<String> = fused
        .regions
        .iter()
        .map(|region| format!("{}, line {}: {}", region.function, region.line, headline(region)))
        .collect();
    let says = if headlines.is_empty() { "no region was found".to_string() } else { headlines.join("; ") };
    let says = format!("{says}.");
    page(name, "what became of its loop nests", &says, &links, &format!("<main class=\"whole\">\n{body}</main>"))
}

struct Page<'a> {
    fused: &'a FusedFile,
}

impl Page<'_> {
    fn line(&self, span: Span) -> Option<usize> {
        self.fused.sources.position(span).map(|place| place.line)
    }

    /// The lines of a decision's loops.
    fn lines(&self, decision: &Decision) -> BTreeSet<usize> {
        [decision.first.span, decision.second.span].into_iter().filter_map(|span| self.line(span)).collect()
    }

    /// The numbers of the decisions about the loops of each line.
    fn decided_lines(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut by_line: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let decisions = self.fused.regions.iter().flat_map(|region| &region.log.decisions);
        for (at, decision) in decisions.enumerate() {
            for line in self.lines(decision) {
                by_line.entry(line).or_default().insert(at + 1);
            }
        }
        by_line
    }

    /// Everything about a region; its first decision has the number `first`.
    fn region(&self, at: usize, region: &RegionReport, first: usize) -> String {
        let title = format!("{}, line {}: {}", region.function, region.line, headline(region));
        let mut text = format!("<section id=\"r{at}\">\n<h2>{}</h2>\n", escape(&title));
        if region.unchanged.is_none() {
            text += &self.arrays(region);
        }
        if let Some(graphs) = &region.graphs {
            let legend = Drawing::lines(&LEGEND);
            let whole =
                Drawing::column(&[(String::new(), drawing(graphs, &Links { region, first })), (String::new(), legend)]);
            let drawing = whole.element(&format!("r{at}"), &title);
            let _ = writeln!(
                text,
                "<h3>Loop nests and arrays</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
                 aria-label=\"Loop nests and arrays\">\n{drawing}\n</div>"
            );
        }
        if !region.log.decisions.is_empty() {
            text += "<h3>Decisions</h3>\n<ul class=\"decisions\">\n";
            for (number, decision) in (first..).zip(&region.log.decisions) {
                text += &self.decision(number, decision, region);
            }
            text += "</ul>\n";
        }
        text + "</section>\n"
    }

    /// The table of arrays.
    fn arrays(&self, region: &RegionReport) -> String {
        let mut text = String::from(
            "<h3>Arrays</h3>\n<div class=\"scroll\"><table>\n<tr><th scope=\"col\">array</th><th scope=\"col\">bytes before</th>\
             <th scope=\"col\">after</th><th scope=\"col\">what it became</th><th scope=\"col\">declared</th></tr>\n",
        );
        let mut row = |name: &str, bytes: (u128, u128), fate: &str, line: Option<usize>| {
            let (before, after) = (size(bytes.0), size(bytes.1));
            let line = line.map(|line| format!("<a href=\"#L{line}\">line {line}</a>")).unwrap_or_default();
            let (name, fate) = (escape(name), escape(fate));
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{name}</th><td>{before}</td><td>{after}</td><td class=\"words\">{fate}</td><td>{line}</td></tr>"
            );
        };
        for array in &region.arrays {
            row(&array.name, array.bytes, &array.became(), self.line(array.span));
        }
        row("total", region.total, "", None);
        row("peak", region.peak, "the most in use at a time", None);
        text += "</table></div>\n";
        for line in sizes_text(region).into_iter().chain(outside_text(region)) {
            let _ = writeln!(text, "<p>{}</p>", escape(&line));
        }
        text
    }

    fn decision(&self, number: usize, decision: &Decision, region: &RegionReport) -> String {
        let (code, sentence) = sentence(decision, region);
        let lines = self.lines(decision);
        let mut links: Vec<String> = lines.iter().map(|line| format!("<a href=\"#L{line}\">line {line}</a>")).collect();
        let class = match &decision.outcome {
            Outcome::Merged { .. } | Outcome::Done { .. } => "merged",
            Outcome::NotChosen { .. } => "not-chosen",
            Outcome::Refused { place, .. } => {
                let place = place.and_then(|place| self.line(place)).filter(|line| !lines.contains(line));
                links.extend(place.map(|line| format!("because of <a href=\"#L{line}\">line {line}</a>")));
                "refused"
            }
        };
        format!(
            "<li id=\"d{number}\" class=\"{class}\"{}><p><a class=\"number\" href=\"#d{number}\">{number}</a> {}.</p>\
             <p class=\"meta\"><code>{code}</code> {}</p></li>\n",
            data(&[number].into()),
            with_code(&escape(&capital(&sentence))),
            links.join(", ")
        )
    }
}

/// Nodes link to their lines and to the decisions about them.
struct Links<'a> {
    region: &'a RegionReport,
    first: usize,
}

impl Links<'_> {
    fn decisions(&self, node: &Node) -> BTreeSet<usize> {
        let numbered = (self.first..).zip(&self.region.log.decisions);
        let about =
            numbered.filter(|(_, of)| !node.span.is_none() && [of.first.span, of.second.span].contains(&node.span));
        about.map(|(number, _)| number).collect()
    }
}

impl Annotate for Links<'_> {
    fn attributes(&self, node: &Node) -> String {
        data(&self.decisions(node))
    }

    fn line(&self, line: usize) -> Option<String> {
        Some(format!("#L{line}"))
    }

    fn links(&self, node: &Node) -> Vec<(String, String)> {
        self.decisions(node).into_iter().map(|number| (format!("#d{number}"), number.to_string())).collect()
    }
}
