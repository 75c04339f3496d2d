"""Armoured Clash: suppression tests after losses, breaking, falling back (AC-4.5, AC-5).

A state is ``(models * falls + fallen back) * 3 + status``; then comes that of a unit that broke or fled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import tiered
from analyser.engine.chain.chain import Die, ExtraDie, Phase, States
from analyser.morale.games.compare import duel
from analyser.morale.games.compare.nerve import disciplines, standing_for
from analyser.morale.games.compare.question import Question
from analyser.morale.games.compare.stream import GONE, ROUTED, SHAKEN, STEADY, Rounds
from analyser.morale.questions import Pmf
from analyser.rules import discipline
from analyser.rules.structs import FIGHT, NONE, FightFacts, Test

FALL_BACK = 3.0  # inches (AC-5.4)
CALM, SUPPRESSED, FELL_BACK = range(3)
_MODELS = (1 << discipline.BITS) - 1
_REMOVED = discipline.BROKEN | discipline.FLED


class Unit(NamedTuple):
    """The unit as integers."""

    models: int
    falls: int  # times that it can fall back without reaching its edge, and once more; 1: it never reaches it
    far: int  # whether it never reaches it
    gone: int


def equivalents(question: Question) -> dict[str, str]:
    """What stands for the unit's nerve; in a duel, its own values."""
    if question.duel is not None:
        unit = duel.unit_of(question)
        return {"DISCIPLINE": _or_none(unit.discipline), "BREAK LIMIT": _or_none(unit.break_limit)}
    limit = break_limit(question)
    return {"DISCIPLINE": str(discipline_of(question)), "BREAK LIMIT": "none" if limit == NONE else str(limit)}


def _or_none(value: int | str | None) -> str:
    return "none" if value is None else str(value)


def discipline_of(question: Question) -> int:
    """The DISCIPLINE that is stated, or stands for the nerve."""
    if question.armoured_clash.discipline is not None:
        return question.armoured_clash.discipline
    return standing_for(question.nerve, disciplines(question), question)


def break_limit(question: Question) -> int:
    """The share of the models at which a unit can break."""
    stated = question.armoured_clash.break_limit
    if stated is None:
        return int(question.models * question.ruleset.break_share)
    return NONE if stated == "none" else stated


def unit_of(question: Question) -> Unit:
    """The unit of a question as integers."""
    falls = 1 if question.edge_distance is None else max(math.ceil(question.edge_distance / FALL_BACK), 1)
    most = question.rounds_played * question.attacks
    gone = (question.models + 1) * min(falls, most + 1) * 3
    return Unit(question.models, min(falls, most + 1), int(question.edge_distance is None), gone)


@tiered(2.0)
def attacked(unit: Unit, fight: FightFacts, most_losses: int, highest_card: int, states: States) -> States:
    """The states after an attack: shape (states, totals), a total being losses and, above them, the card."""
    after = np.empty((len(states), (most_losses + 1) * (highest_card + 1)), np.int64)
    for row, state in enumerate(states):
        status, falls, models = state % 3, state // 3 % unit.falls, state // 3 // unit.falls
        for total in range(after.shape[1]):
            losses, card = min(total % (most_losses + 1), models), total // (most_losses + 1)
            if state == unit.gone or losses == 0:
                after[row, total] = state
                continue
            fight.models, fight.suppressed = models, int(status != CALM)
            fight.flees = int(not unit.far and falls == unit.falls - 1)
            if card > discipline.passes_up_to(fight, losses, 0):
                fate = discipline.fail_test(fight, losses, 0, 0)
            else:
                fate = discipline.pass_test(fight, losses, 0, 0)
            if fate & _REMOVED:
                after[row, total] = unit.gone
                continue
            if fate & discipline.FELL_BACK:
                status, falls_now = FELL_BACK, falls if unit.far else falls + 1
            else:
                status, falls_now = (max(status, SUPPRESSED) if fate & discipline.SUPPRESSED else CALM), falls
            after[row, total] = ((fate & _MODELS) * unit.falls + falls_now) * 3 + status
            status = state % 3
    return after


def rounds(question: Question) -> Rounds:
    """Each attack's losses and a card; at the end of the round the unit has activated and is calm (AC-5.7)."""
    unit = unit_of(question)
    deck = question.ruleset.armoured_clash.deck.counts()
    card = Die(tuple(deck.tolist()), int(deck.sum()))
    fight = np.zeros(1, FIGHT)[0]
    fight.discipline, fight.break_limit, fight.test = discipline_of(question), break_limit(question), Test.BY_CARD

    def attack(pmf: Pmf) -> tuple[Phase, ...]:
        def after(states: States) -> States:  # each call with a record of its own, which it writes into
            return attacked(unit, fight.copy(), len(pmf) - 1, card.highest, states)

        return (Phase(after, Die(pmf), 1, (ExtraDie(card, len(pmf)),)),)

    def calm(states: States) -> States:
        return np.where(states == unit.gone, states, states - states % 3)[:, np.newaxis]

    return Rounds(question.models * unit.falls * 3, unit.gone + 1, attack, after=(Phase(calm),))


def fate_of_states(question: Question, states: States) -> NDArray[np.int64]:
    """What each of some states is called in the comparison; of a duel, the states are fates."""
    if question.duel is not None:
        return states
    unit = unit_of(question)
    fate = np.array([STEADY, SHAKEN, ROUTED])[states % 3]
    return np.where((states == unit.gone) | (states // 3 // unit.falls == 0), GONE, fate)
