"""``docs/use/errors.md`` lists every code that exists, and no other."""

import re
from pathlib import Path

import pytest

from geopar.violations import VIOLATIONS

ROOT = Path(__file__).parents[1]
# Faults are noted with add("code", …) or refuse("code", …); the comma keeps sets of words out.
NOTED = re.compile(r'\b_?(?:add|refuse)\(\s*"([a-z][a-z0-9-]*)"\s*,')
# Refusals of the service have a status before the code; text behind it, not a variable.
REFUSED = re.compile(r'\bRefusedError\(\s*[\w.]+,\s*"([a-z][a-z0-9-]*)"\s*,')
# The first cell of a row of a table, or a heading, with the code in backticks.
LISTED = re.compile(r"^(?:\|\s*|#+\s*)`([a-z][a-z0-9-]*)`(.*)$", re.MULTILINE)


def used_codes() -> set[str]:
    texts = [path.read_text("utf-8") for path in (ROOT / "src" / "geopar").rglob("*.py")]
    return {code for text in texts for code in NOTED.findall(text) + REFUSED.findall(text)}


def listed() -> list[tuple[str, str]]:
    return LISTED.findall((ROOT / "docs" / "use" / "errors.md").read_text("utf-8"))


def test_codes_are_found_at_all() -> None:
    assert {"bad-json", "demand-over-capacity", "bad-limit", "no-such-job"} <= used_codes()


def test_every_code_is_listed_and_every_listed_code_exists() -> None:
    codes = {code for code, _ in listed()}
    known = used_codes() | set(VIOLATIONS)
    assert sorted(known - codes) == [], "add these to docs/use/errors.md"
    assert sorted(codes - known) == [], "remove these from docs/use/errors.md"


@pytest.mark.parametrize(("code", "rest"), listed())
def test_every_code_has_a_cause_and_a_fix(code: str, rest: str) -> None:
    assert len([cell for cell in rest.split("|") if cell.strip()]) == 2
