"""Does the place of an option in the list change the choice?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish.measures import joined
from dmb.publish.table import Table
from dmb.publish.tables import columns
from dmb.publish.tables.matrix import answered

if TYPE_CHECKING:
    from dmb.publish.release import Release

_NAMES = ("flip_rate", "flip_rate_rerun", "position_effect", "ece_drift")


def tables(release: Release) -> tuple[Table, ...]:
    """One per suite that permutes options."""
    return tuple(
        columns.table(
            release,
            suite,
            slot,
            _NAMES,
            id=f"order-{suite}",
            title=f"`{suite}`: flips and calibration drift",
            caption="Flips with the options in another order beside flips when the very same question is asked again. "
            "Only what exceeds the second is owed to position.",
        )
        for suite in release.suites
        for slot in release.slots(suite)
        if columns.has(release, suite, joined(slot, "flip_rate")) and answered(release, [suite])
    )


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measures that stand in these tables."""
    return {
        (suite, joined(slot, name))
        for suite in release.suites
        for slot in release.slots(suite)
        if columns.has(release, suite, joined(slot, "flip_rate"))
        for name in _NAMES
    }
