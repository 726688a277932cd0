"""Plan an evening of pickups and deliveries and print when every order arrives."""

import argparse
from pathlib import Path

import numpy as np

import geopar
from geopar.files import write_plan

HERE = Path(__file__).parent
KM_PER_HOUR = 15.0


def arrivals(problem: geopar.OMDCPDP, route: geopar.Route) -> dict[str, float]:
    """Kilometres driven by a courier when each of its orders is delivered."""
    index = {vehicle: i for i, vehicle in enumerate(problem.vehicle_ids)}
    place = {task: i for i, task in enumerate(problem.task_ids)}
    stops = route.tasks
    way = np.vstack(
        [problem.starts_xy[index[route.vehicle]]]
        + [problem.tasks_xy[place[stop]] for stop in stops]
    )
    driven = np.hypot(*np.diff(way, axis=0).T).cumsum()
    return {
        stop.order: km
        for stop, km in zip(stops, driven.tolist(), strict=True)
        if stop.action == "delivery"
    }


def main() -> None:
    """Solve, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=Path, default=Path("evening"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    problem = geopar.read(HERE / "orders.csv")  # orders.vehicles.csv lies beside it
    result = geopar.solve(problem, geopar.MaxRuntime(options.seconds), seed=1)
    print(result)

    total = 0.0
    for route in result.plan.routes:
        print(f"\n{route.vehicle}")
        for order, km in arrivals(problem, route).items():
            print(f"  {order:20} after {km:5.2f} km, {60 * km / KM_PER_HOUR:3.0f} minutes")
            total += km

    # The objective is the sum of just these numbers.
    report = geopar.check(problem, result.plan)
    print(f"\nfeasible: {report.feasible}; sum of arrivals {report.objective:.2f} = {total:.2f} km")

    write_plan(result.plan, options.out / "plan.json", problem)
    result.plot(options.out / "plan.png")


if __name__ == "__main__":
    main()
