"""A slow, plain reading of focus fire (AC-9.1): several ranged attacks on one target, in order, state carried over.

Each attack is read by `plain_reading`; what is new here is what one attack leaves to the next: models, damage,
statuses, cover, the distance to the edge, and the cards that are left in both decks (AC-9.3).
"""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_aftermath as aftermath
from tests.oracle import plain_reading as plain
from tests.oracle.plain_decks import deck_of, draws
from tests.oracle.plain_laws import certainly, collect, marginal, then
from tests.oracle.plain_units import DEFAULT_UNIT, Unit, after_outcome, read_unit, unit_of, value_of

STATE = ("models", "damage", "suppressed", "disordered", "activated", "taking_cover", "garrisoned", "edge_distance")


class Table(NamedTuple):
    """The target, the two decks, and what the last attack cost its own unit (Overcharge in AC-6)."""

    target: Unit
    target_deck: tuple
    attackers_deck: tuple
    own_models_destroyed: int = 0
    own_damage: int = 0
    attacker: Unit | None = None  # once its attack has been made and answered; None where it is not known


def target_at_start(facts):
    return Unit(**{name: facts[name] for name in STATE})


def facts_now(facts, target, circumstances):
    return {**facts, **circumstances, **{name: getattr(target, name) for name in STATE}}


def after_siege(target, qualities, die):
    """The law of a target that was shot at: its building may be wrecked, and it must exit (Siegebreaker in AC-6)."""
    if "Siegebreaker" not in qualities or target.fate or not target.garrisoned:
        return certainly(target)
    return wrecked(die, target._replace(garrisoned=False, taking_cover=False), target)


def wrecked(die, out, in_it):
    """The law of a unit whose building was attacked: out of it where the die wrecks it (Siegebreaker in AC-6)."""
    chance = Fraction(die.get("heroic", 0) + die.get("strike", 0), sum(die.values()))
    return collect([(out, chance), (in_it, 1 - chance)])


def needs_card(hits, attack, facts):
    """Whether an attack that scores so many hits makes the target turn a card (AC-4.5, AC-5.1)."""
    wounds = plain.wounds_of(hits, attack, facts)
    left = facts["models"] - wounds.models_destroyed
    outcome = plain.Outcome(models_left=left, models_destroyed=wounds.models_destroyed)
    sure = any(plain.has_rule(facts, name) for name in ("Automata", "Irrepressible"))
    without_card = sure or facts["peer_review"] or facts["fail_on_purpose"]
    return left > 0 and plain.must_test(outcome, attack, facts) and not without_card


def dice_draws(attack, deck, full, *, replacement):
    """The dice first rolled, their chance, the attackers' deck afterwards (AC-3.2; Overcharge in AC-6)."""
    if not attack["overcharge"]:
        (dice,) = plain.dice_law(attack, {})
        return [(dice, Fraction(1), deck)]
    found = []
    for value, chance, rest in draws(deck, full, replacement=replacement):
        (dice,) = plain.dice_law(attack, {value: 1})
        found.append((dice, chance, rest))
    return found


def one_attack(attack, facts, table, circumstances, *, die, deck, replacement):
    """The law {Table: chance} after one attack on a target that is still there (AC-4)."""
    now = facts_now(facts, table.target, circumstances)
    chances = defaultdict(Fraction)
    for dice, dice_chance, attackers_deck in dice_draws(attack, table.attackers_deck, deck, replacement=replacement):
        for (hits, blanks), hit_chance in plain.attack_pool_law(dice, die, attack, now).items():
            own = plain.attacker_losses(blanks, attack)
            for after, test_chance, target_deck in target_draws(
                hits, attack, now, table, deck, replacement=replacement
            ):
                for ended, siege_chance in after_siege(after, attack["qualities"], die).items():
                    state = Table(ended, target_deck, attackers_deck, *own)
                    chances[state] += dice_chance * hit_chance * test_chance * siege_chance
    return chances


def target_draws(hits, attack, now, table, deck, *, replacement):
    """The target after so many hits and its test, the chance, its deck afterwards."""
    if not needs_card(hits, attack, now):
        for outcome, chance in plain.target_law(hits, attack, now, {1: 1}).items():
            yield after_outcome(table.target, outcome), chance, table.target_deck
        return
    for value, card_chance, rest in draws(table.target_deck, deck, replacement=replacement):
        for outcome, chance in plain.target_law(hits, attack, now, {value: 1}).items():
            if chance:
                yield after_outcome(table.target, outcome), card_chance * chance, rest


def tables(scenario):
    """The law {Table: chance} after each attack of a scenario, a list.

    The scenario: "attacks", each {"attack": keys of an attack, "circumstances": facts of the target that hold for
    this attack only}; "target"; "ruleset"; "replacement" (default True); "target_deck" and "attackers_deck", the
    cards that are left at the start (default: all).
    """
    facts = plain.with_defaults(scenario["target"], plain.DEFAULT_TARGET, "target")
    ruleset = plain.with_defaults(scenario.get("ruleset", {}), plain.DEFAULT_RULESET, "ruleset")
    deck = deck_of(ruleset["deck"])
    gunner = read_unit({key: value for key, value in facts.items() if key in DEFAULT_UNIT})
    replacement = scenario.get("replacement", True)
    start = Table(
        target_at_start(facts),
        deck_of(scenario.get("target_deck", ruleset["deck"])),
        deck_of(scenario.get("attackers_deck", ruleset["deck"])),
    )
    law, found = certainly(start), []
    for given in scenario["attacks"]:
        circumstances = given.get("circumstances", {})
        attack, *_ = plain.read({"attack": given["attack"], "target": {**scenario["target"], **circumstances}})

        def attacked(table, given=given, attack=attack, circumstances=circumstances):
            if table.target.fate:  # nobody is left to shoot at
                unit = unit_of(read_unit(given["attacker"])) if "attacker" in given else None
                unhurt = {"own_models_destroyed": 0, "own_damage": attack["attacker_damage"], "attacker": unit}
                return certainly(table._replace(**unhurt))
            how = {"die": ruleset["die"], "deck": deck}
            after = one_attack(attack, facts, table, circumstances, replacement=replacement, **how)
            return then(after, lambda state: answered(given, gunner, state, how | {"deck": dict(deck)}))

        law = then(law, attacked)
        found.append(law)
    return found


def laws(scenario):
    """The law {Target: chance} after each attack, a list."""
    return [marginal(law, lambda table: table.target) for law in tables(scenario)]


def answered(given, gunner, table, ruleset):
    """The law of a table after the Tail Gunner has shot at an aerial attacker, both still there (AC-7)."""
    if "attacker" not in given:
        return certainly(table)
    shooter = read_unit(given["attacker"])
    unit = unit_of(shooter)
    if given["attack"].get("overcharge"):
        unit = unit._replace(models=unit.models - table.own_models_destroyed, damage=table.own_damage)
    if unit.models == 0:
        return certainly(table._replace(attacker=Unit(0, fate="destroyed")))
    if shooter["category"] != "aerial" or table.target.fate or not value_of(gunner, "Tail Gunner"):
        return certainly(table._replace(attacker=unit))
    return marginal(aftermath.tail_gunner(gunner, shooter, unit, ruleset), lambda after: table._replace(attacker=after))
