import pytest

from geopar.pointer.columns import Column
from geopar.pointer.hcvrp import columns as hcvrp
from geopar.pointer.observation import feature_sizes
from geopar.pointer.omdcpdp import columns as omdcpdp

TABLES = [
    table for names in (hcvrp, omdcpdp) for table in vars(names).values()
    if isinstance(table, type) and issubclass(table, Column) and table is not Column
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.__module__}.{table.__name__}")
def test_columns_are_numbered_from_zero_without_gaps(table):
    assert [int(column) for column in table] == list(range(len(table)))


def test_trained_weights_rely_on_these_numbers_of_features():
    assert feature_sizes("hcvrp") == (18, 8, 27)
    assert feature_sizes("omdcpdp") == (12, 7, 24)
