"""Drawings for the page: SVG made by plain functions, coloured by the page's own sheet, readable without scripts."""

from dmb.publish.figures.canvas import Figure

__all__ = ["Figure"]
