"""Offline web pages of four answers: a battle, a clash (plan of attacks), a build (best lists), a check of prices.

Coordinates in pictures are percentages of the width and height.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analyser.analysis.army_loadouts import ArmyLoadouts
from analyser.analysis.balance_check import MISFIT_DIFFERENCE, BalanceCheck, even_text
from analyser.analysis.best_volleys import AIMS, Volleys
from analyser.analysis.build_answer import Build
from analyser.analysis.build_answer import proof_text as proof_of_lists
from analyser.analysis.built_lists import units_by_battlegroup
from analyser.analysis.clash import SHARE_LOST, WINS, Clash
from analyser.analysis.clash_text import (
    counted_name,
    counter_text,
    counters_title,
    proof_text,
    value_text,
    volley_lines,
)
from analyser.common.estimates import Estimate, estimate
from analyser.common.text import NEGLIGIBLE, whole_percent
from analyser.report.matchups_data import figures_data, packed_figures, side_data
from analyser.report.page_frame import page_of
from analyser.results.battle import BattleResult
from analyser.results.battle_tactics import tactics_block
from analyser.results.battle_text import margin_block, rounds_block, units_block
from analyser.results.rendering import interval_notes, method_line
from analyser.results.unit_swings import swings_block
from analyser.scenarios.battle import SIDES


def battle_page(answer: BattleResult) -> str:
    """Return the page of a battle as HTML."""
    names, (first, second) = answer.names, answer.names.values()
    survivors = answer.survivors()
    return page_of(
        "battle",
        title=f"{first} against {second}, in battle",
        names=names,
        answer=answer,
        facts=[*answer.heading(), ("Method", method_line([answer]))],
        segments=result_segments(answer),
        margin=margin_picture(answer.margins()),
        by_margin=margin_block(answer)._replace(head=(f"{first} minus {second}", "of battles")),
        survival=survival_picture(survivors),
        by_round=rounds_block(survivors, names),
        by_unit=units_block(answer.contributions(), names),
        by_swing=swings_block(answer.swings, names) if answer.swings else None,
        by_tactic=tactics_block(answer.game, names) if answer.game else None,
        rounds=answer.story.rounds(),
        intervals=interval_notes([answer]),
    )


WON, DRAWN, LOST = "won", "drawn", "lost"
_RESULTS = (  # results for the first army, best first: event, name on the page, CSS class
    ("devastating_victory", "{mine} wins devastatingly", "won much"),
    ("victory", "{mine} wins, not devastatingly", WON),
    ("draw", "draw", DRAWN),
    ("defeat", "{yours} wins, not devastatingly", LOST),
    ("devastating_defeat", "{yours} wins devastatingly", "lost much"),
)
_MOST_TICKS = 8
_TICK_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BAR_SHARE = 0.8  # width of a bar, as a share of its column


def result_segments(answer: BattleResult) -> list[dict[str, Any]]:
    """Return the parts of the bar of results; devastating victories are separate from other victories."""
    battles = {name: round(answer.probability(name) * answer.trials) for name in answer.events}
    for name in ("victory", "defeat"):
        battles[name] -= battles[f"devastating_{name}"]
    segments, start = [], 0.0
    for name, label, kind in _RESULTS:
        share = estimate(battles[name], answer.trials)
        ends = {"start": round(100 * start, 2), "width": round(100 * share.probability, 2)}
        segments.append({"kind": kind, "name": label.format(**answer.names), "share": str(share), **ends})
        start += share
    return segments


def margin_picture(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the bars of :meth:`BattleResult.margins`, without very rare margins at both ends.

    `ticks` are marks of the horizontal axis, `levels` of the vertical axis. `top`, `low` and `high` count from the top.
    """
    likely = [index for index, row in enumerate(rows) if row["probability"] >= NEGLIGIBLE]
    shown = rows[likely[0] : likely[-1] + 1]
    first, last = shown[0]["margin"], shown[-1]["margin"]
    column, highest = 100 / (last - first + 1), max(float(row["high"]) for row in shown)

    def top(share: float) -> float:
        return round(100 - 100 * share / highest, 2)

    bars = [
        {
            "kind": WON if row["margin"] > 0 else LOST if row["margin"] < 0 else DRAWN,
            "left": round((row["margin"] - first + (1 - _BAR_SHARE) / 2) * column, 2),
            **{name: top(row[figure]) for name, figure in (("top", "probability"), ("low", "low"), ("high", "high"))},
            "text": f"{_signed(row['margin'])} VP: {Estimate(row['probability'], row['low'], row['high'])}",
        }
        for row in shown
    ]
    step, percents = _tick_step(last - first), _tick_step(100 * highest, 4)
    marks = range(-(-first // step) * step, last + 1, step)
    ticks = [(_signed(mark), round((mark - first + 0.5) * column, 2)) for mark in marks]
    levels = [(f"{percent}%", top(percent / 100)) for percent in range(percents, int(100 * highest) + 1, percents)]
    return {"bars": bars, "width": round(_BAR_SHARE * column, 2), "ticks": ticks, "levels": levels}


def survival_picture(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return SVG paths of :meth:`BattleResult.survivors`: each side's mean, and the band of the middle 80%."""
    rounds = max(row["round"] for row in rows)

    def path(percents: Iterable[float], first: int = 0, step: int = 1) -> str:
        corners = (f"{100 * (first + step * i) / rounds:.4g},{100 - share:.4g}" for i, share in enumerate(percents))
        return "L".join(corners)

    def paths(side: str) -> dict[str, str]:
        names = ("mean_percent", "percent_10th_percentile", "percent_90th_percentile")
        mean, low, high = ([100.0, *(row[name] for row in rows if row["side"] == side)] for name in names)
        return {"side": side, "line": f"M{path(mean)}", "band": f"M{path(high)}L{path(low[::-1], rounds, -1)}z"}

    ticks = [(str(round_), round(100 * round_ / rounds, 2)) for round_ in range(rounds + 1)]
    levels = [(f"{percent}%", 100 - percent) for percent in (0, 25, 50, 75, 100)]
    return {"sides": [paths(side) for side in SIDES], "ticks": ticks, "levels": levels}


def _tick_step(span: float, ticks: int = _MOST_TICKS) -> int:
    """Return the smallest round step that gives at most `ticks` intervals in `span`."""
    return next((step for step in _TICK_STEPS if span / step <= ticks), _TICK_STEPS[-1])


def _signed(margin: int) -> str:
    return f"{margin:+d}" if margin else "0"


_LEVEL = "as in the army"
_FIGURES = (
    *(SHARE_LOST, "p_annihilated", "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed", "p_suppressed"),
    *("p_broken", "mean_damage", "expected_points_destroyed", "attacker_share_lost", WINS, "p_draw"),
)


def clash_page(answer: Clash) -> str:
    """Return the page of a clash as HTML."""
    rounds = list(_best_attacks(answer))
    return page_of(
        "clash",
        title=f"{answer.mine.name} against {answer.yours.name}",
        answer=answer,
        gap_lines=answer.hard_target_lines(),
        rounds=rounds,
        counters=list(_counters(answer)),
        data=packed_figures(_script_data(answer)),
        aims=AIMS,
        value_text=value_text,
        proof_text=proof_text,
        volley_lines=volley_lines,
        counted_name=counted_name,
        slug=_slug,
    )


def _best_attacks(answer: Clash) -> Iterator[tuple[str, list[tuple[Volleys, ArmyLoadouts, ArmyLoadouts]]]]:
    """Yield the heading of each situation, with the best attacks of both sides."""
    for pair in zip(*(side.volleys for side in answer.sides)):
        sides = [(volleys, side.army, side.enemy) for volleys, side in zip(pair, answer.sides)]
        yield pair[0].situation.heading, sides


def _counters(answer: Clash) -> Iterator[tuple[str, list[tuple[str, list[tuple[str, str]]]]]]:
    """Yield a title for each side, and its targets with the best and second-best counter in each situation."""
    for side in answer.sides:
        by_target: dict[str, list[tuple[str, str]]] = {}
        for first, second in zip(side.counters, side.second_counters):
            next_text = "" if second.attacker is None else counter_text(second, side.army)
            by_target.setdefault(first.target, []).append((counter_text(first, side.army), next_text))
        yield counters_title(side), [(counted_name(side.enemy, target), cells) for target, cells in by_target.items()]


def _slug(selector: str) -> str:
    """Return a selector as a part of an anchor."""
    return selector.replace("/", "-").replace("@", "-")


def _script_data(answer: Clash) -> dict[str, Any]:
    """Return the data for the page's scripts; a unit in both armies has two entries."""
    sides, frames = [], []
    for side, other in (answer.mine, "yours"), (answer.yours, "mine"):
        key, part = side.key, side.frame
        for kind in side.army.loadouts:
            names = {"selector": f"{key}/{_slug(kind.selector)}", "unit": counted_name(side.army, kind.selector)}
            sides.append(side_data(kind) | names | {"level": _LEVEL, "faction": key})
        renamed = {"attacker": part["attacker"].map(lambda name, key=key: f"{key}/{_slug(name)}")}
        renamed |= {"defender": part["defender"].map(lambda name, other=other: f"{other}/{_slug(name)}")}
        frames.append(part.assign(**renamed))
    frame = pd.concat(frames, ignore_index=True)
    figures = [name for name in _FIGURES if frame[name].notna().any()]
    names = {side.key: side.name for side in answer.sides}
    if names["mine"] == names["yours"]:
        names = {key: f"{name} ({key})" for key, name in names.items()}
    return figures_data(frame, answer.situations, sides, figures) | {"every_level": _LEVEL, "faction_names": names}


def build_page(build: Build) -> str:
    """Return the page of a build as HTML, which opens offline."""
    own = [] if build.own is None else [build.own.army]
    return page_of(
        "build",
        title=build.title,
        answer=build,
        notes=[*(f"Left out: {line}" for line in build.left_out), *build.assumptions],
        rows=[(built, built.figures(), words) for built, words in build.all_lists()],
        ranked=[*(built.army for built in build.by_score), *own],
        units_by_battlegroup=units_by_battlegroup,
        proof_text=proof_of_lists,
    )


def check_page(answer: BalanceCheck) -> str:
    """Return the page of a check of fair points by battles as HTML, which opens offline."""
    rows = answer.frame.sort_values("off", ascending=False, kind="stable").to_dict("records")
    return page_of(
        "check",
        title="Fair points compared with battles",
        answer=answer,
        armies=[_army_row(row) for row in rows],
    )


def _army_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row of the picture: the win rate and the predicted win rate, in percent."""
    fair, even = f"fair {row['fair_points']:.0f}", f"breaks even here at {even_text(row)}"
    note = f"{row['role']} · {row['number']} × {row['points']} points, {fair}, {even}"
    won, predicted = row["win_rate"], row["by_fair_points"]
    kind = "undecided" if abs(row["off"]) < MISFIT_DIFFERENCE / 2 else "under" if row["off"] > 0 else "over"
    text = f"{whole_percent(won)} ({whole_percent(predicted)})"
    rates = {"won": round(100 * won, 1), "predicted": round(100 * predicted, 1)}
    return {"kind": kind, "name": row["unit"], "note": note, "text": text, **rates}
