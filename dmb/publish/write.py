"""Puts a release's files in place."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from dmb.publish.attribution import attribution_md
from dmb.publish.cells import cells_json
from dmb.publish.figures.files import figure_files
from dmb.publish.markdown import report_md
from dmb.publish.page import page_html
from dmb.publish.release import Release
from dmb.publish.sections import stamp

#: The release document, in results/<release>/.
RELEASE_JSON = "release.json"

#: Names in results/<release>/ that this module makes. Anything else there belongs to somebody else and stays.
_OURS = ("ATTRIBUTION.md", RELEASE_JSON, "tradeoff.*.svg", "options-*.svg", "reliability.*.svg", "risk.*.svg")


def publish(release: Release, results: Path, document: bytes | None = None) -> list[Path]:
    """Builds everything aside and then moves it in place, the Markdown report last. ``document``: its ``release.json``.

    The report carries the release key, and whoever finds the wanted key there may trust the other files: they were
    moved before it. Returns the paths in the order in which they were moved.
    """
    files = rendered(release)
    if document is not None:
        # before the texts, of which the report is the last
        files = {f"{release.name}/{RELEASE_JSON}": document, **files}
    results.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{release.name}.", dir=results))
    try:
        (aside / release.name).mkdir()
        for name, data in files.items():
            (aside / name).write_bytes(data)
        (results / release.name).mkdir(exist_ok=True)
        for stale in _stale(results / release.name, list(files)):
            stale.unlink()
        for name in files:
            (aside / name).replace(results / name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return [results / name for name in files]


def rendered(release: Release) -> dict[str, bytes]:
    """Name below ``results/`` -> bytes of every file that shows the release's numbers, the report last."""
    drawn = {f"{release.name}/{name}": data for name, data in figure_files(release.figures, stamp(release))}
    texts = {
        f"{release.name}/ATTRIBUTION.md": attribution_md(release),
        f"{release.name}.cells.json": cells_json(release),
        f"{release.name}.html": page_html(release),
        f"{release.name}.md": report_md(release),
    }
    return drawn | {name: text.encode("utf-8") for name, text in texts.items()}


def _stale(folder: Path, made: list[str]) -> list[Path]:
    """Files of an earlier build that the release no longer has."""
    return [
        path for pattern in _OURS for path in sorted(folder.glob(pattern)) if f"{folder.name}/{path.name}" not in made
    ]
