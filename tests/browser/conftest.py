"""A real Chromium on a real ``geopar serve``; run by ``make test-browser``."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browser import driving
from browser.line import LINE, PLAN
from browser.serving import serving, warm_up

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Machines that run tests are slow at times; nothing here waits longer than it must.
PATIENCE_MS = 60_000

OpenPage = Callable[..., Page]


def host(address: str) -> str:
    """Whose address it is, also of what the page made itself."""
    return urlsplit(address.removeprefix("blob:")).netloc


def find_chromium() -> str | None:
    """The program, if it is installed."""
    named = os.environ.get("GEOPAR_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.fail("There is no Chromium here. `make test-browser` installs it, or says how.")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    with serving() as address:
        warm_up(address)
        yield address


@pytest.fixture
def open_page(browser: Browser, service: str) -> Iterator[OpenPage]:
    """Opens pages; at the end none may have had an error or asked another host for anything."""
    contexts, errors, asked = [], [], []

    def console(message):
        # The browser itself notes answers such as 422, and services that are down, which are part
        # of some tests.
        noted = ("the server responded with", "net::ERR_")
        if message.type == "error" and not any(words in message.text for words in noted):
            errors.append(message.text)

    def open_one(
        width: int = 1360,
        height: int = 860,
        theme: Literal["light", "dark"] = "light",
        address: str = service,
        **more,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme, accept_downloads=True, reduced_motion="reduce", **more,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", console)
        page.on("request", lambda request: asked.append((address, request.url)))
        page.goto(address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []
    elsewhere = [url for own, url in asked if host(url) != host(own)]
    assert elsewhere == []


@pytest.fixture
def planned(open_page):
    """The line with the plan above, from a file."""

    def make(plan=PLAN, **how):
        page = open_page(**how)
        driving.drop_problem(page, LINE)
        driving.drop(page, {"monday.json": json.dumps(plan).encode()})
        expect(page.locator("#headline-value")).to_have_attribute("title", re.compile(r"\d"))
        return page

    return make
