"""The example for the KubeRay operator has the form that the operator and Kubernetes ask for."""

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

yaml = pytest.importorskip("yaml", reason="needs PyYAML, which the extra cluster brings")

EXAMPLE = Path(__file__).parents[2] / "examples" / "kuberay" / "cluster.yaml"
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
COUNT = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
TEMPLATE = {
    "type": "object",
    "required": ["spec"],
    "additionalProperties": False,
    "properties": {"metadata": {"type": "object"}, "spec": {"type": "object"}},
}


def closed(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object with these fields and no others, as a misspelt one would be dropped silently."""
    return {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {**required, **(optional or {})},
    }


# Written down from the types of the operator's API ray.io/v1: what is required there is here, and
# of what is optional as much as the example may want.
RAY_CLUSTER = closed(
    {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayCluster"},
        "metadata": closed({"name": {"type": "string"}}, {"namespace": {"type": "string"}}),
        "spec": closed(
            {
                "headGroupSpec": closed(
                    {"rayStartParams": TEXTS, "template": TEMPLATE},
                    {"serviceType": {"enum": ["ClusterIP", "NodePort", "LoadBalancer"]}},
                )
            },
            {
                "rayVersion": {"type": "string"},
                "enableInTreeAutoscaling": {"type": "boolean"},
                "autoscalerOptions": closed(
                    {},
                    {
                        "idleTimeoutSeconds": COUNT,
                        "upscalingMode": {"enum": ["Default", "Aggressive", "Conservative"]},
                    },
                ),
                "workerGroupSpecs": {
                    "type": "array",
                    "items": closed(
                        {
                            "groupName": {"type": "string"},
                            "minReplicas": COUNT,
                            "maxReplicas": COUNT,
                            "rayStartParams": TEXTS,
                            "template": TEMPLATE,
                        },
                        {"replicas": COUNT, "numOfHosts": COUNT, "idleTimeoutSeconds": COUNT},
                    ),
                },
            },
        ),
    }
)


def example() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
    return loaded


def groups(cluster: dict[str, Any]) -> list[dict[str, Any]]:
    return [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]


def test_it_is_a_ray_cluster() -> None:
    jsonschema.validate(example(), RAY_CLUSTER)


def test_what_the_operator_would_refuse_or_drop_is_found() -> None:
    def broken(change: str, value: object) -> dict[str, Any]:
        cluster = copy.deepcopy(example())
        worker = cluster["spec"]["workerGroupSpecs"][0]
        if value is None:
            del worker[change]
        else:
            worker[change] = value
        return cluster

    for change, value in (
        ("maxReplicas", None), ("rayStartParams", {"num-cpus": 0}), ("minimumReplicas", 1)
    ):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken(change, value), RAY_CLUSTER)


def test_its_pods_are_pods() -> None:
    validate = pytest.importorskip(
        "kubernetes_validate", reason="needs kubernetes-validate, which has Kubernetes' own schemas"
    )
    version = validate.latest_version()
    for group in groups(example()):
        pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}}
        pod |= {"spec": group["template"]["spec"]}
        validate.validate(pod, version, strict=True)
        wrong = copy.deepcopy(pod)
        wrong["spec"]["containers"][0]["imag"] = "misspelt"
        with pytest.raises(validate.ValidationError):
            validate.validate(wrong, version, strict=True)


def test_the_head_only_keeps_the_books_and_limits_are_what_is_asked_for() -> None:
    head, *workers = groups(example())
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert workers
    for group in (head, *workers):
        for container in group["template"]["spec"]["containers"]:
            # Ray counts cores by the limit: with less asked for, workers would share them.
            assert container["resources"]["limits"] == container["resources"]["requests"]
