"""What is loaded and unloaded, in every dimension that the problem has."""

from __future__ import annotations

import numpy as np

from geopar.plan import Indices
from geopar.problems import HCVRP, Problem
from geopar.problems.validation import Floats

Amounts = tuple[float, ...]


class Loads:
    """The loads of a problem, by task.

    Parameters
    ----------
    problem
        HCVRP: demands. OMDCPDP: sizes, put on board by pickups and taken off by deliveries.

    Attributes
    ----------
    names
        Of the dimensions, as the user calls them; empty where nobody says how much anything is.
    """

    def __init__(self, problem: Problem) -> None:
        self._comes_home = problem.comes_home
        self._of_task, said = _table(problem)
        width = self._of_task.shape[1]
        plain = ("amount",) if width == 1 else tuple(f"amount {i + 1}" for i in range(width))
        self.names: tuple[str, ...] = (problem.load_names or plain) if said else ()

    def at(self, task: int) -> Amounts:
        """What is handed over there; positive for pickups and deliveries alike."""
        return _amounts(np.abs(self._of_task[task])) if self.names else ()

    def on_board(self, trip: Indices) -> list[Amounts]:
        """What is on board when a trip begins, and after each of its stops."""
        if not self.names:
            return [()] * (len(trip) + 1)
        moved = self._of_task[trip]
        if self._comes_home:
            # Summed from the end of the trip, where nothing is left.
            left = np.cumsum(moved[::-1], axis=0)[::-1]
            levels = np.vstack([left, np.zeros(moved.shape[1])])
        else:
            levels = np.vstack([np.zeros(moved.shape[1]), np.cumsum(moved, axis=0)])
        return [_amounts(row) for row in levels]


def _amounts(row: Floats) -> Amounts:
    # Sums of decimals are off in digits that nobody wrote.
    return tuple(np.round(row, 9).tolist())


def _table(problem: Problem) -> tuple[Floats, bool]:
    """``(tasks, dimensions)``, and whether anybody says anything of it."""
    day = problem.day
    more = None if day is None else day.extra_demand
    if isinstance(problem, HCVRP):
        first, said = problem.demand, bool(problem.demand.any())
    else:
        given = None if day is None else day.size
        first, said = np.ones(problem.num_orders) if given is None else given, given is not None
    table = first[:, None] if more is None else np.column_stack([first, more])
    if not isinstance(problem, HCVRP):
        table = np.vstack([table, -table])
    return table, said or more is not None or bool(problem.load_names)
