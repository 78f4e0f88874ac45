"""``data/sources.toml``: every third-party file, pinned."""

from __future__ import annotations

from pydantic import Field

from dmb.contracts.frozen import FrozenLate, Sha256


class Source(FrozenLate):
    """One file that is downloaded: from where, which bytes, under which licence."""

    url: str
    member: str | None = Field(None, description="name inside the archive at `url`; `sha256` is then the member's")
    fallback_urls: tuple[str, ...] = ()
    mirror: str = Field(description="path below DMB_MIRROR")
    sha256: Sha256
    bytes: int = Field(gt=0)
    licence: str
    attribution: str
    changes: str = Field("", description="what was done to the data, said beside the attribution")


class SourcesFile(FrozenLate):
    """All of them by id."""

    sources: dict[str, Source]
