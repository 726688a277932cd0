import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.checking import check
from geopar.neural.recorder import Recorder
from geopar.peers.sequential import SequentialEnvironment
from geopar.problems import HCVRP
from geopar.problems.batch import make_batch
from strategies import hcvrps


@settings(max_examples=30)
@given(hcvrps(), st.integers(0, 99))
def test_random_pairs_end_in_a_plan_that_costs_the_same(problem: HCVRP, seed: int) -> None:
    batch = make_batch([problem])
    environment, recorder = SequentialEnvironment(batch), Recorder(batch)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(seed)
    state, steps = environment.reset(), 0
    while not bool(state.done.all()):
        mask = environment.pair_mask(state)
        assert torch.equal(mask.any(-1), environment.vehicle_mask(state))
        for vehicle in range(problem.num_vehicles):
            one = environment.node_mask(state, torch.tensor([[vehicle]]))
            assert torch.equal(one, mask[:, :, vehicle])
        noise = torch.rand(mask.shape, generator=generator)
        pair = torch.where(mask, noise, -1.0).flatten(2).argmax(-1)
        width = problem.num_tasks + 1
        action = environment.action(pair // width, pair % width)
        recorder.add(action)
        state = environment.step(state, action)
        steps += 1
    assert steps <= 2 * problem.num_tasks
    report = check(problem, recorder.plans([problem])[0])
    assert not report.violations
    # Padding: the first vehicle goes home, and nothing else is open.
    padding = environment.pair_mask(state)[0, 0]
    assert padding[0, -1]
    assert not padding[:, :-1].any()


def test_nobody_waits_at_the_depot(square: HCVRP) -> None:
    environment = SequentialEnvironment(make_batch([square]))  # type: ignore[arg-type]
    state = environment.reset()
    assert not environment.pair_mask(state)[..., -1].any()
    state = environment.step(state, environment.action(torch.tensor([[1]]), torch.tensor([[2]])))
    assert environment.pair_mask(state)[0, 0].tolist() == [
        [True, True, False, True, False],
        [True, True, False, True, True],
    ]
