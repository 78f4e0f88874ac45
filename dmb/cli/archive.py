"""``dmb archive``, ``dmb restore``: the evidence of a release in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def archive(
    release: Annotated[str, typer.Argument(help="A published release, e.g. v2 or v2.0.")],
    private: Annotated[
        bool, typer.Option("--private", help="Keep the texts of others, for yourself alone; never to be published.")
    ] = False,
) -> None:
    """Write results/<release>.archive.tar.xz: all that its numbers are made of, texts of others replaced by digests."""
    from dmb.archive.command import make_archive

    path, size = make_archive(release, private)
    print(f"{path}: {size / 1e6:.1f} MB")


def restore(
    file: Annotated[Path, typer.Argument(help="results/<release>.archive.tar.xz, or a copy of one.")],
) -> None:
    """Put a release's evidence back into runs/, each file checked first and none overwritten."""
    from dmb.archive.restore import restore as put_back

    done = put_back(file)
    print(f"{file}: {done.n_cells} cells of {done.release} from {', '.join(done.runs) or 'no run'}")
    print(f"  {done.n_written} files written, {done.n_present} were here")
