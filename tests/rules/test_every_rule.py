"""Every quality and special rule of AC-6 and AC-7, kind of fight by kind of fight: computed, or named, never dropped.

Each case is a rigged fight with the rule and without it. Where numbers are computed from a rule, they differ, and the
answer says that it was applied; a rule that none are computed from is named instead.
"""

import pytest

import analyser
from analyser.game.keywords import (
    CLOSE_QUARTERS,
    DUEL,
    FOCUS_FIRE,
    QUALITIES,
    RANGED_ATTACK,
    SPECIAL_RULES,
    Rule,
    parse,
)
from tests.oracle.fight_files import LOW_CARDS, battle, charge, duel, focus, row, unit

HEROIC = {"heroic": 1}
THREE_FACES = {"strike": 1, "glancing": 1, "miss": 1}
SIXES, SEVENS = {"6": 1}, {"7": 1}  # DISCIPLINE 6 passes the one, and fails the other
QUIET = {"policy_b": "take_cover"}
WATCHING = {"policy_a": "lookout", "policy_b": "take_cover", "deck": LOW_CARDS}
RIDERS = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 6}
CUTTERS = {"attacker": "commonwealth/kheshig-sky-cutter-wings@basic"}
NO_NUMBER_OF_ITS_OWN = {  # of a fight whose numbers it cannot change: `docs/rulings.md`
    (CLOSE_QUARTERS, "Siegebreaker"),  # its die is rolled when the combat is over
    (FOCUS_FIRE, "Slow to Fire"),
    (FOCUS_FIRE, "Move or Fire"),
    (FOCUS_FIRE, "Reactive"),  # whether a row may fire
    (FOCUS_FIRE, "Veteran"),
    (FOCUS_FIRE, "Corrosive Fumes"),  # rules of a profile: in `test_ranged_attack.py`
}


def named(name, keys, there):
    """The qualities and the rules of a unit, taken out of its keys, and the name among them where it is there."""
    is_quality = parse(name)[0] in QUALITIES
    return (
        [*keys.pop("qualities", ()), *([name] if there and is_quality else [])],
        [*keys.pop("rules", ()), *([name] if there and not is_quality else [])],
    )


def charge_case(name, dice=3, *, of="a", a=None, t=None, back=0, only=None, special=None, **how):
    """A charge with a melee row of so many dice; `of`: whose rule it is; `only`: keys of that unit with the rule."""

    def side(keys, own, number, special=None):
        keys = (keys or {}) | ((only or {}) if own else {})
        qualities, rules = named(name, keys, own)
        rows = [row("melee", number, *qualities, special=special)] if number else []
        return unit(*rows, rules=rules, **keys)

    return tuple(
        charge(side(a, each and of == "a", dice, special), side(t, each and of == "t", back), **how)
        for each in (True, False)
    )


def focus_case(name, *, target=None, only=None, attack=None, only_target=None, **how):
    """Two attacks of three dice; `only`, `only_target`: keys of attacks and target where the rule is there."""
    found = []
    for with_it in (True, False):
        shot = {"dice": 3} | (attack or {}) | ((only or {}) if with_it else {})
        struck = {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, "type": "infantry"} | (target or {})
        struck |= (only_target or {}) if with_it else {}
        shot["qualities"], struck["rules"] = named(name, {**shot, **struck}, with_it)
        if "attacker" in shot:
            del shot["dice"], shot["qualities"]
        found.append(focus([shot, shot], struck, **how))
    return tuple(found)


def shooter(name, keys, own, dice=1, special=None):
    """A unit with a ranged row (24", short range 6"), and with `melee` among its keys such a row too."""
    qualities, rules = named(name, keys, own)
    number = keys.pop("dice", dice)
    rows = [row("ranged", number, *qualities, short_range=6.0, special=special)]
    rows += [row("melee", number, *qualities)] if keys.pop("melee", False) else []
    return unit(*rows, *keys.pop("more_rows", ()), rules=rules, **keys)


