"""Compiled ruin and recreate for the min-max HCVRP.

``data`` holds what never changes, ``state`` the plan that is being changed, ``ruin`` and
``recreate`` take it apart and together, ``exchange`` swaps customers, ``tails`` the ends of trips
and ``trips`` whole trips, ``turn`` turns stretches round, ``anneal`` decides, ``start`` makes a
first plan and ``breed`` one of two. Everything that a run changes is in its :class:`State`, so runs
in different threads are independent, and a state and a number of iterations determine what comes
out.
"""

from __future__ import annotations

from geopar.search.hcvrp.anneal import anneal
from geopar.search.hcvrp.breed import breed
from geopar.search.hcvrp.data import CAPACITY, Data, about_trips, prepare
from geopar.search.hcvrp.schedule import Parameters, parameters_for, to_breed
from geopar.search.hcvrp.start import best_cost, best_initial, best_routes, from_routes, initial
from geopar.search.hcvrp.state import State

__all__ = [
    "CAPACITY",
    "Data",
    "Parameters",
    "State",
    "about_trips",
    "anneal",
    "best_cost",
    "best_initial",
    "best_routes",
    "breed",
    "from_routes",
    "initial",
    "parameters_for",
    "prepare",
    "to_breed",
]
