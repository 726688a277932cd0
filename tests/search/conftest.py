"""The search without compilation, which is how `make coverage` sees inside of it."""

import os
from pathlib import Path

import pytest

# Compiled code wraps around and divides by zero in silence; NumPy's scalars say so.
SILENT = "ignore:(overflow|divide by zero|invalid value) encountered:RuntimeWarning"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.filterwarnings(SILENT))
