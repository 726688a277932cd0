"""The rest of a day that is under way, as a problem of its own.

What has been driven by some moment follows from the plan (:mod:`geopar.replanning.whereabouts`).
What remains is a problem like any other: vehicles that are out begin where they are free, when they
are, with what they have on board.

- A shift ends when it did, and no later than what is left of the time on duty allows: whoever has
  begun is on duty until the end. Trips that were made count.
- A vehicle that is out of service is gone. HCVRP: what it has on board goes back to the depot, and
  trips with it leave when it is there. OMDCPDP: orders on board are picked up where the vehicle was
  last for certain.
- What is cancelled is dropped, wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopar.errors import Faults, refuse
from geopar.files.known_ids import check_kind
from geopar.files.wording import maybe, shown
from geopar.plan import Plan
from geopar.problems import HCVRP, Problem
from geopar.problems.day import Day
from geopar.problems.tasks import Stop, Task
from geopar.replanning import hcvrp, omdcpdp
from geopar.replanning.left import Left
from geopar.replanning.mending import known_once
from geopar.replanning.moments import moment_of
from geopar.replanning.whereabouts import Whereabouts, whereabouts


@dataclass(frozen=True, eq=False)
class RestOfDay:
    """What is left of a day at some moment.

    Parameters
    ----------
    day
        The problem of the whole day.
    plan
        What was driven until the moment.
    now
        The moment, in the problem's unit of time.
    problem
        The rest; None where nothing is left to do.
    start
        What the plan has for the rest: a plan to begin with.
    vehicles
        Where each vehicle of the day is, in its order.
    out_of_service, off_duty
        Who does nothing any more: broken down, or past the end of the shift.
    goods_back
        By vehicle out of service: when what it has on board can be had.
    cancelled
        What is dropped.
    """

    day: Problem
    plan: Plan
    now: float
    problem: Problem | None
    start: Plan
    vehicles: tuple[Whereabouts, ...]
    out_of_service: tuple[str, ...]
    off_duty: tuple[str, ...]
    goods_back: dict[str, float]
    cancelled: tuple[str, ...]

    @property
    def in_no_route(self) -> list[str]:
        """What the plan being driven does not have, in the problem's order."""
        planned = {
            _name_of(task) for route in self.plan.routes for trip in route.trips for task in trip
        }
        dropped = planned.union(self.cancelled)
        return [name for name in self.day.request_ids if name not in dropped]

    @property
    def done(self) -> tuple[Task, ...]:
        """What is served, or being served, vehicle after vehicle."""
        ids = self.day.task_ids
        return tuple(ids[task] for vehicle in self.vehicles for task in vehicle.done)


def rest_of_day(
    problem: Problem,
    plan: Plan,
    now: float | str,
    *,
    out_of_service: Iterable[str] = (),
    goods_back: float | str | None = None,
    cancelled: Iterable[str] = (),
) -> RestOfDay:
    """What is left to do at some moment of the day, by whom and from where.

    Parameters
    ----------
    problem
        The whole day, with all that the plan serves; stops and vehicles may be new.
    plan
        What is being driven. All is taken to have gone as its schedule says.
    now
        The moment: a number of the problem's unit of time, or ``"12:00"``, or an ISO date-time.
    out_of_service
        Vehicles that do nothing from now on.
    goods_back
        When the goods on board of those are at the depot again (HCVRP), or can be picked up where
        the vehicle stands (OMDCPDP). When left out: after the way to the depot, and at once.
    cancelled
        Customers or orders that are not served any more.

    Returns
    -------
    RestOfDay
        ``geopar.solve(rest.problem, start=rest.start)`` plans it.

    Raises
    ------
    geopar.errors.InputError
        With every fault found: an unknown vehicle or stop, a plan of another problem, a moment that
        is none, or nobody left for what is to be done.
    """
    faults = Faults()
    moment = moment_of(faults, problem, "now", now)
    gone, dropped = tuple(out_of_service), tuple(cancelled)
    _check_plan(faults, problem, plan)
    _check_named(faults, problem.vehicle_ids, "out_of_service", gone, "vehicle")
    _check_named(faults, problem.request_ids, "cancelled", dropped, problem.named)
    back = None if goods_back is None else moment_of(faults, problem, "goods_back", goods_back)
    if back is not None and not gone:
        what = "is for vehicles that are out of service."
        faults.add("unused-option", "goods_back", goods_back, what, "Name them, or leave it out.")
    elif back is not None and back < moment and not faults:
        what = "is before now."
        faults.add("out-of-range", "goods_back", goods_back, what, "Leave it out for at once.")
    faults.raise_if_any()

    routes = known_once(problem, plan)
    standing = whereabouts(problem, routes, moment)
    left = Left.of(problem, routes, standing, moment, set(gone), back, set(dropped))
    rest: Problem | None = None
    if left.requests:
        if not left.fleet:
            _refuse_nobody(problem, left)
        build = hcvrp.rest if isinstance(problem, HCVRP) else omdcpdp.rest
        rest = build(problem, left)  # type: ignore[arg-type]  # each has its own
        day = problem.day or Day()
        from_now = f"from {day.written(moment)}"
        rest = rest.replace(name=f"{problem.name}, {from_now}" if problem.name else from_now)
    start = Plan(problem.kind, ()) if rest is None else left.start(rest)
    names = problem.vehicle_ids
    return RestOfDay(
        problem, plan, moment, rest, start, tuple(standing),
        tuple(dict.fromkeys(gone)), tuple(names[v] for v in left.off_duty),
        {names[v]: at for v, at in left.goods_back.items()}, tuple(dict.fromkeys(dropped)),
    )  # fmt: skip


def _check_plan(faults: Faults, problem: Problem, plan: Plan) -> None:
    """All that a plan serves is in the problem: else nobody knows when it was where."""
    if plan.kind != problem.kind:
        check_kind(faults, plan, problem)
        return
    known = set(problem.task_ids)
    strangers = [task for route in plan.routes for task in route.tasks if task not in known]
    for name in dict.fromkeys(map(_name_of, strangers)):
        what = f"is served by the plan, but is no {problem.named} of the problem."
        hint = "Is it the right problem? What is cancelled stays in it, and is named as cancelled."
        faults.add("unknown-id", "plan", shown(name), what, hint)
    for route in plan.routes:
        if route.vehicle not in problem.vehicle_ids and any(route.trips):
            what = "drives in the plan, but is no vehicle of the problem."
            hint = "Who broke down stays in the problem, and is named as out of service."
            faults.add("unknown-vehicle", "plan", shown(route.vehicle), what, hint)


def _name_of(task: Task) -> str:
    return task.order if isinstance(task, Stop) else task


def _check_named(
    faults: Faults, known: Sequence[str], field: str, given: Sequence[Any], thing: str
) -> None:
    ids = frozenset(known)
    for name in given:
        if name not in ids:
            hint = maybe(name, known[:100])[:200]
            what = f"is no {thing} of the problem."
            code = "unknown-vehicle" if thing == "vehicle" else "unknown-id"
            faults.add(code, field, shown(name), what, hint)


def _refuse_nobody(problem: Problem, left: Left) -> None:
    names = ", ".join(problem.vehicle_ids[v] for v in np.sort([*left.gone, *left.off_duty])[:5])
    refuse(
        "nobody-left", "vehicles", ...,
        f"nobody is left for {len(left.requests)} {problem.named}s: {names} and others are out of "
        "service, or past the end of their shifts.",
        "Add a vehicle to the problem, or lengthen a shift.",
    )  # fmt: skip
