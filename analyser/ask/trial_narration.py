"""A simulated trial in words, die by die: selected by number, or as the worst, the median or the best.

Trials of morale questions are narrated here; those of fights in :mod:`.attack_narration` and :mod:`.fight_narration`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.attack_narration import attack_lines, figures_of, strike_of
from analyser.ask.fight_narration import ReadTrial, narrated_fights
from analyser.ask.memoised_solver import between, kind_in
from analyser.ask.metric_lookup import DESTROYED, LEAST, reading
from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice, check_integer, did_you_mean
from analyser.common.method_settings import Sampling
from analyser.common.records import plain
from analyser.common.text import spaced, word_of
from analyser.engine.attack.replay import replayed_trials
from analyser.engine.chain.chain import RECORD, Chain, Recorded, Story
from analyser.engine.chain.simulated import Rolled, replay
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.morale.api import answer_from, load_question
from analyser.morale.result import MoraleResult
from analyser.morale.systems import SYSTEMS
from analyser.results.attack import solve_attack
from analyser.scenarios.load import Question, Unit, check_whole, load, read_scenario

PICKS = ("worst", "median", "best")
MOST_TOLD = 1_000_000  # trials of an attack, each about 20 microseconds to replay
USUAL = 1000
MOST_FIGHTS = 10_000  # trials of longer fights, each some milliseconds
PICKED_BY = {**DESTROYED, "duel": "margin"}


@dataclass(frozen=True, repr=False)
class ToldTrial(Answer):
    """A trial of a sample, in words.

    Attributes
    ----------
    number, seed, trials : int
        Number of the trial, from 0, and the seed and size of the sample that counts it.
    lines : tuple of str
    figures : mapping
        Results by the names of events and figures.
    picked : str
        The figure by which the trial was picked; empty for a trial by number.
    profiles : ProfilesUsed or None
    ruleset : Ruleset or None
        Die and deck of a fight; None of other games.
    """

    number: int
    seed: int
    trials: int
    lines: tuple[str, ...]
    figures: Mapping[str, Any]
    picked: str = ""
    profiles: ProfilesUsed | None = None
    ruleset: Ruleset | None = None

    schema = "analyser/trial/1"

    @property
    def headline(self) -> str:
        """The first event of the trial that happened, in one sentence."""
        happened = next((name for name, value in self.figures.items() if value is True), "no event")
        return f"Trial {self.number} ended with: {spaced(happened)}."

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line."""
        return () if self.ruleset is None else (self.ruleset.assumption,)

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the trial by name."""
        return dict(self.figures)

    def blocks(self) -> list[Block]:
        """Return the story, after the number and the seed that reproduce it."""
        why = f", {self.picked}" if self.picked else ""
        return [Block(f"Trial {self.number} of {self.trials:,} of seed {self.seed}{why}"), Block(lines=self.lines)]

    def notes(self) -> list[str]:
        """Return die and deck."""
        return [f"Assumption: {text}." for text in self.assumptions]

    def _body(self) -> dict[str, Any]:
        record = {"number": self.number, "seed": self.seed, "trials": self.trials, "picked": self.picked}
        record |= {"figures": dict(self.figures), "lines": list(self.lines)}
        record["profiles"] = self.profiles and self.profiles.as_dict()
        if self.ruleset is not None:
            record |= {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)}
        return record

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each line."""
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
) -> ToldTrial:
    """Return a simulated trial in words: every die, hits and damage, cards, tests, and the fate of both sides.

    Parameters
    ----------
    question, target, profiles, conditions
        As in :func:`analyser.attack`, or of the function that `kind` names. Without a `target`: a whole question, which
        is an attack, a charge, focus fire, a duel, or about morale.
    kind : "attack", "charge" or "duel"
    trial : int, optional
        Number of the trial, from 0. Default: 0, or the one from `pick`.
    pick : "worst", "median" or "best", optional
        Select this trial of the sample by the figure; the first of equal trials.
    metric : str, optional
        The figure of `pick`: an event or a figure of the answer; for morale also after a round or turn
        (``"panicked@2"``); ``"...:least"`` if less is better. Default: models destroyed; for a duel the margin.
    trials : int, optional
        Size of the sample. Default: 1000, or enough to contain that trial; at most 10,000 for longer fights.
    seed : int

    Returns
    -------
    ToldTrial
        The trial that ``analyser.attack(..., method="monte-carlo", trials=trials, seed=seed)`` counts; likewise for a
        charge, focus fire or duel with real decks, and for ``analyser.morale``.

    Raises
    ------
    InputError
        No such trial, figure or fight.

    Examples
    --------
    >>> story = tell("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, pick="best")
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
            raise InputError("both a trial and a pick", where="trial", allowed="one of them")
    library = library_of(profiles)
    raw: Any = question if target is None else between(question, target, kind, conditions)  # type: ignore[arg-type]
    if target is None:
        if conditions:
            raise InputError("state this in the scenario, not as an option", where=next(iter(conditions)))
        check_whole(question, "target", library)
    of = kind_in(read_scenario(raw)[0])
    if of not in (*PICKED_BY, *TOLD):
        allowed = ", ".join((*PICKED_BY, *TOLD)) + "; analyser battle ... --tell N tells a battle" * (of == "battle")
        raise InputError(f"a question of {of} cannot be told as one trial", where="question", allowed=allowed)
    most, number = MOST_TOLD if of == "attack" else MOST_FIGHTS, trial or 0
    many = trials or max(min(USUAL, most), number + 1)
    if number >= many or many > most:
        raise InputError(f"trial {number} of {many:,}", where="trial", allowed=f"0 to {min(many, most) - 1}")
    scenario: Any = None if of in TOLD else load(raw, library)
    if scenario is None:
        sample = narrated_morale(of, raw, many, seed, library, number)
    else:
        sample = (_attacks if of == "attack" else narrated_fights)(scenario, many, seed, number)
    picked = ""
    if pick is None:
        story = next(sample)
    else:
        figure = metric or PICKED_BY.get(of, "")
        if not figure:
            allowed = f"such as {', '.join(next(sample).figures)}; NAME:least where less is better"
            raise InputError("by which figure?", where="metric", allowed=allowed)
        plain_figure = figure.removesuffix(LEAST)
        story = _picked(sample, pick, plain_figure, least=figure.endswith(LEAST))
        picked = f"the {pick} by {spaced(plain_figure)}: {word_of(story.figures[plain_figure])}"
    return ToldTrial(
        number=story.number,
        seed=int(seed),
        trials=many,
        lines=tuple(story.lines()),
        figures=story.figures,
        picked=picked,
        profiles=library.used,
        ruleset=getattr(scenario, "ruleset", None),
    )


def _attacks(scenario: Any, trials: int, seed: int, first: int) -> Iterator[ReadTrial]:
    """Yield the simulated trials of an attack, from number `first`."""
    result = solve_attack(scenario, Sampling("monte-carlo", trials=1, seed=seed))
    die, deck = np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()
    plan, fight = scenario.kept["plan"], plain(scenario.fight)
    for trial in replayed_trials(plan, die, deck, seed, trials, first):
        figures = figures_of(fight, strike_of(fight, plan.scores, trial))
        yield ReadTrial(trial.number, figures, partial(attack_lines, result, plan.scores, trial))


def _picked(sample: Iterator[ReadTrial], pick: str, figure: str, *, least: bool) -> ReadTrial:
    """Return the worst, the median or the best trial by a figure; the first of equal trials."""
    first: dict[Any, ReadTrial] = {}
    counts: Counter[Any] = Counter()
    for trial in sample:
        if figure not in trial.figures:
            problem = f"no figure {figure!r}{did_you_mean(figure, trial.figures)}"
            raise InputError(problem, where="metric", allowed=", ".join(trial.figures))
        value = trial.figures[figure]
        first.setdefault(value, trial)
        counts[value] += 1
    values = sorted(counts, reverse=least)
    if pick == "median":
        reached = itertools.accumulate(counts[value] for value in values)
        return next(first[value] for value, so_far in zip(values, reached) if 2 * so_far >= counts.total())
    return first[values[0 if pick == "worst" else -1]]


TOLD = tuple(system for system in SYSTEMS if system != "compare")  # it simulates paths drawn beforehand


class _Figures(Mapping[str, Any]):
    """Results of a trial by event or figure name, computed on first use from a sample of this trial alone."""

    def __init__(self, answer: Callable[[], MoraleResult]) -> None:
        self._answer = answer

    @cached_property
    def _result(self) -> MoraleResult:
        return self._answer()

    def __getitem__(self, name: str) -> Any:
        """Return a figure or an event; ``panicked@1`` is the event after round or turn 1."""
        plain = name.removeprefix("p_").partition("@")[0]
        is_event = plain in self._result.events
        metric = f"p_{name.removeprefix('p_')}" if is_event else name if name.startswith("mean_") else f"mean_{name}"
        try:
            value = reading(self._result, metric).value
        except InputError as error:
            if "@" in name and (is_event or plain in self._result.figures):
                raise
            raise KeyError(name) from error
        return bool(value) if is_event else int(value) if value == int(value) else value

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._result.events, *self._result.figures)))

    def __len__(self) -> int:
        return len(list(iter(self)))


def narrated_morale(
    system: str, question: Any, trials: int, seed: int, library: Profiles, first: int = 0
) -> Iterator[ReadTrial]:
    """Yield the simulated trials of a morale question, starting with number `first`."""
    ready = load_question(system, question, library)
    chains: dict[str, Chain] = SYSTEMS[system].answers.chains(ready)
    recorded = {name: replay(chain, trials, seed, part).recorded for part, (name, chain) in enumerate(chains.items())}

    def answer(number: int) -> MoraleResult:
        of_one = {name: _alone(states[:, number].tolist()) for name, states in recorded.items()}
        return answer_from(system, ready, of_one)

    def lines(number: int) -> list[str]:
        return [*answer(number).caption(100), *(line for part in range(len(chains)) for line in of_part(part, number))]

    def of_part(part: int, number: int) -> list[str]:
        name, chain = list(chains.items())[part]
        if chain.story is None:
            return []
        lines = chain_lines(chain.story, replay(chain, trials, seed, part, number).story)
        case = getattr(SYSTEMS[system].answers, "CASES", "")
        heading = f"== {case}: {name}" if case else f"== {name.capitalize()}"
        return [*(["", heading] if len(chains) > 1 else []), *lines]

    for number in range(first, trials):
        yield ReadTrial(number, _Figures(partial(answer, number)), partial(lines, number))


def _alone(states: Sequence[int]) -> Recorded:
    """Return the recorded distributions of a single trial, from its states."""
    met = np.unique(states)
    return Recorded(met, (np.array(states)[:, np.newaxis] == met).astype(np.int64))


class _Turn(NamedTuple):
    """A turn: its number, how it begins, and what happens in it."""

    number: int
    begins: str
    lines: list[str]


def chain_lines(story: Story, phases: Sequence[Rolled]) -> list[str]:
    """Return the rolls and their effects, turn by turn; turns in which nothing happens share one line."""
    turns = [_Turn(story.first, in_words(story.read(phases[0].before)), [])]
    recordings = 0
    for rolled in phases:
        if rolled.phase is RECORD:
            recordings += 1
            if recordings % story.records == 0:
                turns.append(_Turn(turns[-1].number + 1, in_words(story.read(rolled.after)), []))
            continue
        shown = ", ".join(rolled.dice)
        changes = changed(story.read(rolled.before), story.read(rolled.after))
        if shown or changes:
            turns[-1].lines.append(f"{rolled.phase.title}: {'; '.join([*([shown] if shown else []), *changes])}")
    *played, (_, ends, _) = turns
    return [*_turn_lines(story.turn, played), f"At the end: {ends}"]


def _turn_lines(name: str, turns: Sequence[_Turn]) -> Iterator[str]:
    waiting: list[int] = []
    for turn in (*turns, None):
        if turn is not None and not turn.lines:
            waiting.append(turn.number)
            continue
        if waiting and name:
            which = f"{name} {waiting[0]}" if len(waiting) == 1 else f"{name}s {waiting[0]} to {waiting[-1]}"
            yield f"-- {which}: nothing is rolled, and nothing changes"
        waiting = []
        if turn is not None:
            yield from ([f"-- {name} {turn.number}: {turn.begins}"] if name else [])
            yield from turn.lines


def in_words(said: Mapping[str, Any]) -> str:
    """Return a state in words; flags that are False are left out.

    >>> in_words({"tokens": 3, "suppressed": True, "panicked": False, "unit 1": "routed"})
    'tokens 3, suppressed, unit 1 routed'
    """
    parts = (name if value is True else f"{name} {_shown(value)}" for name, value in said.items() if value is not False)
    return ", ".join(parts)


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the differences between two states, in words.

    >>> changed({"tokens": 3, "panicked": True, "he": "holds"}, {"tokens": 1, "panicked": False, "he": "down"})
    ['tokens 3 to 1', 'no longer panicked', 'he: down']
    """
    changes = []
    for name, value in after.items():
        old = before.get(name)
        if value == old or (old is None and value is False):
            continue
        if isinstance(value, bool):
            changes.append(name if value else f"no longer {name}")
        elif isinstance(value, str) or old is None:
            changes.append(f"{name}: {_shown(value)}")
        else:
            changes.append(f"{name} {_shown(old)} to {_shown(value)}")
    return changes


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
