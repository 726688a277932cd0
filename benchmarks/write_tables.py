"""Writes the tables of README and documentation from the CSV files under ``benchmarks/results``.

    python benchmarks/write_tables.py            # writes them anew
    python benchmarks/write_tables.py --check    # only says which pages would change

A table stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->``. Numbers are copied as
they stand in the files, but for ratios, which are worked out here.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean

import reproduced_tables
from provenance import RESULTS, Cell, read
from provenance import published as quoted

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
REGION = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
NOTHING = "–"
# Published methods by the names that their solvers have here.
METHODS = {
    "geopar": "GeoPAR", "parco": "PARCO", "am": "AM", "2d-ptr": "2D-Ptr", "dpn": "DPN",
    "ham": "HAM", "mapdp": "MAPDP", "sisr": "SISRs", "ga": "GA", "sa": "SA",
    "ortools-span": "OR-Tools",
}  # fmt: skip
# Step counts of these are left out beside published ones: a step of theirs is something else.
OTHER_STEPS = {("omdcpdp", "pointer")}
SMALL_TASKS = 100

Rows = list[list[str]]


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| --- ", "|---")


def load(name: str) -> list[Cell]:
    """The lines of one of the files."""
    return read(RESULTS / f"{name}.csv")


def kind_of(name: str) -> str:
    return name.partition("/")[0]


def size_of(name: str) -> str:
    return name.partition("/")[2]


def tasks_of(name: str) -> int:
    return int(name.split("/")[1])


def sets_of(kind: str, *, small: bool) -> list[str]:
    """Those of the paper's Table 1."""
    names = dict.fromkeys(line["set"] for line in quoted())
    return [n for n in names if kind_of(n) == kind and (tasks_of(n) <= SMALL_TASKS) == small]


def published(name: str, method: str) -> Cell:
    """What the paper prints for a set and a method; empty where it prints nothing."""
    lines = quoted()
    return next((x for x in lines if (x["set"], x["method"]) == (name, method)), {})


def best_published(name: str) -> Cell:
    """Of all methods but the paper's own."""
    others = [x for x in quoted() if x["set"] == name and x["method"] != "GeoPAR"]
    return min(others, key=lambda x: float(x["objective"]))


def over_bound(name: str, objective: str) -> str:
    """An objective over the mean lower bound of its set."""
    (bound,) = [float(x["bound"]) for x in load("bounds") if x["set"] == name]
    return f"{float(objective) / bound:.3f}"


def is_ratio(name: str) -> bool:
    """Whether objective over bound is what is told: for large HCVRP sets."""
    return kind_of(name) == "hcvrp" and tasks_of(name) > SMALL_TASKS


def told(name: str, line: Cell) -> str:
    """What is told of a line of ours: a ratio or the objective, with its standard error."""
    if is_ratio(name):
        return line.get("bound_ratio") or NOTHING
    error = f" ± {line['error']}" if line.get("error") else ""
    return f"{line['objective']}{error}" if line.get("objective") else NOTHING


def searched(name: str, seconds: str) -> Cell:
    """What the search reaches on a set."""
    lines = load("search")
    return next((x for x in lines if (x["set"], x["seconds"]) == (name, seconds)), {})


def passed(name: str, weights: str) -> Cell:
    """One pass by some weights on as many instances of a set as were tried."""
    lines = [x for x in load("one-pass") if (x["set"], x["weights"]) == (name, weights)]
    return max(lines, key=lambda x: int(x["instances"]), default={})


def reach() -> str:
    """What search and pointer reach, against what is published."""
    names = ("hcvrp/60/3", "hcvrp/100/7", "hcvrp/1000/20", "hcvrp/5000/400")
    names += ("omdcpdp/50/5", "omdcpdp/100/10", "omdcpdp/1000/20", "omdcpdp/4000/80")
    rows = []
    for name in names:
        best, paper = best_published(name), published(name, "GeoPAR")
        unit = "makespan / bound" if is_ratio(name) else "makespan"
        unit = "sum of arrivals" if kind_of(name) == "omdcpdp" else unit
        quoted = [
            over_bound(name, x["objective"]) if is_ratio(name) else x["objective"]
            for x in (best, paper)
        ]
        rows.append([
            f"{kind_of(name).upper()} {size_of(name)}, {unit}",
            f"{quoted[0]} ({best['method']}, {best['seconds']} s)",
            f"{quoted[1]} ({paper['seconds']} s)",
            told(name, searched(name, "1")),
            told(name, passed(name, "pointer")),
        ])  # fmt: skip
    head = ("", "best other system, published", "GeoPAR, published", "`refine`, 1 s", "`pointer`")
    return markdown(head, rows)


