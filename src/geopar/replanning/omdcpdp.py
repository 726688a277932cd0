"""The rest of a day of pickups and deliveries."""

from __future__ import annotations

from geopar.problems import OMDCPDP
from geopar.problems.day import Day, windows_of
from geopar.replanning.left import Left


def rest(problem: OMDCPDP, left: Left) -> OMDCPDP:
    """What is left, as a problem: who is out starts where it is free."""
    day, fleet, orders = problem.day or Day(), left.fleet, left.requests
    count = problem.num_orders
    number = {old: new for new, old in enumerate(orders)}
    starts = [left.standing[v].place for v in fleet]
    # What a vehicle out of service has on board is fetched from there.
    stranded = {
        order: left.standing[v].last_place
        for v in left.goods_back
        for order in left.standing[v].aboard
    }
    pickups = [stranded.get(order, order) for order in orders]
    deliveries = [count + order for order in orders]
    tasks = [*orders, *deliveries]
    bare = day.replace(matrices=None, on_board=None, locked=None, allowed=None)
    part = problem.replace(day=bare).select(orders, fleet)
    assert part.day is not None
    windows = day.windows and [
        [] if task in stranded else windows_of(day.windows, task) for task in tasks
    ]
    return part.replace(
        details=_details(problem, left, tasks, stranded),
        starts=problem.places[starts],
        pickups=problem.places[pickups],
        day=part.day.replace(
            matrices=left.matrices([*starts, *pickups, *deliveries]),
            windows=windows,
            allowed=left.allowed(number),
            released=left.released(tasks),
            on_board=[[number[order] for order in left.aboard[v]] for v in fleet],
            locked=None if day.locked is None else _locked(problem, day, left, number),
            **left.by_vehicle(),
        ),
    )


def _details(
    problem: OMDCPDP, left: Left, tasks: list[int], stranded: dict[int, int]
) -> dict[str, list[str]]:
    """What drivers are told; of what is fetched from another vehicle, from which one."""
    told = {
        name: ["" if task in stranded else texts[task] for task in tasks]
        for name, texts in problem.details.items()
    }
    if stranded:
        whose = {
            order: problem.vehicle_ids[v]
            for v in left.goods_back
            for order in left.standing[v].aboard
        }
        told["from vehicle"] = [whose.get(task, "") for task in tasks]
    return told


def _locked(
    problem: OMDCPDP, day: Day, left: Left, number: dict[int, int]
) -> list[list[list[int]]]:
    """Locked stops that are still to come, behind the pickups of what is on board."""
    assert day.locked is not None
    count, whose, done, found = problem.num_orders, left.whose, left.done, []
    for v in left.fleet:
        aboard = left.aboard[v]
        stops = [
            task
            for trip in day.locked[v]
            for task in trip
            if task not in done and task not in aboard
            if task % count in number and whose.get(task % count, v) == v
        ]
        both = [*aboard, *stops] if stops else []
        new = [number[t % count] + (len(number) if t >= count else 0) for t in both]
        found.append([new] if new else [])
    return found
