"""Suite `cardinality`: one planted answer among N catalogue entries, for a sweep of N.

A base question has a catalogue of 512 entries with six attributes and a request that names all six values: ``verbatim``
of them in the catalogue's own words, the others in other words. It also names, in the catalogue's words, one value that
is no longer wanted, of an attribute whose wanted value is said in other words. So comparing words finds some of the
attributes and is misled in one.

The catalogue is made first and is as regular as a chessboard: seen from any entry the others lie alike. Only then the
seed draws which entry is asked for, and which entries an item shows, so nothing about the options by themselves
(length, place, being central or an outlier) can point to the answer.

Tiers say how much a distractor has in common with the answer, in attributes out of six, at N = 512:

    near    every distractor differs in 1 or 2
    mixed   255 distractors differ in 1 or 2, the other 256 in 5 or 6
    far     every distractor differs in 4 or more
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from dmb import sampling
from dmb.errors import InputError
from dmb.suites.built import BuilderArgs, Built, BuiltItem
from dmb.suites.cardinality_texts import DOMAINS, Domain

CATALOGUE = 512
NARROW = 8
WIDE = 64
ATTRIBUTES = 6
TIERS = ("near", "mixed", "far")
THIRDS = ("start", "middle", "end")

#: One entry: for each attribute of the domain, the index of its value.
Entry = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BaseQuestion:
    """A catalogue, the request, and which entry is meant. ``shown_first``: the order in which N adds entries.

    ``verbatim``: the attributes that the request names in the catalogue's words. ``lure``: the attribute of which it
    names a value that is no longer wanted.
    """

    id: str
    domain: Domain
    tier: str
    entries: tuple[Entry, ...]
    answer: int
    shown_first: tuple[int, ...]
    verbatim: frozenset[int]
    lure: int
    state: str


def build(args: BuilderArgs) -> Built:
    """All items, by base question and then by N.

    Params: ``seed``, ``sweep`` (values of N), ``per_domain``, ``verbatim`` (attributes said in the catalogue's words).
    Raises ``InputError`` for a parameter that is missing or out of range.
    """
    seed, sweep, per_domain, verbatim = _params(args)
    questions = base_questions(seed, per_domain, verbatim)
    slot = args.slots[0]
    items = []
    places = {n: planted_positions(seed, n, len(questions)) for n in sweep}
    for j, question in enumerate(questions):
        for n in sweep:
            place = places[n][j]
            items.append(
                BuiltItem(
                    id=f"{question.id}-n{n:03d}",
                    state=question.state,
                    option_set=question.id,
                    order=shown_order(question, n, place, seed),
                    gold={slot: option_id(question.answer)},
                    group=question.id,
                    stratum=question.tier,
                    slices=_slices(n, question.tier, place),
                )
            )
    sets = {q.id: tuple((option_id(i), entry_text(q.domain, e)) for i, e in enumerate(q.entries)) for q in questions}
    return Built(option_sets=sets, items=tuple(items))


def _slices(n: int, tier: str, place: int) -> dict[str, str | int | bool]:
    """Two options have no middle: with them, a slice by place would be a slice by N."""
    third = THIRDS[3 * (2 * place + 1) // (2 * n)]
    return {"n_options": n, "tier": tier} | ({"position": third} if n >= len(THIRDS) else {})


def option_id(index: int) -> str:
    """The id of the catalogue's entry with this index; entries stand in drawn order, so it says nothing."""
    return f"o{index:03d}"


def base_questions(seed: int, per_domain: int, verbatim: int) -> tuple[BaseQuestion, ...]:
    """All base questions, domain by domain, with the tiers dealt out in turn."""
    questions: list[BaseQuestion] = []
    for domain in DOMAINS:
        used: Counter[int] = Counter()
        for instance in range(per_domain):
            question = _base_question(seed, domain, instance, len(questions), verbatim, used)
            used.update(question.verbatim)
            questions.append(question)
    return tuple(questions)


def _base_question(
    seed: int, domain: Domain, instance: int, number: int, verbatim: int, used: Counter[int]
) -> BaseQuestion:
    """``used``: how often the domain's attributes were said verbatim before."""
    name = f"{domain.id}-{instance + 1}"
    tier = TIERS[number % len(TIERS)]
    narrow = [a for a in range(len(domain.attributes)) if a != domain.dial]
    varied = narrow[number // len(TIERS) % len(narrow)]
    grid = {"near": _near, "mixed": _mixed, "far": _far}[tier](domain.dial, narrow, varied)
    # Which number of the grid stands for which value is drawn per attribute, and so is the order of the catalogue.
    sizes = [WIDE if a == domain.dial else NARROW for a in range(len(domain.attributes))]
    names = [sampling.permutation(size, seed, name, "value", a) for a, size in enumerate(sizes)]
    entries = [tuple(names[a][v] for a, v in enumerate(entry)) for entry in grid]
    entries = [entries[i] for i in sampling.permutation(CATALOGUE, seed, name, "catalogue")]
    answer = sampling.rank(seed, name, "answer") % CATALOGUE
    others = [i for i in sampling.permutation(CATALOGUE, seed, name, "shown") if i != answer]
    lure = varied if tier != "far" else sampling.pick(range(len(domain.attributes)), seed, name, "lure")
    # The least used first, so that the attributes take turns; the lure's own only when all are said verbatim.
    drawn = sampling.permutation(len(domain.attributes), seed, name, "verbatim")
    own = frozenset(sorted(drawn, key=lambda a: (a == lure, used[a]))[:verbatim])
    return BaseQuestion(
        id=name,
        domain=domain,
        tier=tier,
        entries=tuple(entries),
        answer=answer,
        shown_first=(answer, *others),
        verbatim=own,
        lure=lure,
        state=request_text(domain, entries[answer], own, lure, seed, name, instance),
    )


def _near(dial: int, narrow: Sequence[int], varied: int) -> list[Entry]:
    """The dial and one more attribute take all 64 x 8 pairs of values; the other four stay as they are."""
    return [_entry(dial, narrow, d, {varied: v}) for d in range(WIDE) for v in range(NARROW)]


def _mixed(dial: int, narrow: Sequence[int], varied: int) -> list[Entry]:
    """Two families of 64 x 4: alike within, different in everything but the dial between."""
    other = {a: 1 for a in narrow}
    return [
        _entry(dial, narrow, d, {varied: v} if v < NARROW // 2 else other | {varied: v})
        for d in range(WIDE)
        for v in range(NARROW)
    ]


def _far(dial: int, narrow: Sequence[int], varied: int) -> list[Entry]:
    """A Reed-Solomon code over GF(8): two of its 512 words share at most two of the seven places.

    The five narrow attributes take one place each and the dial two, so two entries agree in at most two attributes.
    """
    words = [(a, b, c) for a in range(NARROW) for b in range(NARROW) for c in range(NARROW)]
    places = [[a ^ _gf8(b, x) ^ _gf8(c, _gf8(x, x)) for x in range(len(narrow) + 2)] for a, b, c in words]
    return [_entry(dial, narrow, NARROW * p[-2] + p[-1], dict(zip(narrow, p, strict=False))) for p in places]


def _entry(dial: int, narrow: Sequence[int], dial_value: int, values: dict[int, int]) -> Entry:
    return tuple(dial_value if a == dial else values.get(a, 0) for a in range(len(narrow) + 1))


def _gf8(a: int, b: int) -> int:
    """Product in the field of eight elements (polynomials over GF(2) modulo x^3 + x + 1)."""
    product = a * (b & 1) ^ (a << 1) * (b >> 1 & 1) ^ (a << 2) * (b >> 2 & 1)
    for degree in (4, 3):
        if product >> degree & 1:
            product ^= 0b1011 << (degree - 3)
    return product


def entry_text(domain: Domain, entry: Entry) -> str:
    """A catalogue entry as contenders see it: six values, in the domain's order."""
    return "; ".join(a.values[v].entry for a, v in zip(domain.attributes, entry, strict=True))


def request_text(
    domain: Domain, entry: Entry, verbatim: Set[int], lure: int, seed: int, name: str, instance: int
) -> str:
    """The state: all six values, those of ``verbatim`` in the entry's words, and one that is no longer wanted."""
    clauses = []
    for a in sampling.permutation(len(domain.attributes), seed, name, "clauses"):
        attribute = domain.attributes[a]
        value = attribute.values[entry[a]]
        said = value.verbatim if a in verbatim else sampling.pick(value.request, seed, name, "wording", a)
        clauses.append(attribute.clause.format(said))
    unwanted = domain.attributes[lure]
    past = [v.verbatim for i, v in enumerate(unwanted.values) if i != entry[lure]]
    first, second, third, fourth, fifth, sixth = clauses
    sentences = [
        f"{first}, and {second}",
        third,
        unwanted.before.format(sampling.pick(past, seed, name, "unwanted")),
        f"{fourth}, and {fifth}",
        sixth,
    ]
    text = " ".join(s[0].upper() + s[1:] + "." for s in sentences)
    opening = domain.openings[instance % len(domain.openings)]
    return f"{opening} {text} {domain.closings[instance % len(domain.closings)]}"


def planted_positions(seed: int, n: int, questions: int) -> tuple[int, ...]:
    """For each base question, where in a list of ``n`` its answer stands.

    The list is cut into as many stretches as there are questions; each question gets one, and a place within it.
    """
    places = []
    for j, stretch in enumerate(sampling.permutation(questions, seed, "stretch", n)):
        low = stretch * n // questions
        high = max(low + 1, (stretch + 1) * n // questions)
        places.append(low + sampling.rank(seed, "place", n, j) % (high - low))
    return tuple(places)


def shown_order(question: BaseQuestion, n: int, place: int, seed: int) -> tuple[int, ...]:
    """The catalogue indices that the item with ``n`` options shows: a fresh shuffle, with the answer at ``place``."""
    others = sampling.shuffled(question.shown_first[1:n], seed, f"{question.id}/order/{n}")
    return (*others[:place], question.answer, *others[place:])


def _params(args: BuilderArgs) -> tuple[int, tuple[int, ...], int, int]:
    """(seed, sweep, base questions a domain, attributes said verbatim), checked."""

    def wrong(key: str, expected: str) -> InputError:
        return InputError(
            f"data/suites/{args.suite}.toml", f"items.params.{key}", f"found {params.get(key)!r}; expected {expected}"
        )

    def whole(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    params = args.params
    seed, sweep, per_domain = params.get("seed"), params.get("sweep"), params.get("per_domain")
    verbatim = params.get("verbatim")
    if not whole(seed):
        raise wrong("seed", "a whole number")
    if not isinstance(sweep, (list, tuple)) or not all(whole(n) and 2 <= n <= CATALOGUE for n in sweep):
        raise wrong("sweep", f"a list of whole numbers from 2 to {CATALOGUE}")
    if not sweep or len(set(sweep)) != len(sweep):
        raise wrong("sweep", "at least one number, none twice")
    if not whole(per_domain) or not 1 <= per_domain <= 20:
        raise wrong("per_domain", "a whole number from 1 to 20")
    if not whole(verbatim) or not 0 <= verbatim <= ATTRIBUTES:
        raise wrong("verbatim", f"a whole number from 0 to {ATTRIBUTES}")
    return seed, tuple(sweep), per_domain, verbatim
