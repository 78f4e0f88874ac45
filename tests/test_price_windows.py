"""When a price row holds, and whether two rows hold at once."""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dmb.contracts.price import PriceRow
from dmb.errors import InputError
from dmb.planning.keys import _price_values
from dmb.planning.project import load_project
from dmb.price_windows import WEEKDAYS, first_overlap, holds, overlap, takes_size, window_text
from dmb.pricing import row_at

WORKDAYS = WEEKDAYS[:5]


def row(**fields) -> PriceRow:
    known = {"provider": "p", "model": "m", "input": "1", "output": "2", "source": "s", "checked_on": "2026-11-30"}
    return PriceRow(**(known | fields))


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


# -- one row


@pytest.mark.parametrize(
    "window, at, held",
    [
        # 2026-11-30 is a Monday
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "2026-11-30 00:59:59.999999", False),
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "2026-11-30 01:00", True),
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "2026-11-30 03:59:59.999999", True),
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "2026-11-30 04:00", False),
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "2026-11-29 02:00", False),
        ({"weekdays": WORKDAYS}, "2026-12-04 23:59:59.999999", True),
        ({"weekdays": WORKDAYS}, "2026-12-05 00:00", False),
        ({"hours": "22:00-24:00"}, "2026-12-05 23:59:59", True),
        ({"hours": "22:00-24:00"}, "2026-12-05 00:00", False),
        # past midnight: the weekday is that of the beginning
        ({"weekdays": ["fri"], "hours": "22:00-06:00"}, "2026-12-04 21:59", False),
        ({"weekdays": ["fri"], "hours": "22:00-06:00"}, "2026-12-04 22:00", True),
        ({"weekdays": ["fri"], "hours": "22:00-06:00"}, "2026-12-05 05:59:59", True),
        ({"weekdays": ["fri"], "hours": "22:00-06:00"}, "2026-12-05 06:00", False),
        ({"weekdays": ["fri"], "hours": "22:00-06:00"}, "2026-12-04 05:00", False),
        # days are included at both ends, instants at the first alone
        ({"valid_from": "2026-11-30", "valid_to": "2026-11-30"}, "2026-11-30 23:59:59.999999", True),
        ({"valid_from": "2026-11-30", "valid_to": "2026-11-30"}, "2026-12-01 00:00", False),
        ({"valid_from": "2026-11-30T16:00:00Z"}, "2026-11-30 15:59:59.999999", False),
        ({"valid_from": "2026-11-30T16:00:00Z"}, "2026-11-30 16:00", True),
        ({"valid_to": "2026-12-01T00:00:00+08:00"}, "2026-11-30 15:59:59.999999", True),
        ({"valid_to": "2026-12-01T00:00:00+08:00"}, "2026-11-30 16:00", False),
        # days are those of the zone
        ({"valid_to": "2026-11-30", "zone": "Asia/Shanghai"}, "2026-11-30 15:59:59", True),
        ({"valid_to": "2026-11-30", "zone": "Asia/Shanghai"}, "2026-11-30 16:00", False),
        ({"weekdays": ["tue"], "zone": "Asia/Shanghai"}, "2026-11-30 16:00", True),
        # Berlin springs from 02:00 to 03:00 at 01:00 UTC on 2026-03-29 …
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-03-28 06:59", False),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-03-28 07:00", True),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-03-29 05:59", False),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-03-29 06:00", True),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-03-29 08:00", False),
        ({"hours": "02:30-03:30", "zone": "Europe/Berlin"}, "2026-03-29 00:59:59", False),
        ({"hours": "02:30-03:30", "zone": "Europe/Berlin"}, "2026-03-29 01:00", True),
        ({"hours": "02:30-03:30", "zone": "Europe/Berlin"}, "2026-03-29 01:30", False),
        # … and falls back from 03:00 to 02:00 at 01:00 UTC on 2026-10-25
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-10-24 06:00", True),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-10-25 06:59", False),
        ({"hours": "08:00-10:00", "zone": "Europe/Berlin"}, "2026-10-25 07:00", True),
        ({"hours": "02:30-03:00", "zone": "Europe/Berlin"}, "2026-10-25 00:30", True),
        ({"hours": "02:30-03:00", "zone": "Europe/Berlin"}, "2026-10-25 01:00", False),
        ({"hours": "02:30-03:00", "zone": "Europe/Berlin"}, "2026-10-25 01:30", True),
        ({"hours": "02:30-03:00", "zone": "Europe/Berlin"}, "2026-10-25 02:00", False),
    ],
)
def test_edges_of_a_window(window, at, held):
    made = row(**window)
    assert holds(made, utc(at)) is held
    # the same instant on another clock
    assert holds(made, utc(at).astimezone(ZoneInfo("America/New_York"))) is held


