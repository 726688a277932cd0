import pytest

from geopar.errors import InputError
from geopar.pointer.config import PointerConfig, PointerDecoding
from midway import network_for


def codes(caught) -> list[str]:
    return [fault.code for fault in caught.value.faults]


def test_settings_survive_json():
    config = PointerConfig("omdcpdp", width=24, clip=4.0, reach=7, turns=0)
    assert PointerConfig.from_json(config.to_json()) == config
    decoding = PointerDecoding("resolve", 5, 8, 300)
    assert PointerDecoding.from_json(decoding.to_json()) == decoding


def test_impossible_settings_are_told_all_at_once():
    with pytest.raises(InputError) as caught:
        PointerConfig("hcvrp", width=0, clip=0.0, reach=10**9, turns=-1)
    assert {f.field for f in caught.value.faults} == {"width", "clip", "reach", "turns"}
    with pytest.raises(InputError) as caught:
        PointerDecoding("resolve", proposals=0, least_vehicles=-1, least_tasks=-1)
    assert codes(caught) == ["out-of-range"] * 3


def test_names_and_types_are_checked():
    with pytest.raises(InputError) as caught:
        PointerConfig.from_json({"width": "wide", "depth": 3})
    assert sorted(codes(caught)) == ["missing-setting", "unknown-setting", "wrong-type"]
    with pytest.raises(InputError) as caught:
        PointerDecoding.from_json({"mode": "best"})
    assert codes(caught) == ["unknown-value"]


def test_the_same_weights_fit_other_turns_alone():
    network = network_for("hcvrp", turns=8)
    assert network.takes_weights_of(network_for("hcvrp", turns=32))
    assert not network.takes_weights_of(network_for("hcvrp", turns=8, width=32))


@pytest.mark.parametrize(
    ("mode", "tasks", "vehicles", "expected"),
    [("greedy", 500, 50, 1), ("resolve", 500, 50, 4), ("resolve", 99, 50, 1),
     ("resolve", 500, 9, 1), ("resolve", 100, 10, 4)],
)  # fmt: skip
def test_conflicts_are_resolved_in_large_instances(mode, tasks, vehicles, expected):
    decoding = PointerDecoding(mode, 4, least_vehicles=10, least_tasks=100)
    assert decoding.proposals_for(tasks, vehicles) == expected


def test_turns_are_for_the_depot_of_hcvrp():
    assert PointerConfig("hcvrp").turns == 8
    assert PointerConfig("omdcpdp").turns == 0
    with pytest.raises(InputError, match="there is no depot"):
        PointerConfig("omdcpdp", turns=8)
