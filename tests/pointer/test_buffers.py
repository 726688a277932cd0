import numpy as np
import pytest

from geopar.pointer import buffers
from geopar.pointer.buffers import enlarged, give_back, new_choices, reused_choices
from midway import network_for


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(buffers, "_idle", [])


def test_what_was_given_back_is_used_where_it_fits():
    config = network_for("hcvrp").config
    kept = new_choices(config, 10, 40)
    give_back(config, [kept])
    assert reused_choices(config, 9, 40) is kept
    assert reused_choices(config, 9, 40) is not kept, "it is in use"


@pytest.mark.parametrize("changes", [{"width": 40}, {}])
def test_what_does_not_fit_is_let_go(changes):
    config, other = network_for("hcvrp").config, network_for("hcvrp", **changes).config
    give_back(config, [new_choices(config, 10, 40)])
    count = 10 if changes else 1000
    assert len(reused_choices(other, count, 40).rollout) >= count
    assert not buffers._idle


def test_larger_buffers_hold_what_the_smaller_did():
    choices = new_choices(network_for("hcvrp").config, 3, 8)
    choices.task[:] = np.arange(len(choices.task))
    larger = enlarged(choices, ("task",))
    assert len(larger.task) == 2 * len(choices.task)
    assert larger.task[: len(choices.task)].tolist() == choices.task.tolist()
    assert larger.logit is choices.logit
