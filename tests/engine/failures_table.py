"""What is tried, and what the protocol prescribes for it: data, written by hand from the protocol's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.engine.failing import N_QUESTIONS, Case
from tests.simulate.expected import ROWS

#: Kind of ending -> what becomes of a cell in which every question ends so.
Kind = str

#: The failures in a row that stop a cell.
IN_A_ROW = 10

#: What a retry waits for where the server does not say.
BACKOFF_S = 1.0


@dataclass(frozen=True)
class Prescribed:
    """``requests`` of each question that is asked, ``asked`` of a cell's questions, and how ``dmb run`` ends."""

    requests: int
    asked: int
    exit_code: int
    words: str
    waits: bool = False


_AGAIN = "asked once more after a wait; ten in a row stop the cell"

PRESCRIBED: dict[Kind, Prescribed] = {
    "valid": Prescribed(1, N_QUESTIONS, 0, "an answer"),
    "malformed": Prescribed(2, N_QUESTIONS, 0, "nothing is repaired; asked once more at once"),
    "truncated": Prescribed(2, N_QUESTIONS, 0, "the stop reason goes before the text; asked once more at once"),
    "refused": Prescribed(1, N_QUESTIONS, 0, "an outcome of the question, never asked again"),
    "unsupported": Prescribed(1, N_QUESTIONS, 0, "too large for this contender, never asked again"),
    "failed: rejected": Prescribed(1, IN_A_ROW, 3, "never asked again; ten in a row stop the cell"),
    **{
        f"failed: {kind}": Prescribed(2, IN_A_ROW, 3, _AGAIN, waits=True)
        for kind in ("rate_limit", "overloaded", "transport", "timeout")
    },
    "failed: authentication": Prescribed(1, 1, 5, "stops the provider's lane at once"),
    "failed: permission": Prescribed(1, 1, 5, "stops the provider's lane at once"),
    "failed: budget": Prescribed(1, 1, 4, "stops the provider's lane at once"),
}

#: What the ledger makes of it. "settled": for the provider's bill; "nothing": it was turned away unread or never sent;
#: "reserved": nobody can say what it cost, so the reservation stays.
Money = Literal["settled", "nothing", "reserved"]

MONEY_WORDS: dict[Money, str] = {
    "settled": "",
    "nothing": "costs nothing",
    "reserved": "cost unknown: the reservation stays",
}

#: Faults of an attempt that may have worked, and does not tell what it cost.
RESERVED = {
    *("reset", "close", "reset_mid_body", "close_mid_body"),
    *("overload_in_200", "overload_in_500", "internal_error", "gateway_timeout", "html_502", "html_200", "redirect"),
    *("usage_missing", "usage_null", "usage_float", "usage_zero", "non_utf8", "cut_json", "empty_body"),
}

#: Faults of a request that was turned away unread.
TURNED_AWAY = {
    *("rate_limit", "overloaded", "status", "bad_key", "no_key", "permission", "no_money", "unknown_model"),
    *("context_too_long", "options_over_cap", "content_policy", "echo_key"),
}

#: Parameters for questions of three options.
GIVEN: dict[str, Mapping[str, Any]] = {name: row.with_ for name, row in ROWS.items()} | {
    "options_over_cap": {"options": 2},
    "delay": {"ms": 20},
    "slow_drip": {"bytes": 64, "ms": 2},
    "huge_body": {"mb": 1.0},
}


@dataclass(frozen=True)
class Line:
    """A row of the first table. ``wait_s``: before each retry. ``words``: instead of those of the kind."""

    label: str
    case: Case
    kind: Kind
    money: Money
    wait_s: float = BACKOFF_S
    words: str | None = None
    asked: int | None = None
    requests: int | None = None
    exit_code: int | None = None


def _plain(fault: str, way: str = "gpt") -> Line:
    """A fault as it is, with its parameters."""
    given = GIVEN[fault]
    money: Money = "reserved" if fault in RESERVED else "nothing" if fault in TURNED_AWAY else "settled"
    kind = ROWS[fault].outcome(way)
    where = "" if way == "gpt" else f", {way}"
    return Line(_label(fault, given) + where, Case(fault, way, given), kind, money)


def _label(fault: str, given: Mapping[str, Any]) -> str:
    told = ", ".join(f'{k} = "{v}"' if isinstance(v, str) else f"{k} = {v}" for k, v in given.items())
    return f"`{fault}`" + (f" `{told}`" if told else "")


def _timed_out(fault: str, **given: Any) -> Line:
    """Ten questions, four at once, since each attempt really takes its third of a second."""
    case = Case(fault, given=given, n=IN_A_ROW, concurrency=4, protocol={"request_timeout_s": 0.3})
    return Line(f"{_label(fault, given)}, past the time-out", case, "failed: timeout", "reserved")


