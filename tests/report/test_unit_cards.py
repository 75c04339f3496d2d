"""Rows and cards of units, beside a plain reading of prices, profiles and matchups."""

import math
import re
import statistics
from collections import Counter

import pandas as pd
import pytest

from analyser.analysis.distance_curves import curves
from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from analyser.report.folder import ReportInputs
from analyser.report.page import headline_of, page_values
from analyser.report.report_jobs import balance_of
from analyser.report.unit_cards import loadouts_by_unit

FACTIONS = ["crown/r*", "crown/g*@basic", "imperium/s*@basic"]


@pytest.fixture(scope="module")
def made():
    """The table of three families of units against each other, its balance, and what the page shows of it."""
    library = Profiles()
    found = matchups(FACTIONS, FACTIONS, situations=["long-range", "short-range-aimed", "charge"], profiles=library)
    balance = balance_of(found, lambda: None)
    sides = found.attackers
    inputs = ReportInputs(sides, sides, found.situations, None, found.ruleset, found.profiles)
    return found, balance, *page_values(found, balance, inputs)


def levels(data):
    """Every level of the cards with its unit, by selector."""
    return {f"{card['key']}@{level['level']}": (card, level) for card in data["units"] for level in card["levels"]}


def test_each_loadout_has_its_price_verdict_and_reason(made):
    found, balance, _, data = made
    names = {each.selector: f"{each.unit.name}, {each.level_name}" for each in found.attackers}
    rows, there = balance.prices.frame.set_index("loadout"), levels(data)
    assert there.keys() == {each.selector for each in found.attackers} == set(rows.index)
    for name, (_, level) in there.items():
        row = rows.loc[name]
        kind = {"over-priced": "over", "under-priced": "under", "fair": "fair", "undecided": "undecided"}
        assert level["kind"] == kind[row["verdict"]]
        assert level["why"] == re.sub(r"\S+/\S+@\S+", lambda found: names[found[0]], row["why"])
        if row["verdict"] in ("over-priced", "under-priced"):
            sure = max(row["over_probability"], row["under_probability"])
            assert level["verdict_text"].startswith(f"{row['verdict']} (")
            percent = level["verdict_text"].removesuffix("% sure)").partition(" (")[2]
            assert abs(float(percent.strip("<>")) / 100 - sure) <= 0.0101
        assert (level["fair"] is None) == math.isnan(row["fair_points"])
        if level["fair"] is not None:
            low, high = (float(each) for each in level["range"].split("–"))
            assert (low, high) == pytest.approx((row["fair_low"], row["fair_high"]), abs=0.51)


def test_rows_stand_by_verdict_then_how_sure_it_is_then_distance_from_fair(made):
    _, balance, shown, _ = made
    frame = balance.prices.frame
    frame = frame.assign(
        key=frame["loadout"].str.partition("@")[0],
        sure=frame[["over_probability", "under_probability"]].max(axis=1).fillna(0),
        rank=frame["verdict"].map({"fair": 1, "undecided": 2}).fillna(0),
        distance=[0.0 if math.isnan(each) else abs(math.log(each)) for each in frame["points_over_fair"]],
    )
    frame = frame.assign(mispriced=frame["rank"] == 0).sort_values(["mispriced", "sure"], kind="stable")
    head = frame.iloc[::-1].drop_duplicates("key").set_index("key")
    keys = [
        (row["rank"], -round(row["sure"], 2), -row["distance"])
        for row in (head.loc[line["key"]] for line in shown["lines"])
    ]
    assert len({key[0] for key in keys}) == 3
    assert keys == sorted(keys)


def test_a_search_finds_dominated_units_by_that_word(made):
    _, balance, shown, _ = made
    units = {name.partition("@")[0] for name in balance.dominated["attacker"]}
    assert {line["key"] for line in shown["lines"] if "dominated" in line["search_words"]} == units != set()
    assert set(balance.dominated["attacker"]) <= shown["verdicts"].keys()


def test_dots_stand_on_a_logarithmic_axis_from_half_to_double(made):
    _, balance, shown, _ = made
    rows = balance.prices.frame.dropna(subset=["fair_points"]).set_index("loadout")
    marks = {(line["key"], at): mark for line in shown["lines"] for at, mark in enumerate(line["marks"])}
    seen = Counter()
    for name, row in rows.iterrows():
        key = name.partition("@")[0]
        mark = marks[key, seen[key]]
        seen[key] += 1
        for place, price in ((mark["at"], "fair_points"), (mark["low"], "fair_high"), (mark["high"], "fair_low")):
            assert place == pytest.approx(min(max(50 + 50 * math.log2(row["points"] / row[price]), 0), 100), abs=0.006)
    assert len(marks) == len(rows)


