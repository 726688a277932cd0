"""What working days cost the fast engine: iterations a second beside those of the plain problem.

    python benchmarks/day_speed.py [--sizes 60/3,1000/20,5000/400] [--rounds 8]

Each problem is searched plain, with service that takes no time, with service times, with reloads
besides, by a matrix, and where some may not serve some. They take turns, a fraction of a second
each, and processor time counts, so that whatever else the machine does meets all of them alike.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.problems.setting import Setting
from geopar.search.additive import is_additive
from geopar.search.hcvrp_engine import OPERATIONS

# Iterations of one turn.
TURN = 20_000
HORIZON = 1_000_000.0


def variants(problem: HCVRP) -> dict[str, HCVRP]:
    """The plain problem, and what a day may add to it."""
    rng = np.random.default_rng(0)
    places = np.vstack([problem.depot_xy[None], problem.customers_xy])
    lines = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    streets = lines * rng.uniform(1.0, 1.3, lines.shape)
    # A stop takes about as long as a leg.
    leg = 0.7 * problem.num_tasks**-0.5 / problem.speed.mean()
    service = rng.uniform(0.0, 2.0 * leg, problem.num_tasks)
    some = rng.random((problem.num_tasks, problem.num_vehicles)) < 0.9
    some[:, 0] = True
    days = {
        # As much work as the plain problem: what the code alone costs.
        "no service": Day(service=np.zeros(problem.num_tasks)),
        "service": Day(service=service),
        "reloads": Day(service=service, loading=2.0 * leg),
        "matrix": Day(matrices={"car": streets}),
        "both": Day(matrices={"car": streets}, service=service, loading=2.0 * leg),
        "who may": Day(allowed=some),
    }
    return {"plain": problem} | {name: problem.replace(day=day) for name, day in days.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="60/3,1000/20,5000/400")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", default="plain,no service,service,reloads,matrix,both,who may")
    options = parser.parse_args()
    names = options.only.split(",")
    table = Table("set", *(f"{name}, iterations/s" for name in names), "over plain")
    for size in options.sizes.split(","):
        problem = Setting.parse(f"hcvrp/{size}").generate(np.random.default_rng(0))
        assert isinstance(problem, HCVRP)
        searches = []
        for name, one in variants(problem).items():
            if name in names:
                assert is_additive(one)
                data = OPERATIONS.prepare(one)
                state = OPERATIONS.initial(data, 0)
                searches.append((data, state, OPERATIONS.settings(data, HORIZON)))
        spent = np.zeros((options.rounds + 1, len(searches)))
        for turn in range(options.rounds + 1):
            for k, (data, state, settings) in enumerate(searches):
                begin = time.process_time()
                OPERATIONS.advance(data, state, settings, TURN, 0.5, 0.5)
                spent[turn, k] = time.process_time() - begin
        # The first turn compiles. The middle one of each is what counts.
        rate = TURN / np.median(spent[1:], axis=0)
        ratios = ", ".join(f"{one:.2f}" for one in rate[1:] / rate[0])
        table.add_row(size, *(f"{one:,.0f}" for one in rate), ratios)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
