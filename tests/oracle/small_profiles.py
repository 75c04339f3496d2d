"""A folder of profiles that is small enough to see through: one faction, a shooter and two targets."""

FACTION = """
format = 1
id = "river"
name = "River"

[[unit]]
id = "otter-guard"
name = "Otter Guard"
type = "infantry"
category = "light"
defence = 2
damage_limit = 1
discipline = 7
break_limit = 2
rules = ["Veteran (1)", "Pioneers"]
[unit.levels]
basic = { models = 4, points = 40, victory_points = 2 }
reinforced = { models = 8, points = 70, victory_points = 3 }

[[unit.rows]]
id = "ranged-light"
name = "Ranged (Light)"
kind = "ranged"
against = ["light"]
short_range = 6
long_range = 12
bands = [{ first = 1, last = 4, dice = 4, special = 6 }, { first = 5, last = 8, dice = 8, special = 10 }]
qualities = ["Point Blank"]

[[unit.rows]]
id = "ranged-heavy"
name = "Ranged (Heavy)"
kind = "ranged"
against = ["heavy"]
long_range = 8
bands = [{ first = 1, last = 8, dice = 2 }]
qualities = ["Coruscating"]

[[unit.rows]]
id = "melee"
name = "Melee"
kind = "melee"
bands = [{ first = 1, last = 8, dice = 5 }]

[[unit]]
id = "beaver-fort"
name = "Beaver Fort"
type = "fortification"
category = "heavy"
defence = 3
damage_limit = 2
rules = ["Static"]
levels = { basic = { models = 2, points = 90, victory_points = 4 } }

[[unit]]
id = "heron"
name = "Heron"
type = "aircraft"
category = "aerial"
defence = 2
damage_limit = 2
levels = { basic = { models = 1 } }
"""
EASIER = FACTION.replace("defence = 2\ndamage_limit = 1", "defence = 1\ndamage_limit = 1")
CHEAPER = FACTION.replace("points = 40", "points = 35")


def write_profiles(folder, faction=FACTION):
    """Write the faction into `folder`, which is handed back; the ruleset is the shipped one."""
    folder.mkdir(exist_ok=True)
    (folder / "river.toml").write_text(faction, encoding="utf-8")
    return folder


def variant(loadout, name, points=None, **qualities):
    """The same unit under another name, with other points or qualities of its first row."""
    rows = [row.model_dump() for row in loadout.unit.rows]
    rows[0] |= qualities
    levels = {key: level.model_dump() for key, level in loadout.unit.levels.items()}
    if points is not None:
        levels[loadout.level_name]["points"] = points
    unit = type(loadout.unit).model_validate(loadout.unit.model_dump() | {"id": name, "rows": rows, "levels": levels})
    return loadout.model_copy(update={"unit": unit})
