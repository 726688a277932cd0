import torch

from geopar.pointer.replay import opinion
from geopar.pointer.rollout import Rollout
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from midway import network_for


def test_a_network_that_follows_itself_wants_what_it_did() -> None:
    network = network_for("hcvrp", inserts=False)
    torch.nn.init.normal_(network.out.weight, std=3.0, generator=torch.Generator().manual_seed(1))
    # One vehicle: nobody is ever refused what it wants.
    batch = make_batch([generate("hcvrp/12/1", k) for k in range(3)])
    rollout = Rollout(network, batch)
    rollout.finish()
    actions = torch.from_numpy(rollout._joined("action"))[:, :, None]
    found = opinion(network, batch, actions)
    favourite = found.candidates.gather(-1, found.logits.argmax(-1, keepdim=True))[..., 0]
    going = found.logits.amax(-1) > -torch.inf
    assert bool(going.any())
    assert torch.equal(favourite[going], actions[going])
    # Behind the end nobody wants anything.
    steps = rollout.state.steps[:, 0]
    assert torch.equal(going.sum((1, 2, 3)), steps)
