"""Luck of one fight or a whole game: the observed outcome against the distribution of all outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.keys import raw_unit
from analyser.ask.luck_answer import Chance, FightLuck, Luck, SideLuck
from analyser.ask.metric_lookup import DESTROYED
from analyser.ask.observed_outcome import Pmf, fight_luck, report_from
from analyser.ask.question_table import BATTLE, Solver, question_kind, read_question
from analyser.common.distributions import Distribution
from analyser.common.errors import InputError, MisspeltError, check_choice, check_text, did_you_mean, within
from analyser.common.estimates import Method
from analyser.common.intervals import NORMAL_95
from analyser.common.method_settings import Sampling
from analyser.common.text import with_article
from analyser.game.profiles import ProfilesLike, library_of
from analyser.scenarios.load import OWN_SECTIONS, Question, Unit


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
    """Return the luck of a fight or a game: the probabilities of a result this bad or worse, and this good or better.

    Parameters
    ----------
    question, target, profiles, conditions
        As in :func:`analyser.attack`. If `target` is None, `question` is a whole question about an attack, a charge,
        focus fire or a duel, or the file of a game (`docs/at-the-table.md`), which lists its fights as ``[[fight]]``.
        Each fight is a question with ``got``, ``side`` ("mine" or "yours") and ``label``.
    got : mapping
        The observed outcome: a value for each figure or event, such as ``{"destroyed": 2, "suppressed":
        True}``. Outcomes are ordered by the first figure, then by the next. Destroyed models, breaking and fleeing are
        compared as one figure, the models gone: those destroyed, or all if the unit broke or fled. If the losses of a
        unit are listed, then broken, fled and annihilated count as "no" unless listed too.
    destroyed : int, optional
        Destroyed models of the enemy; this becomes the first entry of `got`.
    kind : "attack", "charge" or "duel"
    method, trials, seed
        As in :func:`analyser.attack`.

    Raises
    ------
    InputError
        An impossible outcome, an unknown figure, or an unusable file.

    Examples
    --------
    >>> luck("crown/rifle-platoon@basic", "imperium/krupp@basic", distance=6, destroyed=0).headline
    'It was bad luck.'
    """
    library, sampling = library_of(profiles), Sampling(method, trials, seed)
    solver = Solver(library, sampling)
    raw, where = read_question(question, target, kind, conditions, library)
    if FIGHT in raw:
        if got or destroyed is not None:
            raise InputError("state the results in the file of the game", where="got" if got else "destroyed")
        fights, sides = game_luck(solver, raw, where)
        return Luck(tuple(fights), tuple(sides), sampling, library.used)
    kind = question_kind(raw)
    if kind not in DESTROYED:
        unsupported_kind = "a battle" if kind == BATTLE else "morale in other games"
        allowed = "an attack, a charge, focus fire, a duel; or a game as a list of its fights: [[fight]]"
        raise InputError(f"luck is not computed for {unsupported_kind}", where=where or "question", allowed=allowed)
    report = report_from(got, destroyed)
    try:
        fight = fight_luck(solver.in_full(raw), report)
    except InputError as error:
        raise error.inside(where) from None
    return Luck((fight,), (), sampling, library.used)


FIGHT = "fight"
SIDES = ("mine", "yours")
FIGHT_KINDS = ("attack", "charge", "focus")  # kinds of fights that a game can have
_REPORT_KEYS = ("side", "got", "label")  # keys of a fight besides its question
_SECTIONS = {"target", "ruleset"}.union(*OWN_SECTIONS.values())
_ALLOWED = (
    "side, got, label, ruleset, and a question: attack and target; charge, attacker and target; or attacks and target"
)
_RESAMPLES = 400  # resamples of simulated distributions, for the interval of their sum
_MOST_FRACTIONS = 5_000  # most parts into which a point is split; beyond it, losses are counted in models


class GameFight(NamedTuple):
    """A fight of a game: its luck, the enemy's models gone, and the enemy's points."""

    luck: FightLuck
    gone: int
    points: tuple[int, int] | None  # points and models of the enemy's loadout; None without a profile


def game_luck(solver: Solver, raw: Mapping[str, Any], where: str) -> tuple[list[FightLuck], list[SideLuck]]:
    """Return the luck in each fight of a game, and in the total losses that each side inflicted."""
    fight_tables = raw[FIGHT]
    if unknown := raw.keys() - {FIGHT}:
        problem = f"unknown key{did_you_mean(min(unknown), [FIGHT])}"
        raise MisspeltError(problem, where=within(where, min(unknown)), allowed="[[fight]] alone")
    is_list = isinstance(fight_tables, list) and all(isinstance(table, Mapping) for table in fight_tables)
    if not is_list or not fight_tables:
        raise InputError("no fights", where=within(where, FIGHT), allowed="[[fight]] in double brackets, one or more")
    fights = []
    for number, table in enumerate(fight_tables, start=1):
        try:
            fights.append(_game_fight(solver, table, number))
        except InputError as error:
            raise error.inside(within(where, f"fight {number}")) from None
    sides = (_side_luck(side, [fight for fight in fights if fight.luck.side == side]) for side in SIDES)
    return [fight.luck for fight in fights], [side for side in sides if side is not None]


def _game_fight(solver: Solver, fight: Mapping[str, Any], number: int) -> GameFight:
    names = (*_REPORT_KEYS, *sorted(_SECTIONS))
    if unknown := next((key for key in fight if key not in names), None):
        raise MisspeltError(f"unknown key{did_you_mean(unknown, names)}", where=str(unknown), allowed=_ALLOWED)
    question = {key: value for key, value in fight.items() if key not in _REPORT_KEYS}
    side, label = fight.get("side", SIDES[0]), fight.get("label", f"fight {number}")
    check_choice(side, "side", SIDES)
    check_text(label, "label", "a text")
    kind = question_kind(question)
    if kind not in FIGHT_KINDS:
        raise InputError(f"{with_article(kind)} is not a fight of a game", allowed="an attack, a charge, focus fire")
    report = report_from(fight.get("got"), None)
    result = fight_luck(solver.in_full(question), report, label=label, side=side)
    if result.gone is None:
        problem, allowed = "the number of destroyed models is not stated", "destroyed = 2, or broken = true, and more"
        raise InputError(problem, where="got", allowed=allowed)
    unit = raw_unit(question, kind, second=True)
    level = None if unit is None else solver.library.loadout(unit).level
    points = None if level is None or not level.points else (level.points, level.models)
    return GameFight(result, result.gone[0], points)


def _pmf_of_sum(pmfs: Sequence[Pmf], weights: Sequence[int]) -> Pmf:
    """Return the distribution of a weighted sum of independent numbers."""
    total: Pmf = np.ones(1)
    for pmf, weight in zip(pmfs, weights):
        weighted = np.zeros((len(pmf) - 1) * weight + 1)
        weighted[::weight] = pmf
        total = np.convolve(total, weighted)
    return total


def _chance_of(pmf: Pmf, number: int) -> Chance:
    fewer, equal = float(pmf[:number].sum()), float(pmf[number])
    return Chance(min(fewer, 1.0), equal, max(1.0 - fewer - equal, 0.0))


def _side_luck(side: str, fights: Sequence[GameFight]) -> SideLuck | None:
    """Return the luck in the total losses that a side inflicted; None without fights."""
    if not fights:
        return None
    prices = [fight.points for fight in fights if fight.points is not None]
    fractions = math.lcm(*(models for _, models in prices))  # parts of a point, so that each model costs whole parts
    in_points = len(prices) == len(fights) and fractions <= _MOST_FRACTIONS
    fractions = fractions if in_points else 1
    weights = [points * fractions // models for points, models in prices] if in_points else [1] * len(fights)
    pmfs = [fight.luck.gone_pmf for fight in fights]
    losses = sum(fight.gone * weight for weight, fight in zip(weights, fights))
    expected = sum(float(np.arange(len(pmf)) @ pmf) * weight for weight, pmf in zip(weights, pmfs)) / fractions
    total = _pmf_of_sum(pmfs, weights)
    (values,) = np.nonzero(total > 0)
    chance = _chance_of(total, losses)
    if (trials := fights[0].luck.result.trials) is not None:
        rng, resampled = np.random.default_rng(losses), []
        for _ in range(_RESAMPLES):
            pmfs_again = [rng.multinomial(trials, pmf / pmf.sum()) / trials for pmf in pmfs]
            resampled_chance = _chance_of(_pmf_of_sum(pmfs_again, weights), losses)
            resampled.append((resampled_chance.as_bad, resampled_chance.as_good))
        chance = chance._replace(half_width=float(NORMAL_95 * np.std(resampled, axis=0).max()))
    distribution = Distribution("gone", values / fractions, total[values], trials, is_combined=True)
    return SideLuck(side, "points" if in_points else "models", losses / fractions, expected, chance, distribution)
