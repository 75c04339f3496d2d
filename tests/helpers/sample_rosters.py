"""The sample rosters beside the notebooks, made of the players' data files.

python -m tests.helpers.sample_rosters FOLDER_OF_CATALOGUES
"""

import sys
from pathlib import Path

from tests.helpers import rosters

FOLDER = Path(__file__).parents[2] / "notebooks" / "armies"
POINTS = 1500


def listed(text):
    """The units of a text, a line or a part of one each, as (name, level)."""
    return [tuple(each.strip().rsplit(" ", 1)) for each in text.split(",")]


CROWN = """Rifle command platoon reinforced, Rifle platoon reinforced, Rifle platoon reinforced,
Sharp Rifles reinforced, Drake Field Guns basic, Black Watch Assault Dragoons basic,
Galahad Main Battle Tanks reinforced, Glamis Mobile Guns basic,
Stirling Armoured Transports reinforced, Bors Heavy Bombards basic"""
IMPERIUM = """Scion Grenadier Command Platoon reinforced, Scion Grenadier Platoon reinforced,
Scion Grenadier Platoon reinforced, Teutonic Armiger Castellans basic, Krupp Field Guns reinforced,
Essen Field Rockets basic, Totenkopf Jaeger Cavalry basic, Lucifyr Heavy Walkers basic, Sturmpanzer Battletanks basic,
Faust Vitruvian Colossus full-strength"""
SAMPLES = {  # by file: its catalogue, its name, and by battlegroup boons and units
    "crown.rosz": (
        "Crown",
        "Queen's Own Rifles",
        {
            "Crown Faction Battlegroup": (["Mad Minute"], listed(CROWN)),
            "Crown Super-Heavy Auxiliary Battlegroup": ([], listed("Sovereign Landship full-strength")),
        },
    ),
    "imperium.rosz": (
        "Imperium",
        "Division Reichenau",
        {"Imperium Faction Battlegroup": (["Kriegsspiel"], listed(IMPERIUM))},
    ),
}


def made(catalogues):
    """The rosters by the names of their files, of the catalogues in a folder."""
    books = {each.get("name"): each for each in rosters.real_catalogues(catalogues)}
    return {
        file: rosters.roster_of(books[book], name, POINTS, groups) for file, (book, name, groups) in SAMPLES.items()
    }


def main():
    """Write them."""
    for name, roster in made(sys.argv[1]).items():
        (FOLDER / name).write_bytes(rosters.zip_of(roster, Path(name).with_suffix(".ros").name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
