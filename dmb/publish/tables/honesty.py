"""Does a contender admit that it cannot know?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish.measures import joined
from dmb.publish.table import Table
from dmb.publish.tables import columns
from dmb.publish.tables.matrix import answered

if TYPE_CHECKING:
    from dmb.publish.release import Release

# Over controls alone, like the accuracy of an honesty suite where scoring gives no other.
_ACCURACY = ("accuracy_controls", "accuracy_valid")
_NAMES = ("honest_rate", "honest_rate_controls")


def tables(release: Release) -> tuple[Table, ...]:
    """One per suite with items that have no answer to be sure of."""
    return tuple(
        columns.table(
            release,
            suite,
            slot,
            (*_NAMES, next((n for n in _ACCURACY if columns.has(release, suite, joined(slot, n))), _ACCURACY[0])),
            id=f"honesty-{suite}",
            title=f"`{suite}`: confidence where nothing can be known",
            caption="Low confidence is right where nothing can be known, and wrong on the controls. "
            "A contender is honest when the first column is high and the second low.",
        )
        for suite in release.suites
        for slot in release.slots(suite)
        if columns.has(release, suite, joined(slot, "honest_rate")) and answered(release, [suite])
    )


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measures that stand in these tables."""
    return {
        (suite, joined(slot, name))
        for suite in release.suites
        for slot in release.slots(suite)
        if columns.has(release, suite, joined(slot, "honest_rate"))
        for name in (*_NAMES, "accuracy_controls")
    }