def comparison(kind: str, *, small: bool) -> str:
    """All published methods and ours, set by set."""
    names = sets_of(kind, small=small)
    rows: Rows = []
    for method in dict.fromkeys(x["method"] for x in quoted()):
        cells = []
        for name in names:
            line = published(name, method)
            value = line.get("objective", "")
            if value:
                shown = over_bound(name, value) if is_ratio(name) else value
                value = f"{shown} ({line['seconds']} s)"
            cells.append(value or NOTHING)
        if any(cell != NOTHING for cell in cells):
            rows.append([f"{method}, published", *cells])
    for label, line_of in (
        ("`refine`, 1 s", lambda name: searched(name, "1")),
        ("`refine`, 10 s", lambda name: searched(name, "10")),
        ("`pointer`", lambda name: passed(name, "pointer")),
        ("`pointer`, small weights", lambda name: passed(name, "pointer-small")),
        ("`geopar`, ours so far", lambda name: passed(name, "geopar")),
    ):
        lines = [line_of(name) for name in names]
        if any(lines):
            rows.append([label, *(told(n, x) for n, x in zip(names, lines, strict=True))])
            rows.append(["… instances", *(x.get("instances", NOTHING) for x in lines)])
    return markdown(["", *map(size_of, names)], rows)


def steps() -> str:
    """Parallel steps of HCVRP constructions."""
    names = sets_of("hcvrp", small=True) + sets_of("hcvrp", small=False)
    rows: Rows = []
    for method in ("AM", "2D-Ptr", "PARCO", "GeoPAR"):
        cells = [published(name, method).get("steps", NOTHING) for name in names]
        rows.append([f"{method}, published", *cells])
    counted = {(x["set"], x["weights"]): x["steps"] for x in load("one-pass") if x["steps"]}
    for weights, label in (
        ("pointer", "`pointer`"),
        ("pointer-small", "`pointer`, small weights"),
        ("geopar", "`geopar`, ours so far"),
    ):
        rows.append([label, *(counted.get((name, weights), NOTHING) for name in names)])
    return markdown(["", *map(size_of, names)], rows)


def everybody(kind: str, measure: str, *, small: bool) -> str:
    """One measure of every solver, in brackets what is published."""
    names = sets_of(kind, small=small)
    lines = {(x["set"], x["solver"]): x for x in load("every-solver")}
    rows: Rows = []
    for solver in dict.fromkeys(solver for _, solver in lines):
        cells = []
        for name in names:
            own = lines.get((name, solver), {}).get(measure, "")
            quoted = published(name, METHODS.get(solver, "")).get(measure, "")
            if measure == "steps" and (kind, solver) in OTHER_STEPS:
                own = ""
            cells.append((own or NOTHING) + (f" ({quoted})" if own and quoted else ""))
        if any(cell != NOTHING for cell in cells):
            rows.append([f"`{solver}`", *cells])
    return markdown([measure.replace("bound_ratio", "over bound"), *map(size_of, names)], rows)


def by_time(file: str) -> str:
    """What solvers have after so many seconds."""
    lines = load(file)
    limits = sorted({x["seconds"] for x in lines}, key=float)
    found = {(x["set"], x["solver"], x["seconds"]): x["value"] for x in lines}
    rows: Rows = []
    shown = ""
    for name, solver in dict.fromkeys((x["set"], x["solver"]) for x in lines):
        values = [found.get((name, solver, limit), "") for limit in limits]
        rows.append(["" if name == shown else name, f"`{solver}`", *values])
        shown = name
    return markdown(["set", "solver", *(f"{limit} s" for limit in limits)], rows)


def equal_budget(kind: str) -> str:
    """What an hour of training is worth, in brackets what is published."""
    lines = [x for x in load("equal-budget") if kind_of(x["set"]) == kind]
    names = list(dict.fromkeys(x["set"] for x in lines))
    rows = []
    for solver in dict.fromkeys(x["solver"] for x in lines):
        own = {x["set"]: x for x in lines if x["solver"] == solver}
        any_one = next(iter(own.values()))
        cells = []
        for name in names:
            quoted = published(name, METHODS.get(solver, "")).get("objective", "")
            cells.append(own[name]["objective"] + (f" ({quoted})" if quoted else ""))
        rows.append([f"`{solver}`", any_one["minutes"], any_one["updates"], *cells])
    return markdown(["", "minutes", "updates", *map(size_of, names)], rows)


