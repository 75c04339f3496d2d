"""What a change of one loadout does, and the price and dice at which it is fair: on a field whose answer is known."""

import json
import math

import numpy as np
import pytest

import analyser
from analyser.analysis import grid
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import exchange_of
from analyser.analysis.situations import EXCHANGES
from analyser.analysis.standing import Standings
from analyser.analysis.verdict import FAIR, OVER
from analyser.common.errors import InputError
from analyser.common.metrics import EFFICIENCY
from analyser.game.profiles import Profiles
from tests.helpers.planted import write_wood
from tests.helpers.shell import refusal

pytestmark = pytest.mark.slow

OAK = "wood/oak@basic"


@pytest.fixture(scope="module")
def dear(tmp_path_factory):
    """A field in which `oak` is `ash` at a price higher by a quarter."""
    return write_wood(tmp_path_factory.mktemp("dear"), oak=75)


@pytest.fixture(scope="module")
def found(dear):
    return analyser.what_if(OAK, points=60, profiles=dear)


def test_a_copy_at_a_higher_price_is_over_priced_until_it_is_repriced(found):
    assert found.before.verdict == OVER != found.after.verdict
    assert (found.before.points, found.after.points) == (75, 60)
    assert found.tables["standings"].set_index("when")["points"].to_dict() == {"before": 75, "after": 60}
    assert found.before.fair_points == pytest.approx(found.after.fair_points, rel=0.03)  # the same worth at any price
    assert found.before.lean == ""
    assert found.before.rank < found.after.rank <= found.after.n_ranked == 7


def test_efficiency_is_the_mean_of_what_it_destroys_for_100_points(dear, found):
    frame = matchups(OAK, "*/*", situations=EXCHANGES, profiles=dear).frame
    mean = frame[frame["defender"] != OAK][EFFICIENCY].mean()
    assert found.before.efficiency == pytest.approx(mean, rel=1e-12)
    assert found.after.efficiency == pytest.approx(mean * 75 / 60, rel=1e-12)


def test_before_and_after_are_those_of_fair_points(dear, found, tmp_path):
    for standing, folder in ((found.before, dear), (found.after, write_wood(tmp_path / "fair", oak=60))):
        row = analyser.fair_points("*/*", profiles=folder).frame.set_index("loadout").loc[OAK]
        for name in ("fair_points", "fair_low", "fair_high", "offence", "toughness"):
            assert getattr(standing, name) == pytest.approx(row[name], rel=1e-9), name
        assert (standing.verdict, standing.role) == (row["verdict"], row["role"])


def test_against_its_own_copy_it_comes_out_even_at_the_same_price(found):
    twin = found.frame.set_index("opponent").loc["wood/ash@basic"]
    assert twin["before"] < -0.05
    assert twin["after"] == pytest.approx(0, abs=1e-12)


def test_who_comes_out_ahead_is_points_destroyed_by_either_for_its_points(dear):
    table = matchups("*/*", "*/*", situations=EXCHANGES, profiles=dear)
    exchange = exchange_of(table.frame, table.attackers, table.situations, table.ruleset)
    names, lost, points = [each.selector for each in exchange.loadouts], exchange.mean(), exchange.points
    one, other = names.index(OAK), names.index("wood/fir@basic")
    ours = lost[one, other] * points[other] / points[one]
    theirs = lost[other, one] * points[one] / points[other]
    wanted = (ours - theirs) / (ours + theirs + 0.02)  # a hundredth of a point on both sides is nobody's gain
    assert Standings(table).leads.loc[OAK, "wood/fir@basic"] == pytest.approx(wanted, abs=1e-12)


