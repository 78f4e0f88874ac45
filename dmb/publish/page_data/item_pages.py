"""What everybody answered to each item, as columns: a text only where the suite lets its texts be published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmb.contracts.answers import AnswerColumns
from dmb.contracts.attempt import OUTCOMES, Outcome
from dmb.contracts.item import Gold
from dmb.publish.page_data.coding import Strings

if TYPE_CHECKING:
    from dmb.contracts.cell import Score
    from dmb.publish.release import Release

#: Confidences are coded in thousandths, which is what ``numbers.index`` prints of them.
THOUSANDTHS = 1000
CONFIDENCE_DIGITS = 2


def suite_rows(release: Release, suite: str, slot: str, strings: Strings) -> dict[str, Any] | None:
    """Rows of one slot of a suite, each with the answers of every contender that was asked; None where nobody was.

    ``rows``: ``[item, permutation, gold, text]`` as places in the list of texts, gold -1 where no answer is right, text -1
    where none may be shown. ``values``: options that anybody chose. ``answers``: contender -> ``[choices, confidences,
    outcomes]``: two texts with a few digits to base 36 for each row, 0 for nothing, otherwise 1 more than the place among
    the values and 1 more than the confidence in thousandths; and the outcomes of rows that are not valid, by row, -1 where the
    contender does not have the row. ``digits``: how many of them a choice takes, and a confidence.
    """
    columns = {c: found for c in release.contenders if (found := _columns(release.cells[c, suite], slot)) is not None}
    keys: dict[tuple[str, int], Any] = {}
    for found in columns.values():
        for item, permutation, gold in zip(found.items, found.permutations, found.gold, strict=True):
            keys.setdefault((item, permutation), gold)
    if not keys:
        return None
    shown = release.texts.get(suite)
    rows = [
        [
            strings.place(item),
            permutation,
            -1 if gold is None else strings.place(_spelled(gold)),
            strings.place(text) if shown and (text := shown.states.get((item, permutation))) is not None else -1,
        ]
        for (item, permutation), gold in keys.items()
    ]
    chosen = Strings()
    ordered = {contender: _in_order(found, list(keys)) for contender, found in columns.items()}
    picked = {c: [chosen.place(_spelled(v)) + 1 if v is not None else 0 for _, v, _ in o] for c, o in ordered.items()}
    digits = max(1, len(base36(len(chosen.texts))))
    coded: dict[str, Any] = {
        "rows": rows,
        "values": [strings.place(text) for text in chosen.texts],
        "digits": [digits, CONFIDENCE_DIGITS],
        "answers": {
            contender: [
                "".join(base36(place).rjust(digits, "0") for place in picked[contender]),
                "".join(_thousandths(confidence) for _, _, confidence in rows_of),
                {n: -1 if o is None else OUTCOMES.index(o) for n, (o, _, _) in enumerate(rows_of) if o != "valid"},
            ]
            for contender, rows_of in ordered.items()
        },
    }
    if shown:
        coded["options"] = _options(columns, keys, shown.options, strings)
    return coded


def _columns(score: Score, slot: str) -> AnswerColumns | None:
    return next((found for found in score.answers if found.slot == slot and found.items), None)


def _in_order(found: AnswerColumns, keys: list[tuple[str, int]]) -> list[tuple[Outcome | None, Gold, float | None]]:
    """(outcome, value, confidence) of each row; nothing where the contender does not have it."""
    place = {key: n for n, key in enumerate(zip(found.items, found.permutations, strict=True))}
    return [
        (None, None, None)
        if (n := place.get(key)) is None
        else (found.outcomes[n], found.values[n], found.confidences[n])
        for key in keys
    ]


def _thousandths(confidence: float | None) -> str:
    known = 0 if confidence is None else 1 + round(THOUSANDTHS * float(f"{confidence:.3f}"))
    return base36(known).rjust(CONFIDENCE_DIGITS, "0")


def base36(number: int) -> str:
    """A whole number from 0 in digits and small letters; nought is ``0``."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def _options(
    columns: dict[str, AnswerColumns],
    keys: dict[tuple[str, int], Any],
    texts: dict[tuple[str, int], dict[str, str]],
    strings: Strings,
) -> list[list[int]]:
    """Row -> ``[option, text, option, text, …]`` for those that are right or were chosen, where id and text differ."""
    wanted: dict[tuple[str, int], dict[str, None]] = {
        key: {} if gold is None else {_spelled(gold): None} for key, gold in keys.items()
    }
    for found in columns.values():
        for item, permutation, value in zip(found.items, found.permutations, found.values, strict=True):
            if value is not None:
                wanted[item, permutation][_spelled(value)] = None
    coded = []
    for key, options in wanted.items():
        known = texts.get(key, {})
        coded.append(
            [
                strings.place(part)
                for option in options
                if (text := known.get(option)) is not None and text != option
                for part in (option, text)
            ]
        )
    return coded


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ", ".join(value)
