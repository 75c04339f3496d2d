"""Answers to every kind of question, kept: no number and no random bit changes unless somebody says so.

``python tests/snapshots/test_answers.py --write`` keeps the answers of today in place of those that are kept. Questions
go through the shell or the public names of `analyser`, and bring all that they need but the shipped profiles.
"""

import csv
import json
import lzma
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from click.testing import CliRunner

import analyser
from analyser.cli import cli

pytestmark = pytest.mark.slow

KEPT = Path(__file__).with_name("answers.json.xz")
EXACT, PRINTED = 1e-12, 1e-10  # of exact answers: how far floats may be apart; those printed with twelve digits
NOTHING = 1e-15
MOST_TOLD = 12
PROGRAM = re.compile(r"shipped with analyser \d[\w.]*")

# --- what the questions are about -----------------------------------------------------------------------------

RIFLES, SHARP, GRENADIERS = "crown/rifle-platoon@basic", "crown/sharp-rifles@basic", "scion-grenadier-p@basic"
KRUPP, MONARCH, GALAHAD = "imperium/krupp@basic", "crown/monarch-landship", "crown/galahad-breachers@basic"
CAVALRY, TANKS = "crown/horse-guard-cavalry@basic", "imperium/sturmpanzer-battletanks@basic"
COLOSSUS = "imperium/faust-vitruvian-colossus"
TUNED = ("--trials", "2000", "--seed", "7", "--threads", "1")
BOTH, SAMPLED = ("--method", "both", *TUNED), ("--method", "monte-carlo", *TUNED)
JSON = ("--format", "json")

