"""One state of a compiled rollout, whichever the problem: the instances' type decides.

Compiled code cannot ask which problem it has before a call. So :func:`look` and :func:`step` are
names alone, and what they stand for is chosen when a loop is compiled for its arguments.
"""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from geopar.model import hcvrp_fleet_kernel, insertion_kernel

_LOOKS = {
    hcvrp_fleet_kernel.HCVRPTables: hcvrp_fleet_kernel.look,
    insertion_kernel.InsertionTables: insertion_kernel.look_at,
}
_STEPS = {
    hcvrp_fleet_kernel.HCVRPTables: hcvrp_fleet_kernel.step,
    insertion_kernel.InsertionTables: insertion_kernel.step,
}


def look(tables: Any, states: Any, b: int, s: int, seen: Any) -> None:
    """What state ``s`` of instance ``b`` shows; ``seen`` is filled."""
    raise NotImplementedError("for compiled code alone")


def step(tables: Any, states: Any, b: int, s: int, action: Any) -> None:
    """State ``s`` of instance ``b`` becomes what an action of each vehicle makes of it."""
    raise NotImplementedError("for compiled code alone")


@overload(look)
def _look(tables: Any, states: Any, b: Any, s: Any, seen: Any) -> Any:
    chosen = _LOOKS[tables.instance_class]

    def call(tables: Any, states: Any, b: Any, s: Any, seen: Any) -> None:
        chosen(tables, states, b, s, seen)

    return call


@overload(step)
def _step(tables: Any, states: Any, b: Any, s: Any, action: Any) -> Any:
    chosen = _STEPS[tables.instance_class]

    def call(tables: Any, states: Any, b: Any, s: Any, action: Any) -> None:
        chosen(tables, states, b, s, action)

    return call
