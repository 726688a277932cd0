"""Draws the pictures that explain how it works into docs/images.

python docs/pictures.py                # all
python docs/pictures.py windows.png    # some
"""

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

import geopar
from geopar.paper.windows import build_cache
from geopar.plotting import plot_plan
from geopar.plotting.animation import Stage
from geopar.plotting.style import INK, PAPER, QUIET, map_axes, palette, title
from geopar.pointer.network import PointerNetwork
from geopar.pointer.solver import construct
from geopar.problems.batch import make_batch

IMAGES = Path(__file__).parent / "images"
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
# What is drawn of nothing, where the axis is logarithmic.
LEAST_GAP = 0.1
# Text stays text, and the same picture the same file.
rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "geopar"})
BLUE, ORANGE, GREEN = palette(3)
Floats = NDArray[np.float64]


def panels(count: int, width: float = 4.2) -> tuple[Figure, list[Axes]]:
    """A row of maps."""
    figure = Figure(figsize=(width * count, width), dpi=110, layout="constrained", facecolor=PAPER)
    return figure, list(np.atleast_1d(figure.subplots(1, count)))


def windows() -> Figure:
    """One task, its window in one ordering, and the union of four."""
    problem = geopar.generate("hcvrp/300/5", seed=3)
    places, radius = problem.customers_xy, 8
    me = int(np.hypot(*(places - 0.5).T).argmin())
    cache = build_cache(make_batch([problem]), num_directions=4, radius=radius)
    figure, axes = panels(3)
    for ax, orderings, text in (
        (axes[0], [0], "sorted from west to east: 8 ranks either side"),
        (axes[1], [1], "sorted from south-west to north-east"),
        (axes[2], [0, 1, 2, 3], "all four directions: the cache of this task"),
    ):
        ax.scatter(*places.T, s=10, color=QUIET, alpha=0.6)
        near: set[int] = set()
        for ordering in orderings:
            order, rank = (t[0, ordering].numpy() for t in (cache.order, cache.rank))
            low, high = max(0, rank[me] - radius), rank[me] + radius + 1
            near |= set(order[low:high].tolist())
            _strip(ax, places[order[[low, min(high, len(order)) - 1]]], ordering)
        ax.scatter(*places[sorted(near)].T, s=24, color=BLUE, zorder=3)
        ax.scatter(*places[me], s=90, color=ORANGE, edgecolors=INK, zorder=4)
        title(ax, text)
        map_axes(ax, "plane")
        ax.set_aspect("equal", adjustable="box")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    nearest = np.argsort(np.hypot(*(places - places[me]).T))[1:9]
    axes[2].scatter(*places[nearest].T, s=70, facecolors="none", edgecolors=INK, zorder=5)
    return figure


def _strip(ax: Axes, ends: Floats, ordering: int) -> None:
    """The part of the map that a rank window covers: a strip across all of it."""
    angle = ordering * np.pi / 4
    along, across = (
        np.array([np.cos(angle), np.sin(angle)]),
        np.array([-np.sin(angle), np.cos(angle)]),
    )
    low, high = ends @ along
    corners = [s * along + t * across for s, t in ((low, -3), (low, 3), (high, 3), (high, -3))]
    ax.fill(*np.array(corners).T, color=BLUE, alpha=0.10, linewidth=0)


