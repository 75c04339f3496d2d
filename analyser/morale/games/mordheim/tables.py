"""The tables that answer a question about Mordheim: a few for each section that is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, Recorded
from analyser.morale.games.mordheim import combat, flight, game, leadership
from analyser.morale.games.mordheim import rules as mordheim
from analyser.morale.games.mordheim.question import Fight, Fighter, Question, Ruleset, Warband, column_of
from analyser.morale.panels import Bars, Curves, Panel
from analyser.morale.tables import Mean, Table, Weights

WARBANDS, ALONE, COMBAT, STUPIDITY, TOGETHER = "warbands", "alone", "combat", "stupidity", "together"
LOWEST_LEADERSHIP, HIGHEST_LEADERSHIP = 2, 12
LEADER_FATES: dict[str, dict[str, Any]] = {
    "as asked": {},
    "never lost": {"leader_falls": "never"},
    "never lost nor stunned": {"leader_falls": "never", "leader_stunned": 0.0},
    "lost first": {"leader_falls": "first"},
}


def chains(question: Question) -> dict[str, Chain]:
    """One chain a section, and one for each other leader where his effect is asked."""
    found = {}
    if question.warband is not None:
        played = game.Game(question)
        found[WARBANDS] = played.chain_of(question.warband)
        found |= {name: played.chain_of(each) for name, each in _other_leaders(question).items()}
    makers = {
        ALONE: flight.chain_of, COMBAT: combat.chain_of, STUPIDITY: leadership.stupidity_chain,
        TOGETHER: leadership.together_chain,
    }  # fmt: skip
    return found | {name: maker(question) for name, maker in makers.items() if getattr(question, name) is not None}


def _other_leaders(question: Question) -> dict[str, Warband]:
    """The first warband under leaders of every Leadership and fate."""
    if question.warband is None or not question.effect_of_leader:
        return {}
    return {
        f"{fate}, {leader}": question.warband.model_copy(update={"leader": leader, **changes})
        for fate, changes in LEADER_FATES.items()
        for leader in range(LOWEST_LEADERSHIP, HIGHEST_LEADERSHIP + 1)
    }


def tables(question: Question, weights: dict[str, Recorded]) -> dict[str, Table]:
    """The tables of each section that is asked."""
    found: dict[str, Table] = {}
    if question.warband is not None:
        found["warband"] = _warbands(question, weights[WARBANDS])
        if question.rivals:
            found |= _winner(question, weights[WARBANDS])
        if question.effect_of_leader:
            found["leader"] = _leader(question, weights)
    if question.alone is not None:
        found |= _alone(question, weights[ALONE])
    if question.combat is not None:
        found |= _combat(question, weights[COMBAT])
    if question.stupidity is not None:
        found |= _stupidity(question, weights[STUPIDITY])
    if question.together is not None:
        found |= _together(question, weights[TOGETHER])
    return found


def _turns(question: Question) -> list[int]:
    return [*range(1, question.turns_played + 1)]


def _warbands(question: Question, recorded: Recorded) -> Table:
    """Each warband by turn, after all have played it."""
    table = game.table_of(question)
    seen = table.seen(recorded.states)
    keys: dict[str, list[Any]] = {"warband": [], "turn": []}
    parts = [_by_turn(place, table, seen, recorded.weights) for place in range(len(question.warbands))]
    for each in question.warbands:
        keys["warband"] += [each.name] * question.turns_played
        keys["turn"] += _turns(question)
    return Table(keys, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, {})


def _by_turn(place: int, table: game.Table, seen: game.Seen, laws: Weights) -> dict[str, Weights]:
    """Of one warband: what has become of it by each turn's end, and whether it tested in the turn (MD-3)."""
    roster, own, fights = table.rosters[place], seen.of_each[place], seen.fights[place]
    recorded = len(seen.of_each) + 1
    before, ends = laws[place::recorded], laws[recorded - 1 :: recorded]
    out = own // roster.took_part + own % roster.took_part
    all_numbers = range(int(out.max(initial=0)) + 1)
    due = fights & np.array([mordheim.rout_test_due(number, roster.took_part) for number in all_numbers])[out]
    tests = due & ~seen.over & (out < min(roster.gives_up_at, roster.took_part))
    fighting = ends[:, fights].sum(axis=1)
    ended = {name: ends[:, own == roster.fighting + fate].sum(axis=1) for fate, name in enumerate(FATE_COLUMNS)}
    never_began = before[0, due & seen.over].sum()  # the game was over before its first turn
    return {
        "p_fighting": fighting,
        **ended,
        "p_tests": before[:, tests].sum(axis=1),
        "p_fighting_without_leader": ends[:, fights & (own >= roster.took_part)].sum(axis=1),
        "p_may_have_given_up": ends[:, ~fights | due].sum(axis=1) - never_began,
    }


