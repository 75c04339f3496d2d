"""The page of a report: what it concludes, and one HTML file that opens offline, with tables, pictures and scripts."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib import colormaps
from matplotlib.colors import to_hex
from PIL import Image

from analyser import __version__
from analyser.analysis.balance import LEAST, LEAST_RATIO, Row
from analyser.analysis.grid import METHOD, by_unit
from analyser.analysis.matchups import Matchups
from analyser.analysis.prices import VERDICTS
from analyser.analysis.situations import Situation
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.units import Category, Loadout, Unit, unit_of
from analyser.plots.heatmaps import LEAST_SHARE
from analyser.plots.look import SCALE, inks
from analyser.plots.metrics import EFFICIENCY, METRICS, RESULTS
from analyser.report.parts import DOTS_AN_INCH, Balance, Plan

CARRIED = (
    *(EFFICIENCY, "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed"),
    *("p_suppressed", "p_broken", "p_annihilated", "mean_damage"),
)
"""The figures that the page carries, beside those of duels."""
PROBABILITY_STEPS = 10_000  # a probability is carried as so many hundredths of a percent
DECIMALS = 3  # of all other figures
COLOURS = 64
PIXELS_AN_INCH = 96  # the natural size of a picture
MOST_RANKED, MOST_OPPONENTS, MOST_OUTLIERS = 10, 5, 20
_NEXT_TO_NOTHING = 0.05  # points destroyed for 100 points; what does less is nobody's target
_OF_A_ROW = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")
_RANKED = [EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]
_OPPONENT = ["unit", "name", EFFICIENCY, "mean_models_destroyed", "p_annihilated", *RESULTS]


class Ranking(NamedTuple):
    """The best attackers on the targets of one category in one situation; their figures are means over the targets."""

    category: str
    situation: Situation
    targets: int
    attackers: list[Row]


class Defended(NamedTuple):
    """A defender, and situation by situation the rows of the attacks that are best against it.

    The deadliest is None where nothing can attack it, and does most damage where nothing destroys a model of it; the
    cheapest is None where no attacker has points.
    """

    defender: str
    points: int | None
    models: int
    answers: list[tuple[Row | None, Row | None]]


class Idle(NamedTuple):
    """A unit that has no attack in some situations, and why, row by row."""

    unit: str
    situations: list[Situation]
    why_not: list[str]


def rankings(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Ranking]:
    """The best attackers per 100 points, for each target category and each situation.

    The mean is over every defending loadout of the category. An attacker that fires at one of them fires at all of
    them, for it is the category that a row fires at.
    """
    found, names = [], ["attacker_unit", "attacker_level", "attacker_points"]
    for category in dict.fromkeys(frame["defender_category"]):
        for situation in situations:
            part = frame[(frame["defender_category"] == category) & (frame["situation"] == situation.name)]
            groups = part[part[EFFICIENCY].notna()].groupby("attacker", sort=False)
            rows = groups["row"].agg(lambda used: ", ".join(dict.fromkeys(used.dropna()))).rename("rows")
            table = groups[names].first().join(groups[_RANKED].mean()).join(rows)
            table = table.sort_values(EFFICIENCY, ascending=False, kind="stable").head(MOST_RANKED)
            found.append(Ranking(category, situation, part["defender"].nunique(), table.to_dict("records")))
    return found


def answers(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Defended]:
    """For each defender what destroys most of it per 100 points, and what annihilates it most likely."""
    possible = frame[frame["why_not"].isna()]
    deadliest = _best(possible, ["p_annihilated", "mean_models_destroyed", "mean_damage"])
    cheapest = _best(possible[possible[EFFICIENCY].notna()], [EFFICIENCY])
    found = []
    for row in frame.drop_duplicates("defender").to_dict("records"):
        points = None if pd.isna(row["defender_points"]) else int(row["defender_points"])
        places = [(row["defender"], situation.name) for situation in situations]
        best = [(deadliest.get(place), cheapest.get(place)) for place in places]
        name = f"{row['defender_unit']}, {row['defender_level']}"
        found.append(Defended(name, points, int(row["defender_models"]), best))
    return found


def _best(frame: pd.DataFrame, ranked_by: list[str]) -> dict[tuple[str, str], Row]:
    """By defender and situation the attack that comes first."""
    ranked = frame.sort_values(ranked_by, ascending=False, kind="stable")
    return {
        (row["defender"], row["situation"]): row
        for row in ranked.drop_duplicates(["defender", "situation"]).to_dict("records")
    }


def idle(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Idle]:
    """The units that can attack none of the defenders: in which situations, and why."""
    found: dict[tuple[str, tuple[str, ...]], list[Situation]] = {}
    for situation in situations:
        part = frame[frame["situation"] == situation.name]
        for unit, rows in part.groupby("attacker_unit", sort=False):
            if rows["why_not"].notna().all():
                found.setdefault((str(unit), tuple(reasons(rows))), []).append(situation)
    return [Idle(unit, where, list(why_not)) for (unit, why_not), where in found.items()]


def reasons(rows: pd.DataFrame) -> list[str]:
    """Why nobody of `rows` can attack: what stands in its way, once for each row of the attacker's card."""
    found: dict[str, dict[str, None]] = {}
    for attacker, defender, why_not in rows[["attacker", "defender", "why_not"]].itertuples(index=False, name=None):
        text = str(why_not) if attacker == defender else str(why_not).replace(str(defender), "the target")
        for each in text.replace(str(attacker), "it").split("; "):
            of_a_row = _OF_A_ROW.fullmatch(each)
            row, reason = of_a_row.groups() if of_a_row else ("", each)
            found.setdefault(row, {})[reason] = None
    return [f"{row}: {' / '.join(each)}" if row else " / ".join(each) for row, each in found.items()]


