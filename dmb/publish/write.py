"""Puts a release's files in place."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from dmb.publish.attribution import attribution_md
from dmb.publish.cells import cells_json
from dmb.publish.markdown import report_md
from dmb.publish.page import page_html
from dmb.publish.plots import Plot, cardinality_plot, reliability_plots
from dmb.publish.release import Release

#: Names in results/<release>/ that this module makes. Anything else there belongs to somebody else and stays.
_OURS = ("ATTRIBUTION.md", "cardinality.svg", "cardinality.png", "reliability.*.svg", "reliability.*.png")


def publish(release: Release, results: Path) -> list[Path]:
    """Builds everything aside and then moves it in place, the Markdown report last.

    The report carries the release key, and whoever finds the wanted key there may trust the other files: they were
    moved before it. Returns the paths in the order in which they were moved.
    """
    results.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{release.name}.", dir=results))
    try:
        made = _build(release, aside)
        (results / release.name).mkdir(exist_ok=True)
        for stale in _stale(results / release.name, made):
            stale.unlink()
        for name in made:
            (aside / name).replace(results / name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return [results / name for name in made]


def _build(release: Release, aside: Path) -> list[str]:
    """Writes all files below ``aside`` and returns their relative names, the report's last."""
    cardinality, reliability = cardinality_plot(release), reliability_plots(release)
    folder = aside / release.name
    folder.mkdir()
    made = []
    for plot in (*((cardinality,) if cardinality else ()), *reliability):
        made += _write_plot(plot, folder)
    texts = {
        f"{release.name}/ATTRIBUTION.md": attribution_md(release),
        f"{release.name}.cells.json": cells_json(release),
        f"{release.name}.html": page_html(release, cardinality, reliability),
        f"{release.name}.md": report_md(release, cardinality, reliability),
    }
    for name, text in texts.items():
        (aside / name).write_bytes(text.encode("utf-8"))
    return [*made, *texts]


def _write_plot(plot: Plot, folder: Path) -> list[str]:
    (folder / f"{plot.name}.svg").write_bytes(plot.svg.encode("utf-8"))
    (folder / f"{plot.name}.png").write_bytes(plot.png)
    return [f"{folder.name}/{plot.name}.svg", f"{folder.name}/{plot.name}.png"]


def _stale(folder: Path, made: list[str]) -> list[Path]:
    """Files of an earlier build that the release no longer has."""
    return [
        path for pattern in _OURS for path in sorted(folder.glob(pattern)) if f"{folder.name}/{path.name}" not in made
    ]
