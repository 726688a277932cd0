"""Compiled ruin and recreate for HCVRP with a day: windows, shifts, releases and the like.

``data`` holds what never changes, ``state`` the plan that is being changed, ``times`` says how time
goes, ``cost`` what a plan costs and ``judge`` what an insertion would add to it; ``ruin`` and
``recreate`` take plans apart and together, ``anneal`` decides, ``start`` makes a first plan. No
plan on the way breaks a limit: who does not fit is absent. Everything that a run changes is in its
:class:`State`, so runs in different threads are independent, and a state and a number of iterations
determine what comes out.
"""

from __future__ import annotations

from geopar.search.day.anneal import anneal
from geopar.search.day.data import Data, prepare
from geopar.search.day.schedule import Parameters, parameters_for
from geopar.search.day.start import (
    best_cost,
    best_goal,
    best_initial,
    best_routes,
    from_routes,
    initial,
)
from geopar.search.day.state import State

__all__ = [
    "Data",
    "Parameters",
    "State",
    "anneal",
    "best_cost",
    "best_goal",
    "best_initial",
    "best_routes",
    "from_routes",
    "initial",
    "parameters_for",
    "prepare",
]
