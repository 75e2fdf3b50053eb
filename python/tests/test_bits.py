import numpy as np
import pytest
from hotloops import bits

rng = np.random.default_rng(2)


def samples(dtype, n):
    return rng.integers(0, 256, n * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.int64])
@pytest.mark.parametrize("layout", ["rows", "tiles"])
@pytest.mark.parametrize("n", [0, 1, 63, 2048, 5001])
def test_there_and_back(dtype, layout, n):
    array = samples(dtype, n)
    planes = bits.bitslice(array, layout)
    assert planes.size % (64 * array.itemsize) == 0
    assert bits.bitunslice(planes, dtype, n, layout).tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.int64])
def test_rows_are_the_bytes_of_bitshuffle(dtype):
    bitshuffle = pytest.importorskip("bitshuffle")
    array = samples(dtype, 3 * 2048)
    assert bitshuffle.bitshuffle(array, 2048).tobytes() == bits.bitslice(array).tobytes()


def test_planes_by_hand():
    array = samples(np.uint16, 64)
    tiles = np.unpackbits(bits.bitslice(array, "tiles"), bitorder="little").reshape(16, 64)
    for bit in range(16):
        assert (tiles[bit] == (array >> bit & 1)).all()
    assert (bits.count_positions(array) == tiles.sum(1)).all()


def test_strided_arrays():
    array = samples(np.int16, 6000).reshape(60, 100)
    assert (bits.bitslice(array[::2, ::-1]) == bits.bitslice(array[::2, ::-1].copy())).all()


@pytest.mark.parametrize(
    "error, message, call",
    [
        (TypeError, "array: expected a numpy array", lambda: bits.bitslice([1, 2])),
        (TypeError, "array: expected integers or floats", lambda: bits.bitslice(np.array(["a"]))),
        (ValueError, "layout", lambda: bits.bitslice(np.zeros(3), "columns")),
        (ValueError, "planes: expected 4096 bytes", lambda: bits.bitunslice(np.zeros(5, np.uint8), np.int16, 7)),
        (TypeError, "planes: expected uint8", lambda: bits.bitunslice(np.zeros(5), np.int16, 7)),
    ],
)
def test_errors_name_the_argument(error, message, call):
    with pytest.raises(error, match=message):
        call()