def test_the_sentence_and_the_counts_are_those_of_the_prices(made):
    _, balance, shown, _ = made
    frame = balance.prices.frame
    counts = {verdict: number for _, verdict, number, _ in shown["counts"]}
    verdicts = ("over-priced", "under-priced", "fair", "undecided")
    assert counts == {verdict: (frame["verdict"] == verdict).sum() for verdict in verdicts}
    wrong = frame["verdict"].isin(["over-priced", "under-priced"])
    for faction, numbers, share in shown["by_faction"]:
        own = frame[frame["faction"] == faction]
        assert numbers == [(own["verdict"] == verdict).sum() for verdict in verdicts]
        assert share == pytest.approx(wrong[own.index].mean())
    assert shown["headline"].startswith(f"{100 * wrong.mean():.0f}% of loadouts look mispriced")
    none = type(balance.prices)(**{**vars(balance.prices), "frame": frame[~wrong]})
    assert headline_of(none) == "No loadout looks mispriced."


def test_hits_charges_and_reach_are_those_of_the_profiles_and_the_table(made):
    found, balance, _, data = made
    charges = found.frame[found.frame["situation"] == "charge"].groupby("attacker")["attacker_share_lost"].mean()
    prices, library = balance.prices.frame.set_index("loadout"), {each.selector: each for each in found.attackers}
    reach = {}
    for each in found.attackers:
        role = prices.loc[each.selector, "role"]
        longest = max([row.long_range or 0 for row in each.unit.rows], default=0)
        reach.setdefault(role, {})[each.selector.partition("@")[0]] = longest
    for name, (card, level) in levels(data).items():
        loadout = library[name]
        if name == "crown/galahad-main-battle-tanks@basic":
            assert "DEFENCE 3 (from the front 4: Resilient)" in card["facts"]
        elif not loadout.unit.has("Resilient"):
            limit, defence = loadout.unit.damage_limit, loadout.unit.defence
            hits = loadout.level.models * limit * defence * 100 / loadout.level.points
            assert level["hits"] == pytest.approx(hits, abs=0.006)
        cost = charges.get(name, math.nan)
        assert level["charge"] == (None if math.isnan(cost) else pytest.approx(cost))
        drivers = {title: (own, usual) for title, own, usual, _ in level["drivers"]}
        own = reach[card["role"]][card["key"]]
        others = [each for key, each in reach[card["role"]].items() if key != card["key"]]
        if own and others and statistics.median(others):
            assert drivers["Reach"] == (own, statistics.median(others))
        if not math.isnan(prices.loc[name, "offence"]):
            assert drivers["Attack per point"] == (pytest.approx(prices.loc[name, "offence"], abs=5e-4), 1.0)
            assert drivers["Endurance per point"] == (pytest.approx(prices.loc[name, "toughness"], abs=5e-4), 1.0)


def test_a_card_has_rows_rules_and_curves(made):
    found, _, _, data = made
    units, drawn = loadouts_by_unit(found.attackers), curves(found)
    for card in data["units"]:
        unit = units[card["key"]][0].unit
        assert all(str(rule) in card["profile"] for rule in unit.rules)
        assert [row[0] for row in card["rows"]] == [row.name for row in unit.rows]
        for row, told in zip(unit.rows, card["rows"]):
            assert all(f": {band.cell}" in told[3] for band in row.bands)
            assert all(str(quality) in told[4] for quality in row.qualities)
        steps = [step for curve in drawn.get(card["key"], ()) for line in curve.lines for step in line.steps]
        carried = [step for curve in card["curves"] for _, steps in curve["lines"] for step in steps]
        assert [each[:2] for each in carried] == [(step.first, step.last) for step in steps]
        assert [each[2] for each in carried] == pytest.approx([step.destroys for step in steps], abs=0.0051)


def test_what_dominates_a_unit_is_a_note_on_its_card(made):
    _, balance, _, data = made
    notes = {card["key"]: card["notes"] for card in data["units"]}
    for row in balance.dominated.to_dict("records"):
        of_unit = " ".join(notes[row["attacker"].partition("@")[0]])
        assert f"which costs {row['points_saved']} points less" in of_unit
    assert sum(map(len, notes.values())) == len(balance.dominated)


def test_units_without_points_have_cards_without_a_price(river):
    found = matchups("river/*", "river/*", situations=["long-range"], profiles=river)
    balance = balance_of(found, lambda: None)._replace(prices=None)
    inputs = ReportInputs(found.attackers, found.attackers, found.situations, None, found.ruleset, found.profiles)
    shown, data = page_values(found, balance, inputs)
    assert shown["prices"] is None
    assert all(level["verdict_text"] == "–" and level["fair"] is None for _, level in levels(data).values())
    assert not any(line["marks"] for line in shown["lines"])
    assert shown["verdicts"] == {}
    assert pd.isna(balance.dominated).sum().sum() == 0
