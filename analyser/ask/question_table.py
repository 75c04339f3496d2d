"""Solve many variants of a question, each distinct fight once, and collect the answers in a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from analyser.ask.keys import POINTS, Key, Raw, raw_unit, with_values
from analyser.ask.metric_lookup import MetricValue, metric_value
from analyser.common.answer import FramedAnswer, source_notes
from analyser.common.errors import InputError, MisspeltError, check_choice, is_number, shown
from analyser.common.kernel_records import python_copy
from analyser.common.method_settings import Sampling
from analyser.common.precision import Stopping
from analyser.common.text import counted
from analyser.engine.attack.exact import exact_attack
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.morale.api import solve as solve_morale
from analyser.morale.systems import system_of
from analyser.results import rules_used
from analyser.results.base import Result
from analyser.results.dispatch import solve
from analyser.scenarios import battle
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import (
    FILES,
    AnyScenario,
    Unit,
    check_is_question,
    kind_of,
    load,
    read_scenario,
    section_of,
    with_conditions,
)
from analyser.scenarios.resolve import look_up
from analyser.scenarios.schema import TWO_UNIT_KINDS

BATTLE = "battle"
MOST_WARNINGS = 5  # most warnings in text
_INTERPRETED_SECONDS = 5e-3  # duration of an exact attack with a dozen dice, without compilation


class SolvedQuestion(NamedTuple):
    """An answer, the identity of its fight (equal for equal fights), the warnings, and the row that fires."""

    result: Result
    identity: Hashable
    warnings: tuple[str, ...]  # of the question; an equal fight may have others
    row: str | None = None


class Solver:
    """Solver of about `expected` questions by one method; equal fights share a cached answer."""

    def __init__(self, library: Profiles, sampling: Sampling, expected: int = 1) -> None:
        self.library, self.sampling = library, sampling
        self._left_out: dict[str, None] = {}
        self._answers: dict[Hashable, Result] = {}
        if sampling.is_exact:
            exact_attack.compile_for(expected * _INTERPRETED_SECONDS)

    @property
    def fights(self) -> int:
        """Number of distinct fights computed."""
        return len(self._answers)

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """Rules that could matter in one of the questions, but are no part of the numbers."""
        return tuple(self._left_out)

    def answer(self, raw: Raw) -> SolvedQuestion:
        """Return the answer to a question; InputError if there is no answer."""
        kind = question_kind(raw)
        if kind not in FILES:
            identity: Hashable = (kind, json.dumps(raw, sort_keys=True, default=str))
            result = self._memoise(identity, lambda: solve_morale(kind, raw, self.sampling, self.library))
            return SolvedQuestion(result, identity, result.warnings)
        identity, scenario = self.identify(raw)
        result = self._memoise(identity, lambda: solve(scenario, self.sampling, brief=True))
        row = scenario.attack.row if isinstance(scenario, Scenario) else None
        return SolvedQuestion(result, identity, warnings_of(scenario), row)

    def in_full(self, raw: Raw) -> Result:
        """Return an answer with its own heading and rules, not those of an equal fight."""
        if question_kind(raw) != "attack" or not self.sampling.is_exact:
            return self.answer(raw).result
        return solve(self.identify(raw)[1], self.sampling, brief=True)

    def identify(self, raw: Raw) -> tuple[Hashable, AnyScenario]:
        """Return the identity of a fight, and its scenario for :meth:`solve`."""
        kind = question_kind(raw)
        if kind not in FILES:
            raise InputError(f"a race cannot simulate questions of the kind {kind}", where="method", allowed="exact")
        scenario = load(raw, self.library, kind)
        if isinstance(scenario, Scenario):
            self._record_left_out(scenario)
        return _identity(scenario), scenario

    def solve(self, scenario: AnyScenario, sampling: Sampling) -> Result:
        """Return the answer to a scenario with another sampling, without caching it."""
        result = solve(scenario, sampling, brief=True)
        self._left_out |= dict.fromkeys(result.not_modelled)
        return result

    def points_of(self, raw: Raw) -> float | None:
        """Return the points of the unit that attacks first; None if unknown."""
        loadout = look_up(raw_unit(raw, question_kind(raw)), self.library, "")
        return None if loadout is None else loadout.level.points

    def _memoise(self, identity: Hashable, solve_fight: Callable[[], Result]) -> Result:
        if identity not in self._answers:
            self._answers[identity] = solve_fight()
        self._left_out |= dict.fromkeys(self._answers[identity].not_modelled)
        return self._answers[identity]

    def _record_left_out(self, scenario: Scenario) -> None:
        """Record the rules left out of an attack; they may differ between equal fights."""
        keywords = *scenario.attack.keywords, *scenario.attacker_rules, *scenario.target.keywords
        left_out = (word for word in keywords if word.term is None or not word.term.counts_in(RANGED_ATTACK))
        if any(word.canonical not in self._left_out for word in left_out):
            rules = rules_used.rules_of_attack(scenario, python_copy(scenario.fight))
            self._left_out |= dict.fromkeys(rules.not_modelled)


def question_between(first: Unit, second: Unit, kind: str, conditions: Mapping[str, Any]) -> Raw:
    """Return the question of a kind about two units, which are stated as in :func:`analyser.attack`."""
    check_choice(kind, "kind", TWO_UNIT_KINDS)
    target = section_of(second, "target")
    if kind == "attack":
        section = section_of(first, "attacker", "attacker")
        return {"attack": with_conditions(section, conditions), "target": target}
    first_section, second_section = ("attacker", "target") if kind == "charge" else ("a", "b")
    return {kind: dict(conditions), first_section: section_of(first, first_section), second_section: target}


def read_question(
    question: Any, target: Unit | None, kind: str, conditions: Mapping[str, Any], library: Profiles
) -> tuple[Raw, str]:
    """Return a question, and the path of its file or ""; without a `target`, `question` states all of it."""
    if target is not None:
        return question_between(question, target, kind, conditions), ""
    if conditions:
        raise InputError("state this in the scenario, not as an option", where=next(iter(conditions)))
    check_is_question(question, "target", library)
    return read_scenario(question)


def question_kind(raw: Mapping[str, Any]) -> str:
    """Return the kind of a question: ``attack``, ``charge``, ``focus``, ``duel``, ``battle``, or a morale system."""
    return system_of(raw) or kind_of(raw)


def check_method(kind: str, exact: bool, simulated: str) -> None:
    """Raise InputError for an exact answer to a battle; `simulated` is the method to use instead."""
    if kind == BATTLE and exact:
        raise InputError("battles are simulated; they have no exact answer", where="method", allowed=simulated)


def with_armies(raw: Raw, where: str, library: Profiles) -> Raw:
    """Return a question with the armies of a battle loaded as tables of units; paths are relative to file `where`."""
    if question_kind(raw) != BATTLE:
        return raw
    from analyser.scenarios.armies import load_army

    raw = battle.with_army_paths(raw, FilePath(where))
    return raw | {side: load_army(raw[side], library).to_table() for side in battle.SIDES if side in raw}


def warnings_of(scenario: AnyScenario) -> tuple[str, ...]:
    """Return the warnings about a fight, except the reason for the chosen row."""
    return tuple(text for text in scenario.warnings if not text.startswith("attack.row is not stated"))


def merge_warnings(by_question: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the distinct warnings about several questions; a warning about only some of them tells how many.

    >>> merge_warnings([("no effect",), (), ("no effect",)])
    ('no effect (2 of 3 questions)',)
    """
    questions = list(by_question)
    numbers = Counter(text for warnings in questions for text in dict.fromkeys(warnings))
    return tuple(
        text if number == len(questions) else f"{text} ({number:,} of {len(questions):,} questions)"
        for text, number in numbers.items()
    )


