"""Bodies of requests: limits first, then JSON, then its content; all faults at once."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from starlette.requests import ClientDisconnect, Request

from geopar.bounding import require_bound
from geopar.errors import Faults, InputError, refuse
from geopar.files import parse_json, plan_from_json, problem_from_json
from geopar.files.building import check_text
from geopar.files.json_objects import Objects
from geopar.files.known_ids import check_kind
from geopar.files.wording import shown
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.kinds import KINDS
from geopar.problems.random import generate
from geopar.problems.setting import Setting
from geopar.replanning.keeping import keep
from geopar.service.limits import LONGEST_BOUND, Limits
from geopar.service.messages import NO_OPTIONS, RunOptions
from geopar.service.responses import (
    BAD_REQUEST,
    JSON,
    TIMEOUT,
    TOO_LARGE,
    UNSUPPORTED,
    RefusedError,
)
from geopar.service.rests import read_rest_of
from geopar.service.webhooks import Allowed
from geopar.sheets.dates import read_date
from geopar.solver import find_solver

# Bytes up to which a body is parsed in a millisecond or two: a thread would cost more.
SMALL = 32_000
# How long a body may be on its way.
BODY_SECONDS = 60.0
# A customer is one object of four fields, an order three objects of seven. Matrices have many more
# numbers, but few lists: two of these tables fit besides.
VALUES_PER_TASK = 12
MATRIX_VALUES = 1_000 * 1_000

LARGEST_SEED = 2**63 - 1
MOST_ITERATIONS = 10**12
# As many as there are: more would only take turns.
MOST_THREADS = os.cpu_count() or 1

# What may be done besides asking for less time.
RAISED = ", or start the service with --max-time"

LONGEST_KEY = 255
LONGEST_NAME = 200

T = TypeVar("T")


class Key(NamedTuple):
    """What makes the creation of a job idempotent.

    Parameters
    ----------
    text
        As the client gave it.
    digest
        Of the request's body: the same key with another body is a mistake.
    """

    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """The body of ``POST /solve`` and ``POST /jobs``; without a solver the best one is taken.

    What is to be kept of ``start`` is locked in the problem already. ``callback`` is told of the
    end of a job; ``name`` is what it is called, as its problem is when left out; ``rest_of`` is the
    day of whose rest it is.
    """

    problem: Problem
    solver: str | None
    time_limit: float
    seed: int
    start: Plan | None = None
    options: RunOptions = NO_OPTIONS
    callback: str | None = None
    name: str | None = None
    rest_of: dict[str, Any] | None = None


async def read_body(request: Request, limits: Limits) -> bytes:
    """The whole body, if it is not too large and comes in time."""
    length = request.headers.get("content-length", "")
    announced = int(length) if length.isdecimal() and len(length) < 20 else 0
    # A client that is still sending would not read a response, so a body that is a little too
    # large is read to its end.
    if announced > 4 * limits.body_bytes:
        limits.check_body(announced)
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size <= limits.body_bytes:
                    parts.append(part)
                elif size > 4 * limits.body_bytes:
                    break
    except TimeoutError:
        raise RefusedError(
            TIMEOUT, "too-slow", f"The body did not arrive within {BODY_SECONDS:g} seconds."
        ) from None
    except ClientDisconnect:
        raise RefusedError(BAD_REQUEST, "gone", "The body ended before it was complete.") from None
    limits.check_body(size)
    return b"".join(parts)


async def read_json(request: Request, limits: Limits, read: Callable[[Any], T]) -> T:
    """What ``read`` makes of the JSON in the body; large ones are left to a thread."""
    return await parsed(await read_json_body(request, limits), read)


async def read_json_body(request: Request, limits: Limits) -> bytes:
    """The body as it came, if it says that it is JSON and is within the limits."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        # Also what keeps other people's web pages from posting here: browsers ask first for this.
        raise RefusedError(
            UNSUPPORTED, "wrong-content-type",
            f"The body must be {JSON}, not {kind[:60] or 'of no type'}. With curl: "
            f"-H 'Content-Type: {JSON}'.",
        )  # fmt: skip
    body = await read_body(request, limits)
    check_values(body, limits)
    return body


async def parsed(body: bytes, read: Callable[[Any], T]) -> T:
    """What ``read`` makes of the JSON text."""
    if len(body) <= SMALL:
        return read(parse_json(body, "body"))
    return await asyncio.to_thread(lambda: read(parse_json(body, "body")))


