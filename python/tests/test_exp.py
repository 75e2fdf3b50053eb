"""Exponentials against numpy's in float64, within the bounds that their documents state."""

import numpy as np
import pytest
from hotloops import exp

# Lowest and highest argument, and the bounds of the relative error.
RANGES = {
    "fast": (-87.3, 88.72, -0.0391, 0.0200),
    "accurate": (-21.834, 22.18, -0.00993, 0.00496),
    "poly": (-87.336, 88.7228, -4.3e-6, 4.3e-6),
}


@pytest.mark.parametrize("name", RANGES)
def test_errors_are_within_their_bounds(name):
    low, high, least, most = RANGES[name]
    x = np.linspace(low, high, 1_000_001).astype(np.float32)
    error = getattr(exp, name)(x).astype(float) / np.exp(x.astype(float)) - 1
    assert least <= error.min() and error.max() <= most
    # The bounds are reached but for the polynomial's, whose error is largest at single floats.
    assert name == "poly" or (error.min() < 0.98 * least and error.max() > 0.98 * most), (error.min(), error.max())


@pytest.mark.parametrize("name", RANGES)
def test_shapes_strides_and_numbers(name):
    function = getattr(exp, name)
    x = np.random.default_rng(1).standard_normal((3, 70_000), dtype=np.float32)
    y = function(x)
    assert y.shape == x.shape and y.dtype == np.float32
    assert (function(x[:, ::7]) == y[:, ::7]).all() and (function(x.T) == y.T).all()
    assert function(x[0, 0]) == y[0, 0] and function(x[:, :0]).shape == (3, 0)
    assert (function([0.0, 1.0]) == function(np.float32([0, 1]))).all()
    assert np.isnan(function(np.float32(np.nan)))


def test_ends_of_the_ranges():
    beyond = np.float32([-1000, 1000])
    assert (exp.poly(beyond) == [0, np.inf]).all() and exp.poly(np.float32(0)) == 1
    assert exp.accurate(beyond)[0] == 0 and 4.2e9 < exp.accurate(beyond)[1] < 4.3e9
    assert (np.abs(exp.fast(beyond) / np.float32([1.19e-38, 3.27e38]) - 1) < 0.01).all()
