"""Two armies against each other: every figure is that of the matchups, planted gaps are found, mirrors are even."""

import html
import json
import math

import pytest

import analyser
from analyser.analysis.best_counters import LEAST_HURT
from analyser.analysis.clash import clash
from analyser.analysis.clash_text import counter_text
from analyser.common.errors import InputError
from analyser.report.answer_pages import clash_page

MINE = {"name": "Reds", "unit": ["2 x crown/rifle-platoon@basic", "crown/drake-field-guns@basic"]}
COLOSSUS = "imperium/faust-vitruvian-colossus@full-strength"
YOURS = {"name": "Blues", "unit": ["imperium/krupp-field-guns@basic", COLOSSUS]}
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


def test_charges_are_left_out_of_the_best_attacks_alone(found):
    assert "charge" in set(found.frame["situation"])
    last = found.not_modelled[-1]
    assert (last.name, last.units[0]) == ("charges in the best attacks of a round", "Rifle platoon")


def test_answers_are_the_best_of_the_matrix(found):
    for side in found.sides:
        frame = side.frame
        for each in side.counters:
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
    rockets = {"name": "Rockets", "unit": ["imperium/essen-field-rockets@basic"]}
    found = clash(rockets, ["crown/galahad-main-battle-tanks@full-strength"], situations="long-range")
    assert [each.kind for each in found.mine.hard_targets] == ["nothing can attack it"]
    assert found.headline.startswith("Hard targets for Rockets: 1 of 1 kind of units of ")
    told = "Nothing in Rockets can attack Galahad Main Battle Tanks, full-strength (asked for: long range)."
    assert found.hard_target_lines()[0] == told
    assert found.mine.volleys[0].volley_results == ()
    assert "fires at light" in found.mine.volleys[0].idle[0].why


def test_a_duel_is_won_as_often_as_the_matrix_says():
    found = clash(["crown/rifle-platoon@basic"], ["imperium/scion-grenadier-platoon@basic"], situations="duel")
    (answer,), table = found.mine.counters, found.mine.frame
    assert 0 < table["p_draw"].item() < 1
    assert answer.p_wins == table["p_attacker_wins"].item()


def test_the_next_best_is_the_best_without_the_best(found):
    """Of mine on theirs: whoever would be best if the best were not there, and nobody where there is no other."""
    pairs = list(zip(found.mine.counters, found.mine.second_counters))
    assert any(following.attacker is not None for _, following in pairs)
    for best, following in pairs:
        assert (following.target, following.situation) == (best.target, best.situation)
        rows = found.mine.frame
        rows = rows[(rows["defender"] == best.target) & (rows["situation"] == best.situation) & rows["why_not"].isna()]
        others = rows[rows["attacker"] != best.attacker]
        if others.empty:
            assert following.attacker is None
        else:
            gain = others["points_lost"] - others["own_points_lost"]
            assert following.attacker == others["attacker"].iloc[int(gain.to_numpy().argmax())]
    assert [each["attacker"] for each in found.as_dict()["next_answers"]] == [each.attacker for _, each in pairs]


def test_an_answer_that_costs_more_than_it_takes_is_told_so(found):
    """A charge on the Colossus gains nobody here anything; their worst of it gains it much."""
    (answer,) = (each for each in found.mine.counters if (each.target, each.situation) == (COLOSSUS, "charge"))
    assert answer.own_points_lost > answer.points_lost
    assert answer.pays is False
    assert counter_text(answer, found.mine.army).startswith("none gains points; smallest loss: Rifle platoon: ")
    assert counter_text(answer, found.mine.army, "no other").startswith("no other gains points; smallest loss: ")
    assert "none gains points; smallest loss: Rifle platoon: " in html.unescape(clash_page(found))
    shot = next(each for each in found.mine.counters if each.situation == "long-range")
    assert shot.pays is True
    assert " pays" not in counter_text(shot, found.mine.army)
    assert [each["pays"] for each in found.as_dict()["answers"]] == [each.pays for each in found.mine.counters]
    nobody = answer._replace(attacker=None)
    assert (nobody.pays, answer._replace(p_wins=0.2).pays) == (None, None)
    without_points = answer._replace(points_lost=math.nan)
    assert (without_points.pays, without_points._replace(share_lost=0.0).pays) == (True, False)


def test_what_nothing_kills_not_even_all_together_is_a_gap():
    """Single attacks hurt it; all shots all_on_one leave it there. Of many more they do not."""
    name = "imperium/sieger-vitruvian-colossus@full-strength"
    gap, few, many = "nothing kills it", ["3 x crown/galahad-main-battle-tanks@basic"], ["40 x crown/monarch-landship"]
    found = clash(few, [name], situations=["long-range", "short-range-aimed"])
    (told,) = (each for each in found.mine.hard_targets if each.kind == gap)
    together = [volleys.all_on_one[0] for volleys in found.mine.volleys]
    assert told.best == max(each.share_lost for each in together) > LEAST_HURT
    assert told.p_annihilated == max(each.p_annihilated for each in together) < LEAST_HURT
    assert "not even all shots together" in found.hard_target_lines()[0]
    found = clash([f"{many[0]}@full-strength"], [name], situations="short-range-aimed")
    assert gap not in {each.kind for each in found.mine.hard_targets}
    assert found.hard_target_lines()[0].startswith("No hard targets: ")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"aim": "pionts"}, "'pionts' is not usable; did you mean 'points'?"),
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
    with pytest.raises(InputError, match="no points are known for crown/rifle-platoon@basic"):
        clash(MINE, [free], situations="long-range")
    found = clash(MINE, [free], situations="long-range", aim="annihilated")
    assert found.mine.volleys[0].value > 0
    json.dumps(found.as_dict(), allow_nan=False)
    assert "Blues" not in str(found)


def test_passengers_are_told(found):
    carrier = {"unit": "crown/tristan-assault-transports@basic", "name": "Carrier"}
    loaded = {"name": "Reds", "unit": [carrier, {"unit": "crown/rifle-platoon@basic", "embarked_in": "Carrier"}]}
    told = clash(loaded, YOURS, situations="long-range").warnings
    assert "Reds: Rifle platoon, basic is embarked in Carrier, but counts as disembarked here" in told
    assert not any("embarked" in warning for warning in found.warnings)