def check_values(body: bytes, limits: Limits) -> None:
    """Refuse what would take much memory once it is parsed, before that is done."""
    most = VALUES_PER_TASK * (limits.tasks + limits.vehicles) + 1000
    nested = values = 0
    if len(body) > most:  # a value takes a byte at least
        nested = body.count(b"{") + body.count(b"[")
        values = nested + body.count(b",")
    if nested > most or values > most + 2 * MATRIX_VALUES:
        raise RefusedError(
            TOO_LARGE, "too-many-values",
            f"{values:,} values are more than any problem needs within this service's limits of "
            f"{limits.tasks:,} tasks and {limits.vehicles:,} vehicles: {most:,}, and "
            f"{2 * MATRIX_VALUES:,} in matrices.",
        )  # fmt: skip


# What `/read` and `/generate` answer besides the problem: their answers can be sent as they are.
READ_BESIDES = ("summary", "remarks")


def solve_request_reader(
    limits: Limits, webhooks: Allowed | None = None
) -> Callable[[Any], SolveRequest]:
    """Reads a problem, how to solve it, when to end, and of jobs whom to tell of that."""
    known = ["solver", "time_limit", "seed", "start", "keep", *RunOptions._fields, *READ_BESIDES]
    known += ["callback", "name", "rest_of"] if webhooks is not None else []

    def read(value: Any) -> SolveRequest:
        faults, top = _top(value, ("problem",), known)
        options = read_options(faults, top)
        # A run of so many iterations repeats only if no clock ends it before.
        given = top.get("time_limit")
        if given is None and options.iterations is not None:
            given = limits.time_limit
        seconds = _seconds(faults, given, limits.time_limit, limits.default_seconds)
        seed = _seed(faults, top.get("seed"))
        solver = top.get("solver")
        if solver is not None and not isinstance(solver, str):
            faults.add("wrong-type", "solver", shown(solver), "must be text.", 'Maybe "refine".')
            solver = None
        problem, start = _problem(faults, top, limits), None
        if top.get("start") is not None:
            with _into(faults):
                start = plan_from_json(top["start"])
        span = _span(faults, top)
        callback = None if webhooks is None else webhooks.read(faults, top.get("callback"))
        name = None if webhooks is None else _job_name(faults, top.get("name"))
        rest_of = None if webhooks is None else read_rest_of(faults, top.get("rest_of"))
        if solver is not None:
            with _into(faults):
                find_solver(solver, _kind(top) if problem is None else problem.kind)
        if problem is None:
            faults.raise_now()
        if start is not None:
            check_kind(faults, start, problem)
        faults.raise_if_any()
        if start is not None and span is not None:
            problem = keep(problem, start, span)
        return SolveRequest(problem, solver, seconds, seed, start, options, callback, name, rest_of)

    return read


def read_name(value: Any) -> str | None:
    """Reads ``{"name"}``, the new name of a job; none where it is null or empty."""
    faults, top = _top(value, ("name",))
    name = _job_name(faults, top.get("name"))
    faults.raise_if_any()
    return name


