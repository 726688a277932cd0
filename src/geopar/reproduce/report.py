"""An experiment's results as files: CSV, Markdown and LaTeX, ours beside what is published."""

from __future__ import annotations

from dataclasses import dataclass

from geopar.files import text_tables
from geopar.reproduce.experiment import Entry, Experiment
from geopar.reproduce.measuring import set_bound
from geopar.reproduce.published import statements
from geopar.result import number

NOTHING = "–"
# Headings; the paper's times are a GPU's, ours a CPU's.
HEADS = {
    "objective": "objective",
    "steps": "steps",
    "seconds": "seconds, batch 1",
    "amortised": "seconds, amortised",
    "utilisation": "utilisation",
    "slots": "slots",
    "recall": "recall",
    "build_seconds": "seconds to build",
    "speed_up": "GeoPAR faster by",
    "gap_percent": "gap in %",
}
# What a ratio of ours to the published number says something about.
NO_RATIO = ("slots", "gap_percent")


def ratio(entry: Entry, measure: str) -> float | None:
    """Ours over the published value.

    Objectives of HCVRP are over the mean lower bound of the instances that they were measured on
    first, the published one over that of the whole set: a few instances differ from the set mostly
    by where their depots are.
    """
    own, quoted = entry.values.get(measure), entry.published.get(measure)
    if own is None or not quoted or measure in NO_RATIO:
        return None
    if measure == "objective" and "bound" in entry.values:
        whole = set_bound(entry.line.set)
        if whole:
            return own / entry.values["bound"] / (quoted / whole)
    return own / quoted


@dataclass(frozen=True)
class Table:
    """Text cells under their heads, and what is said below them."""

    heads: list[str]
    rows: list[list[str]]
    remarks: list[str]


def table(experiment: Experiment, entries: list[Entry]) -> Table:
    """What people read: numbers rounded, notes by number below."""
    columns = _columns(experiment, entries)
    notes = list(dict.fromkeys(note for entry in entries for note in entry.notes))
    rows = []
    for entry in entries:
        cells = [_shown(_value(entry, column)) for column in columns]
        marks = ", ".join(str(notes.index(note) + 1) for note in entry.notes)
        instances = entry.values.get("instances")
        count = NOTHING if instances is None else str(int(instances))
        rows.append([entry.line.set, entry.line.method, count, *cells, marks])
    heads = ["set", "method", "instances", *(_head(column) for column in columns), "notes"]
    remarks = [f"{at}. {note}" for at, note in enumerate(notes, 1)]
    return Table(heads, rows, remarks)


def markdown(experiment: Experiment, entries: list[Entry], how: str) -> str:
    """A page: title, table, notes, and what the paper says in words."""
    made = table(experiment, entries)
    lines = [f"# {experiment.title}", "", f"The paper's {experiment.source}. {how}", ""]
    lines.append(text_tables.markdown(made.heads, made.rows).rstrip())
    if made.remarks:
        lines += ["", "Notes:", "", *made.remarks]
    if summary := experiment.summary(entries):
        lines += ["", *(f"- {sentence}" for sentence in summary)]
    said = [s for s in statements(experiment.name) if s.words]
    if said:
        lines += ["", "In the paper's words:", ""]
        for one in said:
            value = "" if one.value is None else f"{one.value:g}: "
            lines.append(f"- {one.source}, {one.method or one.set}: {value}{one.words}.")
    return "\n".join(lines) + "\n"


def latex(experiment: Experiment, entries: list[Entry]) -> str:
    """A long table; needs the packages booktabs and longtable."""
    made = table(experiment, entries)
    title = f"% {experiment.title}: {experiment.source} of the paper and ours\n"
    below = [f"\\noindent {text_tables.escaped(remark)}\\par\n" for remark in made.remarks]
    return title + text_tables.latex(made.heads, made.rows, left=2) + "".join(below)


def comma_separated(experiment: Experiment, entries: list[Entry]) -> str:
    """Everything, unrounded."""
    columns, rows = _columns(experiment, entries), []
    names = [f"{measure}{'' if part == 'ours' else '_' + part}" for measure, part in columns]
    for entry in entries:
        subject = entry.line.subject
        values = [_value(entry, column) for column in columns]
        instances = entry.values.get("instances")
        rows.append([
            experiment.source, entry.line.set, entry.line.method,
            "" if subject is None else subject.key, "" if subject is None else subject.weights,
            "" if instances is None else f"{instances:g}",
            *("" if value is None else f"{value:.6g}" for value in values),
            "; ".join(entry.notes),
        ])  # fmt: skip
    heads = ["source", "set", "method", "measured", "weights", "instances", *names, "note"]
    return text_tables.comma_separated(heads, rows)


Column = tuple[str, str]


def _columns(experiment: Experiment, entries: list[Entry]) -> list[Column]:
    """Of each measure ours, and where there is one the published value and the ratio."""
    found: list[Column] = []
    for measure in experiment.measures:
        for part in ("ours", "published", "ratio"):
            column = (measure, part)
            if part == "ours" or any(_value(entry, column) is not None for entry in entries):
                found.append(column)
    return found


def _value(entry: Entry, column: Column) -> float | None:
    measure, part = column
    if part == "ratio":
        return ratio(entry, measure)
    return (entry.values if part == "ours" else entry.published).get(measure)


def _head(column: Column) -> str:
    measure, part = column
    return HEADS.get(measure, measure) if part == "ours" else part


def _shown(value: float | None) -> str:
    return NOTHING if value is None else number(value, 4)
