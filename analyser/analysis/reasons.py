"""Why a loadout is worth more or less than others of its role for its points: the facts of its profile, set apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.exchange import Exchange
from analyser.analysis.pricing import Array
from analyser.analysis.roles import TRANSPORT, peers_of, usual
from analyser.game.keywords import each_once
from analyser.game.units import Loadout, Unit

MOST_NAMED = 3  # qualities or special rules
_WORTH_A_WORD = np.log(1.1)  # less is no reason
_NOTHING = 1e-3  # of a point for a point, or of a die: what is less is nothing, and a logarithm needs something
SHOOTING, FIGHTING, DAMAGE, DEFENCE, RULES = "shooting", "close quarters", "damage", "DEFENCE", "rules"
HOLDING, HELD = "suppressing", "suppressed"
_TEXTS = {
    SHOOTING: "for its points its shooting destroys {times:.1f} times what that of others of its role does{detail}",
    FIGHTING: "for its points it destroys {times:.1f} times what others of its role do in close quarters",
    DAMAGE: "{own:.1f} damage destroys 100 points of it (others of its role: {usual:.1f})",
    DEFENCE: "DEFENCE {own:.0f} (others of its role: {usual:.0f})",
    RULES: "it lasts {times:.1f} times as long as others of its role under as many hits{detail}",
    HOLDING: "suppressing{detail}, it prevents {prevented:.0%} of what is done to it (others of its role: "
    "{usually:.0%})",
    HELD: "suppressed, it misses {prevented:.0%} of what it would do (others of its role: {usually:.0%})",
}
_NEARLY_NOTHING = {
    SHOOTING: "its shooting destroys next to nothing, unlike that of others of its role",
    FIGHTING: "in close quarters it destroys next to nothing, unlike others of its role",
}
_UNCOUNTED = {
    "reach": "a reach of {own:.0f} inches (others of its role: {usual:.0f})",
    "SPEED": "SPEED {own:.0f} (others of its role: {usual:.0f})",
    "room": "Capacity {own:.0f} (others of its role: {usual:.0f})",
}
_NEXT_TO_NOTHING = 0.05  # times what others do
_FAR = np.log(1.2)  # from the reach or the SPEED of others: may be worth points that no figure here counts
_IN_LOSSES = {
    "Shock",
    "Wreckers",
    "Arc",
    "Devastating",
    "Penetrating",
    "Precision",
    "Point Blank",
    "Torrent",
    "Lock On",
}
"""The qualities of a row that let it destroy more here."""
_HOLDING = {"Suppressive", "Cryo"}
"""The qualities of a row that let it suppress more, or worse."""
_PROTECTING = {"Durable", "Resilient", "Shrouded", "Stoic Defence", "Bodyguard"}
"""The special rules by which a unit lasts longer here."""


class Part(NamedTuple):
    """One factor of what each loadout is worth per point, and the median of others of its role: logarithms."""

    own: Array
    usual: Array


class Reasons:
    """What each loadout does and takes for 100 points, each beside the median of the other units of its role.

    It destroys by shooting and in close quarters; it takes models x DAMAGE LIMIT x DEFENCE (AC-3.7, AC-3.8) to destroy
    it, times how long it holds out for so many hits: its DISCIPLINE, its BREAK LIMIT and its special rules. `toughness`
    is that of the loadouts, as logarithms; `dice` those of their shots.
    """

    def __init__(
        self,
        exchange: Exchange,
        field: Array,
        dice: Array,
        toughness: Array,
        roles: Sequence[str],
        missing: frozenset[str],
    ) -> None:
        self._loadouts, self._roles, self._missing = exchange.loadouts, roles, missing
        hundreds, units = np.log(exchange.points / 100), [each.unit for each in exchange.loadouts]
        taken = field * np.exp(toughness)
        done = {
            name: np.log(np.maximum(exchange.ways[way].free @ taken / np.exp(hundreds), _NOTHING))
            for name, way in ((SHOOTING, "ranged"), (FIGHTING, "charge"))
            if way in exchange.ways
        }
        damage = np.log([each.level.models * each.unit.damage_limit for each in exchange.loadouts])
        defence = np.log([each.defence + each.has("Resilient") for each in units])
        free, held = (each.mean(axis=0) for each in (exchange.free, exchange.losses))
        suppression = {
            HOLDING: np.log((field @ free) / (field @ held)),
            HELD: np.log(np.maximum(held @ taken, _NOTHING) / np.maximum(free @ taken, _NOTHING)),
        }
        own = {**done, **suppression, DAMAGE: damage - hundreds, DEFENCE: defence, RULES: toughness - damage - defence}
        uncounted = {
            "reach": np.log([max([row.long_range or 1.0 for row in each.rows], default=1.0) for each in units]),
            "SPEED": np.log([each.speed or 1.0 for each in units]),
            "room": np.log([each.value("Capacity") or 1.0 for each in units]),
        }
        even, peers = exchange.evenly, peers_of(roles, exchange.units)

        def beside(factors: Mapping[str, Array]) -> dict[str, Part]:
            others = {name: usual(peers, each, even) for name, each in factors.items()}
            return {
                name: Part(each, np.where(np.isnan(others[name]), each, others[name])) for name, each in factors.items()
            }

        self._parts, self._uncounted = beside(own), beside(uncounted)
        self._dice = beside({"dice": np.log(np.maximum(dice, _NOTHING)) - hundreds})["dice"]
        self._common = {role: _common([unit for unit, its in zip(units, roles) if its == role]) for role in set(roles)}

    def uncounted(self, at: int, sign: int) -> str:
        """What no figure here counts: for a sign of 1 its merits beside others of its role, for -1 its faults."""
        found = [
            _UNCOUNTED[name].format(own=np.exp(part.own[at]), usual=np.exp(part.usual[at]))
            for name, part in self._uncounted.items()
            if sign * (part.own[at] - part.usual[at]) > _FAR
        ]
        unit, role = self._loadouts[at].unit, self._roles[at]
        traits = [f"that it is {each}" for each in unit.traits if each not in self._common[role].traits]
        carries = ["what it carries"] if role == TRANSPORT else []
        return " and ".join(found + (carries + traits if sign > 0 else []))

    def not_counted(self, at: int) -> str:
        """The special rules that no figure here counts, and that most others of its role have not."""
        rules, common = self._loadouts[at].unit.rules, self._common[self._roles[at]].rules
        return ", ".join(
            each_once(each for each in rules if each.name in self._missing and each.canonical not in common)
        )

    def why(self, at: int, sign: int) -> str:
        """The one or two factors that move a loadout most; `sign` is 1 if it is worth more than it costs, -1 if less.

        With 0 what speaks most for it, and what against it.
        """
        moves = {name: float(part.own[at] - part.usual[at]) for name, part in self._parts.items()}
        told = []
        for direction in [sign] if sign else [1, -1]:
            ordered = sorted(moves, key=lambda name: -direction * moves[name])
            least = max(direction * moves[ordered[0]] / 2, _WORTH_A_WORD)
            told += [name for name in ordered[: 2 if sign else 1] if direction * moves[name] >= least]
        return "; ".join(self._text(name, at) for name in told) or "it is near the others of its role in everything"

    def _text(self, name: str, at: int) -> str:
        part = self._parts[name]
        own, usual = float(np.exp(part.own[at])), float(np.exp(part.usual[at]))
        unit, common = self._loadouts[at].unit, self._common[self._roles[at]]
        detail = ""
        if name in (SHOOTING, FIGHTING) and own / usual < _NEXT_TO_NOTHING:
            return _NEARLY_NOTHING[name]
        if name == SHOOTING:
            detail = self._of_dice(at, float(np.log(own / usual))) or _besides(
                _qualities(unit, _IN_LOSSES), common.qualities, own > usual
            )
        elif name == HOLDING:
            detail = _besides(_qualities(unit, _HOLDING), common.holding, own > usual)
        elif name == RULES:
            protects = [each for each in common.rules if each in _PROTECTING]
            detail = _besides(each_once(each for each in unit.rules if each.name in _PROTECTING), protects, own > usual)
        facts = {"own": own, "usual": usual, "times": own / usual, "detail": detail}
        facts |= {"prevented": 1 - min(own, 1 / own), "usually": 1 - min(usual, 1 / usual)}
        return _TEXTS[name].format(**facts)

    def _of_dice(self, at: int, move: float) -> str:
        """The dice for 100 points beside those of others, and what each does, if dice are a reason of that move."""
        own, usual = float(self._dice.own[at]), float(self._dice.usual[at])
        if abs(own - usual) < _WORTH_A_WORD or (own > usual) != (move > 0):
            return ""
        a_die = move - (own - usual)
        each = f"; each does {np.exp(a_die):.1f} times as much" if abs(a_die) > _WORTH_A_WORD else ""
        return f" ({np.exp(own):.1f} dice for 100 points, others {np.exp(usual):.1f}{each})"


class _Common(NamedTuple):
    """What more than half of the units of a role have."""

    qualities: list[str]
    holding: list[str]
    rules: list[str]
    traits: list[str]


def _common(units: Sequence[Unit]) -> _Common:
    each_unit = list({unit.id: unit for unit in units}.values())

    def in_most(lists: Iterable[Iterable[str]]) -> list[str]:
        counts = Counter(name for names in lists for name in names)
        return [name for name, count in counts.items() if 2 * count > len(each_unit)]

    return _Common(
        in_most(_qualities(unit, _IN_LOSSES) for unit in each_unit),
        in_most(_qualities(unit, _HOLDING) for unit in each_unit),
        in_most(each_once(unit.rules) for unit in each_unit),
        in_most(unit.traits for unit in each_unit),
    )


def _qualities(unit: Unit, counted: Container[str]) -> tuple[str, ...]:
    return each_once(each for row in unit.rows for each in row.qualities if each.name in counted)


def _besides(own: Sequence[str], common: Sequence[str], is_more: bool) -> str:
    """In brackets, of what makes for more: what it has and most others of its role have not, or what it lacks."""
    names = [each for each in own if each not in common] if is_more else [each for each in common if each not in own]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f" ({'' if is_more else 'without '}{', '.join([*names[:MOST_NAMED], *more])})" if names else ""


def dice_of(frame: pd.DataFrame, exchange: Exchange) -> Array:
    """The mean dice of each loadout's shots; without any, the most that one of its other rows rolls."""
    shots = frame[["attacker", "dice"]].dropna().groupby("attacker", sort=False)["dice"].mean()
    return np.array([float(shots.get(each.selector, _most_dice(each))) for each in exchange.loadouts])


def _most_dice(loadout: Loadout) -> int:
    bands = (row.band(loadout.level.models) for row in loadout.unit.rows)
    return max((band.dice for band in bands if band is not None), default=0)
