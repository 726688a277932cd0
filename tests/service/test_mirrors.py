import json

from geopar.service.mirrors import Mirror
from geopar.service.store import Row


def row(status: str, events: int, objective: float | None = None) -> Row:
    best = {"seconds": 1.5, "iterations": 7, "objective": objective, "plan": {}, "schedule": []}
    made = Row("a", status, "refine", 2.0, 1, "hcvrp", 4, 2, "2026-01-01T00:00:00.000Z")
    made.events, made.result = events, None if objective is None else json.dumps(best)
    return made


def shown(mirror: Mirror, after: int = 0) -> list[tuple[int, str]]:
    return [(event.number, event.name) for event in mirror.log.since(after)]


def test_what_is_written_down_becomes_events_numbered_as_at_their_origin() -> None:
    mirror = Mirror()
    mirror.show(row("queued", 4), None)
    assert shown(mirror) == [(4, "status")]
    mirror.show(row("queued", 4), None)  # nothing new
    assert shown(mirror, 4) == []
    mirror.show(row("running", 9, 3.0), '{"time":1}')
    assert shown(mirror, 4) == [(7, "status"), (8, "progress"), (9, "improvement")]
    improved = json.loads(mirror.log.since(8)[0].data)
    assert (improved["time"], improved["objective"], improved["plan"]) == (1.5, 3.0, {})
    mirror.show(row("finished", 12, 2.0), '{"time":1}')
    assert shown(mirror, 9) == [(12, "end")]
    assert mirror.log.closed


def test_numbers_grow_also_where_those_of_the_origin_do_not() -> None:
    mirror = Mirror()
    mirror.show(row("running", 1, 3.0), '{"time":1}')
    assert shown(mirror) == [(1, "status"), (2, "progress"), (3, "improvement")]
    mirror.show(row("interrupted", 2, 3.0), None)
    assert shown(mirror, 3) == [(4, "end")]
