"""A trial of a sample in words, die by die: by its number, or the worst, the median or the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from analyser.ask.memoised_solver import between, kind_in
from analyser.ask.readings import DESTROYED, LEAST
from analyser.ask.told_attack import attack_lines, came_to, figures_of_trial
from analyser.ask.told_fight import ReadTrial, told_fights
from analyser.ask.told_morale import TOLD, told_morale
from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice, check_integer, did_you_mean
from analyser.common.records import plain
from analyser.common.sampling import Sampling
from analyser.common.text import spaced, word_of
from analyser.engine.attack.told import trials_again
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.results.attack import solve_attack
from analyser.scenarios.load import Question, Unit, check_whole, load, read_scenario

PICKS = ("worst", "median", "best")
MOST_TOLD = 1_000_000  # of a sample that is read again, an attack takes some 20 microseconds
USUAL = 1000
MOST_FIGHTS = 10_000  # of longer fights, some milliseconds
PICKED_BY = {**DESTROYED, "duel": "margin"}


@dataclass(frozen=True, repr=False)
class ToldTrial(Answer):
    """A trial of a sample, in words.

    Attributes
    ----------
    number, seed, trials : int
        Number of the trial, from 0, and the seed and size of its sample: the same trial, die by die, that such a
        sample counts.
    lines : tuple of str
    figures : mapping
        Results by the names of events and figures.
    picked : str
        How it was picked: by its number, or by a figure.
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

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line."""
        return () if self.ruleset is None else (self.ruleset.assumed,)

    schema = "analyser/trial/1"

    @property
    def headline(self) -> str:
        """The first event of the trial that happened, in one sentence."""
        happened = next((name for name, value in self.figures.items() if value is True), "no event")
        return f"Trial {self.number} ended with: {spaced(happened)}."

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the trial by name."""
        return dict(self.figures)

    def blocks(self) -> list[Block]:
        """The story, after the number that tells it again."""
        why = f", {self.picked}" if self.picked else ""
        return [Block(f"Trial {self.number} of {self.trials:,} of seed {self.seed}{why}"), Block(lines=self.lines)]

    def notes(self) -> list[str]:
        """Die and deck."""
        return [f"Assumption: {each}." for each in self.assumptions]

    def _body(self) -> dict[str, Any]:
        head = {"number": self.number, "seed": self.seed, "trials": self.trials, "picked": self.picked}
        used = self.profiles and self.profiles.as_dict()
        return {**head, "figures": dict(self.figures), "lines": list(self.lines), "profiles": used} | (
            {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)} if self.ruleset else {}
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row a line: what ``--format csv`` prints."""
        return [{"number": self.number, "line": each} for each in self.lines]


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
    """Return a trial of a sample in words: every die, hits and damage, cards, tests, and the fate of both sides.

    Parameters
    ----------
    question, target, profiles, conditions
        As of :func:`analyser.attack`, or of the function that `kind` names; without a `target` a whole question: an
        attack, a charge, focus fire, a duel, or one about morale.
    kind : "attack", "charge" or "duel"
    trial : int, optional
        Number of the trial, from 0. Default: 0, or the one from `pick`.
    pick : "worst", "median" or "best", optional
        Pick this trial of the sample by the figure; of equals the first.
    metric : str, optional
        The figure of `pick`: an event or a figure of the answer, of morale also after a round or turn
        (``"panicked@2"``); ``"...:least"`` where less is better. Default: models destroyed; of a duel the margin.
    trials : int, optional
        Size of the sample. Default: 1000, or enough to contain that trial; at most 10,000 for longer fights.
    seed : int

    Returns
    -------
    ToldTrial
        The trial that ``analyser.attack(..., method="monte-carlo", trials=trials, seed=seed)`` counts, or that of a
        charge, focus fire or duel with real decks, or that of ``analyser.morale``.

    Raises
    ------
    InputError
        No such trial, figure or fight.

    Examples
    --------
    >>> told = tell("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, pick="best")
    >>> told.figures["models_destroyed"]
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
            raise InputError("this stands in the scenario", where=next(iter(conditions)))
        check_whole(question, "target", library)
    of = kind_in(read_scenario(raw)[0])
    if of not in (*PICKED_BY, *TOLD):
        allowed = ", ".join((*PICKED_BY, *TOLD))
        if of == "battle":
            allowed += "; analyser battle ... --tell N tells a battle"
        raise InputError(f"a question of {of} is not told", where="question", allowed=allowed)
    most = MOST_TOLD if of == "attack" else MOST_FIGHTS
    number = trial or 0
    many = trials or max(min(USUAL, most), number + 1)
    if number >= many or many > most:
        raise InputError(f"trial {number} of {many:,}", where="trial", allowed=f"0 to {min(many, most) - 1}")
    first = number if pick is None else 0
    scenario: Any = None if of in TOLD else load(raw, library)
    read = told_morale(of, raw, many, seed, library, first) if scenario is None else _read(scenario, many, seed, first)
    picked = ""
    if pick is None:
        found = next(read)
    else:
        figure = metric or PICKED_BY.get(of, "")
        if not figure:
            allowed = f"such as {', '.join(next(read).figures)}; NAME:least where less is better"
            raise InputError("by which figure?", where="metric", allowed=allowed)
        found = _picked(read, pick, figure.removesuffix(LEAST), least=figure.endswith(LEAST))
        figure = figure.removesuffix(LEAST)
        picked = f"the {pick} by {spaced(figure)}: {word_of(found.figures[figure])}"
    return ToldTrial(
        found.number,
        int(seed),
        many,
        tuple(found.lines()),
        found.figures,
        picked,
        library.used,
        getattr(scenario, "ruleset", None),
    )


def _read(scenario: Any, trials: int, seed: int, first: int) -> Iterator[ReadTrial]:
    """The trials of a sample of a fight that is told, from `first` on."""
    read = _attacks if scenario.kind == "attack" else told_fights
    return read(scenario, trials, seed, first)


def _attacks(scenario: Any, trials: int, seed: int, first: int) -> Iterator[ReadTrial]:
    """The attacks of a sample, from `first` on."""
    result = solve_attack(scenario, Sampling("monte-carlo", trials=1, seed=seed))
    die, deck = np.array(scenario.ruleset.die.faces, np.int64), scenario.ruleset.deck.counts()
    plan, fight = scenario.kept["plan"], plain(scenario.fight)
    for each in trials_again(plan, die, deck, seed, trials, first):
        figures = figures_of_trial(came_to(fight, plan.scores, each), plan.scores)
        yield ReadTrial(each.number, figures, partial(attack_lines, result, plan.scores, each))


def _picked(read: Iterator[ReadTrial], pick: str, figure: str, *, least: bool) -> ReadTrial:
    """The worst, the median or the best of a sample by a figure, of equals the first."""
    first: dict[Any, ReadTrial] = {}
    counts: dict[Any, int] = {}
    for each in read:
        if figure not in each.figures:
            problem = f"no figure {figure!r}{did_you_mean(figure, each.figures)}"
            raise InputError(problem, where="metric", allowed=", ".join(each.figures))
        value = each.figures[figure]
        first.setdefault(value, each)
        counts[value] = counts.get(value, 0) + 1
    values: Sequence[Any] = sorted(counts, reverse=least)
    if pick != "median":
        return first[values[0 if pick == "worst" else -1]]
    half, so_far = (sum(counts.values()) + 1) // 2, 0
    for value in values:
        so_far += counts[value]
        if so_far >= half:
            return first[value]
    raise AssertionError("a sample has a median")