def examples() -> str:
    """What the bundled examples cost."""
    lines = load("examples")
    rows = []
    for file in dict.fromkeys(x["file"] for x in lines):
        own = [x for x in lines if x["file"] == file]
        search = sorted(float(x["objective"]) for x in own if x["solver"] == "refine")
        rule = next(x["objective"] for x in own if x["solver"] == "dispatch")
        mean = sum(search) / len(search)
        cells = (f"{search[0]:.5g}", f"{mean:.5g}", f"{search[-1]:.5g}", f"{float(rule):.5g}")
        rows.append([f"`{file}`", *cells])
    head = ("problem", "`refine`: best of ten seeds", "mean", "worst", "`dispatch`")
    return markdown(head, rows)


def windows() -> str:
    """How many true neighbours the projection windows hold."""
    lines = load("windows-recall")
    return markdown(
        ["tasks", *(f"{int(x['tasks']):,}" for x in lines)],
        [["the nearest one", *(x["nearest"] for x in lines)],
         ["of the eight nearest", *(x["eight_nearest"] for x in lines)]],
    )  # fmt: skip


def threads() -> str:
    """What a second core is worth."""
    columns = ("two_shorter", "two", "twice_as_long")
    rows = [
        [
            x["set"],
            *(f"{float(x[name]):+.2f} ± {float(x[name + '_error']):.2f}" for name in columns),
        ]
        for x in load("threads")
    ]
    head = ["change in %", "two threads, 1.7 times shorter", "two threads", "one, twice as long"]
    return markdown(head, rows)


def spread() -> str:
    """What spreading many small solves costs."""
    lines = [x for x in load("spread") if x["what"] == "speed"]
    usual = {x["count"]: float(x["clock"]) for x in lines if x["kind"].startswith("processes")}
    rows = [
        [
            x["kind"], f"{int(x['count']):,}", x["clock"],
            f"{float(x['clock']) / usual[x['count']]:.2f}",
            x["processors"], x["tasks"], x["idle"],
        ]
        for x in lines
    ]  # fmt: skip
    head = ["", "solves", "by the clock", "ratio", "all processes", "in tasks", "as when idle"]
    return markdown(head, rows)


def growth() -> str:
    """How many problems a second so many cores can do, by what was measured on one machine."""
    line = next(x for x in load("spread") if x["kind"].startswith("processes"))
    count = int(line["count"])
    each = float(line["tasks"]) / count
    serial = (float(line["processors"]) - float(line["tasks"])) / count
    most = 1.0 / serial
    spans = (each, 1.0, 10.0)
    rows = [
        [f"{cores:,}"]
        + [f"{min(cores / span, most):.3g} ({min(1.0, most * span / cores):.0%})" for span in spans]
        for cores in (2, 16, 64, 256, 1000)
    ]
    rows.append(["cores kept busy", *(f"{most * span:,.0f}" for span in spans)])
    return markdown(["cores", *(f"{span:.2g} s a task" for span in spans)], rows)


def parts() -> str:
    """One very large problem by one process and by several."""
    rows = [
        [
            x["set"], "one process" if x["way"] == "one" else f"{x['workers']} workers",
            f"{x['seconds']} s", f"{float(x['objective']):.6g}", f"{int(x['iterations']):,}",
        ]
        for x in sorted(load("parts"), key=lambda x: (x["set"], x["way"], float(x["seconds"])))
    ]  # fmt: skip
    return markdown(["", "", "limit", "objective", "iterations"], rows)


def days() -> str:
    """Distances of multi-trip plans with windows, over the best known, by file and solver."""
    lines = load("windows")
    rows = []
    for file in dict.fromkeys(x["file"] for x in lines):
        own = [x for x in lines if x["file"] == file]
        cells = []
        for solver in ("refine", "PyVRP 0.14.1"):
            above = [float(x["above"]) for x in own if x["solver"] == solver]
            mean, spread = sum(above) / len(above), f"{min(above):+.1f} to {max(above):+.1f}"
            cells.append(f"{mean:+.2f} % ({spread})" if len(above) > 1 else f"{mean:+.2f} %")
        seeds = len({x["seed"] for x in own})
        rate = max(int(x["iterations_a_second"]) for x in own if x["solver"] == "refine")
        rows.append([file, own[0]["stops"], own[0]["seconds"], str(seeds), *cells, f"{rate:,}"])
    head = (
        "file",
        "stops",
        "seconds",
        "seeds",
        "`refine`",
        "PyVRP 0.14.1",
        "our iterations a second",
    )
    return markdown(head, rows)


