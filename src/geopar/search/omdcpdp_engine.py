"""The compiled search of OMDCPDP as :class:`geopar.search.engines.Operations`."""

from __future__ import annotations

from geopar.search import omdcpdp
from geopar.search.engines import Operations, Routes, tours_of
from geopar.search.neighbours import Pause, go_on
from geopar.search.omdcpdp.division import OMDCPDPDivision
from geopar.search.teams import Size


def _from_routes(data: omdcpdp.Data, routes: Routes, seed: int) -> omdcpdp.State:
    return omdcpdp.from_routes(data, tours_of(routes), seed)


def _advance(
    data: omdcpdp.Data,
    state: omdcpdp.State,
    cooling: omdcpdp.Cooling,
    iterations: int,
    begin: float,
    end: float,
) -> None:
    omdcpdp.run(data, state, iterations, begin, end, cooling)


def _best_routes(data: omdcpdp.Data, state: omdcpdp.State) -> Routes:
    return [[route] for route in omdcpdp.best_routes(state)]


def _divide(data: omdcpdp.Data, cooling: omdcpdp.Cooling, pause: Pause = go_on) -> OMDCPDPDivision:
    return OMDCPDPDivision(data, cooling, pause)


OPERATIONS = Operations(
    prepare=omdcpdp.prepare,
    settings=omdcpdp.cooling_for,
    initial=omdcpdp.initial,
    best_initial=omdcpdp.best_initial,
    from_routes=_from_routes,
    advance=_advance,
    best_cost=lambda data, state: omdcpdp.best_cost(state),
    best_routes=_best_routes,
    seconds_per_iteration=2e-5,
    doublings=lambda cooling: cooling.doublings,
    can_pause=True,
    divide=_divide,
    part_size=Size(tasks=1000.0, vehicles=5),
)
