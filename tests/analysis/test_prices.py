"""The verdict on planted cases whose answer is known, and what moves it."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import analyser
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import exchange_of
from analyser.analysis.price_drivers import defence_of
from analyser.analysis.prices import FairPoints, Opponents, fair_points
from analyser.analysis.rebalance import rebalance
from analyser.analysis.verdict import FAIR, OVER, UNDECIDED, UNDER, judge
from analyser.common.errors import InputError
from analyser.game.house_rules import HouseRule
from analyser.game.profiles import Profiles
from tests.helpers.planted import copies, kin, write_wood
from tests.helpers.skips import proof

RIFLES, TRANSPORTS = "crown/rifle-platoon@basic", "crown/stirling-armoured-transports@basic"


def rated(sides, **how):
    return fair_points(sides, against=sides, **how).frame.set_index("loadout")


@pytest.mark.parametrize(("points", "verdict"), [(35, FAIR), (50, OVER), (25, UNDER), (38, FAIR), (33, FAIR)])
def test_of_units_that_fight_alike_all_have_one_price_and_the_others_say_which(library, points, verdict):
    found = rated(kin(library[RIFLES], 7, points=points))
    assert found["fair_points"].iloc[0] == pytest.approx(35, rel=0.01)
    assert found["fair_points"].iloc[1:].tolist() == pytest.approx([35] * 6, rel=0.06)
    assert (found["fair_low"] < 35).all()
    assert (found["fair_high"] > 35).all()
    # At a lower price the first does as well as all others for less; they have besides what nothing counts.
    assert found["verdict"].tolist() == [
        verdict if points <= 35 or verdict == OVER else UNDECIDED,
        *[FAIR if points >= 35 else UNDECIDED] * 6,
    ]


@pytest.fixture(scope="module")
def basic(library):
    return [each for faction in ("crown", "imperium") for each in library.matching(f"{faction}/*@basic")]


@pytest.mark.parametrize(
    ("share", "faction"), [(1.1, "crown"), *proof((1.1, "empire"), (1.25, "crown"), (0.75, "empire"))]
)
def test_of_two_that_are_the_same_the_dearer_is_over_priced_however_cheap_both_are(library, basic, share, faction):
    """At 20 points the rifles are under-priced, and so is a copy of them that costs less; but no copy at more is."""
    rifles = library[RIFLES].with_(points=20)
    others = [each for each in basic if each.selector != RIFLES]
    (copy,) = copies(rifles.model_copy(update={"faction": faction}), 1, points=round(share * 20))
    found = rated([*others, rifles, copy])
    assert rated([*others, rifles]).loc[RIFLES, "verdict"] == UNDER
    dear, cheap = sorted([rifles, copy], key=lambda each: -each.level.points)
    assert found.loc[[dear.selector, cheap.selector], "verdict"].tolist() == [OVER, UNDER]
    assert (found.loc[dear.selector, "at_most"], found.loc[dear.selector, "lean"]) == (cheap.level.points, "")
    worth = found.loc[[dear.selector, cheap.selector], ["fair_points", "fair_low", "fair_high"]].to_numpy()
    assert worth[0] == pytest.approx(worth[1], rel=0.03)  # the same unit is worth the same, whatever it costs today
    assert f"{cheap.selector} does at least as well in every matchup" in found.loc[dear.selector, "why"]


@pytest.mark.parametrize(("points", "faction"), [(75, "crown"), (85, "imperium")])
def test_a_unit_that_is_dominated_at_its_price_or_below_is_never_fair(library, basic, points, faction):
    guard = library["crown/horse-guard-cavalry@basic"]
    weak = copies(guard, 1)[0].model_copy(update={"faction": faction}).with_(dice=-1, points=points)
    found = rated([*basic, weak]).loc[weak.selector]
    assert guard.level.points <= points
    assert (found["verdict"], found["lean"]) == (OVER, "")
    assert f"{guard.selector} does at least as well" in found["why"]
    if faction == guard.faction:  # what no figure counts is for its own faction to use
        orders = rated([*basic, weak.with_(rules="+Tow")]).loc[weak.selector]
        assert orders["verdict"] != FAIR


def test_copies_have_one_answer_and_change_no_other_in_any_order_of_the_file(library, basic):
    twins = copies(library["crown/horse-guard-cavalry@basic"], 3)
    alone = rated(basic)
    there, turned = (rated(each) for each in ([*basic, *twins], [twins[1], *basic[::-1], twins[0], twins[2]]))
    figures = ["fair_points", "fair_low", "fair_high", "points_over_fair", "offence", "toughness"]
    same = there.loc[[each.selector for each in twins]]
    assert same[["verdict", "lean", "why"]].nunique().tolist() == [1, 1, 1]
    for each in figures:
        assert same[each].tolist() == pytest.approx([same[each].iloc[0]] * 3, rel=1e-6)
        assert turned.loc[there.index, each].tolist() == pytest.approx(there[each].tolist(), rel=1e-6, nan_ok=True)
    assert turned.loc[there.index, "verdict"].equals(there["verdict"])
    assert there.loc[alone.index, "verdict"].equals(alone["verdict"])
    for each in ("fair_points", "under_probability", "over_probability"):  # prices end within 1e-10
        assert there.loc[alone.index, each].tolist() == pytest.approx(alone[each].tolist(), abs=1e-5, rel=1e-5)


def test_the_fewer_units_of_a_role_there_are_the_less_sure_is_a_price(library):
    few, many = (rated(kin(library[RIFLES], count)).iloc[0] for count in (3, 7))
    widths = [each["fair_high"] / each["fair_low"] for each in (few, many)]
    assert widths[0] > 1.1 * widths[1]
    assert few["noticed_from"] > many["noticed_from"] > 0.05


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"dice": +5}, UNDER, "dice for 100 points, others: "),
        (
            {"defence": 3},
            UNDER,
            "it takes 46 hits to destroy 100 points of it (other cavalry: 23), with DEFENCE 3 (others: ",
        ),
        (
            {"defence": 1},
            OVER,
            "it takes 9 hits to destroy 100 points of it (other cavalry: 23), with DEFENCE 1 (others: ",
        ),
        ({"rules": "+Resilient (Front)"}, UNDER, "with DEFENCE 3 (others: 2) from the front (Resilient)"),
        ({"qualities": "+Arc", "dice": +1}, UNDER, "its shooting destroys "),
        (
            {"rules": "+Durable"},
            UNDER,
            "because of its tests and rules it lasts 35% longer than other cavalry (Durable)",
        ),
    ],
)
def test_what_was_changed_is_why(library, changes, verdict, reason):
    dragoons = library["crown/black-watch-assault-dragoons@full-strength"]
    points = round(dragoons.level.points * (0.75 if verdict == UNDER else 1.25))  # so that the verdict is clear
    found = rated(kin(dragoons, 6, points=points, **changes))
    assert found["verdict"].tolist() == [verdict, *[UNDECIDED if verdict == UNDER else FAIR] * 5]
    assert reason in found["why"].iloc[0].split(";")[0]


def test_defence_by_a_house_rule_counts_like_printed_defence_if_it_always_holds(library):
    rules = {
        name: HouseRule(when="attacked", defence=2, at=at) for name, at in (("Plates", ()), ("Ridge", "long range"))
    }
    dragoons = library["crown/black-watch-assault-dragoons@basic"].model_copy().with_house_rules(rules)
    printed = dragoons.unit.defence
    wanted = {"+Plates": printed + 2, "+Ridge": printed, "+Resilient (Front)": printed + 1}
    assert {name: defence_of(dragoons.with_(rules=name)) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"dice": -3}, UNDECIDED, "points, but these numbers leave out its passengers"),
        ({"dice": +5, "rules": "-Capacity (3),+Capacity (1)"}, UNDECIDED, "leave out Capacity 1 (other transports: 3)"),
    ],
)
def test_what_a_transport_carries_may_be_worth_what_it_costs(library, changes, verdict, reason):
    dragoons = library["crown/black-watch-assault-dragoons@full-strength"].with_(rules="+Capacity (3)")
    carrying = dragoons.model_copy(update={"unit": dragoons.unit.model_copy(update={"traits": ("transport",)})})
    points = round(carrying.level.points * (1.25 if changes["dice"] < 0 else 0.75))  # so that it is clear
    found = rated(kin(carrying, 6, points=points, **changes))
    assert found["verdict"].iloc[0] == verdict
    assert reason in found["why"].iloc[0]


FIELDS = [("crown/*@basic", "imperium/*@basic"), *proof((("*/*@basic",),))]


@pytest.fixture(scope="module", params=FIELDS, ids=" ".join)
def game(request):
    """The basic loadouts of two factions; in proof, of all."""
    table = matchups(request.param, request.param, situations=["long-range", "charge"])
    return table, exchange_of(table.frame, table.attackers, table.situations, table.ruleset)


def _rated(table, exchange):
    opponents = Opponents(Counter(each.faction for each in table.attackers))
    conditions = {"situations": table.situations, "profiles": table.profiles}
    return FairPoints(**judge(table, exchange), **conditions, opponents=opponents)


@pytest.mark.slow
@pytest.mark.parametrize("times", [0.8, 1.2])
def test_the_verdict_follows_a_price(game, times):
    """Repriced by a fifth its fair points stay where they were, and what it costs over them moves by a fifth."""
    table, exchange = game
    before = _rated(table, exchange).frame.set_index("loadout")
    several = before.groupby("role")["unit"].transform("nunique") > 3
    known = before[several & (before["points"] > 60)].index[::6]
    for name in known:
        points = round(float(times * before.loc[name, "points"]))
        sides = tuple(each.with_(points=points) if each.selector == name else each for each in exchange.loadouts)
        after = _rated(table, replace(exchange, loadouts=sides)).frame.set_index("loadout")
        assert after.loc[name, "points"] == points
        assert after.loc[name, "fair_points"] == pytest.approx(before.loc[name, "fair_points"], rel=0.05)
        moved = after.loc[name, "points_over_fair"] / before.loc[name, "points_over_fair"]
        assert moved == pytest.approx(times, rel=0.06)
        order, both = [UNDER, FAIR, OVER], [each.loc[name, "verdict"] for each in (before, after)]
        if UNDECIDED not in both:
            assert (order.index(both[1]) - order.index(both[0])) * np.sign(times - 1) >= 0


def test_one_number_explains_a_part_of_the_fights(game):
    found = _rated(*game)
    assert 0 < found.transitive_share < 1
    assert found.frame["frequency"].sum() == pytest.approx(1)


def test_who_is_asked_for_is_rated_as_in_the_whole(library):
    whole = fair_points("crown/*@basic", against="crown/*@basic", situations=["charge"], profiles=library).frame
    some = fair_points("crown/rifle*@basic", against="crown/*@basic", situations=["charge"], profiles=library).frame
    shown = whole[whole["loadout"].isin(some["loadout"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(some, shown)


@pytest.mark.slow
def test_two_sides_that_do_not_all_meet_each_other_are_both_rated(library):
    others = ["imperium/*@basic", "crown/r*@basic"]
    pairs, how = (("crown/*@basic", others), (others, "crown/*@basic")), {"situations": ["long-range", "charge"]}
    there, back = (matchups(*pair, profiles=library, **how) for pair in pairs)
    sides = tuple({each.selector: each for each in there.attackers + there.defenders}.values())
    frame = pd.concat([there.frame, back.frame], ignore_index=True)
    frame = frame.drop_duplicates(["attacker", "defender", "situation"], ignore_index=True)
    both = replace(there, frame=frame, attackers=sides, defenders=sides)
    found = fair_points(both)
    assert set(found.frame["faction"]) == {"crown", "imperium"}
    assert max(found.residuals.values()) < 1e-9
    assert found.frame[["offence", "toughness"]].dropna().stack().between(0.05, 20).all()  # they ran away once


def test_every_answer_names_its_opponents_in_its_first_line(tmp_path):
    """By default all factions, whatever the answer; one unit then has one price."""
    text = (write_wood(tmp_path) / "wood.toml").read_text(encoding="utf-8")
    (tmp_path / "grove.toml").write_text(text.replace('"wood"', '"grove"'), encoding="utf-8")
    library = Profiles(tmp_path)
    rifles, how = "wood/oak@basic", {"situations": ["long-range"], "profiles": library}
    everybody = f"gainst {len(list(library))} loadouts of Grove and Wood"
    answers = [
        fair_points(rifles, **how),
        analyser.what_if(rifles, points="+10", **how),
        analyser.solve_price(rifles, **how),
        analyser.solve_dice(rifles, most=1, **how),
    ]
    assert all(everybody in " ".join(str(each).split())[:160] for each in answers)
    others = how | {"against": "grove/*"}
    for answer in (
        fair_points(rifles, **others),
        rebalance("wood/*", **others),
        analyser.what_if(rifles, points="+10", **others),
        analyser.solve_price(rifles, **others),
        analyser.solve_dice(rifles, most=1, **others),
    ):
        also = "the 7 judged loadouts" if answer.schema == "analyser/price-changes/1" else "the unit itself"
        assert f"Judged against 7 loadouts (Grove 7) and {also}" in " ".join(str(answer).split())
    fair = answers[0].frame["fair_points"].iloc[0]
    assert answers[1].before.fair_points == pytest.approx(fair)
    few = fair_points(rifles, against="grove/*", **how)
    assert few.opponents.in_short in str(few).splitlines()[0]


def test_what_is_not_in_the_game_is_named_with_a_reason(library):
    sides = kin(library[RIFLES], 7)
    unarmed = sides[5].model_copy(update={"unit": sides[5].unit.model_copy(update={"rows": ()})})
    free, unknown = sides[4].with_(points=0), sides[6].model_copy(deep=True)
    levels = {name: each.model_copy(update={"points": None}) for name, each in unknown.unit.levels.items()}
    unknown = unknown.model_copy(update={"unit": unknown.unit.model_copy(update={"levels": levels})})
    found = rated([*sides[:4], free, unarmed, unknown], situations=["long-range"])
    assert found["verdict"].tolist() == [*[FAIR] * 4, *[UNDECIDED] * 3]
    assert found["why"].tolist()[4:] == ["it costs 0 points", "it damages none of these units", "it has no points"]
    text = str(fair_points([*sides[:4], free, unarmed, unknown], against=sides[:4], situations=["long-range"]))
    assert "nan" not in text.lower()
    assert "None" not in text
    assert "inf" not in text.lower().replace("infantry", "")


@pytest.mark.parametrize(
    ("units", "why"),
    [
        (["crown/rifle-platoon@basic"], "crown/rifle-platoon@basic has no opponents but itself"),
        (
            [TRANSPORTS, "crown/horse-guard-cavalry@basic"],
            f"no two loadouts exchange losses: {TRANSPORTS}: none of these units damages it",
        ),
    ],
)
def test_a_game_without_exchange_is_refused(units, why):
    with pytest.raises(InputError, match=why):
        fair_points(units[:1], against=units[-1:], situations=["long-range"])
