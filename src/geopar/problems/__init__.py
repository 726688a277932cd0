"""The problems, their random generators and their frozen test sets."""

from __future__ import annotations

from geopar.problems.hcvrp.instance import HCVRP
from geopar.problems.omdcpdp.instance import OMDCPDP

Problem = HCVRP | OMDCPDP

__all__ = ["HCVRP", "OMDCPDP", "Problem"]
