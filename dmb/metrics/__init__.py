"""Metrics: columns in, numbers out. Nothing here knows an item, a contender or a file."""

from dmb.metrics.accuracy_band import accuracy_band
from dmb.metrics.brier_parts import BrierParts, brier_parts
from dmb.metrics.calibration import Bin, brier, ece, reliability
from dmb.metrics.cluster import cluster_interval
from dmb.metrics.cost import cost_per_1000
from dmb.metrics.debiased_ece import debiased_ece
from dmb.metrics.f1 import macro_f1
from dmb.metrics.flips import ece_drift, flip_rate
from dmb.metrics.histogram import dominant, prediction_histogram
from dmb.metrics.log_loss import given_to_outcome, log_loss
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.noise_floor import ece_floor
from dmb.metrics.paired import discordant, paired_difference
from dmb.metrics.percentiles import percentile
from dmb.metrics.position import PartRate, position_effect, position_rates
from dmb.metrics.quantiles import normal_quantile, t_quantile
from dmb.metrics.rates import rate
from dmb.metrics.repeats import disagreement_rate, item_medians
from dmb.metrics.risk_coverage import RiskPoint, aurc, coverage_at_risk, risk_coverage
from dmb.metrics.significance import holm, least_p_value, mcnemar_exact, paired_p_value, rank_ranges, sign_flip_exact
from dmb.metrics.smooth_ece import smooth_ece
from dmb.metrics.thresholds import ThresholdRow, group_folds, threshold_table
from dmb.metrics.timing import is_lagged, median, share
from dmb.metrics.trend import Trend, log2_trend
from dmb.metrics.wilson import wilson

__all__ = [
    "Bin",
    "BrierParts",
    "Measure",
    "PartRate",
    "RiskPoint",
    "ThresholdRow",
    "Trend",
    "accuracy_band",
    "aurc",
    "brier",
    "brier_parts",
    "cluster_interval",
    "cost_per_1000",
    "coverage_at_risk",
    "debiased_ece",
    "disagreement_rate",
    "discordant",
    "dominant",
    "ece",
    "ece_drift",
    "ece_floor",
    "flip_rate",
    "given_to_outcome",
    "group_folds",
    "holm",
    "is_lagged",
    "item_medians",
    "least_p_value",
    "log2_trend",
    "log_loss",
    "macro_f1",
    "mcnemar_exact",
    "median",
    "normal_quantile",
    "paired_difference",
    "paired_p_value",
    "percentile",
    "position_effect",
    "position_rates",
    "prediction_histogram",
    "rank_ranges",
    "rate",
    "reliability",
    "risk_coverage",
    "share",
    "sign_flip_exact",
    "smooth_ece",
    "t_quantile",
    "threshold_table",
    "unknown",
    "wilson",
]
