"""Figure 5: both problems up to 20,000 tasks, with few and many vehicles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Context, Entry, Experiment, Line, as_stated
from geopar.reproduce.pictures import by_size, curves
from geopar.reproduce.subjects import geopar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "density"
SIZES = (1000, 2000, 5000, 10_000, 20_000)
# One vehicle for so many tasks. The paper names the densest, N/10; the others are Table 1's.
TASKS_EACH = (50, 25, 10)


def lines(context: Context) -> list[Line]:
    """All sizes up to the largest of the scale."""
    return [
        Line(f"{kind}/{size}/{size // each}", f"GeoPAR, M = N/{each}", subject)
        for kind in ("hcvrp", "omdcpdp")
        for subject in [geopar(kind, context.weights)]
        for each in TASKS_EACH
        for size in SIZES
        if size <= context.scale.largest
    ]


def draw(figure: Figure, entries: list[Entry]) -> None:
    """Objective and time over the number of tasks, for each problem."""
    axes = figure.subplots(1, 4)
    for at, kind in enumerate(("hcvrp", "omdcpdp")):
        own = [(e.line.method, e) for e in entries if Setting.parse(e.line.set).kind == kind]
        for ax, measure in zip(axes[2 * at : 2 * at + 2], ("objective", "seconds"), strict=True):
            series = by_size(own, measure)
            curves(ax, series, f"{kind.upper()}: {measure}", logarithmic=True)


EXPERIMENT = Experiment(
    name=NAME,
    source="Figure 5",
    title="Problem families, sizes and densities of agents",
    measures=("objective", "steps", "seconds", "amortised"),
    lines=lines,
    draw=draw,
    published=lambda: as_stated(NAME),
)
