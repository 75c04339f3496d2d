"""Luck of one fight: probability of the observed outcome, and of worse ones, under the distribution of all outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analyser.ask.happened import Law, looked
from analyser.ask.luck_answer import GONE, Chance, Fought
from analyser.common.intervals import intervals
from analyser.game.ruleset import Ruleset
from analyser.results.base import Result

_LESS_IS_BETTER = ("models_left", "passengers_left", "alive", "in_building", "on_lookout", "taking_cover")
_OWN, _THEIRS = ("attacker_", "a_"), ("target_", "b_")
_GOOD_FOR_ONE = ("victory_points", "wins", "devastating", "overruns")  # of a side, good for that side


def fought(result: Result, got: Mapping[str, Any], *, label: str = "", side: str = "mine") -> tuple[Fought, Law]:
    """A fight, by itself or of a game, and how likely its outcome was; with the law of the enemy's models gone.

    That law has an entry a number of models, and is empty where they are not looked at.
    """
    found = looked(result, got)
    chance, law = _against(found.happened, found.columns, found.weights, result.trials)
    if_gone, gone_law = None, np.zeros(0)
    if found.gone is not None:
        _, models = found.gone
        gone_law = np.bincount(found.columns[GONE], found.weights, models + 1).astype(np.float64)
        if found.unsaid:
            if_gone, _ = _against({GONE: models}, found.columns, found.weights, result.trials)
    heading = result.heading()[0][1] if result.kind == "attack" else f"{result.kind}: {result.heading()[0][1]}"
    told = Fought(
        label or heading,
        side,
        result.kind,
        found.said,
        found.happened,
        chance,
        law,
        result.trials,
        result.rules,
        asked_of(result),
        found.gone,
        found.unsaid,
        if_gone,
        result.scenario.ruleset if isinstance(result.scenario.ruleset, Ruleset) else None,
    )
    return told, gone_law


def asked_of(result: Result) -> tuple[str, ...]:
    """Return the conditions of a fight that may have been left to defaults: row, dice, distance, target."""
    lines = [f"{label or ' '}  {text}".strip() for label, text in result.heading()[1:]]
    attack = getattr(result.scenario, "attack", None)  # of an attack alone
    if attack is not None and attack.attacker is not None and attack.distance is None:
        lines.append("Distance  not said: in reach, and not at short range")
    return tuple(lines)


def _against(
    happened: Mapping[str, Any], columns: Mapping[str, Any], weights: Law, trials: int | None
) -> tuple[Chance, pd.DataFrame]:
    """Return how likely an outcome was, by its figures in turn; and all possible outcomes, from the worst to the best.

    `columns` has those figures of every outcome, `weights` its probability.
    """
    names = list(happened)
    goodness = np.array([_sign(name) * np.asarray(columns[name], np.float64) for name in names])
    mine = np.array([_sign(name) * float(value) for name, value in happened.items()])
    chance = _chance(goodness, mine, weights, trials)
    rows, place = np.unique(goodness, axis=1, return_inverse=True)
    law = pd.DataFrame({name: _sign(name) * row for name, row in zip(names, rows)})
    law["probability"] = np.bincount(place.reshape(-1), weights)
    for name in names:
        law[name] = law[name].astype(bool if np.asarray(columns[name]).dtype == np.bool_ else np.int64)
    return chance, law


def _chance(goodness: Law, mine: Law, weights: Law, trials: int | None) -> Chance:
    """The chances of what is worse, equal and better, figure by figure in turn; of a sample of so many trials."""
    worse, equal = np.zeros(goodness.shape[1], np.bool_), np.ones(goodness.shape[1], np.bool_)
    for column, value in zip(goodness, mine):
        worse |= equal & (column < value)
        equal &= column == value
    chance = Chance(*(min(float(weights[each].sum()), 1.0) for each in (worse, equal, ~(worse | equal))))
    if trials is None:
        return chance
    low, high, _ = intervals(np.round(np.array([chance.as_bad, chance.as_good]) * trials), trials)
    return chance._replace(half_width=float((high - low).max() / 2))


def _sign(name: str) -> int:
    """Return 1 if more of a figure is good for the unit that attacks first, -1 if less is."""
    own = name.startswith(_OWN)
    base = next((name.removeprefix(each) for each in (*_OWN, *_THEIRS) if name.startswith(each)), name)
    if base in _GOOD_FOR_ONE:
        return -1 if name.startswith(_THEIRS) else 1
    good = -1 if base in _LESS_IS_BETTER else 1
    return -good if own else good
