"""The parts of a working day, gathered from rows of fields.

A part that no row gives stays out of the day. Rows are those of JSON, or of a table whose cells
were made into the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geopar.errors import Faults, InputError
from geopar.files.building import check_text
from geopar.files.json_objects import Objects, as_id, as_name, check_list
from geopar.files.times import Times, times_of
from geopar.files.wording import maybe, shown
from geopar.problems.day import GOALS, PER_HOUR, Bools, Day, TimeUnit
from geopar.problems.validation import LARGEST_NUMBER, Floats

TOP_FIELDS = ("matrices", "time_unit", "clock", "minimise", "loads")
TASK_FIELDS = ("service", "windows", "details")
REQUEST_FIELDS = ("released", "vehicles", "needs", "priority")
VEHICLE_FIELDS = (
    "profile", "available", "longest", "skills", "on_board", "locked", "details"
)  # fmt: skip
LONG_AGO = -LARGEST_NUMBER
SINGLE_NUMBERS = ("service", "released", "longest", "most_trips", "size", "priority", "speed")
MOST_PERMISSIONS = 200_000_000

Rows = Sequence[Objects]


class DayParts:
    """Gathers what makes a :class:`~geopar.problems.day.Day`.

    Parameters
    ----------
    named
        What a request is called: ``"customer"`` or ``"order"``.
    faults
        Where to note what is wrong.
    top
        What concerns all: matrices, the unit of time, the goal.
    tasks
        The rows of tasks: customers, or pickups and deliveries.
    requests
        Customers or orders.
    vehicles
        The fleet.
    depot
        Where there is one.
    """

    def __init__(
        self,
        named: str,
        faults: Faults,
        top: Objects,
        tasks: Rows,
        requests: Objects,
        vehicles: Objects,
        depot: Objects | None = None,
    ) -> None:
        self.faults, self.requests, self.vehicles = faults, requests, vehicles
        self.parts: dict[str, Any] = {}
        self._named = named
        given = top.rows[0]
        unit = self._word(given, "time_unit", tuple(PER_HOUR))
        self._word(given, "minimise", GOALS)
        self.unit: TimeUnit = "hours" if unit is None else unit
        times = [times_of(rows, "windows") for rows in tasks]
        times += [times_of(requests, "released"), times_of(vehicles, "available")]
        times += [] if depot is None else [times_of(depot, "opens", "closes")]
        values = [value for some in times for value in some]
        self.times = Times(faults, self.unit, values, given.get("clock"))
        if self.times.clock is not None:
            self.parts["clock"] = self.times.clock
        self._matrices(given)
        self._tasks(tasks)
        self._requests(len(tasks))
        self._vehicles()
        if depot is not None:
            self._depot(depot)

    def _word(self, given: Mapping[str, Any], name: str, known: Sequence[str]) -> Any:
        value = given.get(name)
        if value is None:
            return None
        if value not in known:
            hint = maybe(value if isinstance(value, str) else "", known)
            self.faults.add("unknown-value", name, shown(value), "is not known here.", hint)
            return None
        self.parts[name] = value
        return value

    def _matrices(self, given: Mapping[str, Any]) -> None:
        value = given.get("matrices")
        if value is None:
            return
        if not isinstance(value, dict) or not value:
            hint = 'Write {"car": {"durations": [[…], …]}}.'
            what = "must be an object with a matrix for each profile."
            self.faults.add("wrong-type", "matrices", shown(value), what, hint)
            return
        names = list(value)
        rows = Objects(self.faults, list(value.values()), lambda row: f"matrices.{names[row]}")
        rows.check_fields(("durations",), ("distances",))
        for name in names:
            check_text(self.faults, "matrices", name)
        if all("durations" in row for row in rows.rows):
            self.parts["matrices"] = {
                name: tuple(row[part] for part in ("durations", "distances") if part in row)
                for name, row in zip(names, rows.rows, strict=True)
            }

    def _tasks(self, tasks: Rows) -> None:
        if any(rows.has("service") for rows in tasks):
            self.parts["service"] = np.concatenate([rows.numbers("service", 0.0) for rows in tasks])
        if any(rows.has("windows") for rows in tasks):
            self.parts["windows"] = [windows for rows in tasks for windows in self._windows(rows)]

    def _windows(self, rows: Objects) -> list[list[tuple[float, float]]]:
        return [
            [
                self.times.span(rows.span_fields(row, "windows", i), span, -np.inf, np.inf)
                for i, span in enumerate(check_list(self.faults, value, field, least=0) or [])
            ]
            if value is not ... and value is not None
            else []
            for row, value in enumerate(rows.values("windows"))
            for field in (rows.field(row, "windows"),)
        ]

    def _requests(self, tasks_each: int) -> None:
        rows = self.requests
        if rows.has("released"):
            count = len(rows.rows)
            released = [
                self.times.read(rows.field(row, "released"), value, LONG_AGO)
                for row, value in enumerate(rows.values("released"))
            ]
            self.parts["released"] = released + [LONG_AGO] * (count * (tasks_each - 1))
        self._optional(rows, "priority", 1.0)
        if rows.has("vehicles", "needs"):
            allowed = self._allowed()
            if allowed is not None:
                self.parts["allowed"] = allowed

    def _allowed(self) -> Bools | None:
        """Who may: named, and with every skill that is needed."""
        count, fleet = len(self.requests.rows), len(self.vehicles.rows)
        if count * fleet > MOST_PERMISSIONS:
            limit = (
                f"pairs of a stop and a vehicle are more than the limit of {MOST_PERMISSIONS:,}."
            )
            self.faults.add("too-large", "vehicles", count * fleet, limit, "Split it up.")
            return None
        allowed = np.ones((count, fleet), dtype=np.bool_)
        number = self.vehicle_numbers
        for row, value in enumerate(self.requests.values("vehicles")):
            if value is ... or value is None:
                continue
            field = self.requests.field(row, "vehicles")
            allowed[row] = False
            allowed[row, self.numbers_of(value, field, number, "vehicle")] = True
        skills = [frozenset(self._texts(self.vehicles, v, "skills")) for v in range(fleet)]
        able: dict[frozenset[str], Bools] = {}
        for row in range(count):
            needs = frozenset(self._texts(self.requests, row, "needs"))
            if needs:
                if needs not in able:
                    able[needs] = np.array([needs <= one for one in skills], dtype=np.bool_)
                allowed[row] &= able[needs]
        return allowed

    def _texts(self, rows: Objects, row: int, name: str) -> list[str]:
        value = rows.rows[row].get(name)
        if value is None:
            return []
        field = rows.field(row, name)
        listed = check_list(self.faults, value, field, least=0) or []
        return [as_name(self.faults, f"{field}[{i}]", one) for i, one in enumerate(listed)]

    def numbers_of(self, value: Any, field: str, number: Mapping[str, int], what: str) -> list[int]:
        """A list of ids as numbers."""
        found = []
        for i, one in enumerate(check_list(self.faults, value, field, least=0) or []):
            name = as_id(self.faults, f"{field}[{i}]", one)
            if name is None:
                continue
            if name in number:
                found.append(number[name])
            else:
                hint = maybe(name, list(number)[:100])[:200]
                self.faults.add(
                    "unknown-id", f"{field}[{i}]", shown(name), f"is no {what} here.", hint
                )
        return found

    @property
    def vehicle_numbers(self) -> dict[str, int]:
        """By id, without another look at what is wrong with them."""
        return _numbers(self.vehicles, "v")

    @property
    def request_numbers(self) -> dict[str, int]:
        """Customers or orders by id."""
        return _numbers(self.requests, self._named[0])

    def _vehicles(self) -> None:
        rows = self.vehicles
        if rows.has("profile"):
            self._profiles(rows)
        if rows.has("available"):
            self.parts["available"] = [
                self.times.span(rows.span_fields(row, "available"), value, -np.inf, np.inf)
                for row, value in enumerate(rows.values("available"))
            ]
        self._optional(rows, "longest", np.inf)
        if rows.has("skills") and not self.requests.has("needs"):
            for row in range(len(rows.rows)):
                self._texts(rows, row, "skills")  # looked at, if not needed

    def _profiles(self, rows: Objects) -> None:
        names = list(self.parts.get("matrices", ()))
        only = names[0] if len(names) == 1 else None
        profiles = []
        for row, value in enumerate(rows.values("profile")):
            if value is ... or value is None:
                if only is None:
                    field, hint = rows.field(row, "profile"), "Give all vehicles one."
                    self.faults.add("missing-field", field, ..., "is missing.", hint)
                profiles.append(only or next(iter(names), ""))
            else:
                profiles.append(as_name(self.faults, rows.field(row, "profile"), value))
        self.parts["profile"] = profiles

    def _optional(self, rows: Objects, name: str, otherwise: float) -> None:
        if rows.has(name):
            self.parts[name] = rows.numbers(name, otherwise)

    def optional(self, *names: str) -> None:
        """Further numbers of vehicles, without a limit where they are left out."""
        for name in names:
            self._optional(self.vehicles, name, np.inf if name == "most_trips" else 1.0)

    def _depot(self, depot: Objects) -> None:
        row = depot.rows[0]
        times = {
            name: self.times.read(f"depot.{name}", row.get(name), otherwise)
            for name, otherwise in (("opens", -np.inf), ("closes", np.inf))
        }
        if times["opens"] > times["closes"]:
            self.times.add_reversed("depot", (row["opens"], row["closes"]))
        else:
            self.parts |= {name: times[name] for name in times if row.get(name) is not None}
        if depot.has("loading"):
            self.parts["loading"] = float(depot.numbers("loading", 0.0)[0])

    def loads(self, name: str = "demand", first: float = 0.0) -> tuple[Floats, Floats]:
        """Demands and capacities of the first dimension; further ones become parts of the day.

        Parameters
        ----------
        name
            How files call demands.
        first
            The demand of who has none, in the first dimension; zero in all others.
        """
        demand = self._load(self.requests, name, 0.0)
        unsaid = [value is ... or value is None for value in self.requests.values(name)]
        capacity = self._load(self.vehicles, "capacity", LARGEST_NUMBER)
        widths = {
            table.shape[1]: called
            for called, table in ((name, demand), ("capacity", capacity))
            if table.shape[1]
        }
        if len(widths) > 1:
            (one, called), (other, otherwise) = widths.items()
            what = f"dimensions, but {otherwise} has {other}."
            self.faults.add("wrong-length", called, one, what, "Give equally many each.")
        width = max(widths, default=1)
        demand, capacity = (
            np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=hole)
            for table, hole in ((demand, 0.0), (capacity, LARGEST_NUMBER))
        )
        demand[unsaid, 0] = first
        if width > 1:
            self.parts |= {"extra_demand": demand[:, 1:], "extra_capacity": capacity[:, 1:]}
        return demand[:, 0], capacity[:, 0]

    def _load(self, rows: Objects, name: str, hole: float) -> Floats:
        """One row each; without columns when nobody says anything."""
        values = rows.values(name)
        if not any(isinstance(value, list | tuple) for value in values):
            numbers = rows.numbers(name, hole)
            return numbers[:, None] if rows.has(name) else np.zeros((len(numbers), 0))
        width = max(len(value) for value in values if isinstance(value, list | tuple))
        lists = []
        for row, value in enumerate(values):
            if value is ... or value is None:
                lists.append([hole] * width)
            elif not isinstance(value, list | tuple) or len(value) != width:
                what = f"must be a list of {width}, as others are."
                field = rows.field(row, name)
                self.faults.add("wrong-length", field, shown(value), what, "Give equally many.")
                lists.append([hole] * width)
            else:
                lists.append(list(value))
        columns = [
            Objects(
                self.faults, [{name: one[i]} for one in lists], lambda row: rows.path(row)
            ).numbers(name, hole)
            for i in range(width)
        ]
        return np.column_stack(columns) if columns else np.zeros((len(values), 0))

    def on_board(self) -> None:
        """Whose goods are on board, by the ids of customers or orders."""
        rows, number = self.vehicles, self.request_numbers
        if rows.has("on_board"):
            self.parts["on_board"] = [
                []
                if value is ... or value is None
                else self.numbers_of(value, rows.field(v, "on_board"), number, self._named)
                for v, value in enumerate(rows.values("on_board"))
            ]

    def day(self) -> Day | None:
        """The day; none where nothing is asked for, or something is wrong with it."""
        if not self.parts:
            return None
        try:
            return Day(**self.parts)
        except InputError as error:
            self.faults.include(error)
        # Single numbers may be wrong besides, which only the problem can tell.
        return Day(**{name: self.parts[name] for name in SINGLE_NUMBERS if name in self.parts})


def _numbers(rows: Objects, prefix: str) -> dict[str, int]:
    if not rows.has("id"):
        return {f"{prefix}{i + 1}": i for i in range(len(rows.rows))}
    return {str(shown(value)): i for i, value in enumerate(rows.values("id"))}


def details_of(faults: Faults, tasks: Rows) -> dict[str, list[str]]:
    """What drivers are told, by name, of all rows."""
    found: dict[str, list[str]] = {}
    count, done = sum(len(rows.rows) for rows in tasks), 0
    for rows in tasks:
        for row, value in enumerate(rows.values("details") if rows.has("details") else ()):
            if value is ... or value is None:
                continue
            field = rows.field(row, "details")
            if not isinstance(value, dict):
                hint = 'Write {"phone": "…", "note": "…"}.'
                faults.add("wrong-type", field, shown(value), "must be an object.", hint)
                continue
            for name, text in value.items():
                check_text(faults, field, name)
                told = as_name(faults, f"{field}.{name}", text)
                found.setdefault(name, [""] * count)[done + row] = told
        done += len(rows.rows)
    return found


def about_of(
    faults: Faults, parts: DayParts, top: Objects, tasks: Rows, vehicles: Objects
) -> dict[str, Any]:
    """What a problem is given besides its numbers: the day, and what drivers are told."""
    return {
        "day": parts.day(),
        "details": details_of(faults, tasks),
        "vehicle_details": details_of(faults, (vehicles,)),
        "load_names": _load_names(faults, top.rows[0].get("loads")),
    }


def _load_names(faults: Faults, value: Any) -> list[str]:
    """What the dimensions of load are called."""
    if value is None:
        return []
    listed = check_list(faults, value, "loads") or []
    return [as_name(faults, f"loads[{i}]", one) for i, one in enumerate(listed)]
