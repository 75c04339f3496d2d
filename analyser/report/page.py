"""The page of a report: what it concludes, and one HTML file that opens offline, with tables, pictures and scripts."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from analyser import __version__
from analyser.analysis.balance import LEAST, LEAST_RATIO, Row
from analyser.analysis.curves import curves
from analyser.analysis.exchange import WAYS
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups
from analyser.analysis.policy import told_of_best
from analyser.analysis.prices import FairPoints
from analyser.analysis.reasons import defence_of
from analyser.analysis.roles import MEANS
from analyser.analysis.situations import BEST_TRADE, Situation
from analyser.analysis.verdict import OVER, RULE, UNDER, interval_text
from analyser.common.estimates import SAME_WITHIN
from analyser.common.text import percent, whole_percent
from analyser.game.names import faction_name
from analyser.game.units import Loadout, Unit, unit_of
from analyser.plots.metrics import EFFICIENCY
from analyser.report.cards import cards
from analyser.report.enemies import Trades, enemies_data, enemies_of, trades_of
from analyser.report.figures import packed, page_data, row_names
from analyser.report.folder import Inputs
from analyser.report.parts import DOTS_AN_INCH, Balance, Plan
from analyser.report.picture import price_picture
from analyser.report.policy import Page

PIXELS_AN_INCH = 96  # the natural size of a picture
MOST_BYTES = 4_900_000  # of the page
MOST_EMBEDDED = 1_000_000  # bytes of pictures in the page itself
LONG_TABLES, FEW_FIGURES = 1, 2  # what a page that would be too large is without: the one, or both
THE_FEW = (EFFICIENCY, "mean_models_destroyed", "p_annihilated")
MOST_RANKED, MOST_OUTLIERS, MOST_LISTED, MOST_BEATING, MOST_IN_SHORT = 10, 20, 5, 8, 3
_OF_A_ROW = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")
_RANKED = [EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]


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


def idle(
    frame: pd.DataFrame, situations: Iterable[Situation], names: Mapping[str, str] = MappingProxyType({})
) -> list[Idle]:
    """The units that can attack none of the defenders: in which situations, and why; rows by their `names`."""
    found: dict[tuple[str, tuple[str, ...]], list[Situation]] = {}
    for situation in situations:
        part = frame[frame["situation"] == situation.name]
        for unit, rows in part.groupby("attacker_unit", sort=False):
            if rows["why_not"].notna().all():
                why = (each.partition(": ") for each in reasons(rows))
                told = tuple(f"{names.get(row, row)}{colon}{rest}" for row, colon, rest in why)
                found.setdefault((str(unit), told), []).append(situation)
    return [Idle(unit, where, list(why_not)) for (unit, why_not), where in found.items()]


def reasons(rows: pd.DataFrame) -> list[str]:
    """Return the reasons why none of `rows` can attack, once for each row of the attacker's card."""
    found: dict[str, dict[str, None]] = {}
    for attacker, defender, why_not in rows[["attacker", "defender", "why_not"]].itertuples(index=False, name=None):
        text = str(why_not) if attacker == defender else str(why_not).replace(str(defender), "the target")
        for each in text.replace(str(attacker), "it").split("; "):
            of_a_row = _OF_A_ROW.fullmatch(each)
            row, reason = of_a_row.groups() if of_a_row else ("", each)
            found.setdefault(row, {})[reason] = None
    return [f"{row}: {' / '.join(each)}" if row else " / ".join(each) for row, each in found.items()]


