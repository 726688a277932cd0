"""Files: JSON, CSV, VRPLIB and npz in; JSON, CSV, VRPLIB, npz, ``.sol`` and GeoJSON out."""

from __future__ import annotations

from geopar.files.formats import (
    PLAN_FORMATS,
    PROBLEM_FORMATS,
    problem_from_text,
    read_batch,
    read_hcvrp,
    read_omdcpdp,
    read_plan,
    read_problem,
    write_batch,
    write_plan,
    write_problem,
)
from geopar.files.json_text import parse_json
from geopar.files.plan_geojson import plan_to_geojson
from geopar.files.plan_json import plan_from_json, plan_to_json
from geopar.files.problem_json import problem_from_json, problem_to_json
from geopar.files.schema import schema

__all__ = [
    "PLAN_FORMATS",
    "PROBLEM_FORMATS",
    "parse_json",
    "plan_from_json",
    "plan_to_geojson",
    "plan_to_json",
    "problem_from_json",
    "problem_from_text",
    "problem_to_json",
    "read_batch",
    "read_hcvrp",
    "read_omdcpdp",
    "read_plan",
    "read_problem",
    "schema",
    "write_batch",
    "write_plan",
    "write_problem",
]
