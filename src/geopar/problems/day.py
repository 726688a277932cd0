"""A working day: what real streets, drivers and customers add to a plain problem.

A problem without a day is the paper's: straight lines, stops that take no time, nobody who waits.
Every part of a day is optional, and a part that is left out changes nothing. Parts speak of three
things by number: *tasks* (customers; pickups, then deliveries), *requests* (customers or orders:
what is served or left out as a whole) and *vehicles*.

How time goes is said once, here, and the checker and every solver keep to it:

- A vehicle begins at its start, not before its ``available`` time. With a depot each trip is loaded
  there: loading takes ``loading``, begins when the depot is open and the vehicle there, and the
  trip does not leave before all of its goods are ``released``. Vehicles with a start of their own
  drive to the depot first, unless they are under way. Without a depot a vehicle is loaded where it
  starts, takes no time for it, and makes one trip.
- A stop is served inside one of its ``windows``: service begins there, and may end later. Who comes
  too early waits, who comes after the last window is late.
- After its last stop a vehicle drives to its end, or stays where it is. It must be done before its
  ``available`` time is over. Whenever it is at the depot, loading included, the depot is open.
- A vehicle leaves as late as it can without serving any stop later than it must, so that there is
  time to spare before windows close. Where its time on duty is limited or minimised it leaves as
  late as it can without finishing later than it must; from then to its finish it is on duty,
  ``longest`` at most. One that is under way is not kept waiting: it goes on at once, unless its
  time on duty is limited or minimised.
- The makespan counts from the earliest ``available`` time of the fleet to the last finish.

Where shifts, windows, released goods or other limits leave no room, requests may be left out. The
sum of their ``priority`` is minimised before anything else.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from geopar.errors import Faults
from geopar.problems import validation
from geopar.problems.clock import Clock, is_clock
from geopar.problems.validation import LARGEST_NUMBER, SMALLEST_POSITIVE, Column, Floats, read_only

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Goal = Literal["makespan", "arrivals", "duration", "distance"]
TimeUnit = Literal["hours", "minutes", "seconds"]

GOALS: tuple[Goal, ...] = get_args(Goal)
PER_HOUR: dict[TimeUnit, float] = {"hours": 1.0, "minutes": 60.0, "seconds": 3600.0}
"""How many of each unit an hour has."""


class Matrix(NamedTuple):
    """Travel between all places, for vehicles of one profile.

    Rows and columns are in the order of files: HCVRP the depot, the customers, then each start
    and end that a vehicle has of its own; OMDCPDP the starts, the pickups, the deliveries.

    Parameters
    ----------
    durations
        How long a vehicle of speed one takes, from row to column.
    distances
        How far it is; the durations again when left out.
    """

    durations: Floats
    distances: Floats


class Windows(NamedTuple):
    """When each task may be served: its windows are ``offset[i]`` to ``offset[i + 1]``, in order.

    A task without any may be served at all times.
    """

    offset: Ints
    opens: Floats
    closes: Floats


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Day:
    """What a working day asks for; parts that are left out are ``None``.

    Parameters
    ----------
    matrices
        By profile: ``durations`` or ``(durations, distances)``, see :class:`Matrix`.
    profile
        Which of them each vehicle drives by; the only one when left out.
    time_unit
        In which all times are; speeds of longitudes and latitudes stay km/h.
    clock
        How times are written: as numbers when left out, ``"HH:MM"`` as times of day, or as dates
        with times, counted from this midnight (``"2026-11-17T00:00:00"``).
    service
        How long the service of each task takes.
    loading
        How long it takes at the depot before each trip.
    opens, closes
        Of the depot.
    windows
        For each task a list of ``(opens, closes)``.
    released
        HCVRP: when the goods of each customer are at the depot. OMDCPDP: before which a pickup
        is not begun; deliveries have none.
    available
        ``(from, to)`` of each vehicle. Without a limit (-∞) it is there from 0 on, as vehicles of
        a day without this part are.
    longest
        Time on duty of each vehicle at most.
    most_trips
        Of each vehicle.
    allowed
        ``(requests, vehicles)``: who may serve what.
    extra_demand, extra_capacity
        Further dimensions of load: ``(requests, D)`` and ``(vehicles, D)``.
    start, end
        HCVRP: ``(x, y)`` of each vehicle, NaN for the depot; an end of ±∞ is open.
    has_depot
        Whether goods come from the depot, or vehicles are loaded where they start.
    speed
        OMDCPDP: of each vehicle.
    size
        OMDCPDP: the room that each order takes.
    priority
        What it costs to leave a request out, 1 when left out.
    on_board
        HCVRP: for each vehicle that is under way the customers whose goods it carries: they are
        its first trip, from its start, without loading. OMDCPDP: orders that it has picked up:
        their pickups are its first stops, at its start.
    locked
        For each vehicle the trips (HCVRP) or the one list of stops (OMDCPDP) with which its route
        begins, as they are.
    minimise
        The goal; makespan for HCVRP and arrivals for OMDCPDP when left out. Ties go to the others.

    Raises
    ------
    geopar.errors.InputError
        With every fault found. What depends on the problem is checked when it is made.
    """

    matrices: Mapping[str, Matrix] | None
    profile: tuple[str, ...] | None
    time_unit: TimeUnit
    clock: str | None
    service: Floats | None
    loading: float
    opens: float
    closes: float
    windows: Windows | None
    released: Floats | None
    available: Floats | None
    longest: Floats | None
    most_trips: Floats | None
    allowed: Bools | None
    extra_demand: Floats | None
    extra_capacity: Floats | None
    start: Floats | None
    end: Floats | None
    has_depot: bool
    speed: Floats | None
    size: Floats | None
    priority: Floats | None
    on_board: tuple[tuple[int, ...], ...] | None
    locked: tuple[tuple[tuple[int, ...], ...], ...] | None
    minimise: Goal | None

    def __init__(
        self,
        *,
        matrices: Mapping[str, Any] | None = None,
        profile: Sequence[str] | None = None,
        time_unit: TimeUnit = "hours",
        clock: str | None = None,
        service: Any = None,
        loading: float = 0.0,
        opens: float = -np.inf,
        closes: float = np.inf,
        windows: Sequence[Sequence[tuple[float, float]]] | Windows | None = None,
        released: Any = None,
        available: Any = None,
        longest: Any = None,
        most_trips: Any = None,
        allowed: Any = None,
        extra_demand: Any = None,
        extra_capacity: Any = None,
        start: Any = None,
        end: Any = None,
        has_depot: bool = True,
        speed: Any = None,
        size: Any = None,
        priority: Any = None,
        on_board: Sequence[Sequence[int]] | None = None,
        locked: Sequence[Sequence[Sequence[int]]] | None = None,
        minimise: Goal | None = None,
    ) -> None:
        faults = Faults()

        def floats(name: str, value: Any, columns: int | None = None) -> Floats | None:
            return None if value is None else validation.as_floats(faults, name, value, columns)

        def table(name: str, value: Any) -> Floats | None:
            return None if value is None else _table(faults, name, value)

        validation.set_fields(
            self,
            matrices=None if matrices is None else _matrices(faults, matrices),
            profile=None if profile is None else tuple(map(str, profile)),
            time_unit=time_unit,
            clock=clock,
            service=floats("service", service),
            loading=float(loading),
            opens=float(opens),
            closes=float(closes),
            windows=None if windows is None else _windows(faults, windows),
            released=floats("released", released),
            available=_shifts(floats("available", available, 2)),
            longest=floats("longest", longest),
            most_trips=floats("most_trips", most_trips),
            allowed=None if allowed is None else np.array(allowed, dtype=np.bool_),
            extra_demand=table("demand", extra_demand),
            extra_capacity=table("capacity", extra_capacity),
            start=floats("start", start, 2),
            end=floats("end", end, 2),
            has_depot=bool(has_depot),
            speed=floats("speed", speed),
            size=floats("size", size),
            priority=floats("priority", priority),
            on_board=None if on_board is None else tuple(tuple(map(int, o)) for o in on_board),
            locked=None
            if locked is None
            else tuple(tuple(tuple(map(int, trip)) for trip in trips) for trips in locked),
            minimise=minimise,
        )
        self._check_values(faults)
        faults.raise_if_any()

    def _check_values(self, faults: Faults) -> None:
        """Note single values that nothing could mean."""
        if self.time_unit not in PER_HOUR:
            units = ", ".join(PER_HOUR)
            faults.add(
                "unknown-value", "time_unit", self.time_unit, "is no unit of time.", f"{units}."
            )
        if self.clock is not None and not is_clock(self.clock):
            hint = "HH:MM, or the ISO date of a midnight."
            faults.add("unknown-value", "clock", self.clock, "is no way to write times.", hint)
        if self.minimise is not None and self.minimise not in GOALS:
            goals = ", ".join(GOALS)
            faults.add(
                "unknown-value", "minimise", self.minimise, "is no goal.", f"Known: {goals}."
            )
        if not 0 <= self.loading <= LARGEST_NUMBER:
            faults.add("out-of-range", "loading", self.loading, "must be zero or more.")
        if not self.opens <= self.closes:
            faults.add(
                "ends-before-it-begins", "depot closes", self.closes,
                f"is before it opens, {self.opens:g}.", "Swap them.",
            )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _same(vars_of(self), vars_of(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Day: {', '.join(self.parts) or 'nothing asked'}>"

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all that is asked for."""
        given = vars_of(self)
        return tuple(name for name, value in given.items() if not _same(value, _PLAIN[name]))

    @property
    def waits(self) -> bool:
        """Whether a vehicle may have to wait, so that times are more than sums."""
        return self.windows is not None or self.released is not None or self.opens > -np.inf

    @property
    def may_leave_out(self) -> bool:
        """Whether limits may leave no room for a request, so that it may be left out."""
        limits = (
            self.windows, self.available, self.longest, self.most_trips, self.allowed,
            self.extra_capacity, self.size, self.locked, self.on_board,
        )  # fmt: skip
        return (
            any(limit is not None for limit in limits)
            or np.isfinite(self.closes)
            or not self.has_depot
        )

    def written(self, number: float) -> str:
        """A time for people, as the day's clock has it."""
        return f"{number:g}" if self.clock is None else self.how_written.text(number)

    @property
    def how_written(self) -> Clock:
        """The clock, of a day that has one."""
        return Clock.of(PER_HOUR[self.time_unit], self.clock or "HH:MM")

    def replace(self, **changes: Any) -> Self:
        """A copy with some parts changed."""
        return type(self)(**(vars_of(self) | changes))

    def select(self, tasks: Ints, requests: Ints, vehicles: Ints, places: Ints) -> Day:
        """The day of some of the tasks, requests and vehicles.

        Parameters
        ----------
        tasks, requests, vehicles
            Indices, in the order in which they are kept.
        places
            The rows of the matrices that are kept.
        """

        def rows(value: Any, index: Ints) -> Any:
            return None if value is None else value[index]

        windows = self.windows
        if windows is not None:
            windows = _windows(Faults(), [windows_of(windows, int(i)) for i in tasks])
        by_request = {name: rows(getattr(self, name), requests) for name in _BY_REQUEST}
        by_vehicle = {name: rows(getattr(self, name), vehicles) for name in _BY_VEHICLE}
        return self.replace(
            service=rows(self.service, tasks),
            released=rows(self.released, tasks),
            windows=windows,
            allowed=None if self.allowed is None else self.allowed[np.ix_(requests, vehicles)],
            matrices=self.matrices
            and {
                name: Matrix(*(part[np.ix_(places, places)] for part in matrix))
                for name, matrix in self.matrices.items()
            },
            profile=self.profile and tuple(self.profile[v] for v in vehicles),
            on_board=self.on_board and _renumbered_lists(self.on_board, vehicles, tasks),
            locked=self.locked
            and tuple(_renumbered_lists(self.locked[v], None, tasks) for v in vehicles),
            **by_request,
            **by_vehicle,
        )

    def check(self, faults: Faults, things: Things) -> None:
        """Everything that depends on how many tasks, requests and vehicles there are."""
        _check_lengths(self, faults, things)
        if faults:
            return
        _check_values(self, faults, things)
        _check_lists(self, faults, things)


