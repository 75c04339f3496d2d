"""A clash as text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from analyser.analysis.answers import Answer
from analyser.analysis.lists import Listed
from analyser.analysis.volleys import AIMS, Attacked, Volleys
from analyser.common.text import aligned, counted, fill, percent, whole_percent

if TYPE_CHECKING:
    from analyser.analysis.clash import Clash

MOST_COLUMNS = 16  # of a matrix in a terminal
NOT_POSSIBLE = "–"


def clash_text(found: Clash) -> str:
    """What the command line prints."""
    sides = (
        ("best", found.mine, found.yours, found.answers, found.next_answers),
        ("worst", found.yours, found.mine, found.threats, found.next_threats),
    )
    parts = [
        [
            f"{found.mine.title} against {found.yours.title}",
            "Method: exact, of what is modelled; what is not stands below",
        ],
        ["In battle (sampled, by fixed habits)", *_points(found.fought)] if found.fought else [],
        ["Gaps", *_points(found.gap_lines())],
        *_assignments(found.volleys, found.mine, found.yours),
        *_assignments(found.their_volleys, found.yours, found.mine),
        *_matrices(found),
        *([title, *_answers(*side)] for title, side in zip(answer_titles(found), sides)),
        fill("Not modelled: " + (", ".join(each.name for each in found.not_modelled) or "none")),
        [f"Profiles: {found.profiles}."],
        [line for each in found.assumptions for line in fill(f"Assumption: {each}")],
        [f"Warning: {each}" for each in found.warnings],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def answer_titles(found: Clash) -> tuple[str, str]:
    """Whose best answers to whom."""
    mine, yours = found.mine.army.name, found.yours.army.name
    return f"Best answers of {mine} to each unit of {yours}", f"The worst of {yours} for each unit of {mine}"


def _points(lines: Iterable[str]) -> list[str]:
    return [line if place == 0 else f"  {line}" for each in lines for place, line in enumerate(fill(f"- {each}"))]


def counted_name(army: Listed, selector: str, units: int | None = None) -> str:
    """A loadout with how many of it there are: ``2 × Rifle platoon, basic``."""
    if units is None:
        units = army.counts[[each.selector for each in army.kinds].index(selector)]
    return army.named(selector) if units == 1 else f"{units} × {army.named(selector)}"


def value_text(aim: str, value: float) -> str:
    """What an assignment is worth, with its unit."""
    return f"{value:.1f} {AIMS[aim].unit}" if aim == "points" else f"{value:.2f} {AIMS[aim].unit}"


def proof_text(found: Volleys) -> str:
    """How good the assignment is, proven."""
    if found.gap == 0:
        return "proven to be the best (gap 0)"
    return f"proven to be within {100 * found.gap:.2g}% of the best (at most {value_text(found.aim, found.bound)})"


def volley_lines(found: Volleys, army: Listed) -> list[str]:
    """What there is to say of an assignment below its table."""
    single, lines = value_text(found.aim, found.sum_of_single), []
    if single != value_text(found.aim, found.value):
        lines.append(
            f"Each attack alone on a fresh target would add up to {single}: who comes later finds fewer models, and a "
            "unit that is easier to break."
        )
    gains = [each.order_gain for each in found.attacked if each.order_gain is not None]
    tried = "" if len(gains) == len(found.attacked) else ", where volleys are small enough to try all"
    gain = sum(gains)
    if gain > 0.5 * 10 ** (-1 if found.aim == "points" else -2):
        lines.append(f"Another order of the same attacks would add {value_text(found.aim, gain)} at most{tried}.")
    elif gains:
        lines.append(f"Another order of the same attacks would add nothing{tried}.")
    for each in found.idle:
        lines.append(f"Without an attack: {counted_name(army, each.attacker, each.units)} ({each.why}).")
    return lines


def volleys_title(found: Volleys, army: Listed) -> str:
    """Whose attacks they are, where, and what they are worth."""
    value = value_text(found.aim, found.value)
    return f"Best attacks of {army.army.name} this round, {found.situation.heading}: {value}"


def volley_name(each: Attacked, army: Listed) -> list[str]:
    """The attacks on one target, one after the other."""
    return [f"{counted_name(army, shot.attacker, shot.units)} ({shot.row.replace('-', ' ')})" for shot in each.shots]


def _assignments(volleys: Sequence[Volleys], army: Listed, enemy: Listed) -> list[list[str]]:
    parts = []
    for found in volleys:
        rows = [("target", "by", "lost", "annihilated")]
        for each in found.attacked:
            figures = percent(each.share_lost), percent(each.p_annihilated)
            names = volley_name(each, army)
            rows += [(enemy.named(each.target), names[0], *figures), *(("", name, "", "") for name in names[1:])]
        table = aligned(rows, "<<>>") if found.attacked else ["No attack is possible."]
        aim = fill(f"Shots alone, no charges. Aim: {AIMS[found.aim].title}; {proof_text(found)}.")
        below = [line for each in volley_lines(found, army) for line in fill(each)]
        parts.append([volleys_title(found, army), *aim, *table, *below])
    return parts


def _matrices(found: Clash) -> list[list[str]]:
    """What each of mine does to each of yours, situation by situation, in percent; defenders by number."""
    parts, frame = [], found.of("mine")
    enemies = [each.selector for each in found.yours.kinds]
    names = [counted_name(found.mine, each.selector) for each in found.mine.kinds]
    for situation in found.situations:
        is_duel = situation.kind == "duel"
        what = "chance to win, %" if is_duel else "share of the target that is lost, %"
        part = frame[frame["situation"] == situation.name]
        values = "p_attacker_wins" if is_duel else "mean_share_lost"
        table = part.pivot(index="attacker", columns="defender", values=values)
        table = table.reindex(index=[each.selector for each in found.mine.kinds], columns=enemies)
        lines = [f"{found.mine.army.name} on {found.yours.army.name}, {situation.heading}: {what}"]
        for first in range(0, len(enemies), MOST_COLUMNS):
            some = enemies[first : first + MOST_COLUMNS]
            columns = [[str(first + place + 1), *map(_cell, table[name])] for place, name in enumerate(some)]
            lines += aligned(list(zip(["", *names], *columns)), "<>")
        parts.append(lines)
    legend = [(str(place), counted_name(found.yours, name)) for place, name in enumerate(enemies, 1)]
    return [*parts, aligned(legend, "><")]


def _cell(share: float) -> str:
    """A share in whole percents, without the sign, not rounded to none or all; a dash for NaN."""
    return NOT_POSSIBLE if pd.isna(share) else whole_percent(share).removesuffix("%")


def answer_text(answer: Answer, army: Listed) -> str:
    """An answer in a cell: who, and what comes of it."""
    if answer.attacker is None:
        return NOT_POSSIBLE
    name = army.in_short(answer.attacker)
    if not math.isnan(answer.p_wins):
        return f"{name}: wins {whole_percent(answer.p_wins)}"
    lost = whole_percent(answer.share_lost)
    cost = round(answer.own_points_lost)
    return f"{name}: {lost}, costs {counted(cost, 'point')}" if cost else f"{name}: {lost}"


def _answers(
    which: str, army: Listed, enemy: Listed, found: Sequence[Answer], following: Sequence[Answer]
) -> list[str]:
    """For each target a paragraph: in each situation the best, or worst, answer and the next."""
    rows: list[tuple[str, str, str]] = []
    for target in enemy.kinds:
        rows.append((counted_name(enemy, target.selector), "", ""))
        rows += [
            (f"  {best.situation.replace('-', ' ')}", answer_text(best, army), answer_text(next_best, army))
            for best, next_best in zip(found, following)
            if best.target == target.selector
        ]
    widths = max(len(name) for name, best, _ in rows if best), max(len(best) for _, best, _ in rows)
    head = f"{'':{widths[0]}}  {which:{widths[1]}}  next {which}"
    return [head, *(f"{name:{widths[0]}}  {best:{widths[1]}}  {following}".rstrip() for name, best, following in rows)]
