"""``dmb seal``, ``dmb corrections``: what is published for good, and what a later release mends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def seal(
    release: Annotated[str, typer.Argument(help="A built draft, e.g. v2.")],
    name: Annotated[str, typer.Option("--as", help="The draft's name, a dot and numbers, e.g. v2.0.")],
    extra: Annotated[
        list[Path] | None,
        typer.Option("--with", help="A Markdown page of your own to publish with it; may be repeated."),
    ] = None,
) -> None:
    """Freeze a draft: results/<name>.* with archive and MANIFEST.sha256, never to be changed."""
    from dmb.archive.seal import seal as freeze

    paths = freeze(release, name, extra or ())
    print(f"{release} is sealed as {name}: {len(paths)} files, {sum(p.stat().st_size for p in paths) / 1e6:.1f} MB")
    print(f"  commit results/{name}.* and results/{name}/")


def corrections(
    old: Annotated[str, typer.Argument(help="The earlier release, e.g. v2.0.")],
    new: Annotated[str, typer.Argument(help="The draft that corrects it, e.g. v2, or what it was sealed as.")],
) -> None:
    """Map each changed number to its defect in data/corrections.toml, and write results/<new>/CORRECTIONS.md."""
    from dmb.archive.seal import write_corrections

    path = write_corrections(old, new)
    print(f"{path}: written" if path else f"results/{new}/CORRECTIONS.md: as it was sealed")
