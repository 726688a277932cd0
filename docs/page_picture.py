"""Takes docs/images/page.png: the page with a planned day, in a real Chromium.

python docs/page_picture.py
"""

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser import driving  # noqa: E402
from browser.conftest import find_chromium  # noqa: E402
from browser.serving import serving, warm_up  # noqa: E402

SIZE = {"width": 1360, "height": 860}
# Few colours are enough for a page, and a third of the size.
COLOURS = 128


def main() -> None:
    """Plan the example of a working day and look at its first van."""
    expect.set_options(timeout=120_000)
    with serving() as address, sync_playwright() as playwright:
        warm_up(address)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(address)
        page.click("#example-day")
        expect(page.locator("#start")).to_be_enabled()
        driving.solve(page, "refine", 3.0)
        driving.fold(page, "#solve-more")
        page.select_option("#stops-of", index=1)
        shot = page.screenshot()
        browser.close()
    image = Image.open(BytesIO(shot)).convert("RGB").quantize(COLOURS)
    image.save(ROOT / "docs" / "images" / "page.png", optimize=True)


if __name__ == "__main__":
    main()
