"""The comparison: probabilities that the unit is steady, shaken, routed or gone, by round and system.

Its losses can come from a duel of Armoured Clash (AC-9.2). The losses of a round depend on the state of both sides
before it. So the losses of different rounds are dependent, and only a whole path of losses has a probability. The
exact method propagates the joint distribution of the pair of states and the path of losses. Monte Carlo plays every
trial round by round.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError, TooLargeError
from analyser.common.method_settings import Sampling
from analyser.engine.chain.chain import Chain, Paths, Recorded
from analyser.engine.chain.exact import distributions_along
from analyser.engine.chain.simulated import counts_along
from analyser.engine.fight.program import Operation
from analyser.game.profiles import Profiles
from analyser.morale.games.compare import question as asked
from analyser.morale.games.compare.question import FATES_OF_SYSTEMS, GONE, ROUTED, SHAKEN, STEADY, Question
from analyser.morale.games.compare.systems import CLASH, SYSTEMS, ArmouredClash, System, in_words
from analyser.morale.result_tables import Answer, Facts, Fates, Keys, Rules, Table, weights_of
from analyser.results.base import RulesUsed
from analyser.results.rules_used import rules_of_duel
from analyser.results.states import flag, is_removed, models_destroyed, simulation_of, states_after
from analyser.scenarios.duel import DuelScenario, duel_program, duel_start, shooters_of
from analyser.scenarios.load import load_as

if TYPE_CHECKING:
    from analyser.engine.fight.simulated.simulation import Simulation

SECTIONS = ("duel", "a", "b")
MOST_STATES = 4000  # pairs of states whose next round is computed; takes some seconds
MOST_ENTRIES = 4_000_000  # pairs of states with different paths of losses
MOST_PATHS = 20_000
BATCH = 1 << 20  # trials simulated side by side
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


def chains(question: Question) -> dict[str, Chain]:
    """Return the chain of each system."""
    return {name: system(question).chain()[0] for name, system in SYSTEMS.items()}


def weights(question: Question, sampling: Sampling) -> dict[str, Recorded]:
    """Return the weights of each system's states; for a duel, the states of Armoured Clash are its fates."""
    if question.duel is None:
        return weights_of(chains(question), sampling)
    stream = exact_stream(question) if sampling.is_exact else sampled_stream(question, sampling)
    recorded = {CLASH: Recorded(np.arange(len(FATES_OF_SYSTEMS)), stream.fates)}
    for part, name in enumerate(name for name in SYSTEMS if name != CLASH):
        driven = SYSTEMS[name](question).chain()
        if sampling.is_exact:
            recorded[name] = distributions_along(*driven, stream.paths)
        else:
            recorded[name] = counts_along(*driven, stream.paths, sampling.seed, part)
    return recorded


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Answer:
    """Return `fates`, `equivalents` of the nerve, their `correspondence` by DISCIPLINE, and `words` of fates."""
    systems = {name: system(question) for name, system in systems_of(question).items()}
    fates = {name: system.fates(recorded[name].states) for name, system in systems.items()}
    columns = {
        f"p_{word}": np.stack([recorded[name].weights @ (fates[name] == fate) for name in systems], axis=1)
        for fate, word in enumerate(FATES_OF_SYSTEMS)
    }
    stated = [(name, *pair) for name, system in systems.items() for pair in system.equivalents.items()]
    words = [(name, system.shaken, system.routed, system.gone, system.rules) for name, system in systems.items()]
    tables = {
        "fates": Table.crossed({"round": range(1, question.rounds_played + 1)}, {"system": [*SYSTEMS]}, columns),
        "equivalents": Table(dict(zip(("system", "stands_for_nerve", "value"), zip(*stated)))),
        "correspondence": Table(_correspondence(question)),
        "words": Table(dict(zip(("system", "shaken", "routed", "gone", "rules"), zip(*words)))),
    }
    return tables, [Fates({name: system.title for name, system in SYSTEMS.items()})]


