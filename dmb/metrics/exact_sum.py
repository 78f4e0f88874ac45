"""Correctly rounded sums of large columns, the same in any row order and on any machine."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

PIECE_BITS = 26
N_PIECES = 3
MAX_ROWS = 2**PIECE_BITS
"""Up to here a sum of pieces stays below 2**53, so float64 holds it exactly."""
_BLOCK_ROWS = 2**15
"""Rows worked on at a time, so that they stay in the processor's cache. Changes the time, never the sum."""


def sums_by_bin(values: NDArray[np.float64], bins: NDArray[np.integer], n_bins: int) -> list[float]:
    """What `math.fsum` gives for the values of each bin, bit for bit, at a fraction of its time.

    `values` (n,) in [0, 1]; `bins` (n,) of integers in [0, n_bins). Returns n_bins floats, 0.0 for an empty bin.

    Each value is cut into three whole numbers of 26 bits and a rest. Whole numbers add exactly in any order; the
    rest is zero unless a value has bits below 2**-78, and such rows are handed to `math.fsum` one by one.

    Raises ValueError for more than 2**26 rows.
    """
    if values.size > MAX_ROWS:
        raise ValueError(f"{values.size} rows are more than the {MAX_ROWS} that can be summed exactly")
    totals = np.zeros((N_PIECES, n_bins))
    rests: list[list[float]] = [[] for _ in range(n_bins)]
    for start in range(0, values.size, _BLOCK_ROWS):
        block = bins[start : start + _BLOCK_ROWS]
        rest = values[start : start + _BLOCK_ROWS].copy()
        for piece in range(N_PIECES):
            rest *= 2.0**PIECE_BITS
            whole = np.floor(rest)
            rest -= whole
            totals[piece] += np.bincount(block, weights=whole, minlength=n_bins)
        for row in np.flatnonzero(rest).tolist():
            rests[int(block[row])].append(float(rest[row]) * 2.0 ** (-PIECE_BITS * N_PIECES))
    scales = [2.0 ** (-PIECE_BITS * piece) for piece in range(1, N_PIECES + 1)]
    return [
        math.fsum(
            [total * scale for total, scale in zip(totals[:, index].tolist(), scales, strict=True)] + rests[index]
        )
        for index in range(n_bins)
    ]