def _job_name(faults: Faults, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        faults.add("wrong-type", "name", shown(value), "must be text.", 'Maybe "Monday, north".')
        return None
    check_text(faults, "name", value)
    name = value.strip()
    if len(name) > LONGEST_NAME:
        what = f"characters are more than the limit of {LONGEST_NAME}."
        faults.add("over-limit", "name", len(name), what, "Shorten it.")
    return name or None


def problem_reader(limits: Limits) -> Callable[[Any], Problem]:
    """Reads ``{"problem"}``."""

    def read(value: Any) -> Problem:
        faults, top = _top(value, ("problem",))
        problem = _problem(faults, top, limits)
        if problem is None or faults:
            faults.raise_now()
        return problem

    return read


def plan_reader(limits: Limits) -> Callable[[Any], tuple[Problem, Plan]]:
    """Reads ``{"problem", "plan"}``; the goal is the one that the plan was made for."""

    def read(value: Any) -> tuple[Problem, Plan]:
        faults, top = _top(value, ("problem", "plan"))
        problem, plan = _problem(faults, top, limits), None
        if "plan" in top:
            with _into(faults):
                plan = plan_from_json(top["plan"])
        if problem is None or plan is None or faults:
            faults.raise_now()
        return problem.minimising(plan.minimise), plan

    return read


class SheetRequest(NamedTuple):
    """The body of ``POST /sheet``."""

    problem: Problem
    plan: Plan
    format: str
    vehicles: list[str] | None
    date: Date | None
    rest_of: dict[str, Any] | None


def sheet_reader(limits: Limits) -> Callable[[Any], SheetRequest]:
    """Reads ``{"problem", "plan", "format", "vehicles", "date", "rest_of"}``."""

    def read(value: Any) -> SheetRequest:
        faults, top = _top(value, ("problem", "plan"), ("format", "vehicles", "date", "rest_of"))
        format, vehicles, plan = top.get("format"), top.get("vehicles"), None
        if format is None:
            format = "html"
        elif not isinstance(format, str):
            faults.add("wrong-type", "format", shown(format), "must be text.", 'Maybe "html".')
        if vehicles is not None and not (
            isinstance(vehicles, list) and all(isinstance(name, str) for name in vehicles)
        ):
            hint = "Leave it out for all vehicles."
            faults.add("wrong-type", "vehicles", shown(vehicles), "must be a list of ids.", hint)
        date = read_date(faults, "date", top.get("date"))
        rest_of = read_rest_of(faults, top.get("rest_of"))
        problem = _problem(faults, top, limits)
        if "plan" in top:
            with _into(faults):
                plan = plan_from_json(top["plan"])
        if problem is None or plan is None or faults:
            faults.raise_now()
        problem = problem.minimising(plan.minimise)
        return SheetRequest(problem, plan, format, vehicles, date, rest_of)

    return read


class ReplanRequest(NamedTuple):
    """The body of ``POST /replan``; times are as the client wrote them."""

    problem: Problem
    plan: Plan
    now: Any
    out_of_service: list[str]
    goods_back: Any
    cancelled: list[str]
    new_plan: Plan | None


def replan_reader(limits: Limits) -> Callable[[Any], ReplanRequest]:
    """Reads what :class:`ReplanRequest` has."""

    def read(value: Any) -> ReplanRequest:
        optional = ("out_of_service", "goods_back", "cancelled", "new_plan")
        faults, top = _top(value, ("problem", "plan", "now"), optional)
        gone, cancelled = _names(faults, top, "out_of_service"), _names(faults, top, "cancelled")
        problem, plans = _problem(faults, top, limits), dict[str, Plan]()
        for field in ("plan", "new_plan"):
            if top.get(field) is not None or (field == "plan" and field in top):
                with _into(faults):
                    plans[field] = plan_from_json(top[field])
        if problem is None or faults:
            faults.raise_now()
        problem = problem.minimising(plans["plan"].minimise)
        times = top["now"], top.get("goods_back")
        return ReplanRequest(
            problem, plans["plan"], times[0], gone, times[1], cancelled, plans.get("new_plan")
        )

    return read


def _names(faults: Faults, top: Mapping[str, Any], field: str) -> list[str]:
    """A list of ids; nothing when left out."""
    names = top.get(field)
    if names is None:
        return []
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        hint = "Leave it out for none."
        faults.add("wrong-type", field, shown(names), "must be a list of ids.", hint)
        return []
    return names


def trace_reader(limits: Limits) -> Callable[[Any], tuple[Problem, int]]:
    """Reads ``{"problem", "seed"}``."""

    def read(value: Any) -> tuple[Problem, int]:
        faults, top = _top(value, ("problem",), ("seed",))
        seed, problem = _seed(faults, top.get("seed")), _problem(faults, top, limits)
        if problem is None or faults:
            faults.raise_now()
        return problem, seed

    return read


def bound_reader(limits: Limits) -> Callable[[Any], tuple[Problem, float]]:
    """Reads ``{"problem", "time_limit"}`` of what there is a bound for."""

    def read(value: Any) -> tuple[Problem, float]:
        faults, top = _top(value, ("problem",), ("time_limit", *READ_BESIDES))
        most, usual = limits.bound_limit, limits.bound_seconds
        # No option lets it take longer than what is of use.
        more = RAISED if most < LONGEST_BOUND else ""
        seconds = _seconds(faults, top.get("time_limit"), most, usual, more)
        problem = _problem(faults, top, limits)
        if problem is not None:
            with _into(faults):
                require_bound(problem, 0.0)
        if problem is None or faults:
            faults.raise_now()
        return problem, seconds

    return read


def setting_reader(limits: Limits) -> Callable[[Any], Problem]:
    """Reads ``{"setting", "seed"}`` and draws that problem."""

    def read(value: Any) -> Problem:
        faults, top = _top(value, ("setting",), ("seed",))
        seed, name = _seed(faults, top.get("seed")), top.get("setting", "")
        if not isinstance(name, str):
            hint = 'Maybe "hcvrp/60/3".'
            faults.add("wrong-type", "setting", shown(name), "must be text.", hint)
        faults.raise_if_any()
        limits.check_setting(Setting.parse(name))
        return generate(name, seed)

    return read


class _into:  # noqa: N801 - reads as a phrase: with _into(faults)
    """Gathers the faults of what is done inside."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if not isinstance(error, InputError):
            return False
        self.faults.include(error)
        return True


def _top(
    value: Any, required: Sequence[str], optional: Sequence[str] = ()
) -> tuple[Faults, dict[str, Any]]:
    faults = Faults()
    if not isinstance(value, dict):
        faults.refuse(
            "wrong-type", "body", shown(value), "must be an object.",
            f"Write {{{', '.join(f'{chr(34)}{name}{chr(34)}: …' for name in required)}}}.",
        )  # fmt: skip
    Objects(faults, [value], lambda _: "").check_fields(required, optional)
    return faults, value


def _kind(top: Mapping[str, Any]) -> str:
    """Which problem it was meant to be, as far as one can tell, and so which solvers there are."""
    problem = top.get("problem")
    kind = problem.get("problem") if isinstance(problem, dict) else None
    return kind if kind in KINDS else KINDS[0]


def _problem(faults: Faults, top: dict[str, Any], limits: Limits) -> Problem | None:
    if "problem" not in top:
        return None
    with _into(faults):
        problem = problem_from_json(top["problem"])
        limits.check_problem(problem)
        return problem
    return None


def _number(value: Any) -> float | None:
    """The value if it is a number, as JSON has it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _seconds(faults: Faults, value: Any, most: float, usual: float, more: str = RAISED) -> float:
    if value is None:
        return usual
    seconds = _number(value)
    hint = f"Maybe {usual:g}."
    if seconds is None:
        faults.add("not-a-number", "time_limit", shown(value), "is not a number.", hint)
    elif not 0.0 <= seconds < math.inf:
        message = "must be a finite number of seconds, 0 or more."
        faults.add("bad-limit", "time_limit", shown(value), message, hint)
    elif seconds > most:
        faults.add(
            "over-limit", "time_limit", shown(value),
            f"{seconds:g} seconds are more than this service's limit of {most:g}.",
            f"Ask for less{more}.",
        )  # fmt: skip
    return seconds or 0.0


def read_options(faults: Faults, top: Mapping[str, Any]) -> RunOptions:
    """When a run ends besides its time limit, and on how many cores it runs."""
    return RunOptions(
        _whole(faults, top, "iterations", 0, MOST_ITERATIONS, "Maybe 100000."),
        _positive(faults, top, "target", "The objective that is good enough."),
        _positive(faults, top, "no_improvement", "Seconds without a better plan, such as 2."),
        _whole(faults, top, "threads", 1, MOST_THREADS, "Maybe 1.") or 1,
    )


def _whole(
    faults: Faults, top: Mapping[str, Any], name: str, least: int, most: int, hint: str
) -> int | None:
    value = top.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1.0 is a whole number in JSON
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        message = f"must be a whole number from {least} to {most:,}."
        faults.add("out-of-range", name, shown(value), message, hint)
        return None
    return value


def _positive(faults: Faults, top: Mapping[str, Any], name: str, hint: str) -> float | None:
    value = top.get(name)
    if value is None:
        return None
    number = _number(value)
    if number is None or not 0.0 <= number < math.inf:
        faults.add("bad-limit", name, shown(value), "must be a finite number, 0 or more.", hint)
        return None
    return number


def _span(faults: Faults, top: dict[str, Any]) -> float | None:
    """How much of the start is kept, in the problem's unit of time."""
    value = top.get("keep")
    if value is None:
        return None
    span = _number(value)
    if span is None or not 0.0 <= span < math.inf:
        message = "must be a span of time, 0 or more, in the problem's unit."
        faults.add("bad-limit", "keep", shown(value), message, "Leave it out to keep nothing.")
    if top.get("start") is None:
        hint = "Give the plan that is being driven as start."
        faults.add("missing-field", "start", ..., "is needed to keep anything of it.", hint)
    return span


def _seed(faults: Faults, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1.0 is a whole number in JSON
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_SEED:
        message = "must be a whole number from 0 to 2⁶³ − 1."
        faults.add("bad-seed", "seed", shown(value), message, "Maybe 0.")
        return 0
    return value


async def key_of(request: Request, body: bytes) -> Key | None:
    """The ``Idempotency-Key`` of a request with this body, if it has one."""
    text = request.headers.get("idempotency-key")
    if text is None:
        return None
    if not (0 < len(text) <= LONGEST_KEY and text.isascii() and text.isprintable()):
        message = f"must be 1 to {LONGEST_KEY} printable ASCII characters."
        hint = "Maybe a new UUID for each job."
        refuse("bad-key", "Idempotency-Key", shown(text), message, hint)
    return Key(text, await asyncio.to_thread(lambda: sha256(body).hexdigest()))
