"""The schedule: who is busy until when."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.ticker import FuncFormatter, MultipleLocator
from numpy.typing import NDArray

from geopar.checking import Report
from geopar.plan import Plan
from geopar.plotting.parts import Bars, parts_of
from geopar.plotting.routes import known_routes, report_without_claim
from geopar.plotting.style import (
    BAR,
    INK,
    MOST_TASKS_TICKED,
    PAPER,
    QUIET,
    axes_or_new,
    colours_of,
    fade,
    label,
    plain,
    title,
)
from geopar.problems import Problem
from geopar.problems.told_times import Times
from geopar.schedule import schedule

MOST_NAMED = 40
# Minutes between ticks, and how many there is room for.
CLOCK_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440)
MOST_TICKS = 9
# Half of the height of a stripe for waiting, and what is no more than rounding.
STRIPE = 0.4 * BAR
LEAST_WAIT = 1e-9


def plot_schedule(
    problem: Problem, plan: Plan, ax: Axes | None = None, fleet: Sequence[str] = ()
) -> Axes:
    """Draw one bar for each vehicle, from the start until it is done.

    A line marks the end, a pale stripe within a bar waiting. HCVRP: one piece for each trip, a tick
    for each customer. OMDCPDP: the darker the more is on board, with a dot at each delivery. Large
    fleets are sorted by when they are done.

    Parameters
    ----------
    problem
        What was planned.
    plan
        Its plan.
    ax
        Where; new axes on a figure of their own when left out.
    fleet
        Vehicles of which these are some, as of the whole day of which this is the rest: each keeps
        the colour that it has among them.

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
    colours = colours_of(problem.vehicle_ids, fleet)
    bars = Bars()
    days = schedule(problem, routes)
    for row, v in enumerate(rows.tolist()):
        parts_of(problem.kind).add_bar(bars, row, problem, days[v], colours[v])
        bars.waits += [
            (row, visit.arrival, visit.arrival + visit.waiting)
            for visit in days[v].visits
            if visit.waiting > LEAST_WAIT
        ]
    _draw(ax, problem, bars)
    _draw_axes(ax, problem, report, rows, waits=bool(bars.waits))
    return ax


def _draw(ax: Axes, problem: Problem, bars: Bars) -> None:
    parts = parts_of(problem.kind)
    boxes = [_box(row, begin, end, BAR) for row, begin, end, _ in bars.pieces]
    apart = parts.edge(problem)
    fills = [colour for *_, colour in bars.pieces]
    edges = PAPER if apart else fills
    ax.add_collection(
        PolyCollection(boxes, facecolors=fills, edgecolors=edges, linewidths=apart, zorder=2)
    )
    if bars.waits:
        stripes = [_box(*wait, STRIPE) for wait in bars.waits]
        ax.add_collection(
            PolyCollection(stripes, facecolors=PAPER, linewidths=0, alpha=0.75, zorder=2.5)
        )
    if problem.num_tasks <= MOST_TASKS_TICKED and bars.visits:
        parts.draw_visits(ax, problem, bars.visits)


def _box(row: int, begin: float, end: float, half: float) -> list[tuple[float, float]]:
    return [(begin, row - half), (begin, row + half), (end, row + half), (end, row - half)]


def _draw_axes(
    ax: Axes, problem: Problem, report: Report, rows: NDArray[np.int64], *, waits: bool
) -> None:
    m, dawn = len(rows), problem.first_start
    latest = dawn + float(report.completion.max())
    # A bar is never thicker than a fifth of the picture.
    middle, span = (m - 1) / 2, max(m, 5)
    ax.set_ylim(middle + span / 2, middle - span / 2)
    ax.set_xlim(dawn, dawn + (1.04 * (latest - dawn) or 1.0))
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
    parts, last = parts_of(problem.kind), problem.vehicle_ids[int(report.completion.argmax())]
    times = Times(problem)
    end = times.moment(latest) if times.by_clock else f"{latest:,.5g}"
    title(ax, f"{label(last)} {parts.ENDS} last, at {end}; fleet {_busy(report)} busy")
    if times.by_clock:
        _draw_clock(ax, times)
    along = parts.time_axis(problem, problem.num_tasks <= MOST_TASKS_TICKED)
    ax.set_xlabel(along + "; pale stripes are waiting" * waits, fontsize=8, color=QUIET)


def _draw_clock(ax: Axes, times: Times) -> None:
    """Ticks at round times of day."""
    low, high = ax.get_xlim()
    minutes = (high - low) / times.in_minutes(1.0)
    step = next((one for one in CLOCK_STEPS if minutes / one <= MOST_TICKS), None)
    if step is not None:
        ax.xaxis.set_major_locator(MultipleLocator(times.in_minutes(step)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda time, _: times.moment(time)))


def _busy(report: Report) -> str:
    latest = float(report.completion.max())
    return f"{report.completion.mean() / latest if latest else 0:.0%}"
