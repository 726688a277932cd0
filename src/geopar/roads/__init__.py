"""Road times: matrices and route shapes from a road engine, for any problem on the earth.

>>> problem = road_times(problem, open_engine(osrm="http://localhost:5000"))
"""

from __future__ import annotations

from geopar.roads.engine import RoadEngine, open_engine
from geopar.roads.matrices import road_times
from geopar.roads.shapes import route_shapes

__all__ = ["RoadEngine", "open_engine", "road_times", "route_shapes"]
