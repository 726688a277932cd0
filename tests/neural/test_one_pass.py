from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from geopar import solve
from geopar.checking import check
from geopar.errors import InputError
from geopar.neural import one_pass as module
from geopar.neural.one_pass import Construction, OnePass, check_copies
from geopar.problems.random import generate
from geopar.problems.travel import StraightLines
from geopar.search.dispatch import dispatch
from geopar.solver import Request, Snapshot
from geopar.stop import Budget, MaxRuntime, OutOfTimeError


@dataclass(frozen=True)
class Slow(OnePass):
    """Stands for a network: plans are those of dispatch, if there is time."""

    def network(self, problem):
        return "network", ("a note",)

    def plans(self, network, problems, seed, budget):
        if budget is not None and budget.done:
            raise OutOfTimeError
        outcomes = [dispatch(Request(p, Budget(MaxRuntime(9)), 0)) for p in problems]
        costs = [check(p, o.plan).objective for p, o in zip(problems, outcomes, strict=True)]
        steps = np.arange(len(problems)) + 3
        return Construction(tuple(o.plan for o in outcomes), np.array(costs), steps)


def run(problem, seconds=5.0, **options):
    return Slow()(Request(problem, Budget(MaxRuntime(seconds)), 0, **options))


def test_the_plan_comes_with_its_steps_and_notes():
    outcome = run(generate("hcvrp/8/2"))
    assert outcome.steps == 3
    assert outcome.notes == ("a note",)


def test_too_little_time_gives_what_dispatch_gives():
    problem = generate("hcvrp/12/3")
    outcome = run(problem, seconds=0.0)
    assert outcome.plan.routes == solve(problem, 0, solver="dispatch").plan.routes
    assert "too short" in outcome.notes[1]


def test_observers_see_the_plan():
    seen: list[Snapshot] = []
    run(generate("hcvrp/6/2"), observe=seen.append)
    assert len(seen) == 1
    assert seen[0].improved


def test_the_number_of_threads_is_given_back():
    before = torch.get_num_threads()
    run(generate("hcvrp/6/2"), threads=before + 1)
    assert torch.get_num_threads() == before


def test_many_problems_come_back_in_their_order():
    many = [generate(f"hcvrp/{n}/2", n) for n in (6, 9, 6, 7, 9)]
    outcomes = Slow().solve_many(many, Budget(MaxRuntime(0)), 0)
    for problem, outcome in zip(many, outcomes, strict=True):
        assert not check(problem, outcome.plan).violations


def test_groups_are_as_large_as_memory_allows(monkeypatch):
    many = [generate("hcvrp/6/2", k) for k in range(5)]
    monkeypatch.setattr(module, "MOST_PAIRS", 30)
    assert list(Slow()._groups(many)) == [[0, 1], [2, 3], [4]]
    assert list(replace(Slow(), augment=8)._groups(many)) == [[k] for k in range(5)]


def test_an_interruption_ends_many():
    budget = Budget(MaxRuntime(9))
    budget.interrupted = True
    assert Slow().solve_many([generate("hcvrp/6/2")], budget, 0) == []


def test_a_device_that_is_not_there_is_refused():
    assert Slow().to("cpu").device == "cpu"
    with pytest.raises(InputError, match="bad-device"):
        Slow().to("abacus")


def test_weights_are_those_asked_for_else_the_variable_else_the_usual(monkeypatch):
    monkeypatch.delenv(module.WEIGHTS_VARIABLE, raising=False)
    assert Slow().weights_name("usual") == ("usual", ())
    monkeypatch.setenv(module.WEIGHTS_VARIABLE, "random")
    assert Slow().weights_name("usual") == ("random", (module.RANDOM_NOTE,))
    assert Slow(weights="mine").weights_name("usual") == ("mine", ())


@pytest.mark.parametrize(
    ("augment", "samples", "sampling", "fields"),
    [(9, 1, False, {"augment"}), (0, 0, True, {"augment", "samples"}), (1, 2, False, {"samples"})],
)
def test_copies_that_make_no_sense_are_refused(augment, samples, sampling, fields):
    with pytest.raises(InputError) as caught:
        check_copies(augment, samples, sampling=sampling)
    assert {fault.field for fault in caught.value.faults} == fields


def test_networks_refuse_what_they_cannot_see(monkeypatch):
    monkeypatch.setattr(StraightLines, "is_straight", False)
    problem = generate("hcvrp/6/2")
    with pytest.raises(InputError, match="needs-straight-lines"):
        run(problem)
    with pytest.raises(InputError, match="needs-straight-lines"):
        Slow().solve_many([problem], Budget(MaxRuntime(9)), 0)