def construction() -> Figure:
    """Four moments of one parallel construction."""
    problem = geopar.generate("hcvrp/40/5", seed=11)
    trace = construct([problem], PointerNetwork.load("hcvrp", "pointer-small"), trace=True).trace
    assert trace is not None
    steps = len(trace.steps)
    wanted = (1, 3, steps // 2, steps)
    figure, axes = panels(4, 3.7)
    for ax, stop in zip(axes, wanted, strict=True):
        for done in Stage(problem, trace, ax).frames():
            if done == stop:
                break
    return figure


def ruin_and_recreate() -> Figure:
    """One iteration of the search, spelled out."""
    problem = geopar.generate("hcvrp/40/3", seed=2)
    start = geopar.solve(problem, solver="dispatch").plan.to_indices(problem)
    before = [[list(map(int, trip)) for trip in trips] for trips in start]
    ruined, removed = _ruin(problem, before)
    after = _recreate(problem, ruined, removed)
    figure, axes = panels(3)
    for ax, routes, text in (
        (axes[0], before, "before"),
        (axes[1], ruined, f"ruined: {len(removed)} neighbours taken out"),
        (axes[2], after, "recreated: each where it costs least"),
    ):
        plan = geopar.Plan.from_indices(problem, routes)
        plot_plan(problem, plan, ax)
        times = geopar.check(problem, plan).completion
        last = f", last home at {times.max():.2f}" if routes is not ruined else ""
        title(ax, text + last)
        ax.get_legend().remove()
    axes[2].scatter(
        *problem.customers_xy[removed].T, s=110, facecolors="none", edgecolors=INK, zorder=7
    )
    return figure


Trips = list[list[list[int]]]


def _ruin(problem: geopar.HCVRP, routes: Trips, most: int = 5) -> tuple[Trips, list[int]]:
    """Take a string of at most so many customers out of each trip near one place."""
    places = problem.customers_xy
    latest = int(_times(problem, routes).argmax())
    seed = max(
        (c for trip in routes[latest] for c in trip),
        key=lambda c: np.hypot(*(places[c] - problem.depot_xy)),
    )
    near = np.argsort(np.hypot(*(places - places[seed]).T)).tolist()
    removed: list[int] = []
    touched: set[tuple[int, int]] = set()
    left = [[list(trip) for trip in trips] for trips in routes]
    for customer in near[:12]:
        for v, trips in enumerate(routes):
            for t, trip in enumerate(trips):
                if customer in trip and (v, t) not in touched and len(touched) < 3:
                    touched.add((v, t))
                    at = max(0, trip.index(customer) - most // 2)
                    string = trip[at : at + most]
                    removed += string
                    left[v][t] = [c for c in trip if c not in string]
    return left, removed


def _recreate(problem: geopar.HCVRP, routes: Trips, removed: list[int]) -> Trips:
    """Put each customer where the smooth makespan rises least, a trip of its own included."""
    now = [[list(trip) for trip in trips] for trips in routes]
    scale = float(_times(problem, routes).max())
    away = np.hypot(*(problem.customers_xy - problem.depot_xy).T)
    for customer in sorted(removed, key=lambda c: -away[c]):
        best: tuple[float, Trips] | None = None
        for v, trips in enumerate(now):
            for t in range(len(trips) + 1):
                trip = trips[t] if t < len(trips) else []
                load = problem.demand[trip].sum() + problem.demand[customer]
                if load > problem.capacity[v]:
                    continue
                for at in range(len(trip) + 1):
                    longer = [*trip[:at], customer, *trip[at:]]
                    others = [*trips[:t], longer, *trips[t + 1 :]]
                    tried = [*now[:v], others, *now[v + 1 :]]
                    price = _smooth(problem, tried, scale)
                    if best is None or price < best[0]:
                        best = price, tried
        assert best is not None
        now = best[1]
    return now


def _times(problem: geopar.HCVRP, routes: Trips) -> Floats:
    plan = geopar.Plan.from_indices(problem, routes)
    return geopar.check(problem, plan).completion


def _smooth(problem: geopar.HCVRP, routes: Trips, scale: float, sharpness: float = 6.0) -> float:
    times = _times(problem, routes)
    return float(problem.speed @ np.exp(sharpness * (times / scale - 1.0)))


# The rooms from the ground up, a line for each level that an outsider has to know.
ROOMS = (
    (("compiled", "machine code, chance"), ("errors, settings", "every fault, told at once")),
    (("problems", "kinds, travel, sets, environments"), ("plan", "routes by id")),
    (
        ("check", "shares no code with solvers"),
        ("files", "formats in and out"),
        ("stop, solvers", "budgets, names"),
        ("plotting, result", "pictures, tables"),
    ),
    (("search", "refine, insert, dispatch"), ("neural", "what networks share")),
    (("paper", "GeoPAR as published"), ("pointer", "our network"), ("peers", "other systems")),
    (("learn", "training, recipes"), ("hybrid", "first plan, then search")),
    (("solve, evaluate", "the public calls"),),
    (("service", "HTTP and page"), ("cli", "commands")),
)
# The way of the data: what it is, and the level of the rooms where it comes about.
WAY = (
    ("file, spreadsheet,\nPython objects", None),
    ("Problem", "files reads and validates"),
    ("Request → Outcome", "solve asks a solver"),
    ("Plan", "search, a network or a peer"),
    ("Report", "check replays it"),
    ("Result", "files, picture, HTTP, page"),
)


def architecture() -> Figure:
    """The rooms in the order in which they may import each other, and the way of the data."""
    figure = Figure(figsize=(11, 6.4), dpi=110, facecolor=PAPER)
    left, right = figure.subplots(1, 2, width_ratios=(2.6, 1))
    for ax, text in (
        (left, "rooms: each imports only those below or to its left"),
        (right, "the data"),
    ):
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.axis("off")
        title(ax, text)
    height = 1 / len(ROOMS)
    for level, rooms in enumerate(ROOMS):
        width = 1 / len(rooms)
        for place, (name, holds) in enumerate(rooms):
            colour = ORANGE if name in ("paper", "pointer", "peers", "search") else BLUE
            corner = (place * width + 0.006, level * height + 0.012)
            _box(left, corner, (width - 0.012, height - 0.024), colour, name, holds)
    height = 1 / len(WAY)
    for place, (name, how) in enumerate(WAY):
        low = 1 - (place + 1) * height
        _box(right, (0.05, low + 0.03), (0.9, height - 0.07), GREEN, name, how or "")
        if place:
            right.annotate(
                "", (0.5, low + height - 0.035), (0.5, low + height + 0.035),
                arrowprops={"arrowstyle": "->", "color": INK},
            )  # fmt: skip
    figure.tight_layout()
    return figure


def _box(
    ax: Axes, corner: tuple[float, float], size: tuple[float, float], colour: str, name: str,
    holds: str,
) -> None:  # fmt: skip
    ax.add_patch(Rectangle(corner, *size, facecolor=colour, alpha=0.16, edgecolor=colour))
    middle = (corner[0] + size[0] / 2, corner[1] + size[1] / 2)
    raised = 0.018 if holds else 0.0
    style = {"ha": "center", "va": "center", "color": INK}
    ax.text(middle[0], middle[1] + raised, name, weight="bold", fontsize=10, **style)
    ax.text(middle[0], middle[1] - 0.024, holds, fontsize=8, **style)


def anytime() -> Figure:
    """By time limit, how far each solver is above the best that any of them found."""
    with (RESULTS / "anytime.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    sets = list(dict.fromkeys(line["set"] for line in lines))
    names = list(dict.fromkeys(line["solver"] for line in lines))
    figure = Figure(figsize=(13, 6), dpi=110, layout="constrained", facecolor=PAPER)
    for ax, name in zip(figure.subplots(2, 4, sharex=True).flat, sets, strict=True):
        own = [line for line in lines if line["set"] == name]
        best = min(float(line["value"]) for line in own)
        for solver, colour in zip(names, palette(len(names)), strict=True):
            points = [line for line in own if line["solver"] == solver]
            seconds = [float(line["seconds"]) for line in points]
            above = [100 * (float(line["value"]) / best - 1) + LEAST_GAP for line in points]
            ax.plot(seconds, above, "o-", color=colour, markersize=4, label=solver)
        ax.set(xscale="log", yscale="log", ylim=(LEAST_GAP, 2000))
        ax.tick_params(labelsize=8)
        ax.grid(alpha=0.3)
        title(ax, name)
    figure.supxlabel("time limit in seconds", fontsize=9)
    figure.supylabel("per cent above the best of all, plus 0.1", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(names), frameon=False)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "anytime.png": anytime,
    "architecture.svg": architecture,
    "windows.png": windows,
    "construction.png": construction,
    "ruin-and-recreate.png": ruin_and_recreate,
}


def main() -> None:
    """Draw what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(PICTURES))
    for name in parser.parse_args().names or PICTURES:
        still = {"metadata": {"Date": None}} if name.endswith(".svg") else {}
        PICTURES[name]().savefig(IMAGES / name, **still)


if __name__ == "__main__":
    main()
