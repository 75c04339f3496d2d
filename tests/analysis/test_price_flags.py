"""Flags of price: one for each loadout, by what its unit is made for, on planted cases whose answer is known."""

import pytest

from analyser.analysis.balance import LEAST, dominated, efficiency, has_besides, outliers
from analyser.analysis.matchups import matchups
from analyser.analysis.price_flags import CANNOT_SAY, FACTOR, OVER_PRICED, UNDER_PRICED, flags, hits_to_destroy
from analyser.game.keywords import Rule
from analyser.game.profiles import Profiles
from analyser.game.units import unit_of

pytestmark = pytest.mark.slow

CROWN = [each for each in Profiles() if each.faction == "crown" and each.level_name != "reinforced"]
ENEMY = [each for each in Profiles() if each.faction == "imperium" and each.level_name == "basic"]
OF = {each.selector: each for each in CROWN}
PLANTED = [each.selector for each in CROWN if each.level_name == "basic"]


def planted(selector, *, price=1.0, dice=1, tougher=1, name="planted", **changes):
    """A copy of a loadout under another name, at another price, with other figures."""
    one = OF[selector]
    rows = tuple(
        row.model_copy(
            update={
                "bands": tuple(
                    band.model_copy(
                        update={"dice": dice * band.dice, "special": band.special and dice * band.special},
                    )
                    for band in row.bands
                )
            }
        )
        for row in one.unit.rows
    )
    level = one.level.model_copy(update={"points": round(price * one.level.points)})
    told = {"id": name, "name": name.title(), "rows": rows, "levels": {one.level_name: level}}
    limit = {"damage_limit": tougher * one.unit.damage_limit}
    return one.model_copy(update={"unit": one.unit.model_copy(update={**told, **limit, **changes})})


def flagged(attackers, defenders=ENEMY):
    found = matchups(attackers, defenders, situations=["long-range", "charge"])
    told = flags(found.frame, efficiency(found.frame), found.attackers)
    assert not told["attacker"].duplicated().any()  # one flag each, which nothing contradicts
    return told.set_index("attacker")


@pytest.fixture(scope="module")
def usual():
    return flagged(CROWN)


# --- planted cases ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selector", PLANTED)
def test_a_copy_at_a_higher_price_is_over_priced_and_nothing_else_is(selector, usual):
    copy = planted(selector, price=1.5)
    told = flagged([*CROWN, copy])
    assert told.loc[copy.selector, "flag"] == OVER_PRICED
    saved = copy.level.points - OF[selector].level.points
    assert f"{OF[selector].unit.name}, basic, does at least as well" in told.loc[copy.selector, "why"]
    assert f"costs {saved} points less" in told.loc[copy.selector, "why"]
    assert told["flag"].eq(OVER_PRICED).sum() == 1
    assert usual["flag"].ne(OVER_PRICED).all()


@pytest.mark.parametrize("selector", PLANTED)
def test_a_unit_twice_as_good_in_everything_at_the_same_price_is_under_priced(selector):
    twin = planted(selector, dice=2, tougher=2)
    told = flagged([*CROWN, twin])
    assert told.loc[twin.selector, "flag"] == UNDER_PRICED, told.loc[twin.selector, "why"]
    assert told["flag"].ne(OVER_PRICED).all()


def test_a_dominated_unit_is_over_priced_unless_it_has_something_besides():
    worse = planted("crown/rifle-platoon@basic", price=1.2, defence=1)
    commander = planted("crown/rifle-platoon@basic", price=1.2, defence=1, name="staff", traits=("commander",))
    told = flagged([*CROWN, worse, commander])
    assert told.loc[worse.selector, "flag"] == OVER_PRICED
    assert told.loc[commander.selector, "flag"] != OVER_PRICED
    found = matchups([*CROWN, worse, commander], ENEMY, situations=["long-range"])
    by = dominated(found.frame, found.attackers).set_index("attacker")["has_besides"]
    assert by[worse.selector] == ""
    assert by[commander.selector] == "commander"


def test_the_command_platoon_is_dominated_and_not_over_priced(usual):
    """It costs twice what riflemen of the same card cost, for orders that no figure is computed from."""
    assert usual.loc["crown/rifle-command-platoon@basic", "flag"] == ""


def test_a_specialist_is_not_flagged_for_what_it_is_not_made_for(usual):
    """Its guns are the best against heavy targets, and among the worst against light ones (item 13)."""
    jobs = efficiency(matchups(CROWN, ENEMY, situations=["long-range"]).frame).set_index(["attacker", "category"])
    gun = "crown/galahad-main-battle-tanks@full-strength"
    light, heavy = jobs.loc[(gun, "light")], jobs.loc[(gun, "heavy")]
    assert light["efficiency"] < light["median"] / FACTOR
    assert heavy["efficiency"] > heavy["median"]
    assert usual.loc[gun, "made_for"] == "heavy"
    assert usual.loc[gun, "flag"] != OVER_PRICED


