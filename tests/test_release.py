"""What a release says of itself is the same everywhere."""

import re
from pathlib import Path

from geopar.__about__ import __version__

ROOT = Path(__file__).parents[1]


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text()
    newest = re.search(
        r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert newest is not None
    assert newest.group(1) == __version__
    assert f"\nversion: {__version__}\n" in citation
    assert f"\ndate-released: {newest.group(2)}\n" in citation
