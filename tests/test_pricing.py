"""What an attempt cost, at its own instant."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.pricing import attempt_cost_usd, row_at

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def row(**fields) -> PriceRow:
    known = {"input": "0.75", "cached": "0.075", "cache_write": "0.9", "output": "4.50"}
    return PriceRow(**{"provider": "p", "model": "m", "source": "s", "checked_on": "2026-11-30"} | known | fields)


def usage(**fields) -> Usage:
    return Usage(**{"input_tokens": 1000, "output_tokens": 20} | fields)


@pytest.mark.parametrize(
    "counts, expected",
    [
        ({}, "0.00084"),
        ({"cached_tokens": 400}, "0.00057"),
        ({"cached_tokens": 400, "cache_write_tokens": 600}, "0.00066"),
        ({"cached_tokens": 1000}, "0.000165"),
        ({"input_tokens": 0, "output_tokens": 0}, "0"),
        # reasoning is part of the output
        ({"reasoning_tokens": 15}, "0.00084"),
    ],
)
def test_hand_computed(counts, expected):
    assert attempt_cost_usd([row()], usage(**counts), NOON) == (Decimal(expected), None)


@pytest.mark.parametrize(
    "rows, used, why",
    [
        ([], usage(), "no price row for this model and date"),
        ([row(valid_from="2026-12-01")], usage(), "no price row for this model and date"),
        ([row()], None, "usage not reported"),
        ([row()], usage(output_tokens=None), "usage not reported"),
        ([row(output=None)], usage(), "the price row is incomplete"),
        ([row(cached=None)], usage(cached_tokens=1), "no price for cached tokens"),
        ([row(cache_write=None)], usage(cache_write_tokens=1), "no price for cached tokens"),
        ([row()], usage(cached_tokens=700, cache_write_tokens=301), "usage buckets exceed the input"),
    ],
)
def test_unknown_is_no_number_and_has_a_reason(rows, used, why):
    assert attempt_cost_usd(rows, used, NOON) == (None, why)


def test_what_nobody_bills_costs_nothing_and_needs_no_usage():
    free = row(unbilled=True, input=None, output=None)
    assert attempt_cost_usd([free], None, NOON) == (Decimal(0), None)


def test_a_cached_price_is_needed_only_where_something_is_cached():
    assert attempt_cost_usd([row(cached=None, cache_write=None)], usage(cached_tokens=0), NOON)[0] == Decimal("0.00084")


def test_dates_are_utc_days_with_both_ends_included():
    old, new = row(valid_to="2026-11-30"), row(valid_from="2026-12-01")
    last = dt.datetime(2026, 11, 30, 23, 59, 59, 999999, tzinfo=dt.UTC)
    assert row_at([old, new], last) == old
    assert row_at([old, new], last + dt.timedelta(microseconds=1)) == new
    # the same instant in a zone where it is tomorrow already
    assert row_at([old, new], last.astimezone(dt.timezone(dt.timedelta(hours=9)))) == old
    assert row_at([row(valid_from="2026-11-30", valid_to="2026-11-30")], NOON) is not None
    assert row_at([old, new], dt.datetime(2020, 1, 1, tzinfo=dt.UTC)) == old


def test_two_rows_at_once_are_an_error():
    with pytest.raises(ValueError, match="2 price rows of p m hold on 2026-11-30"):
        row_at([row(), row(valid_from="2026-01-01")], NOON)
