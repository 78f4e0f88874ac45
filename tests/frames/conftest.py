"""Runs that were really asked, published as a release."""

from tests.merge.conftest import ground, template

__all__ = ["ground", "template"]
