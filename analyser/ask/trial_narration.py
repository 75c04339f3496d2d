"""Text of a simulated trial, die by die; the trial is selected by number, or as worst, median or best."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from analyser.ask.attack_narration import attack_trials
from analyser.ask.fight_narration import fight_trials
from analyser.ask.metric_lookup import DESTROYED, LEAST_SUFFIX, metric_value
from analyser.ask.narration import NarratedTrial, changes_between, state_text
from analyser.ask.question_table import question_kind, read_question
from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice, check_integer, did_you_mean
from analyser.common.text import paragraphs, spaced, text_of
from analyser.engine.chain.chain import RECORD, Chain, Recorded, Story
from analyser.engine.chain.simulated import NarratedPhase, replay
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.morale.api import answer_to, load_question
from analyser.morale.result import MoraleResult
from analyser.morale.systems import SYSTEMS
from analyser.scenarios.load import Question, Unit, load

PICKS = ("worst", "median", "best")
MOST_TRIALS_OF_ATTACK = 100_000  # dice are rolled until they give the trial's score: for a rare one 100,000 times
MOST_TRIALS_OF_FIGHT = 10_000  # each trial takes some milliseconds
DEFAULT_TRIALS = 1000
NARRATED_SYSTEMS = tuple(system for system in SYSTEMS if system != "compare")  # `compare` has no steps to describe
DEFAULT_METRIC = {**DESTROYED, "duel": "margin"}


@dataclass(frozen=True, repr=False)
class TrialNarration(Answer):
    """A simulated trial in words.

    Attributes
    ----------
    number, seed, trials : int
        Number of the trial, from 0; seed and number of trials of the simulation to which it belongs.
    figures : mapping
        Value of each event and figure.
    picked : str
        How the trial was selected, such as "the worst by hits: 0"; empty for a trial by number.
    warnings : tuple of str
        Warnings about the interpretation of the question.
    """

    number: int
    seed: int
    trials: int
    lines: tuple[str, ...]
    figures: Mapping[str, Any]
    picked: str = ""
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None
    ruleset: Ruleset | None = None

    schema = "analyser/trial/1"

    @property
    def headline(self) -> str:
        """The first event that occurred in the trial, in a sentence; without an event, the models destroyed."""
        event = next((spaced(name) for name, value in self.figures.items() if value is True), "")
        event = event[:1].upper() + event[1:] if event.startswith(("a ", "b ")) else event  # side A or B of a duel
        counts = (f"{spaced(name)} {self.figures[name]}" for name in DESTROYED.values() if name in self.figures)
        return f"Trial {self.number} ended with: {event or next(counts, 'no event')}."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line."""
        return () if self.ruleset is None else (self.ruleset.assumption,)

    @property
    def summary(self) -> dict[str, Any]:
        return dict(self.figures)

    def blocks(self) -> list[Block]:
        how_picked = f", {self.picked}" if self.picked else ""
        heading = f"Trial {self.number} of {self.trials:,} with seed {self.seed}{how_picked}"
        return [Block(heading), Block(lines=self.lines)]

    def notes(self) -> list[str]:
        assumptions = [f"Assumption: {text}." for text in self.assumptions]
        return paragraphs([assumptions, [f"Warning: {text}." for text in self.warnings]])

    def _body(self) -> dict[str, Any]:
        record = {"number": self.number, "seed": self.seed, "trials": self.trials, "picked": self.picked}
        record |= {"figures": dict(self.figures), "lines": list(self.lines), "warnings": list(self.warnings)}
        record["profiles"] = self.profiles and self.profiles.as_dict()
        if self.ruleset is not None:
            record |= {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)}
        return record

    def rows(self) -> list[dict[str, Any]]:
        return [{"number": self.number, "line": line} for line in self.lines]


