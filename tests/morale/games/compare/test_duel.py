"""A duel as a stream of losses: how its rounds hang together, against a plain reading, by hand, and rolled."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from analyser import api, morale
from analyser.common.errors import InputError
from analyser.common.sampling import Sampling
from analyser.morale.games.compare import tables
from analyser.results.states import models_destroyed
from tests.oracle import plain_compare, plain_duel
from tests.oracle.morale_checks import assert_counts_fit, rows

FATES = ("p_steady", "p_shaken", "p_routed", "p_gone")
OTHERS = ("legion", "grande-tactique", "warmaster", "mordheim")
RIFLES, GRENADIERS = "crown/rifle-p@basic", "imperium/scion-grenadier-p@basic"
SHOOT_OUT = {"a": RIFLES, "b": GRENADIERS}
DIE = {"strike": 1, "blank": 1}
DECK = {str(card): 1 for card in range(1, 13)}
PASSES, FAILS = {"1": 1}, {"12": 1}
HIT = {"strike": 1}


def unit(models, dice, **facts):
    """A unit each hit on which costs a model, and which throws so many dice however many it is; never broken."""
    row = {"id": "rifles", "name": "Rifles", "kind": "ranged", "against": ["light"], "qualities": []}
    row |= {"short_range": 4, "long_range": 12, "bands": [{"first": 1, "last": 12, "dice": dice}]}
    unit_ = {"type": "infantry", "models": models, "defence": 1, "damage_limit": 1, "discipline": 8}
    return unit_ | {"victory_points": 1, "rows": [row], **facts}


def question(a, b, die=DIE, deck=DECK, **more):
    terms = {"rounds": 2, "first": "b", "policy_a": "take_cover"} | more.pop("duel", {})
    return {"a": a, "b": b, "duel": terms, "ruleset": {"armoured_clash": {"die": die, "deck": deck}}, **more}


def fates(asked, system):
    """P(steady), P(shaken), P(routed), P(gone), round by round."""
    found = rows(morale.exact("compare", asked))
    return [[row[name] for name in FATES] for (_, named), row in found.items() if named == system]


def ready(asked):
    return morale.load_question("compare", asked)


# --- by hand --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", OTHERS)
def test_a_duel_that_goes_one_way_is_a_list_of_losses(system):
    """Two hits a round on 6 models, all tests passed: as losses of 2, 2 and 2."""
    asked = question(unit(6, 0), unit(3, 2), HIT, PASSES, duel={"rounds": 3, "policy_a": "shoot"}, nerve=2 / 3)
    asked["a"]["rows"][0]["bands"][0]["dice"] = 1
    listed = {"models": 6, "losses": [2, 2, 2], "rounds": 3, "nerve": 2 / 3}
    asked["b"]["models"] = 12  # is never destroyed
    assert fates(asked, system) == [pytest.approx(row, abs=1e-12) for row in fates(listed, system)]


def test_a_unit_that_breaks_loses_no_more():
    """Two of 4 destroyed, BREAK LIMIT 3, every card a 12: broken, with 2 models that no other system loses (AC-5.4)."""
    asked = question(unit(4, 1, break_limit=3), unit(4, 2), HIT, FAILS, duel={"rounds": 3})
    stream = tables.exact_stream(ready(asked))
    assert stream.paths.numbers.tolist() == [[2, 0, 0]]
    assert fates(asked, "armoured-clash") == [[0, 0, 0, 1]] * 3
    assert fates(asked, "warmaster") == [pytest.approx([25 / 36, 11 / 36, 0, 0]), *[[1, 0, 0, 0]] * 2]


def test_losses_of_different_rounds_hang_together():
    """A die on 1 model, B first: it falls in round 1 or 2 or 3, one half, a quarter, an eighth, never twice."""
    asked = question(unit(1, 1), unit(1, 1), duel={"rounds": 3})
    paths = tables.exact_stream(ready(asked)).paths
    found = {tuple(numbers): weight for numbers, weight in zip(paths.numbers.tolist(), paths.weights.tolist())}
    assert found == {(0, 0, 0): 1 / 8, (1, 0, 0): 1 / 2, (0, 1, 0): 1 / 4, (0, 0, 1): 1 / 8}


def test_the_other_side_s_losses():
    asked = question(unit(3, 1), unit(3, 2), HIT, PASSES, side="b")
    assert tables.exact_stream(ready(asked)).paths.numbers.tolist() == [[0, 0]]


def test_the_nerve_is_that_of_the_unit():
    """DISCIPLINE 5 of 12 cards; it can be stated."""
    asked = question(unit(2, 1, discipline=5), unit(2, 1))
    assert ready(asked).nerve == pytest.approx(5 / 12)
    assert ready(asked | {"nerve": 0.9}).nerve == 0.9


# --- the plain reading ----------------------------------------------------------------------------------------------

MODELS, ROUNDS = 6, 2


def plain_scenario(asked):
    terms = {"rounds": ROUNDS, "first": "random", "policy_a": "shoot", "policy_b": "shoot"}
    sides = {side: asked[side] | {"rows": [without_name(row) for row in asked[side]["rows"]]} for side in "ab"}
    return sides | terms | {"ruleset": {"die": DIE, "deck": DECK}}


def without_name(row):
    return {key: value for key, value in row.items() if key not in ("id", "name")}


NERVE = {"legion": {"courage": 2}, "grande_tactique": {"check_target": 5}, "mordheim": {"leadership": 8}}


def plain_fates(asked, system):
    """Each pair of a duel and the unit's state in another system, as dictionaries of fractions."""
    field, start, _, first = plain_duel.read(plain_scenario(asked))
    kind = next(kind for kind in plain_compare.GAMES if kind.name == system)
    game = kind({"models": MODELS, "edge_distance": asked["edge_distance"], **NERVE})
    law = {(start, game.start): Fraction(1)}
    for _ in range(ROUNDS):
        fought = defaultdict(Fraction)
        for (before, state), chance in law.items():
            for after, share in plain_duel.one_round(field, before, first).items():
                lost = before.a.unit.models - after.a.unit.models
                attacked = plain_compare.unless_gone(lambda state, lost=lost: game.attacked(state, lost))
                for end, more in attacked(state).items():
                    fought[after, end] += chance * share * more
        law = beside(fought, game.tested)
        fates_ = defaultdict(Fraction)
        for (_, state), chance in law.items():
            fates_["p_gone" if state == "gone" else f"p_{game.fate(state)}"] += chance
        yield [float(fates_[name]) for name in FATES]
        law = beside(law, game.acts)


