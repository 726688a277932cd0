import importlib
import sys

import pytest

from geopar.errors import MissingExtraError


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("geopar.plotting")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'geopar\[plot\]'") as caught:
        importlib.import_module("geopar.plotting")
    assert caught.value.exit_code == 2
