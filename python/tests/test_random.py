import pickle

import numpy as np
import pytest
from hotloops.random import BitGenerator


def test_each_lane_is_the_generator_of_numpy():
    for lanes in (4, 8, 16):
        numbers = BitGenerator(list(range(lanes))).random_raw(700 * lanes).reshape(700, lanes)
        for seed in range(lanes):
            other = np.random.MT19937()
            other._legacy_seeding(seed)
            assert (numbers[:, seed] == other.random_raw(700)).all()


def test_distributions_of_numpy():
    rng = np.random.Generator(BitGenerator(7))
    normal = rng.standard_normal(200_000)
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    assert (np.bincount(rng.integers(0, 6, 60_000)) > 9000).all()
    uniform = rng.random(1000)
    assert uniform.min() >= 0 and uniform.max() < 1


def test_one_lane_of_doubles_by_numpy():
    # Two numbers of 32 bits make a double, as in numpy's own MT19937.
    seeds = [3] * 4
    words = BitGenerator(seeds).random_raw(20).astype(np.uint64)
    doubles = ((words[::2] >> np.uint64(5)) * 2.0**26 + (words[1::2] >> np.uint64(6))) / 2.0**53
    assert (np.random.Generator(BitGenerator(seeds)).random(10) == doubles).all()


def test_state_and_pickle():
    generator = BitGenerator(11, lanes=8)
    np.random.Generator(generator).random(12_345)
    state = generator.state
    copy = pickle.loads(pickle.dumps(generator))
    expected = generator.random_raw(10_000)
    assert (copy.random_raw(10_000) == expected).all()
    generator.state = state
    assert (generator.random_raw(10_000) == expected).all()
    with pytest.raises(ValueError, match="state"):
        generator.state = {"bit_generator": "MT19937"}


def test_seeds():
    assert (BitGenerator(5).random_raw(9) == BitGenerator(5).random_raw(9)).all()
    assert (BitGenerator().random_raw(9) != BitGenerator().random_raw(9)).any()
    with pytest.raises(ValueError, match="lanes"):
        BitGenerator([1, 2, 3])
