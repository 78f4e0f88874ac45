"""A reply to an outcome: nothing is repaired."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.canonical import text_digest
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.slot import Slot
from dmb.parsing import judge_reply

SHOWN = [("bill", text_digest("Billing")), ("bug", text_digest("A bug")), ("other", text_digest("other"))]
SLOT = Slot(id="decision", kind="choice")
MUTE = Slot(id="decision", kind="choice", confidence=False)


def judged(slot: Slot = SLOT, **answer):
    return judge_reply(Reply(answers={"decision": RawAnswer(**answer)}), SHOWN, [slot])


def malformed(slot: Slot = SLOT, **answer) -> str:
    j = judged(slot, **answer)
    assert (j.outcome, j.outputs) == ("malformed", {})
    return j.reason


@pytest.mark.parametrize("index, value", [(0, "bill"), (2, "other")])
def test_an_index_counts_from_zero_in_the_order_shown(index, value):
    j = judged(index=index, confidence=0.5)
    out = j.outputs["decision"]
    assert (j.outcome, j.reason) == ("valid", None)
    assert (out.value, out.position, out.confidence, out.confidence_kind) == (value, index, 0.5, "stated")
    assert out.native_confidence is None


@pytest.mark.parametrize(
    "index, reason",
    [
        (True, "choice_index is bool, not an integer"),
        (False, "choice_index is bool, not an integer"),
        (1.0, "choice_index is float, not an integer"),
        ("1", "choice_index is str, not an integer"),
        (None, "choice_index is NoneType, not an integer"),
        ([1], "choice_index is list, not an integer"),
        (-1, "choice_index -1 is outside 0-2"),
        (3, "choice_index 3 is outside 0-2"),
        (10**400, f"choice_index {10**400} is outside 0-2"),
    ],
)
def test_an_index_is_an_integer_in_range(index, reason):
    assert malformed(index=index, confidence=0.5) == f"decision: {reason}"


@pytest.mark.parametrize("label", ["billing", "BILLING", "Billing ", " Billing", "bill", "", "Billing\u200b", "\ud800"])
def test_a_label_is_the_text_that_was_shown_and_nothing_near_it(label):
    assert judged(label="Billing", confidence=1).outcome == "valid"
    malformed(label=label, confidence=1)


@pytest.mark.parametrize("label", [0, True, ["Billing"], {"text": "Billing"}])
def test_a_label_is_a_text(label):
    assert malformed(label=label, confidence=1).endswith("not a text")


@pytest.mark.parametrize("confidence", [0, 1, 0.0, 1.0, 0.85])
def test_a_confidence_from_0_to_1_is_kept_as_it_is(confidence):
    assert judged(index=0, confidence=confidence).outputs["decision"].confidence == confidence


@pytest.mark.parametrize(
    "confidence",
    [
        85,
        1.0000001,
        -0.1,
        float("nan"),
        float("inf"),
        float("-inf"),
        10**400,
        -(10**400),
        "0.85",
        "85%",
        True,
        [0.5],
        {},
    ],
)
@pytest.mark.parametrize("slot", [SLOT, MUTE], ids=["asked", "not asked"])
def test_any_other_confidence_is_malformed_and_never_rescaled(confidence, slot):
    assert "confidence" in malformed(slot, index=0, confidence=confidence)


def test_a_missing_confidence_is_malformed_only_where_one_was_asked_for():
    assert malformed(index=0) == "decision: no confidence"
    assert judged(MUTE, index=0).outcome == "valid"
    assert judged(MUTE, index=0).outputs["decision"].confidence_kind is None


def test_no_answer_for_the_slot():
    for reply in (Reply(), Reply(answers={"another": RawAnswer(index=0, confidence=1)})):
        j = judge_reply(reply, SHOWN, [SLOT])
        assert (j.outcome, j.reason) == ("malformed", "decision: no answer")


def test_one_bad_slot_spoils_the_reply():
    other = Slot(id="other", kind="choice")
    answers = {"decision": RawAnswer(index=0, confidence=1), "other": RawAnswer(index=9, confidence=1)}
    j = judge_reply(Reply(answers=answers), SHOWN, [SLOT, other])
    assert (j.outcome, j.outputs) == ("malformed", {})


@pytest.mark.parametrize("written", [[0.7, 0.2, 0.1], {"A bug": 0.2, "other": 0.1, "Billing": 0.7}])
def test_the_probability_of_the_chosen_option_is_the_confidence(written):
    out = judged(index=1, confidence=0.9, probabilities=written).outputs["decision"]
    assert out.confidence == pytest.approx(0.2)
    assert (out.confidence_kind, out.native_confidence) == ("native-probability", 0.9)


@pytest.mark.parametrize(
    "written, reason",
    [
        ({"Billing": 0.9, "A bug": 0.1}, "are not over the options that were sent"),
        ({"Billing": 0.7, "A bug": 0.2, "other": 0.1, "more": 0.0}, "are not over the options that were sent"),
        ({"billing": 0.7, "A bug": 0.2, "other": 0.1}, "are not over the options that were sent"),
        ({"Billing": 0.7, "A bug": 0.2, "\udfff": 0.1}, "half of a surrogate pair"),
        ([0.7, 0.3], "has 2 entries for 3 options"),
        ([0.7, 0.2, 0.2], "sum to 1.100"),
        ([0.5, 0.2, 0.2], "sum to 0.900"),
        ([0, 0, 0], "sum to 0.000"),
        ([1.2, -0.1, -0.1], "probabilities 1.2 is outside 0-1"),
        ([float("nan"), 0.5, 0.5], "probabilities nan is outside 0-1"),
        ([True, 0, 0], "probabilities is bool, not a number"),
        (["0.7", 0.2, 0.1], "probabilities is str, not a number"),
        ([10**400, 0, 0], "is outside 0-1"),
        (0.7, "probabilities is float"),
        ("0.7", "probabilities is str"),
    ],
)
def test_probabilities_that_are_none(written, reason):
    assert reason in malformed(index=0, confidence=0.9, probabilities=written)


@pytest.mark.parametrize("written, expected", [([0.7, 0.2, 0.14], 0.7 / 1.04), ([0.7, 0.2, 0.06], 0.7 / 0.96)])
def test_a_rounded_sum_is_renormalised(written, expected):
    assert judged(index=0, probabilities=written).outputs["decision"].confidence == pytest.approx(expected)


def test_many_options_may_be_rounded_further_apart():
    shown = [(str(i), text_digest(str(i))) for i in range(20)]

    def outcome(total: float) -> str:
        answer = RawAnswer(index=0, probabilities=[total / 20] * 20)
        return judge_reply(Reply(answers={"decision": answer}), shown, [SLOT]).outcome

    assert [outcome(t) for t in (0.79, 0.81, 1.19, 1.21)] == ["malformed", "valid", "valid", "malformed"]


def test_the_stop_reason_is_looked_at_before_the_text():
    answers = {"decision": RawAnswer(index=0, confidence=1)}
    for field in ("refused", "truncated", "malformed"):
        j = judge_reply(Reply(answers=answers, **{field: "why"}), SHOWN, [SLOT])
        assert (j.outcome, j.reason, j.outputs) == (field, "why", {})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()), max_size=5),
    lambda v: (
        st.lists(v, max_size=4) | st.dictionaries(st.sampled_from(["Billing", "A bug", "other", "x"]), v, max_size=4)
    ),
    max_leaves=6,
)


@given(st.fixed_dictionaries({n: json_values for n in ("index", "label", "confidence", "probabilities")}))
def test_whatever_is_written_comes_to_valid_or_malformed(answer):
    j = judged(**answer)
    assert j.outcome in ("valid", "malformed") and (j.reason is None) == (j.outcome == "valid")
    for out in j.outputs.values():
        assert out.value == SHOWN[out.position][0] and 0 <= out.confidence <= 1
