"""A client of the service (:mod:`geopar.service`), with nothing but the standard library.

>>> client = geopar.Client("http://127.0.0.1:8000")
>>> job = client.submit(problem, time_limit=20)
>>> result = job.wait()
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from geopar.bounding import Bound
from geopar.errors import GeoparError
from geopar.files import plan_from_json, plan_to_json, problem_from_json, problem_to_json
from geopar.plan import Plan
from geopar.problems import Problem
from geopar.result import Result
from geopar.solver import Outcome
from geopar.solving import judge

# How often a lost event stream is taken up again, and how long to wait before that.
TRIES, PATIENCE = 5, 0.5
# The most jobs that the service lists at once.
LARGEST_PAGE = 500


class ServiceError(GeoparError):
    """The service refused, or could not be reached.

    Attributes
    ----------
    status
        Of HTTP; 0 where nobody answered.
    code
        What was wrong, as ``docs/use/errors.md`` lists it.
    faults
        Each with code, field, value, message and hint.
    """

    def __init__(
        self, status: int, code: str, message: str, faults: Sequence[Mapping[str, str]] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.faults = status, code, tuple(faults)


class Event(NamedTuple):
    """What happened to a job.

    Parameters
    ----------
    kind
        ``status``, ``improvement``, ``progress`` or ``end``.
    data
        As ``docs/use/http.md`` describes it.
    """

    kind: str
    data: dict[str, Any]


class Client:
    """A service at some address.

    Parameters
    ----------
    url
        Of the service.
    token
        Where it wants one.
    timeout
        Seconds without a word from it until a call fails; a run may take longer.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8000", token: str | None = None, timeout: float = 60.0
    ) -> None:
        self._url, self._token, self._timeout = url.rstrip("/"), token, timeout

    def __repr__(self) -> str:
        return f"<Client of {self._url}>"

    def solve(
        self,
        problem: Problem,
        time_limit: float | None = None,
        seed: int = 0,
        *,
        solver: str | None = None,
        start: Plan | None = None,
        keep: float | None = None,
        **options: Any,
    ) -> Result:
        """Solve and wait; the plan is checked here once more.

        Parameters
        ----------
        problem, time_limit, seed, solver, start, keep
            As ``docs/use/http.md`` describes them; the service decides on what is left out.
        options
            ``iterations``, ``target``, ``no_improvement`` and ``threads``.

        Raises
        ------
        ServiceError
            When the service refuses it, or cannot be reached.
        """
        body = _solve_body(problem, time_limit, seed, solver, start, keep) | options
        # While it waits for a worker the service says nothing.
        answer = self._json("POST", "/solve", body, timeout=None)
        return _result(problem, answer["result"])

    def submit(
        self,
        problem: Problem,
        time_limit: float | None = None,
        seed: int = 0,
        *,
        solver: str | None = None,
        start: Plan | None = None,
        keep: float | None = None,
        key: str | None = None,
        callback: str | None = None,
        name: str | None = None,
        rest_of: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Job:
        """Solve in the background; see :meth:`solve`.

        Parameters
        ----------
        problem, time_limit, seed, solver, start, keep, options
            As of :meth:`solve`.
        key
            Makes it safe to ask again when it is not known whether the service heard: the same
            key and the same request give the same job.
        callback
            An address that the service tells when the job has ended, if it may call it.
        name
            What the job is called in lists; as its problem is when left out.
        rest_of
            Of which day the problem is the rest: the id of its ``job``, ``now``, and what else
            :meth:`rest_of_day` was asked with. Its sheets then tell who is out of service.
        """
        body = _solve_body(problem, time_limit, seed, solver, start, keep) | options
        given = {"callback": callback, "name": name, "rest_of": rest_of}
        body |= {field: value for field, value in given.items() if value is not None}
        headers = {} if key is None else {"Idempotency-Key": key}
        return Job(self, self._json("POST", "/jobs", body, headers=headers)["id"], problem)

    def job(self, id: str) -> Job:
        """A job by its id, also one of somebody else's.

        Raises
        ------
        ServiceError
            When there is none.
        """
        job = Job(self, id)
        job.refresh()
        return job

    def jobs(
        self,
        limit: int | None = 50,
        *,
        status: str | Sequence[str] = (),
        name: str | None = None,
    ) -> list[Job]:
        """The newest jobs, without their plans.

        Parameters
        ----------
        limit
            At most so many; None is all that there are.
        status
            Only those of this status, or of one of these.
        name
            Only those whose name has this in it, in capitals or not.
        """
        statuses = [status] if isinstance(status, str) else status
        query = [("status", each) for each in statuses]
        query += [] if name is None else [("name", name)]
        found: list[Job] = []
        cursor: list[tuple[str, str]] = []
        while limit is None or len(found) < limit:
            most = LARGEST_PAGE if limit is None else min(LARGEST_PAGE, limit - len(found))
            page = self._json("GET", f"/jobs?{urlencode([('limit', most), *query, *cursor])}")
            found += [Job(self, one["id"], document=one) for one in page["jobs"]]
            if page["next"] is None:
                break
            cursor = [("cursor", page["next"])]
        return found

    def rest_of_day(
        self,
        problem: Problem,
        plan: Plan,
        now: float | str,
        *,
        out_of_service: Sequence[str] = (),
        goods_back: float | str | None = None,
        cancelled: Sequence[str] = (),
        new_plan: Plan | None = None,
    ) -> dict[str, Any]:
        """What is left of a day that is under way, worked out by the service.

        Parameters
        ----------
        problem, plan, now, out_of_service, goods_back, cancelled
            As of :func:`geopar.rest_of_day`.
        new_plan
            A plan for the rest: ``changes`` then tells what is new for whom.

        Returns
        -------
        As ``docs/use/http.md`` has it, with ``problem`` and ``start`` ready for :meth:`submit`.
        """
        body = _with_plan(problem, plan) | {
            "now": now, "out_of_service": list(out_of_service), "goods_back": goods_back,
            "cancelled": list(cancelled),
            "new_plan": None if new_plan is None else plan_to_json(new_plan),
        }  # fmt: skip
        answer = self._json("POST", "/replan", body)
        if answer["problem"] is not None:
            answer["problem"] = problem_from_json(answer["problem"])
            answer["start"] = plan_from_json(answer["start"])
        return answer

    def bound(self, problem: Problem, seconds: float | None = None) -> Bound:
        """How soon the last vehicle could be home at best.

        Parameters
        ----------
        problem
            As of :func:`geopar.bound`.
        seconds
            How long the service may look; it decides where this is left out.
        """
        body = {"problem": problem_to_json(problem), "time_limit": seconds}
        # Compiling comes before the time that it may take, and nothing is said meanwhile.
        return Bound(**self._json("POST", "/bound", body, timeout=None))

    def check(self, problem: Problem, plan: Plan) -> dict[str, Any]:
        """What the service's checker says of a plan."""
        return self._json("POST", "/check", _with_plan(problem, plan))

    def sheet(
        self,
        problem: Problem,
        plan: Plan,
        format: str = "html",
        vehicles: Sequence[str] | None = None,
        rest_of: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Driver sheets of a plan: the content of a file; ``rest_of`` as of :meth:`submit`."""
        body = _with_plan(problem, plan) | {"format": format}
        if rest_of is not None:
            body["rest_of"] = dict(rest_of)
        if vehicles is not None:
            body["vehicles"] = list(vehicles)
        return self.ask("POST", "/sheet", body)

    def generate(self, setting: str, seed: int = 0) -> Problem:
        """A random problem, such as ``hcvrp/60/3``."""
        body = {"setting": setting, "seed": seed}
        return problem_from_json(self._json("POST", "/generate", body)["problem"])

    def read(self, *paths: str | Path, **options: str | int) -> Problem:
        """A problem from files, read by the service: any format that it knows."""
        boundary = secrets.token_hex(16)
        parts = b"".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="files"; '
            f'filename="{quote(Path(path).name)}"\r\n\r\n'.encode()
            + Path(path).read_bytes()
            + b"\r\n"
            for path in paths
        )
        kind = f"multipart/form-data; boundary={boundary}"
        query = f"?{urlencode(options)}" if options else ""
        body = parts + f"--{boundary}--\r\n".encode()
        answer = json.loads(self.ask("POST", f"/read{query}", body, kind))
        return problem_from_json(answer["problem"])

    def solvers(self) -> dict[str, Any]:
        """Solvers, limits and version of the service."""
        return self._json("GET", "/solvers")

    def health(self) -> dict[str, Any]:
        """Lets it solve a small case."""
        return self._json("GET", "/health")

    def _json(self, method: str, path: str, body: Any = None, **how: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.ask(method, path, body, **how))
        return answer

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: str = "application/json",
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = -1.0,
    ) -> bytes:
        """Any request: the content of the answer. Bytes are sent as they are, all else as JSON.

        Raises
        ------
        ServiceError
            For any answer but a good one.
        """
        with self.open(method, path, body, kind, headers=headers, timeout=timeout) as answer:
            content: bytes = answer.read()
        return content

    def open(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: str = "application/json",
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = -1.0,
    ) -> Any:
        """As :meth:`ask`, but the answer is read by the caller, as it comes."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {"Content-Type": kind} if data is not None else {}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        request = Request(self._url + path, data, {**sent, **(headers or {})}, method=method)
        try:
            return urlopen(request, timeout=self._timeout if timeout == -1.0 else timeout)
        except HTTPError as error:
            raise _refused(error) from None
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            message = f"{self._url} cannot be reached: {reason}. Does `geopar serve` run there?"
            raise ServiceError(0, "unreachable", message) from error


class Job:
    """A run in the background.

    Made by :meth:`Client.submit`, :meth:`Client.job` and :meth:`Client.jobs`.
    """

    def __init__(
        self,
        client: Client,
        id: str,
        problem: Problem | None = None,
        document: dict[str, Any] | None = None,
    ) -> None:
        self._client, self.id, self._problem = client, id, problem
        self._document = document

    def __repr__(self) -> str:
        known = self._document or {}
        return f"<Job {self.id}: {known.get('status', 'not asked yet')}>"

    @property
    def _path(self) -> str:
        return f"/jobs/{quote(self.id, safe='')}"

    def refresh(self) -> dict[str, Any]:
        """The job as the service has it now."""
        self._document = self._client._json("GET", self._path)
        return self._document

    @property
    def name(self) -> str | None:
        """Its own, or that of its problem, if there is one."""
        name: str | None = (self._document or self.refresh())["name"]
        return name

    def rename(self, name: str | None) -> None:
        """Call it by another name, or by none, whatever its status."""
        self._document = self._client._json("PATCH", self._path, {"name": name})

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``finished``, ``stopped``, ``failed`` or ``interrupted``."""
        return str(self.refresh()["status"])

    @property
    def problem(self) -> Problem:
        """What it is about."""
        if self._problem is None:
            self._problem = problem_from_json(self._client._json("GET", f"{self._path}/problem"))
        return self._problem

    @property
    def result(self) -> Result | None:
        """The best plan so far, checked here once more; None while there is none."""
        found = self.refresh()["result"]
        return None if found is None else _result(self.problem, found)

    def wait(self, observe: Callable[[Event], bool | None] | None = None) -> Result:
        """Until it has ended; an observer that returns True stops it.

        Raises
        ------
        ServiceError
            When it failed and has no plan.
        """
        for event in self.events():
            if observe is not None and observe(event) is True and event.kind != "end":
                return self.stop()
        return self._ended()

    def stop(self) -> Result:
        """End it and keep its best plan."""
        self._client._json("DELETE", self._path)
        return self._ended()

    def forget(self) -> None:
        """Remove it from the service, with its problem and its plan.

        Raises
        ------
        ServiceError
            When it has not ended: stop it first.
        """
        self._client.ask("DELETE", f"{self._path}?forget=true")

    def events(self) -> Iterator[Event]:
        """What happens to it, until its end; a lost connection is taken up again."""
        last, tries = 0, 0
        while True:
            try:
                with self._client.open("GET", f"{self._path}/events?after={last}") as stream:
                    for number, event in _events(stream):
                        last, tries = number or last, 0
                        yield event
                        if event.kind == "end":
                            return
                    if stream.status == 204:  # seen to its end already
                        return
            except (ServiceError, OSError) as error:
                if getattr(error, "status", 0) >= 400 or tries >= TRIES:
                    raise
            tries += 1
            time.sleep(PATIENCE * tries)

    def sheet(self, format: str = "html", vehicles: Sequence[str] = ()) -> bytes:
        """Driver sheets of its best plan."""
        query = urlencode([("format", format), *(("vehicle", name) for name in vehicles)])
        return self._client.ask("GET", f"{self._path}/sheet?{query}")

    def _ended(self) -> Result:
        found = self.result
        if found is None:
            document = self._document or {}
            error = document.get("error") or {}
            message = error.get("message") or f"Job {self.id} is {document.get('status')}."
            raise ServiceError(0, error.get("code", "no-plan"), message)
        return found


def _events(stream: Any) -> Iterator[tuple[int, Event]]:
    """Of a stream of server-sent events."""
    kind, data, number = "message", [], 0
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "data":
            data.append(value)
        elif name == "id" and value.isdecimal():
            number = int(value)
        elif not line and data:
            yield number, Event(kind, json.loads("\n".join(data)))
            kind, data = "message", []


def _solve_body(
    problem: Problem,
    time_limit: float | None,
    seed: int,
    solver: str | None,
    start: Plan | None,
    keep: float | None,
) -> dict[str, Any]:
    given = {
        "time_limit": time_limit, "solver": solver, "keep": keep,
        "start": None if start is None else plan_to_json(start),
    }  # fmt: skip
    body = {name: value for name, value in given.items() if value is not None}
    return body | {"problem": problem_to_json(problem), "seed": seed}


def _with_plan(problem: Problem, plan: Plan) -> dict[str, Any]:
    return {"problem": problem_to_json(problem), "plan": plan_to_json(plan)}


def _result(problem: Problem, document: Mapping[str, Any]) -> Result:
    """A result as :func:`geopar.solve` gives it, by a check of our own."""
    outcome = Outcome(
        plan_from_json(document["plan"]), iterations=document.get("iterations"),
        steps=document.get("steps"), notes=tuple(document["notes"]),
    )  # fmt: skip
    return judge(problem, outcome, document["solver"], document["seed"], document["seconds"])


def _refused(error: HTTPError) -> ServiceError:
    try:
        with error:
            told = json.loads(error.read())["error"]
        return ServiceError(error.code, told["code"], told["message"], told["faults"])
    except (ValueError, KeyError, TypeError):
        message = f"The service answered {error.code}: {error.reason}."
        return ServiceError(error.code, "no-words", message)
