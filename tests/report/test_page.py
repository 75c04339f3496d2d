"""What the page of a report concludes: flags with reasons, best targets, who wins duels, which profiles were read."""

import html
import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analyser.analysis.exchange import exchange_of
from analyser.analysis.grid import by_unit
from analyser.analysis.prices import LIMITS, fair_points
from analyser.analysis.situations import situations_called
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles, profiles_used
from analyser.report import page, write_report
from analyser.report.enemies import Trades, trades_of
from analyser.report.page import faction_lines

pytestmark = pytest.mark.slow

SIDES = "crown/*@basic", ["imperium/*@basic", "crown/rifle-platoon@basic"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(*SIDES, out=tmp_path_factory.mktemp("reports") / "r")


@pytest.fixture(scope="module")
def frame(report):
    return pd.read_parquet(report / "matchups.parquet")


@pytest.fixture(scope="module")
def text(report):
    return (report / "index.html").read_text(encoding="utf-8")


def plain(part):
    """The words of a piece of the page, tags taken away."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", part)).split())


def sheet(text, unit):
    """The words of the card of a unit, tags taken away."""
    part = text.partition(f'id="unit-{unit}"')[2].partition('<details class="sheet"')[0].partition("<h2")[0]
    return plain(part)


def test_what_is_destroyed_is_not_called_beaten(text):
    """The tables are of points destroyed, and said who beats whom (item 16)."""
    words = sheet(text, "crown-rifle-platoon")
    assert words.count("What beats it") == 1  # of duels
    assert "Points, not victories: " in words.partition("points for points")[2]
    assert words.count("Of these it destroys most for its points") == 4  # in each situation
    assert words.count("These destroy most of it for their points") == 4


def test_of_duels_it_is_told_who_wins_and_what_the_others_do(text, frame):
    duels = by_unit(frame[frame["situation"] == "duel"])
    mine = duels[(duels["attacker"] == "crown/rifle-platoon") & (duels["defender"] != "crown/rifle-platoon")]
    mine = mine[mine["p_attacker_wins"].notna()]
    words = sheet(text, "crown-rifle-platoon")
    assert f"of the {len(mine)} enemies that fight it here" in words
    assert words.count("P(it wins)") == words.count("P(attacker wins)") == 1
    best = mine.nlargest(1, "expected_points_destroyed_per_100_points").iloc[0]
    assert f"{best['defender_unit']} {best['expected_points_destroyed_per_100_points']:.1f}" in words


def test_who_fights_no_duels_is_named_with_the_reason(text):
    aircraft = "it is an aircraft, and flies sorties: no duel (AC-9.2)"
    assert f"No duels: {aircraft}." in sheet(text, "imperium-messer-interceptor-squadron")
    ratings = plain(text.partition('id="ratings"')[2].partition("<table")[0])
    assert re.search(r"2 of the \d+ loadouts have no rating: ", ratings)
    assert ratings.count(aircraft) == 2


def test_defence_from_the_front_is_told(text):
    assert "DEFENCE 3 (from the front 4: Resilient)" in sheet(text, "crown-galahad-main-battle-tanks")
    assert "Resilient)" not in sheet(text, "crown-rifle-platoon").partition(" basic ")[0]


def test_it_says_among_whom_prices_are_judged_and_why_of_some_nothing_can_be_said(report, text):
    prices = pd.read_csv(report / "prices.csv")
    first = plain(text.partition('<section id="verdict"')[2].partition('<div class="first"')[0])
    library = Profiles()
    told = f"Judged against {len(list(library))} loadouts (Commonwealth "
    assert told in first.partition("Not counted")[0]
    assert f", more than stand in this report. Of the {len(prices)} here" in first
    doubts = prices.loc[prices["verdict"] == "undecided", "doubt"]
    told = re.findall(r" \((\d+)\)", first.partition("Undecided: ")[2])
    assert sum(map(int, told)) == len(doubts) > 0
    wanted = fair_points("crown/rifle-platoon@basic").frame.iloc[0]
    there = prices.set_index("loadout").loc[wanted["loadout"]]
    assert there["verdict"] == wanted["verdict"]
    assert [there[name] for name in ("fair_points", "fair_low", "fair_high")] == pytest.approx(
        [wanted[name] for name in ("fair_points", "fair_low", "fair_high")]
    )


def test_a_report_can_be_judged_in_a_wider_field(tmp_path):
    """Its verdicts are those that are said of the field, whoever is in the report."""
    sides = {"situations": ["long-range", "charge"]}
    out = write_report("crown/rifle*@basic", "imperium/krupp*@basic", out=tmp_path / "r", field="*/*@basic", **sides)
    wanted = fair_points(["crown/rifle*@basic", "imperium/krupp*@basic"], against="*/*@basic", **sides).frame
    prices = pd.read_csv(out / "prices.csv", keep_default_na=False).set_index("loadout")
    assert sorted(prices.index) == sorted(wanted["loadout"])
    assert prices["verdict"].to_dict() == wanted.set_index("loadout")["verdict"].to_dict()
    field = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["field"]
    assert field["loadouts"] == sum(each.level_name == "basic" for each in Profiles())
    first = plain((out / "index.html").read_text(encoding="utf-8").partition('<section id="verdict"')[2])
    assert f"Judged against {field['loadouts']} loadouts (Commonwealth " in first
    assert ", more than stand in this report. Of the 3 here" in first
    with pytest.raises(InputError, match="a field or a row, not both"):
        write_report("crown/rifle*", "imperium/krupp*", out=tmp_path / "x", field="*/*", row="ranged-light")


def test_where_levels_have_different_verdicts_each_is_told_on_the_folded_card(tmp_path):
    out = write_report("crown/*", "imperium/*", out=tmp_path / "r", situations=["long-range", "charge"])
    prices = pd.read_csv(out / "prices.csv", keep_default_na=False)
    text, seen = (out / "index.html").read_text(encoding="utf-8"), set()
    for name, rows in prices.groupby(prices["loadout"].str.partition("@")[0], sort=False):
        folded = plain(
            text.partition(f'id="unit-{name.replace("/", "-")}"')[2]
            .partition("<summary>")[2]
            .partition("</summary>")[0]
        )
        groups = {verdict: ", ".join(same["level"]) for verdict, same in rows.groupby("verdict", sort=False)}
        one = len(groups) == 1
        assert folded.endswith(
            " · " + (next(iter(groups)) if one else "; ".join(f"{its}: {each}" for each, its in groups.items()))
        )
        seen.add(one)
    assert seen == {True, False}


def test_levels_of_one_verdict_and_one_reason_are_told_in_one_line(report, text):
    prices = pd.read_csv(report / "prices.csv")
    of_unit = prices["loadout"].str.partition("@")[0]
    for name, rows in prices.groupby(of_unit, sort=False):
        said = sheet(text, name.replace("/", "-")).partition("Judged against ")[2]
        for (verdict, why), same in rows.groupby(["verdict", "why"], sort=False):
            levels = ", ".join(same["level"])
            assert f"{levels[:1].upper()}{levels[1:]}, {verdict}: {why}." in said


def test_who_cannot_shoot_is_marked_among_the_ratings(text):
    rated = text.partition('id="ratings"')[2].partition("</table>")[0]
    assert "A duel has no approach" in rated
    rows = [plain(row) for row in rated.split("<tr>")[2:]]
    marked = {row.partition(",")[0].split(" ", 1)[1] for row in rows if "(cannot shoot)" in row}
    library = Profiles()
    units = {each.unit.name: each.unit for each in library}
    assert marked
    for row in rows:
        name = row.partition(",")[0].split(" ", 1)[1]
        assert (name in marked) == all(each.kind != "ranged" for each in units[name].rows)


def test_rows_go_by_the_names_of_the_cards(text):
    ranked = text.partition('<details id="best"')[2].partition('<details id="balance"')[0]
    assert "Ranged (Light)" in ranked
    assert "ranged-light" not in ranked


def test_the_first_screen_names_the_farthest_units_with_points_fair_points_and_why(report, text):
    prices = pd.read_csv(report / "prices.csv")
    first = text.partition('<section id="verdict"')[2].partition('<details id="every-price"')[0]
    assert LIMITS in html.unescape(first)
    for verdict in ("over-priced", "under-priced"):
        part = plain(first.partition(f'<h2 id="most-{verdict}">')[2].partition("</section>")[0])
        flagged = prices[prices["verdict"] == verdict]
        away = flagged["points_over_fair"].map(math.log).abs()
        far = flagged.loc[away.sort_values(ascending=False).index].drop_duplicates("unit").head(5)
        for row in far.to_dict("records"):
            ends = f"{row['fair_low']:.0f}–{row['fair_high']:.0f}"
            points = f"{row['points']} points, fair {row['fair_points']:.0f} ({ends}; {row['lean']})"
            assert f"{row['unit']}, {row['level']} : {points} {row['why']}." in part
        assert part.count(" points, fair ") == len(far)
    assert "→" not in first  # that is what was and what is, on the page over reports


def test_every_loadout_with_fair_points_is_a_dot_that_leads_to_its_card(report, text):
    prices = pd.read_csv(report / "prices.csv")
    dots = re.findall(r'<a href="#([^"]+)" class="dot ([^"]+)" data-loadout="([^"]+)"><title>([^<]+)</title>', text)
    rated = prices[prices["fair_points"].notna()].set_index("loadout")
    assert {name for _, _, name, _ in dots} == set(rated.index)
    assert len(dots) == len(rated)
    for link, classes, name, told in dots:
        row = rated.loc[name]
        assert link == "unit-" + name.partition("@")[0].replace("/", "-")
        assert ("flagged" in classes) == (row["verdict"] in ("over-priced", "under-priced"))
        assert html.unescape(told).startswith(f"{row['unit']}, {row['level']} (")
        assert f"{row['points']} points, fair points {row['fair_points']:.0f} (" in told
    assert len({classes.split()[0] for _, classes, _, _ in dots}) == prices["faction"].nunique()


def test_every_verdict_stands_on_its_card(report, text):
    prices = pd.read_csv(report / "prices.csv", keep_default_na=False)
    for row in prices.to_dict("records"):
        words = sheet(text, row["loadout"].partition("@")[0].replace("/", "-"))
        assert f"{row['level'].capitalize()}, {row['verdict']}: {row['why']}." in words


def test_a_card_has_rows_dice_rules_durability_and_what_a_charge_costs(frame, text):
    words = sheet(text, "crown-rifle-platoon")
    unit = Profiles()["crown/rifle-platoon@basic"]
    for row in unit.unit.rows:
        assert f"{row.name} {', '.join(row.against) or row.kind} " in words
        for band in row.bands:
            assert f": {band.cell}" in words
        assert all(str(each) in words for each in row.qualities)
    assert all(str(each) in words for each in unit.unit.rules)
    hits = unit.level.models * unit.unit.damage_limit * unit.unit.defence * 100 / unit.level.points
    mine = frame[(frame["attacker"] == "crown/rifle-platoon@basic") & (frame["situation"] == "charge")]
    lost = 100 * mine["attacker_share_lost"].mean()
    assert re.search(rf"basic {unit.level.models} {unit.level.points} .* {hits:.1f} {lost:.1f}% ", words)


def test_rivals_are_those_against_whom_points_are_won_and_lost(frame, text):
    """What 100 points destroy while both act once: far apart they shoot, near each does what gains it most."""
    facts = facts_of(frame)
    trades, _ = trades_of(SimpleNamespace(**facts))
    names = "imperium/sturmpanzer-battletanks@basic", "crown/drake-field-guns@basic"
    exchange = exchange_of(frame, facts["attackers"], facts["situations"], facts["ruleset"])
    me, other = ([each.selector for each in exchange.loadouts].index(name) for name in names)
    share = exchange.mean()[me, other]
    costs = [Profiles()[name].level.points for name in names]
    ours, theirs = (trades.names.index(name.partition("@")[0]) for name in names)
    assert 0 < share < exchange.free.mean(axis=0)[me, other]  # it is suppressed now and then
    assert trades.destroyed[ours, theirs] == pytest.approx(100 * share * costs[1] / costs[0])
    worst = np.nanargmax(trades.destroyed[:, ours] - trades.destroyed[ours])
    name = Profiles()[f"{trades.names[worst]}@basic"].unit.name
    destroys, loses = trades.destroyed[worst, ours], trades.destroyed[ours, worst]
    found = f"Enemy ahead by {name} {destroys:.1f} {loses:.1f} +{destroys - loses:.1f}"
    assert found in sheet(text, "imperium-sturmpanzer-battletanks")


def test_a_card_says_what_its_rows_destroy_over_the_distance(text):
    words = sheet(text, "imperium-sturmpanzer-battletanks")
    on_light = words.partition("On light targets (")[2].partition("On heavy targets")[0]
    assert re.match(r"\d+\) .* Ranged \(Light\): to 10″ [\d.]+ , to 18″ [\d.]+ a charge: to 12″ [\d.]+", on_light)
    assert "Best: " in on_light
    part = text.partition('id="unit-imperium-sturmpanzer-battletanks"')[2].partition('<details class="sheet"')[0]
    assert part.count('<svg class="over" role="img" aria-label="') == 3
    assert not re.search(r'd="[^"]*(nan|inf)', part)


@pytest.mark.parametrize("cut", [1, 2])
def test_a_page_that_would_be_too_large_says_what_is_left_out(tmp_path, monkeypatch, cut):
    whole = write_report("crown/rifle*", "imperium/krupp*", out=tmp_path / "whole", situations=["long-range"])
    full = (whole / "index.html").read_text(encoding="utf-8")
    assert "data:image/png" in full
    assert "Left out" not in full
    without_pictures = re.sub('data:image/png;base64,[^"]*', "", full)
    monkeypatch.setattr(page, "MOST_BYTES", len(without_pictures.encode()) - 2_000 if cut == 1 else 1_000)
    found = write_report("crown/rifle*", "imperium/krupp*", out=tmp_path / "cut", situations=["long-range"])
    text = (found / "index.html").read_text(encoding="utf-8")
    assert len(text) < len(without_pictures)
    assert "data:image/png" not in text
    assert text.count("Left out, so that this page stays under 5 MB.") == 2
    assert ("Most figures are left out, so that" in text) == (cut == 2)
    assert (found / "balance.csv").exists()
    assert len(list((found / "pictures").iterdir())) == len(list((whole / "pictures").iterdir()))


def facts_of(frame):
    library = Profiles()
    names = dict.fromkeys([*frame["attacker"], *frame["defender"]])
    sides = tuple(library[name] for name in names)
    facts = {"frame": frame, "attackers": sides, "situations": situations_called(situations_of(frame))}
    return facts | {"ruleset": library.ruleset}


def situations_of(frame):
    return list(dict.fromkeys(frame["situation"]))


def test_who_is_ahead_of_whom_is_said_in_a_sentence():
    destroyed = np.array([[20.0, 31.0, np.nan], [24.0, 20.0, 0.0], [np.nan, 0.0, 20.0]])
    assert faction_lines(Trades(["red", "blue", "green"], destroyed)) == [
        "Red comes out ahead of Blue: 100 points of it destroy 31.0 points a round, "
        "and lose 24.0 to 100 points of Blue."
    ]


def test_the_page_and_the_manifest_say_which_profiles_were_read(report, text):
    """Editing a folder of profiles did nothing where another one answered (item 19)."""
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    used = profiles_used()
    assert manifest["profiles_used"] == used.as_dict()
    head = text.partition("<nav")[0]
    assert f"in the profiles “{used.folder}”, whose content has the version {used.version}." in head