def sheets(found: Matchups, balance: Balance) -> dict[str, Any]:
    """What the page says of each unit that takes part.

    `units` are the loadouts of each by its selector without a level, attackers first; `attackers` and `defenders` tell
    which side it is on; all else is by selector, `best_targets` and `most_dangerous` by situation and selector.
    """
    units: dict[str, list[Loadout]] = {}
    for each in {each.selector: each for each in (*found.attackers, *found.defenders)}.values():
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs = by_unit(found.frame)
    return {
        "units": units,
        "attackers": {unit_of(each.selector) for each in found.attackers},
        "defenders": {unit_of(each.selector) for each in found.defenders},
        "best_targets": _opponents(pairs, "attacker", "defender"),
        "most_dangerous": _opponents(pairs, "defender", "attacker"),
        "records": _records_of(pairs),
        "efficiency": _rows_by_unit(balance.balance, "attacker"),
        "prices": {} if balance.prices is None else _rows_by_unit(balance.prices.frame, "loadout"),
        "outliers": _rows_by_unit(balance.outliers, "attacker", "defender"),
        "dominated": _rows_by_unit(balance.dominated, "attacker"),
    }


def _opponents(pairs: pd.DataFrame, side: str, other: str) -> dict[tuple[str, str], list[Row]]:
    """By situation and unit: those on the other side with the most points destroyed for those of the attacker.

    The figures are means over the levels of both, those of duels NaN elsewhere.
    """
    able = pairs[pairs[EFFICIENCY] >= _NEXT_TO_NOTHING].sort_values(EFFICIENCY, ascending=False, kind="stable")
    able = able.assign(unit=able[other], name=able[f"{other}_unit"])
    first = able.groupby(["situation", side], sort=False).head(MOST_OPPONENTS)
    return {
        (str(situation), str(unit)): part[_OPPONENT].to_dict("records")
        for (situation, unit), part in first.groupby(["situation", side], sort=False)
    }


