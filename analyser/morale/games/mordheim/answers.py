"""Answers to the sections `alone`, `combat`, `stupidity` and `together` of Mordheim (MD-1, MD-4 to MD-10)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from analyser.engine.chain.chain import (
    RECORD,
    Chain,
    Die,
    ExtraDie,
    Fields,
    Phase,
    Recorded,
    Story,
    bernoulli,
    success_die,
)
from analyser.morale.answer_parts import Panel, Section, Sections, Sums, Table, Tables, rules_used, tally, turn_key
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim import warband
from analyser.morale.games.mordheim.question import LEADERSHIPS, Alone, Combat, Stupidity, Together
from analyser.morale.games.mordheim.rules import DIE_SIDES, LOWEST_SUM, N_SUMS, TWO_DICE
from analyser.morale.questions import exact_fraction
from analyser.results.base import RulesUsed

SIDE_NAMES = ("fighter", "enemy")
HITS = ("fighter_hits", "enemy_hits")
NO_COMBAT = 4  # mode of a combat whose charge failed; in modes 0 to 3, bit 0: fighter afraid, bit 1: enemy afraid
HOLDS, RALLIED, LEFT, DOWN, BREAKS, FLEES = range(6)  # states of a warrior alone; in flight: FLEES + inches to the edge
ACTIONS = ("sensible", "walks", "idle", "no blows")  # actions of a stupid warrior in a turn
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(len(ACTIONS))
LEADER_STATES = ("standing", "out of action", "stunned", "knocked down", "fleeing")
STANDING, OUT, STUNNED = range(3)


class AloneSection(Section[Alone]):
    """A warrior alone; its state in flight is ``FLEES + inches to the edge``, rounded up (FLEES if the edge is far)."""

    def _prepare(self) -> None:
        section, edge = self.section, exact_fraction(self.section.edge or 0.0)
        inches = math.ceil(edge)
        self.size = FLEES + 1 + inches
        self.fraction = inches - edge  # runs are whole inches, so this fraction never changes
        self.after_first_run = LEFT if section.edge == 0 else FLEES + inches
        self.is_tested = section.opponents >= 2 and not section.friends_near  # (MD-5)
        # True if the warrior may still be in flight after its first run
        self.can_flee = self.is_tested and section.leadership < LEADERSHIPS[-1] and self.after_first_run != LEFT

    def _after_test_roll(self, states: Any, roll: Any) -> Any:
        fails = self.is_tested & ~mordheim.passes(roll + LOWEST_SUM, self.section.leadership)
        return np.where((states == HOLDS) & fails, BREAKS, states)

    def _after_hits(self, states: Any, wounds: Any) -> Any:
        ends = np.where(wounds >= self.section.wounds, DOWN, self.after_first_run)
        return np.where(states == BREAKS, ends, states)

    def _after_run(self, states: Any, roll: Any) -> Any:
        inches, run = states - FLEES, roll + LOWEST_SUM
        return np.where(states == FLEES, states, np.where(run < inches, states - run, LEFT))

    def _after_charge(self, states: Any, totals: Any) -> Any:
        return np.where((states >= FLEES) & (totals >= N_SUMS), self._after_run(states, totals % N_SUMS), states)

    def _after_rally(self, states: Any, totals: Any) -> Any:
        leadership = max(self.section.leadership, self.section.rally_leader or 0)  # (MD-4)
        passes = mordheim.passes(totals % N_SUMS + LOWEST_SUM, leadership)
        run = self._after_run(states, totals // N_SUMS)
        return np.where(states >= FLEES, np.where(passes, RALLIED, run), states)

    def chain(self) -> Chain:
        """Return the chain: a combat phase, then turns with charge, rally and combat phase (MD-5, MD-6)."""
        alone, two_dice, most = self.section, (ExtraDie(TWO_DICE, 1),), self.section.opponents
        to_wound, save = (getattr(alone, key) or getattr(self.question.ruleset, key) for key in ("to_wound", "save"))
        unsaved = success_die((DIE_SIDES + 1 - to_wound) * (save - 1), DIE_SIDES**2, ("no wound", "wound"))
        title = f"A hit from each opponent, wounds at {to_wound} or more, saves at {save} or more; first run (MD-5)"
        combat = [
            Phase(self._after_test_roll, extra_dice=two_dice, title="All alone: Leadership test (MD-5)"),
            Phase(self._after_hits, unsaved, lambda states: most * (states == BREAKS), most_dice=most, title=title),
        ]
        charged = bernoulli(alone.charged, ("no charge", "a charge"))
        charge_dice = *two_dice, ExtraDie(charged, N_SUMS)
        charge = Phase(self._after_charge, extra_dice=charge_dice, title="Charged: a run (MD-6)")
        rally = Phase(
            self._after_rally, extra_dice=(*two_dice, ExtraDie(TWO_DICE, N_SUMS)), title="Rally test, and a run (MD-6)"
        )
        turn = [*([charge] if alone.charged else []), rally, *combat, RECORD]
        phases = [*combat, RECORD, *turn * self.question.turns_played]
        return Chain(HOLDS, tuple(phases), self.size, story=Story(self._read, "Turn", first=0))

    def _read(self, state: int) -> dict[str, Any]:
        names = {HOLDS: "holds", RALLIED: "rallied", LEFT: "off the table", DOWN: "down"}
        inches = {"inches to the edge": float(state - FLEES - self.fraction)} if state > FLEES else {}
        return {"the warrior": names.get(state, "flees"), **inches}

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `alone` (by turn, from turn 0) and `distance` (inches to the edge)."""
        weights, turns = recorded.dense_weights(self.size), {"turn": range(self.question.turns_played + 1)}
        state_of = {"p_holds": HOLDS, "p_rallied": RALLIED, "p_left_table": LEFT, "p_down": DOWN}
        flees = weights[:, FLEES:].sum(axis=1)
        broke = weights[:, [RALLIED, LEFT, DOWN]].sum(axis=1) + flees
        probabilities = {"p_broke": broke, "p_flees": flees} | {
            name: weights[:, state] for name, state in state_of.items()
        }
        tables = {"alone": Table(turns, probabilities)}
        at_distance = weights[:, FLEES + 1 :]
        if at_distance.any():
            to_edge = {"inches_to_edge": [float(inches - self.fraction) for inches in range(1, self.size - FLEES)]}
            tables["distance"] = Table.distribution(turns, to_edge, at_distance, at_distance > 0)
        return tables

    def rules(self) -> RulesUsed:
        tested, flees = self.is_tested, self.can_flee
        leader_helps = flees and (self.section.rally_leader or 0) > self.section.leadership
        charged = "; a charged warrior runs once more before it can be struck" if self.section.charged else ""
        applied = {
            "MD-5 all alone: a test after every combat phase; if failed, a hit from each opponent and a run": tested,
            f"MD-6 rally, flight, the edge{charged}": flees,
            mordheim.LEADER_RULE: leader_helps,
        }
        not_modelled = {
            "MD-5 attacks on the warrior before the test, injuries; being all alone again where a run ends": tested,
            "MD-6 the route around enemies, effects of a charger on a fleeing warrior, spells after a rally": flees,
        }
        far = "alone: no edge is stated, so the edge is far and the warrior never reaches it"
        warnings = {
            "no test: a warrior is all alone only with two or more opponents and no friend near (MD-5)": not tested,
            far: tested and self.section.edge is None,
        }
        return rules_used(applied, not_modelled, warnings)


