"""A user's own rows: a JSONL file with id, text and truth, a file of options, and perhaps a train split."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from pydantic import Field

from dmb.errors import InputError
from dmb.inputs import nearest
from dmb.sampling import sample
from dmb.suites import items_table
from dmb.suites.built import BuilderArgs, Built, BuiltItem
from dmb.suites.norm_text import norm_text


class JsonlParams(items_table.Params):
    """The names of the user's fields. ``limit``: at most so many items, a seeded draw kept in file order."""

    id: str = "id"
    text: str = "text"
    truth: str = "label"
    limit: int | None = Field(None, ge=1)
    seed: int = 0


def build(args: BuilderArgs) -> Built:
    """The suite; files in this order: items, options, and (optional) train rows. Other fields of a row are ignored.

    Raises ``InputError`` with file, line, field and the mend for the first row that cannot be used.
    """
    params = items_table.params(args, JsonlParams)
    slot = items_table.one_slot(args)
    items_file, options_file, *train_files = items_table.named(
        args, "files", "items.jsonl", "labels.json", "train.jsonl", optional=1
    )
    options = read_options(args.inputs.file(options_file), options_file)
    labels = [label for label, _ in options]
    items: list[BuiltItem] = []
    line_of_id: dict[str, int] = {}
    for line, row in read_rows(args.inputs.file(items_file), items_file):
        where = _Where(items_file, line)
        item_id = where.row_id(row, params.id)
        if item_id in line_of_id:
            raise where.error(
                params.id, f"{item_id!r:.80} stands in line {line_of_id[item_id]} already", "ids are unique"
            )
        line_of_id[item_id] = line
        label = where.label(row, params.truth, labels)
        items.append(
            BuiltItem(
                id=item_id,
                state=where.text(row, params.text),
                option_set="options",
                gold={slot: label},
                stratum=label,
            )
        )
    train = [_train(args.inputs.file(file), file, params, labels, items) for file in train_files]
    if params.limit is not None and params.limit < len(items):
        drawn = {it.id for it in sample(items, params.limit, params.seed, "jsonl/limit", key=lambda it: it.id)}
        items = [it for it in items if it.id in drawn]
    return Built(option_sets={"options": options}, items=tuple(items), train=train[0] if train else None)


def read_options(data: bytes, file: str) -> tuple[tuple[str, str], ...]:
    """(option id, option text) in the file's order.

    Raises ``InputError`` unless it is a JSON list of at least two {"id", "text"} with distinct ids and texts.
    """
    try:
        rows = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(file, "", f"no JSON: {_short(error)}", 'expected [{"id": ..., "text": ...}, ...]') from None
    if not isinstance(rows, list) or len(rows) < 2:
        raise InputError(file, "", "no list of at least two options", 'expected [{"id": ..., "text": ...}, ...]')
    options: list[tuple[str, str]] = []
    for number, row in enumerate(rows, start=1):
        where = _Where(file, number, "option")
        if not isinstance(row, dict):
            raise where.error("", f"found {row!r:.80}", 'expected {"id": ..., "text": ...}')
        unknown = row.keys() - {"id", "text"}
        if unknown:
            raise where.error(min(unknown), "unknown field", "an option has id and text")
        option = (where.text(row, "id"), where.text(row, "text"))
        for earlier, other in enumerate(options, start=1):
            for field, mine, theirs in zip(("id", "text"), option, other, strict=True):
                if mine == theirs:
                    raise where.error(field, f"{mine!r:.80} stands in option {earlier} already", "each option once")
        options.append(option)
    return tuple(options)


def read_rows(data: bytes, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number from 1, row) for every line that is not blank. Raises ``InputError`` for a bad line or no rows."""
    line = 0
    empty = True
    # Bytes are split, not text: a line separator character inside a message ends no row.
    for line, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        empty = False
        where = _Where(file, line)
        try:
            row = json.loads(raw.decode("utf-8"))
        except UnicodeDecodeError:
            raise where.error("", "no UTF-8", "save the file as UTF-8") from None
        except (ValueError, RecursionError) as error:
            raise where.error("", f"no JSON: {_short(error)}", "one JSON object a line") from None
        if not isinstance(row, dict):
            raise where.error("", f"found {row!r:.80}", "one JSON object a line")
        yield line, row
    if empty:
        raise InputError(file, "", "no rows", "one JSON object a line")


def _train(
    data: bytes, file: str, params: JsonlParams, labels: Collection[str], items: Collection[BuiltItem]
) -> tuple[tuple[str, str], ...]:
    """Train rows (text, option id) in file order. A text that is also asked would hand a baseline the answer."""
    asked = {norm_text(item.state): item.id for item in items}
    asked.pop("", None)
    rows: list[tuple[str, str]] = []
    leaks: list[tuple[int, str]] = []
    for line, row in read_rows(data, file):
        where = _Where(file, line)
        text = where.text(row, params.text)
        rows.append((text, where.label(row, params.truth, labels)))
        if norm_text(text) in asked:
            leaks.append((line, asked[norm_text(text)]))
    if leaks:
        line, item_id = leaks[0]
        more = f" (so are lines {', '.join(str(n) for n, _ in leaks[1:6])})" if len(leaks) > 1 else ""
        raise _Where(file, line).error(
            params.text, f"is also the text of item {item_id!r:.80}{more}", "take it out of one"
        )
    return tuple(rows)


class _Where:
    """A place in a file: reads fields of the row that stands there, and words the errors."""

    def __init__(self, file: str, number: int, unit: str = "line") -> None:
        self.file, self.place = file, f"{unit} {number}"

    def error(self, field: str, problem: str, mend: str) -> InputError:
        return InputError(self.file, f"{self.place}: {field}" if field else self.place, problem, mend)

    def field(self, row: dict[str, Any], name: str) -> Any:
        if name not in row:
            raise self.error(name, "missing", nearest(name, row.keys()) if row else "add it")
        return row[name]

    def text(self, row: dict[str, Any], name: str) -> str:
        """A string that is not blank and can be written as UTF-8."""
        value = self.field(row, name)
        if not isinstance(value, str):
            raise self.error(name, f"found {value!r:.80}", "expected a text in quotes")
        if not value.strip():
            raise self.error(name, "empty", "expected a text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self.error(
                name, "holds half of a surrogate pair (\\ud800-\\udfff)", "write the whole character"
            ) from None
        return value

    def row_id(self, row: dict[str, Any], name: str) -> str:
        """An id; a number is as good as its digits."""
        value = self.field(row, name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(row, name)

    def label(self, row: dict[str, Any], name: str, labels: Collection[str]) -> str:
        """An option id."""
        value = self.field(row, name)
        if not isinstance(value, str):
            raise self.error(name, f"found {value!r:.80}", f"expected an option id in quotes, such as {min(labels)!r}")
        if value not in labels:
            raise self.error(name, f"{value!r:.80} is no option id", nearest(value, labels))
        return value


def _short(error: Exception) -> str:
    """A parser's message in one line."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
