"""One warband or several, turn by turn: who tests, who leaves, who wins (MD-1 to MD-3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.morale.games.mordheim import game
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.combat import is_silenced
from analyser.morale.games.mordheim.question import HIGHEST_LEADERSHIP, LOWEST_LEADERSHIP, Question, Warband, column_of
from analyser.morale.panels import Curves, Panel
from analyser.morale.tables import Table, Weights, stacked

PLAYED = "warbands"
FATE_COLUMNS = ("p_routed", "p_gave_up", "p_all_out")
LEADERSHIPS = range(LOWEST_LEADERSHIP, HIGHEST_LEADERSHIP + 1)
LEADER_FATES: dict[str, dict[str, Any]] = {
    "as asked": {},
    "never lost": {"leader_falls": "never"},
    "never lost nor stunned": {"leader_falls": "never", "leader_stunned": 0.0},
    "lost first": {"leader_falls": "first"},
}
LEADER_COLUMNS = {fate: f"p_fighting_{fate.replace(' ', '_')}" for fate in LEADER_FATES}


def chains(warband: Warband, question: Question) -> dict[str, Chain]:
    """The game, and where his effect is asked the same under leaders of every Leadership and fate."""
    played = game.Game(question)
    by_name = {PLAYED: played.chain_of(warband)}
    for fate, changes in LEADER_FATES.items() if question.effect_of_leader else ():
        for leader in LEADERSHIPS:
            by_name[f"{fate}, {leader}"] = played.chain_of(warband.model_copy(update={"leader": leader, **changes}))
    return by_name


def tables(_: Warband, question: Question, recorded: Mapping[str, Recorded]) -> dict[str, Table]:
    """`warband`: each by turn, after all have played it; who has won; the effect of the leader."""
    layout, (states, weights) = game.layout_of(question), recorded[PLAYED]
    seen = layout.seen(states)
    warbands = [_by_turn(place, layout, seen, weights) for place in range(len(question.warbands))]
    answer = {"warband": stacked(warbands, warband=[each.name for each in question.warbands])}
    if question.rivals:
        answer |= _winner(question, layout, seen, weights)
    if question.effect_of_leader:
        fights = {name: layout.seen(each.states).fights[0] for name, each in recorded.items()}
        columns = {
            column: np.array(
                [recorded[name].weights[-1, fights[name]].sum() for name in (f"{fate}, {ld}" for ld in LEADERSHIPS)]
            )
            for fate, column in LEADER_COLUMNS.items()
        }
        answer["leader"] = Table({"leadership": [*LEADERSHIPS]}, columns)
    return answer


def _by_turn(place: int, layout: game.Layout, seen: game.Seen, weights: Weights) -> Table:
    """Of one warband: what has become of it by each turn's end, and whether it tested in the turn (MD-3)."""
    roster, own, fights = layout.rosters[place], seen.of_each[place], seen.fights[place]
    recorded = len(seen.of_each) + 1
    before, ends = weights[place::recorded], weights[recorded - 1 :: recorded]
    out = roster.out(own)
    due = fights & mordheim.rout_test_due(out, roster.took_part)
    tests = due & ~seen.over & (out < min(roster.gives_up_at, roster.took_part))
    ended = {name: ends[:, own == roster.fighting + fate].sum(axis=1) for fate, name in enumerate(FATE_COLUMNS)}
    never_began = before[0, due & seen.over].sum()  # the game was over before its first turn
    probabilities = {
        "p_fighting": ends[:, fights].sum(axis=1),
        **ended,
        "p_tests": before[:, tests].sum(axis=1),
        "p_fighting_without_leader": ends[:, fights & (own >= roster.took_part)].sum(axis=1),
        "p_may_have_given_up": ends[:, ~fights | due].sum(axis=1) - never_began,
    }
    return Table({"turn": [*range(1, len(ends) + 1)]}, probabilities)


def _winner(question: Question, layout: game.Layout, seen: game.Seen, weights: Weights) -> dict[str, Table]:
    """Who alone is left, or who has left first where that wins, by turn (MD-3)."""
    ends = weights[len(seen.of_each) :: len(seen.of_each) + 1]
    name, nobody = ("first_to_leave", "nobody_yet") if layout.first_to_leave else ("last_left", "several_left")
    gone = layout.gone(seen)
    wins = gone if layout.first_to_leave else np.zeros_like(gone)
    wins = np.where(wins.any(axis=0), wins, seen.fights)
    probabilities = {f"p_{nobody}": ends[:, ~seen.over].sum(axis=1)}
    for each, won in zip(question.warbands, wins & seen.over):
        probabilities[f"p_{column_of(each.name)}"] = ends[:, won].sum(axis=1)
    return {name: Table({"turn": [*range(1, len(ends) + 1)]}, probabilities)}