def _correspondence(question: Question) -> Keys:
    """Return the equivalents of each DISCIPLINE in every system, with the probability to pass to four decimals."""
    sides = question.check_sides
    targets, leaderships = asked.check_targets(sides), asked.leaderships()
    names = ("discipline", "nerve", "courage", "check", "check_passed", "leadership", "leadership_passed")
    rows = []
    for discipline, probability in asked.disciplines(question).items():
        target = asked.standing_for(probability, targets, question)
        leadership = asked.standing_for(probability, leaderships, question)
        passed = [probability, targets[target], leaderships[leadership]]
        own, checked, led = (round(float(chance), 4) for chance in passed)
        courage = asked.courage_for(probability, question)
        rows.append((discipline, own, courage, f"{target}+ on a die of {sides}", checked, leadership, led))
    return dict(zip(names, zip(*rows)))


def rules(question: Question) -> Rules:
    """Return the rules used, the rules not modelled, and warnings about the comparison."""
    clash, used = SYSTEMS[CLASH].title, RulesUsed()
    if question.duel is not None:
        scenario = scenario_of(question)
        shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
        used = rules_of_duel(scenario, shooters, with_replacement=True)
    applied = [f"{system.title}: {system.rules}" for system in systems_of(question).values()]
    applied += [f"{clash}: {rule}" for rule in used.applied]
    not_used = [*(f"not used: {rule}" for rule in used.not_used), *used.not_modelled, *used.assumptions]
    if question.duel is None:
        not_used = ["the officer, disorder, modifiers of a situation; each card from a full deck"]
    stated, sides, dueling = question.grande_tactique.check_target, question.check_sides, question.duel is not None
    is_certain = stated is not None and not 1 < stated <= sides
    passed = f"is {'always' if (stated or 0) <= 1 else 'never'} passed: see check_sides"
    not_modelled: Facts = {f"{clash}: {rule}": True for rule in not_used} | dict.fromkeys(NOT_MODELLED, True)
    far = "the unit's own edge: no edge_distance was given, so it is far, and no unit reaches it"
    warnings: Facts = {
        "each round: attacks, tests, then the fate, at the activation of the unit": not dueling,
        f"the losses are the models of {question.side} destroyed by damage, those of a round as one attack": dueling,
        "Armoured Clash is the unit of the duel itself, at the end of each round; once its own rules have removed it, "
        "it is no longer attacked, and the other systems have no further losses": dueling,
        f"grande_tactique.check_target {stated} on a die of {sides} {passed}": is_certain,
        **dict.fromkeys(used.warnings, True),
    }
    return Rules(dict.fromkeys(applied, True), {**not_modelled, far: question.edge_distance is None}, warnings)


