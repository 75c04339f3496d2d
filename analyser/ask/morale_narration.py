"""A trial of a morale question in words: every roll of each Markov chain, and its effect by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.fight_narration import ReadTrial
from analyser.ask.readings import reading
from analyser.common.errors import InputError
from analyser.engine.chain.chain import RECORD, Chain, Recorded, Story
from analyser.engine.chain.simulated import Rolled, replay
from analyser.game.profiles import Profiles
from analyser.morale.api import answer_from, load_question
from analyser.morale.result import MoraleResult
from analyser.morale.systems import SYSTEMS

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
