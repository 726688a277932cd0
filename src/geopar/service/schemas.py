"""The JSON schemas of bodies and answers; problems and plans are those of the files."""

from __future__ import annotations

from typing import Any, get_args

from geopar.files import schema
from geopar.problems.day import GOALS
from geopar.replanning.whereabouts import Doing
from geopar.service.limits import Limits
from geopar.service.requests import (
    LARGEST_SEED,
    LONGEST_NAME,
    MOST_ITERATIONS,
    MOST_THREADS,
    READ_BESIDES,
)
from geopar.service.store import ENDED
from geopar.sheets import FORMATS
from geopar.solver import solvers

Schema = dict[str, Any]

STATUSES = ("queued", "running", *ENDED)


def ref(name: str) -> Schema:
    """A schema by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(
    required: dict[str, Schema], optional: dict[str, Schema] | None = None, closed: bool = False
) -> Schema:
    made: Schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return made | ({"additionalProperties": False} if closed else {})


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _some_names(meaning: str) -> Schema:
    return {"description": meaning, "oneOf": [_list(TEXT), {"type": "null"}]}


def _maybe(kind: str, **more: Any) -> Schema:
    return {"type": [kind, "null"], **more}


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
MOMENT: Schema = _maybe("string", format="date-time")
ANY_OBJECT: Schema = {"type": "object"}
TIME: Schema = {"type": ["number", "string"]}
TASK: Schema = {
    "description": "A customer, or one end of an order, as in the plan.",
    "oneOf": [TEXT, _object({"order": TEXT, "action": TEXT})],
}

JOB_NAME: Schema = {"type": ["string", "null"], "maxLength": LONGEST_NAME}


def components(limits: Limits) -> dict[str, Schema]:
    """All schemas by name."""
    options = {
        "solver": _maybe("string", enum=[*solvers(), None], description="Left out: the best."),
        "time_limit": _maybe(
            "number", minimum=0, maximum=limits.time_limit,
            description=f"Seconds; {limits.default_seconds:g} when left out.",
        ),
        "seed": _maybe("integer", minimum=0, maximum=LARGEST_SEED, description="0 when left out."),
    }  # fmt: skip
    options |= {
        "iterations": _maybe("integer", minimum=0, maximum=MOST_ITERATIONS,
                             description="So many, so that the run repeats exactly."),
        "target": _maybe("number", minimum=0, description="End at a plan as good as this."),
        "no_improvement": _maybe("number", minimum=0,
                                 description="End after so many seconds without a better plan."),
        "threads": _maybe("integer", minimum=1, maximum=MOST_THREADS, description="Cores; 1."),
    }  # fmt: skip
    problem = {"problem": ref("Problem")}
    # The answer of `/read` can be sent as it is.
    options |= {name: {"description": "Of `/read`; not looked at."} for name in READ_BESIDES}
    again = {
        "start": {"description": "A plan to begin with; what does not fit is mended.",
                  "oneOf": [ref("Plan"), {"type": "null"}]},
        "keep": _maybe("number", minimum=0, description="Leave alone what start begins within "
                       "this span, in the problem's unit of time. Left out: nothing."),
    }  # fmt: skip
    return {
        **_of_files("Problem", schema("problem")),
        **_of_files("Plan", schema("plan")),
        "SolveRequest": _object(problem, {**options, **again}, closed=True),
        "JobRequest": _object(
            problem,
            {**options, **again,
             "name": JOB_NAME | {"description": "That of the problem if left out."},
             "rest_of": {"description": "Of which day it is the rest: its job, and what `/replan` "
                         "was asked with. Kept for who wants to know what has changed.",
                         "oneOf": [_rest_of(), {"type": "null"}]},
             "callback": _maybe("string", description="An http or https address that is told when "
                                "the job has ended; only hosts of `geopar serve --webhooks`.")},
            closed=True,
        ),
        "NameRequest": _object({"name": JOB_NAME}, closed=True),
        "ProblemRequest": _object(problem, closed=True),
        "CheckRequest": _object({**problem, "plan": ref("Plan")}, closed=True),
        "SheetRequest": _object(
            {**problem, "plan": ref("Plan")},
            {"format": _maybe("string", enum=[*FORMATS, None], description="html if left out."),
             "vehicles": {"description": "All if left out.",
                          "oneOf": [_list(TEXT), {"type": "null"}]},
             "date": _maybe("string", format="date", description="The day to print, where the "
                            "times of the problem have no date."),
             "rest_of": {"description": "As of a job: who is out of service has a sheet that "
                         "says so.", "oneOf": [_rest_of(), {"type": "null"}]}},
            closed=True,
        ),
        "ReplanRequest": _object(
            {**problem, "plan": ref("Plan"),
             "now": TIME | {"description": "A number of the problem's unit, 12:00, or ISO."}},
            {"out_of_service": _some_names("Vehicles that do nothing from now on."),
             "goods_back": {"description": "When the goods on board of those can be had again. "
                            "Left out: after the way to the depot; orders at once.",
                            "oneOf": [TIME, {"type": "null"}]},
             "cancelled": _some_names("Customers or orders that are not served any more."),
             "new_plan": {"description": "A plan for the rest: what it changes is told.",
                          "oneOf": [ref("Plan"), {"type": "null"}]}},
            closed=True,
        ),
        "TraceRequest": _object(problem, {"seed": options["seed"]}, closed=True),
        "BoundRequest": _object(
            problem,
            {"time_limit": _maybe("number", minimum=0, maximum=limits.bound_limit,
                                  description=f"Seconds; {limits.bound_seconds:g} when left out."),
             **{name: options[name] for name in READ_BESIDES}},
            closed=True,
        ),
        "GenerateRequest": _object(
            {"setting": TEXT | {"description": "problem/tasks/vehicles", "pattern": SETTING}},
            {"seed": options["seed"]}, closed=True,
        ),
        "Files": _object({"files": _list(TEXT | {"format": "binary"})}),
        **_answers(),
        **_replan_schemas(),
        **_job_schemas(),
    }  # fmt: skip


SETTING = "^(hcvrp|omdcpdp)/[1-9][0-9]*/[1-9][0-9]*$"


def _of_files(name: str, whole: Schema) -> dict[str, Schema]:
    """A schema of files with its definitions as components of their own."""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: part.replace("#/$defs/", f"#/components/schemas/{name}.")
                if key == "$ref"
                else moved(part)
                for key, part in value.items()
                if key not in ("$schema", "$id", "$defs")
            }
        return [moved(part) for part in value] if isinstance(value, list) else value

    parts = {f"{name}.{key}": moved(part) for key, part in whole.get("$defs", {}).items()}
    return {name: moved(whole), **parts}


def _answers() -> dict[str, Schema]:
    fault = _object(
        {"code": TEXT, "field": TEXT, "value": TEXT, "message": TEXT, "hint": TEXT}, closed=True
    )
    return {
        "Error": _object(
            {"error": _object({"code": TEXT, "message": TEXT, "faults": _list(fault)})}
        ),
        "Summary": _object(
            {"kind": {"enum": ["hcvrp", "omdcpdp"]}, "name": TEXT, "tasks": WHOLE,
             "vehicles": WHOLE, "coordinates": {"enum": ["plane", "lonlat"]},
             "total_capacity": NUMBER},
            {"total_demand": NUMBER, "orders": WHOLE},
        ),
        "Day": _schedule_of_a_vehicle(),
        "LeftOut": _object(
            {"request": TEXT, "reason": TEXT, "fits_alone": _maybe("boolean")}
        ),
        "Result": _object(
            {"plan": ref("Plan"), "objective": NUMBER, "feasible": {"const": True}, "solver": TEXT,
             "seed": WHOLE, "iterations": _maybe("integer"), "seconds": NUMBER,
             "interrupted": FLAG, "notes": _list(TEXT), "schedule": _list(ref("Day")),
             "history": _list(_list(NUMBER)) | {"description": "Seconds and objective."}},
            {"steps": _maybe("integer"), "balance": NUMBER, "left_out": _list(ref("LeftOut"))},
        ),
        "SolveAnswer": _object({"result": ref("Result")}),
        "ProblemAnswer": _object(
            {"problem": ref("Problem"), "summary": ref("Summary"), "remarks": _list(TEXT)}
        ),
        "ValidAnswer": _object({"valid": {"const": True}, "summary": ref("Summary")}),
        "CheckAnswer": _object(
            {"problem": TEXT, "feasible": FLAG, "objective": _maybe("number"),
             "minimise": {"enum": list(GOALS), "description": "The goal that the plan names, or "
                          "else that of the problem."},
             "claimed": _maybe("number", description="What the plan says that it costs."),
             "violations": _list(ANY_OBJECT),
             "completion": ANY_OBJECT | {"additionalProperties": NUMBER},
             "left_out": _list(ref("LeftOut")),
             "schedule": _list(ref("Day"))}
        ),
        "BoundAnswer": _object(
            {"value": NUMBER | {"description": "No plan that serves everybody is over before this, "
                                "in the problem's unit of time; 0 where nothing is known."},
             "method": {"enum": ["trips", "work"], "description": "What proved it."},
             "complete": FLAG | {"description": "Whether more time would prove hardly more."},
             "seconds": NUMBER}
        ),
        "TraceAnswer": _object(
            {"steps": _list(_step()), "plan": ref("Plan"), "objective": NUMBER,
             "schedule": _list(ref("Day"))}
        ),
        "SolversAnswer": _object(
            {"default": TEXT,
             "ready": FLAG | {"description": "Whether it is known what is available."},
             "solvers": _list(_solver()), "version": TEXT,
             "tiles": _maybe("string"), "limits": ANY_OBJECT | {"additionalProperties": NUMBER}}
        ),
        "HealthAnswer": _object(
            {"status": {"const": "ok"}, "version": TEXT,
             "solved": _object({"objective": NUMBER, "seconds": NUMBER})},
            {"cluster": _object(
                {"address": TEXT, "nodes": WHOLE, "workers": WHOLE, "busy": WHOLE,
                 "connected": FLAG}
            )},
        ),
    }  # fmt: skip


def _rest_of() -> Schema:
    some = {"type": "array", "items": TEXT}
    return _object(
        {"job": TEXT, "now": TIME},
        {"out_of_service": some, "goods_back": TIME, "cancelled": some, "vehicles": some},
        closed=True,
    )  # fmt: skip


def _schedule_of_a_vehicle() -> Schema:
    stop = _object(
        {
            "task": {"description": "Null is the depot, at the end of a trip.",
                     "oneOf": [TASK, {"type": "null"}]},
            "arrival": NUMBER,
            "load": NUMBER | {"description": "On board after this stop."},
            "waiting": NUMBER,
            "service": NUMBER | {"description": "At the depot: loading for the next trip."},
            "departure": NUMBER,
        }
    )  # fmt: skip
    return _object(
        {"vehicle": TEXT, "begin": NUMBER, "departure": NUMBER, "finish": NUMBER,
         "distance": NUMBER, "load_factor": NUMBER, "tasks": WHOLE, "trips": WHOLE,
         "stops": _list(stop)}
    )  # fmt: skip


def _step() -> Schema:
    """A step of one pass: what everybody does, and who wanted the same."""
    action = _object(
        {"vehicle": TEXT, "task": {"oneOf": [TASK, {"type": "null"}]},
         "kind": {"enum": ["serve", "home", "wait"]}},
        {"probability": NUMBER, "lost": FLAG,
         "behind": TASK | {"description": "The stop of the open trip that the task was put behind, "
                                          "or `home`. Left out: at the end of the trip."}},
    )  # fmt: skip
    conflict = _object({"task": {"oneOf": [TASK, {"type": "null"}]}, "won": _maybe("string"),
                        "lost": _list(TEXT)})  # fmt: skip
    return _object({"actions": _list(action), "conflicts": _list(conflict)})


def _solver() -> Schema:
    return _object(
        {"name": TEXT, "problems": _list(TEXT), "description": TEXT, "anytime": FLAG,
         "available": FLAG, "hint": _maybe("string")}
    )  # fmt: skip


def _replan_schemas() -> dict[str, Schema]:
    standing = _object(
        {"vehicle": TEXT,
         "doing": {"enum": [*get_args(Doing), "out of service", "off duty"]},
         "at": TEXT | {"description": "Where it takes up new work: where it is or drives to."},
         "place": _list(NUMBER), "free": _maybe("number", description="When it does."),
         "done": _list(TASK), "on_board": _list(TEXT),
         "goods_back": _maybe("number", description="Out of service: when its goods can be had."),
         "said": TEXT | {"description": "The same in words."}}
    )  # fmt: skip
    change = _object(
        {"vehicle": TEXT,
         "gained": _list(_object({"request": TEXT, "from": _maybe("string")})),
         "lost": _list(_object({"request": TEXT, "to": _maybe("string")})),
         "reordered": FLAG, "finish": _maybe("number"), "finish_before": _maybe("number"),
         "said": TEXT}
    )  # fmt: skip
    return {
        "ReplanAnswer": _object(
            {"now": NUMBER,
             "problem": {"description": "The rest; null where all is done.",
                         "oneOf": [ref("Problem"), {"type": "null"}]},
             "start": {"description": "What the plan has for it.",
                       "oneOf": [ref("Plan"), {"type": "null"}]},
             "said": _list(TEXT), "done": _list(TASK), "cancelled": _list(TEXT),
             "vehicles": _list(standing), "changes": _list(change)}
        )
    }  # fmt: skip


def _job_schemas() -> dict[str, Schema]:
    place = {"position": _maybe("integer", description="In the queue, from 1.")}
    status = {"enum": list(STATUSES)}
    job = _object(
        {"id": TEXT, "status": status,
         "name": _maybe("string", description="Its own, or that of the problem."),
         "solver": TEXT, "time_limit": NUMBER, "seed": WHOLE, "kind": TEXT,
         "tasks": WHOLE, "vehicles": WHOLE, "created": MOMENT, "started": MOMENT,
         "ended": MOMENT, **place, "iterations": _maybe("integer"), "objective": _maybe("number"),
         "options": {"description": "When it ends besides its time limit, on how many cores, "
                     "and `rest_of`.",
                     "oneOf": [ANY_OBJECT, {"type": "null"}]},
         "result": {"description": "While it runs the best so far.",
                    "oneOf": [ref("Result"), {"type": "null"}]},
         "error": {"oneOf": [ANY_OBJECT, {"type": "null"}]},
         "callback": {"description": "Whom it tells of its end, and what came of that.",
                      "oneOf": [_object({"host": TEXT, "tries": WHOLE,
                                         "state": {"enum": ["waiting", "sent", "failed"]},
                                         "error": _maybe("string")}),
                                {"type": "null"}]}}
    )  # fmt: skip
    return {
        "Job": job,
        "JobPlace": _object({"id": TEXT, "status": status, **place}),
        "JobList": _object(
            {"jobs": _list(ref("Job")),
             "next": _maybe("string", description="The cursor of the next page, if there is one.")}
        ),
    }  # fmt: skip
