//! What [`report`](super::report) says, as one page that needs nothing else: for each region the picture of its data flow, its arrays and its
//! decisions, then the source and what it became, row by row. Everything that names a loop links to where it is.

use super::FusedFile;
use super::drawing::LEGEND;
use super::report::{RegionReport, headline, outside_text, sentence, size, sizes_text};
use crate::explain::html::{CLOSE, aligned, capital, data, figures, open, page, with_code};
use crate::graph::Node;
use crate::graph::svg::{self, Annotate, escape};
use frit_plan::{Decision, Outcome};
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The page. `name` is the source's.
pub fn print(fused: &FusedFile, name: &str) -> String {
    let source = fused.sources.iter().next().map_or("", |(_, file)| file.text.as_str());
    let page_of = Page { fused };
    let (mut body, mut links, mut first) = (String::new(), Vec::new(), 1);
    for (at, region) in fused.regions.iter().enumerate() {
        links.push((format!("r{at}"), format!("{}, line {}", region.function, region.line)));
        body += &page_of.region(at, region, first);
        first += region.log.decisions.len();
    }
    let from = fused.regions.iter().map(|region| region.line).min().unwrap_or(1);
    body += &aligned(["Source", "what it became"], [source, &fused.text], from, &page_of.decided_lines());
    links.push(("source".to_string(), "Source and what it became".to_string()));
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
        if let Some(graphs) = &region.graphs {
            let drawings = graphs.each_ref().map(|graph| svg::draw(graph, &Links { region, first }));
            let titles = ["Before", "After"].map(str::to_string);
            let legend: String = LEGEND.iter().map(|line| format!("{}\n", escape(line))).collect();
            let drawn = figures(&format!("r{at}"), drawings, titles);
            let _ = write!(
                text,
                "<div class=\"pictures\">\n{drawn}<details class=\"legend\"><summary>What the marks mean</summary>\
                 <pre>{legend}</pre></details>\n</div>\n"
            );
        }
        if region.unchanged.is_none() {
            text += &self.arrays(region);
        }
        text += "</section>\n";
        if !region.log.decisions.is_empty() {
            text += &open(&format!("r{at}-decisions"), "Decisions");
            text += "<ul class=\"decisions\">\n";
            for (number, decision) in (first..).zip(&region.log.decisions) {
                text += &self.decision(number, decision, region);
            }
            text = text + "</ul>\n" + CLOSE;
        }
        text
    }

    /// The table of arrays.
    fn arrays(&self, region: &RegionReport) -> String {
        let mut text = String::from(
            "<div class=\"arrays\">\n<h3>Arrays</h3>\n<div class=\"scroll\"><table>\n<tr><th scope=\"col\">array</th><th scope=\"col\">bytes before</th>\
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
        text + "</div>\n"
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
