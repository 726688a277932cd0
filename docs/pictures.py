"""Draws the pictures of how-it-works.md into docs/images.

python docs/pictures.py            # all
python docs/pictures.py windows    # some
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import geopar
from geopar.model.construct import construct
from geopar.model.geometry import build_cache
from geopar.model.sketch import hcvrp_sketch
from geopar.model.weights import load_weights
from geopar.plan import Indices
from geopar.plotting import plot_plan
from geopar.plotting.animation import Stage
from geopar.plotting.style import ALARM, INK, PAPER, QUIET, map_axes, palette, title
from geopar.problems.batch import make_batch

IMAGES = Path(__file__).parent / "images"
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
    # The network alone: beside a sketch nobody wants what another has.
    trace = construct(problem, load_weights("hcvrp", "small"), trace=True).trace
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


def sketch() -> Figure:
    """A sketch, and what one vehicle on its way is told by it."""
    problem = geopar.generate("hcvrp/60/4", seed=2)
    routes = hcvrp_sketch(problem, tries=1)
    better = geopar.solve(problem, geopar.MaxRuntime(3), seed=1).plan
    figure, axes = panels(3)
    plan = geopar.Plan.from_indices(problem, routes)
    plot_plan(problem, plan, axes[0])
    title(axes[0], f"the sketch, makespan {geopar.check(problem, plan).objective:.2f}")
    _told(axes[1], problem, routes)
    plot_plan(problem, better, axes[2])
    title(axes[2], f"after 3 s of search, makespan {geopar.check(problem, better).objective:.2f}")
    for ax in (axes[0], axes[2]):
        ax.get_legend().remove()
    return figure


def _told(ax: Axes, problem: geopar.HCVRP, routes: list[list[Indices]]) -> None:
    """A vehicle that has served half of its first trip looks at the tasks around it."""
    places = problem.customers_xy
    trip = max(routes[0], key=len)
    half = len(trip) // 2
    here, wish = trip[half - 1], trip[half]
    served, trip_left = set(trip[:half].tolist()), trip[half:]
    own = [int(c) for other in routes[0] if other is not trip for c in other]
    theirs = [c for c in range(len(places)) if c not in {*served, *trip.tolist(), *own}]
    nearest = np.argsort(np.hypot(*(places - places[here]).T))
    seen = {int(c) for c in nearest if int(c) not in served}
    seen = set(sorted(seen, key=lambda c: np.hypot(*(places[c] - places[here])))[:32])
    for group, colour, text in (
        (trip_left, BLUE, "on the same trip of the sketch"),
        (own, GREEN, "this vehicle's, another trip"),
        (theirs, QUIET, "another vehicle's"),
    ):
        dots = places[[int(c) for c in group if int(c) in seen]]
        ax.scatter(*dots.T, s=42, color=colour, label=text, zorder=3)
    rest = places[[c for c in range(len(places)) if c not in seen and c not in served]]
    ax.scatter(*rest.T, s=12, color=QUIET, alpha=0.35)
    way = np.vstack([problem.depot_xy, places[trip[:half]]])
    ax.plot(*way.T, color=BLUE, linewidth=2)
    ax.plot(*places[[here, wish]].T, color=ALARM, linewidth=1.5, linestyle=":")
    ax.scatter(*places[here], s=110, marker="o", color=ORANGE, edgecolors=INK, zorder=5)
    ax.scatter(
        *places[wish], s=150, facecolors="none", edgecolors=ALARM, zorder=5, linewidths=1.8,
        label="what the sketch would do",
    )  # fmt: skip
    ax.scatter(*problem.depot_xy, s=70, marker="s", color=INK, zorder=5)
    ax.legend(fontsize=7, frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.06))
    title(ax, "what one vehicle on its way is told")
    map_axes(ax, "plane")


PICTURES: dict[str, Callable[[], Figure]] = {
    "windows": windows,
    "construction": construction,
    "ruin-and-recreate": ruin_and_recreate,
    "sketch": sketch,
}


def main() -> None:
    """Draw what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(PICTURES))
    for name in parser.parse_args().names or PICTURES:
        PICTURES[name]().savefig(IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
