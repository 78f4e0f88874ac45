"""Addresses that people write down: fit to be called, and without a key in them. No message repeats one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

#: What an address is written with.
_VISIBLE = re.compile(r"[!-~]+")


def fault_of(address: str) -> str | None:
    """What is wrong with a provider's address, in words that hold nothing of it; None where nothing is.

    A user name, a password, a query and a fragment are where keys stand in addresses. They would be in plans, logs and
    error messages, and nothing of them would be sent.
    """
    if not _VISIBLE.fullmatch(address):
        return "is empty or holds a blank or a character that no address has"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return "is no address of the form http://host or https://host"
    if "@" in parts.netloc:
        return "holds a user name or a password"
    if "?" in address or "#" in address:
        return "holds a query or a fragment"
    return None


def is_private(address: str | None) -> bool:
    """Whether nobody on the way can read what is sent there: over TLS, or within this machine."""
    parts = urlsplit(address or "")
    return parts.scheme != "http" or parts.hostname in ("127.0.0.1", "::1", "localhost")
