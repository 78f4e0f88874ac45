"""The base of every contract."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class Frozen(BaseModel):
    """Immutable; an unknown field is an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class FrozenLate(Frozen):
    """The same, built when it is first used: most processes need few of these, and building takes milliseconds.

    Not for what is first made in one of several threads.
    """

    model_config = ConfigDict(defer_build=True)


#: Lower-case words joined by single hyphens: suite and contender ids, which stand in paths.
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]

#: A full sha256 in hex.
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
