"""Observing and stepping one state of a compiled rollout, whichever the problem.

Compiled code cannot ask which problem it has before a call: what :func:`observe` and :func:`step`
stand for is chosen by the type of the tables when a loop is compiled.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from geopar.pointer.hcvrp import features as hcvrp_features
from geopar.pointer.hcvrp import tables as hcvrp_tables
from geopar.pointer.hcvrp import trips
from geopar.pointer.observation import Observation
from geopar.pointer.omdcpdp import features as omdcpdp_features
from geopar.pointer.omdcpdp import placing
from geopar.pointer.omdcpdp import tables as omdcpdp_tables

_OBSERVE = {
    hcvrp_tables.Tables: hcvrp_features.observe,
    omdcpdp_tables.Tables: omdcpdp_features.observe,
}
_STEP = {hcvrp_tables.Tables: trips.step, omdcpdp_tables.Tables: placing.step}


def observe(tables: Any, states: Any, b: int, s: int, observation: Observation) -> None:
    """Fill what is seen of state ``s`` of instance ``b``."""
    _OBSERVE[type(tables)](tables, states, b, s, observation)


def step(tables: Any, states: Any, b: int, s: int, action: Any) -> None:
    """State ``s`` of instance ``b`` becomes what an action of each vehicle makes of it."""
    _STEP[type(tables)](tables, states, b, s, action)


@overload(observe)
def _observe(tables: Any, states: Any, b: Any, s: Any, observation: Any) -> Any:
    chosen = _OBSERVE[tables.instance_class]

    def call(tables: Any, states: Any, b: Any, s: Any, observation: Any) -> None:
        chosen(tables, states, b, s, observation)

    return call


@overload(step)
def _step(tables: Any, states: Any, b: Any, s: Any, action: Any) -> Any:
    chosen = _STEP[tables.instance_class]

    def call(tables: Any, states: Any, b: Any, s: Any, action: Any) -> None:
        chosen(tables, states, b, s, action)

    return call
