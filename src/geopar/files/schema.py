"""The published JSON schemas."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Literal


def schema(name: Literal["problem", "plan"]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of problem or plan files."""
    text = resources.files("geopar.files").joinpath("schemas", f"{name}.schema.json").read_text()
    loaded: dict[str, Any] = json.loads(text)
    return loaded
