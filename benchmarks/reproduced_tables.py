"""Tables of *The paper, reproduced*, from ``benchmarks/results/paper.csv``: ours (published)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from geopar.reproduce.measuring import set_bound
from provenance import PUBLISHED, RESULTS, Cell, read

NOTHING = "–"
SMALL_TASKS = 100
# Marks a line for which no network was trained: a switch at decoding stands for it.
AT_DECODING = "*"
GROUPS = ("hcvrp-small", "hcvrp-large", "omdcpdp-small", "omdcpdp-large")

Markdown = Callable[[list[str], list[list[str]]], str]


def lines_of(experiment: str) -> list[Cell]:
    """What was measured for an experiment."""
    return [line for line in read(RESULTS / "paper.csv") if line["experiment"] == experiment]


def group_of(name: str) -> str:
    """Problem and size."""
    kind, tasks, _ = name.split("/")
    return f"{kind}-{'small' if int(tasks) <= SMALL_TASKS else 'large'}"


def shown(text: str) -> str:
    """A number for people."""
    if not text:
        return NOTHING
    value = float(text)
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.2g}" if abs(value) < 0.1 else f"{value:.3g}" if value < 1 else f"{value:.4g}"


def cell(line: Cell, measure: str) -> str:
    """Ours, in brackets what is published; objectives of HCVRP over the mean lower bound.

    Of few instances an objective says mostly where their depots are.
    """
    own, quoted = line.get(measure, ""), line.get(f"{measure}_published", "")
    if measure == "objective" and line["set"].startswith("hcvrp"):
        own, quoted = over_bound(line)
    return shown(own) + (f" ({shown(quoted)})" if quoted and is_in_paper(line) else "")


def over_bound(line: Cell) -> tuple[str, str]:
    """Ours over the bound of its instances, the published objective over that of the whole set."""
    bound, quoted = set_bound(line["set"]), line["objective_published"]
    if not quoted or bound is None:
        return "", ""
    published = float(quoted) / float(f"{bound:.5g}")  # as it stands in bounds.csv
    ratio = line["objective_ratio"]
    return f"{float(ratio) * published:.6g}" if ratio else "", f"{published:.6g}"


def is_in_paper(line: Cell) -> bool:
    """Whether the paper has such a line; it tells the ends of its training curves in words."""
    return line["experiment"] == "dynamics" or line["method"] in _methods()


@cache
def _methods() -> frozenset[str]:
    return frozenset(line["method"] for line in read(PUBLISHED))


def head(measure: str, kinds: set[str]) -> str:
    """What stands above the cells of a measure."""
    return "objective / bound" if (measure, kinds) == ("objective", {"hcvrp"}) else measure


def label(line: Cell) -> str:
    """The method, marked where it was not trained so."""
    return line["method"] + (AT_DECODING if "at decoding only" in line["note"] else "")


def wide(
    experiment: str, measure: str, markdown: Markdown, group: str = "", ending: str = ""
) -> str:
    """Methods by sets; of a group of sets, or of methods whose names end so."""
    lines = [x for x in lines_of(experiment) if not group or group_of(x["set"]) == group]
    lines = [line for line in lines if line["method"].endswith(ending)]
    sets = list(dict.fromkeys(line["set"] for line in lines))
    cells = {(label(line), line["set"]): cell(line, measure) for line in lines}
    kinds = {name.partition("/")[0] for name in sets}
    heads = [n if len(kinds) > 1 else n.partition("/")[2] for n in sets]
    rows = [
        [one, *(cells.get((one, name), NOTHING) for name in sets)]
        for one in dict.fromkeys(label(line) for line in lines)
    ]
    rows = [row for row in rows if any(text.strip("– ()") for text in row[1:])]
    return markdown([head(measure, kinds).replace("_", " "), *heads], rows)


def long(experiment: str, measures: tuple[str, ...], markdown: Markdown) -> str:
    """Methods by measures, for experiments on one set."""
    lines = lines_of(experiment)
    kinds = {line["set"].partition("/")[0] for line in lines}
    rows = [[label(line), *(cell(line, measure) for measure in measures)] for line in lines]
    return markdown(["", *(head(measure, kinds) for measure in measures)], rows)


def density(markdown: Markdown) -> str:
    """Sizes by densities: objective and seconds."""
    found: dict[tuple[str, str], str] = {}
    for line in lines_of("density"):
        kind, tasks, _ = line["set"].split("/")
        text = NOTHING
        if line["objective"]:
            text = f"{shown(line['objective'])} in {shown(line['seconds'])} s"
        found[f"{kind.upper()}, {tasks}", line["method"].removeprefix("GeoPAR, ")] = text
    rows, heads = (list(dict.fromkeys(key[i] for key in found)) for i in (0, 1))
    cells = [[row, *(found.get((row, head), NOTHING) for head in heads)] for row in rows]
    return markdown(["objective and seconds", *heads], cells)


def tables(markdown: Markdown) -> dict[str, Callable[[], str]]:
    """Every table of the page by its name."""
    found: dict[str, Callable[[], str]] = {
        f"paper-table-1-{group}": partial(wide, "table-1", "objective", markdown, group)
        for group in GROUPS
    }
    for experiment, measure in (
        ("table-1", "steps"), ("speed-up", "speed_up"), ("recall", "recall"),
        ("directions", "objective"), ("directions", "steps"), ("ablation", "objective"),
        ("ablation", "steps"), ("assignment", "objective"), ("assignment", "utilisation"),
        ("decoding", "objective"), ("decoding", "steps"), ("ham", "objective"), ("ham", "steps"),
    ):  # fmt: skip
        group = "omdcpdp-large" if experiment == "table-1" else ""
        name = f"paper-{experiment}-{measure}"
        found[name] = partial(wide, experiment, measure, markdown, group)
    found["paper-table-1-steps-hcvrp"] = partial(wide, "table-1", "steps", markdown, "hcvrp-large")
    found["paper-recall-build_seconds"] = partial(
        wide, "recall", "build_seconds", markdown, ending="our search"
    )
    found["paper-density"] = partial(density, markdown)
    found["paper-dynamics"] = partial(long, "dynamics", ("objective", "steps"), markdown)
    return found
