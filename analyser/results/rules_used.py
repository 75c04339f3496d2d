"""Rules behind a result: applied rules, unused and unmodelled rules, and assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analyser.game.house_rules import Circumstance
from analyser.game.keywords import CLOSE_QUARTERS, DUEL, FOCUS_FIRE, RANGED_ATTACK, SUBJECTS_OF_SHOTS, Keyword, Term
from analyser.game.units import CLOSE_FORMATION_TYPES, Row
from analyser.results.base import RulesUsed
from analyser.rules.attack import uses_parentheses
from analyser.rules.house_rules import IS_A
from analyser.rules.policies import BEST
from analyser.rules.structs import NONE, FightFacts, Test
from analyser.scenarios.attack import Scenario
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.chooser import Chooser
from analyser.scenarios.duel import DuelScenario, common_step
from analyser.scenarios.fight_records import to_length
from analyser.scenarios.focus import FocusScenario, gunner_dice
from analyser.scenarios.load import AnyScenario
from analyser.scenarios.policies import Shooter, rows_after_charge, rows_to_shoot_with, why_not
from analyser.scenarios.resolve import may_be_concealed
from analyser.scenarios.schema import WANTS, Combatant, DuelTerms, Target

CARDS = {  # by `with_replacement`
    True: "cards with replacement: every test draws from a full deck (AC-9.3), an approximation of the rule that drawn "
    "cards are gone until the deck runs out (AC-5.1)",
    False: "cards without replacement: each side's deck runs out and is shuffled again (AC-5.1)",
}
_USED_WITH = "{}, could be used with {}"
_NO_SECONDARY_DAMAGE = "Overcharge damage to secondary combatants is not modelled"
_IN_CONTACT_ONLY = "no distance is given: {} reaches only a unit in contact"
_NEAR_RULES = ("Corrosive Fumes", "Spectacular Demise")  # rules that depend on the distance between two units
_ALWAYS_REACHES = "no distance is given: nothing is out of range, and a charge always reaches"
_SHORT_WITHOUT_DISTANCE = "no distance is given: short_range puts the unit at short range; best play never does"
_ALL_STOPS = 'best play moves by multiples of {:g}": no other length is better for either side'
_FULL_MOVES = "a move of best play has its full length, or ends at the range of a row: other stops are not tried"
_STEPS = 'a move of best play ends at a multiple of {:g}", at its full length, or at the range of a row'
_NO_EDGE = "a unit without edge_distance is far from its own edge, and retires by its SPEED, never at double time"
_AMOK_WITHOUT_DISTANCE = "no distance is given: a unit that runs amok without charging does no damage"
_DIFFERENT_UNITS = "the attackers are different units: an attacker's own losses do not affect later attacks"
_STATIC = "the Static target is destroyed if it loses the combat (AC-7)"
ROWS_AFTER_CHARGE = "attacks with other rows after a charge, by All-Out Attack (AC-7)"
_NO_PROFILE = "an attacker without a profile does not count as an aerial unit, at which a Tail Gunner would fire back"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Circumstances in which a rule of a unit may apply, in a kind of fight against an enemy."""

    unit: Any  # the Attack, Target or Combatant that has the rule
    enemy: Any
    single_attack: bool = False  # this is a single ranged attack
    in_parentheses: bool = False  # the row has dice in parentheses that may be used
    at_short_range: bool = False
    outside_front_arc: bool = False
    out_of_sight: bool = False
    opportunity_fire: bool = False
    overcharge: bool = False
    shoots: bool = False
    enemy_tests: bool = False  # the enemy takes tests
    distant: bool = False  # the fight states a distance between the units
    veteran: bool = False
    enemy_qualities: frozenset[str] = frozenset()  # qualities of the rows that attack the unit
    attacked: bool = False
    charges: bool = False
    charged: bool = False
    charge_hit: bool = False  # attacked during its charge, from the front
    takes_cover: bool = False
    saved_by_card: bool = False  # a card can spare the unit a status (Construct)
    can_disorder: bool = False  # the unit can disorder a near enemy (Corrosive Fumes)
    fires_all_rows: bool = False
    shoots_back: bool = False  # the unit shoots back at aerial attackers
    attack_ranges: frozenset[Circumstance] | None = None  # ranges at which the unit can attack; None: all
    attacked_ranges: frozenset[Circumstance] | None = None  # ranges at which the unit can be attacked; None: all
    enemy_kinds: int | None = None  # bits of the enemy's kinds; None: those of `enemy`


