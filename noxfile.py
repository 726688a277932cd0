"""The package on every version of Python that it promises: ``nox``, or ``nox -s tests-3.13``."""

import nox

# Versions that this machine does not have are left out, and said to be.
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["smoke"]

VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


@nox.session(python=VERSIONS)
def smoke(session: nox.Session) -> None:
    """An sdist and a wheel, and the wheel in an empty environment."""
    python = session.run("python", "-c", "import sys; print(sys.executable)", silent=True)
    session.run("sh", ".ci/smoke", env={"PYTHON": str(python).strip()}, external=True)


@nox.session(python=VERSIONS)
def tests(session: nox.Session) -> None:
    """All tests."""
    session.install("-c", "constraints.txt", "-e", ".[dev]")
    session.run("pytest", "-q")
