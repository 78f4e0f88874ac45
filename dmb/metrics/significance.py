"""Tests of whether two contenders differ, what many tests at once leave of them, and the ranks that follow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from dmb.metrics.columns import boolean_column, group_column, same_length


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided p of the exact McNemar test: of the rows that differ, each is as likely to go either way.

    `only_a`, `only_b`: how many rows are true on one side only. p = min(1, 2 P(Binomial(only_a + only_b, 1/2) <= the
    smaller)), in whole numbers, rounded once; 1.0 where no row differs (McNemar 1947; Fagerland et al. 2013).

    Raises ValueError for a negative or fractional count.
    """
    for name, count in (("only_a", only_a), ("only_b", only_b)):
        if isinstance(count, bool) or count != int(count) or count < 0:
            raise ValueError(f"{name} is a count of rows, got {count!r}")
    n, least = int(only_a + only_b), int(min(only_a, only_b))
    ways, tail = 1, 0
    for k in range(least + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


def sign_flip_exact(totals: Sequence[int]) -> float:
    """Two-sided p that whole numbers are as likely to be of either sign: P(|sum of +-totals| >= |sum of totals|).

    `totals` (n_groups,): one whole number per group. All 2**n_groups assignments of signs count, by adding up how
    many reach each sum; no draws (Fisher 1935, section 21). Of ones and minus ones it is `mcnemar_exact`.

    Raises ValueError for a number that is not whole.
    """
    for group, total in enumerate(totals):
        if total != int(total):
            raise ValueError(f"total of group {group} is {total!r}, not a whole number")
    sizes = [abs(int(total)) for total in totals if total]
    reach, least = sum(sizes), abs(sum(int(total) for total in totals))
    # ways[s]: assignments whose positive part sums to s; the sum of all is then 2 s - reach
    ways = [1] + [0] * reach
    top = 0
    for size in sizes:
        top += size
        for s in range(top, size - 1, -1):
            ways[s] += ways[s - size]
    hits = sum(count for s, count in enumerate(ways) if abs(2 * s - reach) >= least)
    return float(Fraction(hits, 2 ** len(sizes)))


def paired_p_value(a: Sequence[bool], b: Sequence[bool], groups: Sequence[Hashable] | None = None) -> float:
    """Exact two-sided p of "a and b could be exchanged": McNemar's test, and where groups have several rows its
    counterpart that exchanges whole groups (`sign_flip_exact` of each group's rows in `a` only minus in `b` only).

    `a`, `b` (n,) of booleans on the same rows; `groups` (n,) or None. No rows: 1.0.
    Raises ValueError for different lengths, and for None among rows or groups.
    """
    columns = boolean_column(a, "a").tolist(), boolean_column(b, "b").tolist()
    n = same_length(a=columns[0], b=columns[1])
    codes, n_groups = group_column(groups, n)
    if n_groups == n:
        return mcnemar_exact(
            sum(x and not y for x, y in zip(*columns, strict=True)),
            sum(y and not x for x, y in zip(*columns, strict=True)),
        )
    totals = [0] * n_groups
    for code, x, y in zip(codes.tolist(), *columns, strict=True):
        totals[code] += x - y
    return sign_flip_exact(totals)


def least_p_value(n_groups: int) -> float:
    """The smallest p that exact tests on `n_groups` groups can reach, 2 / 2**n_groups (1.0 for none).

    Where it exceeds what a correction demands, no difference of any size could be found.
    """
    return float(Fraction(2, 2**n_groups)) if n_groups else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: reject where at or below the level, and the chance of any false
    rejection among all is at most the level, however the tests depend on each other (Holm 1979).

    Sorted ascending, the i-th of m is multiplied by m - i + 1, made non-decreasing and capped at 1. Ties share one
    value. Raises ValueError for a p outside [0, 1].
    """
    for index, p in enumerate(p_values):
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p-value {index} is {p!r}, outside [0, 1]")
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for place, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = least
    return adjusted


def rank_ranges(values: Sequence[float], significant: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """(best, worst) rank of each contender, 1 is best: what is left once only found differences count.

    `values` (m,): higher is better; `significant`: ordered pairs (i, j), i was found *better* than j after correction.
    best = 1 + how many were found better, worst = m - how many were found worse; widened, if need be, to the ranks
    that the values alone give (ties share a range), since values and pairs may rest on different rows.

    Raises ValueError for a pair outside the contenders, of one with itself, or present in both directions.
    """
    m = len(values)
    better, worse = [0] * m, [0] * m
    for i, j in significant:
        if not (0 <= i < m and 0 <= j < m) or i == j:
            raise ValueError(f"pair {(i, j)!r} does not name two of {m} contenders")
        if (j, i) in significant:
            raise ValueError(f"contenders {i} and {j} cannot each be better than the other")
        worse[i] += 1
        better[j] += 1
    return [
        (
            min(1 + better[i], 1 + sum(v > value for v in values)),
            max(m - worse[i], sum(v >= value for v in values)),
        )
        for i, value in enumerate(values)
    ]
