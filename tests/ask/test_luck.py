"""Luck: outcomes against the law, one fight and a whole game, each against sums over all that can happen."""

import random
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

import analyser as an
from analyser.ask.luck_answer import Chance
from analyser.ask.observed_outcome import fight_luck
from tests.oracle.fight_files import row, unit
from tests.oracle.random_scenarios import random_scenarios

RIFLES, KRUPP = "crown/rifle-platoon@reinforced", "imperium/krupp-field-guns@basic"
GRENADIERS = "imperium/scion-grenadier-platoon@basic"


def gone_of(frame, models=6):
    """The enemy's models that are gone, outcome by outcome."""
    return frame["models_destroyed"].where(~frame["annihilated"], models)


def law_of(values, weights):
    return pd.Series(np.bincount(values, weights))


def test_one_figure_against_its_distribution():
    frame = an.attack(RIFLES, GRENADIERS, distance=6).to_frame()
    law = law_of(gone_of(frame), frame["probability"])
    for destroyed in law[law > 0].index:
        chance = an.luck(RIFLES, GRENADIERS, destroyed=destroyed, distance=6).fights[0].chance
        assert chance.worse == pytest.approx(law[law.index < destroyed].sum(), abs=1e-12)
        assert chance.equal == pytest.approx(law[destroyed], abs=1e-12)
        assert chance.as_bad + chance.better == pytest.approx(1, abs=1e-12)
        assert chance.mid_p == pytest.approx(chance.worse + law[destroyed] / 2)


def test_a_joint_event_goes_by_its_figures_in_turn():
    frame = an.attack(RIFLES, GRENADIERS, distance=6).to_frame()
    found = an.luck(RIFLES, GRENADIERS, got={"models_destroyed": 2, "suppressed": True}, distance=6).fights[0].chance
    destroyed, suppressed = gone_of(frame), frame["suppressed"]
    worse = frame[(destroyed < 2) | ((destroyed == 2) & ~suppressed)]["probability"].sum()
    assert found.worse == pytest.approx(worse, abs=1e-12)
    assert found.equal == pytest.approx(frame[(destroyed == 2) & suppressed]["probability"].sum(), abs=1e-12)


def test_own_losses_and_models_left_count_the_other_way():
    charge = an.charge(RIFLES, GRENADIERS)
    lost_in = charge.to_frame()
    gone = lost_in["attacker_models_destroyed"].where(~lost_in["attacker_annihilated"], 12)
    law = law_of(gone, lost_in["probability"])
    lost = an.luck(RIFLES, GRENADIERS, kind="charge", got={"attacker_models_destroyed": 2}).fights[0].chance
    assert lost.worse == pytest.approx(law[3:].sum(), abs=1e-12)
    left = an.luck(RIFLES, GRENADIERS, got={"models_left": 6}, distance=6).fights[0].chance
    assert left.worse == 0


def game(*fights):
    return {"fight": list(fights)}


def shot(attacker, target, destroyed, side="mine", **got):
    fight = {"attack": {"attacker": attacker, "distance": 6}, "target": {"unit": target}}
    return {"side": side, "got": {"destroyed": destroyed, **got}, **fight}


def test_a_game_against_all_that_can_happen():
    found = an.luck(game(shot(RIFLES, GRENADIERS, 4), shot(RIFLES, KRUPP, 2), shot(KRUPP, RIFLES, 1, "yours")))
    assert [each.side for each in found.sides] == ["mine", "yours"]
    library = an.load_profiles()
    laws = []
    for target in (GRENADIERS, KRUPP):
        level = library[target].level
        frame = an.attack(RIFLES, target, distance=6).to_frame()
        gone = frame["models_destroyed"].where(~frame["annihilated"], level.models)
        laws.append([(each * level.points / level.models, p) for each, p in zip(gone, frame["probability"])])
    mine = found.sides[0]
    happened = library[GRENADIERS].level.points * 4 / 6 + library[KRUPP].level.points * 2 / 4
    assert mine.gone == pytest.approx(happened)
    sums = [(one + other, p * q) for (one, p), (other, q) in product(*laws)]
    assert mine.chance.worse == pytest.approx(sum(p for value, p in sums if value < happened - 1e-9), abs=1e-12)
    assert mine.chance.equal == pytest.approx(sum(p for value, p in sums if abs(value - happened) < 1e-9), abs=1e-12)
    assert mine.expected == pytest.approx(sum(value * p for value, p in sums))
    assert mine.distribution.probabilities.sum() == pytest.approx(1, abs=1e-12)


