"""Compiled ruin and recreate for the min-max HCVRP.

``data`` holds what never changes, ``state`` the plan that is being changed, ``ruin`` and
``recreate`` take it apart and together, ``exchange`` swaps customers and ``trips`` whole trips,
``anneal`` decides, ``start`` makes a first plan. Everything that a run changes is in its
:class:`State`, so runs in different threads are independent, and a state and a number of iterations
determine what comes out.
"""

from __future__ import annotations

from geopar.search.hcvrp.anneal import anneal
from geopar.search.hcvrp.data import Data, prepare
from geopar.search.hcvrp.schedule import Parameters, parameters_for
from geopar.search.hcvrp.start import best_cost, best_initial, best_routes, from_routes, initial
from geopar.search.hcvrp.state import State

__all__ = [
    "Data",
    "Parameters",
    "State",
    "anneal",
    "best_cost",
    "best_initial",
    "best_routes",
    "from_routes",
    "initial",
    "parameters_for",
    "prepare",
]
