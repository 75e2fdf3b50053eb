"""hotloops.ising.Sampler with dimod: its own tests of samplers, its composites, and dwave-samplers' annealer."""

import sys

import pytest

files = [f"python/tests/test_{name}.py" for name in ("sampler", "sampler_terms", "ising")]
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *files]))
