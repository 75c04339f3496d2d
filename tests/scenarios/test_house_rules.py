"""House rules and own faces: a unit with one fights as an equivalent unit does, in every kind of question."""

import json
from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

import analyser
from analyser.common.errors import InputError
from tests.helpers.shell import run

UNIT = """
[[unit]]
id = "{id}"
name = "{id}"
type = "infantry"
category = "light"
speed = 5
defence = {defence}
damage_limit = 1
discipline = {discipline}
break_limit = 2
rules = {rules}
[unit.levels]
basic = {{ models = 6, points = 40, victory_points = 2 }}
[[unit.rows]]
id = "shots"
name = "Shots"
kind = "ranged"
against = ["light"]
short_range = 7
long_range = 14
qualities = {qualities}
bands = [{{ first = 1, last = 6, dice = {shots} }}]
[[unit.rows]]
id = "blades"
name = "Blades"
kind = "melee"
qualities = {qualities}
bands = [{{ first = 1, last = 6, dice = {blades} }}]
"""
USUAL = {"defence": 2, "discipline": 7, "rules": [], "qualities": [], "shots": 6, "blades": 6}
NEAR, FAR = {"distance": 6}, {"distance": 12}
RULED, EQUAL, ENEMY = (f"own/{name}@basic" for name in ("ruled", "equal", "enemy"))


def profiles(folder, rules="", **units):
    """A folder of profiles with those units, each by what it has otherwise than usual, and with house rules."""
    parts = ['format = 1\nid = "own"\nname = "Own"\n']
    parts += [
        UNIT.format(id=name, **{key: json.dumps(value) for key, value in (USUAL | changed).items()})
        for name, changed in units.items()
    ]
    folder.mkdir(exist_ok=True)
    (folder / "own.toml").write_text("".join(parts))
    (folder / "ruleset.toml").write_text(rules)
    return analyser.load_profiles(folder)


def with_rule(folder, rule, enemy=None, **changed):
    """A folder with a unit of that house rule, one with changed numbers instead, and an enemy."""
    rules = f'[rules."Well Drilled"]\n{rule}\n'
    units = {"ruled": {"rules": ["Well Drilled"]}, "equal": changed, "enemy": {}, "other": enemy or {}}
    return profiles(folder, rules, **units)


NAMES = ("headline", "scenario", "ruleset", "profiles", "conditions", "applied", "not_used", "assumptions", "armies")


def numbers(result):
    record = {key: value for key, value in result.as_dict().items() if key not in NAMES}
    return json.loads(json.dumps(record).replace("ruled", "equal"))


def answers(library, one, other, **conditions):
    """What every kind of question between two units comes to, by its name."""
    both = {"profiles": library}
    sampled = both | {"method": "monte-carlo", "trials": 3000, "threads": 1}
    shots = [{"attacker": one, "row": "shots", **conditions}] * 2
    terms = {"rounds": 2, "policy_a": "charge", **conditions}
    fought = {"trials": 300, "rounds": 3, "swing": False, "tactics": False, "threads": 1}
    found = {
        "attack": analyser.attack(one, other, **conditions, **both),
        "attack, simulated": analyser.attack(one, other, **conditions, **sampled),
        "focus fire": analyser.focus(shots, other, **both),
        "focus fire, simulated": analyser.focus(shots, other, **sampled),
        "charge": analyser.charge(one, other, **both),
        "charge, simulated": analyser.charge(one, other, **sampled),
        "duel": analyser.duel(one, other, **terms, **both),
        "duel, simulated": analyser.duel(one, other, **terms, **sampled),
        "shots": analyser.duel(one, other, rounds=2, **conditions, **both),
        "best play": analyser.best_play(one, other, rounds=1, first="a", **conditions, **both),
        "battle": analyser.battle([f"2 x {one}"], [f"2 x {other}"], **fought, **both),
    }
    result = {name: numbers(answer) for name, answer in found.items()}
    for kind, more in (("attack", conditions), ("charge", {}), ("duel", terms)):
        told = analyser.tell(one, other, kind=kind, trial=7, trials=20, **more, **both)
        result[f"{kind}, told"] = dict(told.figures)
    return result


def differing(one, other):
    """The questions in which two units do not come to the same numbers, but for the rounding of sums."""
    return [name for name in one if not same(one[name], other[name])]


