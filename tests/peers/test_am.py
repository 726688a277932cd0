import torch

from geopar.peers.am import AMConfig, AttentionModel
from geopar.problems.batch import make_batch
from geopar.problems.random import generate
from peer_laws import SMALL, Laws


class TestAttentionModel(Laws):
    learner = "am"


class TestEarliest(Laws):
    learner, changes = "am", {"selector": "earliest"}


def test_the_earliest_vehicle_drives() -> None:
    peer = AttentionModel(AMConfig("hcvrp", **SMALL, selector="earliest")).eval()
    batch = make_batch([generate("hcvrp/9/3")])
    with torch.no_grad():
        found = peer.rollout(batch, record=True)
    assert found.recorder is not None
    # All start at zero, so the first three steps take one vehicle each.
    drivers = [int((step[0, 0] < 10).int().argmax()) for step in found.recorder.actions[:3]]
    assert drivers == [0, 1, 2]
