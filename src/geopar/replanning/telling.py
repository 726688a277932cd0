"""The rest of a day in words and in JSON: what is done, who is where, what changes for whom."""

from __future__ import annotations

from typing import Any

from geopar.files import plan_to_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.problems.tasks import Stop, Task
from geopar.problems.told_times import Times
from geopar.replanning.changes import Change, changes
from geopar.replanning.rest import RestOfDay
from geopar.replanning.whereabouts import Whereabouts

MOST_NAMED = 12


def summary_lines(rest: RestOfDay) -> list[str]:
    """How far the day is, in a line or two."""
    day, at = rest.day, Times(rest.day).moment(rest.now)
    count = 0 if rest.problem is None else len(rest.problem.request_ids)
    served = [task for task in rest.done if not isinstance(task, Stop) or task.action == "delivery"]
    left = f"{count} {'is' if count == 1 else 'are'}"
    if not rest.done:
        first = f"At {at} nothing is done yet; {left} to be served."
    elif rest.problem is None:
        first = f"At {at} everything is done: nothing is left to plan."
    else:
        verb = "is" if len(served) == 1 else "are"
        first = f"At {at} {_counted(len(served), day.named)} {verb} served, and {left} left."
    lines = [first]
    new = rest.in_no_route
    if new:
        counts = "It counts" if len(new) == 1 else "They count"
        lines.append(
            f"In no route of the plan: {_listed(new)}. {counts} as new; after an earlier re-plan "
            "the problem is the rest of the day that it wrote."
        )
    if rest.cancelled:
        lines.append(f"Cancelled: {_listed(list(rest.cancelled))}.")
    return lines


def standing(rest: RestOfDay) -> list[dict[str, Any]]:
    """Where each vehicle of the day is, as JSON has it.

    ``at`` and ``place`` are where it takes up new work at the moment ``free``; ``said`` tells it
    in words.
    """
    return [_standing(rest, v, one) for v, one in enumerate(rest.vehicles)]


def _standing(rest: RestOfDay, v: int, one: Whereabouts) -> dict[str, Any]:
    day, name = rest.day, rest.day.vehicle_ids[v]
    ids, requests = day.task_ids, day.request_ids
    gone, over = name in rest.out_of_service, name in rest.off_duty
    # Nobody knows how far one that broke down had come on its way.
    where = one.last_place if gone else one.place
    return {
        "vehicle": name,
        "doing": "out of service" if gone else "off duty" if over else one.doing,
        "at": place_name(day, v, where),
        "place": day.places[where].tolist(),
        "free": None if gone or over else one.free,
        "done": [_task(ids[task]) for task in one.done],
        "on_board": [requests[task] for task in one.aboard],
        "goods_back": rest.goods_back.get(name),
        "said": _said(rest, v, one),
    }


def _task(task: Task) -> Any:
    return task._asdict() if isinstance(task, Stop) else task


def _said(rest: RestOfDay, v: int, one: Whereabouts) -> str:
    day, times, name = rest.day, Times(rest.day), rest.day.vehicle_ids[v]
    here, there = place_name(day, v, one.last_place), place_name(day, v, one.place)
    free = times.moment(one.free)
    if name in rest.out_of_service:
        back = rest.goods_back.get(name)
        text = f"out of service, last at {here}"
        if back is None:
            return text
        some = _counted(len(one.aboard) + len(one.back), day.named)
        where = "the depot" if day.comes_home else here
        return f"{text}; {some} on board, to be had at {where} from {times.moment(back)}"
    if name in rest.off_duty:
        return f"at {there}; its time is over"
    text = {
        "not begun": f"at {there}, not begun" + (f", from {free}" if one.free > rest.now else ""),
        "driving": f"on the way to {there}, there at {free}",
        "waiting": f"waits at {there}",
        "serving": f"at {here} until {free}",
        "loading": f"loads at {there} until {free}",
        "done": f"done, at {there}",
    }[one.doing]
    if one.doing == "serving" and one.place != one.last_place:
        text = f"at {here}, then back at {there} at {free}"
    return text


def place_name(problem: Problem, v: int, place: int) -> str:
    """A place as people call it."""
    if place < problem.num_tasks:
        return str(problem.task_ids[place])
    if place == problem.homes[v] and place != problem.num_tasks:
        return "its start"
    if place == problem.ends[v] and place != problem.num_tasks:
        return "its end"
    return "the depot" if problem.comes_home else "its start"


def change_line(problem: Problem, change: Change) -> str:
    """What is new for a vehicle, in a line."""
    times = Times(problem)
    parts = []
    if change.gained:
        by_owner = _by_owner(change.gained)
        parts += [
            f"gets {_listed(names)}" + (f" from {owner}" if owner else " (new, or left out before)")
            for owner, names in by_owner.items()
        ]
    if change.lost:
        by_owner = _by_owner(change.lost)
        parts += [
            f"gives {_listed(names)} to {owner}" if owner else f"leaves out {_listed(names)}"
            for owner, names in by_owner.items()
        ]
    if change.reordered:
        parts.append("the rest in another order" if parts else "the same, in another order")
    if not parts:
        parts.append("as before")
    if change.finish is None:
        parts.append("nothing to do any more")
    else:
        then = times.moment(change.finish)
        before = None if change.finish_before is None else times.moment(change.finish_before)
        same = before is None or before == then
        parts.append(f"done at {then}" if same else f"done at {then} instead of {before}")
    return "; ".join(parts)


def _by_owner(some: tuple[tuple[str, str | None], ...]) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for name, owner in some:
        found.setdefault(owner, []).append(name)
    return found


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def rest_to_json(rest: RestOfDay) -> dict[str, Any]:
    """All of it but the morning's plan; the rest of the problem and of the plan are as in files."""
    return {
        "now": rest.now,
        "problem": None if rest.problem is None else problem_to_json(rest.problem),
        "start": None if rest.problem is None else plan_to_json(rest.start),
        **about_json(rest),
    }


def about_json(rest: RestOfDay) -> dict[str, Any]:
    """What is done and who is where."""
    return {
        "said": summary_lines(rest),
        "done": [_task(task) for task in rest.done],
        "cancelled": list(rest.cancelled),
        "vehicles": standing(rest),
    }


def changes_to_json(rest: RestOfDay, plan: Plan) -> list[dict[str, Any]]:
    """What a plan changes, as JSON has it."""
    return [
        {
            "vehicle": one.vehicle,
            "gained": [{"request": name, "from": owner} for name, owner in one.gained],
            "lost": [{"request": name, "to": owner} for name, owner in one.lost],
            "reordered": one.reordered,
            "finish": one.finish,
            "finish_before": one.finish_before,
            "said": change_line(rest.day, one),
        }
        for one in changes(rest, plan)
    ]