def duel_case(name, dice=3, *, of="a", a=None, b=None, only=None, melee=False, special=None, **how):
    """A duel of two rounds; `of`: whose rule it is."""

    def side(keys, own, *how_many):
        return shooter(name, {"melee": melee} | (keys or {}) | ((only or {}) if own else {}), own, *how_many)

    terms, ways = {"rounds": 2} | how, (True, False)
    return tuple(duel(side(a, it and of == "a", dice, special), side(b, it and of == "b"), **terms) for it in ways)


def told_to(policy, who, **how):
    """A duel of a unit that makes use of its rule, as its policy says, and one without the rule that just shoots."""
    plain = who | {"rules": [], "rows": [each | {"qualities": []} for each in who["rows"]]}
    return duel(who, unit(), policy_a=policy, **QUIET, **how), duel(plain, unit(), **QUIET, **how)


TWO_ROWS = [row("ranged", 2), row("ranged", 1) | {"id": "other"}]
OFFICER_FIRST = {"officer": "first"}
CHARGES = {
    "Shock": lambda n: charge_case(n, special=5),
    "Wreckers": lambda n: charge_case(n, special=5, a={"type": "cavalry"}, t={"category": "heavy"}),
    "Arc": lambda n: charge_case(n, 1, die=HEROIC),
    "Devastating": lambda n: charge_case(n, t={"defence": 2}),
    "Penetrating": lambda n: charge_case(n, t={"damage_limit": 2}),
    "Suppressive": lambda n: charge_case(n, deck=SIXES),
    "Precision": lambda n: charge_case(n, deck=SIXES),
    "Cryo": charge_case,
    "Seismic": charge_case,
    "Overcharge": lambda n: charge_case(n, a={"overcharge": True}, deck={"1": 1}),
    "Full Steam Ahead": lambda n: charge_case(n, a={"carriages": 2}),
    "Durable": lambda n: charge_case(n, 1, of="t", die=HEROIC),
    "Veteran (1)": charge_case,
    "Automata": lambda n: charge_case(n, of="t"),
    "Irrepressible": lambda n: charge_case(n, of="t"),
    "Peer Review (6)": lambda n: charge_case(n, of="t", only={"peer_review": True}),
    "Chain of Command (6)": lambda n: charge_case(n, of="t", only={"chain_of_command": True}, deck=SEVENS),
    "Resilient (Front)": lambda n: charge_case(n, 4, of="t", t={"from_front": True}),
    "Construct": lambda n: charge_case(n, of="t"),
    "Corrosive Fumes (2)": lambda n: charge_case(n, deck=SIXES),
    "Bodyguard": lambda n: charge_case(n, of="t", a={"qualities": ("Precision",)}, deck=SIXES),
    "Irregular": lambda n: charge_case(n, of="t", t=OFFICER_FIRST, deck=SIXES),
    "Lockstep": lambda n: charge_case(n, of="t", t=OFFICER_FIRST | {"type": "cavalry"}, deck=SIXES),
    "Hover": lambda n: charge_case(n, of="t", a={"qualities": ("Seismic",)}),
    "Sponsons (2)": lambda n: charge_case(n, of="t"),
    "Stoic Defence": lambda n: charge_case(n, [*range(1, 11)], of="t", back=4),
    "Storming Party": lambda n: charge_case(n, [*range(1, 11)], t={"garrisoned": True}, back=4),
    "Static": lambda n: charge_case(n, of="t", deck=LOW_CARDS),
    "Onslaught": lambda n: charge_case(n, 1, die=THREE_FACES),
    "Overrun": charge_case,
    "Hunter": charge_case,
    "Capacity (3)": lambda n: charge_case(
        n, 1, of="t", a={"type": "cavalry"}, only={"passengers": RIDERS}, t={"models": 2, "type": "armour"}, back=1
    ),
    "Throw (8)": lambda n: charge_case(n, deck={"2": 1}),
    "Spectacular Demise (3)": lambda n: charge_case(n, of="t", t={"models": 3}),
}
FOCUS = {
    "Point Blank": lambda n: focus_case(n, attack={"dice_in_parentheses": 5, "bonuses": ["short_range"]}),
    "Shock": lambda n: focus_case(n, attack={"dice_in_parentheses": 5}),
    "Wreckers": lambda n: focus_case(n, attack={"dice_in_parentheses": 5}, target={"category": "heavy"}),
    "Arc": lambda n: focus_case(n, attack={"dice": 1}, die=HEROIC),
    "Devastating": lambda n: focus_case(n, target={"defence": 2}),
    "Penetrating": lambda n: focus_case(n, target={"damage_limit": 2}),
    "Suppressive": lambda n: focus_case(n, deck=SIXES),
    "Torrent": lambda n: focus_case(n, target={"garrisoned": True}),
    "Precision": lambda n: focus_case(n, deck=SIXES),
    "Cryo": focus_case,
    "Seismic": focus_case,
    "Overcharge": lambda n: focus_case(n, only={"overcharge": True}, deck={"1": 1}),
    "Turret": lambda n: focus_case(n, only={"penalties": ["outside_front_arc"]}, die=THREE_FACES),
    "Indirect": lambda n: focus_case(n, only={"line_of_sight": "none"}, die=THREE_FACES),
    "Lock On": lambda n: focus_case(n, attack={"opportunity_fire": True}, die=THREE_FACES),
    "Siegebreaker": lambda n: focus_case(n, target={"garrisoned": True}),
    "Full Steam Ahead": lambda n: focus_case(n, attack={"carriages": 0}, only={"carriages": 1}),
    "Durable": lambda n: focus_case(n, attack={"dice": 1}, die=HEROIC),
    "Automata": focus_case,
    "Irrepressible": focus_case,
    "Peer Review (6)": lambda n: focus_case(n, only_target={"peer_review": True}),
    "Chain of Command (6)": lambda n: focus_case(n, only_target={"chain_of_command": True}, deck=SEVENS),
    "Resilient (Front)": lambda n: focus_case(n, target={"from_front": True}),
    "Emplacement": lambda n: focus_case(n, target={"obstacle": True}),
    "Pavises": lambda n: focus_case(n, target={"taking_cover": True}),
    "Shrouded": lambda n: focus_case(n, die=THREE_FACES),
    "Obfuscating (6)": lambda n: focus_case(n, die=THREE_FACES),
    "Construct": focus_case,
    "Hot Headed": lambda n: focus_case(n, target={"type": "aircraft"}),
    "Bodyguard": lambda n: focus_case(n, attack={"qualities": ("Precision",)}, deck=SIXES),
    "Irregular": lambda n: focus_case(n, target=OFFICER_FIRST, deck=SIXES),
    "Lockstep": lambda n: focus_case(n, target=OFFICER_FIRST | {"type": "cavalry"}, deck=SIXES),
    "Hover": lambda n: focus_case(n, attack={"qualities": ("Seismic",)}),
    "Tail Gunner (4)": lambda n: focus_case(n, attack=CUTTERS, target={"category": "aerial", "type": "aircraft"}),
}
CHARGING = {"policy_a": "charge", "melee": True, "deck": LOW_CARDS, **QUIET}
TESTED = {"policy_b": "take_cover", "first": "b"}  # so that what the shot does is still there at the end of the round
DUELS = {
    "Point Blank": lambda n: duel_case(n, special=5, policy_a="short_range", deck=LOW_CARDS, **QUIET),
    "Shock": lambda n: duel_case(n, special=5, deck=LOW_CARDS, **QUIET),
    "Wreckers": lambda n: duel_case(n, special=5, b={"category": "heavy"}, deck=LOW_CARDS, **QUIET),
    "Arc": lambda n: duel_case(n, 1, die=HEROIC, deck=LOW_CARDS, **QUIET),
    "Devastating": lambda n: duel_case(n, b={"defence": 2}, deck=LOW_CARDS, **QUIET),
    "Penetrating": lambda n: duel_case(n, b={"damage_limit": 2}, deck=LOW_CARDS, **QUIET),
    "Suppressive": lambda n: duel_case(n, deck=SIXES, **TESTED),
    "Torrent": lambda n: duel_case(n, b={"garrisoned": True}, deck=LOW_CARDS, **QUIET),
    "Precision": lambda n: duel_case(n, deck=SIXES, **TESTED),
    "Cryo": lambda n: duel_case(n, rounds=1, b={"dice": 3}),
    "Seismic": lambda n: duel_case(n, **TESTED),
    "Overcharge": lambda n: told_to("overcharge", unit(row("ranged", 3, n)), deck={"1": 1}),
    "Indirect": lambda n: duel_case(n, distance=5.0, deck=LOW_CARDS, **QUIET),
    "Lock On": lambda n: duel_case(n, 1, policy_a="lookout", policy_b="take_cover", die=THREE_FACES, deck=LOW_CARDS),
    "Slow to Fire": lambda n: duel_case(n, deck=LOW_CARDS, **QUIET),
    "Move or Fire": lambda n: duel_case(n, a={"speed": 8.0}, distance=30.0, deck=LOW_CARDS, **QUIET),
    "Reactive": lambda n: duel_case(n, 1, a={"more_rows": [row("ranged", 3) | {"id": "other"}]}, **WATCHING),
    "Siegebreaker": lambda n: duel_case(n, b={"garrisoned": True}, deck=LOW_CARDS, **QUIET),
    "Full Steam Ahead": lambda n: duel_case(n, a={"carriages": 1}, deck=LOW_CARDS, **QUIET),
    "Durable": lambda n: duel_case(n, 1, of="b", die=HEROIC, deck=LOW_CARDS, **QUIET),
    "Veteran (1)": lambda n: duel_case(n, deck=LOW_CARDS, **QUIET),
    "Automata": lambda n: duel_case(n, of="b", **TESTED),
    "Irrepressible": lambda n: duel_case(n, of="b", **TESTED),
    "Peer Review (6)": lambda n: duel_case(n, of="b", only={"peer_review": True}, **TESTED),
    "Chain of Command (6)": lambda n: duel_case(n, of="b", only={"chain_of_command": True}, deck=SEVENS, **TESTED),
    "Resilient (Front)": lambda n: duel_case(n, 4, of="b", b={"from_front": True}, deck=LOW_CARDS, **QUIET),
    "Emplacement": lambda n: duel_case(n, 4, of="b", b={"obstacle": True}, deck=LOW_CARDS, policy_b="shoot"),
    "Pavises": lambda n: duel_case(n, 4, of="b", deck=LOW_CARDS, **TESTED),
    "Shrouded": lambda n: duel_case(n, 1, of="b", die=THREE_FACES, deck=LOW_CARDS, **QUIET),
    "Obfuscating (6)": lambda n: duel_case(n, 1, of="b", die=THREE_FACES, deck=LOW_CARDS, **QUIET),
    "Construct": lambda n: duel_case(n, of="b", **TESTED),
    "Hot Headed": lambda n: duel_case(n, 1, a={"suppressed": True}, die=THREE_FACES, **QUIET),
    "Corrosive Fumes (6)": lambda n: duel_case(n, distance=6.0, deck=SIXES, **TESTED),
    "Bodyguard": lambda n: duel_case(n, of="b", a={"qualities": ("Precision",)}, deck=SIXES, **TESTED),
    "Irregular": lambda n: duel_case(n, of="b", b=OFFICER_FIRST, deck=SIXES, **TESTED),
    "Lockstep": lambda n: duel_case(n, of="b", b=OFFICER_FIRST | {"type": "cavalry"}, deck=SIXES, **TESTED),
    "Hover": lambda n: duel_case(n, of="b", a={"qualities": ("Seismic",)}, **TESTED),
    "Sponsons (2)": lambda n: duel_case(n, of="b", **CHARGING),
    "Stoic Defence": lambda n: duel_case(n, [*range(1, 11)], of="b", b={"dice": 4}, **CHARGING),
    "Storming Party": lambda n: duel_case(n, [*range(1, 11)], b={"garrisoned": True, "dice": 4}, **CHARGING),
    "Static": lambda n: duel_case(n, of="b", **CHARGING),
    "Onslaught": lambda n: duel_case(n, 1, die=THREE_FACES, **CHARGING),
    "Overrun": lambda n: duel_case(n, **CHARGING),
    "Hunter": lambda n: duel_case(n, **CHARGING),
    "Throw (8)": lambda n: duel_case(n, **CHARGING | {"deck": {"2": 1}}),
    "All-Out Attack (2)": lambda n: told_to("all_out", unit(*TWO_ROWS, rules=[n]), deck=LOW_CARDS),
    "Tail Gunner (4)": lambda n: duel_case(
        n, of="b", a={"category": "aerial", "type": "rotorcraft"}, deck=LOW_CARDS, **QUIET
    ),
    "Spectacular Demise (3)": lambda n: duel_case(n, 9, of="b", b={"models": 1}, distance=4.0, deck=LOW_CARDS, **QUIET),
    "Berserk": lambda n: duel_case(n, a={"suppressed": True}, **CHARGING | {"policy_a": "shoot", "deck": {"12": 1}}),
    "Run Amok": lambda n: duel_case(n, 2, a={"more_rows": [row("melee", 5)]}, deck=LOW_CARDS, **QUIET),
}


