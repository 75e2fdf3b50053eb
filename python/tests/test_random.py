import copy
import pickle
import threading

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


COPIES = {
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "old pickle": lambda one: pickle.loads(pickle.dumps(one, 2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_copies_continue_the_stream(how, lanes):
    generator = BitGenerator(11, lanes=lanes)
    np.random.Generator(generator).random(12_345)
    other = COPIES[how](generator)
    assert other is not generator and other.lanes == lanes
    expected = generator.random_raw(10_000)
    assert (other.random_raw(10_000) == expected).all()
    assert (other.random_raw(9) == generator.random_raw(9)).all()
    assert other.seed_seq.entropy == generator.seed_seq.entropy
    rng = np.random.Generator(generator)
    twin = COPIES[how](rng)
    if how != "copy":  # numpy 1 copies of a `Generator` share the bit generator.
        assert isinstance(twin.bit_generator, BitGenerator) and twin.bit_generator.lanes == lanes
        assert (twin.standard_normal(5000) == rng.standard_normal(5000)).all()


def test_joblib():
    joblib = pytest.importorskip("joblib")
    rng = np.random.Generator(BitGenerator(3))
    drawn = joblib.Parallel(n_jobs=2)(joblib.delayed(np.random.Generator.random)(rng, 5) for _ in range(2))
    assert (drawn[0] == drawn[1]).all() and (drawn[0] == rng.random(5)).all()


def test_state():
    generator = BitGenerator(11, lanes=8)
    generator.random_raw(5)
    state = generator.state
    expected = generator.random_raw(10_000)
    generator.state = state
    assert (generator.random_raw(10_000) == expected).all()


def test_a_state_that_does_not_fit_changes_nothing():
    generator = BitGenerator(11, lanes=8)
    generator.random_raw(2043)
    state, before = generator.state, generator.state["state"]
    words = state["state"]
    wrong = [
        {"bit_generator": "MT19937"},
        None,
        state | {"lanes": 16},
        state | {"state": BitGenerator(1, lanes=16).state["state"]},
        state | {"state": BitGenerator(1, lanes=4).state["state"]},
        state | {"state": "text"},
        BitGenerator(1, lanes=16).state,
        BitGenerator(1, lanes=4).state,
        *(state | {"state": words[:length]} for length in (0, 7, 8, 100)),
        *(state | {"state": words[:-missing]} for missing in (8, 4, 1)),
        *(state | {"state": words + more} for more in (b"1", b"1234", bytes(8))),
    ]
    for place in [*range(32), len(words) // 2, *range(len(words) - 32, len(words))]:
        damaged = bytearray(words)
        damaged[place] ^= 16
        wrong.append(state | {"state": bytes(damaged)})
    for one in wrong:
        with pytest.raises((ValueError, TypeError), match="state"):
            generator.state = one
        assert generator.state["state"] == before


def test_protocol_of_numpy():
    generator = BitGenerator(5, lanes=8)
    assert isinstance(generator, np.random.BitGenerator)
    assert np.random.default_rng(generator).bit_generator is generator
    children = generator.spawn(2)
    theirs = np.random.SeedSequence(5).spawn(2)
    for child, seeds in zip(children, theirs):
        assert child.lanes == 8 and (child.random_raw(9) == BitGenerator(seeds, 8).random_raw(9)).all()
    if hasattr(np.random.Generator, "spawn"):
        assert np.random.Generator(generator).spawn(1)[0].bit_generator.lanes == 8
    # Its functions by ctypes draw from the same stream.
    twin = copy.deepcopy(generator)
    functions = generator.ctypes
    assert functions.next_uint32(functions.state) == twin.random_raw()
    assert functions.next_uint64(functions.state) == int(twin.random_raw()) << 32 | int(twin.random_raw())
    assert functions.next_double(functions.state) == np.random.Generator(twin).random()
    assert generator.random_raw(2, output=False) is None
    assert generator.random_raw((2, 3)).shape == (2, 3) and generator.random_raw(2).dtype == np.uint64


def test_cffi():
    pytest.importorskip("cffi")
    generator = BitGenerator(5)
    twin = copy.deepcopy(generator)
    functions = generator.cffi
    assert functions.next_uint32(functions.state) == twin.random_raw()


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("drawn", [0, 1, 3, 100, 2047, 2048, 35_005])
def test_jumps_are_numbers_drawn(lanes, drawn):
    generator = BitGenerator(5, lanes)
    generator.random_raw(drawn)
    jumped = generator._jumped(10, 3)
    generator.random_raw(3 * 1024 * lanes)
    assert (jumped.random_raw(9000) == generator.random_raw(9000)).all()


@pytest.mark.parametrize("drawn", [1, 2, 7, 1500, 2047])
def test_jumps_after_numbers_made_in_advance(drawn):
    # numpy draws one number at a time, of 2048 that are made at once.
    generator = BitGenerator(5, 8)
    np.random.Generator(generator).integers(0, 2**32, drawn, dtype=np.uint32)
    jumped = generator._jumped(10, 1)
    generator.random_raw(1024 * 8)
    assert (jumped.random_raw(9000) == generator.random_raw(9000)).all()


def test_long_jumps_are_those_of_numpy():
    other = np.random.MT19937()
    other._legacy_seeding(7)
    generator = BitGenerator([7] * 4)
    for jumps in (1, 2):
        theirs = other.jumped(jumps)
        # numpy leaves the state as a ring that begins at `pos`, but draws from it as from a block.
        state = theirs.state
        key, position = state["state"]["key"], state["state"]["pos"]
        theirs.state = state | {"state": {"key": np.roll(key, -position), "pos": 624}}
        assert (generator.jumped(jumps).random_raw(4 * 2000)[::4] == theirs.random_raw(2000)).all()
    assert (generator.jumped().jumped().random_raw(9) == generator.jumped(2).random_raw(9)).all()


def test_seeds():
    for seed in (5, np.int64(5), np.random.SeedSequence(5), 2**100, [1, 2, 3, 2**32 - 1], np.arange(8)):
        assert (BitGenerator(seed).random_raw(9) == BitGenerator(seed).random_raw(9)).all()
    assert (BitGenerator(np.random.SeedSequence(5)).random_raw(9) == BitGenerator(5).random_raw(9)).all()
    assert (BitGenerator().random_raw(9) != BitGenerator().random_raw(9)).any()
    assert BitGenerator([1] * 8).lanes == 8
    for seed in ([1, 2, 3], [-1, 1, 2, 3], [2**32, 1, 2, 3], -1):
        with pytest.raises(ValueError, match="seed"):
            BitGenerator(seed)


def test_numbers_made_in_advance_are_drawn_once():
    generator = BitGenerator(9)
    rng = np.random.Generator(generator)
    parts = [rng.integers(0, 2**32, 7, dtype=np.uint32), generator.random_uint32(11), generator.random_uint32(3000)]
    assert (np.concatenate(parts) == BitGenerator(9).random_uint32(7 + 11 + 3000)).all()


def test_threads_share_a_stream():
    """Numbers that several threads draw are those of the stream, each once."""
    generator = BitGenerator(9)
    rng = np.random.Generator(generator)
    expected = np.sort(BitGenerator(9).random_raw(4 * 40 * 3000))
    draws = [
        lambda: generator.random_uint32(3000),
        lambda: generator.random_raw(3000),
        lambda: rng.integers(0, 2**32, 3000, dtype=np.uint32),
        lambda: rng.integers(0, 2**32, 3000, dtype=np.uint32),
    ]
    found, errors = [], []

    def work(draw):
        try:
            for _ in range(40):
                found.append(draw())
                generator.state, generator.lanes
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(draw,)) for draw in draws]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert (np.sort(np.concatenate(found).astype(np.uint64)) == expected).all()


def test_the_stream_outlives_the_attributes():
    rng = np.random.Generator(BitGenerator(4))
    twin = np.random.Generator(BitGenerator(4))
    del rng.bit_generator._interlaced
    assert (rng.random(9000) == twin.random(9000)).all()


def test_many_jumps_take_no_longer():
    generator = BitGenerator(1, 4)
    for times in (0, 1, 2, 3, 14):
        other, jumped = BitGenerator(1, 4), generator._jumped(3, times)
        other.random_raw(4 * 8 * times)
        assert (jumped.random_raw(5000) == other.random_raw(5000)).all()
    # 2^63 jumps of 2^65 numbers are one of 2^128.
    far = generator._jumped(65, 1 << 63)
    assert (far.random_raw(100) == generator.jumped(1).random_raw(100)).all()
    last = generator.jumped((1 << 64) - 1)
    assert (last.jumped(1).random_raw(9) == generator.jumped(1 << 63).jumped(1 << 63).random_raw(9)).all()


@pytest.mark.parametrize("call, name", [
    (lambda: BitGenerator(1).jumped(1 << 64), "jumps"),
    (lambda: BitGenerator(1).spawn(1 << 63), "n_children"),
    (lambda: BitGenerator(1).random_raw((1 << 40, 1 << 40)), "size"),
    (lambda: BitGenerator(np.array(1.5)), "seed"),
])
def test_large_counts_are_named(call, name):
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        call()


def test_a_seed_may_be_an_array_without_axes():
    assert (BitGenerator(np.array(3)).random_raw(9) == BitGenerator(3).random_raw(9)).all()
