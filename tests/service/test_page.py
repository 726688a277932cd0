from pathlib import Path
from typing import Any

import pytest

from geopar.service import page
from geopar.service.responses import RefusedError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(page, "FOLDER", tmp_path / "page")
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "secret.txt").write_text("not an asset")
    return tmp_path / "page"


@pytest.mark.parametrize(("name", "show"), [("index.html", page.index), ("docs.html", page.docs)])
def test_a_page_that_is_not_built_says_how(folder: Path, name: str, show: Any) -> None:
    assert b"npm run build" in show().body
    (folder / name).write_text("<p>")
    assert show().path == folder / name


def test_assets_and_nothing_else(folder: Path) -> None:
    (folder / "assets" / "a.js").write_text("1")
    assert page.asset("a.js").media_type == "text/javascript"
    for name in ("b.js", "../secret.txt", "/etc/passwd", "", "a.js\0", "x" * 5000):
        with pytest.raises(RefusedError, match="no file"):
            page.asset(name)
