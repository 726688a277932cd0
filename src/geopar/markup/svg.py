"""Small maps as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Dark enough for thin lines on white, and told apart by most colour-blind eyes: after Okabe & Ito
# (2008), yellow left out, and three more.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#8c564b",
    "#4b6a1d", "#53565a",
)  # fmt: skip

TINY = 1e-290


def fitted(points: Floats, width: float, height: float, margin: float) -> Floats:
    """Points as large as fits on a paper, north up, as SVG counts: from the top left."""
    if not len(points):
        return np.zeros((0, 2))
    low = points.min(axis=0)
    span = points.max(axis=0) - low
    room = (width - 2 * margin, height - 2 * margin)
    # Nothing to scale by where all points are in one place, or nearly.
    scales = [of / extent for of, extent in zip(room, span.tolist(), strict=True) if extent > TINY]
    scale = min(scales, default=1.0)
    drawn: Floats = (points - low) * scale + (np.array([width, height]) - scale * span) / 2.0
    drawn[:, 1] = height - drawn[:, 1]
    return drawn


def document(parts: Sequence[str], width: float, height: float, name: str, style: str = "") -> str:
    """An SVG of parts, with a name that is read out."""
    label = escape(name, quote=True)
    kind = f' style="{escape(style, quote=True)}"' if style else ' class="map"'
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{label}"{kind}>'
        f"{''.join(parts)}</svg>"
    )


def line(points: Floats, attributes: str) -> str:
    """A line through points."""
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())
    return f'<polyline points="{text}" {attributes}/>'


def dot(point: Floats, radius: float, attributes: str = "") -> str:
    """A dot."""
    return f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="{radius:g}" {attributes}/>'


def square(point: Floats, size: float, attributes: str = "") -> str:
    """A square, for where vehicles begin and end."""
    x, y = point[0] - size / 2, point[1] - size / 2
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{size:g}" height="{size:g}" {attributes}/>'


def label(point: Floats, text: str) -> str:
    """Text in the middle of a dot."""
    return f'<text x="{point[0]:.1f}" y="{point[1] + 3.2:.1f}">{escape(text)}</text>'
