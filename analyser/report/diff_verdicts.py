"""Changes of the verdicts on loadouts between two versions of the profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.fight_cache import fight_alike
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

SMALL = 0.02  # a smaller change of log(points / fair points) is negligible


class StandingChange(NamedTuple):
    """Old and new standing of a loadout, and the opponents that it newly leads or trails (`lead_changes`).

    `margins` has the old and the new margin, from -1 to 1, of the matchup with each of these opponents.
    """

    loadout: str
    old: Standing
    new: Standing
    lead_changes: LeadChanges
    margins: Mapping[str, tuple[float, float]] = MappingProxyType({})

    @property
    def sentence(self) -> str:
        """The change in one sentence."""
        return change_sentence(self.loadout, self.old, self.new, self.lead_changes)

    @property
    def n_lead_changes(self) -> int:
        """Number of matchups newly won or lost."""
        return len(self.lead_changes.gained) + len(self.lead_changes.lost)

    @property
    def has_new_verdict(self) -> bool:
        """True if the verdict changed."""
        return self.old.verdict != self.new.verdict

    @property
    def is_newly_mispriced(self) -> bool:
        """True if the loadout became over-priced or under-priced."""
        return self.has_new_verdict and self.new.verdict in (OVER, UNDER)

    @property
    def is_small(self) -> bool:
        """True for a negligible change: equal points and verdict, no changed lead, and nearly equal fair points."""
        same = self.old.points == self.new.points and not self.has_new_verdict
        return same and not self.n_lead_changes and self.size < SMALL

    @property
    def verdict_line(self) -> str:
        """Old and new verdict, points and fair points in a line, with a note if the verdict is uncertain."""
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
        """True if old and new have fair points, and the ratio of points to fair points hardly changed."""
        can_be_priced = all(side.fair_points == side.fair_points for side in (self.old, self.new))
        return can_be_priced and self.size < SMALL

    @property
    def figures_in_words(self) -> dict[str, str]:
        """Figures as ``"old → new"``, or as a single figure if both are equal."""
        fair, new = self._old_and_new("fair_points", short_figure), self.new
        ends = f" ({interval_text(new.fair_low, new.fair_high)})" if new.fair_low == new.fair_low else ""
        return {
            "points": self._old_and_new("points", lambda points: DASH if points is None else str(points)),
            "fair": f"{fair}{ends}",
            "verdict": self._old_and_new("verdict", str),
            "efficiency": self._old_and_new("efficiency", short_figure),
        }

    def _old_and_new(self, name: str, text: Callable[[Any], str]) -> str:
        return _arrow(*(text(getattr(side, name)) for side in (self.old, self.new)))

    def margin(self, opponent: str) -> str:
        """Return in words the old and the new margin against an opponent in `lead_changes`."""
        return _arrow(*map(lead_text, self.margins[opponent]))

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        sides = {"old": self.old.as_dict(), "new": self.new.as_dict()}
        lead_changes = {name: list(names) for name, names in self.lead_changes._asdict().items()}
        facts = {"loadout": self.loadout, "sentence": self.sentence, "change_hands": self.n_lead_changes}
        margins = {name: list(both) for name, both in self.margins.items()}
        return {**facts, **lead_changes, "margins": margins, "reason": self.new.doubt or self.new.why, **sides}


def _arrow(old: str, new: str) -> str:
    return new if old == new else f"{old}{ARROW}{new}"


class StandingChanges(NamedTuple):
    """Changes of edited loadouts, and of other loadouts with a new verdict, the largest first."""

    edited: tuple[StandingChange, ...] = ()
    others: tuple[StandingChange, ...] = ()

    @property
    def notable(self) -> list[StandingChange]:
        """The changes of edited loadouts that are not negligible."""
        return [change for change in self.edited if not change.is_small]

    @property
    def n_lead_changes(self) -> int:
        """Number of leads changed in :attr:`notable`; a matchup between two of these loadouts counts once."""
        changes = ((change.loadout, change.lead_changes) for change in self.notable)
        return len({frozenset((name, other)) for name, leads in changes for other in (*leads.gained, *leads.lost)})


def edited_loadouts(before: Mapping[str, Loadout], after: Mapping[str, Loadout]) -> list[str]:
    """Return the names of the loadouts in both mappings that have changed points or fight differently."""
    return [name for name, old in before.items() if name in after and _differs(old, after[name])]


def _differs(old: Loadout, new: Loadout) -> bool:
    return old.level.points != new.level.points or not fight_alike(old, new)


def standing_changes(before: Standings, after: Standings, edited: Iterable[str]) -> StandingChanges:
    """Return the changes of the loadouts named in `edited`, and of other loadouts with a new verdict."""

    def change_of(name: str) -> StandingChange:
        pairs = matchup_changes(before, after, name)
        changed = pairs[pairs["changes_hands"]]
        margins = dict(zip(changed["opponent"], zip(changed["before"].tolist(), changed["after"].tolist())))
        new = keep_verdict_within_noise(before[name], after[name])
        return StandingChange(name, before[name], new, lead_changes_of(pairs), margins)

    names = [name for name in edited if name in before.verdicts.index and name in after.verdicts.index]
    same = before.verdicts.index.intersection(after.verdicts.index, sort=False).difference(names, sort=False)
    others = same[before.verdicts[same] != after.verdicts[same]]
    groups = [*map(change_of, names)], [change for change in map(change_of, others) if change.has_new_verdict]
    ordered = (sorted(group, key=lambda change: (-change.size, change.loadout)) for group in groups)
    return StandingChanges(*map(tuple, ordered))