def _limited(form: str, seconds: float, wait_s: float, words: str) -> Line:
    given = {"form": form, "seconds": seconds}
    return Line(
        _label("rate_limit", given), Case("rate_limit", given=given), "failed: rate_limit", "nothing", wait_s, words
    )


def _healed(fault: str, **given: Any) -> Line:
    """The first attempt of every question alone meets it."""
    given = {**GIVEN[fault], **given}
    kind = ROWS[fault].outcome("gpt")
    money: Money = "reserved" if fault in RESERVED else "settled"
    waits = BACKOFF_S if PRESCRIBED[kind].waits else 0.0
    words = f"the last attempt counts, after one that was {kind}"
    case = Case(fault, given={**given, "first": 1}, topic=fault)
    return Line(f"{_label(fault, given)}, first attempts only", case, "valid", money, waits, words, requests=2)


def _lines() -> list[Line]:
    found = []
    for fault in ROWS:
        if fault == "rate_limit":
            found += [
                _limited("seconds", 2.0, 2.0, "the server says how long"),
                _limited("ms", 1.5, 1.5, "the server says how long"),
                # the date has whole seconds, and is never sooner than was meant
                _limited("date", 2.0, 3.0, "the server says until when"),
                _limited("nonsense", 2.0, BACKOFF_S, "what cannot be read is not said: `backoff_s`"),
                _limited("none", 2.0, BACKOFF_S, "the server does not say: `backoff_s`"),
                _limited("seconds", 3600.0, 60.0, "no wait is longer than 60 s"),
                Line(
                    "`rate_limit` `seconds = 45`, deadline in 30 s",
                    Case("rate_limit", given={"seconds": 45.0}, protocol={"cell_deadline_s": 30}),
                    "failed: rate_limit",
                    "nothing",
                    # looked at every half second, and over when it has passed
                    30.5,
                    "the deadline wins over the wait: `dnf`",
                    asked=1,
                    requests=1,
                    exit_code=6,
                ),
            ]
            continue
        if fault in ("options_over_cap", "probabilities_off"):
            # a language model knows neither
            found.append(_plain(fault, "jev"))
            continue
        if fault == "charge_factor":
            found += [
                Line(
                    "`charge_factor` `factor = 2`, openrouter",
                    Case(fault, "openrouter", {"factor": "2"}),
                    "valid",
                    "settled",
                    words="an answer; the reply tells the charge, and it counts",
                ),
                # the one bill that nobody can know of
                Line(
                    "`charge_factor` `factor = 2`, untold",
                    Case(fault, given={"factor": "2"}),
                    "valid",
                    "settled",
                    words="an answer; a bill above the list price that no reply tells cannot be seen",
                ),
            ]
            continue
        found.append(_plain(fault))
        if fault == "delay":
            found.append(_timed_out("delay", ms=60_000))
        if fault == "slow_drip":
            found.append(_timed_out("slow_drip", bytes=1, ms=50))
        if fault == "huge_body":
            larger = {"mb": 40.0}
            words = "not read beyond 32 MB: asked once more after a wait"
            case = Case(fault, given=larger, n=1)
            found.append(
                Line(
                    f"{_label(fault, larger)}, one question",
                    case,
                    "failed: transport",
                    "reserved",
                    words=words,
                    exit_code=0,
                )
            )
    found.append(Line("nobody listens", Case(None), "failed: transport", "nothing", requests=2))
    healed = ("close", "overloaded", "overload_in_200", "gateway_timeout", "truncated", "nan", "non_utf8")
    return found + [_healed(fault) for fault in healed]


LINES = _lines()

#: One way for each wire, for the faults that do not come to the same on all.
WIRES: dict[str, str] = {
    "systemone": "jev",
    "decisions": "openai-decisions",
    "chat_completions": "gpt",
    "responses": "responses",
    "messages": "claude-tool",
    "generate_content": "gemini",
}

#: Faults that differ from wire to wire.
DIFFERING = [fault for fault, row in ROWS.items() if len({row.outcome(way) for way in WIRES.values()}) > 1]

#: Conditions that each provider tells in a way of its own, and one way of asking each provider.
CONDITIONS = (
    *("bad_key", "no_key", "permission", "no_money", "rate_limit", "overloaded", "gateway_timeout"),
    *("unknown_model", "context_too_long", "content_policy"),
)
PROVIDERS: dict[str, str] = {
    "TypeSafe": "jev",
    "OpenRouter": "openrouter",
    "OpenAI": "gpt",
    "Anthropic": "claude-tool",
    "Google": "gemini",
    "Cloudflare": "clef",
    "Z.ai": "glm",
    "DeepSeek": "deepseek",
    "Cerebras": "cerebras",
    "Xiaomi": "mimo",
}
