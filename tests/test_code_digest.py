"""A digest of what code means."""

from __future__ import annotations

import pytest

from dmb.code_digest import folder_digest, python_digest

CODE = '''"""About."""
LIMIT = 3

class Box:
    """A box."""

    def put(self, x: int = 1) -> int:
        """Put."""
        return x + LIMIT  # and no more

async def wait():
    "Wait."
'''

SAME = {
    "comment": ("# and no more", "# something else"),
    "comment removed": ("  # and no more", ""),
    "module docstring": ("About.", "Something else."),
    "class docstring": ("A box.", "A crate."),
    "function docstring": ("Put.", "Put it in.\n\n        Twice."),
    "async docstring": ('"Wait."', "'''For\n    ever.'''"),
    "docstring removed": ('        """Put."""\n', ""),
    "only docstring in the body": ('"Wait."', "pass"),
    "blank lines": ("class Box", "\n\n\nclass Box"),
    "layout": ("x + LIMIT", "(x +\n            LIMIT)"),
}
OTHER = {
    "constant": ("LIMIT = 3", "LIMIT = 4"),
    "kind of constant": ("LIMIT = 3", "LIMIT = 3.0"),
    "constant as text": ("LIMIT = 3", "LIMIT = '3'"),
    "none": ("LIMIT = 3", "LIMIT = None"),
    "operator": ("x + LIMIT", "x - LIMIT"),
    "order": ("x + LIMIT", "LIMIT + x"),
    "name": ("Box", "Boxes"),
    "default": ("x: int = 1", "x: int"),
    "annotation": ("x: int = 1", "x: float = 1"),
    "keyword only": ("(self, x", "(self, *, x"),
    "return": ("return x", "x"),
    "bare return": ("return x + LIMIT", "return"),
    "text that is no docstring": ("return x", "'Put.'\n        return x"),
    "sync": ("async def", "def"),
}


@pytest.mark.parametrize("old, new", SAME.values(), ids=SAME)
def test_what_means_the_same_has_one_digest(old, new):
    assert old in CODE
    assert python_digest(CODE.replace(old, new)) == python_digest(CODE)


@pytest.mark.parametrize("old, new", OTHER.values(), ids=OTHER)
def test_any_change_of_code_has_another_digest(old, new):
    assert old in CODE
    assert python_digest(CODE.replace(old, new)) != python_digest(CODE)


def test_places_in_the_tree_are_kept_apart():
    assert (
        len(
            {
                python_digest(c)
                for c in ("f(a, *b)", "f(a)", "f(*b)", "f(a=b)", "f(**b)", "{**b}", "{None: b}", "[a][b]")
            }
        )
        == 8
    )


def test_the_digest_is_the_same_on_every_python():
    """Pinned: the lock and the keys outlive the Python that wrote them."""
    assert python_digest(CODE) == "7ebe1bfbfe3ac81ba30025d94feeaf5cce36ef7f690467841edd40d95e1561b0"


def test_a_folder_counts_paths_meaning_and_other_bytes(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/one.py").write_text("x = 1\n")
    (tmp_path / "page.j2").write_text("hello")
    (tmp_path / "left-out.txt").write_text("1")
    patterns = ("a/*.py", "*.j2")

    def now():
        return folder_digest(tmp_path, patterns)

    first = now()
    assert folder_digest(tmp_path, (*reversed(patterns), "a/one.py")) == first
    (tmp_path / "left-out.txt").write_text("2")
    (tmp_path / "a/one.py").write_text("# new\nx = 1\n")
    assert now() == first
    (tmp_path / "page.j2").write_text("hello ")
    second = now()
    (tmp_path / "a/one.py").rename(tmp_path / "a/two.py")
    third = now()
    (tmp_path / "a/three.py").write_text("")
    assert len({first, second, third, now()}) == 4
