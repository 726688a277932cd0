"""What a plan begins soon is left alone: who serves it stays, when is worked out anew."""

from __future__ import annotations

from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.day import Day
from geopar.replanning.mending import known_once, may
from geopar.schedule import Timetable, schedule


def keep(problem: Problem, plan: Plan, span: float) -> Problem:
    """The problem with what the plan begins within the next ``span`` locked.

    HCVRP: trips that leave the depot by then; OMDCPDP: stops that are served by then. Time counts
    from the first start of the fleet.

    Parameters
    ----------
    plan
        What is being driven; what the problem does not have any more is left out of it.
    span
        In the problem's unit of time.
    """
    until = problem.first_start + span
    routes = known_once(problem, plan)
    day = Day() if problem.day is None else problem.day
    told = day.locked or ((),) * problem.num_vehicles
    first = [{task for trip in trips for task in trip} for trips in told]
    for own, some in zip(first, day.on_board or (), strict=False):
        own.update(some)
    requests = len(problem.request_ids)
    # Both ends of an order are one vehicle's.
    taken = {task % requests: v for v, own in enumerate(first) for task in own}

    def may_keep(task: int, v: int) -> bool:
        mine = taken.get(task % requests, v) == v and task not in first[v]
        return mine and may(problem, task, v)

    locked: list[list[list[int]]] = []
    for v, table in enumerate(schedule(problem, routes)):
        kept = [
            [task for task in trip if may_keep(task, v)] for trip in _begun(problem, table, until)
        ]
        locked.append(_joined(problem, v, [*map(list, told[v]), *filter(None, kept)]))
    return problem.replace(day=day.replace(locked=locked))


def _begun(problem: Problem, table: Timetable, until: float) -> list[list[int]]:
    """What a vehicle has begun by then: trips, or the first stops of its only one."""
    if problem.comes_home:
        leaves = [table.departure, *(trip[-1].departure for trip in table.trips[:-1])]
        return [
            [visit.task for visit in trip if visit.task is not None]
            for trip, at in zip(table.trips, leaves, strict=False)
            if at <= until
        ]
    begun = (visit for visit in table.visits if visit.arrival + visit.waiting <= until)
    return [[visit.task for visit in begun if visit.task is not None]]


def _joined(problem: Problem, v: int, trips: list[list[int]]) -> list[list[int]]:
    """The locked beginning of a route, behind what the vehicle has on board."""
    day = problem.day
    aboard = list(() if day is None or day.on_board is None else day.on_board[v])
    if not trips:
        return []
    if not problem.comes_home:
        stops = [task for trip in trips for task in trip]
        return [[*(task for task in aboard if task not in stops), *stops]]
    return trips if not aboard or set(aboard) == set(trips[0]) else [aboard, *trips]
