"""What VRPLIB says of working days: windows, service, releases, reloads and explicit matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults
from geopar.files.wording import maybe, shown
from geopar.problems.validation import Floats

DIMACS = "dimacs"
ROUNDINGS = (DIMACS,)
# One number, or one for each node.
BY_NODE = ("service_time", "release_time")
SECTIONS = ("time_window", "release_time", "service_time", "vehicles_reload_depot", "edge_weight")


def check_rounding(faults: Faults, rounding: str | None) -> None:
    """Note a rule that is not known."""
    if rounding is not None and rounding not in ROUNDINGS:
        hint = maybe(rounding, ROUNDINGS)
        faults.add("unknown-value", "option rounding", shown(rounding), "is no rule here.", hint)


def day_parts(
    faults: Faults,
    instance: dict[str, Any],
    nodes: NDArray[np.integer[Any]],
    depot: int,
    num_vehicles: int,
    places: Floats,
    rounding: str | None,
) -> dict[str, Any]:
    """The parts of the day of an instance; none for a plain one.

    Parameters
    ----------
    nodes
        The rows of the customers, in order.
    places
        Of all nodes.
    rounding
        ``dimacs``: distances and times cut to one decimal, as in the 12th DIMACS challenge.
    """
    parts: dict[str, Any] = {}
    if "time_window" in instance:
        windows = numbers(faults, instance, "time_window", (len(places), 2))
        parts |= {"opens": windows[depot, 0], "closes": windows[depot, 1]}
        parts["windows"] = [[(begin, end)] for begin, end in windows[nodes].tolist()]
    for key, part in zip(BY_NODE, ("service", "released"), strict=True):
        if key in instance:
            scalar = np.ndim(instance[key]) == 0
            shape = () if scalar else (len(places),)
            values = np.broadcast_to(numbers(faults, instance, key, shape), len(places))
            parts[part] = values[nodes]
    if parts and "vehicles_reload_depot" not in instance:
        parts["most_trips"] = np.ones(num_vehicles)
    table = None
    if "edge_weight" in instance:
        table = numbers(faults, instance, "edge_weight", (len(places), len(places)))
    elif rounding == DIMACS:
        step = places[:, None] - places
        table = np.hypot(step[..., 0], step[..., 1])
    if table is not None:
        if rounding == DIMACS:
            table = np.floor(table * 10.0) / 10.0
        order = np.append(depot, nodes)
        parts["matrices"] = {"car": table[np.ix_(order, order)]}
    return parts


def numbers(faults: Faults, instance: dict[str, Any], key: str, shape: tuple[int, ...]) -> Floats:
    """A section or specification as numbers of that shape.

    Raises
    ------
    geopar.errors.InputError
        When it is something else.
    """
    try:
        found = np.array(instance[key], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.full((0,), np.nan)
    if found.shape != shape:
        faults.refuse(
            "wrong-shape", f"{key.upper()}_SECTION" if shape else key.upper(), found.shape,
            f"must be {' × '.join(map(str, shape)) or 'one number'}.",
            "Write one node with its numbers per line, and the depot as well.",
        )  # fmt: skip
    return found
