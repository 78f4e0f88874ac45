"""Markdown and HTML say the same, and neither lets data become markup."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.release import Deviation
from dmb.publish import markdown, page
from dmb.publish.release import Release
from dmb.publish.table import Column, Row, Table, Value
from tests.publish.factory import ENTRIES, golden_release
from tests.publish.test_golden import without_code

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Balance(HTMLParser):
    """Every tag that opens is closed by its own end, and ids are given once."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.levels: list[int] = []
        self.loads: list[tuple[str, str, str]] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._look(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._look(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def _look(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in {"src", "href", "xlink:href", "data", "srcset", "action"}:
                (self.links if tag == "a" else self.loads).append(
                    (tag, name, value or "") if tag != "a" else value or ""
                )


@pytest.fixture(scope="module")
def html(published: Path) -> str:
    return (published / "v9.html").read_text("utf-8")


@pytest.fixture(scope="module")
def parsed(html: str) -> Balance:
    parser = Balance()
    parser.feed(html)
    parser.close()
    return parser


def test_page_is_balanced_and_its_ids_are_unique(parsed: Balance) -> None:
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))


def test_headings_step_down_one_at_a_time(parsed: Balance) -> None:
    assert parsed.levels[0] == 1 and parsed.levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(parsed.levels, parsed.levels[1:], strict=False))


def test_page_loads_nothing(html: str, parsed: Balance) -> None:
    # What a drawing refers to is inside the page.
    assert all(value.startswith("#") for _, _, value in parsed.loads), parsed.loads
    assert not re.search(
        r"@import|url\((?!#)|<script[^>]* src|<link|<iframe|<img|fetch\(|XMLHttpRequest|import\(|innerHTML", html
    )


def test_only_the_sheet_and_the_script_of_the_page_are_allowed(html: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None and policy[1].startswith("default-src 'none'; style-src 'sha256-")
    sheets, scripts = (
        re.findall(r"<style>(.*?)</style>", html, re.DOTALL),
        re.findall(r"<script>(.*?)</script>", html, re.DOTALL),
    )
    allowed = re.findall(r"'sha256-([^']+)'", policy[1])
    assert [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (*sheets, *scripts)
    ] == allowed
    # neither hash would allow these
    assert not re.search(r"<[^>]*\s(style|on[a-z]+)=", without_code(html))


def test_links_inside_the_page_lead_somewhere(parsed: Balance) -> None:
    assert {link[1:] for link in parsed.links if link.startswith("#")} <= set(parsed.ids)


def test_references_in_drawings_lead_somewhere(html: str, parsed: Balance) -> None:
    assert set(re.findall(r'<use href="#([^"]+)', html)) <= set(parsed.ids)


def test_tables_are_accessible(html: str) -> None:
    assert html.count("<caption>") == html.count("<table ")
    assert not re.search(r"<th(?! scope| ?ead)[^e]", html)
    for body in re.findall(r"<tbody>.*?</tbody>", html, re.DOTALL):
        assert 'scope="row"' in body


def test_label_is_escaped_on_the_page(html: str) -> None:
    assert "Tiny &lt;b&gt;|&amp; `x`" in html
    assert "<b>" not in html
    # A label is data in an answer too.
    assert "<script>" not in without_code(html)
    assert "\\u003cscript>" in html and html.count("<script") == html.count("</script>") == 2


def test_label_is_escaped_in_markdown(golden: Release) -> None:
    text = markdown.report_md(golden)
    assert "Tiny &lt;b&gt;\\|&amp; \\`x\\`" in text
    assert "<b>" not in text and "<script>" not in text


def test_rows_of_a_markdown_table_have_as_many_cells_as_its_head(golden: Release) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", markdown.report_md(golden), re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_long_descriptions_are_folded() -> None:
    assert markdown.first_sentence("See v. 1 of it. Then more. And more.") == (
        "See v. 1 of it.",
        "Then more. And more.",
    )
    made = golden_release()
    spec = made.suites["intent-77"].model_copy(update={"description": "What is it for?\nLimits: <few> of `them`. Old."})
    made = dataclasses.replace(made, suites=made.suites | {"intent-77": spec})
    text, html = markdown.report_md(made), page.page_html(made)
    assert "What is it for?" in text
    assert "<summary>More about this suite</summary>\n\nLimits: &lt;few&gt; of `them`. Old.\n\n</details>" in text
    assert (
        "<summary>About this suite</summary>\n<p>What is it for? Limits: &lt;few&gt; of <code>them</code>. Old.</p>"
        in html
    )


@given(st.text())
def test_any_text_stays_in_its_cell(text: str) -> None:
    row = Row((Value(text), Value("1")))
    lines = markdown.table(Table("t", "T", "", (Column("A"), Column("B")), (row,))).splitlines()
    # A line break of any kind would end the table, an unescaped bar would add a cell, and a bracket would open a tag.
    assert len(lines) == 3
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", lines[2])) == 3
    assert not re.search(r"[<>]", lines[2])


@given(st.text())
def test_prose_never_opens_a_tag(text: str) -> None:
    assert not re.search(r"<(?!/?code>)", str(page.prose(text)))
    outside = re.sub(r"`[^`]*`", "", markdown.prose(text))
    assert "<" not in outside


def test_only_web_addresses_become_links() -> None:
    assert markdown.link("https://example.org/a_b") == "<https://example.org/a_b>"
    assert markdown.link("javascript:alert(1)") == "javascript:alert(1)"
    assert markdown.link("https://x> <b>") == "https://x&gt; &lt;b&gt;"


def test_title_and_deviation_are_escaped() -> None:
    made = golden_release(
        title="A <i>|title", deviations=(Deviation("No <u> & no |", "because", ()),), contenders=ENTRIES
    )
    text = markdown.report_md(made)
    assert text.startswith("# A &lt;i&gt;\\|title\n")
    assert "No &lt;u&gt; &amp; no \\|" in text
    html = page.page_html(made)
    assert "<title>A &lt;i&gt;|title</title>" in html and "No &lt;u&gt; &amp; no |" in html


def test_no_headline_of_one_number(golden: Release) -> None:
    text = markdown.report_md(golden)
    assert text.index("## Results by suite") < text.index("## Every measure")
    assert not re.search(r"speed-?up|times faster|\d+x\b|composite|overall score", text, re.IGNORECASE)
