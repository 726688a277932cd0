import json

import pytest
import safetensors.torch
import torch

from geopar.errors import InputError
from geopar.model.configuration import AssignmentConfig, Decoding
from geopar.model.construct import construct
from geopar.model.weights import (
    FOLDER_VARIABLE,
    find_weights,
    installed,
    load_weights,
    random_policy,
    read_card,
    save_weights,
)
from geopar.problems.random import generate
from midway import policy_for


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Weights in a folder of the user's own, as the only ones there are."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("geopar.model.weights.FOLDER", tmp_path / "none")
    monkeypatch.setattr("geopar.model.weights.PEERS_FOLDER", tmp_path / "none")
    path = tmp_path / "hcvrp-small.safetensors"
    save_weights(path, policy_for("hcvrp"), {"command": "geopar train hcvrp"}, {"60/3": 7.2})
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
    one, other = policy_for("hcvrp"), load_weights("hcvrp", "small")
    assert other.config == one.config
    for name, tensor in one.state_dict().items():
        assert torch.equal(other.state_dict()[name], tensor)
    problem = generate("hcvrp/10/2")
    assert construct(problem, one).plans == construct(problem, other).plans


def test_half_precision_is_small_and_close(saved):
    policy = policy_for("hcvrp", pair_width=32)
    save_weights(saved, policy)
    whole = saved.stat().st_size
    save_weights(saved, policy, half=True)
    assert saved.stat().st_size < 0.6 * whole
    own = policy.state_dict()
    for name, tensor in load_weights("hcvrp").state_dict().items():
        assert tensor.dtype == torch.float32
        torch.testing.assert_close(tensor, own[name], rtol=1e-3, atol=1e-3)


def test_weights_are_found_by_name_path_and_preference(saved):
    for name in (None, "small", "hcvrp-small", str(saved)):
        assert find_weights("hcvrp", name) == saved
    save_weights(saved.with_name("hcvrp-default.safetensors"), policy_for("hcvrp"))
    assert find_weights("hcvrp").stem == "hcvrp-default"
    assert set(installed()) == {"hcvrp-small", "hcvrp-default"}
    assert not installed("omdcpdp")


def test_the_card_says_what_they_are(saved):
    card = installed()["hcvrp-small"]
    assert card.problem == "hcvrp"
    assert card.training == {"command": "geopar train hcvrp"}
    assert card.validation == {"60/3": 7.2}
    assert card == read_card(saved)


def test_weights_bring_how_they_are_to_be_decoded(saved):
    policy = policy_for("hcvrp")
    plain = AssignmentConfig(pool=False, proposals=7)
    policy.decoding = Decoding("ca-always", plain)
    save_weights(saved, policy)
    loaded = load_weights("hcvrp")
    assert loaded.decoding == policy.decoding
    problem = generate("hcvrp/14/4")
    assert construct(problem, loaded).plans == construct(problem, policy, "ca-always", assignment=plain).plans  # fmt: skip  # noqa: E501
    change_card(saved, decoding={"mode": "best", "assignment": {"luck": 1}})
    with pytest.raises(InputError) as caught:
        load_weights("hcvrp")
    assert codes(caught) == ["unknown-value", "unknown-setting"]
    change_card(saved, decoding=...)
    assert load_weights("hcvrp").decoding == Decoding.of_paper("hcvrp")


def test_missing_weights_are_an_error_and_never_random(saved):
    with pytest.raises(InputError, match="are not installed for omdcpdp") as caught:
        load_weights("omdcpdp")
    assert codes(caught) == ["no-weights"]
    for name in ("best", "nowhere/hcvrp.safetensors"):
        with pytest.raises(InputError, match="no-weights"):
            load_weights("hcvrp", name)


def test_weights_of_another_problem_are_refused(saved):
    with pytest.raises(InputError, match="are for hcvrp, not for omdcpdp") as caught:
        load_weights("omdcpdp", str(saved))
    assert codes(caught) == ["wrong-problem"]


def test_weights_of_another_version_are_refused(saved):
    change_card(saved, format=99, version="7.0")
    with pytest.raises(InputError, match=r"saved by geopar 7\.0") as caught:
        load_weights("hcvrp")
    assert codes(caught) == ["wrong-version"]


@pytest.mark.parametrize("damage", [b"", b"junk", b"\xff" * 100])
def test_a_damaged_file_is_refused(saved, damage):
    saved.write_bytes(damage)
    with pytest.raises(InputError, match="not the file its card speaks of"):
        load_weights("hcvrp")


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "\x00"])
def test_a_damaged_card_is_refused(saved, text):
    saved.with_suffix(".json").write_text(text)
    with pytest.raises(InputError, match="is no card of weights"):
        load_weights("hcvrp")


def test_a_missing_card_is_refused(saved):
    saved.with_suffix(".json").unlink()
    with pytest.raises(InputError, match="no-card"):
        load_weights("hcvrp")


def test_a_card_with_other_fields_is_refused_with_all_of_them(saved):
    change_card(saved, validation=..., surprise=1, architecture=3)
    with pytest.raises(InputError) as caught:
        load_weights("hcvrp")
    assert len(caught.value.faults) == 3


def test_an_architecture_with_other_settings_is_refused(saved):
    architecture = policy_for("hcvrp").config.to_json() | {"depth": 3}
    del architecture["width"]
    change_card(saved, architecture=architecture)
    with pytest.raises(InputError) as caught:
        load_weights("hcvrp")
    assert sorted(codes(caught)) == ["missing-setting", "unknown-setting"]


def test_tensors_that_do_not_fit_are_refused_by_name(saved):
    tensors = dict(policy_for("hcvrp").state_dict())
    del tensors["edge_pointer.out.weight"]
    tensors["surprise"] = torch.zeros(2)
    tensors["edge_pointer.pair.weight"] = torch.zeros(2, 2)
    tensors["edge_pointer.agent.bias"] = torch.full_like(
        tensors["edge_pointer.agent.bias"], torch.nan
    )
    data = safetensors.torch.save(tensors)
    saved.write_bytes(data)
    change_card(saved, sha256=__import__("hashlib").sha256(data).hexdigest())
    with pytest.raises(InputError) as caught:
        load_weights("hcvrp")
    assert sorted(codes(caught)) == [
        "missing-tensor", "not-finite", "unknown-tensor", "wrong-shape",
    ]  # fmt: skip


def test_random_weights_must_be_asked_for_and_are_the_same_every_time():
    one, other = load_weights("hcvrp", "random"), random_policy("hcvrp")
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_a_clone_has_the_weights_of_the_peers(saved, tmp_path, monkeypatch):
    clone = tmp_path / "peer-weights"
    monkeypatch.setattr("geopar.model.weights.PEERS_FOLDER", clone)
    assert "hcvrp-other" not in installed()
    clone.mkdir()
    save_weights(clone / "hcvrp-other.safetensors", policy_for("hcvrp"))
    save_weights(clone / "hcvrp-small.safetensors", policy_for("hcvrp"), {"command": "nobody's"})
    assert "hcvrp-other" in installed()
    # The user's own come first.
    assert installed()["hcvrp-small"].training["command"] == "geopar train hcvrp"
