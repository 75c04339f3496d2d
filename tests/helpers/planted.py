"""A field of infantry in which it is known who is wrongly priced: a unit is there twice, once at another price."""

import pytest

from analyser.analysis import situations
from tests.helpers.unit_files import unit_file

UNITS = {  # dice of shots, dice in close quarters, DEFENCE, points
    "ash": (12, 6, 2, 60),
    "beech": (16, 4, 2, 68),
    "cedar": (8, 10, 2, 60),
    "elder": (12, 6, 3, 88),
    "fir": (6, 12, 3, 80),
    "hazel": (20, 4, 1, 44),
}


def write_wood(folder, **points):
    """The profiles of a field, some units at other `points`; `oak` is the unit `ash` under another name."""
    units = UNITS | {"oak": UNITS["ash"]}
    texts = [
        unit_file(name, defence, {"basic": (10, points.get(name, usual))}, shots, blows)
        for name, (shots, blows, defence, usual) in units.items()
    ]
    folder.mkdir(exist_ok=True)
    (folder / "wood.toml").write_text("\n".join(['format = 1\nid = "wood"\nname = "Wood"', *texts]), encoding="utf-8")
    return folder


def with_oak(wood, **changes):
    """The loadouts of the field, `oak` changed."""
    return [each.with_(**changes) if each.unit.id == "oak" else each for each in wood]


def copies(loadout, count, **changes):
    """The same loadout under as many names; `changes` are of the first."""
    first = loadout.with_(**changes) if changes else loadout
    named = [
        (each, f"copy-{number}", f"Copy {number}") for number, each in enumerate([first, *[loadout] * (count - 1)])
    ]
    units = [each.unit.model_copy(update={"id": name, "name": title}) for each, name, title in named]
    return [each.model_copy(update={"unit": unit}) for (each, *_), unit in zip(named, units)]


UNCOUNTED = ("Tow", "Limber", "Bank", "Soar", "Spotters", "Stalkers", "Occupy")  # rules that change no fight


def kin(loadout, count, **changes):
    """Different units that fight alike: copies, each with a rule of its own that no figure counts."""
    return [each.with_(rules=f"+{rule}") for each, rule in zip(copies(loadout, count, **changes), UNCOUNTED)]


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
