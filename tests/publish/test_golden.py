"""The published files of a made-up release, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
#: ``v9``: some answers are simulated, nothing is far from its list price; ``v8``: a rehearsal, and one charge is.
FILES = ("v9.md", "v9.html", "v9.cells.json", "v9/ATTRIBUTION.md", "v8.md", "v8.html")


@pytest.mark.parametrize("name", FILES)
def test_published_file_is_the_golden_one(name: str, published: Path, request: pytest.FixtureRequest) -> None:
    made = without_code(without_drawings((published / name).read_bytes().decode("utf-8")))
    kept = GOLDEN / Path(name).name
    if request.config.getoption("--fix", default=False):
        kept.write_bytes(made.encode("utf-8"))
    assert made == kept.read_bytes().decode("utf-8"), (
        f"{name} differs from {kept.name}; `pytest --fix tests/publish` rewrites it"
    )


def without_drawings(text: str) -> str:
    """The bodies of drawings are left out: ``test_figures`` looks at them, and nobody can read them in a diff."""
    return re.sub(r'(<svg [^>]*role="img"[^>]*>).*?</svg>', r"\1(drawn)</svg>", text, flags=re.DOTALL)


def without_code(page: str) -> str:
    """Sheet, scripts and the document that they read are left out: tests of their own look at what they do."""
    page = re.sub(r"'sha256-[^']+'", "(hash)", page)
    return re.sub(r"<(style|script)([^>]*)>.*?</\1>", r"(\1)", page, flags=re.DOTALL)
