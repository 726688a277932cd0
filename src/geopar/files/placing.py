"""Coordinates for places of which only a matrix is known, so that they can be drawn.

Classical multidimensional scaling (Torgerson, 1952): the two leading eigenvectors of the doubly
centred squares, by a few steps of subspace iteration.
"""

from __future__ import annotations

import numpy as np

from geopar.problems.validation import Floats

STEPS = 30


def places_from(table: Floats) -> Floats:
    """``(places, 2)`` of which the distances are about those of the table, either way's mean."""
    squares = ((table + table.T) / 2.0) ** 2
    inner = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    inner *= -0.5
    basis = np.random.default_rng(0).standard_normal((len(table), 2))
    for _ in range(STEPS):
        basis, _ = np.linalg.qr(inner @ basis)
        if basis.shape[1] < 2:
            return np.column_stack([basis[:, 0], np.zeros(len(table))])
    small = basis.T @ inner @ basis
    values, vectors = np.linalg.eigh((small + small.T) / 2.0)
    return np.asarray((basis @ vectors) * np.sqrt(np.maximum(values, 0.0)))
