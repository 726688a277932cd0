import hashlib
import json

import pytest
import safetensors.torch
import torch

from geopar.errors import InputError
from geopar.neural import cards
from geopar.neural.cards import (
    FOLDER_VARIABLE,
    find_weights,
    installed,
    read_card,
    save_weights,
)
from geopar.paper.policy import Policy
from paper_states import small_policy


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Weights in a folder of the user's own, as the only ones there are."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(cards, "FOLDER", tmp_path / "none")
    monkeypatch.setattr(cards, "PEERS_FOLDER", tmp_path / "none")
    path = tmp_path / "hcvrp-geopar.safetensors"
    save_weights(path, small_policy("hcvrp"), {"recipe": "hcvrp-geopar"}, {"60/3": 7.2})
    return path


def codes(caught) -> list[str]:
    return [fault.code for fault in caught.value.faults]


def change_card(path, **changes):
    card = json.loads(path.with_suffix(".json").read_text())
    for name, value in changes.items():
        if value is ...:
            del card[name]
        else:
            card[name] = value
    path.with_suffix(".json").write_text(json.dumps(card))


def test_what_is_loaded_is_what_was_saved(saved):
    one, other = small_policy("hcvrp"), Policy.load("hcvrp")
    assert other.config == one.config
    assert other.decoding == one.decoding
    for name, tensor in one.state_dict().items():
        assert torch.equal(other.state_dict()[name], tensor)


def test_half_precision_is_small_and_close(saved):
    policy = small_policy("hcvrp", width=64)
    save_weights(saved, policy)
    whole = saved.stat().st_size
    save_weights(saved, policy, half=True)
    assert saved.stat().st_size < 0.6 * whole
    own = policy.state_dict()
    for name, tensor in Policy.load("hcvrp").state_dict().items():
        assert tensor.dtype == torch.float32
        torch.testing.assert_close(tensor, own[name], rtol=1e-3, atol=1e-3)


def test_weights_are_found_by_name_and_path(saved):
    for name in ("geopar", "hcvrp-geopar", str(saved)):
        assert find_weights("hcvrp", name) == saved
    assert set(installed()) == {"hcvrp-geopar"}
    assert not installed("omdcpdp")


def test_the_card_says_what_they_are(saved):
    card = installed()["hcvrp-geopar"]
    assert (card.problem, card.learner) == ("hcvrp", "geopar")
    assert card.training == {"recipe": "hcvrp-geopar"}
    assert card.validation == {"60/3": 7.2}
    assert card == read_card(saved)


@pytest.mark.parametrize("name", ["best", "nowhere/hcvrp.safetensors"])
def test_missing_weights_are_an_error_and_never_random(saved, name):
    with pytest.raises(InputError, match="no-weights"):
        Policy.load("hcvrp", name)
    with pytest.raises(InputError, match="are not installed for omdcpdp"):
        Policy.load("omdcpdp")


def test_weights_of_another_problem_or_network_are_refused(saved):
    with pytest.raises(InputError, match="are for hcvrp, not for omdcpdp") as caught:
        Policy.load("omdcpdp", str(saved))
    assert codes(caught) == ["wrong-problem"]
    change_card(saved, learner="pointer")
    with pytest.raises(InputError, match="belong to pointer, not to geopar"):
        Policy.load("hcvrp")


def test_weights_of_another_version_are_refused(saved):
    change_card(saved, format=99, version="7.0")
    with pytest.raises(InputError, match=r"saved by geopar 7\.0") as caught:
        Policy.load("hcvrp")
    assert codes(caught) == ["wrong-version"]


@pytest.mark.parametrize("damage", [b"", b"junk", b"\xff" * 100])
def test_a_damaged_file_is_refused(saved, damage):
    saved.write_bytes(damage)
    with pytest.raises(InputError, match="not the file its card speaks of"):
        Policy.load("hcvrp")
    change_card(saved, sha256=hashlib.sha256(damage).hexdigest())
    with pytest.raises(InputError, match="not a file of tensors"):
        Policy.load("hcvrp")


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "\x00"])
def test_a_damaged_card_is_refused(saved, text):
    saved.with_suffix(".json").write_text(text)
    with pytest.raises(InputError):
        Policy.load("hcvrp")


def test_a_missing_card_is_refused(saved):
    saved.with_suffix(".json").unlink()
    with pytest.raises(InputError, match="no-card"):
        Policy.load("hcvrp")


def test_a_card_with_other_fields_is_refused_with_all_of_them(saved):
    change_card(saved, sha256=..., surprise=1, architecture=3)
    with pytest.raises(InputError) as caught:
        Policy.load("hcvrp")
    assert sorted(codes(caught)) == ["missing-setting", "unknown-setting", "wrong-type"]


def test_a_network_of_absurd_size_is_refused_before_it_is_made(saved):
    architecture = small_policy("hcvrp").config.to_json() | {"layers": 10**7}
    change_card(saved, architecture=architecture)
    with pytest.raises(InputError, match="layers"):
        Policy.load("hcvrp")


def test_tensors_that_do_not_fit_are_refused_by_name(saved):
    tensors = dict(small_policy("hcvrp").state_dict())
    del tensors["decoder.glimpse_out.weight"]
    tensors["surprise"] = torch.zeros(2)
    tensors["decoder.keys.weight"] = torch.zeros(2, 2)
    gate = "encoder.branch.gate"
    tensors[gate] = torch.full_like(tensors[gate], torch.nan)
    data = safetensors.torch.save(tensors)
    saved.write_bytes(data)
    change_card(saved, sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(InputError) as caught:
        Policy.load("hcvrp")
    assert sorted(codes(caught)) == [
        "missing-tensor", "not-finite", "unknown-tensor", "wrong-shape",
    ]  # fmt: skip


def test_a_clone_has_the_weights_of_the_peers(saved, tmp_path, monkeypatch):
    clone = tmp_path / "peer-weights"
    monkeypatch.setattr(cards, "PEERS_FOLDER", clone)
    assert "hcvrp-other" not in installed()
    clone.mkdir()
    save_weights(clone / "hcvrp-other.safetensors", small_policy("hcvrp"))
    save_weights(clone / "hcvrp-geopar.safetensors", small_policy("hcvrp"), {"recipe": "other"})
    assert "hcvrp-other" in installed()
    assert installed()["hcvrp-geopar"].training == {"recipe": "hcvrp-geopar"}, "the user's first"
