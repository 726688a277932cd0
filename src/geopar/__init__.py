"""Routes for fleets of different vehicles.

>>> import geopar
>>> result = geopar.solve(geopar.read("examples/deliveries.json"), geopar.MaxRuntime(2))

Importing this is instant; numba, torch and matplotlib load when something first needs them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from geopar.__about__ import __version__

if TYPE_CHECKING:
    from geopar.bounding import bound
    from geopar.checking import check
    from geopar.client import Client
    from geopar.errors import InputError
    from geopar.files import read_hcvrp, read_omdcpdp
    from geopar.files import read_problem as read
    from geopar.files.data_frames import from_pandas
    from geopar.many import solve_many
    from geopar.plan import Plan, Route
    from geopar.plotting import picture as plot
    from geopar.problems import HCVRP, OMDCPDP
    from geopar.problems.frozen import frozen
    from geopar.problems.random import generate
    from geopar.problems.tasks import Stop
    from geopar.replanning.rest import rest_of_day
    from geopar.result import Result
    from geopar.roads import open_engine as road_engine
    from geopar.roads import road_times
    from geopar.solver import solvers
    from geopar.solving import solve
    from geopar.stop import MaxIterations, MaxRuntime, NoImprovement, StopRule, TargetCost

_ON_DEMAND = {
    "bound": "geopar.bounding",
    "check": "geopar.checking",
    "solve": "geopar.solving",
    "solvers": "geopar.solver",
    "Client": "geopar.client",
    "HCVRP": "geopar.problems",
    "InputError": "geopar.errors",
    "MaxIterations": "geopar.stop",
    "MaxRuntime": "geopar.stop",
    "NoImprovement": "geopar.stop",
    "OMDCPDP": "geopar.problems",
    "Plan": "geopar.plan",
    "Result": "geopar.result",
    "Route": "geopar.plan",
    "Stop": "geopar.problems.tasks",
    "StopRule": "geopar.stop",
    "TargetCost": "geopar.stop",
    "from_pandas": "geopar.files.data_frames",
    "frozen": "geopar.problems.frozen",
    "generate": "geopar.problems.random",
    "plot": "geopar.plotting:picture",
    "read": "geopar.files:read_problem",
    "read_hcvrp": "geopar.files",
    "read_omdcpdp": "geopar.files",
    "rest_of_day": "geopar.replanning.rest",
    "road_engine": "geopar.roads:open_engine",
    "road_times": "geopar.roads",
    "solve_many": "geopar.many",
}

__all__ = [
    "HCVRP",
    "OMDCPDP",
    "Client",
    "InputError",
    "MaxIterations",
    "MaxRuntime",
    "NoImprovement",
    "Plan",
    "Result",
    "Route",
    "Stop",
    "StopRule",
    "TargetCost",
    "__version__",
    "bound",
    "check",
    "from_pandas",
    "frozen",
    "generate",
    "plot",
    "read",
    "read_hcvrp",
    "read_omdcpdp",
    "rest_of_day",
    "road_engine",
    "road_times",
    "solve",
    "solve_many",
    "solvers",
]


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=1)
        maybe = f" Maybe {near[0]}." if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{maybe}")
    module, _, attribute = _ON_DEMAND[name].partition(":")
    value = getattr(importlib.import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
