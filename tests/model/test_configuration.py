import pytest

from geopar.errors import InputError
from geopar.model.configuration import (
    ASSIGNMENT_VARIANTS,
    PRESETS,
    AssignmentConfig,
    ModelConfig,
)


@pytest.mark.parametrize("preset", PRESETS)
def test_settings_survive_json(preset):
    config = PRESETS[preset]("hcvrp")
    assert ModelConfig.from_json(config.to_json()) == config


def test_impossible_settings_are_told_all_at_once():
    with pytest.raises(InputError) as caught:
        ModelConfig("tsp", width=10, heads=4, layers=-1, turns=2)  # type: ignore[arg-type]
    fields = sorted(fault.field for fault in caught.value.faults)
    assert fields == ["kind", "layers", "turns", "width"]


def test_turns_are_for_our_network_at_a_common_depot():
    assert ModelConfig("hcvrp", pointer=False, turns=2).turns == 2
    with pytest.raises(InputError, match="turns"):
        ModelConfig("omdcpdp", pointer=False, turns=2)


def test_the_papers_table_of_assignment_settings():
    hcvrp, omdcpdp = AssignmentConfig.of_paper("hcvrp"), AssignmentConfig.of_paper("omdcpdp")
    assert (hcvrp.capacity_weight, omdcpdp.capacity_weight) == (1.0, 0.0)
    assert (hcvrp.least_agents, hcvrp.least_tasks) == (8, 300)
    assert (omdcpdp.least_agents, omdcpdp.least_tasks) == (5, 20)


@pytest.mark.parametrize("variant", ASSIGNMENT_VARIANTS)
def test_variants_are_settings(variant):
    AssignmentConfig.of_paper("hcvrp", **ASSIGNMENT_VARIANTS[variant])
