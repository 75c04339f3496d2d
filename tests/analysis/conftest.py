"""What several tests of comparisons share: the shipped profiles, a small field, and which of its pairs are fought."""

import pytest

from analyser.game.profiles import Profiles
from tests.helpers.planted import fought, write_wood  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def library():
    return Profiles()


@pytest.fixture(scope="session")
def wood(tmp_path_factory):
    return Profiles(write_wood(tmp_path_factory.mktemp("wood")))
