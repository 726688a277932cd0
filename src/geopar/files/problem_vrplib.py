"""Instances of VRPLIB as HCVRP, and back where the format can say it.

VRPLIB (as CVRPLIB, Uchoa et al. 2017, uses it) has one capacity and no speeds: the fleet comes
from options. Distances are Euclidean and not rounded, unless that is asked for, or explicit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopar.errors import Faults, InputError, Place
from geopar.files.building import build
from geopar.files.columns import plain
from geopar.files.placing import places_from
from geopar.files.storage import decode
from geopar.files.vrplib_day import SECTIONS, check_rounding, day_parts
from geopar.files.wording import maybe, printable, shown
from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.problems.validation import MOST_TASKS, MOST_VEHICLES, Floats

_SECTIONS = ("node_coord", "demand", "depot")
_TYPES = ("CVRP", "ACVRP", "VRPTW", "VRPTWR", "MTVRP", "MTVRPTW", "MTVRPTWR")
_SPECIFICATIONS = (
    "name", "comment", "type", "dimension", "edge_weight_type", "capacity", "vehicles", "trucks",
    "node_coord_type", "display_data_type", "edge_weight_format",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fleet:
    """What the file does not say.

    Parameters
    ----------
    num_vehicles
        How many; from the file's ``VEHICLES``, its comment (``No of trucks: 5``) or its name
        (``-k5``) when left out.
    capacity
        One for all, or one each; the file's when left out.
    speed
        One for all, or one each; 1 when left out.
    rounding
        ``dimacs``: distances and times cut to one decimal; none when left out.
    """

    num_vehicles: int | None = None
    capacity: float | Sequence[float] | None = None
    speed: float | Sequence[float] | None = None
    rounding: str | None = None

    def given(self) -> list[str]:
        """The names of the options that are not left out."""
        return [name for name in self.__slots__ if getattr(self, name) is not None]


def problem_from_vrplib(data: bytes, name: str, fleet: Fleet) -> HCVRP:
    """The instance with the given fleet.

    Raises
    ------
    geopar.errors.InputError
        With every fault found; also for anything that HCVRP does not have, such as backhauls.
    """
    faults = Faults()
    text = decode(data, name)
    if text.count("\n") > 3 * MOST_TASKS:
        limit = f"lines are more than {MOST_TASKS:,} tasks need."
        faults.refuse("too-large", name, text.count("\n"), limit, "Split it up.")
    instance = _parse(faults, text, name)
    _check_supported(faults, instance, name)
    _check_numbering(faults, text, name)
    if "node_coord" not in instance:
        instance["node_coord"] = _drawn(faults, instance)
    return problem_of(faults, instance, name, fleet)


def problem_of(faults: Faults, instance: dict[str, Any], name: str, fleet: Fleet) -> HCVRP:
    """The problem in the sections and specifications of a file.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    check_rounding(faults, fleet.rounding)
    places = _array(faults, instance, "node_coord", 2)
    demand = _array(faults, instance, "demand", 1)
    if len(places) != len(demand) or len(places) < 2:
        faults.refuse(
            "wrong-length", "DEMAND_SECTION", len(demand),
            f"nodes, but NODE_COORD_SECTION has {len(places)}; both need the depot and a customer.",
        )  # fmt: skip
    declared = instance.get("dimension", len(places))
    if declared != len(places):
        faults.add(
            "wrong-length", "DIMENSION", shown(declared),
            f"but NODE_COORD_SECTION has {len(places)} nodes.", "Maybe the file is cut short.",
        )  # fmt: skip
    depot = _depot(faults, instance, len(places))
    nodes = np.delete(np.arange(len(places)), depot)

    def where(place: Place) -> str:
        thing, row, quantity = place
        if thing == "vehicle":
            in_file = quantity == "capacity" and fleet.capacity is None
            return "CAPACITY" if in_file else f"option {quantity}[{row}]"
        node = depot + 1 if thing == "depot" else int(nodes[row]) + 1
        if quantity in _SECTION_OF:
            return f"{_SECTION_OF[quantity]}_SECTION node {node}"
        return f"NODE_COORD_SECTION node {node} {quantity}"

    count = _num_vehicles(faults, instance, fleet)
    columns = {
        "depot": places[depot],
        "customers": places[nodes],
        "demand": demand[nodes],
        "capacity": _each(faults, "capacity", fleet.capacity, count, _capacity(faults, instance)),
        "speed": _each(faults, "speed", fleet.speed, count, 1.0),
    }
    parts = day_parts(faults, instance, nodes, depot, count, places, fleet.rounding)
    day = None
    try:
        day = Day(**parts) if parts else None
    except InputError as error:
        faults.include(error)
    title = str(instance.get("name", name))
    return build(HCVRP, faults, where, columns, {}, "plane", title, {"day": day})


