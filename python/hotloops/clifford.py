"""Multivectors of Clifford (geometric) algebras: products, activations, and the layers of Clifford networks.

A multivector has 2^n coefficients, one for each blade, on the last axis of an array. `squares` holds the square of
each of the n generators, at most 4: 1, -1 or 0. Layouts are those of cliffordlayers.
"""

from ._hotloops import clifford as _native

Layer = _native.Layer
activation = _native.activation
activation_backward = _native.activation_backward
blades = _native.blades
grade_norms = _native.grade_norms
paths = _native.paths
product = _native.product
sandwich = _native.sandwich
weighted_product = _native.weighted_product

__all__ = [
    "Layer",
    "activation",
    "activation_backward",
    "blades",
    "grade_norms",
    "paths",
    "product",
    "sandwich",
    "weighted_product",
]
