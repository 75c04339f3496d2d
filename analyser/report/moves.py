"""What became of loadouts from one state of the profiles to another: a sentence for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.edited import fights_as
from analyser.analysis.standing import Standing, Standings, moved, sentence
from analyser.game.units import Loadout

SMALL = 0.02  # of fair points, or of points over them: what moved less, and nothing else, is folded


class Move(NamedTuple):
    """What became of a loadout: where it stood and where it stands, and which of its matchups change hands.

    `won` are the opponents of whom it comes out ahead now and did not, `lost` those who come out ahead of it now.
    """

    loadout: str
    old: Standing
    new: Standing
    won: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The move in one sentence."""
        return sentence(self.loadout, self.old, self.new, self.change_hands)

    @property
    def change_hands(self) -> int:
        """How many of its matchups change hands."""
        return len(self.won) + len(self.lost)

    @property
    def is_small(self) -> bool:
        """Whether nothing about it is worth a line: at the same points the same verdict, and nearly the same worth."""
        same = self.old.points == self.new.points and self.old.verdict == self.new.verdict
        return same and not self.change_hands and self.size < SMALL

    @property
    def verdicts(self) -> str:
        """Its verdict then and now."""
        return f"{self.old.verdict} → {self.new.verdict}"

    @property
    def size(self) -> float:
        """How far its points over its fair points moved, as a logarithm; 0 where nothing can be said."""
        shares = [(each.points or np.nan) / each.fair_points for each in (self.old, self.new)]
        size = abs(float(np.log(shares[1] / shares[0])))
        return 0.0 if np.isnan(size) else size

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        sides = {"old": self.old.as_dict(), "new": self.new.as_dict()}
        hands = {"change_hands": self.change_hands, "won": list(self.won), "lost": list(self.lost)}
        return {"loadout": self.loadout, "sentence": self.sentence, **hands, **sides}


class Moves(NamedTuple):
    """Loadouts that are written differently, and others that have another verdict; who moved most comes first."""

    written: tuple[Move, ...] = ()
    others: tuple[Move, ...] = ()


def written_differently(before: Mapping[str, Loadout], after: Mapping[str, Loadout]) -> list[str]:
    """The names of those that both have whose points are others, or whose fights."""
    return [name for name, old in before.items() if name in after and _differs(old, after[name])]


def _differs(old: Loadout, new: Loadout) -> bool:
    return old.level.points != new.level.points or not fights_as(old, new)


def moves_between(before: Standings, after: Standings, written: Iterable[str]) -> Moves:
    """What became of those that are `written` differently, and of others with another verdict."""

    def move(name: str) -> Move:
        found = moved(before, after, name)
        hands = found[found["changes_hands"]]
        won, lost = (tuple(hands.loc[here, "opponent"]) for here in (hands["after"] > 0, hands["after"] < 0))
        return Move(name, before[name], after[name], won[::-1], lost)

    names = [name for name in written if name in before.verdicts.index and name in after.verdicts.index]
    same = before.verdicts.index.intersection(after.verdicts.index, sort=False).difference(names, sort=False)
    others = same[before.verdicts[same] != after.verdicts[same]]
    return Moves(
        *(tuple(sorted(map(move, each), key=lambda found: (-found.size, found.loadout))) for each in (names, others))
    )
