"""DMB: an independent, reproducible benchmark of typed decisions."""

__version__ = "0.1.0"
