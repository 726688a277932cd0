"""VROOM's JSON as problems here; what has no place here is named, all at once.

Jobs become customers of HCVRP, shipments orders of OMDCPDP. Vehicles of jobs load where they start
and make one trip, as VROOM has it. See https://github.com/VROOM-Project/vroom/blob/master/docs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from geopar.errors import Faults, InputError
from geopar.files.json_objects import Objects, check_list
from geopar.files.placing import places_from
from geopar.files.problem_json import problem_from_json
from geopar.files.wording import printable, shown
from geopar.problems import Problem
from geopar.problems.validation import Floats

_STEP = ("id", "description", "location", "location_index", "setup", "service", "time_windows")
_JOB = (*_STEP, "delivery", "pickup", "skills", "priority")
_SHIPMENT = ("pickup", "delivery", "amount", "skills", "priority")
_VEHICLE = (
    "id", "profile", "description", "start", "start_index", "end", "end_index", "capacity",
    "skills", "time_window", "speed_factor",
)  # fmt: skip
_PROFILE = "car"

Step = dict[str, Any]


def is_vroom(value: Any) -> bool:
    """Whether a parsed JSON value is VROOM's: jobs or shipments, and no name of a problem."""
    return (
        isinstance(value, dict)
        and "problem" not in value
        and bool({"jobs", "shipments"} & set(value))
    )


def problem_from_vroom(
    value: dict[str, Any], name: str = "", speed: float | None = None
) -> Problem:
    """The problem.

    Parameters
    ----------
    value
        VROOM's input.
    speed
        Of straight lines in km/h, where there are no matrices.

    Raises
    ------
    geopar.errors.InputError
        With everything that is wrong or cannot be said here.
    """
    faults = Faults(most_per_code=20)
    top = Objects(faults, [value], lambda _: "")
    _check_known(top, ("jobs", "shipments", "vehicles", "matrices"))
    jobs, shipments, vehicles = (
        _rows(faults, value, one) for one in ("jobs", "shipments", "vehicles")
    )
    if jobs and shipments:
        what = "beside jobs have no place in one problem here."
        faults.add("unsupported", "shipments", len(shipments), what, "Plan them apart.")
    _check_known(Objects(faults, jobs, lambda i: f"jobs[{i}]"), _JOB)
    _check_known(Objects(faults, shipments, lambda i: f"shipments[{i}]"), _SHIPMENT)
    _check_known(Objects(faults, vehicles, lambda i: f"vehicles[{i}]"), _VEHICLE)
    for i, one in enumerate(shipments):
        for end in ("pickup", "delivery"):
            rows = Objects(faults, [one.get(end)], lambda _: f"shipments[{i}].{end}")  # noqa: B023
            _check_known(rows, _STEP)
    if "matrices" not in value and speed is None:
        faults.add(
            "missing-field", "matrices", ..., "is missing, and nothing says how fast anybody is.",
            "Make them with geopar matrix, or give --speed in km/h for straight lines.",
        )  # fmt: skip
    faults.raise_if_any()
    made = _Translation(faults, value, speed or 1.0)
    ours = made.of_jobs(jobs, vehicles) if jobs else made.of_shipments(shipments, vehicles)
    faults.raise_if_any()
    try:
        return problem_from_json({"name": name, "time_unit": "seconds", **ours})
    except InputError as error:
        raise InputError([_renamed(fault) for fault in error.faults], error.left_out) from None


def _rows(faults: Faults, value: dict[str, Any], name: str) -> list[Any]:
    if name not in value:
        if name == "vehicles":
            faults.add("missing-field", name, ..., "is missing.", "Add it.")
        return []
    rows = check_list(faults, value[name], name, least=0) or []
    return [row if isinstance(row, dict) else {} for row in rows]


def _check_known(rows: Objects, known: Sequence[str]) -> None:
    for row, value in enumerate(rows.rows):
        for name in value:
            if name not in known:
                rows.faults.add(
                    "unsupported", rows.field(row, printable(str(name))), shown(value[name]),
                    "has no counterpart here.", f"Remove it. Known: {', '.join(known)}.",
                )  # fmt: skip


