"""Page of a report: one HTML file that opens offline."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.distance_curves import curves
from analyser.analysis.efficiency import LEAST_RATIO, TableRow
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import EXCHANGE_KINDS, exchange_of
from analyser.analysis.prices import FairPoints
from analyser.analysis.roles import ROLE_DESCRIPTIONS, plural
from analyser.analysis.situations import unchanged_note
from analyser.analysis.verdict import RULE
from analyser.common.metrics import EFFICIENCY
from analyser.common.text import percent
from analyser.game.names import faction_name
from analyser.game.units import unit_of
from analyser.report.folder import ReportInputs
from analyser.report.matchups_data import PAGE_FIGURES, packed_figures, page_data
from analyser.report.page_frame import page_of
from analyser.report.report_jobs import Balance
from analyser.report.sliders import engine_of, slider_data
from analyser.report.tactic_costs import cost_by_attacker, note_of
from analyser.report.unit_cards import KINDS, UNDECIDED, cards_of, kind_of, lines_of, verdict_text

MOST_BYTES = 1_000_000  # compressed size above which a page has fewer figures
MAIN_FIGURES = (EFFICIENCY, "mean_models_destroyed", "p_annihilated")
FIGURE_SETS = (PAGE_FIGURES, MAIN_FIGURES, MAIN_FIGURES[:1])  # a page has the first set that fits, or the last
MOST_OUTLIERS = 20  # outliers shown on a page
LEAST_ROLE_SIZE = 3  # fewest loadouts of a role that the headline names
VERDICTS = {**{kind: verdict for verdict, kind in KINDS.items()}, UNDECIDED: UNDECIDED}  # verdicts by CSS class
KIND_ORDER = ("over", "under", "fair", UNDECIDED)
ABOUT_EVEN = 0.05  # two factions are about even if their points destroyed differ by less than this share
STEPS = 1000  # probabilities are stored in tenths of a percent
_ROW_PREFIX = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")


def write_page(answer: Matchups, balance: Balance, inputs: ReportInputs, path: Path, threads: int = 1) -> None:
    """Write the page of a report to `path`, with the first of :data:`FIGURE_SETS` that fits into MOST_BYTES."""
    values, script_data = page_values(answer, balance, inputs, threads)
    for figures in FIGURE_SETS:
        data = packed_figures(page_data(answer, figures) | script_data)
        text = page_of("report", data=data, has_all=figures is PAGE_FIGURES, **values)
        if compressed(text) <= MOST_BYTES:
            break
    path.write_text(text, encoding="utf-8", newline="\n")


def compressed(text: str) -> int:
    """Return the size of a page in bytes, compressed as for transfer by a server."""
    return len(zlib.compress(text.encode()))


def page_values(
    answer: Matchups, balance: Balance, inputs: ReportInputs, threads: int = 1
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values for the template, and the data for the scripts except the figures of matchups."""
    prices = balance.prices
    trades, factions = (None, None) if prices is None else trades_of(answer)
    names = {attacker.selector: attacker.title for attacker in answer.attackers}
    notes = _notes(balance.dominated.to_dict("records"), inputs.tactics, names)
    cards = cards_of(answer, balance, curves(answer, threads), notes, _without_duels(answer))
    priced = [] if prices is None else prices.frame.to_dict("records")
    values = {
        "title": title_of(*((loadout.faction for loadout in side) for side in (inputs.attackers, inputs.defenders))),
        "inputs": inputs,
        "answer": answer,
        "method": METHOD,
        "balance": balance,
        "prices": prices,
        "headline": "" if prices is None else headline_of(prices),
        "counts": [] if prices is None else counts_of(prices),
        "by_faction": [] if prices is None else faction_counts(prices),
        "lines": lines_of(cards, {unit_of(name) for name in balance.dominated["attacker"]}),
        "roles": sorted({card["role"] for card in cards}),
        "shown_factions": list(dict.fromkeys(card["faction"] for card in cards)),
        "rule": RULE,
        "role_descriptions": ROLE_DESCRIPTIONS,
        "factions": factions,
        "faction_lines": [] if factions is None else faction_lines(factions),
        "round_sentence": _round_sentence({situation.kind for situation in answer.situations}),
        "unchanged_note": unchanged_note(answer.situations),
        "tactics_note": "" if inputs.tactics is None else note_of(inputs.tactics),
        "outliers": balance.outliers.head(MOST_OUTLIERS),
        "least_ratio": LEAST_RATIO,
        "names": names,
        "verdicts": {row["loadout"]: verdict_text(row) for row in priced},
        "points": {loadout.selector: loadout.level.points for loadout in answer.attackers},
        "engine": engine_of(answer.attackers, answer.situations, answer.ruleset),
        "n_possible": int(answer.frame["why_not"].isna().sum()),
    }
    selectors = [level["selector"] for card in cards for level in card["levels"]]
    enemies = enemies_data(selectors, wins_of(answer.frame), trades)
    round_sentence = values["round_sentence"]
    return values, {"units": cards, "enemies": enemies, "round_sentence": round_sentence, "slider": slider_data()}


