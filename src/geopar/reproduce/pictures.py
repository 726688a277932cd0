"""What the pictures of the experiments share."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from geopar.errors import MissingExtraError
from geopar.problems.setting import Setting
from geopar.reproduce.experiment import Entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_TASKS_OF_A_SMALL_SET = 100
# Points of curves by name, each with the half-width of its band.
Series = dict[str, list[tuple[float, float, float]]]
# Values that differ by less than this factor need no logarithmic axis.
LEAST_RANGE = 5.0


def png(draw: Callable[[Figure, list[Entry]], None], entries: list[Entry], title: str) -> bytes:
    """The picture of an experiment.

    Raises
    ------
    geopar.errors.MissingExtraError
        When what draws is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("a picture", "plot") from error
    figure = Figure(figsize=(11, 5.5), dpi=120, layout="constrained")
    draw(figure, entries)
    figure.suptitle(title, fontsize=11)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    return drawn.getvalue()


def beside_published(measure: str, label: str) -> Callable[[Figure, list[Entry]], None]:
    """A picture of one measure: a column for each set, filled marks ours, hollow ones published."""

    def draw(figure: Figure, entries: list[Entry]) -> None:
        panels = _panels(entries)
        methods = list(dict.fromkeys(entry.line.method for entry in entries))
        colours = _colours(methods)
        axes = figure.subplots(1, max(len(panels), 1), squeeze=False)[0]
        for ax, (title, own) in zip(axes, panels.items(), strict=False):
            names = list(dict.fromkeys(entry.line.set for entry in own))
            for entry in own:
                method = entry.line.method
                at: float = names.index(entry.line.set)
                at += 0.6 * (methods.index(method) / max(len(methods) - 1, 1) - 0.5)
                quoted, value = entry.published.get(measure), entry.values.get(measure)
                if quoted:
                    ax.plot(at, quoted, "o", mfc="none", mec=colours[method], ms=6)
                if value:
                    ax.plot(at, value, "o", color=colours[method], ms=4)
            ax.set_xticks(range(len(names)), [n.partition("/")[2] for n in names], rotation=60)
            _style(ax, title, label)
        for method in methods:
            axes[0].plot([], [], "o", color=colours[method], label=method, ms=4)
        axes[0].plot([], [], "o", mfc="none", mec="#222222", label="hollow: published")
        figure.legend(loc="outside lower center", ncols=6, fontsize=7, frameon=False)

    return draw


def by_size(entries: Iterable[tuple[str, Entry]], measure: str) -> Series:
    """A curve of what was measured for each name, over the number of tasks."""
    series: Series = {}
    for name, entry in entries:
        if measure in entry.values:
            point = (tasks(entry), entry.values[measure], 0.0)
            series.setdefault(name, []).append(point)
    return series


def curves(ax: Axes, series: Series, label: str, *, logarithmic: bool) -> None:
    """Lines over sizes."""
    colours = _colours(series)
    for name, points in series.items():
        if not points:
            continue
        ordered = sorted(points)
        x, y, band = ([point[i] for point in ordered] for i in range(3))
        ax.plot(x, y, "o-", color=colours[name], label=name, ms=3, lw=1)
        low = [value - half for value, half in zip(y, band, strict=True)]
        high = [value + half for value, half in zip(y, band, strict=True)]
        ax.fill_between(x, low, high, color=colours[name], alpha=0.15, lw=0)
    if logarithmic:
        ax.set_xscale("log")
        ax.set_yscale("log")
    _style(ax, "", label, logarithmic=logarithmic)
    if any(series.values()):
        ax.legend(fontsize=7, frameon=False)


def tasks(entry: Entry) -> int:
    """Of the set of an entry."""
    return Setting.parse(entry.line.set).num_tasks


def _panels(entries: list[Entry]) -> dict[str, list[Entry]]:
    """Small and large sets of the two problems apart: their numbers differ by orders."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        setting = Setting.parse(entry.line.set)
        size = "up to 100 tasks" if setting.num_tasks <= MOST_TASKS_OF_A_SMALL_SET else "large"
        found.setdefault(f"{setting.kind.upper()}, {size}", []).append(entry)
    return found


def _colours(names: Iterable[str]) -> dict[str, tuple[float, float, float]]:
    from geopar.plotting.style import palette

    listed = list(names)
    return dict(zip(listed, palette(len(listed)), strict=True))


def _style(ax: Axes, title: str, label: str, *, logarithmic: bool = True) -> None:
    if logarithmic and ax.has_data():
        low, high = ax.dataLim.intervaly
        if low > 0 and high > LEAST_RANGE * low:
            ax.set_yscale("log")
    ax.set_title(title, fontsize=9, loc="left")
    ax.set_ylabel(label, fontsize=8)
    ax.tick_params(labelsize=7, which="both")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
