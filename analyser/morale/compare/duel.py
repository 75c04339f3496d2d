"""A duel of Armoured Clash as a stream of losses (AC-9.2): what one side loses round by round, and how it stands.

What is lost in a round depends on how both sides came out of the round before, so losses of different rounds hang
together: a course of losses has its probability as a whole. The exact law follows each pair of states with the
course that led to it; Monte Carlo plays every trial round by round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.courses import Courses
from analyser.engine.program import Operation, Setup
from analyser.errors import InputError
from analyser.fights.account import Account, of_duel
from analyser.fights.combatant import Combatant
from analyser.fights.duel import Shooter, duel_program, duel_start
from analyser.fights.endings import Endings, flag, is_removed, models_destroyed
from analyser.fights.running import How, run
from analyser.fights.scenarios import DuelScenario, load_duel
from analyser.morale.compare.question import Question
from analyser.morale.compare.stream import FATES, GONE, ROUTED, SHAKEN, STEADY
from analyser.profiles import Profiles

SECTIONS = ("duel", "a", "b")
MOST_STATES = 4000  # pairs of states whose next round is worked out: some seconds
MOST_ENTRIES = 4_000_000  # pairs of states with the losses that led to them
MOST_COURSES = 20_000
BATCH = 1 << 20  # trials that are played side by side
_OWN = ("armoured_clash", "losses")  # what a duel says itself

Report = Callable[[int, int], None]
Words = tuple[int, int]


class Stream(NamedTuple):
    """What a side of a duel loses, and how it stands.

    Attributes
    ----------
    courses : Courses
        Models lost, round by round.
    fates : float64 or int64 array, shape (rounds, 4)
        The weight of each fate at the end of each round.
    """

    courses: Courses
    fates: NDArray[Any]


class Fought(NamedTuple):
    """A duel as the engines take it, and the side that is looked at."""

    setup: Setup
    round: list[Operation]
    start: Words
    scenario: DuelScenario
    side: int

    def words(self, endings: Endings) -> NDArray[np.int64]:
        """The states of the side."""
        return endings.second if self.side else endings.first

    def lost(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Models that damage has destroyed since the duel began."""
        unit = self.scenario.b if self.side else self.scenario.a
        return models_destroyed(words, unit.models or 0)


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
    told: dict[str, Any] = {"models": unit.models, "rounds": scenario.terms.rounds}
    if unit.edge_distance is not None:
        told["edge_distance"] = float(unit.edge_distance)
    for key in (*told, *_OWN):
        if _says(raw.get(key)) and raw[key] != told.get(key):
            raise InputError("the duel says it itself", where=key, allowed=f"left out, or {told[key]}" if key in told
                             else "left out")  # fmt: skip
    nerve = {} if unit.discipline is None else {"nerve": _chance_up_to(unit.discipline, scenario)}
    found = scenario.as_dict()
    return {**nerve, **raw, **told, **{key: found[key] for key in SECTIONS}}


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


def _chance_up_to(discipline: int, scenario: DuelScenario) -> float:
    """The chance to turn up a card that passes an unmodified test."""
    deck = scenario.ruleset.deck.counts()
    return float(deck[: discipline + 1].sum() / deck.sum())


def unit_of(question: Question) -> Combatant:
    """The unit whose losses are looked at."""
    scenario = scenario_of(question)
    return scenario.b if question.side == "b" else scenario.a


def scenario_of(question: Question) -> DuelScenario:
    """The duel of a question."""
    sections = {key: getattr(question, key) for key in SECTIONS}
    return load_duel({**sections, "ruleset": question.ruleset.armoured_clash.model_dump(mode="json")})


def account_of(question: Question) -> Account:
    """The rules that the duel rests on."""
    scenario = scenario_of(question)
    sides, terms = (scenario.a, scenario.b), scenario.terms
    shooters = [
        Shooter(sides[side], sides[1 - side], policy, terms.distance, scenario.ruleset, "ab"[side])
        for side, policy in enumerate((terms.policy_a, terms.policy_b))
    ]
    return of_duel(scenario, shooters, with_replacement=True)


