"""Which instruction set the kernels use."""

from ._hotloops import isa as _native

active = _native.active
facts = _native.facts
set = _native.set
usable = _native.usable
variants = _native.variants

__all__ = ["active", "facts", "set", "usable", "variants"]
