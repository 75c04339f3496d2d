"""Stupidity, turn by turn (MD-4, MD-10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from analyser.engine.chain.chain import Chain, ExtraDie, Phase, Recorded, sided
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Question, Stupidity
from analyser.morale.games.mordheim.roster import DIE_SIDES, LOWEST_ROLL, ROLLS, TWO_DICE
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Mean, Table

DOES = ("sensible", "walks", "idle", "no blows")  # what a warrior does this turn
SENSIBLE, WALKS, IDLE, NO_BLOWS = range(len(DOES))


def chain(stupidity: Stupidity, question: Question) -> Chain:
    """The turns of a stupid warrior; the state after each, ``lost * 4 + what he does``, is recorded."""
    turns, totals = question.turns_played, np.arange(ROLLS * (DIE_SIDES + 1))
    helps = stupidity.leader is not None and stupidity.leader_state == "standing"
    leadership = rules.own_or_leaders(stupidity.leadership, stupidity.leader or 0, helps)
    wanders = np.where(rules.walks_when_stupid(totals // ROLLS), WALKS, IDLE)
    stupid = np.where(stupidity.in_combat, NO_BLOWS, wanders)
    does = np.where(rules.passes(totals % ROLLS + LOWEST_ROLL, leadership), SENSIBLE, stupid)
    lost = np.arange((turns + 1) * len(DOES))[:, np.newaxis] // len(DOES)
    targets = np.minimum(lost + (does != SENSIBLE), turns) * len(DOES) + does
    turn = Phase(targets, extra_dice=(ExtraDie(TWO_DICE, 1), ExtraDie(sided(DIE_SIDES), ROLLS)), recorded=True)
    return Chain(0, (turn,) * turns)


def tables(_: Stupidity, question: Question, recorded: Recorded) -> dict[str, Table]:
    """`stupidity`: what the warrior does by turn; `turns_lost`: their distribution."""
    weights = recorded.of_all((question.turns_played + 1) * len(DOES))
    by_turn = weights.reshape(len(weights), -1, len(DOES))
    probabilities = {f"p_{does.replace(' ', '_')}": by_turn[:, :, place].sum(axis=1) for place, does in enumerate(DOES)}
    of_lost, turns = by_turn.sum(axis=2), np.arange(1, len(weights) + 1)
    lost = Mean.of(of_lost, np.arange(of_lost.shape[1]))
    share = Mean(lost.first / turns, lost.second / turns**2)
    return {
        "stupidity": Table({"turn": turns.tolist()}, probabilities, {"mean_share_of_turns_lost": share}),
        "turns_lost": Table({"turns_lost": [*range(len(of_lost) + 1)]}, {"probability": of_lost[-1]}),
    }


def panels(_: Stupidity, __: Question) -> Iterator[Panel]:
    """The turns lost."""
    yield Bars("turns_lost", "Turns lost to stupidity", "turns_lost")


def applied(_: Stupidity, __: Question) -> Mapping[str, bool]:
    """The rule of stupidity."""
    return {"MD-10 stupidity": True}


def not_modelled(stupidity: Stupidity, _: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    where = "" if stupidity.in_combat else "; half speed, falls, obstacles and the stop before contact"
    yield f"MD-10 spells and shooting that are lost{where}"
