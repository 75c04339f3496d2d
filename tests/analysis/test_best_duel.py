"""Comparisons by a duel that both sides play best."""

import json

import pytest

from analyser import InputError, best_play, matchups
from analyser.analysis.situations import BEST_DUEL, CHARGE, DUEL, played_by
from analyser.report import write_report

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def test_a_cell_is_best_play():
    frame = matchups(RIFLES, GRENADIERS, situations=[BEST_DUEL]).frame
    alone = best_play({"unit": RIFLES, "from_front": True}, {"unit": GRENADIERS, "from_front": True}, first="a")
    row = frame.iloc[0]
    assert row["p_attacker_wins"] == pytest.approx(alone.probability("a_wins").probability, abs=1e-12)
    assert row["p_draw"] == pytest.approx(alone.probability("draw").probability, abs=1e-12)
    assert row["p_annihilated"] == pytest.approx(1 - alone.probability("b_alive").probability, abs=1e-12)


def test_who_cannot_fight_a_duel_has_a_reason():
    found = matchups("imperium/messer-interceptor-squadron@basic", GRENADIERS, situations=[BEST_DUEL])
    assert "aircraft" in found.frame["why_not"].iloc[0]


def test_duels_of_a_report_can_be_played_best():
    assert played_by("best", [CHARGE, DUEL]) == (CHARGE, BEST_DUEL)
    assert played_by("habit", [CHARGE, DUEL]) == (CHARGE, DUEL)
    with pytest.raises(InputError, match=r"policy: 'bets' is not usable; did you mean 'best'"):
        played_by("bets", [DUEL])


@pytest.mark.slow
def test_a_report_under_best_play(tmp_path):
    folder = write_report(RIFLES, GRENADIERS, out=tmp_path / "r", situations=["duel"], policy="best", threads=1)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [each["name"] for each in manifest["situations"]] == ["duel-best-play"]
    assert "both play best" in (folder / "index.html").read_text(encoding="utf-8")
