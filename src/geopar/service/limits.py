"""Upper limits of requests, and the refusals of what exceeds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from geopar.bounding import DEFAULT_SECONDS as BOUND_SECONDS
from geopar.errors import Faults
from geopar.problems import Problem
from geopar.problems.setting import Setting
from geopar.service.responses import TOO_LARGE, TOO_MANY, RefusedError
from geopar.stop import DEFAULT_SECONDS

# Longer than this a bound hardly grows, and a person does not wait.
LONGEST_BOUND = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits; each is an option of ``geopar serve``.

    Parameters
    ----------
    tasks, vehicles
        Of one problem.
    body_bytes
        Of one request.
    time_limit
        Seconds of one run.
    queue
        Runs that wait for a worker.
    concurrent
        Runs at the same time: the number of workers.
    one_pass_queue
        One-pass requests that wait for the network.
    streams
        Clients that listen to events.
    connections
        Open connections; over it the one that has waited longest for its client is closed.
    """

    tasks: int = 20_000
    vehicles: int = 2_000
    body_bytes: int = 16_000_000
    time_limit: float = 600.0
    queue: int = 100
    concurrent: int = 2
    one_pass_queue: int = 1_000
    streams: int = 200
    connections: int = 2_000

    @property
    def default_seconds(self) -> float:
        """The time limit of a run for which none was given."""
        return min(DEFAULT_SECONDS, self.time_limit)

    @property
    def bound_limit(self) -> float:
        """Seconds of one bound."""
        return min(LONGEST_BOUND, self.time_limit)

    @property
    def bound_seconds(self) -> float:
        """The time limit of a bound for which none was given."""
        return min(BOUND_SECONDS, self.bound_limit)

    def check_size(self, faults: Faults, tasks: int, vehicles: int) -> None:
        """Note what is over the limit of a problem."""
        for name, value, most in (
            ("tasks", tasks, self.tasks),
            ("vehicles", vehicles, self.vehicles),
        ):
            if value > most:
                faults.add(
                    "over-limit", f"problem {name}", value,
                    f"{value:,} {name} are more than this service's limit of {most:,}.",
                    f"Split the problem, or start the service with --max-{name}.",
                )  # fmt: skip

    def check_problem(self, problem: Problem) -> None:
        """Refuse a problem that is too large."""
        faults = Faults()
        self.check_size(faults, problem.num_tasks, problem.num_vehicles)
        faults.raise_if_any()

    def check_setting(self, setting: Setting) -> None:
        """Refuse to draw a problem that is too large."""
        faults = Faults()
        self.check_size(faults, setting.num_tasks, setting.num_vehicles)
        faults.raise_if_any()

    def check_body(self, size: int) -> None:
        """Refuse a body that is too large."""
        if size > self.body_bytes:
            raise RefusedError(
                TOO_LARGE, "body-too-large",
                f"A body of {size:,} bytes is more than this service's limit of "
                f"{self.body_bytes:,}. Split the problem, or start the service with --max-body.",
            )  # fmt: skip

    def check_room(self, name: str, waiting: int, most: int, option: str) -> None:
        """Refuse a request when too many wait already."""
        if waiting >= most:
            raise RefusedError(
                TOO_MANY, "too-busy",
                f"{waiting:,} {name} are there already, and this service's limit is {most:,}. "
                f"Try again in a while, or start the service with a larger {option}.",
                headers={"Retry-After": "1"},
            )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As listed by ``GET /solvers``."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
