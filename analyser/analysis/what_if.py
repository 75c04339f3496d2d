"""Effect of a change of one loadout on its standing: before and after, and the matchups that change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import matchups
from analyser.analysis.prices import EVERYBODY, LIMITS, NOBODY, SITUATIONS, Among, JudgedAnswer, priceable
from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.situations import Situation
from analyser.analysis.standing import (
    ARROW,
    NONE,
    Hands,
    Standing,
    Standings,
    ahead_text,
    figure,
    hands_of,
    moved,
    sentence,
)
from analyser.analysis.verdict import RULE, interval_text
from analyser.common.answer import Block
from analyser.common.errors import InputError
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress
from analyser.common.text import counted, fill
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import KEYS_BY_LEVEL, Loadout

MOST_SHOWN, MOST_HANDS = 3, 6
_MOVED = 0.005  # half a point of a hundred; smaller changes are not shown


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(JudgedAnswer):
    """A loadout before and after a change.

    Attributes
    ----------
    loadout : str
        Its selector.
    changes : dict of str to str
        The given changes.
    before, after : Standing
    frame : DataFrame
        Effect of the change on each matchup, the worst first; see :func:`analyser.analysis.standing.moved`.
    situations : tuple of Situation
    profiles : ProfilesUsed
    method : str
        ``"exact"``; the intervals of fair points are those of a fitted model, without random draws.
    limits : str
        Factors that are not counted.
    spent : tuple of str
        Bands of its rows that lost all their dice.
    among : Among
        Opponents that it is judged against.
    beyond : tuple of str
        Changed numbers outside the range of all opponents, with that range.
    """

    loadout: str
    changes: dict[str, str]
    before: Standing
    after: Standing
    frame: pd.DataFrame
    situations: tuple[Situation, ...]
    profiles: ProfilesUsed
    method: Method = METHOD
    limits: str = LIMITS
    spent: tuple[str, ...] = ()
    among: Among = NOBODY
    beyond: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Effect of the change, in one sentence."""
        return sentence(self.loadout, self.before, self.after, self.hands)

    @property
    def hands(self) -> Hands:
        """Opponents that it is ahead of now, and those that are ahead of it now."""
        return hands_of(self.frame)

    @property
    def _no_matchups(self) -> str:
        if len(self.frame):
            return "No matchup moves."
        left_out = [
            f"{when} {standing.why}"
            for when, standing in (("before,", self.before), ("after,", self.after))
            if np.isnan(standing.toughness)
        ]
        return f"No matchup can be compared: {'; '.join(left_out)}."

    schema = "analyser/what-if/1"

    @property
    def headline(self) -> str:
        """Verdict before and after the change, in one sentence."""
        asked = ", ".join(f"{key} {value}" for key, value in self.changes.items())
        if self.before.verdict == self.after.verdict:
            return f"{loadout_name(self.loadout)} stays {self.after.verdict} with {asked}."
        return f"{loadout_name(self.loadout)} goes from {self.before.verdict} to {self.after.verdict} with {asked}."

    @property
    def summary(self) -> dict[str, Any]:
        """Points, and fair points with their intervals, before and after; without missing ones."""
        figures: dict[str, Any] = {}
        for when, standing in (("before", self.before), ("after", self.after)):
            figures |= {f"points_{when}": standing.points, f"fair_points_{when}": standing.fair_points}
            figures |= {f"fair_points_{when}_low": standing.fair_low, f"fair_points_{when}_high": standing.fair_high}
        return {name: value for name, value in figures.items() if not pd.isna(value)}

    def _body(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "limits": self.limits,
            "loadout": self.loadout,
            "changes": self.changes,
            "no_dice_left": list(self.spent),
            "beyond_the_field": list(self.beyond),
            "judged_among": self.among.as_dict(),
            "summary": self.sentence,
            "rule": " ".join(RULE),
            "change_hands": {name: list(names) for name, names in self.hands._asdict().items()},
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "matchups": self.frame.to_dict("records"),
            "situations": [situation.name for situation in self.situations],
            **self.profiles.fight_entries(),
        }

    def blocks(self) -> list[Block]:
        """Return the sentence, both standings side by side, and the matchups that changed most."""
        asked = ", ".join(f"{key} {value}" for key, value in self.changes.items())
        said = [
            *fill(f"A{self.among.in_short[1:]}, {self.sentence} ({self.method})."),
            *fill(f"Judged {self.among}."),
            f"The change: {asked}.",
            *(fill(f"No dice are left: {'; '.join(self.spent)}.") if self.spent else []),
            *(fill(f"Unlike all others here: {'; '.join(self.beyond)}.") if self.beyond else []),
        ]
        return [
            Block(lines=said),
            Block(head=["", "before", "after", ""], rows=_rows(self.before, self.after), align="<>><"),
            *(_matchups(self.frame) or [Block(lines=fill(self._no_matchups))]),
            Block(lines=fill(f"Why {self.after.verdict}: {self.after.why}.")),
        ]

    def notes(self) -> list[str]:
        """Return the rule of verdicts, limits, die, deck and profiles."""
        return [*RULE, self.limits, *self.profiles.notes()]


