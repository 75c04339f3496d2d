"""Tactics of both sides as a game: each pair is simulated, and both sides play an equilibrium (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product, takewhile
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, plus_minus, probability_figures
from analyser.common.intervals import CONFIDENCE
from analyser.common.sampling import Sampling
from analyser.common.text import counted, fill
from analyser.engine.battle.simulation import Simulation
from analyser.engine.battle.tables import CHUNK_BATTLES
from analyser.engine.battle.tactics import BY_POLICY, TACTICS
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.policies import AUTO

_MOST_OF_A_PART = 1_250
PARTS = 8  # of the battles of each pair, which tell differences from chance
_REPLAYED = 4  # times as many battles: the pairs at the ends, with new random numbers
_WON, _LOST = (Outcome.VICTORY, Outcome.DEVASTATING_VICTORY), (Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT)
_ROUNDING = 1e-9
GAPS = "Terrain, objectives and line of sight are not modelled: each can move that."


class Game(NamedTuple):
    """The tactics of both sides as a game.

    Attributes
    ----------
    names : tuple
        The tactics of mine and of yours that were tried.
    rows : tuple of dict
        A pair each: `mine`, `yours`, `trials`, `p_victory`, `p_draw`, `p_defeat`; `picked` for the pairs with the least
        and the greatest chance, which were simulated anew.
    scores : array
        Of each pair the share of battles that mine wins, half of a draw counting as won; shape (mine, yours).
    mixes : tuple of arrays
        Probabilities of the tactics of mine and of yours in an equilibrium.
    value, half : float
        The score of the equilibrium, and half of its 95% interval.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    rows: tuple[dict[str, Any], ...]
    scores: NDArray[np.float64]
    mixes: tuple[NDArray[np.float64], NDArray[np.float64]]
    value: float
    half: float

    def against_mix(self, side: int) -> NDArray[np.float64]:
        """Return the score of mine with each tactic of a side against the equilibrium of the other one."""
        scores: NDArray[np.float64] = self.scores @ self.mixes[1] if side == 0 else self.mixes[0] @ self.scores
        return scores

    def best(self, side: int) -> str:
        """Return the tactic that a side plays most."""
        return self.names[side][int(self.mixes[side].argmax())]

    @property
    def ends(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The pairs with the least and the greatest chance of a victory of mine."""
        picked = [row for row in self.rows if row["picked"]] or list(self.rows)
        return min(picked, key=_chance), max(picked, key=_chance)

    def figures(self) -> dict[str, Any]:
        """Return the game as plain data."""
        plays = [
            {"side": side, "tactic": name, "probability": float(share), "score": float(score)}
            for at, side in enumerate(SIDES)
            for name, share, score in zip(self.names[at], self.mixes[at], self.against_mix(at))
        ]
        ends = {"low": max(self.value - self.half, 0.0), "high": min(self.value + self.half, 1.0)}
        return {"score": self.value, **ends, "plays": plays, "pairs": [dict(row) for row in self.rows]}


def tried_of(scenario: BattleScenario, side: str) -> tuple[str, ...]:
    """Return the tactics of a side to try: all, or the one that is stated."""
    stated = scenario.terms.of("tactic", side)
    return tuple(TACTICS) if stated == AUTO else (stated,)


def game_of(scenario: BattleScenario, simulation: Simulation, trials: int, sampling: Sampling) -> Game | None:
    """Simulate so many battles of each pair of tactics by the same random numbers; None if both sides' are stated."""
    names = tried_of(scenario, SIDES[0]), tried_of(scenario, SIDES[1])
    if len(names[0]) == len(names[1]) == 1:
        return None
    pairs = list(product(*names))
    outcomes = _played(simulation, pairs, trials, sampling)
    scores = _scores(outcomes).reshape(PARTS, len(names[0]), len(names[1]))
    whole = scores.mean(axis=0)
    mine, value = equilibrium(whole)
    yours, _ = equilibrium(1.0 - whole.T)
    return Game(names, tuple(_rows(simulation, pairs, outcomes, sampling)), whole, (mine, yours), value, _half(scores))


def equilibrium(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return an optimal mix of the rows of a zero-sum game, and its value: the least score, made as large as can be.

    >>> mix, value = equilibrium(np.array([[0.0, 1.0], [1.0, 0.5]]))
    >>> mix.round(3).tolist(), round(value, 3)
    ([0.333, 0.667], 0.667)
    """
    from scipy.optimize import linprog

    rows, columns = scores.shape
    goal = np.append(np.zeros(rows), -1.0)  # the value, which no column may undercut
    limits = np.hstack([-scores.T, np.ones((columns, 1))])
    whole = np.append(np.ones(rows), 0.0)[None]
    bounds = [(0.0, 1.0)] * rows + [(0.0, 1.0)]
    result = linprog(goal, limits, np.zeros(columns), whole, [1.0], bounds, method="highs")
    mix = np.where(result.x[:rows] > _ROUNDING, result.x[:rows], 0.0)
    return mix / mix.sum(), float(result.x[rows])


def _half(scores: NDArray[np.float64]) -> float:
    """Return half of the 95% interval of the value of a game: the jackknife over the parts of the battles."""
    from scipy.stats import t

    values = [equilibrium(np.delete(scores, part, axis=0).mean(axis=0))[1] for part in range(PARTS)]
    error = np.sqrt((PARTS - 1) * np.var(values))
    return float(t.ppf((1 + CONFIDENCE) / 2, PARTS - 1) * error)


def _played(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], trials: int, sampling: Sampling
) -> NDArray[np.int64]:
    """Return the outcomes of each part of the battles of each pair; shape (PARTS, pairs, outcomes)."""
    size, seed, stopped = min(max(trials // PARTS, 1), _MOST_OF_A_PART), int(sampling.seed), Event()
    befores = np.arange(PARTS) * -(-size // CHUNK_BATTLES) * CHUNK_BATTLES

    def play(pair: tuple[str, str]) -> list[NDArray[np.int64]]:
        played = simulation.with_tactics(pair)
        going_on = takewhile(lambda _: not stopped.is_set(), befores.tolist())
        return [played.play(size, seed, before=before).outcomes.sum(axis=0) for before in going_on]

    with ThreadPoolExecutor(sampling.n_threads) as pool:
        try:
            outcomes = list(pool.map(play, pairs))
        except BaseException:
            stopped.set()
            raise
    return np.stack(outcomes, axis=1)


def _scores(outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of battles that mine wins, half of a draw counting as won."""
    won = outcomes[..., _WON].sum(axis=-1) + 0.5 * outcomes[..., Outcome.DRAW]
    scores: NDArray[np.float64] = won / outcomes.sum(axis=-1)
    return scores


def _rows(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], outcomes: NDArray[np.int64], sampling: Sampling
) -> list[dict[str, Any]]:
    """Return a row a pair; the pairs at the ends are simulated anew, so that being picked does not move them."""
    whole = outcomes.sum(axis=0)
    won = whole[:, _WON].sum(axis=-1)
    picked = {int(won.argmin()), int(won.argmax())}
    rows = []
    for place, pair in enumerate(pairs):
        counts = whole[place]
        if place in picked:
            trials = _REPLAYED * int(counts.sum())
            again = simulation.with_tactics(pair).play(trials, int(sampling.seed) + 1, sampling.n_threads)
            counts = again.outcomes.sum(axis=0)
        trials = int(counts.sum())
        figures: dict[str, Any] = {"mine": pair[0], "yours": pair[1], "picked": place in picked, "trials": trials}
        for name, among in (("p_victory", _WON), ("p_draw", (Outcome.DRAW,)), ("p_defeat", _LOST)):
            figures |= probability_figures(name, estimate(float(counts[list(among)].sum()), trials))
        rows.append(figures)
    return rows


def _chance(row: dict[str, Any]) -> float:
    return float(row["p_victory"])


def spoken(tactic: str) -> str:
    """Return a tactic as it stands in a sentence.

    >>> spoken("stand_off")
    'stand off'
    """
    return tactic.replace("_", " ")


def game_lines(game: Game | None) -> list[str]:
    """Return sentences: how much the chance depends on the tactics, and what both sides play."""
    if game is None:
        return [GAPS]
    least, most = game.ends
    lines = [
        f"Over {counted(len(game.rows), 'pair')} of tactics mine wins {estimate_in(least, 'p_victory')} "
        f"({_pair(least)}) to {estimate_in(most, 'p_victory')} ({_pair(most)})."
    ]
    free = [(at, side) for at, side in enumerate(SIDES) if len(game.names[at]) > 1]
    lines += [f"{side.capitalize()} plays {_mix(game, at)}." for at, side in free]
    score = plus_minus(100 * game.value, 100 * game.half, "%") if game.half else f"{100 * game.value:.0f}%"
    return [*lines, f"In that equilibrium neither side gains by another tactic; it scores {score} for mine.", GAPS]


def _pair(row: dict[str, Any]) -> str:
    return f"{spoken(row['mine'])} against {spoken(row['yours'])}"


def _mix(game: Game, side: int) -> str:
    plays = sorted(zip(game.mixes[side], game.names[side]), reverse=True)
    told = [(f"{100 * share:.0f}%", spoken(name)) for share, name in plays if share >= 0.005]
    return told[0][1] if len(told) == 1 else ", ".join(f"{name} {share}" for share, name in told)


def by_tactic(game: Game) -> Block:
    """Return the tactics of both sides: how often each plays one, and the score of mine with it, as a table."""
    lines = [
        [spoken(name), side, f"{100 * share:.0f}%", f"{100 * score:.1f}%", _told(name)]
        for at, side in enumerate(SIDES)
        for name, share, score in zip(game.names[at], game.mixes[at], game.against_mix(at))
    ]
    head = ("tactic", "side", "played", "mine scores", "what it does")
    about = fill("Score: battles won, half of a draw counting as won, against the equilibrium of the other side.")
    return Block("Tactics", head, lines, "<<>><", lines=about)


def _told(name: str) -> str:
    return "follows the policies of its units" if name == BY_POLICY else TACTICS[name].told