MIXED_ATTACK = """
[attack]
attacker = "Crown/Rifle Platoon@reinforced"
attacker_models = 7
[target]
models = 8
defence = 2
damage_limit = 1
discipline = 7
rules = ["Durable"]
suppressed = true
"""
INLINE_ATTACK = """
[attack]
kind = "ranged"
dice = 12
rating = "improved"
qualities = ["Arc", "Devastating"]
veteran = 1
extra_reroll = { faces = ["blank"], dice = 2 }
[target]
models = 6
defence = 2
damage_limit = 1
discipline = 8
break_limit = 2
exposed = 4
edge_distance = 12.0
[ruleset]
die = { heroic = 1, strike = 2, glancing = 1, miss = 1, blank = 1 }
deck = { 1 = 2, 3 = 3, 5 = 1, 8 = 4, 12 = 1 }
"""
OVERCHARGED_ATTACK = """
[attack]
dice = 5
qualities = ["Overcharge", "Suppressive"]
overcharge = true
attacker_models = 3
attacker_damage_limit = 2
attacker_damage = 1
bonuses = ["aiming"]
[target]
models = 7
defence = 2
damage_limit = 2
damage = 1
discipline = 7
break_limit = 3
victory_points = 3
formation = "open"
officer = "random"
"""
CRYO_ATTACK = """
[attack]
dice = 6
qualities = ["Cryo", "Suppressive"]
bonuses = ["short_range"]
penalties = ["concealed", "reforming"]
[target]
type = "cavalry"
models = 5
defence = 3
damage_limit = 1
discipline = 9
break_limit = 1
taking_cover = true
edge_distance = 3
models_without_room = 2
"""
INLINE_CHARGE = """
[charge]
supported = true
[attacker]
type = "cavalry"
models = 4
defence = 2
damage_limit = 2
discipline = 8
break_limit = 1
victory_points = 3
rules = ["Onslaught", "Overrun"]
[[attacker.rows]]
id = "lances"
name = "Lances"
kind = "impact"
bands = [{ first = 1, last = 2, dice = 4 }, { first = 3, last = 4, dice = 8 }]
qualities = ["Devastating"]
[target]
type = "armour"
models = 2
defence = 3
damage_limit = 2
discipline = 7
break_limit = 0
victory_points = 4
rules = ["Sponsons (2)", "Capacity (5)"]
[target.passengers]
models = 8
defence = 1
damage_limit = 1
discipline = 7
break_limit = 2
victory_points = 2
[[secondary]]
unit = "imperium/scion-grenadier-platoon@basic"
"""
FOCUS = f"""
[[attacks]]
attacker = "{RIFLES}"
row = "ranged-light"
distance = 6
bonuses = ["aiming"]
[[attacks]]
attacker = "crown/rifle-platoon@reinforced"
exposed = 3
[[attacks]]
dice = 4
qualities = ["Overcharge"]
overcharge = true
attacker_models = 2
[target]
unit = "imperium/scion-grenadier-platoon@basic"
edge_distance = 12.0
"""
DUEL = f"""
[duel]
rounds = 3
first = "a"
policy_a = "short_range"
policy_b = "lookout"
distance = 18.0
[a]
unit = "{RIFLES}"
[b]
unit = "imperium/scion-grenadier-platoon@basic"
on_lookout = true
"""
DUEL_OVERCHARGED = """
[duel]
rounds = 2
policy_a = "overcharge"
policy_b = "charge"
[a]
models = 3
defence = 2
damage_limit = 2
discipline = 8
break_limit = 1
victory_points = 2
rules = ["Veteran (1)"]
[[a.rows]]
id = "arc"
name = "Arc"
kind = "ranged"
against = ["light"]
long_range = 16
bands = [{ first = 1, last = 3, dice = 4 }]
qualities = ["Overcharge", "Arc"]
[b]
unit = "imperium/scion-grenadier-platoon@basic"
"""
LEGION = """
courage = 1
tokens = 2
received = { 0 = 0.25, 1 = 0.5, 2 = 0.25 }
received_after = [0, 1, 0, 2, 0, 0]
commander_courage = 2
commander_near = 0.8
edge_distance = 12.0
move_distance = 6.0
destroyed = 0.05
until_panic = 0.6
"""
GRANDE_TACTIQUE = """
[check]
quality = "old guard"
[flight]
arm = "cavalry"
enemy = "cavalry"
edge_distance = 18.0
[column]
arm = "infantry"
enemy = "cavalry"
friends = [{ distance = 3, shaken = 0.5 }, { distance = 8, arm = "cavalry", shaken = 0.5 }]
[rout]
units = [{ edge_distance = 20.0 }, { arm = "cavalry", edge_distance = 30.0 }]
charged_by_cavalry = 0.1
[division]
units = [{ rout = 0.1 }, { rout = 0.2, lost = 0.3 }, { rout = 0.3 }]
"""
GRANDE_TACTIQUE_GAME = """
[game]
turns = 3
surrounded = 0.05
[[game.units]]
edge_distance = 22.5
column = 1
worn_down_by_infantry = 0.3
charged_by_cavalry = 0.1
[[game.units]]
arm = "cavalry"
state = "shaken"
edge_distance = 18
column = 1
charged_by_infantry = 0.1
[[game.units]]
arm = "artillery"
worn_down_by_artillery = 0.2
"""
LARGE_DIVISION = f"""
[division]
turns = 4
units = [{", ".join(f"{{ rout = {0.1 + place / 50:.2f}, lost = 0.3 }}" for place in range(14))}]
"""
LARGE_GAME = """
[game]
turns = 4
surrounded = 0.05
units = [
    { edge_distance = 22.5, column = 1, worn_down_by_infantry = 0.3, charged_by_cavalry = 0.2 },
    { edge_distance = 20, column = 1, worn_down_by_artillery = 0.2, charged_by_infantry = 0.2 },
    { arm = "cavalry", state = "shaken", edge_distance = 18, column = 1, charged_by_cavalry = 0.2 },
    { arm = "cavalry", edge_distance = 30, column = 1, charged_by_cavalry = 0.2, loses_firing = 0.1 },
    { arm = "artillery", edge_distance = 9, worn_down_by_artillery = 0.2, withdraws = 3 },
]
"""
WARMASTER = """
move = "driven_back"
dice = 3
turns = 2
[[obstacles]]
distance = 4
kind = "friend"
chain = 2
[[obstacles]]
distance = 12
kind = "enemy"
"""
WARMASTER_RETREAT = """
move = "retreats"
distance = { 4 = 0.5, 9 = 0.5 }
[[obstacles]]
distance = 3
kind = "friend"
stands = 2
[[obstacles]]
distance = 7
kind = "impassable"
"""
MORDHEIM = """
turns = 5
effect_of_leader = true
[warband]
leader = 8
others = [{ leadership = 7, number = 5 }, { leadership = 6, number = 3 }]
casualties = [0, 1, { 0 = 0.5, 2 = 0.5 }, 1, 0]
leader_falls = "random"
leader_stunned = 0.1
gives_up_at = 5
[[rivals]]
name = "rival"
leader = 7
others = [{ leadership = 7, number = 3 }]
casualties = { 0 = 0.7, 1 = 0.3 }
leader_falls = "last"
[alone]
leadership = 7
opponents = 2
combat_phases = 3
edge = 14
edge_behind = 20
charged = 0.2
rally_leader = 8
[combat]
charger = "enemy"
rounds = 2
fighter = { attacks = 2, second_weapon = true, hatred = true }
enemy = { attacks = 2, frenzy = true, knocked_down = 0.2, causes_fear = true, to_hit = 3 }
[stupidity]
leadership = 5
leader = 8
[together]
leader = 8
p_stunned = 0.2
rout_test = true
best_other = 7
warriors = [{ name = "ogre", leadership = 6, near_leader = true }, { name = "hound", leadership = 5 }]
"""
MORDHEIM_BRAWL = """
turns = 3
[warband]
name = "reiklanders"
leader = 8
others = [{ leadership = 7, number = 4 }]
casualties_from = [{ of = "skaven", number = 4, attacks = 1, to_hit = 4, to_wound = 4, save = 6 }]
[[rivals]]
name = "skaven"
leader = 7
others = [{ leadership = 6, number = 5 }]
casualties_from = [{ of = "reiklanders", number = 4, to_hit = 3 }, { number = 2, to_hit = 5, turns = [1, 2] }]
"""
SIDE_BY_SIDE = """
models = 6
nerve = 0.67
losses = { 0 = 0.3, 1 = 0.4, 2 = 0.3 }
attacks = 2
edge_distance = 18.0
rounds = 4
[legion]
courage = 2
[mordheim]
leadership = 8
"""
DUEL_SIDE_BY_SIDE = f"""
side = "a"
[duel]
rounds = 2
policy_b = "short_range"
distance = 12
[a]
unit = "{RIFLES}"
[b]
unit = "imperium/scion-grenadier-p@basic"
[legion]
courage = 2
"""

