"""Text of the result of a battle: winner, margin, survivors, and contributions of units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate, estimate_in, plus_minus
from analyser.common.means import mean_in, mean_text
from analyser.common.text import counted, fill, spaced
from analyser.engine.battle.look_ahead_weights import BY_POLICY, DEFAULT
from analyser.game.army import names_apart
from analyser.scenarios.battle import SIDES, BattleScenario
from analyser.scenarios.policies import AUTO

if TYPE_CHECKING:
    from analyser.results.battle import BattleResult

_BAND_WIDTHS, _MOST_BANDS = (1, 2, 5, 10, 20, 50, 100, 200), 16  # width and number of the bands of margins in the text
_NAMES = {"hand": "card"}  # names of terms in the text, if different from their keys


def heading(scenario: BattleScenario, *, equilibrium: bool) -> list[tuple[str, str]]:
    """Return the question as labels and texts; `equilibrium`: sides without a stated tactic play one."""
    terms = scenario.terms
    lengths = f'lines {terms.gap:g}" apart, table {terms.table:g}" deep'
    number = terms.objectives
    objectives = f", {counted(number, 'objective')} of {terms.objective_points} VP" if number else ""
    lines = [("Battle", f"{counted(terms.rounds, 'round')}, {lengths}, {terms.scale}{objectives}")]
    auto = "equilibrium of tactics" if equilibrium else f"tactic {DEFAULT}"
    tactics = [_tactics_in_words(scenario, side, auto) for side in SIDES]
    names = names_apart(*scenario.armies)
    for label, name, army in zip(("Army", "Against"), names, scenario.armies):
        boons = sum(boon.points for boon in army.paid_boons)
        points = f"{army.points:,} points" + (f", {boons} of them for boons" if boons else "")
        lines.append((label, f"{name}: {counted(len(army), 'unit')}, {points}"))
    if len(set(tactics)) == 1:
        return [*lines, ("Tactics", f"both: {tactics[0]}")]
    return [*lines, *(("Tactics", f"{name}: {text}") for name, text in zip(names, tactics))]


def _tactics_in_words(scenario: BattleScenario, side: str, auto: str) -> str:
    """Return in words all settings of a side that can differ between the two sides."""
    terms, units = scenario.terms, scenario.fielded[SIDES.index(side)]
    tactic = terms.side_term("tactic", side)
    keys = ["hand", "initiative"]
    if tactic == BY_POLICY:
        keys = [*(["policy"] if terms.side_term("policy", side) != AUTO else []), "target", "order", *keys]
    words = [{BY_POLICY: BY_POLICY, AUTO: auto}.get(tactic) or spaced(f"tactic {tactic}")]
    words += [spaced(f"{_NAMES.get(key, key)}: {terms.side_term(key, side)}") for key in keys]
    if with_policy := sum(unit.unit.policy is not None for unit in units):
        words.append(f"{counted(with_policy, 'unit')} with a policy of its own")
    if lowest_kept := terms.side_term("discard_below", side):
        words.append(f"cards below {lowest_kept} discarded")
    return ", ".join(words)


def margin_block(result: BattleResult) -> Block:
    """Return the distribution of the margin; if it has many values, they are grouped into bands, except draws."""
    rows = result.margins()
    margins = np.array([row["margin"] for row in rows], np.int64)
    battles = np.array([row["probability"] for row in rows]) * result.trials
    width = next(width for width in _BAND_WIDTHS if len(set(_bands(margins, width))) <= _MOST_BANDS)
    bands, lines = _bands(margins, width), []
    for band in np.unique(bands).tolist():
        ends = sorted({(band - np.sign(band)) * width + np.sign(band), band * width})
        label = " to ".join(f"{end:+d}" if end else "0" for end in ends)
        lines.append([label, str(estimate(round(float(battles[bands == band].sum())), result.trials))])
    mean = mean_text(result.mean_with_interval("margin"), decimals=1)
    first, second = result.names.values()
    return Block(f"VP of {first} minus VP of {second}: {mean} on average", rows=lines, align=">")


def _bands(margins: NDArray[Any], width: int) -> NDArray[Any]:
    """Return the band of each margin: 0 is a draw, 1 is 1 to `width`, -1 is -1 to -`width`, and so on."""
    return np.asarray(np.sign(margins) * -(-np.abs(margins) // width))


def rounds_block(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return the survivors by round: units, percent of the points, and the middle 80% of that percentage."""
    head = ["round", *(name for army in names.values() for name in (f"{army}: units", "points", "10-90%"))]
    lines: dict[int, list[str]] = {}
    for row in rows:
        mean = mean_in(row, "mean_units")
        longer = max(mean.value - (mean.low or 0.0), (mean.high or 0.0) - mean.value)  # one ± fits a narrow table
        units = plus_minus(mean.value, longer) if longer else f"{mean.value:.1f}"
        percentiles = f"{row['percent_10th_percentile']:g}-{row['percent_90th_percentile']:g}%"
        lines.setdefault(row["round"], [str(row["round"])]).extend([units, f"{row['mean_percent']:.0f}%", percentiles])
    return Block("Survivors of each round: units, and percent of the points", head, list(lines.values()), ">")


def units_block(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Block:
    """Return the points that each unit destroyed and lost."""
    lines = []
    for row in rows:
        points = "?" if row["points"] is None else str(row["points"])
        per_100 = row["points_destroyed_per_100"]
        destroyed, lost = (mean_text(mean_in(row, f"points_{what}"), decimals=1) for what in ("destroyed", "absorbed"))
        cells = [points, destroyed, "" if per_100 is None else f"{per_100:.0f}", lost, str(estimate_in(row, "p_alive"))]
        lines.append([row["name"], names[row["side"]], *cells])
    head = ("unit", "army", "points", "destroyed", "per 100", "lost", "alive at end")
    title = "Contribution of each unit: enemy points destroyed, also per 100 points of the unit, and points lost"
    name = "friends_destroyed"
    losses = [f"{row['name']} {mean_text(mean_in(row, name), decimals=1)}" for row in rows if row[name] > 0]
    note = f"Points of their own side destroyed by blasts, not included above: {'; '.join(losses)}."
    return Block(title, head, lines, "<<>", lines=fill(note) if losses else ())
