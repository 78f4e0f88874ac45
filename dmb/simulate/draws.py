"""Everything that looks like chance here: a hash of the seed, a digest and a purpose. No generator, no state."""

from __future__ import annotations

import hashlib


class Draw:
    """Numbers that are the same for the same seed and digest, whoever asks, in whatever order."""

    def __init__(self, seed: int, digest: str) -> None:
        self._seed = seed
        self._start = hashlib.sha256(f"{seed}:{digest}:".encode())

    def of(self, digest: str) -> Draw:
        """The draw of something else under the same seed."""
        return Draw(self._seed, digest)

    def below(self, n: int, purpose: str) -> int:
        """A whole number from 0 to below ``n``."""
        return self._number(purpose) % n

    def fraction(self, purpose: str) -> float:
        """From 0 to below 1."""
        return (self._number(purpose) >> 11) / (1 << 53)

    def word(self, purpose: str) -> str:
        """24 hexadecimal digits, for ids."""
        return f"{self._number(purpose):016x}{self._number(purpose + '+'):016x}"[:24]

    def _number(self, purpose: str) -> int:
        state = self._start.copy()
        state.update(purpose.encode())
        return int.from_bytes(state.digest()[:8], "big")
