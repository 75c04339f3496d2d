"""Best play beside all plans of tiny duels, beside tactics, and beside the engine of distributions."""

import random
import time
from itertools import product

import numpy as np
import pytest

from analyser import InputError, duel, load_profiles
from analyser.common.jit import interpreted
from analyser.engine.fight import strikes
from analyser.engine.fight.best.choice_program import FIRST, GUARD, RETALIATION, SUBJECT, TO
from analyser.engine.fight.exact.distribution import Joint, fused_from
from analyser.engine.fight.exact.propagate import after_operation
from analyser.engine.fight.exact.strike import after_strike, none_known, pool_cache_for
from analyser.engine.fight.program import Kind, dice_of
from analyser.game.ruleset import Rating
from analyser.results.play import UNSURE, likely_size, play_of
from analyser.rules import unit_state
from analyser.rules.structs import NONE
from analyser.scenarios.duel import DuelScenario, course_of, shooters_of
from analyser.scenarios.load import load_as

SAME = 1e-12
SHORT, LONG = 6, 12


def unit(models=1, dice=1, **more):
    """A small unit with a ranged row, and one for close quarters."""
    rows = [
        {
            "id": "rifles",
            "name": "Rifles",
            "kind": "ranged",
            "against": ["light", "heavy"],
            "short_range": SHORT,
            "long_range": LONG,
            "bands": [{"first": 1, "last": 999, "dice": dice}],
            "qualities": [],
        },
        {
            "id": "blades",
            "name": "Blades",
            "kind": "melee",
            "bands": [{"first": 1, "last": 999, "dice": dice + 1}],
            "qualities": [],
        },
    ]
    keys = {"type": "infantry", "models": models, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 0}
    return {**keys, "category": "light", "victory_points": 1, "speed": 3, "rows": rows} | more


def played(a=None, b=None, **terms):
    """The play of a duel of small units in which both play best."""
    given = {"policy_a": "best", "policy_b": "best", "first": "a", "rounds": 1} | terms
    return play_of(load_as(DuelScenario, {"duel": given, "a": a or unit(), "b": b or unit()}))


def choices_of(play):
    """The (round, node) of every choice that a side has, those of each side together."""
    edges, found = play.game.edges, ([], [])
    for number, place in product(range(play.game.rounds), play.places):
        bounds = edges.bounds[place.place]
        for node in range(bounds[0], bounds[number + 1]):
            if edges.begins[node + 1] - edges.begins[node] > 1:
                found[place.side].append((number, node, int(edges.begins[node + 1] - edges.begins[node])))
    return found


def subjects_of(play, side):
    """What a side has a choice of."""
    places, rules = play.game.places, play.game.rules
    return {int(rules.places[places[node], SUBJECT]) for _, node, _ in choices_of(play)[side]}


def plans_of(play, side):
    """Every plan of a side; the other one's is that of best play."""
    choices = choices_of(play)[side]
    for taken in product(*(range(number) for _, _, number in choices)):
        plan = play.plan.copy()
        for (number, node, _), edge in zip(choices, taken):
            plan[number, node] = edge
        yield plan


@pytest.mark.parametrize("want", ["win", "margin", "points", "survival"])
def test_no_plan_of_a_tiny_duel_does_better(want):
    play = played(unit(discipline=None), unit(discipline=None, rows=unit()["rows"][:1]), policy_b="shoot", want=want)
    values = [play.following(plan) for plan in plans_of(play, 0)]
    assert len(values) > 4
    assert max(values) == play.value


def test_of_all_plans_of_both_sides_best_play_is_the_saddle_point():
    play = played(unit(rows=unit()["rows"][:1]), unit(rows=unit()["rows"][:1]))
    assert max(play.following(plan) for plan in plans_of(play, 0)) == play.value
    assert min(play.following(plan) for plan in plans_of(play, 1)) == play.value


def blade(name, dice, *qualities, last=999):
    """A melee row."""
    bands = [{"first": 1, "last": last, "dice": dice}]
    return {"id": name, "name": name.title(), "kind": "melee", "bands": bands, "qualities": list(qualities)}


@pytest.mark.parametrize("want", ["win", "survival", "margin"])
def test_no_plan_of_striking_back_does_better(want):
    """With each row, with Overcharge or without: B has only that to choose (AC-8.3, AC-6)."""
    swords, lances = blade("swords", 1), blade("lances", 2, "Overcharge")
    charger = unit(2, rows=[blade("pikes", 2)], discipline=None, rules=["Run Amok"])
    play = played(charger, unit(2, rows=[swords, lances], discipline=None), want=want, policy_a="charge")
    values = [play.following(plan) for plan in plans_of(play, 1)]
    assert RETALIATION in subjects_of(play, 1)
    assert len(values) > 4
    assert max(values) == play.value > min(values)