class Things(NamedTuple):
    """What the parts of a day are about, for checks and messages.

    ``request`` is what a request is called; ``num_places`` counts the rows of a matrix.
    """

    request: str
    request_ids: tuple[str, ...]
    vehicle_ids: tuple[str, ...]
    num_tasks: int
    num_places: int


_BY_TASK = ("service", "released")
_BY_REQUEST = ("extra_demand", "size", "priority")
_BY_VEHICLE = (
    "available", "longest", "most_trips", "extra_capacity", "start", "end", "speed"
)  # fmt: skip


def vars_of(day: Any) -> dict[str, Any]:
    """All parts by name."""
    return {field.name: getattr(day, field.name) for field in dataclasses.fields(day)}


def windows_of(windows: Windows, task: int) -> list[tuple[float, float]]:
    """Those of one task."""
    at = slice(windows.offset[task], windows.offset[task + 1])
    return list(zip(windows.opens[at].tolist(), windows.closes[at].tolist(), strict=True))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and one == other


def _table(faults: Faults, name: str, value: Any) -> Floats:
    try:
        array = np.array(value, dtype=np.float64, ndmin=2, order="C")
    except (TypeError, ValueError):
        faults.add("not-a-number", name, ..., "is not made of equally many numbers each.")
        return np.zeros((0, 0))
    if array.ndim != 2:
        faults.add("wrong-shape", name, array.shape, "must be a table of numbers.")
        return np.zeros((0, 0))
    return read_only(array)


