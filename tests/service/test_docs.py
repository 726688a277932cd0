"""The examples of ``docs/use/http.md`` and ``http-jobs.md`` run against the service."""

import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "use"
TEXT = "".join((FOLDER / name).read_text("utf-8") for name in ("http.md", "http-jobs.md"))
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_examples_run_one_after_the_other(served, capsys: pytest.CaptureFixture) -> None:
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(example.replace("http://127.0.0.1:8000", served.url), names)
        assert capsys.readouterr().out


def test_there_are_examples_and_every_route_is_told() -> None:
    assert len(EXAMPLES) == 6
    from geopar.service.openapi import openapi
    from geopar.service.service import Settings

    for path in openapi(Settings())["paths"]:
        assert f"{path}`" in TEXT or f"{path}/" in TEXT
