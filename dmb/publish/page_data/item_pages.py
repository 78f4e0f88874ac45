"""What everybody answered to each item, as columns: a text only where the suite lets its texts be published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmb.contracts.answers import AnswerColumns
from dmb.contracts.attempt import OUTCOMES
from dmb.publish.page_data.coding import Strings

if TYPE_CHECKING:
    from dmb.contracts.cell import Score
    from dmb.publish.release import Release

#: Confidences are coded in thousandths, which is what ``numbers.index`` prints of them.
THOUSANDTHS = 1000


def suite_rows(release: Release, suite: str, slot: str, strings: Strings) -> dict[str, Any] | None:
    """Rows of one slot of a suite, each with the answers of every contender that was asked; None where nobody was.

    ``rows``: ``[item, permutation, gold, text]`` as places in the list of texts, gold -1 where no answer is right, text -1
    where none may be shown. ``answers``: contender -> (value place or -1, confidence in thousandths or -1, outcome) of
    each row, one list for each of the three; a row that the contender does not have is -1 in all of them.
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
    answers = {contender: _answers(found, list(keys), strings) for contender, found in columns.items()}
    coded: dict[str, Any] = {"rows": rows, "answers": answers}
    if shown:
        coded["options"] = _options(columns, keys, shown.options, strings)
    return coded


def _columns(score: Score, slot: str) -> AnswerColumns | None:
    return next((found for found in score.answers if found.slot == slot and found.items), None)


def _answers(found: AnswerColumns, keys: list[tuple[str, int]], strings: Strings) -> list[list[int]]:
    place = {key: n for n, key in enumerate(zip(found.items, found.permutations, strict=True))}
    coded: list[list[int]] = [[], [], []]
    for key in keys:
        n = place.get(key)
        value = None if n is None else found.values[n]
        confidence = None if n is None else found.confidences[n]
        coded[0].append(-1 if value is None else strings.place(_spelled(value)))
        coded[1].append(-1 if confidence is None else round(THOUSANDTHS * float(f"{confidence:.3f}")))
        coded[2].append(-1 if n is None else OUTCOMES.index(found.outcomes[n]))
    return coded


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
