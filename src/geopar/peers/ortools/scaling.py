"""Distances, times and loads as whole numbers, which is all that OR-Tools knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.problems import HCVRP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# An arc is rounded by half a unit at most. With so many units for each arc of a plan, all of them
# together change its cost by less than 1e-5 of it, and that of a ten times better plan by 1e-4.
UNITS_PER_ARC = 1e5
# Longer arcs are cut to this, so that sums stay far from 2⁶³: only a plan that is worse than the
# reference by orders of magnitude would drive them.
LONGEST = 1 << 36
# Loads: a vehicle's capacity has so many units, and lets in a little more than it, so that ten
# tenths fit although each was rounded up. A tenth of what the checker allows.
LOAD_UNITS = float(1 << 45)
LOAD_TOLERANCE = 1e-10


def distances(places: Floats) -> Floats:
    """Between all places, in the user's units."""
    across: Floats = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    return across


def units(reference: float, arcs: float) -> float:
    """Units per user's unit, for a plan that costs ``reference``, a sum of so many arcs."""
    return UNITS_PER_ARC * arcs / reference


def rounded(values: Floats, per_unit: float) -> Ints:
    """Whole numbers of units."""
    with np.errstate(over="ignore"):
        return np.rint(np.minimum(values * per_unit, float(LONGEST))).astype(np.int64)


def loads(problem: HCVRP) -> tuple[Ints, Ints]:
    """Demands and capacities: what fits by these numbers passes the checker."""
    per_unit = LOAD_UNITS / problem.capacity.max()
    demand = np.ceil(problem.demand * per_unit).astype(np.int64)
    capacity = np.floor(problem.capacity * per_unit * (1.0 + LOAD_TOLERANCE)).astype(np.int64)
    return demand, capacity
