import pytest

from geopar.errors import InputError
from geopar.problems.random import generate


def test_the_same_seed_gives_the_same_problem():
    assert generate("hcvrp/5/2", 7) == generate("hcvrp/5/2", 7)
    assert generate("omdcpdp/6/2") == generate("omdcpdp/6/2", 0)
    assert generate("hcvrp/5/2", 7) != generate("hcvrp/5/2", 8)


def test_what_makes_no_sense():
    with pytest.raises(InputError, match="bad-seed"):
        generate("hcvrp/5/2", -1)
    with pytest.raises(InputError, match="unknown-problem"):
        generate("tsp/5/2")
