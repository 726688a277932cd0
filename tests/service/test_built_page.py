"""The page that comes with the package; its own tests are in web/tests and tests/browser."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from geopar.service.page import FOLDER

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
LARGEST = 300_000


def sources_hash():
    """As web/sources.ts: path, length and bytes of every file, sorted by path."""
    text = (WEB / "sources.ts").read_text()
    parts = re.findall(r'^  "([^"]+)",$', text, re.MULTILINE)
    assert "src" in parts
    names = {}
    for part in parts:
        path = WEB / part
        files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        for file in files:
            name = part if path.is_file() else file.relative_to(WEB).as_posix()
            names[name] = file.read_bytes()
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(f"{name}\n{len(names[name])}\n".encode() + names[name])
    return digest.hexdigest()


@pytest.mark.skipif(not WEB.is_dir(), reason="installed without its sources")
def test_the_built_page_is_that_of_its_sources():
    recorded = json.loads((FOLDER / "sources.json").read_text())["sources"]
    assert recorded == sources_hash(), "web/ has changed: `make web` builds the page anew"


@pytest.mark.parametrize("page", ["index.html", "docs.html"])
def test_the_page_names_only_files_that_are_there(page):
    named = re.findall(r'(?:src|href)="\./(assets/[^"]+)"', (FOLDER / page).read_text())
    assert len(named) >= 3
    assert [name for name in named if not (FOLDER / name).is_file()] == []


def test_the_page_is_small_and_asks_nobody_else():
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LARGEST
    for path in files:
        if path.suffix in (".html", ".js", ".css"):
            assert re.findall(r"https?://(?!127\.)[\w.]+", path.read_text()) == [], path.name


@pytest.mark.parametrize("page", ["index.html", "docs.html"])
def test_nothing_is_inline_as_the_content_policy_asks(page):
    text = (FOLDER / page).read_text()
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:|data:", text) == []
    assert re.findall(r"<script(?![^>]*\ssrc=)", text) == []
