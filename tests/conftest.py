"""What many tests share: a folder of profiles that is small enough to see through."""

import pytest

from analyser.game.profiles import Profiles
from tests.oracle.small_profiles import write_profiles


@pytest.fixture(scope="session")
def river_folder(tmp_path_factory):
    """The folder; nobody writes into it."""
    return write_profiles(tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="session")
def river(river_folder):
    """Its profiles."""
    return Profiles(river_folder)
