"""Effect of a change of one loadout on its price, verdict and matchups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analyser.analysis.prices import ALL_LOADOUTS, JudgedAnswer, matchups_of_all
from analyser.analysis.selection import Selectors
from analyser.analysis.situations import EXCHANGES, Situation
from analyser.analysis.standing import (
    ARROW,
    DASH,
    Standing,
    Standings,
    change_sentence,
    lead_changes_of,
    lead_text,
    matchup_changes,
    matchups_with_new_leader,
    short_figure,
)
from analyser.analysis.verdict import RULE, interval_text
from analyser.common.answer import Block
from analyser.common.errors import InputError
from analyser.common.frames import tidy
from analyser.common.method_settings import Progress
from analyser.common.text import counted, fill
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesLike, library_of
from analyser.game.units import Loadout, Row, check_has_dice, row_id

MOST_SHOWN, MOST_LEAD_CHANGES = 3, 6  # largest numbers of matchups in a table of changes, and of new leaders
_RANGES = ("short_range", "long_range")
_LEAST_CHANGE = 0.005  # smallest change of a lead (-1 to 1) that is listed


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(JudgedAnswer):
    """A loadout before and after a change; `frame` has the effect on each matchup, the worst first."""

    loadout: str
    changes: dict[str, str]  #: as stated
    before: Standing
    after: Standing
    frame: pd.DataFrame
    bands_without_dice: tuple[str, ...]

    schema = "analyser/what-if/1"

    @property
    def sentence(self) -> str:
        return change_sentence(self.loadout, self.before, self.after, lead_changes_of(self.frame))

    @property
    def _both(self) -> dict[str, Standing]:
        return {"before": self.before, "after": self.after}

    @property
    def _changes_text(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.changes.items())

    @property
    def headline(self) -> str:
        old, new = self.before.verdict, self.after.verdict
        verdict = f"stays {new}" if old == new else f"goes from {old} to {new}"
        return f"{loadout_name(self.loadout)} {verdict} with {self._changes_text}."

    @property
    def summary(self) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        for when, standing in self._both.items():
            figures |= {f"points_{when}": standing.points, f"fair_points_{when}": standing.fair_points}
            figures |= {f"fair_points_{when}_low": standing.fair_low, f"fair_points_{when}_high": standing.fair_high}
        return {name: value for name, value in figures.items() if not pd.isna(value)}

    def _figures(self) -> dict[str, Any]:
        return {
            "loadout": self.loadout,
            "changes": self.changes,
            "no_dice_left": list(self.bands_without_dice),
            "summary": self.sentence,
            "rule": " ".join(RULE),
            "change_hands": {name: list(names) for name, names in lead_changes_of(self.frame)._asdict().items()},
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "matchups": self.frame.to_dict("records"),
        }

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        standings = [{"when": when, **standing.as_dict()} for when, standing in self._both.items()]
        return {"standings": tidy(standings), **super().tables}

    def blocks(self) -> list[Block]:
        short = self.opponents.in_short
        lines = [f"{short[0].upper()}{short[1:]}, {self.sentence} ({self.method})."]
        lines += [f"{self.judged}.", f"The change: {self._changes_text}."]
        if self.bands_without_dice:
            lines.append(f"No dice are left: {'; '.join(self.bands_without_dice)}.")
        left_out = [f"{when}, {standing.why}" for when, standing in self._both.items() if standing.is_left_out]
        none = "No matchup changes." if len(self.frame) else f"No matchup can be compared: {'; '.join(left_out)}."
        return [
            Block(lines=[part for line in lines for part in fill(line)]),
            Block(head=["", "before", "after", ""], rows=_standing_rows(self.before, self.after), align="<>><"),
            *(_matchup_blocks(self.frame) or [Block(lines=fill(none))]),
            Block(lines=fill(f"Why {self.after.verdict}: {self.after.why}.")),
        ]

    def notes(self) -> list[str]:
        return [*RULE, *super().notes()]


def _standing_rows(before: Standing, after: Standing) -> list[list[str]]:
    per_point = f"per point, divided by that of other {after.role}"
    allows_for = "95%, over opponents, distances and similar units"
    cells: list[tuple[str, Callable[[Standing], str], str]] = [
        ("points", lambda standing: DASH if standing.points is None else str(standing.points), ""),
        ("efficiency", lambda standing: short_figure(standing.efficiency), "points destroyed for 100 points"),
        ("fair points", lambda standing: short_figure(standing.fair_points), ""),
        ("  interval", lambda standing: interval_text(standing.fair_low, standing.fair_high), allows_for),
        ("verdict", lambda standing: standing.verdict, ""),
        ("probably", lambda standing: standing.lean.partition(" ")[2] or DASH, ""),
        ("rank", _rank_text, f"of {after.role}; 1 is the most over-priced"),
        ("offence", lambda standing: short_figure(standing.offence), per_point),
        ("toughness", lambda standing: short_figure(standing.toughness), per_point),
    ]
    return [[name, cell(before), cell(after), meaning] for name, cell, meaning in cells]


def _rank_text(standing: Standing) -> str:
    return DASH if standing.rank is None else f"{standing.rank} of {standing.n_ranked}"


def _matchup_blocks(frame: pd.DataFrame) -> list[Block]:
    """Return blocks of the matchups that worsened or improved most, and of those whose leader changes."""
    lead_changes = matchups_with_new_leader(frame)
    parts = {
        "Does worse against": frame[frame["change"] < -_LEAST_CHANGE].head(MOST_SHOWN),
        "Does better against": frame[frame["change"] > _LEAST_CHANGE].iloc[::-1].head(MOST_SHOWN),
        f"{counted(len(lead_changes), 'matchup')} changed hands": lead_changes,
    }
    blocks = []
    for heading, part in parts.items():
        lines = [
            (f"  {row['opponent']}", lead_text(row["before"]), ARROW.strip(), lead_text(row["after"]))
            for row in part.head(MOST_LEAD_CHANGES).to_dict("records")
        ]
        more = [f"  … and {len(part) - len(lines)} more"] if len(part) > len(lines) else []
        blocks += [Block(f"{heading}:", rows=lines, align="<><<", lines=more)] if lines else []
    return blocks


def what_if(
    unit: str | Loadout,
    *,
    against: Selectors = ALL_LOADOUTS,
    row: str | None = None,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
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
        Opponents, which also fight each other.
    row : str, optional
        Row whose `dice`, ranges and `qualities` change. Default: every row.
    situations, profiles, threads, progress
        As in :func:`analyser.fair_points`.
    **changes
        As in :meth:`analyser.game.units.Loadout.with_`: ``points=75``, ``points="+10"``, ``dice=-2``,
        ``qualities="+Arc"``.

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
    _check_rows_change(loadout, row, changes)
    check_has_dice(changed, changed.selector)
    table, _, opponents = matchups_of_all(loadout, against, situations, library, threads, progress)
    before = Standings(table, opponents)
    after = before.with_([changed], threads)
    return WhatIf(
        loadout.selector,
        {key: str(value) for key, value in changes.items()} | ({} if row is None else {"row": row}),
        before[loadout.selector],
        after[loadout.selector],
        matchup_changes(before, after, loadout.selector),
        _bands_without_dice(loadout, changed),
        **after.conditions,
    )


def _check_rows_change(loadout: Loadout, row: str | None, changes: Mapping[str, Any]) -> None:
    """Raise InputError if no row of the loadout can take a change of rows, such as a range."""
    rows = loadout.unit.rows
    if row is not None:
        changed = row_id(row, [candidate.id for candidate in rows])
        rows = tuple(candidate for candidate in rows if candidate.id == changed)
    for key in changes:
        if (key == "dice" or key in Row.model_fields) and not any(_takes(candidate, key) for candidate in rows):
            allowed = "a row that can shoot" if key in _RANGES else "a row with attack dice"
            raise InputError("no row can take this change", where=f"{loadout.selector}: {key}", allowed=allowed)


def _takes(row: Row, key: str) -> bool:
    if key == "dice":
        return any(band.dice or band.special for band in row.bands)
    return row.kind == "ranged" or key not in _RANGES


def _bands_without_dice(before: Loadout, after: Loadout) -> tuple[str, ...]:
    """Return the bands that lost all their dice, such as ``Ranged (Aerial) at 1-6, 7-12 models``."""
    measure = "damage" if "behemoth" in before.unit.traits else "models"
    result: dict[str, list[str]] = {}
    for old_row, new_row in zip(before.unit.rows, after.unit.rows):
        for old, new in zip(old_row.bands, new_row.bands):
            if old.dice and not new.dice:
                result.setdefault(old_row.name, []).append(old.heading)
    return tuple(f"{name} at {', '.join(bands)} {measure}" for name, bands in result.items())
