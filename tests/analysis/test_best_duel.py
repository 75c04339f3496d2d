"""Comparisons by a duel that both sides play best."""

import math

import numpy as np
import pytest

from analyser import InputError, best_play, fair_points, matchups, solve_dice, solve_price, what_if
from analyser.analysis.best_play_situations import check_best_is_played, unchanged_note
from analyser.analysis.situations import BEST_DUEL, BEST_TRADES, CHARGE
from analyser.game.profiles import Profiles
from analyser.report import write_report
from analyser.results.states import share_lost
from tests.helpers.planted import copies

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def test_a_cell_is_best_play():
    frame = matchups(RIFLES, GRENADIERS, situations=[BEST_DUEL]).frame
    alone = best_play({"unit": RIFLES, "from_front": True}, {"unit": GRENADIERS, "from_front": True}, first="a")
    row = frame.iloc[0]
    assert row["p_attacker_wins"] == pytest.approx(alone.probability("a_wins").probability, abs=1e-12)
    assert row["p_draw"] == pytest.approx(alone.probability("draw").probability, abs=1e-12)
    assert row["p_annihilated"] == pytest.approx(1 - alone.probability("b_alive").probability, abs=1e-12)


def test_what_best_play_does_not_touch_is_told_or_refused_where_that_is_everything(tmp_path):
    assert unchanged_note([CHARGE, BEST_TRADES[0]]).startswith("Best play changes nothing in: charge (")
    assert unchanged_note([BEST_DUEL]) == unchanged_note([CHARGE]) == ""
    check_best_is_played("tactic", [CHARGE])
    check_best_is_played("best", [CHARGE, BEST_DUEL])
    alone = {"situations": ["charge"], "policy": "best", "row": "melee"}  # with a row no prices are made
    with pytest.raises(InputError, match=r"policy: best play has nothing to choose in charge.*tactic; or .* duel"):
        write_report(RIFLES, GRENADIERS, out=tmp_path / "r", **alone)
    assert not (tmp_path / "r").exists()


def twins_of(models):
    """Four that are the same but for Overcharge, which only the first has."""
    plain = Profiles()["enlightened/citizen-soldier-contingent@basic"].with_(models=models, qualities="-Overcharge")
    return copies(plain, 4, qualities="+Overcharge", row="ranged-light")


@pytest.fixture(scope="module")
def twins():
    return twins_of(1)


@pytest.mark.proof
def test_best_play_pays_for_what_only_play_makes_use_of():
    """No single act of a comparison is overcharged, so that by tactic all four are worth the same.

    Among others that are all alike a price p trades evenly where p times what one loses to them on average is what it
    destroys of them, divided by p: in the duels from both distances together.
    """
    twins = twins_of(3)  # of two models neither ever does better by Overcharge
    tactic, best = (fair_points(twins, against=twins, policy=each) for each in ("tactic", "best"))
    even = tactic.frame["trades_evenly_at"].to_numpy()
    assert even == pytest.approx([even[0]] * 4)
    lost, destroyed = np.sum([shares_lost(*twins[:2], each.distance) for each in BEST_TRADES], axis=0)
    assert destroyed > lost  # by the choice alone
    prices = best.frame["trades_evenly_at"].to_numpy()
    assert prices / prices[1] == pytest.approx([math.sqrt(destroyed / lost), 1, 1, 1], rel=1e-8)
    assert best.residuals["trades_evenly"] < 1e-9
    assert "table edges" in best.caveats
    assert [each.name for each in best.situations][-2:] == ["best-play-close", "best-play-open"]


@pytest.mark.slow
def test_the_price_at_which_one_is_fair_if_duels_are_played_best(twins):
    overcharging = twins[0]
    tactic, best = (solve_price(overcharging, against=twins, policy=each) for each in ("tactic", "best"))
    assert "table edges" in best.caveats
    assert best.caveats in str(best)
    assert best.as_dict()["caveats"] == best.caveats != tactic.caveats


def shares_lost(a, b, distance):
    """Return the share of each that is lost in a duel from this distance that both play best for points."""
    sides = ({"unit": each, "from_front": True} for each in (a, b))
    end = best_play(*sides, distance=distance, want="points").moments[-1]
    return [end.weights @ share_lost(states, a.level.models, 1) for states in (end.first, end.second)]


def test_a_trade_is_what_both_lose_in_a_duel_for_points_from_so_far_apart(twins):
    overcharging, plain = twins[:2]
    found = matchups([overcharging, plain], [overcharging, plain], situations=BEST_TRADES[:1]).frame
    found = found.set_index(["attacker", "defender"])
    a, b = overcharging.selector, plain.selector
    lost = shares_lost(overcharging, plain, 18)
    row, reverse = found.loc[a, b], found.loc[b, a]
    assert [row["attacker_share_lost"], row["mean_share_lost"]] == pytest.approx(lost, abs=1e-12)
    assert [reverse["mean_share_lost"], reverse["attacker_share_lost"]] == pytest.approx(lost, abs=1e-12)
    assert row["p_attacker_wins"] + reverse["p_attacker_wins"] + row["p_draw"] == pytest.approx(1, abs=1e-12)
    same = found.loc[a, a]
    assert same["mean_share_lost"] == pytest.approx(same["attacker_share_lost"], abs=1e-12)


def test_what_cannot_be_played_is_left_out_and_told():
    flies = "imperium/messer-interceptor-squadron@basic"
    found = matchups(flies, GRENADIERS, situations=[BEST_TRADES[0]]).frame
    assert "flies sorties, so it cannot fight a duel" in found["why_not"].iloc[0]
    with_row = matchups(RIFLES, GRENADIERS, situations=[BEST_TRADES[0]], row="ranged-light").frame
    assert "no row can be stated" in with_row["why_not"].iloc[0]
    for call in (fair_points, solve_price, solve_dice, lambda unit, **how: what_if(unit, points=1, **how)):
        with pytest.raises(InputError, match=r"policy: 'bets' is not usable; did you mean 'best'"):
            call(RIFLES, policy="bets")
