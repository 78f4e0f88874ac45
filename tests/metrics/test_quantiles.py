import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import normal_quantile, t_quantile

PROBABILITIES = [1e-6, 0.001, 0.025, 0.05, 0.3, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.999999]
DEGREES = [0.3, 1, 1.5, 2, 3, 4, 10, 24, 99, 299, 1000, 4999, 5000, 5001, 1e5, 1e7]


def test_printed_tables():
    assert round(normal_quantile(0.975), 6) == 1.959964
    assert round(t_quantile(0.975, 1), 3) == 12.706
    assert round(t_quantile(0.975, 24), 3) == 2.064
    assert round(t_quantile(0.95, 10), 3) == 1.812


def test_closed_forms():
    # df 1 is Cauchy: tan(pi (p - 1/2)); df 2: (2p - 1) sqrt(2 / (4 p (1 - p)))
    assert t_quantile(0.75, 1) == pytest.approx(1.0, rel=1e-14)
    assert t_quantile(0.75, 2) == pytest.approx(0.5 * (2 / 0.75) ** 0.5, rel=1e-14)


@pytest.mark.parametrize("df", DEGREES)
def test_against_scipy(df):
    stats = pytest.importorskip("scipy.stats", reason="oracle for quantiles: scipy is not installed")
    for p in PROBABILITIES:
        assert t_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-10)
        assert normal_quantile(p) == pytest.approx(float(stats.norm.ppf(p)), rel=1e-10)


@given(st.floats(0.001, 0.999), st.integers(1, 20_000))
def test_symmetric_and_wider_than_normal(p, df):
    t = t_quantile(p, df)
    assert t == pytest.approx(-t_quantile(1.0 - p, df), rel=1e-9, abs=1e-12)
    assert abs(t) >= abs(normal_quantile(p)) * (1 - 1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, float("nan")])
def test_impossible_probabilities_are_refused(p):
    with pytest.raises(ValueError, match="p must"):
        t_quantile(p, 5)
    with pytest.raises(ValueError, match="p must"):
        normal_quantile(p)


@pytest.mark.parametrize("df", [0, -1, float("inf"), float("nan")])
def test_impossible_degrees_are_refused(df):
    with pytest.raises(ValueError, match="degrees"):
        t_quantile(0.9, df)
