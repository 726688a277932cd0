"""The pages at ``/`` and ``/docs``: files that come with the package."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import FileResponse, PlainTextResponse, Response

from geopar.service.responses import NOT_FOUND, RefusedError

FOLDER = Path(__file__).parent / "page"

NOT_BUILT = """GeoPAR's service runs, but its page is not here.

It is built from web/ and comes with the installed package. From a checkout: npm install and
npm run build in web/. Everything else works without it:

  GET  /health     is it well?
  GET  /solvers    what can solve, and the limits
  POST /solve      solve and wait
  POST /jobs       solve in the background
  GET  /openapi.json
"""


def index() -> Response:
    """The page, or what to do when it is not there."""
    return _built("index.html")


def docs() -> Response:
    """The page on which every operation can be tried."""
    return _built("docs.html")


def _built(name: str) -> Response:
    path = FOLDER / name
    if not path.is_file():
        return PlainTextResponse(NOT_BUILT)
    return FileResponse(path, headers={"Cache-Control": "no-cache"})


def asset(name: str) -> Response:
    """A file of the page, and no other file.

    Raises
    ------
    RefusedError
        When there is none of that name.
    """
    folder = (FOLDER / "assets").resolve()
    try:
        path = (folder / name).resolve()
        found = path.is_relative_to(folder) and path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise RefusedError(NOT_FOUND, "no-such-file", f"The page has no file {name[:80]!r}.")
    # Their names change with their content.
    return FileResponse(path, headers={"Cache-Control": "public, max-age=31536000, immutable"})
