import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics.exact_sum import sums_by_bin

unit = st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0, 0.1, 5e-324, 1e-300, 2.0**-78, 2.0**-79, 1e-10])


@given(st.lists(st.tuples(unit, st.integers(0, 3)), max_size=60))
def test_bit_for_bit_what_fsum_gives(rows):
    values = np.array([value for value, _ in rows], dtype=np.float64)
    bins = np.array([index for _, index in rows], dtype=np.int64)
    assert sums_by_bin(values, bins, 4) == [math.fsum(v for v, i in rows if i == k) for k in range(4)]


def test_many_rows_over_several_blocks():
    values = np.random.default_rng(1).random(100_000)
    values[::1000] **= 20
    bins = (values * 7).astype(np.int64)
    assert sums_by_bin(values, bins, 7) == [math.fsum(values[bins == k]) for k in range(7)]
    assert values.max() < 1.0  # the input is left as it was
