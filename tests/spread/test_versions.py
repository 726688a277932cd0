import pytest

from geopar.errors import InputError
from geopar.spread.versions import Versions, of_this_process, probe, require_same

HERE = Versions("3.11.7", "0.2.0")


def test_the_same_is_fine() -> None:
    require_same(HERE, {"a": HERE, "b": Versions("3.11.9", "0.2.0")})


def test_every_node_that_differs_is_named_with_both_versions() -> None:
    nodes = {
        "a": Versions("3.12.1", "0.2.0"),
        "b": Versions("3.11.7", "0.1.0"),
        "c": Versions("3.11.7", None),
    }
    with pytest.raises(InputError) as error:
        require_same(HERE, nodes)
    assert [(fault.value, fault.message) for fault in error.value.faults] == [
        ("'a'", "has Python 3.12.1, here it is 3.11.7."),
        ("'b'", "has GeoPAR 0.1.0, here it is 0.2.0."),
        ("'c'", "has no GeoPAR, here it is 0.2.0."),
    ]


def test_a_process_tells_its_versions() -> None:
    assert Versions(*probe()()) == of_this_process()
