"""Tactics of a battle: simulation of each pair, and the equilibrium that both sides play (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, probability_figures
from analyser.common.intervals import NORMAL_95
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, fill, spaced
from analyser.engine.battle.look_ahead_weights import BY_POLICY, TACTICS
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.policies import AUTO

_MOST_BATTLES_PER_PAIR = 10_000
_REPLAY_FACTOR = 4  # factor of the number of battles when the extreme pairs are simulated again
WON, LOST = [Outcome.VICTORY, Outcome.DEVASTATING_VICTORY], [Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT]
_ROUNDING = 1e-9


class Game(NamedTuple):
    """Zero-sum game in which both sides choose a tactic."""

    names: tuple[tuple[str, ...], tuple[str, ...]]  # the compared tactics of each army
    rows: tuple[dict[str, Any], ...]  # one per pair of tactics; the `picked` pairs were simulated again
    scores: NDArray[np.float64]  # share of battles that the first army wins, for each pair; a draw counts as half a win
    mixes: tuple[NDArray[np.float64], NDArray[np.float64]]  # probabilities of the tactics in an equilibrium

    def scores_against_mix(self, side: int) -> NDArray[np.float64]:
        """Return the score of the first army for each tactic of a side, if the other side plays its equilibrium."""
        return np.asarray(self.scores @ self.mixes[1] if side == 0 else self.mixes[0] @ self.scores)

    @property
    def trials(self) -> int:
        """Battles simulated for each pair of tactics; the pairs simulated again have more."""
        return int(min(row["trials"] for row in self.rows))

    def best(self, side: int) -> str | None:
        """Return the best tactic of a side; None if the second best is not significantly worse."""
        scores = self.scores_against_mix(side) if side == 0 else 1.0 - self.scores_against_mix(side)
        order = np.argsort(-scores, kind="stable")
        if len(order) == 1:
            return self.names[side][0]
        best, next_best = scores[order[:2]]
        error = np.sqrt((best * (1.0 - best) + next_best * (1.0 - next_best)) / self.trials)
        return self.names[side][int(order[0])] if best - next_best > NORMAL_95 * error else None

    def extreme_pairs(self, name: str = "p_victory") -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the rows of the pairs with the lowest and the highest probability `name`."""
        picked = [row for row in self.rows if row["picked"]] or list(self.rows)
        return min(picked, key=itemgetter(name)), max(picked, key=itemgetter(name))

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain data."""
        names = ("side", "tactic", "probability", "score")
        plays = [dict(zip(names, play)) for play in self.plays()]
        return {"plays": plays, "pairs": [dict(row) for row in self.rows]}

    def plays(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield each tactic of each side: side, tactic, its probability in the equilibrium, and the score."""
        for number, side in enumerate(SIDES):
            shares, scores = self.mixes[number].tolist(), self.scores_against_mix(number).tolist()
            for name, share, score in zip(self.names[number], shares, scores):
                yield side, name, share, score


def tactics_game(scenario: BattleScenario, simulation: Simulation, trials: int, sampling: Sampling) -> Game | None:
    """Return the game after up to `trials` simulated battles per pair of tactics; None if both tactics are stated."""
    stated = [scenario.terms.side_term("tactic", side) for side in SIDES]
    mine, yours = (tuple(TACTICS) if tactic == AUTO else (tactic,) for tactic in stated)
    if len(mine) == len(yours) == 1:
        return None
    pairs = list(product(mine, yours))
    outcomes = _outcomes_by_pair(simulation, pairs, trials, sampling)
    won = outcomes[:, WON].sum(axis=-1) + 0.5 * outcomes[:, Outcome.DRAW]
    scores = (won / outcomes.sum(axis=-1)).reshape(len(mine), len(yours))
    mixes = equilibrium(scores)[0], equilibrium(1.0 - scores.T)[0]
    return Game((mine, yours), tuple(_pair_rows(simulation, pairs, outcomes, sampling)), scores, mixes)


