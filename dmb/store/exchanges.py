"""Recorded exchanges with providers: one file a request, named by its key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from dmb.canonical import digest
from dmb.contracts.recording import RecordedExchange, RecordedRequest, Recording
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.kernel_lock import KernelLock
from dmb.store.files import file_sha256, load_json, pretty_json, write_whole

#: Held in a provider's folder by whoever adds an exchange: threads, processes and hosts take turns.
LOCK = ".lock"


class ExchangeFolder:
    """``<folder>/<provider>/<first 16 digits of the key>.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        """Raises ``MissingEvidence`` where there is no such folder to read from."""
        if not self._folder.is_dir():
            raise MissingEvidence(
                f"{self._folder}: is no folder of recorded exchanges; record them with DMB_RECORD first"
            )

    def make(self) -> None:
        """Make it, unless it is there. Raises ``DmbError`` where nothing can be written."""
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)

    def digest(self) -> str:
        """64 hex digits over all recordings: other exchanges, another digest. Raises as ``check`` does."""
        self.check()
        files = sorted(self._folder.glob("*/*.json"))
        return digest([[f.relative_to(self._folder).as_posix(), file_sha256(f)] for f in files])

    def path(self, provider: str, key: str) -> Path:
        """Where a request's exchanges lie."""
        return self._folder / provider / f"{key[:16]}.json"

    def load(self, provider: str, key: str) -> Recording | None:
        """What was recorded of that request; None when nothing was. Raises ``DamagedFile``, or ``DmbError`` for a
        file that cannot be read."""
        path = self.path(provider, key)
        if not path.exists():
            return None
        try:
            return Recording.model_validate(load_json(path))
        except OSError as e:
            raise DmbError(f"{path}: cannot be read: {e.strerror}") from None
        except ValidationError as e:
            first = e.errors()[0]
            at = ".".join(map(str, first["loc"]))
            raise DamagedFile(
                f"{path}: is damaged: {at}: {first['msg']}; put the right file back, or record it anew"
            ) from None

    def add(self, key: str, request: RecordedRequest, exchange: RecordedExchange) -> None:
        """One exchange more of that request. Raises ``DamagedFile``, or ``DmbError`` where it cannot be written."""
        path = self.path(request.provider, key)
        with self._writing():
            path.parent.mkdir(parents=True, exist_ok=True)
            with _turn(path.with_name(LOCK)):
                before = self.load(request.provider, key) or Recording(key=key, request=request, exchanges=())
                if (before.key, before.request) != (key, request):
                    raise DamagedFile(
                        f"{path}: is no recording of key {key}, which would be written there; move it away"
                    )
                self.save(before.model_copy(update={"exchanges": (*before.exchanges, exchange)}))

    def save(self, recording: Recording) -> None:
        """Replace what was recorded of a request."""
        told = recording.model_dump(mode="json", exclude_none=True)
        write_whole(self.path(recording.request.provider, recording.key), pretty_json(told))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as e:
            raise DmbError(f"{self._folder}: exchanges cannot be recorded there: {e.strerror}") from None


@contextmanager
def _turn(lock: Path) -> Iterator[None]:
    """Opened anew each time: threads that shared an open file would share the lock."""
    held = KernelLock(lock)
    try:
        held.acquire()
        yield
    finally:
        held.close()
