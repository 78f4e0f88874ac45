"""Raw logs lose the texts of their items, in whatever way these are written, and not one number."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from dmb.archive.quotes import Search
from dmb.archive.redact import redacted_log, secrets_of
from dmb.canonical import json_line, sha256_hex, text_digest
from dmb.contracts.redaction import Redactions
from dmb.errors import DamagedFile
from dmb.prompting import render
from dmb.store.files import pretty_json, write_whole
from dmb.store.frozen_items import parse_items
from dmb.suites.built import Built, BuiltItem, identity_bytes
from dmb.wires import WIRES
from tests.scoring import by_hand
from tests.scoring.by_hand import SUITE, attempt, chat, price, score, tokens

TEXTS = (
    "Who billed me twice for one “small” coffee at Zürich airport?",
    'Ok\n"lor", see you at the other\tstation then, before seven',
    "Yup",
    "my card was swallowed by a machine",
)
BUILT = Built(
    option_sets={"all": by_hand.OPTIONS},
    items=tuple(
        BuiltItem(id=f"i{n}", state=TEXTS[n % len(TEXTS)], option_set="all", gold={"decision": "refund"})
        for n in range(by_hand.N_ITEMS)
    ),
)
ITEMS = parse_items(identity_bytes(BUILT))
BY_DIGEST = {text_digest(t): t for t in (*TEXTS, *(text for _, text in by_hand.OPTIONS))}
SECRETS = secrets_of(ITEMS, BY_DIGEST, "Which?")


def redact(*rows: dict[str, Any]) -> tuple[list[dict[str, Any]], Any]:
    data = "".join(json_line(row) for row in rows).encode("ascii")
    out, told = redacted_log(data, "log", SECRETS, SUITE.slots)
    assert told.original_sha256 == sha256_hex(data) and told.archived_sha256 == sha256_hex(out)
    assert redacted_log(data, "log", SECRETS, SUITE.slots)[0] == out
    return [json.loads(line) for line in out.splitlines()], told


def row(reply: str | bytes | None = None, item: int = 0, **fields: Any) -> dict[str, Any]:
    made = attempt(
        chat(tokens(5, 2)) if reply is None else reply if isinstance(reply, str) else None, item=item, **fields
    )
    told = made.model_dump(mode="json", exclude_none=True)
    if isinstance(reply, bytes):
        told.pop("failure")
        told |= {"reply_base64": base64.b64encode(reply).decode("ascii"), "status": 200}
    return told


@pytest.mark.parametrize("wire", sorted(WIRES))
@pytest.mark.parametrize("n", range(len(TEXTS)))
def test_every_wire_sends_a_text_as_a_string_of_its_own_which_becomes_its_digest(wire, n):
    request = render(ITEMS.items[n], ITEMS.option_sets, BY_DIGEST, "Which?", SUITE.slots)
    body = WIRES[wire].call(request, "m", {}, {}).body
    assert json.dumps(TEXTS[n], ensure_ascii=False) in body
    (done,), told = redact(row(item=n, body=body))
    mark = f"sha256:{text_digest(TEXTS[n])}"
    assert done["body"] == body.replace(json.dumps(TEXTS[n], ensure_ascii=False), f'"{mark}"')
    assert (told.n_rows, told.n_requests, told.n_replies, told.n_kept) == (1, 1, 0, 0)


def test_a_log_without_texts_keeps_its_bytes():
    told = redact(row(), row(item=2))[1]
    assert told.original_sha256 == told.archived_sha256 and told.n_rows == 2


#: name -> how a reply quotes a text: (the reply of a server, what scoring makes of it)
QUOTING = {
    "malformed, in prose": lambda t: chat(tokens(5, 2), f"The message {t!r} is about money."),
    "beside the answer": lambda t: chat(tokens(5, 2), reasoning_content=f"They ask: {t}", id="x"),
    "in its own JSON": lambda t: chat(tokens(5, 2), json.dumps({"choice_index": 1, "confidence": 0.5, "why": t})),
    "escaped to the last letter": lambda t: chat(tokens(5, 2)).replace(
        '"model"', '"why": "' + "".join(f"\\u{ord(c):04x}" for c in t) + '", "model"'
    ),
    "for a URL": lambda t: chat(tokens(5, 2), link=f"https://example.org/?q={quote(t)}"),
    "in base64": lambda t: chat(tokens(5, 2), echo=base64.b64encode(t.encode()).decode()),
    "token by token": lambda t: chat(
        tokens(5, 2),
        f"It says {t}",
        logprobs={"content": [{"token": p, "logprob": -1.0} for p in f"It says {t}".split(" ")]},
    ),
    "no UTF-8": lambda t: b"\xff\xfe {" + t.encode() + b"}",
    "UTF-16": lambda t: t.encode("utf-16"),
    "refused": lambda t: json.dumps(
        {
            "choices": [{"finish_reason": "stop", "message": {"refusal": f"I cannot say whether {t}"}}],
            "usage": tokens(5, 2),
        }
    ),
}


@pytest.mark.parametrize("name", QUOTING)
@pytest.mark.parametrize("n", [0, 1])
def test_a_reply_that_quotes_a_text_comes_to_the_same_without_it(name, n):
    words = TEXTS[n].split()
    for text in (TEXTS[n], " ".join(words[1:])):
        told = row(QUOTING[name](text), item=n)
        (done,), counts = redact(told)
        assert (counts.n_replies, counts.n_kept) == (1, 0)
        assert Search([TEXTS[n]]).first_in(json_line(done).encode()) is None
        assert "billed me" not in json.dumps(done) and "see you" not in json.dumps(done)
        field = "reply_base64" if isinstance(QUOTING[name](text), bytes) else "reply"
        assert {k: v for k, v in done.items() if k != field} == {k: v for k, v in told.items() if k != field}


def test_what_a_provider_says_about_a_failure_may_quote_a_text_too():
    detail = f"HTTP 422: value is no choice: {TEXTS[0]}"
    told = row(
        status=422,
        reply=json.dumps({"detail": [{"msg": "no", "input": TEXTS[0]}]}),
        outcome="failed",
        reason=detail,
        failure={"kind": "rejected", "detail": detail},
    )
    (done,), counts = redact(told)
    assert (counts.n_replies, counts.n_reasons) == (1, 2)
    assert done["failure"]["detail"].startswith("HTTP 422: value is no choice: sha256:")
    assert Search([TEXTS[0]]).first_in(json_line(done).encode()) is None


def test_an_option_that_shares_words_with_a_text_stays_the_answer():
    """Labels are identifiers: a choice that reads like the message is no quotation of it."""
    options = (("a", "card swallowed"), ("b", "my card was swallowed by a machine"))
    built = Built({"all": options}, (BuiltItem(id="i0", state=TEXTS[3], option_set="all", gold={"decision": "b"}),))
    items = parse_items(identity_bytes(built))
    secrets = secrets_of(items, BY_DIGEST | {text_digest(t): t for _, t in options}, "Which?")
    reply = {
        "answers": {
            "decision": {
                "type": "choice",
                "choice": options[1][1],
                "confidence": 0.9,
                "probabilities": {t: 0.5 for _, t in options},
            }
        }
    }
    told = row(json.dumps(reply), asker="wire:systemone")
    data = json_line(told).encode("ascii")
    assert redacted_log(data, "log", secrets, SUITE.slots)[0] == data


def test_an_answer_that_is_read_from_the_quotation_itself_is_kept_and_counted():
    """A message that tells contenders what to answer, and an answer that does as told."""
    text = '{"choice_index": 1, "confidence": 0.75}'
    built = Built(
        {"all": by_hand.OPTIONS}, (BuiltItem(id="i0", state=text, option_set="all", gold={"decision": "bug"}),)
    )
    secrets = secrets_of(parse_items(identity_bytes(built)), BY_DIGEST | {text_digest(text): text}, "Which?")
    data = json_line(row(chat(tokens(5, 2), text))).encode("ascii")
    out, told = redacted_log(data, "log", secrets, SUITE.slots)
    assert (told.n_replies, told.n_kept) == (0, 1) and out == data


@pytest.mark.parametrize("line", [b"{", b'{"item": "other"}\n', b"[]\n", b"\n"])
def test_a_row_of_nobody_is_named(line):
    with pytest.raises(DamagedFile, match=r"^log: line 1 is no attempt at an item of the frozen suite"):
        redacted_log(line, "log", SECRETS, SUITE.slots)


def test_scores_of_a_redacted_log_are_the_same_to_the_last_byte(tmp_path, monkeypatch):
    """The receipt stays as it was; the run says which digest its log has without texts. One changed byte is noticed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(by_hand, "BUILT", BUILT)
    replies = [make(TEXTS[n % 2]) for n, make in enumerate(QUOTING.values())]
    rows = [attempt(r, item=n) for n, r in enumerate(replies) if isinstance(r, str)]
    first = score("c", rows, [price("c")])
    raw = Path(f"runs/r-1/raw/c.{SUITE.id}.attempts.jsonl")
    data, told = redacted_log(raw.read_bytes(), str(raw), SECRETS, SUITE.slots)
    assert told.n_replies == len([r for n, r in enumerate(replies) if isinstance(r, str) and n % 4 < 2])
    write_whole(raw, data)
    again = lambda: by_hand.score_cell(Path(first.receipt), SUITE, [price("c")], None, first.score_key)  # noqa: E731
    with pytest.raises(DamagedFile, match=str(raw)):
        again()
    redactions = Path("runs/r-1/redactions.json")
    write_whole(redactions, pretty_json(Redactions(logs={raw.name: told}).model_dump(mode="json")))
    assert again() == first
    raw.write_bytes(data.replace(b"sha256:", b"sha255:", 1))
    with pytest.raises(DamagedFile, match=str(raw)):
        again()
    redactions.write_bytes(b"{}")
    with pytest.raises(DamagedFile, match=r"redactions\.json: is damaged"):
        again()