def battle_case(name, dice=3, *, of="mine", mine=None, yours=None, only=None, special=None, **how):
    """A battle of two rounds, 20 inches apart, the other side taking cover; `of`: whose rule it is."""

    def side(keys, own, *how_many):
        usual = {"category": "light", "speed": 6.0, "points": 50}
        return shooter(name, usual | (keys or {}) | ((only or {}) if own else {}), own, *how_many)

    terms, ways = {"policy_mine": "shoot"} | how, (True, False)
    sides = ((side(mine, it and of == "mine", dice, special), side(yours, it and of == "yours")) for it in ways)
    return tuple(battle(*both, **terms) for both in sides)


CLOSE = {"policy_mine": "charge", "gap": 6.0}
BLADES, COVERED = {"melee": True}, {"deck": LOW_CARDS}
MAY_BREAK = {"yours": {"break_limit": 9}}  # a unit that fails its test breaks
# A unit that fails its rally test does not charge.
CHARGED_BY = {"yours": {"more_rows": [row("melee", 5)]}, "policy_yours": "charge", "gap": 6.0}
MIXED = {"5": 6, "6": 6, "7": 6}
BATTLES = {
    "Point Blank": lambda n: battle_case(n, special=5, gap=6.0, **COVERED),
    "Shock": lambda n: battle_case(n, special=5, **COVERED),
    "Wreckers": lambda n: battle_case(n, special=5, yours={"category": "heavy"}, **COVERED),
    "Arc": lambda n: battle_case(n, 1, die=HEROIC, **COVERED),
    "Devastating": lambda n: battle_case(n, yours={"defence": 2}, **COVERED),
    "Penetrating": lambda n: battle_case(n, yours={"damage_limit": 2}, **COVERED),
    "Suppressive": lambda n: battle_case(n, deck=SIXES, **MAY_BREAK),
    "Torrent": lambda n: battle_case(n, yours={"rules": ["Pavises"]}, **COVERED),
    "Precision": lambda n: battle_case(n, deck=SIXES, **MAY_BREAK),
    "Cryo": lambda n: battle_case(n, yours={"dice": 3}, policy_yours="shoot"),
    "Seismic": lambda n: battle_case(n, 1, deck=MIXED, **CHARGED_BY),
    "Overcharge": lambda n: battle_case(n, policy_mine="overcharge", deck={"1": 1}),
    "Indirect": lambda n: battle_case(n, gap=5.0, **COVERED),
    "Lock On": lambda n: battle_case(n, 1, die=THREE_FACES, policy_mine="lookout", policy_yours="shoot", **COVERED),
    "Slow to Fire": lambda n: battle_case(n, **COVERED),
    "Move or Fire": lambda n: battle_case(n, gap=28.0, **COVERED),
    "Reactive": lambda n: battle_case(
        n, 1, mine={"more_rows": [row("ranged", 3) | {"id": "other"}]}, policy_mine="lookout", policy_yours="shoot"
    ),
    "Durable": lambda n: battle_case(n, 1, of="yours", die=HEROIC, **COVERED),
    "Veteran (1)": lambda n: battle_case(n, **COVERED),
    "Automata": lambda n: battle_case(n, of="yours", **MAY_BREAK),
    "Irrepressible": lambda n: battle_case(n, of="yours", **MAY_BREAK),
    "Resilient (Front)": lambda n: battle_case(n, 4, of="yours", **COVERED),
    "Pavises": lambda n: battle_case(n, 4, of="yours", **COVERED),
    "Shrouded": lambda n: battle_case(n, 1, of="yours", die=THREE_FACES, **COVERED),
    "Obfuscating (6)": lambda n: battle_case(n, 1, of="yours", die=THREE_FACES, **COVERED),
    "Construct": lambda n: battle_case(n, 1, of="yours", deck=MIXED, **CHARGED_BY),
    "Hot Headed": lambda n: battle_case(n, 1, of="yours", yours={"dice": 3}, die=THREE_FACES, policy_yours="shoot"),
    "Corrosive Fumes (6)": lambda n: battle_case(n, 1, deck=MIXED, **CHARGED_BY),
    "Bodyguard": lambda n: battle_case(n, of="yours", mine={"qualities": ("Precision",)}, deck=SIXES, **MAY_BREAK),
    "Hover": lambda n: battle_case(n, 1, of="yours", mine={"qualities": ("Seismic",)}, deck=MIXED, **CHARGED_BY),
    "Sponsons (2)": lambda n: battle_case(n, of="yours", mine=BLADES, **CLOSE),
    "Stoic Defence": lambda n: battle_case(
        n, [*range(1, 11)], of="yours", mine=BLADES, yours={"dice": 4} | BLADES, **CLOSE
    ),
    "Static": lambda n: battle_case(n, of="yours", mine=BLADES, **CLOSE),
    "Onslaught": lambda n: battle_case(n, 1, mine=BLADES, die=THREE_FACES, **CLOSE),
    "Overrun": lambda n: battle_case(n, mine=BLADES, **CLOSE),
    "Hunter": lambda n: battle_case(n, mine=BLADES, **CLOSE),
    "Throw (8)": lambda n: battle_case(n, mine=BLADES, deck={"2": 1}, **CLOSE),
    "All-Out Attack (2)": lambda n: battle_case(n, mine={"more_rows": TWO_ROWS[1:]}, policy_mine="all_out"),
    "Tail Gunner (4)": lambda n: battle_case(
        n, of="yours", mine={"category": "aerial", "type": "rotorcraft"}, **COVERED
    ),
    "Spectacular Demise (3)": lambda n: battle_case(n, 9, of="yours", yours={"models": 1}, gap=4.0, **COVERED),
    "Berserk": lambda n: battle_case(n, 1, mine={"more_rows": [row("melee", 5)]}, policy_yours="shoot", gap=6.0),
    "Run Amok": lambda n: battle_case(n, 2, mine={"more_rows": [row("melee", 5)]}, gap=8.0, **COVERED),
}
NOT_IN_BATTLES = {  # rules that a battle has no use for: `docs/battle.md`
    *("Siegebreaker", "Storming Party", "Emplacement"),  # there are no buildings and no obstacles,
    "Full Steam Ahead",  # and no carriages
    *("Peer Review", "Chain of Command"),  # named as not modelled
    *("Irregular", "Lockstep"),  # the officer falls last in any formation
    "Capacity",  # no unit embarks without it: `tests/engine/battle/test_battles.py`
}
KINDS = {CLOSE_QUARTERS: CHARGES, FOCUS_FIRE: FOCUS, DUEL: DUELS}
OF_SHOTS = {"Point Blank", "Torrent", "Turret", "Indirect", "Lock On", "Slow to Fire", "Move or Fire", "Reactive"}
OF_SHOTS |= {"Emplacement", "Pavises", "Shrouded", "Obfuscating", "Tail Gunner"}
OF_CONTACT = {"Sponsons", "Stoic Defence", "Storming Party", "Static", "Onslaught", "Overrun", "Hunter", "Throw"}
NO_BEARING = {  # what could change nothing in the fights below, computed or not
    CLOSE_QUARTERS: OF_SHOTS,
    FOCUS_FIRE: OF_CONTACT | {"All-Out Attack", "Berserk", "Run Amok"},  # of a target, which does not act
    DUEL: {"Capacity"},  # nobody is aboard
}
CASES = [(kind, name) for kind, cases in KINDS.items() for name in cases]


