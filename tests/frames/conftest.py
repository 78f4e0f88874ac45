"""Runs that were really asked, published as a release."""

from tests.merge.conftest import template

__all__ = ["template"]
