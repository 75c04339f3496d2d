"""Charges of some attackers at every defender: the whole close quarters combat (AC-8), and what the target suffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.comparisons.cells import Cells, Field, no_results
from analyser.comparisons.endings import summary
from analyser.comparisons.sides import rows_called
from analyser.engine.joint import exact_laws
from analyser.engine.law import Law
from analyser.engine.sweep import SUMMARY
from analyser.errors import InputError
from analyser.fights.charge import charge_program, charge_start
from analyser.fights.combatant import Combatant, resolve_combatant
from analyser.rows import best_of
from analyser.ruleset import Ruleset
from analyser.situations import Situation
from analyser.units import Loadout, Row

CLOSE_QUARTERS = ("melee", "impact")


class _Charges(NamedTuple):
    """The charges of one attacker, one row of each array for each of its rows."""

    rows: list[Row]
    summaries: NDArray[np.void]  # shape (rows, defenders)
    why: list[str]  # by defender: why none of them can be made


def charge(attackers: Sequence[Loadout], field: Field, _: Situation) -> Cells:
    """What each attacker does to each defender by a charge with its best row, or the one asked for.

    Both sides roll, so no number of dice is told.
    """
    shape = (len(attackers), len(field.defenders))
    figures = np.full(shape, np.nan).astype(SUMMARY)
    rows, dice, why = (np.full(shape, None, object) for _ in range(3))
    for place, attacker in enumerate(attackers):
        found = _charges_of(attacker, field)
        chosen = best_of(found.summaries)
        for column, row in enumerate(chosen):
            if row < 0:
                why[place, column] = found.why[column]
            else:
                figures[place, column] = found.summaries[row, column]
                rows[place, column] = found.rows[row].id
    return Cells(figures, rows, dice, why, no_results(shape))


def _charger(loadout: Loadout, row: str) -> Combatant:
    asked = Combatant(unit=loadout.selector, close_quarters_row=row)
    return resolve_combatant(asked, None, loadout.selector, loadout)


def _charges_of(attacker: Loadout, field: Field) -> _Charges:
    rows = [each for each in attacker.unit.rows if each.kind in CLOSE_QUARTERS]
    nothing = "it has no melee or impact row"
    if field.row is not None:
        called = rows_called(field.row, attacker)
        nothing = f"{called[0].id}: it is a {called[0].kind} row" if called else f"it has no row {field.row!r}"
        rows = [each for each in called if each.kind in CLOSE_QUARTERS]
    summaries = np.full((len(rows), len(field.combatants)), np.nan).astype(SUMMARY)
    why: list[list[str]] = [[] for _ in field.combatants]
    for place, row in enumerate(rows):
        charger = _charger(attacker, row.id)
        for column, target in enumerate(field.combatants):
            try:
                summaries[place, column] = summary(_law(charger, target, field.ruleset), target)
            except InputError as error:
                why[column].append(f"{row.id}: {error.problem}")
    return _Charges(rows, summaries, ["; ".join(reasons) or nothing for reasons in why])


def _law(charger: Combatant, target: Combatant, ruleset: Ruleset) -> Law:
    """The joint law of both units after the combat."""
    setup, operations = charge_program(charger, target)
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    return exact_laws(setup, [operations], charge_start(setup), die, deck)[0]