def fought(question: Question) -> Fought:
    """The duel of a question as the engines take it."""
    scenario = scenario_of(question)
    setup, rounds = duel_program(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    start = duel_start(setup, (scenario.a, scenario.b))
    return Fought(setup, rounds[0], start, scenario, "ab".index(question.side))


def fates_of(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """How a unit stands: gone, fallen back since it was activated, suppressed or disordered, or steady."""
    shaken = flag(words, "suppressed") | flag(words, "disordered")
    found = [is_removed(words), flag(words, "fell_back"), shaken]
    return np.select(found, [GONE, ROUTED, SHAKEN], STEADY)


class _Round(NamedTuple):
    """What a round comes to from one pair of states."""

    after: NDArray[np.int64]  # places of the pairs that follow
    lost: NDArray[np.int64]
    chances: NDArray[np.float64]


class _Pairs:
    """The pairs of states of a duel as they are met, each with its number."""

    def __init__(self, duel: Fought) -> None:
        self._duel = duel
        self.words: list[Words] = []
        self._places: dict[Words, int] = {}
        self._rounds: dict[int, _Round] = {}
        self.places_of([duel.start[0]], [duel.start[1]])

    def places_of(self, first: list[int], second: list[int]) -> NDArray[np.int64]:
        """The numbers of some pairs."""
        for pair in zip(first, second):
            if pair not in self._places:
                self._places[pair] = len(self.words)
                self.words.append(pair)
        return np.array([self._places[pair] for pair in zip(first, second)], np.int64)

    def mine(self) -> NDArray[np.int64]:
        """The states of the side that is looked at, by number of the pair."""
        return np.array(self.words, np.int64)[:, self._duel.side]

    def ended(self, place: int, how: How) -> tuple[NDArray[np.int64], NDArray[np.int64], Endings]:
        """Where a round from a pair leads, what is lost in it, and how likely or often that is."""
        duel = self._duel
        (endings,) = run(duel.setup, [duel.round], self.words[place], duel.scenario.ruleset, how)
        after = self.places_of(endings.first.tolist(), endings.second.tolist())
        before = duel.lost(np.array([self.words[place][duel.side]]))[0]
        return after, duel.lost(duel.words(endings)) - before, endings

    def round_from(self, place: int) -> _Round:
        """The law of a round from a pair, worked out once."""
        if place not in self._rounds:
            if len(self._rounds) >= MOST_STATES:
                raise _too_large(f"{MOST_STATES} pairs of states")
            after, lost, endings = self.ended(place, How())
            self._rounds[place] = _Round(after, lost, np.asarray(endings.weights, np.float64))
        return self._rounds[place]


def _too_large(what: str) -> InputError:
    problem = f"the losses of this duel come in too many courses: more than {what}"
    return InputError(problem, where="duel", allowed="fewer rounds or models, or the method monte-carlo")


def exact_stream(question: Question) -> Stream:
    """The joint law of the losses in all rounds.

    Raises
    ------
    InputError
        More states, or more courses of losses, than can be followed.
    """
    duel, models = fought(question), question.models
    pairs, numbers = _Pairs(duel), np.zeros((1, 0), np.int64)
    course, place, chance = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    fates = np.zeros((question.rounds_played, len(FATES)))
    for turn in range(question.rounds_played):
        keys, chance = _one_round(pairs, course * (models + 1), place, chance)
        course, place = keys
        courses, course = np.unique(course, return_inverse=True)
        numbers = np.column_stack([numbers[courses // (models + 1)], courses % (models + 1)])
        if len(numbers) > MOST_COURSES:
            raise _too_large(f"{MOST_COURSES} of them")
        fates[turn] = np.bincount(fates_of(pairs.mine()[place]), chance, len(FATES))
    return Stream(Courses(numbers, np.bincount(course, chance)), fates)


def _one_round(
    pairs: _Pairs, course: NDArray[np.int64], place: NDArray[np.int64], chance: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Courses and places after a round, each pair of them once, and their chances; `course` has room for a number."""
    parts, size = [], 0
    for each in np.unique(place):
        found, rows = pairs.round_from(int(each)), np.flatnonzero(place == each)
        size += len(rows) * len(found.after)
        if size > MOST_ENTRIES:
            raise _too_large(f"{MOST_ENTRIES} states with the losses that led to them")
        keys = np.array([(course[rows, None] + found.lost).ravel(), np.tile(found.after, len(rows))])
        parts.append((keys, (chance[rows, None] * found.chances).ravel()))
    keys, chances = (np.concatenate(part, axis=-1) for part in zip(*parts))
    order = np.lexsort(keys)
    keys, chances = keys[:, order], chances[order]
    firsts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    return keys[:, firsts], np.add.reduceat(chances, firsts)


def sampled_stream(question: Question, trials: int, seed: int, threads: int, report: Report) -> Stream:
    """What was lost in each round of so many duels, played round by round: every die rolled, every card drawn.

    Parameters
    ----------
    question : Question
    trials, seed, threads : int
        The same seed gives the same counts on any number of threads.
    report : callable
        Told the duels played so far and the number aimed at.
    """
    duel = fought(question)
    fates = np.zeros((question.rounds_played, len(FATES)), np.int64)
    seen: dict[tuple[int, ...], int] = {}
    for batch, done in enumerate(range(0, trials, BATCH)):
        some = min(BATCH, trials - done)

        def played(rounds: int, done: int = done, some: int = some) -> None:
            report(done + some * rounds // question.rounds_played, trials)

        for course, count in _batch(question, duel, some, (seed, batch), threads, fates, played):
            seen[course] = seen.get(course, 0) + count
    courses = sorted(seen)
    return Stream(Courses(np.array(courses, np.int64), np.array([seen[each] for each in courses], np.int64)), fates)


def _batch(
    question: Question, duel: Fought, trials: int, seed: tuple[int, int], threads: int, fates: NDArray[np.int64],
    played: Callable[[int], None],
) -> list[tuple[tuple[int, ...], int]]:  # fmt: skip
    """The courses of one batch of duels, and how often each was seen; `fates` are added to."""
    pairs, models = _Pairs(duel), question.models
    place, course, numbers = np.zeros(trials, np.int64), np.zeros(trials, np.int64), np.zeros((1, 0), np.int64)
    for turn in range(question.rounds_played):
        stream = np.random.default_rng((*seed, turn))
        place, lost = _played(pairs, place, stream, threads)
        courses, course = np.unique(course * (models + 1) + lost, return_inverse=True)
        numbers = np.column_stack([numbers[courses // (models + 1)], courses % (models + 1)])
        fates[turn] += np.bincount(fates_of(pairs.mine()[place]), minlength=len(FATES))
        played(turn + 1)
    return [(tuple(row), int(count)) for row, count in zip(numbers.tolist(), np.bincount(course))]


def _played(
    pairs: _Pairs, place: NDArray[np.int64], stream: np.random.Generator, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each trial stands after a round, and what it has lost in it.

    Trials in one state are played together; which of them each result is that of is shuffled, as they are alike.
    """
    after, lost = np.empty_like(place), np.empty_like(place)
    by_place = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[by_place], prepend=-1))
    for rows in np.split(by_place, starts[1:]):
        how = How(
            "monte-carlo", trials=len(rows), seed=int(stream.integers(1 << 63)), threads=threads, replacement=True
        )
        targets, losses, endings = pairs.ended(int(place[rows[0]]), how)
        drawn = stream.permutation(np.repeat(np.arange(len(targets)), endings.weights))
        after[rows], lost[rows] = targets[drawn], losses[drawn]
    return after, lost