def _identity(scenario: AnyScenario) -> Hashable:
    """Return the identity of a fight; fights with equal identities have equal answers, also in points."""
    if not isinstance(scenario, Scenario):
        return scenario.kind, json.dumps(scenario.as_dict(), sort_keys=True, default=str)
    defender, victory_points = scenario.defender, scenario.target.victory_points
    price = None if defender is None else (defender.level.points, defender.level.models)
    fight, ruleset = cast("Any", scenario.fight).tobytes(), scenario.ruleset.model_dump_json()
    return fight, victory_points, price, scenario.rolls_for_building, ruleset


class Variant(NamedTuple):
    """A question with values for some keys; `why_not` is the reason if a value is impossible."""

    name: str
    raw: Raw
    values: Mapping[str, Any]
    why_not: str | None = None
    where: str = ""


class Point(NamedTuple):
    """A solved variant: its metric values, or the reason why they are missing."""

    name: str
    values: Mapping[str, Any]
    metric_values: tuple[MetricValue, ...]
    why_not: str | None = None
    costs: float | None = None  # points of the attacker
    identity: Hashable = None  # equal for equal fights
    row: str | None = None  # the row that fires
    trials: int | None = None
    stopping: Stopping | None = None
    warnings: tuple[str, ...] = ()


def variant_of(name: str, raw: Raw, values: Mapping[Key, Any], library: Profiles, where: str = "") -> Variant:
    """Return the variant of a question with some values; MisspeltError for a value that no question can have."""
    stated = {key.name: value for key, value in values.items()}
    try:
        return Variant(name, with_values(raw, values, library), stated, where=where)
    except MisspeltError as error:
        raise error.inside(where) from None
    except InputError as error:
        return Variant(name, raw, stated, str(error), where)


