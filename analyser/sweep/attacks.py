"""Cells of ranged attacks: records made by array, each fight worked out once, cells looked up.

A number of a defender is a field of its record, so that a million defenders with changed numbers are a few arrays; that
it is the attack on a defender whose profile says so is what the tests compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import TARGET_STATE
from analyser.analysis.situations import shots_of
from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.records import Integers
from analyser.engine.attack.once import Once, each_once
from analyser.engine.attack.sweep import SUMMARY
from analyser.game.units import Loadout
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET
from analyser.scenarios.attack import RANKED_BY, target_record
from analyser.scenarios.resolve import resolve_target
from analyser.sweep.best_shots import best_shots
from analyser.sweep.found import Codes, Found, Words, variant
from analyser.sweep.plan import OF_TARGETS, Block, Plan
from analyser.sweep.schema import Number


class _Rows(NamedTuple):
    """The shots of the attackers of a slice: those of attacker i stand from ``firsts[i]`` up to ``firsts[i + 1]``."""

    attacks: NDArray[np.void]
    possible: NDArray[np.bool_]  # (shots, categories)
    words: list[str]  # the row of each
    firsts: Integers
    why_not: Codes  # (attackers, categories): why none of them can be made


class _Columns(NamedTuple):
    """The defenders of a slice: those that are alike once; of each column which it is, and why there is none."""

    targets: NDArray[np.void]
    which: NDArray[np.int32]
    why_not: Codes
    words: list[str]  # of the reasons


def shot_cells(plan: Plan, block: Block) -> Found:
    """The cells of a slice: each attacker shoots once with its best row."""
    ruleset = plan.rulesets[block.ruleset]
    reason_words, row_words = Words(), Words()
    rows = _rows(plan, block, reason_words)
    columns = _columns(plan, block.columns)
    faces, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    once = each_once(rows.attacks, columns.targets, rows.possible, faces, deck)
    shape = len(rows.firsts) - 1, len(columns.targets)
    laws, shots = np.empty(shape, np.int32), np.empty(shape, np.int32)
    ranks = np.column_stack([once.summaries[name] for name in RANKED_BY]) if len(once.summaries) else np.zeros((0, 3))
    best_shots(once.which, rows.firsts, np.ascontiguousarray(ranks), CERTAIN_WITHIN, laws, shots)
    which, can = columns.which, columns.why_not < 0
    why_not = reason_words.codes([*columns.words, None])[columns.why_not]
    of_cells = np.where(can, laws[:, which], -1).ravel()
    codes = row_words.codes([*rows.words, None])  # of shot -1 there is no row
    used = np.where(can, codes[shots][:, which], -1).astype(np.int32)
    none = rows.why_not[:, columns.targets["category"]][:, which]
    reasons = np.where(can, np.where(used < 0, none, -1), why_not[None, :]).astype(np.int32)
    return Found(_figures(plan, once, of_cells), used.ravel(), row_words, reasons.ravel(), reason_words)


def _figures(plan: Plan, once: Once, laws: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    known = SUMMARY.names or ()
    found = {}
    for name in plan.file.fought:
        values = once.summaries[name] if name in known else np.empty(0)
        found[name] = np.append(values, np.nan)[laws] if name in known else np.full(len(laws), np.nan)
    return found


def _rows(plan: Plan, block: Block, words: Words) -> _Rows:
    attacks, possible, names, firsts, reasons = [], [], [], [0], []
    for place in block.rows:
        attacker = variant(plan, block.faction, place)
        if isinstance(attacker, str):
            reasons.append([words.code(attacker)] * len(CATEGORIES))
        else:
            shots, why_not = shots_of(place, attacker, block.situation, None)
            can_be_shot = [any(each.reasons[at] is None for each in shots) for at in range(len(CATEGORIES))]
            reasons.append([-1 if can else words.code(why) for can, why in zip(can_be_shot, why_not)])
            attacks += [each.facts for each in shots]
            possible += [[reason is None for reason in each.reasons] for each in shots]
            names += [each.row.id for each in shots]
        firsts.append(len(names))
    can = np.array(possible, np.bool_).reshape(-1, len(CATEGORIES))
    return _Rows(np.array(attacks, ATTACK), can, names, np.array(firsts, np.int64), np.array(reasons, np.int32))


@lru_cache(maxsize=2)  # slice after slice, and part after part, has the same
def _columns(plan: Plan, columns: range) -> _Columns:
    words = Words()
    numbers = plan.file.defenders.numbers
    per = prod(len(each.values) for each in numbers)
    first, last = columns[0] // per, columns[-1] // per
    defenders = plan.defenders[first : last + 1]
    bases = np.array([_target(plan, first + at) for at in range(len(defenders))], TARGET)
    alike, classes = _alike(bases, numbers)
    places = np.arange(columns.start, columns.stop, dtype=np.int64)
    of, rest = np.divmod(places, per)
    there, which = np.unique(classes[of - first] * per + rest, return_inverse=True)
    targets = alike[there // per]
    why_not = np.full(len(columns), -1, np.int32)
    turn = per
    for number in numbers:
        turn //= len(number.values)
        values = np.array(number.values, np.int64)
        if number.key in OF_TARGETS:
            at = there % per // turn % len(values)
            targets[number.key] = targets[number.key] * number.is_added + values[at]
        reasons = np.array([_reasons(plan, first + each, number, words) for each in range(len(defenders))], np.int32)
        mine = reasons[of - first, rest // turn % len(values)]
        why_not = np.where(why_not < 0, mine, why_not)
    return _Columns(targets, which.astype(np.int32), why_not, words.words)


@lru_cache(maxsize=4096)
def _target(plan: Plan, defender: int) -> Any:
    return target_record(resolve_target(TARGET_STATE, plan.defenders[defender]))


def _alike(bases: NDArray[np.void], numbers: Sequence[Number]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The records that differ in more than numbers which are stated for all; and which of them each is."""
    bases = bases.copy()
    for number in numbers:
        if number.key in OF_TARGETS and not number.is_added:
            bases[number.key] = 0
    words = bases.view(np.int64).reshape(len(bases), -1)
    _, places, classes = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return bases[places], classes.ravel()


def _reasons(plan: Plan, defender: int, number: Number, words: Words) -> list[int]:
    """Of each value of a number whether a defender can have it: -1, or the number of the reason."""
    return [words.code(each) for each in _problems(plan, defender, number.key)]


@lru_cache(maxsize=8192)
def _problems(plan: Plan, defender: int, key: str) -> tuple[str | None, ...]:
    number = next(each for each in plan.file.defenders.numbers if each.key == key)
    loadout = plan.defenders[defender]
    return tuple(_problem(loadout, key, number.change(at)) for at in range(len(number.values)))


def _problem(loadout: Loadout, key: str, change: int | str) -> str | None:
    try:
        changes: Any = {key: change}
        loadout.with_(**changes)
    except InputError as error:
        return str(error)
    return None
