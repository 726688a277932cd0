"""Table 8: HAM on large instances of OMDCPDP."""

from __future__ import annotations

from geopar.reproduce.experiment import Context, Entry, Experiment, Line, as_printed, by_set
from geopar.reproduce.experiments import table_1
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.published import printed

NAME = "ham"


def lines(context: Context) -> list[Line]:
    """HAM, and GeoPAR, to whose objective its gap is."""
    return [
        table_1.line_of(one.set, method, context)
        for one in printed(NAME)
        for method in ("HAM", "GeoPAR")
    ]


def derive(entries: list[Entry]) -> list[Entry]:
    """The gap to GeoPAR, the best in the paper's settings."""
    best = by_set(entries, "GeoPAR", "objective")
    found = []
    for entry in entries:
        own, other = entry.values.get("objective"), best.get(entry.line.set)
        if entry.line.method == "HAM" and own and other:
            entry = entry.adding(gap_percent=100.0 * (own / other - 1.0))
        found.append(entry)
    return found


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 8",
    title="HAM at scale",
    measures=("objective", "gap_percent", "steps", "seconds"),
    lines=lines,
    draw=beside_published("objective", "objective"),
    published=lambda: as_printed(table_1.NAME) | as_printed(NAME),
    derive=derive,
)
