"""The examples of ``docs/use/http.md`` run against the service."""

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "use" / "http.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(served, number: int, capsys: pytest.CaptureFixture) -> None:
    exec(EXAMPLES[number].replace("http://127.0.0.1:8000", served.url), {})
    assert capsys.readouterr().out


def test_there_are_examples_and_every_route_is_told() -> None:
    assert len(EXAMPLES) == 2
    from geopar.service.openapi import openapi
    from geopar.service.service import Settings

    for path in openapi(Settings())["paths"]:
        assert f"{path}`" in TEXT or f"{path}/" in TEXT
