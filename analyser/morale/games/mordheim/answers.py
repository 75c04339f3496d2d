"""Answers about Mordheim: the section on combat (frenzy, hatred, fear: MD-7 to MD-9), and all sections together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, ExtraDie, Fields, Phase, Recorded, Story, bernoulli, success_die
from analyser.morale.answer_parts import Bars, Keys, Rules, Section, Sections, Sums, Table, Tables, tally, turn_key
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim import warband, warriors
from analyser.morale.games.mordheim.question import Combat, Question
from analyser.morale.games.mordheim.rules import LOWEST_SUM, N_SUMS, TWO_DICE

SIDE_NAMES = ("fighter", "enemy")
HITS = ("fighter_hits", "enemy_hits")
NO_COMBAT = 4  # mode of a failed charge; in other modes bit 0: the fighter is afraid, bit 1: the enemy


class CombatSection(Section[Combat]):
    """A combat; its state has the mode, a bit for each frenzied side, and the hits of each side."""

    def _prepare(self) -> None:
        self.sides, self.tests = (self.section.fighter, self.section.enemy), _tests_of(self.section)
        self._most_attacks = [mordheim.attacks_of(side, side.frenzy) for side in self.sides]
        self._hits = 1 + max(self._most_attacks)
        self.fields = Fields({"mode": NO_COMBAT + 1, "frenzied": 4, **dict.fromkeys(HITS, self._hits)})

    def _is_frenzied(self, states: Any, side: int) -> Any:
        return self.fields.get("frenzied", states) >> side & 1 == 1

    def _after_fear(self, states: Any, rolls: Any) -> Any:
        """Return the states after tests of fear: on failure a charger does not charge, a target is afraid (MD-9)."""
        fails = []
        for side, is_tested, roll in zip(self.sides, self.tests, (rolls % N_SUMS, rolls // N_SUMS)):
            leadership = max(side.leadership, side.leader or 0)  # (MD-4)
            fails.append(is_tested & ~mordheim.passes(roll + LOWEST_SUM, leadership))
        mode = fails[0] + 2 * fails[1]
        if self.section.charger != "nobody":
            mode = np.where(fails[SIDE_NAMES.index(self.section.charger)], NO_COMBAT, mode)
        return np.where(self.fields.get("mode", states) == 0, self.fields.put(states, mode=mode), states)

    def _strikes(self, side: int, combat_round: int) -> Iterator[Phase]:
        """Yield the phases of a side's blows, unafraid and afraid, without and with re-rolls (MD-7 to MD-9)."""
        fighter, ruleset, get = self.sides[side], self.question.ruleset, self.fields.get

        def more_hits(states: Any, more: Any) -> Any:
            hits = np.minimum(get(HITS[side], states) + more, self._hits - 1)
            return self.fields.put(states, **{HITS[side]: hits})

        def dice(afraid: bool, again: bool, states: Any) -> Any:
            mode, frenzied = get("mode", states), self._is_frenzied(states, side)
            strikes = (mode != NO_COMBAT) & ((mode >> side & 1) == afraid)
            strikes &= mordheim.rerolls_misses(fighter, frenzied, combat_round, ruleset) == again
            return np.minimum(strikes * mordheim.attacks_of(fighter, frenzied), self._hits - 1)

        first = combat_round == 0
        for afraid in (False, True) if self.tests[side] and first else (False,):
            needed = mordheim.ROLL_TO_HIT_IF_AFRAID if afraid else fighter.to_hit or ruleset.to_hit
            for again in (False, True) if fighter.hatred and first else (False,):
                die = success_die(*mordheim.hits_of_sides(needed, again), ("miss", "hit"))
                title = f"Blows of the {SIDE_NAMES[side]} at {needed} or more{', misses again (MD-8)' * again}"
                yield Phase(more_hits, die, partial(dice, afraid, again), most_dice=self._hits - 1, title=title)

    def _next_round(self, states: Any, downed: Any) -> Any:
        """Return the states at the start of a round: no hits, no fear (MD-9), and no frenzy of a downed side (MD-7)."""
        mode = np.where(self.fields.get("mode", states) == NO_COMBAT, NO_COMBAT, 0)
        return self.fields.pack(mode=mode, frenzied=self.fields.get("frenzied", states) & ~downed)

    def chain(self) -> Chain:
        """Return the chain of all rounds; it records the state after each round."""
        both = ExtraDie(TWO_DICE, 1), ExtraDie(TWO_DICE, N_SUMS)
        fear = Phase(self._after_fear, extra_dice=both, title="Tests of fear, of the fighter and the enemy (MD-9)")
        downed = tuple(
            ExtraDie(bernoulli(fighter.knocked_down, (f"{name} not downed", f"{name} downed")), 1 << side)
            for side, (name, fighter) in enumerate(zip(SIDE_NAMES, self.sides))
        )
        end = Phase(self._next_round, extra_dice=downed, title="The round ends (MD-7)")
        phases = [fear] if any(self.tests) else []
        for combat_round in range(self.section.rounds):
            phases += [end] if combat_round else []
            phases += [phase for side in range(2) for phase in self._strikes(side, combat_round)] + [RECORD]
        start = self.fields.pack(frenzied=self.section.fighter.frenzy + 2 * self.section.enemy.frenzy)
        return Chain(start, tuple(phases), self.fields.size, story=Story(self._read, "Round"))

    def _read(self, state: int) -> dict[str, Any]:
        mode, labels = int(self.fields.get("mode", state)), dict[str, Any]()
        for side, name in enumerate(SIDE_NAMES):
            labels |= {f"{name} afraid": mode < NO_COMBAT and mode >> side & 1 == 1}
            labels |= {f"{name} frenzied": bool(self._is_frenzied(state, side))}
            labels |= {f"hits of the {name}": int(self.fields.get(HITS[side], state))}
        return labels | {"the charge": "fails" if mode == NO_COMBAT else "made"}

    def answer(self, recorded: Recorded) -> Tables:
        """Return `combat` (by round), `hits` (joint distribution), and the distribution of the hits of each side."""
        states, weights = np.arange(self.fields.size), recorded.dense_weights(self.fields.size)
        mode, landed = self.fields.get("mode", states), [self.fields.get(name, states) for name in HITS]
        has_combat, rounds = mode != NO_COMBAT, turn_key(weights, "round")
        probabilities = {"p_combat": weights @ has_combat}
        for side, name in enumerate(SIDE_NAMES):
            if self.tests[side]:
                probabilities[f"p_{name}_needs_sixes"] = weights @ (has_combat & (mode >> side & 1 == 1))
        for side, name in enumerate(SIDE_NAMES):
            if self.sides[side].frenzy:
                probabilities[f"p_{name}_frenzied"] = weights @ (has_combat & self._is_frenzied(states, side))
        means = {f"mean_{name}": Sums.of(weights, landed[side]) for side, name in enumerate(HITS)}
        joint = weights.reshape(self.section.rounds, -1, self._hits**2).sum(axis=1)
        both: Keys = dict(zip(HITS, zip(*product(range(self._hits), repeat=2))))
        tables = {
            "combat": Table(rounds, probabilities, means),
            "hits": Table.distribution(rounds, both, joint, joint > 0),
        }
        for side, name in enumerate(SIDE_NAMES):
            tables[f"hits_of_{name}"] = tally(rounds, "hits", weights, landed[side], self._most_attacks[side])
        return tables

    def rules(self) -> Rules:
        frenzied = any(side.frenzy for side in self.sides)
        rerolls_misses = [mordheim.rerolls_misses(side, side.frenzy, 0, self.question.ruleset) for side in self.sides]
        warnings: dict[str, Any] = {}
        for name, side, is_tested, rerolls in zip(SIDE_NAMES, self.sides, self.tests, rerolls_misses):
            where = f"combat.{name}:"
            warnings[f"{where} no test of fear, so a leader near has no effect (MD-9)"] = side.leader and not is_tested
            without = self.section.model_copy(update={name: side.model_copy(update={"causes_fear": False})})
            useless = f"{where} causes_fear has no effect: it changes no test of fear (MD-9)"
            warnings[useless] = side.causes_fear and _tests_of(without) == self.tests
            useless = f"{where} hatred has no effect: frenzy cancels it (hatred_while_frenzied)"
            warnings[useless] = side.hatred and not rerolls
        leader_helps = any(
            tested and (side.leader or 0) > side.leadership for side, tested in zip(self.sides, self.tests)
        )
        again = ", and a second one after one has failed (MD-9)" if any(self.tests) else ""
        applied = {
            "MD-7 frenzy doubles Attacks": frenzied,
            "MD-8 hatred re-rolls misses in the first round": any(rerolls_misses),
            "MD-9 fear": any(self.tests),
            mordheim.LEADER_RULE: leader_helps,
        }
        not_modelled = {
            "attacks lost by warriors downed earlier in the round; wounds": True,
            "MD-7 warriors that must charge": frenzied,
            f"charges that fall short{again}": True,
        }
        return Rules(applied, not_modelled, warnings)


def _tests_of(combat: Combat) -> tuple[bool, ...]:
    """Return True for each side that takes a test of fear (MD-9)."""
    sides = (combat.fighter, combat.enemy)
    return tuple(
        combat.charger != "nobody"
        and mordheim.tests_fear(own.causes_fear, other.causes_fear, own.frenzy, own.immune_to_psychology)
        for own, other in (sides, sides[::-1])
    )


PANELS = (
    *warband.PANELS,
    *(Bars(f"hits_of_{name}", f"Hits of the {name} in round 1", "hits", where={"round": 1}) for name in SIDE_NAMES),
    *warriors.PANELS,
)
_SECTIONS = Sections(
    warband=warband.WarbandSection,
    alone=warriors.AloneSection,
    combat=CombatSection,
    stupidity=warriors.StupiditySection,
    together=warriors.TogetherSection,
)
chains, answer = _SECTIONS.chains, _SECTIONS.answer


def rules(question: Question) -> Rules:
    """Return the rules of all sections."""
    used, in_turns = _SECTIONS.rules(question), question.warband or question.alone or question.stupidity
    useless = "turns has no effect: a combat has rounds, and tests together are of one turn"
    return used._replace(warnings={**used.warnings, useless: question.turns is not None and not in_turns})
