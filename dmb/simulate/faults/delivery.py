"""Faults of when and how the bytes leave."""

from __future__ import annotations

from typing import Literal

from dmb.simulate.draft import Draft


def delay(draft: Draft, *, ms: int = 1000) -> None:
    """The whole reply comes `ms` later."""
    draft.delivery.delay_ms += ms


def slow_drip(draft: Draft, *, bytes: int = 64, ms: int = 100) -> None:
    """The body comes `bytes` at a time, with `ms` between: no read ever times out, and the whole takes long."""
    draft.delivery.drip_bytes, draft.delivery.drip_ms = max(1, bytes), ms


def reset(draft: Draft) -> None:
    """The connection is reset before any byte of a reply."""
    _break(draft, "reset")


def close(draft: Draft) -> None:
    """The connection is closed, politely, before any byte of a reply."""
    _break(draft, "close")


def reset_mid_body(draft: Draft, *, bytes: int = 40) -> None:
    """The connection is reset after `bytes` of the body. The model had worked: it is billed."""
    draft.delivery.ending, draft.delivery.cut_at = "reset", bytes


def close_mid_body(draft: Draft, *, bytes: int = 40) -> None:
    """The connection is closed after `bytes` of the body, which are fewer than were announced. It is billed."""
    draft.delivery.ending, draft.delivery.cut_at = "close", bytes


def _break(draft: Draft, ending: Literal["reset", "close"]) -> None:
    draft.delivery.ending = ending
    draft.worked = False
