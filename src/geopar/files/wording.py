"""How readers speak of what they found: values cut to size, and the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

LONGEST_TEXT = 80
MOST_DIGITS = 300


class Words:
    """Shows as plain words where a value is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shown(value: Any) -> Any:
    """``value``, or what to say instead where writing it out is long, slow or impossible."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, int) and value.bit_length() > MOST_DIGITS * 3:
        return Words("a whole number of hundreds of digits")
    if isinstance(value, dict):
        return Words(f"an object with {len(value)} fields")
    if isinstance(value, list | tuple):
        return Words(f"a list of {len(value)}")
    if value is None or isinstance(value, bool):
        return Words({None: "null", True: "true", False: "false"}[value])
    return value


def printable(text: str, most: int = LONGEST_TEXT) -> str:
    """``text`` as it is, or escaped where it would spoil the line or cannot be printed."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return cut if cut and cut.isprintable() else repr(cut)


def maybe(name: Any, known: Iterable[str], taken: Iterable[str] = ()) -> str:
    """A hint at the known name that was probably meant, and otherwise at all of them.

    Those that are ``taken`` are known, but were not meant.
    """
    return _maybe(str(name)[:LONGEST_TEXT], tuple(sorted(known)), frozenset(taken))


@lru_cache(maxsize=256)
def _maybe(name: str, known: tuple[str, ...], taken: frozenset[str]) -> str:
    near = get_close_matches(name.strip().lower(), known, n=1, cutoff=0.5)
    # Nothing farther off is meant either when the nearest is taken.
    if near and near[0] not in taken:
        return f"Maybe {near[0]}."
    return f"Known here: {', '.join(known)}."
