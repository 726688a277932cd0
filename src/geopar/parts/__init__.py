"""One very large problem in parts: some of the vehicles with all that they serve, searched alone.

As teams of threads do (:mod:`geopar.search.teams`), but over workers that may be other machines:
parts are problems of their own, rounds are long enough for messages, and the first plan is made in
such a way that vehicles stay near to each other.
"""

from __future__ import annotations

from geopar.parts.solver import InParts

__all__ = ["InParts"]