def numbers_of(result):
    told = ("kind", "method", "scenario", "applied", "not_modelled", "assumptions", "warnings", "strikes")
    return {name: value for name, value in result.as_dict().items() if name not in told}


def is_computed(term, kind):
    """Whether numbers are computed from a term in that kind of fight."""
    return term.counts_in(kind) or (kind == FOCUS_FIRE and term.counts_in(RANGED_ATTACK))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_rule_that_is_computed_changes_a_number_and_is_told(kind, name):
    with_it, without_it = KINDS[kind][name](name)
    assert numbers_of(with_it) != numbers_of(without_it)
    assert name in with_it.rules_applied
    assert name not in with_it.not_modelled
    assert name not in without_it.rules_applied


@pytest.mark.slow
@pytest.mark.parametrize("name", BATTLES)
def test_a_rule_takes_effect_in_a_battle(name):
    """By the same random numbers, which come to the same where a rule is dropped."""
    with_it, without_it = (result.as_dict() for result in BATTLES[name](name))
    seen = ("summary", "rounds", "contributions")
    assert [with_it[key] for key in seen] != [without_it[key] for key in seen]
    assert name in with_it["applied"]
    assert name not in with_it["not_modelled"]
    assert name not in without_it["applied"]


def test_every_rule_of_duels_and_charges_has_its_battle():
    terms = {**QUALITIES, **SPECIAL_RULES}
    computed = {name for name, term in terms.items() if is_computed(term, DUEL) or is_computed(term, CLOSE_QUARTERS)}
    assert {parse(name)[0] for name in BATTLES} == computed - NOT_IN_BATTLES


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_rule_of_the_tables_has_its_case(kind):
    terms = {**QUALITIES, **SPECIAL_RULES}
    computed = {
        name for name, term in terms.items() if is_computed(term, kind) and (kind, name) not in NO_NUMBER_OF_ITS_OWN
    }
    assert {parse(name)[0] for name in KINDS[kind]} == computed


