"""GitHub-flavoured Markdown: escaping, tables, and the report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmb.publish import sections
from dmb.publish.figures.files import file_of
from dmb.publish.table import SIMULATED_CAPTION, SIMULATED_MARK, Column, Row, Table, Value
from dmb.publish.templating import environment

if TYPE_CHECKING:
    from dmb.publish.release import Release

# What can start markup inside a line: code, emphasis, links, HTML, strikethrough, table cells, mathematics.
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
#: Where a sentence ends: a word of several letters before the stop keeps ``v. 1`` and ``e.g. A`` whole.
_SENTENCE = re.compile(r"(?<=\w\w[.?!)])\s+(?=[A-Z0-9])")
_CODE = re.compile(r"`([^`]+)`")
_AUTOLINK = re.compile(r"https?://[^\s<>]+")


def plain(text: str) -> str:
    """Text that is shown exactly as it is, on one line, in a table or outside."""
    text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", text)


def prose(text: str) -> str:
    """Our own text: literal, but for code between backticks."""
    out, end = [], 0
    for match in _CODE.finditer(text):
        # Inside a table a bar splits the cell even in code, unless it is escaped.
        out += [plain_keep_ends(text[end : match.start()]), "`", match[1].replace("|", "\\|"), "`"]
        end = match.end()
    return "".join([*out, plain_keep_ends(text[end:])])


def plain_keep_ends(text: str) -> str:
    """``plain``, with a single space kept where the piece begins or ends with one."""
    if not text.strip():
        return " " if text else ""
    return (" " if text[0].isspace() else "") + plain(text) + (" " if text[-1].isspace() else "")


def link(url: str) -> str:
    """A bare address as a link, anything else as text."""
    return f"<{url}>" if _AUTOLINK.fullmatch(url) else plain(url)


def value(value: Value) -> str:
    """``82.3 [77.6, 86.2] n 300``, with footnote numbers and the mark of simulated answers."""
    text = f"`{value.text}`" if value.code else plain(value.text)
    if value.interval:
        # Square brackets around numbers make no link unless a definition of that name exists, and none does.
        text += f" {value.interval}"
    if value.n:
        text += f" {value.n}"
    if value.notes:
        text += f"<sup>{','.join(map(str, value.notes))}</sup>"
    return f"{text} {SIMULATED_MARK}" if value.simulated else text


def table(table: Table) -> str:
    """The table with its footnotes and remarks."""
    lines = [
        _line([_head(column) for column in table.columns]),
        _line(["---:" if column.numeric else ":---" for column in table.columns]),
        *(_line(_cells(row, len(table.columns))) for row in table.rows),
    ]
    under = [f"<sup>{number}</sup> {prose(text)}" for number, text in enumerate(table.notes, 1)]
    under += [prose(text) for text in table.remarks]
    if table.simulated:
        under.append(SIMULATED_CAPTION)
    first, rest = first_sentence(table.about)
    under += [prose(first)] if first else []
    blocks = ["\n".join(lines), "<br>\n".join(under)]
    if rest:
        blocks.append(f"<details><summary>More about this suite</summary>\n\n{prose(rest)}\n\n</details>")
    return "\n\n".join(block for block in blocks if block)


def first_sentence(text: str) -> tuple[str, str]:
    """The first sentence and what follows it."""
    first, *rest = _SENTENCE.split(text.strip(), maxsplit=1)
    return first, "".join(rest)


def report_md(release: Release) -> str:
    """``results/<release>.md``. Its last line carries the release key."""
    environment_md = environment(autoescape=False)
    environment_md.filters |= {"plain": plain, "prose": prose, "table": table, "file": file_of}
    return environment_md.get_template("report.md.j2").render(
        release=release,
        lead=sections.lead(release),
        facts=sections.facts(release),
        notices=sections.notices(release),
        sections=sections.sections(release),
    )


def _head(column: Column) -> str:
    label = f"`{column.label}`" if column.code else plain(column.label)
    return f"{label}, {plain(column.unit)}" if column.unit else label


def _cells(row: Row, width: int) -> list[str]:
    cells = [value(entry) for entry in row.values]
    if row.span:
        cells.append(prose(row.span))
    return cells + [""] * (width - len(cells))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
