"""Text of a battle for a terminal: winner, margin, survivors, and contributions of units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, plus_minus
from analyser.common.means import mean_in, mean_text
from analyser.common.text import counted, fill
from analyser.engine.battle.look_ahead_weights import BY_POLICY, DEFAULT
from analyser.game.army import names_apart
from analyser.results.battle_tactics import game_lines
from analyser.results.unit_swings import harmful_units_note, swing_units
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.policies import AUTO

if TYPE_CHECKING:
    from analyser.results.battle import BattleResult

_BANDS, _MOST_BANDS = (1, 2, 5, 10, 20, 50, 100, 200), 16  # widths of printed bands; most printed bands
_BY_POLICY_KEYS, _ALWAYS = ("target", "order"), ("hand", "initiative")  # keys


def heading(scenario: BattleScenario, *, equilibrium: bool = False) -> list[tuple[str, str]]:
    """Return the question as labels and texts; tactics common to both sides are listed once.

    Without an `equilibrium` the tactic `auto` is the default one.
    """
    terms = scenario.terms
    lengths = f'lines {terms.gap:g}" apart, table {terms.table:g}" deep'
    lines = [("Battle", f"{counted(terms.rounds, 'round')}, {lengths}, {terms.scale}")]
    auto = "equilibrium of tactics" if equilibrium else f"tactic {DEFAULT}"
    tactics = [_tactics(scenario, side, auto) for side in SIDES]
    names = names_apart(*scenario.armies)
    for label, name, army in zip(("Army", "Against"), names, scenario.armies):
        boons = sum(boon.points for boon in army.bought)
        points = f"{army.points:,} points" + (f", {boons} of them for boons" if boons else "")
        lines.append((label, f"{name}: {counted(len(army), 'unit')}, {points}"))
    if len(set(tactics)) == 1:
        return [*lines, ("Tactics", f"both: {tactics[0]}")]
    return [*lines, *(("Tactics", f"{name}: {how}") for name, how in zip(names, tactics))]


def _tactics(scenario: BattleScenario, side: str, auto: str) -> str:
    """Return the policy settings of a side in words: all that can differ between the two sides."""
    terms, units = scenario.terms, scenario.fielded[SIDES.index(side)]
    tactic = terms.side_term("tactic", side)
    keys = _ALWAYS
    if tactic == BY_POLICY:
        keys = (*(("policy",) if terms.side_term("policy", side) != AUTO else ()), *_BY_POLICY_KEYS, *_ALWAYS)
    words = [{BY_POLICY: BY_POLICY, AUTO: auto}.get(tactic) or f"tactic {tactic}".replace("_", " ")]
    words += [f"{key} {terms.side_term(key, side)}".replace("_", " ") for key in keys]
    own = sum(unit.unit.policy is not None for unit in units)
    words += [f"{counted(own, 'unit')} with a policy of its own"] if own else []
    least = terms.side_term("discard_below", side)
    return ", ".join([*words, *([f"cards below {least} discarded"] if least else [])])


def conclusions(answer: BattleResult) -> list[str]:
    """Return sentences on the winning chances, the effect of the tactics, and the units that matter most."""
    chance = {name: answer.probability(name) for name in answer.events}
    first, second = answer.names.values()
    lines = [
        answer.headline,
        f"{first} wins {chance['victory']} of these battles and loses {chance['defeat']}; {chance['draw']} are draws. "
        f"Devastating victories: {first} {chance['devastating_victory']}, {second} {chance['devastating_defeat']}.",
        *game_lines(answer.game, answer.names),
    ]
    if answer.swings:
        lines += [swing_units(answer.swings, side, name) for side, name in answer.names.items()]
        lines += harmful_units_note(answer.swings, answer.names)
    return lines


def by_margin(answer: BattleResult) -> Block:
    """Return the distribution of the margin; many values are grouped into bands, with draws separate."""
    rows = answer.margins()
    margins = np.array([row["margin"] for row in rows], np.int64)
    battles = np.array([row["probability"] for row in rows]) * answer.trials
    wide = next(wide for wide in _BANDS if len(set(_bands(margins, wide))) <= _MOST_BANDS)
    bands, lines = _bands(margins, wide), []
    for band in np.unique(bands):
        first, last = (int(band) - np.sign(band)) * wide + np.sign(band), int(band) * wide
        ends = sorted({first, last})
        label = " to ".join(f"{end:+d}" if end else "0" for end in ends)
        lines.append([label, str(estimate(round(float(battles[bands == band].sum())), answer.trials))])
    mean = mean_text(answer.mean_with_interval("margin"), decimals=1)
    first, second = answer.names.values()
    return Block(f"VP of {first} less VP of {second}: {mean} on average", rows=lines, align=">")


def _bands(margins: NDArray[Any], wide: int) -> NDArray[Any]:
    """Return the band of each margin: 0 is a draw, 1 is 1 to `wide`, -1 is -1 to -`wide`, and so on."""
    bands: NDArray[Any] = np.sign(margins) * -(-np.abs(margins) // wide)
    return bands


def by_round(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return the survivors by round: units, percent of the points, and its range in the middle 80% of battles."""
    head = ["round", *(name for army in names.values() for name in (f"{army}: units", "points", "10-90%"))]
    lines: dict[int, list[str]] = {}
    for row in rows:
        line = lines.setdefault(row["round"], [str(row["round"])])
        line += _left(row)
    return Block("Left at the end of each round: units, and percent of the points", head, list(lines.values()), ">")


