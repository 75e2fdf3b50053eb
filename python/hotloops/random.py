"""Interlaced Mersenne twisters as a bit generator of numpy.

>>> import numpy as np
>>> from hotloops.random import BitGenerator
>>> rng = np.random.Generator(BitGenerator(1))
>>> 0 <= rng.random() < 1
True
"""

import threading

from ._hotloops import random as _native


class BitGenerator(_native.Interlaced):
    """4, 8 or 16 interlaced MT19937 generators, for `numpy.random.Generator`.

    `seed` is an integer, from which numpy's SeedSequence makes a seed for each of `lanes` generators, or a sequence
    of 4, 8 or 16 seeds of 32 bits. Number t of the stream is number t // lanes of the generator with seed t % lanes,
    which is the MT19937 that `numpy.random.RandomState` is seeded with.

    >>> import numpy as np
    >>> from hotloops.random import BitGenerator
    >>> numbers = BitGenerator([5489, 1, 2, 3]).random_raw(8)
    >>> [int(number) for number in numbers[::4]]
    [3499211612, 581869302]
    """

    def __new__(cls, seed=None, lanes=16):
        import numpy as np

        if hasattr(seed, "__len__"):
            seeds = [int(one) for one in seed]
        else:
            seeds = np.random.SeedSequence(seed).generate_state(lanes).tolist()
        generator = super().__new__(cls, seeds)
        generator.lock = threading.RLock()
        return generator

    def random_raw(self, size=None, output=True):
        """`size` numbers of 32 bits (uint32), or one number if `size` is None."""
        import numpy as np

        count = 1 if size is None else int(np.prod(size))
        with self.lock:
            numbers = self.random_uint32(count)
        if not output:
            return None
        return int(numbers[0]) if size is None else numbers.reshape(size)

    @property
    def state(self):
        """The state: a dictionary of the generator's name and bytes."""
        with self.lock:
            return {"bit_generator": "hotloops.MT19937", "lanes": self.lanes, "state": self.state_bytes()}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict) or value.get("bit_generator") != "hotloops.MT19937":
            raise ValueError("state: is not a state of hotloops.random.BitGenerator")
        with self.lock:
            self.set_state_bytes(value["state"])

    def __reduce__(self):
        return _restore, (type(self), self.state)


def _restore(cls, state):
    generator = cls([0] * state["lanes"])
    generator.state = state
    return generator


__all__ = ["BitGenerator"]
