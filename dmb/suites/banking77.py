"""BANKING77: customer messages to a bank, 77 intents. Items from the test split, training rows from the train split."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

from pydantic import Field

from dmb.errors import InputError
from dmb.sampling import sample, shuffled
from dmb.suites import items_table
from dmb.suites.built import BuilderArgs, Built, BuiltItem
from dmb.suites.norm_text import norm_text

HEADER = ["text", "category"]


class Banking77Params(items_table.Params):
    """``n_eval`` items for the evaluation, ``n_order`` more for the order-stability reruns (0: none)."""

    seed: int
    n_eval: int = Field(ge=1)
    n_order: int = Field(ge=0)


def build(args: BuilderArgs) -> Built:
    """The suite; sources in this order: train split, test split, categories.

    Every label is asked at least twice in ``eval`` and at least once in ``order``, as evenly as the counts allow.
    Raises ``InputError`` for bad data, for counts that cannot give that, or where a label has too few candidates.
    """
    params = items_table.params(args, Banking77Params)
    slot = items_table.one_slot(args)
    train_id, test_id, categories_id = items_table.named(args, "sources", "train split", "test split", "categories")
    labels = read_categories(args.inputs.source(categories_id), categories_id)
    train = read_rows(args.inputs.source(train_id), train_id, frozenset(labels))
    test = read_rows(args.inputs.source(test_id), test_id, frozenset(labels))

    if params.n_eval < 2 * len(labels):
        _refuse_count(args, "n_eval", params.n_eval, f"at least {2 * len(labels)}, two of each of {len(labels)} labels")
    if 0 < params.n_order < len(labels):
        _refuse_count(args, "n_order", params.n_order, f"0 or at least {len(labels)}, one of each label")
    quota = _quotas(labels, params)
    by_label: dict[str, list[int]] = defaultdict(list)
    for row in candidates(train, test):
        by_label[test[row][1]].append(row)

    part: dict[int, str] = {}
    for label in labels:
        n_eval, n_order = quota[label]
        if len(by_label[label]) < n_eval + n_order:
            raise InputError(
                items_table.suite_file(args),
                "items.params",
                f"{n_eval + n_order} items of label {label!r} wanted, {len(by_label[label])} are left after the exclusions",
                "lower n_eval or n_order",
            )
        drawn = sample(by_label[label], n_eval + n_order, params.seed, f"banking77/{label}")
        part |= {row: "eval" for row in drawn[:n_eval]} | {row: "order" for row in drawn[n_eval:]}

    return Built(
        option_sets={"intents": option_texts(labels)},
        items=tuple(
            BuiltItem(
                id=f"banking77-test-{row:04d}",
                state=test[row][0],
                option_set="intents",
                gold={slot: test[row][1]},
                stratum=test[row][1],
                slices={"part": part[row]},
            )
            # Files and draws run by label; asked in blocks, a drift over time would look like a weak label.
            for row in shuffled(part, params.seed, "banking77/item order")
        ),
        train=tuple(train),
    )


def read_rows(data: bytes, name: str, labels: Set[str]) -> list[tuple[str, str]]:
    """(text without outer white space, label) a record, in file order. ``name`` stands in errors.

    RFC 4180: records end in CRLF (or LF), and a quoted text may hold line breaks, so lines are not records.
    Raises ``InputError`` for bytes that are no UTF-8, another header, a malformed record, an unknown label, no text.
    """
    # newline="": the csv module itself must see CRLF, or the breaks inside quotes would be rewritten.
    reader = csv.reader(io.StringIO(_decoded(data, name), newline=""), strict=True)
    rows: list[tuple[str, str]] = []
    try:
        header = next(reader, [])
        if header != HEADER:
            raise InputError(name, "line 1", f"header is {','.join(header)!r:.80}", f"expected {','.join(HEADER)!r}")
        for record in reader:
            where = f"line {reader.line_num}"
            if len(record) != len(HEADER):
                raise InputError(name, where, f"{len(record)} fields", f"expected {len(HEADER)}: {', '.join(HEADER)}")
            text, label = record[0].strip(), record[1]
            if label not in labels:
                raise InputError(
                    name, where, f"label {label!r:.80} is not in the categories", "labels are matched as spelt"
                )
            if not text:
                raise InputError(name, where, "empty text", "every record needs one")
            rows.append((text, label))
    except csv.Error as error:
        raise InputError(name, f"line {reader.line_num}", f"no RFC 4180 CSV: {error}", "fetch the file again") from None
    return rows


def read_categories(data: bytes, name: str) -> tuple[str, ...]:
    """The labels in the file's order. Raises ``InputError`` unless it is a JSON list of distinct strings."""
    try:
        labels = json.loads(_decoded(data, name))
    except ValueError as error:
        raise InputError(name, "", f"no JSON: {error}", "fetch the file again") from None
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        raise InputError(name, "", "no list of labels", 'expected ["label", ...]')
    if len(set(labels)) != len(labels):
        raise InputError(name, "", f"label {Counter(labels).most_common(1)[0][0]!r} stands twice", "each label once")
    return tuple(labels)


def option_texts(labels: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """(label as spelt, what is shown): words instead of underscores, no final question mark, lower case.

    Two labels are spelt unlike the rest (``reverted_card_payment?``, ``Refund_not_showing_up``); shown as they are they
    would stand out among the options. Raises ``InputError`` when two labels come out the same.
    """
    shown = tuple((label, label.removesuffix("?").replace("_", " ").lower()) for label in labels)
    by_text: dict[str, str] = {}
    for label, text in shown:
        if text in by_text:
            raise InputError(
                "categories", label, f"is shown as {text!r}, like {by_text[text]!r}", "labels must differ when shown"
            )
        by_text[text] = label
    return shown


def candidates(train: Sequence[tuple[str, str]], test: Sequence[tuple[str, str]]) -> list[int]:
    """Indices of the test rows that may be asked, ascending.

    Left out, all by norm text: what is in train (a trained baseline has seen it), what carries two labels (either
    answer would be right), and repeats after the first.
    """
    norms = [norm_text(text) for text, _ in test]
    seen = {norm_text(text) for text, _ in train}
    labels_of: dict[str, set[str]] = defaultdict(set)
    for norm, (_, label) in zip(norms, test, strict=True):
        labels_of[norm].add(label)
    kept: list[int] = []
    for row, norm in enumerate(norms):
        if norm not in seen and len(labels_of[norm]) == 1:
            kept.append(row)
        seen.add(norm)
    return kept


def _quotas(labels: Sequence[str], params: Banking77Params) -> Mapping[str, tuple[int, int]]:
    """label -> (eval items, order items). The labels that get one more in ``order`` are others than those in ``eval``,
    as far as they last, so that the whole is as even as the parts."""
    drawn = shuffled(labels, params.seed, "banking77/extra items")
    eval_each, eval_extra = divmod(params.n_eval, len(labels))
    order_each, order_extra = divmod(params.n_order, len(labels))
    quota = {}
    for place, label in enumerate(drawn):
        gets_order_extra = (place - eval_extra) % len(labels) < order_extra
        quota[label] = (eval_each + (place < eval_extra), order_each + gets_order_extra)
    return quota


def _refuse_count(args: BuilderArgs, field: str, found: int, expected: str) -> None:
    raise InputError(items_table.suite_file(args), f"items.params.{field}", f"found {found}", f"expected {expected}")


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(name, f"byte {error.start}", "no UTF-8", "fetch the file again") from None
