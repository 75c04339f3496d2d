"""Battles of several lists against the armies of a field, kept as they are done; and what they tell apart."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from analyser import __version__
from analyser.common.errors import InputError
from analyser.common.estimates import estimate
from analyser.common.files import check_writable, is_there, path_of, write_content
from analyser.common.intervals import CONFIDENCE, NORMAL_95
from analyser.common.sampling import Sampling
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.results.battle import solve_battle
from analyser.scenarios.battle import BattleTerms, battle_scenario

_DRAWN = 0.5  # of a draw counts as won
_LARGEST = 10_000_000  # characters of a file of battles


class Played(NamedTuple):
    """The battles of one list against all armies: how often it won and drew, of so many battles."""

    won: int
    drawn: int
    trials: int
    is_tied: bool = False  # with the list of the best score, which it is not told apart from

    @property
    def score(self) -> float:
        """The share of the battles that it won, half of a draw counting as won."""
        return (self.won + _DRAWN * self.drawn) / self.trials

    @property
    def draws(self) -> float:
        """The share of the battles that it drew."""
        return self.drawn / self.trials

    @property
    def variance(self) -> float:
        """The variance of the score of one battle, over the number of battles: one more won, drawn and lost."""
        trials = self.trials + 3
        won, drawn = (self.won + 1) / trials, (self.drawn + 1) / trials
        mean = won + _DRAWN * drawn
        return (won + _DRAWN**2 * drawn - mean**2) / trials

    @property
    def wins_text(self) -> str:
        """How often it won, with its interval."""
        return str(estimate(self.won, self.trials))

    @property
    def score_text(self) -> str:
        """The score, with half of its 95% interval."""
        return f"{100 * self.score:.1f} ±{100 * NORMAL_95 * self.variance**0.5:.1f}"

    def figures(self) -> dict[str, Any]:
        """As columns of a table."""
        return {"p_victory": self.won / self.trials, "p_draw": self.draws, "score": self.score, "tied": self.is_tied}

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"battles": self.trials, "won": self.won, "drawn": self.drawn, **self.figures()}


class Kept:
    """Battles that are done, by a key of all that they depend on; in a file, if there is one."""

    def __init__(self, path: Path | None, done: dict[str, list[int]]) -> None:
        self._path, self._done = path, done

    def get(self, key: str) -> tuple[int, int, int] | None:
        """The victories, draws and number of some battles, if they are done."""
        found = self._done.get(key)
        return None if found is None else (found[0], found[1], found[2])

    def put(self, key: str, found: tuple[int, int, int]) -> None:
        """Keep battles, and write all that are kept."""
        self._done[key] = list(found)
        if self._path is not None:
            write_content(self._path, json.dumps({"battles": self._done}, indent=0) + "\n")


def kept_battles(path: str | os.PathLike[str] | None) -> Kept:
    """The battles in a file that an earlier call has written; none where there is no file.

    InputError for a file that is something else, or that cannot be written.
    """
    if path is None:
        return Kept(None, {})
    file = path_of(path, "resume")
    check_writable(file)
    if not is_there(file):
        return Kept(file, {})
    allowed = "a new file, or one of this command"
    try:
        text = file.read_text(encoding="utf-8")
        found = json.loads(text)["battles"] if len(text) <= _LARGEST else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(map(_is_count, found.values())):
        raise InputError("this is no file of battles", where=str(file), allowed=allowed)
    return Kept(file, found)


def _is_count(each: object) -> bool:
    """Whether it is victories, draws, and battles, of which they are some."""
    if not isinstance(each, list) or len(each) != 3 or not all(type(number) is int for number in each):
        return False
    won, drawn, trials = each
    return bool(min(won, drawn) >= 0 and won + drawn <= trials and trials > 0)


def play_battles(
    lists: Sequence[Army], armies: Sequence[Army], sampling: Sampling, library: Profiles, kept: Kept
) -> list[Played]:
    """The battles of each list against each army; those that are kept are not played again."""
    each_of = sampling.first_trials()
    total, done, found = len(lists) * len(armies) * each_of, 0, []
    with sampling.with_bar() as reporting:
        for army in lists:
            counts = [0, 0, 0]
            for enemy in armies:
                key = _key(army, enemy, sampling, library)
                result = kept.get(key)
                if result is None:
                    before = done

                    def tell(played: int, _: int, before: int = before) -> None:
                        reporting.report(before + played, total)

                    scenario = battle_scenario(army, enemy, BattleTerms(), library.ruleset, library)
                    battle = solve_battle(scenario, replace(reporting, progress=tell), swing=False, orders=False)
                    trials = battle.trials or each_of
                    won, drawn = (round(battle.probability(name) * trials) for name in ("victory", "draw"))
                    result = won, drawn, trials
                    kept.put(key, result)
                done += each_of
                reporting.report(done, total)
                counts = [one + other for one, other in zip(counts, result)]
            found.append(Played(counts[0], counts[1], counts[2]))
    return found


def _key(army: Army, enemy: Army, sampling: Sampling, library: Profiles) -> str:
    """What the battles of two armies depend on, as a short text."""
    armies = [[unit.loadout.model_dump(mode="json") for unit in each.units] for each in (army, enemy)]
    how = [sampling.first_trials(), int(sampling.seed), library.ruleset.model_dump(mode="json"), __version__]
    return hashlib.sha256(json.dumps([armies, how], sort_keys=True).encode()).hexdigest()[:24]


def ranked(played: Sequence[Played]) -> tuple[Played, ...]:
    """The same, told which of them are not told apart from the best: at 95% for all of these comparisons together."""
    from scipy.stats import norm

    best = max(played, key=lambda each: each.score)
    others = max(len(played) - 1, 1)
    z = float(norm.ppf(1 - (1 - CONFIDENCE) / (2 * others)))
    return tuple(
        each._replace(is_tied=best.score - each.score <= z * (best.variance + each.variance) ** 0.5) for each in played
    )
