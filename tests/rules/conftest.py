"""Profiles for tests of the rules: rifles and a walker whose numbers can be seen through."""

import pytest

from analyser.game.profiles import Profiles

RIFLES = """
format = 1
id = "testers"
name = "Testers"

[[unit]]
id = "rifles"
name = "Rifles"
type = "infantry"
category = "light"
defence = 1
damage_limit = 2
rules = ["Veteran (2)", "Corrosive Fumes (3)"]
levels = { basic = { models = 6, points = 50, victory_points = 5 }, reinforced = { models = 12 } }

[[unit.rows]]
id = "rifles"
name = "Rifles"
kind = "ranged"
against = ["light"]
short_range = 6
long_range = 12
bands = [ { first = 1, last = 3, dice = 2 }, { first = 4, last = 6, dice = 5 } ]

[[unit.rows]]
id = "mortar"
name = "Mortar"
kind = "ranged"
against = ["light", "heavy"]
short_range = 6
long_range = 24
bands = [ { first = 1, last = 12, dice = 3, special = 7 } ]
qualities = [QUALITIES]

[[unit.rows]]
id = "bayonets"
name = "Bayonets"
kind = "melee"
bands = [ { first = 1, last = 12, dice = 4 } ]

[[unit]]
id = "walker"
name = "Walker"
type = "armour"
traits = ["behemoth"]
category = "heavy"
defence = 3
damage_limit = 10
levels = { basic = { models = 1 } }

[[unit.rows]]
id = "guns"
name = "Guns"
kind = "ranged"
against = ["light"]
long_range = 24
bands = [ { first = 0, last = 4, dice = 8 }, { first = 5, last = 9, dice = 4 } ]
"""


@pytest.fixture
def armoury(tmp_path):
    """A folder of profiles in which the mortar has the qualities that the test asks for."""

    def with_qualities(*qualities):
        listed = ", ".join(f'"{quality}"' for quality in qualities)
        (tmp_path / "testers.toml").write_text(RIFLES.replace("QUALITIES", listed), encoding="utf-8")
        return Profiles(tmp_path)

    return with_qualities
