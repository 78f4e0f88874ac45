import pytest

from dmb.metrics import is_lagged, median, share, unknown


@pytest.mark.parametrize(
    ("lag_ms", "request_ms", "lagged"),
    [
        (0.0, 3.0, False),
        # above 10 ms, however long the request was; and 10 ms is not above it
        (10.0, 5000.0, False),
        (10.001, 5000.0, True),
        (10.001, None, True),
        (9.9, None, False),
        # above 10 % of the request: as written, 0.3 is no more than a tenth of 3, and 1.1 none of 11
        (0.3, 3.0, False),
        (0.301, 3.0, True),
        (1.1, 11.0, False),
        (1.1, 10.999, True),
        (0.0, 0.0, False),
        (1.5, 0.0, True),
    ],
)
def test_a_lag_is_flagged_above_ten_milliseconds_or_a_tenth_of_the_request(lag_ms, request_ms, lagged):
    assert is_lagged(lag_ms, request_ms) is lagged


@pytest.mark.parametrize(("lag_ms", "request_ms"), [(-0.1, 3.0), (float("nan"), 3.0), (1.0, float("inf")), (1.0, -1.0)])
def test_what_is_no_time_is_refused(lag_ms, request_ms):
    with pytest.raises(ValueError, match="_ms is "):
        is_lagged(lag_ms, request_ms)


def test_shares_and_medians_have_no_interval():
    found = share([True, False, False, False], "nobody said")
    assert (found.value, found.num, found.den, found.n, found.low, found.high) == (0.25, 1, 4, 4, None, None)
    assert share([], "nobody said") == unknown("nobody said")
    # nearest rank: of an even number the lower of the middle two, a value that occurred
    found = median([9.0, 1.0, 4.0, 2.0], "nothing was timed")
    assert (found.value, found.n, found.high, found.note) == (2.0, 4, None, None)
    assert median([], "nothing was timed") == unknown("nothing was timed")
