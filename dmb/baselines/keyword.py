"""Word overlap between the state and the options: the "is a model needed at all?" control.

The rule, in full:

* Tokens are ``\\w+`` runs of the lower-cased text, stemmed by ``stem`` below. Stop words (before stemming) do not
  count in option texts. They do count in keyword lists, because whoever wrote "not" into a list meant it.
* Without keyword lists: score = distinct option tokens found in the state / square root of the option's distinct
  tokens, so that a long option text does not win by length alone.
* With a keyword list on at least one shown option: an option with a list scores as above plus 1 for every distinct
  keyword found (a keyword of several words must stand in the state in that order, without a gap); one without a list
  scores 0. When nothing fires, the default is the option without a list.
* Equal scores (and several defaults): the lowest ``sampling.rank`` of (option id, item id). Neither the position nor the
  permutation or repeat number takes part: the rule sees the same words, so it says the same thing.
* Confidence = (best score + 1/n) / (sum of scores + 1): the share of the best score, with one hit's worth of doubt
  spread evenly. Nothing fired: 1/n.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dmb import sampling
from dmb.baselines.question import Answer, Answerer, Baseline, Knowledge, Question

WORD = re.compile(r"\w+")

# fmt: off
STOP_WORDS = frozenset((
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me",
    "my", "no", "not", "of", "on", "or", "other", "our", "out", "she", "should", "so", "some", "than", "that", "the",
    "their", "them", "then", "there", "they", "this", "to", "up", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "would", "yes", "you", "your", "false", "true", "s", "t", "m", "re", "ve", "ll", "d",
))
# fmt: on


def stem(word: str) -> str:
    """Strip a plural -s (not -ss), then -ing or -ed, then a final -e, each only when three letters remain."""
    if word.endswith("s") and not word.endswith("ss") and len(word) >= 4:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            word = word[: -len(ending)]
            break
    if word.endswith("e") and len(word) >= 4:
        word = word[:-1]
    return word


def stems(text: str) -> tuple[str, ...]:
    """All stemmed tokens in order, stop words included."""
    return tuple(stem(word) for word in WORD.findall(text.lower()))


def option_stems(text: str) -> frozenset[str]:
    """Distinct stemmed tokens of an option text without stop words."""
    return frozenset(stem(word) for word in WORD.findall(text.lower()) if word not in STOP_WORDS)


def phrases(keywords: Sequence[str]) -> frozenset[str]:
    """Keywords as stems between blanks, to be looked for in a state written the same way."""
    return frozenset(f" {' '.join(found)} " for keyword in keywords if (found := stems(keyword)))


def open_keyword(knowledge: Knowledge) -> Answerer:
    """An answerer by the rule of this module; ``settings["seed"]`` (0 when absent) decides ties."""
    seed = int(knowledge.settings.get("seed", 0))
    lists = {option_id: found for option_id, words in knowledge.keywords.items() if (found := phrases(words))}

    def overlap(text: str, state: frozenset[str]) -> float:
        # not remembered from one question to the next: a latency would then depend on the order of the questions
        tokens = option_stems(text)
        shared = len(tokens & state)
        return shared / math.sqrt(len(tokens)) if shared else 0.0

    def answer(question: Question) -> Answer:
        options = question.options
        words = stems(question.state)
        vocabulary = frozenset(words)
        listed = {option_id for option_id, _ in options if option_id in lists}
        if listed:
            line = f" {' '.join(words)} "
            scores = [
                overlap(text, vocabulary) + sum(phrase in line for phrase in lists[option_id])
                if option_id in listed
                else 0.0
                for option_id, text in options
            ]
        else:
            scores = [overlap(text, vocabulary) for _, text in options]
        best = max(scores)
        tied = [i for i, score in enumerate(scores) if score == best]
        if listed and best == 0:
            tied = [i for i in tied if options[i][0] not in listed] or tied
        if len(tied) == 1:
            index = tied[0]
        else:
            item_id = question.key[0]
            index = min(tied, key=lambda i: sampling.rank(seed, "keyword-tie", options[i][0], item_id))
        # fsum, since a plain sum would depend on the display order in its last digit
        confidence = (best + 1 / len(options)) / (math.fsum(scores) + 1)
        return Answer(choice_index=index, confidence=round(confidence, 9))

    return answer


BASELINE = Baseline(version=1, open=open_keyword, needs=frozenset({"keywords"}), settings=frozenset({"seed"}))
