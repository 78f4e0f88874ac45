"""A contract as one line of a ``.jsonl`` log."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from dmb.canonical import json_line


def row_bytes(row: BaseModel) -> bytes:
    """The row in ASCII with its line feed, fields in the order of the contract; what is None is left out.

    Everything that is not ASCII is escaped, so that no byte in it can be a line break.
    """
    try:
        return (row.model_dump_json(exclude_none=True, ensure_ascii=True) + "\n").encode("ascii")
    except PydanticSerializationError:
        # the quick writer refuses half of a surrogate pair, which a server may have sent
        return json_line(row.model_dump(mode="json", exclude_none=True)).encode("ascii")