_RANGES: frozenset[Circumstance] = frozenset({"short range", "long range"})
_COMBAT: frozenset[Circumstance] = frozenset({"close quarters"})
_CHARGE_AND_COMBAT: frozenset[Circumstance] = _COMBAT | {"charge"}
_CAN_APPLY: Mapping[str, Callable[[Case], bool]] = {  # a rule without an entry can apply in every fight
    "Point Blank": lambda case: case.in_parentheses and case.at_short_range,
    "Shock": lambda case: case.in_parentheses and case.enemy.category == "light",
    "Wreckers": lambda case: case.in_parentheses and case.enemy.category == "heavy",
    "Suppressive": lambda case: case.enemy_tests,
    "Penetrating": lambda case: (case.enemy.damage_limit or 1) > 1,
    "Torrent": lambda case: (
        may_be_concealed(case.enemy) or (case.single_attack and (case.unit.concealed or case.out_of_sight))
    ),
    "Precision": lambda case: case.single_attack or case.enemy_tests,
    "Cryo": lambda case: case.single_attack or case.enemy_tests,
    "Seismic": lambda case: case.single_attack or case.enemy_tests or case.enemy.garrisoned,
    "Overcharge": lambda case: case.overcharge,
    "Turret": lambda case: case.outside_front_arc,
    "Indirect": lambda case: case.out_of_sight,
    "Lock On": lambda case: case.opportunity_fire,
    "Slow to Fire": lambda case: not case.single_attack,
    "Move or Fire": lambda case: case.distant,
    "Reactive": lambda case: case.opportunity_fire,
    "Siegebreaker": lambda case: case.shoots and case.enemy.garrisoned,
    "Full Steam Ahead": lambda case: case.unit.carriages > 0,
    "Durable": lambda case: case.single_attack or case.attacked or case.charge_hit,
    "Veteran": lambda case: case.veteran,
    "Peer Review": lambda case: case.unit.peer_review,
    "Chain of Command": lambda case: case.unit.chain_of_command,
    "Resilient": lambda case: case.charge_hit or (case.attacked and case.unit.from_front and not case.unit.garrisoned),
    "Emplacement": lambda case: case.unit.obstacle,
    "Pavises": lambda case: case.takes_cover,
    "Construct": lambda case: case.saved_by_card,
    "Corrosive Fumes": lambda case: case.can_disorder,
    "Bodyguard": lambda case: "Precision" in case.enemy_qualities,
    "Irregular": lambda case: _depends_on_formation(case.unit, "open"),
    "Lockstep": lambda case: _depends_on_formation(case.unit, "close"),
    "Hover": lambda case: "Seismic" in case.enemy_qualities,
    "Sponsons": lambda case: case.charged,
    "Stoic Defence": lambda case: case.charged,
    "Storming Party": lambda case: case.charges and case.enemy.garrisoned,
    "Static": lambda case: case.charged,
    "Onslaught": lambda case: case.charges,
    "Overrun": lambda case: case.charges and case.unit.charge.overrun,
    "Hunter": lambda case: case.charges or case.charged,
    "Capacity": lambda case: case.attacked if case.single_attack else case.unit.passengers is not None,
    "Throw": lambda case: case.charges,
    "All-Out Attack": lambda case: case.fires_all_rows,
    "Tail Gunner": lambda case: case.shoots_back,
    "Berserk": lambda case: case.shoots or (case.charges and case.unit.discipline is not None),
    "Run Amok": lambda case: case.shoots or case.charges or case.distant,
}


def _depends_on_formation(unit: Target, formation: str) -> bool:
    """Return True if a rule gives the unit this formation, and its officer may fall before the last model (AC-5.8)."""
    usual = "close" if unit.type in (None, *CLOSE_FORMATION_TYPES) else "open"
    return unit.officer != "last" and usual != unit.formation == formation


