"""Plans pinned, so that a change which should change nothing can prove it.

    python tests/test_pinned.py --write

writes ``pinned.json`` anew: only after a change that is meant to give other plans, and with numbers
that say whether they are better. Rounding differs from one sort of machine to another, so pins
hold on the sort that wrote them and are left out elsewhere; among processors of one sort sums may
differ in their last digits, routes not.
"""

import argparse
import hashlib
import json
import os
import platform
from pathlib import Path
from typing import NamedTuple

import pytest

import geopar

FILE = Path(__file__).with_name("pinned.json")
EXAMPLES = Path(__file__).parents[1] / "examples"
# The network's name among the solvers, and the variable that names its weights.
NETWORK, WEIGHTS = "pointer", "GEOPAR_WEIGHTS"

SEEDS = (0, 1, 2)
SEARCHED = {
    "hcvrp/60/3#0": 2_000, "hcvrp/100/7#1": 2_000, "hcvrp/1000/20#0": 500,
    "omdcpdp/50/5#0": 2_000, "omdcpdp/100/15#1": 2_000,
    "deliveries.json": 2_000, "couriers.json": 2_000,
}  # fmt: skip
BUILT = (
    "hcvrp/60/3#0", "hcvrp/100/7#1", "omdcpdp/50/5#0", "omdcpdp/100/15#1",
    "deliveries.json", "couriers.json",
)  # fmt: skip


class Case(NamedTuple):
    """One run. ``iterations`` is None for one pass of the network."""

    problem: str
    seed: int
    iterations: int | None
    weights: str = ""

    def __str__(self) -> str:
        how = f"{self.iterations} iterations" if self.iterations else f"{self.weights} weights"
        return f"{self.problem}, {how}, seed {self.seed}"


CASES = [Case(name, seed, SEARCHED[name]) for name in SEARCHED for seed in SEEDS] + [
    Case(name, 0, None, weights) for weights in ("pointer", "pointer-small") for name in BUILT
]


def outcome(case: Case) -> dict[str, str]:
    """The objective with all its digits, and a digest of the routes."""
    name, _, number = case.problem.partition("#")
    problem = (
        geopar.frozen(name, int(number) + 1)[int(number)]
        if number
        else geopar.read(EXAMPLES / case.problem)
    )
    if case.iterations:
        result = geopar.solve(
            problem, geopar.MaxIterations(case.iterations), case.seed, solver="refine"
        )
    else:
        os.environ[WEIGHTS] = f"{problem.kind}-{case.weights}"
        result = geopar.solve(problem, 60.0, case.seed, solver=NETWORK)
    routes = [
        (route.vehicle, [list(map(str, t)) for t in route.trips]) for route in result.plan.routes
    ]
    digest = hashlib.sha256(json.dumps(routes).encode()).hexdigest()
    return {"objective": repr(result.objective), "routes": digest[:16]}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_plan_is_the_same_as_ever(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WEIGHTS, "")  # put back afterwards
    pinned = json.loads(FILE.read_text())
    if pinned["machine"] != platform.machine():
        pytest.skip(f"pinned on {pinned['machine']}")
    found, wanted = outcome(case), pinned["plans"][str(case)]
    assert found["routes"] == wanted["routes"]
    assert float(found["objective"]) == pytest.approx(float(wanted["objective"]), rel=1e-12)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Plans pinned.")
    parser.add_argument("--write", action="store_true", required=True, help="write them anew")
    parser.parse_args()
    pins = {"machine": platform.machine(), "plans": {str(case): outcome(case) for case in CASES}}
    FILE.write_text(json.dumps(pins, indent=1) + "\n")
    print(f"Wrote {len(CASES)} plans to {FILE.name}.")
