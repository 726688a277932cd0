"""Figure 6: how objective and steps of large instances change while a network is trained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from geopar.reproduce.experiment import Context, Entry, Experiment, Line, Values, as_stated
from geopar.reproduce.experiments import table_1
from geopar.reproduce.pictures import Series, curves
from geopar.reproduce.subjects import geopar, peer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "dynamics"
SET = "hcvrp/1000/20"
SNAPSHOTS = "snapshots"
# Half of a 95 % confidence interval, in standard errors.
CONFIDENCE = 1.96
INSTALLED, END = "{}, installed weights", "{} after 100 epochs"
BEGINNING = "{} after 10 epochs"
METHODS = ("GeoPAR", "PARCO")
SHOWN = ("objective", "steps")


def lines(context: Context) -> list[Line]:
    """Every snapshot of the runs that were named, the installed weights, and what is published."""
    found = [line for folder in context.runs for line in _snapshots(folder)]
    note = "however long they were trained, see their card; beside them the paper's last epoch"
    if not context.runs:
        note += "; no run was named (--run), so there is no curve"
    for method in METHODS:
        own = table_1.line_of(SET, method, context)
        found.append(Line(SET, INSTALLED.format(method), own.subject, own.note or note))
    quoted = "published only: ours are counted in updates"
    return found + [Line(SET, BEGINNING.format(method), None, quoted) for method in METHODS]


def published() -> dict[tuple[str, str], Values]:
    """The two ends of the paper's curves."""
    stated = {
        key: {measure: value for measure, value in values.items() if measure in SHOWN}
        for key, values in as_stated(NAME).items()
    }
    ends = {(SET, INSTALLED.format(m)): stated[SET, END.format(m)] for m in METHODS}
    return stated | ends


def _snapshots(folder: Path) -> list[Line]:
    """Lines of a run's snapshots, by the number of updates.

    Raises
    ------
    geopar.errors.InputError
        When there are none, or they are of another problem or network.
    """
    from geopar.errors import Faults
    from geopar.neural.cards import read_card

    paths = sorted((folder / SNAPSHOTS).glob("*.safetensors"))
    faults, found = Faults(), []
    if not paths:
        hint = "Train with --set snapshot_every=100."
        faults.add("no-weights", "run", str(folder), "holds no snapshots.", hint)
    for path in paths:
        card = read_card(path)
        if card.problem != "hcvrp" or card.learner not in ("geopar", "parco"):
            message = f"are of {card.learner} for {card.problem}, not of geopar or parco for hcvrp."
            faults.add("other-network", "run", str(path), message)
            continue
        updates = int(path.stem) if path.stem.isdigit() else 0
        if card.learner == "geopar":
            method, subject = "GeoPAR", geopar("hcvrp", str(path), patience=1.0)
        else:
            method, subject = "PARCO", peer("hcvrp", "parco", weights=path)
        found.append(Line(SET, f"{method} after {updates} updates", subject))
    faults.raise_if_any()
    return found


def draw(figure: Figure, entries: list[Entry]) -> None:
    """Means over the updates with 95 % bands; the paper's numbers are in the table."""
    axes = figure.subplots(1, 2)
    for ax, measure in zip(axes, ("objective", "steps"), strict=True):
        series: Series = {}
        for entry in entries:
            method, _, after = entry.line.method.partition(" after ")
            value, when = entry.values.get(measure), after.partition(" ")[0]
            if value is not None and after.endswith("updates"):
                error = entry.values.get("error", 0.0) if measure == "objective" else 0.0
                point = (float(when), value, CONFIDENCE * error)
                series.setdefault(method, []).append(point)
            elif value is not None:
                ax.axhline(value, ls=":", lw=1, color="#9a9a9a")
                ax.annotate(method, (0, value), fontsize=7)
        curves(ax, series, measure, logarithmic=False)


EXPERIMENT = Experiment(
    name=NAME,
    source="Figure 6",
    title="Objective and steps of 1000/20 while training goes on",
    measures=(*SHOWN, "seconds"),
    lines=lines,
    draw=draw,
    published=published,
)
