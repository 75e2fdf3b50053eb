"""hotloops.ising.Sampler with dimod: its own tests of samplers, its composites, and dwave-samplers' annealer."""

import sys

import pytest

files = "python/tests/test_sampler.py", "python/tests/test_ising.py"
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *files]))
