"""A clash as text for a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from analyser.analysis.army_loadouts import ArmyLoadouts
from analyser.analysis.best_counters import BestCounter
from analyser.analysis.best_volleys import AIMS, Volleys
from analyser.analysis.situations import Situation
from analyser.common.answer import Block
from analyser.common.text import (
    WIDTH,
    aligned,
    aligned_within,
    column_parts,
    counted,
    fill,
    paragraphs,
    percent,
    whole_percent,
)

if TYPE_CHECKING:
    from analyser.analysis.clash import Clash, Side

IMPOSSIBLE, INDENT = "–", "  "
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
WITHOUT_BATTLES = "Winner: not computed. Add --battles N, or use `analyser battle`."


def clash_blocks(answer: Clash) -> list[Block]:
    """Return the main part of the text: armies, battles, hard targets, best attacks, matrices and counters."""
    heading = fill(f"{answer.mine.army.title} against {answer.yours.army.title}")
    battles = ["In battle (simulated; both sides look one activation ahead)", *_bullets(answer.battle_conclusions)]
    parts = [
        [*heading, "Method: exact. Rules left out are listed at the end"],
        battles if answer.battle_conclusions else fill(WITHOUT_BATTLES),
        ["Hard targets", *_bullets(answer.hard_target_lines())],
        _situation_lines(answer.situations),
        *_best_attacks(answer),
        *_matrices(answer.mine),
        *([*fill(counters_title(side)), *_counters(side)] for side in answer.sides),
    ]
    return [Block(lines=part) for part in parts]


def clash_notes(answer: Clash) -> list[str]:
    """Return the end of the text: rules not modelled, profiles, assumptions and warnings."""
    return paragraphs(
        [
            fill("Not modelled: " + (", ".join(rule.name for rule in answer.not_modelled) or "none")),
            [f"Profiles: {answer.profiles}."],
            [line for assumption in answer.assumptions for line in fill(f"Assumption: {assumption}")],
            [line for warning in answer.warnings for line in fill(f"Warning: {warning}")],
        ]
    )


def counters_title(side: Side) -> str:
    """Return the heading of the table of counters of one side."""
    if side.key == "mine":
        return f"Best counters of {side.name} to each unit of {side.enemy.army.name}"
    return f"Most dangerous units of {side.name} for each unit of {side.enemy.army.name}"


def _bullets(lines: Iterable[str]) -> list[str]:
    return [line for text in lines for line in textwrap.wrap(f"- {text}", WIDTH, subsequent_indent="  ")]


def counted_name(army: ArmyLoadouts, selector: str, units: int | None = None, *, in_short: bool = False) -> str:
    """Return a count and a loadout, such as ``2 × Rifle platoon, basic``; by default the count in the army."""
    units = army.count_of(selector) if units is None else units
    name = army.short_loadout_title(selector) if in_short else army.loadout_title(selector)
    return name if units == 1 else f"{units} × {name}"


def value_text(aim: str, value: float) -> str:
    """Return the value of an assignment as text, with its unit of measurement."""
    return f"{value:.{1 if aim == 'points' else 2}f} {AIMS[aim].unit_of_measurement}"


def proof_text(answer: Volleys) -> str:
    """Return in words how far the value of an assignment may be from the best."""
    if answer.gap == 0:
        return "proven to be the best, if units attack in the order of their army (gap 0)"
    return f"proven to be within {100 * answer.gap:.2g}% of the best (at most {value_text(answer.aim, answer.bound)})"


def volley_lines(answer: Volleys, army: ArmyLoadouts) -> list[str]:
    """Return the notes below an assignment: its value if each attack had a fresh target, and units without attack."""
    single, lines = value_text(answer.aim, answer.sum_of_single), []
    if single != value_text(answer.aim, answer.value):
        lines.append(
            f"If each attack had a fresh target, the sum would be {single}. Later attacks find fewer models, in a unit "
            f"that breaks more easily."
        )
    for idle in answer.idle:
        lines.append(f"Without an attack: {counted_name(army, idle.attacker, idle.units)} ({idle.why}).")
    return lines


def _best_attacks(answer: Clash) -> list[list[str]]:
    """Return the best attacks of both armies; if the same gap is proven for all, only the title states it."""
    all_volleys = [volleys for side in answer.sides for volleys in side.volleys]
    if not all_volleys:
        return []
    proofs = dict.fromkeys(map(proof_text, all_volleys))
    proven = f" Each assignment is {next(iter(proofs))}." if len(proofs) == 1 else ""
    title = f"Best attacks of a round: shots only, no charges. Value: {AIMS[all_volleys[0].aim].title}.{proven}"
    parts = [part for side in answer.sides for part in _assignment_parts(side, is_proven=bool(proven))]
    return [fill(title), *parts]


def _assignment_parts(side: Side, *, is_proven: bool) -> list[list[str]]:
    parts = []
    for assignment in side.volleys:
        value, name = value_text(assignment.aim, assignment.value), assignment.situation.name
        title = f"Best attacks of {side.name}, {name.replace('-', ' ')}: {value}"
        rows = [("target", "by", "lost", "annihilated")]
        for volley in assignment.volley_results:
            first = side.enemy.short_loadout_title(volley.target)
            figures = percent(volley.share_lost), percent(volley.p_annihilated)
            for shot in volley.shots:
                units = counted_name(side.army, shot.attacker, shot.units, in_short=True)
                rows.append((first, f"{units} ({shot.row.replace('-', NO_BREAK_SPACE)})", *figures))
                first, figures = "", ("", "")
        table = ["No attack is possible."]
        if assignment.volley_results:
            table = [line.replace(NO_BREAK_SPACE, " ") for line in aligned_within(rows, "<<>>", (0, 1))]
        proof = [] if is_proven else fill(f"It is {proof_text(assignment)}.")
        below = [line for note in volley_lines(assignment, side.army) for line in fill(note)]
        parts.append([*fill(title), *proof, *table, *below])
    return parts


def _matrices(side: Side) -> list[list[str]]:
    """Return a table of attackers and numbered defenders for each situation, and the defenders' names."""
    parts, enemies = [], [loadout.selector for loadout in side.enemy.loadouts]
    attackers = [loadout.selector for loadout in side.army.loadouts]
    names = [counted_name(side.army, attacker, in_short=True) for attacker in attackers]
    for situation in side.matchups.situations:
        is_duel = situation.fight.has_winner
        quantity = "probability of winning, %" if is_duel else "share of the target that is lost, %"
        part = side.frame[side.frame["situation"] == situation.name]
        values = "p_attacker_wins" if is_duel else "mean_share_lost"
        table = part.pivot(index="attacker", columns="defender", values=values).reindex(attackers)
        lines = fill(f"{side.name} on {side.enemy.army.name}, {situation.name.replace('-', ' ')}: {quantity}")
        columns = [[str(number), *map(_cell, table[name])] for number, name in enumerate(enemies, 1)]
        for rows in column_parts(["", *names], columns, WIDTH):
            lines += aligned(rows, "<>")
        parts.append(lines)
    legend = [(str(number), counted_name(side.enemy, name)) for number, name in enumerate(enemies, 1)]
    return [*parts, aligned(legend, "><")]


