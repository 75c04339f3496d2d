"""What the answer to a longer fight rests on: rules used, rules left out, and what was taken for granted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from analyser.game.dice import Rating
from analyser.game.keywords import CLOSE_QUARTERS, DUEL, FOCUS_FIRE, QUALITIES, SPECIAL_RULES, Keyword, Term
from analyser.game.units import Row
from analyser.results.base import RulesUsed
from analyser.rules.conditions import bonuses_of, combat_rating, is_concealed, penalties_of
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Penalty, Sight, TargetFacts, Test
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.combatant import charge_row, may_charge, retaliation_row
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.focus import FocusScenario, gunner_dice
from analyser.scenarios.policies import rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, PolicyName
from analyser.scenarios.shooter import Shooter

_WITH_REPLACEMENT = (
    "cards with replacement: every test draws from a full deck (AC-9.3), an approximation of the rule that drawn cards "
    "are gone until the deck runs out (AC-5.1)"
)
_WITHOUT_REPLACEMENT = "cards without replacement: each side's deck runs out and is shuffled again (AC-5.1)"
_OTHERS_UNHURT = "what Overcharge costs secondary combatants is not followed"
_IN_CONTACT_ONLY = "no distance is given: {} reaches only who is in contact"
_NEAR_IT = ("Corrosive Fumes", "Spectacular Demise")  # rules that count by the inches between two units
_AMOK_UNMEASURED = "no distance is given: a unit that runs amok without charging hurts nobody"
_DIFFERENT_UNITS = "the attackers are different units: what an attack costs its own unit bears on no later attack"
_NO_PROFILE = "an attacker without a profile is taken for no aerial unit, which a Tail Gunner would answer"


def of_charge(scenario: ChargeScenario, *, with_replacement: bool) -> RulesUsed:
    """The account of a charge."""
    attacker, target = scenario.attacker, scenario.target
    charged_with = charge_row(attacker, "attacker")
    pairs = [(attacker, target, [charged_with]), (target, attacker, _retaliation(target))]
    pairs += [(unit, attacker, _retaliation(unit)) for unit in scenario.secondary]
    applied: list[str] = []
    left_out: list[str] = []
    unused: list[str] = []
    for place, (unit, enemy, rows) in enumerate(pairs):
        where = ("attacker", "target", f"secondary.{place - 2}")[min(place, 2)]
        for row in rows:
            applied += _qualities(row, unit, enemy, CLOSE_QUARTERS)
            left_out += _left_out(row.qualities, QUALITIES, CLOSE_QUARTERS)
        rules = unit.keywords
        enemy_rows = [charged_with] if place else _retaliation(target)
        occasions = _occasions(unit, enemy, enemy_rows) | _of_contact(
            unit, enemy, charges=place == 0, charged=place != 0
        )
        applied += _with_occasion(rules, CLOSE_QUARTERS, occasions)
        unused += [*unused_in_contact(unit, rows, where), *(unused_in_charging(unit, "charge") if place == 0 else ())]
        left_out += _left_out(rules, SPECIAL_RULES, CLOSE_QUARTERS)
    overcharging = [place for place, (unit, _, rows) in enumerate(pairs) if _overcharges(unit, rows)]
    several_cards = any(unit.passengers is not None for unit in (attacker, target)) or overcharging
    assumptions = []
    if several_cards or attacker.has("Overrun") or attacker.has("Throw"):
        assumptions.append(_cards(with_replacement))
    if max(overcharging, default=0) > 1:
        assumptions.append(_OTHERS_UNHURT)
    return _account(applied, unused, left_out, assumptions, scenario.warnings)


def of_focus(scenario: FocusScenario, *, with_replacement: bool) -> RulesUsed:
    """The account of a sequence of attacks: that of each of them, told once."""
    applied: list[str] = []
    left_out: list[str] = []
    unused: list[str] = []
    rules = scenario.target.keywords
    for place, (each, attacker) in enumerate(zip(scenario.attacks, scenario.attackers)):
        applied += rules_applied(each, each.fight)
        applied += _with_occasion(rules, FOCUS_FIRE, {"Tail Gunner": gunner_dice(scenario.target, attacker) > 0})
        unused += not_used(each, f"attacks.{place}")
        left_out += not_modelled(each)
    computed = {named.canonical for named in rules if _counts(named, SPECIAL_RULES, FOCUS_FIRE)}
    left_out = [written for written in left_out if written not in computed]
    assumptions = [_cards(with_replacement)] if len(scenario.attacks) > 1 else []
    if scenario.at_risk:
        assumptions.append(_DIFFERENT_UNITS)
    if computed and None in scenario.attackers:
        assumptions.append(_NO_PROFILE)
    return _account(applied, unused, left_out, assumptions, scenario.warnings)


def of_duel(scenario: DuelScenario, shooters: Sequence[Shooter], *, with_replacement: bool) -> RulesUsed:
    """The account of a duel; `shooters` are the rows that both sides shoot with."""
    sides, policies = (scenario.a, scenario.b), (scenario.terms.policy_a, scenario.terms.policy_b)
    charges = [may_charge(sides[place], sides[1 - place], policies[place]) for place in (0, 1)]
    contact, apart = any(charges), scenario.terms.distance is not None
    applied: list[str] = []
    left_out: list[str] = []
    unused: list[str] = []
    near: list[str] = []
    for place, unit in enumerate(sides):
        enemy = sides[1 - place]
        rows = _rows_of_duel(place, sides, shooters, charges)
        for row in rows:
            fight = DUEL if row.kind == "ranged" else CLOSE_QUARTERS
            applied += _qualities(row, unit, enemy, fight, shooters[place])
            left_out += _left_out(row.qualities, QUALITIES, fight)
        rules = unit.keywords
        occasions = _occasions(unit, enemy, _rows_of_duel(1 - place, sides, shooters, charges))
        occasions |= _of_contact(unit, enemy, charges=charges[place], charged=charges[1 - place])
        occasions["Berserk"] = charges[place] and unit.discipline is not None
        occasions["Run Amok"] = charges[place] or apart
        occasions["Pavises"] = unit.taking_cover or policies[place] == "take_cover"
        occasions["All-Out Attack"] = len(shooters[place].rows) > 1
        shot_at_by = shooters[1 - place]
        occasions["Tail Gunner"] = shot_at_by.is_answered and (shot_at_by.main or shot_at_by.by_lookout) is not None
        in_contact = [named for named in rules if contact and _counts(named, SPECIAL_RULES, CLOSE_QUARTERS)]
        unmet = [named for named in rules if named.name in _NEAR_IT and not (contact or apart)]
        others = [named for named in rules if named not in (*in_contact, *unmet)]
        applied += _with_occasion(in_contact, CLOSE_QUARTERS, occasions) + _with_occasion(others, DUEL, occasions)
        where = "ab"[place]
        unused += [*unused_in_shooting(shooters[place]), *unused_in_contact(unit, rows, where)]
        unused += unused_in_charging(unit, f"{where}.charge") if charges[place] else ()
        left_out += [named.canonical for named in unmet] + _left_out(others, SPECIAL_RULES, DUEL)
        near += [named.canonical for named in in_contact if named.name in _NEAR_IT]
    assumptions = [_cards(with_replacement)]
    if not apart:
        assumptions.append("no distance is given: nothing is out of range, and a charge always reaches")
        if any(unit.has("Run Amok") for unit in sides):
            assumptions.append(_AMOK_UNMEASURED)
        assumptions += map(_IN_CONTACT_ONLY.format, _each_once(near))
    return _account(applied, unused, left_out, assumptions, scenario.warnings)


def _account(
    applied: list[str], unused: list[str], left_out: list[str], assumptions: list[str], warnings: tuple[str, ...]
) -> RulesUsed:
    """Each thing told once."""
    return RulesUsed(_each_once(applied), _each_once(unused), _each_once(left_out), tuple(assumptions), warnings)


def _cards(with_replacement: bool) -> str:
    return _WITH_REPLACEMENT if with_replacement else _WITHOUT_REPLACEMENT


def _retaliation(unit: Combatant) -> list[Row]:
    row = retaliation_row(unit)
    return [] if row is None else [row]


def _rows_of_duel(
    place: int, sides: tuple[Combatant, Combatant], shooters: Sequence[Shooter], charges: Sequence[bool]
) -> list[Row]:
    """The rows that one side of a duel can come to use."""
    unit, shooter = sides[place], shooters[place]
    rows = [*shooter.rows, *([] if shooter.by_lookout is None else [shooter.by_lookout])]
    if charges[place]:
        rows.append(charge_row(unit, "ab"[place]))
    if charges[1 - place]:
        rows += _retaliation(unit)
    return list({row.id: row for row in rows}.values())


def _overcharges(unit: Combatant, rows: Iterable[Row]) -> bool:
    """Whether a unit makes use of Overcharge with one of its rows for close quarters."""
    return unit.overcharge and any(row.has("Overcharge") for row in rows)


def _left_out(written: Iterable[Keyword], table: Mapping[str, Term], fight: str) -> list[str]:
    return [named.canonical for named in written if not _counts(named, table, fight)]


def _counts(named: Keyword, table: Mapping[str, Term], fight: str) -> bool:
    return named.name in table and table[named.name].counts_in(fight)


def _with_occasion(rules: Iterable[Keyword], fight: str, occasions: Mapping[str, bool]) -> list[str]:
    """The special rules that numbers are computed from and that have their occasion."""
    found = []
    for named in rules:
        if _counts(named, SPECIAL_RULES, fight) and occasions.get(named.name, True):
            found.append(named.canonical)
    return found


def _qualities(row: Row, unit: Combatant, enemy: Combatant, fight: str, shooter: Shooter | None = None) -> list[str]:
    """The qualities of a row that change numbers of attacks on that enemy."""
    in_parentheses = any(band.special is not None for band in row.bands)
    tested = enemy.discipline is not None
    distant = shooter is not None and shooter.distance is not None
    occasions = {
        "Point Blank": in_parentheses and (distant or (shooter is not None and shooter.policy == "short_range")),
        "Shock": in_parentheses and enemy.category == "light",
        "Wreckers": in_parentheses and enemy.category == "heavy",
        "Suppressive": tested,
        "Cryo": tested,
        "Seismic": enemy.garrisoned or tested,
        "Torrent": _is_hidden(enemy),
        "Precision": enemy.discipline is not None,
        "Overcharge": unit.overcharge
        if row.kind != "ranged"
        else shooter is not None and shooter.policy == "overcharge",
        "Full Steam Ahead": unit.carriages > 0,
        "Indirect": distant,
        "Move or Fire": distant,
        "Lock On": shooter is not None and row is shooter.by_lookout,
        "Siegebreaker": shooter is not None and enemy.garrisoned,
        "Reactive": shooter is not None and row is shooter.by_lookout,
    }
    written = row.qualities
    counted = [named for named in written if _counts(named, QUALITIES, fight)]
    return [named.canonical for named in counted if occasions.get(named.name, True)]


def _is_hidden(unit: Combatant) -> bool:
    """Whether a shot at the unit can meet concealment or cover, which Torrent takes away (AC-4.3)."""
    by_rule = unit.has("Shrouded", "Obfuscating", "Pavises")
    return unit.garrisoned or unit.concealed or unit.obstacle or by_rule


def _occasions(unit: Combatant, enemy: Combatant, enemy_rows: Sequence[Row]) -> dict[str, bool]:
    """Whether the special rules of a unit have their occasion, wherever it is attacked."""
    against_it = {quality.name for row in enemy_rows for quality in row.qualities}
    attacked = bool(enemy_rows)
    return {
        "Durable": attacked,
        "Veteran": (unit.veteran or 0) > 0,
        "Peer Review": unit.peer_review,
        "Chain of Command": unit.chain_of_command,
        "Construct": unit.discipline is not None and not unit.near_commander,
        "Bodyguard": "Precision" in against_it,
        "Irregular": unit.formation == "open",
        "Lockstep": unit.formation == "close",
        "Hover": "Seismic" in against_it,
        "Emplacement": unit.obstacle,
        "Pavises": unit.taking_cover,
        "Resilient": attacked and unit.from_front and not unit.garrisoned,
        "Capacity": unit.passengers is not None,
        "Corrosive Fumes": not (enemy.has("Automata") or enemy.near_commander),
    }


def _of_contact(unit: Combatant, enemy: Combatant, *, charges: bool, charged: bool) -> dict[str, bool]:
    """The same for the rules of close quarters: of a unit that `charges`, is `charged`, or both in turn."""
    struck = charges and (retaliation_row(enemy) is not None or enemy.has("Sponsons"))
    when_struck = {"Resilient": True, "Durable": True} if struck else {}  # from the front, as who charges always is
    return when_struck | {
        "Sponsons": charged,
        "Stoic Defence": charged,
        "Static": charged,
        "Storming Party": charges and enemy.garrisoned,
        "Onslaught": charges,
        "Overrun": charges and unit.charge.overrun,
        "Throw": charges,
        "Hunter": charges or charged,
    }


def _each_once(written: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(written))


_SIGHTS = {Sight.NONE: "no sight", Sight.SPOTTER: "spotter"}


_TESTS = {
    Test.NOT_TAKEN: "none",
    Test.BY_CARD: "by card",
    Test.PASSED: "passed without a card",
    Test.FAILED: "failed on purpose",
}


def rating_reasons(attack: AttackFacts, target: TargetFacts) -> dict[str, Any]:
    """What made a combat rating (AC-3.1): the names of the bonuses and penalties that count.

    `rating_by` says what decides instead, where they do not: ``stated`` (another rating than they make), Indirect's
    ``no sight`` and ``spotter``, or in a charge ``rule`` (Sponsons, Throw).
    """
    counted: Any = copy(attack)
    counted.stated_rating = NONE
    concealed = is_concealed(attack, target)
    if attack.stated_rating not in (NONE, combat_rating(counted, target, concealed)):
        return {"bonuses": [], "penalties": [], "rating_by": "stated"}
    if attack.sight != Sight.OWN:
        return {"bonuses": [], "penalties": [], "rating_by": _SIGHTS[Sight(attack.sight)]}
    bonuses, penalties = bonuses_of(attack, target), penalties_of(attack, concealed)
    return {
        "bonuses": [each.name.lower() for each in Bonus if bonuses & each],
        "penalties": [each.name.lower() for each in Penalty if penalties & each],
        "rating_by": None,
    }


def conditions(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """What the rules made of a scenario: the pool, the rating, the effective DEFENCE, the test.

    `discipline` has every modifier that is known before the dice: not the -1 for heavy losses, nor the
    -1 of a unit that is or becomes disordered.
    """
    by_card = fight.test == Test.BY_CARD
    return {
        "dice": int(fight.dice),
        "rating": Rating(fight.rating).name.lower(),
        **rating_reasons(*scenario.facts),
        "defence": int(fight.defence),
        "suppression_test": _TESTS[Test(fight.test)],
        "discipline": int(fight.discipline) if by_card else None,
    }


def of_attack(scenario: Scenario, fight: FightFacts) -> RulesUsed:
    """The rules that a single attack rests on."""
    return RulesUsed(
        applied=rules_applied(scenario, fight),
        not_used=not_used(scenario),
        not_modelled=not_modelled(scenario),
        warnings=scenario.warnings,
    )


def rules_applied(scenario: Scenario, fight: FightFacts) -> tuple[str, ...]:
    """The qualities and special rules that can have their occasion in this attack, in the order of the profiles."""
    used = [
        named.canonical
        for named in scenario.attack.keywords
        if _used(named, QUALITIES, "attacker") and _in_effect(named.name, scenario, fight)
    ]
    used += [
        named.canonical
        for named in scenario.attacker_rules
        if _used(named, SPECIAL_RULES, "attacker") and _in_effect(named.name, scenario, fight)
    ]
    used += [
        named.canonical
        for named in scenario.target.keywords
        if _used(named, SPECIAL_RULES, "target") and _in_effect(named.name, scenario, fight)
    ]
    return tuple(dict.fromkeys(used))


def _used(named: Keyword, table: Any, side: str) -> bool:
    term: Term | None = table.get(named.name)
    return term is not None and term.side == side


def _in_effect(name: str, scenario: Scenario, fight: FightFacts) -> bool:
    """Whether a rule that the program knows has its occasion in this attack."""
    attack, target = scenario.attack, scenario.target
    in_parentheses = attack.dice_in_parentheses is not None and fight.dice != attack.dice
    short = "short_range" in attack.bonuses
    occasions = {
        "Point Blank": in_parentheses and short,
        "Shock": in_parentheses and target.category == "light",
        "Wreckers": in_parentheses and target.category == "heavy",
        "Turret": "outside_front_arc" in attack.penalties,
        "Indirect": attack.line_of_sight != "own",
        "Lock On": attack.opportunity_fire,
        "Overcharge": attack.overcharge,
        "Full Steam Ahead": attack.carriages > 0,
        "Siegebreaker": target.garrisoned,
        "Slow to Fire": False,
        "Move or Fire": False,
        "Reactive": attack.opportunity_fire,
        "Suppressive": fight.test == Test.BY_CARD,
        "Resilient": target.from_front and not target.garrisoned,
        "Emplacement": target.obstacle,
        "Pavises": target.taking_cover,
        "Bodyguard": attack.has("Precision"),
        "Hover": attack.has("Seismic"),
        "Irregular": target.formation == "open",
        "Lockstep": target.formation == "close",
        "Chain of Command": target.chain_of_command,
        "Peer Review": target.peer_review,
        "Corrosive Fumes": bool(fight.disordered) and not target.disordered,
        "Veteran": fight.veteran > 0,
        "Penetrating": True,
        "Construct": fight.test != Test.NOT_TAKEN and target.discipline not in (None, NONE),
    }
    return bool(occasions.get(name, True))


def not_modelled(scenario: Scenario) -> tuple[str, ...]:
    """Every quality and special rule on the profiles that no number of a ranged attack is computed from."""
    written = [
        *((named, QUALITIES) for named in scenario.attack.keywords),
        *((named, SPECIAL_RULES) for named in scenario.attacker_rules),
        *((named, SPECIAL_RULES) for named in scenario.target.keywords),
    ]
    names = [named.canonical for named, table in written if named.name not in table or not table[named.name].side]
    return tuple(dict.fromkeys(names))


def not_used(scenario: Scenario, where: str = "attack") -> tuple[str, ...]:
    """The qualities that the attack could use and is not told to; `where` is its section."""
    has_it = scenario.attack.has("Overcharge")
    if not has_it or scenario.attack.overcharge:
        return ()
    return (unused_for_want_of("Overcharge", f"{where}.overcharge"),)


def unused_for_want_of(name: str, key: str) -> str:
    """How an answer names something that is not used, and what would make use of it."""
    return f"{name}, could be used with {key}"


def unused_in_contact(unit: Combatant, rows: Iterable[Row], where: str) -> Iterator[str]:
    """Overcharge of `rows` for close quarters, where the unit is not told to use it; `where` is its section."""
    if not unit.overcharge and any(row.has("Overcharge") for row in rows if row.kind != "ranged"):
        yield unused_for_want_of("Overcharge", f"{where}.overcharge")


def unused_in_charging(unit: Combatant, where: str) -> Iterator[str]:
    """Overrun of a unit that charges, where it is told to stay; `where` is the section of how it charges."""
    for rule in unit.keywords:
        if rule.name == "Overrun" and not unit.charge.overrun:
            yield unused_for_want_of(rule.canonical, f"{where}.overrun")


def unused_in_shooting(shooter: Shooter) -> Iterator[str]:
    """What a duellist would make use of by another policy."""
    names: dict[PolicyName, str] = {"overcharge": "Overcharge", "all_out": "All-Out Attack"}
    written = {rule.name: rule.canonical for rule in shooter.mine.keywords}
    for policy, name in names.items():
        fires_one = policy == "all_out" and len(rows_to_shoot_with(shooter.mine, shooter.theirs, policy)) == 1
        if policy != shooter.policy and not fires_one and why_not(policy, shooter.mine, shooter.theirs) is None:
            yield unused_for_want_of(written.get(name, name), f'duel.policy_{shooter.where} = "{policy}"')
