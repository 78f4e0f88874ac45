"""What DMB makes of each of the faults that jevcompat's mock server can be given: data, and the page made of it.

``three`` and ``many``: what a choice among 3 and among 77 options comes to. The 3 have a capital and an accent, the 77
neither. ``shows``: calls that are not sound, or not plain, and meet a fault that the plain ones do not.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The verdict is the one that the sound server's reply gets, in every part.
NOTHING = "answered, nothing to see"

#: Valid, but another answer than the sound server's, and no rule is broken within the reply.
HIDDEN = "answered, and wrong"


def valid(*differs: str) -> str:
    """Valid, and in these parts other than the verdict on the sound server's reply."""
    return f"valid, {' and '.join(differs)}"


@dataclass(frozen=True)
class Row:
    """One fault. ``three`` and ``many`` are ``NOTHING``, ``HIDDEN``, ``valid(...)`` or how the verdict begins."""

    three: str = NOTHING
    many: str | None = None
    why: str = ""
    shows: tuple[tuple[str, str], ...] = ()

    @property
    def for_many(self) -> str:
        """As for three, unless it says otherwise."""
        return self.three if self.many is None else self.many


#: A call that is not plain -> what it comes to at the sound server.
CALLS = {
    "no key": "failed, authentication: HTTP 403",
    "a wrong key": "failed, authentication: HTTP 401",
    "the right key": NOTHING,
    "a key that nobody wants": NOTHING,
    "an unknown model": "failed, rejected: HTTP 400",
    "model jev-latest": NOTHING,
    "256 options": "unsupported: HTTP 422",
}

_NO_JSON = "malformed: the reply is no JSON object"
_NOT_ASKED_NOUL = "in answers to yes-or-no questions, which are not asked"
_NOT_ASKED_SCORE = "in answers on a scale, which are not asked for"
_ONE_QUESTION = "a call has one question"

