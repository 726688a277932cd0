import torch

from geopar.checking import check
from geopar.peers.dpn import DPN, DPNConfig, rotated
from geopar.peers.peer import Chooser
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from peer_laws import SMALL, Laws


class TestDPN(Laws):
    learner = "dpn"


def test_who_reloads_forever_is_stopped_and_all_are_served() -> None:
    problem = generate("hcvrp/7/2")
    peer = DPN(DPNConfig("hcvrp", **SMALL, idle_reload=True)).eval()
    batch = make_batch([problem])

    def only_reloads(encoded, state):
        mask = encoded.environment.mask(state)
        wish = torch.zeros(mask.shape)
        wish[..., 7] = 9.0
        return wish.masked_fill(~mask, -torch.inf)

    peer.logits = only_reloads  # type: ignore[method-assign]
    found = peer.rollout(batch, record=True)
    assert found.recorder is not None
    assert int(found.steps[0, 0]) > 4 * 7 + 2
    assert not check(problem, found.recorder.plans([problem])[0]).violations
    sampled = peer.rollout(batch, "sample", 3)
    assert bool(torch.isfinite(sampled.log_prob).all())


def test_sampled_rollouts_have_their_own_orders() -> None:
    peer = DPN(DPNConfig("hcvrp", **SMALL))
    encoded = peer.encode(make_batch([generate("hcvrp/7/4")]))
    generator = torch.Generator().manual_seed(0)
    fixed = peer.reset(encoded, 2, Chooser(False, generator)).order
    assert fixed[0].tolist() == [[0, 1, 2, 3]] * 2
    drawn = peer.reset(encoded, 50, Chooser(True, generator)).order[0]
    assert len({tuple(order) for order in drawn.tolist()}) > 15
    assert torch.equal(drawn.sort(-1).values, torch.arange(4).expand(50, -1))


def test_rotation_keeps_lengths_and_tells_agents_apart() -> None:
    x = torch.randn(1, 1, 10).expand(-1, 4, -1)
    turned = rotated(x)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(turned[:, 0], x[:, 0])
    apart = torch.cdist(turned, turned)[0] + torch.eye(4)
    assert float(apart.min()) > 0.1


def test_the_clip_bounds_what_the_products_and_the_distances_say() -> None:
    peer = DPN(DPNConfig("hcvrp", **SMALL | {"clip": 3.0})).eval()
    with torch.no_grad():
        encoded = peer.encode(make_batch([generate("hcvrp/7/2")]))
        loud = encoded._replace(node_point=1e4 * encoded.node_point)
        state = peer.reset(encoded, 1, Chooser(False, torch.Generator()))
        quiet, clipped = (peer.logits(one, state) for one in (encoded, loud))
    allowed = encoded.environment.mask(state)
    assert not bool(torch.isfinite(quiet[~allowed]).any())
    assert float(quiet[allowed].abs().max()) < 3.0
    assert float(clipped[allowed].abs().max()) == 3.0
