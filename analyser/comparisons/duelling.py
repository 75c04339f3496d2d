"""Duels of some attackers with every defender (AC-9.2): six rounds, and who has won by victory points (AC-9.4)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.comparisons.cells import Cells, Field, no_results
from analyser.comparisons.endings import side_of, summary
from analyser.comparisons.sides import rows_called
from analyser.engine.joint import exact_laws, start_states
from analyser.engine.law import Law
from analyser.engine.sweep import SUMMARY
from analyser.errors import InputError
from analyser.fights.combatant import Combatant, charge_row, check_can_be_charged
from analyser.fights.duel import DuelTerms, PolicyName, Shooter, duel_program
from analyser.fights.endings import endings_of, points_won
from analyser.fights.strikes import quality_names
from analyser.ruleset import Ruleset
from analyser.situations import Situation
from analyser.units import Loadout, Row


class _Duel(NamedTuple):
    """What one duel came to: the row of the attacker, the figures, the chances that it wins and that nobody does."""

    row: str | None
    figures: np.void
    results: tuple[float, float]


def duel(attackers: Sequence[Loadout], field: Field, _: Situation) -> Cells:
    """What each attacker does to each defender in a duel that it begins, with its best row or the one asked for.

    Each side shoots if it has a row for that, else charges if it may, else takes cover. Both roll, so no number of
    dice is told.
    """
    shape = (len(attackers), len(field.defenders))
    figures = np.full(shape, np.nan).astype(SUMMARY)
    rows, dice, why = (np.full(shape, None, object) for _ in range(3))
    results = no_results(shape)
    for place, attacker in enumerate(attackers):
        for column, found in enumerate(_duels_of(attacker, field)):
            if isinstance(found, _Duel):
                rows[place, column], figures[place, column], results[place, column] = found
            else:
                why[place, column] = found
    return Cells(figures, rows, dice, why, results)


def _duels_of(attacker: Loadout, field: Field) -> list[_Duel | str]:
    """The duels of one attacker, by defender; where there is none, why."""
    mine = side_of(attacker)
    asked: Row | None = None
    if field.row is not None:
        called = rows_called(field.row, attacker)
        if not called:
            return [f"it has no row {field.row!r}"] * len(field.defenders)
        asked = called[0]

    def fought(theirs: Combatant) -> _Duel | str:
        return _fought(mine, theirs, asked, field.ruleset)

    with ThreadPoolExecutor(field.threads) as pool:  # the kernel lets go of the interpreter
        return list(pool.map(fought, field.combatants))


def _fought(mine: Combatant, theirs: Combatant, asked: Row | None, ruleset: Ruleset) -> _Duel | str:
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
    law = _law(mine, theirs, policies, ruleset)
    return _Duel(None if row is None else row.id, summary(law, theirs), _results(law, mine, theirs))


def policy(mine: Combatant, theirs: Combatant, asked: Row | None = None) -> PolicyName:
    """What a unit does in a duel of a comparison: shoot if it can, else charge if it may, else take cover.

    Parameters
    ----------
    mine, theirs : Combatant
        Resolved.
    asked : Row, optional
        The one row that it is to use.
    """
    rows = (mine.rows or ()) if asked is None else (asked,)
    shots = (each for each in rows if each.kind == "ranged" and theirs.category in each.against)
    if any("Reactive" not in quality_names(each) for each in shots):  # a Reactive row is for lookout alone (AC-6)
        return "shoot"
    if asked is not None and asked.kind == "ranged":
        return "take_cover"
    try:
        charge_row(mine, "a")
        check_can_be_charged(theirs, "b")
    except InputError:
        return "take_cover"
    return "charge"


def _row(mine: Combatant, theirs: Combatant, chosen: PolicyName, ruleset: Ruleset) -> Row | None:
    if chosen == "shoot":
        return Shooter(mine, theirs, chosen, None, ruleset, "a").main
    return charge_row(mine, "a") if chosen == "charge" else None


def _law(mine: Combatant, theirs: Combatant, policies: tuple[PolicyName, PolicyName], ruleset: Ruleset) -> Law:
    """The joint law of both units after the last round."""
    terms = DuelTerms(first="a", policy_a=policies[0], policy_b=policies[1])
    setup, rounds = duel_program(mine, theirs, terms, ruleset)
    operations = [operation for each in rounds for operation in each]
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    return exact_laws(setup, [operations], start_states(setup), die, deck)[-1]


def _results(law: Law, mine: Combatant, theirs: Combatant) -> tuple[float, float]:
    """The chances that the attacker has won more victory points, and that both have as many."""
    ending = endings_of(*law)
    won = points_won(ending.first, ending.second, mine, theirs)
    lost = points_won(ending.second, ending.first, theirs, mine)
    chances: NDArray[np.float64] = ending.weights
    return float(chances[won > lost].sum()), float(chances[won == lost].sum())