ROWS: dict[str, Row] = {
    # -- the call is refused
    "wrong-route": Row("failed, rejected: HTTP 404"),
    "auth-x-api-key": Row(
        why="only where the server wants a key", shows=(("the right key", "failed, authentication: HTTP 403"),)
    ),
    "auth-rejects-header": Row(
        why="only where a key is sent that nobody wants",
        shows=(("a key that nobody wants", "failed, authentication: HTTP 401"),),
    ),
    "reject-jev-latest": Row(
        why="entries name a version, not an alias", shows=(("model jev-latest", "failed, rejected: HTTP 404"),)
    ),
    "no-null-description": Row("failed, rejected: HTTP 422", why="options are sent without descriptions"),
    "cap-64": Row(many="unsupported: HTTP 422"),
    # -- the reply is damaged
    "xssi-200": Row(_NO_JSON),
    "nan": Row(_NO_JSON, why="wherever in the reply it stands"),
    "extra-answer": Row("malformed: __extra__", why="answers a question that was not asked"),
    "choice-key-case": Row(
        "malformed: queue: choice is none of the options", NOTHING, why="shows where a label has capitals"
    ),
    "nfd-keys": Row(
        "malformed: queue: choice is none of the options", NOTHING, why="shows where a label has an accent"
    ),
    "choice-sum": Row(
        "malformed: queue: probabilities sum to 1.2",
        valid("another confidence"),
        why="among 77 it is within what rounding to two decimals can do, and is brought to 1",
    ),
    "confidence-over": Row("malformed: queue: confidence 1.5 is outside 0-1"),
    # -- the reply counts, and something in it is other than it should be
    "choice-second": Row(
        valid("another choice", "another confidence"), why="the choice counts as stated, with its own probability"
    ),
    "choice-no-confidence": Row(valid("no native confidence"), why="confidence comes from the probabilities"),
    "confidence-margin": Row(valid("another native confidence"), why="which formula a server uses is not checked"),
    "no-usage": Row(valid("no usage"), why="tokens and cost are unknown"),
    "float-usage": Row(valid("no usage"), why="a fraction is no count: tokens and cost are unknown"),
    # -- harmless
    "plain-content-type": Row(why="the body is read, whatever it is called"),
    "unprefixed-extra": Row(why="fields that nobody asked for are not read"),
    # -- cannot be seen from one reply
    "id-leaks": Row(HIDDEN, why="takes a second call, with another id"),
    "batch-leaks": Row(HIDDEN, why="takes a second call, with two questions"),
    "order-leaks": Row(HIDDEN, why="takes a second call, with the questions in another order"),
    # -- not met by a sound choice
    "boolean-type": Row(why=_NOT_ASKED_NOUL),
    "noul-range": Row(why=_NOT_ASKED_NOUL),
    "noul-two-sided": Row(why="refuses yes-or-no questions, which are not asked"),
    "noul-needs-instructions": Row(why="refuses yes-or-no questions, which are not asked"),
    "accept-boolean": Row(why="takes yes-or-no questions by a wrong name, which are not asked"),
    "score-no-legend": Row(why=_NOT_ASKED_SCORE),
    "legend-1-based": Row(why=_NOT_ASKED_SCORE),
    "score-keys-1-based": Row(why=_NOT_ASKED_SCORE),
    "score-sum": Row(why=_NOT_ASKED_SCORE),
    "score-argmax": Row(why=_NOT_ASKED_SCORE),
    "cap-5-levels": Row(why="refuses scales, which are not asked for"),
    "accept-map-score": Row(why="takes scales in a wrong form, which are not asked for"),
    "first-question-only": Row(why=_ONE_QUESTION),
    "strict-ids": Row(why="ids of slots are plain words"),
    "reject-array-state": Row(why="the state is a text"),
    "string-only-text": Row(why="instructions are a text"),
    "forbid-extra": Row(why="no field is sent that is not in the format"),
    "500-on-unknown-type": Row(why="every question is a choice"),
    "models-404": Row(why="the list of models is not asked for"),
    # -- only the words of an error change
    "auth-plain": Row(why="words of an error", shows=(("no key", "failed, authentication: HTTP 401"),)),
    "auth-invalid-403-text": Row(why="words of an error", shows=(("a wrong key", "failed, authentication: HTTP 401"),)),
    "error-flat": Row(why="words of an error", shows=(("an unknown model", "failed, rejected: HTTP 400"),)),
    "validation-400": Row(why="words of an error", shows=(("256 options", "unsupported: HTTP 400"),)),
    "text-errors": Row(
        why="words of an error that is no JSON are not read: the status decides",
        shows=(
            ("no key", "failed, permission: HTTP 403"),
            ("a wrong key", "failed, authentication: HTTP 401"),
            ("an unknown model", "failed, rejected: HTTP 400"),
            ("256 options", "failed, rejected: HTTP 422"),
        ),
    ),
}

#: No client can see these in one reply.
UNDETECTABLE = tuple(name for name, row in ROWS.items() if row.three == HIDDEN)

BEGIN, END = "<!-- made by tests/oracles/test_jevcompat_mock.py -->", "<!-- end -->"


def page_section() -> str:
    """What stands between ``BEGIN`` and ``END`` in docs/jevcompat.md."""
    lines = ["| fault | 3 options | 77 options | because | another call, and what it comes to |", "| --- " * 5 + "|"]
    for name, row in ROWS.items():
        shows = "; ".join(f"{call}: {outcome}" for call, outcome in row.shows)
        lines.append(f"| `{name}` | {row.three} | {row.for_many} | {row.why} | {shows} |")
    seen = sum(row.three != NOTHING or row.for_many != NOTHING for row in ROWS.values())
    named = ", ".join(f"`{name}`" for name in UNDETECTABLE)
    lines += [
        "",
        f"{len(ROWS)} faults: {seen} change what a plain choice comes to, {len(ROWS) - seen} do not. Of those that do, "
        f"{len(UNDETECTABLE)} cannot be told from a sound reply by any client: {named}.",
        "",
        "| call | at the sound server |",
        "| --- | --- |",
        *(f"| {call} | {outcome} |" for call, outcome in CALLS.items()),
    ]
    return "\n".join(lines)