def solve_all(
    solver: Solver, variants: Iterable[Variant], metrics: Sequence[str], sampling: Sampling, size: int
) -> list[Point]:
    """Return the solved variants; `size` is the number of all variants, for the progress bar."""
    points: list[Point] = []
    with sampling.with_bar() as reporting:
        for variant in variants:
            points.append(_point(solver, variant, metrics))
            reporting.report(len(points), size)
    return points


def _point(solver: Solver, variant: Variant, metrics: Sequence[str]) -> Point:
    try:
        if variant.why_not is not None:
            raise InputError(variant.why_not)
        result, identity, warnings, row = solver.answer(variant.raw)
        points = points_of(solver, variant)
        values = tuple(metric_value(result, name, points) for name in metrics)
    except InputError as error:
        raise_if_common(error, variant)
        return Point(variant.name, variant.values, (MetricValue(np.nan),) * len(metrics), variant.why_not or str(error))
    sampled = result.trials, result.stopping
    return Point(variant.name, variant.values, values, None, points, identity, row, *sampled, warnings)


def points_of(solver: Solver, variant: Variant) -> float | None:
    """Return the points of the attacker of a variant: stated points, or those of the profile."""
    if POINTS not in variant.values:
        return solver.points_of(variant.raw)
    points = variant.values[POINTS]
    if not is_number(points) or points <= 0:
        raise InputError(f"{shown(points)} is not a price", where=POINTS, allowed="a number above 0")
    return float(points)


def raise_if_common(error: InputError, variant: Variant) -> None:
    """Raise the error if it concerns all variants: an unknown metric, or a misspelt value."""
    if error.where.startswith("metric"):
        raise error
    if isinstance(error, MisspeltError):
        raise error.inside(variant.where)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuestionTable(FramedAnswer):
    """Base class of answers to many variants of a question."""

    frame: pd.DataFrame
    kind: str
    sampling: Sampling
    results: tuple[Result, ...]  # full answers to some of the questions, for the rules and assumptions
    fights: int  # number of distinct fights computed; equal fights share an answer
    not_modelled: tuple[str, ...]  # rules that could matter but are no part of the numbers
    warnings: tuple[str, ...]
    profiles: ProfilesUsed | None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the answers."""
        return tuple(dict.fromkeys(text for result in self.results for text in result.assumptions))

    @property
    def ruleset(self) -> Ruleset | None:
        """Die and deck; None for questions about other games."""
        ruleset = getattr(self.results[0].scenario, "ruleset", None)
        return ruleset if isinstance(ruleset, Ruleset) else None

    def _sources(self) -> list[str]:
        notes = source_notes(self.not_modelled, self.assumptions, self.profiles)
        notes += [f"Warning: {text}" for text in self.warnings[:MOST_WARNINGS]]
        more = len(self.warnings) - MOST_WARNINGS
        return notes + [f"{counted(more, 'more warning')}: --format json lists all."] * (more > 0)

    def _common_entries(self) -> dict[str, Any]:
        entries = {"kind": self.kind, "fights": self.fights, "notes": self.notes()}
        entries |= {"not_modelled": list(self.not_modelled), "warnings": list(self.warnings)}
        entries |= {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)}
        return entries | {"profiles": self.profiles and self.profiles.as_dict()}
