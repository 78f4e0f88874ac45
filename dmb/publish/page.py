"""The static page: one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from dmb.publish import sections
from dmb.publish.page_data.document import page_document
from dmb.publish.table import SIMULATED_CAPTION, SIMULATED_MARK
from dmb.publish.templating import environment, source

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: In the order in which they are put together.
_SHEETS = ("colours.css", "page.css", "drawing.css")
_SCRIPTS = ("address", "elements", "data", "downloads", "tables", "cell_view", "row_views", "start")

_CODE = re.compile(r"`([^`]+)`")
#: What may stand in a link; anything else is shown as text.
_WEB = re.compile(r"https?://[^\s<>\"']+")


def prose(text: str) -> Markup:
    """Our own text: escaped, but for code between backticks and web addresses."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def linked(text: str) -> Markup:
    """An address as a link, anything else as escaped text."""
    return Markup('<a href="{0}">{0}</a>').format(text) if _WEB.fullmatch(text) else escape(text)


def source_hash(text: str) -> Markup:
    """``'sha256-…'``: by which a page allows one style sheet or script and no other."""
    return Markup("'sha256-{}'").format(base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii"))


def page_html(release: Release) -> str:
    """``results/<release>.html``, with the release key in its head."""
    html = environment(autoescape=True)
    html.filters |= {"prose": prose, "linked": linked, "hash": source_hash}
    return html.get_template("page.html.j2").render(
        release=release,
        lead=sections.lead(release),
        facts=sections.facts(release),
        notices=sections.notices(release),
        stamp=sections.stamp(release),
        sections=sections.sections(release),
        with_rows={suite for suite in release.suites if sections.has_rows(release, suite)},
        document=page_document(release),
        style=Markup("".join(source(name) for name in _SHEETS)),
        script=Markup(_script()),
        simulated_mark=SIMULATED_MARK,
        simulated_caption=SIMULATED_CAPTION,
    )


def _script() -> str:
    """All scripts as one, in a scope of their own."""
    return '"use strict";\n(() => {\n' + "".join(source(f"scripts/{name}.js") for name in _SCRIPTS) + "})();\n"
