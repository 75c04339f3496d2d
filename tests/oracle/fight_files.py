"""Longer fights for the tests: rigged units and dice, asked through the public functions."""

import analyser
from tests.helpers.battles import BY_POLICY

ONLY_STRIKES = {"strike": 1}  # every die scores 1 hit
COIN = {"strike": 1, "blank": 1}
LOW_CARDS = {"1": 1}  # every DISCIPLINE of 1 or more passes
HIGH_CARDS = {"12": 1}  # every DISCIPLINE below 12 fails


def row(kind, dice, *qualities, special=None, **keys):
    """A row with so many dice for any number of models; `dice` may also be the dice of each number from 1 up."""
    several = dice if isinstance(dice, list) else None
    bands = [{"first": 0, "last": 1000, "dice": dice, "special": special}]
    if several:
        bands = [{"first": place, "last": place, "dice": each} for place, each in enumerate(several, start=1)]
    ranged = {"against": ["light", "heavy", "aerial"], "long_range": 24.0} if kind == "ranged" else {}
    return {"id": kind, "name": kind, "kind": kind, "bands": bands, "qualities": list(qualities)} | ranged | keys


def unit(*rows, rules=(), **keys):
    """Ten models that each hit destroys one of, DISCIPLINE 6, worth 5 VP."""
    usual = {"type": "infantry", "models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 5}
    return usual | {"rows": list(rows), "rules": list(rules)} | keys


def ruleset(die=None, deck=None):
    """Rigged: every die a strike, every card a 12."""
    return {"die": die or ONLY_STRIKES, "deck": deck or HIGH_CARDS}


def charge(attacker, target, die=None, deck=None, secondary=(), **circumstances):
    """The exact answer about a charge; certain, if the dice are."""
    raw = {"charge": circumstances, "attacker": attacker, "target": target, "secondary": list(secondary)}
    return analyser.charge(raw | {"ruleset": ruleset(die, deck)})


def focus(attacks, target, die=None, deck=None):
    """The exact answer about focus fire."""
    return analyser.focus({"attacks": attacks, "target": target, "ruleset": ruleset(die, deck)})


def duel(a, b, die=None, deck=None, **terms):
    """The exact answer about a duel; A first, one round, unless it says otherwise."""
    terms = {"rounds": 1, "first": "a"} | terms
    return analyser.duel({"duel": terms, "a": a, "b": b, "ruleset": ruleset(die, deck)})


def battle(mine, yours, die=None, deck=None, trials=200, **terms):
    """The answer about a battle of one unit against one, mine first; certain, if the dice are."""
    terms = {"rounds": 2, "gap": 20.0, "hand_limit": 0, "policy_yours": "take_cover"} | terms
    armies = {name: {"unit": [{"name": name} | unit]} for name, unit in (("mine", mine), ("yours", yours))}
    asked = armies | {"battle": BY_POLICY | {"initiative_yours": "give"} | terms, "ruleset": ruleset(die, deck)}
    return analyser.simulate(asked, trials=trials)


def likely(result, name, *place):
    return result.probability(name, *place).probability


def certain(result):
    """The one ending of a fight without chance, as {column: value}."""
    (ending,) = result.to_frame().to_dict("records")
    return ending