def test_an_instant_has_an_offset():
    with pytest.raises(ValueError, match="no offset"):
        holds(row(), dt.datetime(2026, 11, 30))  # noqa: DTZ001 - that is what is refused


def test_a_size_is_included_below_and_excluded_above():
    step = row(prompt_from=10, prompt_to=20)
    assert [n for n in range(30) if takes_size(step, n)] == list(range(10, 20))
    assert takes_size(row(), 0) and takes_size(row(prompt_from=5), 10**9)


@pytest.mark.parametrize(
    "window, fault",
    [
        ({"hours": "1:00-02:00"}, "pattern"),
        ({"hours": "01:00-25:00"}, "pattern"),
        ({"hours": "24:00-01:00"}, "pattern"),
        ({"hours": "01:00-01:00"}, "leave hours out"),
        ({"zone": "Europe/Berlim"}, "no time zone"),
        ({"zone": "../etc/passwd"}, "no time zone"),
        ({"weekdays": ["monday"]}, "'mon'"),
        ({"weekdays": ["mon", "mon"]}, "stands twice"),
        ({"prompt_from": 20, "prompt_to": 20}, "below prompt_to"),
        ({"prompt_from": -1}, "greater than or equal"),
        ({"valid_from": "2026-11-30T16:00:00"}, "needs its offset"),
        ({"valid_from": "soon"}, "no date"),
        ({"valid_to": dt.date(9999, 12, 31)}, "no year"),
    ],
)
def test_what_is_no_window(window, fault):
    with pytest.raises(ValidationError, match=fault):
        row(**window)


def test_a_day_stays_a_day_and_an_instant_an_instant():
    midnight = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
    made = row(valid_from=dt.date(2026, 11, 30), valid_to=midnight)
    assert type(made.valid_from) is dt.date and made.valid_to == midnight
    assert PriceRow.model_validate_json(made.model_dump_json()) == made


def test_a_row_without_the_new_fields_has_the_values_that_it_had():
    made = row(valid_from=dt.date(2026, 9, 10), input="0.20")
    assert _price_values(made) == {
        "provider": "p",
        "model": "m",
        "valid_from": "2026-09-10",
        "input": "0.2",
        "output": "2",
        "source": "s",
        "checked_on": "2026-11-30",
    }
    assert _price_values(row(zone="UTC", tier="standard", weekdays=())) == _price_values(row())
    for field in ({"tier": "batch"}, {"weekdays": ["mon"]}, {"hours": "01:00-02:00"}, {"zone": "Asia/Tokyo"}):
        assert _price_values(row(**field)) != _price_values(row())


@pytest.mark.parametrize(
    "window, text",
    [
        ({}, ""),
        ({"valid_from": "2026-03-01"}, "from 2026-03-01"),
        ({"valid_to": "2026-03-01"}, "until 2026-03-01"),
        ({"valid_from": "2026-03-01", "valid_to": "2026-04-01"}, "2026-03-01 to 2026-04-01"),
        ({"valid_to": "2026-09-10T00:00:00+08:00"}, "until 2026-09-09 16:00 UTC"),
        ({"weekdays": WORKDAYS, "hours": "01:00-04:00"}, "Mon-Fri 01:00-04:00 UTC"),
        ({"weekdays": ["sun", "sat", "mon"]}, "Mon, Sat, Sun UTC"),
        ({"hours": "22:00-06:00", "zone": "Europe/Berlin"}, "22:00-06:00 Europe/Berlin"),
        ({"prompt_to": 272001}, "prompts up to 272,000 tokens"),
        ({"prompt_from": 272001, "tier": "batch"}, "prompts above 272,000 tokens, batch tier"),
        ({"prompt_from": 11, "prompt_to": 21}, "prompts above 10 up to 20 tokens"),
    ],
)
def test_a_window_in_words(window, text):
    assert window_text(row(**window)) == text


# -- two rows