def _records_of(pairs: pd.DataFrame) -> dict[str, Row]:
    """By unit how the duels end that it begins: how many others it meets, and how many it rather beats or loses to."""
    duels = pairs[pairs["p_attacker_wins"].notna() & (pairs["attacker"] != pairs["defender"])]
    loses = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    rather = duels.assign(p_loses=loses, wins=duels["p_attacker_wins"] > loses, loses=duels["p_attacker_wins"] < loses)
    how = {"defender": "size", "wins": "sum", "loses": "sum", "p_attacker_wins": "mean", "p_loses": "mean"}
    found = rather.groupby("attacker", sort=False).agg(how).rename(columns={"defender": "units"})
    return dict(zip(found.index, found.to_dict("records")))


def _rows_by_unit(frame: pd.DataFrame, *columns: str) -> dict[str, list[Row]]:
    """The rows of a table by the units that stand in some columns of it."""
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        for unit in dict.fromkeys(unit_of(row[column]) for column in columns):
            rows.setdefault(unit, []).append(row)
    return rows


def write_page(parts: Mapping[str, Any], plans: Sequence[Plan], path: Path) -> None:
    """Write the page of a comparison to `path`, of its parts and of its pictures, which are in the same folder."""
    galleries = [
        (f"{_faction(ours)} on {_faction(theirs)}", [_picture(each, plans[0].metric, path.parent) for each in part])
        for (ours, theirs), part in groupby(plans, lambda plan: (plan.attackers, plan.defenders))
    ]
    path.write_text(_template().render(galleries=galleries, **parts), encoding="utf-8", newline="\n")


def _picture(plan: Plan, shown_metric: str, folder: Path) -> dict[str, Any]:
    """A heatmap, its size on the page, and itself as an address if it is of the one metric whose pictures are shown."""
    path, source = folder / f"{plan.name}.png", ""
    if plan.metric == shown_metric:
        source = "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
    with Image.open(path) as picture:
        width, height = (round(each * PIXELS_AN_INCH / DOTS_AN_INCH) for each in picture.size)
    return {"plan": plan, "width": width, "height": height, "source": source}


def parts_of_page(found: Matchups, balance: Balance) -> dict[str, Any]:
    """All that the page of a comparison shows but for the pictures."""
    ours, theirs = _side(found.attackers), _side(found.defenders)
    die, deck = found.ruleset.model_dump(mode="json")["die"], found.ruleset.deck.copies
    return {
        "version": __version__,
        "found": found,
        "balance": balance,
        "method": METHOD,
        "title": f"{ours} against {'each other' if ours == theirs else theirs}",
        "die": ", ".join(f"{count} {face}" for face, count in die.items() if count),
        "deck": ", ".join(f"{copies} × {value}" for value, copies in sorted(deck.items())),
        "rankings": rankings(found.frame, found.situations),
        "answers": answers(found.frame, found.situations),
        "idle": idle(found.frame, found.situations),
        "efficiency": balance.balance.to_dict("records"),
        "prices": balance.prices,
        "verdicts": VERDICTS,
        "outliers": balance.outliers.head(MOST_OUTLIERS).to_dict("records"),
        "dominated": balance.dominated.to_dict("records"),
        "ratings": None if balance.ratings is None else balance.ratings.to_dict("records"),
        "least": LEAST,
        "least_ratio": LEAST_RATIO,
        "names": {
            each.selector: f"{each.unit.name}, {each.level_name}" for each in (*found.attackers, *found.defenders)
        },
        "sheets": sheets(found, balance),
        "data": page_data(found),
        "n_possible": int(found.frame["why_not"].isna().sum()),
    }


def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("analyser.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "tenths": "{:.1f}".format,
        "hundredths": "{:.2f}".format,
        "whole": "{:.0f}".format,
        "percent": _percent,
        "facts": _facts,
        "faction": _faction,
        "unit_of": unit_of,
        "anchor": lambda selector: "unit-" + unit_of(selector).replace("/", "-"),  # the id of a unit's part of the page
        "attacker": lambda row: f"{row['attacker_unit']}, {row['attacker_level']}",
    }
    return environment.get_template("index.html.jinja")


