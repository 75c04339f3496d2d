"""Changes between two versions of the profiles: edits, and new standings of loadouts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    before_and_after,
    change_sentence,
    keep_verdict_within_noise,
    lead_changes_of,
    lead_text,
    matchup_changes,
    short_figure,
)
from analyser.analysis.verdict import OVER, UNDER, follows, interval_text
from analyser.game.units import Loadout

SMALL = 0.02  # a smaller change of log(points / fair points) is negligible
_OF_A_LEVEL = re.compile(r"levels\.([^.]+)\.(.+)")
_OF_A_ROW = re.compile(r"rows\.([^.]+)\.(.+)")
_OF_A_BAND = re.compile(r"bands\.(\d+)-(\d+)\.(.+)")
_CAPITALISED = ("defence", "damage_limit", "discipline", "break_limit", "speed", "size")


class Edit(NamedTuple):
    """Change of one value; `old` or `new` is None if the old or new profiles lack it."""

    where: str  # a unit as ``faction/unit``, or ``"ruleset"``
    key: str  # path of the value in the unit, joined by dots; empty for the whole unit
    old: str | None
    new: str | None

    def __str__(self) -> str:
        """Return the edit as one line."""
        if not self.key:
            return f"{self.where}: {'new' if self.old is None else 'gone'}"
        old, new = ("nothing" if value is None else value for value in (self.old, self.new))
        return f"{self.where}: {self.key}: {old} -> {new}"


def edit_in_words(edit: Edit, unit: Mapping[str, Any]) -> str:
    """Return an edit of a unit in words; `unit` is the unit as plain data.

    >>> rows = [{"id": "ranged-heavy", "name": "Ranged (Heavy)"}]
    >>> dice = Edit("crown/dragoons", "rows.ranged-heavy.bands.9-12.dice", "11", "13")
    >>> edit_in_words(dice, {"rows": rows, "traits": []})
    'Ranged (Heavy): dice of 9–12 models 11 → 13'
    >>> edit_in_words(Edit("crown/dragoons", "levels.basic.points", "80", "75"), {})
    'basic: points 80 → 75'
    """
    if not edit.key:
        return "new" if edit.old is None else "gone"
    prefix, key = "", edit.key
    if match := _OF_A_LEVEL.fullmatch(key):
        prefix, key = f"{match[1]}: ", match[2]
    elif match := _OF_A_ROW.fullmatch(key):
        names = {row["id"]: row["name"] for row in unit.get("rows", ())}
        prefix, key = f"{names.get(match[1], match[1])}: ", match[2]
    if match := _OF_A_BAND.fullmatch(key):
        first, last, key = match.groups()
        noun = "damage" if "behemoth" in unit.get("traits", ()) else "model" if last == "1" else "models"
        key = f"{key} of {first if first == last else f'{first}–{last}'} {noun}"
    key = key.replace("_", " ").replace(".", " ")
    old, new = ("none" if value is None else value for value in (edit.old, edit.new))
    return f"{prefix}{key.upper() if key.replace(' ', '_') in _CAPITALISED else key} {old} → {new}"


def affects(edit: Edit, level: str, models: int) -> bool:
    """Return False if an edit concerns another level, or only the dice of more than `models` models."""
    if match := _OF_A_LEVEL.fullmatch(edit.key):
        return match[1] == level
    row = _OF_A_ROW.fullmatch(edit.key)
    band = _OF_A_BAND.fullmatch(row[2]) if row else None
    return band is None or int(band[1]) <= models


def edits(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return the differences between the units of two mappings (plain data by name), sorted by name.

    >>> old = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 35}}}}
    >>> new = {"crown/rifles": {"defence": 2, "levels": {"basic": {"points": 40}}}, "crown/guns": {}}
    >>> [str(each) for each in edits(old, new)]
    ['crown/guns: new', 'crown/rifles: levels.basic.points: 35 -> 40']
    """
    result = []
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            result.append(Edit(name, "", *("present" if name in side else None for side in (old, new))))
            continue
        before, after = dict(_leaves(old[name])), dict(_leaves(new[name]))
        keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
        result += [Edit(name, key, before.get(key), after.get(key)) for key in keys]
    return tuple(result)