def same(one, other):
    """Return True if two answers are equal, floats within 1e-12."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-12
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


EVERYWHERE = {  # a rule, and the numbers of a unit without it that fights as well
    "attacking": (
        'at = ["short range", "long range", "close quarters"]\nagainst = ["infantry"]\ndice = 2',
        {"shots": 8, "blades": 8},
    ),
    "attacked": ('when = "attacked"\nagainst = "light"\ndefence = 1', {"defence": 3}),
    "tested": ('when = "attacked"\ntest = 1', {"discipline": 8}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", EVERYWHERE)
def test_a_unit_with_a_house_rule_is_an_equivalent_unit(tmp_path, case):
    rule, changed = EVERYWHERE[case]
    library = with_rule(tmp_path, rule, **changed)
    sides = [(RULED, ENEMY), (EQUAL, ENEMY)] if case == "attacking" else [(ENEMY, RULED), (ENEMY, EQUAL)]
    where = FAR if case == "attacking" else NEAR
    assert differing(*(answers(library, *both, **where) for both in sides)) == []


ATTACKS = {  # a rule, the conditions of an attack by its unit, those of an equal one, and what the equal unit has
    "near at long range": ('at = "long range"\ndice = 3', NEAR, NEAR, {}),
    "against others": ('against = ["cavalry", "heavy"]\ndice = 2\nrerolls = "miss"', FAR, FAR, {}),
    "not on a charge": ('at = "charge"\ndice = 3', NEAR, NEAR, {}),
    "suppressed all the same": ('ignores = "suppressed"', FAR | {"suppressed": True}, FAR, {}),
    "in the open": ('ignores = ["concealed", "reforming"]', FAR | {"concealed": True, "reforming": True}, FAR, {}),
    "like Suppressive": ("test = -1", FAR, FAR, {"qualities": ["Suppressive"]}),
}


@pytest.mark.parametrize("case", ATTACKS)
def test_an_attack_by_a_house_rule_is_that_of_an_equivalent_unit(tmp_path, case):
    rule, conditions, those_of_equal, changed = ATTACKS[case]
    library = with_rule(tmp_path, rule, **changed)
    one = analyser.attack(RULED, ENEMY, **conditions, profiles=library)
    assert (
        numbers(one)["outcomes"]
        == numbers(analyser.attack(EQUAL, ENEMY, **those_of_equal, profiles=library))["outcomes"]
    )
    changes_nothing = not changed and conditions == those_of_equal
    assert ("Well Drilled (house rule)" in one.rules_applied) == (not changes_nothing)


def test_defence_counts_in_a_duel_as_far_as_the_other_side_stands(tmp_path):
    library = with_rule(tmp_path, 'when = "attacked"\nat = "long range"\ndefence = 2', defence=4)
    plain = with_rule(tmp_path / "plain", "dice = 1").with_ruleset({"rules": {}})

    def shot_at(selector, distance, library=library):
        duel = analyser.duel(
            ENEMY, selector, rounds=1, first="a", policy_b="take_cover", distance=distance, profiles=library
        )
        return numbers(duel)["rounds"]

    assert shot_at(RULED, 10) == shot_at(EQUAL, 10)
    assert shot_at(RULED, 6) == shot_at(ENEMY, 6) != shot_at(EQUAL, 6)
    assert shot_at(ENEMY, 6, plain) == shot_at(ENEMY, 6)


REFUSED = {
    "dise = 1": "dise: unknown key; did you mean 'dice'",
    'against = ["cavalri"]\ndice = 1': "did you mean 'cavalry'",
    'at = "charge"': "a rule without an effect",
    'at = "short range"\ntest = 1': "test and at exclude each other",
    "hits = { heroic = 1, strike = 2 }": "1 hits of a heroic strike (allowed: 2 to 6)",
}


@pytest.mark.parametrize("rule", REFUSED)
def test_a_rule_that_cannot_be_is_refused_with_its_place(tmp_path, rule):
    with_rule(tmp_path, rule)
    result = run("attack", RULED, ENEMY, "--profiles", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{tmp_path}/ruleset.toml: rules.Well Drilled" in result.stderr.replace("\n", " ")
    assert REFUSED[rule] in " ".join(result.stderr.split())


KEEN = {
    "heroic": {"sides": 1, "hits": 3},
    "strike": 1,
    "glancing": {"sides": 1, "hits": 1, "rerolled": "improved"},
    "miss": 1,
    "blank": 1,
    "critical": {"sides": 2, "hits": 3, "explodes": True},
    "graze": {"sides": 1, "rerolled": "neutral"},
}
HITS = {"heroic": 3, "critical": 3, "strike": 1, "glancing": 1}
REROLLED = {"weakened": (), "neutral": ("graze",), "improved": ("graze", "glancing", "miss")}
SIDES = [name for name, face in KEEN.items() for _ in range(face if isinstance(face, int) else face["sides"])]


def plain_law(dice, rating, added_each=1):
    """The law of the hits of a pool of the keen die: every side of every die, one after the other."""
    share = Fraction(1, len(SIDES))
    settled = defaultdict(Fraction)  # of one die that does not explode, or that was added
    for side in SIDES:
        for again in SIDES if side in REROLLED[rating] else [None]:
            settled[HITS.get(again or side, 0)] += share * (share if again else 1)
    first = defaultdict(Fraction)
    for side in SIDES:
        if side not in ("heroic", "critical"):
            for again in SIDES if side in REROLLED[rating] else [None]:
                first[HITS.get(again or side, 0)] += share * (share if again else 1)
            continue
        for added in product(settled.items(), repeat=added_each):
            chance = share
            for _, one in added:
                chance *= one
            first[HITS[side] + sum(hits for hits, _ in added)] += chance
    total = {0: Fraction(1)}
    for _ in range(dice):
        longer = defaultdict(Fraction)
        for (hits, chance), (more, one) in product(total.items(), first.items()):
            longer[hits + more] += chance * one
        total = longer
    return total


@pytest.mark.parametrize("rating", REROLLED)
@pytest.mark.parametrize("qualities", [[], ["Arc"]])
def test_own_faces_hit_explode_and_are_rerolled_as_they_say(rating, qualities):
    fight = {
        "attack": {"dice": 4, "rating": rating, "qualities": qualities},
        "target": {"models": 30, "defence": 1, "damage_limit": 1},
        "ruleset": {"die": KEEN},
    }
    plain = plain_law(4, rating, 2 if qualities else 1)
    exact = {each["hits"]: each["probability"] for each in numbers(analyser.attack(fight))["hits"]}
    assert exact == pytest.approx({hits: float(chance) for hits, chance in plain.items()}, abs=1e-12)
    result = analyser.attack(fight, method="monte-carlo", trials=100_000, seed=5)
    sampled = {each["hits"]: each["probability"] for each in numbers(result)["hits"]}
    for hits, chance in plain.items():
        assert sampled.get(hits, 0.0) == pytest.approx(float(chance), abs=5 * (float(chance) / 100_000) ** 0.5 + 1e-5)


def test_strikes_without_hits_are_like_misses():
    """Without re-rolls; the target's test follows the losses."""

    def outcomes(**die):
        fight = {
            "attack": {"dice": 6, "rating": "weakened"},
            "target": {"models": 3, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 2},
            "ruleset": {"die": {"heroic": 1, "glancing": 1, "blank": 1, **die}},
        }
        return analyser.attack(fight).to_frame()

    found, missed = outcomes(strike={"sides": 2, "hits": 0}, miss=1), outcomes(strike=0, miss=3)
    assert found["probability"].sum() == pytest.approx(1)
    assert found["probability"].to_numpy() == pytest.approx(missed["probability"].to_numpy(), abs=1e-12)


@pytest.mark.parametrize(
    ("die", "problem"),
    [
        ({"strike": 1, "graze": {"sides": 1, "hit": 1}}, "hit: unknown key; did you mean 'hits'"),
        ({"strike": 1, "graze": {"sides": 1, "explodes": True}}, "graze explodes"),
        ({f"face_{number}": {"sides": 1} for number in range(4)}, "4 custom faces (allowed: up to 3)"),
    ],
)
def test_faces_that_cannot_be(die, problem):
    with pytest.raises(InputError) as refused:
        analyser.load_profiles().with_ruleset({"die": die})
    assert problem in str(refused.value)
