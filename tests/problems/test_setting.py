import numpy as np
import pytest

from geopar.errors import InputError
from geopar.problems.setting import Setting


@pytest.mark.parametrize(
    "name", ["hcvrp/60/3", "omdcpdp/50/5", "hcvrp/1/1", "hcvrp/1000000/100000"]
)
def test_names_round_trip(name):
    assert str(Setting.parse(name)) == name


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("", ["unknown-problem", "bad-setting", "bad-setting"]),
        ("tsp/60/3", ["unknown-problem"]),
        ("HCVRP/60/3", ["unknown-problem"]),
        ("hcvrp", ["bad-setting", "bad-setting"]),
        ("hcvrp/60", ["bad-setting"]),
        ("hcvrp/60/3/1", ["bad-setting"]),
        ("hcvrp/0/3", ["bad-setting"]),
        ("hcvrp/-5/3", ["bad-setting"]),
        ("hcvrp/6.5/x", ["bad-setting", "bad-setting"]),
        ("hcvrp/1000001/3", ["bad-setting"]),
        ("hcvrp/10000000000000000000/3", ["bad-setting"]),
        ("hcvrp/60/100001", ["bad-setting"]),
        ("hcvrp/٦٠/3", ["bad-setting"]),
        ("hcvrp/ 60/3", ["bad-setting"]),
        ("omdcpdp/51/5", ["odd-tasks"]),
    ],
)
def test_names_of_no_setting(name, codes):
    with pytest.raises(InputError) as caught:
        Setting.parse(name)
    assert [fault.code for fault in caught.value.faults] == codes
    assert all(fault.hint.startswith("Maybe") for fault in caught.value.faults)


def test_no_odd_task_is_dropped():
    with pytest.raises(InputError, match="odd-tasks"):
        Setting("omdcpdp", 7, 2)


def test_generating_draws_from_the_stream_given():
    for name in ("hcvrp/7/2", "omdcpdp/8/2"):
        setting = Setting.parse(name)
        problem = setting.generate(np.random.default_rng(3))
        assert (problem.kind, problem.num_tasks, problem.num_vehicles) == (
            setting.kind, setting.num_tasks, setting.num_vehicles,
        )  # fmt: skip
        assert setting.generate(np.random.default_rng(3)) == problem
        assert setting.generate(np.random.default_rng(4)) != problem
