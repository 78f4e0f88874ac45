"""The page in a real browser: with scripts and without, wide and narrow, on paper, by keyboard."""

from __future__ import annotations

import csv
import io
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dmb.publish import numbers
from dmb.publish.page import page_html
from dmb.publish.release import Release
from tests.conftest import PROJECT
from tests.publish.browser import LOOKS, Seen, axe, launched, seen
from tests.publish.showcase import showcase

pytestmark = pytest.mark.xdist_group("browser")

IMAGES = PROJECT / "docs/images"
CELL = "#cell/birch/intent-77"
#: Picture -> how it is looked at, where, and whether all of it is shown.
PICTURES = {
    "page-desktop": ("desktop", ""),
    "page-dark": ("dark", "#tradeoff"),
    "page-phone": ("phone", "#overview"),
    "page-print": ("print", ""),
    "page-scripts-off": ("scripts-off", "#suite-intent-77"),
    "page-calibration": ("desktop", "#reliability-intent-77"),
    "page-cell": ("desktop", "#cell/aspen/cardinality"),
    "page-item": ("desktop", "#row/confidence-honesty/decision/i7-0/0"),
}


@pytest.fixture(scope="module")
def made() -> Release:
    return showcase(9)


@pytest.fixture(scope="module")
def page(made: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "showcase.html"
    path.write_bytes(page_html(made).encode("utf-8"))
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With every kind of table and drawing, but few of each: axe-core takes its time for an element."""
    path = tmp_path_factory.mktemp("small") / "small.html"
    path.write_bytes(page_html(showcase(5, ("gate-spam", "cardinality"))).encode("utf-8"))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


@pytest.fixture
def desktop(browser: Any, page: Path) -> Iterator[Seen]:
    with seen(browser, page, "desktop") as found:
        found.open()
        yield found
        assert found.complaints == []


# -- how it looks


@pytest.mark.parametrize("look", LOOKS)
def test_no_complaint_nothing_loaded_and_no_sideways_scrolling(browser: Any, page: Path, look: str) -> None:
    with seen(browser, page, look) as found:
        # another colour or medium draws the same elements
        places = (
            ("", CELL, "#rows/intent-77", "#row/intent-77/decision/i7-0/0") if look in ("desktop", "phone") else ("",)
        )
        for place in places:
            found.open(place)
            if look not in ("print", "scripts-off"):
                wide = found.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                assert wide[0] <= wide[1], (place, wide)
        assert found.complaints == []


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_for_the_documentation(browser: Any, page: Path, name: str, request: pytest.FixtureRequest) -> None:
    look, place = PICTURES[name]
    with seen(browser, page, look) as found:
        found.open(place)
        picture = found.tab.screenshot(animations="disabled")
        kept = IMAGES / f"{name}.png"
        if request.config.getoption("--fix", default=False):
            kept.write_bytes(picture)
        assert kept.exists(), "`pytest --fix tests/publish/test_browser.py` makes it"
        # fonts differ from machine to machine, so the bytes do too
        assert size_of(kept.read_bytes()) == size_of(picture) == tuple(LOOKS[look]["viewport"].values())
        assert found.complaints == []


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height in a PNG's head."""
    return struct.unpack(">II", png[16:24])


# -- tables


def column(found: Seen, table: str, n: int) -> list[str]:
    cells = f"#{table} tbody tr:not(.filtered):not(.elsewhere) > *:nth-child({n})"
    return [text.split("\n")[0] for text in found.texts(cells)]


def test_a_column_is_sorted_and_the_address_says_so(desktop: Seen) -> None:
    before = column(desktop, "suite-intent-77", 2)
    button = desktop.tab.locator("#suite-intent-77 thead th:nth-child(2) button")
    button.click()
    down = column(desktop, "suite-intent-77", 2)
    values = [float(text) for text in down if text != "skipped: no-credential · 0 of 300 asked"]
    assert values == sorted(values, reverse=True) and down != before
    assert desktop.tab.locator("#suite-intent-77 th[aria-sort=descending]").count() == 1
    address = desktop.tab.evaluate("location.hash")
    assert "suite-intent-77.sort=-2" in address
    desktop.open(address)
    assert column(desktop, "suite-intent-77", 2) == down
    for _ in range(2):
        desktop.tab.locator("#suite-intent-77 thead th:nth-child(2) button").click()
    assert column(desktop, "suite-intent-77", 2) == before
    assert "sort" not in desktop.tab.evaluate("location.hash")


def test_rows_are_filtered_and_the_address_says_so(desktop: Seen) -> None:
    desktop.tab.locator("#coverage input[type=search]").fill("birch")
    address = desktop.tab.evaluate("location.hash")
    assert "coverage.find=birch" in address
    assert set(column(desktop, "coverage", 2)) == {"Birch"}
    desktop.tab.locator("#only").fill("birch, ash")
    assert column(desktop, "suite-intent-77", 1) == ["Ash", "Birch"]
    desktop.open(desktop.tab.evaluate("location.hash"))
    assert column(desktop, "suite-intent-77", 1) == ["Ash", "Birch"]
    # a way to another section keeps what was set
    desktop.tab.locator("nav a", has_text="Calibration").click()
    desktop.tab.wait_for_function("location.hash.startsWith('#calibration?')")
    assert "only=birch" in desktop.tab.evaluate("location.hash")


def test_pairs_that_are_not_told_apart_can_be_hidden(browser: Any, page: Path) -> None:
    for look in ("desktop", "scripts-off"):
        with seen(browser, page, look) as found:
            found.open()
            grey = found.tab.locator("#pairs-intent-77 td.muted").first
            black = found.tab.locator("#pairs-intent-77 td:not(.muted):not(:empty)").first
            assert grey.is_visible() and black.is_visible()
            found.tab.locator("#pairs-intent-77-apart").check()
            assert not grey.is_visible() and black.is_visible(), look
            if look == "desktop":
                assert "pairs-intent-77.apart=1" in found.tab.evaluate("location.hash")


def test_a_table_can_be_taken_along(desktop: Seen, made: Release) -> None:
    taken = {}
    for kind in ("CSV", "JSON"):
        with desktop.tab.expect_download() as download:
            desktop.tab.locator("#suite-intent-77 .take", has_text=kind).click()
        assert download.value.suggested_filename == f"showcase.suite-intent-77.{kind.lower()}"
        taken[kind] = Path(download.value.path()).read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(taken["CSV"])))
    document = json.loads(taken["JSON"])
    name = "Accuracy, valid %"
    for contender in list(made.contenders)[:-1]:
        record = made.cells[contender, "intent-77"].metrics["accuracy_valid"]
        (row,) = [row for row in rows if row["Contender"] == made.label(contender)]
        (same,) = [row for row in document["rows"] if row["Contender"] == made.label(contender)]
        for part, value in ((name, record.value), (f"{name}: low", record.low), (f"{name}: high", record.high)):
            assert value is not None and float(row[part]) == same[part] == float(numbers.percent(value)), part
    assert document["stamp"].startswith("showcase · DMB ") and document["caption"]


