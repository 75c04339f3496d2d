"""Memoised solver: answers many variants of a question, and computes each distinct fight once."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple, cast

from analyser.ask.keys import Raw, unit_at
from analyser.common.errors import InputError, check_choice
from analyser.common.records import plain
from analyser.common.sampling import Sampling
from analyser.engine.attack.exact import exact_attack
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout
from analyser.morale.api import solve as solve_morale
from analyser.morale.systems import system_of
from analyser.results import rules_used
from analyser.results.attack import AttackResult, numbers_of
from analyser.results.base import Result
from analyser.results.solve import solve
from analyser.scenarios import battle
from analyser.scenarios.attack import Scenario, row_for
from analyser.scenarios.load import (
    FILES,
    AnyScenario,
    Unit,
    kind_of,
    load,
    parse_scenario,
    section_of,
    with_conditions,
)
from analyser.scenarios.resolve import looked_up, resolve_attack, resolve_target
from analyser.scenarios.schema import BETWEEN_TWO, ScenarioFile, Target

BATTLE = "battle"
_INTERPRETED = 5e-3  # seconds that the interpreter takes for an attack of a dozen dice


class Solved(NamedTuple):
    """An answer, and the identity of its fight: equal for questions that have one answer."""

    result: Result
    identity: Hashable


class Solver:
    """Answers questions by one method under one library of profiles; equal fights are looked up."""

    def __init__(self, library: Profiles, sampling: Sampling, expected: int = 1) -> None:
        self.library, self.sampling = library, sampling
        self._gaps: dict[str, None] = {}
        self._answers: dict[Hashable, Result] = {}
        self._targets: dict[str, tuple[Target, Loadout | None]] = {}
        self._loadouts: dict[str, Loadout] = {}
        if sampling.is_exact:
            exact_attack.expect(expected * _INTERPRETED)

    @property
    def fights(self) -> int:
        """Number of distinct fights that were computed."""
        return len(self._answers)

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """Rules that bear on any of the questions, and that no number was computed from."""
        return tuple(self._gaps)

    def answer(self, raw: Raw) -> Solved:
        """Return the answer to a question; InputError where it has none."""
        kind = kind_in(raw)
        if kind == "attack" and self.sampling.is_exact:
            return self._exact_attack(raw)
        if kind not in FILES:
            identity: Hashable = (kind, json.dumps(raw, sort_keys=True, default=str))
            return self._memoised(identity, lambda: solve_morale(kind, raw, self.sampling, self.library))
        scenario = load(raw, self.library, kind)
        return self._memoised(_identity(scenario), lambda: solve(scenario, self.sampling, brief=True))

    def explained(self, raw: Raw) -> Result:
        """Return the answer to a question with its rules, assumptions and warnings."""
        kind = kind_in(raw)
        if kind != "attack" or not self.sampling.is_exact:
            return self.answer(raw).result
        return solve(load(raw, self.library, kind), self.sampling, brief=True)  # type: ignore[arg-type]

    def prepared(self, raw: Raw) -> tuple[Hashable, AnyScenario]:
        """Return the identity of a fight, and its scenario for :meth:`solved`."""
        kind = kind_in(raw)
        if kind not in FILES:
            raise InputError(f"questions of {kind} are not raced", where="method", allowed="exact")
        scenario = load(raw, self.library, kind)
        if isinstance(scenario, Scenario):
            self._note_gaps(scenario)
        return _identity(scenario), scenario

    def solved(self, scenario: AnyScenario, sampling: Sampling) -> Result:
        """Return the answer to a scenario by another sampling; it is not looked up."""
        result = solve(scenario, sampling, brief=True)
        self._gaps |= dict.fromkeys(result.not_modelled)
        return result

    def points_of(self, raw: Raw) -> float | None:
        """Return the points of the unit that attacks first; None where they are unknown."""
        loadout = self._loadout(unit_at(raw, kind_in(raw)), "")
        return None if loadout is None else loadout.level.points

    def _loadout(self, unit: Any, where: str) -> Loadout | None:
        """Return the loadout of a key; a name is looked up once, which takes longer than an attack."""
        if not isinstance(unit, str):
            return looked_up(unit, self.library, where)
        if unit not in self._loadouts:
            self._loadouts[unit] = cast("Loadout", looked_up(unit, self.library, where))
        return self._loadouts[unit]

    def _memoised(self, identity: Hashable, work: Callable[[], Result]) -> Solved:
        if identity not in self._answers:
            self._answers[identity] = work()
        self._gaps |= dict.fromkeys(self._answers[identity].not_modelled)
        return Solved(self._answers[identity], identity)

    def _exact_attack(self, raw: Raw) -> Solved:
        """Solve an attack for its numbers alone: the rest of its answer takes longer than these."""
        file = parse_scenario(raw, ScenarioFile, self.library, where="")
        attacker = self._loadout(file.attack.attacker, "attack.attacker")
        target, defender = self._target(file)
        row, _ = row_for(file.attack, attacker, target, file.ruleset)
        attack = resolve_attack(file.attack, attacker, row)
        scenario = Scenario(attack, target, file.ruleset, attacker, defender, profiles=self.library.used)
        self._note_gaps(scenario)
        identity = _attack_identity(scenario, file.ruleset.model_dump_json() if raw.get("ruleset") else "")
        solved = self._memoised(identity, lambda: numbers_of(scenario))
        result = solved.result
        if isinstance(result, AttackResult) and result.scenario.attack.row != attack.row:
            return Solved(replace(result, scenario=scenario), identity)
        return solved

    def _target(self, file: ScenarioFile) -> tuple[Target, Loadout | None]:
        """Return the resolved target and its loadout; one that is written as text is resolved once."""
        written = file.target.model_dump_json() if isinstance(file.target.unit, str | None) else ""
        if written in self._targets:
            return self._targets[written]
        defender = self._loadout(file.target.unit, "target.unit")
        resolved = resolve_target(file.target, defender), defender
        if written:
            self._targets[written] = resolved
        return resolved

    def _note_gaps(self, scenario: Scenario) -> None:
        """Note the rules left out of an attack; equal fights of other profiles may leave out other rules."""
        keywords = *scenario.attack.keywords, *scenario.attacker_rules, *scenario.target.keywords
        left_out = (word for word in keywords if word.term is None or not word.term.counts_in(RANGED_ATTACK))
        if any(word.canonical not in self._gaps for word in left_out):
            rules = rules_used.of_attack(scenario, plain(scenario.fight))
            self._gaps |= dict.fromkeys(rules.not_modelled)


def between(first: Unit, second: Unit, kind: str, conditions: Mapping[str, Any]) -> Raw:
    """Return the question of a kind between two units, as :func:`analyser.attack` and its like take them."""
    check_choice(kind, "kind", BETWEEN_TWO)
    target = section_of(second, "target")
    if kind == "attack":
        section = section_of(first, "attacker", "attacker")
        return {"attack": with_conditions(section, conditions), "target": target}
    one, two = ("attacker", "target") if kind == "charge" else ("a", "b")
    return {kind: dict(conditions), one: section_of(first, one), two: target}


def kind_in(raw: Mapping[str, Any]) -> str:
    """Return the kind of a question: ``attack``, ``charge``, ``focus``, ``duel``, ``battle``, or a morale system."""
    return system_of(raw) or kind_of(raw)


def check_method(kind: str, exact: bool, other: str) -> None:
    """Raise InputError for an exact answer to a battle, which is simulated only."""
    if kind == BATTLE and exact:
        raise InputError("a battle is sampled; it has no exact answer", where="method", allowed=other)


def with_armies(raw: Raw, where: str, library: Profiles) -> Raw:
    """Return a question with the armies of a battle as tables of numbered units; paths are relative to `where`."""
    if kind_in(raw) != BATTLE:
        return raw
    from analyser.scenarios.armies import load_army

    raw = battle.beside(FilePath(where), raw)
    return raw | {side: load_army(raw[side], library).to_table() for side in battle.SIDES if side in raw}


def _attack_identity(scenario: Scenario, ruleset: str) -> Hashable:
    """Return the identity of an attack: equal attacks have one answer, figures for points included."""
    defender, target = scenario.defender, scenario.target
    worth = None if defender is None else (defender.level.points, defender.level.models)
    return cast("Any", scenario.fight).tobytes(), target.victory_points, worth, scenario.rolls_for_building, ruleset


def _identity(scenario: AnyScenario) -> Hashable:
    if isinstance(scenario, Scenario):
        return _attack_identity(scenario, scenario.ruleset.model_dump_json())
    return scenario.kind, json.dumps(scenario.as_dict(), sort_keys=True, default=str)