GUARDED = {"type": "infantry", "models": 6, "defence": 2, "damage_limit": 1, "discipline": 8, "break_limit": 2}
PLAIN_ATTACK = {
    "attack": {"dice": 12, "rating": "improved"},
    "target": {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 7, "break_limit": 3},
}
AIMED = {
    "attack": {"attacker": "crown/rifle-platoon@reinforced", "distance": 6, "bonuses": ["aiming"]},
    "target": {"unit": GRENADIERS, "suppressed": True},
}


def catalogue(defence: int, points: int) -> str:
    """A BattleScribe catalogue of two invented units, with some dirt in it."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><catalogue name="River Folk" revision="3" '
        f'xmlns="http://www.battlescribe.net/schema/catalogueSchema"><selectionEntries>'
        f"{_entry('Otter Guard', 'Infantry', 'Light', defence, points)}"
        f"{_entry('Beaver Fort', 'Armour', 'Heavy', 3, 90)}"
        f"</selectionEntries></catalogue>"
    )


def _entry(name: str, kind: str, category: str, defence: int, points: int) -> str:
    stats = {
        "Target type": category,
        "Size": "1",
        "Models": "",
        "VPR": "",
        "Speed": '5"',
        "Defence": str(defence),
        "Damage limit": "1",
        "Discipline": "7",
        "Break Limit": "2",
    }
    levels = "".join(
        f"<entryLink name='{level}' targetId='none'><profiles>"
        + _profile(
            name,
            stats,
            "Basic unit",
            f"<modifiers><modifier type='set' value='{models}' field='t-Models'/>"
            f"<modifier type='set' value='{worth}' field='t-VPR'/></modifiers>",
        )
        + f"</profiles><costs><cost name='points' typeId='p' value='{price}'/></costs></entryLink>"
        for level, models, worth, price in (("Basic", 3, 1, points), ("Reinforced", 6, 2, 2 * points - 5))
    )
    weapons = "".join(
        _profile(
            f"Ranged ({what})",
            {"Range": '6"/12"', "1-3": dice, "4-6": "8 (9)", "7-9": "twelve", "Qualities": qualities},
        )
        for what, dice, qualities in (("Light", "4", "Point Blank, Arc"), ("Heavy", "2", "Sparkling"))
    )
    rules = _profile("Special Rules", {"Special Rules": "Veteran (1), Bulky"}, "Special Rules")
    return f"""<selectionEntry type="unit" name="{name}"><categoryLinks><categoryLink name="{kind}" primary="true"/>
        <categoryLink name="{category}" primary="false"/></categoryLinks><profiles>{rules}</profiles>
        <selectionEntryGroups><selectionEntryGroup name="Size"><entryLinks>{levels}</entryLinks></selectionEntryGroup>
        </selectionEntryGroups><selectionEntries><selectionEntry type="upgrade" name=" Weapons"><profiles>{weapons}
        </profiles></selectionEntry></selectionEntries></selectionEntry>"""


def _profile(name: str, cells: dict[str, str], kind: str = "Type", more: str = "") -> str:
    columns = "".join(
        f"<characteristic name='{key}' typeId='t-{key}'>{text}</characteristic>" for key, text in cells.items()
    )
    return (
        f"<profile name='{name}' typeName='{kind}'><characteristics>{columns}</characteristics>{more}</profile>"
    ).replace('""', '"')


# --- how they are asked ---------------------------------------------------------------------------------------


def shell(*arguments: str, file: str | None = None) -> Any:
    """What the shell answers in JSON; `file` is the text of question.toml, which the arguments name."""
    if file is not None:
        Path("question.toml").write_text(file, encoding="utf-8")
    return json.loads(printed(*arguments, *JSON))


def printed(*arguments: str) -> str:
    found = CliRunner().invoke(cli, arguments)
    assert found.exit_code == 0, f"{arguments}: {found.output or found.exception}"
    return found.stdout


def frame(table: pd.DataFrame) -> dict[str, Any]:
    """A frame as plain data."""
    flat = table.reset_index() if any(name is not None for name in table.index.names) else table
    columns = [" / ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in flat.columns]
    return {"columns": columns, "rows": [dict(zip(columns, line)) for line in flat.itertuples(index=False, name=None)]}


def imported() -> Any:
    """What becomes of a catalogue: what is said of it, and the units in the profiles that are written."""
    Path("river.cat").write_text(catalogue(2, 50), encoding="utf-8")
    said = printed("import", "river.cat", "--out", "mine").replace(str(Path.cwd()), "")
    files = {path.name: path.read_text("utf-8").splitlines() for path in sorted(Path("mine").iterdir())}
    return {"said": said.splitlines(), "files": files, "units": shell("units", "--profiles", "mine")}


def changed() -> Any:
    """What another DEFENCE and another price do to every matchup."""
    for name, text in (("old", catalogue(2, 50)), ("new", catalogue(3, 60))):
        Path(f"{name}.cat").write_text(text, encoding="utf-8")
        printed("import", f"{name}.cat", "--out", name)
    return shell("diff", "old", "new", "--situations", "all")


def report(attackers: str, defenders: str, situations: str, *, whole: bool = False) -> Any:
    """The tables of the balance in a report, as they are printed; `whole`: matchups too, with all their digits."""
    asked = ("--attackers", attackers, "--defenders", defenders, "--situations", situations)
    printed("report", *asked, "--metric", "p_annihilated", "--threads", "1", "--out", "written")
    folder = Path("written")
    tables = {
        path.name: _cells(path) for path in sorted(folder.glob("*.csv")) if path.name != "matchups.csv"
    }  # its columns are those of the Parquet file
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    same = {key: manifest[key] for key in ("method", "situations", "profiles") if key in manifest}
    units = json.loads((folder / "units.json").read_text("utf-8"))
    found = frame(pd.read_parquet(folder / "matchups.parquet"))
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    answer = {"printed": tables, "manifest": same, "files": files}
    return answer | ({"matchups": found, "units": units} if whole else {})


def _cells(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return [{name: _cell(text) for name, text in line.items()} for line in csv.DictReader(lines)]


def _cell(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def all_of_attack(found: Any) -> Any:
    """An attack's answer, in every form that it has in Python."""
    frames = {"frame": frame(found.to_frame()), "joint": frame(found.to_frame(joint=True))}
    return {"method": found.method, "answer": found.as_dict(), **frames}


