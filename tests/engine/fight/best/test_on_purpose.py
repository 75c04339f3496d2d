"""That best play loses nothing where it is not asked whether to fail a test on purpose (AC-5.1).

Who failed a single test on purpose, and played best before and after, would come to the situation after the failure
instead of both by chance. If none of these is better for its unit than the one after a pass, no such choice gains
anything, nor do several of them (backward induction). It is asked of attacks and lost combats with a distance, of who
runs amok, is in a building or has Overcharge, and against Cryo, Hunter and Spectacular Demise.
"""

import random

import numpy as np
import pytest

from analyser import InputError, best_play, load_profiles
from analyser.engine.fight import operations
from analyser.engine.fight.best.choice_program import FIRST, TEST
from analyser.engine.fight.program import Kind
from analyser.results.play import play_of
from analyser.rules import close_quarters, discipline
from analyser.rules.structs import NONE
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from tests.oracle import fights_by_engine as engine
from tests.oracle.random_fights import DUEL_MAKERS, random_blades, random_fights, random_retreat

SAME = 1e-12
FEW = 3  # models of a side


def some_plays(seed, count, distances):
    """Plays of shipped units, a few models each; A plays best."""
    units = [each for each in load_profiles().matching("*/*@basic") if each.unit.type != "aircraft"]
    rng, found = random.Random(seed), []
    while len(found) < count:
        sides = [{"unit": each.selector, "models": min(FEW, each.level.models)} for each in rng.sample(units, 2)]
        distance = rng.choice(distances)
        terms = {"policy_a": "best", "policy_b": rng.choice(["best", "best", "shoot", "take_cover"])}
        terms |= {"want": rng.choice(["win", "margin", "points", "survival"]), "rounds": rng.choice([2, 4])}
        terms |= {} if distance is None else {"distance": distance}
        try:
            found.append(play_of(load_as(DuelScenario, {"duel": terms, "a": sides[0], "b": sides[1]})))
        except InputError:  # B cannot shoot
            continue
    return found


def with_tests(play):
    """The nodes of tests that can go both ways, and that who plays best is not asked to fail; with their side."""
    game, edges = play.game, play.game.edges
    asked = any(place.subject == TEST for place in play.places)
    for place in range(1, len(edges.choosers)):
        kind, side, _ = game.rules.operations[game.rules.places[place, FIRST]].tolist()
        if edges.choosers[place] != NONE or kind not in (Kind.BEGIN, Kind.RESOLVE) or (asked and kind == Kind.RESOLVE):
            continue
        nodes = game.nodes_of(place)
        for node in range(nodes.start, nodes.stop):
            if edges.begins[node + 1] - edges.begins[node] == 2:
                tested = side if kind == Kind.BEGIN else loser(play, side, node)
                if play.choosers[tested] and not play.shooters[tested].mine.has("Run Amok"):
                    yield place, node, tested


def loser(play, active, node):
    """The side that has lost the combat of the active one."""
    pair = int(play.game.first[node]), int(play.game.second[node])
    won_by = operations.result_of_combat(play.setup, active, pair)
    return 1 - active if won_by == close_quarters.ACTIVE else active


def gains_of_failing(play):
    """What each such test is worth less to its unit passed than failed."""
    game, edges, values, gains = play.game, play.game.edges, play.solved[1], []
    for place, node, side in with_tests(play):
        sign, begin = 1 if side == play.wanter else -1, edges.begins[node]
        to = edges.to[begin : begin + 2]  # passed, failed
        for number in range(game.rounds):
            if node < edges.bounds[place, number + 1]:
                after = np.where(to < game.starts, values[number + 1, to], values[number, to])
                gains.append(sign * (after[1] - after[0]))
    return gains


def gains_of_being_suppressed(play):
    """What each situation is worth more to a unit than the one that is the same but that it is not suppressed."""
    game, values, gains = play.game, play.solved[1], []
    keys = zip(game.places.tolist(), game.first.tolist(), game.second.tolist())
    known = {key: node for node, key in enumerate(keys)}
    for (place, first, second), node in known.items():
        for side, flags in enumerate([(discipline.SUPPRESSED, 0), (0, discipline.SUPPRESSED)]):
            if not play.choosers[side]:
                continue
            other = known.get((place, first & ~flags[0], second & ~flags[1]), node)
            sign = 1 if side == play.wanter else -1
            for number in range(game.rounds):
                if other != node and max(node, other) < game.edges.bounds[place, number + 1]:
                    gains.append(sign * (values[number, node] - values[number, other]))
    return gains


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_test_that_is_not_asked_for_is_better_failed(seed):
    gains = [gain for play in some_plays(seed, 6, [None, 9, 18]) for gain in gains_of_failing(play)]
    assert len(gains) > 1000
    assert max(gains) < SAME
    assert min(gains) < -0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_without_a_distance_nobody_is_better_off_suppressed(seed):
    plays = [play for play in some_plays(seed, 6, [None]) if all(place.subject != TEST for place in play.places)]
    gains = [gain for play in plays for gain in gains_of_being_suppressed(play)]
    assert len(gains) > 1000
    assert max(gains) < SAME
    assert min(gains) < -0.01


# --- asked everywhere, on duels at random ---

EXCEPTIONS = ("none", "Hunter", "Spectacular Demise", "Overcharge", "building")
CARDS = {"1": 1, "3": 1, "5": 1}


