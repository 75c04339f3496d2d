"""Charges of some attackers at every defender: the whole close quarters combat (AC-8), and what the target suffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analyser.analysis.grid import Cells, Field, Fight, Fought, fought_cells, summary
from analyser.analysis.selection import rows_called
from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.engine.attack.sweep import SUMMARY
from analyser.game import keywords
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results.states import exact_laws_of
from analyser.scenarios.best_row import best_of
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.resolve import resolve_combatant
from analyser.scenarios.schema import Combatant

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

ROWS_TO_CHARGE_WITH = ("melee", "impact")


class _Charger(NamedTuple):
    """An attacker with each row that it can charge with; without any: why."""

    ways: dict[str, Combatant]
    nothing: str


def charge(attackers: Sequence[Loadout], field: Field, _: Situation) -> Cells:
    """What each attacker does to each defender by a charge with its best row, or the one asked for."""

    def charged(charger: _Charger, target: Combatant) -> Fought | str:
        return _charged(charger, target, field.ruleset)

    return fought_cells([_charger(each, field.row) for each in attackers], field, charged)


def _charger(attacker: Loadout, asked: str | None) -> _Charger:
    rows = attacker.unit.rows if asked is None else rows_called(asked, attacker)
    nothing = "it has no melee or impact row"
    if asked is not None:
        nothing = f"{rows[0].id}: it is a {rows[0].kind} row" if rows else f"it has no row {asked!r}"
    known = {"unit": attacker.selector}
    ways = {
        row.id: checked(Combatant, {**known, "close_quarters_row": row.id}, where=attacker.selector)
        for row in rows
        if row.kind in ROWS_TO_CHARGE_WITH
    }
    return _Charger(
        {row: resolve_combatant(each, None, attacker.selector, attacker) for row, each in ways.items()}, nothing
    )


def _charged(charger: _Charger, target: Combatant, ruleset: Ruleset) -> Fought | str:
    found: dict[str, np.void] = {}
    reasons = []
    for row, attacker in charger.ways.items():
        try:
            setup, operations = charge_program(attacker, target)
            (law,) = exact_laws_of(setup, [operations], charge_start(setup), ruleset)
            found[row] = summary(law, target)
        except InputError as error:
            reasons.append(f"{row}: {error.problem}")
    if not found:
        return "; ".join(reasons) or charger.nothing
    rows = list(found)
    best = 0 if len(rows) == 1 else int(best_of(np.array([[each] for each in found.values()], SUMMARY))[0])
    return Fought(rows[best], found[rows[best]])


FIGHT = Fight(
    charge,
    keywords.CLOSE_QUARTERS,
    cost=180,
    how="one close quarters combat, both sides striking; the figures are of the defender",
)
