"""Answers to the section on warbands, turn by turn: casualties, rout tests, the winner (MD-1 to MD-3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import (
    NO_DIE,
    RECORD,
    Chain,
    Die,
    ExtraDie,
    Phase,
    Recorded,
    Story,
    bernoulli,
    success_die,
)
from analyser.morale.answer_parts import Panel, Section, Table, Tables, Weights, rules_used, stack, turn_key
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Fight, Question, Warband, column_of
from analyser.morale.games.mordheim.rules import DIE_SIDES, LOWEST_SUM, N_SUMS, TWO_DICE
from analyser.morale.questions import certain_pmf
from analyser.results.base import RulesUsed

ROUTED, GAVE_UP, ALL_OUT = range(3)  # the state of a warband that has left is `n_fighting` plus one of these
# `selected` says in which states a step applies: n > 0: n warriors stand, with the leader; 0: the leader is out; or all
ALL_STATES = -1
ENDINGS = {"p_routed": "routed", "p_gave_up": "gave up", "p_all_out": "all out"}  # in order: ROUTED, GAVE_UP, ALL_OUT
PANELS = (
    Panel("curves", "warband", "The warband", shown=("p_fighting", *ENDINGS), by="warband"),
    Panel("curves", "last_left", "The last on the table"),
    Panel("curves", "first_to_leave", "Has won: the first to leave"),
)


@dataclass(frozen=True, eq=False)
class Step:
    """A phase of a warband; with a `rival` (its index), up to `number` of the rival's warriors each roll the `dice`."""

    after: NDArray[np.int64]  # next state, by state and total of the dice
    die: Die = NO_DIE
    dice: NDArray[np.int64] | None = None  # number of dice, by state
    extra_dice: tuple[ExtraDie, ...] = ()
    rival: int = -1
    number: int = 0
    title: str = ""


class Losses(NamedTuple):
    """Dice that put warriors out of action: `dice` for each of `number` enemies, or of fewer if `rival` has fewer."""

    die: Die
    dice: int = 1
    number: int = 1
    rival: int = -1  # index of the enemies' warband; -1 if it is not in the game
    title: str = "Casualties"

    @property
    def most(self) -> int:
        """Largest possible number of casualties."""
        return self.die.highest * self.dice * self.number


