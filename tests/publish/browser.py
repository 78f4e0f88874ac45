"""A real Chromium that reads the page, and what it complains about."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT

#: How the page is looked at: a context's settings and the medium.
LOOKS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "print": {"viewport": {"width": 1000, "height": 1300}},
    "scripts-off": {"viewport": {"width": 1280, "height": 900}, "java_script_enabled": False},
}


@dataclass
class Seen:
    """A page in a tab, with every error and every request that leaves the file."""

    tab: Any
    page: Path
    complaints: list[str] = field(default_factory=list)

    def open(self, place: str = "") -> None:
        """The page at that place, loaded afresh."""
        self.tab.goto("about:blank")
        self.tab.goto(f"file://{self.page}{place}")

    def go(self, place: str) -> None:
        """Another place of the page that is open."""
        self.tab.evaluate("place => { location.hash = place }", place)

    def texts(self, selector: str) -> list[str]:
        """What is written in every element that fits."""
        return [text.strip() for text in self.tab.locator(selector).all_inner_texts()]


def launched() -> Iterator[Any]:
    """A browser; the test is skipped, and says why, where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: it is in group `oracles`"
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, chromium_sandbox=False)
        yield browser
        browser.close()


@contextmanager
def seen(browser: Any, page: Path, look: str) -> Iterator[Seen]:
    """The page as one of the looks has it."""
    context = browser.new_context(reduced_motion="reduce", accept_downloads=True, **LOOKS[look])
    tab = context.new_page()
    if look == "print":
        tab.emulate_media(media="print")
    found = Seen(tab, page)
    tab.on("console", lambda m: found.complaints.append(m.text) if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda e: found.complaints.append(str(e)))
    tab.on(
        "request",
        lambda r: None if r.url.startswith(("file:", "blob:", "data:", "about:")) else found.complaints.append(r.url),
    )
    try:
        yield found
    finally:
        context.close()


def axe() -> str:
    """The source of axe-core, which is no part of the project; the test is skipped, and says why, without it."""
    places = (os.environ.get("DMB_AXE", ""), PROJECT / ".axe/node_modules/axe-core/axe.min.js")
    for place in places:
        if place and Path(place).is_file():
            return Path(place).read_text(encoding="utf-8")
    pytest.skip("no axe-core: `npm install --prefix .axe axe-core` puts it where this test looks")
