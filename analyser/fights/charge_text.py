"""A charge's answer for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyser.estimates import CERTAIN_WITHIN
from analyser.fights.charge_result import SIDES, ChargeResult, fates
from analyser.fights.combatant import keeps_damage
from analyser.fights.endings import CHARGE_RESULTS as RESULTS
from analyser.fights.endings import FATES
from analyser.results.text import ALWAYS_SHOWN
from analyser.tables import NEGLIGIBLE, aligned, points_said, said, with_error

_WIDEST_GRID = 13  # columns of a joint table that a terminal has room for
_RESULT_WORDS = {
    "won": "Attacker wins", "lost": "Attacker loses", "stalemate": "Stalemate",
    "no_combat": "Attacker destroyed before contact",
}  # fmt: skip


def charge_blocks(result: ChargeResult, title: str) -> list[list[str]]:
    """The blocks of lines of one answer; `title` tells methods apart."""
    chances = {name: result.probability(name) for name in RESULTS}
    shown = [name for name in RESULTS if name != "no_combat" or chances[name].probability > 0]
    rows = [[_RESULT_WORDS[name], said(chances[name])] for name in shown]
    if "overran" in result.events:
        rows.append(["Attacker overruns", said(result.probability("overran"))])
    return [
        [f"The combat{title}", *aligned(rows, "<")],
        _losses(result, title),
        [f"What becomes of them{title}", *_charged(result)],
    ]


def _charged(result: ChargeResult) -> list[str]:
    rows = [["", "attacker", "target"]]
    for name in ("suppressed", "disordered", "activated", "fell_back", *FATES, "annihilated"):
        if name == "activated":
            continue  # every unit that charges is
        chances = [
            fates(result, side)[name] if name in FATES else result.probability(f"{side}_{name}") for side in SIDES
        ]
        if name in ALWAYS_SHOWN or any(chance.probability > 0 for chance in chances):
            rows.append([f"P({name.replace('_', ' ')})", *map(str, chances)])
    if any(unit.passengers for unit in result.units):
        for name in ("suppressed", "annihilated"):
            cells = [
                str(result.probability(f"{side}_passengers_{name}")) if unit.passengers else "none aboard"
                for side, unit in zip(SIDES, result.units)
            ]
            rows.append([f"P(passengers {name})", *cells])
    for what in ("models_destroyed", "models_left", *(["damage_left"] if any(map(keeps_damage, result.units)) else [])):
        names = (f"mean_{side}_{what}" for side in SIDES)
        rows.append([f"Mean {what.replace('_', ' ')}", *(with_error(result.summary, name) for name in names)])
    points = (f"expected_{side}_victory_points" for side in SIDES)
    rows.append(["Expected victory points won", *(points_said(result.summary, name) for name in points)])
    return aligned(rows, "<")


def _losses(result: ChargeResult, title: str) -> list[str]:
    """The joint table of losses; where it is too wide for a terminal, the law of each side's by itself."""
    table = result.losses()
    lost = {side: table[f"{side}_models_destroyed"].tolist() for side in SIDES}
    shares = table["probability"].tolist()
    laws, shown = {}, {}
    for side, unit in zip(SIDES, result.units):
        law = [0.0] * ((unit.models or 0) + 1)
        for value, share in zip(lost[side], shares):
            law[value] += share
        above = [sum(law[value:]) for value in range(len(law))]
        laws[side], shown[side] = law, _likely(law, above)
    rows_shown, columns = (range(first, last + 1) for first, last in (shown["attacker"], shown["target"]))
    if len(columns) > _WIDEST_GRID:
        return [f"Models destroyed{title}", *_laws(laws, shown)]
    chance = {(mine, theirs): share for mine, theirs, share in zip(lost["attacker"], lost["target"], shares)}
    rows = [["attacker's \\ target's", *map(str, columns), "any"]]
    for mine in rows_shown:
        cells = [_cell(chance.get((mine, theirs), 0.0)) for theirs in columns]
        rows.append([str(mine), *cells, _cell(laws["attacker"][mine])])
    rows.append(["any", *(_cell(laws["target"][theirs]) for theirs in columns), "100%"])
    lines = [f"Models destroyed, the attacker's down, the target's across{title}", *aligned(rows, ">")]
    cut = any(shown[side] != (0, len(laws[side]) - 1) for side in SIDES)
    return (
        [*lines, f"Not shown: values less likely than {100 * NEGLIGIBLE:.2f}% in all, at either end."] if cut else lines
    )


def _likely(law: Sequence[float], above: Sequence[float]) -> tuple[int, int]:
    """The first and the last number of models worth a line, however short the law is."""
    last = max(value for value, chance in enumerate(above) if chance >= NEGLIGIBLE)
    below = [1 - chance + share for chance, share in zip(above, law)]
    return next(value for value, chance in enumerate(below) if chance >= NEGLIGIBLE), last


def _cell(share: float) -> str:
    if share > 1 - CERTAIN_WITHIN:
        return "100%"
    return "-" if share == 0 else f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def _laws(laws: Mapping[str, Sequence[float]], shown: Mapping[str, tuple[int, int]]) -> list[str]:
    first, last = min(low for low, _ in shown.values()), max(high for _, high in shown.values())
    rows = [["value", *laws]]
    for value in range(first, last + 1):
        rows.append([str(value), *(_cell(law[value]) if value < len(law) else "-" for law in laws.values())])
    return aligned(rows, ">", gap=" | ")
