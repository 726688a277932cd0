"""Table 7: greedy decoding against conflict-aware assignment in every step."""

from __future__ import annotations

from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context, Experiment, Line, as_printed, in_printed_order
from geopar.reproduce.pictures import beside_published
from geopar.reproduce.published import printed
from geopar.reproduce.subjects import geopar

NAME = "decoding"


def lines(context: Context) -> list[Line]:
    """Both ways for both problems."""
    found = []
    for one in printed(NAME):
        kind = Setting.parse(one.set).kind
        subject = geopar(kind, context.weights)
        if one.method != "Greedy":
            subject = geopar(kind, context.weights, "ca-always", "paper", patience=1.0)
        found.append(Line(one.set, one.method, subject))
    return in_printed_order(NAME, found)


EXPERIMENT = Experiment(
    name=NAME,
    source="Table 7",
    title="Greedy decoding and full conflict-aware assignment",
    measures=("objective", "steps", "seconds", "amortised"),
    lines=lines,
    draw=beside_published("steps", "steps"),
    published=lambda: as_printed(NAME),
)
