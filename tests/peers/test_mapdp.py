from typing import Any, ClassVar

import pytest
import torch

from geopar.errors import InputError
from geopar.learn.config import default_config
from geopar.peers.mapdp import MAPDPConfig
from geopar.peers.peer import Chooser
from geopar.problems import Problem
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from peer_laws import Laws


class TestMAPDP(Laws):
    learner, kind, setting = "mapdp", "omdcpdp", "omdcpdp/12/3"
    changes: ClassVar[dict[str, Any]] = {"vehicles": 3}

    def changes_for(self, problem: Problem) -> dict[str, Any]:
        return {"vehicles": problem.num_vehicles}


def test_with_the_other_normalisation() -> None:
    batch = make_batch([generate("omdcpdp/12/3", seed) for seed in range(3)])
    costs = []
    for norm in ("rms", "instance"):
        with torch.no_grad():
            costs.append(TestMAPDP().peer(norm=norm).rollout(batch).cost)
    assert not torch.equal(*costs)


def test_another_number_of_vehicles_is_refused() -> None:
    peer = TestMAPDP().peer()
    with pytest.raises(InputError, match=r"wrong-fleet.*model\.vehicles=2 .*sizes=8/2"):
        peer.rollout(make_batch([generate("omdcpdp/8/2")]))


@pytest.mark.parametrize("change", ["model.vehicles", "sizes", "validation"])
def test_a_run_that_would_meet_another_number_is_refused_at_once(change: str) -> None:
    config = default_config("omdcpdp", "reinforce", "mapdp")
    value = "4" if change == "model.vehicles" else "50/4"
    with pytest.raises(InputError, match="wrong-fleet"):
        config.changed({change: value})
    together = {"model.vehicles": "4", "sizes": "50/4", "validation": "50/4"}
    assert config.changed(together).model_config().vehicles == 4


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(InputError) as caught:
        MAPDPConfig("omdcpdp", vehicles=0, norm="loud")  # type: ignore[arg-type]
    assert [fault.field for fault in caught.value.faults] == ["vehicles", "norm"]


def test_everybody_hears_of_everybody() -> None:
    # The first vehicle's logits change when only another one has driven.
    peer = TestMAPDP().peer()
    encoded = peer.encode(make_batch([generate("omdcpdp/12/3")]))
    state = peer.reset(encoded, 1, Chooser(False, torch.Generator()))
    before = peer.scores(encoded, state).logits[0, 0, 0]  # type: ignore[operator]
    state.length[0, 0, 2] += 1.0
    after = peer.scores(encoded, state).logits[0, 0, 0]  # type: ignore[operator]
    assert not torch.equal(before[:6], after[:6])


def test_a_contested_task_goes_by_lot() -> None:
    peer = TestMAPDP().peer()
    encoded = peer.encode(make_batch([generate("omdcpdp/2/3")]))
    winners = set()
    for seed in range(20):
        chooser = Chooser(False, torch.Generator().manual_seed(seed))
        step = peer.step(encoded, peer.reset(encoded, 1, chooser), chooser)
        # One order, three vehicles that must want it: exactly one gets it.
        (winner,) = (step.action[0, 0] == 0).nonzero()[:, 0].tolist()
        winners.add(winner)
    assert winners == {0, 1, 2}
