"""Units of made-up factions as their files have them: shooters whose numbers can be seen through."""

_UNIT = """
[[unit]]
id = "{name}"
name = "{name}"
type = "{kind}"
category = "light"
defence = {defence}
damage_limit = 1
discipline = 8
break_limit = 3
{more}
levels = {{ {levels} }}

[[unit.rows]]
id = "rifles"
name = "Rifles"
kind = "ranged"
against = ["light"]
long_range = 12
bands = [{{ first = 1, last = 20, dice = {shots} }}]
"""
_MELEE = """
[[unit.rows]]
id = "melee"
name = "Melee"
kind = "melee"
bands = [{{ first = 1, last = 20, dice = {blows} }}]
"""


def unit_file(name, defence, levels, shots, blows=None, *, kind="infantry", more=""):
    """A unit with one row to shoot with, and one for close quarters if it has dice there.

    `levels`: models and points by the name of the level; `more`: further lines of the unit.
    """
    told = ", ".join(
        f"{level} = {{ models = {models}, points = {points}, victory_points = 2 }}"
        for level, (models, points) in levels.items()
    )
    unit = _UNIT.format(name=name, kind=kind, defence=defence, more=more, levels=told, shots=shots)
    return unit if blows is None else unit + _MELEE.format(blows=blows)
