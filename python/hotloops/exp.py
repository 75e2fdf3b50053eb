"""Exponentials of float32 arrays: the two of Dickson, Karimi and Hamze (2010), and a polynomial."""

from ._hotloops import exp as _native

accurate = _native.accurate
fast = _native.fast
poly = _native.poly

__all__ = ["accurate", "fast", "poly"]