def headline_of(prices: FairPoints) -> str:
    """Return a sentence about the share of loadouts that look mispriced, and the role with the highest share."""
    frame = prices.frame
    mispriced = frame["verdict"].map(kind_of).isin(["under", "over"])
    if not len(frame) or not mispriced.any():
        return "No loadout looks mispriced."
    by_role = mispriced.groupby(frame["role"]).agg(["mean", "size"])
    by_role = by_role[by_role["size"] >= LEAST_ROLE_SIZE].sort_values("mean", ascending=False, kind="stable")
    most = (
        f", and {100 * by_role['mean'].iloc[0]:.0f}% of {plural(str(by_role.index[0]))}"
        if len(by_role) > 1 and by_role["mean"].iloc[0] > mispriced.mean()
        else ""
    )
    return f"{100 * mispriced.mean():.0f}% of loadouts look mispriced{most}."


def counts_of(prices: FairPoints) -> list[tuple[str, str, int, int]]:
    """Return for each verdict its CSS class, name, number of loadouts, and length of its part of a bar (1 to 20)."""
    kinds = prices.frame["verdict"].map(kind_of).value_counts()
    numbers = {kind: int(kinds.get(kind, 0)) for kind in KIND_ORDER}
    total = max(sum(numbers.values()), 1)
    return [(kind, VERDICTS[kind], number, max(round(20 * number / total), 1)) for kind, number in numbers.items()]


def faction_counts(prices: FairPoints) -> list[tuple[str, list[int], float]]:
    """Return for each faction the numbers of loadouts by verdict, and the mispriced share, the highest share first."""
    kinds = prices.frame["verdict"].map(kind_of).groupby(prices.frame["faction"], sort=False)
    numbers = {str(faction): [int((group == kind).sum()) for kind in KIND_ORDER] for faction, group in kinds}
    shares = [(faction, counts, sum(counts[:2]) / sum(counts)) for faction, counts in numbers.items()]
    return sorted(shares, key=lambda entry: -entry[2])


def reasons(rows: pd.DataFrame) -> list[str]:
    """Return the distinct reasons why matchups are impossible, grouped by row of the attacker."""
    result: dict[str, dict[str, None]] = {}
    for attacker, defender, why_not in rows[["attacker", "defender", "why_not"]].itertuples(index=False, name=None):
        text = str(why_not) if attacker == defender else str(why_not).replace(str(defender), "the target")
        for part in text.replace(str(attacker), "it").split("; "):
            match = _ROW_PREFIX.fullmatch(part)
            row, reason = match.groups() if match else ("", part)
            result.setdefault(row, {})[reason] = None
    return [f"{row}: {' / '.join(reasons)}" if row else " / ".join(reasons) for row, reasons in result.items()]


def _round_sentence(kinds: Collection[str]) -> str:
    """Return a sentence about the rounds over which the figures are means; empty without shots and charges."""
    if not set(EXCHANGE_KINDS) <= set(kinds):
        return ""
    return (
        "These are means per round, over six rounds from the first possible shot. In each round the reach and SPEED"
        " of two units decide whether they are far apart (both shoot) or near (each shoots or charges)."
    )


def _without_duels(answer: Matchups) -> dict[str, str]:
    """Return the reason for each unit without duels; empty for a report without duels."""
    names = [situation.name for situation in answer.situations if situation.fight.has_winner]
    duels = answer.frame[answer.frame["situation"].isin(names)]
    units = duels["attacker"].map(unit_of)
    without = duels[~units.isin(units[duels["why_not"].isna()].unique())]
    return {
        str(unit): f"No duels: {'; '.join(reasons(rows))}."
        for unit, rows in without.groupby(units[without.index], sort=False)
    }