def _leaves(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each value in nested data; a path names an item of a list by id, band or index."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and any(isinstance(item, Mapping) for item in data):
        for index, item in enumerate(data):
            band = f"{item['first']}-{item['last']}" if {"first", "last"} <= item.keys() else index  # a band of dice
            yield from _leaves(item, f"{path}.{item.get('id') or band}")
    elif data is not None:
        yield path, ", ".join(map(str, data)) or "none" if isinstance(data, list) else str(data)


class StandingChange(NamedTuple):
    """Old and new standing (points and verdict) of a loadout, and its matchups in which the lead changed sides."""

    loadout: str
    old: Standing
    new: Standing
    lead_changes: LeadChanges
    margins: Mapping[str, tuple[float, float]] = MappingProxyType({})  # old and new, by opponent

    @property
    def sentence(self) -> str:
        """The change in a sentence."""
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
        """True for a negligible change."""
        same = self.old.points == self.new.points and not self.has_new_verdict
        return same and not self.n_lead_changes and self.size < SMALL

    @property
    def verdict_line(self) -> str:
        """Old and new verdict, points and fair points in a line."""
        fair = ARROW.join(short_figure(side.fair_points) for side in (self.old, self.new))
        doubt = f": {reason}" if (reason := self.new.doubt or self._reason_besides_probability) else ""
        doubt = doubt or (": close to the limit" if self.is_at_edge else "")
        verdicts = f"{self.old.verdict}{ARROW}{self.new.verdict}"
        return f"{self.loadout} {verdicts} (at {self.new.points} points, fair {fair}){doubt}"

    @property
    def _reason_besides_probability(self) -> str:
        """Reason of a new verdict that follows from a better loadout, not from probabilities; else empty."""
        new = self.new
        return "" if follows(new.verdict, new.under_probability, new.over_probability) else new.why

    @property
    def size(self) -> float:
        """Absolute change of log(points / fair points); 0 without fair points."""
        shares = [(side.points or np.nan) / side.fair_points for side in (self.old, self.new)]
        size = abs(float(np.log(shares[1] / shares[0])))
        return 0.0 if np.isnan(size) else size

    @property
    def is_at_edge(self) -> bool:
        """True if old and new have fair points, and points / fair points hardly changed."""
        can_be_priced = all(side.fair_points == side.fair_points for side in (self.old, self.new))
        return can_be_priced and self.size < SMALL and not self._reason_besides_probability

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
        return before_and_after(*(text(getattr(side, name)) for side in (self.old, self.new)))

    def margin(self, opponent: str) -> str:
        """Return the old and new margin against an opponent in words."""
        return before_and_after(*map(lead_text, self.margins[opponent]))

    def as_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        sides = {"old": self.old.as_dict(), "new": self.new.as_dict()}
        lead_changes = {name: list(names) for name, names in self.lead_changes._asdict().items()}
        facts = {"loadout": self.loadout, "sentence": self.sentence, "change_hands": self.n_lead_changes}
        margins = {name: list(both) for name, both in self.margins.items()}
        return {**facts, **lead_changes, "margins": margins, "reason": self.new.doubt or self.new.why, **sides}


class StandingChanges(NamedTuple):
    """Changes of edited loadouts, and of other loadouts with a new verdict; the largest changes first."""

    edited: tuple[StandingChange, ...] = ()
    others: tuple[StandingChange, ...] = ()

    @property
    def notable(self) -> list[StandingChange]:
        """The changes of edited loadouts that are not negligible."""
        return [change for change in self.edited if not change.is_small]

    @property
    def n_lead_changes(self) -> int:
        """Number of matchups in :attr:`notable` that change hands."""
        changes = ((change.loadout, change.lead_changes) for change in self.notable)
        return len({frozenset((name, other)) for name, leads in changes for other in (*leads.gained, *leads.lost)})


def edited_loadouts(before: Mapping[str, Loadout], after: Mapping[str, Loadout]) -> list[str]:
    """Return the names of the loadouts in both mappings whose points or fights differ."""
    both = ((name, old, after[name]) for name, old in before.items() if name in after)
    return [name for name, old, new in both if old.level.points != new.level.points or not fight_alike(old, new)]


def standing_changes(before: Standings, after: Standings, edited: Iterable[str]) -> StandingChanges:
    """Return the changes of the loadouts in `edited`, and of other loadouts with a new verdict.

    A changed ruleset affects all loadouts, so all count as edited.
    """
    if before.table.ruleset != after.table.ruleset:
        edited = before.verdicts.index

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
