"""JSON of any shape, made of the words that a wire's replies are made of: hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def any_json(
    words: st.SearchStrategy[str], values: st.SearchStrategy[Any], length: int = 3, leaves: int = 15
) -> st.SearchStrategy[Any]:
    """``words``: keys of objects; ``values``: what stands in them beside numbers. Lists and objects hold about ``length``."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | values,
        lambda v: st.lists(v, max_size=length) | st.dictionaries(words, v, max_size=length + 2),
        max_leaves=leaves,
    )
