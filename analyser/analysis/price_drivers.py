"""Price drivers: reasons why a loadout has more or less value per point than other units of its role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from functools import partial
from statistics import median

import numpy as np
import pandas as pd

from analyser.analysis.equilibrium_prices import offence_and_toughness
from analyser.analysis.mutual_losses import Exchange
from analyser.analysis.roles import TRANSPORT, peer_medians, peers_of, plural
from analyser.common.kernel_records import Floats
from analyser.common.text import whole_percent
from analyser.game.keywords import distinct_keywords
from analyser.game.units import Loadout, Unit, unit_of

TWICE = 2.0  # from this factor on, a text gives the factor instead of a percentage
MOST_NAMED = 3  # qualities or special rules named in a reason
_LEAST_DIFFERENCE = np.log(1.05)  # a difference of less than 5% is not given as a reason
_FLOOR = 1e-3  # smaller values are raised to this before a logarithm is taken
SHOOTING, FIGHTING, HITS, ENDURANCE, OUT_OF_REACH = "shooting", "close quarters", "hits", "rules", "out of reach"
SUPPRESSING, SUPPRESSED = "suppressing", "suppressed"
DICE, DEFENCE, REACH, CAPACITY, OUTRANGING = "dice", "DEFENCE", "reach", "Capacity", "outranging"
ALL_RULES, TRAITS = "all rules", "traits"
_TEXTS = {
    SHOOTING: "for its points its shooting destroys {times} other {role}{detail}",
    FIGHTING: "in close quarters it destroys, for its points, {times} other {role}{detail}",
    HITS: "it takes {own:.0f} hits to destroy 100 points of it (other {role}: {usual:.0f}){detail}",
    ENDURANCE: "because of its tests and rules it {times} other {role}{detail}",
    OUT_OF_REACH: "it shoots from outside the enemy's reach {share} of the time, which prevents {prevented:.0%} of"
    " its losses (other {role}: {usually:.0%} of theirs)",
    SUPPRESSING: "suppressing its enemies{detail} prevents {prevented:.0%} of its losses (other {role}: {usually:.0%})",
    SUPPRESSED: "being suppressed reduces the losses it inflicts by {prevented:.0%} (other {role}: {usually:.0%})",
}
_NEARLY_NOTHING_TEXTS = {
    SHOOTING: "its shooting destroys next to nothing, unlike that of other {role}",
    FIGHTING: "in close quarters it destroys next to nothing, unlike other {role}",
}
_CAPACITY_TEXT = "Capacity {own:.0f} (other {role}: {usual})"
_NEARLY_NOTHING_BELOW = 0.05  # share of the usual figure below which a unit destroys "next to nothing"
_REACH_RATIO = 1.2  # smallest ratio of two reaches that is given as a reason
_CAPACITY_DIFFERENCE = np.log(1.2)  # larger differences in log(Capacity) may explain points that fights do not explain
_DEADLY = {"Shock", "Wreckers", "Arc", "Devastating", "Penetrating", "Precision", "Point Blank", "Torrent", "Lock On"}
_SUPPRESSIVE = {"Suppressive", "Cryo"}
_PROTECTIVE = {"Durable", "Resilient", "Shrouded", "Stoic Defence", "Bodyguard"}


def _qualities_among(names: Container[str], unit: Unit) -> tuple[str, ...]:
    return distinct_keywords(quality for row in unit.rows for quality in row.qualities if quality.name in names)


_ENTRIES: Mapping[str, Callable[[Unit], Sequence[str]]] = {
    SHOOTING: partial(_qualities_among, _DEADLY),
    SUPPRESSING: partial(_qualities_among, _SUPPRESSIVE),
    ENDURANCE: lambda unit: distinct_keywords(rule for rule in unit.rules if rule.name in _PROTECTIVE),
    ALL_RULES: lambda unit: distinct_keywords(unit.rules),
    TRAITS: lambda unit: unit.traits,
}
"""Entries of a profile by kind: those that can raise a figure, all special rules, and all traits."""


class PriceDrivers:
    """Figures of each loadout, compared with the median of the other units of its role.

    A loadout is destroyed by models x DAMAGE LIMIT x DEFENCE hits (AC-3.7, AC-3.8). `prices` are even-trade prices,
    `dice` those of :func:`dice_of`, and `not_modelled` has the special rules that no figure counts. `offence` and
    `toughness` are per point, divided by that median (NaN without other units).
    """

    def __init__(
        self,
        exchange: Exchange,
        frequencies: Floats,
        prices: Floats,
        dice: Floats,
        roles: Sequence[str],
        not_modelled: frozenset[str],
    ) -> None:
        self._loadouts, self._roles, self._not_modelled = exchange.loadouts, roles, not_modelled
        self._units = units = [loadout.unit for loadout in exchange.loadouts]
        defence = np.array([float(defence_of(loadout)) for loadout in exchange.loadouts])
        hits = defence * [loadout.level.models * loadout.unit.damage_limit for loadout in exchange.loadouts]
        reach = np.array([max([row.long_range or 1.0 for row in unit.rows], default=1.0) for unit in units])
        hundreds, losses = exchange.points / 100, exchange.mean()
        tables = exchange.without_suppression, exchange.by_shots, exchange.all_shots_returned, exchange.outranging_share
        without_suppression, lost_to_shots, returned, outranges = (table.mean(axis=0) for table in tables)
        offence, toughness = offence_and_toughness(losses, frequencies, prices)
        free_offence, free_toughness = offence_and_toughness(without_suppression, frequencies, prices)
        away = toughness - offence_and_toughness(returned, frequencies, prices)[1]
        enemy_points = frequencies * np.exp(prices)
        by_shots, by_close_quarters = lost_to_shots @ enemy_points, (without_suppression - lost_to_shots) @ enemy_points
        own = {
            SHOOTING: by_shots / hundreds,
            FIGHTING: by_close_quarters / hundreds,
            HITS: hits / hundreds,
            ENDURANCE: np.exp(free_toughness - away) / hits,
            OUT_OF_REACH: np.exp(away),
            SUPPRESSING: np.exp(toughness - free_toughness),
            SUPPRESSED: np.exp(offence - free_offence),
            DICE: dice / hundreds,
            DEFENCE: defence,
            REACH: reach,
            CAPACITY: np.array([unit.value("Capacity") or 1.0 for unit in units]),
            OUTRANGING: (outranges @ frequencies) / np.maximum(exchange.is_matchup @ frequencies, _FLOOR),
        }
        weights, peers = exchange.uniform_weights, peers_of(roles, exchange.unit_numbers)
        self._without_peers = {index for own, others in peers if not len(others) for index in own.tolist()}
        per_point = (offence - np.log(exchange.points), toughness - np.log(exchange.points))
        self.offence, self.toughness = (np.exp(one - peer_medians(peers, one, weights)) for one in per_point)
        for relative in (self.offence, self.toughness):
            relative[list(self._without_peers)] = np.nan
        logs = {name: np.log(np.maximum(figures, _FLOOR)) for name, figures in own.items()}
        self._figures = {name: (figures, peer_medians(peers, figures, weights)) for name, figures in logs.items()}
        self._effects = {  # log(value of the loadout / its value with the usual figure)
            name: self._figures[name][0] - self._figures[name][1] for name in _TEXTS
        }
        destroyed = own[SHOOTING] + own[FIGHTING]
        for name in (SHOOTING, FIGHTING):
            with_usual = destroyed - own[name] + np.exp(self._figures[name][1])
            self._effects[name] = np.log(np.maximum(destroyed, _FLOOR) / np.maximum(with_usual, _FLOOR))
        self._by_role: dict[str, dict[str, Unit]] = {role: {} for role in roles}
        for loadout, role in zip(exchange.loadouts, roles):
            self._by_role[role][unit_of(loadout.selector)] = loadout.unit
        self._common = {
            role: {kind: _in_most(members.values(), kind) for kind in _ENTRIES}
            for role, members in self._by_role.items()
        }

    def _own_and_usual(self, name: str, index: int) -> tuple[float, float]:
        own, usual = self._figures[name]
        return float(np.exp(own[index])), float(np.exp(usual[index]))

    def uncounted_benefits(self, index: int, sign: int) -> str:
        """Return the uncounted benefits of a unit (`sign` 1), or a low Capacity, which lowers its value (`sign` -1)."""
        unit, role = self._units[index], self._roles[index]
        own, usual = self._own_and_usual(CAPACITY, index)  # units without Capacity count as 1
        facts = {"own": own, "usual": f"{usual:.0f}" if usual > 1 else "none", "role": plural(role)}
        result = [_CAPACITY_TEXT.format(**facts)] if sign * np.log(own / usual) > _CAPACITY_DIFFERENCE else []
        traits = [
            f"its value as a {trait}{' unit' * (trait == 'subterranean')}"
            for trait in unit.traits
            if trait not in self._common[role][TRAITS]
        ]
        passengers = ["its passengers"] if role == TRANSPORT else []
        return " and ".join(result + (passengers + traits if sign > 0 else []))

    def uncounted_rules(self, index: int) -> str:
        """Return the special rules that no figure counts and that most units of its role lack."""
        rules, common = self._units[index].rules, self._common[self._roles[index]][ALL_RULES]
        uncounted = (rule for rule in rules if rule.name in self._not_modelled and rule.canonical not in common)
        return ", ".join(distinct_keywords(uncounted))

    def why(self, index: int, sign: int) -> str:
        """Return the main reasons why a loadout is worth more (`sign` 1) or less (-1) than its points, or both (0)."""
        effects = {name: float(effect[index]) for name, effect in self._effects.items()}
        names = []
        for direction in [sign] if sign else [1, -1]:
            ordered = sorted(effects, key=lambda name: -direction * effects[name])
            least = max(direction * effects[ordered[0]] / 3, _LEAST_DIFFERENCE)
            names += [name for name in ordered[: 2 if sign else 1] if direction * effects[name] >= least]
        reasons = "; ".join(self._text(name, index) for name in names)
        if reasons:
            return reasons
        role = self._roles[index]
        if index in self._without_peers:
            return f"no {'different' if len(self._by_role[role]) > 1 else 'other'} unit here has its role ({role})"
        return f"it is similar to other {plural(role)} in every figure"

    def _text(self, name: str, index: int) -> str:
        role = plural(self._roles[index])
        own, usual = self._own_and_usual(name, index)
        times = own / usual
        if name in (SHOOTING, FIGHTING) and times < _NEARLY_NOTHING_BELOW:
            return _NEARLY_NOTHING_TEXTS[name].format(role=role)
        facts = {"own": own, "usual": usual, "role": role, "detail": self._detail(name, index, times)}
        factor = (_endurance_text if name == ENDURANCE else _factor_text)(times)
        facts["times"] = f"{factor} {'than' if times < TWICE else 'as'}"
        facts |= {"prevented": 1 - min(own, 1 / own), "usually": 1 - min(usual, 1 / usual)}
        if name == OUT_OF_REACH:
            facts["share"] = whole_percent(self._own_and_usual(OUTRANGING, index)[0])
        return _TEXTS[name].format(**facts)

    def _detail(self, name: str, index: int, times: float) -> str:
        """Return what explains a figure (entries of the profile, or other figures), as an addition to its text."""
        if name == HITS:
            return self._defence_detail(index, times)
        if name == SHOOTING:
            reasons = "; ".join(filter(None, (self._dice_detail(index, times), self._reach_detail(index, times))))
            if reasons:
                return f" ({reasons})"
        if name not in _ENTRIES:
            return ""
        own, common = _ENTRIES[name](self._units[index]), self._common[self._roles[index]][name]
        if times > 1:
            unusual, without = [entry for entry in own if entry not in common], ""
        else:
            unusual, without = [entry for entry in common if entry not in own], "without "
        more = [f"{len(unusual) - MOST_NAMED} more"] if len(unusual) > MOST_NAMED else []
        if not unusual:
            return self._test_detail(index, times) if name == ENDURANCE else ""
        return f" ({without}{', '.join([*unusual[:MOST_NAMED], *more])})"

    def _defence_detail(self, index: int, times: float) -> str:
        unit, (_, usual) = self._units[index], self._own_and_usual(DEFENCE, index)
        own = defence_of(self._loadouts[index])
        others = "" if own == round(usual) else f" (others: {usual:.0f})"
        if others and (own > usual) != (times > 1):  # DEFENCE is no reason for the difference
            return ""
        if own == unit.defence:
            return others and f", with DEFENCE {own}{others}"
        resilient, house_rule = unit.has("Resilient"), own != max(unit.defence + unit.has("Resilient"), 1)
        reasons = ["from the front (Resilient)"] * resilient + ["by a house rule"] * house_rule
        return f", with DEFENCE {own}{others} {', '.join(reasons)}"

    def _dice_detail(self, index: int, times: float) -> str:
        own, usual = self._own_and_usual(DICE, index)
        if abs(np.log(own / usual)) < _LEAST_DIFFERENCE or (own > usual) != (times > 1):
            return ""
        by_die = times / (own / usual)
        strength = f"; each die destroys {_factor_text(by_die)}" if abs(np.log(by_die)) > _LEAST_DIFFERENCE else ""
        return f"{own:.1f} dice for 100 points, others: {usual:.1f}{strength}"

    def _reach_detail(self, index: int, times: float) -> str:
        own, usual = self._own_and_usual(REACH, index)
        is_reason = max(own, usual) > _REACH_RATIO * min(own, usual) and (own > usual) == (times > 1)
        return f"reach {own:.0f} inches, others: {usual:.0f}" if is_reason else ""

    def _test_detail(self, index: int, times: float) -> str:
        """Return how the unit's tests differ from those of its role: in whether it can break, or in DISCIPLINE."""
        unit, members = self._units[index], self._by_role[self._roles[index]]
        others = [other for name, other in members.items() if name != unit_of(self._loadouts[index].selector)]
        can_break, own = unit.break_limit is not None, unit.discipline
        different = sum((other.break_limit is not None) != can_break for other in others)
        if can_break != (times > 1) and 2 * different > len(others):
            can, others_can = ("can", "cannot") if can_break else ("cannot", "can")
            return f" (it {can} break; {different} of {len(others)} others {others_can})"
        usual = median([other.discipline for other in members.values() if other.discipline is not None] or [np.nan])
        is_reason = own is not None and (own > usual if times > 1 else own < usual)
        return f" (DISCIPLINE {own}, others: {usual:.0f})" if is_reason else ""


