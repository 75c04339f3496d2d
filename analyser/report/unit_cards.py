"""Units on the page of a report: a line for each unit, and the data of its card."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import pandas as pd

from analyser.analysis.distance_curves import Curve
from analyser.analysis.efficiency import TableRow
from analyser.analysis.matchups import Matchups
from analyser.analysis.price_drivers import defence_of
from analyser.analysis.roles import role_of
from analyser.analysis.verdict import FAIR, OVER, UNDER, follows, interval_text, lean_of, rounded_down
from analyser.common.text import whole_percent
from analyser.game.names import faction_name
from analyser.game.units import Loadout, Row, Unit, unit_of
from analyser.report.page_frame import anchor_of, replace_selectors
from analyser.report.report_jobs import Balance
from analyser.report.sliders import verdicts_by_price

KINDS = {UNDER: "under", OVER: "over", FAIR: "fair"}
"""CSS class of each verdict; all other verdicts are undecided."""
UNDECIDED = "undecided"
MOST_DRIVERS = 3
_LOWEST, _HIGHEST = 0.5, 2.0  # ends of the logarithmic axis of points divided by fair points


def loadouts_by_unit(loadouts: Iterable[Loadout]) -> dict[str, list[Loadout]]:
    """Return the loadouts of each unit, by the selector of the unit."""
    result: dict[str, list[Loadout]] = {}
    for loadout in loadouts:
        result.setdefault(unit_of(loadout.selector), []).append(loadout)
    return result


def kind_of(verdict: str) -> str:
    """Return the CSS class of a verdict.

    >>> kind_of("under-priced"), kind_of("anything else")
    ('under', 'undecided')
    """
    return KINDS.get(verdict, UNDECIDED)


def mispriced_probability(price: TableRow) -> float:
    """Return P(too cheap) or P(too dear), whichever is higher; 0 if a better loadout decides the verdict."""
    under, over = price["under_probability"], price["over_probability"]
    is_decided_otherwise = price["verdict"] == OVER and not follows(OVER, under, over)
    return 0.0 if math.isnan(under) or is_decided_otherwise else max(under, over)


def verdict_text(price: TableRow) -> str:
    """Return the verdict on a price in a few words, with its probability if the probability decides it."""
    verdict: str = price["verdict"]
    if kind_of(verdict) in ("under", "over"):
        likely = mispriced_probability(price)
        return f"{verdict} ({rounded_down(likely)} sure)" if likely else verdict
    if verdict == FAIR:
        return FAIR
    leans = any(word in price["lean"] for word in ("cheap", "dear"))
    return f"{UNDECIDED}; {price['lean']}" if leans else UNDECIDED


def round_price(fair: float, points: int) -> int:
    """Return fair points as a round price: a multiple of five if today's points are a multiple of five.

    >>> round_price(62.6, 100), round_price(62.6, 99), round_price(16.4, 15)
    (65, 63, 16)
    """
    multiple = 5 * round(fair / 5)
    return round(fair) if points % 5 or multiple in (0, points) else multiple


def axis_position(ratio: float) -> float:
    """Return the position of a ratio of points to fair points on the axis, in percent.

    >>> [axis_position(ratio) for ratio in (0.25, 0.5, 1.0, 1.5, 2.0)]
    [0.0, 0.0, 50.0, 79.25, 100.0]
    """
    within = min(max(ratio, _LOWEST), _HIGHEST)
    return round(100 * math.log(within / _LOWEST) / math.log(_HIGHEST / _LOWEST), 2)


def lines_of(cards: Sequence[Mapping[str, Any]], dominated: Container[str] = ()) -> list[dict[str, Any]]:
    """Return a line for each unit: mispriced, fair, undecided; the surest first, then the farthest from its fair price.

    A search for "dominated" finds the units in `dominated`.
    """
    return [_line(card, card["key"] in dominated) for card in sorted(cards, key=_order)]


def _order(card: Mapping[str, Any]) -> tuple[int, float, float, str]:
    main = card["levels"][card["main_level"]]
    distance = 0.0 if main["fair"] is None else abs(math.log(main["points"] / main["fair"]))
    return _rank(main["kind"]), -round(card["sure"], 2), -distance, card["name"]


def _rank(kind: str) -> int:
    return {"fair": 1, UNDECIDED: 2}.get(kind, 0)


def _line(card: Mapping[str, Any], is_dominated: bool) -> dict[str, Any]:
    """Return a card with the facts that its line needs: anchors, search words, price, verdicts, and marks."""
    levels = card["levels"]
    main = levels[card["main_level"]]
    is_mispriced = _rank(main["kind"]) == 0
    words = [card["name"], card["faction"], card["role"], card["profile"], *(row[0] for row in card["rows"])]
    words += ["dominated"] * is_dominated + [level["verdict_text"] for level in levels]
    return {
        **card,
        "anchor": anchor_of(card["key"]),
        "anchors": [anchor_of(level["selector"]) for level in levels],
        "main": main,
        "price": f"{main['points']} → {main['rounded']}" if is_mispriced else f"{main['points'] or '–'} points",
        "verdicts": " ".join(dict.fromkeys(level["kind"] for level in levels)),
        "search_words": " ".join(words).lower(),
        "marks": [_mark(level) for level in levels if level["fair"] is not None],
    }


def _mark(level: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mark of a level: its position and interval, in percent of the axis of points / fair points."""
    low, at, high = (axis_position(level["points"] / level[name]) for name in ("high", "fair", "low"))
    words = f"{level['level']}: {level['points']} points; fair {level['fair']:.0f}, 95% interval {level['range']}"
    place = {"at": at, "low": low, "high": high, "tooltip": f"{words}; {level['verdict_text']}"}
    return place | {"anchor": anchor_of(level["selector"]), "kind": level["kind"]}