# -- cells and items


def test_a_cell_has_an_address_of_its_own_with_all_its_numbers(desktop: Seen, made: Release) -> None:
    desktop.go(CELL[1:])
    score = made.cells["birch", "intent-77"]
    assert desktop.texts("#view h1") == ["Birch on intent-77"]
    assert desktop.tab.title().startswith("Birch on intent-77 · ")
    said = desktop.texts("#cell-measures tbody tr")
    assert len(said) == len(score.metrics)
    shown = " ".join(said)
    assert numbers.percent(score.metrics["accuracy_valid"].value or 0) in shown and "n/a" in shown
    reasons = [row.inner_text() for row in desktop.tab.locator("#cell-measures tr", has_text="n/a").all()]
    assert reasons and all(len(reason.split("n/a")[1].strip()) > 10 for reason in reasons)
    facts = " ".join(desktop.texts("#view .facts"))
    assert score.cell_key[:16] in facts and "2026-11-01" in facts and "DMB" in facts
    desktop.tab.go_back()
    assert desktop.tab.locator("#view").is_hidden()


@pytest.mark.parametrize("place", ["#cell/nobody/intent-77", "#row/intent-77/decision/none/0", "#rows/none", "#%zz?%"])
def test_an_address_that_leads_nowhere_shows_the_results(desktop: Seen, place: str) -> None:
    desktop.open(place)
    assert desktop.tab.locator("#view").is_hidden() and desktop.tab.locator("#overview").is_visible()


