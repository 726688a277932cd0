import pytest

from geopar.errors import InputError
from geopar.reproduce.registry import about, find, names


def test_every_name_has_its_experiment() -> None:
    assert [one.name for one in find(["all"])] == list(names())
    assert len(names()) == 10


def test_each_once_in_the_order_asked_for() -> None:
    assert [one.name for one in find(["ham", "recall", "ham"])] == ["ham", "recall"]


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(InputError, match="Maybe table-1") as caught:
        find(["tabel-1", "nothing"])
    assert len(caught.value.faults) == 2


def test_every_table_and_figure_of_results_is_there() -> None:
    assert {one.source for one in about()} == {
        *(f"Table {n}" for n in (1, 2, 3, 4, 7, 8)),
        *(f"Figure {n}" for n in (2, 4, 5, 6)),
    }
