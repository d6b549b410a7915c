#!/usr/bin/env python3
"""The table of a run: times of tools as multiples of the first one's, the worst loss first, and how often it is ahead.

`report.py TIMES.json` makes it from the file that `run.py --json` wrote.
"""
import json
import pathlib
import statistics
import sys

NAMES = {"frit": "Frit", "numpy": "NumPy", "numba": "Numba", "jax": "JAX", "numexpr": "numexpr"}
# How much longer than NumPy's a time may be and still count as not slower.
NOISE = 1.03


def seconds(row, tool):
    return row.get(tool, {}).get("seconds")


def ratio(row, tool, base):
    """How many times as long as the base a tool takes; None where one of them has no time."""
    own, other = seconds(row, base), seconds(row, tool)
    return other / own if own and other else None


def cell(row, tool, base):
    if tool not in row:
        return ""
    if "why" in row[tool]:
        return "fails"
    value = ratio(row, tool, base)
    if value is None:
        return f"{seconds(row, tool) * 1e3:.3g} ms"
    return f"**{value:.2f}**" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def first(row, tool):
    return f"{row[tool]['first']:.2g}" if "first" in row.get(tool, {}) else ""


def table(figures):
    rows, (base, *others) = figures["programs"], figures["tools"]
    compiled = [tool for tool in (base, *others) if tool not in ("numpy", "numexpr")]

    def worst(name):
        return min((value for tool in others if (value := ratio(rows[name], tool, base))), default=0.0)

    heads = ["program", f"{NAMES[base]}, ms", *(NAMES[tool] for tool in others), *(f"first call of {NAMES[tool]}, s" for tool in compiled)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in sorted(rows, key=worst):
        row = rows[name]
        own = "fails" if "why" in row.get(base, {}) else f"{seconds(row, base) * 1e3:.3g}" if seconds(row, base) else ""
        cells = [name, own, *(cell(row, tool, base) for tool in others), *(first(row, tool) for tool in compiled)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def summary(figures):
    """On how many programs the first tool is ahead of each of the others."""
    rows, (base, *others) = figures["programs"], figures["tools"]
    lines = []
    for tool in others:
        ratios = [value for row in rows.values() if (value := ratio(row, tool, base))]
        if not ratios:
            continue
        if tool == "numpy":
            how, won = f"at least as fast as NumPy (within {NOISE - 1:.0%})", sum(value * NOISE >= 1 for value in ratios)
        else:
            how, won = f"ahead of {NAMES[tool]}", sum(value > 1 for value in ratios)
        mean = statistics.geometric_mean(ratios)
        lines.append(f"- {NAMES[base]} is {how} on {won} of {len(ratios)} programs that both run ({won / len(ratios):.0%}); "
                     f"{NAMES[tool]} takes {mean:.2f} times as long (geometric mean).")
    return lines


def failures(figures):
    return [f"- {name}, {NAMES[tool]}: {row[tool]['why']}" for name, row in figures["programs"].items() for tool in row if "why" in row[tool]]


def report(figures):
    base = NAMES[figures["tools"][0]]
    number = figures["threads"]
    intro = f"Times on {number} {'thread' if number == 1 else 'threads'}; those of other tools as multiples of {base}'s, below 1 where {base} is slower."
    parts = [[intro], table(figures), summary(figures), failures(figures)]
    return "\n\n".join("\n".join(part) for part in parts if part)


if __name__ == "__main__":
    print(report(json.loads(pathlib.Path(sys.argv[1]).read_text())))
