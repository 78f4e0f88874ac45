"""SMS Spam Collection: text messages, spam or not, at the rate at which they occur among the distinct messages."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from dataclasses import dataclass

from pydantic import Field

from dmb.errors import InputError
from dmb.sampling import sample, shuffled
from dmb.suites import items_table
from dmb.suites.built import BuilderArgs, Built, BuiltItem
from dmb.suites.norm_text import norm_text

#: What contenders see. The ids are the dataset's own words.
OPTIONS = (
    ("spam", "spam: unsolicited advertising, a prize notice, a premium-rate offer or a scam"),
    ("ham", "ham: a normal message from somebody the receiver knows or deals with"),
)
LABELS = frozenset(label for label, _ in OPTIONS)

#: Put in by whoever collected the messages, and only into ham: they give the answer away, so they are a slice.
_MARK = re.compile(r"<(?:#|DECIMAL|TIME|URL|EMAIL)>")


def _cp1252(code: int) -> str:
    """What Windows-1252 says of a byte 0x80-0x9F; five of them it leaves undefined, and those stay as they are."""
    try:
        return bytes([code]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(code)


_C1_TO_CP1252 = {code: _cp1252(code) for code in range(0x80, 0xA0)}


class SmsSpamParams(items_table.Params):
    """``n`` items, all of which are asked."""

    seed: int
    n: int = Field(ge=2)


@dataclass(frozen=True, slots=True)
class Message:
    """One line of the file. ``row`` counts from 0; ``marks``: an anonymisation mark stands in the text."""

    row: int
    label: str
    text: str
    marks: bool


def build(args: BuilderArgs) -> Built:
    """The suite; one source, the collection's text file.

    Spam has its share among the distinct messages, rounded. All other distinct messages are the train split.
    Raises ``InputError`` for bad data or more items than there are distinct messages.
    """
    params = items_table.params(args, SmsSpamParams)
    slot = items_table.one_slot(args)
    (source_id,) = items_table.named(args, "sources", "message file")
    messages = distinct(read_messages(args.inputs.source(source_id), source_id))
    by_label = {label: [m for m in messages if m.label == label] for label in sorted(LABELS)}
    if params.n > len(messages):
        raise InputError(
            items_table.suite_file(args),
            "items.params.n",
            f"found {params.n}",
            f"at most {len(messages)} distinct messages",
        )
    # Integers, half up: the same on every platform.
    n_spam = (2 * params.n * len(by_label["spam"]) + len(messages)) // (2 * len(messages))
    asked = {
        message.row: message
        for label, n in (("spam", n_spam), ("ham", params.n - n_spam))
        for message in sample(by_label[label], n, params.seed, f"sms-spam/{label}", key=lambda m: m.row)
    }
    return Built(
        option_sets={"spam-or-ham": OPTIONS},
        items=tuple(
            BuiltItem(
                id=f"sms-spam-{message.row:04d}",
                state=message.text,
                option_set="spam-or-ham",
                gold={slot: message.label},
                stratum=message.label,
                slices={"marks": message.marks},
            )
            for message in shuffled(asked.values(), params.seed, "sms-spam/item order", key=lambda m: m.row)
        ),
        train=tuple((m.text, m.label) for m in messages if m.row not in asked),
    )


def read_messages(data: bytes, name: str) -> list[Message]:
    """All lines, in file order, their texts cleaned. ``name`` stands in errors.

    A line is cut at its first tab and nowhere else: this is no CSV, and a message may start with a quotation mark.
    Raises ``InputError`` for bytes that are no UTF-8, a line without a tab, another label, no text, no lines.
    """
    try:
        lines = data.decode("utf-8").split("\n")  # not splitlines: C1 control characters may stand in a message
    except UnicodeDecodeError as error:
        raise InputError(name, f"byte {error.start}", "no UTF-8", "fetch the file again") from None
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise InputError(name, "", "no messages", "fetch the file again")
    messages = []
    for row, line in enumerate(lines):
        label, tab, raw = line.partition("\t")
        if not tab or label not in LABELS:
            raise InputError(name, f"line {row + 1}", f"starts with {label!r:.20}", "expected spam or ham, then a tab")
        text = clean(raw)
        if not text:
            raise InputError(name, f"line {row + 1}", "empty text", "every line needs one")
        messages.append(Message(row, label, text, marks=_MARK.search(text) is not None))
    return messages


def clean(raw: str) -> str:
    """HTML entities as characters, Windows-1252 leftovers (U+0080-U+009F) as what they meant, no outer white space.

    Entities occur in ham alone, so left in place they would be a label.
    """
    return html.unescape(raw).translate(_C1_TO_CP1252).strip()


def distinct(messages: list[Message]) -> list[Message]:
    """The first message of each norm text, in file order; a norm text that carries both labels is left out."""
    by_norm: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        by_norm[norm_text(message.text)].append(message)
    return [same[0] for same in by_norm.values() if len({m.label for m in same}) == 1]