def test_a_row_without_dice_is_no_way_to_decline_to_strike():
    """One model is left of two: who has a score with it must strike (AC-8.3), whatever comes first."""
    rows = [blade("pikes", 1) | {"bands": [{"first": 2, "last": 2, "dice": 1}]}, blade("knives", 1)]
    charger = unit(1, rows=[blade("swords", 1)], rules=["Run Amok"], discipline=None)
    play = played(charger, unit(1, rows=rows, discipline=None), policy_a="charge", want="survival")
    knives = played(charger, unit(1, rows=rows[1:], discipline=None), policy_a="charge", want="survival")
    assert play.value == knives.value < 1
    assert RETALIATION not in subjects_of(play, 1)


@pytest.mark.parametrize("distance", [None, 9.0])
@pytest.mark.parametrize("first", ["a", "random"])
def test_a_tactic_in_the_graph_is_the_tactic_of_a_duel(distance, first):
    terms = {"rounds": 2, "first": first} | ({} if distance is None else {"distance": distance})
    a, b = unit(2), unit(1, suppressed=True)
    play = played(a, b, **terms)
    for mine, yours in product(play.tactics(0), play.tactics(1)):
        both, theirs = play.plan_of_tactic(0, mine), play.plan_of_tactic(1, yours)
        for place in play.places:
            if place.side == 1:
                nodes = play.game.nodes_of(place.place)
                both[:, nodes] = theirs[:, nodes]
        found = duel(a, b, policy_a=mine, policy_b=yours, **terms)
        expected = found.probability("a_wins").probability + found.probability("draw").probability / 2
        assert play.following(both) == pytest.approx(expected, abs=SAME), (mine, yours)


@pytest.mark.parametrize("distance", [None, 9.0])
def test_no_tactic_does_better_and_nobody_can_exploit_it(distance):
    terms = {"rounds": 3, "first": "random"} | ({} if distance is None else {"distance": distance})
    play = played(unit(2), unit(2), **terms)
    assert play.exploitability < SAME
    for side, sign in ((0, 1), (1, -1)):
        for name in play.tactics(side):
            assert sign * (play.value - play.following(play.plan_of_tactic(side, name))) >= -SAME
            assert sign * (play.value - play.against(play.plan_of_tactic(side, name), 1 - side)) >= -SAME


def test_random_plans_lie_between_the_best_answers_to_them():
    play, rng = played(unit(2), unit(2), rounds=2), np.random.default_rng(1)
    choices = choices_of(play)
    for _ in range(10):
        plan = play.plan.copy()
        for number, node, count in (*choices[0], *choices[1]):
            plan[number, node] = rng.integers(count)
        value = play.following(plan)
        assert play.against(plan, 1) - SAME <= value <= play.against(plan, 0) + SAME
        assert play.against(plan, 0) >= play.value - SAME >= play.against(plan, 1) - 2 * SAME


