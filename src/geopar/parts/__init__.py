"""One very large problem in parts: regions that change from round to round, each searched alone.

A round cuts the plan into cells of the plane, lets workers improve each cell by the same search
that improves whole problems, and puts the plan together again. The next round cuts along other
lines.
"""

from __future__ import annotations

from geopar.parts.solver import InParts

__all__ = ["InParts"]