def test_without_scripts_a_cells_address_leads_to_its_row(browser: Any, page: Path) -> None:
    with seen(browser, page, "scripts-off") as found:
        found.open("#cell/birch/intent-77")
        row = found.tab.locator('[id="cell/birch/intent-77"]')
        assert row.is_visible() and "Birch" in row.inner_text() and "complete" in row.inner_text()
        assert found.tab.locator("button").count() == 0
        assert found.tab.locator("main table").count() > 30
        assert all(table.is_visible() for table in found.tab.locator("main table").all())
        assert found.tab.locator("noscript").first.is_visible()


def test_items_with_everybodys_answers(desktop: Seen, made: Release) -> None:
    for suite, shown in (("confidence-honesty", True), ("intent-77", False)):
        desktop.open(f"#rows/{suite}")
        n = made.cells["birch", suite].n_expected
        assert desktop.texts(".said") == [f"{n} of {n} items"]
        assert (desktop.tab.locator("td.text").count() > 0) == shown
        desktop.tab.locator("#view input").fill("i7-")
        assert "find=i7-" in desktop.tab.evaluate("location.hash")
        desktop.tab.locator("#view tbody a").first.click()
        desktop.tab.wait_for_selector("#view h1:has-text('i7-0')")
        assert (desktop.tab.locator("blockquote").count() == 1) == shown
        rows = {row.split("\n")[0].split("\t")[0]: row for row in desktop.texts("#view tbody tr")}
        for contender in list(made.contenders)[:-1]:
            columns = made.cells[contender, suite].answers[0]
            n = columns.items.index("i7-0")
            row = re.split(r"\s+", rows[made.label(contender)])
            confidence, value = columns.confidences[n], columns.values[n]
            if confidence is not None:
                assert numbers.index(confidence) in row and value in row
                assert ("right" if value == columns.gold[n] else "wrong") in row
            else:
                assert columns.outcomes[n] in row


def test_a_text_that_may_not_be_shown_is_nowhere(page: Path, made: Release) -> None:
    assert set(made.texts) == {"cardinality", "confidence-honesty"}
    text = page.read_text("utf-8")
    assert "Message i7-0" in text and '"publish_text"' not in text


# -- everybody


def test_by_keyboard_alone(desktop: Seen) -> None:
    desktop.tab.keyboard.press("Tab")
    assert desktop.tab.evaluate("document.activeElement.className") == "skip"
    desktop.tab.locator("#suite-intent-77 thead th:nth-child(1) button").focus()
    desktop.tab.keyboard.press("Enter")
    *names, unasked = column(desktop, "suite-intent-77", 1)
    assert names == sorted(names, key=str.lower) and unasked == "Cherry"
    desktop.tab.locator("#suite-intent-77 tbody a").first.focus()
    desktop.tab.keyboard.press("Enter")
    desktop.tab.wait_for_selector("#view h1")
    assert desktop.tab.evaluate("document.activeElement.tagName") == "H1"


def grave(browser: Any, page: Path, look: str, places: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(place, rule, element) of what axe-core calls serious or critical."""
    source, found_there = axe(), []
    with seen(browser, page, look) as found:
        for place in places:
            found.open(place)
            found.tab.evaluate(source)
            violations = found.tab.evaluate("axe.run({resultTypes: ['violations'], iframes: false})")["violations"]
            found_there += [
                (place, v["id"], v["nodes"][0]["html"][:200])
                for v in violations
                if v["impact"] in ("serious", "critical")
            ]
    return found_there


PLACES = ("", "#cell/alder/cardinality", "#rows/cardinality", "#row/cardinality/decision/i7-0/0")


@pytest.mark.parametrize("look, places", [("desktop", PLACES), ("dark", PLACES[:1])])
def test_axe_finds_nothing_serious(browser: Any, small: Path, look: str, places: tuple[str, ...]) -> None:
    assert grave(browser, small, look, places) == []


@pytest.mark.long
@pytest.mark.parametrize("look", ["desktop", "dark", "phone"])
def test_axe_finds_nothing_serious_on_a_whole_page(browser: Any, page: Path, look: str) -> None:
    assert grave(browser, page, look, PLACES) == []


def test_axe_would_see_it(browser: Any, tmp_path: Path) -> None:
    pale = tmp_path / "pale.html"
    pale.write_text(
        '<!doctype html><html lang="en"><title>Pale</title><main><h1>Pale</h1><p style="color: #ccc">So pale.</p></main>'
    )
    assert [rule for _, rule, _ in grave(browser, pale, "desktop", ("",))] == ["color-contrast"]
