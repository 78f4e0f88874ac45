"""Which releases a command speaks of."""

from __future__ import annotations

import re

from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.planning.project import Project

_RESULT = re.compile(r"^(?:results/)?([a-z0-9-]+)(?:\.md|\.html|\.cells\.json)?$")


def releases_of(target: str | None, project: Project) -> list[str]:
    """Release names behind a target: a name, a published file, or nothing for those under ``all`` in config.yaml."""
    if target is None:
        return list(project.config.all)
    found = _RESULT.match(target)
    if found is None or found[1] not in project.config.releases:
        raise UsageError(f"{target!r} is no release of config.yaml; {nearest(target, project.config.releases)}")
    return [found[1]]
