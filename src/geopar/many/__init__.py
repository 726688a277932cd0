"""Many problems: one task each, run by whatever :mod:`geopar.spread` opens."""

from __future__ import annotations

from geopar.many.cases import Case, Cases, open_cases
from geopar.many.solving import How, Job, Solved, solve_job, solve_many

__all__ = ["Case", "Cases", "How", "Job", "Solved", "open_cases", "solve_job", "solve_many"]
