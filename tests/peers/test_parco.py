import torch

from geopar.peers.parallel import ParallelEncoded
from geopar.peers.peer import Chooser
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from peer_laws import Laws


class TestParco(Laws):
    learner = "parco"


class TestParcoOrders(Laws):
    learner, kind, setting = "parco", "omdcpdp", "omdcpdp/12/3"


class TestParcoWithoutRetirement(Laws):
    learner, kind, changes = "parco", "omdcpdp", {"retirement": False}
    setting = "omdcpdp/12/3"


def test_a_contested_task_goes_to_the_highest_probability_and_all_proposals_count() -> None:
    peer = TestParco().peer()
    encoded = peer.encode(make_batch([generate("hcvrp/3/3")]))
    assert isinstance(encoded, ParallelEncoded)
    chooser = Chooser(True, torch.Generator().manual_seed(0))
    state = peer.reset(encoded, 64, chooser)
    logits = peer.scores(encoded, state).logits  # type: ignore[operator]
    step = peer.step(encoded, state, chooser)
    stayed = step.action == 4
    # With three customers and three vehicles somebody always loses somewhere.
    assert bool(stayed.any())
    assert not bool(stayed.all(-1).any())
    best, least = (logits.log_softmax(-1).amax(), logits.log_softmax(-1)[..., :3].amin())
    assert step.log_prob is not None
    # The mean over all three agents, losers included, lies between the extremes of one agent.
    assert bool((step.log_prob <= best + 1e-6).all())
    assert bool((step.log_prob >= least - 1e-6).all())