def test_the_solved_price_is_the_fair_price_of_the_prices_and_fair_there(tmp_path):
    folder = write_wood(tmp_path / "today", beech=90)
    solved = analyser.solve_price("wood/beech@basic", profiles=folder)
    row = analyser.fair_points("*/*", profiles=folder).frame.set_index("loadout").loc["wood/beech@basic"]
    assert round(row["fair_points"]) == solved.price.points
    assert (solved.price.fair_low, solved.price.fair_high) == (row["fair_low"], row["fair_high"])
    assert (solved.today, solved.role) == (90, "infantry")
    assert f"fair at {solved.price.points} points" in str(solved)
    at_it = write_wood(tmp_path / "solved", beech=solved.price.points)
    row = analyser.fair_points("*/*", profiles=at_it).frame.set_index("loadout").loc["wood/beech@basic"]
    assert row["verdict"] == solved.price.verdict
    assert row["points_over_fair"] == pytest.approx(1, abs=0.03)  # it is met a little less often than at 90


def test_the_solved_price_of_a_copy_names_that_of_its_equal(dear, tmp_path):
    solved = analyser.solve_price(OAK, profiles=dear)
    assert solved.price.at_most == 60 < solved.price.points
    cheap = analyser.solve_price(OAK, profiles=write_wood(tmp_path / "cheap", oak=40, ash=45))
    assert cheap.price.at_most == 45 < cheap.price.points
    assert cheap.price.verdict == OVER
    assert "another loadout that does at least as well costs 45 points" in " ".join(str(cheap).split())
    assert cheap.headline.endswith("but another loadout that does at least as well costs 45 points.")


def test_the_limit_of_a_better_unit_has_its_reason(tmp_path):
    folder = write_wood(tmp_path / "wood", oak=90, elder=45)
    own = analyser.solve_price(OAK, profiles=folder).price
    assert (own.at_most, own.verdict) == (45, OVER)
    curve = analyser.solve_dice(OAK, most=1, profiles=folder).frame.set_index("dice")
    assert round(curve.loc[0, "fair_points"]) == own.points
    assert curve.loc[0, "verdict"] == OVER
    assert curve.loc[0, "doubt"] == own.doubt == "another loadout that does at least as well costs 45 points"


def test_the_fair_price_of_the_present_dice_is_the_solved_price(tmp_path):
    folder = write_wood(tmp_path / "cheap", oak=40, ash=45)
    curve = analyser.solve_dice(OAK, most=1, profiles=folder).frame.set_index("dice")
    assert round(curve.loc[0, "fair_points"]) == analyser.solve_price(OAK, profiles=folder).price.points


ELDER = "wood/elder@basic"


@pytest.fixture(scope="module")
def dice_of_elder(tmp_path_factory):
    """The folder of a field, and how many dice a unit of it is worth."""
    folder = write_wood(tmp_path_factory.mktemp("elder"), elder=90)
    return folder, analyser.solve_dice(ELDER, row="rifles", most=8, profiles=folder)


def test_dice_and_points_are_traded_off(dice_of_elder):
    folder, found = dice_of_elder
    curve = found.frame
    assert curve["dice"].tolist() == list(range(-8, 9))
    assert curve["fair_points"].is_monotonic_increasing
    assert (curve["fair_low"] <= curve["fair_points"]).all()
    assert (curve["fair_points"] <= curve["fair_high"]).all()
    as_it_is = curve.set_index("dice").loc[0]
    assert round(as_it_is["fair_points"]) == analyser.solve_price(ELDER, profiles=folder).price.points
    away = np.log(curve["fair_points"] / 90).abs()
    assert found.dice == curve["dice"][away.idxmin()]
    assert 0 < abs(found.dice) < 8
    changed = analyser.what_if(ELDER, row="rifles", dice=found.dice, profiles=folder)
    assert changed.after.verdict == FAIR == curve.set_index("dice").loc[found.dice, "verdict"]
    assert f"{found.dice:+d} dice" in " ".join(str(found).split())
    assert len(found.plot().lines[0].get_xdata()) == 17


def test_the_end_of_the_search_is_no_answer(dice_of_elder):
    """A search that stops short of the nearest price does not name its last number of dice, though that is fair."""
    folder, whole = dice_of_elder
    short = analyser.solve_dice(ELDER, row="rifles", most=abs(whole.dice) - 1, profiles=folder)
    assert short.dice is None
    text = " ".join(str(short).split())
    assert "no change of dice that was tried makes it fair at 90 points; its fair price is" in text