FATE_COLUMNS = ("p_routed", "p_gave_up", "p_all_out")


def _winner(question: Question, recorded: Recorded) -> dict[str, Table]:
    """Who alone is left, or who has left first where that wins, by turn (MD-3)."""
    table = game.table_of(question)
    seen = table.seen(recorded.states)
    ends = recorded.weights[len(seen.of_each) :: len(seen.of_each) + 1]
    keys: dict[str, list[Any]] = {"turn": _turns(question)}
    name, nobody = ("first_to_leave", "nobody_yet") if table.first_to_leave else ("last_left", "several_left")
    gone = table.gone(seen)
    wins = gone if table.first_to_leave else np.zeros_like(gone)
    wins = np.where(wins.any(axis=0), wins, seen.fights)
    chances = {f"p_{nobody}": ends[:, ~seen.over].sum(axis=1)}
    for each, won in zip(question.warbands, wins & seen.over):
        chances[f"p_{column_of(each.name)}"] = ends[:, won].sum(axis=1)
    return {name: Table(keys, chances, {})}


def _leader(question: Question, weights: dict[str, Recorded]) -> Table:
    """P(the first warband still fights) after the last turn, by its leader's Leadership and fate."""
    table = game.table_of(question)
    keys: dict[str, list[Any]] = {"leadership": [*range(LOWEST_LEADERSHIP, HIGHEST_LEADERSHIP + 1)]}
    chances: dict[str, list[Any]] = {fate: [] for fate in LEADER_FATES}
    for name in _other_leaders(question):
        states, laws = weights[name]
        fights = table.seen(states).fights[0]
        chances[name.partition(",")[0]].append(laws[-1, fights].sum())
    return Table(keys, {f"p_fighting_{fate.replace(' ', '_')}": np.array(found) for fate, found in chances.items()}, {})


def _alone(question: Question, recorded: Recorded) -> dict[str, Table]:
    """The break and the flight by turn, turn 0 being that of the break; the law of inches to the edge."""
    runner = flight.runner_of(question)
    laws = recorded.of_all(runner.states)
    named = {
        "p_holds": flight.HOLDS, "p_rallied": flight.RALLIED, "p_left_table": flight.LEFT, "p_down": flight.DOWN
    }  # fmt: skip
    turns = [0, *_turns(question)]
    chances = {name: laws[:, state] for name, state in named.items()}
    flees = laws[:, runner.far :].sum(axis=1)
    broke = laws[:, [flight.RALLIED, flight.LEFT, flight.DOWN]].sum(axis=1) + flees
    chances = {"p_broke": broke, "p_flees": flees} | chances
    keys: dict[str, list[Any]] = {"turn": turns}
    inches = sorted(flight.inches_of_states(question).items(), key=lambda state: state[1])
    rows = [(turn, far, laws[turn, state]) for turn in turns for state, far in inches if laws[turn, state] > 0]
    found = {"alone": Table(keys, chances, {})}
    if rows:
        distance: dict[str, list[Any]] = {
            "turn": [row[0] for row in rows], "inches_to_edge": [row[1] for row in rows]
        }  # fmt: skip
        found["distance"] = Table(distance, {"probability": np.array([row[2] for row in rows])}, {})
    return found


