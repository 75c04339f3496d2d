"""Answers about longer fights as text for a terminal, or as CSV: pure functions, nothing printed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyser.fights.charge_result import RESULTS as CHARGE_RESULTS
from analyser.fights.charge_result import SIDES as CHARGE_SIDES
from analyser.fights.charge_result import ChargeResult, fates
from analyser.fights.combatant import Combatant
from analyser.fights.duel_result import DEVASTATING, DuelResult
from analyser.fights.duel_result import RESULTS as DUEL_RESULTS
from analyser.fights.duel_result import SIDES as DUEL_SIDES
from analyser.fights.duel_result import STATUSES as DUEL_STATUSES
from analyser.fights.endings import FATES
from analyser.fights.focus_result import EVENTS as FOCUS_EVENTS
from analyser.fights.focus_result import FocusResult, Until
from analyser.results import Estimate
from analyser.tables import NEGLIGIBLE, aligned, counted, csv_text, shown_range, with_error

FightResult = ChargeResult | FocusResult | DuelResult

_WIDEST_GRID = 13  # columns of a joint table that a terminal has room for
_RESULT_WORDS = {
    "won": "Attacker wins", "lost": "Attacker loses", "stalemate": "Stalemate",
    "no_combat": "Attacker destroyed before contact",
}  # fmt: skip
_ALWAYS_SHOWN = ("suppressed", "broken", "annihilated")


def fight_text(results: Sequence[FightResult], until: tuple[float, str] | None = None) -> str:
    """The answer about one fight, by one method or by several, for a terminal.

    Parameters
    ----------
    results : sequence of one kind of result
    until : (float, str), optional
        Of focus fire: how likely which fate is to become.
    """
    first = results[0]
    blocks = [_heading(results)]
    for result in results:
        title = f" ({_method(result)})" if len(results) > 1 else ""
        if isinstance(result, ChargeResult):
            blocks += _charge_blocks(result, title)
        elif isinstance(result, FocusResult):
            blocks += _focus_blocks(result, title, until)
        else:
            blocks += _duel_blocks(result, title)
    blocks.append([f"Special rules applied: {', '.join(first.account.applied) or 'none'}"])
    blocks.append([f"Not modelled: {', '.join(first.account.not_modelled) or 'none'}"])
    assumed = dict.fromkeys(each for result in results for each in result.account.assumptions)
    blocks += [[f"Taken for granted: {each}" for each in assumed]] if assumed else []
    if first.account.warnings:
        blocks.append([f"Warning: {warning}" for warning in first.account.warnings])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def fight_csv(results: Sequence[FightResult]) -> str:
    """The main table of a fight as CSV: outcomes of a charge, attacks of focus fire, rounds of a duel.

    Of two methods one below the other, told apart by a column `method`.
    """
    rows = [
        ({"method": result.method} if len(results) > 1 else {}) | row for result in results for row in _rows(result)
    ]
    head = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(head, ([row.get(name, "") for name in head] for row in rows))


def _rows(result: FightResult) -> list[dict[str, Any]]:
    if not isinstance(result, ChargeResult):
        return result.rounds()
    columns = result.table()
    return [dict(zip(columns, row)) for row in zip(*(each.tolist() for each in columns.values()))]


def _method(result: FightResult) -> str:
    return "exact" if result.exact else "Monte Carlo"


def _method_line(result: FightResult) -> str:
    if result.exact:
        return "exact"
    return f"Monte Carlo, {result.trials:,} trials, seed {result.seed}, intervals at 95%"


def _heading(results: Sequence[FightResult]) -> list[str]:
    result, lines = results[0], []
    if isinstance(result, ChargeResult):
        attacker, target = result.units
        lines = [("Charge", f"{_named(attacker)} -> {_named(target)}")]
        lines += [("Beside it", _named(unit)) for unit in result.scenario.secondary]
        lines += [("Attacker", _state(attacker)), ("Target", _state(target))]
        lines += [("Strikes" if not place else "", _strike(each)) for place, each in enumerate(result.strikes)]
    elif isinstance(result, FocusResult):
        target = result.scenario.target
        lines = [("Focus fire", f"{counted(len(result.endings), 'attack')} on {target.unit or 'a unit'}")]
        lines += [("Target", _state(target))]
    else:
        terms = result.scenario.terms
        policies = dict(zip(DUEL_SIDES, (terms.policy_a, terms.policy_b)))
        first = "a toss each round" if terms.first == "random" else terms.first.upper()
        where = "" if terms.distance is None else f', {terms.distance:g}" apart'
        lines = [("Duel", f"{counted(terms.rounds, 'round')}, first: {first}{where}")]
        for side, unit in zip(DUEL_SIDES, result.units):
            lines.append((side.upper(), f"{_named(unit)}: {_state(unit)}; policy {policies[side]}"))
    lines.append(("Method", "; ".join(map(_method_line, results))))
    return aligned(lines, "<")


def _named(unit: Combatant) -> str:
    return unit.unit or "a unit without a profile"


def _state(unit: Any) -> str:
    parts = [
        counted(unit.models or 0, "model"), f"DEFENCE {unit.defence}", f"DAMAGE LIMIT {unit.damage_limit}",
        "no DISCIPLINE" if unit.discipline is None else f"DISCIPLINE {unit.discipline}",
    ]  # fmt: skip
    if unit.break_limit is not None:
        parts.append(f"BREAK LIMIT {unit.break_limit}")
    if unit.damage:
        parts.append(f"{unit.damage} damage carried")
    states = ("suppressed", "disordered", "activated", "garrisoned", "taking_cover", "on_lookout", "reloading")
    parts += [name.replace("_", " ") for name in states if getattr(unit, name, False)]
    if getattr(unit, "passengers", None) is not None:
        parts.append(f"{counted(unit.passengers.models, 'model')} embarked")
    return ", ".join(parts)


def _strike(strike: Mapping[str, Any]) -> str:
    row = f" with {strike['row']}" if strike["row"] else ""
    again = " in an Overrun" if strike["overrun"] else ""
    dice = counted(strike["dice"], "die", "dice")
    return f"{strike['by']}{row}{again}: {dice}, {strike['rating']}, against DEFENCE {strike['defence']}"


def _said(chance: Estimate) -> str:
    return f"{chance} exact" if chance.low is None else str(chance)


# --- charges ----------------------------------------------------------------------------------------------


def _charge_blocks(result: ChargeResult, title: str) -> list[list[str]]:
    chances = {name: result.probability(name) for name in CHARGE_RESULTS}
    shown = [name for name in CHARGE_RESULTS if name != "no_combat" or chances[name].probability > 0]
    rows = [[_RESULT_WORDS[name], _said(chances[name])] for name in shown]
    if "overran" in result.events:
        rows.append(["Attacker overruns", _said(result.probability("overran"))])
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
            fates(result, side)[name] if name in FATES else result.probability(f"{side}_{name}")
            for side in CHARGE_SIDES
        ]
        if name in _ALWAYS_SHOWN or any(chance.probability > 0 for chance in chances):
            rows.append([f"P({name.replace('_', ' ')})", *map(str, chances)])
    if any(unit.passengers for unit in result.units):
        for name in ("suppressed", "annihilated"):
            cells = [
                str(result.probability(f"{side}_passengers_{name}")) if unit.passengers else "none aboard"
                for side, unit in zip(CHARGE_SIDES, result.units)
            ]
            rows.append([f"P(passengers {name})", *cells])
    for label, name in (
        ("Mean models destroyed", "mean_{}_models_destroyed"),
        ("Mean models left", "mean_{}_models_left"),
    ):
        rows.append([label, *(with_error(result.summary, name.format(side)) for side in CHARGE_SIDES)])
    points = [f"expected_{side}_victory_points" for side in CHARGE_SIDES]
    known = ["no rating known" if result.summary[name] is None else f"{result.summary[name]:.2f}" for name in points]
    rows.append(["Expected victory points won", *known])
    return aligned(rows, "<")


def _losses(result: ChargeResult, title: str) -> list[str]:
    """The joint table of losses; where it is too wide for a terminal, the law of each side's by itself."""
    table = result.losses()
    lost = {side: table[f"{side}_models_destroyed"].tolist() for side in CHARGE_SIDES}
    shares = table["probability"].tolist()
    laws, shown = {}, {}
    for side, unit in zip(CHARGE_SIDES, result.units):
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
    cut = any(shown[side] != (0, len(laws[side]) - 1) for side in CHARGE_SIDES)
    return (
        [*lines, f"Not shown: values less likely than {100 * NEGLIGIBLE:.2f}% in all, at either end."] if cut else lines
    )


