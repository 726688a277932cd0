"""JSON text, and objects put together from parts that are text already."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# Escapes everything beyond ASCII: half a character (a lone surrogate) in an id then travels too.
to_text = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def join_text(fields: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """An object of fields and of parts that are JSON text already."""
    parts = [f'"{name}":{to_text(value)}' for name, value in fields.items()]
    parts += [f'"{name}":{text}' for name, text in texts.items()]
    return "{" + ",".join(parts) + "}"
