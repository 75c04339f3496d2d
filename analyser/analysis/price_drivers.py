"""Price drivers: reasons from its profile why a loadout is worth more or less per point than others of its role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.equilibrium_prices import Array, both_sides
from analyser.analysis.mutual_losses import Exchange
from analyser.analysis.roles import TRANSPORT, peers_of, plural, usual
from analyser.game.keywords import distinct_keywords
from analyser.game.units import Loadout, Unit, unit_of

MOST_NAMED = 3  # qualities or special rules in a reason
_WORTH_A_WORD = np.log(1.05)  # smallest difference in losses inflicted, or in endurance, that counts as a reason
_NOTHING = 1e-3  # points per point, or dice; smaller values count as this in logarithms
SHOOTING, FIGHTING, HITS, RULES, AWAY = "shooting", "close quarters", "hits", "rules", "out of reach"
HOLDING, HELD, PLAYED = "suppressing", "suppressed", "played best"
_TEXTS = {
    SHOOTING: "for its points its shooting destroys {times} other {role}{detail}",
    FIGHTING: "in close quarters it destroys, for its points, {times} other {role}{detail}",
    HITS: "it takes {own:.0f} hits to destroy 100 points of it (other {role}: {usual:.0f}){detail}",
    RULES: "under as many hits it {times} other {role}{detail}",
    AWAY: "it shoots and is out of reach {share:.0%} of the time (other {role}: {usually:.0%})",
    HOLDING: "suppressing its enemies{detail} prevents {prevented:.0%} of its losses (other {role}: {usually:.0%})",
    HELD: "suppression costs it {prevented:.0%} of its effect (other {role}: {usually:.0%})",
    PLAYED: "by best play its worth grows {times} that of other {role}",
}
_NEARLY_NOTHING = {
    SHOOTING: "its shooting destroys next to nothing, unlike that of other {role}",
    FIGHTING: "in close quarters it destroys next to nothing, unlike other {role}",
}
_ROOM = "Capacity {own:.0f} (other {role}: {usual})"
_NEXT_TO_NOTHING = 0.05  # ratio to others
_FARTHER = 1.2  # ratio of its reach to that of others that counts as a reason
_FAR = np.log(1.2)  # difference in Capacity that may be worth uncounted points
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
"""Qualities of a row that increase the losses it inflicts here."""
_HOLDING = {"Suppressive", "Cryo"}
"""Qualities of a row that make its suppression more likely or worse."""
_PROTECTING = {"Durable", "Resilient", "Shrouded", "Stoic Defence", "Bodyguard"}
"""Special rules that increase the endurance of a unit here."""


class Part(NamedTuple):
    """A figure of each loadout, and the median of the others of its role, as logarithms."""

    own: Array
    usual: Array
    moves: Array
    """Change of its value relative to a loadout with the usual figure, as a logarithm."""


class Reasons:
    """Figures of each loadout per 100 points, compared with the median of the other units of its role.

    A loadout destroys by shooting and in close quarters, weighted by their frequency. Its destruction takes models x
    DAMAGE LIMIT x DEFENCE hits (AC-3.7, AC-3.8). Its DISCIPLINE, BREAK LIMIT and special rules change its endurance. It
    may also shoot from beyond the reach of opponents. All of this is for the usual tactics; for prices from best play,
    the additional worth under best play is a further figure.

    Attributes
    ----------
    offence, toughness : ndarray
        Value of each by the points that it destroys, and by the points that its destruction takes, from
        :func:`analyser.analysis.equilibrium_prices.both_sides` at prices that trade evenly.
    """

    def __init__(
        self,
        exchange: Exchange,
        field: Array,
        prices: Array,
        dice: Array,
        roles: Sequence[str],
        missing: frozenset[str],
    ) -> None:
        self._loadouts, self._roles, self._missing = exchange.loadouts, roles, missing
        self._units = units = [loadout.unit for loadout in exchange.loadouts]
        hundreds, losses = np.log(exchange.points / 100), exchange.mean()
        by_tactic = losses if exchange.by_tactic is None else exchange.by_tactic.mean(axis=0)
        free, shot, answered = (
            table.mean(axis=0) for table in (exchange.unsuppressed, exchange.shot, exchange.answered)
        )
        self.offence, self.toughness = both_sides(losses, field, prices)
        offence, toughness = both_sides(by_tactic, field, prices)
        unheld, unsuppressed = both_sides(free, field, prices)
        away = toughness - both_sides(answered, field, prices)[1]
        taken = field * np.exp(prices)
        by_shots, by_hand = shot @ taken, (free - shot) @ taken
        hits = np.log(
            [side.level.models * side.unit.damage_limit * defence_of(side.unit) for side in exchange.loadouts]
        )
        own = {
            SHOOTING: by_shots / np.exp(hundreds),
            FIGHTING: by_hand / np.exp(hundreds),
            HITS: np.exp(hits - hundreds),
            RULES: np.exp(unsuppressed - away - hits),
            AWAY: np.exp(away),
            HOLDING: np.exp(toughness - unsuppressed),
            HELD: np.exp(offence - unheld),
            PLAYED: np.exp(self.offence + self.toughness - offence - toughness),
        }
        even, peers = exchange.uniform_weights, peers_of(roles, exchange.kinds)

        def beside(figures: Array) -> tuple[Array, Array]:
            figures = np.log(np.maximum(figures, _NOTHING))
            others = usual(peers, figures, even)
            return figures, np.where(np.isnan(others), figures, others)

        both = {name: beside(figures) for name, figures in own.items()}
        done = own[SHOOTING] + own[FIGHTING]

        def without(name: str) -> Array:
            """Return the log ratio of all points destroyed to those with the usual figure for this kind of attack."""
            as_usual = done - own[name] + np.exp(both[name][1])
            return np.asarray(np.log(np.maximum(done, _NOTHING) / np.maximum(as_usual, _NOTHING)), np.float64)

        self._parts = {
            name: Part(*pair, without(name) if name in (SHOOTING, FIGHTING) else pair[0] - pair[1])
            for name, pair in both.items()
        }
        self._dice = beside(dice / np.exp(hundreds))
        self._defence = beside(np.array([float(defence_of(unit)) for unit in units]))
        self._reach = beside(
            np.array([max([row.long_range or 1.0 for row in unit.rows], default=1.0) for unit in units])
        )
        self._room = beside(np.array([unit.value("Capacity") or 1.0 for unit in units]))
        self._alone = beside((exchange.outranges @ field) / np.maximum(exchange.meets @ field, _NOTHING))
        self._common = {role: _common([unit for unit, its in zip(units, roles) if its == role]) for role in set(roles)}

    def uncounted(self, at: int, sign: int) -> str:
        """Return its uncounted benefits compared with others of its role; for a sign of -1 its drawbacks."""
        unit, role = self._units[at], self._roles[at]
        own, usually = (float(values[at]) for values in self._room)
        has_room = usually > 0  # without Capacity a unit counts as 1
        facts = {"own": np.exp(own), "usual": f"{np.exp(usually):.0f}" if has_room else "none", "role": plural(role)}
        result = [_ROOM.format(**facts)] if sign * (own - usually) > _FAR else []
        traits = [
            f"that it is {'' if trait == 'subterranean' else 'a '}{trait}"
            for trait in unit.traits
            if trait not in self._common[role].traits
        ]
        carries = ["its passengers"] if role == TRANSPORT else []
        return " and ".join(result + (carries + traits if sign > 0 else []))

    def not_counted(self, at: int) -> str:
        """Return the special rules that no figure counts and that most others of its role lack."""
        rules, common = self._loadouts[at].unit.rules, self._common[self._roles[at]].rules
        return ", ".join(
            distinct_keywords(rule for rule in rules if rule.name in self._missing and rule.canonical not in common)
        )

    def why(self, at: int, sign: int) -> str:
        """Return the one or two main reasons; `sign` is 1 if it is worth more than it costs, -1 if less.

        For a sign of 0, return the main reason for it and the main one against it.
        """
        moves = {name: float(part.moves[at]) for name, part in self._parts.items()}
        names = []
        for direction in [sign] if sign else [1, -1]:
            ordered = sorted(moves, key=lambda name: -direction * moves[name])
            least = max(direction * moves[ordered[0]] / 3, _WORTH_A_WORD)
            names += [name for name in ordered[: 2 if sign else 1] if direction * moves[name] >= least]
        return "; ".join(self._text(name, at) for name in names) or f"it is near other {self._role(at)} in everything"

    def _role(self, at: int) -> str:
        return plural(self._roles[at])

    def _text(self, name: str, at: int) -> str:
        part, role = self._parts[name], self._role(at)
        own, usual = float(np.exp(part.own[at])), float(np.exp(part.usual[at]))
        times = own / usual
        if name in (SHOOTING, FIGHTING) and times < _NEXT_TO_NOTHING:
            return _NEARLY_NOTHING[name].format(role=role)
        facts = {"own": own, "usual": usual, "role": role, "detail": self._detail(name, at, times)}
        facts["times"] = f"{(_lasts if name == RULES else _times)(times)} {'than' if times < TWICE else 'as'}"
        facts |= {"prevented": 1 - min(own, 1 / own), "usually": 1 - min(usual, 1 / usual)}
        if name == AWAY:
            facts |= dict(zip(("share", "usually"), (float(np.exp(values[at])) for values in self._alone)))
        return _TEXTS[name].format(**facts)

    def _detail(self, name: str, at: int, times: float) -> str:
        """Return the entries of the profile that explain a figure, in parentheses."""
        unit, common = self._units[at], self._common[self._roles[at]]
        if name == HITS:
            return self._of_defence(at)
        if name == SHOOTING:
            result = self._of_dice(at, times), self._of_reach(at, times)
            reasons = "; ".join(filter(None, result))
            return f" ({reasons})" if reasons else _besides(_qualities(unit, _IN_LOSSES), common.qualities, times > 1)
        if name == HOLDING:
            return _besides(_qualities(unit, _HOLDING), common.holding, times > 1)
        if name == RULES:
            protects = [rule for rule in common.rules if rule in _PROTECTING]
            rules = distinct_keywords(rule for rule in unit.rules if rule.name in _PROTECTING)
            return _besides(rules, protects, times > 1) or self._of_tests(at, times)
        return ""

    def _of_defence(self, at: int) -> str:
        """Return its DEFENCE if it differs from that of others, or from the profile."""
        unit, usual = self._units[at], float(np.exp(self._defence[1][at]))
        own = defence_of(unit)
        others = "" if own == round(usual) else f" (others: {usual:.0f})"
        if own == unit.defence:
            return others and f", at DEFENCE {own}{others}"
        return f", at DEFENCE {own} from the front by Resilient{others}"

    def _of_dice(self, at: int, times: float) -> str:
        """Return the dice per 100 points compared with others, and the effect of each, if dice are a reason."""
        own, usual = (float(die[at]) for die in self._dice)
        if abs(own - usual) < _WORTH_A_WORD or (own > usual) != (times > 1):
            return ""
        a_die = times / np.exp(own - usual)
        strength = f"; each die destroys {_times(a_die)}" if abs(np.log(a_die)) > _WORTH_A_WORD else ""
        return f"{np.exp(own):.1f} dice for 100 points, others {np.exp(usual):.1f}{strength}"

    def _of_reach(self, at: int, times: float) -> str:
        """Return its reach compared with that of others, if that is a reason."""
        own, usual = (float(np.exp(values[at])) for values in self._reach)
        is_one = max(own, usual) > _FARTHER * min(own, usual) and (own > usual) == (times > 1)
        return f"reach {own:.0f} inches, others {usual:.0f}" if is_one else ""

    def _of_tests(self, at: int, times: float) -> str:
        """Return the BREAK LIMIT or the DISCIPLINE compared with others, if that is a reason."""
        mine = self._units[at]
        others = {
            unit_of(loadout.selector): loadout.unit
            for loadout, role in zip(self._loadouts, self._roles)
            if role == self._roles[at]
        }
        del others[unit_of(self._loadouts[at].selector)]
        breaking = sum(other.break_limit is not None for other in others.values())
        if (mine.break_limit is None) == (times > 1) and 0 < breaking < len(others):
            mine_can = mine.break_limit is not None
            theirs = len(others) - breaking if mine_can else breaking
            can, others_can = ("can", "cannot") if mine_can else ("cannot", "can")
            return f" (it {can} break; {theirs} of {len(others)} others {others_can})"
        own, usual = self._units[at].discipline, self._common[self._roles[at]].discipline
        if own is None or usual is None or (own > usual) != (times > 1) or own == usual:
            return ""
        return f" (DISCIPLINE {own}, others {usual:.0f})"


TWICE = 2.0


def _times(times: float) -> str:
    """Return a factor as more or less, in words.

    >>> [_times(each) for each in (0.4, 1.25, 2.7)]
    ['60% less', '25% more', '2.7 times as much']
    """
    return f"{times:.1f} times as much" if times >= TWICE else f"{abs(times - 1):.0%} {'more' if times > 1 else 'less'}"


def _lasts(times: float) -> str:
    """Return a factor of endurance, in words.

    >>> [_lasts(each) for each in (0.7, 1.4, 2.5)]
    ['dies 30% sooner', 'lasts 40% longer', 'lasts 2.5 times as long']
    """
    if times >= TWICE:
        return f"lasts {times:.1f} times as long"
    return f"lasts {times - 1:.0%} longer" if times > 1 else f"dies {1 - times:.0%} sooner"


def defence_of(unit: Unit) -> int:
    """Return its DEFENCE against attacks from the front, the only ones here: Resilient (Front) adds 1."""
    return unit.defence + unit.has("Resilient")


class _Common(NamedTuple):
    """Traits, rules and qualities that more than half of the units of a role have."""

    qualities: list[str]
    holding: list[str]
    rules: list[str]
    traits: list[str]
    discipline: float | None


def _common(units: Sequence[Unit]) -> _Common:
    each_unit = list({unit.id: unit for unit in units}.values())

    def in_most(lists: Iterable[Iterable[str]]) -> list[str]:
        counts = Counter(name for names in lists for name in names)
        return [name for name, count in counts.items() if 2 * count > len(each_unit)]

    return _Common(
        in_most(_qualities(unit, _IN_LOSSES) for unit in each_unit),
        in_most(_qualities(unit, _HOLDING) for unit in each_unit),
        in_most(distinct_keywords(unit.rules) for unit in each_unit),
        in_most(unit.traits for unit in each_unit),
        median(tested) if (tested := [one.discipline for one in each_unit if one.discipline is not None]) else None,
    )


def _qualities(unit: Unit, counted: Container[str]) -> tuple[str, ...]:
    return distinct_keywords(quality for row in unit.rows for quality in row.qualities if quality.name in counted)


def _besides(own: Sequence[str], common: Sequence[str], is_more: bool) -> str:
    """Return in parentheses its names that most others of its role lack or, if it has less, those that it lacks."""
    names = [name for name in own if name not in common] if is_more else [name for name in common if name not in own]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f" ({'' if is_more else 'without '}{', '.join([*names[:MOST_NAMED], *more])})" if names else ""


def dice_of(frame: pd.DataFrame, exchange: Exchange) -> Array:
    """Return the mean dice of each loadout's shots; without shots, the most dice of any of its rows."""
    shots = frame[["attacker", "dice"]].dropna().groupby("attacker", sort=False)["dice"].mean()
    return np.array([float(shots.get(loadout.selector, _most_dice(loadout))) for loadout in exchange.loadouts])


def _most_dice(loadout: Loadout) -> int:
    bands = (row.band(loadout.level.models) for row in loadout.unit.rows)
    return max((band.dice for band in bands if band is not None), default=0)
