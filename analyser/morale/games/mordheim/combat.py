"""Hits in hand-to-hand combat with frenzy, hatred and fear, tabulated (MD-7 to MD-9)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import Chain, ExtraDie, Phase, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Combat, Fighter, Question
from analyser.morale.games.mordheim.question import Ruleset as Defaults
from analyser.morale.games.mordheim.warband import LOWEST_ROLL, ROLLS, TWO_DICE

FEAR, STRIKE, AGAIN, END = range(4)  # phases
STEADY, AFRAID = 0, 1
SIDES = 6
FIGHTER, ENEMY = 0, 1
CALM = 4  # modes: bit 0 the fighter is afraid, bit 1 the enemy is; CALM: no combat, a failed charge


class Duel(NamedTuple):
    """A combat as whole numbers.

    A state is ``((mode * 4 + frenzied) * hits + first's hits) * hits + second's``; `frenzied` has a bit a side.
    """

    fighter_tests: int
    enemy_tests: int
    charger: int  # a side; -1: nobody
    leadership: tuple[int, int]
    hits: int
    states: int


class Side(NamedTuple):
    """One side's blows."""

    place: int
    attacks: int
    second_weapon: int
    hatred: int
    hates_frenzied: int  # whether frenzy leaves him his hatred
    combat_round: int
    afraid: int  # this phase is for a side that is afraid, or for one that is not


def duel_of(combat: Combat) -> Duel:
    """A combat as whole numbers."""
    sides = (combat.fighter, combat.enemy)
    tests = [
        int(
            combat.charger != "nobody"
            and rules.tests_fear(own.causes_fear, other.causes_fear, own.frenzy, own.immune_to_psychology)
        )
        for own, other in (sides, sides[::-1])
    ]
    hits = 1 + max(most_attacks(side) for side in sides)
    charger = {"fighter": FIGHTER, "enemy": ENEMY, "nobody": -1}[combat.charger]
    states = (CALM + 1) * 4 * hits * hits
    return Duel(tests[0], tests[1], charger, (tested_on(sides[0]), tested_on(sides[1])), hits, states)


def tested_on(fighter: Fighter) -> int:
    """The Leadership of a test of fear (MD-4, MD-9)."""
    helps = fighter.leader is not None and fighter.leader_state == "standing"
    return rules.own_or_leaders(fighter.leadership, fighter.leader or 0, helps)


def most_attacks(fighter: Fighter) -> int:
    """The attacks of a fighter while he is frenzied, if he is."""
    return rules.attacks_of(fighter.attacks, fighter.second_weapon, fighter.frenzy)


@step
def after_fear(duel: Duel, state: int, total: int) -> int:
    """The state after the tests of fear: a charger that fails does not charge; a charged one is afraid (MD-9)."""
    fails = duel.fighter_tests and not rules.passes(total % ROLLS + LOWEST_ROLL, duel.leadership[0])
    enemy_fails = duel.enemy_tests and not rules.passes(total // ROLLS + LOWEST_ROLL, duel.leadership[1])
    if (fails and duel.charger == FIGHTER) or (enemy_fails and duel.charger == ENEMY):
        mode = CALM
    else:
        mode = (1 if fails else 0) + (2 if enemy_fails else 0)
    return state + mode * 4 * duel.hits * duel.hits


@step
def blows(duel: Duel, side: Side, state: int, misses_only: bool) -> int:
    """Dice that a side rolls: its attacks (MD-7), or its misses where hatred rolls them again (MD-8)."""
    square = duel.hits * duel.hits
    mode, frenzied = state // (4 * square), state // square % 4
    if mode == CALM or (mode >> side.place & 1) != side.afraid:
        return 0
    attacks = rules.attacks_of(side.attacks, side.second_weapon > 0, frenzied >> side.place & 1 == 1)
    if not misses_only:
        return attacks
    landed = state // duel.hits % duel.hits if side.place == FIGHTER else state % duel.hits
    silenced = frenzied >> side.place & 1 == 1 and side.hates_frenzied == 0
    return max(attacks - landed, 0) if rules.rerolls_misses(side.hatred > 0, side.combat_round, silenced) else 0


@kernel
def tabulated_fear(duel: Duel) -> NDArray[np.int64]:
    """:func:`after_fear`, tabulated: shape (states, 121)."""
    after = np.empty((duel.states, ROLLS * ROLLS), np.int64)
    for state in range(duel.states):
        for total in range(ROLLS * ROLLS):
            calm = state < 4 * duel.hits * duel.hits
            after[state, total] = after_fear(duel, state, total) if calm else state
    return after


@kernel
def tabulated_blows(duel: Duel, side: Side, misses_only: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The state after so many hits more: shape (states, hits); and the dice of each state."""
    after, dice = np.empty((duel.states, duel.hits), np.int64), np.empty(duel.states, np.int64)
    for state in range(duel.states):
        landed = state // duel.hits % duel.hits if side.place == FIGHTER else state % duel.hits
        dice[state] = min(blows(duel, side, state, misses_only), duel.hits - 1 - landed)
        for total in range(duel.hits):
            more = min(total, duel.hits - 1 - landed)
            after[state, total] = state + more * (duel.hits if side.place == FIGHTER else 1)
    return after, dice


@kernel
def tabulated_end(duel: Duel) -> NDArray[np.int64]:
    """The next round: no fear (MD-9), no frenzy of one who was knocked down or stunned (MD-7); shape (states, 4)."""
    after = np.empty((duel.states, 4), np.int64)
    square = duel.hits * duel.hits
    for state in range(duel.states):
        mode, frenzied = state // (4 * square), state // square % 4
        for total in range(4):
            after[state, total] = ((CALM if mode == CALM else 0) * 4 + (frenzied & ~total)) * square
    return after


def chain_of(question: Question) -> Chain:
    """The rounds of a combat; the law of the hits of each is recorded."""
    combat = question.combat
    assert combat is not None
    duel, sides = duel_of(combat), (combat.fighter, combat.enemy)
    phases = []
    if duel.fighter_tests or duel.enemy_tests:
        phases.append(Phase(tabulated_fear(duel), extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(TWO_DICE, ROLLS))))
    end = Phase(
        tabulated_end(duel),
        extra_dice=tuple(ExtraDie(bernoulli(side.knocked_down), 1 << place) for place, side in enumerate(sides)),
    )
    for combat_round in range(combat.rounds):
        for place, fighter in enumerate(sides):
            phases += _strikes(duel, place, fighter, combat_round, question.ruleset)
        phases[-1] = replace(phases[-1], recorded=True)
        phases.append(end)
    start = (sides[0].frenzy + 2 * sides[1].frenzy) * duel.hits * duel.hits
    return Chain(start, tuple(phases[:-1]))


def _strikes(duel: Duel, place: int, fighter: Fighter, combat_round: int, defaults: Defaults) -> list[Phase]:
    """The blows of one side in a round: steady, with misses again where it hates, then the same if it is afraid."""
    found = []
    tests = (duel.fighter_tests, duel.enemy_tests)[place] and combat_round == 0
    for afraid in (STEADY, AFRAID) if tests else (STEADY,):
        needed = rules.HARDEST if afraid else fighter.to_hit or defaults.to_hit
        side = Side(
            place, fighter.attacks, int(fighter.second_weapon), int(fighter.hatred),
            int(defaults.hatred_while_frenzied), combat_round, afraid,
        )  # fmt: skip
        again = rules.rerolls_misses(fighter.hatred, combat_round, False)
        for misses_only in (False, True) if again else (False,):
            after, dice = tabulated_blows(duel, side, misses_only)
            found.append(Phase(after, success_die(SIDES + 1 - needed, SIDES), dice))
    return found