def cards_of(
    answer: Matchups,
    balance: Balance,
    curves: Mapping[str, Sequence[Curve]],
    notes: Mapping[str, Sequence[str]],
    no_duels: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return the card of each unit as plain data, in the order of the table; `notes` and `no_duels` are by unit."""
    units, facts = loadouts_by_unit(answer.attackers), _LevelFacts(answer, balance)
    return [
        {
            "key": name,
            "name": loadouts[0].unit.name,
            "faction": faction_name(loadouts[0].faction),
            "role": role_of(loadouts[0].unit),
            "facts": facts_text(loadouts[0].unit),
            "profile": _profile(loadouts[0].unit),
            "levels": [facts.level_facts(loadout) for loadout in loadouts],
            "main_level": (main := facts.main_level(loadouts)),
            "sure": facts.mispriced_probability(loadouts[main]),
            "rows": [_row(row) for row in loadouts[0].unit.rows],
            "curves": [_curve(curve) for curve in curves.get(name, ())],
            "notes": list(notes.get(name, ())),
            "no_duels": no_duels.get(name, ""),
        }
        for name, loadouts in units.items()
    ]


class _LevelFacts:
    """Facts about the levels of units, for their cards."""

    def __init__(self, answer: Matchups, balance: Balance) -> None:
        self._prices = {} if balance.prices is None else _rows_by_loadout(balance.prices.frame)
        self._ratings = {} if balance.ratings is None else _rows_by_loadout(balance.ratings)
        names = [situation.name for situation in answer.situations if situation.kind == "charge"]
        charges = answer.frame[answer.frame["situation"].isin(names)]
        costs = charges.groupby("attacker", sort=False)["attacker_share_lost"].mean().dropna()
        self._charges: dict[str, float] = {str(name): float(share) for name, share in costs.items()}
        self._names = {loadout.selector: loadout.title for loadout in answer.attackers}
        self._reach: dict[str, dict[str, float]] = defaultdict(dict)
        self._speed: dict[str, dict[str, float]] = defaultdict(dict)
        for attacker in answer.attackers:
            role, unit = role_of(attacker.unit), unit_of(attacker.selector)
            self._reach[role][unit], self._speed[role][unit] = _reach(attacker.unit), attacker.unit.speed or 0.0

    def mispriced_probability(self, loadout: Loadout) -> float:
        """Return :func:`mispriced_probability` of a loadout; 0 without a price."""
        price = self._prices.get(loadout.selector)
        return 0.0 if price is None else round(mispriced_probability(price), 4)

    def main_level(self, loadouts: Sequence[Loadout]) -> int:
        """Return the index of the level most likely to be mispriced; levels with a mispriced verdict come first."""

        def mispriced_and_sure(index: int) -> tuple[bool, float]:
            price = self._prices.get(loadouts[index].selector)
            is_mispriced = price is not None and _rank(kind_of(price["verdict"])) == 0
            return is_mispriced, self.mispriced_probability(loadouts[index])

        return max(range(len(loadouts)), key=mispriced_and_sure)

    def level_facts(self, loadout: Loadout) -> dict[str, Any]:
        """Return the facts about a level for the card of its unit."""
        price, rating = (table.get(loadout.selector) for table in (self._prices, self._ratings))
        facts = {
            "selector": loadout.selector,
            "level": loadout.level_name,
            "models": loadout.level.models,
            "points": loadout.level.points,
            "defence": loadout.unit.defence,
            "hits": _hits(loadout),
            "charge": self._charges.get(loadout.selector),
            "rating": None if rating is None else f"{rating['rating']:.0f}".replace("-", "−"),
            "fair": None,
            "range": "",
            "kind": UNDECIDED,
            "verdict_text": "–",
            "why": "",
            "drivers": self._drivers(loadout, price),
        }
        if price is None:
            return facts
        why = replace_selectors(price["why"], self._names)
        facts |= {"kind": kind_of(price["verdict"]), "verdict_text": verdict_text(price), "why": why}
        if price["fair_points"] == price["fair_points"]:
            facts |= {"fair": price["fair_points"], "low": price["fair_low"], "high": price["fair_high"]}
            facts["rounded"] = round_price(price["fair_points"], price["points"])
            facts["noticed_from"] = round(float(price["noticed_from"]), 3)
            facts |= {"prices": _prices(price, self._names), "not_counted": price["not_counted"]}
            facts["range"] = interval_text(price["fair_low"], price["fair_high"])
        return facts

    def _drivers(self, loadout: Loadout, price: TableRow | None) -> list[tuple[str, float, float, str]]:
        """Return up to three reasons for a price: title, own figure, usual figure of the role, and text."""
        role, unit = role_of(loadout.unit), unit_of(loadout.selector)
        result = []
        if price is not None and price["offence"] == price["offence"]:
            result = [
                (title, round(price[name], 3), 1.0, f"{price[name]:.2f} × usual")
                for title, name in (("Attack per point", "offence"), ("Endurance per point", "toughness"))
            ]
        for title, lengths in (("Reach", self._reach[role]), ("SPEED", self._speed[role])):
            others = [length for name, length in lengths.items() if name != unit]
            if len(result) < MOST_DRIVERS and (own := lengths[unit]) and others and (usual := median(others)):
                result.append((title, own, usual, f"{own:g}″, usual here {usual:g}″"))
        return result


def _prices(price: TableRow, names: Mapping[str, str]) -> dict[str, Any]:
    """Return :func:`.sliders.verdicts_by_price` in words."""
    by_price = verdicts_by_price(price)
    words = []
    for verdict, under, over in zip(by_price.verdicts, by_price.under, by_price.over):
        facts: dict[Any, Any] = {"under_probability": under, "over_probability": over, "lean": lean_of(under, over)}
        text = verdict_text(facts | {"verdict": verdict})
        texts = (rounded_down(p) if p > 0.5 else whole_percent(p) for p in (under, over))  # as in the verdict
        chances = "too cheap {}, too dear {}".format(*texts)
        if text == OVER:  # without a probability
            chances = f"a better loadout costs {price['at_most']:.0f}"
        words.append((kind_of(verdict), text, chances))
    return {"today": by_price.today, "words": words, "doubt": replace_selectors(by_price.doubt, names)}


def _reach(unit: Unit) -> float:
    return max([row.long_range or 0.0 for row in unit.rows], default=0.0)


def _hits(loadout: Loadout) -> float | None:
    """Return the hits to destroy 100 points: models x DAMAGE LIMIT x DEFENCE in front (AC-3.7); None without points."""
    level, unit = loadout.level, loadout.unit
    if not level.points:
        return None
    return round(level.models * unit.damage_limit * defence_of(loadout) * 100 / level.points, 2)


def _rows_by_loadout(frame: pd.DataFrame) -> dict[str, TableRow]:
    return dict(zip(frame["loadout"], frame.to_dict("records")))


def facts_text(unit: Unit) -> str:
    """Return a line with the target category and the characteristics of a unit, by level if they differ."""
    names = ("defence", "damage_limit", "discipline", "break_limit")
    numbers = {name: getattr(unit, name) for name in names}
    for name in set(names).intersection(unit.level_keys):
        each_level = (level.number(name) for level in unit.levels.values())
        numbers[name] = ", ".join("none" if value is None else str(value) for value in each_level) + " by level"
    if unit.has("Resilient"):
        numbers["defence"] = f"{numbers['defence']} (from the front {unit.defence + 1}: Resilient)"
    stats = [f"{name.replace('_', ' ').upper()} {value}" for name, value in numbers.items() if value is not None]
    return " · ".join([f"{unit.category} target", *stats])


def _profile(unit: Unit) -> str:
    traits = f", {', '.join(unit.traits)}" if unit.traits else ""
    return f"{unit.type.capitalize()}{traits}. Rules: {', '.join(map(str, unit.rules)) or 'none'}."


def _row(row: Row) -> tuple[str, str, str, str, str]:
    """Return a row of armaments in words: name, possible targets, ranges, dice, qualities."""
    ranges = ", ".join(
        f"{name} range {inches:g}″" for name, inches in (("short", row.short_range), ("long", row.long_range)) if inches
    )
    bands = [f"{band.heading.replace('-', '–')}: {band.cell}" for band in row.bands]
    return (
        row.name,
        f"at {', '.join(row.against)}" if row.against else row.kind,
        ranges,
        f"dice by models (behemoth: damage): {', '.join(bands)}",
        ", ".join(map(str, row.qualities)),
    )


def _curve(curve: Curve) -> dict[str, Any]:
    lines = [
        (line.name, [(step.first, step.last, round(step.destroys, 2)) for step in line.steps]) for line in curve.lines
    ]
    return {"category": curve.category, "targets": curve.targets, "lines": lines}