def left_of(rows: Sequence[dict[str, Any]], side: str) -> Block:
    """Return the survivors of one side by round, also in points."""
    head = ("round", "units", "points", "percent", "10-90%")
    lines = []
    for row in (row for row in rows if row["side"] == side):
        units, *percents = _left(row)
        lines.append([str(row["round"]), units, f"{row['mean_points']:,.0f}", *percents])
    return Block("", head, lines, ">")


def _left(row: dict[str, Any]) -> list[str]:
    """Return the survivors of a side: units, percent of its points, and its range in the middle 80% of battles."""
    mean = mean_in(row, "mean_units")
    longer = max(mean.value - (mean.low or 0.0), (mean.high or 0.0) - mean.value)  # one number fits a narrow table
    units = plus_minus(mean.value, longer) if longer else f"{mean.value:.1f}"
    percentiles = f"{row['percent_10th_percentile']:g}-{row['percent_90th_percentile']:g}%"
    return [units, f"{row['mean_percent']:.0f}%", percentiles]


def by_unit(rows: Sequence[dict[str, Any]], names: Mapping[str, str], *, in_full: bool = False) -> Block:
    """Return the points that each unit destroyed and lost; `in_full`: losses also per 100 of its own points."""
    rates = ["destroyed per 100", "lost", "lost per 100"] if in_full else ["per 100", "lost"]
    head = ["unit", "army", "points", "destroyed", *rates]
    lines = []
    for row in rows:
        destroyed, lost = (mean_text(mean_in(row, name), decimals=1) for name in _OF_UNIT)
        cells = ["?" if row["points"] is None else str(row["points"]), destroyed, _whole(row[f"{_OF_UNIT[0]}_per_100"])]
        cells += [lost, *([_whole(row[f"{_OF_UNIT[1]}_per_100"])] if in_full else [])]
        lines.append([row["name"], names[row["side"]], *cells, str(estimate_in(row, "p_alive"))])
    title = "Contribution of each unit: enemy points destroyed, also per 100 of its own points; points lost"
    return Block(title, [*head, "alive at end"], lines, "<<>", lines=fill(_of_friends(rows)))


def _of_friends(rows: Sequence[dict[str, Any]]) -> str:
    """Return a sentence about losses that units inflicted on their own side by blasts."""
    name = "friends_destroyed"
    losses = [f"{row['name']} {mean_text(mean_in(row, name), decimals=1)}" for row in rows if row[name] > 0]
    return f"Of their own side, by blasts, and not counted as destroyed: {'; '.join(losses)}." if losses else ""


_OF_UNIT = ("points_destroyed", "points_absorbed")


def _whole(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.0f}"