def beside(law, rule):
    """The law after a rule about the unit, with the duel beside it."""
    following = defaultdict(Fraction)
    for (duel, state), chance in law.items():
        for after, share in plain_compare.unless_gone(rule)(state).items():
            following[duel, after] += chance * share
    return following


COIN_FIGHT = question(
    unit(MODELS, 2), unit(3, 3), duel={"rounds": ROUNDS, "first": "random", "policy_a": "shoot"}, edge_distance=6.0
)


@pytest.mark.slow
@pytest.mark.parametrize("system", OTHERS)
def test_against_the_plain_reading(system):
    found = fates(COIN_FIGHT, system)
    for turn, expected in enumerate(plain_fates(COIN_FIGHT, system)):
        assert found[turn] == pytest.approx(expected, abs=1e-12)


def test_armoured_clash_against_the_plain_reading():
    """Gone, and suppressed or disordered: a unit that fell back is suppressed."""
    for law, found in zip(plain_duel.laws(plain_scenario(COIN_FIGHT)), fates(COIN_FIGHT, "armoured-clash")):
        gone = sum(chance for each, chance in law.items() if each.a.unit.fate)
        shaken = sum(chance for each, chance in law.items() if each.a.unit.suppressed or each.a.unit.disordered)
        assert found[3] == pytest.approx(float(gone), abs=1e-12)
        assert found[1] + found[2] == pytest.approx(float(shaken), abs=1e-12)


# --- the duel command, and the dice ---------------------------------------------------------------------------------


def test_what_is_lost_by_each_round_is_what_the_duel_says():
    paths = tables.exact_stream(ready(SHOOT_OUT)).paths
    result = api.duel(RIFLES, GRENADIERS)
    for turn, endings in enumerate(result.moments):
        by_duel = np.bincount(models_destroyed(endings.first, 6), endings.weights, 7)
        by_path = np.bincount(paths.numbers[:, : turn + 1].sum(axis=1), paths.weights, 7)
        assert by_path == pytest.approx(by_duel, abs=1e-12)


