"""The tiny problems as fixtures, and how Hypothesis searches."""

import os

# Tiny tensors gain nothing from threads, and on a busy machine threads wait for each other. It has
# to be said before anything loads torch.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import instances
from geopar.problems import HCVRP, OMDCPDP, Problem

# A test suite gives the same answer twice and does not depend on how busy the machine is;
# `--hypothesis-profile=explore` looks for new examples.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")


# Compiled code wraps around and divides by zero in silence; without compilation, which is how
# `make coverage` sees inside of it, NumPy's scalars say so.
SILENT = "ignore:(overflow|divide by zero|invalid value) encountered:RuntimeWarning"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Several processes may share the tests (`pytest -n 2 --dist loadgroup`): a file stays whole,
    # and what needs a Ray cluster stays together.
    for item in items:
        clustered = "ray_cluster" in getattr(item, "fixturenames", ())
        together = "ray" if clustered or item.path.parent.name == "spread" else str(item.path)
        item.add_marker(pytest.mark.xdist_group(together))
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        for item in items:
            item.add_marker(pytest.mark.filterwarnings(SILENT))


@pytest.fixture
def square() -> HCVRP:
    return instances.square()


@pytest.fixture
def two_speeds() -> HCVRP:
    return instances.two_speeds()


@pytest.fixture
def one_customer() -> HCVRP:
    return instances.one_customer()


@pytest.fixture
def handful() -> HCVRP:
    return instances.handful()


@pytest.fixture
def town() -> HCVRP:
    return instances.town()


@pytest.fixture
def corridor() -> OMDCPDP:
    return instances.corridor()


@pytest.fixture
def one_order() -> OMDCPDP:
    return instances.one_order()


@pytest.fixture
def mixed_load() -> OMDCPDP:
    return instances.mixed_load()


@pytest.fixture
def island() -> OMDCPDP:
    return instances.island()


@pytest.fixture(params=instances.EVERY, ids=lambda make: make.__name__)
def any_problem(request: pytest.FixtureRequest) -> Problem:
    """Each of the tiny problems in turn."""
    return request.param()
