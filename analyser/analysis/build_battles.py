"""Battles of several lists against enemy armies, cached as they finish, and their ranking."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.cache import Cache, digest
from analyser.common.intervals import CONFIDENCE
from analyser.common.method_settings import Sampling
from analyser.common.text import whole_percent
from analyser.engine.battle.battle_data import CHUNK_BATTLES
from analyser.engine.battle.simulation import Simulation
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle

ByOrder = list[list[int]]  # battles won, drawn and played, for each order of activation
ORDERS = 16  # parts of the battles; each places the units of both sides anew
_DRAWN = 0.5  # a draw counts as half a win


class Played(NamedTuple):
    """Battles of one list against all enemy armies, with the units of both sides in several orders.

    `by_order` has for each order the number of battles won, drawn and played.
    """

    by_order: tuple[tuple[int, int, int], ...]
    is_tied: bool = False  # its difference from the best score is not significant

    @property
    def won(self) -> int:
        """Battles won."""
        return sum(won for won, _, _ in self.by_order)

    @property
    def drawn(self) -> int:
        """Battles drawn."""
        return sum(drawn for _, drawn, _ in self.by_order)

    @property
    def trials(self) -> int:
        """Battles played."""
        return sum(trials for _, _, trials in self.by_order)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Share of battles won in each order, a draw counting as half a win."""
        return np.array([(won + _DRAWN * drawn) / trials for won, drawn, trials in self.by_order])

    @property
    def score(self) -> float:
        """Mean of `scores` over the orders."""
        return float(self.scores.mean())

    @property
    def draws(self) -> float:
        """Share of battles drawn."""
        return self.drawn / self.trials

    @property
    def dice_variance(self) -> float:
        """Variance of the score by dice and cards alone, with one win, one draw and one loss added."""
        trials = self.trials + 3
        won, drawn = (self.won + 1) / trials, (self.drawn + 1) / trials
        mean = won + _DRAWN * drawn
        return (won + _DRAWN**2 * drawn - mean**2) / trials

    @property
    def wins_text(self) -> str:
        """Share of battles won, in percent."""
        return whole_percent(self.won / self.trials)

    @property
    def half_width(self) -> float:
        """Half of the 95% interval of the score, over all possible orders."""
        return half_width(self.scores, self.dice_variance, 1 - CONFIDENCE)

    @property
    def score_text(self) -> str:
        """Score with half of its interval."""
        return f"{100 * self.score:.1f} ±{100 * self.half_width:.1f}"

    def named(self, name: str) -> dict[str, float]:
        """Return the score and the ends of its interval under a name."""
        ends = max(self.score - self.half_width, 0.0), min(self.score + self.half_width, 1.0)
        return {name: self.score, f"{name}_low": ends[0], f"{name}_high": ends[1]}

    @property
    def range_text(self) -> str:
        """Lowest and highest score of the orders."""
        return f"{100 * self.scores.min():.0f} to {100 * self.scores.max():.0f}"

    def figures(self) -> dict[str, Any]:
        """Return the columns of a table."""
        ends = {"least_score": float(self.scores.min()), "greatest_score": float(self.scores.max())}
        won = {"p_victory": self.won / self.trials, "p_draw": self.draws}
        return {**won, **self.named("score"), **ends, "orders": len(self.by_order), "tied": self.is_tied}

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {"battles": self.trials, "won": self.won, "drawn": self.drawn, **self.figures()}


def half_width(scores: NDArray[np.float64], dice_variance: float, error: float) -> float:
    """Return half of the interval of a mean over random orders (Student's t), or by dice alone if that is wider."""
    from scipy.stats import norm, t

    of_dice: float = norm.ppf(1 - error / 2) * dice_variance**0.5
    orders = len(scores)
    if orders < 2:
        return of_dice
    spread: float = t.ppf(1 - error / 2, orders - 1) * scores.std(ddof=1) / orders**0.5
    return max(of_dice, spread)


def play_battles(lists: Sequence[Army], armies: Sequence[Army], sampling: Sampling, library: Profiles) -> list[Played]:
    """Return the battles of each list against each army in several orders; cached battles are not repeated."""
    orders, cache = min(ORDERS, sampling.first_trials()), Cache("battles")
    each_of = sampling.first_trials() // orders * orders
    total, done, answer = len(lists) * len(armies) * each_of, 0, []
    with sampling.with_bar() as reporting:
        for army in lists:
            counts = np.zeros((orders, 3), np.int64)
            for enemy in armies:
                key = _key(army, enemy, sampling, library)
                if (stored := cache.read(key)) is None:

                    def tell(played: int, before: int = done) -> None:
                        reporting.report(before + played, total)

                    stored = json.dumps(battles_by_order(army, enemy, reporting, library, tell)).encode()
                    cache.write(key, stored)
                done += each_of
                reporting.report(done, total)
                counts += np.array(json.loads(stored))
            answer.append(Played(tuple((won, drawn, trials) for won, drawn, trials in counts.tolist())))
    return answer


def battles_by_order(
    army: Army, enemy: Army, sampling: Sampling, library: Profiles, tell: Callable[[int], None]
) -> ByOrder:
    """Return battles won, drawn and simulated in each of several parts, which have separate random numbers.

    Each side looks ahead. Every list meets the enemy with the same random numbers.
    """
    scenario = battle_scenario(army, enemy, BattleTerms(), library.ruleset, library)
    simulation, seed = Simulation(*encode_battle(scenario)), int(sampling.seed)
    parts = min(ORDERS, sampling.first_trials())
    trials, result = sampling.first_trials() // parts, []
    apart = -(-trials // CHUNK_BATTLES) * CHUNK_BATTLES
    for number in range(parts):
        outcomes = simulation.play(trials, seed, sampling.n_threads, before=number * apart).outcomes.sum(axis=0)
        won = outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum()
        result.append([int(won), int(outcomes[Outcome.DRAW]), trials])
        tell(trials * (number + 1))
    return result


def _key(army: Army, enemy: Army, sampling: Sampling, library: Profiles) -> str:
    """Return a short cache key of everything that the battles of two armies depend on."""
    sides = army, enemy
    places = [one.to_table() for one in sides]  # includes reserves, transports, policies and boons
    profiles = [[unit.loadout.model_dump(mode="json") for unit in one.units] for one in sides]
    rules = library.ruleset.model_dump(mode="json"), library.force_rules.model_dump(mode="json")
    return digest([places, profiles, rules, ORDERS, sampling.first_trials(), int(sampling.seed)])


def ranked(played: Sequence[Played]) -> tuple[Played, ...]:
    """Mark lists whose difference from the best is not significant, at 95% for all comparisons together."""
    best, others = max(played, key=lambda one: one.score), max(len(played) - 1, 1)
    return tuple(one._replace(is_tied=not_told_apart(best, one, others)) for one in played)


def not_told_apart(best: Played, other: Played, comparisons: int = 1) -> bool:
    """Return True if the difference in score is not significant, with correction for the number of comparisons."""
    differences = best.scores - other.scores
    half = half_width(differences, best.dice_variance + other.dice_variance, (1 - CONFIDENCE) / comparisons)
    return bool(abs(differences.mean()) <= half)