@pytest.mark.parametrize("name", [*QUALITIES, *SPECIAL_RULES])
def test_a_rule_that_is_not_computed_is_named_where_it_could_bear(name):
    quality = name in QUALITIES
    term = QUALITIES[name] if quality else SPECIAL_RULES[name]
    written = f"{name} (2)" if Rule(name).parameter_problem else name
    qualities, rules = ([name], []) if quality else ([], [written])
    fighter = unit(row("melee", 1, *qualities), row("ranged", 1, *qualities), rules=rules)
    target = {"models": 10, "defence": 1, "damage_limit": 1, "rules": rules}
    answers = {
        CLOSE_QUARTERS: None if name == "Static" else charge(fighter, fighter),
        FOCUS_FIRE: focus([{"dice": 1, "qualities": qualities}], target),
        DUEL: duel(fighter, unit(), policy_b="take_cover") if name != "Reactive" else None,
    }
    for kind, result in answers.items():
        if result is not None and not is_computed(term, kind):
            assert (written in result.not_modelled) == (name not in NO_BEARING[kind])
            assert written not in result.rules_applied


def test_rules_of_shots_could_bear_on_a_charge_that_ends_in_a_throw():
    hidden = unit(rules=["Shrouded", "Tail Gunner (2)"])
    assert charge(unit(row("melee", 1)), hidden).not_modelled == ()
    assert charge(unit(row("melee", 1), rules=["Throw (8)"]), hidden).not_modelled == ("Shrouded",)


