"""Charges of some attackers at every defender: the whole close quarters combat (AC-8), and what the target suffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.comparisons.cells import Cells, Field
from analyser.comparisons.sides import rows_called
from analyser.engine.joint import Law, exact_laws
from analyser.engine.sweep import HIGH, LOW, SUMMARY, percentile
from analyser.errors import InputError
from analyser.fights.charge import charge_program, charge_start
from analyser.fights.combatant import Combatant, resolve_combatant
from analyser.rows import best_of
from analyser.rules.armoured_clash import morale, unit_state
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
    targets = [_combatant(each, from_front=True) for each in field.defenders]
    shape = (len(attackers), len(targets))
    figures = np.full(shape, np.nan).astype(SUMMARY)
    rows, dice, why = (np.full(shape, None, object) for _ in range(3))
    for place, attacker in enumerate(attackers):
        found = _charges_of(attacker, targets, field)
        chosen = best_of(found.summaries)
        for column, row in enumerate(chosen):
            if row < 0:
                why[place, column] = found.why[column]
            else:
                figures[place, column] = found.summaries[row, column]
                rows[place, column] = found.rows[row].id
    return Cells(figures, rows, dice, why)


def _combatant(loadout: Loadout, *, row: str | None = None, from_front: bool = False) -> Combatant:
    asked = Combatant(unit=loadout.selector, close_quarters_row=row, from_front=from_front)
    return resolve_combatant(asked, None, loadout.selector, loadout)


def _charges_of(attacker: Loadout, targets: Sequence[Combatant], field: Field) -> _Charges:
    rows = [each for each in attacker.unit.rows if each.kind in CLOSE_QUARTERS]
    nothing = "it has no melee or impact row"
    if field.row is not None:
        called = rows_called(field.row, attacker)
        nothing = f"{called[0].id}: it is a {called[0].kind} row" if called else f"it has no row {field.row!r}"
        rows = [each for each in called if each.kind in CLOSE_QUARTERS]
    summaries = np.full((len(rows), len(targets)), np.nan).astype(SUMMARY)
    why: list[list[str]] = [[] for _ in targets]
    for place, row in enumerate(rows):
        charger = _combatant(attacker, row=row.id)
        for column, target in enumerate(targets):
            try:
                summaries[place, column] = _summary(_law(charger, target, field.ruleset), target)
            except InputError as error:
                why[column].append(f"{row.id}: {error.problem}")
    return _Charges(rows, summaries, ["; ".join(reasons) or nothing for reasons in why])


def _law(charger: Combatant, target: Combatant, ruleset: Ruleset) -> Law:
    """The joint law of both units after the combat."""
    setup, operations = charge_program(charger, target)
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    return exact_laws(setup, [operations], charge_start(setup), die, deck)[0]


def _summary(law: Law, target: Combatant) -> np.void:
    """The figures of the target: one record of SUMMARY."""
    words, chances = law.second, law.chances.sum(axis=0)
    models, limit = target.models or 0, target.damage_limit or 1
    fates = [_lost(word, models) for word in words.tolist()]
    destroyed = np.array([lost for lost, _ in fates])
    damage = destroyed * limit + np.array([left for _, left in fates])
    counts: NDArray[np.float64] = np.zeros(models + 1)
    np.add.at(counts, destroyed, chances)
    found: np.void = np.zeros(1, SUMMARY)[0]
    found["mean_models_destroyed"] = chances @ destroyed
    found["p_any_destroyed"] = counts[1:].sum()
    found["p_half_destroyed"] = counts[(models + 1) // 2 :].sum()
    for name, bit in _BITS.items():
        found[name] = chances[(words & bit) != 0].sum()
    found["models_destroyed_10th_percentile"] = percentile(counts, LOW)
    found["models_destroyed_90th_percentile"] = percentile(counts, HIGH)
    found["mean_damage"] = chances @ damage
    return found


def _lost(word: int, models: int) -> tuple[int, int]:
    """Models that the target has lost, and the damage left on it."""
    if unit_state.is_removed(word):
        return unit_state.lost_of(word), 0
    return models - unit_state.models_of(word), unit_state.damage_of(word)


_BITS = {
    "p_suppressed": morale.SUPPRESSED,
    "p_broken": morale.BROKEN,
    "p_fled": morale.FLED,
    "p_annihilated": morale.ANNIHILATED,
}
