"""A duel's answer for a terminal."""

from __future__ import annotations

from analyser.estimates import Estimate
from analyser.fights.combatant import keeps_damage
from analyser.fights.duel_result import DEVASTATING, RESULTS, SIDES, STATUSES, DuelResult
from analyser.fights.endings import FATES
from analyser.tables import aligned, said, with_error


def duel_blocks(result: DuelResult, title: str) -> list[list[str]]:
    """The blocks of lines of one answer; `title` tells methods apart."""
    rows = [[f"P({_duel_word(name)})", said(result.probability(name))] for name in (*RESULTS, *DEVASTATING)]
    sides = [["", *(side.upper() for side in SIDES)]]
    for name in ("alive", *FATES):
        sides.append([f"P({name})", *(str(result.probability(f"{side}_{name}")) for side in SIDES)])
    sides.append(["Mean models left", *(with_error(result.summary, f"mean_{side}_models_left") for side in SIDES)])
    if any(map(keeps_damage, result.units)):
        sides.append(["Mean damage left", *(with_error(result.summary, f"mean_{side}_damage_left") for side in SIDES)])
    names = [f"expected_{side}_victory_points" for side in SIDES]
    sides.append(["Expected victory points", *(with_error(result.summary, name) for name in names)])
    margins = []
    for row in result.margins():
        chance = Estimate(row["probability"], row.get("low"), row.get("high"))
        margins.append([f"{row['margin']:+d}" if row["margin"] else "0", str(chance)])
    return [
        [f"By round{title}", *_by_round(result)],
        [f"At the end, by victory points{title}", *aligned(rows, "<")],
        aligned(sides, "<"),
        ["VP of A less VP of B", *aligned(margins, ">")],
    ]


def _duel_word(name: str) -> str:
    side, _, what = name.partition("_")
    return name if name == "draw" else f"{side.upper()} {what}" + (" victory" if what == "devastating" else "")


def _by_round(result: DuelResult) -> list[str]:
    """A line a round: of each side the odds of being alive, its models, and the statuses that occur."""
    numbers = range(1, len(result.endings) + 1)
    shown = {
        side: [
            name for name in STATUSES
            if any(result.probability(f"{side}_{name}", number).probability > 0 for number in numbers)
        ]
        for side in SIDES
    }  # fmt: skip
    head = ["round"]
    hurt = {side: keeps_damage(unit) for side, unit in zip(SIDES, result.units)}
    for side in SIDES:
        named = (name.replace("_", " ") for name in shown[side])
        head += [f"{side.upper()} alive", "models", "10-90%", *(["damage"] if hurt[side] else []), *named]
    figures = {(row["round"], row["side"]): row for row in result.rounds()}
    rows = [head]
    for number in numbers:
        cells = [str(number)]
        for side in SIDES:
            row = figures[number, side]
            cells += [str(result.probability(f"{side}_alive", number)), with_error(row, "mean_models")]
            cells.append(f"{row['models_10th_percentile']}-{row['models_90th_percentile']}")
            cells += [with_error(row, "mean_damage_left")] if hurt[side] else []
            cells += [str(result.probability(f"{side}_{name}", number)) for name in shown[side]]
        rows.append(cells)
    return aligned(rows, ">")
