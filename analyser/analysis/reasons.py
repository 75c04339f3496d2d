"""Why a loadout is worth more or less than others of its role for its points: the facts of its profile, set apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.exchange import Exchange
from analyser.analysis.pricing import Array, weighted_median
from analyser.analysis.roles import others_of
from analyser.game.keywords import each_once
from analyser.game.units import Loadout, Unit

MOST_NAMED = 3  # qualities or special rules
_WORTH_A_WORD = np.log(1.1)  # less is no reason
_FEWEST_DICE = 0.5  # of a logarithm: what rolls none
_TEXTS = {
    "dice": "{own:.1f} dice for 100 points (others of its role: {usual:.1f})",
    "qualities": "a die does {times:.1f} times what others' do{qualities}",
    "models": "{own:.1f} points of damage destroy 100 points of it (others of its role: {usual:.1f})",
    "DEFENCE": "DEFENCE {own:.0f} (others of its role: {usual:.0f})",
    "rules": "it holds out {times:.1f} times as long as its hits let one expect{rules}",
}
_UNCOUNTED = {
    "reach": "a reach of {own:.0f} inches (others of its role: {usual:.0f})",
    "SPEED": "SPEED {own:.0f} (others of its role: {usual:.0f})",
}
_FAR = np.log(1.2)  # from the reach or the SPEED of others: may be worth points that no figure here counts


class Part(NamedTuple):
    """One factor of what each loadout is worth per point, and the median of others of its role: logarithms."""

    own: Array
    usual: Array


class Reasons:
    """The factors of offence and toughness per 100 points, each beside the median of the other units of its role.

    What a loadout destroys is its dice times what a die destroys; what it takes to destroy it is models x DAMAGE LIMIT
    x DEFENCE (AC-3.7, AC-3.8), times how long it holds out for so many hits: its DISCIPLINE, its BREAK LIMIT and its
    special rules. `dice`, `offence` and `toughness` are those of the loadouts, the last two as logarithms.
    """

    def __init__(self, exchange: Exchange, dice: Array, offence: Array, toughness: Array, roles: Sequence[str]) -> None:
        self._loadouts, self._roles = exchange.loadouts, roles
        hundreds, units = np.log(exchange.points / 100), [each.unit for each in exchange.loadouts]
        log_dice = np.log(np.maximum(dice, _FEWEST_DICE))
        damage = np.log([each.level.models * each.unit.damage_limit for each in exchange.loadouts])
        defence = np.log([each.defence + each.has("Resilient") for each in units])
        own = {
            "dice": log_dice - hundreds,
            "qualities": offence - log_dice,
            "models": damage - hundreds,
            "DEFENCE": defence,
            "rules": toughness - damage - defence,
        }
        uncounted = {
            "reach": np.log([max([row.long_range or 1.0 for row in each.rows], default=1.0) for each in units]),
            "SPEED": np.log([each.speed or 1.0 for each in units]),
        }
        even = exchange.evenly
        others = [each if len(each) else np.array([at]) for at, each in enumerate(others_of(roles, exchange.units))]
        self._parts, self._uncounted = (
            {
                name: Part(each, np.array([weighted_median(each[who], even[who]) for who in others]))
                for name, each in factors.items()
            }
            for factors in (own, uncounted)
        )
        self._common = {role: _common([unit for unit, its in zip(units, roles) if its == role]) for role in set(roles)}

    def uncounted(self, at: int, sign: int) -> str:
        """What no figure here counts: for a sign of 1 its merits beside others of its role, for -1 its faults."""
        far = [name for name, part in self._uncounted.items() if sign * (part.own[at] - part.usual[at]) > _FAR]
        return " and ".join(
            _UNCOUNTED[name].format(own=np.exp(part.own[at]), usual=np.exp(part.usual[at]))
            for name, part in self._uncounted.items()
            if name in far
        )

    def why(self, at: int, sign: int) -> str:
        """The one or two factors that move a loadout most; `sign` is 1 if it is worth more than it costs, -1 if less.

        With 0 what speaks most for it, and what against it.
        """
        moves = {name: float(part.own[at] - part.usual[at]) for name, part in self._parts.items()}
        told = []
        for direction in [sign] if sign else [1, -1]:
            ordered = sorted(moves, key=lambda name: -direction * moves[name])
            most = max(direction * moves[ordered[0]], _WORTH_A_WORD)
            told += [
                name for name in ordered[: 2 if sign else 1] if direction * moves[name] >= max(most / 2, _WORTH_A_WORD)
            ]
        texts = [self._text(name, at) for name in told]
        return "; ".join(texts) or "no one thing: it is near the others of its role in everything"

    def _text(self, name: str, at: int) -> str:
        part, common = self._parts[name], self._common[self._roles[at]]
        own, usual = float(np.exp(part.own[at])), float(np.exp(part.usual[at]))
        unit = self._loadouts[at].unit
        return _TEXTS[name].format(
            own=own,
            usual=usual,
            times=own / usual,
            qualities=_besides(_qualities(unit), common.qualities),
            rules=_besides(each_once(unit.rules), common.rules),
        )


class _Common(NamedTuple):
    """What more than half of the units of a role have."""

    qualities: list[str]
    rules: list[str]


def _common(units: Sequence[Unit]) -> _Common:
    each_unit = {unit.id: unit for unit in units}.values()
    written = ([_qualities(unit) for unit in each_unit], [each_once(unit.rules) for unit in each_unit])
    counts = (Counter(name for names in lists for name in names) for lists in written)
    qualities, rules = ([name for name, count in each.items() if 2 * count > len(each_unit)] for each in counts)
    return _Common(qualities, rules)


def _qualities(unit: Unit) -> list[str]:
    return list(dict.fromkeys(str(each) for row in unit.rows for each in row.qualities))


def _besides(own: Sequence[str], common: Sequence[str]) -> str:
    """In brackets: what it has and others of its role mostly have not, and what it lacks."""
    has, lacks = [each for each in own if each not in common], [each for each in common if each not in own]
    told = [_listed(has), "without " + _listed(lacks) if lacks else ""]
    return f" ({'; '.join(filter(None, told))})" if any(told) else ""


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


def dice_of(frame: pd.DataFrame, exchange: Exchange) -> Array:
    """The mean dice of each loadout's shots; without any, the most that one of its other rows rolls."""
    shots = frame[frame["dice"].notna()].groupby("attacker", sort=False)["dice"].mean()
    return np.array([float(shots.get(each.selector, _most_dice(each))) for each in exchange.loadouts])


def _most_dice(loadout: Loadout) -> int:
    bands = (row.band(loadout.level.models) for row in loadout.unit.rows)
    return max((band.dice for band in bands if band is not None), default=0)
