"""Which file holds what: the public readers and writers, by suffix or by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from geopar.errors import Faults, refuse
from geopar.files.json_text import parse_json
from geopar.files.known_ids import check_ids_known, check_kind
from geopar.files.matrix_files import read_matrices
from geopar.files.other_files import check_no_fleet, check_no_other_json, suffix_hint
from geopar.files.plan_geojson import plan_to_geojson
from geopar.files.plan_json import plan_from_json, plan_to_json
from geopar.files.plan_schedule import schedule_cells
from geopar.files.plan_sol import plan_from_sol, plan_to_sol
from geopar.files.problem_csv import (
    problem_from_csv,
    problem_from_tables,
    problem_to_cells,
    problem_to_csv,
    vehicles_path,
)
from geopar.files.problem_json import object_text, problem_from_json, problem_text
from geopar.files.problem_npz import Batch, batch_from_npz, batch_to_npz
from geopar.files.problem_solomon import is_solomon, problem_from_solomon
from geopar.files.problem_vroom import is_vroom, problem_from_vroom
from geopar.files.problem_vrplib import Fleet, problem_from_vrplib, problem_to_vrplib
from geopar.files.spreadsheet import is_spreadsheet, tables_from_xlsx, workbook_of
from geopar.files.storage import StrPath, decode, encode, label, read_bytes, write_files
from geopar.files.table import DELIMITERS, LONGEST_HEADER, header_of, table_text
from geopar.files.table_cells import Cells
from geopar.files.wording import maybe, shown
from geopar.plan import Plan
from geopar.problems import HCVRP, OMDCPDP, Problem
from geopar.problems.day import Day, Goal, TimeUnit

PROBLEM_FORMATS = ("json", "csv", "xlsx", "vrp", "npz")
READ_FORMATS = (*PROBLEM_FORMATS, "solomon")
PLAN_FORMATS = ("json", "sol", "geojson", "csv", "xlsx")


def read_problem(
    path: StrPath,
    *,
    format: str | None = None,
    index: int = 0,
    vehicles: StrPath | None = None,
    num_vehicles: int | None = None,
    capacity: float | Sequence[float] | None = None,
    speed: float | Sequence[float] | None = None,
    rounding: str | None = None,
    matrix: StrPath | None = None,
    time_unit: TimeUnit | None = None,
    minimise: Goal | None = None,
) -> Problem:
    """Read a problem from a file.

    Parameters
    ----------
    path
        JSON (ours, or VROOM's), CSV (the stops), a spreadsheet, VRPLIB, Solomon's text or npz.
    format
        ``json``, ``csv``, ``xlsx``, ``vrp``, ``solomon`` or ``npz``; by suffix, else by content,
        when left out.
    index
        Which instance of an npz batch, from 0.
    vehicles
        CSV: the file of vehicles; :func:`~geopar.files.problem_csv.vehicles_path` when left out.
    num_vehicles, capacity, speed, rounding
        VRPLIB and Solomon: the fleet, see :class:`~geopar.files.problem_vrplib.Fleet`.
    matrix
        Travel times in a file of their own: see :func:`~geopar.files.matrix_files.read_matrices`.
    time_unit
        Of all times, where the file does not say it: tables and matrices.
    minimise
        The goal, whatever the file says.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    faults, here = Faults(), Path(path)
    fleet = Fleet(num_vehicles, capacity, speed, rounding)
    if format is not None:
        _check_format(faults, format, READ_FORMATS)
    data = read_bytes(path)
    kind = format or _problem_format(faults, here, data)
    value: Any = parse_json(data, label(here.name)) if kind == "json" else None
    _check_fleet(faults, fleet, kind, value)
    if vehicles is not None and kind != "csv":
        hint = "Remove it."
        faults.add("unused-option", "vehicles", ..., f"has no meaning for {kind} files.", hint)
    if index != 0 and kind != "npz":
        faults.add("bad-index", "index", index, f"has no meaning for {kind} files.", "Remove it.")
    faults.raise_if_any()
    top: dict[str, Any] = {} if time_unit is None else {"time_unit": time_unit}
    if minimise is not None:
        top["minimise"] = minimise
    if matrix is not None:
        top["matrices"] = read_matrices(matrix)
    if kind == "json":
        if not is_vroom(value):
            check_no_other_json(faults, label(here.name), value)
        return _from_json(value, here, speed, top)
    if kind == "xlsx":
        tables = tables_from_xlsx(faults, data, label(here.name))
        return problem_from_tables(faults, *tables, label(here.stem), top)
    if kind == "csv":
        check_no_fleet(faults, label(here.name), header_of(data))
        other = Path(vehicles) if vehicles is not None else vehicles_path(here)
        return problem_from_csv(
            data, read_bytes(other), label(here.stem), label(here.name), label(other.name), top
        )
    if kind in ("vrp", "solomon"):
        read = problem_from_vrplib if kind == "vrp" else problem_from_solomon
        return _with_day(read(data, label(here.name), fleet), top)
    batch = batch_from_npz(data, label(here.name), label(here.stem))
    return _with_day(_instance(faults, batch, index), top)


def _check_fleet(faults: Faults, fleet: Fleet, kind: str, value: Any) -> None:
    """Only some files leave their fleet to be said."""
    takes = fleet.given() if kind in ("vrp", "solomon") else ["speed"] if is_vroom(value) else []
    for unused in (one for one in fleet.given() if one not in takes):
        hint = "Remove it, or change the file."
        faults.add("unused-option", unused, ..., f"has no meaning for {kind} files.", hint)


def problem_from_text(data: bytes, name: str) -> Problem:
    """The problem that JSON text describes, ours or VROOM's, as a file of that name would.

    Raises
    ------
    geopar.errors.InputError
        With every fault found.
    """
    return _from_json(parse_json(data, label(name)), Path(name), None, {})


def _from_json(
    value: Any, path: Path, speed: float | Sequence[float] | None, top: dict[str, Any]
) -> Problem:
    if is_vroom(value):
        return _with_day(problem_from_vroom(value, label(path.stem), _one(speed)), top)
    return problem_from_json(value | top if isinstance(value, dict) else value)


def read_hcvrp(path: StrPath, **options: Any) -> HCVRP:
    """As :func:`read_problem`, for whoever knows that it is an HCVRP, and whose editor should too.

    Raises
    ------
    geopar.errors.InputError
        With every fault found, or when it is another problem.
    """
    problem = read_problem(path, **options)
    if not isinstance(problem, HCVRP):
        _other_kind(path, problem, "hcvrp")
    return problem


def read_omdcpdp(path: StrPath, **options: Any) -> OMDCPDP:
    """As :func:`read_hcvrp`, for OMDCPDP."""
    problem = read_problem(path, **options)
    if not isinstance(problem, OMDCPDP):
        _other_kind(path, problem, "omdcpdp")
    return problem


def _other_kind(path: StrPath, problem: Problem, wanted: str) -> NoReturn:
    what = f"is another problem than {wanted}."
    refuse("wrong-problem", label(path), problem.kind, what, "Use geopar.read for any.")


def _one(speed: float | Sequence[float] | None) -> float | None:
    return speed[0] if isinstance(speed, Sequence) else speed


def _with_day(problem: Problem, top: Mapping[str, Any]) -> Problem:
    """The problem with what its file could not say."""
    if not top:
        return problem
    parts = dict(top)
    if "matrices" in parts:
        parts["matrices"] = {name: tuple(t.values()) for name, t in parts["matrices"].items()}
    return problem.replace(day=(problem.day or Day()).replace(**parts))


def _instance(faults: Faults, batch: Batch, index: int) -> Problem:
    if not 0 <= index < len(batch):
        faults.refuse(
            "bad-index", "index", index, f"is not in 0..{len(batch) - 1}, the instances there are.",
            "Maybe 0.",
        )  # fmt: skip
    return batch[index]


def read_batch(path: StrPath) -> Batch:
    """Read all problems of an npz batch; each is built when asked for.

    Raises
    ------
    geopar.errors.InputError
        With every fault found in members and shapes.
    """
    return batch_from_npz(read_bytes(path), label(Path(path).name), label(Path(path).stem))


def _check_format(faults: Faults, format: str, known: Sequence[str]) -> None:
    if format not in known:
        faults.refuse(
            "unknown-format", "format", shown(format), "is no format here.", maybe(format, known)
        )


def _by_suffix(path: Path, known: Sequence[str]) -> str | None:
    suffix = path.suffix.lower().removeprefix(".")
    return suffix if suffix in known else None


def _problem_format(faults: Faults, path: Path, data: bytes) -> str:
    """By suffix, or else by what the file begins with."""
    if by_suffix := _by_suffix(path, PROBLEM_FORMATS):
        return by_suffix
    if data.startswith(b"PK\x03\x04"):
        return "xlsx" if is_spreadsheet(data) else "npz"
    text = decode(data, label(path.name))[:LONGEST_HEADER]
    if text.lstrip()[:1] in ("{", "["):
        return "json"
    if "_SECTION" in text:
        return "vrp"
    if is_solomon(text):
        return "solomon"
    header = next((line for line in text.splitlines() if line.strip()), "")
    if not any(mark in header for mark in DELIMITERS):
        faults.refuse(
            "unknown-format", label(path.name), shown(header), "is none of the formats known here.",
            f"Give the format: {', '.join(READ_FORMATS)}.",
        )  # fmt: skip
    return "csv"


def _target_format(path: Path, format: str | None, known: Sequence[str]) -> str:
    faults = Faults()
    kind = format or _by_suffix(path, known)
    if kind is None:
        hint = suffix_hint(path.suffix, known)
        faults.refuse("unknown-format", label(path), path.suffix, "is no suffix known here.", hint)
    _check_format(faults, kind, known)
    return kind


def write_problem(problem: Problem, path: StrPath, *, format: str | None = None) -> list[Path]:
    """Write a problem; by suffix JSON, CSV (two files), a spreadsheet, VRPLIB or npz.

    Returns
    -------
    The files written.

    Raises
    ------
    geopar.errors.InputError
        When the format cannot say it, or the file cannot be written; then nothing is.
    """
    here = Path(path)
    kind = _target_format(here, format, PROBLEM_FORMATS)
    if kind == "npz":
        files = {here: batch_to_npz([problem])}
    elif kind == "xlsx":
        cells = dict(zip(("stops", "vehicles"), problem_to_cells(problem), strict=True))
        files = {here: workbook_of(cells)}
    elif kind == "csv":
        stops, vehicles = problem_to_csv(problem)
        other = vehicles_path(here)
        files = {other: encode(vehicles, label(other.name)), here: encode(stops, label(here.name))}
    elif kind == "vrp":
        files = {here: encode(problem_to_vrplib(problem), label(here.name))}
    else:
        files = {here: encode(problem_text(problem), label(here.name))}
    write_files(files)
    return list(files)


def write_batch(problems: Sequence[Problem], path: StrPath) -> list[Path]:
    """Write problems of one kind and size as an npz batch.

    Raises
    ------
    geopar.errors.InputError
        When they differ in kind or size, or the file cannot be written; then nothing is.
    """
    here = Path(path)
    _target_format(here, None, ("npz",))
    write_files({here: batch_to_npz(problems)})
    return [here]


def read_plan(path: StrPath, problem: Problem | None = None, *, format: str | None = None) -> Plan:
    """Read a plan from JSON or a VRPLIB solution.

    Parameters
    ----------
    path
        The file.
    problem
        The problem it is for. A solution file needs it, because it holds numbers and no ids.
    format
        ``json`` or ``sol``; by suffix, else by content, when left out.

    Raises
    ------
    geopar.errors.InputError
        With every fault found. Whether the plan is any good, :func:`geopar.check` says.
    """
    faults, here = Faults(), Path(path)
    readable = ("json", "sol")
    if format is not None:
        _check_format(faults, format, readable)
    data = read_bytes(path)
    kind = format or _by_suffix(here, PLAN_FORMATS) or ("json" if b"{" in data[:100] else "sol")
    if kind not in readable:
        hint = "Write the plan as JSON as well."
        what = f"is {kind}, in which plans are only written."
        faults.add("unknown-format", label(here.name), ..., what, hint)
    if kind == "sol" and problem is None:
        faults.add(
            "missing-problem", label(here.name), ..., "has task numbers, but no problem was given.",
            "Give the problem that it solves.",
        )  # fmt: skip
    faults.raise_if_any()
    if kind == "sol" and problem is not None:
        return plan_from_sol(data, label(here.name), problem)
    plan = plan_from_json(parse_json(data, label(here.name)))
    if problem is not None:
        check_kind(faults, plan, problem)
        faults.raise_if_any()
    return plan


def write_plan(
    plan: Plan,
    path: StrPath,
    problem: Problem,
    *,
    format: str | None = None,
    shapes: Mapping[tuple[str, int], list[list[float]]] | None = None,
) -> list[Path]:
    """Write a plan; by suffix JSON, VRPLIB ``.sol``, GeoJSON, or its schedule as a table.

    Parameters
    ----------
    shapes
        GeoJSON: the line of each trip on roads, see :func:`geopar.roads.route_shapes`.

    Returns
    -------
    The files written.

    Raises
    ------
    geopar.errors.InputError
        For ids that the problem does not have, or a file that cannot be written; then nothing is.
    """
    here = Path(path)
    kind = _target_format(here, format, PLAN_FORMATS)
    check_ids_known(plan, problem)
    if kind in ("csv", "xlsx"):
        write_cells(schedule_cells(problem, plan), here, "schedule")
        return [here]
    if kind == "sol":
        text = plan_to_sol(plan, problem)
    elif kind == "geojson":
        text = object_text(plan_to_geojson(plan, problem, shapes))
    else:
        text = object_text(plan_to_json(plan, problem))
    write_files({here: encode(text, label(here.name))})
    return [here]


def write_cells(cells: Cells, path: StrPath, title: str) -> None:
    """Write one table, headers first: by suffix a sheet of that title, or CSV."""
    here = Path(path)
    if here.suffix.lower() == ".xlsx":
        write_files({here: workbook_of({title: cells})})
        return
    header, *rows = cells
    write_files({here: encode(table_text(header, rows), label(here.name))})
