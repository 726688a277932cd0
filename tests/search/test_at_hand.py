import numpy as np
import pytest

from geopar.checking import check
from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.search import at_hand, engines, neighbours, sectors
from geopar.search.at_hand import DEALT_NOTE, DISPATCH_NOTE, START_NOTE, plan_at_hand
from geopar.search.dispatch import deal, dispatch
from geopar.search.hcvrp import start as hcvrp_start
from geopar.search.insert import insert
from geopar.search.omdcpdp import start as omdcpdp_start
from geopar.search.refine import refine
from geopar.solver import Request
from geopar.stop import Budget, MaxIterations, MaxRuntime

# Of few vehicles each has many loads to carry.
FEW, MANY, ORDERS = "hcvrp/400/3", "hcvrp/40/3", "omdcpdp/40/3"
SETTINGS = pytest.mark.parametrize("setting", [MANY, ORDERS])
SOLVERS = pytest.mark.parametrize("solver", [refine, insert])


@pytest.fixture(autouse=True)
def forty_are_many(monkeypatch):
    for module in (at_hand, engines):
        monkeypatch.setattr(module, "MANY_TASKS", 40)
    monkeypatch.setattr(neighbours, "PIECE", 4)
    monkeypatch.setattr(sectors, "BLOCK", 4)
    monkeypatch.setattr(hcvrp_start, "PIECE", 4)
    monkeypatch.setattr(omdcpdp_start, "_PIECE", 4)


class Interrupted(Budget):
    """Ctrl-C is pressed when the time is asked for so often."""

    moment = 0

    def require_time(self) -> float:
        self.moment -= 1
        self.interrupted = self.moment < 0
        return super().require_time()


@pytest.mark.parametrize(
    ("setting", "rule", "note"),
    [(FEW, dispatch, DISPATCH_NOTE), (ORDERS, dispatch, DISPATCH_NOTE), (MANY, deal, DEALT_NOTE)],
)
@SOLVERS
def test_without_time_it_is_what_is_quickly_made(setting, rule, note, solver):
    problem = generate(setting)
    outcome = solver(Request(problem, Budget(MaxRuntime(0))))
    assert outcome.plan == rule(Request(problem, Budget(MaxRuntime(0)))).plan
    assert outcome.notes == (note,)
    assert outcome.iterations == 0


def test_the_shorter_of_both_is_at_hand():
    for setting in ("hcvrp/2000/100", "hcvrp/2000/5"):
        problem = generate(setting, seed=1)
        request = Request(problem, Budget(MaxRuntime(0)))
        costs = [rule(request).plan.objective for rule in (deal, dispatch)]
        at_hand = plan_at_hand(request)
        assert at_hand is not None
        assert at_hand.plan.objective == min(costs)


@SETTINGS
@SOLVERS
@pytest.mark.parametrize("moment", [0, 3, 9, 12, 16])
def test_ctrl_c_ends_it_wherever_it_is(setting, solver, moment):
    problem = generate(setting)
    budget = Interrupted(MaxIterations(1000))
    budget.moment = moment
    outcome = solver(Request(problem, budget))
    assert check(problem, outcome.plan).feasible
    assert budget.interrupted
    assert outcome.notes == (DEALT_NOTE if setting == MANY else DISPATCH_NOTE,)


@SETTINGS
def test_a_given_plan_is_at_hand(setting):
    problem = generate(setting)
    start = refine(Request(problem, Budget(MaxIterations(100)))).plan
    outcome = refine(Request(problem, Budget(MaxRuntime(0)), start=start))
    assert outcome.plan == start
    assert outcome.notes == (START_NOTE,)


@SETTINGS
@SOLVERS
def test_with_time_it_changes_nothing(setting, solver, monkeypatch):
    problem = generate(setting)
    made = solver(Request(problem, Budget(MaxIterations(50))))
    monkeypatch.setattr(at_hand, "MANY_TASKS", 1000)
    monkeypatch.setattr(engines, "MANY_TASKS", 1000)
    plain = solver(Request(problem, Budget(MaxIterations(50))))
    assert made.plan == plain.plan
    assert made.notes == plain.notes == ()


@SETTINGS
def test_searches_side_by_side_begin_with_one_insertion(setting):
    problem = generate(setting)
    engine = engines.make_engine(problem, None, 3, 100.0, 3)
    assert isinstance(engine, engines.SideBySide)
    first, *others = (search.advance(0, 0.0, 0.0) for search in engine._engines)
    assert others == pytest.approx([first, first])


def test_days_have_none():
    day = random_day(generate("hcvrp/40/3"), np.random.default_rng(0), ("windows",))
    assert plan_at_hand(Request(day, Budget(MaxRuntime(0)))) is None
