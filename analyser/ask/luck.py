"""Luck of one fight or a whole game: the observed outcome against the exact distribution of all outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from analyser.ask.keys import unit_at
from analyser.ask.luck_answer import Chance, Fought, Luck, SideLuck
from analyser.ask.memoised_solver import BATTLE, Solver, between, kind_in
from analyser.ask.metric_lookup import DESTROYED
from analyser.ask.observed_outcome import Pmf, fought, got_in
from analyser.common.distributions import Distribution
from analyser.common.errors import (
    InputError,
    MisspeltError,
    check_choice,
    check_text,
    did_you_mean,
    nearest,
    within,
)
from analyser.common.estimates import Method
from analyser.common.intervals import NORMAL_95
from analyser.common.method_settings import Sampling
from analyser.common.text import with_article
from analyser.game.profiles import ProfilesLike, library_of
from analyser.scenarios.load import OWN_SECTIONS, Question, Unit, check_whole, read_scenario


def luck(
    question: Unit | Question,
    target: Unit | None = None,
    *,
    got: Mapping[str, Any] | None = None,
    destroyed: int | None = None,
    kind: str = "attack",
    method: Method = "exact",
    trials: int | None = None,
    seed: int = 0,
    profiles: ProfilesLike | None = None,
    **conditions: Any,
) -> Luck:
    """Return the probability that a fight, or a whole game, goes as badly as it did, or worse.

    Parameters
    ----------
    question, target, profiles, conditions
        As in :func:`analyser.attack`. Without a `target`: a whole question of any kind, or the file of a game
        (`docs/at-the-table.md`): a list ``[[fight]]``, each a question with ``got``, ``side`` ("mine" or "yours") and
        ``label``.
    got : mapping
        The outcome, by figures and events of the answer, the most important first, such as
        ``{"destroyed": 2, "suppressed": True}``. Outcomes are ordered by these figures in turn. The end of a unit is
        one figure, its models gone: those destroyed, or all if it broke or fled. Events that are not listed count as
        "no".
    destroyed : int, optional
        Models of the enemy that were destroyed; the first entry of `got`.
    kind : "attack", "charge" or "duel"
    method, trials, seed
        As in :func:`analyser.attack`.

    Returns
    -------
    Luck

    Raises
    ------
    InputError
        An impossible outcome, an unknown figure, or an unusable file of a game.

    Examples
    --------
    >>> answer = luck("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, destroyed=0)
    >>> print(answer.fights[0].sentence)
    models destroyed: 0. Bad luck: as bad or worse happens in 7.12% of such attacks (exact; percentile 3.56%).
    """
    library, sampling = library_of(profiles), Sampling(method, trials, seed)
    solver = Solver(library, sampling)
    if target is not None:
        raw, where = between(cast("Unit", question), target, kind, conditions), ""
    else:
        check_whole(question, "target", library)
        raw, where = read_scenario(question)  # type: ignore[arg-type]
        if conditions:
            raise InputError("state this in the file, not as an option", where=next(iter(conditions)))
        check_is_game_or_question(raw, where)
    if FIGHT in raw:
        if got or destroyed is not None:
            raise InputError("state the results in the file of the game", where="got" if got else "destroyed")
        fights, sides = game_luck(solver, raw, where)
        return Luck(tuple(fights), tuple(sides), sampling, library.used)
    kind = kind_in(raw)
    if kind not in DESTROYED:
        asked = "a battle" if kind == BATTLE else "morale in other games"
        allowed = "an attack, a charge, focus fire, a duel; of a game its fights, one by one: [[fight]]"
        raise InputError(f"luck is not computed for {asked}", where=where or "question", allowed=allowed)
    report = got_in(got, destroyed)
    try:
        fight, _ = fought(solver.explained(raw), report)
    except InputError as error:
        raise error.inside(where) from None
    return Luck((fight,), (), sampling, library.used)


FIGHT = "fight"
SIDES = ("mine", "yours")
KINDS = ("attack", "charge", "focus")  # kinds of fights
_OF_A_FIGHT = ("side", "got", "label")
_SECTIONS = {"target", "ruleset"}.union(*OWN_SECTIONS.values())
_ALLOWED = (
    "side, got, label, and a question: attack and target; charge, attacker and target; attacks and target; ruleset"
)
_REDRAWN = 400  # resamples of simulated distributions, for the interval of their sum
_FINEST = 5_000  # largest denominator of fractions of a point in a sum


class Measured(NamedTuple):
    """A fight of a game, with the enemy's models that are gone, their distribution, and the enemy's points."""

    fought: Fought
    gone: int
    pmf: Pmf  # probability of 0, 1, ... models gone
    points: tuple[int, int] | None  # points, and the models they buy; None without a profile


def check_is_game_or_question(raw: Mapping[str, Any], where: str) -> None:
    """Raise InputError for a file that looks like a misspelt game; the message describes the form of a game."""
    if FIGHT in raw:
        return
    how = "[[fight]] for each fight of a game, with side, got, attack = {...} and target = {...}"
    if isinstance(raw.get("attack"), list):
        raise MisspeltError("this is a list", where=within(where, "attack"), allowed=how)
    unknown = next((key for key in raw if nearest(key, [FIGHT], most=1, likeness=0.7)), None)
    if unknown is not None:
        problem = f"unknown key{did_you_mean(unknown, [FIGHT])}"
        raise MisspeltError(problem, where=within(where, unknown), allowed=how)


def game_luck(asker: Solver, raw: Mapping[str, Any], where: str) -> tuple[list[Fought], list[SideLuck]]:
    """Return the fights of a game, and the total losses that each side has inflicted."""
    listed = raw[FIGHT]
    if unknown := raw.keys() - {FIGHT}:
        problem = f"unknown key{did_you_mean(min(unknown), [FIGHT])}"
        raise MisspeltError(problem, where=within(where, min(unknown)), allowed="[[fight]] alone")
    if not isinstance(listed, list) or not listed or not all(isinstance(fight, Mapping) for fight in listed):
        raise InputError("no fights", where=within(where, FIGHT), allowed="[[fight]] in double brackets, one or more")
    fights = []
    for number, fight in enumerate(listed, start=1):
        try:
            fights.append(_measured(asker, fight, number))
        except InputError as error:
            raise error.inside(within(where, f"fight {number}")) from None
    sides = (_summed(side, [fight for fight in fights if fight.fought.side == side]) for side in SIDES)
    return [fight.fought for fight in fights], [side for side in sides if side is not None]


def _measured(asker: Solver, fight: Mapping[str, Any], number: int) -> Measured:
    """Return a fight of a game, with its luck."""
    names = (*_OF_A_FIGHT, *sorted(_SECTIONS))
    if unknown := next((key for key in fight if key not in names), None):
        raise MisspeltError(f"unknown key{did_you_mean(unknown, names)}", where=str(unknown), allowed=_ALLOWED)
    question = {key: value for key, value in fight.items() if key not in _OF_A_FIGHT}
    side, label = fight.get("side", SIDES[0]), fight.get("label", f"fight {number}")
    check_choice(side, "side", SIDES)
    check_text(label, "label", "a text")
    kind = kind_in(question)
    if kind not in KINDS:
        raise InputError(f"{with_article(kind)} is not a fight of a game", allowed="an attack, a charge, focus fire")
    of_fight, pmf = fought(asker.explained(question), got_in(fight.get("got"), None), label=label, side=side)
    if of_fight.gone is None:
        problem, allowed = "the number of destroyed models is not stated", "destroyed = 2, or broken = true, and more"
        raise InputError(problem, where="got", allowed=allowed)
    unit = unit_at(question, kind, second=True)
    level = None if unit is None else asker.library.loadout(unit).level
    points = None if level is None or not level.points else (level.points, level.models)
    return Measured(of_fight, of_fight.gone[0], pmf, points)


def _sum_of(pmfs: Sequence[Pmf], worths: Sequence[int]) -> Pmf:
    """Return the distribution of the sum of independent numbers, each multiplied by its worth."""
    total: Pmf = np.ones(1)
    for pmf, worth in zip(pmfs, worths):
        spread = np.zeros((len(pmf) - 1) * worth + 1)
        spread[::worth] = pmf
        total = np.convolve(total, spread)
    return total


def _at(pmf: Pmf, place: int) -> Chance:
    """Return the probabilities of a number below `place`, equal to it, and above it."""
    below, same = float(pmf[:place].sum()), float(pmf[place])
    return Chance(min(below, 1.0), same, max(1.0 - below - same, 0.0))


def _summed(side: str, fights: Sequence[Measured]) -> SideLuck | None:
    """Return the total losses that a side has inflicted, and the distribution of that sum; None without fights."""
    if not fights:
        return None
    prices = [fight.points for fight in fights if fight.points is not None]
    parts = math.lcm(*(models for _, models in prices))
    in_points = len(prices) == len(fights) and parts <= _FINEST
    parts = parts if in_points else 1
    worths = [points * parts // models for points, models in prices] if in_points else [1] * len(fights)
    pmfs = [fight.pmf for fight in fights]
    place = sum(fight.gone * worth for worth, fight in zip(worths, fights))
    expected = sum(float(np.arange(len(pmf)) @ pmf) * worth for worth, pmf in zip(worths, pmfs)) / parts
    total, gone = _sum_of(pmfs, worths), place / parts
    (values,) = np.nonzero(total > 0)
    chance = _at(total, place)
    if (trials := fights[0].fought.trials) is not None:
        rng, redrawn = np.random.default_rng(place), []
        for _ in range(_REDRAWN):
            drawn = [rng.multinomial(trials, pmf / pmf.sum()) / trials for pmf in pmfs]
            again = _at(_sum_of(drawn, worths), place)
            redrawn.append((again.as_bad, again.as_good))
        chance = chance._replace(half_width=float(NORMAL_95 * np.std(redrawn, axis=0).max()))
    spread = Distribution("gone", values / parts, total[values], trials, is_combined=True)
    return SideLuck(side, "points" if in_points else "models", gone, expected, chance, spread)
