"""Situations of a comparison: each is a kind of fight (shooting, charge, duel) and its conditions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from analyser.analysis.best_duels import duel_with_best_play, end_of_duel
from analyser.analysis.grid import DefendingSide, Fight, blank_cells, combatant_of
from analyser.analysis.selection import no_row_reason, one_or_several, row_named
from analyser.analysis.two_sided_cells import FightEnd, RowResults, two_sided_cells
from analyser.common.errors import InputError, check_choice, did_you_mean
from analyser.common.validation import Record, as_tuple
from analyser.engine.attack.summaries import SUMMARY, fill_summaries
from analyser.engine.fight.best.explore import explore_graph
from analyser.engine.fight.exact.distribution import Joint
from analyser.engine.fight.exact.propagate import propagate_program, start_states
from analyser.game import keywords
from analyser.game.names import Name, Slug
from analyser.game.ruleset import Ruleset
from analyser.game.units import Inches, Loadout, Row
from analyser.results.states import final_distributions_by_models
from analyser.rules.attack import attack_dice
from analyser.rules.policies import BEST, SHOOTING
from analyser.rules.structs import CATEGORIES, AttackFacts
from analyser.scenarios import policies as policies_of_duels
from analyser.scenarios.attack import attack_record, best_attacks, target_record
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, shooters_of
from analyser.scenarios.duel import program_of_shooters as duel_program
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Attack, BonusName, Combatant, DuelTerms, PenaltyName, PolicyName, Target

Program = tuple[Any, Sequence[Any], Any]  # setup, operations and first states of a fight
Shooters = tuple[Shooter, Shooter]
ROWS_TO_CHARGE_WITH = ("melee", "impact")
ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": category}) for category in CATEGORIES)


class PossibleShot(NamedTuple):
    """A row of an attacker (an index), its attack, and why it cannot fire at each target category (None if it can)."""

    attacker: int
    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]


_DICE_FIELDS = ("category", "is_a", "house_1", "house_2", "house_3", "house_4")
"""Fields of a target on which the number of dice depends (Shock, Wreckers, house rules)."""


def shoot(attackers: Sequence[Loadout], defending: DefendingSide, situation: Situation) -> NDArray[np.void]:
    """Return the result of a ranged attack of each attacker on each defender, with the best or the stated row."""
    categories = np.array([CATEGORIES.index(target.category or "light") for target in defending.targets])
    cells = blank_cells(len(attackers), len(defending.targets))
    shots: list[PossibleShot] = []
    for index, attacker in enumerate(attackers):
        own_shots, reasons = shots_of(index, attacker, situation, defending.row)
        shots += own_shots
        cells["why_not"][index] = np.array(reasons, object)[categories]
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    possible = possible.reshape(-1, len(CATEGORIES))[:, categories]
    summaries = defending.summaries([shot.facts for shot in shots], possible)
    targets = [target_record(target) for target in defending.targets]
    dice_keys = [tuple(target[name] for name in _DICE_FIELDS) for target in targets]
    targets_by_key = dict(zip(dice_keys, targets))
    for index in dict.fromkeys(shot.attacker for shot in shots):
        own = np.array([number for number, shot in enumerate(shots) if shot.attacker == index])
        best = best_attacks(summaries[own])
        for row, number in enumerate(own):
            columns = np.flatnonzero(best == row)
            cells[list(SUMMARY.names or ())][index, columns] = summaries[number, columns]
            cells["row"][index, columns], cells["why_not"][index, columns] = shots[number].row.id, None
            dice = {key: attack_dice(shots[number].facts, target) for key, target in targets_by_key.items()}
            cells["dice"][index, columns] = [dice[dice_keys[column]] for column in columns.tolist()]
    return cells


def shots_of(
    index: int, attacker: Loadout, situation: Situation, stated_row: str | None
) -> tuple[list[PossibleShot], tuple[str, ...]]:
    """Return the possible shots of an attacker, and for each target category why its rows cannot fire at it."""
    shots, by_category = list[PossibleShot](), [list[str]() for _ in CATEGORIES]
    for row in _rows_of(attacker, stated_row):
        if stated_row is None and row.kind != "ranged":
            continue
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in ONE_OF_EACH_CATEGORY]
        for category_reasons, reason in zip(by_category, reasons):
            category_reasons.append(f"{row.id}: {reason}")
        if None in reasons:
            facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
            shots.append(PossibleShot(index, row, facts, tuple(reasons)))
    return shots, tuple("; ".join(reasons) or no_row_reason(stated_row, "ranged") for reasons in by_category)


def _rows_of(attacker: Loadout, stated_row: str | None) -> Sequence[Row]:
    """Return the stated row, if the attacker has it; without a stated row all rows."""
    if stated_row is None:
        return attacker.unit.rows
    row = row_named(stated_row, attacker)
    return [] if row is None else [row]


def _charger(attacker: Loadout, stated_row: str | None) -> dict[str, Combatant] | str:
    """Return the charging unit for each usable row (by the row's id), or the reason why no row is usable."""
    rows = _rows_of(attacker, stated_row)
    usable = [row.id for row in rows if row.kind in ROWS_TO_CHARGE_WITH]
    if usable:
        return {row: combatant_of(attacker, close_quarters_row=row) for row in usable}
    if stated_row and rows:
        return f"{rows[0].id}: it is a {rows[0].kind} row"
    return no_row_reason(stated_row, "melee or impact")


def _charges(
    attackers: Sequence[dict[str, Combatant] | str], targets: Sequence[Combatant], ruleset: Ruleset
) -> list[RowResults]:
    """Return the results of each charge between levels of two units by row, or the reason why it is impossible."""
    rows = attackers[0]  # all levels have equal rows
    if isinstance(rows, str):
        return [rows] * (len(attackers) * len(targets))
    by_row = [
        _charges_with_row([by_row[row] for by_row in attackers if not isinstance(by_row, str)], targets, ruleset)
        for row in rows
    ]
    result = list[RowResults]()
    for pair in zip(*by_row):
        ends = [end for end in pair if not isinstance(end, str)]
        result.append(ends or "; ".join(f"{row}: {reason}" for row, reason in zip(rows, pair)))
    return result


def _charges_with_row(
    attackers: Sequence[Combatant], targets: Sequence[Combatant], ruleset: Ruleset
) -> list[FightEnd | str]:
    target_problems = [
        _problem_of(Combatant.check_can_be_charged, target)
        or _problem_of(Combatant.check_can_retaliate, target, "the target's ")
        for target in targets
    ]
    problems = [_problem_of(Combatant.check_can_charge, attacker) for attacker in attackers]
    result: list[FightEnd | str] = [of_target or problem for problem, of_target in product(problems, target_problems)]
    able = {number: pair for number, pair in enumerate(product(attackers, targets)) if not result[number]}
    pairs = list(able.values())

    def program(index: int) -> Program:
        setup, operations = charge_program(*pairs[index], die=ruleset.die, is_checked=True)
        return setup, operations, charge_start(setup)

    for (number, pair), end in zip(able.items(), _distributions(pairs, program, ruleset)):
        result[number] = end if isinstance(end, str) else FightEnd(pair[0].close_quarters_row, end, *pair)
    return result


def _distributions(
    pairs: Sequence[tuple[Combatant, Combatant]],
    program: Callable[[int], Program],
    ruleset: Ruleset,
    first_index: int = 0,
) -> list[Joint | str]:
    """Return the results of `pairs`, levels of two units; the fight with the most models includes the other fights.

    `program(index)` returns the program of a pair's fight, or raises InputError; the first pair has `first_index`.
    """
    models = [(first.models or 0, second.models or 0) for first, second in pairs]
    if not models:
        return []
    most = max(models)
    if any(second > most[1] for _, second in models):
        parts = (_distributions([pair], program, ruleset, index) for index, pair in enumerate(pairs))
        return [end for part in parts for end in part]
    try:
        setup, operations, start = program(first_index + models.index(most))
    except InputError as error:
        return [error.problem] * len(pairs)
    pmfs = final_distributions_by_models(setup, operations, start, models, ruleset)
    return [pmf.problem if isinstance(pmf, InputError) else pmf for pmf in pmfs]


def _problem_of(check: Callable[[Combatant], None], unit: Combatant, whose: str = "") -> str:
    try:
        check(unit)
    except InputError as error:
        return whose + error.problem
    return ""


def _duellist(attacker: Loadout, stated_row: str | None) -> tuple[Combatant, Row | None] | str:
    """Return an attacker and its stated row (None for any row), or a reason if it lacks the stated row."""
    if stated_row is None:
        return combatant_of(attacker), None
    row = row_named(stated_row, attacker)
    return no_row_reason(stated_row) if row is None else (combatant_of(attacker), row)


def _duels(
    sides: Sequence[tuple[Combatant, Row | None] | str], enemies: Sequence[Combatant], ruleset: Ruleset
) -> list[RowResults]:
    """Return the results of each duel between levels of two units, or why it is impossible; `sides` act first."""
    pairs = [
        side if isinstance(side, str) else duel_between(side, enemy, ruleset) for side, enemy in product(sides, enemies)
    ]
    result: list[RowResults] = []
    same_rows: defaultdict[object, list[tuple[int, DuelScenario, Shooters]]] = defaultdict(list)
    for number, duel in enumerate(pairs):
        result.append(duel if isinstance(duel, str) else "")
        if not isinstance(duel, str):
            try:
                shooters = shooters_of(duel.a, duel.b, duel.terms, ruleset)
            except InputError as error:
                result[number] = error.problem
            else:
                rows = [[row.id for row in (*shooter.rows, *shooter.reaction_rows)] for shooter in shooters]
                same_rows[duel.terms.policy_a, duel.terms.policy_b, str(rows)].append((number, duel, shooters))
    for duels in same_rows.values():

        def program(index: int, duels: Sequence[tuple[int, DuelScenario, Shooters]] = duels) -> Program:
            _, duel, shooters = duels[index]
            setup, rounds = duel_program(shooters, duel.terms)
            return setup, [operation for part in rounds for operation in part], start_states(setup)

        ends = _distributions([(duel.a, duel.b) for _, duel, _ in duels], program, ruleset)
        for (number, duel, shooters), end in zip(duels, ends):
            result[number] = end if isinstance(end, str) else [end_of_duel(end, duel, duel_row(duel, shooters[0]))]
    return result


def duel_row(scenario: DuelScenario, shooter: Shooter | None = None) -> str | None:
    """Return the id of the row with which unit A's tactic shoots or charges; None without such a row."""
    unit, policy_a = scenario.a, scenario.terms.policy_a
    if policy_a == "charge":
        return unit.charge_row("a").id
    if policy_a not in SHOOTING:
        return None
    row = (shooter or Shooter(unit, scenario.b, policy_a, None, scenario.ruleset, "a")).main_row
    return None if row is None else row.id


def duel_between(
    side: tuple[Combatant, Row | None], enemy: Combatant, ruleset: Ruleset, *, best: bool = False
) -> DuelScenario | str:
    """Return the duel of a unit (the first to act) with an enemy, or the reason why it is impossible.

    `side` has the unit and the row that it must use, if any. With `best` both use best play, and no check is made here.
    """
    unit, stated_row = side
    if stated_row is not None:
        key = "row" if stated_row.kind == "ranged" else "close_quarters_row"
        unit = unit.model_copy(update={key: stated_row.id})
    if best:
        return DuelScenario(_duel_terms(BEST, BEST), unit, enemy, ruleset)
    for combatant in (unit, enemy):
        if combatant.aircraft:
            return f"{combatant.unit} is an aircraft, and flies sorties: no duel (AC-9.2)"
    tactics = default_tactic(unit, enemy, stated_row), default_tactic(enemy, unit)
    if stated_row is not None and tactics[0] == "take_cover":
        return f"{stated_row.id}: this row cannot attack {enemy.unit}"
    if tactics == ("take_cover", "take_cover"):
        return "neither unit can shoot at the other or charge it"
    return DuelScenario(_duel_terms(*tactics), unit, enemy, ruleset)


@lru_cache(maxsize=64)
def _duel_terms(policy_a: PolicyName, policy_b: PolicyName) -> DuelTerms:
    return DuelTerms(first="a", policy_a=policy_a, policy_b=policy_b)


def _best_duels(
    sides: Sequence[tuple[Combatant, Row | None] | str], enemies: Sequence[Combatant], ruleset: Ruleset
) -> list[RowResults]:
    """Return duels in which the attacker acts first, with best play by both sides."""
    result = list[RowResults]()
    for side, enemy in product(sides, enemies):
        scenario = side if isinstance(side, str) else duel_between(side, enemy, ruleset, best=True)
        stated_row = None if isinstance(side, str) or side[1] is None else side[1].id
        result.append(scenario if isinstance(scenario, str) else duel_with_best_play(scenario, stated_row))
    return result


def default_tactic(unit: Combatant, enemy: Combatant, stated_row: Row | None = None) -> PolicyName:
    """Return the first possible tactic of a unit in a compared duel: shoot, charge or take cover."""
    shots = rows_to_shoot_with(unit, enemy, "shoot")
    if shots if stated_row is None else stated_row in shots:
        return "shoot"
    if stated_row is not None and stated_row.kind == "ranged":
        return "take_cover"
    may_charge = not unit.garrisoned and policies_of_duels.why_not("charge", unit, enemy) is None
    return "charge" if may_charge else "take_cover"


FIGHTS: Mapping[str, Fight] = {
    "ranged": Fight(shoot, keywords.RANGED_ATTACK, fill_summaries, cost=10, interpreted_seconds=4e-3),
    "charge": Fight(
        partial(two_sided_cells, _charger, _charges),
        keywords.CLOSE_QUARTERS,
        propagate_program,
        cost=120,
        interpreted_seconds=8e-3,
        description="one close quarters combat, in which both sides strike; the results are the defender's",
    ),
    "duel": Fight(
        partial(two_sided_cells, _duellist, _duels, in_threads=True),
        keywords.DUEL,
        propagate_program,
        cost=1_200,
        interpreted_seconds=0.06,
        choosing_seconds=1e-3,
        description="a whole duel; the results are the defender's losses after the last round, P(attacker wins) and "
        "P(draw), by victory points",
        has_winner=True,
    ),
    "best-duel": Fight(
        partial(two_sided_cells, _duellist, _best_duels),
        keywords.DUEL,
        explore_graph,
        cost=120_000,
        interpreted_seconds=5.0,
        description="a whole duel with best play by both sides (docs/best-play.md); the figures are those of a duel",
        has_winner=True,
    ),
}
"""Kinds of fights by name, the `kind` of a situation."""


class Situation(Record):
    """A kind of fight and its conditions, the same for all pairs of a comparison.

    Attributes
    ----------
    name : str
        Name in tables: lower case, with hyphens.
    title : str
        Title for people. Default: the name.
    bonuses, penalties : tuple of str
        As in a scenario. ``short_range`` applies to rows that have a short range.
    distance : float or None
        Distance in inches, which decides for each row whether it is in range and in short range. Without a distance,
        every row is in long range, and short range is a bonus like the others.
    kind : str
        Kind of fight, a name of :data:`FIGHTS`. ``"ranged"`` is one attack under the conditions above. ``"charge"``
        (AC-8), ``"duel"`` and ``"best-duel"`` (six rounds, AC-9.2) have no such conditions.

    Examples
    --------
    >>> Situation(name="at-ten-inches", bonuses=("aiming",), distance=10).distance
    10.0
    """

    name: Slug
    title: Name = ""
    bonuses: tuple[BonusName, ...] = ()
    penalties: tuple[PenaltyName, ...] = ()
    distance: Inches | None = None
    kind: str = "ranged"

    _tuples = field_validator("bonuses", "penalties", mode="before")(as_tuple)

    @model_validator(mode="after")
    def _check_combination(self) -> Situation:
        if self.kind not in FIGHTS:
            raise ValueError(f"unknown kind {self.kind!r}{did_you_mean(self.kind, FIGHTS)}: {', '.join(FIGHTS)}")
        if self.distance is not None and "short_range" in self.bonuses:
            raise ValueError("a distance decides which rows are at short range: leave out the bonus short_range")
        if self.kind != "ranged" and (self.bonuses or self.penalties or self.distance is not None):
            raise ValueError(f"a {self.kind} has no bonuses, penalties or distance of a ranged attack")
        return self

    @property
    def fight(self) -> Fight:
        """Kind of fight."""
        return FIGHTS[self.kind]

    @property
    def heading(self) -> str:
        """The title, or the name with spaces."""
        return self.title or self.name.replace("-", " ")

    def attack(self, row: Row) -> Attack:
        """Return the attack with `row` in this situation, as in a scenario; an Indirect row has no short range."""
        has_short_range = row.short_range is not None and not row.has("Indirect")
        bonuses = tuple(bonus for bonus in self.bonuses if bonus != "short_range" or has_short_range)
        return Attack(bonuses=bonuses, penalties=self.penalties, distance=self.distance)


LONG_RANGE = Situation(name="long-range", title="long range, no bonus")
SHORT_RANGE_AIMED = Situation(
    name="short-range-aimed", title="aimed, at short range if the row has one", bonuses=("aiming", "short_range")
)
CHARGE = Situation(name="charge", title="charge, with the target's retaliation", kind="charge")
DUEL = Situation(
    name="duel", title="six rounds, the attacker first; each shoots if it can, else charges if it can", kind="duel"
)
BEST_DUEL = Situation(name="duel-best-play", title="six rounds, the attacker first; both play best", kind="best-duel")
DUEL_POLICIES = ("tactic", "best")
ALL_SITUATIONS = "all"
SITUATIONS: Mapping[str, Situation] = {one.name: one for one in (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE, DUEL)}
"""The situations that users can name."""
EXCHANGES = (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE)
"""Situations for prices and army lists: single actions, far apart and near."""


def situations_named(stated: str | Situation | Sequence[Situation | str]) -> tuple[Situation, ...]:
    """Return the distinct situations that `stated` names or contains; ``"all"`` stands for :data:`SITUATIONS`."""
    names = (*SITUATIONS, ALL_SITUATIONS)
    result: dict[str, Situation] = {}
    for item in one_or_several(stated, "situations", (str, Situation)):
        if not isinstance(item, Situation):
            check_choice(item, "situations", names)
        single = item if isinstance(item, Situation) else SITUATIONS.get(item)
        for situation in SITUATIONS.values() if single is None else [single]:
            if result.setdefault(situation.name, situation) != situation:
                raise InputError(f"two different situations are called {situation.name!r}", where="situations")
    if not result:
        raise InputError("no situation is given", where="situations", allowed=", ".join(names))
    return tuple(result.values())


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations; with policy ``best``, BEST_DUEL replaces the duel (InputError without a duel)."""
    check_choice(policy, "policy", DUEL_POLICIES)
    if policy != "best":
        return tuple(situations)
    if DUEL not in situations:
        problem = f"best play has nothing to choose in {', '.join(situation.name for situation in situations)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or situations that include {DUEL.name}")
    return tuple(BEST_DUEL if situation == DUEL else situation for situation in situations)


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence that names the situations without best play; empty if all or none have best play.

    >>> unchanged_note([CHARGE, BEST_DUEL])
    'Best play changes nothing in: charge (a single action without a choice).'
    """
    names = [situation.name for situation in situations if situation.kind != BEST_DUEL.kind]
    if len(names) in (0, len(situations)):
        return ""
    return f"Best play changes nothing in: {', '.join(names)} (a single action without a choice)."
