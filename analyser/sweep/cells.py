"""Exact cells of a slice. Ranged attacks are built as arrays, and each distinct one is computed once.

A varied number of a defender is a field of its record, so a million varied defenders are a few arrays. The tests
compare them with attacks on changed profiles.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TARGET_STATE, Field, expect
from analyser.analysis.situations import shots_of
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.records import Integers
from analyser.engine.attack.deduplicated import Once, each_once
from analyser.engine.attack.sweep import SUMMARY
from analyser.game.units import Loadout
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET
from analyser.scenarios.attack import RANKED_BY, attacks_by, target_record
from analyser.scenarios.resolve import resolve_target
from analyser.sweep.plan import OF_TARGETS, Block, Plan


class _Rows(NamedTuple):
    """Shots of the attackers of a slice; attacker i has the shots from ``firsts[i]`` up to ``firsts[i + 1]``."""

    attacks: NDArray[np.void]
    possible: NDArray[np.bool_]  # (shots, categories)
    words: list[str]  # row of each shot
    firsts: Integers
    why_not: Codes  # (attackers, categories): reason if no shot is possible


class _Columns(NamedTuple):
    """Distinct defenders of a slice, and for each column its index among them, or the reason why there is none."""

    targets: NDArray[np.void]
    which: NDArray[np.int32]
    why_not: Codes
    words: list[str]  # texts of the reasons


def shot_cells(plan: Plan, block: Block) -> Cells:
    """Return the cells of a slice: each attacker shoots once with its best row."""
    ruleset = plan.rulesets[block.ruleset]
    reason_words, row_words = Words(), Words()
    rows = _rows(plan, block, reason_words)
    columns = _columns(plan, block.columns)
    faces, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    once = each_once(attacks_by(ruleset, rows.attacks), columns.targets, rows.possible, faces, deck)
    pmfs, shots = _best_shots(once, rows.firsts)
    which, can = columns.which, columns.why_not < 0
    why_not = reason_words.codes([*columns.words, None])[columns.why_not]
    codes = row_words.codes([*rows.words, None])  # None: the row of shot -1
    used = np.where(can, codes[shots][:, which], -1).astype(np.int32)
    none = rows.why_not[:, columns.targets["category"]][:, which]
    reasons = np.where(can, np.where(used < 0, none, -1), why_not[None, :]).astype(np.int32)
    figures = _figures(plan, once, np.where(can, pmfs[:, which], -1).ravel())
    return Cells(figures, used.ravel(), row_words, reasons.ravel(), reason_words)


def _best_shots(once: Once, firsts: Integers) -> tuple[Codes, Codes]:
    """Return the best shot of each attacker at each target, and its fight; -1 if there is none.

    The figures of :data:`RANKED_BY` decide in turn, and the first of equal shots wins.
    """
    shape = len(firsts) - 1, once.which.shape[1]
    pmfs, shots = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    for best, its, first, last in zip(pmfs, shots, firsts, firsts[1:]):
        for shot in range(first, last):
            pmf, is_better = once.which[shot], np.zeros(shape[1], np.bool_)
            is_open = (pmf >= 0) & (best >= 0)
            for name in RANKED_BY if is_open.any() else ():
                ahead = once.summaries[name][pmf] - once.summaries[name][best]
                is_better |= is_open & (ahead > CERTAIN_WITHIN)
                is_open &= np.abs(ahead) <= CERTAIN_WITHIN
            is_better |= (pmf >= 0) & (best < 0)
            best[is_better], its[is_better] = pmf[is_better], shot
    return pmfs, shots


def _figures(plan: Plan, once: Once, pmfs: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    figures = {}
    for name in plan.file.fought:
        values = once.summaries[name] if name in (SUMMARY.names or ()) else np.full(len(once.summaries), np.nan)
        figures[name] = np.append(values, np.nan)[pmfs]
    return figures


def _rows(plan: Plan, block: Block, words: Words) -> _Rows:
    attacks, possible, names, firsts, reasons = [], [], [], [0], []
    for place in block.rows:
        attacker = variant(plan, block.faction, place)
        if isinstance(attacker, str):
            reasons.append([words.code(attacker)] * len(CATEGORIES))
        else:
            shots, why_not = shots_of(place, attacker, block.situation, None)
            can_be_shot = [any(shot.reasons[at] is None for shot in shots) for at in range(len(CATEGORIES))]
            reasons.append([-1 if can else words.code(why) for can, why in zip(can_be_shot, why_not)])
            attacks += [shot.facts for shot in shots]
            possible += [[reason is None for reason in shot.reasons] for shot in shots]
            names += [shot.row.id for shot in shots]
        firsts.append(len(names))
    can = np.array(possible, np.bool_).reshape(-1, len(CATEGORIES))
    return _Rows(np.array(attacks, ATTACK), can, names, np.array(firsts, np.int64), np.array(reasons, np.int32))


@lru_cache(maxsize=2)  # successive parts have the same columns
def _columns(plan: Plan, columns: range) -> _Columns:
    words, numbers = Words(), plan.file.defenders.numbers
    defenders, values = plan.axis(None, columns)
    first = defenders[0]
    bases = np.array([_target(plan, first + at) for at in range(defenders[-1] - first + 1)], TARGET)
    for number in numbers:
        if number.key in OF_TARGETS and not number.is_added:
            bases[number.key] = 0  # overwritten below, so it need not tell defenders apart
    _, places, classes = np.unique(
        bases.view(np.int64).reshape(len(bases), -1), axis=0, return_index=True, return_inverse=True
    )
    shape = len(places), *(len(number.values) for number in numbers)
    combined = np.ravel_multi_index((classes.ravel()[defenders - first], *values), shape)
    distinct, which = np.unique(combined, return_inverse=True)
    of, *at = np.unravel_index(distinct, shape)
    targets, why_not = bases[places][of], np.full(len(columns), -1, np.int32)
    for number, value, place in zip(numbers, values, at):
        if number.key in OF_TARGETS:
            changed = np.array(number.values, np.int64)[place]
            targets[number.key] = targets[number.key] * number.is_added + changed
        problems = (_problems(plan, first + place, number.key) for place in range(len(bases)))
        reasons = np.array([words.codes(texts) for texts in problems], np.int32)
        why_not = np.where(why_not < 0, reasons[defenders - first, value], why_not)
    return _Columns(targets, which.astype(np.int32), why_not, words.words)


@lru_cache(maxsize=4096)
def _target(plan: Plan, defender: int) -> Any:
    return target_record(resolve_target(TARGET_STATE, plan.defenders[defender]))


@lru_cache(maxsize=8192)
def _problems(plan: Plan, defender: int, key: str) -> tuple[str | None, ...]:
    """Return, for each value of a number, the reason why a defender cannot have it, or None."""
    number = next(number for number in plan.file.defenders.numbers if number.key == key)
    problems: list[str | None] = []
    for at in range(len(number.values)):
        changes: Any = {key: number.change(at)}
        try:
            plan.defenders[defender].with_(**changes)
            problems.append(None)
        except InputError as error:
            problems.append(str(error))
    return tuple(problems)


_MEMOISED = 2_000  # changed loadouts, some 20 kB each
Codes = NDArray[np.int32]


class Words:
    """Numbering of words in the order of their first use; None is -1."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: -1}

    def code(self, word: str | None) -> int:
        """Return the number of a word."""
        return self._numbers.setdefault(word, len(self._numbers) - 1)

    def codes(self, words: Iterable[str | None]) -> Codes:
        """Return the numbers of several words."""
        return np.array([self.code(word) for word in words], np.int32)

    @property
    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return [word for word in self._numbers if word is not None]


