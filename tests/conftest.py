"""What many tests share: a small folder of profiles, and which of the random cases are quick."""

import os
import signal

import pytest
from hypothesis import settings

from analyser.analysis.kept import SWITCH
from analyser.game.profiles import Profiles
from tests.oracle.small_profiles import write_profiles

QUICK_SEEDS = 2
QUICK_EXAMPLES, EXAMPLES = 20, 80  # of a property
os.environ[SWITCH] = "no"  # fights are fought here, but for the tests of how they are kept


def pytest_configure(config):
    """Of a property, too, fewer examples are quick; and Ctrl-C counts, as at a terminal.

    A shell has what it runs in the background ignore interrupts, and so would every process that a test starts.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    number = QUICK_EXAMPLES if config.option.markexpr == "not slow" else EXAMPLES
    settings.register_profile("analyser", max_examples=number)
    settings.load_profile("analyser")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of the random cases that a seed names, the first few are quick."""
    for item in items:
        seed = item.callspec.params.get("seed") if hasattr(item, "callspec") else None
        if isinstance(seed, int) and seed >= QUICK_SEEDS:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def river_folder(tmp_path_factory):
    """The folder; nobody writes into it."""
    return write_profiles(tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="session")
def river(river_folder):
    """Its profiles."""
    return Profiles(river_folder)