def _rows(before: Standing, after: Standing) -> list[list[str]]:
    both = before, after
    return [
        ["points", *(NONE if standing.points is None else str(standing.points) for standing in both), ""],
        ["efficiency", *(figure(standing.efficiency) for standing in both), "points destroyed for 100 points"],
        ["fair points", *(figure(standing.fair_points) for standing in both), ""],
        ["  interval", *(_interval(standing) for standing in both), "over fields and grounds"],
        ["verdict", *(standing.verdict for standing in both), ""],
        ["probably", *(standing.lean.removeprefix("probably ") or NONE for standing in both), ""],
        ["rank", *(_rank(standing) for standing in both), f"of {after.role}; 1 is the most over-priced"],
        ["offence", *(figure(standing.offence) for standing in both), f"times that of {after.role}, per point"],
        ["toughness", *(figure(standing.toughness) for standing in both), f"times that of {after.role}, per point"],
    ]


def _interval(standing: Standing) -> str:
    return NONE if np.isnan(standing.fair_low) else interval_text(standing.fair_low, standing.fair_high)


def _rank(standing: Standing) -> str:
    return NONE if standing.rank is None else f"{standing.rank} of {standing.of}"


def _matchups(frame: pd.DataFrame) -> list[Block]:
    """Return the matchups that worsened or improved most and those that change hands, as blocks; may be empty."""
    worse = frame[frame["change"] < -_MOVED].head(MOST_SHOWN)
    better = frame[frame["change"] > _MOVED].iloc[::-1].head(MOST_SHOWN)
    hands = frame[frame["changes_hands"]]
    hands = hands.iloc[np.argsort(-hands["change"].abs(), kind="stable")]
    blocks = []
    for heading, result, most in (
        ("Does worse against", worse, MOST_SHOWN),
        ("Does better against", better, MOST_SHOWN),
        (f"{counted(len(hands), 'matchup')} changed hands", hands, MOST_HANDS),
    ):
        if len(result):
            shown = result.head(most).to_dict("records")
            lines = [
                (f"  {row['opponent']}", ahead_text(row["before"]), ARROW.strip(), ahead_text(row["after"]))
                for row in shown
            ]
            more = [f"  … and {len(result) - most} more"] if len(result) > most else []
            blocks.append(Block(f"{heading}:", rows=lines, align="<><<", lines=more))
    return blocks