class Propagation:
    """The distribution of a play under its plan by the engine of distributions: no edge of the graph is looked at."""

    def __init__(self, play):
        self.play, self.rules, self.setup = play, play.game.rules, play.setup
        rolls = dice_of(self.setup, 1 + self.rules.operations[self.rules.operations[:, 0] == Kind.STRIKE, 2].max())
        ruleset = play.scenario.ruleset
        places = (np.cumsum(rolls).reshape(rolls.shape) - 1) * len(Rating)
        self.cache = pool_cache_for(self.setup, places, np.array(ruleset.die.faces), ruleset.deck.counts())
        self.taken = {}
        for place in play.places:
            nodes = play.game.nodes_of(place.place)
            for node in range(nodes.start, nodes.stop):
                pair = int(play.game.first[node]), int(play.game.second[node])
                self.taken[place.place, pair] = [
                    int(play.game.branches_at(node)[play.plan[number, node]]) for number in range(play.game.rounds)
                ]

    def at_the_end(self):
        """{pair of states: chance} after all rounds."""
        law = {(int(self.play.game.first[0]), int(self.play.game.second[0])): 1.0}
        for number in range(self.play.game.rounds):
            going_on = {pair: chance for pair, chance in law.items() if not any(map(unit_state.is_removed, pair))}
            waiting, law = {self.rules.begins_at: going_on}, {pair: law[pair] for pair in law if pair not in going_on}
            while waiting:
                place = max(waiting)
                for to, pair, chance in self.after(place, number, waiting.pop(place)):
                    into = law if to == 0 else waiting.setdefault(to, {})
                    into[pair] = into.get(pair, 0.0) + chance
        return law

    def after(self, place, number, law):
        """The (place, pair, chance) that follow a place."""
        first, count, after, chooser, _ = self.rules.places[place].tolist()
        if chooser != NONE:
            for pair, chance in law.items():
                known = self.taken.get((place, pair))
                branch = self.forced(place, pair) if known is None else known[number]
                yield int(self.rules.branches[first + branch, TO]), pair, chance
            return
        firsts, seconds = (sorted({pair[side] for pair in law}) for side in (0, 1))
        table = np.zeros((len(firsts), len(seconds)))
        for (one, two), chance in law.items():
            table[firsts.index(one), seconds.index(two)] += chance
        joint, known, done = Joint(np.array(firsts), np.array(seconds), table), none_known(), 0
        operations = self.rules.operations[first : first + count]
        while done < count:
            fused, done = fused_from(operations, done, count)
            if fused.operation[0] == Kind.STRIKE:
                joint, known = after_strike(self.setup, fused, joint, self.cache, known)
            else:
                joint = after_operation(self.setup, fused, joint, self.cache)
        for row, column in zip(*np.nonzero(joint.probabilities)):
            yield after, (int(joint.first[row]), int(joint.second[column])), joint.probabilities[row, column]

    def forced(self, place, pair):
        """The only branch there is: to hold fire, unless nothing else can be done."""
        first, count = self.rules.places[place, [FIRST, FIRST + 1]].tolist()
        can = [
            branch
            for branch in range(count)
            if (guard := int(self.rules.branches[first + branch, GUARD])) == NONE
            or strikes.is_made(
                self.setup, int(self.rules.operations[guard, 2]), int(self.rules.operations[guard, 1]), pair
            )
        ]
        assert can == [0]
        return 0


def test_the_value_is_what_the_engine_of_distributions_makes_of_the_plan():
    play = played(unit(2), unit(2), rounds=2, first="random")
    with interpreted():
        law = Propagation(play).at_the_end()
    assert sum(law.values()) == pytest.approx(1, abs=SAME)
    worth = {(int(one), int(two)): value for one, two, value in zip(play.game.first, play.game.second, play.final)}
    assert sum(chance * worth[pair] for pair, chance in law.items()) == pytest.approx(play.value, abs=SAME)


def test_what_is_too_large_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr("analyser.results.play.game_of", None)  # it is not even begun
    with pytest.raises(InputError, match=r"about .* ways to go on.*fewer rounds or models"):
        played(unit(200), unit(200), rounds=6)


@pytest.mark.slow
def test_the_largest_duels_are_refused_in_a_second(monkeypatch):
    monkeypatch.setattr("analyser.results.play.game_of", None)
    castellans = "imperium/teutonic-armiger-castellans@full-strength"
    terms = {"policy_a": "best", "policy_b": "best", "distance": 17.5}
    scenario = load_as(DuelScenario, {"duel": terms, "a": {"unit": castellans}, "b": {"unit": castellans}})
    likely_size(scenario)  # by now all is compiled
    began = time.process_time()
    with pytest.raises(InputError, match=r"about 80,000,000 ways to go on.*multiple of the SPEEDs"):
        play_of(scenario)
    assert time.process_time() - began < 1


@pytest.mark.proof
@pytest.mark.parametrize("distance", [None, 12, 17.5])
@pytest.mark.parametrize("rounds", [2, 6])
def test_no_more_is_told_beforehand_than_there_is(rounds, distance):
    """The size that a duel is refused by is never beyond that which it has."""
    units = [each for each in load_profiles().matching("*/*@reinforced") if each.unit.type != "aircraft"]
    rng = random.Random(f"{rounds} {distance}")
    for _ in range(3):
        a, b = rng.sample(units, 2)
        terms = {"policy_a": "best", "policy_b": "best", "rounds": rounds, "first": "a"}
        terms |= {} if distance is None else {"distance": distance}
        scenario = load_as(DuelScenario, {"duel": terms, "a": {"unit": a}, "b": {"unit": b}})
        try:
            shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
            course_of(shooters, scenario.terms)
        except InputError:  # there are more places than a state has room for
            continue
        assert likely_size(scenario) <= UNSURE * len(play_of(scenario).game.edges.to)


def test_what_turns_out_too_large_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr("analyser.results.play.NEAR", 1e9)
    scenario = {"duel": {"policy_a": "best", "policy_b": "best"}, "a": unit(3), "b": unit(3)}
    with pytest.raises(InputError, match=r"more than 1,000 ways to go on, from"):
        play_of(load_as(DuelScenario, scenario), most_edges=1000)