AIRCRAFT = {"models": 10, "defence": 1, "damage_limit": 1, "category": "aerial"}


@pytest.mark.parametrize(
    ("attack", "rules", "named"),
    [
        ({"attacker": "crown/rifle-platoon@basic"}, ["Tail Gunner (2)"], ()),
        ({"dice": 1}, ["Tail Gunner (2)"], ("Tail Gunner (2)",)),  # nobody says what it is that fires
        (CUTTERS, ["Tail Gunner (2)"], ("Tail Gunner (2)",)),
        ({"dice": 1}, ["All-Out Attack (3)", "Run Amok"], ()),
        ({"dice": 1}, ["Capacity (6)"], ("Capacity (6)",)),
    ],
)
def test_a_rule_of_the_target_is_named_if_it_could_bear_on_this_attack(attack, rules, named):
    result = analyser.exact({"attack": attack, "target": AIRCRAFT | {"rules": rules}})
    assert tuple(name for name in result.not_modelled if name in rules) == named


def test_a_rule_of_the_attacker_is_named_if_it_could_bear_on_this_attack():
    monarch = {"attack": {"attacker": "crown/monarch-landship"}, "target": AIRCRAFT | {"category": "light"}}
    names = {name.partition(" (")[0] for name in analyser.exact(monarch).not_modelled}
    assert "All-Out Attack" in names
    assert "Sponsons" not in names


