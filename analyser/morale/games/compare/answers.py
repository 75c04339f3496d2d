"""Answers to a comparison: probabilities that a unit is steady, shaken, routed or gone, by round and system.

The losses can come from a duel of Armoured Clash (AC-9.2). The rounds of a duel are dependent, so a path has the losses
of all rounds. The exact method computes the distribution of paths; the simulation draws a path for every trial.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, TooLargeError
from analyser.common.estimates import estimate
from analyser.common.method_settings import Sampling
from analyser.common.text import how_often
from analyser.engine.chain.chain import Chain, Paths, Recorded
from analyser.engine.chain.exact import distributions_along
from analyser.engine.chain.simulated import counts_along
from analyser.engine.fight.program import Operation
from analyser.game.profiles import Profiles
from analyser.morale.answer_parts import Panel, Table, Tables, chain_weights, rules_used
from analyser.morale.games.compare.compared_systems import CLASH, CLASS_OF, ArmouredClash, ComparedSystem, clash_values
from analyser.morale.games.compare.question import FATES_OF_SYSTEMS, GONE, ROUTED, SHAKEN, STEADY, Question
from analyser.results.base import RulesUsed
from analyser.results.rules_used import rules_of_duel
from analyser.results.states import flag, is_removed, models_destroyed, simulation_of, states_after
from analyser.scenarios.duel import DuelScenario, duel_program, duel_start, shooters_of
from analyser.scenarios.load import load_as

if TYPE_CHECKING:
    from analyser.engine.fight.simulated.simulation import Simulation
    from analyser.morale.result import MoraleResult

DUEL_SECTIONS = ("duel", "a", "b")
PANELS = (Panel("fates", "fates", "Fates", "round", by="system"),)
MOST_STATES = 4000  # most pairs of states from which an exact round is computed, within some seconds
MOST_ENTRIES = 4_000_000  # most combinations of a path and a next pair in a round, before equal ones are merged
MOST_PATHS = 20_000  # most different paths after a round
BATCH = 1 << 20  # most trials of a duel that are simulated at once
Numbers = NDArray[np.int64]
NOT_MODELLED = (
    "Legion: a commander (LG-3); terrain on the way, clambering, withdrawing, Jump, Reposition and Spur, minis in "
    "cohesion, free actions (LG-5)",
    "Grande Tactique: charges, pursuit, shelter, friends fled through, being surrounded, Old Guard and veterans, "
    "collapse of the division, withdrawal (GT-2 to GT-5, GT-7 to GT-11)",
    "Warmaster: obstacles behind the unit, distance driven back, falling back, retreats, evaders (WM-2 to WM-8); "
    "costs of confusion: no initiative, no orders, -1 Attack modifier, no support (WM-9)",
    "Mordheim: the leader's fall, giving up, several warbands (MD-1 to MD-3), single warriors (MD-4 to MD-10)",
)


def headline(result: MoraleResult) -> str:
    """Return a sentence on how often the unit is gone after the last round, in each system."""
    fates = result.raw_tables["fates"]
    last = fates.keys["round"][-1]
    gone = [
        f"{CLASS_OF[system].title} {how_often(estimate(float(weight), result.trials))}"
        for round_, system, weight in zip(fates.keys["round"], fates.keys["system"], fates.weights["p_gone"])
        if round_ == last
    ]
    return f"Gone after round {last}: {', '.join(gone)}."


def chains(question: Question) -> dict[str, Chain]:
    """Return the chain of each system."""
    return {name: system(question).chain()[0] for name, system in CLASS_OF.items()}


def weights(question: Question, sampling: Sampling) -> dict[str, Recorded]:
    """Return states with their weights in each system; for a duel, the states of Armoured Clash are fates."""
    if question.duel is None:
        return chain_weights(chains(question), sampling)
    duel = losses_of_duel(question, sampling)
    recorded = {CLASH: Recorded(np.arange(len(FATES_OF_SYSTEMS)), duel.fates)}
    for part, name in enumerate(name for name in CLASS_OF if name != CLASH):
        along = *CLASS_OF[name](question).chain(), duel.paths
        exact = sampling.is_exact
        recorded[name] = distributions_along(*along) if exact else counts_along(*along, sampling.seed, part)
    return recorded


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Tables:
    """Return the tables `fates`, `equivalents` (values that stand for the nerve) and `words` (names of the fates)."""
    systems = {name: system(question) for name, system in systems_of(question).items()}
    fates = {name: system.fates(recorded[name].states) for name, system in systems.items()}
    columns = {
        f"p_{word}": np.stack([recorded[name].weights @ (fates[name] == fate) for name in systems], axis=1)
        for fate, word in enumerate(FATES_OF_SYSTEMS)
    }
    equivalent_rows = [(name, *pair) for name, system in systems.items() for pair in system.equivalents.items()]
    words = [(name, system.shaken, system.routed, system.gone, system.rules) for name, system in systems.items()]
    return {
        "fates": Table.product_of({"round": range(1, question.rounds_played + 1)}, {"system": [*CLASS_OF]}, columns),
        "equivalents": Table(dict(zip(("system", "stands_for_nerve", "value"), zip(*equivalent_rows)))),
        "words": Table(dict(zip(("system", "shaken", "routed", "gone", "rules"), zip(*words)))),
    }


def rules(question: Question) -> RulesUsed:
    """Return the rules used, the rules not modelled, and warnings."""
    clash, used = CLASS_OF[CLASH].title, RulesUsed()
    if question.duel is not None:
        scenario = scenario_of(question)
        shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
        used = rules_of_duel(scenario, shooters, with_replacement=True)
    applied = [f"{system.title}: {system.rules}" for system in systems_of(question).values()]
    applied += [f"{clash}: {rule}" for rule in used.applied]
    not_used = [*(f"not used: {rule}" for rule in used.not_used), *used.not_modelled, *used.assumptions]
    if question.duel is None:
        not_used = ["the officer, disorder, modifiers of a situation, decks that run out"]
    stated, sides, is_duel = question.grande_tactique.check_target, question.check_sides, question.duel is not None
    is_certain = stated is not None and not 1 < stated <= sides
    passed = f"is {'always' if (stated or 0) <= 1 else 'never'} passed: see check_sides"
    far = "the unit's own edge: no edge_distance is stated, so it is far and never reached"
    not_modelled = {f"{clash}: {rule}": True for rule in not_used} | dict.fromkeys(NOT_MODELLED, True)
    not_modelled[far] = question.edge_distance is None
    warnings = {
        "each round has attacks, then tests; a fate is the unit's state when it activates after them": not is_duel,
        f"the losses are the destroyed models of {question.side}; those of a round count as one attack": is_duel,
        "the fates in Armoured Clash are those of the unit in the duel, at the end of each round; once it is removed "
        "there, the other systems have no further losses": is_duel,
        f"grande_tactique.check_target {stated} on a die of {sides} {passed}": is_certain,
        **dict.fromkeys(used.warnings, True),
    }
    return rules_used(dict.fromkeys(applied, True), not_modelled, warnings)


def complete(raw: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Return a raw question with its duel resolved; InputError if a key that the duel determines has another value."""
    stated = {key: raw[key] for key in DUEL_SECTIONS if raw.get(key) is not None}
    if not stated:
        return dict(raw)
    # a unit may be stated as a selector instead of a table
    sections = {key: {"unit": unit} if isinstance(unit, str) else unit for key, unit in stated.items()}
    try:
        sections["ruleset"] = raw["ruleset"]["armoured_clash"]
        scenario = load_as(DuelScenario, sections, None if folder is None else Profiles(folder))
    except InputError as error:
        raise InputError(error.problem, where=error.where.removeprefix("scenario: "), allowed=error.allowed) from None
    unit = scenario.b if raw.get("side") == "b" else scenario.a
    from_duel: dict[str, Any] = {"models": unit.models, "rounds": scenario.terms.rounds}
    if unit.edge_distance is not None:
        from_duel["edge_distance"] = float(unit.edge_distance)
    for key in (*from_duel, "armoured_clash", "losses"):
        if _has_value(raw.get(key)) and raw[key] != from_duel.get(key):
            allowed = f"left out, or {from_duel[key]}" if key in from_duel else "left out"
            raise InputError("the duel determines this key", where=key, allowed=allowed)
    nerve, deck = {}, scenario.ruleset.deck.counts()
    if unit.discipline is not None:  # probability of a card that passes an unmodified test
        nerve = {"nerve": float(deck[: unit.discipline + 1].sum() / deck.sum())}
    resolved = scenario.as_dict()
    return {**nerve, **raw, **from_duel, **{key: resolved[key] for key in DUEL_SECTIONS}}