def all_of_duel(found: Any) -> Any:
    """A duel's answer, in every form that it has in Python."""
    frames = {
        "frame": frame(found.to_frame()),
        "by_round": frame(found.to_frame(by_round=True)),
        "activations": frame(found.to_frame(activations=True)),
    }
    return {"method": found.as_dict()["method"], "answer": found.as_dict(), **frames}


def comparison(method: str, loadouts: Any, target: Any, **more: Any) -> Any:
    """The frames of a comparison."""
    found = analyser.compare(loadouts, target, method=method, **more)
    tables = {"frame": found.frame, "laws": found.distributions, "differences": found.differences}
    frames = {name: frame(table) for name, table in tables.items()}
    return {"method": method, "best": found.best, "tied": list(found.tied), "at_least": found.at_least, **frames}


def matchups(*arguments: Any, **more: Any) -> Any:
    """The frames of a grid of fights."""
    found = analyser.matchups(*arguments, **more)
    return {
        "frame": frame(found.to_frame()),
        "pivot": frame(found.pivot()),
        "impossible": frame(found.impossible()),
        "metric": found.metric,
        "not_modelled": [list(each) for each in found.not_modelled],
        "assumptions": list(found.assumptions),
    }


def sensitivity(scenario: Any, metric: str) -> Any:
    """The frame of what one more and one less do, and what a figure costs."""
    found = analyser.sensitivity(scenario, metric=metric)
    price = {"low": found.price.low, "high": found.price.high, "steps": list(found.price.steps)}
    return {"frame": frame(found.to_frame()), "base": found.base, "at_least": found.at_least, "price": price}


