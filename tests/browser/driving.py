"""What a person does on the page, for tests to do."""

import base64
import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

DROP = """([files]) => {
  const held = new DataTransfer();
  for (const [name, data] of files) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    held.items.add(new File([bytes], name));
  }
  const send = (type) => document.querySelector("#map").dispatchEvent(
    new DragEvent(type, { dataTransfer: held, bubbles: true, cancelable: true }));
  ["dragenter", "dragover", "drop"].forEach(send);
}"""


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files on the map."""
    coded = [[name, base64.b64encode(data).decode()] for name, data in files.items()]
    page.evaluate(DROP, [coded])


def drop_problem(page: Page, problem: dict[str, Any], name: str = "orders.json") -> None:
    """Drop a problem and wait until it is there."""
    drop(page, {name: json.dumps(problem).encode()})
    expect(page.locator("#start")).to_be_enabled()


def solve(page: Page, solver: str, seconds: float = 1.0) -> None:
    """Solve to the end."""
    start(page, solver, seconds)
    expect(page.locator("#progress-words")).to_have_text(re.compile("^Finished"))


def start(page: Page, solver: str, seconds: float) -> None:
    """Start a solver."""
    unfold(page, "#solve-more")
    page.select_option("#solver", solver)
    if page.locator("#limit").is_enabled():
        page.fill("#limit", str(seconds))
    page.click("#start")


def unfold(page: Page, details: str) -> None:
    """Show what stands behind More."""
    if page.locator(details).get_attribute("open") is None:
        page.click(f"{details} > summary")


def fold(page: Page, details: str) -> None:
    """Hide it again."""
    if page.locator(details).get_attribute("open") is not None:
        page.click(f"{details} > summary")


def generate(page: Page, tasks: int, vehicles: int = 5, kind: str = "hcvrp") -> None:
    """Ask for a problem at random."""
    unfold(page, "#more")
    page.select_option("#kind", kind)
    page.fill("#tasks", str(tasks))
    page.fill("#vehicles", str(vehicles))
    page.click("#generate button")


def objective(page: Page) -> float:
    """The number behind the headline, once there is one."""
    value = page.locator("#headline-value")
    expect(value).to_have_attribute("title", re.compile(r"\d"))
    return float(value.get_attribute("title") or "")


def hours(text: str) -> float:
    """A length of time such as 1 h 19 min."""
    found = re.findall(r"(\d+) (h|min|s)\b", text)
    return sum(float(count) / {"h": 1, "min": 60, "s": 3600}[unit] for count, unit in found)


def save(page: Page, button: str, folder: Path) -> Path:
    """Click a download and keep the file."""
    unfold(page, "#download-panel details")
    with page.expect_download() as download:
        page.click(button)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