@dataclass
class SortedRules:
    """Rules sorted into applied, unused and unmodelled ones, in the order of the profiles."""

    applied: list[str] = field(default_factory=list)
    not_used: list[str] = field(default_factory=list)
    not_modelled: list[str] = field(default_factory=list)
    modelled: set[str] = field(default_factory=set)  # rules modelled in at least one kind of fight

    def add(self, keywords: Iterable[Keyword], fight: str, case: Case, side: str = "") -> None:
        """Add keywords of a profile by their effect in a kind of fight; `side` is the profile's side in an attack."""
        for keyword in keywords:
            term, name = keyword.term, keyword.canonical
            if term is not None and term.counts_in(fight):
                self.modelled.add(name)
                if (not side or term.side == side) and _is_applied(keyword, term, case):
                    self.applied.append(name if keyword.house is None else f"{name} ({term.subject})")
            elif term is None or _could_matter(term, fight, case):
                self.not_modelled.append(name)

    def as_rules_used(self, assumptions: Iterable[str], scenario: AnyScenario) -> RulesUsed:
        """Return the distinct rules; the first assumption of every fight is about die and deck."""
        lists = self.applied, self.not_used, (name for name in self.not_modelled if name not in self.modelled)
        applied, not_used, left_out = (tuple(dict.fromkeys(names)) for names in lists)
        all_assumptions = scenario.ruleset.assumption, *assumptions
        return RulesUsed(applied, not_used, left_out, all_assumptions, scenario.warnings)


def _could_matter(term: Term, fight: str, case: Case) -> bool:
    if term.subject in SUBJECTS_OF_SHOTS:
        return term.can_matter_in(fight) or (case.charged and case.enemy.has("Throw"))
    return term.can_matter_in(fight) and _can_apply(term, case)


def _is_applied(keyword: Keyword, term: Term, case: Case) -> bool:
    if keyword.house is None:
        return keyword.parameter != "0" and _can_apply(term, case)
    rule, kinds = keyword.house, case.enemy_kinds
    kinds = IS_A[case.enemy.type] | IS_A[case.enemy.category] if kinds is None else kinds
    if rule.against and not any(IS_A[kind] & kinds for kind in rule.against):
        return False
    possible = case.attack_ranges if rule.when == "attacking" else case.attacked_ranges
    return not rule.at or possible is None or not possible.isdisjoint(rule.at)


def _can_apply(term: Term, case: Case) -> bool:
    return term.name not in _CAN_APPLY or _CAN_APPLY[term.name](case)


def rules_of_attack(scenario: Scenario, fight: FightFacts) -> RulesUsed:
    """Return the rules behind a single attack."""
    rules = SortedRules()
    _add_attack(rules, scenario, fight, "attack")
    return rules.as_rules_used((), scenario)


def _add_attack(rules: SortedRules, scenario: Scenario, fight: FightFacts, where: str) -> None:
    attack, target, attacker = scenario.attack, scenario.target, scenario.attacker
    short = "short_range" in attack.bonuses
    ranges: frozenset[Circumstance] = frozenset({"short range" if short else "long range"})
    attacker_case = Case(
        unit=attack,
        enemy=target,
        single_attack=True,
        in_parentheses=attack.dice_in_parentheses is not None and uses_parentheses(*scenario.facts, short),
        at_short_range=short,
        attack_ranges=ranges,
        outside_front_arc="outside_front_arc" in attack.penalties,
        out_of_sight=attack.line_of_sight != "own",
        opportunity_fire=attack.opportunity_fire,
        overcharge=attack.overcharge,
        shoots=True,
        enemy_tests=fight.test == Test.BY_CARD,
        veteran=fight.veteran > 0,
        can_disorder=bool(fight.disordered) and not target.disordered,
        fires_all_rows=True,
    )
    target_case = Case(
        unit=target,
        enemy=attack,
        single_attack=True,
        enemy_qualities=frozenset(quality.name for quality in attack.keywords),
        attacked=True,
        attacked_ranges=ranges,
        enemy_kinds=scenario.facts[0].is_a,
        takes_cover=target.taking_cover,
        saved_by_card=fight.test != Test.NOT_TAKEN and target.discipline not in (None, NONE),
        shoots_back=attacker is None or attacker.unit.category == "aerial",
    )
    rules.add(attack.keywords, RANGED_ATTACK, attacker_case, "attacker")
    rules.add(scenario.attacker_rules, RANGED_ATTACK, attacker_case, "attacker")
    rules.add(target.keywords, RANGED_ATTACK, target_case, "target")
    if attack.has("Overcharge") and not attack.overcharge:
        rules.not_used.append(_USED_WITH.format("Overcharge", f"{where}.overcharge"))


