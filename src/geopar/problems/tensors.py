"""Small helpers for dataclasses whose fields are tensors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

T = TypeVar("T")


def map_tensors(record: T, change: Callable[[Tensor], Tensor]) -> T:
    """The same dataclass with every tensor field changed, nested ones included."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        if isinstance(value, Tensor):
            changes[field.name] = change(value)
        elif dataclasses.is_dataclass(value):
            changes[field.name] = map_tensors(value, change)
    return dataclasses.replace(record, **changes)  # type: ignore[type-var]


def concatenate(records: Sequence[T], dim: int) -> T:
    """Dataclasses of tensors joined field by field along one dimension, nested ones included."""
    first = records[0]
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(first):  # type: ignore[arg-type]
        values = [getattr(record, field.name) for record in records]
        if isinstance(values[0], Tensor):
            changes[field.name] = torch.cat(values, dim)
        elif dataclasses.is_dataclass(values[0]):
            changes[field.name] = concatenate(values, dim)
    return dataclasses.replace(first, **changes)  # type: ignore[type-var]


def take(table: Tensor, index: Tensor) -> Tensor:
    """Rows of a table by index.

    Parameters
    ----------
    table
        ``(B, P)`` or ``(B, P, F)``: one row per place of each instance.
    index
        ``(B, ...)`` places.

    Returns
    -------
    Tensor
        ``(B, ...)`` or ``(B, ..., F)``.
    """
    flat = index.reshape(index.shape[0], -1)
    if table.dim() == 2:
        return table.gather(1, flat).view(index.shape)
    if table.shape[0] == 1:
        return table[0].index_select(0, flat[0]).view(*index.shape, table.shape[-1])
    # One flat selection of whole rows is several times faster than gather over an expanded index.
    offset = torch.arange(table.shape[0], device=table.device)[:, None] * table.shape[1]
    rows = table.reshape(-1, table.shape[-1]).index_select(0, (flat + offset).reshape(-1))
    return rows.view(*index.shape, table.shape[-1])


def distance(one: Tensor, other: Tensor) -> Tensor:
    """Euclidean distance over the last dimension."""
    length: Tensor = torch.linalg.vector_norm(one - other, dim=-1)
    return length
