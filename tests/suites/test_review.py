"""The review of the synthetic suites is there, accepted them, and is of today's items."""

from __future__ import annotations

import datetime
import tomllib

import pytest

from dmb.suites.built import items_digest

from . import real_data

SUITES = real_data.PROJECT / "data" / "suites"
REVIEW = tomllib.loads((SUITES / "review.toml").read_text("utf-8"))
REVIEWED_BUILDERS = ("cardinality", "confidence-honesty")
FIELDS = {"date", "items", "reviewer", "n_read", "verdict", "findings"}


def synthetic_suites() -> list[str]:
    """The suites that are made by a builder whose wording is our own."""
    names = [path.stem for path in sorted(SUITES.glob("*.toml")) if path.name != "review.toml"]
    return [name for name in names if real_data.suite_file(name).items.builder in REVIEWED_BUILDERS]


def test_every_synthetic_suite_has_a_review_and_nothing_else_has():
    assert len(synthetic_suites()) >= len(REVIEWED_BUILDERS)
    assert sorted(REVIEW) == synthetic_suites()


@pytest.mark.parametrize("suite", synthetic_suites())
def test_a_review_accepts_todays_items(suite: str):
    review = REVIEW[suite]
    built = real_data.build(suite)
    digest = items_digest(built)
    assert review["items"] == digest, (
        f"the items of {suite} are {digest}, but data/suites/review.toml is about {review['items']}: somebody who did "
        "not write them has to read them anew and put date, digest and findings there"
    )
    assert review["verdict"] == "accepted"
    assert 0 < review["n_read"] <= len(built.items)


@pytest.mark.parametrize("suite", synthetic_suites())
def test_a_review_is_complete(suite: str):
    review = REVIEW[suite]
    assert set(review) == FIELDS
    # a date and not a point in time, which is a date as well
    assert type(review["date"]) is datetime.date and review["date"].year >= 2026
    assert review["reviewer"].strip()
    assert review["findings"] and all(isinstance(f, str) and f.strip() for f in review["findings"])
