"""``MANIFEST.sha256``: files and their digests, in the form that sha256sum reads."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dmb.errors import DamagedFile

#: In the folder of a sealed release, over everything published with it; in an archive, over everything else in it.
MANIFEST = "MANIFEST.sha256"

_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


def manifest_bytes(digests: Mapping[str, str]) -> bytes:
    """A line for each file, sorted by name: sha256, two blanks, name."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())).encode("ascii")


def parse_manifest(data: bytes, where: str) -> dict[str, str]:
    """Name -> sha256. Raises ``DamagedFile``."""
    lines = data.decode("ascii", "replace").splitlines()
    found = {m[2]: m[1] for line in lines if (m := _LINE.fullmatch(line))}
    if len(found) != len(lines) or not found:
        raise DamagedFile(f"{where}: is no list of sha256 digests and names; put the right file back")
    return found