def numbers_of(luck):
    return [each.chance for each in luck.fights], [(each.gone, each.expected, each.chance) for each in luck.sides]


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_saying_what_did_not_happen_changes_nothing(method):
    """An outcome that is not said counts the same way in every fight: it did not happen."""
    how = {"method": method} | ({} if method == "exact" else {"trials": 2000})
    plain = [shot(RIFLES, GRENADIERS, 3), shot(RIFLES, GRENADIERS, 4), shot(KRUPP, RIFLES, 1, "yours")]
    expected = numbers_of(an.luck(game(*plain), **how))
    for said in ({"broken": False}, {"fled": False, "annihilated": False}):
        for changed in range(3):
            fights = [each | {"got": each["got"] | (said if n == changed else {})} for n, each in enumerate(plain)]
            assert numbers_of(an.luck(game(*fights), **how)) == expected
    broken = [plain[0] | {"got": {"destroyed": 3, "broken": True}}, *plain[1:]]
    assert numbers_of(an.luck(game(*broken), **how)) != expected


def test_an_end_that_did_not_occur_is_compared_by_itself():
    shot = {
        "attack": {"attacker": "crown/drake-field-guns@full-strength", "aiming": True},
        "target": {"unit": "commonwealth/tsar-battle-tanks@basic", "models": 1},
    }
    (fight,) = an.luck(shot, got={"broken": False}).fights
    assert (fight.compared, fight.chance.as_bad) == ({"broken": False}, pytest.approx(1.0))  # it has no BREAK LIMIT
    (fight,) = an.luck(shot, got={"annihilated": False}).fights
    annihilated = float(an.attack(shot).probability("annihilated"))
    assert (fight.chance.as_bad, fight.gone) == (pytest.approx(1 - annihilated), None)


def fights_at_random():
    """Questions of each kind that luck is asked of, and who answers them."""
    for each in random_scenarios(18, 15):
        yield each, an.exact
    rng = random.Random(18)
    for _ in range(3):
        keys = [
            {"models": rng.randint(2, 6), "defence": rng.randint(1, 3), "break_limit": rng.randint(0, 3)}
            | {"discipline": rng.randint(3, 9), "damage_limit": rng.randint(1, 2), "edge_distance": rng.randint(1, 4)}
            for _ in range(2)
        ]
        attacker, target = (unit(row("melee", rng.randint(2, 8)), **each) for each in keys)
        yield {"charge": {}, "attacker": attacker, "target": target | {"suppressed": rng.random() < 0.5}}, an.charge
        yield {"attacks": [{"dice": rng.randint(1, 6)} for _ in range(3)], "target": keys[0]}, an.focus


def said_of(outcome, side):
    """What a player would say of an outcome: the models destroyed, and how the unit ended if it did."""
    got = {"destroyed": int(outcome[f"{side}models_destroyed"])}
    ends = {fate: True for fate in ("broken", "fled", "annihilated") if outcome[f"{side}{fate}"]}
    return got | dict(list(ends.items())[:1])


def test_a_fight_by_itself_and_in_a_game_is_as_lucky_and_on_average_not_at_all():
    """Whatever came of a fight, said as a player says it: both doors say the same, and its mid-p values are fair."""
    asked = 0
    for question, ask in fights_at_random():
        answer = ask(question)
        side = "target_" if answer.kind == "charge" else ""
        names = [f"{side}{name}" for name in ("models_destroyed", "broken", "fled", "annihilated", "suppressed")]
        law, fair = pd.DataFrame(answer.joint(names)), 0.0
        for _, outcome in law.iterrows():
            got = said_of(outcome, side) | {"suppressed": bool(outcome[f"{side}suppressed"])}
            alone, there = an.luck(question, got=got).fights[0], an.luck(game({**question, "got": got})).fights[0]
            assert (there.chance, there.compared) == (alone.chance, alone.compared)
            fair += outcome["probability"] * alone.chance.mid_p
            asked += 1
        assert fair == pytest.approx(0.5, abs=1e-9)
    assert asked > 60


