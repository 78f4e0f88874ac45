"""Which releases a command speaks of."""

from __future__ import annotations

import re

from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.planning.project import Project
from dmb.planning.rehearsal import base_of
from dmb.planning.sealed import sealed_releases

_RESULT = re.compile(r"^(?:results/)?([a-z0-9-]+(?:\.[0-9]+)*)(?:\.md|\.html|\.cells\.json)?$")


def releases_of(target: str | None, project: Project) -> list[str]:
    """Release names behind a target: a name, that of a simulated twin or a sealed release, a published file, or nothing
    for those under ``all`` in config.yaml."""
    if target is None:
        return list(project.config.all)
    found = _RESULT.match(target)
    known = project.config.releases
    if found is not None and found[1] in sealed_releases():
        return [found[1]]
    if found is None or not (found[1] in known or base_of(found[1], known)):
        raise UsageError(f"{target!r} is no release of config.yaml; {nearest(target, known)}")
    return [found[1]]


def published_release(target: str) -> str:
    """The release behind a name or a published file, sealed ones included. Raises ``UsageError``."""
    found = re.fullmatch(
        r"(?:results/)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?:\.md|\.html|\.cells\.json|/|/release\.json)?", target
    )
    if found is None:
        raise UsageError(f"{target!r} is no release; give its name, such as v2, or a published file of it")
    return re.sub(r"\.(md|html|cells\.json)$", "", found[1])
