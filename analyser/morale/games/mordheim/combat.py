"""Hits in hand-to-hand combat with frenzy, hatred and fear (MD-7 to MD-9)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, ExtraDie, Fields, Phase, Recorded, bernoulli, success_die
from analyser.morale.answers import Answer, Keys, Mean, Table, counted, rules_used, turns_of
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Combat, Fight, Fighter, Question, Ruleset
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

FIGHTER, ENEMY = 0, 1
SIDE_NAMES = ("fighter", "enemy")
HITS = ("fighter_hits", "enemy_hits")
CALM = 4  # modes: bit 0 the fighter is afraid, bit 1 the enemy is; CALM: no combat, a failed charge


class Duel:
    """A combat as integers: its mode, who is frenzied (a bit a side), and the hits of each side."""

    def __init__(self, combat: Combat) -> None:
        self.combat, self.sides = combat, (combat.fighter, combat.enemy)
        self.tests = tests_of(combat)
        self.hits = 1 + max(_most_attacks(side) for side in self.sides)
        self.fields = Fields({"mode": CALM + 1, "frenzied": 4, HITS[FIGHTER]: self.hits, HITS[ENEMY]: self.hits})

    def is_frenzied(self, states: Any, side: int) -> Any:
        """Whether a side is frenzied."""
        return self.fields.get("frenzied", states) >> side & 1 == 1

    def fear(self) -> Phase:
        """The tests of fear: a charger that fails does not charge; a charged one is afraid (MD-9)."""
        helped = [each.leader is not None and each.leader_state == "standing" for each in self.sides]
        leadership = [
            int(mordheim.own_or_leaders(side.leadership, side.leader or 0, helps))
            for side, helps in zip(self.sides, helped)
        ]

        def change(states: Any, rolls: Any) -> Any:
            of_sides = zip((rolls % ROLLS, rolls // ROLLS), self.tests, leadership)
            fails = [tests & ~mordheim.passes(roll + LOWEST_ROLL, own) for roll, tests, own in of_sides]
            mode = fails[FIGHTER] + 2 * fails[ENEMY]
            if self.combat.charger != "nobody":
                mode = np.where(fails[SIDE_NAMES.index(self.combat.charger)], CALM, mode)
            return np.where(self.fields.get("mode", states) == 0, self.fields.put(states, mode=mode), states)

        return Phase(change, extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(TWO_DICE, ROLLS)))

    def strikes(self, side: int, combat_round: int, ruleset: Ruleset) -> Iterator[Phase]:
        """The blows of a side: steady, with misses again if it hates, then the same if it is afraid (MD-7 to MD-9)."""
        fighter, get = self.sides[side], self.fields.get
        silenced_by_frenzy = not ruleset.hatred_while_frenzied

        def room(states: Any) -> Any:
            return self.hits - 1 - get(HITS[side], states)

        def more_hits(states: Any, more: Any) -> Any:
            return states + np.minimum(more, room(states)) * self.fields.places[HITS[side]]

        def blows(afraid: bool, again: bool, states: Any) -> Any:
            mode, frenzied = get("mode", states), self.is_frenzied(states, side)
            strikes = (mode != CALM) & ((mode >> side & 1) == afraid)
            attacks = mordheim.attacks_of(fighter.attacks, fighter.second_weapon, frenzied)
            if again:
                strikes = strikes & mordheim.rerolls_misses(True, combat_round, frenzied & silenced_by_frenzy)
                attacks = np.maximum(attacks - get(HITS[side], states), 0)
            return np.minimum(strikes * attacks, room(states))

        for afraid in (False, True) if self.tests[side] and combat_round == 0 else (False,):
            needed = mordheim.HARDEST if afraid else fighter.to_hit or ruleset.to_hit
            die = success_die(DIE_SIDES + 1 - needed, DIE_SIDES)
            rerolls = mordheim.rerolls_misses(fighter.hatred, combat_round, False)
            for again in (False, True) if rerolls else (False,):
                yield Phase(more_hits, die, partial(blows, afraid, again), most_dice=self.hits - 1)

    def end(self) -> Phase:
        """The next round: no fear (MD-9), no frenzy of one who was knocked down or stunned (MD-7)."""
        get, pack = self.fields.get, self.fields.pack

        def change(states: Any, downed: Any) -> Any:
            mode = np.where(get("mode", states) == CALM, CALM, 0)
            return pack(mode=mode, frenzied=get("frenzied", states) & ~downed)

        downed = (ExtraDie(bernoulli(each.knocked_down), 1 << side) for side, each in enumerate(self.sides))
        return Phase(change, extra_dice=tuple(downed))


def tests_of(combat: Combat) -> tuple[bool, ...]:
    """Whether each side takes a test of fear (MD-9)."""
    sides = (combat.fighter, combat.enemy)
    return tuple(
        combat.charger != "nobody"
        and mordheim.tests_fear(own.causes_fear, other.causes_fear, own.frenzy, own.immune_to_psychology)
        for own, other in (sides, sides[::-1])
    )


def _most_attacks(fighter: Fighter) -> int:
    """The attacks of a fighter while he is frenzied, if he is."""
    return int(mordheim.attacks_of(fighter.attacks, fighter.second_weapon, fighter.frenzy))


def chain(combat: Combat, question: Question) -> Chain:
    """The rounds of a combat; the state after each is recorded."""
    duel = Duel(combat)
    phases, end = [duel.fear()] if any(duel.tests) else [], duel.end()
    for combat_round in range(combat.rounds):
        phases += [end] if combat_round else []
        for side in (FIGHTER, ENEMY):
            phases += duel.strikes(side, combat_round, question.ruleset)
        phases.append(RECORD)
    start = duel.fields.pack(frenzied=combat.fighter.frenzy + 2 * combat.enemy.frenzy)
    return Chain(start, tuple(phases), duel.fields.size)


def answer(combat: Combat, _: Question, recorded: Recorded) -> Answer:
    """`combat`: what happens by round; `hits`: of both sides together; and those of each."""
    duel = Duel(combat)
    states, weights = np.arange(duel.fields.size), recorded.of_all(duel.fields.size)
    mode, landed = duel.fields.get("mode", states), [duel.fields.get(name, states) for name in HITS]
    fought, rounds = mode != CALM, turns_of(weights, "round")
    probabilities = {"p_combat": weights @ fought}
    for side, name in enumerate(SIDE_NAMES):
        if duel.tests[side]:
            probabilities[f"p_{name}_needs_sixes"] = weights @ (fought & (mode >> side & 1 == 1))
    for side, name in enumerate(SIDE_NAMES):
        if duel.sides[side].frenzy:
            probabilities[f"p_{name}_frenzied"] = weights @ (fought & duel.is_frenzied(states, side))
    means = {f"mean_{name}": Mean.of(weights, landed[side]) for side, name in enumerate(HITS)}
    joint = weights.reshape(combat.rounds, -1, duel.hits**2).sum(axis=1)
    both: Keys = dict(zip(HITS, zip(*product(range(duel.hits), repeat=2))))
    tables = {
        "combat": Table(rounds, probabilities, means),
        "hits": Table.distribution(rounds, both, joint, joint > 0),
    }
    for side, name in enumerate(SIDE_NAMES):
        tables[f"hits_of_{name}"] = counted(rounds, "hits", weights, landed[side], _most_attacks(duel.sides[side]))
    panels = [
        Bars(f"hits_of_{name}", f"Hits of the {name} in round 1", "hits", where={"round": 1}) for name in SIDE_NAMES
    ]
    return Answer(tables, panels)


def is_silenced(who: Fight | Fighter, ruleset: Ruleset) -> bool:
    """Whether frenzy leaves no room for hatred (MD-7, MD-8)."""
    return who.frenzy and not ruleset.hatred_while_frenzied


def rules(combat: Combat, question: Question) -> RulesUsed:
    """The rules that the numbers come from or do not, and what has no effect."""
    sides, tests = dict(zip(SIDE_NAMES, (combat.fighter, combat.enemy))), tests_of(combat)
    frenzied = any(side.frenzy for side in sides.values())
    hating = any(side.hatred and not is_silenced(side, question.ruleset) for side in sides.values())
    warnings: dict[str, Any] = {}
    for (name, side), is_tested in zip(sides.items(), tests):
        where, why = f"combat.{name}:", "one round is fought" if side.frenzy else "there is no frenzy to lose"
        warnings[f"{where} no test of fear, so a leader near has no effect (MD-9)"] = side.leader and not is_tested
        for key in ("causes_fear", "immune_to_psychology"):
            without = combat.model_copy(update={name: side.model_copy(update={key: False})})
            told = f"{where} {key} has no effect: it changes no test of fear (MD-9)"
            warnings[told] = getattr(side, key) and tests_of(without) == tests
        warnings[f"{where} hatred has no effect: his frenzy silences it (hatred_while_frenzied)"] = (
            side.hatred and is_silenced(side, question.ruleset)
        )
        warnings[f"{where} knocked_down has no effect: {why} (MD-7)"] = side.knocked_down and not (
            side.frenzy and combat.rounds > 1
        )
    again = ", and a second one after one has failed (MD-9)" if any(tests) else ""
    return rules_used(
        {
            "MD-7 frenzy doubles Attacks": frenzied,
            "MD-8 hatred re-rolls misses in the first round": hating,
            "MD-9 fear": any(tests),
        },
        {
            "blows not struck by those who are downed first in the round; wounds": True,
            "MD-7 who must charge": frenzied,
            f"charges that fall short{again}": True,
        },
        warnings,
    )
