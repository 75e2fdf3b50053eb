"""Interlaced Mersenne twisters as a bit generator of numpy.

>>> import numpy as np
>>> from hotloops.random import BitGenerator
>>> rng = np.random.Generator(BitGenerator(1))
>>> 0 <= rng.random() < 1
True
"""

import math
import operator
import sys
import weakref

import numpy as np

from ._hotloops import arguments as _arguments
from ._hotloops import random as _native

_LANES = (4, 8, 16)


class BitGenerator(np.random.BitGenerator):
    """4, 8 or 16 interlaced MT19937 generators, for `numpy.random.Generator`.

    `seed` is an integer or a `numpy.random.SeedSequence`, which makes a seed for each of `lanes` generators, or a
    sequence of 4, 8 or 16 seeds of 32 bits; None takes one from the system. Number t of the stream is number
    t // lanes of the generator with seed t % lanes, which is the MT19937 that `numpy.random.RandomState` is seeded
    with. Every method takes the lock that `numpy.random.Generator` takes, so threads may share an object.
    Raises: ValueError or TypeError with the name of a wrong argument.

    >>> import numpy as np
    >>> from hotloops.random import BitGenerator
    >>> numbers = BitGenerator([5489, 1, 2, 3]).random_raw(8)
    >>> [int(number) for number in numbers[::4]]
    [3499211612, 581869302]
    """

    def __init__(self, seed=None, lanes=16):
        _arguments.unmasked("seed", seed)
        lanes = _arguments.count("lanes", lanes)
        if lanes not in _LANES:
            raise ValueError(f"lanes: is {lanes}, expected 4, 8 or 16")
        seeds = None
        if isinstance(seed, (str, bytes)):
            raise TypeError(f"seed: expected integers, found {type(seed).__name__}")
        if hasattr(seed, "__len__") and getattr(seed, "shape", None) != ():
            seeds = [_arguments.word("seed", one) for one in seed]
            if len(seeds) not in _LANES:
                raise ValueError(f"seed: has {len(seeds)} seeds; the number of lanes is 4, 8 or 16")
        elif seed is not None and not isinstance(seed, np.random.bit_generator.ISeedSequence):
            try:
                seed = operator.index(seed)
            except TypeError:
                raise TypeError(f"seed: expected an integer, found {type(seed).__name__}") from None
            if seed < 0:
                raise ValueError(f"seed: is {seed}, expected at least 0")
        super().__init__(seeds or seed)
        seeds = seeds or self._seed_seq.generate_state(lanes).tolist()
        self._connect(_native.Interlaced(seeds), len(seeds))

    def _connect(self, interlaced, lanes):
        interlaced.connect(self.capsule)
        # numpy holds an address in this object until `self` is gone.
        weakref.finalize(self, id, interlaced).atexit = False
        self._interlaced, self._lanes = interlaced, lanes

    @property
    def lanes(self):
        """Number of generators."""
        return self._lanes

    @property
    def seed_seq(self):
        """The seed sequence that seeded the generator; `spawn` takes the seeds of its children from it."""
        return self._seed_seq

    def spawn(self, n_children):
        """`n_children` new generators with independent seeds, as numpy's `BitGenerator.spawn`, with as many lanes.

        Raises: ValueError or TypeError with the name of a wrong argument.
        """
        n_children = _arguments.count("n_children", n_children)
        if n_children > sys.maxsize:
            raise ValueError(f"n_children: {n_children} is too large")
        children = self._seed_seq.spawn(n_children)
        return [type(self)(child, self._lanes) for child in children]

    def jumped(self, jumps=1):
        """A new generator as if `jumps` times 2^128 numbers of each lane had been drawn.

        The first call of a process takes a second more.
        Raises: ValueError or TypeError with the name of a wrong argument.
        """
        return self._jumped(128, _arguments.count("jumps", jumps))

    def _jumped(self, exponent, times):
        with self.lock:
            interlaced = self._interlaced.jumped(exponent, times)
        other = type(self)(self._seed_seq, self._lanes)
        other._connect(interlaced, self._lanes)
        return other

    def random_uint32(self, n):
        """`n` numbers of 32 bits (uint32); `n` is at least 0.

        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        with self.lock:
            return self._interlaced.random_uint32(n)

    def random_raw(self, size=None, output=True):
        """`size` numbers of 32 bits (uint64), or one number if `size` is None; None if `output` is false.

        `size` is a number of at least 0 or a shape.
        Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
        """
        if not isinstance(output, (bool, np.bool_)):
            raise TypeError(f"output: expected True or False, found {type(output).__name__}")
        if size is None:
            number = self.random_uint32(1)[0]
            return int(number) if output else None
        _arguments.unmasked("size", size)
        shape = [_arguments.count("size", one) for one in (size if hasattr(size, "__len__") else [size])]
        with self.lock:
            numbers = self._interlaced.random_uint32(_arguments.count("size", math.prod(shape)))
        return numbers.astype(np.uint64).reshape(shape) if output else None

    @property
    def state(self):
        """The state: a dictionary of the generator's name, its lanes, and bytes with a hash over all of them."""
        with self.lock:
            return {"bit_generator": "hotloops.MT19937", "lanes": self._lanes, "state": self._interlaced.state_bytes()}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict) or value.get("bit_generator") != "hotloops.MT19937":
            raise ValueError("state: is not a state of hotloops.random.BitGenerator")
        if value.get("lanes") != self._lanes:
            raise ValueError(f"state: has {value.get('lanes')} lanes, the generator has {self._lanes}")
        if not isinstance(value.get("state"), bytes):
            raise TypeError("state: its item \"state\" is not bytes")
        with self.lock:
            self._interlaced.set_state_bytes(value["state"])

    def __getstate__(self):
        return self.state

    def __setstate__(self, state):
        self.state = state

    def __reduce__(self):
        # numpy up to 1.26 pickles a `Generator` by one argument and the state, which it assigns itself.
        state = self.state
        return _restore, ((type(self), self._seed_seq, state),), state


def _restore(saved):
    cls, seeds, state = saved
    generator = cls(seeds, state["lanes"])
    generator.state = state
    return generator


__all__ = ["BitGenerator"]
