"""A clash as text for a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from analyser.analysis.army_loadouts import Listed
from analyser.analysis.best_counters import BestCounter
from analyser.analysis.best_volleys import AIMS, Attacked, Volleys
from analyser.analysis.situations import Situation
from analyser.common.answer import Block
from analyser.common.text import WIDTH, aligned, aligned_within, counted, fill, paragraphs, percent, whole_percent

if TYPE_CHECKING:
    from analyser.analysis.clash import Clash

NOT_POSSIBLE, INDENT = "–", "  "
TIE = "\N{NO-BREAK SPACE}"  # prevents a line break
NOT_FOUGHT = "Winner: not computed. Add --battles N, or use `analyser battle`."


def clash_blocks(answer: Clash) -> list[Block]:
    """Return a clash as blocks of text."""
    sides = (
        ("best", answer.mine, answer.yours, answer.answers, answer.next_answers),
        ("worst", answer.yours, answer.mine, answer.threats, answer.next_threats),
    )
    parts = [
        [
            *fill(f"{answer.mine.title} against {answer.yours.title}"),
            "Method: exact. Rules left out are listed below",
        ],
        ["In battle (simulated; both sides look one activation ahead)", *_points(answer.fought)]
        if answer.fought
        else fill(NOT_FOUGHT),
        ["Gaps", *_points(answer.gap_lines())],
        _headings(answer.situations),
        *_rounds(answer),
        *_matrices(answer),
        *([*fill(title), *_answers(*side)] for title, side in zip(answer_titles(answer), sides)),
    ]
    return [Block(lines=part) for part in parts]


def clash_notes(answer: Clash) -> list[str]:
    """Return the lines below a clash."""
    return paragraphs(
        [
            fill("Not modelled: " + (", ".join(rule.name for rule in answer.not_modelled) or "none")),
            [f"Profiles: {answer.profiles}."],
            [line for assumption in answer.assumptions for line in fill(f"Assumption: {assumption}")],
            [line for warning in answer.warnings for line in fill(f"Warning: {warning}")],
        ]
    )


def answer_titles(answer: Clash) -> tuple[str, str]:
    """Return the headings of the tables of counters."""
    mine, yours = answer.mine.army.name, answer.yours.army.name
    dangers = f"Most dangerous units of {yours} for each unit of {mine}"
    return f"Best counters of {mine} to each unit of {yours}", dangers


def _points(lines: Iterable[str]) -> list[str]:
    return [line for text in lines for line in textwrap.wrap(f"- {text}", WIDTH, subsequent_indent="  ")]


def counted_name(army: Listed, selector: str, units: int | None = None, *, in_short: bool = False) -> str:
    """Return a loadout's name and number, ``2 × Rifle platoon, basic``; optionally short (:meth:`Listed.in_short`)."""
    if units is None:
        units = army.counts[[kind.selector for kind in army.kinds].index(selector)]
    name = army.in_short(selector) if in_short else army.named(selector)
    return name if units == 1 else f"{units} × {name}"


def value_text(aim: str, value: float) -> str:
    """Return the value of an assignment, with its unit."""
    return f"{value:.1f} {AIMS[aim].unit}" if aim == "points" else f"{value:.2f} {AIMS[aim].unit}"


def proof_text(answer: Volleys) -> str:
    """Return the proven bound on the distance of the assignment from the best."""
    if answer.gap == 0:
        return "proven to be the best (gap 0)"
    return f"proven to be within {100 * answer.gap:.2g}% of the best (at most {value_text(answer.aim, answer.bound)})"


def volley_lines(answer: Volleys, army: Listed) -> list[str]:
    """Return the lines below the table of an assignment."""
    single, lines = value_text(answer.aim, answer.sum_of_single), []
    if single != value_text(answer.aim, answer.value):
        lines.append(
            f"Each attack alone on a fresh target would add up to {single}: later attacks meet fewer models, and a "
            f"unit that breaks more easily."
        )
    gains = [attack.order_gain for attack in answer.attacked if attack.order_gain is not None]
    tried = "" if len(gains) == len(answer.attacked) else ", where volleys are small enough to try all"
    gain = sum(gains)
    if gain > 0.5 * 10 ** (-1 if answer.aim == "points" else -2):
        lines.append(f"Another order of the same attacks would add {value_text(answer.aim, gain)} at most{tried}.")
    elif gains:
        lines.append(f"Another order of the same attacks would add nothing{tried}.")
    for idle in answer.idle:
        lines.append(f"Without an attack: {counted_name(army, idle.attacker, idle.units)} ({idle.why}).")
    return lines


def volleys_title(answer: Volleys, army: Listed) -> str:
    """Return the heading of an assignment: its army, its situation and its value."""
    value = value_text(answer.aim, answer.value)
    return f"Best attacks of {army.army.name}, {_situation_title(answer.situation)}: {value}"


def volley_name(attack: Attacked, army: Listed) -> list[str]:
    """Return the attacks on one target, in order."""
    return [
        f"{counted_name(army, shot.attacker, shot.units, in_short=True)} ({shot.row.replace('-', TIE)})"
        for shot in attack.shots
    ]


def _breakable(lines: Iterable[str]) -> list[str]:
    return [line.replace(TIE, " ") for line in lines]


