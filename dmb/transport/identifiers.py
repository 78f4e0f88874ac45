"""Words that name somebody or open something: keys, account and organisation ids, request ids, addresses of e-mail.

Texts of errors hold them in any place. A word is recognised by its shape, so what is no identifier and looks like one
goes as well; a text loses nothing by that which anybody would count.
"""

from __future__ import annotations

import re

BLOT = "[scrubbed]"

#: Before and after a word.
_B, _E = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

#: What ids and keys begin with, at the vendors that are asked and at those whose keys lie about on the same machines.
_PREFIXES = (
    "sk|pk|rk|ak|key|apikey|api|token|tok|org|organization|proj|project|user|usr|acct|account|team|tenant|workspace|"
    "wrkspc|req|request|resp|rs|msg|chatcmpl|cmpl|gen|dec|call|toolu|file|batch|run|session|sess|trace|span|id"
)

#: Rules that hold for every text, names of models included.
_CERTAIN = (
    # e-mail
    r"(?<![\w.+%-])[\w.+%-]++@[\w-]+(?:\.[\w-]+)+",
    # what follows a scheme of authorization
    r"(?i:\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}+",
    # tokens of known makes
    _B + r"(?:AIza|ya29\.|eyJ|gh[pousr]_|hf_|AKIA|ASIA|xox[a-z]-|sk-|nvapi-|gsk_|xai-)[\w.*~+/=-]{6,}+",
    # a prefix, and an id that has a digit or stars, or mixes capitals with small letters
    _B + rf"(?:{_PREFIXES})[-_:=.](?=[\w*-]{{0,200}}?(?:[0-9*]|[a-z][A-Z]))[\w.*~+/@=-]{{4,}}+",
    # a UUID
    _B + r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}" + _E,
    # 16 hex digits, letters and digits among them, and what hangs on them by a dot
    _B + r"(?=[a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{16,}+(?:\.[\w-]{6,}+|" + _E + ")",
    # letters and digits in one long run, or digits alone
    _B + r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{24,}+",
    r"(?<![\w.])[0-9]{12,}+(?!\.[0-9])",
)

#: Rules that would catch names of models.
_LIKELY = (
    # numbers of accounts and projects; no fraction has so many digits before its point
    r"(?<![\w.])[0-9]{9,}+(?!\.[0-9])",
    # letters and digits in one run
    _B + r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,}+",
    # the same with hyphens, underscores, slashes and the like, capitals and small letters among them
    r"(?<![\w+/=-])(?=[\w+/=-]*[0-9])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[\w+/=-]{24,}+",
)

_IN_NAMES_OF_MODELS = re.compile("|".join(_CERTAIN))
_ANYWHERE = re.compile("|".join((*_CERTAIN, *_LIKELY)))

#: A URL's credentials and its query.
_USER_IN_URL = re.compile(r"(?<=://)[^\s/@\"'<>?#]++@")
_QUERY = re.compile(r"(https?://[^\s\"'<>?#]{1,2000}+\?)[^\s\"'<>#]++")


def blot_identifiers(text: str, known: str = "", names_a_model: bool = False) -> str:
    """The text without such words. ``known``: a text that is written down anyway; words that stand in it stay.

    ``names_a_model``: names of models have digits, hyphens and capitals themselves, so fewer rules hold.
    """
    text = _QUERY.sub(rf"\1{BLOT}", _USER_IN_URL.sub(f"{BLOT}@", text))
    pattern = _IN_NAMES_OF_MODELS if names_a_model else _ANYWHERE
    return pattern.sub(lambda m: m[0] if m[0] in known else BLOT, text)
