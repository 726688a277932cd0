import math

from geopar.service.stopping import UntilTold
from geopar.stop import Budget, MaxRuntime


def test_told_it_ends_and_not_before() -> None:
    rule = UntilTold()
    budget = Budget(MaxRuntime(1000) | rule)
    assert not budget.done
    assert math.isfinite(budget.seconds_left)
    assert math.isinf(rule.seconds_left(budget.progress))
    rule.told.set()
    assert budget.done
    assert budget.seconds_left == 0