def _shifts(given: Floats | None) -> Floats | None:
    """Who may begin at any time begins at 0, so that a day has a first moment to count from."""
    if given is None or not np.isneginf(given[:, 0]).any():
        return given
    return read_only(np.where(np.isneginf(given) & [True, False], 0.0, given))


def _matrices(faults: Faults, given: Mapping[str, Any]) -> dict[str, Matrix]:
    """Square matrices of equal size, without holes; nothing is copied that is an array already."""
    found = {}
    for name, value in given.items():
        parts = value if isinstance(value, tuple) else (value,)
        tables = [
            _square(faults, f"matrices.{name}.{part}", table)
            for part, table in zip(("durations", "distances"), parts, strict=False)
        ]
        found[str(name)] = Matrix(tables[0], tables[-1])
    return found


def _square(faults: Faults, field: str, value: Any) -> Floats:
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        faults.add("not-a-number", field, ..., "is not made of equally many numbers each.")
        return np.zeros((0, 0))
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        faults.add("wrong-shape", field, array.shape, "must have as many rows as columns.")
        return np.zeros((0, 0))
    if array.size and not (array.min() >= 0.0 and array.max() <= LARGEST_NUMBER):
        wrong = ~((array >= 0.0) & (array <= LARGEST_NUMBER))
        for row, column in np.argwhere(wrong)[:5].tolist():
            number = array[row, column]
            what = (
                "is missing." if np.isnan(number) else f"must lie between 0 and {LARGEST_NUMBER:g}."
            )
            hint = "Give what it takes, or remove the place that cannot be reached."
            faults.add("bad-travel", f"{field}[{row}][{column}]", number, what, hint)
    if array is value and array.flags.writeable:
        array = array.view()
    return read_only(array)


