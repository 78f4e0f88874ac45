"""Drawings for the page: SVG made by plain functions, coloured by the page's own sheet, readable without scripts."""
