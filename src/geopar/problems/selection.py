"""Things of a problem by id or by number."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from geopar.errors import Faults
from geopar.problems.travel import Ints


def indices_of(wanted: Iterable[Any], ids: Sequence[str], thing: str) -> Ints:
    """The numbers of things that are named by id or by number, each as it is given.

    Raises
    ------
    geopar.errors.InputError
        For names that there are none of, and numbers beyond the last.
    """
    faults, found = Faults(), []
    known = {name: i for i, name in enumerate(ids)}
    for one in wanted:
        index = known.get(one) if isinstance(one, str) else _number_of(one, len(ids))
        if index is None:
            hint = "" if not isinstance(one, str) else _near_miss(one, known)
            faults.add("unknown-id", thing, one, f"is no {thing} of the problem.", hint)
        else:
            found.append(index)
    faults.raise_if_any()
    return np.array(found, dtype=np.int64)


def _near_miss(name: str, known: Iterable[str]) -> str:
    """A hint at the name that was probably meant."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"Maybe {near[0]!r}." if near else ""


def _number_of(one: Any, count: int) -> int | None:
    try:
        index = operator.index(one)
    except TypeError:
        return None
    return index if 0 <= index < count else None