def tell(
    question: Unit | Question,
    target: Unit | None = None,
    *,
    kind: str = "attack",
    trial: int | None = None,
    pick: str | None = None,
    metric: str | None = None,
    trials: int | None = None,
    seed: int = 0,
    profiles: ProfilesLike | None = None,
    **conditions: Any,
) -> TrialNarration:
    """Return a simulated trial in words: every die, hits and damage, cards, tests, and the fate of both sides.

    Parameters
    ----------
    question, target, profiles, conditions
        As in :func:`analyser.attack`, or in the function that `kind` names. Without a `target`: a whole question about
        an attack, a charge, focus fire, a duel or morale.
    kind : "attack", "charge" or "duel"
    trial : int, optional
        Number of the trial, from 0. Default: 0, or the trial selected by `pick`.
    pick : "worst", "median" or "best", optional
        Select the worst, the median or the best simulated trial by `metric`; of equal trials the first.
    metric : str, optional
        An event or a figure of the answer, for morale also after a round or turn (``"panicked@2"``). Append ``:least``
        if less is better. Default: models destroyed; for a duel the margin.
    trials : int, optional
        Number of simulated trials. Default: 1000, or enough to contain `trial`. At most 100,000 for an attack, else
        10,000.

    Returns
    -------
    TrialNarration
        One of the trials of ``analyser.attack(..., method="monte-carlo", trials=trials, seed=seed)``; likewise for a
        charge, focus fire or duel without `replacement`, and for ``analyser.morale``.

    Raises
    ------
    InputError
        No such trial or figure, or an unusable question.

    Examples
    --------
    >>> story = tell("crown/rifle-p@basic", "imperium/krupp@basic", distance=6, pick="best")
    >>> story.figures["models_destroyed"]
    4
    """
    check_integer(seed, "seed", 0)
    for name, value, least in (("trial", trial, 0), ("trials", trials, 1)):
        if value is not None:
            check_integer(value, name, least)
    if pick is not None:
        check_choice(pick, "pick", PICKS)
        if trial is not None:
            raise InputError("both `trial` and `pick` are stated", where="trial", allowed="one of them")
    library = library_of(profiles)
    raw, _ = read_question(question, target, kind, conditions, library)
    asked_kind = question_kind(raw)
    asked: Any = question if target is None else raw  # a file may refer to other files by relative paths
    if asked_kind not in (*DEFAULT_METRIC, *NARRATED_SYSTEMS):
        allowed = ", ".join((*DEFAULT_METRIC, *NARRATED_SYSTEMS))
        allowed += "; analyser battle ... --tell N describes a battle" * (asked_kind == "battle")
        raise InputError(f"a trial of the kind {asked_kind} cannot be described", where="question", allowed=allowed)
    most, number = MOST_TRIALS_OF_ATTACK if asked_kind == "attack" else MOST_TRIALS_OF_FIGHT, trial or 0
    if trials is not None and trials > most:
        raise InputError(f"{trials:,} trials", where="trials", allowed=f"up to {most:,}")
    trial_count = trials or max(DEFAULT_TRIALS, number + 1)
    if number >= min(trial_count, most):
        allowed = f"0 to {min(trial_count, most) - 1}"
        raise InputError(f"trial {number} of {trial_count:,}", where="trial", allowed=allowed)
    scenario: Any = None
    if asked_kind in NARRATED_SYSTEMS:
        sample = morale_trials(asked_kind, asked, trial_count, seed, library, number)
    else:
        scenario, end = load(asked, library), number + 1 if pick is None else trial_count
        sample = (attack_trials if asked_kind == "attack" else fight_trials)(scenario, end, seed, number)
    narrated, how_picked = next(sample), ""
    if pick is not None:
        narrated, figure = _pick(narrated, sample, pick, metric or DEFAULT_METRIC.get(asked_kind, ""))
        how_picked = f"the {pick} by {spaced(figure)}: {text_of(narrated.figures[figure])}"
    return TrialNarration(
        number=narrated.number,
        seed=int(seed),
        trials=trial_count,
        lines=tuple(narrated.lines()),
        figures=narrated.figures,
        picked=how_picked,
        warnings=narrated.warnings(),
        profiles=library.used,
        ruleset=getattr(scenario, "ruleset", None),
    )


