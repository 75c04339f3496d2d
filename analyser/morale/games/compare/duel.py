"""A duel of Armoured Clash in a comparison (AC-9.2): its sections read, its unit, and how that stands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.fight.program import Operation, Setup
from analyser.game.profiles import Profiles
from analyser.morale.games.compare.question import Question
from analyser.results.base import RulesUsed
from analyser.results.rules_used import of_duel
from analyser.results.states import Endings, models_destroyed
from analyser.scenarios.duel import DuelScenario, duel_program, duel_start, shooters_of
from analyser.scenarios.load import load_duel
from analyser.scenarios.schema import Combatant

SECTIONS = ("duel", "a", "b")
_OWN = ("armoured_clash", "losses")  # what a duel says itself

Pair = tuple[int, int]


class Fought(NamedTuple):
    """A duel as the engines take it, and the side that is looked at."""

    setup: Setup
    round: list[Operation]
    start: Pair
    scenario: DuelScenario
    side: int

    def states_of_side(self, endings: Endings) -> NDArray[np.int64]:
        """The states of the side that is looked at."""
        return endings.second if self.side else endings.first

    def lost(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Models that damage has destroyed since the duel began."""
        unit = self.scenario.b if self.side else self.scenario.a
        return models_destroyed(states, unit.models or 0)


def completed(raw: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """A raw question whose duel is resolved, and what the duel says of the unit filled in.

    Raises
    ------
    InputError
        A duel that cannot be fought; or beside it what the duel says itself.
    """
    stated = {key: raw[key] for key in SECTIONS if raw.get(key) is not None}
    if not stated:
        return dict(raw)
    scenario = _loaded(stated, raw["ruleset"]["armoured_clash"], folder)
    unit = scenario.b if raw.get("side") == "b" else scenario.a
    of_duel: dict[str, Any] = {"models": unit.models, "rounds": scenario.terms.rounds}
    if unit.edge_distance is not None:
        of_duel["edge_distance"] = float(unit.edge_distance)
    for key in (*of_duel, *_OWN):
        if _says(raw.get(key)) and raw[key] != of_duel.get(key):
            allowed = f"left out, or {of_duel[key]}" if key in of_duel else "left out"
            raise InputError("the duel says it itself", where=key, allowed=allowed)
    nerve, deck = {}, scenario.ruleset.deck.counts()
    if unit.discipline is not None:  # the probability to turn up a card that passes an unmodified test
        nerve = {"nerve": float(deck[: unit.discipline + 1].sum() / deck.sum())}
    found = scenario.as_dict()
    return {**nerve, **raw, **of_duel, **{key: found[key] for key in SECTIONS}}


def _loaded(stated: dict[str, Any], ruleset: Mapping[str, Any], folder: Path | None) -> DuelScenario:
    """The duel that is stated; a unit can be a selector alone."""
    sections = {key: {"unit": each} if isinstance(each, str) else each for key, each in stated.items()}
    try:
        return load_duel({**sections, "ruleset": ruleset}, None if folder is None else Profiles(folder))
    except InputError as error:
        raise InputError(error.problem, where=error.where.removeprefix("scenario: "), allowed=error.allowed) from None


def _says(value: object) -> bool:
    """Whether a key says anything: an echoed question has those too that do not."""
    return any(map(_says, value.values())) if isinstance(value, dict) else value is not None


def unit_of(question: Question) -> Combatant:
    """The unit whose losses are looked at."""
    scenario = scenario_of(question)
    return scenario.b if question.side == "b" else scenario.a


def scenario_of(question: Question) -> DuelScenario:
    """The duel of a question."""
    sections = {key: getattr(question, key) for key in SECTIONS}
    return load_duel({**sections, "ruleset": question.ruleset.armoured_clash.model_dump(mode="json")})


def rules_of(question: Question) -> RulesUsed:
    """The rules that the duel rests on."""
    scenario = scenario_of(question)
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    return of_duel(scenario, shooters, with_replacement=True)


def fought(question: Question) -> Fought:
    """The duel of a question as the engines take it."""
    scenario = scenario_of(question)
    setup, rounds = duel_program(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    start = duel_start(setup, (scenario.a, scenario.b))
    return Fought(setup, rounds[0], start, scenario, "ab".index(question.side))
