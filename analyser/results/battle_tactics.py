"""Game of tactics: each pair of tactics is simulated, and both sides play an equilibrium (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, probability_figures
from analyser.common.intervals import NORMAL_95
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, fill
from analyser.engine.battle.look_ahead_weights import BY_POLICY, TACTICS
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.policies import AUTO

_MOST_OF_A_PAIR = 10_000
_REPLAYED = 4  # factor of battles of the best and worst pair, simulated again with new random numbers
_WON, _LOST = (Outcome.VICTORY, Outcome.DEVASTATING_VICTORY), (Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT)
_ROUNDING = 1e-9
GAPS = "Terrain, objectives and line of sight are not modelled, and each can change the result."


class Game(NamedTuple):
    """Game of tactics of both sides.

    Attributes
    ----------
    names : tuple
        The compared tactics of the first and of the second army.
    rows : tuple of dict
        One per pair: `mine`, `yours`, `trials`, `p_victory`, `p_draw`, `p_defeat`. `picked` marks the pairs with the
        lowest and the highest chance, which were simulated again.
    scores : array
        Share of battles that the first army wins, for each pair; a draw counts as half a win.
    mixes : tuple of arrays
        Probabilities of the tactics of both armies in an equilibrium.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    rows: tuple[dict[str, Any], ...]
    scores: NDArray[np.float64]
    mixes: tuple[NDArray[np.float64], NDArray[np.float64]]

    def against_mix(self, side: int) -> NDArray[np.float64]:
        """Return the score of the first army with each tactic of a side against the equilibrium of the other one."""
        scores: NDArray[np.float64] = self.scores @ self.mixes[1] if side == 0 else self.mixes[0] @ self.scores
        return scores

    @property
    def trials(self) -> int:
        """Battles of a pair of tactics, except the pairs that were simulated again."""
        return int(min(row["trials"] for row in self.rows))

    def best(self, side: int) -> str | None:
        """Return the best tactic of a side; None if another is not significantly worse."""
        scores = self.against_mix(side) if side == 0 else 1.0 - self.against_mix(side)
        order = np.argsort(-scores, kind="stable")
        if len(order) == 1:
            return self.names[side][0]
        best, next_best = scores[order[:2]]
        error = np.sqrt((best * (1.0 - best) + next_best * (1.0 - next_best)) / self.trials)
        return self.names[side][int(order[0])] if best - next_best > NORMAL_95 * error else None

    @property
    def ends(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Pairs with the lowest and the highest chance of a victory of the first army."""
        picked = [row for row in self.rows if row["picked"]] or list(self.rows)
        return min(picked, key=_chance), max(picked, key=_chance)

    def figures(self) -> dict[str, Any]:
        """Return the game as plain data."""
        plays = [
            {"side": side, "tactic": name, "probability": float(share), "score": float(score)}
            for at, side in enumerate(SIDES)
            for name, share, score in zip(self.names[at], self.mixes[at], self.against_mix(at))
        ]
        return {"plays": plays, "pairs": [dict(row) for row in self.rows]}


def tried_of(scenario: BattleScenario, side: str) -> tuple[str, ...]:
    """Return the tactics of a side to compare: all, or the stated one."""
    stated = scenario.terms.side_term("tactic", side)
    return tuple(TACTICS) if stated == AUTO else (stated,)


def game_of(scenario: BattleScenario, simulation: Simulation, trials: int, sampling: Sampling) -> Game | None:
    """Simulate `trials` battles of each pair of tactics with common random numbers; None if both sides' are stated."""
    names = tried_of(scenario, SIDES[0]), tried_of(scenario, SIDES[1])
    if len(names[0]) == len(names[1]) == 1:
        return None
    pairs = list(product(*names))
    outcomes = _played(simulation, pairs, trials, sampling)
    scores = _scores(outcomes).reshape(len(names[0]), len(names[1]))
    mixes = equilibrium(scores)[0], equilibrium(1.0 - scores.T)[0]
    return Game(names, tuple(_rows(simulation, pairs, outcomes, sampling)), scores, mixes)


def equilibrium(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return an optimal mixed strategy over the rows of a zero-sum game, and the value of the game.

    >>> mix, value = equilibrium(np.array([[0.0, 1.0], [1.0, 0.5]]))
    >>> mix.round(3).tolist(), round(value, 3)
    ([0.333, 0.667], 0.667)
    """
    from scipy.optimize import linprog

    rows, columns = scores.shape
    goal = np.append(np.zeros(rows), -1.0)  # maximises the value, a lower bound of every column's score
    limits = np.hstack([-scores.T, np.ones((columns, 1))])
    whole = np.append(np.ones(rows), 0.0)[None]
    bounds = [(0.0, 1.0)] * rows + [(0.0, 1.0)]
    result = linprog(goal, limits, np.zeros(columns), whole, [1.0], bounds, method="highs")
    mix = np.where(result.x[:rows] > _ROUNDING, result.x[:rows], 0.0)
    return mix / mix.sum(), float(result.x[rows])


def _played(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], trials: int, sampling: Sampling
) -> NDArray[np.int64]:
    """Return the outcomes of the battles of each pair; shape (pairs, outcomes)."""
    size, seed, stopped = min(trials, _MOST_OF_A_PAIR), int(sampling.seed), Event()

    def play(pair: tuple[str, str]) -> NDArray[np.int64] | None:
        return None if stopped.is_set() else simulation.with_tactics(pair).play(size, seed).outcomes.sum(axis=0)

    with ThreadPoolExecutor(sampling.n_threads) as pool:
        try:
            played = [outcomes for outcomes in pool.map(play, pairs) if outcomes is not None]
        except BaseException:
            stopped.set()
            raise
    return np.stack(played)


def _scores(outcomes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of battles that the first army wins; a draw counts as half a win."""
    won = outcomes[..., _WON].sum(axis=-1) + 0.5 * outcomes[..., Outcome.DRAW]
    scores: NDArray[np.float64] = won / outcomes.sum(axis=-1)
    return scores


def _rows(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], outcomes: NDArray[np.int64], sampling: Sampling
) -> list[dict[str, Any]]:
    """Return a row per pair. The best and worst pair are simulated again, which removes the selection bias."""
    won = outcomes[:, _WON].sum(axis=-1)
    picked = {int(won.argmin()), int(won.argmax())}
    rows = []
    for place, pair in enumerate(pairs):
        counts = outcomes[place]
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
    """Return the name of a tactic in a sentence.

    >>> spoken("stand_off")
    'stand off'
    """
    return tactic.replace("_", " ")


def game_lines(game: Game | None, names: Mapping[str, str]) -> list[str]:
    """Return sentences on the effect of the tactics and on the tactics that both sides play."""
    if game is None:
        return [GAPS]
    least, most = game.ends
    lines = [
        f"Over {counted(len(game.rows), 'pair')} of tactics {names[SIDES[0]]} wins {estimate_in(least, 'p_victory')} "
        f"({_pair(least)}) to {estimate_in(most, 'p_victory')} ({_pair(most)})."
    ]
    free = [(at, side) for at, side in enumerate(SIDES) if len(game.names[at]) > 1]
    lines += [f"Equilibrium: {names[side]} uses {_mix(game, at)}." for at, side in free]
    return [*lines, "Neither side can improve by changing its tactic.", GAPS]


def _pair(row: dict[str, Any]) -> str:
    return f"{spoken(row['mine'])} against {spoken(row['yours'])}"


def _mix(game: Game, side: int) -> str:
    plays = sorted(zip(game.mixes[side], game.names[side]), reverse=True)
    shares = [(f"{100 * share:.0f}%", spoken(name)) for share, name in plays if share >= 0.005]
    return shares[0][1] if len(shares) == 1 else ", ".join(f"{name} {share}" for share, name in shares)


def by_tactic(game: Game, names: Mapping[str, str]) -> Block:
    """Return a table of the tactics of both sides, their probabilities, and the score of the first army."""
    lines = [
        [spoken(name), names[side], f"{100 * share:.0f}%", f"{100 * score:.1f}%", _told(name)]
        for at, side in enumerate(SIDES)
        for name, share, score in zip(game.names[at], game.mixes[at], game.against_mix(at))
    ]
    head = ("tactic", "army", "used", f"{names[SIDES[0]]} scores", "description")
    about = fill(
        "Score: battles won plus half of the draws, against the equilibrium of the other side. "
        f"{game.trials:,} battles a pair; each score is within {100 * NORMAL_95 / 2 / game.trials**0.5:.0f} "
        "percentage points."
    )
    return Block("Tactics", head, lines, "<<>><", lines=about)


def _told(name: str) -> str:
    return "follows the policies of its units" if name == BY_POLICY else TACTICS[name].description
