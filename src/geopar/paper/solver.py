"""``geopar``: one pass of the paper's network, with the paper's decoding."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

import torch

from geopar.compiled.warming import announced
from geopar.errors import Faults
from geopar.neural.one_pass import Construction, OnePass, best_plans, check_copies
from geopar.neural.recorder import Recorder
from geopar.neural.tracer import Tracer
from geopar.paper.assignment import assign
from geopar.paper.config import ASSIGNMENT_VARIANTS, MODES, AssignmentConfig, Mode
from geopar.paper.policy import Policy
from geopar.paper.weights import changed
from geopar.problems import Problem
from geopar.problems.batch import make_batch, symmetric_copies
from geopar.settings import maybe_one_of, read_settings, value_of
from geopar.solver import Options
from geopar.stop import Budget, OutOfTimeError


@dataclass(frozen=True)
class GeoparSolver(OnePass):
    """One pass of the paper's network.

    Parameters
    ----------
    mode
        ``greedy``, ``ca`` (conflict-aware from the paper's thresholds on), ``ca-always`` or
        ``sample``; what the weights bring when left out.
    assignment
        Settings of the assignment; those that the weights bring when left out.
    model
        What is changed of the network's own settings, such as ``radius``
        (:func:`geopar.paper.weights.changed`).
    changes
        What is changed of the assignment's settings, whoever brought them.
    tracing
        Whether outcomes carry a trace.
    """

    modes: ClassVar[tuple[str, ...]] = MODES
    mode: Mode | None = None
    assignment: AssignmentConfig | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    tracing: bool = False

    def traced(self) -> GeoparSolver:
        """The same, with a trace in every outcome."""
        return replace(self, tracing=True)

    def configured(self, kind: str, options: Options) -> Self:
        """The same with what the user has chosen.

        Raises
        ------
        geopar.errors.InputError
            For values and settings that do not exist.
        """
        faults, parts = Faults(), {"model": dict(self.model), "assignment": dict(self.changes)}
        for name, text in options.settings.items():
            part, _, setting = name.partition(".")
            if setting and part in parts:
                parts[part][setting] = value_of(text)
            else:
                message = "begins with neither assignment. nor model."
                hint = "Maybe assignment.time_weight or model.radius."
                faults.add("unknown-setting", "set", name, message, hint)
        assignment, variant = self.assignment, options.assignment
        if variant is not None and variant not in ASSIGNMENT_VARIANTS:
            hint = maybe_one_of(variant, tuple(ASSIGNMENT_VARIANTS))
            faults.add("unknown-value", "assignment", variant, "is no variant known here.", hint)
        elif variant is not None:
            assignment = AssignmentConfig.of_paper(kind, **ASSIGNMENT_VARIANTS[variant])  # type: ignore[arg-type]
        faults.raise_if_any()
        _changed(assignment or AssignmentConfig(), parts["assignment"])
        plain = replace(options, assignment=None, settings={})
        return replace(
            super().configured(kind, plain),
            assignment=assignment, changes=parts["assignment"], model=parts["model"],
        )  # fmt: skip

    def network(self, problem: Problem) -> tuple[Policy, tuple[str, ...]]:
        """That of the problem's kind."""
        name, notes = self.weights_name(Policy.learner)
        changes = json.dumps(dict(self.model), sort_keys=True)
        return _load(problem.kind, name, self.device, changes), notes

    def plans(
        self, network: Policy, problems: list[Problem], seed: int, budget: Budget | None
    ) -> Construction:
        """Plans for problems of one size."""
        assignment = _changed(self.assignment or network.decoding.assignment, self.changes)
        return construct(
            problems, network, self.mode,
            augment=self.augment, samples=self.samples, assignment=assignment, seed=seed,
            budget=budget, trace=self.tracing,
        )  # fmt: skip


@torch.inference_mode()
def construct(
    problems: list[Problem],
    policy: Policy,
    mode: Mode | None = None,
    *,
    augment: int = 1,
    samples: int = 1,
    assignment: AssignmentConfig | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    trace: bool = False,
) -> Construction:
    """Build plans; the best of the augmentations and samples of each problem.

    Parameters
    ----------
    problems
        With the same numbers of tasks and vehicles.
    policy
        The network, on the device that is to be used.
    mode, assignment
        As for :class:`GeoparSolver`.
    augment
        Copies of each problem under the symmetries of the square, 1 to 8.
    samples
        Rollouts of each copy; more than one needs ``sample``.
    seed
        Of the samples.
    budget
        When to give up.
    trace
        Record the construction of the first problem.

    Raises
    ------
    OutOfTimeError
        When the budget ends before all plans are complete.
    """
    mode = mode or policy.decoding.mode
    check_copies(augment, samples, sampling=mode == "sample")
    _check(policy, problems, mode)
    device = next(policy.parameters()).device
    settings = assignment or policy.decoding.assignment
    batch = symmetric_copies(make_batch(problems, device), augment)
    environment = policy.environment(batch)
    recorder, tracer = Recorder(batch), Tracer(problems[0], augment) if trace else None
    generator = torch.Generator(device).manual_seed(seed)
    encoded, state = policy.encode(environment), environment.reset(samples)
    while not bool(state.done.all()):
        if budget is not None and budget.done:
            raise OutOfTimeError
        encoded = policy.compacted(encoded, state)
        scores = policy.logits(encoded, state)
        action = assign(settings, mode, encoded, state, scores, generator)
        recorder.add(action)
        if tracer is not None:
            tracer.add(state, scores, action)
        state = environment.step(state, action)
    return best_plans(problems, recorder, environment.cost(state), state.steps, augment, tracer)


def _check(policy: Policy, problems: list[Problem], mode: str) -> None:
    faults = Faults()
    if mode not in MODES:
        faults.add("unknown-value", "mode", mode, "is no way to decode.", f"One of {MODES}.")
    for problem in problems:
        if problem.kind != policy.config.kind:
            message = f"is not what these weights are for: {policy.config.kind}."
            faults.add("wrong-problem", "problem", problem.kind, message)
    faults.raise_if_any()


def _changed(assignment: AssignmentConfig, changes: Mapping[str, Any]) -> AssignmentConfig:
    """Settings of the assignment with changes."""
    if not changes:
        return assignment
    values = asdict(assignment) | dict(changes)
    return read_settings(AssignmentConfig, values, "assignment", prefix="assignment.")


@lru_cache(maxsize=8)
def _load(kind: str, name: str, device: str, changes: str) -> Policy:
    return changed(Policy.load(kind, name, device), json.loads(changes))


def warm_up(kind: str, announce: Callable[[str], None]) -> None:
    """Compile what settles conflicts on a CPU, once; then it is kept on disk."""
    from geopar.paper.config import NetworkConfig
    from geopar.problems.random import generate

    smallest = NetworkConfig(kind, width=8, heads=1, layers=1, feedforward=8)  # type: ignore[arg-type]
    with announced("compiling how conflicts are settled, once, some seconds", announce):
        construct([generate(f"{kind}/2/1")], Policy.untrained(smallest))


geopar = GeoparSolver()
