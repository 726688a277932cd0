"""One file with everything to see."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from geopar.errors import Faults
from geopar.files.storage import check_target, write_files
from geopar.plan import Plan
from geopar.plotting.instance import plot_problem
from geopar.plotting.plan import plot_plan
from geopar.plotting.schedule import plot_schedule
from geopar.plotting.style import PAPER, fade
from geopar.problems import Problem

SUFFIXES = (".png", ".svg", ".pdf")


class Picture(Figure):
    """A figure that shows itself in a notebook, whatever draws there otherwise."""

    def _repr_png_(self) -> bytes:
        return _drawn(self, "png")


def picture(
    problem: Problem,
    plan: Plan | None = None,
    path: str | os.PathLike[str] | None = None,
    fleet: Sequence[str] = (),
) -> Figure:
    """The plan and its schedule side by side, or the problem alone where there is no plan.

    Parameters
    ----------
    problem
        What to draw.
    plan
        Its plan; drawn with its mistakes if it has any.
    path
        Where to write it, ending in ``.png``, ``.svg`` or ``.pdf``; nowhere when left out.
    fleet
        Vehicles of which these are some, as of the whole day of which this is the rest: each keeps
        the colour that it has among them.

    Returns
    -------
    The figure, which a notebook shows.

    Raises
    ------
    geopar.errors.InputError
        For another suffix, a place that cannot be written, or a plan of the other problem.
    """
    target = None if path is None else checked_target(path, SUFFIXES, "a picture known here")
    # More to see, more room: paper grows with the number of tasks.
    height = fade(problem.num_tasks, 5.6, 9.0)
    if plan is None:
        figure: Figure = Picture(figsize=(height, height), dpi=150, layout="constrained")
        plot_problem(problem, figure.subplots())
    else:
        figure = Picture(figsize=(1.9 * height, height), dpi=150, layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 0.85))
        plot_plan(problem, plan, left, fleet)
        plot_schedule(problem, plan, right, fleet)
    figure.set_facecolor(PAPER)
    if target is not None:
        write_files({target: _drawn(figure, target.suffix.lower().removeprefix("."))})
    return figure


def _drawn(figure: Figure, format: str) -> bytes:
    drawn = io.BytesIO()
    with warnings.catch_warnings():
        # An id may have characters that no font here has; boxes in their place are no news.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(drawn, format=format)
    return drawn.getvalue()


def checked_target(path: str | os.PathLike[str], suffixes: Sequence[str], what: str) -> Path:
    """Where something is to be drawn to, if it has one of these suffixes and can be written."""
    target, faults = Path(path), Faults()
    if target.suffix.lower() in suffixes:
        check_target(faults, target)
    else:
        hint = f"End the name in {', '.join(suffixes)}."
        faults.add("unknown-format", str(target), target.suffix, f"is no suffix of {what}.", hint)
    faults.raise_if_any()
    return target
