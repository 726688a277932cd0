"""A construction as it happens: every vehicle's next move, step by step, as a GIF."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from geopar.files.storage import write_files
from geopar.plotting import marks
from geopar.plotting.picture import checked_target
from geopar.plotting.style import INK, PAPER, QUIET, Colour, fade, map_axes, palette, rgb, title
from geopar.problems import Problem
from geopar.trace import HOME, Trace, task_names

Floats = NDArray[np.float64]

SUFFIX = ".gif"
# Longer constructions show several steps in a frame.
MOST_FRAMES = 150
FRAMES_PER_SECOND = 4
LAST_FRAME_REPEATS = 8


def animate(problem: Problem, trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a GIF of a construction.

    Served tasks take the colour of their vehicle; a ring marks a task that several wanted.

    Parameters
    ----------
    problem
        What was planned.
    trace
        Its construction, from ``construct(..., trace=True)`` or ``read_trace``.
    path
        Where to, ending in ``.gif``.

    Raises
    ------
    geopar.errors.InputError
        For another suffix or a place that cannot be written.
    """
    target = checked_target(path, (SUFFIX,), "an animation")
    size = fade(problem.num_tasks, 5.0, 7.5)
    figure = Figure(figsize=(size, size), dpi=100, layout="constrained", facecolor=PAPER)
    stage = Stage(problem, trace, figure.subplots())
    writer = PillowWriter(fps=FRAMES_PER_SECOND)
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.gif"
        with writer.saving(figure, str(drawn), 100):
            for _ in stage.frames():
                writer.grab_frame(facecolor=PAPER)
            for _ in range(LAST_FRAME_REPEATS):
                writer.grab_frame(facecolor=PAPER)
        write_files({target: drawn.read_bytes()})


class Stage:
    """The map on which the vehicles move."""

    def __init__(self, problem: Problem, trace: Trace, ax: Axes) -> None:
        self._trace, self._ax = trace, ax
        self._colours = palette(problem.num_vehicles)
        self._vehicle = {name: v for v, name in enumerate(problem.vehicle_ids)}
        self._task = {name: i for i, name in enumerate(task_names(problem))}
        self._returns = problem.comes_home
        self._places = problem.tasks_xy
        starts = self._homes = problem.places_xy[problem.homes]
        if problem.comes_home:
            marks.depot(ax, problem)
        self._paths: list[list[Floats]] = [[start] for start in starts]
        # The names of the last places of each path, from where the trip begins.
        self._open_trips = [[HOME] for _ in starts]
        self._at: list[Floats] = list(starts)
        count = problem.num_tasks
        self._task_colours: list[Colour] = [rgb(QUIET)] * count
        x, y = self._places.T
        self._tasks: PathCollection = ax.scatter(
            x, y, s=fade(count, 40.0, 2.0), c=self._task_colours, zorder=4
        )
        self._lines = LineCollection([], linewidths=fade(count, 1.8, 0.5), zorder=3)
        ax.add_collection(self._lines)
        x, y = starts.T
        self._fleet: PathCollection = ax.scatter(
            x, y, s=fade(problem.num_vehicles, 60.0, 14.0, most=500), c=self._colours,
            edgecolors=INK, linewidths=0.8, zorder=7,
        )  # fmt: skip
        self._contested: PathCollection = ax.scatter(
            [], [], s=fade(count, 160.0, 30.0), facecolors="none", edgecolors=INK, zorder=6
        )
        map_axes(ax, problem.coordinates)
        ax.autoscale_view()

    def frames(self) -> Iterator[int]:
        """Draw step after step; the number of steps drawn so far."""
        steps = self._trace.steps
        each = max(1, -(-len(steps) // MOST_FRAMES))
        served, lost = 0, 0
        self._draw(0, 0, 0, [])
        yield 0
        for at in range(0, len(steps), each):
            contested: list[str] = []
            for step in steps[at : at + each]:
                served += self._move(step)
                lost += len(step.get("stays", ()))
                contested += [conflict["task"] for conflict in step.get("conflicts", ())]
            done = min(at + each, len(steps))
            self._draw(done, served, lost, contested)
            yield done
        if self._returns:
            for v in range(len(self._paths)):
                self._go_home(v)
            self._draw(len(steps), served, lost, [])
            yield len(steps)

    def _move(self, step: dict[str, Any]) -> int:
        """Let everybody drive; how many tasks that serves."""
        served = 0
        for move in step["moves"]:
            v = self._vehicle[move["vehicle"]]
            if move["to"] == HOME:
                self._go_home(v)
                continue
            task = self._task[move["to"]]
            self._put(v, task, move)
            self._task_colours[task] = self._colours[v]
            served += 1
        return served

    def _put(self, v: int, task: int, move: dict[str, Any]) -> None:
        """Let a vehicle's open trip visit a task, at its end or behind the stop that is told."""
        path, trip = self._paths[v], self._open_trips[v]
        at = trip.index(move["behind"]) + 1 if "behind" in move else len(trip)
        path.insert(len(path) - len(trip) + at, self._places[task])
        trip.insert(at, move["to"])
        self._at[v] = self._places[task]

    def _go_home(self, v: int) -> None:
        self._paths[v].append(self._homes[v])
        self._open_trips[v] = [HOME]
        self._at[v] = self._homes[v]

    def _draw(self, step: int, served: int, lost: int, contested: list[str]) -> None:
        self._lines.set_segments([np.array(path) for path in self._paths])
        self._lines.set_color(self._colours)
        self._tasks.set_facecolor(self._task_colours)
        self._fleet.set_offsets(np.array(self._at))
        rings = [self._places[self._task[name]] for name in contested]
        self._contested.set_offsets(np.array(rings).reshape(-1, 2))
        title(
            self._ax,
            f"step {step} of {len(self._trace.steps)}: {served} of {len(self._places)} served, "
            f"{lost} lost moves",
        )
