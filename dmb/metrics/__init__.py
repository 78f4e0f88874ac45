"""Metrics: columns in, numbers out. Nothing here knows an item, a contender or a file."""

from dmb.metrics.calibration import Bin, brier, ece, reliability
from dmb.metrics.cluster import cluster_interval
from dmb.metrics.cost import cost_per_1000
from dmb.metrics.f1 import macro_f1
from dmb.metrics.flips import ece_drift, flip_rate
from dmb.metrics.histogram import dominant, prediction_histogram
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.percentiles import percentile
from dmb.metrics.quantiles import normal_quantile, t_quantile
from dmb.metrics.rates import rate
from dmb.metrics.repeats import disagreement_rate, item_medians
from dmb.metrics.timing import is_lagged, median, share
from dmb.metrics.wilson import wilson

__all__ = [
    "Bin",
    "Measure",
    "brier",
    "cluster_interval",
    "cost_per_1000",
    "disagreement_rate",
    "dominant",
    "ece",
    "ece_drift",
    "flip_rate",
    "is_lagged",
    "item_medians",
    "macro_f1",
    "median",
    "normal_quantile",
    "percentile",
    "prediction_histogram",
    "rate",
    "reliability",
    "share",
    "t_quantile",
    "unknown",
    "wilson",
]