def completed(raw: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """Return a raw question with its duel resolved and the unit's values from it; InputError for contradictions."""
    stated = {key: raw[key] for key in SECTIONS if raw.get(key) is not None}
    if not stated:
        return dict(raw)
    # a unit can be a selector alone
    sections = {key: {"unit": unit} if isinstance(unit, str) else unit for key, unit in stated.items()}
    try:
        sections["ruleset"] = raw["ruleset"]["armoured_clash"]
        scenario = load_as(DuelScenario, sections, None if folder is None else Profiles(folder))
    except InputError as error:
        raise InputError(error.problem, where=error.where.removeprefix("scenario: "), allowed=error.allowed) from None
    unit = scenario.b if raw.get("side") == "b" else scenario.a
    stated_there: dict[str, Any] = {"models": unit.models, "rounds": scenario.terms.rounds}
    if unit.edge_distance is not None:
        stated_there["edge_distance"] = float(unit.edge_distance)
    for key in (*stated_there, "armoured_clash", "losses"):
        if _says(raw.get(key)) and raw[key] != stated_there.get(key):
            allowed = f"left out, or {stated_there[key]}" if key in stated_there else "left out"
            raise InputError("the duel says it itself", where=key, allowed=allowed)
    nerve, deck = {}, scenario.ruleset.deck.counts()
    if unit.discipline is not None:  # probability of a card that passes an unmodified test
        nerve = {"nerve": float(deck[: unit.discipline + 1].sum() / deck.sum())}
    resolved = scenario.as_dict()
    return {**nerve, **raw, **stated_there, **{key: resolved[key] for key in SECTIONS}}


def _says(value: object) -> bool:
    """Return True if a key has a value. An echoed question also has keys without one."""
    return any(map(_says, value.values())) if isinstance(value, dict) else value is not None


def scenario_of(question: Question) -> DuelScenario:
    """Return the duel of a question."""
    sections = {key: getattr(question, key) for key in SECTIONS}
    return load_as(DuelScenario, {**sections, "ruleset": question.ruleset.armoured_clash.model_dump(mode="json")})


class Stream(NamedTuple):
    """Losses and fates of one side of a duel."""

    paths: Paths  # models lost, round by round
    fates: NDArray[Any]  # weight of each fate at the end of each round: shape (rounds, 4)


def fates_of(states: Numbers) -> Numbers:
    """Return the fate of each state: gone, fallen back since its activation, suppressed or disordered, or steady."""
    shaken = flag(states, "suppressed") | flag(states, "disordered")
    return np.select([is_removed(states), flag(states, "fell_back"), shaken], [GONE, ROUTED, SHAKEN], STEADY)


class ClashInDuel(ArmouredClash):
    """Armoured Clash for the unit of a duel (AC-9.2); a state is its fate in the duel."""

    rules, shaken = "AC-9.2", "suppressed, disordered"

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        unit = getattr(scenario_of(question), question.side)
        self.equivalents = in_words(unit.discipline, unit.break_limit)

    def fates(self, states: Numbers) -> Numbers:
        """Return the states, which are fates."""
        return states


def systems_of(question: Question) -> dict[str, type[System]]:
    """Return the rules of the unit in each system."""
    return SYSTEMS if question.duel is None else {**SYSTEMS, CLASH: ClashInDuel}


_Round = tuple[Numbers, Numbers, NDArray[Any]]
"""Results of a round from a pair of states: numbers of the next pairs, losses, and probabilities or counts."""


class _Duel:
    """A duel, and the pairs of states reached so far, which are numbered in order."""

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
        self._numbers_of([first], [second])

    def _numbers_of(self, first: list[int], second: list[int]) -> Numbers:
        for pair in zip(first, second):
            if pair not in self._numbers:
                self._numbers[pair] = len(self.states)
                self.states.append(pair)
        return np.array([self._numbers[pair] for pair in zip(first, second)], np.int64)

    def fates(self, pairs: Numbers, weights: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the weight of each fate of the question's side, from weights of pairs."""
        return np.bincount(fates_of(np.array(self.states)[:, self._side])[pairs], weights, len(FATES_OF_SYSTEMS))

    def ended(self, number: int, sampling: Sampling) -> _Round:
        """Return the results of a round from a pair.

        A duel that is over does not change: the remaining rounds affect neither losses nor fates.
        """
        pair = self.states[number]
        if is_removed(np.array(pair)).any():
            return np.array([number]), np.zeros(1, np.int64), np.array([sampling.trials or 1.0])
        if self._simulation is None and not sampling.is_exact:
            self._simulation = simulation_of(self._setup, [self._round], self._ruleset, replacement=True)
        (states,) = states_after(self._setup, [self._round], pair, self._ruleset, sampling, self._simulation)
        after = self._numbers_of(states.first.tolist(), states.second.tolist())
        own = states.second if self._side else states.first
        lost = models_destroyed(own, self._models) - models_destroyed(np.array([pair[self._side]]), self._models)
        return after, lost, states.weights

    def round_from(self, number: int) -> _Round:
        """Return the exact results of a round from a pair, cached."""
        if number not in self._rounds:
            if len(self._rounds) >= MOST_STATES:
                raise _too_large(f"{MOST_STATES} pairs of states")
            self._rounds[number] = self.ended(number, Sampling())
        return self._rounds[number]


def _too_large(what: str) -> TooLargeError:
    problem = f"the losses of this duel come in too many courses: more than {what}"
    return TooLargeError(problem, where="duel", less="fewer rounds or models")


def _extended(numbers: Numbers, models: int, path: Numbers) -> tuple[Numbers, Numbers]:
    """Return the paths with one more round, and the row of each `path`, given as ``old row * (models + 1) + loss``."""
    paths, path = np.unique(path, return_inverse=True)
    return np.column_stack([numbers[paths // (models + 1)], paths % (models + 1)]), path


def exact_stream(question: Question) -> Stream:
    """Return the joint distribution of the losses in all rounds; TooLargeError if there are too many paths."""
    models, duel, numbers = question.models, _Duel(question), np.zeros((1, 0), np.int64)
    path, pair, probability = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    fates = np.zeros((question.rounds_played, len(FATES_OF_SYSTEMS)))
    for turn in range(question.rounds_played):
        (path, pair), probability = _one_round(duel, path * (models + 1), pair, probability)
        numbers, path = _extended(numbers, models, path)
        if len(numbers) > MOST_PATHS:
            raise _too_large(f"{MOST_PATHS} of them")
        fates[turn] = duel.fates(pair, probability)
    return Stream(Paths(numbers, np.bincount(path, probability)), fates)


def _one_round(
    duel: _Duel, path: Numbers, pair: Numbers, probability: NDArray[np.float64]
) -> tuple[Numbers, NDArray[np.float64]]:
    """Return distinct paths and pairs after a round, and probabilities; `path` is a multiple of (models + 1)."""
    parts, size = [], 0
    for number in np.unique(pair):
        (after, lost, weights), rows = duel.round_from(int(number)), np.flatnonzero(pair == number)
        size += len(rows) * len(after)
        if size > MOST_ENTRIES:
            raise _too_large(f"{MOST_ENTRIES} states with the losses that led to them")
        keys = np.array([(path[rows, None] + lost).ravel(), np.tile(after, len(rows))])
        parts.append((keys, (probability[rows, None] * weights).ravel()))
    keys, probabilities = (np.concatenate(part, axis=-1) for part in zip(*parts))
    order = np.lexsort(keys)
    keys, probabilities = keys[:, order], probabilities[order]
    firsts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    return keys[:, firsts], np.add.reduceat(probabilities, firsts)


def sampled_stream(question: Question, sampling: Sampling) -> Stream:
    """Return the losses and fates in each round of simulated duels."""
    models, rounds, trials = question.models, question.rounds_played, sampling.first_trials()
    fates, batches = np.zeros((rounds, len(FATES_OF_SYSTEMS)), np.int64), []
    for batch, done in enumerate(range(0, trials, BATCH)):
        some = min(BATCH, trials - done)
        duel, numbers = _Duel(question), np.zeros((1, 0), np.int64)
        pair, path = np.zeros(some, np.int64), np.zeros(some, np.int64)
        for turn in range(rounds):
            stream = np.random.default_rng((sampling.seed, batch, turn))
            pair, lost = _played(duel, pair, stream, sampling.n_threads)
            numbers, path = _extended(numbers, models, path * (models + 1) + lost)
            fates[turn] += duel.fates(pair)
            sampling.report(done + some * (turn + 1) // rounds, trials)
        batches.append((numbers, np.bincount(path)))
    numbers, counts = (np.concatenate(part) for part in zip(*batches))
    numbers, row = np.unique(numbers, axis=0, return_inverse=True)
    return Stream(Paths(numbers, np.bincount(row.ravel(), counts).astype(np.int64)), fates)


def _played(duel: _Duel, pair: Numbers, stream: np.random.Generator, threads: int) -> tuple[Numbers, Numbers]:
    """Return the pair of states of each trial after a round, and its losses in it.

    Trials in one pair are simulated together, and the results are assigned to them at random.
    """
    after, lost = np.empty_like(pair), np.empty_like(pair)
    short = pair.astype(np.uint16) if len(duel.states) < 1 << 16 else pair  # sorts much faster
    by_pair = np.argsort(short, kind="stable")
    starts = np.flatnonzero(np.diff(pair[by_pair], prepend=-1))
    for rows in np.split(by_pair, starts[1:]):
        seed = int(stream.integers(1 << 63))
        sampling = Sampling("monte-carlo", len(rows), seed, threads=threads, replacement=True)
        ends, losses, counts = duel.ended(int(pair[rows[0]]), sampling)
        drawn = stream.permutation(np.repeat(np.arange(len(ends)), counts))
        after[rows], lost[rows] = ends[drawn], losses[drawn]
    return after, lost