def test_who_broke_is_not_unlucky_for_the_models_that_it_had_left():
    found = an.luck(RIFLES, GRENADIERS, got={"destroyed": 3, "broken": True}, distance=6).fights[0]
    whole = an.luck(RIFLES, GRENADIERS, destroyed=6, distance=6).fights[0]
    assert found.chance == whole.chance
    assert found.sentence.startswith("models destroyed: 3, broken: yes. Nothing unusual")
    unsaid = an.luck(RIFLES, GRENADIERS, destroyed=3, distance=6)
    assert "Not stated, so counted as no: broken." in str(unsaid)
    assert unsaid.as_dict()["fights"][0]["not_said"] == ["broken"]
    assert an.luck(RIFLES, GRENADIERS, destroyed=2, distance=6).fights[0].unreported_ends == ()


def test_the_figures_that_can_be_said_are_those_of_the_question():
    for ask, absent in ((an.attack, "activated"), (an.charge, "fled"), (an.duel, "fled")):
        answer = ask(RIFLES, GRENADIERS)
        with pytest.raises(an.InputError) as error:
            fight_luck(answer, {"xyz": True})
        allowed = error.value.allowed.split(", ")
        assert {"destroyed", "broken"} <= set(allowed)
        assert absent not in allowed
        flags = [name for name in allowed if not re.search("destroyed|left|hits|points|margin", name)]
        for name, value in [(name, value) for name in flags for value in (False, True)]:
            assert 0 < fight_luck(answer, {name: value}).chance.equal < 1


FOCUS = {"attacks": [{"attacker": RIFLES}] * 2, "target": {"unit": GRENADIERS}}


def test_focus_fire_is_looked_at_after_its_last_attack():
    frame = an.focus(FOCUS).to_frame()
    frame = frame[frame["attack"] == 2]
    law = law_of(gone_of(frame), frame["probability"])
    for destroyed in (3, 6):
        chance = an.luck(FOCUS, destroyed=destroyed).fights[0].chance
        assert chance.worse == pytest.approx(law[law.index < destroyed].sum(), abs=1e-12)
        assert chance.equal == pytest.approx(law[destroyed], abs=1e-12)
    side = an.luck(game({**FOCUS, "got": {"destroyed": 4, "broken": False}})).sides[0]
    assert side.distribution.probabilities.sum() == pytest.approx(1)
    annihilated = float(an.focus(FOCUS).probability("annihilated"))
    assert side.distribution.probabilities[-1] == pytest.approx(annihilated, abs=1e-12)


def test_the_margin_of_a_duel_and_who_wins():
    duel = an.duel(RIFLES, GRENADIERS)
    law = duel.pmf("margin").set_index("value")["probability"]
    found = an.luck(RIFLES, GRENADIERS, kind="duel", got={"margin": 0}).fights[0]
    assert found.chance.worse == pytest.approx(law[law.index < 0].sum(), abs=1e-12)
    assert found.chance.equal == pytest.approx(law[0], abs=1e-12)
    lost = an.luck(RIFLES, GRENADIERS, kind="duel", got={"b_wins": True}).fights[0].chance
    assert lost.worse == 0
    assert lost.equal == pytest.approx(float(duel.probability("b_wins")), abs=1e-12)
    both = an.luck(RIFLES, GRENADIERS, kind="duel", got={"a_wins": True, "a_models_destroyed": 0}).fights[0].chance
    frame = duel.joint(["a_wins", "a_models_destroyed"])
    untouched = frame["probability"][frame["a_wins"] & (frame["a_models_destroyed"] == 0)].sum()
    assert both.equal == pytest.approx(untouched, abs=1e-12)
    assert both.better == pytest.approx(0, abs=1e-12)


def test_what_is_good_for_a_side_is_good_for_it():
    for kind, name in (("charge", "attacker_wins"), ("duel", "a_devastating"), ("charge", "target_broken")):
        assert an.luck(RIFLES, GRENADIERS, kind=kind, got={name: True}).fights[0].chance.better == 0
    for kind, name in (("charge", "target_wins"), ("duel", "b_devastating"), ("charge", "attacker_suppressed")):
        assert an.luck(RIFLES, GRENADIERS, kind=kind, got={name: True}).fights[0].chance.worse == 0


