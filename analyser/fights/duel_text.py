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
        [f"What they did{title}", *_by_deed(result)],
        [f"At the end, by victory points{title}", *aligned(rows, "<")],
        aligned(sides, "<"),
        ["VP of A less VP of B", *aligned(margins, ">")],
    ]


_DID = {
    "was_gone": "was gone", "had_no_activation": "had no activation", "fell": "fell before it could act",
    "shot_aiming": "aimed and shot", "shot": "shot without aiming", "advanced_and_shot": "advanced and shot",
    "double_timed": "moved at double time", "re_armed": "re-armed", "held": "did nothing",
}  # fmt: skip
_WHY = {
    "policy": "", "gone": "", "rule": "as a rule made it", "activated": "activated before",
    "out_of_reach": "too far to charge",
}  # fmt: skip


def _by_deed(result: DuelResult) -> list[str]:
    """A line for each thing that a side did and why, a column a round."""
    table: dict[tuple[str, str, str], dict[int, str]] = {}
    for row in result.activations():
        chance = Estimate(row["probability"], row.get("low"), row.get("high"))
        table.setdefault((row["side"], row["did"], row["because"]), {})[row["round"]] = str(chance)
    numbers = range(1, len(result.endings) + 1)
    rows = [["round", *map(str, numbers)]]
    for (side, did, because), chances in sorted(table.items(), key=lambda item: item[0][0]):
        why = _WHY.get(because, because.replace("_", " "))
        name = f"{side.upper()} {_DID.get(did, did.replace('_', ' '))}" + (f" ({why})" if why else "")
        rows.append([name, *(chances.get(number, "") for number in numbers)])
    return aligned(rows, "<>")


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