def _likely(law: Sequence[float], above: Sequence[float]) -> tuple[int, int]:
    """The first and the last number of models worth a line, however short the law is."""
    last = max(value for value, chance in enumerate(above) if chance >= NEGLIGIBLE)
    below = [1 - chance + share for chance, share in zip(above, law)]
    return next(value for value, chance in enumerate(below) if chance >= NEGLIGIBLE), last


def _cell(share: float) -> str:
    return "-" if share == 0 else f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def _laws(laws: Mapping[str, Sequence[float]], shown: Mapping[str, tuple[int, int]]) -> list[str]:
    first, last = min(low for low, _ in shown.values()), max(high for _, high in shown.values())
    rows = [["value", *laws]]
    for value in range(first, last + 1):
        rows.append([str(value), *(_cell(law[value]) if value < len(law) else "-" for law in laws.values())])
    return aligned(rows, ">", gap=" | ")


# --- focus fire -------------------------------------------------------------------------------------------


def _focus_blocks(result: FocusResult, title: str, until: tuple[float, str] | None) -> list[list[str]]:
    blocks = [[f"After each attack{title}", *_after_each(result)], [f"After the last{title}", *_destroyed(result)]]
    if until is not None:
        share, fate = until
        blocks.append([_until_line(result.until(share, fate), share, fate, len(result.endings)) + title])
    points = result.summary["expected_victory_points"]
    blocks.append([f"Expected victory points  {'no rating known' if points is None else f'{points:.2f}'}"])
    return blocks