def rules_of_focus(scenario: FocusScenario, *, with_replacement: bool) -> RulesUsed:
    """Return the rules behind a sequence of attacks."""
    rules, target = SortedRules(), scenario.target
    modelled = [rule for rule in target.keywords if rule.term and rule.term.counts_in(FOCUS_FIRE)]
    for index, (attack, attacker) in enumerate(zip(scenario.attacks, scenario.attackers)):
        _add_attack(rules, attack, attack.fight, f"attacks.{index}")
        shoots_back = gunner_dice(target, attacker) > 0
        rules.add(modelled, FOCUS_FIRE, Case(unit=target, enemy=attacker, shoots_back=shoots_back))
    assumptions = [CARDS[with_replacement]] if len(scenario.attacks) > 1 else []
    assumptions += [_DIFFERENT_UNITS] if scenario.at_risk else []
    assumptions += [_NO_PROFILE] if modelled and None in scenario.attackers else []
    return rules.as_rules_used(assumptions, scenario)


def rules_of_charge(scenario: ChargeScenario, *, with_replacement: bool) -> RulesUsed:
    """Return the rules behind a charge."""
    rules, (attacker, target) = SortedRules(), (scenario.attacker, scenario.target)
    charging = [attacker.charge_row("attacker")]
    charged = {"target": target} | {f"secondary.{index}": unit for index, unit in enumerate(scenario.secondary)}
    fighters = [(attacker, target, charging, "attacker")]
    fighters += [(unit, attacker, unit.retaliation_rows(), where) for where, unit in charged.items()]
    for unit, enemy, rows, where in fighters:
        charges = unit is attacker
        for row in rows:
            rules.add(row.qualities, CLOSE_QUARTERS, case_of_row(row, unit, enemy))
        enemy_rows = target.retaliation_rows() if charges else charging
        roles = {"charges": charges, "charged": not charges, "shoots": False}
        case = case_of_unit(unit, enemy, enemy_rows, **roles, fires_all_rows=charges)
        rules.add(unit.keywords, CLOSE_QUARTERS, case)
        rules.not_used += _unused_in_contact(unit, rows, where, "charge" if charges else "")
    overcharge = [unit.overcharge and any(row.has("Overcharge") for row in rows) for unit, _, rows, _ in fighters]
    several_cards = any(unit.passengers is not None for unit in (attacker, target)) or any(overcharge)
    assumptions = [CARDS[with_replacement]] if several_cards or attacker.has("Overrun", "Throw") else []
    assumptions += [_NO_SECONDARY_DAMAGE] if any(overcharge[2:]) else []
    assumptions += [_STATIC] if target.has("Static") else []
    return rules.as_rules_used(assumptions, scenario)


def _unconsidered_choices(shooter: Shooter) -> Iterator[str]:
    """Yield the relevant choices that best play does not consider."""
    if not isinstance(shooter, Chooser) or shooter.lines:
        return
    unit, enemy = shooter.unit, shooter.enemy
    if enemy.exposed is not None and shooter.lookout_rows:
        yield "the choice whether to prioritise exposed models (AC-3.9): it is made as stated"
    if unit.value("All-Out Attack") > 1 and len(shooter.rows) > 1:
        yield "the order of an All-Out Attack (AC-7): the other rows follow in profile order, without Overcharge"