def makespan_windows() -> str:
    """When the last is home, ours and PyVRP's, in seconds of the day."""
    lines = load("makespan-windows")
    rows = [
        [x["stops"], x["vans"], x["seed"], x["refine"], x["pyvrp"], f"{x['below']} %"]
        for x in lines
    ]
    return markdown(("stops", "vans", "seed", "`refine`", "PyVRP 0.14.1", "below by"), rows)


def over_best(lines: list[Cell]) -> dict[tuple[str, str, float, str], list[float]]:
    """By problems, solver, seconds and seed: objectives over the best that anybody found."""
    best: dict[tuple[str, str], float] = {}
    for x in lines:
        if x["objective"]:
            key = x["problems"], x["number"]
            best[key] = min(float(x["objective"]), best.get(key, math.inf))
    ratios: dict[tuple[str, str, float, str], list[float]] = {}
    for x in lines:
        ratio = float(x["objective"] or "inf") / best[x["problems"], x["number"]]
        found = ratios.setdefault((x["problems"], x["solver"], float(x["seconds"]), x["seed"]), [])
        found.append(ratio)
    return ratios


def open_solvers() -> str:
    """By problems and solver: the last return over the best found, the mean and the worst seed."""
    ratios = over_best(load("open-solvers"))
    limits = sorted({seconds for _, _, seconds, _ in ratios})
    rows = []
    for problems, solver in dict.fromkeys(key[:2] for key in ratios):
        cells = []
        for limit in limits:
            means = [fmean(x) for key, x in ratios.items() if key[:3] == (problems, solver, limit)]
            told = f"{fmean(means):.3f} ({max(means):.3f})" if means else NOTHING
            cells.append("no plan" if "inf" in told else told)
        rows.append([problems, f"`{solver}`" if solver == "refine" else solver, *cells])
    return markdown(("problems", "system", *(f"{x:g} s" for x in limits)), rows)


def ordinary_day() -> str:
    """The last return of days planned with and without service times, in hours."""
    names = ("day", "told", "happens", "knowing", "earlier", "off_by")
    head = ("day", "told", "what happens", "planned with service", "earlier by", "schedule off by")
    return markdown(head, [[x[name] for name in names] for x in load("ordinary-day")])


def ortools() -> str:
    """OR-Tools against our search."""
    names = ("set", "solver", "seconds", "objective")
    return markdown(names, [[x[name] for name in names] for x in load("ortools")])


def gaps() -> str:
    """How far the search is above the best possible, at most."""
    head = [
        "", "instances", "above the quick bound", "above the best, at most", "the worst of them",
        "seconds of the bound",
    ]  # fmt: skip
    rows = [
        [
            x["set"],
            x["instances"],
            *(f"{x[name]} %" for name in ("quick", "above", "worst")),
            x["taken"],
        ]
        for x in load("gaps")
    ]
    return markdown(head, rows)


def tables() -> dict[str, Callable[[], str]]:
    """Every table by its name."""
    found: dict[str, Callable[[], str]] = {
        "reach": reach, "steps": steps, "examples": examples, "windows": windows,
        "threads": threads, "ortools": ortools, "days": days, "ordinary-day": ordinary_day,
        "makespan-windows": makespan_windows, "spread": spread, "growth": growth, "parts": parts,
        "open-solvers": open_solvers, "gaps": gaps,
        "anytime": lambda: by_time("anytime"), "hybrid": lambda: by_time("hybrid"),
    }  # fmt: skip
    for kind in ("hcvrp", "omdcpdp"):
        found[f"equal-budget-{kind}"] = lambda kind=kind: equal_budget(kind)
        for size in ("small", "large"):
            found[f"{kind}-{size}"] = lambda kind=kind, size=size: comparison(
                kind, small=size == "small"
            )
            for measure in ("objective", "bound_ratio", "steps", "seconds"):
                found[f"everybody-{kind}-{size}-{measure}"] = (
                    lambda kind=kind, size=size, measure=measure: everybody(
                        kind, measure, small=size == "small"
                    )
                )
    return found | reproduced_tables.tables(markdown)


def renewed(text: str) -> str:
    """A page with its tables written anew."""
    known = tables()
    return REGION.sub(lambda found: found[1] + known[found[2]]() + found[3], text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if one would")
    options = parser.parse_args()
    stale = [page for page in PAGES if renewed(page.read_text()) != page.read_text()]
    for page in stale:
        print(page.relative_to(ROOT))
        if not options.check:
            page.write_text(renewed(page.read_text()))
    sys.exit(1 if options.check and stale else 0)


if __name__ == "__main__":
    main()
