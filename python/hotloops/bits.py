"""Bit planes: arrays of integers or floats with the bits of equal weight side by side."""

from ._hotloops import bits as _native

bitslice = _native.bitslice
bitunslice = _native.bitunslice
count_positions = _native.count_positions

__all__ = ["bitslice", "bitunslice", "count_positions"]