@pytest.mark.parametrize(
    "a, b, when",
    [
        ({}, {}, "UTC"),
        ({"valid_to": "2026-11-29"}, {"valid_from": "2026-11-30"}, None),
        ({"valid_to": "2026-11-30"}, {"valid_from": "2026-11-30"}, "2026-11-30 00:00 UTC"),
        ({"valid_to": "2026-11-30T16:00:00Z"}, {"valid_from": "2026-11-30T16:00:00Z"}, None),
        ({"valid_to": "2026-11-30T16:00:01Z"}, {"valid_from": "2026-11-30T16:00:00Z"}, "2026-11-30 16:00 UTC"),
        # a day in Shanghai ends 8 hours before one in London
        ({"valid_to": "2026-11-29", "zone": "Asia/Shanghai"}, {"valid_from": "2026-11-30"}, None),
        ({"valid_to": "2026-11-29"}, {"valid_from": "2026-11-30", "zone": "Asia/Shanghai"}, "2026-11-29 16:00 UTC"),
        ({"tier": "batch"}, {}, None),
        ({"prompt_to": 100}, {"prompt_from": 100}, None),
        ({"prompt_to": 101}, {"prompt_from": 100}, "prompts of 100 tokens"),
        ({"weekdays": ["mon"]}, {"weekdays": ["tue", "wed"]}, None),
        ({"weekdays": ["mon"], "hours": "22:00-02:00"}, {"weekdays": ["tue"], "hours": "00:00-02:00"}, "00:00 UTC"),
        ({"weekdays": ["mon"], "hours": "22:00-02:00"}, {"weekdays": ["tue"], "hours": "02:00-03:00"}, None),
        ({"weekdays": ["sun"], "hours": "22:00-02:00"}, {"weekdays": ["mon"], "hours": "01:59-03:00"}, "01:59 UTC"),
        ({"hours": "01:00-04:00"}, {"hours": "04:00-01:00"}, None),
        ({"hours": "01:00-04:01"}, {"hours": "04:00-01:00"}, "04:00 UTC"),
        # one Monday alone is in both ranges, and it is no Tuesday
        ({"valid_to": "2026-11-30"}, {"valid_from": "2026-11-30", "weekdays": ["tue"]}, None),
        ({"valid_to": "2026-12-01"}, {"valid_from": "2026-11-30", "weekdays": ["tue"]}, "2026-12-01 00:00 UTC"),
        # side by side in winter, at once in summer
        ({"hours": "08:00-10:00"}, {"hours": "11:00-12:00", "zone": "Europe/Berlin"}, "09:00 UTC"),
        ({"hours": "08:00-09:00"}, {"hours": "11:00-12:00", "zone": "Europe/Berlin"}, None),
        # Berlin and New York are 6 hours apart but for some weeks a year
        (
            {"hours": "14:00-15:00", "zone": "Europe/Berlin"},
            {"hours": "09:00-10:00", "zone": "America/New_York"},
            "13:00 UTC",
        ),
        (
            {"hours": "14:00-15:00", "zone": "Europe/Berlin"},
            {"hours": "10:00-11:00", "zone": "America/New_York"},
            None,
        ),
        # on the one night that has 02:30 twice
        (
            {"hours": "01:30-01:31", "valid_from": "2026-10-25", "valid_to": "2026-10-25"},
            {"hours": "02:00-03:00", "zone": "Europe/Berlin"},
            "2026-10-25 01:30 UTC",
        ),
        # the clock's change itself is where the second begins, once by skipping and once by going back
        (
            {"hours": "00:59-01:01", "valid_from": "2026-03-29", "valid_to": "2026-03-29"},
            {"hours": "02:30-03:30", "zone": "Europe/Berlin"},
            "2026-03-29 01:00 UTC",
        ),
        (
            {"hours": "01:15-01:45", "valid_from": "2026-10-25", "valid_to": "2026-10-25"},
            {"hours": "02:30-03:00", "zone": "Europe/Berlin"},
            "2026-10-25 01:30 UTC",
        ),
        # the evening before in New York
        (
            {"hours": "02:30-03:30", "valid_from": "2026-11-30", "valid_to": "2026-11-30"},
            {"hours": "22:00-23:00", "zone": "America/New_York"},
            "2026-11-30 03:00 UTC",
        ),
        # in summer alone, whenever they were looked up
        (
            {"hours": "08:00-10:00", "checked_on": "2026-02-15"},
            {"hours": "11:00-12:00", "zone": "Europe/Berlin", "checked_on": "2026-02-15"},
            "09:00 UTC",
        ),
    ],
)
def test_whether_two_rows_hold_at_once(a, b, when):
    for one, other in ((row(**a), row(**b)), (row(**b), row(**a))):
        found = overlap(one, other)
        assert found is None if when is None else when in str(found), found
    assert (first_overlap([row(**a), row(**b)]) is None) is (when is None)


