"""``results/<release>/ATTRIBUTION.md``: what the licences of third-party data ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish.markdown import link, plain

if TYPE_CHECKING:
    from dmb.publish.release import Release


def attribution_md(release: Release) -> str:
    """One section per source, in the given order."""
    parts = [f"# Attribution for release {plain(release.name)}\n"]
    if not release.attributions:
        parts.append("No third-party source is named by the suites of this release.\n")
    else:
        parts.append("No message text of these sources is published. Labels and ids are, and they come from:\n")
    for source, licence, attribution, changes, url in release.attributions:
        parts.append(
            f"## {plain(source)}\n\n{plain(attribution)}\n\n"
            f"* Licence: {plain(licence)}\n* Source: {link(url)}\n* Changes: {plain(changes) or 'none'}\n"
        )
    return "\n".join(parts)
