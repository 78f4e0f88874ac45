"""Comparisons between the cells of a release: who is told apart from whom."""

from __future__ import annotations

from dmb.contracts.cell import MeasureRecord
from dmb.contracts.frozen import Frozen


class Standing(Frozen):
    """A contender's place in a league: ranks ``best_rank`` to ``worst_rank``, both from 1, since a tie is no order.

    ``accuracy``: over all of its own rows that count, which may be others than those of a pair.
    """

    contender: str
    accuracy: MeasureRecord
    best_rank: int
    worst_rank: int
    simulated: bool = False


class Pair(Frozen):
    """Two contenders on the rows that count for both. ``a`` stands before ``b`` in the league.

    ``difference``: accuracy of a minus that of b, its interval not corrected for the number of tests; ``only_a``: rows
    that a alone has right. ``p``: exact and two-sided; ``p_holm``: corrected by Holm over all pairs of the league.
    ``different``: ``p_holm`` is at most the league's ``alpha``. ``note``: where interval and corrected p disagree, or
    why there is no test. ``simulated``: one of the two cells holds simulated answers.
    """

    a: str
    b: str
    difference: MeasureRecord
    only_a: int
    only_b: int
    p: float | None
    p_holm: float | None
    different: bool
    note: str | None = None
    simulated: bool = False


class League(Frozen):
    """All pairs of a suite in one slot. ``standings``: highest accuracy first, then by name.

    ``left_out``: contender -> why it has no row to be compared on. ``n_tests``: pairs with a p.
    """

    suite: str
    slot: str
    alpha: float
    n_tests: int
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    left_out: dict[str, str] = {}


class Comparisons(Frozen):
    """Everything that takes more than one cell, in the release's order of suites."""

    leagues: tuple[League, ...] = ()
