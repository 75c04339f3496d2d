"""The kinds of situations: what some attackers do to every defender by shooting, by charging, or in a duel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import Field, Fight, Fought, blank_cells, fought_cells, side_of, summary
from analyser.analysis.selection import no_row, rows_called
from analyser.common.errors import InputError
from analyser.engine.attack.sweep import SUMMARY, sweep, sweep_row
from analyser.engine.fight.exact.distribution import Joint
from analyser.engine.fight.exact.propagate import run, start_states
from analyser.game import keywords
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.results.states import exact_laws_of, points_won
from analyser.rules.attack import attack_dice
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET, AttackFacts
from analyser.scenarios import policies as policies_of_duels
from analyser.scenarios.attack import attack_record, best_of, target_record
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import bits_of_wins, duel_program
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Combatant, DuelTerms, PolicyName, Target

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

ROWS_TO_CHARGE_WITH = ("melee", "impact")
_Policies = tuple[PolicyName, PolicyName]
_ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": each}) for each in CATEGORIES)


class _Shot(NamedTuple):
    """One row of one attacker, by its place among them, and by target category why it cannot be fired."""

    attacker: int
    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]


def shoot(attackers: Sequence[Loadout], field: Field, situation: Situation) -> NDArray[np.void]:
    """What each attacker does to each defender by one ranged attack with its best row, or the one asked for."""
    categories = np.array([CATEGORIES.index(each.category or "light") for each in field.targets])
    cells = blank_cells(len(attackers), len(field.targets))
    shots: list[_Shot] = []
    for place, attacker in enumerate(attackers):
        found, reasons = _shots_of(place, attacker, situation, field.row)
        shots += found
        cells["why_not"][place] = np.array(reasons, object)[categories]
    targets = [target_record(target) for target in field.targets]
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    summaries = sweep(
        np.array([shot.facts for shot in shots], ATTACK),
        np.array(targets, TARGET),
        possible.reshape(-1, len(CATEGORIES))[:, categories],
        np.array(field.ruleset.die.faces, np.int64),
        field.ruleset.deck.counts(),
        threads=field.threads,
    )
    one_of = dict(zip(categories.tolist(), targets))  # the category decides about the dice (Shock, Wreckers)
    for place in dict.fromkeys(shot.attacker for shot in shots):
        mine = np.array([number for number, shot in enumerate(shots) if shot.attacker == place])
        best = best_of(summaries[mine])
        for row, number in enumerate(mine):
            able = np.flatnonzero(best == row)
            cells[list(SUMMARY.names or ())][place, able] = summaries[number, able]
            cells["row"][place, able], cells["why_not"][place, able] = shots[number].row.id, None
            dice = {category: attack_dice(shots[number].facts, target) for category, target in one_of.items()}
            cells["dice"][place, able] = [dice[category] for category in categories[able].tolist()]
    return cells


def _shots_of(
    place: int, attacker: Loadout, situation: Situation, asked: str | None
) -> tuple[list[_Shot], tuple[str, ...]]:
    """The shots of one attacker; by category why none of them can be made."""
    rows = [each for each in attacker.unit.rows if each.kind == "ranged"]
    rows = rows if asked is None else rows_called(asked, attacker)
    shots = []
    why: list[list[str]] = [[] for _ in CATEGORIES]
    for row in rows:
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in _ONE_OF_EACH_CATEGORY]
        for category, reason in zip(why, reasons):
            category.append(f"{row.id}: {reason}")
        if None in reasons:
            facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
            shots.append(_Shot(place, row, facts, tuple(reasons)))
    return shots, tuple("; ".join(each) or no_row(asked, "ranged") for each in why)


def charge(attackers: Sequence[Loadout], field: Field, _: Situation) -> NDArray[np.void]:
    """What each attacker does to each defender by a charge with its best row, or the one asked for."""
    return fought_cells([_ways_to_charge(each, field.row) for each in attackers], field, _charged)


def _ways_to_charge(attacker: Loadout, asked: str | None) -> dict[str, Combatant] | str:
    """The attacker by each row that it can charge with; without any: why."""
    rows = attacker.unit.rows if asked is None else rows_called(asked, attacker)
    fitting = [row.id for row in rows if row.kind in ROWS_TO_CHARGE_WITH]
    if fitting:
        return {row: side_of(attacker, close_quarters_row=row) for row in fitting}
    return f"{rows[0].id}: it is a {rows[0].kind} row" if asked and rows else no_row(asked, "melee or impact")


def _charged(ways: dict[str, Combatant], target: Combatant, ruleset: Ruleset) -> Fought | str:
    found: dict[str, np.void] = {}
    reasons = []
    for row, attacker in ways.items():
        try:
            setup, operations = charge_program(attacker, target)
            (distribution,) = exact_laws_of(setup, [operations], charge_start(setup), ruleset)
            found[row] = summary(distribution, target)
        except InputError as error:
            reasons.append(f"{row}: {error.problem}")
    if not found:
        return "; ".join(reasons)
    best = 0 if len(found) == 1 else int(best_of(np.array([[each] for each in found.values()], SUMMARY))[0])
    return Fought(*list(found.items())[best])


def duel(attackers: Sequence[Loadout], field: Field, _: Situation) -> NDArray[np.void]:
    """What each attacker does to each defender in a duel that it begins, with its best row or the one asked for.

    Each side shoots if it has a row for that, else charges if it may, else takes cover.
    """
    return fought_cells([_side(each, field.row) for each in attackers], field, _duelled)


def _side(attacker: Loadout, asked: str | None) -> tuple[Combatant, Row | None] | str:
    """An attacker and the row that it is to use; or why there is none."""
    if asked is None:
        return side_of(attacker), None
    rows = rows_called(asked, attacker)
    return (side_of(attacker), rows[0]) if rows else no_row(asked)


def _duelled(side: tuple[Combatant, Row | None], theirs: Combatant, ruleset: Ruleset) -> Fought | str:
    mine, asked = side
    for each in (mine, theirs):
        if each.aircraft:
            return f"{each.unit} is an aircraft, and flies sorties: no duel (AC-9.2)"
    if asked is not None:
        which = "row" if asked.kind == "ranged" else "close_quarters_row"
        mine = mine.model_copy(update={which: asked.id})
    policies = policy(mine, theirs, asked), policy(theirs, mine)
    if asked is not None and policies[0] == "take_cover":
        return f"{asked.id}: it is no row to shoot at or charge {theirs.unit} with"
    if policies == ("take_cover", "take_cover"):
        return "neither unit can shoot at the other or charge it"
    row = None
    if policies[0] == "shoot":
        row = Shooter(mine, theirs, "shoot", None, ruleset, "a").main
        mine = mine if row is None else mine.model_copy(update={"row": row.id})
    elif policies[0] == "charge":
        row = mine.charge_row("a")
    try:
        setup, rounds = duel_program(mine, theirs, _terms(policies), ruleset)
        operations = [operation for each in rounds for operation in each]
        found = exact_laws_of(setup, [operations], start_states(setup), ruleset)[-1]
    except InputError as error:
        return error.problem
    results = _results(found, mine, theirs, _terms(policies))
    return Fought(None if row is None else row.id, summary(found, theirs), results)


def policy(mine: Combatant, theirs: Combatant, asked: Row | None = None) -> PolicyName:
    """What a unit does in a duel of a comparison: shoot if it can, else charge if it may, else take cover.

    `asked` is the one row that it is to use.
    """
    shots = rows_to_shoot_with(mine, theirs, "shoot")
    if shots if asked is None else asked in shots:
        return "shoot"
    if asked is not None and asked.kind == "ranged":
        return "take_cover"
    return "charge" if policies_of_duels.why_not("charge", mine, theirs) is None else "take_cover"


@lru_cache
def _terms(policies: _Policies) -> DuelTerms:
    return DuelTerms(first="a", policy_a=policies[0], policy_b=policies[1])


def _results(both: Joint, mine: Combatant, theirs: Combatant, terms: DuelTerms) -> tuple[float, float]:
    """The probabilities that the attacker has won more victory points (AC-9.4), and that both have as many."""
    first, second = both.first[:, None], both.second[None, :]
    won = points_won(first, second, mine, theirs, bits_of_wins(mine, theirs, terms, 0))
    lost = points_won(second, first, theirs, mine, bits_of_wins(theirs, mine, terms, 1))
    return float(both.probabilities[won > lost].sum()), float(both.probabilities[won == lost].sum())


FIGHTS: Mapping[str, Fight] = {
    "ranged": Fight(shoot, keywords.RANGED_ATTACK, sweep_row, cost=10, interpreted=1e-3),
    "charge": Fight(
        charge,
        keywords.CLOSE_QUARTERS,
        run,
        cost=180,
        interpreted=2e-3,
        how="one close quarters combat, both sides striking; the figures are of the defender",
    ),
    "duel": Fight(
        duel,
        keywords.DUEL,
        run,
        cost=1_200,
        interpreted=0.06,
        how="a whole duel; the figures are of the defender after the last round, and the probabilities that the "
        "attacker wins and that nobody does, by victory points",
        has_winner=True,
    ),
}
"""The kinds of situations by name. Another one is a function and an entry here."""
