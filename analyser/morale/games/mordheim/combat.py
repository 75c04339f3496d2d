"""Hits in hand-to-hand combat with frenzy, hatred and fear (MD-7 to MD-9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, ExtraDie, Phase, Recorded, States, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Combat, Fight, Fighter, Question, Ruleset
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Mean, Table, by_turn

FIGHTER, ENEMY = 0, 1
SIDE_NAMES = ("fighter", "enemy")
CALM = 4  # modes: bit 0 the fighter is afraid, bit 1 the enemy is; CALM: no combat, a failed charge


class Duel(NamedTuple):
    """A combat as integers.

    A state is ``((mode * 4 + frenzied) * hits + first's hits) * hits + second's``; `frenzied` has a bit a side.
    """

    tests: tuple[bool, bool]  # of fear
    leadership: tuple[int, int]
    charger: int  # a side; -1: nobody
    hits: int

    @property
    def states(self) -> States:
        """All states."""
        return np.arange((CALM + 1) * 4 * self.hits**2)

    def mode(self, states: States) -> States:
        """The mode of each state."""
        return states // (4 * self.hits**2)

    def frenzied(self, states: States, side: int) -> NDArray[np.bool_]:
        """Whether a side is frenzied."""
        return np.asarray(states // self.hits**2 % 4 >> side & 1 == 1)

    def landed(self, states: States, side: int) -> States:
        """The hits of a side."""
        return states // self.hits % self.hits if side == FIGHTER else states % self.hits


def duel_of(combat: Combat) -> Duel:
    """A combat as integers."""
    sides = (combat.fighter, combat.enemy)
    fighter_tests, enemy_tests = (
        combat.charger != "nobody"
        and rules.tests_fear(own.causes_fear, other.causes_fear, own.frenzy, own.immune_to_psychology)
        for own, other in (sides, sides[::-1])
    )
    hits = 1 + max(_most_attacks(side) for side in sides)
    charger = {"fighter": FIGHTER, "enemy": ENEMY, "nobody": -1}[combat.charger]
    return Duel((fighter_tests, enemy_tests), (_tested_on(sides[0]), _tested_on(sides[1])), charger, hits)


def _tested_on(fighter: Fighter) -> int:
    """The Leadership of a test of fear (MD-4, MD-9)."""
    helps = fighter.leader is not None and fighter.leader_state == "standing"
    return int(rules.own_or_leaders(fighter.leadership, fighter.leader or 0, helps))


def _most_attacks(fighter: Fighter) -> int:
    """The attacks of a fighter while he is frenzied, if he is."""
    return int(rules.attacks_of(fighter.attacks, fighter.second_weapon, fighter.frenzy))


def _fear(duel: Duel) -> Phase:
    """The tests of fear: a charger that fails does not charge; a charged one is afraid (MD-9)."""
    rolls, states = np.arange(ROLLS * ROLLS), duel.states[:, np.newaxis]
    of_sides = zip((rolls % ROLLS, rolls // ROLLS), duel.tests, duel.leadership)
    fails = [tests & ~rules.passes(roll + LOWEST_ROLL, leadership) for roll, tests, leadership in of_sides]
    mode = fails[FIGHTER] + 2 * fails[ENEMY]
    if duel.charger >= 0:
        mode = np.where(fails[duel.charger], CALM, mode)
    undecided = duel.mode(states) == 0
    targets = np.where(undecided, states + mode * 4 * duel.hits**2, states)
    return Phase(targets, extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(TWO_DICE, ROLLS)))


def _strikes(duel: Duel, side: int, fighter: Fighter, combat_round: int, ruleset: Ruleset) -> Iterator[Phase]:
    """The blows of a side: steady, with misses again where it hates, then the same if it is afraid (MD-7 to MD-9)."""
    states, frenzied = duel.states, duel.frenzied(duel.states, side)
    room = duel.hits - 1 - duel.landed(states, side)
    attacks = rules.attacks_of(fighter.attacks, fighter.second_weapon, frenzied)
    more = np.minimum(np.arange(duel.hits), room[:, np.newaxis])
    targets = states[:, np.newaxis] + more * (duel.hits if side == FIGHTER else 1)
    for afraid in (False, True) if duel.tests[side] and combat_round == 0 else (False,):
        mode = duel.mode(states)
        strikes = (mode != CALM) & ((mode >> side & 1) == afraid)
        needed = rules.HARDEST if afraid else fighter.to_hit or ruleset.to_hit
        die = success_die(DIE_SIDES + 1 - needed, DIE_SIDES)
        yield Phase(targets, die, np.minimum(strikes * attacks, room))
        if rules.rerolls_misses(fighter.hatred, combat_round, False):
            again = rules.rerolls_misses(True, combat_round, frenzied & (not ruleset.hatred_while_frenzied))
            misses = np.maximum(attacks - duel.landed(states, side), 0)
            yield Phase(targets, die, np.minimum(strikes * again * misses, room))


def _end(duel: Duel, combat: Combat) -> Phase:
    """The next round: no fear (MD-9), no frenzy of one who was knocked down or stunned (MD-7)."""
    states, downed = duel.states[:, np.newaxis], np.arange(4)
    frenzied = states // duel.hits**2 % 4 & ~downed
    targets = (np.where(duel.mode(states) == CALM, CALM, 0) * 4 + frenzied) * duel.hits**2
    sides = enumerate((combat.fighter, combat.enemy))
    return Phase(targets, extra_dice=tuple(ExtraDie(bernoulli(each.knocked_down), 1 << side) for side, each in sides))


def chain(combat: Combat, question: Question) -> Chain:
    """The rounds of a combat; the state after each is recorded."""
    duel, sides = duel_of(combat), (combat.fighter, combat.enemy)
    phases, end = [_fear(duel)] if any(duel.tests) else [], _end(duel, combat)
    for combat_round in range(combat.rounds):
        for side, fighter in enumerate(sides):
            phases += _strikes(duel, side, fighter, combat_round, question.ruleset)
        phases[-1] = replace(phases[-1], recorded=True)
        phases.append(end)
    start = (sides[0].frenzy + 2 * sides[1].frenzy) * duel.hits**2
    return Chain(start, tuple(phases[:-1]))


def tables(combat: Combat, _: Question, recorded: Recorded) -> dict[str, Table]:
    """`combat`: what happens by round; `hits`: of both sides together; and those of each."""
    duel, sides = duel_of(combat), (combat.fighter, combat.enemy)
    states, weights = duel.states, recorded.of_all(len(duel.states))
    mode, landed = duel.mode(states), [duel.landed(states, side) for side in (FIGHTER, ENEMY)]
    fought = mode != CALM
    rounds = [*range(1, combat.rounds + 1)]
    probabilities = {"p_combat": weights @ fought}
    for side, name in enumerate(SIDE_NAMES):
        if duel.tests[side]:
            probabilities[f"p_{name}_needs_sixes"] = weights @ (fought & (mode >> side & 1 == 1))
    for side, name in enumerate(SIDE_NAMES):
        if sides[side].frenzy:
            probabilities[f"p_{name}_frenzied"] = weights @ (fought & duel.frenzied(states, side))
    means = {f"mean_{name}_hits": Mean.of(weights, landed[side]) for side, name in enumerate(SIDE_NAMES)}
    joint = weights.reshape(combat.rounds, -1, duel.hits, duel.hits).sum(axis=1)
    rows = [(place[0] + 1, *place[1:], joint[tuple(place)]) for place in np.argwhere(joint > 0).tolist()]
    of_sides = {
        f"hits_of_{name}": by_turn(weights, landed[side], _most_attacks(sides[side]), turn="round", number="hits")
        for side, name in enumerate(SIDE_NAMES)
    }
    return {
        "combat": Table({"round": rounds}, probabilities, means),
        "hits": Table.of_rows(("round", "fighter_hits", "enemy_hits"), rows),
    } | of_sides


def panels(_: Combat, __: Question) -> Iterator[Panel]:
    """The hits of each side in the first round."""
    for name in SIDE_NAMES:
        yield Bars(f"hits_of_{name}", f"Hits of the {name} in round 1", "hits", where={"round": 1})


def sides_of(combat: Combat) -> dict[str, tuple[Fighter, bool]]:
    """Both sides by name, and whether each takes a test of fear (MD-9)."""
    return dict(zip(SIDE_NAMES, zip((combat.fighter, combat.enemy), duel_of(combat).tests)))


def is_silenced(who: Fight | Fighter, ruleset: Ruleset) -> bool:
    """Whether frenzy leaves no room for hatred (MD-7, MD-8)."""
    return who.frenzy and not ruleset.hatred_while_frenzied


def applied(combat: Combat, question: Question) -> Mapping[str, bool]:
    """The rules of a combat, and whether each can have its occasion."""
    sides = sides_of(combat).values()
    hating = any(side.hatred and not is_silenced(side, question.ruleset) for side, _ in sides)
    return {
        "MD-7 frenzy doubles Attacks": any(side.frenzy for side, _ in sides),
        "MD-8 hatred re-rolls misses in the first round": hating,
        "MD-9 fear": any(tests for _, tests in sides),
    }


def not_modelled(combat: Combat, _: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    yield "blows not struck by those who are downed first in the round; wounds"
    if combat.fighter.frenzy or combat.enemy.frenzy:
        yield "MD-7 who must charge"
    again = ", and a second one after one has failed (MD-9)" if any(duel_of(combat).tests) else ""
    yield f"charges that fall short{again}"


def warnings(combat: Combat, question: Question) -> Iterator[str]:
    """What has no effect."""
    for name, (side, tests) in sides_of(combat).items():
        if side.leader is not None and not tests:
            yield f"combat.{name}: no test of fear, so a leader near has no effect (MD-9)"
        for key in ("causes_fear", "immune_to_psychology"):
            without = combat.model_copy(update={name: side.model_copy(update={key: False})})
            if getattr(side, key) and duel_of(without).tests == duel_of(combat).tests:
                yield f"combat.{name}: {key} has no effect: it changes no test of fear (MD-9)"
        if side.hatred and is_silenced(side, question.ruleset):
            yield f"combat.{name}: hatred has no effect: his frenzy silences it (hatred_while_frenzied)"
        if side.knocked_down and not (side.frenzy and combat.rounds > 1):
            why = "one round is fought" if side.frenzy else "there is no frenzy to lose"
            yield f"combat.{name}: knocked_down has no effect: {why} (MD-7)"
