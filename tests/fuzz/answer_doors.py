"""The doors of answers: attacks, longer fights, comparisons, morale and battles, from plain data."""

import json
import math

import analyser
from analyser import morale
from analyser.game.profiles import Profiles
from tests.oracle import fight_files

MOST_TRIALS = 50_000  # a campaign has no time for more
FINEST = 0.02
MOST_THREADS = 8


def plain(value):
    """Mappings with text as keys, for what becomes the keywords of a function."""
    return {key: each for key, each in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def known(options, *names):
    """Those of `options` that a function has a keyword for: another is Python's own error."""
    return {name: value for name, value in plain(options).items() if name in names}


def sample(options):
    """The numbers of a sample, no larger than a campaign has time for; without any, a small one."""
    numbers = known(options, "trials", "seed", "precision", "threads")
    for name, most in (("trials", MOST_TRIALS), ("threads", MOST_THREADS)):
        if isinstance(numbers.get(name), int) and most < numbers[name]:
            numbers[name] = most
    precision = numbers.get("precision")
    if isinstance(precision, float) and 0 < precision < FINEST:
        numbers["precision"] = FINEST
    given = [numbers.get(name) for name in ("trials", "precision")]
    return numbers if any(each is not None for each in given) else numbers | {"trials": 1000}


RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-p@basic"
ATTACK = {"dice": 8, "qualities": ["Arc", "Torrent"], "bonuses": ["aiming"], "penalties": ["concealed"], "veteran": 1}
TARGET = {
    "models": 6,
    "defence": 2,
    "damage_limit": 2,
    "damage": 1,
    "discipline": 7,
    "break_limit": 2,
    "type": "infantry",
    "rules": ["Durable"],
    "edge_distance": 3.5,
    "exposed": 4,
    "near_commander": True,
    "taking_cover": True,
}
RULESET = {"die": {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 1}, "deck": {"1": 2, "7": 2, "12": 1}}
EXTRA = {"faces": ["miss"], "dice": 2}
ATTACKS = [
    {"attack": ATTACK, "target": TARGET, "ruleset": RULESET},
    {"attack": {"attacker": RIFLES, "distance": 6, "extra_reroll": EXTRA}, "target": {"unit": GRENADIERS}},
    {
        "attack": {"dice": 3, "overcharge": True, "attacker_models": 2, "attacker_damage_limit": 2},
        "target": {"models": 3, "defence": 1, "damage_limit": 1, "garrisoned": True, "victory_points": 3},
    },
    {
        "attack": {"attacker": "monarch-landship", "row": "ranged-light-heavy", "attacker_damage": 1},
        "target": {"unit": "imperium/krupp@basic", "suppressed": True, "disordered": True, "officer": "random"},
    },
]
MELEE, RANGED = fight_files.row("melee", 3, "Arc"), fight_files.row("ranged", 2, "Torrent", short_range=6.0)
UNIT = fight_files.unit(MELEE, RANGED, models=3, rules=("Veteran (1)",), speed=6.0)
CARRIER = fight_files.unit(
    MELEE, models=1, damage_limit=3, rules=("Capacity (3)",), passengers={"models": 2, "defence": 1, "damage_limit": 1}
)
CHARGES = [
    {"charge": {"outflanking": True}, "attacker": UNIT, "target": CARRIER, "secondary": [UNIT], "ruleset": RULESET},
    {
        "charge": {"difficult_terrain": True, "overrun": False},
        "attacker": {"unit": RIFLES, "close_quarters_row": "melee", "suppressed": True},
        "target": {"unit": GRENADIERS, "garrisoned": True, "models": 4},
    },
]
FOCUSES = [
    {"attacks": [ATTACK, {"dice": 2, "exposed": 2, "obstacle": True}], "target": TARGET, "ruleset": RULESET},
    {"attacks": [{"attacker": RIFLES, "distance": 6}, {"attacker": RIFLES}], "target": {"unit": GRENADIERS}},
]
DUELS = [
    {"duel": {"rounds": 1, "first": "a", "policy_b": "charge", "distance": 9.0}, "a": UNIT, "b": UNIT},
    {
        "duel": {"rounds": 2, "policy_a": "lookout"},
        "a": {"unit": RIFLES, "row": "ranged-light", "concealed": True},
        "b": {"unit": GRENADIERS, "taking_cover": True, "victory_points": 2},
    },
]


def echoed(answer, ask):
    """The answer, where its own scenario, read again, is the same scenario without another warning."""
    said = answer.as_dict()
    again = ask(json.loads(json.dumps(said["scenario"])))
    assert again.as_dict() == said["scenario"], "the scenario that is told is another one when it is read again"
    new = set(again.warnings) - set(said["warnings"])
    assert not new, f"warnings about the scenario that is told: {new}"
    return said


def exact(given, _folder):
    """One attack from a mapping."""
    return echoed(analyser.exact(given["source"]), analyser.load_scenario)


def simulate(given, _folder):
    """One attack, rolled."""
    return analyser.simulate(given["source"], **sample(given["options"])).as_dict()


def fight(name):
    """A longer fight from a mapping, exactly or played."""

    def ask(given, _folder):
        from analyser.scenarios import load

        options = given["options"]
        numbers = known(options, "method", "replacement", "seed")
        if isinstance(numbers.get("method"), str) and numbers["method"] == "monte-carlo":
            numbers |= sample(options)
        found = getattr(analyser, name)(given["source"], **numbers)
        return echoed(found, load.load)

    return ask


def between(given, _folder):
    """A charge, focus fire or a duel between two units named as arguments."""
    ask = {"charge": analyser.charge, "focus": analyser.focus, "duel": analyser.duel}
    name = given["fight"] if isinstance(given["fight"], str) and given["fight"] in ask else "charge"
    terms = plain(given["terms"])
    terms = {key: value for key, value in terms.items() if key not in ("attacker", "target", "a", "b", "progress")}
    terms = {} if name == "focus" else {key: value for key, value in terms.items() if key != "profiles"}
    first = [given["first"]] if name == "focus" else given["first"]
    return ask[name](first, given["second"], **terms).as_dict()


def many_options(sources):
    """Inputs with the options of a sample beside them."""
    options = {"trials": 1000, "seed": 3, "threads": 2, "precision": None}
    return [{"source": each, "options": options} for each in sources]


def fight_options(sources):
    """Inputs with the options of a longer fight beside them, exact and played."""
    methods = ({"method": "exact"}, {"method": "monte-carlo", "trials": 500, "seed": 1, "replacement": True})
    return [{"source": each, "options": method} for each in sources for method in methods]


# --- comparisons ----------------------------------------------------------------------------------


def small_library(folder):
    """The small profiles of the tests."""
    from tests.oracle.small_profiles import write_profiles

    return Profiles(write_profiles(folder / "profiles"))


def compare(given, folder):
    """Loadouts side by side."""
    options = {key: value for key, value in plain(given["options"]).items() if key not in ("profiles", "target")}
    if isinstance(options.get("method"), str) and options["method"] == "monte-carlo":
        options["method"] = "exact"  # it plays millions
    found = analyser.compare(given["loadouts"], given["target"], profiles=small_library(folder), **options)
    assert str(found)
    return {"frame": cells(found.frame), "best": found.best}


def matchups(given, folder):
    """Many attackers on many defenders."""
    options = known(given["options"], "metric", "per_points", "situations", "row", "levels", "threads")
    if isinstance(options.get("threads"), int):
        options["threads"] = min(options["threads"], MOST_THREADS)
    found = analyser.matchups(given["attackers"], given["defenders"], profiles=small_library(folder), **options)
    assert found.pivot() is not None
    return {"frame": cells(found.frame)}


def studies(given, _folder):
    """The funnel and the sensitivity of one attack."""
    options = known(given["options"], "metric")
    funnel = analyser.dice_funnel(given["source"])
    return {"funnel": cells(funnel), "sensitivity": cells(analyser.sensitivity(given["source"], **options).frame)}


def cells(frame):
    """A frame as rows, without the cells that stand for nothing."""
    return [
        {name: each for name, each in row.items() if not (isinstance(each, float) and math.isnan(each))}
        for row in frame.astype(object).to_dict("records")
    ]


# --- morale ---------------------------------------------------------------------------------------

FRIENDS = [{"distance": 3, "shaken": 0.5}, {"distance": 8.5, "arm": "cavalry"}]
GROUPS = [{"leadership": 7, "number": 3}, {"leadership": 6}]
MORALE = {
    "legion": [
        {
            "courage": 2,
            "tokens": 1,
            "received": [1, {"0": 0.5, "2": 0.5}],
            "received_after": 1,
            "rounds": 2,
            "commander_courage": 3,
            "commander_range": 2,
            "edge_distance": 9,
            "move_distance": 6.5,
            "destroyed": 0.1,
        },
        {"courage": "none", "tokens": 3, "ruleset": {"rally_sides": 6, "rally_successes": 3}},
        {"courage": 1, "commander_courage": 2, "commander_near": [0.5, 1.0], "until_panic": 0.4, "rounds": 2},
    ],
    "grande-tactique": [
        {
            "check": {"arm": "cavalry", "cause": "charged", "quality": "veteran", "modifier": -1},
            "flight": {"arm": "infantry", "enemy": "cavalry", "edge_distance": 18, "shelter_distance": 5},
        },
        {"column": {"arm": "infantry", "enemy": "cavalry", "friends": FRIENDS, "old_guard": True, "edge_distance": 20}},
        {
            "rout": {
                "units": [{"edge_distance": 20, "shelter_distance": 4}, {"arm": "cavalry"}],
                "standing": 2,
                "charged_by_cavalry": 0.1,
                "pips_elsewhere": 1,
                "turns": 3,
            }
        },
        {
            "division": {
                "units": [{"rout": 0.5}, {"rout": 0.25, "lost": 0.2}, {"rout": 0.1, "state": "routed"}],
                "corps_units": 9,
                "turns": 3,
            },
            "ruleset": {"pip_dice": 1},
        },
        {"check": {"arm": "artillery", "worn_down_by": "infantry"}, "ruleset": {"fire_shakes": False}},
        {
            "game": {
                "units": [
                    {"edge_distance": 9.5, "column": 1, "worn_down_by_infantry": 0.3, "shelter_distance": 2},
                    {"arm": "cavalry", "edge_distance": 6, "column": 1, "charged_by_cavalry": 0.1},
                    {"arm": "artillery", "worn_down_by_artillery": 0.2, "withdraws": 0.1},
                ],
                "turns": 2,
                "surrounded": 0.05,
                "pips_elsewhere": 1,
                "corps_units": 6,
            }
        },
    ],
    "warmaster": [
        {"dice": 3, "obstacles": [{"distance": 5, "kind": "friend", "chain": 2}, {"distance": 9, "kind": "enemy"}]},
        {
            "move": "retreats",
            "distance": {"4": 0.5, "6": 0.5},
            "stands": 3,
            "turns": 2,
            "obstacles": [{"distance": 3, "kind": "friend", "stands": 2}, {"distance": 5, "kind": "impassable"}],
        },
        {"move": "evades", "distance": 8, "obstacles": [{"distance": 3, "kind": "friend", "make_way": False}]},
    ],
    "mordheim": [
        {
            "warband": {
                "leader": 8,
                "others": GROUPS,
                "casualties": [1, {"0": 0.5, "2": 0.5}],
                "leader_stunned": 0.1,
                "gives_up_at": 3,
            },
            "turns": 2,
            "effect_of_leader": True,
        },
        {
            "warband": {"name": "a", "leader": 7, "others": GROUPS},
            "turns": 2,
            "rivals": [{"name": "b", "leader": 8, "others": GROUPS, "leader_falls": "first"}],
        },
        {
            "warband": {
                "name": "a",
                "leader": 7,
                "others": GROUPS,
                "casualties_from": [{"of": "b", "number": 3, "to_hit": 4, "to_wound": 3, "save": 5}],
            },
            "turns": 2,
            "winner": "first_to_leave",
            "rivals": [{"name": "b", "leader": 8, "others": GROUPS, "casualties_from": [{"number": 2, "turns": [1]}]}],
        },
        {"alone": {"leadership": 6, "edge": 7.5, "edge_behind": 12.25, "combat_phases": 2}, "turns": 2},
        {"alone": {"leadership": 6, "opponents": 3, "edge": 9.5, "charged": 0.2, "rally_leader": 8}, "turns": 3},
        {
            "combat": {
                "fighter": {"attacks": 2, "frenzy": True, "to_hit": 4},
                "enemy": {"causes_fear": True, "knocked_down": 0.2},
                "rounds": 3,
            },
            "stupidity": {"leadership": 5, "leader": 9},
        },
        {
            "together": {
                "leader": 8,
                "p_out": 0.1,
                "p_stunned": 0.2,
                "rout_test": True,
                "best_other": 7,
                "warriors": [{"name": "ogre", "leadership": 6, "near_leader": True}, {"leadership": 7}],
            }
        },
    ],
    "compare": [
        {
            "models": 8,
            "losses": [1, {"0": 0.5, "3": 0.5}],
            "nerve": 0.6,
            "attacks": 2,
            "rounds": 2,
            "edge_distance": 14.5,
            "legion": {"courage": 2},
            "mordheim": {"leadership": 8},
            "warmaster": {"dice": 2},
            "grande_tactique": {"worn_down": 2, "check_sides": 8},
            "armoured_clash": {"break_limit": "none"},
        },
        {"models": 4, "losses": 1, "ruleset": {"courage_steps": [0.1, 0.5], "legion": {"rally_sides": 8}}},
    ],
}


def morale_of(system):
    """A question about morale: exactly, and rolled a few times."""

    def ask(given, _folder):
        question, options = given["source"], given["options"]
        said = {"sampled": morale.simulate(system, question, **sample(options)).as_dict()}
        said["exact"] = morale.exact(system, question).as_dict()
        return said

    return ask


def few_trials(sources):
    """Questions with samples of 2, 3 and 7 games, where a figure that is no share shows."""
    return [{"source": each, "options": {"trials": trials, "seed": 0}} for each in sources for trials in (2, 3, 7)]


# --- battles --------------------------------------------------------------------------------------

BATTLES = [
    {
        "battle": {"rounds": 2, "gap": 10, "target_mine": "threatened_first"},
        "mine": [f"2 x {RIFLES}"],
        "yours": [RIFLES],
    },
    {
        "battle": {"rounds": 3, "scale": "skirmish", "hand_yours": "kept", "arrives": 2, "width": 20.5},
        "mine": {"name": "First", "unit": [{"unit": RIFLES, "x": 3.5}, {"unit": RIFLES, "reserve": True}]},
        "yours": {"unit": [GRENADIERS]},
        "ruleset": RULESET,
    },
]
FEW_BATTLES = 200


def a_battle(given, _folder):
    """A battle, played a few times."""
    options = sample(given["options"])
    if "precision" in options:
        options = {"trials": FEW_BATTLES}
    if isinstance(options.get("trials"), int):
        options["trials"] = min(options["trials"], FEW_BATTLES)
    record = analyser.simulate(given["source"], kind="battle", **options).as_dict()
    for row in record.pop("swing"):  # whose ends are those of a difference, from -1 to 1
        assert -1 <= row["low"] <= row["difference"] <= row["high"] <= 1, row
    return record
