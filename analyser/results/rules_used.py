"""What an answer rests on: rules applied, rules left out, and what was taken for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from analyser.game.keywords import CLOSE_QUARTERS, DUEL, FOCUS_FIRE, RANGED_ATTACK, Keyword
from analyser.game.ruleset import Rating
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
_ALWAYS_REACHES = "no distance is given: nothing is out of range, and a charge always reaches"
_AMOK_UNMEASURED = "no distance is given: a unit that runs amok without charging hurts nobody"
_DIFFERENT_UNITS = "the attackers are different units: what an attack costs its own unit bears on no later attack"
_NO_PROFILE = "an attacker without a profile is taken for no aerial unit, which a Tail Gunner would answer"


@dataclass(frozen=True, kw_only=True)
class _Case:
    """A kind of fight as a unit with a rule is in it, against an enemy."""

    unit: Any  # an Attack, a Target or a Combatant: whoever has the rule
    enemy: Any
    alone: bool = False  # a single ranged attack
    # of a quality of a row
    in_parentheses: bool = False  # the row has dice in parentheses that can count
    at_short_range: bool = False
    outside_front_arc: bool = False
    out_of_sight: bool = False
    opportunity_fire: bool = False
    overcharge: bool = False
    shoots: bool = False
    tested: bool = False  # the enemy takes tests
    # of a special rule
    distant: bool = False  # the inches between the two count
    veteran: bool = False
    against_it: frozenset[str] = frozenset()  # qualities of rows that it is attacked with
    attacked: bool = False
    charges: bool = False
    charged: bool = False
    struck: bool = False  # it is struck at while it charges: from the front
    takes_cover: bool = False
    saved_by_card: bool = False  # its status depends on a card (Construct)
    disorders: bool = False  # it can disorder the enemy near it (Corrosive Fumes)
    fires_several: bool = False
    answers: bool = False  # it shoots back at aerial attackers


_OCCASION: Mapping[str, Callable[[_Case], bool]] = {  # a rule that is not here has its occasion wherever it counts
    # qualities (AC-6)
    "Point Blank": lambda case: case.in_parentheses and case.at_short_range,
    "Shock": lambda case: case.in_parentheses and case.enemy.category == "light",
    "Wreckers": lambda case: case.in_parentheses and case.enemy.category == "heavy",
    "Suppressive": lambda case: case.tested,
    "Torrent": lambda case: case.alone or _is_hidden(case.enemy),
    "Precision": lambda case: case.alone or case.tested,
    "Cryo": lambda case: case.alone or case.tested,
    "Seismic": lambda case: case.alone or case.tested or case.enemy.garrisoned,
    "Overcharge": lambda case: case.overcharge,
    "Turret": lambda case: case.outside_front_arc,
    "Indirect": lambda case: case.out_of_sight,
    "Lock On": lambda case: case.opportunity_fire,
    "Slow to Fire": lambda case: not case.alone,
    "Move or Fire": lambda case: case.distant,
    "Reactive": lambda case: case.opportunity_fire,
    "Siegebreaker": lambda case: case.shoots and case.enemy.garrisoned,
    "Full Steam Ahead": lambda case: case.unit.carriages > 0,
    # special rules (AC-7)
    "Durable": lambda case: case.alone or case.attacked or case.struck,
    "Veteran": lambda case: case.veteran,
    "Peer Review": lambda case: case.unit.peer_review,
    "Chain of Command": lambda case: case.unit.chain_of_command,
    "Resilient": lambda case: case.struck or (case.attacked and case.unit.from_front and not case.unit.garrisoned),
    "Emplacement": lambda case: case.unit.obstacle,
    "Pavises": lambda case: case.takes_cover,
    "Construct": lambda case: case.saved_by_card,
    "Corrosive Fumes": lambda case: case.disorders,
    "Bodyguard": lambda case: "Precision" in case.against_it,
    "Irregular": lambda case: case.unit.formation == "open",
    "Lockstep": lambda case: case.unit.formation == "close",
    "Hover": lambda case: "Seismic" in case.against_it,
    "Sponsons": lambda case: case.charged,
    "Stoic Defence": lambda case: case.charged,
    "Storming Party": lambda case: case.charges and case.enemy.garrisoned,
    "Static": lambda case: case.charged,
    "Onslaught": lambda case: case.charges,
    "Overrun": lambda case: case.charges and case.unit.charge.overrun,
    "Hunter": lambda case: case.charges or case.charged,
    "Capacity": lambda case: case.unit.passengers is not None,
    "Throw": lambda case: case.charges,
    "All-Out Attack": lambda case: case.fires_several,
    "Tail Gunner": lambda case: case.answers,
    "Berserk": lambda case: case.charges and case.unit.discipline is not None,
    "Run Amok": lambda case: case.charges or case.distant,
}


def _has_occasion(name: str, case: _Case) -> bool:
    return name not in _OCCASION or _OCCASION[name](case)


def _is_hidden(unit: Combatant) -> bool:
    """Whether a shot at the unit can meet concealment or cover, which Torrent takes away (AC-4.3)."""
    return unit.garrisoned or unit.concealed or unit.obstacle or unit.has("Shrouded", "Obfuscating", "Pavises")


@dataclass
class _Found:
    """What has been found so far, in the order of the profiles."""

    applied: list[str] = field(default_factory=list)
    not_used: list[str] = field(default_factory=list)
    not_modelled: list[str] = field(default_factory=list)

    def add(self, written: Iterable[Keyword], fight: str, case: _Case, side: str = "") -> None:
        """Sort keywords of a profile by what they do in that kind of fight; `side`: whose profile, in an attack."""
        for named in written:
            term = named.term
            if term is None or not term.counts_in(fight):
                self.not_modelled.append(named.canonical)
            elif (not side or term.side == side) and _has_occasion(named.name, case):
                self.applied.append(named.canonical)

    def all(self, assumptions: Iterable[str], warnings: tuple[str, ...]) -> RulesUsed:
        """Each thing told once."""
        applied, not_used, not_modelled = (
            tuple(dict.fromkeys(each)) for each in (self.applied, self.not_used, self.not_modelled)
        )
        return RulesUsed(applied, not_used, not_modelled, tuple(assumptions), warnings)


def of_attack(scenario: Scenario, fight: FightFacts) -> RulesUsed:
    """The rules that a single attack rests on."""
    found = _Found()
    _add_attack(found, scenario, fight, "attack")
    return found.all((), scenario.warnings)


def _add_attack(found: _Found, scenario: Scenario, fight: FightFacts, where: str) -> None:
    attack, target = scenario.attack, scenario.target
    made = _Case(
        unit=attack,
        enemy=target,
        alone=True,
        in_parentheses=attack.dice_in_parentheses is not None and fight.dice != attack.dice,
        at_short_range="short_range" in attack.bonuses,
        outside_front_arc="outside_front_arc" in attack.penalties,
        out_of_sight=attack.line_of_sight != "own",
        opportunity_fire=attack.opportunity_fire,
        overcharge=attack.overcharge,
        shoots=True,
        tested=fight.test == Test.BY_CARD,
        veteran=fight.veteran > 0,
        disorders=bool(fight.disordered) and not target.disordered,
    )
    met = _Case(
        unit=target,
        enemy=attack,
        alone=True,
        against_it=frozenset(quality.name for quality in attack.keywords),
        attacked=True,
        takes_cover=target.taking_cover,
        saved_by_card=fight.test != Test.NOT_TAKEN and target.discipline not in (None, NONE),
    )
    found.add(attack.keywords, RANGED_ATTACK, made, "attacker")
    found.add(scenario.attacker_rules, RANGED_ATTACK, made, "attacker")
    found.add(target.keywords, RANGED_ATTACK, met, "target")
    if attack.has("Overcharge") and not attack.overcharge:
        found.not_used.append(_could_be_used("Overcharge", f"{where}.overcharge"))


def of_focus(scenario: FocusScenario, *, with_replacement: bool) -> RulesUsed:
    """The rules that a sequence of attacks rests on: those of each of them, told once."""
    found, target = _Found(), scenario.target
    computed = [named for named in target.keywords if named.term is not None and named.term.counts_in(FOCUS_FIRE)]
    for place, (each, attacker) in enumerate(zip(scenario.attacks, scenario.attackers)):
        _add_attack(found, each, each.fight, f"attacks.{place}")
        found.add(computed, FOCUS_FIRE, _Case(unit=target, enemy=attacker, answers=gunner_dice(target, attacker) > 0))
    names = {named.canonical for named in computed}
    found.not_modelled = [written for written in found.not_modelled if written not in names]
    assumptions = [_cards(with_replacement)] if len(scenario.attacks) > 1 else []
    assumptions += [_DIFFERENT_UNITS] if scenario.at_risk else []
    assumptions += [_NO_PROFILE] if computed and None in scenario.attackers else []
    return found.all(assumptions, scenario.warnings)


def of_charge(scenario: ChargeScenario, *, with_replacement: bool) -> RulesUsed:
    """The rules that a charge rests on."""
    found, (attacker, target) = _Found(), (scenario.attacker, scenario.target)
    charging = [charge_row(attacker, "attacker")]
    fighters = [(attacker, target, charging, "attacker"), (target, attacker, _retaliation(target), "target")]
    for place, unit in enumerate(scenario.secondary):
        fighters.append((unit, attacker, _retaliation(unit), f"secondary.{place}"))
    for unit, enemy, rows, where in fighters:
        charges = unit is attacker
        for row in rows:
            found.add(row.qualities, CLOSE_QUARTERS, _case_of_row(row, unit, enemy))
        enemy_rows = _retaliation(target) if charges else charging
        case = _case(unit, enemy, enemy_rows, charges=charges, charged=not charges)
        found.add(unit.keywords, CLOSE_QUARTERS, case)
        found.not_used += [*_unused_in_contact(unit, rows, where), *(_unused_in_charging(unit, "charge") * charges)]
    overcharging = [
        place
        for place, (unit, _, rows, _) in enumerate(fighters)
        if unit.overcharge and any(row.has("Overcharge") for row in rows)
    ]
    several_cards = any(unit.passengers is not None for unit in (attacker, target)) or overcharging
    assumptions = [_cards(with_replacement)] if several_cards or attacker.has("Overrun", "Throw") else []
    assumptions += [_OTHERS_UNHURT] if max(overcharging, default=0) > 1 else []
    return found.all(assumptions, scenario.warnings)


def of_duel(scenario: DuelScenario, shooters: Sequence[Shooter], *, with_replacement: bool) -> RulesUsed:
    """The rules that a duel rests on; `shooters` are the rows that both sides shoot with."""
    found, near = _Found(), list[str]()
    sides, policies = (scenario.a, scenario.b), (scenario.terms.policy_a, scenario.terms.policy_b)
    charges = [may_charge(sides[place], sides[1 - place], policies[place]) for place in (0, 1)]
    contact, apart = any(charges), scenario.terms.distance is not None
    rows = [_rows_of_duel(place, sides, shooters, charges) for place in (0, 1)]

    def counted_in(rule: Keyword) -> str:
        if contact and rule.term is not None and rule.term.counts_in(CLOSE_QUARTERS):
            return CLOSE_QUARTERS
        return "" if rule.name in _NEAR_IT and not (contact or apart) else DUEL

    for place, (unit, enemy) in enumerate(zip(sides, sides[::-1])):
        for row in rows[place]:
            case = _case_of_row(row, unit, enemy, shooters[place])
            found.add(row.qualities, DUEL if row.kind == "ranged" else CLOSE_QUARTERS, case)
        shot_at_by, where = shooters[1 - place], "ab"[place]
        case = _case(
            unit,
            enemy,
            rows[1 - place],
            charges=charges[place],
            charged=charges[1 - place],
            distant=apart,
            takes_cover=unit.taking_cover or policies[place] == "take_cover",
            fires_several=len(shooters[place].rows) > 1,
            answers=shot_at_by.is_answered and (shot_at_by.main or shot_at_by.by_lookout) is not None,
        )
        for fight in (CLOSE_QUARTERS, "", DUEL):
            found.add([rule for rule in unit.keywords if counted_in(rule) == fight], fight, case)
        found.not_used += [*_unused_in_shooting(shooters[place]), *_unused_in_contact(unit, rows[place], where)]
        found.not_used += _unused_in_charging(unit, f"{where}.charge") * charges[place]
        met = [rule for rule in unit.keywords if counted_in(rule) == CLOSE_QUARTERS]
        near += [rule.canonical for rule in met if rule.name in _NEAR_IT]
    assumptions = [_cards(with_replacement)]
    if not apart:
        assumptions.append(_ALWAYS_REACHES)
        assumptions += [_AMOK_UNMEASURED] if any(unit.has("Run Amok") for unit in sides) else []
        assumptions += map(_IN_CONTACT_ONLY.format, dict.fromkeys(near))
    return found.all(assumptions, scenario.warnings)


def _case(
    unit: Combatant, enemy: Combatant, enemy_rows: Sequence[Row], *, charges: bool, charged: bool, **more: bool
) -> _Case:
    """A unit in a fight in which it charges, is charged, or both in turn."""
    return _Case(
        unit=unit,
        enemy=enemy,
        against_it=frozenset(quality.name for row in enemy_rows for quality in row.qualities),
        attacked=bool(enemy_rows),
        charges=charges,
        charged=charged,
        struck=charges and (retaliation_row(enemy) is not None or enemy.has("Sponsons")),
        veteran=(unit.veteran or 0) > 0,
        saved_by_card=unit.discipline is not None and not unit.near_commander,
        disorders=not (enemy.has("Automata") or enemy.near_commander),
        **({"takes_cover": unit.taking_cover} | more),
    )


def _case_of_row(row: Row, unit: Combatant, enemy: Combatant, shooter: Shooter | None = None) -> _Case:
    """A row of a unit that is used on that enemy."""
    distant = shooter is not None and shooter.distance is not None
    policy = None if shooter is None else shooter.policy
    on_lookout = shooter is not None and row is shooter.by_lookout
    return _Case(
        unit=unit,
        enemy=enemy,
        in_parentheses=any(band.special is not None for band in row.bands),
        at_short_range=distant or policy == "short_range",
        out_of_sight=distant,
        distant=distant,
        opportunity_fire=on_lookout,
        overcharge=policy == "overcharge" if row.kind == "ranged" else unit.overcharge,
        shoots=shooter is not None,
        tested=enemy.discipline is not None,
    )


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


def _could_be_used(name: str, key: str) -> str:
    return f"{name}, could be used with {key}"


def _unused_in_contact(unit: Combatant, rows: Iterable[Row], where: str) -> list[str]:
    """Overcharge of rows for close quarters, where the unit is not told to use it; `where` is its section."""
    has_it = any(row.has("Overcharge") for row in rows if row.kind != "ranged")
    return [_could_be_used("Overcharge", f"{where}.overcharge")] if has_it and not unit.overcharge else []


def _unused_in_charging(unit: Combatant, where: str) -> list[str]:
    """Overrun of a unit that charges, where it is told to stay; `where` is the section of how it charges."""
    named = [rule.canonical for rule in unit.keywords if rule.name == "Overrun" and not unit.charge.overrun]
    return [_could_be_used(name, f"{where}.overrun") for name in named]


def _unused_in_shooting(shooter: Shooter) -> Iterator[str]:
    """What a duellist would make use of by another policy."""
    names: dict[PolicyName, str] = {"overcharge": "Overcharge", "all_out": "All-Out Attack"}
    written = {rule.name: rule.canonical for rule in shooter.mine.keywords}
    for policy, name in names.items():
        fires_one = policy == "all_out" and len(rows_to_shoot_with(shooter.mine, shooter.theirs, policy)) == 1
        if policy != shooter.policy and not fires_one and why_not(policy, shooter.mine, shooter.theirs) is None:
            yield _could_be_used(written.get(name, name), f'duel.policy_{shooter.where} = "{policy}"')


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