def panels(_: Warband, question: Question) -> Iterator[Panel]:
    """Each warband by turn, who has won, and the effect of the leader."""
    lines = {"p_fighting": "still fighting", "p_routed": "routed", "p_gave_up": "gave up", "p_all_out": "all out"}
    for each in question.warbands:
        yield Curves("warband", each.name.capitalize(), "turn", lines, {"warband": each.name})
    if question.rivals:
        won = {f"p_{column_of(each.name)}": each.name for each in question.warbands}
        first = question.winner == "first_to_leave"
        table, heading = (
            ("first_to_leave", "Has won: the first to leave") if first else ("last_left", "Alone left on the table")
        )
        yield Curves(table, heading, "turn", won)
    if question.effect_of_leader:
        lines = {column: fate for fate, column in LEADER_COLUMNS.items()}
        yield Curves("leader", "Still fighting at the end, by Leadership of the leader", "leadership", lines)


def _most_out(question: Question) -> Iterator[tuple[Warband, int]]:
    """Each warband, and how many of it can be out of action at most."""
    for each in question.warbands:
        most = each.out + sum(len(pmf) - 1 for pmf in question.casualties_of(each))
        for fight in each.casualties_from:
            fought = sum(not fight.turns or turn in fight.turns for turn in range(1, question.turns_played + 1))
            attacks = mordheim.attacks_of(fight.attacks, fight.second_weapon, fight.frenzy)
            most += fight.number * attacks * fought
        falls = int(isinstance(each.leader_falls, int))
        yield each, min(most + falls, each.took_part - (each.leader_falls == "never"))


def _loses_a_quarter(question: Question) -> bool:
    """Whether any warband can have a quarter out of action."""
    return any(mordheim.rout_test_due(most, each.took_part) for each, most in _most_out(question))


def applied(_: Warband, question: Question) -> Mapping[str, bool]:
    """The rules of a game of warbands, and whether each can have its occasion."""
    fights = [fight for each in question.warbands for fight in each.casualties_from]
    ends = "one has left" if question.winner == "first_to_leave" else "one alone is left"
    return {
        "MD-1 rout tests from a quarter out of action, on the leader or the best other; immune or not": any(
            mordheim.rout_test_due(min(most, each.took_part - 1), each.took_part) for each, most in _most_out(question)
        ),
        "MD-2 giving up: from a quarter out of action": _loses_a_quarter(question),
        "MD-7 in fights: frenzy doubles Attacks": any(fight.frenzy for fight in fights),
        "MD-8 in fights: hatred re-rolls misses in the first turn of each": any(
            fight.hatred and not is_silenced(fight, question.ruleset) for fight in fights
        ),
        f"MD-3 a routed warband leaves, the rest play on until {ends}; then nothing falls or tests": (
            bool(question.rivals) and _loses_a_quarter(question)
        ),
    }


def not_modelled(_: Warband, question: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    yield "warriors who come back, or who run off the table, during the game"
    if any(each.casualties_from for each in question.warbands):
        yield "in fights: who is only knocked down or stunned, several wounds, who strikes first, fear"
    else:
        yield "fights: casualties are as stated (casualties_from makes them from blows)"


def warnings(_: Warband, question: Question) -> Iterator[str]:
    """What has no effect."""
    if any(each.immune_to_psychology for each in question.warbands):
        yield "immune_to_psychology has no effect on rout tests (MD-1)"
    if not _loses_a_quarter(question):
        yield "no rout test is ever due: no warband can have a quarter out of action (MD-1)"
    for each, most in _most_out(question):
        if each.gives_up_at is not None and each.gives_up_at > most:
            yield f"{each.name}: gives_up_at has no effect: {most} out of action at most"
    fights = [fight for each in question.warbands for fight in each.casualties_from]
    if any(fight.hatred and is_silenced(fight, question.ruleset) for fight in fights):
        yield "casualties_from: hatred has no effect on those whose frenzy silences it (hatred_while_frenzied)"
