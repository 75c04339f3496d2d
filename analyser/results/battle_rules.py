"""Rules behind the result of a battle: rules of its units, and rules not modelled because there is no map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analyser.game.keywords import CLOSE_QUARTERS, DUEL
from analyser.game.units import Row
from analyser.results.base import RulesUsed
from analyser.results.rules_used import CARDS, ROWS_AFTER_CHARGE, SortedRules, case_of_row, case_of_unit
from analyser.rules.policies import BEST
from analyser.scenarios.battle import BattleScenario, BattleUnit, policy_against
from analyser.scenarios.policies import Shooter, rows_after_charge, rows_to_shoot_with

NOT_MODELLED = (
    "terrain and buildings",
    "line of sight, arcs and outflanking",
    "commands, interference and conquest objectives",
    "flank attacks",
    "unit coherency and the room that models take",
    "secondary combatants",
    "target acquisition for other units, and the arcs and flight paths of aircraft",
    "embarking, towing, garrisons and special actions other than lookout and taking cover",
)
_NO_MAP = (
    "no map: units are points on an open field, every unit sees every other, attacks come from the front "
    "(docs/battle.md)"
)
_CHOICES = "sides look one activation ahead or follow fixed policies (docs/battle.md), and play cards by fixed rules"
_NEAR_FRIENDS = ("Peer Review", "Chain of Command", "Ammo Supply", "Inspiring")  # rules that affect friends nearby


def rules_of_battle(scenario: BattleScenario, *, with_replacement: bool) -> RulesUsed:
    """Return the rules behind a battle."""
    rules, seen = SortedRules(), set[tuple[int, int, str]]()
    for side, units in enumerate(scenario.fielded):
        for fielded in units:
            for enemy in scenario.fielded[1 - side]:
                key = (id(fielded.combatant), id(enemy.combatant), fielded.policy)
                if key not in seen:
                    seen.add(key)
                    _add_rules(rules, scenario, fielded, enemy)
    combatants = [fielded.combatant for units in scenario.fielded for fielded in units]
    keywords = (rule for unit in combatants for rule in unit.keywords)
    affecting_friends = tuple(dict.fromkeys(rule.canonical for rule in keywords if rule.name in _NEAR_FRIENDS))
    rules.applied = [name for name in rules.applied if name not in affecting_friends]
    used = rules.as_rules_used([_NO_MAP, _CHOICES, CARDS[with_replacement]], scenario)
    boons = [f"boon {boon.name}" for army in scenario.armies for boon in army.paid_boons]
    objectives = () if scenario.terms.objectives else ("objectives",)
    left_out = tuple(dict.fromkeys((*boons, *used.not_modelled, *affecting_friends, *objectives, *NOT_MODELLED)))
    return replace(used, not_modelled=left_out)


def _add_rules(rules: SortedRules, scenario: BattleScenario, fielded: BattleUnit, enemy: BattleUnit) -> None:
    """Sort the rules of a unit into `rules`, by their possible effects against an enemy."""
    unit, other = fielded.combatant, enemy.combatant
    tactics = policy_against(fielded.policy, unit, other), policy_against(enemy.policy, other, unit)
    charges = [
        tactic is not None and charger.combatant.may_charge(target, BEST if charger.policy == BEST else tactic)
        for tactic, charger, target in zip(tactics, (fielded, enemy), (other, unit))
    ]
    shooter = None if tactics[0] is None else Shooter(unit, other, tactics[0], 1.0, scenario.ruleset, "a")
    for row in _usable_rows(fielded, enemy, charges):
        in_contact = row.kind != "ranged"
        rules.add(row.qualities, CLOSE_QUARTERS if in_contact else DUEL, case_of_row(row, unit, other, shooter))
    case = case_of_unit(
        unit,
        other,
        list(_usable_rows(enemy, fielded, charges[::-1])),
        charges=charges[0],
        charged=charges[1],
        distant=True,
        takes_cover=fielded.policy == "take_cover",
        fires_all_rows=shooter is not None and len(shooter.rows) > 1,
        shoots_back=other.category == "aerial",
    )
    for rule in unit.keywords:
        contact = any(charges) and rule.term is not None and rule.term.counts_in(CLOSE_QUARTERS)
        rules.add([rule], CLOSE_QUARTERS if contact else DUEL, case)
    rules.not_modelled += [ROWS_AFTER_CHARGE] if charges[0] and rows_after_charge(unit, other) else []


def _usable_rows(fielded: BattleUnit, enemy: BattleUnit, charges: list[bool]) -> Iterator[Row]:
    """Yield the rows that a unit can use against an enemy; `charges`: may the unit charge, may the enemy."""
    unit = fielded.combatant
    yield from rows_to_shoot_with(unit, enemy.combatant, "lookout" if fielded.policy == "lookout" else "shoot")
    if charges[0]:
        yield unit.charge_row("")
    if charges[1]:
        yield from unit.retaliation_rows()