@pytest.mark.parametrize("side", ["a", "b"])
def test_how_a_unit_stands_is_what_the_duel_says(side):
    """Rounds after an annihilation are not played here, and change nothing there (AC-9.2)."""
    stream = tables.exact_stream(ready(SHOOT_OUT | {"side": side}))
    for found, endings in zip(stream.fates, api.duel(RIFLES, GRENADIERS).moments):
        words = endings.first if side == "a" else endings.second
        assert found == pytest.approx(np.bincount(tables.fates_of(words), endings.weights, len(FATES)), abs=1e-12)


def rolled(asked, trials, seed, threads=1):
    return tables.weights(ready(asked), Sampling("monte-carlo", trials, seed, threads=threads))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("asked", [COIN_FIGHT, SHOOT_OUT | {"side": "b", "duel": {"rounds": 3}}])
def test_the_dice_agree_with_the_laws(asked, seed):
    trials = 60_000
    exact, sample = tables.weights(ready(asked), Sampling()), rolled(asked, trials, seed)
    for system, laws in exact.items():
        assert np.isin(sample[system].states, laws.states).all()
        size = int(laws.states.max()) + 1
        for law, counts in zip(laws.of_all(size), sample[system].of_all(size)):
            assert_counts_fit(counts, law, trials)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whole_paths_are_as_frequent_as_they_are_likely(seed):
    law = tables.exact_stream(ready(COIN_FIGHT)).paths
    sample = tables.sampled_stream(ready(COIN_FIGHT), Sampling("monte-carlo", 60_000, seed, threads=1)).paths
    seen = dict(zip(map(tuple, sample.numbers.tolist()), sample.weights.tolist()))
    found = np.array([seen.pop(tuple(numbers), 0) for numbers in law.numbers.tolist()])
    assert not seen
    assert_counts_fit(found, law.weights, 60_000)


def test_same_seed_same_bits():
    counts = [rolled(COIN_FIGHT, 30_000, 5, threads) for threads in (1, 2, 3)]
    for other in counts[1:]:
        assert all((other[name].weights == counts[0][name].weights).all() for name in other)
    another = rolled(COIN_FIGHT, 30_000, 6)
    assert any((another[name].weights != counts[0][name].weights).any() for name in another)


def test_batches_are_duels_of_their_own(monkeypatch):
    monkeypatch.setattr(tables, "BATCH", 20_000)
    stream = tables.sampled_stream(ready(COIN_FIGHT), Sampling("monte-carlo", 50_000, 1, threads=1))
    for counts, law in zip(stream.fates, tables.exact_stream(ready(COIN_FIGHT)).fates):
        assert_counts_fit(counts, law, 50_000)
    half = tables.sampled_stream(ready(COIN_FIGHT), Sampling("monte-carlo", 20_000, 1, threads=1))
    assert (stream.fates != half.fates * 5 // 2).any()


# --- what is said ---------------------------------------------------------------------------------------------------


def test_an_echoed_duel_gives_the_same_answer():
    result = morale.exact("compare", COIN_FIGHT).as_dict()
    assert morale.exact("compare", result["question"]).as_dict() == result


def test_the_answer_says_how_the_losses_were_read():
    result = morale.exact("compare", SHOOT_OUT)
    assert "Armoured Clash: AC-9.2" in result.rules_applied
    assert any("destroyed by damage" in each for each in result.warnings)
    assert any("cards with replacement" in each for each in result.not_modelled)


@pytest.mark.parametrize("limit", ["MOST_PATHS", "MOST_STATES", "MOST_ENTRIES"])
def test_a_duel_with_too_many_paths_is_refused(monkeypatch, limit):
    monkeypatch.setattr(tables, limit, 10)
    with pytest.raises(InputError, match="fewer rounds or models; --method monte-carlo"):
        morale.exact("compare", SHOOT_OUT)
    assert morale.simulate("compare", SHOOT_OUT | {"duel": {"rounds": 2}}, 1000).trials == 1000


def test_progress_is_told_round_by_round(monkeypatch):
    monkeypatch.setattr(tables, "BATCH", 2_000)
    told = []
    morale.simulate("compare", COIN_FIGHT, 3_000, progress=lambda *done: told.append(done))
    assert told == [(1_000, 3_000), (2_000, 3_000), (2_500, 3_000), (3_000, 3_000)]
