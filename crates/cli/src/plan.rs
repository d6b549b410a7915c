//! `frit plan`: graphs from files, and the experiment on random ones.

use crate::commands::print;
use crate::progress::{Progress, duration};
use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use frit_driver::plan::{self, Objective, SearchLimits, experiment};
use frit_driver::{Error, write_texts};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// The graph (format dfg/1)
    #[arg(required_unless_present = "experiment", value_name = "GRAPH.json")]
    file: Option<PathBuf>,
    /// Write the plan to this file, and tell what it comes to [default: the plan goes to standard output]
    #[arg(short, long, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// Draw the graph and the plan
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    /// What the plan is to be the best in
    #[arg(long, value_enum, default_value_t = ObjectiveName::Size)]
    objective: ObjectiveName,
    /// End the search after so many seconds, with the best plan found and a bound on all others
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    time_limit: Duration,
    /// Plan random graphs as in section 3 of the paper, and tell how much is removed and how long it takes
    #[arg(long, conflicts_with_all = ["file", "output", "svg", "objective", "time_limit"])]
    experiment: bool,
    /// How many graphs
    #[arg(long, value_name = "N", default_value_t = experiment::GRAPHS, conflicts_with = "file")]
    graphs: usize,
    /// Other random graphs
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "file")]
    seed: u64,
    /// Print one JSON object
    #[arg(long, conflicts_with = "file")]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ObjectiveName {
    /// The arrays that stay are as small as can be, in sum
    Size,
    /// The least memory is in use at any time
    Peak,
    /// The least is moved to and from memory
    Traffic,
}

/// A number of seconds, not 0.
fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "not a number of seconds above 0".into())
}

/// `frit plan`.
pub(crate) fn plan(command: &Plan) -> Result<(), Error> {
    let Some(file) = &command.file else { return experiment(command) };
    let progress = Progress::new("planning");
    let graph = plan::load(file)?;
    let objective = match command.objective {
        ObjectiveName::Size => Objective::Size,
        ObjectiveName::Peak => Objective::Peak,
        ObjectiveName::Traffic => Objective::Traffic,
    };
    let limits = SearchLimits { time: Some(command.time_limit), ..SearchLimits::default() };
    let solution = plan::solve(&graph, objective, &limits);
    let result = plan::result::print(&graph, &solution);
    let drawing = command.svg.as_ref().map(|_| plan::svg::print(&graph, &solution)).transpose()?;
    let drawing = command.svg.as_deref().zip(drawing.as_deref());
    let files: Vec<_> = drawing.into_iter().chain(command.output.as_deref().map(|path| (path, &*result))).collect();
    write_texts(&files)?;
    drop(progress);
    match &command.output {
        Some(_) => print(solution.text(&graph)),
        None => {
            if !solution.is_proved() {
                let (cost, bound) = (solution.cost, solution.bound);
                eprintln!("note: the plan is the best one found: it costs {cost}, and none costs less than {bound}");
            }
            print(&result)
        }
    }
}

/// `frit plan --experiment`.
fn experiment(command: &Plan) -> Result<(), Error> {
    let bar = ProgressBar::new(command.graphs as u64);
    let style = "{bar:40} {pos} of {len} graphs, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("the template is well-formed"));
    let report = experiment::run(command.graphs, command.seed, &mut || bar.inc(1));
    bar.finish_and_clear();
    if command.json {
        let gain = |gain: &experiment::Gain| serde_json::json!({ "arrays": gain.arrays, "size": gain.size, "number": gain.number });
        let [all, free, removable] = &report.gains;
        let json = serde_json::json!({
            "graphs": report.graphs,
            "seed": command.seed,
            "proved": report.proved,
            "in_conflict": report.in_conflict,
            "conflicts": report.conflicts,
            "mean_s": report.time_per_graph().as_secs_f64(),
            "max_s": report.longest.as_secs_f64(),
            "of_all": gain(all),
            "of_those_without_preventing_edge": gain(free),
            "of_removable": gain(removable),
        });
        return print(format!("{json}\n"));
    }
    let mut gains = Table::new();
    gains.load_style(presets::UTF8_BORDERS_ONLY);
    gains.set_header(["of", "arrays per graph", "size removed", "arrays removed"]);
    for gain in &report.gains {
        let whole = match gain.whole {
            experiment::Whole::All => "all arrays",
            experiment::Whole::WithoutPreventingEdge => "arrays without a preventing edge of their own",
            experiment::Whole::Removable => "removable arrays",
        };
        let per_graph = gain.arrays as f64 / report.graphs.max(1) as f64;
        let percent = |part: f64| format!("{:.1} %", part * 100.0);
        gains.add_row([whole.to_string(), format!("{per_graph:.1}"), percent(gain.size), percent(gain.number)]);
    }
    gains.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    print(format!(
        "{} graphs of 10 to 30 loops, seed {}\n\
         best plan proved  {}\n\
         time per graph    {} on average, {} at most, on one core\n\
         conflicts         in {} graphs; {} were looked at\n\
         {gains}\n",
        report.graphs,
        command.seed,
        if report.proved == report.graphs { "for all".into() } else { format!("for {}", report.proved) },
        duration(report.time_per_graph()),
        duration(report.longest),
        report.in_conflict,
        report.conflicts,
    ))
}
