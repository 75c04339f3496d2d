"""Mordheim, Legion, Warmaster: only rules that can have their occasion are applied; what has no effect is warned of."""

import pytest

from analyser import morale
from analyser.errors import InputError
from tests.morale_checks import rows


# --- Mordheim: names ------------------------------------------------------------------------------------------------

TWO = {"leader": 8, "others": [{"leadership": 7}], "casualties": 1}


@pytest.mark.parametrize(
    ("named", "rivals", "names"),
    [
        ({}, [{}], ["warband", "rival"]),
        ({}, [{}, {}, {}], ["warband", "rival", "rival 2", "rival 3"]),
        ({"name": "rival"}, [{}, {"name": "rival 2"}, {}], ["rival", "rival 3", "rival 2", "rival 4"]),
        ({"name": "a"}, [{}, {"name": "rival"}], ["a", "rival 2", "rival"]),
    ],
)
def test_rivals_without_a_name_are_numbered(named, rivals, names):
    question = {"warband": TWO | named, "rivals": [TWO | each for each in rivals], "turns": 1}
    assert list(dict.fromkeys(key[0] for key in rows(morale.exact("mordheim", question)))) == names


def test_equal_names_that_are_stated_are_refused():
    same = TWO | {"name": "orcs"}
    with pytest.raises(InputError, match="warbands of the same name: warband, orcs, orcs"):
        morale.exact("mordheim", {"warband": TWO, "rivals": [same, same]})


def test_a_rival_without_a_name_can_be_fought():
    fought = TWO | {"casualties_from": [{"of": "rival"}]}
    assert rows(morale.exact("mordheim", {"warband": fought, "rivals": [TWO]}))
