"""Pictures: the problem, the plan on the map, the schedule."""

from __future__ import annotations

from geopar.errors import MissingExtraError

try:
    import matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtraError("pictures", "plot") from error

from geopar.plotting.instance import plot_problem
from geopar.plotting.picture import picture
from geopar.plotting.plan import plot_plan
from geopar.plotting.schedule import plot_schedule

__all__ = ["picture", "plot_plan", "plot_problem", "plot_schedule"]