def test_changes_without_a_fair_price_are_left_out():
    found = analyser.solve_dice("crown/sharp-rifles@basic", against="imperium/*@basic", situations="long-range", most=6)
    assert found.frame["dice"].min() > -6  # with fewer dice it can damage none of them
    assert found.frame["doubt"].astype(bool).equals(found.frame["verdict"] == "undecided")


@pytest.mark.parametrize(
    ("ask", "how", "message"),
    [
        (analyser.what_if, {}, "nothing is changed"),
        (analyser.what_if, {"poitns": 5}, "did you mean 'points'"),
        (analyser.what_if, {"models": 30}, r"oak@basic: no row has attack dice for 30 models \(AC-2.4\)"),
        (analyser.what_if, {"row": "pistols", "dice": 1}, "unknown row 'pistols'"),
        (analyser.what_if, {"row": "melee", "long_range": 10}, "oak@basic: long_range: no row can take this change"),
        (analyser.what_if, {"situations": ["charge", "duel"], "dice": 1}, "duels do not count for prices"),
        (analyser.solve_price, {"against": OAK}, "no opponents but itself"),
    ],
)
def test_bad_input_is_told(dear, ask, how, message):
    with pytest.raises(InputError, match=message):
        ask(OAK, profiles=dear, **how)


def test_dice_of_a_unit_without_rows_are_no_change(dear):
    library = Profiles(dear)
    bare = library[OAK].model_copy(update={"unit": library[OAK].unit.model_copy(update={"rows": ()})})
    with pytest.raises(InputError, match="oak@basic: dice: no row can take this change"):
        analyser.what_if(bare, dice=1, profiles=library)


def test_who_hurts_nobody_has_no_fair_price(dear):
    library = analyser.load_profiles(dear)
    harmless = library[OAK].with_(dice=-200)
    with pytest.raises(InputError, match="it damages none of these units"):
        analyser.solve_price(harmless, profiles=library)
    with pytest.raises(InputError, match="it costs 0 points"):
        analyser.solve_dice(library[OAK].with_(points=0), profiles=library)
    assert math.isnan(analyser.what_if(OAK, dice=-200, profiles=library).after.fair_points)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("qualities+Ark", "did you mean 'Arc'"),
        ("defence=0", f"{OAK}: defence: 0 is not usable (allowed: 1 to 100)"),
        ("dice+500 --row rifles", f"{OAK}: rifles: dice at "),
        ("short_range=99 --row rifles", f"{OAK}: rifles: short_range 99 is beyond long_range"),
    ],
)
def test_bad_words_are_one_line_and_exit_2(dear, words, message):
    assert message in refusal("balance", "what-if", OAK, *words.split(), "--profiles", dear)


@pytest.mark.parametrize(("instead", "why"), [("points = 0, ", "it costs 0 points"), ("", "it has no points")])
def test_who_is_in_no_exchange_is_told_why_without_figures(tmp_path, instead, why):
    folder = write_wood(tmp_path / "wood")
    text = (folder / "wood.toml").read_text(encoding="utf-8")
    rest, oak = text.split('id = "oak"')
    oak = oak.replace("points = 60, ", instead)
    (folder / "wood.toml").write_text(f'{rest}id = "oak"{oak}', encoding="utf-8")
    found = analyser.what_if(OAK, profiles=folder, points=70)
    told = " ".join(str(found).split())
    assert f"No matchup can be compared: before, {why}" in told
    assert "; no matchup can be compared (exact)" in told
    assert found.before.verdict == "undecided"
    assert "nan" not in told.lower()
    json.dumps(found.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "ask",
    [
        lambda **how: analyser.what_if(OAK, points=60, **how),
        lambda **how: analyser.solve_dice(OAK, **how),
        lambda **how: analyser.fair_points("*/*", **how),
    ],
)
def test_duels_alone_are_refused_before_anybody_fights(dear, monkeypatch, ask):
    monkeypatch.setattr(grid, "blank_cells", None)  # what any fight begins with
    with pytest.raises(InputError, match="prices cannot be computed from duels alone"):
        ask(situations="duel", profiles=dear)
