"""The rest of a day as an answer."""

from __future__ import annotations

from typing import Any

from geopar.files.known_ids import check_ids_known
from geopar.replanning.rest import rest_of_day
from geopar.replanning.telling import changes_to_json, rest_to_json
from geopar.service.documents import to_text
from geopar.service.requests import ReplanRequest


def rest_text(wanted: ReplanRequest) -> str:
    """The rest of a day: its problem, what the plan has for it, who is where.

    With a new plan for it, what that changes for whom.
    """
    rest = rest_of_day(
        wanted.problem, wanted.plan, wanted.now, out_of_service=wanted.out_of_service,
        goods_back=wanted.goods_back, cancelled=wanted.cancelled,
    )  # fmt: skip
    changes: list[Any] = []
    if wanted.new_plan is not None and rest.problem is not None:
        check_ids_known(wanted.new_plan, rest.problem)
        changes = changes_to_json(rest, wanted.new_plan)
    return to_text({**rest_to_json(rest), "changes": changes})
