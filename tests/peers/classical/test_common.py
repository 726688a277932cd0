import dataclasses
import math

import pytest

from geopar.errors import InputError
from geopar.peers.classical.common import ABOVE_ZERO, better_plan, check_parameters, require_hcvrp
from geopar.plan import Plan


@dataclasses.dataclass
class Knobs:
    whole: int = 1
    real: float = 1.0

    def check(self) -> None:
        check_parameters(self, whole=(1, 5), real=(ABOVE_ZERO, math.inf))


def test_good_parameters_pass():
    Knobs().check()
    Knobs(whole=5, real=3).check()


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        (Knobs(whole=0), "1 or more and at most 5"),
        (Knobs(whole=6), "at most 5"),
        (Knobs(whole=1.5), "a whole number"),  # type: ignore[arg-type]
        (Knobs(whole=True), "a whole number"),
        (Knobs(real=0.0), "more than 0"),
        (Knobs(real=math.nan), "more than 0"),
        (Knobs(real=math.inf), "more than 0"),
        (Knobs(real="1"), "a number"),  # type: ignore[arg-type]
    ],
)
def test_bad_ones_do_not(knobs, message):
    with pytest.raises(InputError, match=message):
        knobs.check()


def test_only_one_problem(square, corridor):
    assert require_hcvrp(square, "ga") is square
    with pytest.raises(InputError, match="wrong-problem"):
        require_hcvrp(corridor, "ga")


def test_the_start_stays_unless_beaten(square):
    long = Plan.from_indices(square, [[[0, 2], [1, 3]], []])
    short = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    assert better_plan(square, short.to_indices(square), long).routes == short.routes
    assert better_plan(square, long.to_indices(square), short).routes == short.routes
    assert better_plan(square, long.to_indices(square), None).routes == long.routes
    assert better_plan(square, long.to_indices(square), long).objective == pytest.approx(8)