class WarbandStates:
    """States (integers) and steps of a warband.

    A state is ``leader out of action (0 or 1) * took_part + others out of action``, or, after leaving, one of 3 more.
    """

    def __init__(self, warband: Warband, question: Question) -> None:
        self.warband, self._question = warband, question
        self._index_of = {rival.name: index for index, rival in enumerate(question.warbands)}
        self.took_part = warband.took_part
        self.gives_up_at = warband.gives_up_at or self.took_part + 1  # default: never
        self.n_fighting = 2 * self.took_part
        self.n_states = self.n_fighting + len(ENDINGS)
        self.all_states = np.arange(self.n_states)
        ranks = [group.leadership for group in warband.others for _ in range(group.number)]
        ranks.sort(reverse=warband.others_fall == "strongest_first")
        # best Leadership of the standing others, by the number of others out of action
        self._best_other = np.array([max(ranks[out:], default=mordheim.NO_WARRIOR) for out in range(self.took_part)])
        self._cached_casualties = cache(self._casualties)

    def n_out(self, states: Any) -> Any:
        """Return the number of warriors out of action in a fighting warband."""
        return states // self.took_part + states % self.took_part

    def casualty_steps(self, turn: int) -> Iterator[Step]:
        """Yield the steps with casualties before the test of a turn, or at the start (turn 0)."""
        most = sum(losses.most for past in range(turn) for losses in self.losses(past))
        for losses in self.losses(turn):  # fewest standing first, so that no state has these losses twice
            standing = range(max(self.took_part - most, 1), self.took_part + 1)
            for selected in (0, *standing) if self.warband.leader_falls == "random" else (ALL_STATES,):
                yield self._cached_casualties(losses, selected)
            most += losses.most

    def losses(self, turn: int) -> Iterator[Losses]:
        """Yield the losses before the rout test of a turn, or at the start (turn 0)."""
        pmf = self._question.casualties_of(self.warband)[turn - 1] if turn else certain_pmf(self.warband.out)
        if len(pmf) > 1:
            most = min(len(pmf) - 1, self.took_part)
            yield Losses(Die((*pmf[:most], sum(pmf[most:]))))
        for fight in self.warband.casualties_from if turn else ():
            if not fight.turns or turn in fight.turns:
                yield self._strike_losses(fight, turn)

    def _strike_losses(self, fight: Fight, turn: int) -> Losses:
        """Return the losses in a fight: hits that wound, are unsaved and take a warrior out of action (MD-7, MD-8)."""
        keys, ruleset = ("to_hit", "to_wound", "save", "out_of_action"), self._question.ruleset
        to_hit, to_wound, save, out_of_action = (getattr(fight, key) or getattr(ruleset, key) for key in keys)
        rerolls = mordheim.rerolls_misses(fight, fight.frenzy, turn - min(fight.turns, default=1), ruleset)
        hits, sides = mordheim.hits_of_sides(to_hit, bool(rerolls))
        successes = hits * (DIE_SIDES + 1 - to_wound) * (save - 1) * (DIE_SIDES + 1 - out_of_action)
        rival = -1 if fight.of is None else self._index_of[fight.of]
        die = success_die(successes, sides * DIE_SIDES**3, ("no casualty", "a casualty"))
        return Losses(die, mordheim.attacks_of(fight, fight.frenzy), fight.number, rival, "Blows (MD-7, MD-8)")

    def _casualties(self, losses: Losses, selected: int) -> Step:
        """Return the step with the casualties in the selected states (see `ALL_STATES`)."""
        states, numbers, falls = self.all_states[:, np.newaxis], losses.most + 1, self.warband.leader_falls
        totals = np.arange(numbers * (max(selected, 1) if falls == "random" else 1))
        casualties, draw = totals % numbers, totals // numbers
        leader_out, others_out = np.divmod(states, self.took_part)
        others = self.took_part - 1 - others_out
        standing = np.where(leader_out == 1, 0, others + 1)
        is_selected = (states < self.n_fighting) & ((selected == ALL_STATES) | (standing == selected))
        is_next = (falls == "first") | ((falls == "last") & (casualties > others))
        is_next = is_next | ((falls == "random") & (draw < casualties))
        leader_falls = (leader_out == 0) & (casualties > 0) & is_next
        others_out = others_out + np.minimum(casualties - leader_falls, others)
        after = np.where(is_selected, (leader_out + leader_falls) * self.took_part + others_out, states)
        dice = is_selected[:, 0] * losses.dice * (losses.number if losses.rival < 0 else 1)
        lots = Die((1,) * selected, selected, tuple(f"leader's lot {lot}" for lot in range(1, selected + 1)))
        lot_die = (ExtraDie(lots, numbers),) if falls == "random" and selected > 0 else ()
        return Step(after, losses.die, dice, lot_die, losses.rival, losses.number, losses.title)

    @cached_property
    def rout_test(self) -> Step:
        """Step at the start of a player's turn: giving up (MD-2), or the rout test (MD-1)."""
        stuns = bernoulli(self.warband.leader_stunned, ("leader not stunned", "leader stunned"))
        stunned = (ExtraDie(stuns, N_SUMS),) if self.warband.leader_stunned else ()
        states, totals = self.all_states[:, np.newaxis], np.arange(N_SUMS * (1 + len(stunned)))
        roll, out = totals % N_SUMS + LOWEST_SUM, self.n_out(states)
        leader_lost = (states >= self.took_part) | (totals >= N_SUMS)
        best_other = self._best_other[states % self.took_part]
        leadership = mordheim.rout_leadership(self.warband.leader, leader_lost, best_other)
        ends = [
            (states >= self.n_fighting, states),
            (out == self.took_part, self.n_fighting + ALL_OUT),
            (~mordheim.is_rout_test_due(out, self.took_part), states),
            (out >= self.gives_up_at, self.n_fighting + GAVE_UP),
            (mordheim.passes(roll, leadership), states),
        ]
        conditions, values = zip(*ends)
        after = np.select(conditions, values, self.n_fighting + ROUTED)
        return Step(after, extra_dice=(ExtraDie(TWO_DICE, 1), *stunned), title="Rout test (MD-1, MD-2)")


class GameFields(NamedTuple):
    """Fields of states of the game, as arrays with an entry for each state."""

    by_warband: list[NDArray[np.int64]]  # for each warband, its state as in WarbandStates
    is_fighting: NDArray[np.bool_]  # a row for each warband
    over: NDArray[np.bool_]  # True if the game has ended (MD-3)


