"""Stupidity, turn by turn (MD-4, MD-10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, ExtraDie, Phase, Recorded, sided
from analyser.morale.answers import Answer, Mean, Part, Table, rules_used, turns_of
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Stupidity
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

DOES = ("sensible", "walks", "idle", "no blows")  # what a warrior does this turn
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(len(DOES))


class Stupid(Part):
    """A stupid warrior; a state is ``turns lost * 4 + what he does``."""

    asked: Stupidity

    def chain(self) -> Chain:
        """His turns; the state after each is recorded."""
        turns, stupidity = self.question.turns_played, self.asked
        leadership = mordheim.led(stupidity.leadership, stupidity.leader, stupidity.leader_state)

        def tested(states: Any, totals: Any) -> Any:
            wanders = np.where(mordheim.walks_when_stupid(totals // ROLLS), WALKS, IDLE)
            stupid = np.where(stupidity.in_combat, NO_BLOWS, wanders)
            does = np.where(mordheim.passes(totals % ROLLS + LOWEST_ROLL, leadership), SENSIBLE, stupid)
            return np.minimum(states // len(DOES) + (does != SENSIBLE), turns) * len(DOES) + does

        turn = Phase(tested, extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(sided(DIE_SIDES), ROLLS)))
        return Chain(0, (turn, RECORD) * turns, (turns + 1) * len(DOES))

    def answer(self, recorded: Recorded) -> Answer:
        """`stupidity`: what the warrior does by turn; `turns_lost`: their distribution."""
        weights = recorded.of_all((self.question.turns_played + 1) * len(DOES))
        by_turn = weights.reshape(len(weights), -1, len(DOES))
        names = [f"p_{does.replace(' ', '_')}" for does in DOES]
        probabilities = {name: by_turn[:, :, place].sum(axis=1) for place, name in enumerate(names)}
        of_lost, turns = by_turn.sum(axis=2), np.arange(1, len(weights) + 1)
        lost = Mean.of(of_lost, np.arange(of_lost.shape[1]))
        share = Mean(lost.first / turns, lost.second / turns**2)
        tables = {
            "stupidity": Table(turns_of(weights), probabilities, {"mean_share_of_turns_lost": share}),
            "turns_lost": Table({"turns_lost": range(len(of_lost) + 1)}, {"probability": of_lost[-1]}),
        }
        return Answer(tables, [Bars("turns_lost", "Turns lost to stupidity", "turns_lost")])

    def rules(self) -> RulesUsed:
        """The rule of stupidity, and what of it no number comes from."""
        where = "" if self.asked.in_combat else "; half speed, falls, obstacles and the stop before contact"
        return rules_used({"MD-10 stupidity": True}, {f"MD-10 spells and shooting that are lost{where}": True})