def _after_each(result: FocusResult) -> list[str]:
    numbers = range(1, len(result.endings) + 1)
    chances = {name: [result.probability(name, number) for number in numbers] for name in FOCUS_EVENTS}
    shown = [
        name for name in FOCUS_EVENTS if name in _ALWAYS_SHOWN or any(each.probability > 0 for each in chances[name])
    ]
    rows = [["attack", "by", "models left", *(name.replace("_", " ") for name in shown)]]
    for number, figures, scenario in zip(numbers, result.rounds(), result.scenario.attacks):
        attack = scenario.attack
        by = f"{attack.attacker or 'no profile'}{f', {attack.row}' if attack.row else ''}"
        cells = [str(chances[name][number - 1]) for name in shown]
        rows.append([str(number), by, with_error(figures, "mean_models_left"), *cells])
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


# --- duels ------------------------------------------------------------------------------------------------


def _duel_blocks(result: DuelResult, title: str) -> list[list[str]]:
    rows = [[f"P({_duel_word(name)})", _said(result.probability(name))] for name in (*DUEL_RESULTS, *DEVASTATING)]
    sides = [["", *(side.upper() for side in DUEL_SIDES)]]
    for name in ("alive", *FATES):
        sides.append([f"P({name})", *(str(result.probability(f"{side}_{name}")) for side in DUEL_SIDES)])
    sides.append(["Mean models left", *(with_error(result.summary, f"mean_{side}_models_left") for side in DUEL_SIDES)])
    names = [f"expected_{side}_victory_points" for side in DUEL_SIDES]
    sides.append(["Expected victory points", *(with_error(result.summary, name) for name in names)])
    margins = [
        [
            f"{row['margin']:+d}" if row["margin"] else "0",
            str(Estimate(row["probability"], row.get("low"), row.get("high"))),
        ]
        for row in result.margins()
    ]
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
            name for name in DUEL_STATUSES
            if any(result.probability(f"{side}_{name}", number).probability > 0 for number in numbers)
        ]
        for side in DUEL_SIDES
    }  # fmt: skip
    head = ["round"]
    for side in DUEL_SIDES:
        named = (name.replace("_", " ") for name in shown[side])
        head += [f"{side.upper()} alive", "models", "10-90%", *named]
    figures = {(row["round"], row["side"]): row for row in result.rounds()}
    rows = [head]
    for number in numbers:
        cells = [str(number)]
        for side in DUEL_SIDES:
            row = figures[number, side]
            cells += [str(result.probability(f"{side}_alive", number)), with_error(row, "mean_models")]
            cells.append(f"{row['models_10th_percentile']}-{row['models_90th_percentile']}")
            cells += [str(result.probability(f"{side}_{name}", number)) for name in shown[side]]
        rows.append(cells)
    return aligned(rows, ">")
