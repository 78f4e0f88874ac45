"""Bootstrap: an index generator of our own, so that a seed means the same resamples for ever, and the basic interval."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def splitmix64(seed: int, start: int, count: int) -> NDArray[np.uint64]:
    """Words `start` to `start + count - 1` of the splitmix64 sequence of `seed`, shape (count,).

    Steele, Lea and Flood 2014 (the constants are Vigna's public-domain reference). The state is a counter, so any
    part of the sequence can be had by itself. Raises ValueError unless 0 <= seed < 2**64.
    """
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must be a 64-bit unsigned integer, got {seed!r}")
    word = np.arange(start + 1, start + count + 1, dtype=np.uint64) * _GAMMA + np.uint64(seed)
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@lru_cache(maxsize=2048)
def high_words(seed: int, start: int, count: int) -> NDArray[np.uint32]:
    """The high halves of `splitmix64(seed, start, count)`, shape (count,), not to be written to.

    Kept, since cells of one suite ask for the same ones: at 2,000 words each at most 16 MB.
    """
    words = _high_words(seed, start, count)
    words.flags.writeable = False
    return words


def _high_words(seed: int, start: int, count: int) -> NDArray[np.uint32]:
    return (splitmix64(seed, start, count) >> np.uint64(32)).astype(np.uint32)


def draw_indices(seed: int, start: int, count: int, n: int) -> NDArray[np.int64]:
    """`count` indices in [0, n), shape (count,), from words `start` on: the high half of each word, scaled.

    Their bias is below n / 2**32. Raises ValueError unless 0 < n < 2**32.
    """
    if not 0 < n < 2**32:
        raise ValueError(f"cannot draw an index below {n!r}")
    return ((_high_words(seed, start, count) * np.uint64(n)) >> np.uint64(32)).astype(np.int64)


@lru_cache(maxsize=2048)
def _drawn_rows(seed: int, start: int, resamples: int, n_rows: int) -> NDArray[np.int64]:
    """One drawn row for each resample. Kept, since cells of one suite draw alike: at 2,000 resamples at most 33 MB."""
    rows = draw_indices(seed, start, resamples, n_rows)
    rows.flags.writeable = False
    return rows


def resampled_sums(
    table: NDArray[np.float64], seed: int, resamples: int = RESAMPLES, start: int = 0, *, rescaled: bool = False
) -> NDArray[np.float64]:
    """Column sums of `resamples` samples of rows drawn with replacement: (n_rows, k) in, (resamples, k) out.

    Only element-wise additions in a fixed order. The rows of `table` are brought into a canonical order first, so
    the order in which they came never matters. Uses n_rows * resamples words of the sequence, from word `start` on.

    `rescaled` draws one row less and scales up (Rao and Wu 1988): the variance of a sum of n_rows drawn rows is too small
    by the factor (n_rows - 1) / n_rows, which counts where n_rows is 3. Nothing changes for a table of one row.
    """
    n_rows = len(table)
    table = table[np.lexsort(table.T[::-1])]
    sums = np.zeros((resamples, table.shape[1]))
    drawn = np.empty_like(sums)
    n_drawn = max(1, n_rows - 1) if rescaled else n_rows
    for draw in range(n_drawn):
        indices = _drawn_rows(seed, start + draw * resamples, resamples, n_rows)
        # the indices are in range, and numpy takes its slow way unless it is told to clip them
        sums += table.take(indices, axis=0, out=drawn, mode="clip")
    return sums * (n_rows / n_drawn) if rescaled else sums


@lru_cache(maxsize=128)
def _times_drawn(seed: int, start: int, resamples: int, n_rows: int, n_drawn: int) -> NDArray[np.float32]:
    """How often each row is drawn into each resample, shape (resamples, n_rows), not to be written to."""
    indices = draw_indices(seed, start, n_drawn * resamples, n_rows).reshape(n_drawn, resamples)
    cells = indices + np.arange(resamples) * n_rows
    times = np.bincount(cells.ravel(), minlength=resamples * n_rows).reshape(resamples, n_rows).astype(np.float32)
    times.flags.writeable = False
    return times


def resampled_counts(
    table: NDArray[np.float64], seed: int, resamples: int = RESAMPLES, start: int = 0
) -> NDArray[np.float64]:
    """What `resampled_sums` gives `rescaled`, of a table of small whole numbers: then any order of adding is exact.

    Cells that are drawn alike, such as those of one suite, share how often each row is drawn. Raises ValueError for a
    table whose sums could pass 2**24, up to which whole numbers are exact here.
    """
    n_rows = len(table)
    n_drawn = max(1, n_rows - 1)
    if np.abs(table).max(initial=0.0) * n_drawn > 2**24:
        raise ValueError("the counts are too large to be added exactly")
    table = table[np.lexsort(table.T[::-1])].astype(np.float32)
    return (_times_drawn(seed, start, resamples, n_rows, n_drawn) @ table).astype(np.float64) * (n_rows / n_drawn)


def basic_interval(
    value: float, replicates: NDArray[np.float64], level: float, least: float = -math.inf, most: float = math.inf
) -> tuple[float, float] | None:
    """Basic ("reverse percentile") bootstrap limits around `value`, clipped to [least, most].

    `replicates` (resamples,). With q the replicates of rank floor((B + 1) * alpha / 2) from either end, the limits
    are 2 * value - q_high and 2 * value - q_low (Davison and Hinkley 1997, 5.2.1), widened to the value where the
    replicates all lie on one side of it. None when the replicates do not differ (to 12 digits): a width of zero
    would claim a certainty that resampling cannot give.

    Raises ValueError unless 0 < level < 1 and there are replicates enough for the level.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    ordered = np.sort(replicates)
    if ordered[-1] - ordered[0] <= 1e-12 * max(abs(ordered[0]), abs(ordered[-1])):
        return None
    rank = math.floor((ordered.size + 1) * (1.0 - level) / 2.0 + 1e-9)
    if rank < 1:
        raise ValueError(f"{ordered.size} resamples are too few for level {level}")
    low = 2.0 * value - float(ordered[-rank])
    high = 2.0 * value - float(ordered[rank - 1])
    return max(least, min(low, value)), min(most, max(high, value))