def library() -> Any:
    """The loadouts of the shipped profiles, and what selectors find."""
    found = analyser.load_profiles()
    return {"selectors": [each.selector for each in found], "used": list(found.used)}


def refused(ask: Callable[[], Any]) -> str:
    """The message with which a question is refused."""
    with pytest.raises(analyser.InputError) as error:
        ask()
    return str(error.value)


def asked(*arguments: str, file: str | None = None) -> Callable[[], Any]:
    """A question to the shell."""
    return partial(shell, *arguments, file=file)


QUESTIONS: dict[str, Callable[[], Any]] = {
    # attacks
    "attack-exact": asked(
        "attack",
        "crown/rifle-platoon@reinforced",
        "imperium/scion-grenadier-platoon@basic",
        "--row",
        "ranged-light",
        "--distance",
        "6",
        "--aiming",
    ),
    "attack-both": asked("attack", RIFLES, GRENADIERS, "--distance", "6", "--aiming", "--ammo-supply", *BOTH),
    "attack-shortened": asked(
        "attack", "crown/rifle pl@reinf:aiming,attacker_models=7", f"{GRENADIERS}:models=4,suppressed", *BOTH
    ),
    "attack-garrisoned": asked(
        "attack",
        SHARP,
        GRENADIERS,
        "--garrisoned",
        "--near-commander",
        "--officer",
        "random",
        "--formation",
        "open",
        "--edge-distance",
        "3",
        "--models-without-room",
        "1",
        *BOTH,
    ),
    "attack-extra-reroll": asked(
        "attack", SHARP, GRENADIERS, "--rating", "improved", "--veteran", "2", "--extra-reroll", "miss,blank:2", *BOTH
    ),
    "attack-best-row-heavy": asked("attack", "crown/drake-field-guns@basic", TANKS, *BOTH),
    "attack-indirect-spotter": asked(
        "attack",
        "commonwealth/tryasti-seismic-mortars@basic",
        GRENADIERS,
        "--line-of-sight",
        "spotter",
        "--disordered",
        *BOTH,
    ),
    "attack-behemoth-damaged": asked(
        "attack",
        MONARCH,
        "imperium/thunar-arc-field-guns@basic",
        "--attacker-damage",
        "5",
        "--chain-of-command",
        "--peer-review",
        *BOTH,
    ),
    "attack-opportunity-fire": asked(
        "attack",
        "commonwealth/ryadovoy-rifle-platoon@basic",
        SHARP,
        "--opportunity-fire",
        "--concealed",
        "--taking-cover",
        "--exposed",
        "2",
        *BOTH,
    ),
    "attack-on-colossus": asked("attack", KRUPP, COLOSSUS, "--damage", "3", "--from-front", *BOTH),
    "attack-precision": asked(
        "attack", RIFLES, GRENADIERS, "--method", "monte-carlo", "--precision", "0.01", "--seed", "3"
    ),
    "attack-threads": asked(
        "attack", RIFLES, GRENADIERS, "--method", "monte-carlo", "--trials", "600000", "--threads", "2"
    ),
    "attack-file-mixed": asked("run", "question.toml", *BOTH, file=MIXED_ATTACK),
    "attack-file-inline": asked("run", "question.toml", *BOTH, file=INLINE_ATTACK),
    "attack-file-overcharge": asked("run", "question.toml", *BOTH, file=OVERCHARGED_ATTACK),
    "attack-file-cryo": asked("run", "question.toml", *BOTH, file=CRYO_ATTACK),
    "attack-python-exact": lambda: all_of_attack(analyser.exact(AIMED)),
    "attack-python-sampled": lambda: all_of_attack(analyser.simulate(AIMED, trials=2000, seed=11)),
    "attack-python-many-chunks": lambda: all_of_attack(analyser.simulate(PLAIN_ATTACK, trials=700_001, seed=2)),
    "scenario-as-dict": lambda: analyser.load_scenario(AIMED).as_dict(),
    # longer fights
    "charge-both": asked("charge", RIFLES, f"{GRENADIERS}:garrisoned,models=4", "--supported", *BOTH),
    "charge-secondary": asked(
        "charge", f"{RIFLES}:suppressed", f"{GRENADIERS}:models=5", "--outflanking", "--secondary", GRENADIERS, *BOTH
    ),
    "charge-replacement": asked(
        "charge", CAVALRY, KRUPP, "--threatened", "--difficult-terrain", "--replacement", *BOTH
    ),
    "charge-file": asked("run", "question.toml", *BOTH, file=INLINE_CHARGE),
    "charge-python": lambda: [
        analyser.charge({"attacker": {"unit": GALAHAD}, "target": {"unit": KRUPP}}, **more).as_dict()
        for more in ({}, {"method": "monte-carlo", "trials": 2000, "seed": 5})
    ],
    "focus-until": asked(
        "focus", RIFLES, f"{RIFLES}:distance=6,aiming", "--target", GRENADIERS, "--until", "0.8", "broken", *BOTH
    ),
    "focus-file": asked("run", "question.toml", *BOTH, file=FOCUS),
    "focus-python": lambda: [
        analyser.focus(
            {"attacks": [{"attacker": SHARP}, {"attacker": RIFLES}], "target": {"unit": GRENADIERS, "models": 4}},
            **more,
        ).as_dict()
        for more in ({}, {"method": "monte-carlo", "trials": 2000, "seed": 5, "replacement": True})
    ],
    "duel-shoot": asked("duel", RIFLES, GRENADIERS, "--rounds", "2", *BOTH),
    "duel-lookout-file": asked("run", "question.toml", *BOTH, file=DUEL),
    "duel-charge-cover": asked(
        "duel",
        CAVALRY,
        f"{GRENADIERS}:suppressed",
        "--policy-a",
        "charge",
        "--policy-b",
        "take_cover",
        "--distance",
        "20",
        "--rounds",
        "3",
        "--replacement",
        *BOTH,
    ),
    "duel-all-out": asked(
        "duel", MONARCH, COLOSSUS, "--policy-a", "all_out", "--first", "b", "--rounds", "2", *SAMPLED
    ),
    "duel-overcharge-file": asked("run", "question.toml", *BOTH, file=DUEL_OVERCHARGED),
    "duel-amok": asked(
        "duel",
        "commonwealth/azhdaya-beserker-gang@basic:overcharge",
        f"{GRENADIERS}:damage=0",
        "--distance",
        "12.5",
        "--policy-a",
        "charge",
        "--policy-b",
        "short_range",
        *BOTH,
    ),
    "duel-many-chunks": asked(
        "duel", RIFLES, GRENADIERS, "--rounds", "2", "--method", "monte-carlo", "--trials", "300001", "--seed", "3"
    ),
    "charge-behemoths": asked(
        "charge", COLOSSUS, MONARCH, "--secondary", f"{GALAHAD}:threatened", "--no-overrun", *SAMPLED
    ),
    "duel-python": lambda: [
        all_of_duel(
            analyser.duel(
                {"duel": {"rounds": 2, "policy_b": "lookout"}, "a": {"unit": RIFLES}, "b": {"unit": GRENADIERS}}, **more
            )
        )
        for more in ({}, {"method": "monte-carlo", "trials": 2000, "seed": 5})
    ],
    # morale
    "legion": asked("morale", "legion", "question.toml", *BOTH, file=LEGION),
    "legion-many-chunks": asked(
        "morale",
        "legion",
        "--courage",
        "1",
        "--received",
        "{0 = 0.5, 1 = 0.5}",
        "--method",
        "monte-carlo",
        "--trials",
        "1200001",
        "--seed",
        "9",
    ),
    "legion-precision": asked(
        "morale", "legion", "--courage", "1", "--tokens", "1", "--method", "monte-carlo", "--precision", "0.005"
    ),
    "legion-options": asked("morale", "legion", "--courage", "2", "--tokens", "3", "--received", "1", *BOTH),
    "grande-tactique-check": asked(
        "morale",
        "grande-tactique",
        "--check-quality",
        "veteran",
        "--check-cause",
        "worn down",
        "--check-worn-down-by",
        "artillery",
        "--ruleset-check-target",
        "7",
        *BOTH,
    ),
    "grande-tactique-sections": asked("morale", "grande-tactique", "question.toml", *BOTH, file=GRANDE_TACTIQUE),
    "grande-tactique-game": asked("run", "question.toml", *BOTH, file=GRANDE_TACTIQUE_GAME),
    "grande-tactique-large-division": asked("morale", "grande-tactique", "question.toml", *BOTH, file=LARGE_DIVISION),
    "grande-tactique-large-game": asked("run", "question.toml", *SAMPLED, file=LARGE_GAME),
    "warmaster": asked("morale", "warmaster", "question.toml", *BOTH, file=WARMASTER),
    "warmaster-retreat": asked("run", "question.toml", *BOTH, file=WARMASTER_RETREAT),
    "mordheim": asked("morale", "mordheim", "question.toml", *BOTH, file=MORDHEIM),
    "mordheim-brawl": asked("run", "question.toml", *BOTH, file=MORDHEIM_BRAWL),
    "mordheim-combat-options": asked(
        "morale",
        "mordheim",
        "--combat-enemy-causes-fear",
        "--combat-fighter-leadership",
        "6",
        "--combat-fighter-leader",
        "8",
        *BOTH,
    ),
    "morale-compare": asked("morale", "compare", "question.toml", *BOTH, file=SIDE_BY_SIDE),
    "morale-compare-duel": asked("run", "question.toml", *BOTH, file=DUEL_SIDE_BY_SIDE),
    # comparisons
    "compare-shell": asked("compare", SHARP, RIFLES, "--target", GRENADIERS, "--distance", "10"),
    "compare-shell-weights": asked(
        "compare",
        "crown/rifle*",
        "--target",
        GRENADIERS,
        "--target",
        f"{KRUPP}:suppressed",
        "--weights",
        "2,1",
        "--metric",
        "p_broken",
        "--at-least",
        "2",
    ),
    "compare-shell-per-points": asked(
        "compare", "crown/*@basic", "--target", KRUPP, "--metric", "expected_points_destroyed", "--per-points"
    ),
    "compare-shell-sampled": asked(
        "compare", SHARP, RIFLES, "--target", GRENADIERS, "--method", "monte-carlo", "--trials", "2000", "--seed", "7"
    ),
    "compare-exact": lambda: comparison("exact", [SHARP, RIFLES, GALAHAD], {"unit": GRENADIERS, "garrisoned": True}),
    "compare-sampled": lambda: comparison(
        "monte-carlo", [SHARP, RIFLES], GRENADIERS, trials=2000, seed=7, bonuses=["aiming"], metric="p_at_least"
    ),
    "compare-targets-sampled": lambda: {
        "method": "monte-carlo",
        "frame": frame(
            analyser.compare(
                [SHARP, RIFLES], [GRENADIERS, KRUPP], weights=[3, 1], method="monte-carlo", trials=2000, seed=7
            ).frame
        ),
    },
    "matchups-every-situation": lambda: matchups(
        "crown/r*", "imperium/s*@basic", situations=["long-range", "short-range-aimed", "charge", "duel"]
    ),
    "matchups-per-points": lambda: matchups(
        "imperium/s*@basic", "crown/r*@basic", metric="expected_points_destroyed", per_points=True
    ),
    "matchups-row-levels": lambda: matchups(
        "commonwealth/*", "*/krupp*", row="ranged-heavy", levels=["basic"], situations=["long-range"]
    ),
    "matchups-charge": lambda: matchups("commonwealth/*@basic", "crown/[bhm]*@basic", situations=["charge"]),
    "sensitivity": lambda: sensitivity(AIMED, "mean_models_destroyed"),
    "sensitivity-chance": lambda: sensitivity(
        {"attack": {"attacker": RIFLES}, "target": {"unit": KRUPP}}, "p_annihilated"
    ),
    "sensitivity-inline": lambda: sensitivity(PLAIN_ATTACK, "p_at_least"),
    "dice-funnel": lambda: frame(analyser.dice_funnel(AIMED)),
    "dice-funnel-inline": lambda: frame(
        analyser.dice_funnel(
            {
                "attack": {
                    "dice": 9,
                    "qualities": ["Overcharge"],
                    "overcharge": True,
                    "extra_reroll": {"faces": ["miss", "blank"], "dice": 2},
                },
                "target": {**GUARDED, "exposed": 3},
            }
        )
    ),
    # reports, with flags, efficiency, outliers, domination, ratings
    "report-flags": lambda: report("crown/*", "imperium/*@basic", "long-range,short-range-aimed,charge"),
    "report-flags-of-all": lambda: report("*/*", "*/*@basic", "short-range-aimed"),
    "report-ratings": lambda: report("crown/r*@basic", "crown/r*@basic", "long-range,duel", whole=True),
    # profiles
    "units": asked("units"),
    "units-faction": asked("units", "--faction", "imp"),
    "load-profiles": library,
    "import": imported,
    "diff": changed,
    # what is refused
    "refused-metric": lambda: refused(lambda: analyser.matchups(RIFLES, GRENADIERS, metric="nerve")),
    "refused-key": lambda: refused(lambda: analyser.exact({"attack": {"dices": 3}, "target": {"models": 1}})),
    "refused-selector": lambda: refused(
        lambda: analyser.simulate({"attack": {"attacker": "crown/rifel"}, "target": {"unit": KRUPP}})
    ),
}


