"""The league of a suite: every pair of contenders on the rows that count for both, corrected for the number of pairs.

Which contenders take part is all that matters; the order in which they come does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dmb.contracts.answers import AnswerColumns
from dmb.contracts.cell import MeasureRecord, Score
from dmb.contracts.comparison import Comparisons, League, Pair, Standing
from dmb.contracts.suite import SuiteFile
from dmb.metrics import discordant, holm, paired_difference, paired_p_value, rank_ranges, rate
from dmb.scoring.records import record, rounded

#: Two contenders are called different at a corrected p of at most this.
ALPHA = 0.05

#: (item, permutation)
RowKey = tuple[str, int]


@dataclass(frozen=True)
class _Side:
    """One contender's rows that count: where each stands in the suite, whether it is right, and its group."""

    contender: str
    rows: NDArray[np.int64]
    right: NDArray[np.bool_]
    accuracy: MeasureRecord
    simulated: bool


def compare(scores: Iterable[Score], suites: Mapping[str, SuiteFile]) -> Comparisons:
    """The leagues of a release, in the order of its suites; none for a suite in which nobody can be compared."""
    by_suite: dict[str, list[Score]] = {suite: [] for suite in suites}
    for score in scores:
        by_suite[score.suite].append(score)
    found = []
    for suite, cells in by_suite.items():
        slots = dict.fromkeys(a.slot for score in cells for a in score.answers)
        made = (league(suites[suite], slot, cells) for slot in sorted(slots))
        found += [table for table in made if table.pairs]
    return Comparisons(leagues=tuple(found))


def league(suite: SuiteFile, slot: str, scores: Sequence[Score]) -> League:
    """All pairs of these cells of one suite in one slot."""
    columns = {s.contender: a for s in scores for a in s.answers if a.slot == slot}
    places, groups = _numbered(columns.values())
    sides, left_out = [], {}
    for score in scores:
        answers = columns.get(score.contender)
        side = _side(score, answers, places, groups, suite.policy.malformed_counts_as_wrong) if answers else None
        if side is not None:
            sides.append(side)
        else:
            left_out[score.contender] = score.stop_reason or "no valid decision"
    sides.sort(key=lambda side: (-(side.accuracy.value or 0.0), side.contender))
    pairs = _corrected([_pair(a, b, groups) for a, b in combinations(sides, 2)])
    return League(
        suite=suite.id,
        slot=slot,
        alpha=ALPHA,
        n_tests=sum(pair.p is not None for pair in pairs),
        standings=_standings(sides, pairs),
        pairs=tuple(pairs),
        left_out=dict(sorted(left_out.items())),
    )


def _numbered(columns: Iterable[AnswerColumns]) -> tuple[dict[RowKey, int], NDArray[np.int64]]:
    """The place of every row that anybody has, sorted by its name, and the number of its group."""
    group_of = {
        key: group
        for answers in columns
        for key, group in zip(zip(answers.items, answers.permutations, strict=True), answers.groups, strict=True)
    }
    numbers = {group: n for n, group in enumerate(sorted(set(group_of.values())))}
    keys = sorted(group_of)
    return {key: n for n, key in enumerate(keys)}, np.array([numbers[group_of[key]] for key in keys], dtype=np.int64)


def _side(
    score: Score, answers: AnswerColumns, places: Mapping[RowKey, int], groups: NDArray[np.int64], wrong: bool
) -> _Side | None:
    """None without a row that counts. ``wrong``: a reply that breaks the form counts as a wrong answer."""
    rows, right = [], []
    for n, outcome in enumerate(answers.outcomes):
        if answers.counted[n] and (outcome == "valid" or (wrong and outcome in ("malformed", "truncated"))):
            gold = answers.gold[n]
            rows.append(places[answers.items[n], answers.permutations[n]])
            right.append(outcome == "valid" and gold is not None and answers.values[n] == gold)
    if not rows:
        return None
    accuracy = record(rate(right, groups[rows].tolist()))
    order = np.argsort(rows)
    return _Side(score.contender, np.array(rows)[order], np.array(right)[order], accuracy, score.simulated)


def _pair(a: _Side, b: _Side, groups: NDArray[np.int64]) -> Pair:
    """Not corrected yet: ``p_holm`` is None."""
    shared, at_a, at_b = np.intersect1d(a.rows, b.rows, assume_unique=True, return_indices=True)
    right_a, right_b, group = a.right[at_a].tolist(), b.right[at_b].tolist(), groups[shared].tolist()
    only_a, only_b = discordant(right_a, right_b)
    return Pair(
        a=a.contender,
        b=b.contender,
        difference=record(paired_difference(right_a, right_b, group)),
        only_a=only_a,
        only_b=only_b,
        p=rounded(paired_p_value(right_a, right_b, group)) if group else None,
        p_holm=None,
        different=False,
        note=None if group else "no row counts for both",
        simulated=a.simulated or b.simulated,
    )


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """The same with what depends on how many tests there are."""
    tested = [pair.p for pair in pairs if pair.p is not None]
    adjusted = iter(holm(tested))
    made = []
    for pair in pairs:
        if pair.p is None:
            made.append(pair)
            continue
        p = rounded(next(adjusted))
        assert p is not None
        different = p <= ALPHA
        made.append(
            pair.model_copy(
                update={"p_holm": p, "different": different, "note": _disagreement(pair.difference, different)}
            )
        )
    return made


def _disagreement(difference: MeasureRecord, different: bool) -> str | None:
    """The interval speaks of one pair and the corrected p of all of them, so that they may say different things."""
    if difference.low is None or difference.high is None:
        return None
    apart = difference.low > 0 or difference.high < 0
    if apart and not different:
        return "the interval, of this pair alone, leaves out 0; corrected for all pairs the two are not told apart"
    if different and not apart:
        return "the exact test tells the two apart, though the interval, which is an approximation, holds 0"
    return None


def _standings(sides: Sequence[_Side], pairs: Sequence[Pair]) -> tuple[Standing, ...]:
    place = {side.contender: n for n, side in enumerate(sides)}
    better = set()
    for pair in pairs:
        if pair.different:
            a, b = place[pair.a], place[pair.b]
            better.add((a, b) if (pair.difference.value or 0.0) > 0 else (b, a))
    ranges = rank_ranges([side.accuracy.value or 0.0 for side in sides], better)
    return tuple(
        Standing(
            contender=side.contender,
            accuracy=side.accuracy,
            best_rank=best,
            worst_rank=worst,
            simulated=side.simulated,
        )
        for side, (best, worst) in zip(sides, ranges, strict=True)
    )
