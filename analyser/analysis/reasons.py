"""Why a loadout is worth more or less than others of its role for its points: the facts of its profile, set apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.exchange import Exchange
from analyser.analysis.pricing import Array, weighted_median
from analyser.game.keywords import each_once
from analyser.game.units import Loadout

_WORTH_A_WORD = np.log(1.1)  # less is no reason
MOST_NAMED = 3  # qualities or special rules


class Part(NamedTuple):
    """One factor of what a loadout is worth per point: its logarithm, and that of others of its role.

    `text` has places for the loadout's own figure, `{own}`, and that of the others, `{usual}`; `{times}` is their
    ratio.
    """

    name: str
    own: Array
    usual: Array
    text: str


def parts_of(exchange: Exchange, dice: Array, offence: Array, toughness: Array, roles: Sequence[str]) -> list[Part]:
    """The factors of offence and toughness per 100 points, each beside the median of its role.

    What a loadout destroys is its dice times what a die destroys; what it takes to destroy it is models x DAMAGE LIMIT
    x DEFENCE (AC-3.7, AC-3.8), times how long it holds out for so many hits: its DISCIPLINE, its BREAK LIMIT and its
    special rules. Where it rolls no dice, a die does nothing and all is said of dice.
    """
    hundreds = np.log(exchange.points / 100)
    units = [each.unit for each in exchange.loadouts]
    models, limit, defence = (
        np.log(np.array(each, np.float64))
        for each in (
            [each.level.models for each in exchange.loadouts],
            [each.damage_limit for each in units],
            [each.defence + each.has("Resilient") for each in units],
        )
    )
    log_dice = np.log(np.maximum(dice, 0.5))
    factors = {
        "dice": (log_dice - hundreds, "{own:.1f} dice for 100 points (others of its role: {usual:.1f})"),
        "qualities": (offence - log_dice, "a die does {times:.1f} times what others' do{qualities}"),
        "models": (
            models + limit - hundreds,
            "{own:.1f} points of damage destroy 100 points of it (others of its role: {usual:.1f})",
        ),
        "DEFENCE": (defence, "DEFENCE {own:.0f} (others of its role: {usual:.0f})"),
        "discipline and rules": (
            toughness - models - limit - defence,
            "it holds out {times:.1f} times as long as its hits let one expect{rules}",
        ),
    }
    even, role_of = exchange.evenly, np.array(roles)
    found = []
    for name, (own, text) in factors.items():
        usual = np.zeros(len(own))
        for role in dict.fromkeys(roles):
            same = role_of == role
            usual[same] = weighted_median(own[same], even[same])
        found.append(Part(name, own, usual, text))
    return found


def dice_of(frame: pd.DataFrame, exchange: Exchange) -> Array:
    """The mean dice of each loadout's shots; without any, the most that one of its other rows rolls."""
    shots = frame[frame["dice"].notna()].groupby("attacker", sort=False)["dice"].mean()
    return np.array([float(shots.get(each.selector, _most_dice(each))) for each in exchange.loadouts])


def _most_dice(loadout: Loadout) -> int:
    bands = (row.band(loadout.level.models) for row in loadout.unit.rows)
    return max((band.dice for band in bands if band is not None), default=0)


def why(parts: Sequence[Part], at: int, loadout: Loadout, sign: int) -> str:
    """The one or two factors that move a loadout most; `sign` is 1 if it is worth more than it costs, -1 if less.

    With 0 both what speaks for it and what speaks against it.
    """
    moves = {part.name: float(part.own[at] - part.usual[at]) for part in parts}
    wanted = [sign] if sign else [1, -1]
    told = []
    for direction in wanted:
        ordered = sorted(parts, key=lambda part: -direction * moves[part.name])
        strong = [part for part in ordered if direction * moves[part.name] > _WORTH_A_WORD]
        most = direction * moves[strong[0].name] if strong else 0.0
        kept = [part for part in strong[: 2 if sign else 1] if direction * moves[part.name] >= most / 2]
        told += [_told(part, at, loadout) for part in kept]
    return "; ".join(told) or "no one thing: it is near the others of its role in everything"


def _told(part: Part, at: int, loadout: Loadout) -> str:
    own, usual = float(np.exp(part.own[at])), float(np.exp(part.usual[at]))
    qualities = list(dict.fromkeys(str(each) for row in loadout.unit.rows for each in row.qualities))
    return part.text.format(
        own=own,
        usual=usual,
        times=own / usual,
        qualities=_in_brackets(qualities) or " (it has no qualities)",
        rules=_in_brackets(
            [
                *([f"DISCIPLINE {loadout.unit.discipline}"] if loadout.unit.discipline else []),
                *each_once(loadout.unit.rules),
            ]
        ),
    )


def _in_brackets(names: Sequence[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f" ({', '.join([*map(str, names[:MOST_NAMED]), *more])})" if names else ""
