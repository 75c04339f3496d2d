"""Focus fire's answer for a terminal."""

from __future__ import annotations

from typing import Any

from analyser.estimates import Estimate
from analyser.fights.combatant import keeps_damage
from analyser.fights.focus_result import EVENTS, FocusResult, Until
from analyser.results.text import ALWAYS_SHOWN
from analyser.tables import aligned, counted, points_said, shown_range, with_error

_OWN = {
    "mean_attacker_models_destroyed": "own models lost",
    "mean_attacker_damage_left": "own damage left",
    "p_attacker_annihilated": "own unit gone",
}


def focus_blocks(result: FocusResult, title: str, until: tuple[float, str] | None) -> list[list[str]]:
    """The blocks of lines of one answer; `title` tells methods apart."""
    blocks = [[f"After each attack{title}", *_after_each(result)], [f"After the last{title}", *_destroyed(result)]]
    if until is not None:
        share, fate = until
        blocks.append([_until_line(result.until(share, fate), share, fate, len(result.endings)) + title])
    points = [["Expected victory points", points_said(result.summary, "expected_victory_points")]]
    if result.scenario.at_risk:
        points.append(["Expected victory points lost", points_said(result.summary, "expected_victory_points_lost")])
    blocks.append(aligned(points, "<"))
    return blocks


def _chance(figures: dict[str, Any], name: str) -> Estimate:
    return Estimate(figures[name], figures.get(f"{name}_low"), figures.get(f"{name}_high"))


def _after_each(result: FocusResult) -> list[str]:
    numbers = range(1, len(result.endings) + 1)
    chances = {name: [result.probability(name, number) for number in numbers] for name in EVENTS}
    shown = [name for name in EVENTS if name in ALWAYS_SHOWN or any(each.probability > 0 for each in chances[name])]
    own = _OWN if result.scenario.at_risk else {}
    damage = ["damage left"] if keeps_damage(result.scenario.target) else []
    rows = [["attack", "by", "models left", *damage, *(name.replace("_", " ") for name in shown), *own.values()]]
    for number, figures, scenario in zip(numbers, result.rounds(), result.scenario.attacks):
        attack = scenario.attack
        by = f"{attack.attacker or 'no profile'}{f', {attack.row}' if attack.row else ''}"
        cells = [str(chances[name][number - 1]) for name in shown]
        cells += [with_error(figures, name) if name.startswith("mean") else str(_chance(figures, name)) for name in own]
        left = [with_error(figures, f"mean_{what.replace(' ', '_')}") for what in ("models left", *damage)]
        rows.append([str(number), by, *left, *cells])
    return aligned(rows, "><>")


def _destroyed(result: FocusResult) -> list[str]:
    law = result.models_destroyed()
    first, last = shown_range([row["probability"] for row in law], [row["at_least"] for row in law])
    rows = [["models destroyed", "probability", "at least"]]
    for row in law[first : last + 1]:
        one = Estimate(row["probability"], row.get("low"), row.get("high"))
        more = Estimate(row["at_least"], row.get("at_least_low"), row.get("at_least_high"))
        rows.append([str(row["value"]), str(one), "100%" if row["value"] == 0 else str(more)])
    return aligned(rows, ">", gap=" | ")


def _until_line(found: Until, share: float, fate: str, attacks: int) -> str:
    wanted = f"{100 * share:g}% likely to be {fate}{' or removed' if fate == 'suppressed' else ''}"
    if found.attacks is None:
        return f"Not {wanted} with {'this attack' if attacks == 1 else f'these {attacks} attacks'}: {found.probability}"
    return f"{wanted[0].upper()}{wanted[1:]} after {counted(found.attacks, 'attack')}: {found.probability}"