def test_who_charges_is_not_measured_by_those_who_shoot(usual):
    """Sappers charge heavy targets, which most others that are made for them shoot at: nothing is usual of that."""
    sappers = usual.loc["crown/royal-engineer-sappers@full-strength"]
    assert (sappers["made_for"], sappers["situation"]) == ("heavy", "charge")
    assert sappers["times_usual"] > FACTOR
    assert sappers["flag"] == CANNOT_SAY
    assert "made to do it in that way" in sappers["why"]


def test_a_unit_that_does_half_of_the_usual_at_its_best_is_over_priced_only_if_nothing_speaks_for_it():
    """Eight times the price, and no original beside it: riflemen have no speed, trait or armour to be paid for."""
    others = [each for each in CROWN if each.unit.id not in ("rifle-platoon", "rifle-command-platoon")]
    plain = planted("crown/rifle-platoon@basic", price=8, rules=(), name="plain")
    scouts = planted("crown/rifle-platoon@basic", price=8, rules=(Rule("Pioneers"),), name="scouts", speed=9.0)
    iron = planted("crown/rifle-platoon@basic", price=8, rules=(), name="iron", tougher=8)
    told = flagged([*others, plain, scouts, iron])
    assert told.loc[[each.selector for each in (plain, scouts, iron)], "flag"].tolist() == [
        OVER_PRICED,
        CANNOT_SAY,
        CANNOT_SAY,
    ]
    assert "nothing here counts its SPEED of 9, Pioneers" in told.loc[scouts.selector, "why"]
    assert "hits destroy 100 points of it" in told.loc[iron.selector, "why"]


@pytest.mark.filterwarnings("error")
def test_where_there_is_no_exchange_at_all_nothing_can_be_said():
    harmless = [planted(selector, dice=0, name=f"harmless-{place}") for place, selector in enumerate(PLANTED)]
    found = matchups(harmless, ENEMY, situations=["long-range", "charge"])
    told = flags(found.frame, efficiency(found.frame), found.attackers)
    assert set(told["flag"]) == {CANNOT_SAY}
    assert told["why"].str.contains("nothing to judge it by|can attack nobody").all()
    assert outliers(found.frame, [*harmless, *ENEMY]).empty
    assert dominated(found.frame, found.attackers).empty


def test_a_faction_of_one_unit_cannot_be_judged():
    told = flagged([OF["crown/rifle-platoon@basic"], OF["crown/rifle-platoon@full-strength"]])
    assert told["flag"].tolist() == [CANNOT_SAY, CANNOT_SAY]
    assert told["why"].str.startswith("fewer than 5 units here are made for what it does best").all()


# --- what is said is true ---------------------------------------------------------------------------------------


def test_reasons_are_the_figures(usual):
    jobs = efficiency(matchups(CROWN, ENEMY, situations=["long-range", "charge"]).frame)
    for row in usual[usual["made_for"] != ""].reset_index().to_dict("records"):
        mine = jobs[(jobs["attacker"] == row["attacker"]) & (jobs["category"] == row["made_for"])]
        at = mine.set_index("situation").loc[row["situation"]]
        assert row["efficiency"] == at["efficiency"] >= LEAST
        assert f"it destroys {row['efficiency']:.1f} points for 100 (usual: {row['usual']:.1f})" in row["why"]
        same = usual["made_for"] == row["made_for"]
        peers = jobs[
            jobs["attacker"].map(unit_of).isin(set(usual.index[same].map(unit_of)))
            & (jobs["category"] == row["made_for"])
            & (jobs["situation"] == row["situation"])
            & (jobs["efficiency"] >= LEAST)
        ]
        assert row["usual"] == pytest.approx(peers["efficiency"].median())
        assert row["hits"] == pytest.approx(100 * hits_to_destroy(OF[row["attacker"]]) / row["attacker_points"])


def test_no_flag_that_a_designer_would_laugh_at(usual):
    """Of 30 flags of over-price 26 were of loadouts that do their best job above the median (item 13)."""
    assert not ((usual["flag"] == OVER_PRICED) & (usual["times_usual"] > 1 / FACTOR)).any()
    under = usual[usual["flag"] == UNDER_PRICED]
    assert (under["times_usual"] >= FACTOR).all()
    assert (under["hits"] >= under["usual_hits"]).all()


def test_what_a_loadout_has_besides_is_told_by_its_profile():
    rifles, tanks = OF["crown/rifle-platoon@basic"], OF["crown/galahad-main-battle-tanks@basic"]
    assert has_besides(rifles, rifles) == ()
    assert "heavy target" in has_besides(tanks, rifles)
    assert "DEFENCE 3" in has_besides(tanks, rifles)
    assert "6 models" in has_besides(rifles, tanks)
    assert has_besides(planted("crown/rifle-platoon@basic", break_limit=None), rifles) == ("no BREAK LIMIT",)
    assert hits_to_destroy(tanks) == 2 * 4 * (3 + 1)  # Resilient (Front)