def write_page(parts: Mapping[str, Any], plans: Sequence[Plan], path: Path) -> None:
    """Write the page of a comparison to `path`, of its parts and of its pictures, which are in the same folder.

    It is under :data:`MOST_BYTES`: what does not fit is left out and named, pictures first, then tables that are files
    as well, then figures of the heatmap.
    """
    template = _template(row_names(parts["found"].attackers))

    def page(embedded: Collection[str] = (), **cut: Any) -> str:
        found: str = template.render(galleries=_galleries(plans, path.parent, embedded), **{**parts, **cut})
        return found

    cut: dict[str, Any] = {}
    text = page()
    if _size(text) > MOST_BYTES:
        cut = {"cut": LONG_TABLES}
        text = page(**cut)
    if _size(text) > MOST_BYTES:
        data = page_data(parts["found"], THE_FEW) | {"enemies": parts["enemies"]}
        cut = {"cut": FEW_FIGURES, "data": packed(data)}
        text = page(**cut)
    embedded = _embedded(plans, path.parent, min(MOST_EMBEDDED, (MOST_BYTES - _size(text)) * 3 // 4))
    path.write_text(page(embedded, **cut) if embedded else text, encoding="utf-8", newline="\n")


def _size(text: str) -> int:
    return len(text.encode())


def _galleries(
    plans: Sequence[Plan], folder: Path, embedded: Collection[str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The pictures of each two factions below their heading."""
    return [
        (f"{faction_name(ours)} on {faction_name(theirs)}", [_picture(each, folder, embedded) for each in part])
        for (ours, theirs), part in groupby(plans, lambda plan: (plan.attackers, plan.defenders))
    ]


def _embedded(plans: Sequence[Plan], folder: Path, room: int) -> set[str]:
    """The names of the pictures that the page holds itself: of one metric, as many as there is room for."""
    names = set()
    for plan in plans:
        size = (folder / f"{plan.name}.png").stat().st_size
        if plan.metric == plans[0].metric and size <= room:
            names.add(plan.name)
            room -= size
    return names


def _picture(plan: Plan, folder: Path, embedded: Collection[str]) -> dict[str, Any]:
    """A heatmap, its size on the page, and itself as an address if the page holds it."""
    path, source = folder / f"{plan.name}.png", ""
    if plan.name in embedded:
        source = "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
    with Image.open(path) as picture:
        width, height = (round(each * PIXELS_AN_INCH / DOTS_AN_INCH) for each in picture.size)
    return {"plan": plan, "width": width, "height": height, "source": source}


def parts_of_page(found: Matchups, balance: Balance, inputs: Inputs, threads: int = 1) -> dict[str, Any]:
    """All that the page of a comparison shows but for the pictures."""
    die, deck = found.ruleset.model_dump(mode="json")["die"], found.ruleset.deck.copies
    trades, factions = (None, None) if balance.prices is None else trades_of(found)
    enemies, units = enemies_of(found.frame), _units(found.attackers)
    told = enemies_data(units, enemies, trades)
    return {
        "version": __version__,
        "found": found,
        "balance": balance,
        "method": METHOD,
        "title": title_of(*((each.faction for each in side) for side in (inputs.attackers, inputs.defenders))),
        "home": inputs.home,
        "one_field": inputs.field is not None,
        "cannot_shoot": {
            each.selector for each in found.attackers if not any(row.kind == "ranged" for row in each.unit.rows)
        },
        "die": ", ".join(f"{count} {face}" for face, count in die.items() if count),
        "deck": ", ".join(f"{copies} × {value}" for value, copies in sorted(deck.items())),
        **_verdict(balance.prices),
        "rule": RULE,
        "role_means": MEANS,
        "a_round": _a_round({each.kind for each in found.situations}),
        "factions": factions,
        "faction_lines": [] if factions is None else faction_lines(factions),
        "cards": cards(found, balance, enemies, trades, curves(found, threads)),
        "duel": next((each for each in found.situations if each.fight.has_winner), None),
        "no_duels": _without_duels(found, enemies),
        "unit_names": {name: each[0].unit.name for name, each in units.items()},
        "unit_points": {name: _range([each.level.points for each in levels]) for name, levels in units.items()},
        "most_beating": MOST_BEATING,
        "most_in_short": MOST_IN_SHORT,
        "enemies": told,
        **_habits(inputs.habits),
        "told_of_best": told_of_best(found.situations),
        "played_best": any(each.kind == "best-duel" for each in inputs.situations),
        "rankings": rankings(found.frame, found.situations),
        "answers": answers(found.frame, found.situations),
        "idle": idle(found.frame, found.situations, row_names(found.attackers)),
        "efficiency": balance.balance.to_dict("records"),
        "outliers": balance.outliers.head(MOST_OUTLIERS).to_dict("records"),
        "dominated": balance.dominated.to_dict("records"),
        "ratings": None if balance.ratings is None else balance.ratings.to_dict("records"),
        "least": LEAST,
        "least_ratio": LEAST_RATIO,
        "names": {each.selector: f"{each.unit.name}, {each.level_name}" for each in found.attackers},
        "points": {each.selector: each.level.points for each in found.attackers},
        "data": packed(page_data(found) | {"enemies": told}),
        "cut": 0,
        "n_possible": int(found.frame["why_not"].isna().sum()),
    }


def _units(loadouts: Iterable[Loadout]) -> dict[str, list[Loadout]]:
    """The loadouts of each unit, by its selector without a level."""
    found: dict[str, list[Loadout]] = {}
    for each in loadouts:
        found.setdefault(unit_of(each.selector), []).append(each)
    return found


def _range(points: Sequence[int | None]) -> str:
    """The least and the most of some points, as text."""
    known = [each for each in points if each is not None]
    if not known:
        return "–"
    return str(known[0]) if min(known) == max(known) else f"{min(known)}–{max(known)}"


def _a_round(kinds: Collection[str]) -> str:
    """Return the meaning of a round for the losses in these kinds of figures."""
    if BEST_TRADE in kinds:
        return "A round is the mean of the six of duels that both play best, from 18 inches apart and from 36."
    if not set(WAYS) <= set(kinds):
        return ""
    return (
        "A round is the mean of the six from the first shot on: how long two are far apart, and how long near, follows"
        " from their reach and SPEED."
    )


def _without_duels(found: Matchups, enemies: Collection[str]) -> dict[str, str]:
    """Why units fight no duels, by unit; of a report without duels nothing."""
    duels = [each.name for each in found.situations if each.fight.has_winner]
    part = found.frame[found.frame["situation"].isin(duels) & found.frame["why_not"].notna()]
    units = part["attacker"].map(unit_of)
    alone = part[~units.isin(list(enemies))]
    return {
        str(unit): f"No duels: {'; '.join(reasons(rows))}."
        for unit, rows in alone.groupby(units[alone.index], sort=False)
    }


def _habits(duels: pd.DataFrame | None) -> dict[str, Any]:
    """Return how reliable duels by simple tactics are, overall and by unit; empty if unknown."""
    if duels is None:
        return {"habits_note": "", "habits": {}}
    from analyser.report.habits import given_away_by, note_of

    found: dict[str, list[Row]] = {}
    for row in given_away_by(duels).to_dict("records"):
        found.setdefault(unit_of(row["attacker"]), []).append({**row, "level": row["attacker"].partition("@")[2]})
    return {"habits_note": note_of(duels), "habits": found}


def _verdict(prices: FairPoints | None) -> dict[str, Any]:
    """Return the content of the first screen: the loadouts farthest from their fair points, and all in one picture."""
    if prices is None:
        return {"prices": None, "listed": {}, "picture": None}
    farthest = {verdict: prices.of(verdict, MOST_LISTED).to_dict("records") for verdict in (OVER, UNDER)}
    listed = [row["loadout"] for rows in farthest.values() for row in rows]
    return {"prices": prices, "listed": farthest, "picture": price_picture(prices, listed)}


def faction_lines(factions: Trades) -> list[str]:
    """Return a sentence for each two factions that meet: which one comes out ahead."""
    lines = []
    for (one, ours), (other, theirs) in combinations(enumerate(factions.names), 2):
        there, back = (float(factions.destroyed[each]) for each in ((one, other), (other, one)))
        if math.isnan(there) or there == back == 0:
            continue
        (ahead, more), (behind, less) = sorted([(ours, there), (theirs, back)], key=lambda each: -each[1])
        names = faction_name(ahead), faction_name(behind)
        if more - less < SAME_WITHIN:
            both = f"100 points of each destroy {more:.1f} points of the other a round"
            lines.append(f"{names[0]} and {names[1]} come out even: {both}.")
            continue
        points = f"100 points of it destroy {more:.1f} points a round, and lose {less:.1f} to 100 points of {names[1]}"
        lines.append(f"{names[0]} comes out ahead of {names[1]}: {points}.")
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
        return f"{_listed(ours)} against {_listed(theirs)}"
    return f"{_listed(ours)} {'against itself' if len(ours) == 1 else 'among themselves'}"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def templates() -> Environment:
    """The templates of this package: what is filled in is escaped, what is missing an error; pages have a policy."""
    environment = Environment(
        loader=PackageLoader("analyser.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.template_class = Page
    return environment


def _template(names: Mapping[str, str]) -> Any:
    environment = templates()
    environment.filters |= {
        "tenths": "{:.1f}".format,
        "hundredths": "{:.2f}".format,
        "whole": "{:.0f}".format,
        "signed": lambda figure: f"{figure:.0f}".replace("-", "−"),
        "percent": percent,
        "whole_percent": whole_percent,
        "more_or_less": lambda figure: f"{figure:+.1f}".replace("-", "−"),
        "facts": _facts,
        "faction": faction_name,
        "unit_of": unit_of,
        "anchor": anchor_of,
        "row_names": lambda rows: ", ".join(names.get(each, each) for each in rows.split(", ")),
        "ends": lambda row: interval_text(row["fair_low"], row["fair_high"]),
        "after_name": lambda text: text.partition(":")[2],
        "inches": _inches,
        "attacker": lambda row: f"{row['attacker_unit']}, {row['attacker_level']}",
    }
    return environment.get_template("index.html.jinja")


def anchor_of(selector: str) -> str:
    """The id of the card of a loadout's unit on the page."""
    return "unit-" + unit_of(selector).replace("/", "-")


def _facts(unit: Unit) -> str:
    """Return in a line a unit's category as a target and its numbers; by level where levels differ."""
    names = ("defence", "damage_limit", "discipline", "break_limit")
    numbers = {name: getattr(unit, name) for name in names}
    for name in set(names).intersection(unit.differing):
        each_level = (level.own(name) for level in unit.levels.values())
        numbers[name] = ", ".join("none" if each is None else str(each) for each in each_level) + " by level"
    if unit.has("Resilient"):
        numbers["defence"] = f"{numbers['defence']} (from the front {defence_of(unit)}: Resilient)"
    told = [f"{name.replace('_', ' ').upper()} {each}" for name, each in numbers.items() if each is not None]
    return " · ".join([f"{unit.category} target", *told])


def _inches(inches: float | None) -> str:
    return "–" if inches is None else f"{inches:g}″"
