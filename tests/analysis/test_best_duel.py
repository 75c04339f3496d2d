"""Comparisons by a duel that both sides play best."""

import pytest

from analyser import InputError, best_play, matchups
from analyser.analysis.situations import BEST_DUEL, CHARGE, DUEL, duel_situations, unchanged_note
from analyser.report import write_report

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def test_a_cell_is_best_play():
    frame = matchups(RIFLES, GRENADIERS, situations=[BEST_DUEL]).frame
    alone = best_play({"unit": RIFLES, "from_front": True}, {"unit": GRENADIERS, "from_front": True}, first="a")
    row = frame.iloc[0]
    assert row["p_attacker_wins"] == pytest.approx(alone.probability("a_wins").probability, abs=1e-12)
    assert row["p_draw"] == pytest.approx(alone.probability("draw").probability, abs=1e-12)
    assert row["p_annihilated"] == pytest.approx(1 - alone.probability("b_alive").probability, abs=1e-12)


def test_what_best_play_does_not_touch_is_told_or_refused_where_that_is_everything(tmp_path):
    assert unchanged_note([CHARGE, BEST_DUEL]).startswith("Best play changes nothing in: charge (")
    assert unchanged_note([BEST_DUEL]) == unchanged_note([CHARGE]) == ""
    assert duel_situations("tactic", [CHARGE]) == (CHARGE,)
    assert duel_situations("best", [CHARGE, DUEL]) == (CHARGE, BEST_DUEL)
    alone = {"situations": ["charge"], "policy": "best", "row": "melee"}
    with pytest.raises(InputError, match=r"policy: best play has nothing to choose in charge.*tactic; or .* duel"):
        write_report(RIFLES, GRENADIERS, out=tmp_path / "r", **alone)
    assert not (tmp_path / "r").exists()
