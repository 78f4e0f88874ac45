"""Frames as files: Parquet with the types, or CSV for everything else."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dmb.frames.columns import FRAMES
from dmb.frames.loaded import LoadedRelease
from dmb.pricing import usd_digits
from dmb.store.files import write_whole

if TYPE_CHECKING:
    import pandas


def parquet_bytes(frame: pandas.DataFrame) -> bytes:
    """Types are kept: money as decimals, times as instants, what is missing as null."""
    out = io.BytesIO()
    frame.to_parquet(out, engine="pyarrow", index=False, compression="zstd")
    return out.getvalue()


def csv_bytes(frame: pandas.DataFrame) -> bytes:
    """UTF-8 with a head line. What is missing is an empty field; money has all its digits; times are ISO 8601 in UTC."""
    plain = frame.copy()
    for column, dtype in frame.dtypes.items():
        if str(dtype).startswith("decimal128"):
            plain[column] = frame[column].map(usd_digits, na_action="ignore")
        elif str(dtype).startswith("datetime64"):
            plain[column] = frame[column].map(lambda at: at.isoformat(), na_action="ignore")
    return plain.to_csv(index=False, lineterminator="\n", na_rep="").encode("utf-8")


#: Name of a format, which is also the ending of its files.
FORMATS: dict[str, Callable[[pandas.DataFrame], bytes]] = {"parquet": parquet_bytes, "csv": csv_bytes}


def export(release: LoadedRelease, folder: Path, format: str) -> list[Path]:
    """One file a frame, each replaced whole. All of them are made before the first is written. Returns their paths."""
    files = {folder / f"{name}.{format}": FORMATS[format](getattr(release, name)) for name in FRAMES}
    for path, data in files.items():
        write_whole(path, data)
    return list(files)
