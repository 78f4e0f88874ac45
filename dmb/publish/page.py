"""The static page: one file that loads nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from dmb.publish import sections
from dmb.publish.plots import GRID, INK, MUTED, PAPER
from dmb.publish.table import SIMULATED_CAPTION, SIMULATED_MARK
from dmb.publish.templating import environment

if TYPE_CHECKING:
    from dmb.publish.plots import Plot
    from dmb.publish.release import Release

_CODE = re.compile(r"`([^`]+)`")
#: What may stand in a link; anything else is shown as text.
_WEB = re.compile(r"https?://[^\s<>\"']+")


def prose(text: str) -> Markup:
    """Our own text: escaped, but for code between backticks and web addresses."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def linked(text: str) -> Markup:
    """An address as a link, anything else as escaped text."""
    return Markup('<a href="{0}">{0}</a>').format(text) if _WEB.fullmatch(text) else escape(text)


def inline_svg(plot: Plot) -> Markup:
    """The drawing for a page: ids that no other drawing has, colours that follow light and dark, and a text for it."""
    body = plot.svg[plot.svg.index("<svg") :].strip()
    # A style element inside a drawing would hold for the whole page; the page's own sheet says the same for its drawings.
    body = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", body, count=1, flags=re.DOTALL)
    prefix = re.sub(r"[^a-z0-9]+", "-", plot.name)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{prefix}-", body)
    for colour, variable in ((INK, "--ink"), (MUTED, "--muted"), (GRID, "--rule"), (PAPER, "--paper")):
        body = body.replace(colour, f"var({variable})")
    head, rest = body.split(">", 1)
    view = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) [\d.]+"', head)
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {} style="--points: {}" role="img" aria-label="{}">{}'
    ).format(Markup(view[0] if view else ""), view[1] if view else "1000", plot.alt, Markup(rest))


def page_html(release: Release, cardinality: Plot | None, reliability: tuple[Plot, ...]) -> str:
    """``results/<release>.html``, with the release key in its head."""
    html = environment(autoescape=True)
    html.filters |= {"prose": prose, "linked": linked, "inline_svg": inline_svg}
    return html.get_template("page.html.j2").render(
        release=release,
        lead=sections.lead(release),
        facts=sections.facts(release),
        notices=sections.notices(release),
        sections=sections.sections(release, cardinality, reliability),
        simulated_mark=SIMULATED_MARK,
        simulated_caption=SIMULATED_CAPTION,
    )
