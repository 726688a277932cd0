"""The OpenAPI document holds what it says; schemathesis asks the running service."""

import hypothesis
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from geopar.files import schema
from geopar.service.openapi import openapi
from geopar.service.service import Settings

DOCUMENT = openapi(Settings())

FEW = hypothesis.settings(
    max_examples=8, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck), database=None,
)  # fmt: skip


def operations() -> list[tuple[str, str, dict]]:
    return [
        (path, method, operation)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.mark.parametrize(("path", "method", "operation"), operations())
def test_examples_are_what_their_schemas_say(path: str, method: str, operation: dict) -> None:
    body = operation.get("requestBody", {}).get("content", {})
    answers = [answer.get("content", {}) for answer in operation["responses"].values()]
    for content in (part for parts in (body, *answers) for part in parts.values()):
        if "example" in content:
            whole = {**content["schema"], "components": DOCUMENT["components"]}
            jsonschema.validate(content["example"], whole, jsonschema.Draft202012Validator)


def test_every_route_with_a_json_body_has_an_example() -> None:
    bodies = [o["requestBody"]["content"] for _, _, o in operations() if "requestBody" in o]
    assert all("example" in b["application/json"] for b in bodies if "application/json" in b)
    assert len(bodies) == 11


def test_problems_are_those_of_the_files() -> None:
    ours, files = DOCUMENT["components"]["schemas"], schema("problem")
    assert [part["title"] for part in ours["Problem"]["oneOf"]] == [
        part["title"] for part in files["oneOf"]
    ]
    assert {f"Problem.{name}" for name in files["$defs"]} <= ours.keys()
    assert "$defs" not in str(DOCUMENT)


def test_the_service_keeps_to_its_document(served) -> None:
    api = schemathesis.openapi.from_url(f"{served.url}/openapi.json")
    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    asked = set()
    for found in api.get_all_operations():
        operation = found.ok()
        # An endless stream is tested elsewhere; solving for long would only take long.
        if operation.path.endswith("/events"):
            continue

        @FEW
        @hypothesis.given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            if case.path in ("/solve", "/jobs") and isinstance(case.body, dict):
                # Not for long, and with nothing that compiles first.
                case.body |= {"time_limit": 0.01, "solver": "refine"}
            if case.path == "/bound" and isinstance(case.body, dict):
                case.body |= {"time_limit": 0.01}
            answer = case.call(base_url=served.url, timeout=120)
            asked.add(case.operation.label)
            case.validate_response(answer, checks=checks)

        ask()
    assert len(asked) == 19
