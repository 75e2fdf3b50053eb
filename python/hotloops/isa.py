"""Which instruction set the kernels use."""

from ._hotloops import isa as _native

active = _native.active
set = _native.set
usable = _native.usable
variants = _native.variants

__all__ = ["active", "set", "usable", "variants"]