def what_if(
    unit: str | Loadout,
    *,
    against: Selectors = EVERYBODY,
    row: str | None = None,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    policy: str = "tactic",
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **changes: Any,
) -> WhatIf:
    """Return the effect of a change of one loadout on its efficiency, fair points, verdict and matchups.

    Parameters
    ----------
    unit : str or Loadout
        The loadout to change.
    against : str, Loadout, or several of them
        Opponents, which meet each other and the unit.
    row : str, optional
        Row whose `dice`, ranges and `qualities` change. Default: every row.
    situations, policy, profiles, threads, progress
        As in :func:`analyser.fair_points`.
    **changes
        As in :meth:`analyser.game.units.Loadout.with_`: ``points=75``, ``points="+10"``, ``dice=-2``,
        ``qualities="+Arc"``.

    Returns
    -------
    WhatIf

    Raises
    ------
    InputError
        No change, an impossible change (with the nearest key), no opponents, or as
        :func:`analyser.fair_points`.

    Examples
    --------
    >>> found = what_if("crown/rifle-platoon@basic", against="imperium/*@basic", points="+20")
    >>> found.after.points - found.before.points
    20
    >>> found.after.efficiency < found.before.efficiency
    True
    """
    library = library_of(profiles)
    loadout = library.loadout(unit)
    if not changes:
        raise InputError("nothing is changed", where=loadout.selector, allowed="such as points=75, dice=-2")
    changed = loadout.with_(row=row, **changes)
    before = field_of(loadout, against, library, situations, threads, progress, policy=policy)
    after = before.with_([changed], threads, keep=True)
    asked = {key: str(value) for key, value in changes.items()} | ({} if row is None else {"row": row})
    table = before.table
    return WhatIf(
        loadout.selector,
        asked,
        before[loadout.selector],
        after[loadout.selector],
        moved(before, after, loadout.selector),
        table.situations,
        table.profiles,
        limits=after.prices.limits,
        spent=_spent(loadout, changed),
        among=after.prices.among,
        beyond=_beyond(changed, changes, table.attackers),
    )


def _beyond(changed: Loadout, keys: Iterable[str], field: Iterable[Loadout]) -> tuple[str, ...]:
    """Return changed numbers outside the range of all opponents, as a hint of an error: the rules set few limits."""
    lines = []
    for key in keys:
        if key not in KEYS_BY_LEVEL or (mine := getattr(changed.unit, key)) is None:
            continue
        others = [getattr(loadout.unit, key) for loadout in field if loadout.selector != changed.selector]
        there = [other for other in others if other is not None]
        if there and not min(there) <= mine <= max(there):
            name = key.replace("_", " ").upper()
            lines.append(f"{name} {mine:g}, that of others is {min(there):g} to {max(there):g}")
    return tuple(lines)


def _spent(before: Loadout, after: Loadout) -> tuple[str, ...]:
    """Return the bands that lost all their dice: ``Ranged (Aerial) at 1-6, 7-12 models``."""
    counts = "damage" if "behemoth" in before.unit.traits else "models"
    result: dict[str, list[str]] = {}
    for row, now in zip(before.unit.rows, after.unit.rows):
        for band, its in zip(row.bands, now.bands):
            if band.dice and not its.dice:
                result.setdefault(row.name, []).append(band.heading)
    return tuple(f"{name} at {', '.join(bands)} {counts}" for name, bands in result.items())


def field_of(
    loadout: Loadout,
    against: Selectors,
    profiles: ProfilesLike,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    *,
    policy: str = "tactic",
) -> Standings:
    """Return the standings of a loadout and its opponents, which all meet each other; InputError without opponents."""
    asked, library = priceable(policy, situations), library_of(profiles)
    field = {loadout.selector: loadout for loadout in loadouts(against, library)} | {loadout.selector: loadout}
    if len(field) == 1:
        problem = f"nobody but {loadout.selector} is in the field"
        raise InputError(problem, where="against", allowed=f"others too, such as {EVERYBODY}")
    everybody = list(field.values())
    how: dict[str, Any] = {"profiles": library, "threads": threads, "progress": progress}
    return Standings(matchups(everybody, everybody, situations=asked, **how))