def test_rows_of_other_models_and_providers_never_clash():
    assert first_overlap([row(), row(model="n"), row(provider="q"), row(tier="batch")]) is None
    same = row(valid_from="2030-01-01")
    assert first_overlap([row(), row(model="n"), same]) == (row(), same, "2030-01-01 00:00 UTC")


def test_loading_refuses_two_rows_at_once_and_names_both_windows(project_copy):
    path = project_copy / "data/prices.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('hours = "04:00-06:00"', 'hours = "03:30-06:00"'), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_project()
    assert str(caught.value).startswith("data/prices.toml: deepseek deepseek-flash: two rows hold at 20")
    assert "03:30 UTC: 'Mon-Fri 01:00-04:00 UTC' and 'Mon-Fri 03:30-06:00 UTC'" in str(caught.value)


@pytest.mark.parametrize("wrong", ['hours = "4-6"', 'hours = "04:00-06:00"\nzone = "Mars"'])
def test_loading_refuses_a_wrong_window_by_field(project_copy, wrong):
    path = project_copy / "data/prices.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('hours = "04:00-06:00"', wrong), encoding="utf-8")
    with pytest.raises(InputError, match=r"^data/prices.toml: price\.\d+\.(hours|zone)"):
        load_project()


# -- any rows

CLOCKS = st.integers(0, 23).map(lambda h: f"{h:02}") | st.sampled_from(["02"])
ZONES = st.sampled_from(["UTC", "UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
INSTANTS = st.datetimes(dt.datetime(2026, 1, 1), dt.datetime(2027, 12, 31), timezones=st.just(dt.UTC))  # noqa: DTZ001
EDGES = st.none() | st.dates(dt.date(2026, 3, 1), dt.date(2026, 11, 30)) | INSTANTS


@st.composite
def rows_of_a_model(draw):
    hours = draw(st.none() | st.tuples(CLOCKS, CLOCKS, st.sampled_from(["00", "30"])))
    sizes = sorted(draw(st.lists(st.sampled_from([0, 100, 200, 300]), min_size=2, max_size=2, unique=True)))
    sized = draw(st.booleans())
    return row(
        valid_from=draw(EDGES),
        valid_to=draw(EDGES),
        weekdays=tuple(draw(st.sets(st.sampled_from(WEEKDAYS), max_size=4))),
        hours=f"{hours[0]}:00-{hours[1]}:{hours[2]}" if hours and (hours[0], "00") != hours[1:] else None,
        zone=draw(ZONES),
        prompt_from=sizes[0] if sized else None,
        prompt_to=sizes[1] if sized else None,
        tier=draw(st.sampled_from(["standard", "standard", "batch"])),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rows_of_a_model(), min_size=2, max_size=5), st.lists(INSTANTS, min_size=20, max_size=20), st.data())
def test_of_rows_that_do_not_overlap_at_most_one_holds(rows, instants, data):
    kept: list[PriceRow] = []
    for made in rows:
        if all(overlap(made, other) is None for other in kept):
            kept.append(made)
    # rows that could clash: on the hour and on the half hour too, over some days
    day = data.draw(INSTANTS).replace(minute=0, second=0, microsecond=0)
    instants = [*instants, *(day + dt.timedelta(minutes=30 * i) for i in range(48 * 4))]
    for at in instants:
        for size in (0, 150, 250, 10**6):
            for tier in ("standard", "batch"):
                standing = [r for r in kept if r.tier == tier and takes_size(r, size) and holds(r, at)]
                assert len(standing) <= 1
                assert row_at(kept, at, size, tier) == (standing[0] if standing else None)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rows_of_a_model(), min_size=2, max_size=3))
def test_an_overlap_is_an_instant_at_which_both_hold(rows):
    for a, b in combinations(rows, 2):
        found = overlap(a, b)
        assert (found is None) is (overlap(b, a) is None)
        if found is not None:
            # the words have minutes, an edge may lie within one
            at = utc(found[:16])
            edges = [e for r in (a, b) for e in (r.valid_from, r.valid_to) if isinstance(e, dt.datetime)]
            assert any(holds(a, t) and holds(b, t) for t in (at, *edges))
            size = max(a.prompt_from or 0, b.prompt_from or 0)
            assert a.tier == b.tier and takes_size(a, size) and takes_size(b, size)
