"""Changes from one version of the data to the next, unit by unit in words, for the page over reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from analyser.analysis.standing import ARROW, NONE, ahead_text, figure
from analyser.analysis.verdict import interval_text
from analyser.game.units import Loadout, unit_of
from analyser.report.edits import Edit, concerns, in_words
from analyser.report.moves import SMALL, Move, Moves


class Change(NamedTuple):
    """A loadout that moved, in words: figures as "old → new", or one figure where they are the same.

    `edits` are those of its profile that concern it, beside its points; `range` that of its fair points now;
    `margins` are those of the matchups that change hands, by opponent.
    """

    loadout: str
    edits: list[str]
    points: str
    fair: str
    range: str
    verdict: str
    why: str
    efficiency: str
    won: tuple[str, ...]
    lost: tuple[str, ...]
    margins: Mapping[str, str]


class EditedUnit(NamedTuple):
    """A unit that is written differently, or the ruleset: how, in words."""

    unit: str
    edits: list[str]


class Changes(NamedTuple):
    """Changed loadouts worth a line, those whose move is small, others with another verdict, and every edit.

    `edge` holds other loadouts whose verdict moved, but hardly their worth.
    """

    shown: list[Change]
    small: list[str]
    others: list[Change]
    edge: list[Change]
    edited: list[EditedUnit]
    small_within: float = SMALL

    @property
    def units(self) -> int:
        """Number of edited units; the ruleset does not count."""
        return sum("/" in each.unit for each in self.edited)

    @property
    def loadouts(self) -> int:
        """Number of their loadouts that cost or fight differently."""
        return len(self.shown) + len(self.small)

    @property
    def verdicts(self) -> int:
        """Number of verdicts of edited loadouts that moved."""
        return sum(ARROW in each.verdict for each in self.shown)

    @property
    def hands(self) -> int:
        """Number of matchups of the shown loadouts that change hands; a matchup of two of them counts once."""
        pairs = {frozenset((each.loadout, other)) for each in self.shown for other in (*each.won, *each.lost)}
        return len(pairs)


def changes_of(
    moves: Moves, edits: Sequence[Edit], units: Mapping[str, Any], loadouts: Mapping[str, Loadout]
) -> Changes:
    """In words what moved; `units` are those of both versions as plain data, `loadouts` those of the later one."""
    by_unit: dict[str, list[Edit]] = {}
    for edit in edits:
        by_unit.setdefault(edit.where, []).append(edit)

    def change(move: Move) -> Change:
        unit, loadout = unit_of(move.loadout), loadouts[move.loadout]
        own = [each for each in by_unit.get(unit, ()) if concerns(each, loadout.level_name, loadout.level.models)]
        told = [in_words(each, units[unit]) for each in own if not each.key.endswith(".points")]
        return _in_words(move, told)

    return Changes(
        shown=[change(each) for each in moves.written if not each.is_small],
        small=[each.loadout for each in moves.written if each.is_small],
        others=[change(each) for each in moves.others if not each.is_at_edge],
        edge=[change(each) for each in moves.others if each.is_at_edge],
        edited=[
            EditedUnit(name, [in_words(each, units.get(name, {})) for each in every]) for name, every in by_unit.items()
        ],
    )


def _in_words(move: Move, edits: list[str]) -> Change:
    old, new = move.old, move.new
    known = new.fair_low == new.fair_low
    return Change(
        loadout=move.loadout,
        edits=edits,
        points=_both(old.points, new.points, lambda points: NONE if points is None else str(points)),
        fair=_both(old.fair_points, new.fair_points, figure),
        range=interval_text(new.fair_low, new.fair_high) if known else "",
        verdict=_both(old.verdict, new.verdict, str),
        why=new.doubt,
        efficiency=_both(old.efficiency, new.efficiency, figure),
        won=move.hands.gained,
        lost=move.hands.lost,
        margins={name: _both(*each, ahead_text) for name, each in move.margins.items()},
    )


def _both(old: Any, new: Any, text: Callable[[Any], str]) -> str:
    return text(new) if text(old) == text(new) else f"{text(old)}{ARROW}{text(new)}"
