"""Plan a day of deliveries from two CSV files and print a sheet for every driver."""

import argparse
from pathlib import Path

import geopar
from geopar.files import write_plan

HERE = Path(__file__).parent


def main() -> None:
    """Solve, check, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=Path, default=Path("day"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    problem = geopar.read(HERE / "stops.csv")  # vehicles.csv lies beside it
    result = geopar.solve(problem, geopar.MaxRuntime(options.seconds), seed=1)
    print(result)

    demand = dict(zip(problem.customer_ids, problem.demand, strict=True))
    for route in result.plan.routes:
        print(f"\n{route.vehicle}")
        for number, trip in enumerate(route.trips, start=1):
            load = sum(demand[customer] for customer in trip)
            print(f"  trip {number}, {load:g} crates: {' - '.join(trip)}")

    # The checker shares no code with the solver.
    report = geopar.check(problem, result.plan)
    print(f"\nfeasible: {report.feasible}; the last vehicle is home after {report.objective:.2f} h")

    write_plan(result.plan, options.out / "plan.json", problem)
    write_plan(result.plan, options.out / "plan.geojson", problem)
    result.plot(options.out / "plan.png")


if __name__ == "__main__":
    main()