def _combat(question: Question, recorded: Recorded) -> dict[str, Table]:
    """Hits by round, and their joint law."""
    assert question.combat is not None
    duel = combat.duel_of(question.combat)
    states, laws = np.arange(duel.states), recorded.of_all(duel.states)
    mode, square = states // (4 * duel.hits * duel.hits), duel.hits * duel.hits
    first, second = states % square // duel.hits, states % duel.hits
    rounds = [*range(1, question.combat.rounds + 1)]
    chances = {"p_combat": laws[:, mode != combat.CALM].sum(axis=1)}
    if duel.fighter_tests:
        chances["p_fighter_needs_sixes"] = laws[:, (mode != combat.CALM) & (mode % 2 == 1)].sum(axis=1)
    if duel.enemy_tests:
        chances["p_enemy_needs_sixes"] = laws[:, (mode != combat.CALM) & (mode // 2 == 1)].sum(axis=1)
    frenzied = states // square % 4
    for bit, (name, side) in enumerate((("fighter", question.combat.fighter), ("enemy", question.combat.enemy))):
        if side.frenzy:
            chances[f"p_{name}_frenzied"] = laws[:, (mode != combat.CALM) & (frenzied >> bit & 1 == 1)].sum(axis=1)
    means = {"mean_fighter_hits": Mean.of(laws, first), "mean_enemy_hits": Mean.of(laws, second)}
    keys: dict[str, list[Any]] = {"round": [], "fighter_hits": [], "enemy_hits": []}
    found = []
    for combat_round, law in zip(rounds, laws):
        joint = law.reshape(-1, duel.hits, duel.hits).sum(axis=0)
        for mine, theirs in np.argwhere(joint > 0):
            keys["round"].append(combat_round)
            keys["fighter_hits"].append(int(mine))
            keys["enemy_hits"].append(int(theirs))
            found.append(joint[mine, theirs])
    return {
        "combat": Table({"round": rounds}, chances, means),
        "hits": Table(keys, {"probability": np.array(found)}, {}),
        "hits_of_fighter": _hits(laws, first, combat.most_attacks(question.combat.fighter)),
        "hits_of_enemy": _hits(laws, second, combat.most_attacks(question.combat.enemy)),
    }


def _hits(laws: Weights, landed: NDArray[np.int64], most: int) -> Table:
    """The law of one side's hits by round."""
    keys: dict[str, list[Any]] = {
        "round": [row for row in range(1, len(laws) + 1) for _ in range(most + 1)],
        "hits": [*range(most + 1)] * len(laws),
    }
    found = [law[landed == hits].sum() for law in laws for hits in range(most + 1)]
    return Table(keys, {"probability": np.array(found)}, {})


def _stupidity(question: Question, recorded: Recorded) -> dict[str, Table]:
    """What the warrior does by turn, and the law of the turns lost."""
    laws = recorded.of_all((question.turns_played + 1) * len(leadership.DOES))
    by_turn = laws.reshape(len(laws), -1, len(leadership.DOES))
    chances = {
        f"p_{does.replace(' ', '_')}": by_turn[:, :, place].sum(axis=1) for place, does in enumerate(leadership.DOES)
    }
    counts, turns = by_turn.sum(axis=2), np.arange(1, len(laws) + 1)
    lost = Mean.of(counts, np.arange(counts.shape[1]))
    share = Mean(lost.first / turns, lost.second / turns**2)
    return {
        "stupidity": Table({"turn": _turns(question)}, chances, {"mean_share_of_turns_lost": share}),
        "turns_lost": Table({"turns_lost": [*range(len(counts) + 1)]}, {"probability": counts[-1]}, {}),
    }


def _together(question: Question, recorded: Recorded) -> dict[str, Table]:
    """The joint law of the leader's state, the rout test and the number of failed tests; and each test by itself."""
    together = question.together
    assert together is not None
    states, (law,) = recorded
    failed, leader = states // 5, states % 5
    first = int(together.rout_test)
    warriors = failed >> first
    number = np.array([int(bits).bit_count() for bits in warriors])
    rows, found = [], []
    for state, name in enumerate(leadership.LEADER_STATES):
        for routed in range(first + 1):
            for failing in range(len(together.warriors) + 1):
                here = (leader == state) & (number == failing) & ((failed & first) == routed)
                if law[here].sum() > 0:
                    rows.append((name, "failed" if routed else "passed" if first else "not due", failing))
                    found.append(law[here].sum())
    keys: dict[str, list[Any]] = {
        "leader": [row[0] for row in rows], "rout_test": [row[1] for row in rows],
        "tests_failed": [row[2] for row in rows],
    }  # fmt: skip
    tests = [*(["rout test"] * first), *(each.name for each in together.warriors)]
    alone = np.array([law[failed >> bit & 1 == 1].sum() for bit in range(len(tests))])
    routed = (failed & first) == 1
    tested = np.array([law.sum()] * first + [law[~routed].sum()] * len(together.warriors))
    numbers = {
        "none fails": ~routed & (number == 0), "one fails": number == 1, "two or more fail": number >= 2,
        "nobody tests: routed": routed,
    }  # fmt: skip
    several: dict[str, list[Any]] = {"warriors": [*numbers]}
    return {
        "together": Table(keys, {"probability": np.array(found)}, {}),
        "tests": Table({"test": tests}, {"p_tests": tested, "p_failed": alone}, {}),
        "several": Table(several, {"probability": np.array([law[here].sum() for here in numbers.values()])}, {}),
    }


def panels(question: Question) -> tuple[Panel, ...]:
    """Curves by turn or round, and the laws of hits and of turns lost."""
    found: list[Panel] = []
    for each in question.warbands:
        lines = {"p_fighting": "still fighting", "p_routed": "routed", "p_gave_up": "gave up", "p_all_out": "all out"}
        found.append(Curves("warband", each.name.capitalize(), "turn", lines, {"warband": each.name}))
    if question.rivals:
        won = {f"p_{column_of(each.name)}": each.name for each in question.warbands}
        table, heading = "last_left", "Alone left on the table"
        if question.winner == "first_to_leave":
            table, heading = "first_to_leave", "Has won: the first to leave"
        found.append(Curves(table, heading, "turn", won))
    if question.effect_of_leader:
        lines = {f"p_fighting_{fate.replace(' ', '_')}": fate for fate in LEADER_FATES}
        found.append(Curves("leader", "Still fighting at the end, by Leadership of the leader", "leadership", lines))
    if question.alone is not None:
        lines = {"p_flees": "flees", "p_left_table": "off table", "p_rallied": "rallied"}
        found.append(Curves("alone", "All alone: break and flight", "turn", lines))
    if question.combat is not None:
        found.append(Bars("hits_of_fighter", "Hits of the fighter in round 1", "hits", where={"round": 1}))
        found.append(Bars("hits_of_enemy", "Hits of the enemy in round 1", "hits", where={"round": 1}))
    if question.stupidity is not None:
        found.append(Bars("turns_lost", "Turns lost to stupidity", "turns_lost"))
    if question.together is not None:
        found.append(Bars("tests", "Failed tests", "test", column="p_failed"))
    return tuple(found)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from: those that can have their occasion."""
    alone, fights, defaults = question.alone, _combat_sides(question), question.ruleset
    struck = [fight for each in question.warbands for fight in each.casualties_from]
    together = question.together
    ends = "one has left" if question.winner == "first_to_leave" else "one alone is left"
    charged = "; charged: a run more before he can be struck" if alone is not None and alone.charged else ""
    rules = {
        "MD-1 rout tests from a quarter out of action, on the leader or the best other; immune or not": any(
            mordheim.rout_test_due(min(most, each.took_part - 1), each.took_part)
            for each, most in _most_out(question)
        ),
        "MD-2 giving up: from a quarter out of action": _loses_a_quarter(question),
        "MD-7 in fights: frenzy doubles Attacks": any(fight.frenzy for fight in struck),
        "MD-8 in fights: hatred re-rolls misses in the first turn of each": any(
            fight.hatred and not _is_silenced(fight, defaults) for fight in struck
        ),
        f"MD-3 a routed warband leaves, the rest play on until {ends}; then nothing falls or tests": (
            bool(question.rivals) and _loses_a_quarter(question)
        ),
        "MD-5 all alone: a test after every combat phase, a hit from each opponent, a run away from them": (
            _is_all_alone(question)
        ),
        f"MD-6 rally, flight, the edge{charged}": _can_flee(question),
        "MD-7 frenzy doubles Attacks": any(side.frenzy for side, _ in fights.values()),
        "MD-8 hatred re-rolls misses in the first round": any(
            side.hatred and not _is_silenced(side, defaults) for side, _ in fights.values()
        ),
        "MD-9 fear": any(tests for _, tests in fights.values()),
        "MD-10 stupidity": question.stupidity is not None,
        "MD-1 a rout test on the leader, if he is out of action or stunned on the best other": (
            together is not None and together.rout_test
        ),
        'MD-4 the Leadership of a leader within 6", unless he is down, stunned or fleeing': any(
            near.leader is not None and near.tests and near.leader > near.own for near in _leaders_near(question)
        ),
    }  # fmt: skip
    return tuple(rule for rule, so in rules.items() if so)


def _combat_sides(question: Question) -> dict[str, tuple[Fighter, bool]]:
    """Both sides of a combat, and whether each takes a test of fear (MD-9); none where no combat is asked."""
    if question.combat is None:
        return {}
    duel = combat.duel_of(question.combat)
    return {
        "fighter": (question.combat.fighter, bool(duel.fighter_tests)),
        "enemy": (question.combat.enemy, bool(duel.enemy_tests)),
    }


def _is_silenced(who: Fight | Fighter, defaults: Ruleset) -> bool:
    """Whether frenzy leaves no room for hatred (MD-7, MD-8)."""
    return who.frenzy and not defaults.hatred_while_frenzied


def _most_out(question: Question) -> Iterator[tuple[Warband, int]]:
    """Each warband, and how many of it can be out of action at most."""
    for each in question.warbands:
        stated = each.out + sum(len(law) - 1 for law in question.casualties_of(each))
        turns = range(1, question.turns_played + 1)
        blows = sum(
            fight.number * mordheim.attacks_of(fight.attacks, fight.second_weapon, fight.frenzy)
            * sum(not fight.turns or turn in fight.turns for turn in turns)
            for fight in each.casualties_from
        )  # fmt: skip
        falls = int(isinstance(each.leader_falls, int))
        most = each.took_part - (each.leader_falls == "never")
        yield each, min(stated + blows + falls, most)


def _loses_a_quarter(question: Question) -> bool:
    """Whether any warband can have a quarter out of action."""
    return any(mordheim.rout_test_due(most, each.took_part) for each, most in _most_out(question))


def _is_all_alone(question: Question) -> bool:
    alone = question.alone
    return alone is not None and mordheim.is_all_alone(alone.opponents, alone.friends_near)


def _can_flee(question: Question) -> bool:
    """Whether the warrior who is all alone can break, and flee on after his first run."""
    alone = question.alone
    if alone is None or not _is_all_alone(question) or alone.leadership == HIGHEST_LEADERSHIP:
        return False
    return bool((flight.runner_of(question).after_first_run != flight.LEFT).any())


def not_modelled(question: Question) -> tuple[str, ...]:
    """The rules that no number comes from."""
    found = []
    if question.warband is not None:
        found.append("warriors who come back, or who run off the table, during the game")
    if any(each.casualties_from for each in question.warbands):
        found.append("in fights: who is only knocked down or stunned, several wounds, who strikes first, fear")
    elif question.warband is not None:
        found.append("fights: casualties are as stated (casualties_from makes them from blows)")
    if _is_all_alone(question):
        found.append("MD-5 blows struck at him before the test, injuries; where he could be all alone again")
    if _can_flee(question):
        found.append("MD-6 the way round enemies, what a charger does to a runner, spells after a rally")
    if question.combat is not None:
        found.append("blows not struck by those who are downed first in the round; wounds")
        sides = _combat_sides(question).values()
        if any(side.frenzy for side, _ in sides):
            found.append("MD-7 who must charge")
        again = ", and a second one after one has failed (MD-9)" if any(tests for _, tests in sides) else ""
        found.append(f"charges that fall short{again}")
    if question.stupidity is not None:
        where = "" if question.stupidity.in_combat else "; half speed, falls, obstacles and the stop before contact"
        found.append(f"MD-10 spells and shooting that are lost{where}")
    if question.together is not None:
        found.append("what failed tests lead to")
    return tuple(found)


class Near(NamedTuple):
    """Where a leader within 6 inches can be told of (MD-4).

    Attributes
    ----------
    where : str
    leader : int or None
        His Leadership.
    state : str
    own : int
        Leadership of the warrior who may use his.
    tests : bool
        Whether there is a test to use it in.
    """

    where: str
    leader: int | None
    state: str
    own: int
    tests: bool


def _leaders_near(question: Question) -> Iterator[Near]:
    """Every place where a leader within 6 inches can be told of."""
    alone, stupidity, together = question.alone, question.stupidity, question.together
    if alone is not None:
        yield Near("alone", alone.rally_leader, alone.leader_state, alone.leadership, _can_flee(question))
    for name, (side, tests) in _combat_sides(question).items():
        yield Near(f"combat.{name}", side.leader, side.leader_state, side.leadership, tests)
    if stupidity is not None:
        yield Near("stupidity", stupidity.leader, stupidity.leader_state, stupidity.leadership, True)
    for each in together.warriors if together is not None else ():
        if together is not None and each.near_leader:
            yield Near(f"together: {each.name}", together.leader, "standing", each.leadership, True)


def warnings(question: Question) -> tuple[str, ...]:
    """What has no effect, and what was taken for granted."""
    found = []
    if any(each.immune_to_psychology for each in question.warbands):
        found.append("immune_to_psychology has no effect on rout tests (MD-1)")
    if question.warband is not None and not _loses_a_quarter(question):
        found.append("no rout test is ever due: no warband can have a quarter out of action (MD-1)")
    for each, most in _most_out(question):
        if each.gives_up_at is not None and each.gives_up_at > most:
            found.append(f"{each.name}: gives_up_at has no effect: {most} out of action at most")
    if any(fight.hatred and _is_silenced(fight, question.ruleset) for each in question.warbands
           for fight in each.casualties_from):  # fmt: skip
        found.append("casualties_from: hatred has no effect on those whose frenzy silences it (hatred_while_frenzied)")
    alone, together = question.alone, question.together
    if alone is not None and not _is_all_alone(question):
        found.append("no test: all alone needs two opponents or more and no friend near (MD-5)")
    elif alone is not None and alone.edge is None and alone.edge_behind is None:
        found.append("alone: no edge is given, so every edge is far and he never reaches one")
    if alone is not None and _is_all_alone(question) and not _can_flee(question):
        found += [
            f"alone: {key} has no effect: he never flees on after a first run (MD-6)"
            for key in ("rally_leader", "charged")
            if getattr(alone, key)
        ]
    found += _of_combat(question)
    if together is not None and together.best_other is not None:
        if not together.rout_test:
            found.append("together: best_other has no effect: there is no rout test (MD-1)")
        elif not together.p_out + together.p_stunned:
            found.append("together: best_other has no effect: the leader is neither out of action nor stunned (MD-1)")
    if together is not None and not (together.rout_test or any(each.near_leader for each in together.warriors)):
        found.append("together: the leader has no effect: nobody tests near him, and no rout test is due (MD-1, MD-4)")
    for near in _leaders_near(question):
        if near.state != "standing":
            of_whom = f"the leader is {near.state} and lends no Leadership"
            found.append(f"{near.where}: {of_whom if near.leader else 'leader_state has no effect: no leader'} (MD-4)")
        elif near.leader is not None and near.tests and near.leader <= near.own:
            found.append(f"{near.where}: the leader's {near.leader} is no better than {near.own}: no effect (MD-4)")
    if question.turns is not None and not (question.warband or alone or question.stupidity):
        found.append("turns has no effect: a combat has rounds, and tests together are of one turn")
    return tuple(found)


def _of_combat(question: Question) -> Iterator[str]:
    """What has no effect in a combat."""
    fought = question.combat
    if fought is None:
        return
    for name, (side, tests) in _combat_sides(question).items():
        if side.leader is not None and not tests:
            yield f"combat.{name}: no test of fear, so a leader near has no effect (MD-9)"
        for key in ("causes_fear", "immune_to_psychology"):
            without = fought.model_copy(update={name: side.model_copy(update={key: False})})
            if getattr(side, key) and combat.duel_of(without)[:2] == combat.duel_of(fought)[:2]:
                yield f"combat.{name}: {key} has no effect: it changes no test of fear (MD-9)"
        if side.hatred and _is_silenced(side, question.ruleset):
            yield f"combat.{name}: hatred has no effect: his frenzy silences it (hatred_while_frenzied)"
        if side.knocked_down and not (side.frenzy and fought.rounds > 1):
            why = "one round is fought" if side.frenzy else "there is no frenzy to lose"
            yield f"combat.{name}: knocked_down has no effect: {why} (MD-7)"
