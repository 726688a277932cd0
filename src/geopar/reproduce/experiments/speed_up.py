"""Figure 2: how much faster GeoPAR is than PARCO and 2D-Ptr on large instances of HCVRP."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from geopar.problems.setting import Setting
from geopar.reproduce.experiment import (
    Context,
    Entry,
    Experiment,
    Line,
    Values,
    as_printed,
    by_set,
)
from geopar.reproduce.experiments import table_1
from geopar.reproduce.pictures import Series, curves, tasks
from geopar.reproduce.published import statements

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "speed-up"
OTHERS = ("PARCO", "2D-Ptr")
LEAST_TASKS = 1000


def sets() -> list[str]:
    """The large settings of HCVRP."""
    names = dict.fromkeys(name for name, _ in as_printed(table_1.NAME))
    found = [(name, Setting.parse(name)) for name in names]
    return [n for n, s in found if s.kind == "hcvrp" and s.num_tasks >= LEAST_TASKS]


def lines(context: Context) -> list[Line]:
    """The same measurements as Table 1's."""
    return [table_1.line_of(n, m, context) for n in sets() for m in ("GeoPAR", *OTHERS)]


def published() -> dict[tuple[str, str], Values]:
    """Times of Table 1 and what follows from them."""
    printed = as_printed(table_1.NAME)
    found = {}
    for name in sets():
        own = printed[name, "GeoPAR"]["seconds"]
        for method in ("GeoPAR", *OTHERS):
            seconds = printed[name, method]["seconds"]
            found[name, method] = {"seconds": seconds}
            if method in OTHERS:
                found[name, method]["speed_up"] = seconds / own
    return found


def derive(entries: list[Entry]) -> list[Entry]:
    """Times of the others over GeoPAR's on the same set."""
    own = by_set(entries, "GeoPAR", "seconds")
    found = []
    for entry in entries:
        seconds, ours = entry.values.get("seconds"), own.get(entry.line.set)
        if entry.line.method in OTHERS and seconds and ours:
            entry = entry.adding(speed_up=seconds / ours)
        found.append(entry)
    return found


def summary(entries: list[Entry]) -> list[str]:
    """The means, and what the paper's own table gives."""
    said = []
    stated = {one.method: one.value for one in statements(NAME)}
    for method in OTHERS:
        own = [e for e in entries if e.line.method == method]
        ours = [e.values["speed_up"] for e in own if "speed_up" in e.values]
        table = mean(e.published["speed_up"] for e in own)
        measured = f"{mean(ours):.1f} here, over {len(ours)} settings" if ours else "not measured"
        said.append(
            f"GeoPAR against {method}, mean speed-up: {measured}; {stated[method]:g} in the paper's"
            f" figure, {table:.1f} by the times of its own Table 1."
        )
    return said


def draw(figure: Figure, entries: list[Entry]) -> None:
    """Speed-ups by size, ours and those of Table 1."""
    left, right = figure.subplots(1, 2)
    for ax, label, parts in (
        (left, "ours, times", "values"),
        (right, "published, times", "published"),
    ):
        series: Series = {}
        for entry in entries:
            value = getattr(entry, parts).get("speed_up")
            if value:
                each = tasks(entry) / Setting.parse(entry.line.set).num_vehicles
                name = f"{entry.line.method}, M = N/{each:g}"
                series.setdefault(name, []).append((tasks(entry), value, 0.0))
        curves(ax, series, f"{label} faster than the other", logarithmic=True)


EXPERIMENT = Experiment(
    name=NAME,
    source="Figure 2",
    title="Speed-up of GeoPAR over PARCO and 2D-Ptr",
    measures=("seconds", "speed_up"),
    lines=lines,
    draw=draw,
    published=published,
    derive=derive,
    summary=summary,
)