# --- how they are kept and compared ---------------------------------------------------------------------------


class Limit(NamedTuple):
    """How far floats may be apart, as a part of them and at least."""

    relative: float
    absolute: float


LIMITS = {"exact": Limit(EXACT, NOTHING), "monte-carlo": Limit(0, 0)}
LIMIT_OF_PRINTED = Limit(PRINTED, NOTHING)


def answer(name: str) -> Any:
    """The answer to a question as of now, as JSON has it; asked in an empty folder."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        return json.loads(json.dumps(plain(QUESTIONS[name]()), allow_nan=False))


def plain(value: Any) -> Any:
    """`value` as JSON has it: lists, numbers of Python, null for what is not there; no version of the program."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    return PROGRAM.sub("shipped with analyser", value) if isinstance(value, str) else value


def unlike(kept: Any, now: Any, path: str = "$", limit: Limit = LIMITS["exact"]) -> list[str]:
    """Where two answers are unlike each other: path, what is kept, what it is now.

    A part that says that it is a sample has to be the same to the last bit.
    """
    if isinstance(kept, dict) and isinstance(now, dict):
        limit = LIMITS.get(str(kept.get("method")), limit)
        if "method" in kept and "kind" not in kept:  # an attack may learn to say so
            now = {key: value for key, value in now.items() if key != "kind"}
        found = [f"{path}.{key}: kept, not there now: {shown(kept[key])}" for key in kept.keys() - now.keys()]
        found += [f"{path}.{key}: not kept, there now: {shown(now[key])}" for key in now.keys() - kept.keys()]
        for key in sorted(kept.keys() & now.keys()):
            found += unlike(kept[key], now[key], f"{path}.{key}", LIMIT_OF_PRINTED if key == "printed" else limit)
        return found
    if isinstance(kept, list) and isinstance(now, list):
        found = [] if len(kept) == len(now) else [f"{path}: kept {len(kept)} entries, now {len(now)}"]
        for place, (old, new) in enumerate(zip(kept, now)):
            found += unlike(old, new, f"{path}[{place}]", limit)
        return found
    if type(kept) is float and type(now) is float:
        alike = kept == now or math.isclose(kept, now, rel_tol=limit.relative, abs_tol=limit.absolute)
    else:
        alike = type(kept) is type(now) and kept == now
    return [] if alike else [f"{path}: kept {shown(kept)}, now {shown(now)}"]


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


