"""A loopback provider that speaks every wire, with scripted faults."""

from __future__ import annotations

from dmb.simulate.simulator import Simulator

__all__ = ["Simulator"]