def _pick(first: NarratedTrial, others: Iterator[NarratedTrial], pick: str, metric: str) -> tuple[NarratedTrial, str]:
    """Return the worst, the median or the best trial by a metric (the first of equal trials); and the figure's name."""
    if not metric:
        allowed = f"such as {', '.join(first.figures)}; NAME:least where less is better"
        raise InputError(f"no figure is stated by which to pick the {pick} trial", where="metric", allowed=allowed)
    figure = metric.removesuffix(LEAST_SUFFIX)
    if figure not in first.figures:
        problem = f"unknown figure {figure!r}{did_you_mean(figure, first.figures)}"
        raise InputError(problem, where="metric", allowed=", ".join(first.figures))
    trials = sorted((first, *others), key=lambda trial: trial.figures[figure], reverse=metric.endswith(LEAST_SUFFIX))
    value = trials[{"worst": 0, "median": (len(trials) - 1) // 2, "best": -1}[pick]].figures[figure]
    return next(trial for trial in trials if trial.figures[figure] == value), figure


class _Figures(Mapping[str, Any]):
    """Value of each event and figure of a trial, computed on first use."""

    def __init__(self, answer: Callable[[], MoraleResult]) -> None:
        self._answer = answer

    @cached_property
    def _result(self) -> MoraleResult:
        return self._answer()

    def __getitem__(self, name: str) -> Any:
        """Return a figure or an event; ``panicked@1`` is the event after round 1, ``routed@unit=2`` that of unit 2."""
        plain = name.removeprefix("p_").partition("@")[0]
        is_event = plain in self._result.events
        metric = f"p_{name.removeprefix('p_')}" if is_event else name if name.startswith("mean_") else f"mean_{name}"
        try:
            value = metric_value(self._result, metric).value
        except InputError as error:
            if is_event or plain in self._result.figures:
                raise
            raise KeyError(name) from error
        return bool(value) if is_event else int(value) if value == int(value) else value

    def __iter__(self) -> Iterator[str]:
        metrics = {name: name for name in self._result.figures} | {name: f"p_{name}" for name in self._result.events}
        return (f"{name}{ending}" for name, metric in metrics.items() for ending in self._result.endings(metric))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def morale_trials(
    system: str, question: Any, trials: int, seed: int, library: Profiles, first: int = 0
) -> Iterator[NarratedTrial]:
    """Yield the simulated trials of a morale question, numbers `first` to `trials` - 1."""
    checked_question = load_question(system, question, library)
    chains: dict[str, Chain] = SYSTEMS[system].answers.chains(checked_question)
    recorded = {name: replay(chain, trials, seed, part).recorded for part, (name, chain) in enumerate(chains.items())}

    def answer(number: int) -> MoraleResult:
        recorded_trial = {name: _recorded_states(states[:, number].tolist()) for name, states in recorded.items()}
        return answer_to(system, checked_question, recorded_trial)

    def lines(number: int) -> list[str]:
        result, case = answer(number).caption(100), getattr(SYSTEMS[system].answers, "CASES", "")
        for part, (name, chain) in enumerate(chains.items()):
            if chain.story is not None:
                if len(chains) > 1:
                    result += ["", f"== {case}: {name}" if case else f"== {name.capitalize()}"]
                result += chain_lines(chain.story, replay(chain, trials, seed, part, number).story)
        return result

    def warnings(number: int) -> tuple[str, ...]:
        return answer(number).warnings

    for number in range(first, trials):
        figures = _Figures(partial(answer, number))
        yield NarratedTrial(number, figures, partial(lines, number), partial(warnings, number))


def _recorded_states(states: Sequence[int]) -> Recorded:
    distinct = np.unique(states)
    return Recorded(distinct, (np.array(states)[:, np.newaxis] == distinct).astype(np.int64))


def chain_lines(story: Story, phases: Sequence[NarratedPhase]) -> list[str]:
    """Return lines about rolls and effects in each turn; successive turns without rolls or effects share one line."""
    turns = [(story.first, state_text(story.read(phases[0].before)), list[str]())]
    recordings = 0
    for narrated_phase in phases:
        if narrated_phase.phase is RECORD:
            recordings += 1
            if recordings % story.records == 0:
                turns.append((turns[-1][0] + 1, state_text(story.read(narrated_phase.after)), []))
            continue
        dice = ", ".join(narrated_phase.dice)
        changes = changes_between(story.read(narrated_phase.before), story.read(narrated_phase.after))
        if dice or changes:
            turns[-1][2].append(f"{narrated_phase.phase.title}: {'; '.join([*([dice] if dice else []), *changes])}")
    *finished_turns, (_, end_state, _) = turns
    return [*_turn_lines(story.turn, finished_turns), f"At the end: {end_state}"]


def _turn_lines(name: str, turns: Sequence[tuple[int, str, list[str]]]) -> Iterator[str]:
    for is_eventless, group in itertools.groupby(turns, key=lambda turn: not turn[2]):
        same = list(group)
        if is_eventless and name:
            first, last = same[0][0], same[-1][0]
            which = f"{name} {first}" if first == last else f"{name}s {first} to {last}"
            yield f"-- {which}: nothing is rolled, and nothing changes"
        for number, start, lines in [] if is_eventless else same:
            yield from ([f"-- {name} {number}: {start}"] if name else [])
            yield from lines