def _notes(dominated: Iterable[TableRow], duels: pd.DataFrame | None, names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return sentences by unit: the loadouts that dominate its loadouts, and the cost of its tactic in duels."""
    result: dict[str, list[str]] = {}
    for row in dominated:
        saved = f"which costs {row['points_saved']} points less" if row["points_saved"] else "which costs no more"
        besides = f", but lacks: {row['has_besides']}" if row["has_besides"] else ""
        text = f"{names[row['attacker']]} is dominated in {row['counts']} by {names[row['by']]}, {saved}{besides}."
        result.setdefault(unit_of(row["attacker"]), []).append(text)
    for row in [] if duels is None else cost_by_attacker(duels).to_dict("records"):
        most = f"; at most {percent(row['most'])}, against {names[row['against']]}" if row["most"] > row["cost"] else ""
        tactic = f"In duels {names[row['attacker']]} follows the tactic {row['tactic']}."
        cost = f"Compared with best play this costs {percent(row['cost'])} of its duels on average{most}."
        result.setdefault(unit_of(row["attacker"]), []).append(f"{tactic} {cost}")
    return result


def faction_lines(factions: pd.DataFrame) -> list[str]:
    """Return a sentence for each pair of factions that says which of them is ahead."""
    lines = []
    destroyed = factions.to_numpy(np.float64)
    for (i, first), (j, second) in combinations(enumerate(factions.columns), 2):
        by_first, by_second = float(destroyed[i, j]), float(destroyed[j, i])
        if math.isnan(by_first) or by_first == by_second == 0:
            continue
        (ahead, more), (behind, less) = sorted([(first, by_first), (second, by_second)], key=lambda side: -side[1])
        first_name, second_name = faction_name(ahead), faction_name(behind)
        is_even = more - less < ABOUT_EVEN * more
        relation = "and {} are about even" if is_even else "is ahead of {}"
        points = f"100 points of {first_name} destroy {more:.1f} points of {second_name}"
        reverse = f"100 points of {second_name} destroy {less:.1f} in return"
        lines.append(f"{first_name} {relation.format(second_name)}: in a round, {points}, and {reverse}.")
    return lines


def title_of(*sides: Iterable[str]) -> str:
    """Return the title of a report of some factions against others.

    >>> title_of(["crown"], ["imperium"]), title_of(["crown"], ["crown"])
    ('Crown against Imperium', 'Crown against itself')
    >>> title_of(["crown", "empire"], ["crown", "empire"])
    'Crown and Empire among themselves'
    """
    ours, theirs = (list(dict.fromkeys(map(faction_name, side))) for side in sides)
    if ours != theirs:
        return f"{_joined_names(ours)} against {_joined_names(theirs)}"
    return f"{_joined_names(ours)} {'against itself' if len(ours) == 1 else 'among themselves'}"


def _joined_names(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def trades_of(answer: Matchups) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the points that 100 points of one side destroy in a round, as tables of loadouts and of factions.

    Attackers are rows, targets are columns. A figure of factions is a mean over units, and the figure of a unit a mean
    over its levels. A figure is NaN if the two do not fight.
    """
    exchange = exchange_of(answer.frame, answer.attackers, answer.situations, answer.ruleset)
    names, points = [loadout.selector for loadout in exchange.loadouts], exchange.points
    destroyed = np.where(exchange.is_matchup, 100 * exchange.mean() * points[None, :] / points[:, None], np.nan)
    trades = pd.DataFrame(destroyed, names, names)
    return trades, _group_means(_group_means(trades, unit_of), lambda name: name.partition("/")[0])


def _group_means(table: pd.DataFrame, group_of: Callable[[str], str]) -> pd.DataFrame:
    """Return the means of a square table over groups of its rows and columns."""

    def sums(part: pd.DataFrame) -> pd.DataFrame:
        return part.groupby(group_of, sort=False).sum().T.groupby(group_of, sort=False).sum().T

    return sums(table.fillna(0.0)) / sums(table.notna().astype(float)).replace(0.0, np.nan)


def wins_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that the loadout of the row wins a duel against that of the column; NaN without a duel.

    If the table has both directions, this is the mean over both, so that each side begins once.
    """
    duels = frame.loc[frame["p_attacker_wins"].notna(), ["attacker", "defender", "p_attacker_wins", "p_draw"]]
    p_defender_wins = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    begins = pd.DataFrame({"one": duels["attacker"], "other": duels["defender"], "wins": duels["p_attacker_wins"]})
    waits = pd.DataFrame({"one": duels["defender"], "other": duels["attacker"], "wins": p_defender_wins})
    return pd.concat([begins, waits]).groupby(["one", "other"], sort=False)["wins"].mean().unstack()


def enemies_data(loadouts: Sequence[str], wins: pd.DataFrame, trades: pd.DataFrame | None) -> dict[str, Any]:
    """Return tables for the scripts of a page: a row for each loadout, a column for each unit, in the given order.

    `wins` and `draws` are probabilities in tenths of a percent; `ahead` is points destroyed minus points lost, per 100
    points. Figures are means over the levels of the unit; None for a loadout's own unit, or without a fight.
    """
    destroyed = pd.DataFrame() if trades is None else trades
    draws = 1 - wins - wins.T
    tables = {"wins": (STEPS * wins, 0), "draws": (STEPS * draws, 0), "ahead": (destroyed - destroyed.T, 1)}
    return {name: _by_unit(table, loadouts, digits) for name, (table, digits) in tables.items()}


def _by_unit(table: pd.DataFrame, loadouts: Sequence[str], digits: int) -> list[list[float | None]]:
    units = list(dict.fromkeys(map(unit_of, loadouts)))
    means = table.T.groupby(unit_of).mean().T.reindex(index=list(loadouts), columns=units)
    rows = zip(loadouts, means.to_numpy(np.float64).round(digits).tolist())
    return [
        [None if np.isnan(value) or unit == unit_of(name) else value for unit, value in zip(units, row)]
        for name, row in rows
    ]