def _windows(faults: Faults, given: Any) -> Windows:
    """Windows in order, those that touch or overlap joined."""
    if isinstance(given, Windows):
        return given
    offset, opens, closes = [0], list[float](), list[float]()
    for task, some in enumerate(given):
        last = None
        for begin, end in sorted((float(a), float(b)) for a, b in some):
            if not begin <= end:
                field, hint = f"windows of task {task}", "Swap them, or remove the window."
                what = f"ends before it begins, {begin:g}."
                faults.add("ends-before-it-begins", field, end, what, hint)
            elif last is not None and begin <= closes[last]:
                closes[last] = max(closes[last], end)
            else:
                opens.append(begin)
                closes.append(end)
                last = len(opens) - 1
        offset.append(len(opens))
    return Windows(
        np.array(offset, dtype=np.int64), read_only(np.array(opens)), read_only(np.array(closes))
    )


def _renumbered_lists(
    lists: Sequence[Sequence[int]], kept: Ints | None, tasks: Ints
) -> tuple[tuple[int, ...], ...]:
    """Lists of tasks by new numbers, without those that are gone."""
    number = {int(old): new for new, old in enumerate(tasks)}
    chosen = lists if kept is None else [lists[i] for i in kept]
    return tuple(tuple(number[t] for t in some if t in number) for some in chosen)


def _check_lengths(day: Day, faults: Faults, things: Things) -> None:
    requests, vehicles = len(things.request_ids), len(things.vehicle_ids)
    expected = dict.fromkeys(_BY_TASK, things.num_tasks)
    expected |= dict.fromkeys(_BY_REQUEST, requests)
    expected |= dict.fromkeys((*_BY_VEHICLE, "profile", "on_board", "locked"), vehicles)
    for name, count in expected.items():
        value = getattr(day, name)
        if value is not None:
            validation.check_same_length(faults, name, len(value), "the problem", count)
    if day.windows is not None:
        given = len(day.windows.offset) - 1
        validation.check_same_length(faults, "windows", given, "the problem", things.num_tasks)
    if day.allowed is not None and day.allowed.shape != (requests, vehicles):
        what = f"must be one row for each {things.request} and one column for each vehicle."
        faults.add("wrong-shape", "allowed", day.allowed.shape, what)
    more = [day.extra_demand, day.extra_capacity]
    if more[0] is not None and more[1] is not None and more[0].shape[1] != more[1].shape[1]:
        what = f"dimensions, but capacity has {more[1].shape[1] + 1}."
        faults.add("wrong-length", "demand", more[0].shape[1] + 1, what)
    elif (more[0] is None) != (more[1] is None):
        faults.add("wrong-length", "demand", ..., "and capacity need as many dimensions each.")
    for name, matrix in (day.matrices or {}).items():
        for part, table in zip(Matrix._fields, matrix, strict=True):
            again = part == "distances" and table is matrix.durations
            if len(table) != things.num_places and not again:
                what = f"rows, but there are {things.num_places} places."
                hint = "Give one for each, in the order of the file: depot or starts first."
                faults.add("wrong-length", f"matrices.{name}.{part}", len(table), what, hint)
    if day.profile is not None and day.matrices is not None:
        for v, name in enumerate(day.profile):
            if name not in day.matrices:
                field, hint = f"vehicle {things.vehicle_ids[v]} profile", "Add its matrix."
                faults.add("unknown-value", field, name, "has no matrix.", hint)
    elif day.matrices is not None and len(day.matrices) != 1:
        faults.add("missing-field", "profile", ..., "is needed where there are several matrices.")


