"""How hot a run is, and how often it is annealed."""

from __future__ import annotations

import math
from typing import NamedTuple

from geopar.search.doubling import MOST_DOUBLINGS
from geopar.search.omdcpdp.data import Data

# The heat of a run grows with the root of its iterations for each order, up to that of the
# settings, and falls with the orders beyond so many: the shorter a run and the larger the instance,
# the more is kept of the first plan.
_HEAT, _COOLEST = 0.02, 0.02
_MANY, _OF_MANY = 500.0, 0.3
_COLDER = 0.5
# A run is annealed several times if the first time has so many iterations for each order, and at
# least so often. Each is as hot as a run of this part of the whole.
_FIRST, _LEAST_DOUBLINGS = 150.0, 2
_PART = 0.25
_ENDLESS = 1e12


class Cooling(NamedTuple):
    """The temperatures of a run, in the user's units, and how often it begins anew."""

    hot: float
    cold: float
    doublings: int = 0

    def at(self, fraction: float) -> float:
        """The temperature when so much of an annealing is over."""
        return self.hot * (self.cold / self.hot) ** fraction if self.hot > 0.0 else 0.0


def cooling_for(data: Data, horizon: float) -> Cooling:
    """For a run of about ``horizon`` iterations; 0 when nobody knows."""
    settings, each = data.settings, min(horizon / data.orders, _ENDLESS)
    doublings = min(MOST_DOUBLINGS, int(math.log2(max(1.0, each / _FIRST))))
    if doublings < _LEAST_DOUBLINGS:
        doublings = 0
    else:
        each *= _PART
    heat = _HEAT * each**0.5 * min(1.0, _MANY / data.orders) ** _OF_MANY
    heat = min(1.0, max(_COOLEST, heat)) if horizon else 1.0
    hot = settings.hot * heat
    return Cooling(hot * data.unit, min(settings.cold, _COLDER * hot) * data.unit, doublings)