class Cells(NamedTuple):
    """Cells of a slice, row by row: figures by name; rows used and reasons for missing figures as numbers of words."""

    figures: dict[str, NDArray[np.float64]]
    rows: Codes
    row_words: Words
    reasons: Codes
    reason_words: Words


@lru_cache(maxsize=_MEMOISED)
def variant(plan: Plan, faction: str | None, place: int) -> Loadout | str:
    """Return the loadout of a row of a faction, or of a column (`faction` None); or the reason why there is none."""
    side, loadouts = plan.side(faction)
    (which,), values = plan.axis(faction, range(place, place + 1))
    loadout: Loadout = loadouts[which]
    changes: dict[str, Any] = {number.key: number.change(at) for number, (at,) in zip(side.numbers, values)}
    try:
        return loadout.with_(**changes) if changes else loadout
    except InputError as error:
        return str(error)


def fought_cells(plan: Plan, block: Block) -> Cells:
    """Return the exact cells of a slice of charges or duels."""
    sides = [_side(plan, block.faction, block.rows), _side(plan, None, block.columns)]
    shape = len(sides[0]), len(sides[1])
    figures = {name: np.full(shape, np.nan) for name in plan.file.fought}
    row_words, reason_words = Words(), Words()
    rows = np.full(shape, -1, np.int32)
    ours, theirs = (reason_words.codes(unit if isinstance(unit, str) else None for unit in side) for side in sides)
    reasons = np.maximum(ours[:, None], theirs[None, :])
    able = [[at for at, unit in enumerate(side) if isinstance(unit, Loadout)] for side in sides]
    if all(able):
        attackers = [unit for unit in sides[0] if isinstance(unit, Loadout)]
        fight, field = block.situation.fight, _field(plan, block.ruleset, block.columns)
        expect([(fight, len(attackers) * len(field.defenders))])
        cells = fight.cells(attackers, field, block.situation)
        at = np.ix_(*able)
        for name, values in figures.items():
            values[at] = cells[name]
        rows[at] = row_words.codes(cells["row"].ravel()).reshape(cells.shape)
        reasons[at] = reason_words.codes(cells["why_not"].ravel()).reshape(cells.shape)
    flat = {name: values.ravel() for name, values in figures.items()}
    return Cells(flat, rows.ravel(), row_words, reasons.ravel(), reason_words)


def _side(plan: Plan, faction: str | None, places: range) -> list[Loadout | str]:
    return [variant(plan, faction, place) for place in places]


@lru_cache(maxsize=2)  # successive parts have the same defenders
def _field(plan: Plan, ruleset: str, columns: range) -> Field:
    defenders = (unit for unit in _side(plan, None, columns) if isinstance(unit, Loadout))
    return Field(tuple(defenders), plan.rulesets[ruleset], None, 1)
