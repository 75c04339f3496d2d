"""Warbands turn by turn: casualties, rout tests, leaving the table, the winner (MD-1 to MD-3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import LEADERSHIPS, Fight, Question, Warband, column_of
from analyser.morale.games.mordheim.rules import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.questions import certainly
from analyser.morale.result_tables import Answer, Curves, Rules, Section, Table, Weights, stack, turns_of

ROUTED, GAVE_UP, ALL_OUT = range(3)  # states after those of a warband that fights
EVERYBODY = -1  # a phase concerns all states; else those with this many standing, or 0: without a leader
PLAYED = "warbands"
ENDS = {"p_routed": "routed", "p_gave_up": "gave up", "p_all_out": "all out"}  # order of the states
LEADER_FATES: dict[str, dict[str, Any]] = {
    "as asked": {},
    "never lost": {"leader_falls": "never"},
    "never lost nor stunned": {"leader_falls": "never", "leader_stunned": 0.0},
    "lost first": {"leader_falls": "first"},
}


@dataclass(frozen=True, eq=False)
class Step:
    """A phase of one warband, not yet combined with the other warbands.

    `after` and `dice` have an entry for each of `Roster.all_states`: shapes (states, totals) and (states,). If warriors
    of the warband `of` roll, at most `number`, `dice` is the number of dice of each.
    """

    after: NDArray[np.int64]
    die: Die = NO_DIE
    dice: NDArray[np.int64] | None = None
    extra_dice: tuple[ExtraDie, ...] = ()
    of: int = -1
    number: int = 0
    title: str = ""


class Losses(NamedTuple):
    """Dice that take warriors out of action: `dice` for each of `number` enemies.

    The value of a die is the number taken out. The enemies belong to the warband `of`, and at most those standing
    strike; -1: no limit.
    """

    die: Die
    dice: int = 1
    number: int = 1
    of: int = -1
    title: str = "Casualties"

    @property
    def least(self) -> int:
        """Smallest possible number of casualties."""
        return 0 if self.of >= 0 else int(self.die.values[0]) * self.dice * self.number

    @property
    def most(self) -> int:
        """Largest possible number of casualties."""
        return self.die.highest * self.dice * self.number


class Roster:
    """A warband as integers, under any leader.

    The state of a fighting warband is ``leader out of action * took_part + others out of action``; its fates follow.
    While warriors other than the leader take the rout test, `states` is added. Phases are cached for all turns and
    leaders.
    """

    def __init__(self, warband: Warband, question: Question) -> None:
        self._question = question
        self._places = {band.name: place for place, band in enumerate(question.warbands)}
        self.took_part = warband.took_part
        self.gives_up_at = warband.gives_up_at or self.took_part + 1  # default: never
        self._groups = sorted(warband.others, key=lambda group: -group.leadership)
        self._steady = bernoulli(1 - warband.others_stunned, ("stunned", "not stunned"))
        self.others_may_be_stunned = warband.others_stunned > 0 and bool(self._groups)
        self.fighting = 2 * self.took_part
        self.states = self.fighting + len(ENDS)
        self.all_states = np.arange(2 * self.states)
        # number standing in each group of others, best first, by the number of others out of action
        self._standing, left = np.zeros((len(self._groups), self.took_part), np.int64), np.arange(self.took_part)
        for place in range(len(self._groups))[:: -1 if warband.others_fall == "weakest_first" else 1]:
            self._standing[place] = np.maximum(self._groups[place].number - left, 0)
            left = np.maximum(left - self._groups[place].number, 0)
        self.tests, self._part_of = cache(self._tests), cache(self._casualties)

    def out(self, states: Any) -> Any:
        """Return the number of warriors out of action in a warband that fights."""
        return states // self.took_part + states % self.took_part

    def fallen(self, warband: Warband, turn: int) -> Iterator[Step]:
        """Yield the casualties before the test of a turn; turn 0: those out of action at the start."""
        falls, before = warband.leader_falls, [losses for past in range(turn) for losses in self.losses(warband, past)]
        if isinstance(falls, int):
            falls = "first" if falls == turn else "last"
        least, most = sum(losses.least for losses in before), sum(losses.most for losses in before)
        for losses in self.losses(warband, turn):  # fewest standing first, so that no state takes its losses twice
            standing = range(max(self.took_part - most, 1), self.took_part - least + 1)
            for whose in (0, *standing) if falls == "random" else (EVERYBODY,):
                yield self._part_of(losses, falls, whose)
            least, most = least + losses.least, most + losses.most
        if turn and warband.leader_falls == turn:
            yield self._leader_falls

    def losses(self, warband: Warband, turn: int) -> Iterator[Losses]:
        """Yield the losses before the rout test of a turn, or at the start (turn 0)."""
        pmf = self._question.casualties_of(warband)[turn - 1] if turn else certainly(warband.out)
        if len(pmf) > 1:
            most = min(len(pmf) - 1, self.took_part)
            yield Losses(Die((*pmf[:most], sum(pmf[most:]))))
        for fight in warband.casualties_from if turn else ():
            if not fight.turns or turn in fight.turns:
                yield self._blows(fight, turn)

    def _blows(self, fight: Fight, turn: int) -> Losses:
        """Return the losses to blows, which must hit, wound, not be saved, and take out of action (MD-7, MD-8)."""
        keys, ruleset = ("to_hit", "to_wound", "save", "out_of_action"), self._question.ruleset
        to_hit, to_wound, save, out = (getattr(fight, key) or getattr(ruleset, key) for key in keys)
        hits, sides = DIE_SIDES + 1 - to_hit, DIE_SIDES
        if mordheim.rerolls_misses(fight, fight.frenzy, turn - min(fight.turns, default=1), ruleset):
            hits, sides = hits * sides + (sides - hits) * hits, sides * sides
        successes = hits * (DIE_SIDES + 1 - to_wound) * (save - 1) * (DIE_SIDES + 1 - out)
        of = -1 if fight.of is None else self._places[fight.of]
        die = success_die(successes, sides * DIE_SIDES**3, ("no casualty", "a casualty"))
        return Losses(die, mordheim.attacks_of(fight, fight.frenzy), fight.number, of, "Blows (MD-7, MD-8)")

    def _casualties(self, losses: Losses, falls: str, whose: int) -> Step:
        """Return the casualties of the states that `whose` selects (see `EVERYBODY`)."""
        states, numbers = self.all_states[:, np.newaxis], losses.most + 1
        totals = np.arange(numbers * (max(whose, 1) if falls == "random" else 1))
        casualties, draw = totals % numbers, totals // numbers
        leader_out, others_out = np.divmod(states, self.took_part)
        others = self.took_part - 1 - others_out
        left = np.where(leader_out == 1, 0, others + 1)
        concerned = (states < self.fighting) & ((whose == EVERYBODY) | (left == whose))
        is_next = (falls == "first") | ((falls == "last") & (casualties > others))
        is_next = is_next | ((falls == "random") & (draw < casualties))
        leader_falls = (leader_out == 0) & (casualties > 0) & is_next
        others_out = others_out + np.minimum(casualties - leader_falls, others)
        after = np.where(concerned, (leader_out + leader_falls) * self.took_part + others_out, states)
        dice = concerned[:, 0] * losses.dice * (losses.number if losses.of < 0 else 1)
        lots = Die((1,) * whose, whose, tuple(f"leader's lot {lot}" for lot in range(1, whose + 1)))
        places = (ExtraDie(lots, numbers),) if falls == "random" and whose > 0 else ()
        return Step(after, losses.die, dice, places, losses.of, losses.number, losses.title)

    @cached_property
    def _leader_falls(self) -> Step:
        """Fall of the leader in its turn, even if there were no casualties."""
        states = self.all_states
        after = (states + np.where(states < self.took_part, self.took_part, 0))[:, np.newaxis]
        return Step(after, title="The leader falls")

    def _tests(self, leader: int, p_stunned: float) -> tuple[Step, ...]:
        """Return the steps at the start of the player's turn: giving up (MD-2), or the rout test (MD-1)."""
        stuns = bernoulli(p_stunned, ("leader not stunned", "leader stunned"))
        stunned, two_dice = (ExtraDie(stuns, ROLLS),) if p_stunned else (), ExtraDie(TWO_DICE, 1)
        after = self._after_test(leader, 1 + len(stunned))
        parts = [Step(after, extra_dice=(two_dice, *stunned), title="Rout test (MD-1, MD-2)")]
        for group, standing in enumerate(self._standing if self.others_may_be_stunned else ()):
            most = int(standing.max())
            dice = np.zeros(len(self.all_states), np.int64)
            dice[self.states : self.states + self.fighting] = np.tile(standing, 2)
            two_dice, title = ExtraDie(TWO_DICE, most + 1), "Rout test on the best other that is not stunned (MD-1)"
            parts.append(Step(self._after_others(group, most), self._steady, dice, (two_dice,), title=title))
        return tuple(parts)

    def _after_test(self, leader: int, leader_states: int) -> NDArray[np.int64]:
        """Return the states after a rout test. A total is the roll minus 2, plus 11 if the leader is stunned."""
        states, totals = self.all_states[:, np.newaxis], np.arange(ROLLS * leader_states)
        roll, out = totals % ROLLS + LOWEST_ROLL, self.out(states)
        # best leadership of the others left, by the number out of action
        best_other = np.full(self.took_part, mordheim.NOBODY)
        for standing, group in zip(self._standing[::-1], self._groups[::-1]):
            best_other[standing > 0] = group.leadership
        leader_lost = (states >= self.took_part) | (totals >= ROLLS)
        leadership = mordheim.rout_leadership(leader, leader_lost, best_other[states % self.took_part])
        ends = [
            (states >= self.fighting, states),
            (out == self.took_part, self.fighting + ALL_OUT),
            (~mordheim.rout_test_due(out, self.took_part), states),
            (out >= self.gives_up_at, self.fighting + GAVE_UP),
            (leader_lost & self.others_may_be_stunned, self.states + states),
            (mordheim.passes(roll, leadership), states),
        ]
        conditions, values = zip(*ends)
        return np.select(conditions, values, self.fighting + ROUTED)

    def _after_others(self, group: int, most: int) -> NDArray[np.int64]:
        """Return the states after a test on one group. If all are stunned, the next group tests; the last one fails.

        A total is the number of unstunned warriors plus ``most + 1`` times the roll minus 2.
        """
        states, totals = self.all_states[:, np.newaxis], np.arange((most + 1) * ROLLS)
        steady, roll = totals % (most + 1), totals // (most + 1) + LOWEST_ROLL
        tested_on = np.where(steady > 0, self._groups[group].leadership, mordheim.NOBODY)
        waits_on = (steady == 0) & (group < len(self._groups) - 1)
        passed = mordheim.passes(roll, tested_on)
        values = [states, states - self.states]
        return np.select([(states < self.states) | waits_on, passed], values, self.fighting + ROUTED)


