"""Random working days of any mix, each taken the whole way that a user's file takes.

A day is drawn, written and read again, solved with a small budget, from nothing or from a plan that
does not fit, and judged by the checker and by :mod:`geopar.testing.second_checker`. Half of them
are planned again in the course of the day (:mod:`geopar.testing.replayed_days`). The seed of a day
is all that is needed to see it again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from geopar.checking import check
from geopar.errors import GeoparError, InputError
from geopar.files import parse_json, problem_from_json
from geopar.files.problem_json import problem_text
from geopar.files.problem_npz import batch_from_npz, batch_to_npz
from geopar.plan import Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.day import windows_of
from geopar.problems.random import generate
from geopar.problems.random_day import PARTS, random_day
from geopar.problems.validation import LARGEST_NUMBER
from geopar.replanning.keeping import keep
from geopar.replanning.rest import rest_of_day
from geopar.schedule import schedule
from geopar.solving import solve
from geopar.stop import MaxIterations
from geopar.testing.replayed_days import faults_of
from geopar.testing.second_checker import second_opinion

# Most days are small, where everything meets; some have room for more to happen.
MOST_TASKS, MOST_VEHICLES, LARGE = 10, 4, 30
SOLVERS = ("refine", "refine", "refine", "insert")
FORMATS = ("json", "json", "json", "npz")
MOST_ITERATIONS = 300
CLOSE = 1e-6


class Failure(NamedTuple):
    """What went wrong with the day of a seed."""

    seed: int
    what: str


def drawn(seed: int) -> Problem:
    """The problem of a seed: any kind, size, mix of parts, goal and tightness."""
    rng = np.random.default_rng(seed)
    kind = ("hcvrp", "omdcpdp")[int(rng.integers(2))]
    most = LARGE if rng.random() < 0.1 else MOST_TASKS
    tasks = int(rng.integers(1, most + 1)) * (1 if kind == "hcvrp" else 2)
    problem = generate(
        f"{kind}/{tasks}/{rng.integers(1, MOST_VEHICLES + 1)}", int(rng.integers(99))
    )
    odds = rng.choice([0.15, 0.5, 0.8])
    parts = ("service", *(part for part in PARTS if rng.random() < odds))
    problem = random_day(problem, rng, parts, tightness=rng.choice([0.3, 1.0, 2.0]))
    problem = _with_promises(problem, rng)
    return _in_whole_numbers(problem) if rng.random() < 0.3 else problem


def _with_promises(problem: Problem, rng: np.random.Generator) -> Problem:
    """Perhaps vehicles that are under way, locked stops, or no depot."""
    how = rng.choice(["plain", "no depot", "under way", "locked", "both"])
    day, m = problem.day, problem.num_vehicles
    assert day is not None
    if how == "plain":
        return problem
    if how == "no depot":
        if not isinstance(problem, HCVRP) or day.matrices is not None:
            return problem
        anywhere, ends = rng.random((m, 2)), rng.random((m, 2))
        ends[rng.random(m) < 0.5] = np.inf
        changes: dict[str, Any] = {"has_depot": False, "start": anywhere, "end": ends}
        changes |= {"opens": -np.inf, "closes": np.inf, "loading": 0.0}
        return problem.replace(depot=anywhere[0], day=day.replace(**changes))
    requests = len(problem.request_ids)
    certain = rng.permutation(requests)[: rng.integers(0, 1 + requests // 2)]
    owner = rng.integers(0, m, len(certain))
    lists = [certain[owner == v].tolist() for v in range(m)]
    allowed = None
    if day.allowed is not None:
        # What is certain must not be forbidden.
        allowed = day.allowed.copy()
        allowed[certain, owner] = True
    locked = [_trips(problem, some, rng) for some in lists]
    aboard: list[list[int]] = [[] for _ in range(m)]
    if how == "under way":
        return problem.replace(day=day.replace(on_board=lists, allowed=allowed))
    if how == "both":
        # What is on board is what the first locked trip, or the first stops, serve.
        first = [trips[0] if trips else [] for trips in locked]
        aboard = [
            trip if problem.comes_home else [t for t in trip[:1] if t < requests] for trip in first
        ]
    return problem.replace(day=day.replace(on_board=aboard, locked=locked, allowed=allowed))


def _trips(problem: Problem, some: list[int], rng: np.random.Generator) -> list[list[int]]:
    """Locked trips, or the one list of stops of an OMDCPDP, of which some are still on board."""
    if not some:
        return []
    if problem.comes_home:
        cut = int(rng.integers(1, len(some) + 1))
        return [trip for trip in (some[:cut], some[cut:]) if trip]
    delivered = some[: int(rng.integers(0, len(some) + 1))]
    return [[*some, *(len(problem.request_ids) + order for order in delivered)]]


def _in_whole_numbers(problem: Problem) -> Problem:
    """Everything on a coarse grid, so that ties and exact ends of windows are common."""
    day = problem.day
    assert day is not None

    def whole(value: Any) -> Any:
        return None if value is None else np.round(np.asarray(value) * 10.0)

    windows = day.windows and [
        whole(windows_of(day.windows, task)).tolist() for task in range(problem.num_tasks)
    ]
    matrices: Any = day.matrices and {
        name: tuple(whole(table) for table in matrix) for name, matrix in day.matrices.items()
    }
    names = ("service", "released", "available", "longest", "start", "end")
    changes = {name: whole(getattr(day, name)) for name in names}
    if day.released is not None:
        changes["released"] = np.maximum(changes["released"], -LARGEST_NUMBER)
    for name in ("loading", "opens", "closes"):
        changes[name] = float(whole(getattr(day, name)))
    day = day.replace(windows=windows, matrices=matrices, **changes)
    if isinstance(problem, HCVRP):
        where = {"depot": whole(problem.depot), "customers": whole(problem.customers)}
        return problem.replace(day=day, speed=np.ceil(problem.speed), **where)
    where = {name: whole(getattr(problem, name)) for name in ("starts", "pickups", "deliveries")}
    return problem.replace(day=day, **where)


def failures(seed: int) -> Iterator[Failure]:
    """Take the day of a seed the whole way; what went wrong, if anything."""
    try:
        problem = drawn(seed)
        rng = np.random.default_rng((seed, 1))
        for what in _tried(problem, rng):
            yield Failure(seed, what)
    except (GeoparError, AssertionError, ArithmeticError, LookupError, TypeError, ValueError) as e:
        yield Failure(seed, f"{type(e).__name__}: {e}")


def _tried(problem: Problem, rng: np.random.Generator) -> Iterator[str]:
    if rng.choice(FORMATS) == "npz":
        again = batch_from_npz(batch_to_npz([problem]), "day", "")[0]
    else:
        again = problem_from_json(parse_json(problem_text(problem).encode()))
    if again.replace(name=problem.name) != problem:
        yield "the file does not say the same"
    start = None
    if rng.random() < 0.3:
        start = _any_plan(problem, rng)
        yield from _opinions_on(problem, start)
        if rng.random() < 0.3:
            problem = keep(problem, start, float(rng.random()) * 2.0)
    solver = str(rng.choice(SOLVERS))
    stop = MaxIterations(int(rng.integers(MOST_ITERATIONS)))
    result = solve(problem, stop, int(rng.integers(99)), solver=solver, start=start)
    if result.is_fallback:
        yield f"{solver} made a broken plan: {result.notes[-1]}"
    yield from _opinions_on(problem, result.plan)
    if rng.random() < 0.5:
        yield from _planned_again(problem, result.plan, rng)


def _planned_again(problem: Problem, plan: Plan, rng: np.random.Generator) -> Iterator[str]:
    """Some hours into the day, perhaps without some vehicles and stops; the day is replayed."""
    tables = schedule(problem, plan.to_indices(problem))
    first, last = problem.first_start, max(table.finish for table in tables)
    now = first + (last - first) * float(rng.uniform(-0.1, 1.1))
    gone = [name for name in problem.vehicle_ids[1:] if rng.random() < 0.3]
    cancelled = [name for name in problem.request_ids if rng.random() < 0.1]
    try:
        rest = rest_of_day(problem, plan, now, out_of_service=gone, cancelled=cancelled)
    except InputError as error:
        if {fault.code for fault in error.faults} != {"nobody-left"}:
            raise
        return
    if rest.problem is None:
        return
    again = problem_from_json(parse_json(problem_text(rest.problem).encode()))
    if again != rest.problem:
        yield "the file of the rest does not say the same"
    result = solve(rest.problem, MaxIterations(50), 0, start=rest.start)
    if result.is_fallback:
        yield f"the rest has a broken plan: {result.notes[-1]}"
    yield from _opinions_on(rest.problem, result.plan)
    yield from (f"the day replayed: {what}" for what in faults_of(rest, result.plan))


def _any_plan(problem: Problem, rng: np.random.Generator) -> Plan:
    """Every request on some vehicle, in any order: a plan of a day that was another."""
    routes: list[list[list[int]]] = [[] for _ in range(problem.num_vehicles)]
    requests = len(problem.request_ids)
    for request in rng.permutation(requests).tolist():
        trips = routes[int(rng.integers(problem.num_vehicles))]
        if (problem.comes_home and (not trips or rng.random() < 0.3)) or not trips:
            trips.append([])
        trips[-1] += [request] if problem.comes_home else [request, requests + request]
    return Plan.from_indices(problem, routes)


def _opinions_on(problem: Problem, plan: Plan) -> Iterator[str]:
    """Where the two checkers differ."""
    report = check(problem, Plan(plan.kind, plan.routes))
    codes, goal = second_opinion(problem, plan)
    found = Counter(violation.code for violation in report.violations)
    if found != codes:
        yield f"the checkers differ: {dict(found)}, {dict(codes)}"
    elif report.feasible and not math.isclose(report.objective, goal, rel_tol=CLOSE, abs_tol=CLOSE):
        yield f"the checkers differ: objective {report.objective!r}, {goal!r}"


def campaign(count: int, first: int) -> Iterator[tuple[int, list[Failure]]]:
    """So many days, from a first seed on: each seed with what went wrong."""
    for seed in range(first, first + count):
        yield seed, list(failures(seed))