class StupiditySection(Section[Stupidity]):
    """A stupid warrior; a state is ``turns lost * 4 + action`` (an index of ACTIONS)."""

    def chain(self) -> Chain:
        """Return the chain of all turns; it records the state after each turn."""
        turns, stupidity = self.question.turns_played, self.section
        leadership = max(stupidity.leadership, stupidity.leader or 0)  # (MD-4)

        def after_test(states: Any, totals: Any) -> Any:
            wanders = np.where(totals // N_SUMS <= 3, WALKS, IDLE)  # walks straight ahead on 1 to 3 (MD-10)
            stupid = np.where(stupidity.in_combat, NO_BLOWS, wanders)
            action = np.where(mordheim.passes(totals % N_SUMS + LOWEST_SUM, leadership), SENSIBLE, stupid)
            return np.minimum(states // len(ACTIONS) + (action != SENSIBLE), turns) * len(ACTIONS) + action

        dice = ExtraDie(TWO_DICE, 1), ExtraDie(mordheim.D6, N_SUMS)
        turn = Phase(after_test, extra_dice=dice, title="Stupidity: Leadership test, and where it wanders (MD-10)")

        def read(state: int) -> dict[str, Any]:
            return {"turns lost": state // len(ACTIONS), "the warrior": ACTIONS[state % len(ACTIONS)]}

        return Chain(0, (turn, RECORD) * turns, (turns + 1) * len(ACTIONS), story=Story(read, "Turn"))

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `stupidity` (actions by turn) and `turns_lost` (distribution of lost turns)."""
        weights = recorded.dense_weights((self.question.turns_played + 1) * len(ACTIONS))
        by_turn = weights.reshape(len(weights), -1, len(ACTIONS))
        names = [f"p_{action.replace(' ', '_')}" for action in ACTIONS]
        probabilities = {name: by_turn[:, :, action].sum(axis=1) for action, name in enumerate(names)}
        by_lost, turns = by_turn.sum(axis=2), np.arange(1, len(weights) + 1)
        lost = Sums.of(by_lost, np.arange(by_lost.shape[1]))
        share = Sums(lost.total / turns, lost.total_of_squares / turns**2, ends=(0.0, 1.0))
        return {
            "stupidity": Table(turn_key(weights), probabilities, {"mean_share_of_turns_lost": share}),
            "turns_lost": Table({"turns_lost": range(len(by_lost) + 1)}, {"probability": by_lost[-1]}),
        }

    def rules(self) -> RulesUsed:
        where = "" if self.section.in_combat else "; half speed, falls, obstacles and the stop before contact"
        leader_helps = (self.section.leader or 0) > self.section.leadership
        applied = {"MD-10 stupidity": True, mordheim.LEADER_RULE: leader_helps}
        return rules_used(applied, {f"MD-10 spells and shooting that are lost{where}": True})


class TogetherSection(Section[Together]):
    """Several tests in a turn; a state is ``5 * bits of failed tests + state of the leader``."""

    def _prepare(self) -> None:
        self.rout_tests = int(self.section.rout_test)
        self.tests = ["rout test"] * self.rout_tests + [warrior.name for warrior in self.section.warriors]

    def _leadership(self, test: int, leader: Any) -> Any:
        if test < self.rout_tests:
            other = self.section.best_other or mordheim.NO_WARRIOR
            return mordheim.rout_leadership(self.section.leader, np.isin(leader, (OUT, STUNNED)), other)
        warrior = self.section.warriors[test - self.rout_tests]
        best = max(warrior.leadership, self.section.leader)
        return np.where(warrior.near_leader & (leader == STANDING), best, warrior.leadership)  # (MD-4)

    def _after_test_roll(self, test: int, states: Any, rolls: Any) -> Any:
        leader, failed = states % 5, states // 5
        is_skipped = (test > 0) & (failed & self.rout_tests == 1)  # no warrior tests after a failed rout test
        passed = is_skipped | mordheim.passes(rolls + LOWEST_SUM, self._leadership(test, leader))
        return np.where(passed, states, (failed | 1 << test) * 5 + leader)

    def chain(self) -> Chain:
        """Return the chain: the state of the leader is drawn, then all tests are taken."""
        lost = (self.section.p_out, self.section.p_stunned, self.section.p_knocked_down, self.section.p_fleeing)
        leader = ExtraDie(Die((max(1 - sum(lost), 0.0), *lost), words=LEADER_STATES), 1)
        draw = Phase(
            lambda states, drawn: np.where(states == 0, drawn, states), extra_dice=(leader,), title="The leader"
        )
        titles = ["Rout test (MD-1)"] * self.rout_tests
        titles += [f"Leadership test of {warrior.name} (MD-4)" for warrior in self.section.warriors]
        tests = (
            Phase(partial(self._after_test_roll, test), extra_dice=(ExtraDie(TWO_DICE, 1),), title=title)
            for test, title in enumerate(titles)
        )
        return Chain(0, (draw, *tests, RECORD), 5 << len(self.tests), story=Story(self._read))

    def _read(self, state: int) -> dict[str, Any]:
        failed = {f"{name} failed": state // 5 >> test & 1 == 1 for test, name in enumerate(self.tests)}
        return {"the leader": LEADER_STATES[state % 5], **failed}

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `together` (joint distribution), `tests` (each test) and `several` (number failed)."""
        states, (weights,) = recorded
        failed, leader = states // 5, states % 5
        first, count = self.rout_tests, len(self.section.warriors)
        routed = (failed & first) == 1
        number = np.array([int(bits).bit_count() for bits in failed >> first])
        rout_tests, numbers = ("passed", "failed") if first else ("not due",), range(count + 1)
        names = ("leader", "rout_test", "tests_failed")
        keys = dict(zip(names, zip(*product(LEADER_STATES, rout_tests, numbers))))
        groups = (leader * len(rout_tests) + routed) * len(numbers) + number
        joint = recorded.grouped(groups, len(LEADER_STATES) * len(rout_tests) * len(numbers))
        test_columns = {
            "p_tests": np.array([weights.sum()] * first + [weights[~routed].sum()] * count),
            "p_failed": np.array([weights[failed >> bit & 1 == 1].sum() for bit in range(len(self.tests))]),
        }
        by_number = {
            "none fails": weights[~routed & (number == 0)].sum(),
            "one fails": weights[number == 1].sum(),
            "two or more fail": weights[number >= 2].sum(),
            "no warrior tests: routed": weights[routed].sum(),
        }
        return {
            "together": Table.distribution({}, keys, joint, joint > 0),
            "tests": Table({"test": self.tests}, test_columns),
            "several": Table({"warriors": [*by_number]}, {"probability": np.array([*by_number.values()])}),
        }

    def rules(self) -> RulesUsed:
        together = self.section
        rule = "MD-1 a rout test with the leader's Leadership, or the best other one if it is out of action or stunned"
        near = any(warrior.near_leader and together.leader > warrior.leadership for warrior in together.warriors)
        applied = {rule: together.rout_test, mordheim.LEADER_RULE: near}
        return rules_used(applied, {"effects of failed tests": True})


class CombatSection(Section[Combat]):
    """A combat; its state has the mode (see NO_COMBAT), a bit for each side (1 if frenzied), and each side's hits."""

    def _prepare(self) -> None:
        self.sides = sides = self.section.fighter, self.section.enemy
        # a side tests in a charge if its opponent causes fear and it is not exempt (MD-9)
        self.tests = [
            self.section.charger != "nobody"
            and other.causes_fear
            and not (own.causes_fear or own.frenzy or own.immune_to_psychology)
            for own, other in (sides, sides[::-1])
        ]
        self._most_attacks = [mordheim.attacks_of(side, side.frenzy) for side in self.sides]
        self._hits = 1 + max(self._most_attacks)
        self.fields = Fields({"mode": NO_COMBAT + 1, "frenzied": 4, **dict.fromkeys(HITS, self._hits)})

    def _is_frenzied(self, states: Any, side: int) -> Any:
        return self.fields.get("frenzied", states) >> side & 1 == 1

    def _after_fear(self, states: Any, rolls: Any) -> Any:
        """Return the states after tests of fear: a side that fails does not charge, or is afraid if charged (MD-9)."""
        fails = [
            is_tested & ~mordheim.passes(roll + LOWEST_SUM, max(side.leadership, side.leader or 0))  # (MD-4)
            for side, is_tested, roll in zip(self.sides, self.tests, (rolls % N_SUMS, rolls // N_SUMS))
        ]
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
        both = dict(zip(HITS, zip(*product(range(self._hits), repeat=2))))
        tables = {
            "combat": Table(rounds, probabilities, means),
            "hits": Table.distribution(rounds, both, joint, joint > 0),
        }
        for side, name in enumerate(SIDE_NAMES):
            tables[f"hits_of_{name}"] = tally(rounds, "hits", weights, landed[side], self._most_attacks[side])
        return tables

    def rules(self) -> RulesUsed:
        frenzied = any(side.frenzy for side in self.sides)
        rerolls_misses = [mordheim.rerolls_misses(side, side.frenzy, 0, self.question.ruleset) for side in self.sides]
        tested = [side for side, is_tested in zip(self.sides, self.tests) if is_tested]
        leader_helps = any((side.leader or 0) > side.leadership for side in tested)
        again = ", and a second charge after a failed one (MD-9)" if any(self.tests) else ""
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
        return rules_used(applied, not_modelled)


MAIN_EVENTS = ("routed", "gave_up", "broke")
PANELS = (
    *warband.PANELS,
    *(
        Panel("bars", f"hits_of_{name}", f"Hits of the {name} in round 1", "hits", where={"round": 1})
        for name in SIDE_NAMES
    ),
    Panel("curves", "alone", "All alone: break and flight", shown=("p_flees", "p_left_table", "p_rallied")),
    Panel("bars", "turns_lost", "Turns lost to stupidity", "turns_lost"),
    Panel("bars", "tests", "Failed tests", "test", "p_failed"),
)
_SECTIONS = Sections(
    warband=warband.WarbandSection,
    alone=AloneSection,
    combat=CombatSection,
    stupidity=StupiditySection,
    together=TogetherSection,
)
chains, answer, rules = _SECTIONS.chains, _SECTIONS.answer, _SECTIONS.rules
