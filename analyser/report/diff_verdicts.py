"""Changes of the verdicts on loadouts between two states of the profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.matchups_after_edit import fights_as
from analyser.analysis.standing import (
    ARROW,
    DASH,
    LeadChanges,
    Standing,
    Standings,
    change_sentence,
    keep_verdict_within_noise,
    lead_changes_of,
    lead_text,
    matchup_changes,
    short_figure,
)
from analyser.analysis.verdict import OVER, UNDER, interval_text
from analyser.game.units import Loadout

SMALL = 0.02  # change of log(points / fair points) below which a move is hidden


class Move(NamedTuple):
    """Change of a loadout: its old and new standing, and the matchups that it newly wins or loses (`hands`).

    `margins` has the old and new margin, from -1 to 1, against each opponent in `hands`.
    """

    loadout: str
    old: Standing
    new: Standing
    hands: LeadChanges
    margins: Mapping[str, tuple[float, float]] = MappingProxyType({})

    @property
    def sentence(self) -> str:
        """The change in one sentence."""
        return change_sentence(self.loadout, self.old, self.new, self.hands)

    @property
    def change_hands(self) -> int:
        """Number of matchups newly won or lost."""
        return len(self.hands.gained) + len(self.hands.lost)

    @property
    def has_new_verdict(self) -> bool:
        """Return True if its verdict changed."""
        return self.old.verdict != self.new.verdict

    @property
    def is_flipped(self) -> bool:
        """Return True if it is newly over-priced or under-priced."""
        return self.has_new_verdict and self.new.verdict in (OVER, UNDER)

    @property
    def is_small(self) -> bool:
        """Return True for a negligible change: equal points, verdict and matchups, and nearly equal fair points."""
        same = self.old.points == self.new.points and not self.has_new_verdict
        return same and not self.change_hands and self.size < SMALL

    @property
    def told(self) -> str:
        """Its old and new verdict, its points, its fair points, and a note if it is undecided or hardly moved."""
        fair = ARROW.join(short_figure(side.fair_points) for side in (self.old, self.new))
        doubt = f": {self.new.doubt}" if self.new.doubt else ": at the edge of both" if self.is_at_edge else ""
        verdicts = f"{self.old.verdict}{ARROW}{self.new.verdict}"
        return f"{self.loadout} {verdicts} (at {self.new.points} points, fair {fair}){doubt}"

    @property
    def size(self) -> float:
        """Absolute change of log(points / fair points); 0 if undefined."""
        shares = [(side.points or np.nan) / side.fair_points for side in (self.old, self.new)]
        size = abs(float(np.log(shares[1] / shares[0])))
        return 0.0 if np.isnan(size) else size

    @property
    def is_at_edge(self) -> bool:
        """Return True if it can be priced before and after, and its ratio of points to fair points hardly moved."""
        can_be_priced = all(side.fair_points == side.fair_points for side in (self.old, self.new))
        return can_be_priced and self.size < SMALL

    @property
    def in_words(self) -> dict[str, str]:
        """Its figures as "old → new", or as one figure if they are equal."""
        fair, new = self._both("fair_points", short_figure), self.new
        ends = f" ({interval_text(new.fair_low, new.fair_high)})" if new.fair_low == new.fair_low else ""
        return {
            "points": self._both("points", lambda points: DASH if points is None else str(points)),
            "fair": f"{fair}{ends}",
            "verdict": self._both("verdict", str),
            "efficiency": self._both("efficiency", short_figure),
        }

    def _both(self, name: str, text: Callable[[Any], str]) -> str:
        return _arrow(*(text(getattr(side, name)) for side in (self.old, self.new)))

    def margin(self, opponent: str) -> str:
        """Return in words its old and new margin against an opponent in `hands`."""
        return _arrow(*map(lead_text, self.margins[opponent]))

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        sides = {"old": self.old.as_dict(), "new": self.new.as_dict()}
        hands = {name: list(names) for name, names in self.hands._asdict().items()}
        facts = {"loadout": self.loadout, "sentence": self.sentence, "change_hands": self.change_hands}
        margins = {name: list(both) for name, both in self.margins.items()}
        return {**facts, **hands, "margins": margins, "reason": self.new.doubt or self.new.why, **sides}


def _arrow(old: str, new: str) -> str:
    return new if old == new else f"{old}{ARROW}{new}"


class Moves(NamedTuple):
    """Edited loadouts, and others with a changed verdict; the largest change comes first."""

    written: tuple[Move, ...] = ()
    others: tuple[Move, ...] = ()

    @property
    def shown(self) -> list[Move]:
        """The edited loadouts without negligible changes."""
        return [move for move in self.written if not move.is_small]

    @property
    def hands(self) -> int:
        """Number of matchups newly won or lost by the shown loadouts; a matchup of two of them counts once."""
        hands = ((move.loadout, other) for move in self.shown for other in (*move.hands.gained, *move.hands.lost))
        return len({frozenset((name, other)) for name, other in hands})


def edited_loadouts(before: Mapping[str, Loadout], after: Mapping[str, Loadout]) -> list[str]:
    """Return the names of the loadouts in both mappings that differ in points or fights."""
    return [name for name, old in before.items() if name in after and _differs(old, after[name])]


def _differs(old: Loadout, new: Loadout) -> bool:
    return old.level.points != new.level.points or not fights_as(old, new)


def moves_between(before: Standings, after: Standings, written: Iterable[str]) -> Moves:
    """Return the moves of the edited loadouts (`written`), and of others with a changed verdict."""

    def move(name: str) -> Move:
        pairs = matchup_changes(before, after, name)
        changed = pairs[pairs["changes_hands"]]
        margins = dict(zip(changed["opponent"], zip(changed["before"].tolist(), changed["after"].tolist())))
        new = keep_verdict_within_noise(before[name], after[name])
        return Move(name, before[name], new, lead_changes_of(pairs), margins)

    names = [name for name in written if name in before.verdicts.index and name in after.verdicts.index]
    same = before.verdicts.index.intersection(after.verdicts.index, sort=False).difference(names, sort=False)
    others = same[before.verdicts[same] != after.verdicts[same]]
    moves = [*map(move, names)], [one for one in map(move, others) if one.has_new_verdict]
    return Moves(*(tuple(sorted(part, key=lambda one: (-one.size, one.loadout))) for part in moves))