_SECTION_OF = {"demand": "DEMAND", "service": "SERVICE_TIME", "released": "RELEASE_TIME"}


def _drawn(faults: Faults, instance: dict[str, Any]) -> Floats:
    """Places for nodes of which only the matrix is known."""
    table = np.array(instance["edge_weight"], dtype=np.float64)
    square = table.ndim == 2 and table.shape[0] == table.shape[1]
    if not square or not np.isfinite(table).all():
        what = "is no square of numbers."
        faults.refuse("wrong-shape", "EDGE_WEIGHT_SECTION", table.shape, what, "Write all rows.")
    return places_from(table)


def _parse(faults: Faults, text: str, name: str) -> dict[str, Any]:
    from vrplib.parse import parse_vrplib

    try:
        instance: dict[str, Any] = parse_vrplib(text, compute_edge_weights=False)
    except Exception as error:  # whatever its parser stumbles over, the file is to blame
        faults.refuse(
            "bad-vrplib",
            name,
            ...,
            f"is not VRPLIB: {printable(str(error))}.",
            "See docs/use/files.md.",
        )
    return instance


def _check_supported(faults: Faults, instance: dict[str, Any], name: str) -> None:
    known = (*_SECTIONS, *SECTIONS, *_SPECIFICATIONS)
    unknown = [key for key in instance if key not in known]
    for key in faults.first_few("unsupported", unknown):
        value = instance[key]
        faults.add(
            "unsupported", f"{name} {printable(key.upper())}",
            shown(value) if isinstance(value, str | int | float) else ...,
            "is nothing that HCVRP has.", maybe(key, known),
        )  # fmt: skip
    weights = str(instance.get("edge_weight_type", "EUC_2D")).upper()
    for key, value, allowed in (
        ("type", str(instance.get("type", "CVRP")).upper(), _TYPES),
        ("edge_weight_type", weights, ("EUC_2D", "EXPLICIT")),
    ):
        if value not in allowed:
            hint = f"Known are {', '.join(allowed)}."
            faults.add("unsupported", key.upper(), shown(value), "is not known here.", hint)
    for key in ("edge_weight" if weights == "EXPLICIT" else "node_coord", "demand"):
        if key not in instance:
            faults.add("missing-field", f"{name} {key.upper()}_SECTION", ..., "is missing.", "Add.")
    faults.raise_if_any()


_NUMBERED = tuple(f"{key}_SECTION" for key in ("NODE_COORD", "TIME_WINDOW", *_SECTION_OF.values()))


def _check_numbering(faults: Faults, text: str, name: str) -> None:
    """Nodes must be numbered 1, 2, 3, …: the parser takes rows as they come."""
    section, expected = "", 1
    for line in text.splitlines():
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if "_SECTION" in line:
            section, expected = word.rstrip(":"), 1
        elif section in _NUMBERED and word and word[0] != "#":
            if word == "EOF":
                return
            if word != str(expected):
                faults.refuse(
                    "wrong-order", f"{name} {section}", shown(word),
                    f"stands where node {expected} is expected.", "Number the rows 1, 2, 3, …",
                )  # fmt: skip
            expected += 1


def _array(faults: Faults, instance: dict[str, Any], key: str, dimensions: int) -> Floats:
    value = instance[key]
    section = f"{key.upper()}_SECTION"
    try:
        array = np.array(value)
        if array.dtype.kind not in "fiu":
            raise ValueError
        array = array.astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        faults.refuse(
            "not-a-number", section, ..., "has rows that are not numbers, or are unequally long.",
            "Write one node with its numbers per line.",
        )  # fmt: skip
    if array.ndim != dimensions or (dimensions == 2 and array.shape[1] != 2):
        faults.refuse(
            "wrong-shape", section, array.shape, "has the wrong number of columns.",
            "A node has x and y, and one demand.",
        )  # fmt: skip
    return array


def _depot(faults: Faults, instance: dict[str, Any], nodes: int) -> int:
    """The row of the depot: the first when the file does not say."""
    try:
        depots = [int(depot) for depot in np.ravel(instance.get("depot", [0]))]
    except (ValueError, TypeError, OverflowError):
        depots = []
    if len(depots) != 1 or not 0 <= depots[0] < nodes:
        faults.add(
            "missing-depot", "DEPOT_SECTION", [depot + 1 for depot in depots[:5]],
            f"must be exactly one of the nodes 1 to {nodes}.", "Maybe 1.",
        )  # fmt: skip
        return 0
    return depots[0]


