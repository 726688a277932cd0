"""Random working days for any problem: for tests, benchmarks and trying things out.

A route that a vehicle could drive sets the scale: times are in parts of what it takes to serve all
tasks one by one, shared among the vehicles, so that a day is neither empty nor hopeless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geopar.problems import Problem
from geopar.problems.day import GOALS, Day
from geopar.problems.validation import LARGEST_NUMBER

PARTS = (
    "matrices", "service", "loading", "opens", "closes", "windows", "released", "available",
    "longest", "most_trips", "allowed", "start", "end", "speed", "size", "extra", "priority",
    "minimise",
)  # fmt: skip
"""What :func:`random_day` can draw."""

TOO_SHORT = 0.1  # of the vehicles have a shift in which hardly anything can be done
WITHOUT_LIMIT = 0.1  # of the shifts have no beginning, and as many no end


def random_day(
    problem: Problem,
    rng: np.random.Generator,
    parts: tuple[str, ...] | None = None,
    tightness: float = 1.0,
) -> Problem:
    """The problem with a random day.

    Parameters
    ----------
    problem
        Without a day, or its day is replaced.
    parts
        Which parts, of :data:`PARTS`; each with even odds when left out. Those that the problem
        does not have (``speed`` and ``size`` of HCVRP, ``loading`` of OMDCPDP) are passed over, and
        so are starts and ends beside matrices.
    tightness
        How narrow windows and shifts are: 1 leaves out a few requests, 0.5 hardly any.
    """
    if parts is None:
        parts = tuple(part for part in PARTS if rng.random() < 0.5)
    draw = _Draw(problem.replace(day=None), rng, tightness)
    makers = draw.makers()
    if "matrices" in parts:
        # Own starts and ends would need rows of their own.
        makers = {part: make for part, make in makers.items() if part not in ("start", "end")}
    given: dict[str, Any] = {}
    for part, make in makers.items():
        if part in parts:
            given |= make()
    return problem.replace(day=Day(**given))


class _Draw:
    def __init__(self, problem: Problem, rng: np.random.Generator, tightness: float) -> None:
        self.problem, self.rng, self.tightness = problem, rng, tightness
        self.n, self.m = problem.num_tasks, problem.num_vehicles
        self.requests = len(problem.request_ids)
        # As if every request were a tour of its own, shared evenly; several fit into one tour.
        tasks = np.arange(self.n)
        home = np.full(self.n, problem.homes[0])
        self.reach = float(problem.travel.duration(0, home, tasks).max())
        per_vehicle = self.n / self.m
        self.shift = self.reach * (2.0 + 0.6 * per_vehicle**0.5) / tightness
        self.places = len(problem.places)

    def makers(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """By part, for this problem."""
        foreign = {"speed", "size"}
        if not self.problem.comes_home:
            foreign = {"loading", "opens", "closes", "most_trips", "start", "end"}
        return {part: getattr(self, part) for part in PARTS if part not in foreign}

    def matrices(self) -> dict[str, Any]:
        """Streets: straight lines with detours that differ by direction, for two profiles."""
        problem, rng = self.problem, self.rng
        everywhere = np.arange(self.places)
        straight = problem.replace(day=None).travel.distance(
            everywhere[:, None], everywhere[None, :]
        )
        order = np.argsort(problem.matrix_rows)
        straight = straight[np.ix_(order, order)]
        found = {}
        for name in ("car", "bike"):
            detour = rng.uniform(1.0, 1.5, straight.shape)
            found[name] = (straight * detour, straight * rng.uniform(1.0, 1.5, straight.shape))
        profile = [("car", "bike")[int(rng.integers(2))] for _ in range(self.m)]
        return {"matrices": found, "profile": profile}

    def service(self) -> dict[str, Any]:
        """Short and long stops, and some that take no time."""
        return {"service": self.rng.choice([0.0, 0.05, 0.1], self.n) * self.reach}

    def loading(self) -> dict[str, Any]:
        """A while."""
        return {"loading": 0.1 * self.reach}

    def opens(self) -> dict[str, Any]:
        """The depot opens a little later than shifts begin."""
        return {"opens": 0.1 * self.reach}

    def closes(self) -> dict[str, Any]:
        """The depot closes when the day is over."""
        return {"closes": 1.2 * self.shift}

    def windows(self) -> dict[str, Any]:
        """None, one or two for each task."""
        rng, span = self.rng, self.shift

        def some() -> list[tuple[float, float]]:
            begins = np.sort(rng.uniform(0.0, 0.8 * span, int(rng.integers(3))))
            return [(b, b + rng.uniform(0.1, 0.4) * span / self.tightness) for b in begins]

        return {"windows": [some() for _ in range(self.n)]}

    def released(self) -> dict[str, Any]:
        """Some come in during the first half of the day."""
        late = self.rng.random(self.n) < 0.3
        released = np.where(late, self.rng.uniform(0.0, 0.4 * self.shift, self.n), 0.0)
        if not self.problem.comes_home:
            released[self.requests :] = -LARGEST_NUMBER
        return {"released": released}

    def available(self) -> dict[str, Any]:
        """Shifts of unlike length that begin at unlike times, or have no beginning or no end."""
        begin = self.rng.uniform(0.0, 0.2 * self.shift, self.m)
        length = self.shift * self.rng.uniform(0.7, 1.2, self.m)
        length[self.rng.random(self.m) < TOO_SHORT] = 0.05 * self.shift
        shifts = np.column_stack([begin, begin + length])
        missing = self.rng.random(shifts.shape) < WITHOUT_LIMIT
        return {"available": np.where(missing, [-np.inf, np.inf], shifts)}

    def longest(self) -> dict[str, Any]:
        """For some vehicles."""
        bound = self.shift * self.rng.uniform(0.5, 1.0, self.m)
        return {"longest": np.where(self.rng.random(self.m) < 0.5, bound, np.inf)}

    def most_trips(self) -> dict[str, Any]:
        """One to three."""
        return {"most_trips": self.rng.integers(1, 4, self.m)}

    def allowed(self) -> dict[str, Any]:
        """Most vehicles may serve most requests; now and then nobody may."""
        return {"allowed": self.rng.random((self.requests, self.m)) < 0.8}

    def extra(self) -> dict[str, Any]:
        """A second dimension of load."""
        demand = self.rng.uniform(0.0, 1.0, (self.requests, 1))
        capacity = self.rng.uniform(2.0, 6.0, (self.m, 1))
        found = {"extra_demand": demand, "extra_capacity": capacity}
        return found if self.problem.comes_home else found | self.size()

    def _own(self) -> Any:
        low, high = self.problem.places.min(0), self.problem.places.max(0)
        places = self.rng.uniform(low, high, (self.m, 2))
        places[1:][self.rng.random(self.m - 1) < 0.5] = np.nan
        return places

    def start(self) -> dict[str, Any]:
        """Some vehicles begin elsewhere."""
        return {"start": self._own()}

    def end(self) -> dict[str, Any]:
        """Some vehicles end elsewhere, and some where their last stop is."""
        places = self._own()
        places[self.rng.random(self.m) < 0.3] = np.inf
        return {"end": places}

    def speed(self) -> dict[str, Any]:
        """Up to twice as fast."""
        return {"speed": self.rng.uniform(1.0, 2.0, self.m)}

    def size(self) -> dict[str, Any]:
        """Half an order's room to all that the smallest vehicle has."""
        least = max(1.0, float(self.problem.capacity.min()))
        return {"size": self.rng.uniform(0.5, least, self.requests)}

    def priority(self) -> dict[str, Any]:
        """One to three."""
        return {"priority": self.rng.integers(1, 4, self.requests)}

    def minimise(self) -> dict[str, Any]:
        """Any goal."""
        return {"minimise": GOALS[int(self.rng.integers(len(GOALS)))]}
