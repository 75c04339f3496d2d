"""The plan of best play as a policy in words: line by line as it is, or simplified to a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyser.common.sampling import Progress
from analyser.results.plan import NO_ORDERS, PlanTable
from analyser.results.play import Play
from analyser.results.simplified import Search
from analyser.rules.orders import FLAGS, Line, lines_of

_MOST_ORDERS, _MOST_NUMBERS = 12, 10  # that a line is made of; numbers of each quantity
_SAME = 1e-12


@dataclass(frozen=True)
class Listed:
    """A policy in words, and what it is worth beside best play.

    Attributes
    ----------
    lines : tuple of str
        What a scenario can have as ``policy_a``, or ``policy_b``.
    value : float
        Against an enemy who does as in the answer.
    gives_away : float
        How much less that is than best play.
    worst, exploitable : float or None
        Its value where the enemy knows it and makes the most of it, and how much less that is than best play; None
        where the enemy has a policy of his own.
    tried : int or None
        Of how many lists that were worked out it is the best, where one was searched for: none better is known, and
        that there is none is not proven.
    """

    lines: tuple[str, ...]
    value: float
    gives_away: float
    worst: float | None = None
    exploitable: float | None = None
    tried: int | None = None

    @property
    def costs(self) -> float:
        """Largest cost: against an enemy that knows the policy, if the enemy chooses what to do."""
        return self.gives_away if self.exploitable is None else self.exploitable

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        known = {name: getattr(self, name) for name in ("worst", "exploitable", "tried")}
        said = {name: value for name, value in known.items() if value is not None}
        return {"lines": list(self.lines), "value": self.value, "gives_away": self.gives_away, **said}


class Lists:
    """The lists that the plan of a side can be written as."""

    def __init__(self, play: Play, table: PlanTable, side: int) -> None:
        self.play, self.table, self.side = play, table, side
        self.rows = [row for row in table.reached(side, _SAME) if row["when"] not in NO_ORDERS]

    def exact(self) -> Listed:
        """A line for each situation that comes up, and the commonest order as the last resort.

        Of those that come up where a list fires on lookout as soon as it can, which the plan may not do.
        """
        commonest = self._orders()[0]
        table = PlanTable(self.play, self.play.plan_as_listed(self.side))
        rows = [row for row in table.reached(self.side, _SAME) if row["when"] not in NO_ORDERS]
        garrisoned = self.play.shooters[self.side].mine.garrisoned
        said: dict[str, str] = {}  # words do not tell all situations apart: the likeliest counts
        for row in rows:
            said.setdefault(_conditions(row, garrisoned), row["do"])
        lines = [f"{order} if {conditions}" for conditions, order in said.items() if order != commonest]
        return self.valued([*lines, commonest])

    def simplified(self, lines: int, within: float, progress: Progress | None = None) -> Listed:
        """The list of at most so many lines with the lowest cost found; fewer where `within` is reached before."""
        search = Search(self.play, self.side, self._orders(), list(dict.fromkeys(self._conditions())))
        texts = search.texts(search.found(lines, within, progress))
        return replace(self.valued(texts), tried=search.tried)

    def valued(self, texts: Sequence[str]) -> Listed:
        """A list with what it is worth."""
        read: tuple[Line, ...] = lines_of(list(texts), "policy")
        plan = self.play.plan_of_lines(self.side, read)
        value, sign = self.play.following(plan), 1 if self.side == self.play.wanter else -1
        listed = Listed(tuple(texts), value, max(0.0, sign * (self.play.value - value)))
        if not self.play.choosers[1 - self.side]:
            return listed
        worst = self.play.against(plan, 1 - self.side)
        return replace(listed, worst=worst, exploitable=max(0.0, sign * (self.play.value - worst)))

    def _orders(self) -> list[str]:
        """The orders of the plan, the likeliest first."""
        likely: dict[str, float] = {}
        for row in self.rows:
            likely[row["do"]] = likely.get(row["do"], 0.0) + row["probability"]
        return sorted(likely, key=lambda order: -likely[order])[:_MOST_ORDERS] or ["do nothing"]

    def _conditions(self) -> Iterator[str]:
        """Conditions that tell situations of the plan apart."""
        states = {("own", name) for row in self.rows for name in row["own_statuses"]}
        states |= {("enemy", name) for row in self.rows for name in row["enemy_statuses"]}
        states |= {("enemy", "activated")} if self.play.scenario.terms.first == "random" else set()
        flags = [f"enemy {name}" if who == "enemy" else name for who, name in sorted(states)]
        if self.play.scenario.terms.distance is not None:
            flags += ["in range", "in short range", "within reach"]
        for flag in flags:
            text = flag.replace("_", " ")
            if text not in FLAGS:  # that an enemy is in a building, no list can say
                continue
            yield from (text, f"not {text}")
        for text, key in (("models", "own_models"), ("enemy models", "enemy_models"), ("round", "round")):
            for value in _spread({row[key] for row in self.rows}):
                yield from (f"{text} at most {value}", f"{text} more than {value}")
        if self.play.scenario.terms.distance is not None:
            for value in _spread({row["distance"] for row in self.rows}):
                yield from (f"enemy within {value:g}", f"enemy beyond {value:g}")


def _spread(values: set[Any]) -> list[Any]:
    """Up to so many of some values but the highest, evenly among them."""
    below = sorted(values)[:-1]
    places = np.unique(np.linspace(0, len(below) - 1, min(len(below), _MOST_NUMBERS)).round().astype(int))
    return [below[place] for place in places.tolist()] if below else []


def _conditions(row: dict[str, Any], garrisoned: bool) -> str:
    """All that the words of a list can say of how things stand in a row of the plan."""
    parts = [f"round is {row['round']}"]
    for who, before in (("own", ""), ("enemy", "enemy ")):
        parts += [f"{before}models is {row[f'{who}_models']}", f"{before}damage is {row[f'{who}_damage']}"]
        said = {name.replace("_", " ") for name in row[f"{who}_statuses"]}
        known = [flag for flag in FLAGS if flag.startswith("enemy ") == (who == "enemy")]
        for flag in known:
            name = flag.removeprefix("enemy ")
            statuses = ("suppressed", "disordered", "on lookout", "taking cover", "reloading", "rally failed")
            if name in statuses or (flag == "in building" and garrisoned):
                parts.append(flag if name in said else f"not {flag}")
    if row["when"] in ("first", "second"):
        parts.append("enemy activated" if row["when"] == "second" else "not enemy activated")
    if row["distance"] is not None:
        parts.append(f"distance is {row['distance']:g}")
    return " and ".join(parts)
