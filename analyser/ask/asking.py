"""Memoised solver: one question asked many times with other values; each distinct fight is computed once."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
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


class Answer(NamedTuple):
    """An answer, and what was fought: answers that have the same of it are one and the same."""

    result: Result
    same: Hashable


class Asker:
    """Answers questions under one library of profiles, by one method; what was asked before is looked up."""

    def __init__(self, library: Profiles, sampling: Sampling, expected: int = 1) -> None:
        self.library, self.sampling = library, sampling
        self._gaps: dict[str, None] = {}
        self._answers: dict[Hashable, Result] = {}
        self._targets: dict[str, tuple[Target, Loadout | None]] = {}
        self._loadouts: dict[str, Loadout] = {}
        if sampling.is_exact:
            exact_attack.expect(expected * _INTERPRETED)

    @property
    def fought(self) -> int:
        """Number of distinct fights that were computed."""
        return len(self._answers)

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """Rules that bear on any of what was asked, and that no number was computed from."""
        return tuple(self._gaps)

    def answer(self, raw: Raw) -> Answer:
        """The answer to a question; InputError where it has none."""
        kind = kind_in(raw)
        if kind == "attack" and self.sampling.is_exact:
            return self._exact_attack(raw)
        if kind not in FILES:
            same: Hashable = (kind, json.dumps(raw, sort_keys=True, default=str))
            return self._kept(same, lambda: solve_morale(kind, raw, self.sampling, self.library))
        scenario = load(raw, self.library, kind)
        return self._kept(_same(scenario), lambda: solve(scenario, self.sampling, brief=True))

    def explained(self, raw: Raw) -> Result:
        """The answer to a question with all that an answer says: rules, assumptions, warnings."""
        kind = kind_in(raw)
        if kind != "attack" or not self.sampling.is_exact:
            return self.answer(raw).result
        return solve(load(raw, self.library, kind), self.sampling, brief=True)  # type: ignore[arg-type]

    def prepared(self, raw: Raw) -> tuple[Hashable, AnyScenario]:
        """A question made ready, for :meth:`solved`; and what is fought: the same for questions that are the same."""
        kind = kind_in(raw)
        if kind not in FILES:
            raise InputError(f"questions of {kind} are not raced", where="method", allowed="exact")
        scenario = load(raw, self.library, kind)
        if isinstance(scenario, Scenario):
            self._note_gaps(scenario)
        return _same(scenario), scenario

    def solved(self, scenario: AnyScenario, sampling: Sampling) -> Result:
        """The answer to a question that is ready, as `sampling` says."""
        result = solve(scenario, sampling, brief=True)
        self._gaps |= dict.fromkeys(result.not_modelled)
        return result

    def points_of(self, raw: Raw) -> float | None:
        """Return the points of the unit that attacks first; None where they are unknown."""
        unit = unit_at(raw, kind_in(raw))
        loadout = self._loadout(unit, "")
        return None if loadout is None else loadout.level.points

    def _loadout(self, unit: Any, where: str) -> Loadout | None:
        """The loadout that a key names; names are looked up once, which takes longer than an attack."""
        if not isinstance(unit, str):
            return looked_up(unit, self.library, where)
        if unit not in self._loadouts:
            self._loadouts[unit] = cast("Loadout", looked_up(unit, self.library, where))
        return self._loadouts[unit]

    def _kept(self, same: Hashable, work: Any) -> Answer:
        if same not in self._answers:
            self._answers[same] = work()
        self._gaps |= dict.fromkeys(self._answers[same].not_modelled)
        return Answer(self._answers[same], same)

    def _exact_attack(self, raw: Raw) -> Answer:
        """An attack without what an answer says beside its numbers, which takes longer than these."""
        file = parse_scenario(raw, ScenarioFile, self.library, where="")
        attacker = self._loadout(file.attack.attacker, "attack.attacker")
        written = file.target.model_dump_json() if isinstance(file.target.unit, str | None) else ""
        if not written or written not in self._targets:
            defender = self._loadout(file.target.unit, "target.unit")
            found = resolve_target(file.target, defender), defender
            if written:
                self._targets[written] = found
        target, defender = self._targets[written] if written else found
        row, _ = row_for(file.attack, attacker, target, file.ruleset)
        attack = resolve_attack(file.attack, attacker, row)
        scenario = Scenario(attack, target, file.ruleset, attacker, defender, profiles=self.library.used)
        self._note_gaps(scenario)
        same = _same_attack(scenario, file.ruleset.model_dump_json() if raw.get("ruleset") else "")
        known = self._kept(same, lambda: numbers_of(scenario))
        result = known.result
        if isinstance(result, AttackResult) and result.scenario.attack.row != attack.row:
            return Answer(replace(result, scenario=scenario), same)
        return known

    def _note_gaps(self, scenario: Scenario) -> None:
        """Keep what is not modelled of an attack; equal fights of other profiles may leave out other rules."""
        rules = *scenario.attack.keywords, *scenario.attacker_rules, *scenario.target.keywords
        left_out = (each for each in rules if each.term is None or not each.term.counts_in(RANGED_ATTACK))
        if any(each.canonical not in self._gaps for each in left_out):
            found = rules_used.of_attack(scenario, plain(scenario.fight)).not_modelled
            self._gaps |= dict.fromkeys(found)


def between(first: Unit, second: Unit, kind: str, conditions: Mapping[str, Any]) -> Raw:
    """The question of a kind between two units, under conditions: what :func:`analyser.attack` and its like take."""
    check_choice(kind, "kind", BETWEEN_TWO)
    other = section_of(second, "target")
    if kind == "attack":
        section = section_of(first, "attacker", "attacker")
        return {"attack": with_conditions(section, conditions), "target": other}
    one, two = ("attacker", "target") if kind == "charge" else ("a", "b")
    return {kind: dict(conditions), one: section_of(first, one), two: other}


def kind_in(raw: Mapping[str, Any]) -> str:
    """Return the kind of a question: ``attack``, ``charge``, ``focus``, ``duel``, ``battle``, or a morale system."""
    return system_of(raw) or kind_of(raw)


def check_method(kind: str, exact: bool, other: str) -> None:
    """InputError where an exact answer is asked for and there is none: a battle is sampled."""
    if kind == BATTLE and exact:
        raise InputError("a battle is sampled; it has no exact answer", where="method", allowed=other)


def with_armies(raw: Raw, where: str, library: Profiles) -> Raw:
    """A question whose armies, if it is of a battle, are tables with numbered units; paths are beside `where`."""
    if kind_in(raw) != BATTLE:
        return raw
    from analyser.scenarios.armies import load_army

    raw = battle.beside(FilePath(where), raw)
    read = {side: load_army(raw[side], library).to_table() for side in battle.SIDES if side in raw}
    return {**raw, **read}


def _same_attack(scenario: Scenario, ruleset: str) -> Hashable:
    """Return a cache key: attacks with equal keys have the same answer, figures for points included."""
    defender, target = scenario.defender, scenario.target
    worth = None if defender is None else (defender.level.points, defender.level.models)
    return cast("Any", scenario.fight).tobytes(), target.victory_points, worth, scenario.rolls_for_building, ruleset


def _same(scenario: AnyScenario) -> Hashable:
    if isinstance(scenario, Scenario):
        return _same_attack(scenario, scenario.ruleset.model_dump_json())
    return scenario.kind, json.dumps(scenario.as_dict(), sort_keys=True, default=str)