class Seen(NamedTuple):
    """Fields of states of all warbands; arrays with one entry for each state."""

    of_each: list[NDArray[np.int64]]
    waiting: NDArray[np.int64]  # 1 if a warband's rout test falls to the warriors other than the leader
    fights: NDArray[np.bool_]  # one row for each warband
    over: NDArray[np.bool_]  # True: the game has ended (MD-3)


class Game(Section[Warband]):
    """A game of warbands, in order of play; the state has the first warband as lowest field, `waiting` as highest."""

    question: Question

    def _prepare(self) -> None:
        self.first_to_leave = self.question.winner == "first_to_leave"
        self.rosters = [Roster(warband, self.question) for warband in self.question.warbands]
        sizes = [roster.states for roster in self.rosters]
        self._places = [math.prod(sizes[:number]) for number in range(len(sizes) + 1)]
        self._size = math.prod([1 + max(roster.others_may_be_stunned for roster in self.rosters), *sizes])
        self._phase = cache(self._seen_among_all)

    def seen(self, states: NDArray[np.int64]) -> Seen:
        """Return the fields of states."""
        of_each = [states // place % roster.states for place, roster in zip(self._places, self.rosters)]
        fights = np.array([own < roster.fighting for own, roster in zip(of_each, self.rosters)])
        over = np.zeros(len(states), bool)  # a single warband plays on
        if len(self.rosters) > 1:
            over = fights.sum(axis=0) <= 1
            if self.first_to_leave:
                over |= self._gone(of_each).any(axis=0)
        return Seen(of_each, states // self._places[-1], fights, over)

    def _gone(self, of_each: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Return True for each warband that has routed or given up."""
        fates = [own - roster.fighting for own, roster in zip(of_each, self.rosters)]
        return np.array([(fate == ROUTED) | (fate == GAVE_UP) for fate in fates])

    def _seen_among_all(self, place: int, part: Step, begun: bool = True) -> Phase:
        """Return the phase of all warbands for a step of the one at `place`; none after the game's end (MD-3)."""
        size = self.rosters[place].states
        waits, moved = np.divmod(part.after, size)

        def change(states: NDArray[np.int64], _: Any) -> NDArray[np.int64]:
            seen = self.seen(states[:, 0])
            own = seen.of_each[place] + seen.waiting * size
            after = states + (moved[own] - seen.of_each[place][:, np.newaxis]) * self._places[place]
            after = after + (waits[own] - seen.waiting[:, np.newaxis]) * self._places[-1]
            return np.where((seen.over & begun)[:, np.newaxis], states, after)

        title = f"{self.question.warbands[place].name}: {part.title}"
        if part.dice is None:
            return Phase(change, part.die, 0, part.extra_dice, title=title)
        own_dice, number = part.dice, part.number if part.of >= 0 else 1

        def dice(states: NDArray[np.int64]) -> Any:
            seen = self.seen(states)
            dice_each = own_dice[seen.of_each[place] + seen.waiting * size]
            return dice_each * np.minimum(self._standing(part.of, seen), number) if part.of >= 0 else dice_each

        return Phase(change, part.die, dice, part.extra_dice, int(own_dice.max()) * number, title)

    def _standing(self, place: int, seen: Seen) -> NDArray[np.int64]:
        """Return the number of standing warriors of a warband; 0 if it is gone."""
        roster = self.rosters[place]
        return np.where(seen.fights[place], roster.took_part - roster.out(seen.of_each[place]), 0)

    def _chain_of(self, first: Warband) -> Chain:
        """Return the turns of the game with `first` as its first warband.

        Records the state before each warband's test, and the state at the end of each turn.
        """
        warbands = [*enumerate(zip(self.rosters, (first, *self.question.rivals)))]
        phases: list[Phase] = []
        for place, (roster, warband) in warbands:
            phases += [self._phase(place, part, False) for part in roster.fallen(warband, 0)]
        for turn in range(1, self.question.turns_played + 1):
            for place, (roster, warband) in warbands:
                phases += [self._phase(place, part) for part in roster.fallen(warband, turn)]
                phases.append(RECORD)
                phases += [self._phase(place, part) for part in roster.tests(warband.leader, warband.leader_stunned)]
            phases.append(RECORD)
        start = 0  # before any losses, but ALL_OUT for a warband that begins so
        for place, (roster, warband) in warbands:
            if warband.out == roster.took_part and warband.leader_falls != "never":
                start += self._places[place] * (roster.fighting + ALL_OUT)
        warriors = ", ".join(str(roster.took_part) for roster in self.rosters)
        what = f"{f'{len(warbands)} warbands' if len(warbands) > 1 else 'a warband'} of {warriors} warriors"
        story = Story(self._read, "Turn", len(warbands) + 1)
        return Chain(start, tuple(phases), self._size, what, "fewer warbands or warriors", story)

    def _read(self, state: int) -> dict[str, Any]:
        seen, said = self.seen(np.array([state])), dict[str, Any]()
        for warband, roster, (own,) in zip(self.question.warbands, self.rosters, seen.of_each):
            if own >= roster.fighting:
                said[warband.name] = [*ENDS.values()][own - roster.fighting]
                continue
            said[warband.name] = "fights"
            said[f"{warband.name}: out of action"] = int(roster.out(own))
            said[f"{warband.name}: leader out of action"] = bool(own >= roster.took_part)
        return said | ({"the game is over (MD-3)": bool(seen.over[0])} if len(self.rosters) > 1 else {})

    def chain(self) -> dict[str, Chain]:
        """Return the game; with `effect_of_leader`, also games with leaders of every Leadership and fate."""
        by_name = {PLAYED: self._chain_of(self.asked)}
        for fate, changes in LEADER_FATES.items() if self.question.effect_of_leader else ():
            for leader in LEADERSHIPS:
                led = self.asked.model_copy(update={"leader": leader, **changes})
                by_name[f"{fate}, {leader}"] = replace(self._chain_of(led), story=None)
        return by_name

    def answer(self, recorded: Mapping[str, Recorded]) -> Answer:
        """Return `warband` (each one at the end of each turn), the winner, and the effect of the leader."""
        states, weights = recorded[PLAYED]
        seen, names = self.seen(states), [warband.name for warband in self.question.warbands]
        by_name = {name: self._by_turn(place, seen, weights) for place, name in enumerate(names)}
        tables = {"warband": stack("warband", by_name)}
        lines = {"p_fighting": "still fighting", **ENDS}
        panels = [Curves("warband", name.capitalize(), "turn", lines, {"warband": name}) for name in names]
        if self.question.rivals:
            table, heading = ("last_left", "Alone left on the table")
            if self.first_to_leave:
                table, heading = ("first_to_leave", "Has won: the first to leave")
            columns = {f"p_{column_of(name)}": name for name in names}
            tables[table] = self._winner([*columns], seen, weights)
            panels.append(Curves(table, heading, "turn", columns))
        if self.question.effect_of_leader:
            fights = {name: game.weights[-1, self.seen(game.states).fights[0]].sum() for name, game in recorded.items()}
            columns = {f"p_fighting_{fate.replace(' ', '_')}": fate for fate in LEADER_FATES}
            by_leader = {
                column: np.array([fights[f"{fate}, {leader}"] for leader in LEADERSHIPS])
                for column, fate in columns.items()
            }
            tables["leader"] = Table({"leadership": [*LEADERSHIPS]}, by_leader)
            heading = "Still fighting at the end, by Leadership of the leader"
            panels.append(Curves("leader", heading, "leadership", columns))
        return tables, panels

    def _by_turn(self, place: int, seen: Seen, weights: Weights) -> Table:
        """Return the state of one warband at each turn's end, and whether it tested in the turn (MD-3)."""
        roster, own, fights = self.rosters[place], seen.of_each[place], seen.fights[place]
        recorded = len(self.rosters) + 1
        before, ends = weights[place::recorded], weights[recorded - 1 :: recorded]
        out = roster.out(own)
        due = fights & mordheim.rout_test_due(out, roster.took_part)
        tests = due & ~seen.over & (out < min(roster.gives_up_at, roster.took_part))
        ended = {name: ends[:, own == roster.fighting + fate].sum(axis=1) for fate, name in enumerate(ENDS)}
        never_began = before[0, due & seen.over].sum()  # the game was over before its first turn
        probabilities = {
            "p_fighting": ends[:, fights].sum(axis=1),
            **ended,
            "p_tests": before[:, tests].sum(axis=1),
            "p_fighting_without_leader": ends[:, fights & (own >= roster.took_part)].sum(axis=1),
            "p_may_have_given_up": ends[:, ~fights | due].sum(axis=1) - never_began,
        }
        return Table(turns_of(ends), probabilities)

    def _winner(self, columns: list[str], seen: Seen, weights: Weights) -> Table:
        """Return the winner by turn: the last warband left, or the first to leave where that wins (MD-3)."""
        ends = weights[len(self.rosters) :: len(self.rosters) + 1]
        gone = self._gone(seen.of_each)
        wins = gone if self.first_to_leave else np.zeros_like(gone)
        wins = np.where(wins.any(axis=0), wins, seen.fights) & seen.over
        nobody = "p_nobody_yet" if self.first_to_leave else "p_several_left"
        won = {column: ends[:, own].sum(axis=1) for column, own in zip(columns, wins)}
        return Table(turns_of(ends), {nobody: ends[:, ~seen.over].sum(axis=1)} | won)

    def _most_out(self) -> Iterator[tuple[Warband, int]]:
        """Yield each warband and the largest possible number of its warriors out of action."""
        turns = range(self.question.turns_played + 1)
        for roster, warband in zip(self.rosters, self.question.warbands):
            most = sum(losses.most for turn in turns for losses in roster.losses(warband, turn))
            falls = isinstance(warband.leader_falls, int)
            yield warband, min(most + falls, warband.took_part - (warband.leader_falls == "never"))

    def rules(self) -> Rules:
        warbands, most_out = self.question.warbands, [*self._most_out()]
        fights = [fight for warband in warbands for fight in warband.casualties_from]
        ruleset, hating = self.question.ruleset, [fight for fight in fights if fight.hatred]
        hates = [mordheim.rerolls_misses(fight, fight.frenzy, 0, ruleset) for fight in hating]
        a_quarter = any(mordheim.rout_test_due(most, warband.took_part) for warband, most in most_out)
        some_left = ((min(most, warband.took_part - 1), warband.took_part) for warband, most in most_out)
        tested = any(mordheim.rout_test_due(out, took_part) for out, took_part in some_left)
        outlived = self.question.rivals and a_quarter
        ends = "one has left" if self.first_to_leave else "one alone is left"
        applied = {
            "MD-1 rout tests from a quarter out of action, on the leader or the best other; immune or not": tested,
            "MD-2 giving up: from a quarter out of action": a_quarter,
            "MD-7 in fights: frenzy doubles Attacks": any(fight.frenzy for fight in fights),
            "MD-8 in fights: hatred re-rolls misses in the first turn of each": any(hates),
            f"MD-3 a routed warband leaves, the rest play on until {ends}; then nothing falls or tests": outlived,
        }
        not_modelled = {
            "warriors that return, or run off the table, during the game": True,
            "in fights: warriors knocked down or stunned, several wounds, order of strikes, fear": fights,
            "fights: casualties are as stated (casualties_from makes them from blows)": not fights,
        }
        silenced = "casualties_from: hatred has no effect on frenzied warriors (hatred_while_frenzied)"
        immune = "immune_to_psychology has no effect on rout tests (MD-1)"
        warnings = {immune: any(warband.immune_to_psychology for warband in warbands)}
        warnings["no rout test is ever due: no warband can have a quarter out of action (MD-1)"] = not a_quarter
        for warband, most in most_out:
            useless = f"{warband.name}: gives_up_at has no effect: {most} out of action at most"
            warnings[useless] = (warband.gives_up_at or 0) > most
        return Rules(applied, not_modelled, {**warnings, silenced: not all(hates)})