class WarbandSection(Section[Warband]):
    """A game of warbands in order of play; a state packs the states of all warbands, the first in the lowest digit."""

    question: Question

    def _prepare(self) -> None:
        self.first_to_leave = self.question.winner == "first_to_leave"
        self.bands = [WarbandStates(warband, self.question) for warband in self.question.warbands]
        sizes = [band.n_states for band in self.bands]
        self._multipliers = [math.prod(sizes[:number]) for number in range(len(sizes) + 1)]
        self._phase = cache(self._phase_of_step)

    def fields_of(self, states: NDArray[np.int64]) -> GameFields:
        """Return the fields of states."""
        by_warband = [states // multiplier % band.n_states for multiplier, band in zip(self._multipliers, self.bands)]
        is_fighting = np.array([own < band.n_fighting for own, band in zip(by_warband, self.bands)])
        over = np.zeros(len(states), bool)  # a single warband plays on
        if len(self.bands) > 1:
            over = is_fighting.sum(axis=0) <= 1
            if self.first_to_leave:
                over |= self._gone(by_warband).any(axis=0)
        return GameFields(by_warband, is_fighting, over)

    def _gone(self, by_warband: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
        fates = [own - band.n_fighting for own, band in zip(by_warband, self.bands)]
        return np.array([(fate == ROUTED) | (fate == GAVE_UP) for fate in fates])

    def _phase_of_step(self, index: int, step: Step, has_begun: bool = True) -> Phase:
        """Return the phase for a step of a warband; in a game that `has_begun`, it has no effect once that is over."""

        def change(states: NDArray[np.int64], _: Any) -> NDArray[np.int64]:
            fields = self.fields_of(states[:, 0])
            own = fields.by_warband[index]
            after = states + (step.after[own] - own[:, np.newaxis]) * self._multipliers[index]
            return np.where((fields.over & has_begun)[:, np.newaxis], states, after)

        title = f"{self.question.warbands[index].name}: {step.title}"
        if step.dice is None:
            return Phase(change, step.die, 0, step.extra_dice, title=title)
        own_dice, number = step.dice, step.number if step.rival >= 0 else 1

        def dice(states: NDArray[np.int64]) -> Any:
            fields = self.fields_of(states)
            dice_each = own_dice[fields.by_warband[index]]
            if step.rival < 0:
                return dice_each
            rival = self.bands[step.rival]
            standing = rival.took_part - rival.n_out(fields.by_warband[step.rival])
            return dice_each * np.where(fields.is_fighting[step.rival], np.minimum(standing, number), 0)

        return Phase(change, step.die, dice, step.extra_dice, int(own_dice.max()) * number, title)

    def chain(self) -> Chain:
        """Return the chain of the game; it records the state before each test, and at the end of each turn."""
        phases: list[Phase] = []
        start = 0  # before any losses; ALL_OUT for a warband that begins with all warriors out of action
        for index, band in enumerate(self.bands):
            phases += [self._phase(index, step, False) for step in band.casualty_steps(0)]
            if band.warband.out == band.took_part and band.warband.leader_falls != "never":
                start += self._multipliers[index] * (band.n_fighting + ALL_OUT)
        for turn in range(1, self.question.turns_played + 1):
            for index, band in enumerate(self.bands):
                phases += [self._phase(index, step) for step in band.casualty_steps(turn)]
                phases += [RECORD, self._phase(index, band.rout_test)]
            phases.append(RECORD)
        warriors = ", ".join(str(band.took_part) for band in self.bands)
        warbands = f"{len(self.bands)} warbands" if self.question.rivals else "a warband"
        what = f"{warbands} of {warriors} warriors"
        story = Story(self._read, "Turn", len(self.bands) + 1)
        return Chain(start, tuple(phases), self._multipliers[-1], what, "fewer warbands or warriors", story)

    def _read(self, state: int) -> dict[str, Any]:
        fields, labels = self.fields_of(np.array([state])), dict[str, Any]()
        for band, (own,) in zip(self.bands, fields.by_warband):
            name = band.warband.name
            if own >= band.n_fighting:
                labels[name] = [*ENDINGS.values()][own - band.n_fighting]
                continue
            labels |= {name: "fights", f"{name}: out of action": int(band.n_out(own))}
            labels[f"{name}: leader out of action"] = bool(own >= band.took_part)
        return labels | ({"the game is over (MD-3)": bool(fields.over[0])} if len(self.bands) > 1 else {})

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `warband` (by turn), and `last_left` or `first_to_leave` (winner)."""
        states, weights = recorded
        fields, names = self.fields_of(states), [warband.name for warband in self.question.warbands]
        by_name = {name: self._by_turn(index, fields, weights) for index, name in enumerate(names)}
        tables = {"warband": stack("warband", by_name)}
        if self.question.rivals:
            table = "first_to_leave" if self.first_to_leave else "last_left"
            tables[table] = self._winner([f"p_{column_of(name)}" for name in names], fields, weights)
        return tables

    def _by_turn(self, index: int, fields: GameFields, weights: Weights) -> Table:
        """Return the probabilities of a warband's states at the end of each turn, and of a test in the turn (MD-1)."""
        band, own, is_fighting = self.bands[index], fields.by_warband[index], fields.is_fighting[index]
        recorded = len(self.bands) + 1
        before, ends = weights[index::recorded], weights[recorded - 1 :: recorded]
        out = band.n_out(own)
        due = is_fighting & mordheim.is_rout_test_due(out, band.took_part)
        tests = due & ~fields.over & (out < min(band.gives_up_at, band.took_part))
        left = {name: ends[:, own == band.n_fighting + fate].sum(axis=1) for fate, name in enumerate(ENDINGS)}
        never_began = before[0, due & fields.over].sum()  # the game was over before the warband's first turn
        probabilities = {
            "p_fighting": ends[:, is_fighting].sum(axis=1),
            **left,
            "p_tests": before[:, tests].sum(axis=1),
            "p_fighting_without_leader": ends[:, is_fighting & (own >= band.took_part)].sum(axis=1),
            # has left, or would be allowed to give up
            "p_may_have_given_up": ends[:, ~is_fighting | due].sum(axis=1) - never_began,
        }
        return Table(turn_key(ends), probabilities)

    def _winner(self, columns: list[str], fields: GameFields, weights: Weights) -> Table:
        """Return the probability of each winner by turn: the last on the table or the first to leave (MD-3)."""
        ends = weights[len(self.bands) :: len(self.bands) + 1]
        gone = self._gone(fields.by_warband)
        wins = gone if self.first_to_leave else np.zeros_like(gone)
        wins = np.where(wins.any(axis=0), wins, fields.is_fighting) & fields.over
        no_winner = "p_nobody_yet" if self.first_to_leave else "p_several_left"
        won = {column: ends[:, own].sum(axis=1) for column, own in zip(columns, wins)}
        return Table(turn_key(ends), {no_winner: ends[:, ~fields.over].sum(axis=1)} | won)

    def _most_out(self, band: WarbandStates) -> int:
        """Return the largest possible number of a warband's warriors out of action."""
        turns = range(self.question.turns_played + 1)
        most = sum(losses.most for turn in turns for losses in band.losses(turn))
        return min(most, band.took_part - (band.warband.leader_falls == "never"))

    def rules(self) -> RulesUsed:
        most_out = [(self._most_out(band), band.took_part) for band in self.bands]
        fights = [fight for warband in self.question.warbands for fight in warband.casualties_from]
        ruleset, hating = self.question.ruleset, [fight for fight in fights if fight.hatred]
        rerolls = [mordheim.rerolls_misses(fight, fight.frenzy, 0, ruleset) for fight in hating]
        a_quarter = any(mordheim.is_rout_test_due(most, took_part) for most, took_part in most_out)
        with_survivors = [(min(most, took_part - 1), took_part) for most, took_part in most_out]
        tested = any(mordheim.is_rout_test_due(out, took_part) for out, took_part in with_survivors)
        outlived = self.question.rivals and a_quarter
        ends = "one has left" if self.first_to_leave else "only one is left"
        applied = {
            "MD-1 rout tests once a quarter is out of action, on the Leadership of the leader or best other": tested,
            "MD-2 giving up once a quarter is out of action": a_quarter,
            "MD-7 in fights: frenzy doubles Attacks": any(fight.frenzy for fight in fights),
            "MD-8 in fights: hatred re-rolls misses in the first turn of a fight": any(rerolls),
            f"MD-3 a routed warband leaves and the others play on until {ends}; then losses and tests end": outlived,
        }
        not_modelled = {
            "warriors that return, or run off the table, during the game": True,
            "MD-1 stunned warriors other than the leader: their Leadership may not be used": True,
            "in fights: warriors knocked down or stunned, several wounds, order of strikes, fear": fights,
            "fights: casualties are as stated (casualties_from derives them from attacks)": not fights,
        }
        never = "no rout test is ever due: no warband can have a quarter out of action (MD-1)"
        return rules_used(applied, not_modelled, {never: not a_quarter})