def _has_value(value: object) -> bool:
    """Return False for None and for tables of None, which a saved answer has for keys that its question left out."""
    return any(map(_has_value, value.values())) if isinstance(value, dict) else value is not None


def scenario_of(question: Question) -> DuelScenario:
    """Return the duel of a question."""
    sections = {key: getattr(question, key) for key in DUEL_SECTIONS}
    return load_as(DuelScenario, {**sections, "ruleset": question.ruleset.armoured_clash.model_dump(mode="json")})


class LossesAndFates(NamedTuple):
    """Losses and fates of one side of a duel."""

    paths: Paths  # models lost in each round, with the weight of each path
    fates: NDArray[Any]  # weight of each fate at the end of each round: shape (rounds, 4)


def fates_of(states: Numbers) -> Numbers:
    """Return the fate of each state of a unit: gone, routed (fell back), shaken (suppressed, disordered) or steady."""
    shaken = flag(states, "suppressed") | flag(states, "disordered")
    return np.select([is_removed(states), flag(states, "fell_back"), shaken], [GONE, ROUTED, SHAKEN], STEADY)


class ClashInDuel(ArmouredClash):
    """Armoured Clash for the unit of a duel (AC-9.2); a state is its fate in the duel."""

    rules, shaken = "AC-9.2", "suppressed, disordered"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        unit = getattr(scenario_of(question), question.side)
        self.equivalents = clash_values(unit.discipline, unit.break_limit)

    def fates(self, states: Numbers) -> Numbers:
        """Return the states, which are fates."""
        return states


