import pytest

from geopar.errors import InputError
from geopar.paper.config import AssignmentConfig, Decoding, NetworkConfig, parco_config


def test_settings_survive_json():
    config = NetworkConfig("hcvrp", directions=8, most_cached=12)
    assert NetworkConfig.from_json(config.to_json()) == config
    decoding = Decoding("ca", AssignmentConfig.of_paper("omdcpdp", temperature=0.7))
    assert Decoding.from_json(decoding.to_json()) == decoding


def test_all_that_is_wrong_with_a_network_is_told():
    with pytest.raises(InputError) as caught:
        NetworkConfig("hcvrp", width=0, layers=10**7, state="odd", clip=0.0)  # type: ignore[arg-type]
    assert {fault.field for fault in caught.value.faults} == {"width", "layers", "state", "clip"}


def test_all_that_is_wrong_with_an_assignment_is_told():
    with pytest.raises(InputError) as caught:
        AssignmentConfig(proposals=0, temperature=0.0, exploration=1.0, from_cache=-1)
    fields = {fault.field for fault in caught.value.faults}
    assert fields == {"proposals", "temperature", "exploration", "from_cache"}


def test_unknown_names_are_told_with_the_known_ones():
    with pytest.raises(InputError, match="temperature"):
        AssignmentConfig.from_json({"temprature": 1.0})
    with pytest.raises(InputError) as caught:
        NetworkConfig.from_json({"wdth": 3})
    assert {fault.field for fault in caught.value.faults} == {"wdth", "kind"}
    with pytest.raises(InputError, match="no way to decode"):
        Decoding.from_json({"mode": "slow"})


def test_parco_is_the_network_without_windows():
    config = parco_config("omdcpdp", width=64)
    assert not config.geometry
    assert config.state == "parco"
    assert config.width == 64