def _capacity(faults: Faults, instance: dict[str, Any]) -> float:
    value = instance.get("capacity")
    if isinstance(value, int | float):
        return float(min(value, 10**300))
    return np.nan  # told only if no option replaces it


def _num_vehicles(faults: Faults, instance: dict[str, Any], fleet: Fleet) -> int:
    lists = [v for v in (fleet.capacity, fleet.speed) if isinstance(v, Sequence)]
    comment = re.search(r"trucks:\s*(\d{1,9})", str(instance.get("comment", "")), re.IGNORECASE)
    name = re.search(r"-k(\d{1,9})$", str(instance.get("name", "")))
    for count in (
        fleet.num_vehicles,
        *(len(one) for one in lists),
        instance.get("vehicles"),
        instance.get("trucks"),
        *(int(match[1]) for match in (comment, name) if match),
    ):
        if count is None:
            continue
        if isinstance(count, int) and 1 <= count <= MOST_VEHICLES:
            return count
        faults.add(
            "bad-count", "number of vehicles", shown(count),
            f"must be a whole number from 1 to {MOST_VEHICLES:,}.", "Give the option num_vehicles.",
        )  # fmt: skip
        return 1
    faults.add(
        "missing-option", "number of vehicles", ..., "is not in the file.",
        "Give the option num_vehicles.",
    )  # fmt: skip
    return 1


def _each(
    faults: Faults, name: str, value: float | Sequence[float] | None, count: int, default: float
) -> Floats:
    """One number per vehicle."""
    if value is None and np.isnan(default):
        hint = "Give the option capacity."
        faults.add("missing-option", "CAPACITY", ..., "is not a number in the file.", hint)
        default = 1e12
    try:
        numbers = np.array(default if value is None else value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        faults.add("not-a-number", f"option {name}", shown(value), "is not made of numbers.")
        numbers = np.array(1.0)
    if numbers.ndim == 0:
        return np.full(count, float(numbers))
    if numbers.shape != (count,):
        faults.add(
            "wrong-length", f"option {name}", numbers.shape, f"but there are {count} vehicles.",
            "Give one number for all, or one for each.",
        )  # fmt: skip
        return np.ones(count)
    return numbers


def problem_to_vrplib(problem: Problem) -> str:
    """The instance as VRPLIB text; ids become numbers by position, as VRPLIB has it.

    Raises
    ------
    geopar.errors.InputError
        When the format cannot say it.
    """
    faults = Faults()
    hint = "Write JSON instead."
    if not isinstance(problem, HCVRP):
        faults.refuse("not-expressible", "problem", problem.kind, "has no VRPLIB form.", hint)
    if problem.day is not None:
        what = "has no VRPLIB form here."
        faults.add("not-expressible", "day", ", ".join(problem.day.parts), what, hint)
    if problem.coordinates != "plane":
        faults.add(
            "not-expressible", "coordinates", problem.coordinates, "are not VRPLIB's plane.", hint
        )
    if np.any(problem.capacity != problem.capacity[0]):
        faults.add("not-expressible", "capacity", ..., "differs; VRPLIB has one for all.", hint)
    if np.any(problem.speed != 1.0):
        faults.add("not-expressible", "speed", ..., "is not 1; VRPLIB has no speeds.", hint)
    faults.raise_if_any()
    places = np.concatenate([problem.depot[None], problem.customers])
    demand = plain(np.concatenate([[0.0], problem.demand]))
    return "\n".join(
        [
            f"NAME : {_title(problem.name)}",
            f"COMMENT : No of trucks: {problem.num_vehicles}",
            "TYPE : CVRP",
            f"DIMENSION : {len(places)}",
            "EDGE_WEIGHT_TYPE : EUC_2D",
            f"CAPACITY : {plain(problem.capacity[:1])[0]}",
            "NODE_COORD_SECTION",
            *(f"{node} {x!r} {y!r}" for node, (x, y) in enumerate(places.tolist(), 1)),
            "DEMAND_SECTION",
            *(f"{node} {one!r}" for node, one in enumerate(demand, 1)),
            "DEPOT_SECTION\n1\n-1\nEOF\n",
        ]
    )


def _title(name: str) -> str:
    """The name in one line that no reader takes for a keyword."""
    title = " ".join(name.split())
    return title if title and not re.search("EOF|_SECTION", title) else "problem"
