"""A raw log without the texts of its items: each is replaced by its digest, and every number that is read from it stays."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dmb.archive.escapes import as_text, readings, without_base64
from dmb.archive.quotes import Quotes
from dmb.canonical import json_line, sha256_hex
from dmb.contracts.attempt import Attempt
from dmb.contracts.item import Item, OptionSet
from dmb.contracts.redaction import RedactedLog
from dmb.contracts.slot import Slot
from dmb.engine.judge import judge_row
from dmb.errors import DamagedFile
from dmb.parsing import Shown
from dmb.prompting import shown_options
from dmb.store.frozen_items import FrozenItems

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.S)


@dataclass(frozen=True)
class Secret:
    """An item's text, and what its answers are read by."""

    state: str
    mark: str
    quotes: Quotes
    shown: Shown


def secrets_of(items: FrozenItems, texts: Mapping[str, str], instructions: str) -> dict[tuple[str, int], Secret]:
    """(item, permutation) -> its secret. ``texts``: digest -> text. Options and the question may be quoted.

    Raises ``KeyError`` with the digest of a text that is not there.
    """
    allowed = {name: _allowed(s, texts, instructions) for name, s in items.option_sets.items()}
    quotes: dict[str, Quotes] = {}
    found = {}
    for item in items.items:
        state = texts[item.state]
        if item.state not in quotes:
            free = allowed[item.options.set] if item.options is not None else [instructions]
            quotes[item.state] = Quotes(state, free)
        found[item.id, item.permutation] = _secret(item, state, quotes[item.state], items.option_sets)
    return found


def _allowed(options: OptionSet, texts: Mapping[str, str], instructions: str) -> list[str]:
    return [instructions, *(texts[o.text] for o in options.options)]


def _secret(item: Item, state: str, quotes: Quotes, option_sets: Mapping[str, OptionSet]) -> Secret:
    return Secret(state, f"sha256:{item.state}", quotes, shown_options(item, option_sets))


def redacted_log(
    data: bytes, name: str, secrets: Mapping[tuple[str, int], Secret], slots: Sequence[Slot]
) -> tuple[bytes, RedactedLog]:
    """The log of one cell and what was done to it. ``name``: for the error. Raises ``DamagedFile``."""
    out: list[bytes] = []
    counts: Counter[str] = Counter()
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        try:
            row = json.loads(line)
            secret = secrets[row["item"], row.get("permutation", 0)]
        except (ValueError, KeyError, TypeError):
            raise DamagedFile(f"{name}: line {number} is no attempt at an item of the frozen suite") from None
        changes = dict(_changes(row, secret, slots))
        counts.update(what for what, _ in changes.values())
        out.append(json_line(row | {k: v for k, (_, v) in changes.items()}).encode("ascii") if changes else line)
    redacted = b"".join(out)
    told = RedactedLog(
        original_sha256=sha256_hex(data),
        archived_sha256=sha256_hex(redacted),
        n_rows=len(out),
        n_requests=counts["request"],
        n_replies=counts["reply"],
        n_reasons=counts["reason"],
        n_kept=counts["kept"],
    )
    return redacted, told


def _changes(row: dict[str, Any], secret: Secret, slots: Sequence[Slot]) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Field -> (what is counted, its new value)."""
    if (body := row.get("body")) is not None and (new := _body(body, secret)) != body:
        yield "body", ("request", new)
    yield from _reply(row, secret, slots)
    if (reason := row.get("reason")) is not None and (new := _words(reason, secret)) != reason:
        yield "reason", ("reason", new)
    failure = row.get("failure")
    if failure is not None and (new := _words(failure.get("detail", ""), secret)) != failure.get("detail", ""):
        yield "failure", ("reason", failure | {"detail": new})


def _body(body: str, secret: Secret) -> str:
    """Every wire sends the text as a JSON string of its own. The rest of a body is the question and its options."""
    written = {json.dumps(secret.state, ensure_ascii=ascii_only) for ascii_only in (False, True)}
    new = body
    for token in written:
        new = new.replace(token, json.dumps(secret.mark))
    return new if new != body else _words(body, secret)


def _words(text: str, secret: Secret) -> str:
    new = secret.quotes.replaced(text, secret.mark)
    return secret.mark if _tells(new.encode("utf-8", "surrogatepass"), secret) else new


def _tells(data: bytes, secret: Secret) -> bool:
    return any(secret.quotes.stands_in(text) for text in readings(data))


def _reply(row: dict[str, Any], secret: Secret, slots: Sequence[Slot]) -> Iterator[tuple[str, tuple[str, Any]]]:
    field = "reply_base64" if row.get("reply_base64") is not None else "reply"
    if row.get(field) is None:
        return
    data = base64.b64decode(row[field]) if field == "reply_base64" else row[field].encode("utf-8", "surrogatepass")
    if not (_tells(data, secret) or secret.quotes.stands_in(_in_pieces(data))):
        return
    for new in (*_without_quotes(data, secret), secret.mark.encode("ascii")):
        if _tells(new, secret) or secret.quotes.stands_in(_in_pieces(new)):
            continue
        written = base64.b64encode(new).decode("ascii") if field == "reply_base64" else new.decode("utf-8", "replace")
        if _comes_to(row | {field: written}, secret, slots) == _comes_to(row, secret, slots):
            yield field, ("reply", written)
            return
    yield field, ("kept", row[field])


def _without_quotes(data: bytes, secret: Secret) -> Iterator[bytes]:
    """The reply with marks in its texts alone, and with marks wherever words agree."""
    if secret.quotes.stands_in(_in_pieces(data)):
        data = json.dumps(_without_pieces(json.loads(as_text(data))), ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
    text = without_base64(data.decode("utf-8", "surrogateescape"), secret.quotes.stands_in, secret.mark)
    yield _in_strings(text, secret).encode("utf-8", "surrogateescape")
    yield secret.quotes.replaced(text, secret.mark).encode("utf-8", "surrogateescape")


def _in_strings(text: str, secret: Secret) -> str:
    """Names and punctuation between the strings of a JSON text are nobody's words. A string may hold JSON itself."""
    return _STRING.sub(lambda m: _in_string(m[0], secret), text)


def _in_string(token: str, secret: Secret) -> str:
    try:
        said = json.loads(token)
    except ValueError:
        return token
    new = _in_strings(said, secret)
    new = secret.quotes.replaced(new, secret.mark)
    # half of a surrogate pair can be written only as an escape
    return token if new == said else json.dumps(new, ensure_ascii=any("\ud800" <= c <= "\udfff" for c in new))


def _comes_to(row: dict[str, Any], secret: Secret, slots: Sequence[Slot]) -> tuple[Any, ...]:
    """What is read from a row; the words of its reason count for nothing."""
    v = judge_row(Attempt.model_validate(row), secret.shown, slots)
    return v.outcome, v.outputs, v.failure and v.failure.kind, v.usage, v.served_model


# -- log-probabilities: the reply once more, in a list of tokens


def _are_tokens(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) and "token" in v for v in value)


def _in_pieces(data: bytes) -> str:
    """What the lists of tokens in a reply say when they are read together."""
    if b'"token"' not in data:
        return ""
    try:
        left: list[Any] = [json.loads(as_text(data))]
    except (ValueError, RecursionError):
        return ""
    said = []
    while left:
        value = left.pop()
        if _are_tokens(value):
            said.append("".join(str(v["token"]) for v in value))
        elif isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    return "\n".join(said)


def _without_pieces(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_pieces(v) for k, v in value.items()}
    if isinstance(value, list):
        return [] if _are_tokens(value) else [_without_pieces(v) for v in value]
    return value