def _any(amounts: Any) -> bool:
    return isinstance(amounts, list) and any(amounts)


def _renamed(fault: Any) -> Any:
    field = fault.field.replace("customers[", "jobs[").replace("orders[", "shipments[")
    return replace(fault, field=field)


class _Translation:
    """From VROOM's words to ours.

    Parameters
    ----------
    faults
        Where to note what is wrong.
    value
        All of the input.
    speed
        Where there are no matrices.
    """

    def __init__(self, faults: Faults, value: dict[str, Any], speed: float) -> None:
        self.faults, self.speed = faults, speed
        self.drawn: Any = None
        self.matrices = self._tables(value["matrices"]) if "matrices" in value else {}
        faults.raise_if_any()
        self.rows: list[int] = []

    def _tables(self, given: Any) -> dict[str, dict[str, Floats]]:
        """Durations and distances by profile, all of them square and of one size."""
        found: dict[str, dict[str, Floats]] = {}
        for name, tables in given.items() if isinstance(given, dict) else ():
            for part in ("durations", "distances"):
                if isinstance(tables, dict) and part in tables:
                    try:
                        found.setdefault(name, {})[part] = np.array(tables[part], dtype=np.float64)
                    except (TypeError, ValueError, OverflowError):
                        found.setdefault(name, {})[part] = np.zeros(0)
        shapes = {table.shape for tables in found.values() for table in tables.values()}
        square = len(shapes) == 1 and all(len(s) == 2 and s[0] == s[1] > 0 for s in shapes)
        if not square or any("durations" not in tables for tables in found.values()):
            what = "must have square durations of numbers for each profile, all of one size."
            hint = 'Write {"car": {"durations": [[0, 9], [9, 0]]}}.'
            self.faults.add("wrong-shape", "matrices", shown(given), what, hint)
        return found

    def of_jobs(self, jobs: list[Step], vehicles: list[Step]) -> Step:
        """HCVRP, with a depot where all vehicles begin and end at one place."""
        kinds = {kind for job in jobs for kind in ("delivery", "pickup") if _any(job.get(kind))}
        if len(kinds) > 1:
            what = "jobs with pickups beside such with deliveries are not known here."
            self.faults.add("unsupported", "jobs", ..., what, "Use shipments.")
        kind = next(iter(kinds), "delivery")
        ends = [self._ends(i, vehicle) for i, vehicle in enumerate(vehicles)]
        one_place = len({str(place and place[1:]) for pair in ends for place in pair}) == 1
        depot: Step = {}
        if one_place and ends:
            depot = {"depot": self._place(*ends[0][0])}
        customers = [self._task(f"jobs[{i}]", job) for i, job in enumerate(jobs)]
        for job, customer in zip(jobs, customers, strict=True):
            customer |= {"id": job.get("id"), **self._wants(job), "demand": job.get(kind)}
        fleet = []
        for vehicle, (start, end) in zip(vehicles, ends, strict=True):
            about = self._vehicle(vehicle) | {"capacity": vehicle.get("capacity")}
            if one_place:
                about["most_trips"] = 1
            else:
                about["start"] = self._place(*start)
                about["end"] = None if end is None else self._place(*end)
            fleet.append(about)
        return {
            "problem": "hcvrp", **depot, "customers": customers, "vehicles": fleet, **self._top()
        }  # fmt: skip

    def of_shipments(self, shipments: list[Step], vehicles: list[Step]) -> Step:
        """OMDCPDP: vehicles end at their last stop."""
        fleet = []
        for i, vehicle in enumerate(vehicles):
            start, end = self._ends(i, vehicle)
            if end is not None:
                what = "is not known for shipments: vehicles end at their last stop."
                self.faults.add(
                    "unsupported", f"vehicles[{i}].end", shown(end[1]), what, "Remove it."
                )
            place = self._place(*start)
            fleet.append(
                self._vehicle(vehicle)
                | place
                | {"capacity": self._only(f"vehicles[{i}].capacity", vehicle.get("capacity"))}
            )
        orders: list[Step] = [{} for _ in shipments]
        for end in ("pickup", "delivery"):
            for i, (one, order) in enumerate(zip(shipments, orders, strict=True)):
                order[end] = self._task(f"shipments[{i}].{end}", one.get(end) or {})
        for i, (one, order) in enumerate(zip(shipments, orders, strict=True)):
            size = self._only(f"shipments[{i}].amount", one.get("amount"))
            order |= {
                "id": (one.get("pickup") or {}).get("id"),
                "size": 0 if size is None else size,
            }
            order |= self._wants(one)
        return {"problem": "omdcpdp", "orders": orders, "vehicles": fleet, **self._top()}

    def _only(self, field: str, amounts: Any) -> Any:
        """The only one of a list of amounts."""
        if isinstance(amounts, list) and len(amounts) > 1:
            what = "has several dimensions; orders have one."
            self.faults.add("unsupported", field, shown(amounts), what, "Leave one.")
        return amounts[0] if isinstance(amounts, list) and amounts else None

    def _ends(self, i: int, vehicle: Step) -> tuple[Any, Any]:
        """Where a vehicle begins and ends: field, coordinates and row of each."""
        found: list[Any] = []
        for end in ("start", "end"):
            if vehicle.get(end) is None and vehicle.get(f"{end}_index") is None:
                found.append(None)
            else:
                field = f"vehicles[{i}].{end}"
                found.append((field, vehicle.get(end), vehicle.get(f"{end}_index")))
        if found[0] is None:
            field = f"vehicles[{i}].start"
            self.faults.add("missing-field", field, ..., "is missing.", "Say where it begins.")
            found[0] = (field, [0.0, 0.0], 0)
        return found[0], found[1]

    def _place(self, field: str, location: Any, index: Any) -> Step:
        """A place, and its row put behind those before it."""
        if self.matrices:
            size = self._size()
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < size:
                what = f"needs a whole number from 0 to {size - 1} for its row in the matrices."
                self.faults.add("out-of-range", f"{field}_index", shown(index), what)
                index = 0
            self.rows.append(index)
        if location is None and self.matrices:
            if self.drawn is None:
                table = next(iter(self.matrices.values()))["durations"]
                self.drawn = places_from(np.nan_to_num(table, posinf=0.0))
            x, y = self.drawn[index].tolist()
            return {"x": x, "y": y}
        if not isinstance(location, list) or len(location) != 2:
            what = "must be [longitude, latitude]."
            self.faults.add("wrong-type", field, shown(location), what)
            return {"lon": 0.0, "lat": 0.0}
        return {"lon": location[0], "lat": location[1]}

    def _size(self) -> int:
        return len(next(iter(self.matrices.values()))["durations"])

    def _task(self, field: str, step: Step) -> Step:
        found = self._place(f"{field}.location", step.get("location"), step.get("location_index"))
        times = [step.get(one, 0) for one in ("setup", "service")]
        if all(isinstance(one, int | float) and one >= 0 for one in times):
            found["service"] = sum(times)
        else:
            found["service"] = step.get("service")
        if "time_windows" in step:
            found["windows"] = step["time_windows"]
        if "description" in step:
            found["details"] = {"description": step["description"]}
        return found

    def _wants(self, job: Step) -> Step:
        found: Step = {}
        if job.get("skills"):
            found["needs"] = job["skills"]
        if isinstance(job.get("priority"), int | float):
            found["priority"] = 1 + job["priority"]
        return found

    def _vehicle(self, vehicle: Step) -> Step:
        factor = vehicle.get("speed_factor", 1.0)
        found: Step = {"id": vehicle.get("id"), "profile": vehicle.get("profile", _PROFILE)}
        is_number = isinstance(factor, int | float)
        found["speed"] = factor if self.matrices or not is_number else self.speed * factor
        for theirs, ours in (("skills", "skills"), ("time_window", "available")):
            if theirs in vehicle:
                found[ours] = vehicle[theirs]
        if "description" in vehicle:
            found["details"] = {"description": vehicle["description"]}
        return found

    def _top(self) -> Step:
        if not self.matrices:
            return {}
        rows = np.ix_(self.rows, self.rows)
        return {
            "matrices": {
                name: {part: table[rows] for part, table in tables.items()}
                for name, tables in self.matrices.items()
            }
        }
