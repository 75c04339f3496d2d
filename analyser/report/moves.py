"""Moves of loadouts between two states of the profiles, a sentence for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.edited import fights_as
from analyser.analysis.standing import Hands, Standing, Standings, figure, hands_of, moved, sentence, steady
from analyser.analysis.verdict import OVER, UNDER
from analyser.game.units import Loadout

SMALL = 0.02  # of points over fair points: what moved less, and nothing else, is folded


class Move(NamedTuple):
    """Move of a loadout: its old and new standing, and the matchups that change hands.

    `margins` holds for each opponent in `hands` how far it came out ahead, -1 to 1, before and now.
    """

    loadout: str
    old: Standing
    new: Standing
    hands: Hands
    margins: Mapping[str, tuple[float, float]] = MappingProxyType({})

    @property
    def sentence(self) -> str:
        """The move in one sentence."""
        return sentence(self.loadout, self.old, self.new, self.hands)

    @property
    def change_hands(self) -> int:
        """Number of its matchups that change hands."""
        return len(self.hands.gained) + len(self.hands.lost)

    @property
    def is_small(self) -> bool:
        """Return True if it is not worth a line: points, verdict and matchups stay, and nearly the worth."""
        same = self.old.points == self.new.points and self.old.verdict == self.new.verdict
        return same and not self.change_hands and self.size < SMALL

    @property
    def is_flipped(self) -> bool:
        """Return True if it is over-priced or under-priced now and was not so before."""
        return self.old.verdict != self.new.verdict and self.new.verdict in (OVER, UNDER)

    @property
    def verdicts(self) -> str:
        """Its verdict then and now."""
        return f"{self.old.verdict} → {self.new.verdict}"

    @property
    def told(self) -> str:
        """Its verdict then and now, what it costs and should, and why nothing can be said or that it hardly moved."""
        fair = f"{figure(self.old.fair_points)} → {figure(self.new.fair_points)}"
        doubt = f": {self.new.doubt}" if self.new.doubt else ": at the edge of both" if self.is_at_edge else ""
        return f"{self.loadout} {self.verdicts} (at {self.new.points} points, fair {fair}){doubt}"

    @property
    def size(self) -> float:
        """Absolute change of its points over its fair points, as a logarithm; 0 if undefined."""
        shares = [(each.points or np.nan) / each.fair_points for each in (self.old, self.new)]
        size = abs(float(np.log(shares[1] / shares[0])))
        return 0.0 if np.isnan(size) else size

    @property
    def is_at_edge(self) -> bool:
        """Return True if it can be priced before and after and its worth hardly moved: only its verdict can have."""
        can_be_priced = all(each.fair_points == each.fair_points for each in (self.old, self.new))
        return can_be_priced and self.size < SMALL

    def as_dict(self) -> dict[str, Any]:
        """Return the move as plain data."""
        sides = {"old": self.old.as_dict(), "new": self.new.as_dict()}
        hands = {name: list(names) for name, names in self.hands._asdict().items()}
        told = {"loadout": self.loadout, "sentence": self.sentence, "change_hands": self.change_hands}
        margins = {name: list(both) for name, both in self.margins.items()}
        return {**told, **hands, "margins": margins, "reason": self.new.doubt or self.new.why, **sides}


class Moves(NamedTuple):
    """Edited loadouts, and others that have another verdict; the largest move comes first."""

    written: tuple[Move, ...] = ()
    others: tuple[Move, ...] = ()


def written_differently(before: Mapping[str, Loadout], after: Mapping[str, Loadout]) -> list[str]:
    """The names of those that both have whose points are others, or whose fights."""
    return [name for name, old in before.items() if name in after and _differs(old, after[name])]


def _differs(old: Loadout, new: Loadout) -> bool:
    return old.level.points != new.level.points or not fights_as(old, new)


def moves_between(before: Standings, after: Standings, written: Iterable[str]) -> Moves:
    """Return the moves of the edited loadouts (`written`), and of others with another verdict."""

    def move(name: str) -> Move:
        found = moved(before, after, name)
        changed = found[found["changes_hands"]]
        margins = dict(zip(changed["opponent"], zip(changed["before"].tolist(), changed["after"].tolist())))
        return Move(name, before[name], steady(before[name], after[name]), hands_of(found), margins)

    names = [name for name in written if name in before.verdicts.index and name in after.verdicts.index]
    same = before.verdicts.index.intersection(after.verdicts.index, sort=False).difference(names, sort=False)
    others = same[before.verdicts[same] != after.verdicts[same]]
    moves = [[*map(move, each)] for each in (names, others)]
    moves[1] = [each for each in moves[1] if each.old.verdict != each.new.verdict]
    return Moves(*(tuple(sorted(each, key=lambda found: (-found.size, found.loadout))) for each in moves))
