"""What several tests of comparisons share: the shipped profiles, a small field, and which of its pairs are fought."""

import pytest

from analyser.analysis import situations
from analyser.game.profiles import Profiles
from tests.helpers.planted import write_wood


@pytest.fixture(scope="session")
def library():
    return Profiles()


@pytest.fixture(scope="session")
def wood(tmp_path_factory):
    return Profiles(write_wood(tmp_path_factory.mktemp("wood")))


@pytest.fixture
def fought(monkeypatch):
    """The pairs that are fought from now on, each with its kind of fight."""
    pairs = []
    for kind, fight in situations.FIGHTS.items():

        def cells(attackers, field, situation, fight=fight, kind=kind):
            pairs.extend((kind, each.selector, other.selector) for each in attackers for other in field.defenders)
            return fight.cells(attackers, field, situation)

        monkeypatch.setitem(situations.FIGHTS, kind, fight._replace(cells=cells))
    return pairs
