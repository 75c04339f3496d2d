"""One warband or several, turn by turn: who tests, who leaves, who wins (MD-1 to MD-3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, States
from analyser.morale import answers
from analyser.morale.answers import Answer, Curves, Rules, Table, Weights, stacked, turns_of
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import HIGHEST_LEADERSHIP, LOWEST_LEADERSHIP, Question, Warband, column_of
from analyser.morale.games.mordheim.roster import GAVE_UP, ROUTED, Part, Roster

PLAYED = "warbands"
FATES = {"p_routed": "routed", "p_gave_up": "gave up", "p_all_out": "all out"}  # in the order of the states
LEADERSHIPS = range(LOWEST_LEADERSHIP, HIGHEST_LEADERSHIP + 1)
LEADER_FATES: dict[str, dict[str, Any]] = {
    "as asked": {},
    "never lost": {"leader_falls": "never"},
    "never lost nor stunned": {"leader_falls": "never", "leader_stunned": 0.0},
    "lost first": {"leader_falls": "first"},
}


class Seen(NamedTuple):
    """States of several warbands, read: each an array of the length of the states."""

    of_each: list[NDArray[np.int64]]
    waiting: NDArray[np.int64]  # 1 where a warband's test is taken by its others
    fights: NDArray[np.bool_]  # a row for each warband
    over: NDArray[np.bool_]  # the game (MD-3)


class Game(answers.Part[Warband]):
    """Warbands that play in this order; their states are one, the first warband's fastest, `waiting` slowest."""

    question: Question

    def _prepare(self) -> None:
        self.first_to_leave = self.question.winner == "first_to_leave"
        self.rosters = [Roster(each, self.question) for each in self.question.warbands]
        sizes = [roster.states for roster in self.rosters]
        self._places = [math.prod(sizes[:number]) for number in range(len(sizes) + 1)]
        self._size = math.prod([1 + max(roster.others_may_be_stunned for roster in self.rosters), *sizes])
        self._phase = cache(self._seen_among_all)

    def seen(self, states: NDArray[np.int64]) -> Seen:
        """States, read."""
        of_each = [states // place % roster.states for place, roster in zip(self._places, self.rosters)]
        fights = np.array([own < roster.fighting for own, roster in zip(of_each, self.rosters)])
        over = np.zeros(len(states), bool)  # a warband without rivals plays on
        if len(self.rosters) > 1:
            over = fights.sum(axis=0) <= 1
            if self.first_to_leave:
                over |= self._gone(of_each).any(axis=0)
        return Seen(of_each, states // self._places[-1], fights, over)

    def _gone(self, of_each: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Which warbands have left by themselves: routed, or given up."""
        fates = [own - roster.fighting for own, roster in zip(of_each, self.rosters)]
        return np.array([(fate == ROUTED) | (fate == GAVE_UP) for fate in fates])

    def _seen_among_all(self, place: int, part: Part, begun: bool = True) -> Phase:
        """A phase of the warband at `place` among all; after the game's end nothing happens (MD-3)."""
        size = self.rosters[place].states
        waits, moved = np.divmod(part.after, size)

        def change(states: States, _: Any) -> States:
            seen = self.seen(states[:, 0])
            own = seen.of_each[place] + seen.waiting * size
            after = states + (moved[own] - seen.of_each[place][:, np.newaxis]) * self._places[place]
            after = after + (waits[own] - seen.waiting[:, np.newaxis]) * self._places[-1]
            return np.where((seen.over & begun)[:, np.newaxis], states, after)

        if part.dice is None:
            return Phase(change, part.die, 0, part.extra_dice)
        own_dice, number = part.dice, part.number if part.of >= 0 else 1

        def dice(states: States) -> Any:
            seen = self.seen(states)
            each = own_dice[seen.of_each[place] + seen.waiting * size]
            return each * np.minimum(self._standing(part.of, seen), number) if part.of >= 0 else each

        return Phase(change, part.die, dice, part.extra_dice, int(own_dice.max()) * number)

    def _standing(self, place: int, seen: Seen) -> NDArray[np.int64]:
        """How many of a warband stand: none of one that is gone."""
        roster = self.rosters[place]
        return np.where(seen.fights[place], roster.took_part - roster.out(seen.of_each[place]), 0)

    def _chain_of(self, first: Warband) -> Chain:
        """The turns of the game with `first` as its first warband.

        The state before each warband's test is recorded, then, after the last warband's turn, that of the turn's end.
        """
        warbands = [*enumerate(zip(self.rosters, (first, *self.question.rivals)))]
        phases: list[Phase] = []
        for place, (roster, each) in warbands:
            phases += [self._phase(place, part, False) for part in roster.fallen(each, 0)]
        for turn in range(1, self.question.turns_played + 1):
            for place, (roster, each) in warbands:
                phases += [self._phase(place, part) for part in roster.fallen(each, turn)]
                phases.append(RECORD)
                phases += [self._phase(place, part) for part in roster.tests(each.leader, each.leader_stunned)]
            phases.append(RECORD)
        start = sum(self._places[place] * roster.start(each) for place, (roster, each) in warbands)
        warriors = ", ".join(str(roster.took_part) for roster in self.rosters)
        what = f"{f'{len(warbands)} warbands' if len(warbands) > 1 else 'a warband'} of {warriors} warriors"
        return Chain(start, tuple(phases), self._size, what, "fewer warbands or warriors")

    def chain(self) -> dict[str, Chain]:
        """The game, and where his effect is asked the same under leaders of every Leadership and fate."""
        by_name = {PLAYED: self._chain_of(self.asked)}
        for fate, changes in LEADER_FATES.items() if self.question.effect_of_leader else ():
            for leader in LEADERSHIPS:
                led = self.asked.model_copy(update={"leader": leader, **changes})
                by_name[f"{fate}, {leader}"] = self._chain_of(led)
        return by_name

    def answer(self, recorded: Mapping[str, Recorded]) -> Answer:
        """`warband`: each by turn, after all have played it; who has won; the effect of the leader."""
        states, weights = recorded[PLAYED]
        seen, names = self.seen(states), [each.name for each in self.question.warbands]
        by_name = {name: self._by_turn(place, seen, weights) for place, name in enumerate(names)}
        tables = {"warband": stacked("warband", by_name)}
        lines = {"p_fighting": "still fighting", **FATES}
        panels = [Curves("warband", name.capitalize(), "turn", lines, {"warband": name}) for name in names]
        if self.question.rivals:
            table, heading = ("last_left", "Alone left on the table")
            if self.first_to_leave:
                table, heading = ("first_to_leave", "Has won: the first to leave")
            columns = {f"p_{column_of(name)}": name for name in names}
            tables[table] = self._winner([*columns], seen, weights)
            panels.append(Curves(table, heading, "turn", columns))
        if self.question.effect_of_leader:
            fights = {name: each.weights[-1, self.seen(each.states).fights[0]].sum() for name, each in recorded.items()}
            columns = {f"p_fighting_{fate.replace(' ', '_')}": fate for fate in LEADER_FATES}
            by_leader = {
                column: np.array([fights[f"{fate}, {leader}"] for leader in LEADERSHIPS])
                for column, fate in columns.items()
            }
            tables["leader"] = Table({"leadership": [*LEADERSHIPS]}, by_leader)
            heading = "Still fighting at the end, by Leadership of the leader"
            panels.append(Curves("leader", heading, "leadership", columns))
        return Answer(tables, panels)

    def _by_turn(self, place: int, seen: Seen, weights: Weights) -> Table:
        """Of one warband: what has become of it by each turn's end, and whether it tested in the turn (MD-3)."""
        roster, own, fights = self.rosters[place], seen.of_each[place], seen.fights[place]
        recorded = len(self.rosters) + 1
        before, ends = weights[place::recorded], weights[recorded - 1 :: recorded]
        out = roster.out(own)
        due = fights & mordheim.rout_test_due(out, roster.took_part)
        tests = due & ~seen.over & (out < min(roster.gives_up_at, roster.took_part))
        ended = {name: ends[:, own == roster.fighting + fate].sum(axis=1) for fate, name in enumerate(FATES)}
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
        """Who alone is left, or who has left first where that wins, by turn (MD-3)."""
        ends = weights[len(self.rosters) :: len(self.rosters) + 1]
        gone = self._gone(seen.of_each)
        wins = gone if self.first_to_leave else np.zeros_like(gone)
        wins = np.where(wins.any(axis=0), wins, seen.fights) & seen.over
        nobody = "p_nobody_yet" if self.first_to_leave else "p_several_left"
        won = {column: ends[:, own].sum(axis=1) for column, own in zip(columns, wins)}
        return Table(turns_of(ends), {nobody: ends[:, ~seen.over].sum(axis=1)} | won)

    def _most_out(self) -> Iterator[tuple[Warband, int]]:
        """Each warband, and how many of it can be out of action at most."""
        for each in self.question.warbands:
            most = each.out + sum(len(pmf) - 1 for pmf in self.question.casualties_of(each))
            for fight in each.casualties_from:
                turns = range(1, self.question.turns_played + 1)
                fought = sum(not fight.turns or turn in fight.turns for turn in turns)
                most += fight.number * fought * mordheim.attacks_of(fight, fight.frenzy)
            falls = int(isinstance(each.leader_falls, int))
            yield each, min(most + falls, each.took_part - (each.leader_falls == "never"))

    def rules(self) -> Rules:
        """The rules that the numbers come from or do not, and what has no effect."""
        warbands, most_out = self.question.warbands, [*self._most_out()]
        fights = [fight for each in warbands for fight in each.casualties_from]
        ruleset, hating = self.question.ruleset, [fight for fight in fights if fight.hatred]
        hates = [mordheim.rerolls_misses(fight, fight.frenzy, 0, ruleset) for fight in hating]
        a_quarter = any(mordheim.rout_test_due(most, each.took_part) for each, most in most_out)
        some_left = ((min(most, each.took_part - 1), each.took_part) for each, most in most_out)
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
            "warriors who come back, or who run off the table, during the game": True,
            "in fights: who is only knocked down or stunned, several wounds, who strikes first, fear": fights,
            "fights: casualties are as stated (casualties_from makes them from blows)": not fights,
        }
        silenced = "casualties_from: hatred has no effect on those whose frenzy silences it (hatred_while_frenzied)"
        immune = "immune_to_psychology has no effect on rout tests (MD-1)"
        warnings = {immune: any(each.immune_to_psychology for each in warbands)}
        warnings["no rout test is ever due: no warband can have a quarter out of action (MD-1)"] = not a_quarter
        for each, most in most_out:
            useless = f"{each.name}: gives_up_at has no effect: {most} out of action at most"
            warnings[useless] = (each.gives_up_at or 0) > most
        return Rules(applied, not_modelled, {**warnings, silenced: not all(hates)})
