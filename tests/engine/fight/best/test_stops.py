"""Where moves may end: at a range of a row of the unit, whatever move it is and whatever the unit does after it."""

import random
from fractions import Fraction

import pytest

from analyser import InputError, best_play, duel
from analyser.results.best_play_table import option_in_words
from analyser.results.duel_solution import solved_duel
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.policy_lines import lines_of
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as

SAME = 1e-12
# The chance that one die hits at all (AC-3.4): strikes and heroic strikes are three faces of six, and a glancing strike
# is rolled again if the attack is neutral, a miss too if it is improved.
WEAKENED = Fraction(1, 2)
NEUTRAL = Fraction(1, 2) + Fraction(1, 6) * Fraction(1, 2)
IMPROVED = Fraction(1, 2) + Fraction(2, 6) * Fraction(1, 2)


def gun(long, *qualities, short=None, name="gun", dice=1):
    bands = [{"first": 1, "last": 9, "dice": dice}]
    row = {"id": name, "name": name, "kind": "ranged", "against": ["light"], "bands": bands, "long_range": long}
    return row | {"qualities": list(qualities)} | ({} if short is None else {"short_range": short})


def unit(speed, *rows, **more):
    """A unit of one model, which a hit destroys; it takes no tests."""
    keys = {"type": "infantry", "models": 1, "defence": 1, "damage_limit": 1, "discipline": None, "victory_points": 1}
    return {**keys, "category": "light", "speed": speed, "rows": list(rows)} | more


def scenario(a, b, **terms):
    """A duel in which both play best, A first."""
    return {"duel": {"policy_a": "best", "policy_b": "best", "first": "a"} | terms, "a": a, "b": b}


BATTERY = unit(0, gun(12))  # who is further away than 12 inches is safe from it


@pytest.mark.parametrize(
    ("speed", "row", "distance", "rounds", "kills", "does"),
    [
        # A full advance ends at 12 inches, where the guns fire back; Move or Fire is not fired after an advance (AC-6),
        # but on lookout as the guns act (AC-4.2: the penalty of opportunity fire).
        (6, gun(16, "Move or Fire"), 18, 1, WEAKENED, "close in to range and go on lookout"),
        (6, gun(16, "Reactive"), 18, 1, WEAKENED, "close in to range and go on lookout"),
        # Double time all the way ends at 12 inches. From 16, in the next round, the gun is aimed.
        (5, gun(16, "Move or Fire"), 22, 2, IMPROVED, "double time to range"),
        # A whole retreat ends beyond the range.
        (8, gun(16), 10, 1, NEUTRAL, "retire to range and shoot"),
    ],
)
def test_a_move_that_stops_at_a_range_is_worth_this(speed, row, distance, rounds, kills, does):
    """A is never shot at: it wins if it kills, else it draws."""
    play = best_play(scenario(unit(speed, row), BATTERY, distance=distance, rounds=rounds))
    assert play.value == pytest.approx(float(kills + (1 - kills) / 2), abs=SAME)
    assert play.plan("a")[0]["do"] == does


@pytest.mark.parametrize(("row", "reach"), [(gun(16), "range"), (gun(30, short=16), "short range"), (gun(16), "16")])
def test_lines_stop_at_ranges_at_double_time(row, reach):
    """A fires from 16 inches, aimed, where the guns do not reach it; all its way at double time ends at 12."""
    lines = [f"double time to {reach} if the enemy is beyond 16", "aim and shoot"]
    found = duel(scenario(unit(5, row), BATTERY, distance=22, rounds=2, policy_a=lines, policy_b="shoot"))
    ends = [found.probability(end).probability for end in ("a_wins", "b_wins")]
    assert ends == [pytest.approx(float(IMPROVED), abs=SAME), 0]


def stepped(duel, step):
    return best_play(duel | {"duel": duel["duel"] | {"step": step}}).value


def roaming(seed):
    """Two units that move, with rows of several ranges; they fall back, and the enemy often follows a tactic."""
    rng = random.Random(f"roaming {seed}")

    def some():
        count, more = rng.randint(1, 2), rng.choice(((), (), ("Move or Fire",)))
        rows = [
            gun(rng.randint(8, 32) / 2, *more, short=rng.choice((None, None, 3)), name=f"row-{each}", dice=each + 1)
            for each in range(count)
        ]
        return unit(rng.randint(2, 7), *rows, models=rng.randint(1, 2), discipline=rng.choice((None, 7)))

    enemy = rng.choice(("best", "shoot", "shoot", "lookout"))
    terms = {"distance": rng.randint(10, 24), "rounds": rng.randint(2, 3), "first": rng.choice("ab"), "policy_b": enemy}
    return scenario(some(), some(), **terms, want=rng.choice(("win", "margin", "survival")))


@pytest.mark.parametrize("seed", range(40))
def test_no_step_finds_more(seed):
    """No set of places is worth more than all that count, and all of them with others are worth the same."""
    duel = roaming(seed)
    value = best_play(duel).value
    if duel["duel"]["policy_b"] != "best":
        assert all(stepped(duel, step) <= value + SAME for step in (0.75, 1, 1.5, 2, 3, 60))
    assert stepped(duel, 0.25) == stepped(duel, 0.5) == pytest.approx(value, abs=SAME)


def test_who_has_failed_to_rally_may_still_move():
    """The movement step is left (AC-5.6): out of reach of guns that would hit for certain."""
    terms = {"distance": 12, "rounds": 1, "want": "survival", "policy_b": "shoot"}
    rigged = {"ruleset": {"die": {"strike": 1}, "deck": {"12": 1}}}
    shaken = unit(6, gun(5), discipline=6, suppressed=True)
    assert best_play(scenario(shaken, BATTERY, **terms) | rigged).value == 1
    assert best_play(scenario(shaken | {"speed": 0}, BATTERY, **terms) | rigged).value == 0


def test_each_order_of_a_plan_is_read_as_itself():
    """Of a unit with several rows, one of them for opportunity fire only, with edges and a step."""
    rows = gun(16, "Slow to Fire", short=8), gun(12, "Move or Fire", name="mortar"), gun(10, "Reactive", name="flak")
    a = unit(4, *rows, edge_distance=9, rules=["All-Out Attack (2)"])
    play = solved_duel(load_as(DuelScenario, scenario(a, BATTERY, distance=18, rounds=1, step=2)))
    chooser = play.chooser_at(0)
    assert {option.stop ^ STOP_IS_DISTANCE for option in chooser.options if option.stop > STOP_IS_DISTANCE} == {
        800,
        1000,
        1200,
        1600,
    }
    for option in chooser.options:
        if option.manoeuvre == Manoeuvre.STAY and option.action == Action.SHOOT:
            continue  # which who shoots from where it stands does unaimed, and says nothing of
        words = option_in_words(option, chooser)
        (line,) = lines_of(words, "words")
        salvo = chooser.salvo_in_words(line.row)
        assert (line.manoeuvre, line.action, chooser.stop_of(line, salvo)) == (*option[:2], option.stop), words
        assert option.action != Action.SHOOT or chooser.salvos[salvo] == option.shots, words


def test_a_distance_at_which_no_move_ends_is_refused():
    play = best_play(scenario(unit(4, gun(16, short=8)), BATTERY, distance=18, rounds=1))
    with pytest.raises(
        InputError, match=r"'close in to 9 inches.*: no move ends 9 inches from the enemy \(allowed: 8, 16\)"
    ):
        play.solution.plan_of_lines(0, lines_of("close in to 9 inches and shoot", "policy"))
