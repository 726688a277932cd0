import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.errors import InputError
from geopar.stop import (
    AllOf,
    Budget,
    FirstOf,
    MaxIterations,
    MaxRuntime,
    NoImprovement,
    OutOfTimeError,
    Progress,
    TargetCost,
)


def progress(seconds=0.0, iterations=0, cost=math.inf, stale_seconds=0.0, stale_iterations=0):
    return Progress(seconds, iterations, cost, stale_seconds, stale_iterations)


class Clock:
    """Time that passes only when told to."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr("geopar.stop.time.perf_counter", lambda: self.now)


def started(rule) -> Budget:
    """A budget whose clock is the one told what to show."""
    budget = Budget(rule)
    budget.restart()
    return budget


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_runtime():
    rule = MaxRuntime(10)
    assert rule.fraction(progress(seconds=2.5)) == 0.25
    assert rule.fraction(progress(seconds=10)) == 1.0
    assert rule.seconds_left(progress(seconds=2.5)) == 7.5
    assert math.isinf(rule.iterations_left(progress()))


def test_no_time_at_all():
    assert MaxRuntime(0).fraction(progress()) == 1.0
    assert MaxIterations(0).fraction(progress()) == 1.0


def test_iterations():
    rule = MaxIterations(8)
    assert rule.fraction(progress(iterations=2)) == 0.25
    assert rule.iterations_left(progress(iterations=2)) == 6
    assert math.isinf(rule.seconds_left(progress()))


def test_no_improvement():
    rule = NoImprovement(seconds=2, iterations=50)
    assert rule.fraction(progress(stale_seconds=1.9, stale_iterations=49)) == 0.0
    assert rule.fraction(progress(stale_seconds=2)) == 1.0
    assert rule.fraction(progress(stale_iterations=50)) == 1.0
    assert rule.iterations_left(progress(stale_iterations=20)) == 30
    only_time = NoImprovement(seconds=2)
    assert only_time.fraction(progress(stale_iterations=10**9)) == 0.0
    assert math.isinf(only_time.iterations_left(progress()))


def test_target():
    rule = TargetCost(5.0)
    assert rule.fraction(progress(cost=5.1)) == 0.0
    assert rule.fraction(progress(cost=5.0)) == 1.0
    assert TargetCost(-3.0).fraction(progress(cost=0.0)) == 0.0


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (MaxRuntime, [-1, math.inf, math.nan]),
        (MaxIterations, [-1, math.inf, math.nan]),
        (TargetCost, [math.inf, -math.inf, math.nan]),
        (lambda v: NoImprovement(seconds=v), [-1, math.nan, math.inf]),
        (lambda v: NoImprovement(iterations=v), [-1, math.nan, math.inf]),
    ],
)
def test_limits_that_make_no_sense(make, values):
    for value in values:
        with pytest.raises(InputError, match="bad-limit"):
            make(value)


def test_whichever_first():
    rule = MaxRuntime(10) | MaxIterations(100) | TargetCost(3)
    assert isinstance(rule, FirstOf)
    now = progress(seconds=2, iterations=50, cost=4)
    assert rule.fraction(now) == 0.5
    assert rule.seconds_left(now) == 8
    assert rule.iterations_left(now) == 50
    assert rule.fraction(progress(cost=3)) == 1.0


def test_all_of_them():
    rule = MaxRuntime(10) & MaxIterations(100)
    assert isinstance(rule, AllOf)
    now = progress(seconds=10, iterations=50)
    assert rule.fraction(now) == 0.5
    # Neither limit alone ends it, so neither can promise when it ends.
    assert math.isinf(rule.seconds_left(now))
    assert math.isinf(rule.iterations_left(now))
    both = MaxRuntime(10) & MaxRuntime(20)
    assert both.seconds_left(now) == 10
    both = MaxIterations(60) & MaxIterations(70)
    assert both.iterations_left(now) == 20


rules = st.recursive(
    st.one_of(
        st.builds(MaxRuntime, st.floats(0, 100)),
        st.builds(MaxIterations, st.integers(0, 100)),
        st.builds(TargetCost, st.floats(-10, 10)),
        st.builds(NoImprovement, st.floats(0, 100), st.integers(0, 100)),
    ),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a | b, inner, inner), st.builds(lambda a, b: a & b, inner, inner)
    ),
    max_leaves=4,
)
moments = st.builds(
    Progress, st.floats(0, 200), st.integers(0, 200), st.floats(-20, 20), st.floats(0, 200),
    st.integers(0, 200),
)  # fmt: skip


@given(rules, rules, moments)
def test_composition_is_or_and_and(one, other, now):
    def stops(rule):
        return rule.fraction(now) >= 1.0

    assert stops(one | other) == (stops(one) or stops(other))
    assert stops(one & other) == (stops(one) and stops(other))


@given(rules, moments)
def test_what_is_left_agrees_with_what_has_passed(rule, now):
    if rule.fraction(now) < 1.0:
        assert rule.seconds_left(now) > 0
        assert rule.iterations_left(now) > 0


# -- the budget ---------------------------------------------------------------------------------


def test_the_clock_starts_at_once():
    before = time.perf_counter()
    budget = Budget(MaxRuntime(4))
    assert 0 <= budget.seconds <= time.perf_counter() - before


def test_time_passes(clock):
    budget = started(MaxRuntime(4))
    assert (budget.seconds, budget.fraction, budget.done) == (0.0, 0.0, False)
    clock.now += 1
    assert (budget.seconds, budget.fraction, budget.seconds_left) == (1.0, 0.25, 3.0)
    clock.now += 10
    assert (budget.fraction, budget.done, budget.seconds_left) == (1.0, True, -7.0)


def test_the_clock_can_be_set_anew(clock):
    budget = started(MaxRuntime(4))
    clock.now += 100
    budget.restart()
    assert not budget.done
    budget.restart(spent=4)
    assert budget.done


def test_notes_of_progress(clock):
    budget = started(MaxIterations(100))
    clock.now += 1
    assert budget.note(10, 5.0)
    clock.now += 2
    assert not budget.note(30, 5.0)
    assert not budget.note(40, 6.0)
    assert budget.progress == Progress(3.0, 40, 5.0, 2.0, 30)
    assert budget.iterations_left == 60
    assert budget.note(50, 4.0)
    assert budget.progress == Progress(3.0, 50, 4.0, 0.0, 0)


def test_interrupting_ends_it_whatever_the_rule():
    budget = Budget(MaxIterations(10**9))
    assert not budget.done
    budget.interrupted = True
    assert budget.done
    assert budget.fraction == 1.0


def test_staleness_counts_from_the_start(clock):
    budget = started(NoImprovement(seconds=3))
    clock.now += 2
    budget.note(1, 9.0)
    clock.now += 2
    assert not budget.done
    clock.now += 1
    assert budget.done


def test_time_is_required_whatever_other_rules_say():
    assert Budget(MaxIterations(0)).require_time() == math.inf
    assert 0.0 < Budget(MaxRuntime(60) | MaxIterations(0)).require_time() <= 60.0
    with pytest.raises(OutOfTimeError):
        Budget(MaxRuntime(0)).require_time()
    with pytest.raises(OutOfTimeError):
        Budget(MaxIterations(5), interrupted=True).require_time()


@pytest.mark.parametrize(("used", "left"), [(8.0, 18.0), (4.0, 16.0), (0.0, 12.0), (16.0, 18.0)])
def test_what_comes_after_takes_longer_on_a_busy_machine(monkeypatch, used, left):
    clock, processor = [100.0], [50.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(time, "process_time", lambda: processor[0])
    budget = Budget(MaxRuntime(28.0))
    budget.restart(after=2.0)
    clock[0], processor[0] = 108.0, 50.0 + used
    assert budget.seconds_left == pytest.approx(left)
    # A little is the same for everybody.
    budget.restart(after=0.01)
    assert budget.seconds_left == pytest.approx(27.99)