def systems_of(question: Question) -> dict[str, type[ComparedSystem]]:
    """Return the class of each system."""
    return CLASS_OF if question.duel is None else {**CLASS_OF, CLASH: ClashInDuel}


_Round = tuple[Numbers, Numbers, NDArray[Any]]
"""Results of a round from a pair of states: the next pairs (indices), losses, and probabilities or counts."""


class _Duel:
    """A duel, and the pairs of states (of both units) reached so far; the number of a pair is its index in `states`."""

    def __init__(self, question: Question) -> None:
        scenario = scenario_of(question)
        self._side, self._models, self._ruleset = "ab".index(question.side), question.models, scenario.ruleset
        self._setup, rounds = duel_program(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
        self._round: list[Operation] = rounds[0]
        self._simulation: Simulation | None = None
        self.states: list[tuple[int, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._rounds: dict[int, _Round] = {}
        first, second = duel_start(self._setup, (scenario.a, scenario.b))
        self._pair_numbers([first], [second])

    def _pair_numbers(self, first: list[int], second: list[int]) -> Numbers:
        for pair in zip(first, second):
            if pair not in self._numbers:
                self._numbers[pair] = len(self.states)
                self.states.append(pair)
        return np.array([self._numbers[pair] for pair in zip(first, second)], np.int64)

    def fates(self, pairs: Numbers, weights: NDArray[Any]) -> NDArray[Any]:
        """Return the weight of each fate of the question's side, from weights of pairs."""
        return np.bincount(fates_of(np.array(self.states)[:, self._side])[pairs], weights, len(FATES_OF_SYSTEMS))

    def round_results(self, number: int, sampling: Sampling) -> _Round:
        """Return the results of a round from pair `number`; a finished duel stays in its pair, without losses."""
        pair = self.states[number]
        if is_removed(np.array(pair)).any():
            return np.array([number]), np.zeros(1, np.int64), np.array([sampling.trials or 1.0])
        if self._simulation is None and not sampling.is_exact:
            self._simulation = simulation_of(self._setup, [self._round], self._ruleset, replacement=True)
        (states,) = states_after(self._setup, [self._round], pair, self._ruleset, sampling, self._simulation)
        after = self._pair_numbers(states.first.tolist(), states.second.tolist())
        own = states.second if self._side else states.first
        lost = models_destroyed(own, self._models) - models_destroyed(np.array([pair[self._side]]), self._models)
        return after, lost, states.weights

    def exact_round(self, number: int) -> _Round:
        """Return the exact results of a round from pair `number`; they are cached."""
        if number not in self._rounds:
            if len(self._rounds) >= MOST_STATES:
                raise _too_large(f"{MOST_STATES} pairs of states")
            self._rounds[number] = self.round_results(number, Sampling())
        return self._rounds[number]


def _too_large(what: str) -> TooLargeError:
    problem = f"the losses of this duel have too many possible paths: more than {what}"
    return TooLargeError(problem, where="duel", less="fewer rounds or models")


def losses_of_duel(question: Question, sampling: Sampling) -> LossesAndFates:
    """Return the losses and fates in all rounds, exact or simulated; TooLargeError for too many paths or states."""
    base, rounds, duel, parts = question.models + 1, question.rounds_played, _Duel(question), []
    trials = 1 if sampling.is_exact else sampling.first_trials()
    fates = np.zeros((rounds, len(FATES_OF_SYSTEMS)))
    for batch, done in enumerate(range(0, trials, BATCH)):
        size, rng = min(BATCH, trials - done), np.random.default_rng((sampling.seed or 0, batch))
        numbers, weights = np.zeros((1, 0), np.int64), np.array([size])  # losses in each round: shape (paths, rounds)
        path = pair = np.zeros(1, np.int64)
        for round_number in range(1, rounds + 1):
            (path, pair), weights = _one_round(duel, path * base, pair, weights, sampling, rng)  # losses are below base
            paths, path = np.unique(path, return_inverse=True)
            numbers = np.column_stack([numbers[paths // base], paths % base])  # path so far, losses in this round
            if sampling.is_exact and len(numbers) > MOST_PATHS:
                raise _too_large(f"{MOST_PATHS} paths")
            fates[round_number - 1] += duel.fates(pair, weights)
            sampling.report(done + size * round_number // rounds, trials)
        parts.append((numbers, np.bincount(path, weights)))
    numbers, row = np.unique(np.concatenate([numbers for numbers, _ in parts]), axis=0, return_inverse=True)
    weights = np.bincount(row.ravel(), np.concatenate([weights for _, weights in parts]))
    kind = np.float64 if sampling.is_exact else np.int64
    return LossesAndFates(Paths(numbers, weights.astype(kind)), fates.astype(kind))


def _one_round(
    duel: _Duel, path: Numbers, pair: Numbers, weights: NDArray[Any], sampling: Sampling, rng: np.random.Generator
) -> tuple[Numbers, NDArray[Any]]:
    """Return the distinct results of a round (`path` plus its losses, and the next pair) and their weights."""
    parts, size = [], 0
    for number in np.unique(pair):
        rows = np.flatnonzero(pair == number)
        if sampling.is_exact:
            after, lost, by_end = duel.exact_round(int(number))
            size += len(rows) * len(after)
            if size > MOST_ENTRIES:
                raise _too_large(f"{MOST_ENTRIES} combinations of path and states")
            row, end = np.repeat(rows, len(after)), np.tile(np.arange(len(after)), len(rows))
            part = weights[row] * by_end[end]
        else:  # each trial gets one of the simulated ends, at random
            trials, seed = int(weights[rows].sum()), int(rng.integers(1 << 63))
            settings = Sampling("monte-carlo", trials, seed, threads=sampling.n_threads, replacement=True)
            after, lost, by_end = duel.round_results(int(number), settings)
            row, end = np.repeat(rows, weights[rows]), rng.permutation(np.repeat(np.arange(len(after)), by_end))
            part = np.ones(trials, np.int64)
        parts.append((np.array([path[row] + lost[end], after[end]]), part))
    keys, weights = (np.concatenate(part, axis=-1) for part in zip(*parts))
    order = np.lexsort(keys)
    keys, weights = keys[:, order], weights[order]
    firsts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    return keys[:, firsts], np.add.reduceat(weights, firsts)
