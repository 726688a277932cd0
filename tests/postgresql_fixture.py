"""One PostgreSQL for all tests that need it, each with tables of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from geopar.testing.postgresql import Postgres, why_not

TABLES = ("geopar_version", "geopar_servers", "geopar_jobs")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def database(postgres: Postgres) -> str:
    """The address of an empty database."""
    import psycopg

    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {', '.join(TABLES)} CASCADE".encode())
    return postgres.url


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path | None, str | None]:
    """Folder and address of each sort of store."""
    if request.param == "sqlite":
        return tmp_path, None
    return None, request.getfixturevalue("database")
