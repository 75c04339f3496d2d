"""Two armies against each other: every figure is that of the matchups, planted gaps are found, mirrors are even."""

import html
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import analyser
from analyser.analysis.best_counters import HARDLY
from analyser.analysis.clash import clash
from analyser.analysis.clash_text import answer_text, volley_lines
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.report.clash_page import clash_page

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


def test_that_assignments_have_no_charges_is_said(found):
    said = found.not_modelled[-1]
    assert (said.name, said.touches) == ("Charges", "the best attacks of a round, which are shots alone")
    assert said.units[0] == "Rifle platoon"
    assert str(found).count("Shots alone, no charges.") == 1
    assert "best attacks of a round, which are shots alone" in clash_page(found)
    without = clash(MINE, YOURS, situations="charge")
    assert "Charges" not in {each.name for each in without.not_modelled}


def test_boons_are_named_as_not_modelled(found):
    assert not any(each.name.startswith("boon ") for each in found.not_modelled)
    army = analyser.load_army(Path(__file__).parents[2] / "notebooks" / "armies" / "crown.rosz")
    bought = [f"boon {each.name}" for each in army.bought]
    assert bought
    assert [each.name for each in clash(army, YOURS, situations=QUICK).not_modelled][: len(bought)] == bought


def test_the_page_has_the_next_best_answer_beside_the_best(found):
    page = clash_page(found)
    following = [each for each in (*found.next_answers, *found.next_threats) if each.attacker is not None]
    assert following
    assert page.count("next: ") == len(following)


def test_a_clash_of_many_units_is_plain_data():
    """Of more than six attacks on one target the orders are not tried, and no figure is said of them."""
    mine = ["4 x crown/rifle-platoon@basic", "4 x crown/drake-field-guns@basic"]
    found = clash(mine, ["imperium/krupp-field-guns@basic"], situations=["long-range"])
    record = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    (volleys,) = record["assignments"]
    assert [(each["order_gain"], sum(shot["units"] for shot in each["shots"])) for each in volleys["all_on_one"]] == [
        (None, 8)
    ]


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


def test_gaps_are_not_said_of_what_was_not_asked_for():
    found = clash(["crown/rifle-platoon@basic"], ["imperium/faust-vitruvian-colossus@full-strength"], situations="duel")
    unknown = "Not known of {}: no shot and no charge was asked for."
    assert found.gap_lines() == [unknown.format(name) for name in ("Crown", "Imperium")]
    assert "Crown (1 unit, 35 points)" in str(found)


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


def test_two_figures_that_are_not_the_same_are_told_apart(found):
    """What attacks take together, and what they would add up to alone; where both are as much, it is said once."""
    volleys, attacked = found.volleys[0], found.volleys[0].attacked[0]
    apart = volleys._replace(value=2.0, attacked=(attacked._replace(sum_of_single=1.0),))
    told = volley_lines(apart, found.mine)[0]
    assert told.startswith("Each attack alone on a fresh target would add up to 1.0 points: who comes later ")
    alike = volleys._replace(value=2.0, attacked=(attacked._replace(sum_of_single=2.0),))
    assert not any("would add up" in line for line in volley_lines(alike, found.mine))


def test_a_text_says_what_is_exact_and_in_which_unit_a_charge_costs(found):
    text = str(found)
    assert "Method: exact. Rules left out are listed below" in text
    answer = next(each for each in found.answers if each.attacker)._replace(own_points_lost=44.2, p_wins=math.nan)
    assert answer_text(answer, found.mine).endswith("%, costs 44 points")
    assert answer_text(answer._replace(own_points_lost=1.2), found.mine).endswith("%, costs 1 point")
    assert answer_text(answer._replace(own_points_lost=0.4), found.mine).endswith("%")


COLOSSUS = "imperium/faust-vitruvian-colossus@full-strength"


def test_an_answer_that_costs_more_than_it_takes_is_told_so(found):
    """A charge on the Colossus gains nobody here anything; their worst of it gains it much."""
    (answer,) = (each for each in found.answers if (each.target, each.situation) == (COLOSSUS, "charge"))
    assert answer.own_points_lost > answer.points_lost
    assert answer.pays is False
    assert answer_text(answer, found.mine).startswith("none pays; least bad: Rifle platoon: ")
    assert answer_text(answer, found.mine, "no other").startswith("no other pays; least bad: ")
    assert "none pays; least bad: Rifle platoon: " in html.unescape(clash_page(found))
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
    assert "and no shot can attack it: Rifle platoon, basic takes " in line
    assert "% of it (charge) and annihilates it with a chance of " in line