def equilibrium(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return an optimal mixed strategy over the rows of a zero-sum game, and the value of the game.

    >>> mix, value = equilibrium(np.array([[0.0, 1.0], [1.0, 0.5]]))
    >>> mix.round(3).tolist(), round(value, 3)
    ([0.333, 0.667], 0.667)
    """
    from scipy.optimize import linprog

    rows, columns = scores.shape
    goal = np.append(np.zeros(rows), -1.0)  # maximise the value: the mix scores at least that against every column
    limits = np.hstack([-scores.T, np.ones((columns, 1))])
    sum_of_mix = np.append(np.ones(rows), 0.0)[None]
    result = linprog(goal, limits, np.zeros(columns), sum_of_mix, [1.0], (0.0, 1.0), method="highs")
    mix = np.where(result.x[:rows] > _ROUNDING, result.x[:rows], 0.0)
    return mix / mix.sum(), float(result.x[rows])


def _outcomes_by_pair(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], trials: int, sampling: Sampling
) -> NDArray[np.int64]:
    """Return the number of battles with each outcome, for each pair; shape (pairs, outcomes)."""
    battles, seed = min(trials, _MOST_BATTLES_PER_PAIR), int(sampling.seed)

    def play(pair: tuple[str, str]) -> NDArray[np.int64]:
        return np.asarray(simulation.with_tactics(pair).play(battles, seed).outcomes.sum(axis=0))

    with ThreadPoolExecutor(sampling.n_threads) as pool:  # `map` cancels the waiting pairs if one fails
        return np.stack(list(pool.map(play, pairs)))


def _pair_rows(
    simulation: Simulation, pairs: Sequence[tuple[str, str]], outcomes: NDArray[np.int64], sampling: Sampling
) -> list[dict[str, Any]]:
    """Return a row per pair; the extreme pairs of each army are simulated again to remove the selection bias."""
    wins = outcomes[:, WON].sum(axis=-1), outcomes[:, LOST].sum(axis=-1)
    picked = {int(index) for won in wins for index in (won.argmin(), won.argmax())}
    rows = []
    for index, pair in enumerate(pairs):
        counts = outcomes[index]
        if index in picked:
            trials = _REPLAY_FACTOR * int(counts.sum())
            again = simulation.with_tactics(pair).play(trials, int(sampling.seed) + 1, sampling.n_threads)
            counts = again.outcomes.sum(axis=0)
        trials = int(counts.sum())
        figures: dict[str, Any] = {"mine": pair[0], "yours": pair[1], "picked": index in picked, "trials": trials}
        for name, outcomes_of_result in (("p_victory", WON), ("p_draw", [Outcome.DRAW]), ("p_defeat", LOST)):
            figures |= probability_figures(name, estimate(float(counts[outcomes_of_result].sum()), trials))
        rows.append(figures)
    return rows


def tactics_sentences(game: Game | None, names: Mapping[str, str]) -> list[str]:
    """Return sentences on the effect of the tactics and on the tactics that both sides play."""
    if game is None:
        return []
    rows = game.extreme_pairs()
    least, most = (str(estimate_in(row, "p_victory")) for row in rows)
    where = [f" ({spaced(row['mine'])} against {spaced(row['yours'])})" for row in rows]
    range_text = f"from {least}{where[0]} to {most}{where[1]}" if least != most else f"{least} with each"
    lines = [f"Over {counted(len(game.rows), 'pair')} of tactics {names[SIDES[0]]} wins {range_text}."]
    choosing = [(number, side) for number, side in enumerate(SIDES) if len(game.names[number]) > 1]
    lines += [f"Equilibrium: {names[side]} uses {_mix_in_words(game, number)}." for number, side in choosing]
    return [*lines, "In these battles neither side gains by changing its tactic."]


def _mix_in_words(game: Game, side: int) -> str:
    plays = sorted(zip(game.mixes[side], game.names[side]), reverse=True)
    shares = [(f"{100 * share:.0f}%", spaced(name)) for share, name in plays if share >= 0.005]
    return shares[0][1] if len(shares) == 1 else ", ".join(f"{name} {share}" for share, name in shares)


def tactics_block(game: Game, names: Mapping[str, str]) -> Block:
    """Return a table of the tactics of both sides, their probabilities, and the score of the first army."""
    lines = []
    for side, name, share, score in game.plays():
        description = "follows the policies of its units" if name == BY_POLICY else TACTICS[name].description
        lines.append([spaced(name), names[side], f"{100 * share:.0f}%", f"{100 * score:.1f}%", description])
    head = ("tactic", "army", "used", f"{names[SIDES[0]]} scores", "description")
    about = fill(
        "Score: battles won plus half of the draws, against the equilibrium of the other side. "
        f"{game.trials:,} battles per pair of tactics; the 95% interval of each score is at most ±"
        f"{100 * NORMAL_95 / 2 / game.trials**0.5:.0f} percentage points."
    )
    return Block("Tactics", head, lines, "<<>><", lines=about)
