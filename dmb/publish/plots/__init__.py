"""Pictures of a release, the same bytes whenever they are drawn from the same numbers."""

from dmb.publish.plots.cardinality import cardinality_plot
from dmb.publish.plots.reliability import reliability_plots
from dmb.publish.plots.style import GRID, INK, MUTED, PAPER, Plot

__all__ = ["GRID", "INK", "MUTED", "PAPER", "Plot", "cardinality_plot", "reliability_plots"]
