"""Cells of several runs, checked before anything is combined; a later run's cell takes the place of an earlier one whole."""