def test_in_plain_words():
    assert Chance(0.03, 0.011, 0.959).in_words("such attacks") == (
        "Bad luck: a result this bad or worse happens in 4.10% of such attacks (exact; percentile 3.55%)."
    )
    assert Chance(0.995, 0.005, 0.0).in_words("such attacks").startswith("Very good luck: a result this good or better")
    assert Chance(0.4, 0.2, 0.4).in_words("such attacks").startswith("Nothing unusual")
    assert Chance(0.1, 0.1, 0.8).in_words("such games").startswith("A little bad luck")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "no result is stated"),
        ({"destroyed": 9}, "0 to 6"),
        ({"got": {"destroid": 1}}, "did you mean"),
        ({"got": {"suppressed": 1}}, "yes or no; in a file true or false"),
        ({"got": {"destroyed": True}}, r"not a number of models .*annihilated=yes"),
        ({"got": {"broken": True, "suppressed": True}}, r"broken yes, suppressed yes cannot happen \("),
        ({"got": {"fled": True}}, r"fled yes cannot happen: .*edge_distance.*\(allowed: fled no\)"),
        ({"got": {"fell_back": True}}, "only a unit that is already suppressed falls back"),
        ({"got": {"destroyed": 2, "broken": True}, "kind": "charge"}, "at its BREAK LIMIT of 3 models or fewer"),
        ({"got": {"destroyed": 1, "broken": True}}, r"3 to 5 with broken yes; broken no with models destroyed 1"),
        ({"destroyed": 1, "kind": "war"}, "attack, charge, duel"),
        ({"got": {"draw": True}, "kind": "duel"}, "neither good nor bad"),
        ({"got": {"hits": 3, "suppressed": True}}, "a separate distribution"),
    ],
)
def test_wrong_inputs(how, said):
    with pytest.raises(an.InputError, match=said):
        an.luck(RIFLES, GRENADIERS, **how)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"fight": 3}, "no fights"),
        ({"fights": [shot(RIFLES, GRENADIERS, 4)]}, r"no result is stated .*\[\[fight\]\] for each"),
        (game({"atack": {}, "got": {"destroyed": 1}}), "fight 1: atack: unknown key; did you mean 'attack'"),
        (game({"got": {"destroyed": 1}, "attacker": RIFLES, "target": GRENADIERS}), "attack = { attacker = "),
        (game(shot(RIFLES, GRENADIERS, 6, annihilated=False)), r"annihilated yes with models destroyed 6"),
        (game(shot(RIFLES, GRENADIERS, 1, broken=True)), r"models destroyed 3 to 5 with broken yes"),
        (game({**shot(RIFLES, GRENADIERS, 4), "got": {"suppressed": True}}), "destroyed models is not stated"),
        (
            game({"got": {"destroyed": 1}, "duel": {}, "a": {"unit": RIFLES}, "b": {"unit": KRUPP}}),
            "a duel is not a fight",
        ),
    ],
)
def test_games_that_are_none(raw, said):
    with pytest.raises(an.InputError, match=said):
        an.luck(raw)


def test_a_sampled_game_says_how_sure_its_sums_are():
    """The interval of a sampled sum holds the exact one, and is as wide as resampling the whole game says."""
    fights = game(shot(RIFLES, GRENADIERS, 3), shot(RIFLES, GRENADIERS, 4))
    exact = an.luck(fights).sides[0].chance
    found = [an.luck(fights, method="monte-carlo", trials=500, seed=seed) for seed in range(20)]
    shares = np.array([each.sides[0].chance.as_bad for each in found])
    halves = np.array([each.sides[0].chance.half_width for each in found])
    assert (np.abs(shares - exact.as_bad) <= halves).mean() > 0.8
    assert halves.mean() == pytest.approx(1.96 * shares.std(), rel=0.3)  # of 20: known to 16%
    assert "the simulated distribution" in str(found[0])
    assert "500 trials of each fight" in str(found[0])
    assert found[0].as_dict()["stop_reason"] == "trials"
    assert exact.half_width is None


def test_the_luck_of_a_battle_is_that_of_its_fights():
    with pytest.raises(an.InputError, match=r"a list of its fights"):
        an.luck({"battle": {}, "mine": [RIFLES], "yours": [KRUPP]}, got={"victory": False})
    with pytest.raises(an.InputError, match=r"luck is not computed for morale in other games"):
        an.luck({"courage": 2, "tokens": 3}, got={"panicked": True})