def without_distance(made, exception, rng):
    """A duel of two rounds without a distance, in which there is at most one reason to fail tests on purpose."""
    duel = {**made, "rounds": 2, "policy_a": "best", "policy_b": "best"}
    duel.pop("distance", None)
    for name in "ab":
        unit = duel[name]
        unit |= {"models": min(unit["models"], 2), "victory_points": rng.randint(0, 2)}
        for key in ("exposed", "fail_on_purpose"):
            unit.pop(key, None)
        dropped = ("Run Amok", "Throw", "Hunter", "Spectacular")
        unit["rules"] = [rule for rule in unit["rules"] if not rule.startswith(dropped)]
        unit["garrisoned"] = exception == "building" and name == "b"
        unit["type"] = "infantry" if unit["garrisoned"] else unit["type"]
        for row in unit["rows"]:
            row["qualities"] = [each for each in row["qualities"] if each not in ("Cryo", "Overcharge", "Siegebreaker")]
    with_exception(duel, exception)
    return duel


def with_exception(duel, exception):
    """Give both units what may make failing a test worth it."""
    for name in "ab":
        unit = duel[name]
        if exception == "Hunter":
            unit["rules"] = [*unit["rules"], "Hunter"]
        elif exception == "Spectacular Demise":
            unit["rules"] = [*unit["rules"], "Spectacular Demise (3)"]
        elif exception == "building":
            unit["suppressed"] = True  # who is not becomes so first
        elif exception == "Overcharge":
            duel["ruleset"]["deck"] = CARDS
            for row in unit["rows"]:
                row["qualities"] = [*row["qualities"], "Overcharge"]


def values_of(duel, want, monkeypatch):
    """What a duel is worth as it is asked, with every test asked for, and with none."""
    values = [engine.best_play_of(duel, want).value]
    for answer in (True, False):
        with monkeypatch.context() as patched:
            patched.setattr("analyser.scenarios.duel.can_gain", lambda mine, _, answer=answer: answer and may(mine))
            values.append(engine.best_play_of(duel, want).value)
    return values


def may(shooter):
    """Whether a side plays best, and its unit takes tests."""
    return shooter.chooses and shooter.mine.discipline is not None


@pytest.mark.slow
@pytest.mark.parametrize("exception", EXCEPTIONS)
def test_to_ask_for_every_test_gains_nothing_more(exception, monkeypatch):
    """Without a distance, for each reason that there may be; and each of them is one."""
    gained = []
    for seed in range(20):
        rng = random.Random(f"{exception}, {seed}")
        for make in (*DUEL_MAKERS, random_blades, random_retreat):
            (made,) = random_fights(make, f"everywhere {seed}", 1)
            duel = without_distance(made, exception, rng)
            asked, everywhere, nowhere = values_of(duel, rng.choice(("margin", "win", "survival")), monkeypatch)
            assert asked == pytest.approx(everywhere, abs=SAME), duel
            gained.append(abs(everywhere - nowhere))
    if exception != "building":  # it takes an enemy who shoots whatever comes of it: `besieged`, below
        assert (max(gained) > SAME) == (exception != "none")


# --- reasons that are no distance ---


def small(models, *rows, **keys):
    """A unit that a test is asked of."""
    usual = {"defence": 1, "damage_limit": 1, "victory_points": 1, "discipline": 6, "type": "infantry"}
    return {**usual, "category": "light", "models": models, "rows": list(rows), **keys}


def row(kind, dice):
    """A row with as many dice for any number of models."""
    found = {"id": kind, "name": kind.title(), "kind": kind, "bands": [{"first": 1, "last": 9, "dice": dice}]}
    return found | ({"against": ["light", "heavy"], "long_range": 24.0} if kind == "ranged" else {})


def hunted(**keys):
    """B can break before A has won another combat, and another victory point by it (AC-5.4, Hunter in AC-7)."""
    a = small(3, row("melee", 2), rules=["Hunter"])
    terms = {"rounds": 2, "first": "a", "policy_a": "best", "policy_b": "best", "want": "margin"}
    return {"duel": terms, "a": a, "b": small(3, break_limit=2, **keys)}, -1


def besieged(**keys):
    """B, suppressed, falls back out of its building, and can charge (AC-5.4)."""
    b = small(4, row("melee", 6), garrisoned=True, suppressed=True, discipline=9, **keys)
    terms = {"rounds": 1, "first": "a", "policy_a": "shoot", "policy_b": "best", "want": "margin"}
    return {"duel": terms, "a": small(1, row("ranged", 2)), "b": b}, 1


def beside_a_bomb(**keys):
    """B, suppressed by the combat before the Overrun, strikes back less hard (Spectacular Demise in AC-7)."""
    a = small(1, row("melee", 2), rules=["Spectacular Demise (6)", "Overrun"])
    terms = {"rounds": 1, "first": "a", "policy_a": "charge", "policy_b": "best", "want": "survival"}
    return {"duel": terms, "a": a, "b": small(3, row("melee", 1), discipline=9, **keys)}, 1


@pytest.mark.parametrize("made", [hunted, besieged, beside_a_bomb])
def test_who_may_fail_a_test_does_no_worse_than_who_always_does(made, monkeypatch):
    (duel, sign), (stated, _) = made(), made(fail_on_purpose=True)
    free, failing = sign * best_play(duel).value, sign * best_play(stated).value
    assert free >= failing - SAME
    monkeypatch.setattr("analyser.scenarios.duel.can_gain", lambda *_: False)
    assert free > sign * best_play(duel).value + 0.001