def rules_of_duel(scenario: DuelScenario, shooters: Sequence[Shooter], *, with_replacement: bool) -> RulesUsed:
    """Return the rules behind a duel."""
    rules, near_rules = SortedRules(), list[Keyword]()
    charges = [shooter.unit.may_charge(shooter.enemy, shooter.policy) for shooter in shooters]
    contact, has_distance = any(charges), scenario.terms.distance is not None
    rows = [_rows_of_duel(shooter, charges) for shooter in shooters]

    def fight_of(rule: Keyword) -> str:
        if contact and rule.term is not None and rule.term.counts_in(CLOSE_QUARTERS):
            return CLOSE_QUARTERS
        return "" if rule.name in _NEAR_RULES and not (contact or has_distance) else DUEL

    for side, (shooter, enemy) in enumerate(zip(shooters, shooters[::-1])):
        unit, where = shooter.unit, shooter.where
        for row in rows[side]:
            case = case_of_row(row, unit, enemy.unit, shooter)
            rules.add(row.qualities, DUEL if row.kind == "ranged" else CLOSE_QUARTERS, case)
        rules.applied += ["Reactive"] if _is_kept_from_firing(shooter) else []
        case = case_of_unit(
            unit,
            enemy.unit,
            rows[1 - side],
            charges=charges[side],
            charged=charges[1 - side],
            distant=has_distance,
            takes_cover=unit.taking_cover or shooter.policy == "take_cover" or shooter.chooses,
            fires_all_rows=len(shooter.rows) > 1 and (not shooter.chooses or unit.has("All-Out Attack")),
            shoots_back=enemy.is_answered and (enemy.main_row or enemy.lookout_row) is not None,
        )
        for fight in (CLOSE_QUARTERS, "", DUEL):
            rules.add([rule for rule in unit.keywords if fight_of(rule) == fight], fight, case)
        rules.not_used += _unused_in_shooting(shooter)
        charge_section = f"{where}.charge" if charges[side] else ""
        rules.not_used += _unused_in_contact(unit, rows[side], where, charge_section, chooses=shooter.chooses)
        near_rules += [rule for rule in unit.keywords if rule.name in _NEAR_RULES and fight_of(rule) == CLOSE_QUARTERS]
        rules.not_modelled += _unconsidered_choices(shooter)
        rules.not_modelled += [ROWS_AFTER_CHARGE] if charges[side] and rows_after_charge(unit, enemy.unit) else []
    movers = [shooter for shooter in shooters if isinstance(shooter, Chooser) and shooter.unit.speed]
    assumptions = [CARDS[with_replacement], *_assumption_on_objective(scenario)]
    assumptions += _assumptions_on_moves(scenario, movers)
    if not has_distance:
        assumptions.append(_ALWAYS_REACHES)
        assumptions += [_SHORT_WITHOUT_DISTANCE] if any(shooter.policy == "short_range" for shooter in shooters) else []
        assumptions += [_AMOK_WITHOUT_DISTANCE] if any(shooter.unit.has("Run Amok") for shooter in shooters) else []
        assumptions += map(_IN_CONTACT_ONLY.format, dict.fromkeys(rule.canonical for rule in near_rules))
    return rules.as_rules_used(assumptions, scenario)


def _assumption_on_objective(scenario: DuelScenario) -> Iterator[str]:
    """Yield the objective of best play if both sides play best, or if it is not the default."""
    terms = scenario.terms
    choosers = [side for side, policy in zip("AB", (terms.policy_a, terms.policy_b)) if policy == BEST]
    if len(choosers) == 2:
        yield f"both sides play best: A maximises its objective {terms.want} ({WANTS[terms.want]}), and B minimises it"
    elif choosers and terms.want != DuelTerms.model_fields["want"].default:
        yield f"best play of {choosers[0]} maximises its objective {terms.want} ({WANTS[terms.want]})"


def _assumptions_on_moves(scenario: DuelScenario, movers: Sequence[Chooser]) -> Iterator[str]:
    """Yield the assumptions about the moves of a side that plays best or follows a policy in words."""
    terms = scenario.terms
    if terms.distance is None:
        return
    if any(mover.policy == BEST for mover in movers):
        whole = common_step(scenario.a, scenario.b, terms)
        is_whole = terms.step is not None and whole is not None and to_length(whole) % to_length(terms.step) == 0
        yield _FULL_MOVES if terms.step is None else (_ALL_STOPS if is_whole else _STEPS).format(terms.step)
    if any(mover.may_retire and mover.unit.edge_distance is None for mover in movers):
        yield _NO_EDGE