def _situation_lines(situations: Sequence[Situation]) -> list[str]:
    pairs = [(situation.name.replace("-", " "), situation.title) for situation in situations if situation.title]
    lines = [f"{name}: {title.removeprefix(f'{name}, ')}" for name, title in pairs]
    return ["Situations", *_bullets(lines)] if lines else []


def _cell(share: float) -> str:
    """Return a share in whole percent, never rounded to 0 or 100; a dash for NaN."""
    return IMPOSSIBLE if pd.isna(share) else whole_percent(share).removesuffix("%")


def counter_text(counter: BestCounter, army: ArmyLoadouts, others: str = "none") -> str:
    """Return a counter as text; without a gain it begins "none gains points" (`others` replaces "none")."""
    if counter.attacker is None:
        return IMPOSSIBLE
    name = army.short_loadout_title(counter.attacker)
    if counter.pays is False:
        name = f"{others} gains points; smallest loss: {name}"
    if not math.isnan(counter.p_wins):
        return f"{name}: wins {whole_percent(counter.p_wins)}"
    lost = whole_percent(counter.share_lost)
    cost = round(counter.own_points_lost)
    return f"{name}: {lost}, costs {counted(cost, 'point')}" if cost else f"{name}: {lost}"


def _counters(side: Side) -> list[str]:
    """List the two best counters to each enemy unit by situation."""
    which, situations = "best" if side.key == "mine" else "worst", len(side.matchups.situations)
    rows = [("", which, f"next {which}")]
    for first, second in zip(side.counters, side.second_counters):
        cells = counter_text(first, side.army), counter_text(second, side.army, "no other")
        rows.append((f"{INDENT}{first.situation.replace('-', ' ')}", *cells))
    head, *lines = aligned_within(rows, "<", (1, 2))
    parts, begun = [head], 0
    for line in lines:
        if line[len(INDENT)] != " ":  # a line with further indentation continues the previous one
            target = side.counters[begun].target
            parts += [] if begun % situations else [counted_name(side.enemy, target)]
            begun += 1
        parts.append(line)
    return parts
