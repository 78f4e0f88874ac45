"""Faults of what is on the wire beside or instead of the answer."""

from __future__ import annotations

import gzip

from dmb.simulate.draft import Draft

_PAGE = b"<!doctype html><html><head><title>%b</title></head><body><h1>%b</h1><hr>simulated proxy</body></html>\n"

#: Nothing listens there.
_ELSEWHERE = "http://127.0.0.1:9/moved"


def wrong_model(draft: Draft) -> None:
    """The reply says that another model served it. It answers, and is billed as the one that was asked."""
    draft.model = f"{draft.model}-but-another"


def html_502(draft: Draft) -> None:
    """502 with a page of HTML, from a proxy in between."""
    _page(draft, 502, b"502 Bad Gateway")


def html_200(draft: Draft) -> None:
    """200 with a page of HTML."""
    _page(draft, 200, b"Sign in")


def redirect(draft: Draft) -> None:
    """307 to another host's port, where nobody listens."""
    draft.raw = (307, "text/plain", b"moved\n")
    draft.headers.append(("location", _ELSEWHERE))
    draft.worked = False


def wrong_content_type(draft: Draft) -> None:
    """A good reply that calls itself text/plain."""
    draft.content_type = "text/plain; charset=utf-8"


def non_utf8(draft: Draft) -> None:
    """Two bytes in the body are no UTF-8."""
    draft.bytes.append(lambda body: body[:2] + b"\xff\xfe" + body[2:])


def cut_json(draft: Draft) -> None:
    """Half of the body, announced as if it were the whole."""
    draft.bytes.append(lambda body: body[: len(body) // 2])


def empty_body(draft: Draft) -> None:
    """200 and no body at all."""
    draft.bytes.append(lambda body: b"")


def huge_body(draft: Draft, *, mb: float = 8.0) -> None:
    """The reply is padded to about `mb` megabytes."""
    draft.bytes.append(lambda body: body[:-1] + b', "padding": "' + b"x" * int(mb * 1_000_000) + b'"}')


def gzip_encoded(draft: Draft) -> None:
    """The body is compressed, and says so."""
    draft.headers.append(("content-encoding", "gzip"))
    draft.bytes.append(lambda body: gzip.compress(body, 6, mtime=0))


def _page(draft: Draft, status: int, title: bytes) -> None:
    draft.raw = (status, "text/html; charset=utf-8", _PAGE % (title, title))
    draft.worked = False