def _factor_text(times: float) -> str:
    return f"{times:.1f} times as much" if times >= TWICE else f"{abs(times - 1):.0%} {'more' if times > 1 else 'less'}"


def _endurance_text(times: float) -> str:
    if times >= TWICE:
        return f"lasts {times:.1f} times as long"
    return f"lasts {times - 1:.0%} longer" if times > 1 else f"is destroyed {1 - times:.0%} sooner"


def defence_of(loadout: Loadout) -> int:
    """Return the DEFENCE against any attack from the front, with Resilient (Front) and house rules."""
    unit: Unit = loadout.unit
    own_rules = (rule for name, rule in loadout.house_rules.items() if unit.has(name))
    always = sum(rule.defence for rule in own_rules if rule.when == "attacked" and not rule.at and not rule.against)
    return int(max(unit.defence + unit.has("Resilient") + always, 1))


def _in_most(units: Collection[Unit], kind: str) -> list[str]:
    """Return the entries of a kind (a key of :data:`_ENTRIES`) that more than half of the units have."""
    counts = Counter(name for unit in units for name in _ENTRIES[kind](unit))
    return [name for name, count in counts.items() if 2 * count > len(units)]


def dice_of(frame: pd.DataFrame, exchange: Exchange) -> Floats:
    """Return the mean dice of each loadout's shots; without shots, the largest number of dice of its rows."""
    shots = frame[["attacker", "dice"]].dropna().groupby("attacker", sort=False)["dice"].mean()
    result = []
    for loadout in exchange.loadouts:
        bands = (row.band(loadout.level.models) for row in loadout.unit.rows)
        most = max((band.dice for band in bands if band is not None), default=0)
        result.append(float(shots.get(loadout.selector, most)))
    return np.array(result)
