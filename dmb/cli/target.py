"""Which releases a command speaks of."""

from __future__ import annotations

import re

from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.planning.project import Project
from dmb.planning.rehearsal import base_of

_RESULT = re.compile(r"^(?:results/)?([a-z0-9-]+)(?:\.md|\.html|\.cells\.json)?$")


def releases_of(target: str | None, project: Project) -> list[str]:
    """Release names behind a target: a name, a published file, or nothing for those under ``all`` in config.yaml.

    The simulated twin of a release is one as well.
    """
    if target is None:
        return list(project.config.all)
    found = _RESULT.match(target)
    releases = project.config.releases
    if found is None or (found[1] not in releases and base_of(found[1], releases) is None):
        raise UsageError(f"{target!r} is no release of config.yaml; {nearest(target, releases)}")
    return [found[1]]