def _rounds(answer: Clash) -> list[list[str]]:
    """Return the best attacks of both sides; lines common to both appear once."""
    every = (*answer.volleys, *answer.their_volleys)
    if not every:
        return []
    proofs = dict.fromkeys(map(proof_text, every))
    proven = f"; each is {next(iter(proofs))}" if len(proofs) == 1 else ""
    parts = [fill(f"Best attacks of a round. Shots alone, no charges. Aim: {AIMS[every[0].aim].title}{proven}.")]
    for volleys, army, enemy in (
        (answer.volleys, answer.mine, answer.yours),
        (answer.their_volleys, answer.yours, answer.mine),
    ):
        parts += _assignments(volleys, army, enemy, is_proven=bool(proven))
    return parts


def _assignments(volleys: Sequence[Volleys], army: Listed, enemy: Listed, *, is_proven: bool) -> list[list[str]]:
    parts = []
    for volley in volleys:
        rows = [("target", "by", "lost", "annihilated")]
        for attack in volley.attacked:
            figures = percent(attack.share_lost), percent(attack.p_annihilated)
            names = volley_name(attack, army)
            rows += [(enemy.in_short(attack.target), names[0], *figures), *(("", name, "", "") for name in names[1:])]
        table = _breakable(aligned_within(rows, "<<>>", (0, 1))) if volley.attacked else ["No attack is possible."]
        proof = [] if is_proven else fill(f"It is {proof_text(volley)}.")
        below = [line for note in volley_lines(volley, army) for line in fill(note)]
        parts.append([*fill(volleys_title(volley, army)), *proof, *table, *below])
    return parts


def _matrices(answer: Clash) -> list[list[str]]:
    """Return the tables of attackers against numbered defenders in percent, one for each situation."""
    parts, frame = [], answer.of("mine")
    enemies = [kind.selector for kind in answer.yours.kinds]
    names = [counted_name(answer.mine, kind.selector, in_short=True) for kind in answer.mine.kinds]
    for situation in answer.situations:
        is_duel = situation.kind == "duel"
        what = "probability of winning, %" if is_duel else "share of the target that is lost, %"
        part = frame[frame["situation"] == situation.name]
        values = "p_attacker_wins" if is_duel else "mean_share_lost"
        table = part.pivot(index="attacker", columns="defender", values=values)
        table = table.reindex(index=[kind.selector for kind in answer.mine.kinds], columns=enemies)
        lines = fill(f"{answer.mine.army.name} on {answer.yours.army.name}, {_situation_title(situation)}: {what}")
        columns = [[str(place), *map(_cell, table[name])] for place, name in enumerate(enemies, 1)]
        widest = max(len(cell) for column in columns for cell in column) + 2
        at_once = max((WIDTH - max(map(len, names))) // widest, 1)
        for first in range(0, len(enemies), at_once):
            lines += aligned(list(zip(["", *names], *columns[first : first + at_once])), "<>")
        parts.append(lines)
    legend = [(str(place), counted_name(answer.yours, name)) for place, name in enumerate(enemies, 1)]
    return [*parts, aligned(legend, "><")]


def _situation_title(situation: Situation) -> str:
    return situation.name.replace("-", " ")


def _headings(situations: Sequence[Situation]) -> list[str]:
    """Return the titles of the situations that say more than the names."""
    lines = [
        f"{_situation_title(one)}: {one.title.removeprefix(f'{_situation_title(one)}, ')}"
        for one in situations
        if one.title
    ]
    return ["Situations", *_points(lines)] if lines else []


def _cell(share: float) -> str:
    """Return a share in whole percent without the sign, never rounded to 0 or 100; a dash for NaN."""
    return NOT_POSSIBLE if pd.isna(share) else whole_percent(share).removesuffix("%")


def answer_text(answer: BestCounter, army: Listed, others: str = "none") -> str:
    """Return a counter as a cell: the unit and its result, or a note that no attack (of `others`) gains points."""
    if answer.attacker is None:
        return NOT_POSSIBLE
    name = army.in_short(answer.attacker)
    if answer.pays is False:
        name = f"{others} gains points; smallest loss: {name}"
    if not math.isnan(answer.p_wins):
        return f"{name}: wins {whole_percent(answer.p_wins)}"
    lost = whole_percent(answer.share_lost)
    cost = round(answer.own_points_lost)
    return f"{name}: {lost}, costs {counted(cost, 'point')}" if cost else f"{name}: {lost}"


def _answers(
    which: str, army: Listed, enemy: Listed, answer: Sequence[BestCounter], following: Sequence[BestCounter]
) -> list[str]:
    """Return a paragraph for each target: in each situation the best (or worst) counter and the next."""
    targets = [kind.selector for kind in enemy.kinds]
    rows = [
        (
            f"{INDENT}{best.situation.replace('-', ' ')}",
            answer_text(best, army),
            answer_text(next_best, army, "no other"),
        )
        for target in targets
        for best, next_best in zip(answer, following)
        if best.target == target
    ]
    rows.insert(0, ("", which, f"next {which}"))
    head, *lines = aligned_within(rows, "<", (1, 2))
    parts, begun = [head], 0
    for line in lines:
        if line[len(INDENT)] != " ":  # an indented line continues the previous one
            situation = begun % (len(rows[1:]) // len(targets))
            parts += [] if situation else [counted_name(enemy, targets[begun * len(targets) // len(rows[1:])])]
            begun += 1
        parts.append(line)
    return parts