@cache
def answers_kept() -> dict[str, Any]:
    return json.loads(lzma.decompress(KEPT.read_bytes()))


def keep() -> None:
    """Keep the answers of today."""
    found = {}
    for name in QUESTIONS:
        found[name] = answer(name)
        print(name, len(json.dumps(found[name])), flush=True)
    text = json.dumps(found, sort_keys=True, separators=(",", ":"), allow_nan=False)
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_is_the_one_that_is_kept(name):
    found = unlike(answers_kept()[name], answer(name))
    more = [f"... and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
    assert not found, "\n".join([f"{name}: {len(found)} differences", *found[:MOST_TOLD], *more])


def test_every_answer_that_is_kept_is_asked_for():
    assert set(answers_kept()) == set(QUESTIONS)


@pytest.mark.parametrize(
    ("kept", "now", "told"),
    [
        ({"a": [1.0]}, {"a": [1.0 + 1e-13]}, []),
        ({"a": [1.0]}, {"a": [1.0 + 1e-9]}, ["$.a[0]: kept 1.0, now 1.000000001"]),
        ({"method": "monte-carlo", "a": 0.5}, {"method": "monte-carlo", "a": 0.5}, []),
        ({"method": "monte-carlo", "a": 0.5}, {"method": "monte-carlo", "a": math.nextafter(0.5, 1)}, 1),
        ({"method": "exact", "n": 1}, {"method": "exact", "n": 1.0, "kind": "attack"}, ["$.n: kept 1, now 1.0"]),
        ({"n": 1}, {"n": 1, "kind": "attack"}, ["$.kind: not kept, there now: 'attack'"]),
        ([1, 2], [1], ["$: kept 2 entries, now 1"]),
        ({"n": None}, {"n": False}, ["$.n: kept None, now False"]),
    ],
)
def test_what_differs_is_told(kept, now, told):
    found = unlike(kept, now)
    assert len(found) == told if isinstance(told, int) else found == told


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: python {os.path.relpath(__file__)} --write")
    keep()