def test_a_text_is_no_wider_than_a_terminal_and_says_what_is_not_in_it(found):
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert "Winner: not computed. Add --battles N, or use `analyser battle`." in lines
    assert "- long range: no bonus" in lines
    assert "Who wins: " not in str(replace(found, fought=("Reds wins",)))


def test_of_one_kind_of_unit_there_are_no_gaps_in_one_kind():
    found = clash(["crown/monarch-landship@full-strength"] * 2, ["crown/rifle-platoon@basic"], situations="long-range")
    assert "takes 5% or more of the one kind of unit of Army 2 in one attack" in found.gap_lines()[0]


def test_what_is_hardly_hurt_is_told(found):
    name = "imperium/faust-vitruvian-colossus@full-strength"
    colossus = next(each for each in found.gaps if each.target == name)
    frame = found.of("mine")
    best = frame[frame["defender"] == colossus.target]["mean_share_lost"].max()
    assert colossus.best == pytest.approx(best)
    assert colossus.kind == ("hardly hurt" if best < HARDLY else "hangs on one unit")
    assert "Faust Vitruvian Colossus" in "\n".join(found.gap_lines())


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


def test_two_profiles_of_one_selector_are_told_apart():
    rifles = analyser.load_profiles().loadout("crown/rifle-platoon@basic")
    found = clash([rifles, rifles.with_(dice=+4), rifles], [rifles], situations="long-range")
    assert found.mine.counts == (2, 1)
    lost = found.of("mine")["mean_share_lost"].tolist()
    assert lost[0] < lost[1]


def test_at_a_distance():
    found = clash(MINE, YOURS, situations="long-range", distance=10)
    assert [each.situation.name for each in found.volleys] == ["at-10-inches-aimed", "long-range"]
    assert found.volleys[0].situation.bonuses == ("aiming",)


def test_every_form_of_the_answer(found):
    text = str(found)
    assert "Best attacks of Reds, long range:" in text
    assert "(gap 0)" in " ".join(text.split())
    assert "2 × Rifle platoon (ranged light)" in " ".join(text.split())
    record = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert record["assignments"][0]["gap"] == 0
    assert record["mine"]["units"][0] == {"unit": "crown/rifle-platoon@basic", "count": 2}
    assert set(found.volleys_frame()["side"]) == {"mine", "yours"}
    assert len(found.to_frame()) == len(found.frame)
    assert "<pre>" in found._repr_html_()
    assert "Mean share" in found.heatmap(situation="charge").get_title(loc="left")


def test_the_page_has_all_of_it(found):
    page = clash_page(found)
    assert page.startswith("<!doctype html>")
    for part in ('id="gaps"', 'id="rounds"', 'id="heatmap"', 'id="answers"', 'id="units"', "Reds against Blues"):
        assert part in page
    assert 'id="unit-mine-crown-rifle-platoon-basic"' in page
    assert "src=" not in page.replace('src="data:', "")
    assert clash_page(clash(MINE, YOURS, situations=QUICK)) == page  # the same armies give the same bytes


def test_what_is_written_in_an_army_is_escaped():
    page = clash_page(clash(MINE | {"name": "<b>&"}, YOURS, situations="long-range"))
    assert "<b>&" not in page
    assert "&lt;b&gt;&amp;" in page


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"mine": []}, "mine"),
        ({"yours": ["crown/nobody@basic"]}, "yours"),
        ({"yours": "no-such-file.toml"}, "yours: no-such-file.toml"),
        ({"aim": "pionts"}, "'pionts' is not usable; did you mean 'points'?"),
        ({"situations": "charges"}, "did you mean 'charge'?"),
        ({"distance": 0}, "distance: 0 is not usable"),
        ({"distance": math.inf}, "distance: inf is not usable"),
        ({"yours": ["65 x crown/rifle-platoon@basic"] * 4}, "260 units"),
        ({"yours": [Profiles().loadout("crown/rifle-platoon@basic").model_copy()]}, ""),
    ],
)
def test_what_cannot_be_asked_is_refused(more, message):
    keys = {"mine": MINE, "yours": YOURS, "situations": "long-range"} | more
    if not message:
        assert clash(keys.pop("mine"), keys.pop("yours"), **keys).yours.counts == (1,)
        return
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