def _faction(name: str) -> str:
    return name.replace("-", " ").title()


def _side(sides: Sequence[Loadout]) -> str:
    *others, last = dict.fromkeys(_faction(each.faction) for each in sides)
    return f"{', '.join(others)} and {last}" if others else last


def _facts(unit: Unit) -> str:
    """Its type and numbers, in a line."""
    numbers = {name: getattr(unit, name) for name in ("defence", "damage_limit", "discipline", "break_limit")}
    told = [f"{name.replace('_', ' ').upper()} {each}" for name, each in numbers.items() if each is not None]
    return " · ".join([unit.type, f"{unit.category} target", *told])


def _percent(probability: float) -> str:
    """A probability that is not rounded to impossible or to certain."""
    if probability < CERTAIN_WITHIN or probability > 1 - CERTAIN_WITHIN:
        return f"{100 * probability:.0f}%"
    if probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if probability > 0.9995 else f"{100 * probability:.1f}%"


def page_data(found: Matchups) -> dict[str, Any]:
    """What the scripts of the page read; rows are by attacker, then defender, then situation.

    Returns
    -------
    dict
        `attackers` and `defenders`, a list of selector, unit, level, points, faction and category each; `situations`
        and `metrics`, names and titles; `columns`, the figures by metric, None where there is none; `rows` and `why`,
        texts, and `row` and `why_not`, their places in them, -1 for none; `scale`, colours and inks from low to high;
        `least_share`, what of the highest figure the scale begins at; `categories` of targets, in their order.
    """
    frame = found.frame
    names = (*CARRIED, *RESULTS) if any(each.fight.has_winner for each in found.situations) else CARRIED
    carried = {name: METRICS[name] for name in names}
    row, rows = pd.factorize(frame["row"])
    why_not, why = pd.factorize(frame["why_not"])
    colours = colormaps[SCALE](np.linspace(0, 1, COLOURS))
    return {
        "attackers": [_side_data(each) for each in found.attackers],
        "defenders": [_side_data(each) for each in found.defenders],
        "situations": [{"name": each.name, "heading": each.heading} for each in found.situations],
        "metrics": [
            {"name": name, "title": what.title, "is_probability": what.is_probability, "unit": what.unit}
            for name, what in carried.items()
        ],
        "steps": PROBABILITY_STEPS,
        "columns": {name: _short(frame[name], probability=what.is_probability) for name, what in carried.items()},
        "rows": [str(each) for each in rows],
        "row": row.tolist(),
        "why": [str(each) for each in why],
        "why_not": why_not.tolist(),
        "scale": [[to_hex(colour), str(ink)] for colour, ink in zip(colours, inks(colours))],
        "least_share": LEAST_SHARE,
        "categories": get_args(Category),
    }


def _side_data(loadout: Loadout) -> dict[str, Any]:
    level, unit = loadout.level, loadout.unit
    names = {"selector": loadout.selector, "unit": unit.name, "level": loadout.level_name}
    return {**names, "points": level.points, "faction": loadout.faction, "category": unit.category}


def _short(column: pd.Series[Any], *, probability: bool) -> list[float | int | None]:
    """The figures rounded, but nothing possible to nothing and nothing uncertain to certain."""
    values = column.to_numpy(np.float64) * (PROBABILITY_STEPS if probability else 1)
    step = 1.0 if probability else 10.0**-DECIMALS
    rounded = values.round(0 if probability else DECIMALS)
    rounded[(rounded == 0) & (values > step * CERTAIN_WITHIN)] = step / 10
    if probability:
        rounded[(rounded == PROBABILITY_STEPS) & (values < PROBABILITY_STEPS * (1 - CERTAIN_WITHIN))] -= step / 10
    blank = np.isnan(rounded)
    return [
        None if none else int(each) if each == int(each) else each
        for each, none in zip(np.where(blank, 0, rounded).tolist(), blank)
    ]
