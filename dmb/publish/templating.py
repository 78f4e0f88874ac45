"""The one way in which templates are loaded."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def environment(*, autoescape: bool) -> Environment:
    """Templates of this package; a name that is not defined stops the render instead of printing nothing."""
    return Environment(
        loader=PackageLoader("dmb.publish"),
        undefined=StrictUndefined,
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def source(name: str) -> str:
    """A sheet or script of this package as it is written."""
    html = environment(autoescape=False)
    assert html.loader is not None
    return html.loader.get_source(html, name)[0]
