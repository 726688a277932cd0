"""The schedule: who is busy until when."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from numpy.typing import NDArray

from geopar.check import Report
from geopar.plan import Indices, Plan
from geopar.plotting.routes import known_routes, report_without_claim
from geopar.plotting.style import (
    INK,
    PAPER,
    QUIET,
    SHADES,
    Colour,
    axes_or_new,
    fade,
    label,
    lighter,
    palette,
    plain,
    title,
)
from geopar.problems import HCVRP, OMDCPDP, Problem

Floats = NDArray[np.float64]

MOST_NAMED = 40
MOST_TASKS_TICKED = 400
BAR = 0.36


@dataclass
class _Bars:
    """Pieces of bars, and the moments marked on them."""

    pieces: list[tuple[int, float, float, Colour]] = field(default_factory=list)
    visits: list[tuple[int, float]] = field(default_factory=list)


def plot_schedule(problem: Problem, plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw one bar for each vehicle, from the start until it is done.

    A line marks the end. HCVRP: one piece for each trip, a tick for each customer. OMDCPDP: the
    darker the more is on board, with a dot at each delivery. Large fleets are sorted by when they
    are done.

    Parameters
    ----------
    problem
        What was planned.
    plan
        Its plan.
    ax
        Where; new axes on a figure of their own when left out.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; ``ax.figure.savefig(…)`` keeps them.
    """
    routes = known_routes(problem, plan)
    report = report_without_claim(problem, plan)
    ax = axes_or_new(ax)
    m = problem.num_vehicles
    rows = np.arange(m)
    if m > MOST_NAMED:
        rows = np.argsort(-report.completion, kind="stable")
    colours = palette(m)
    bars = _Bars()
    for row, v in enumerate(rows.tolist()):
        if isinstance(problem, HCVRP):
            _add_trips(bars, row, problem, v, routes[v], colours[v])
        else:
            _add_tour(bars, row, problem, v, routes[v], colours[v])
    _draw(ax, problem, bars)
    _draw_axes(ax, problem, report, rows)
    return ax


def _add_trips(
    bars: _Bars, row: int, problem: HCVRP, v: int, trips: list[Indices], colour: Colour
) -> None:
    clock = 0.0
    for number, trip in enumerate(trips):
        places = np.vstack([problem.depot_xy, problem.customers_xy[trip], problem.depot_xy])
        arrivals = clock + _driven(places) / problem.speed[v]
        shade = lighter(colour, SHADES[number % len(SHADES)])
        bars.pieces.append((row, clock, float(arrivals[-1]), shade))
        bars.visits += [(row, float(time)) for time in arrivals[:-1]]
        clock = float(arrivals[-1])


def _add_tour(
    bars: _Bars, row: int, problem: OMDCPDP, v: int, trips: list[Indices], colour: Colour
) -> None:
    for tour in trips:
        places = np.vstack([problem.starts_xy[v], problem.tasks_xy[tour]])
        arrivals = _driven(places)
        delivers = tour >= problem.num_orders
        load = np.cumsum(np.where(delivers, -1, 1)) + np.where(delivers, 1, -1)
        full = max(1, int(load.max()))
        begin = 0.0
        for end, on_board in zip(arrivals.tolist(), load.tolist(), strict=True):
            shade = lighter(colour, 0.8 * (1 - min(1.0, max(0.0, on_board / full))))
            bars.pieces.append((row, begin, end, shade))
            begin = end
        bars.visits += [(row, time) for time in arrivals[delivers].tolist()]


def _driven(places: Floats) -> Floats:
    """How far it is from the first place to each of the others, along the way."""
    return np.cumsum(np.hypot(*np.diff(places, axis=0).T))


def _draw(ax: Axes, problem: Problem, bars: _Bars) -> None:
    boxes = [
        [(begin, row - BAR), (begin, row + BAR), (end, row + BAR), (end, row - BAR)]
        for row, begin, end, _ in bars.pieces
    ]
    # Trips are set apart by a line of paper where there is room for one; legs are not.
    apart = fade(problem.num_vehicles, 1.2, 0.15, most=200) if problem.kind == "hcvrp" else 0.0
    fills = [colour for *_, colour in bars.pieces]
    edges = PAPER if apart else fills
    ax.add_collection(
        PolyCollection(boxes, facecolors=fills, edgecolors=edges, linewidths=apart, zorder=2)
    )
    if problem.num_tasks > MOST_TASKS_TICKED or not bars.visits:
        return
    if problem.kind == "hcvrp":
        ticks = [[(time, row - 0.5 * BAR), (time, row + 0.5 * BAR)] for row, time in bars.visits]
        width = fade(problem.num_tasks, 1.4, 0.5, most=MOST_TASKS_TICKED)
        ax.add_collection(LineCollection(ticks, colors=PAPER, linewidths=width, zorder=3))
    else:
        rows, times = zip(*bars.visits, strict=True)
        size = fade(problem.num_tasks, 26.0, 7.0, most=MOST_TASKS_TICKED)
        ax.scatter(times, rows, s=size, c=PAPER, edgecolors=INK, linewidths=0.7, zorder=4)


def _draw_axes(ax: Axes, problem: Problem, report: Report, rows: NDArray[np.int64]) -> None:
    m, latest = len(rows), float(report.completion.max())
    # A bar is never thicker than a fifth of the picture.
    middle, span = (m - 1) / 2, max(m, 5)
    ax.set_ylim(middle + span / 2, middle - span / 2)
    ax.set_xlim(0.0, latest * 1.04 or 1.0)
    ax.axvline(latest, color=INK, linewidth=0.9, linestyle=(0, (5, 3)), zorder=1)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color("#dddddd")
    ax.tick_params(labelsize=7, colors=QUIET, length=2)
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    if m <= MOST_NAMED:
        names = [label(problem.vehicle_ids[v]) for v in rows]
        ax.set_yticks(np.arange(m), names, fontsize=fade(m, 8.0, 5.5, most=MOST_NAMED))
        plain(ax.get_yticklabels())
    else:
        ax.set_yticks([])
        ax.set_ylabel(f"{m:,} vehicles, by when they are done", fontsize=8, color=INK)
    if problem.kind == "hcvrp":
        unit = "time, hours" if problem.coordinates == "lonlat" else "time"
        last = label(problem.vehicle_ids[int(report.completion.argmax())])
        title(ax, f"{last} is home last, at {latest:,.5g}; fleet {_busy(report)} busy")
    else:
        unit = "distance driven, km" if problem.coordinates == "lonlat" else "distance driven"
        unit += "; dark with much on board"
        unit += "; dots are deliveries" if problem.num_tasks <= MOST_TASKS_TICKED else ""
        last = label(problem.vehicle_ids[int(report.completion.argmax())])
        title(ax, f"{last} delivers last, at {latest:,.5g}; fleet {_busy(report)} busy")
    ax.set_xlabel(unit, fontsize=8, color=QUIET)


def _busy(report: Report) -> str:
    latest = float(report.completion.max())
    return f"{report.completion.mean() / latest if latest else 0:.0%}"