@pytest.mark.parametrize(("policy", "counts"), [("shoot", True), ("charge", True), ("take_cover", False)])
def test_reactive_counts_where_it_keeps_a_row_from_firing(policy, counts):
    rows = row("ranged", 3, "Reactive"), row("ranged", 1) | {"id": "other"}, row("melee", 1)
    result = duel(unit(*rows) | {"discipline": 6}, unit(row("ranged", 1)), policy_a=policy)
    assert ("Reactive" in result.rules_applied) is counts


def test_what_has_no_occasion_is_not_told():
    shot = {"deck": LOW_CARDS, **QUIET}
    resilient = unit(row("ranged", 1), rules=["Resilient (Front)"])
    assert "Resilient (Front)" not in duel(resilient, unit(row("ranged", 1)), **shot).rules_applied
    for stands, counts in (({}, True), ({"garrisoned": True}, False)):  # where the building's DEFENCE counts
        found = duel(unit(row("ranged", 1)), resilient | {"from_front": True} | stands, **shot)
        assert ("Resilient (Front)" in found.rules_applied) is counts
    near = unit(row("ranged", 1, "Point Blank", special=3))
    for policy, counts in (("shoot", False), ("short_range", True)):
        assert ("Point Blank" in duel(near, unit(), **shot | {"policy_a": policy}).rules_applied) is counts
    assert "Resilient (Front)" not in charge(unit(row("melee", 1)), resilient).rules_applied
    charger = unit(row("melee", 1), rules=["Resilient (Front)"])
    assert "Resilient (Front)" in charge(charger, unit(row("melee", 1))).rules_applied
    torrent = unit(row("ranged", 1, "Torrent"))
    assert "Torrent" not in duel(torrent, unit(), **shot).rules_applied
    assert "Torrent" in duel(torrent, unit(concealed=True), **shot).rules_applied
    target = {"models": 3, "defence": 1, "damage_limit": 1}
    for rule, state in (("Irregular", {"officer": "first"}), ("Lockstep", {"officer": "first", "type": "cavalry"})):
        assert rule not in focus([{"dice": 1}], target | {"rules": [rule]}).rules_applied
        assert rule in focus([{"dice": 1}], target | state | {"rules": [rule]}).rules_applied
    for quality, more, state in (("Penetrating", {}, {"damage_limit": 2}), ("Torrent", {"concealed": True}, {})):
        attack = {"dice": 1, "qualities": [quality]}
        assert quality not in focus([attack], target).rules_applied
        assert quality in focus([attack | more], target | state).rules_applied
    assert not charge(unit(row("melee", 1)), unit(rules=["Sponsons (0)"])).rules_applied
    hovering = {"models": 1, "defence": 1, "damage_limit": 1, "rules": ["Hover"]}
    assert "Hover" not in focus([{"dice": 1}], hovering).rules_applied


def test_rows_left_after_a_charge_are_named():
    """AC-7: an All-Out Attack goes on with other rows after a charge; no kind of fight computes that."""
    words = "attacks with other rows after a charge, by All-Out Attack (AC-7)"
    many = unit(row("ranged", 1), row("melee", 1), rules=["All-Out Attack (2)"])
    for policy, named in (("charge", True), ("shoot", False), (("charge", "hold"), True)):
        found = duel(many, unit(row("ranged", 1)), **QUIET | {"policy_a": policy})
        assert (words in found.not_modelled) is named
    assert words not in duel(unit(row("melee", 1)), unit(row("ranged", 1)), policy_a="charge").not_modelled