def case_of_unit(
    unit: Combatant,
    enemy: Combatant,
    enemy_rows: Sequence[Row],
    *,
    charges: bool,
    charged: bool,
    shoots: bool = True,
    **more: bool,
) -> Case:
    """Return the circumstances of the special rules of a unit, in a duel, a charge or a battle."""
    ranges = _RANGES if shoots else frozenset()
    contact = _COMBAT if charges or charged else frozenset()
    return Case(
        unit=unit,
        enemy=enemy,
        enemy_qualities=frozenset(quality.name for row in enemy_rows for quality in row.qualities),
        attacked=bool(enemy_rows),
        charges=charges,
        charged=charged,
        attack_ranges=ranges | (_CHARGE_AND_COMBAT if charges else contact),
        attacked_ranges=ranges | (_CHARGE_AND_COMBAT if charged else contact),
        charge_hit=charges and (bool(enemy.retaliation_rows()) or enemy.has("Sponsons")),
        veteran=(unit.veteran or 0) > 0,
        saved_by_card=unit.discipline is not None and not unit.near_commander,
        can_disorder=not (enemy.has("Automata") or enemy.near_commander),
        **({"takes_cover": unit.taking_cover} | more),
    )


def case_of_row(row: Row, unit: Combatant, enemy: Combatant, shooter: Shooter | None = None) -> Case:
    """Return the circumstances of the qualities of a row, in a duel, a charge or a battle."""
    distant = shooter is not None and shooter.distance is not None
    policy, chooses = (None, False) if shooter is None else (shooter.policy, shooter.chooses)
    return Case(
        unit=unit,
        enemy=enemy,
        in_parentheses=any(band.special is not None for band in row.bands),
        attack_ranges=_RANGES if row.kind == "ranged" else _CHARGE_AND_COMBAT,
        at_short_range=distant or policy == "short_range" or chooses,
        out_of_sight=distant,
        distant=distant,
        opportunity_fire=shooter is not None and row in shooter.reaction_rows,
        overcharge=chooses or (policy == "overcharge" if row.kind == "ranged" else unit.overcharge),
        shoots=shooter is not None,
        enemy_tests=enemy.discipline is not None,
    )


def _rows_of_duel(shooter: Shooter, charges: Sequence[bool]) -> list[Row]:
    rows, unit = [*shooter.rows, *shooter.reaction_rows], shooter.unit
    chooser = shooter if isinstance(shooter, Chooser) else None
    if charges[shooter.side]:
        rows += chooser.charge_rows if chooser else [unit.charge_row(shooter.where)]
    if charges[1 - shooter.side]:
        rows += [retaliation.row for retaliation in chooser.retaliations] if chooser else unit.retaliation_rows()
    return list({row.id: row for row in rows}.values())


def _is_kept_from_firing(shooter: Shooter) -> bool:
    """Return True if the unit would fire another row in its activation if no row were Reactive (AC-6)."""
    unit = shooter.unit
    if shooter.chooses or not unit.any_row_has("Reactive"):
        return False
    rows = [
        row.model_copy(update={"qualities": tuple(quality for quality in row.qualities if quality.name != "Reactive")})
        for row in unit.rows or ()
    ]
    free = replace(shooter, unit=unit.model_copy(update={"rows": tuple(rows)}))
    return [row.id for row in free.rows] != [row.id for row in shooter.rows]


def _unused_in_contact(
    unit: Combatant, rows: Iterable[Row], where: str, charge_section: str, *, chooses: bool = False
) -> Iterator[str]:
    """Yield Overcharge and Overrun if the unit has but does not use them; `charge_section`: empty without a charge."""
    if not (unit.overcharge or chooses) and any(row.has("Overcharge") for row in rows if row.kind != "ranged"):
        yield _USED_WITH.format("Overcharge", f"{where}.overcharge")
    if charge_section and not unit.charge.overrun and (rule := unit.keyword("Overrun")):
        yield _USED_WITH.format(rule.canonical, f"{charge_section}.overrun")


def _unused_in_shooting(shooter: Shooter) -> Iterator[str]:
    """Yield Overcharge and All-Out Attack if a side with a simple tactic could use them, but does not."""
    if shooter.chooses:
        return
    mine, theirs = shooter.unit, shooter.enemy
    full_names = {rule.name: rule.canonical for rule in mine.keywords}
    for policy, name in (("overcharge", "Overcharge"), ("all_out", "All-Out Attack")):
        fires_one_row = policy == "all_out" and len(rows_to_shoot_with(mine, theirs, policy)) == 1
        if policy != shooter.policy and not fires_one_row and why_not(policy, mine, theirs) is None:
            yield _USED_WITH.format(full_names.get(name, name), f'duel.policy_{shooter.where} = "{policy}"')
