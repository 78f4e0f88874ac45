"""``dmb export``: a release as tables for other tools."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """What a table is written as."""

    PARQUET = "parquet"
    CSV = "csv"


def export(
    release: Annotated[str, typer.Argument(help="Name of a release in results/, one of its files, or an archive.")],
    to: Annotated[Path, typer.Option("--to", help="Folder that the tables are written to.")],
    format: Annotated[
        Format, typer.Option(help="parquet keeps the types; csv is read by everything.")
    ] = Format.PARQUET,
) -> None:
    """Write the cells, metrics, decisions and attempts of a release as one table each.

    Exit code: 0 written, 2 no such release, 3 evidence missing or damaged, or the extra `frames` is not installed.
    """
    from dmb.frames.loaded import load_release

    loaded = load_release(release)
    # behind the question whether pandas is here
    from dmb.frames.export import export as write

    for path in write(loaded, to, format.value):
        print(path)
