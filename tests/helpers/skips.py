"""Tests that are left out: by `make test` those for `make proof`; elsewhere for two reasons, no other being allowed."""

import os
import sys
from pathlib import Path

import pytest

ALL_TESTS = "ANALYSER_ALL_TESTS"  # the environment variable: set where all tests must run
OTHER_SYSTEM, NO_DATA = "not on this operating system", "the players' data files are not here"
REASONS = (OTHER_SYSTEM, NO_DATA)

posix = pytest.mark.skipif(os.name != "posix", reason=OTHER_SYSTEM)
linux = pytest.mark.skipif(sys.platform != "linux", reason=OTHER_SYSTEM)

REAL_DATA = Path(__file__).parents[3] / "shared" / "data"
real_data = pytest.mark.skipif(not REAL_DATA.is_dir(), reason=NO_DATA)


def proof(*values):
    """Return parameters of a test that only `make proof` tries; a tuple is one for each of its names."""
    return [pytest.param(*_several(value), marks=pytest.mark.proof) for value in values]


def _several(value):
    return value if isinstance(value, tuple) else (value,)
