import pytest

from geopar.cli.limits import stop_rule
from geopar.errors import InputError
from geopar.stop import MaxIterations, MaxRuntime, NoImprovement, TargetCost


def test_the_default_time_counts_alone_and_with_a_target() -> None:
    assert stop_rule(None, default_seconds=10) == MaxRuntime(10)
    both = MaxRuntime(10) | TargetCost(5)
    assert stop_rule(None, target=5, default_seconds=10) == both


def test_what_ends_for_sure_needs_no_default() -> None:
    assert stop_rule(None, iterations=7, default_seconds=10) == MaxIterations(7)
    assert stop_rule(None, no_improvement=2, default_seconds=10) == NoImprovement(seconds=2)


def test_all_together() -> None:
    expected = MaxIterations(7) | NoImprovement(seconds=2) | MaxRuntime(3) | TargetCost(5)
    assert stop_rule(3, 7, 5, 2, default_seconds=10) == expected


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_bad_times(seconds: float) -> None:
    with pytest.raises(InputError, match="bad-limit"):
        stop_rule(seconds, default_seconds=10)
