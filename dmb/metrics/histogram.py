"""Which labels were chosen how often: shows a contender that always says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dmb.metrics.measure import Measure, unknown


def prediction_histogram(predicted: Iterable[str]) -> dict[str, int]:
    """Rows per predicted label, most frequent first, equal counts by label. Raises ValueError for None."""
    counts = Counter(predicted)
    if None in counts:
        raise ValueError("a predicted label is None; pass only valid decisions")
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def dominant(predicted: Iterable[str]) -> tuple[str | None, Measure]:
    """The most frequent label (of equals the first by name) and its share: num rows among den. No rows: (None, unknown).

    No interval: the label was picked for being the largest, so an interval for a label fixed beforehand is too low.
    """
    histogram = prediction_histogram(predicted)
    if not histogram:
        return None, unknown("no rows")
    label, num = next(iter(histogram.items()))
    n = sum(histogram.values())
    return label, Measure(value=num / n, n=n, num=num, den=n)