def _check_values(day: Day, faults: Faults, things: Things) -> None:
    task_names = [things.request_ids[i % len(things.request_ids)] for i in range(things.num_tasks)]
    by_task = [("service", day.service, 0.0), ("released", day.released, -LARGEST_NUMBER)]
    by_request = [
        ("size", day.size, 0.0),
        ("priority", day.priority, SMALLEST_POSITIVE),
    ]
    by_vehicle = [
        ("longest", day.longest, 0.0),
        ("most_trips", day.most_trips, 0.0),
        ("speed", day.speed, SMALLEST_POSITIVE),
    ]
    for thing, ids, columns in (
        (things.request, task_names, by_task),
        (things.request, things.request_ids, by_request),
        ("vehicle", things.vehicle_ids, by_vehicle),
    ):
        for name, values, low in columns:
            if values is None:
                continue
            finite = np.where(np.isposinf(values), LARGEST_NUMBER, values)
            validation.check_range(faults, Column(thing, name, ids, finite), low, LARGEST_NUMBER)
    trips = () if day.most_trips is None else day.most_trips.tolist()
    for v, most in enumerate(trips):
        if most != np.inf and most % 1:
            field, what = f"vehicle {things.vehicle_ids[v]} most_trips", "must be a whole number."
            faults.add("out-of-range", field, most, what, "Leave it out for no limit.")
    if day.available is not None:
        begin, end = day.available.T
        for v in np.flatnonzero(~(begin <= end) | np.isposinf(begin)).tolist():
            field = f"vehicle {things.vehicle_ids[v]} available"
            what = "ends before it begins."
            faults.add("ends-before-it-begins", field, day.available[v], what, "Swap them.")
    if not day.has_depot and (day.start is None or np.isnan(day.start).any()):
        what = "is needed for every vehicle where there is no depot."
        faults.add("missing-field", "start", ..., what, "Give it, or a depot.")


def _check_lists(day: Day, faults: Faults, things: Things) -> None:
    """Nothing is on board of or locked to two vehicles, twice, or for who may not.

    Where vehicles come home, what is on board is the first trip, so a lock must say the same.
    """
    seen: dict[int, int] = {}
    requests = len(things.request_ids)
    for what, lists in (
        ("on_board", day.on_board or ()),
        ("locked", [tuple(t for trip in trips for t in trip) for trips in day.locked or ()]),
    ):
        for v, tasks in enumerate(lists):
            field = f"vehicle {things.vehicle_ids[v]} {what}"
            for task in sorted(t for t, count in Counter(tasks).items() if count > 1):
                name = things.request_ids[task % requests]
                faults.add("contradicting-locks", field, name, "is there twice.", "Keep one.")
            for task in tasks:
                if not 0 <= task < things.num_tasks:
                    faults.add("unknown-task", field, task, "is not there.")
                    continue
                name = things.request_ids[task % requests]
                other = seen.setdefault(task % requests, v)
                if other != v:
                    whom = things.vehicle_ids[other]
                    hint = "Keep one of them."
                    faults.add("contradicting-locks", field, name, f"is {whom}'s as well.", hint)
                if day.allowed is not None and not day.allowed[task % requests, v]:
                    what_not, hint = "may not be served by it.", "Allow it, or take it off."
                    faults.add("contradicting-locks", field, name, what_not, hint)
    if day.on_board is None or day.locked is None or requests < things.num_tasks:
        return
    for v, (aboard, trips) in enumerate(zip(day.on_board, day.locked, strict=True)):
        if aboard and any(trips) and set(aboard) != set(next(filter(None, trips))):
            field = f"vehicle {things.vehicle_ids[v]} locked"
            what = "does not begin with the trip that serves what is on board."
            faults.add("contradicting-locks", field, ..., what, "Lock that trip as well.")


_PLAIN = vars_of(Day())
