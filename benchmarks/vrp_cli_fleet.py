"""vrp-cli beside our search: a fleet with several trips in its pragmatic format.

vrp-cli is no part of ours: ``pip install vrp-cli==1.22.1``. It minimises cost, not the last return;
who wants that lowers the length of the shift for as long as plans are found. It has no seed. It
stops by the clock or by generations; generations are given here, as many as fit into the seconds of
the processor that are left, so that a busy machine does not count.
"""

from __future__ import annotations

import json
import math
import time
from typing import Any

import numpy as np
import vrp_cli

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import HCVRP

# A day of so many seconds is what the longest leg of the slowest vehicle becomes; times are whole.
LONGEST_LEG = 100_000.0
# By which part the shift is shortened, at first and at last, and the part of a run for one try.
FIRST_STEP, LAST_STEP = 0.05, 0.002
PATIENCE = 0.2
# Of the first try, by which its speed is measured.
FIRST_GENERATIONS = 2


def lowered(problem: HCVRP, seconds: float) -> Plan | None:
    """The plan with the earliest last return that was found by lowering the shift length."""
    began, used, generations = time.process_time(), 0.0, FIRST_GENERATIONS
    best, found, step = np.inf, None, FIRST_STEP
    while used < seconds:
        tried = _solved(problem, generations, None if found is None else best * (1.0 - step))
        if tried is None:
            step = max(step / 2.0, LAST_STEP)
        elif (makespan := check(problem, tried).objective) < best:
            best, found = makespan, tried
        before, used = used, time.process_time() - began
        rate = generations / (used - before)
        generations = max(1, int(rate * min(seconds - used, PATIENCE * seconds)))
    return found


def _unit(problem: HCVRP) -> float:
    """Seconds of its day for one of ours."""
    places = np.vstack([problem.depot, problem.customers])
    return LONGEST_LEG / float(np.ptp(places, axis=0).max() * math.sqrt(2.0) / problem.speed.min())


def _solved(problem: HCVRP, generations: int, shift: float | None) -> Plan | None:
    """A plan that serves everybody within the shift, or none."""
    unit = _unit(problem)
    places = np.vstack([problem.depot, problem.customers])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)
    legs = np.rint(gaps * unit).astype(int).ravel().tolist()
    matrix = {"profile": "way", "travelTimes": legs, "distances": legs}
    answer = json.loads(
        vrp_cli.solve_pragmatic(
            problem=json.dumps(_problem(problem, unit, shift)),
            matrices=[json.dumps(matrix)],
            config=json.dumps(_config(generations)),
        )
    )
    return None if answer.get("unassigned") else _plan(problem, answer)


def _config(generations: int) -> dict[str, Any]:
    return {
        "termination": {"maxGenerations": generations},
        "environment": {
            "parallelism": {"numThreadPools": 1, "threadsPerPool": 1},
            "logging": {"enabled": False},
        },
    }


def _problem(problem: HCVRP, unit: float, shift: float | None) -> dict[str, Any]:
    """In the pragmatic format; place 0 of the matrix is the depot."""
    jobs = [
        {
            "id": str(c),
            "deliveries": [{"places": [{"location": {"index": c + 1}, "duration": 0}],
                            "demand": [int(problem.demand[c])]}],
        }
        for c in range(problem.num_tasks)
    ]  # fmt: skip
    total = float(problem.demand.sum())
    vehicles = []
    for v in range(problem.num_vehicles):
        home = {"location": {"index": 0}}
        latest = {} if shift is None else {"latest": _moment(shift * unit)}
        # A place to reload counts once; nobody needs more than all.
        reloads = math.ceil(total / float(problem.capacity[v])) + 1
        vehicles.append(
            {
                "typeId": f"type-{v}", "vehicleIds": [str(v)],
                "profile": {"matrix": "way", "scale": 1.0 / float(problem.speed[v])},
                "costs": {"fixed": 0.0, "distance": 0.0, "time": 1.0},
                "shifts": [{"start": {"earliest": _moment(0.0), **home}, "end": {**latest, **home},
                            "reloads": [{**home, "duration": 0.0}] * reloads}],
                "capacity": [int(problem.capacity[v])],
            }
        )  # fmt: skip
        if shift is None:
            vehicles[-1]["shifts"][0]["end"]["latest"] = _moment(1e9)
    return {
        "plan": {"jobs": jobs},
        "fleet": {"vehicles": vehicles, "profiles": [{"name": "way"}]},
        "objectives": [[{"type": "minimize-unassigned"}], [{"type": "minimize-cost"}]],
    }


def _moment(seconds: float) -> str:
    """As RFC 3339 has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _plan(problem: HCVRP, answer: dict[str, Any]) -> Plan:
    """Tours as trips: a reload ends one and begins the next."""
    routes: list[list[list[int]]] = [[] for _ in range(problem.num_vehicles)]
    for tour in answer["tours"]:
        trips: list[list[int]] = [[]]
        for stop in tour["stops"]:
            for activity in stop["activities"]:
                if activity["type"] == "delivery":
                    trips[-1].append(int(activity["jobId"]))
                elif activity["type"] == "reload":
                    trips.append([])
        routes[int(tour["vehicleId"])] = [trip for trip in trips if trip]
    return Plan.from_indices(problem, routes)
