"""What all pictures share: axes, colours, ink that thins out as there is more to draw, labels."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from geopar.markup.svg import COLOURS

Colour = tuple[float, float, float]

INK = "#222222"
QUIET = "#9a9a9a"
ALARM = "#c1121f"
PAPER = "white"
TASK = "#0072b2"

_GOLDEN = 0.618033988749895
LONGEST_LABEL = 22
LONGEST_TITLE = 64

# Trips of one vehicle alternate in lightness, so that neighbours can be told apart.
SHADES = (0.0, 0.38, 0.2)

# Half of the height of a schedule's bars, and up to how many tasks visits are marked on them.
BAR = 0.36
MOST_TASKS_TICKED = 400


def axes_or_new(ax: Axes | None) -> Axes:
    """The axes given, or new ones on a figure of their own that no global state knows."""
    if ax is not None:
        return ax
    axes: Axes = Figure(figsize=(7, 7), dpi=150, layout="constrained").subplots()
    return axes


def palette(count: int) -> list[Colour]:
    """One colour for each vehicle; neighbours differ most."""
    if count <= len(COLOURS):
        return [rgb(text) for text in COLOURS[:count]]
    return [_even((0.55 + i * _GOLDEN) % 1.0, (0.20, 0.34, 0.27)[i % 3]) for i in range(count)]


def colours_of(vehicles: Iterable[str], fleet: Iterable[str] = ()) -> list[Colour]:
    """The colours of vehicles by their place in a fleet; those not in it come after it."""
    vehicles = list(vehicles)
    everyone = list(dict.fromkeys([*fleet, *vehicles]))
    colours = dict(zip(everyone, palette(len(everyone)), strict=True))
    return [colours[vehicle] for vehicle in vehicles]


def _even(hue: float, luminance: float) -> Colour:
    """A strong colour that is as dark as the others, so that no yellow fades on white."""
    low, high = 0.0, 1.0
    for _ in range(12):
        lightness = (low + high) / 2
        red, green, blue = colorsys.hls_to_rgb(hue, lightness, 0.72)
        dark = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < luminance
        low, high = (lightness, high) if dark else (low, lightness)
    return red, green, blue


def rgb(text: str) -> Colour:
    """From ``#rrggbb``."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def lighter(colour: Colour, amount: float) -> Colour:
    """Mixed with white: 0 changes nothing, 1 is white."""
    red, green, blue = (1.0 - (1.0 - part) * (1.0 - amount) for part in colour)
    return red, green, blue


def fade(count: float, few: float, many: float, most: float = 5000.0) -> float:
    """A size that falls from ``few`` (up to ten things) to ``many`` (from ``most`` on)."""
    share = np.log(max(count, 10.0) / 10.0) / np.log(most / 10.0)
    return float(few + (many - few) * min(1.0, share))


def label(text: str) -> str:
    """An id for a picture: cut when too long, and safe from the rules of legends and of TeX."""
    short = _cut(text, LONGEST_LABEL)
    # Legends leave out what begins with an underscore; after an invisible space they do not.
    return "\u200b" + short if short.startswith("_") else short


def _cut(text: str, longest: int) -> str:
    """One short line; what cannot be shown, such as a line end, becomes a space."""
    shown = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def plain(texts: Iterable[Text]) -> None:
    """Show dollar signs as such, not as formulas."""
    for text in texts:
        text.set_parse_math(False)


def title(ax: Axes, text: str) -> None:
    """A quiet title, from the left, cut where the axes may end."""
    plain([ax.set_title(_cut(text, LONGEST_TITLE), loc="left", fontsize=10, color=INK)])


def legend_below(ax: Axes, handles: list[Line2D], columns: int, coordinates: str) -> None:
    """A legend that covers nothing of the map, nor the names of its axes."""
    legend = ax.legend(
        handles=handles, fontsize=7, frameon=False, labelcolor=INK, handlelength=1.4,
        ncols=min(columns, len(handles)), loc="upper center",
        bbox_to_anchor=(0.5, -0.03 if coordinates == "plane" else -0.075),
    )  # fmt: skip
    plain(legend.get_texts())


def map_axes(ax: Axes, coordinates: str) -> None:
    """Equal scales, a light frame, few ticks."""
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.04)
    ax.set_facecolor(PAPER)
    ax.tick_params(labelsize=7, colors=QUIET, length=2)
    ax.locator_params(nbins=5)
    for spine in ax.spines.values():
        spine.set_color("#dddddd")
    if coordinates == "lonlat":
        ax.set_xlabel("km east", fontsize=7, color=QUIET)
        ax.set_ylabel("km north", fontsize=7, color=QUIET)
