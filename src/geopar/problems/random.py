"""One random problem by the name of its setting."""

from __future__ import annotations

import numpy as np

from geopar.errors import refuse
from geopar.problems import Problem
from geopar.problems.setting import Setting


def generate(setting: str, seed: int = 0) -> Problem:
    """A random problem with the paper's distribution, such as ``generate("hcvrp/60/3")``.

    The same setting and seed give the same problem.

    Raises
    ------
    geopar.errors.InputError
        For a setting or seed that makes no sense.
    """
    return Setting.parse(setting).generate(generator(seed))


def generator(seed: int) -> np.random.Generator:
    """The random stream of a seed."""
    if seed < 0:
        refuse("bad-seed", "seed", seed, "must be zero or more.", "Maybe 0.")
    return np.random.default_rng(seed)
