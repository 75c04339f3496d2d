"""Answers about longer fights as text for a terminal, or as CSV: pure functions, nothing printed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyser.common.text import aligned, counted, csv_text, rating_said
from analyser.results.charge import ChargeResult, charge_blocks
from analyser.results.duel import SIDES, DuelResult, duel_blocks
from analyser.results.focus import FocusResult, focus_blocks
from analyser.results.rules_used import draw_differently
from analyser.scenarios.schema import Combatant

_DIFFERENT_CARDS = (
    "The two methods may differ by more than chance, because they draw cards differently; with --replacement they draw "
    "alike."
)

FightResult = ChargeResult | FocusResult | DuelResult


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
            blocks += charge_blocks(result, title)
        elif isinstance(result, FocusResult):
            blocks += focus_blocks(result, title, until)
        else:
            blocks += duel_blocks(result, title)
    blocks.append([f"Special rules applied: {', '.join(first.account.applied) or 'none'}"])
    blocks += [[f"Not used: {'; '.join(first.account.not_used)}"]] if first.account.not_used else []
    blocks.append([f"Not modelled: {', '.join(first.account.not_modelled) or 'none'}"])
    blocks += [[f"Profiles: {first.scenario.profiles}"]] if first.scenario.profiles is not None else []
    assumed = _assumptions(results)
    blocks += [assumed] if assumed else []
    blocks += [[_DIFFERENT_CARDS]] if draw_differently([result.account for result in results]) else []
    if first.account.warnings:
        blocks.append([f"Warning: {warning}" for warning in first.account.warnings])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _assumptions(results: Sequence[FightResult]) -> list[str]:
    """What was taken for granted, with the method where it is not both that did."""
    lines = []
    for each in dict.fromkeys(each for result in results for each in result.account.assumptions):
        by = [result for result in results if each in result.account.assumptions]
        title = "" if len(by) == len(results) else f" ({_method(by[0])})"
        lines.append(f"Taken for granted{title}: {each}")
    return lines


def fight_csv(results: Sequence[FightResult]) -> str:
    """The main table of a fight as CSV: outcomes of a charge, attacks of focus fire, rounds of a duel.

    Of two methods one below the other, told apart by a column `method`.
    """
    several = len(results) > 1
    rows = [({"method": result.method} if several else {}) | row for result in results for row in _rows(result)]
    used = results[0].scenario.profiles
    rows = [row | {"profiles": "" if used is None else str(used)} for row in rows]
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
        struck = result.scenario.target
        lines = [("Focus fire", f"{counted(len(result.endings), 'attack')} on {struck.unit or 'a unit'}")]
        lines += [("Target", _state(struck))]
        lines += [
            ("" if place else "Attacks", _attack(place + 1, each)) for place, each in enumerate(result.conditions)
        ]
    else:
        terms = result.scenario.terms
        policies = dict(zip(SIDES, (terms.policy_a, terms.policy_b)))
        first = "a toss each round" if terms.first == "random" else terms.first.upper()
        where = "" if terms.distance is None else f', {terms.distance:g}" apart'
        lines = [("Duel", f"{counted(terms.rounds, 'round')}, first: {first}{where}")]
        for side, unit in zip(SIDES, result.units):
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
    dice = _dice(strike["dice"], overcharge=strike["overcharge"])
    return f"{strike['by']}{row}{again}: {dice}, {rating_said(strike)}, against DEFENCE {strike['defence']}"


def _attack(number: int, conditions: Mapping[str, Any]) -> str:
    dice = counted(conditions["dice"], "die", "dice")
    return f"{number}: {dice}, {rating_said(conditions)}, against DEFENCE {conditions['defence']}"


def _dice(dice: int, *, overcharge: bool) -> str:
    if not overcharge:
        return counted(dice, "die", "dice")
    return f"{counted(dice, 'die', 'dice')} and as many as a card says" if dice else "as many dice as a card says"
