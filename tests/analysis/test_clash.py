"""Two armies against each other: every figure is that of the matchups, planted gaps are found, mirrors are even."""

import html
import json
import math
from pathlib import Path

import pytest

import analyser
from analyser.analysis.best_counters import HARDLY
from analyser.analysis.clash import clash
from analyser.analysis.clash_text import answer_text
from analyser.common.errors import InputError
from analyser.report.answer_pages import clash_page

MINE = {"name": "Reds", "unit": ["2 x crown/rifle-platoon@basic", "crown/drake-field-guns@basic"]}
YOURS = {
    "name": "Blues",
    "unit": ["imperium/krupp-field-guns@basic", "imperium/faust-vitruvian-colossus@full-strength"],
}
QUICK = ("long-range", "charge")


@pytest.fixture(scope="module")
def found():
    return clash(MINE, YOURS, situations=QUICK)


def test_the_matrix_is_that_of_matchups(found):
    alone = analyser.matchups("crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic", situations=QUICK).frame
    mine = found.frame[(found.frame["side"] == "mine") & (found.frame["attacker"] == "crown/rifle-platoon@basic")]
    mine = mine[mine["defender"] == "imperium/krupp-field-guns@basic"].reset_index(drop=True)
    assert mine["mean_share_lost"].tolist() == alone["mean_share_lost"].tolist()
    assert mine["attacker_units"].tolist() == [2, 2]
    assert mine["points_lost"].tolist() == pytest.approx((80 * alone["mean_share_lost"]).tolist())
    assert len(found.frame) == 2 * 2 * 2 * len(QUICK)  # twice, two kinds on two kinds


def test_boons_are_named_as_not_modelled(found):
    assert not any(each.name.startswith("boon ") for each in found.not_modelled)
    army = analyser.load_army(Path(__file__).parents[2] / "notebooks" / "armies" / "crown.rosz")
    bought = [f"boon {each.name}" for each in army.bought]
    assert bought
    assert [each.name for each in clash(army, YOURS, situations=QUICK).not_modelled][: len(bought)] == bought


def test_answers_are_the_best_of_the_matrix(found):
    for side, best in (("mine", found.answers), ("yours", found.threats)):
        frame = found.of(side)
        for each in best:
            part = frame[(frame["defender"] == each.target) & (frame["situation"] == each.situation)]
            can = part[part["why_not"].isna()]
            if each.attacker is None:
                assert can.empty
                assert each.why_not
                continue
            net = (can["points_lost"] - can["own_points_lost"]).max()
            assert each.points_lost - each.own_points_lost == pytest.approx(net)


def test_a_planted_gap_is_found():
    """Field rockets fire at light and aerial targets alone, and do not charge a Colossus with effect."""
    found = clash(
        {"name": "Rockets", "unit": ["imperium/essen-field-rockets@basic"]},
        {"name": "Tanks", "unit": ["crown/galahad-main-battle-tanks@full-strength"]},
        situations="long-range",
    )
    assert [each.kind for each in found.gaps] == ["nothing can attack it"]
    assert found.gap_lines()[0] == (
        "Nothing in Rockets can attack Galahad Main Battle Tanks, full-strength (asked for: long range)."
    )
    assert found.volleys[0].attacked == ()
    assert "fires at light" in found.volleys[0].idle[0].why


def test_a_duel_is_won_as_often_as_the_matrix_says():
    found = clash(["crown/rifle-platoon@basic"], ["imperium/scion-grenadier-platoon@basic"], situations="duel")
    (answer,), table = found.answers, found.of("mine")
    assert 0 < table["p_draw"].item() < 1
    assert answer.p_wins == table["p_attacker_wins"].item()


def test_the_next_best_is_the_best_without_the_best(found):
    """Of mine on theirs: whoever would be best if the best were not there, and nobody where there is no other."""
    pairs = list(zip(found.answers, found.next_answers))
    assert any(following.attacker is not None for _, following in pairs)
    for best, following in pairs:
        assert (following.target, following.situation) == (best.target, best.situation)
        rows = found.of("mine")
        rows = rows[(rows["defender"] == best.target) & (rows["situation"] == best.situation) & rows["why_not"].isna()]
        others = rows[rows["attacker"] != best.attacker]
        if others.empty:
            assert following.attacker is None
        else:
            gain = others["points_lost"] - others["own_points_lost"]
            assert following.attacker == others["attacker"].iloc[int(gain.to_numpy().argmax())]
    assert [each["attacker"] for each in found.as_dict()["next_answers"]] == [each.attacker for _, each in pairs]


COLOSSUS = "imperium/faust-vitruvian-colossus@full-strength"


def test_an_answer_that_costs_more_than_it_takes_is_told_so(found):
    """A charge on the Colossus gains nobody here anything; their worst of it gains it much."""
    (answer,) = (each for each in found.answers if (each.target, each.situation) == (COLOSSUS, "charge"))
    assert answer.own_points_lost > answer.points_lost
    assert answer.pays is False
    assert answer_text(answer, found.mine).startswith("none gains points; smallest loss: Rifle platoon: ")
    assert answer_text(answer, found.mine, "no other").startswith("no other gains points; smallest loss: ")
    assert "none gains points; smallest loss: Rifle platoon: " in html.unescape(clash_page(found))
    shot = next(each for each in found.answers if each.situation == "long-range")
    assert shot.pays is True
    assert " pays" not in answer_text(shot, found.mine)
    assert [each["pays"] for each in found.as_dict()["answers"]] == [each.pays for each in found.answers]
    nobody = answer._replace(attacker=None)
    assert (nobody.pays, answer._replace(p_wins=0.2).pays) == (None, None)
    without_points = answer._replace(points_lost=math.nan)
    assert (without_points.pays, without_points._replace(share_lost=0.0).pays) == (True, False)


