"""What a release says of itself is the same everywhere."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

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


@pytest.fixture
def build_hook(monkeypatch) -> Any:
    """What the build calls, without the build's own package."""
    interface: Any = ModuleType("interface")
    interface.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_can_be_read_outside_the_repository(build_hook):
    hook = build_hook.CustomMetadataHook()
    hook.root = str(ROOT)
    metadata: dict[str, Any] = {}
    hook.update(metadata)
    text = metadata["readme"]["text"]
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert [to for to in re.findall(r"\]\(([^)]+)\)", text) if not to.startswith("http")] == []
    assert "<!--" not in text
    # All that it says is still there.
    assert "| use it | Command line, Python, The page," in text
    assert "| HCVRP 60/3, makespan |" in text
    elsewhere = "[a](https://b.example)"
    assert build_hook.outside(elsewhere) == elsewhere


def test_the_image_has_what_the_build_needs():
    copied = re.findall(r"^COPY \S+ (.*) \./$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    needed = {"pyproject.toml", "hatch_build.py", "README.md"}
    assert needed <= set(copied[0].split())
    assert needed <= {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines()}
