"""Duels of some attackers with every defender (AC-9.2): six rounds, and who has won by victory points (AC-9.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from analyser.analysis.grid import Cells, Field, Fight, Fought, fought_cells, side_of, summary
from analyser.analysis.selection import rows_called
from analyser.common.errors import InputError
from analyser.engine.fight.exact.distribution import Joint
from analyser.engine.fight.exact.propagate import start_states
from analyser.game import keywords
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.results.states import exact_laws_of, points_won
from analyser.scenarios.combatant import charge_row
from analyser.scenarios.duel import bits_of_wins, duel_program
from analyser.scenarios.policies import Shooter, rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, DuelTerms, PolicyName

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation


def duel(attackers: Sequence[Loadout], field: Field, _: Situation) -> Cells:
    """What each attacker does to each defender in a duel that it begins, with its best row or the one asked for.

    Each side shoots if it has a row for that, else charges if it may, else takes cover.
    """

    def fought(mine: _Side, theirs: Combatant) -> Fought | str:
        return mine if isinstance(mine, str) else _fought(*mine, theirs, field.ruleset)

    return fought_cells([_side(each, field.row) for each in attackers], field, fought)


_Side = tuple[Combatant, Row | None] | str  # an attacker and the row that it is to use; or why there is none


def _side(attacker: Loadout, asked: str | None) -> _Side:
    if asked is None:
        return side_of(attacker), None
    called = rows_called(asked, attacker)
    return (side_of(attacker), called[0]) if called else f"it has no row {asked!r}"


def _fought(mine: Combatant, asked: Row | None, theirs: Combatant, ruleset: Ruleset) -> Fought | str:
    for side in (mine, theirs):
        if side.aircraft:
            return f"{side.unit} is an aircraft, and flies sorties: no duel (AC-9.2)"
    if asked is not None:
        which = "row" if asked.kind == "ranged" else "close_quarters_row"
        mine = mine.model_copy(update={which: asked.id})
    policies = policy(mine, theirs, asked), policy(theirs, mine)
    if asked is not None and policies[0] == "take_cover":
        return f"{asked.id}: it is no row to shoot at or charge {theirs.unit} with"
    if policies == ("take_cover", "take_cover"):
        return "neither unit can shoot at the other or charge it"
    row = _row(mine, theirs, policies[0], ruleset)
    if policies[0] == "shoot" and row is not None:
        mine = mine.model_copy(update={"row": row.id})
    try:
        found = _distribution(mine, theirs, policies, ruleset)
    except InputError as error:
        return error.problem
    return Fought(
        None if row is None else row.id, summary(found, theirs), _results(found, mine, theirs, _terms(policies))
    )


def policy(mine: Combatant, theirs: Combatant, asked: Row | None = None) -> PolicyName:
    """What a unit does in a duel of a comparison: shoot if it can, else charge if it may, else take cover.

    Parameters
    ----------
    mine, theirs : Combatant
        Resolved.
    asked : Row, optional
        The one row that it is to use.
    """
    shots = rows_to_shoot_with(mine, theirs, "shoot")
    if shots if asked is None else asked in shots:
        return "shoot"
    if asked is not None and asked.kind == "ranged":
        return "take_cover"
    return "charge" if why_not("charge", mine, theirs) is None else "take_cover"


def _row(mine: Combatant, theirs: Combatant, chosen: PolicyName, ruleset: Ruleset) -> Row | None:
    if chosen == "shoot":
        return Shooter(mine, theirs, chosen, None, ruleset, "a").main
    return charge_row(mine, "a") if chosen == "charge" else None


def _distribution(
    mine: Combatant, theirs: Combatant, policies: tuple[PolicyName, PolicyName], ruleset: Ruleset
) -> Joint:
    """The joint distribution of both units after the last round."""
    setup, rounds = duel_program(mine, theirs, _terms(policies), ruleset)
    operations = [operation for each in rounds for operation in each]
    return exact_laws_of(setup, [operations], start_states(setup), ruleset)[-1]


@lru_cache
def _terms(policies: tuple[PolicyName, PolicyName]) -> DuelTerms:
    return DuelTerms(first="a", policy_a=policies[0], policy_b=policies[1])


def _results(both: Joint, mine: Combatant, theirs: Combatant, terms: DuelTerms) -> tuple[float, float]:
    """The probabilities that the attacker has won more victory points, and that both have as many."""
    first, second = both.first[:, None], both.second[None, :]
    won = points_won(first, second, mine, theirs, bits_of_wins(mine, theirs, terms, 0))
    lost = points_won(second, first, theirs, mine, bits_of_wins(theirs, mine, terms, 1))
    return float(both.probabilities[won > lost].sum()), float(both.probabilities[won == lost].sum())


FIGHT = Fight(
    duel,
    keywords.DUEL,
    cost=1_200,
    how="a whole duel; the figures are of the defender after the last round, and the probabilities that the attacker "
    "wins and that nobody does, by victory points",
    has_winner=True,
)