def test_what_only_charges_can_attack_and_not_kill_is_told_so():
    found = clash(["crown/rifle-platoon@basic"], ["imperium/lucifyr-heavy-walkers@basic"], situations=QUICK)
    assert found.volleys[0].together[0].shots == ()
    (gap,) = (each for each in found.gaps if each.kind == "nothing kills it")
    charge = found.of("mine").dropna(subset=["mean_share_lost"])
    assert (gap.best, gap.p_annihilated) == (charge["mean_share_lost"].item(), charge["p_annihilated"].item())
    (line,) = (each for each in found.gap_lines() if " kills Lucifyr" in each)
    assert "and no shot can attack it: Rifle platoon, basic destroys " in line
    assert "% of its points (charge), probability of annihilation " in line


def test_what_nothing_kills_not_even_all_together_is_a_gap():
    """Single attacks hurt it; all shots together leave it there. Of many more they do not."""
    name = "imperium/sieger-vitruvian-colossus@full-strength"
    gap, few, many = "nothing kills it", ["3 x crown/galahad-main-battle-tanks@basic"], ["40 x crown/monarch-landship"]
    found = clash(few, [name], situations=["long-range", "short-range-aimed"])
    (told,) = (each for each in found.gaps if each.kind == gap)
    together = [volleys.together[0] for volleys in found.volleys]
    assert told.best == max(each.share_lost for each in together) > HARDLY
    assert told.p_annihilated == max(each.p_annihilated for each in together) < HARDLY
    assert "not even all shots together" in found.gap_lines()[0]
    found = clash([f"{many[0]}@full-strength"], [name], situations="short-range-aimed")
    assert gap not in {each.kind for each in found.gaps}
    assert found.gap_lines()[0].startswith("No gaps: ")


def test_what_cannot_be_hurt_at_all(tmp_path):
    profiles = tmp_path / "wall.toml"
    wall = analyser.load_profiles().loadout("crown/rifle-platoon@basic").with_(defence=100)
    found = clash([analyser.load_profiles().loadout("crown/sharp-rifles@basic")], [wall], situations="long-range")
    assert [each.kind for each in found.gaps] == ["nothing can hurt it"]
    assert not profiles.exists()


def test_a_mirror_is_even():
    found = clash(MINE, MINE | {"name": "Others"}, situations=QUICK)
    assert [each.points_lost for each in found.answers] == [each.points_lost for each in found.threats]
    assert [each.kind for each in found.gaps] == [each.kind for each in found.their_gaps]
    assert found.volleys[0].value == found.their_volleys[0].value


def test_at_a_distance():
    found = clash(MINE, YOURS, situations="long-range", distance=10)
    assert [each.situation.name for each in found.volleys] == ["at-10-inches-aimed", "long-range"]
    assert found.volleys[0].situation.bonuses == ("aiming",)


def test_the_page_has_all_of_it(found):
    page = clash_page(found)
    assert page.startswith("<!doctype html>")
    for part in ('id="gaps"', 'id="rounds"', 'id="heatmap"', 'id="answers"', 'id="units"', "Reds against Blues"):
        assert part in page
    assert 'id="unit-mine-crown-rifle-platoon-basic"' in page
    assert "src=" not in page.replace('src="data:', "")
    assert clash_page(clash(MINE, YOURS, situations=QUICK)) == page  # the same armies give the same bytes


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"yours": ["crown/nobody@basic"]}, "yours"),
        ({"aim": "pionts"}, "'pionts' is not usable; did you mean 'points'?"),
        ({"situations": "charges"}, "did you mean 'charge'?"),
        ({"distance": 0}, "distance: 0 is not usable"),
        ({"yours": ["65 x crown/rifle-platoon@basic"] * 4}, "260 units"),
    ],
)
def test_what_cannot_be_asked_is_refused(more, message):
    keys = {"mine": MINE, "yours": YOURS, "situations": "long-range"} | more
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        clash(keys.pop("mine"), keys.pop("yours"), **keys)


def test_without_points_another_aim_can_be_asked():
    rifles = analyser.load_profiles().loadout("crown/rifle-platoon@basic")
    levels = rifles.unit.levels | {"basic": rifles.level.model_copy(update={"points": None})}
    free = rifles.model_copy(update={"unit": rifles.unit.model_copy(update={"levels": levels})})
    with pytest.raises(InputError, match="no points are known of crown/rifle-platoon@basic"):
        clash(MINE, [free], situations="long-range")
    found = clash(MINE, [free], situations="long-range", aim="annihilated")
    assert found.volleys[0].value > 0
    json.dumps(found.as_dict(), allow_nan=False)
    assert "Blues" not in str(found)
