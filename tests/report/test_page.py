"""What the page of a report concludes: flags with reasons, best targets, who wins duels, which profiles were read."""

import html
import json
import math
import re

import pandas as pd
import pytest

from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.game.profiles import profiles_used
from analyser.report import write_report

pytestmark = pytest.mark.slow

SIDES = "crown/*@basic", ["imperium/*@basic", "crown/rifle-platoon@basic"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(*SIDES, out=tmp_path_factory.mktemp("reports") / "r")


@pytest.fixture(scope="module")
def frame():
    return matchups(*SIDES, situations="all").frame


@pytest.fixture(scope="module")
def text(report):
    return (report / "index.html").read_text(encoding="utf-8")


def sheet(text, unit):
    """The words of the part of a unit, tags taken away."""
    part = text.partition(f'id="unit-{unit}"')[2].partition("</details>")[0]
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", part)).split())


def test_what_is_destroyed_is_not_called_beaten(text):
    """The tables are of points destroyed, and said who beats whom (item 16)."""
    words = sheet(text, "crown-rifle-platoon")
    assert "It beats" not in text
    assert "It is beaten by" not in text
    assert words.count("Best targets") == words.count("Most dangerous attackers") == 4


def test_of_duels_it_is_told_who_wins(text, frame):
    duels = by_unit(frame[frame["situation"] == "duel"])
    mine = duels[(duels["attacker"] == "crown/rifle-platoon") & (duels["defender"] != "crown/rifle-platoon")]
    mine = mine[mine["p_attacker_wins"].notna()]
    p_loses = 1 - mine["p_attacker_wins"] - mine["p_draw"]
    wins, loses = int((mine["p_attacker_wins"] > p_loses).sum()), int((mine["p_attacker_wins"] < p_loses).sum())
    words = sheet(text, "crown-rifle-platoon")
    assert f"more likely to win than to lose against {wins} of the {len(mine)} units here" in words
    assert f"more likely to lose against {loses}." in words
    assert f"On average it wins {100 * mine['p_attacker_wins'].mean():.1f}% of these duels and loses" in words
    assert words.count("P(it wins)") == words.count("P(attacker wins)") == 1
    best = mine.nlargest(1, "expected_points_destroyed_per_100_points").iloc[0]
    assert f"{best['defender_unit']} {best['expected_points_destroyed_per_100_points']:.1f}" in words


def test_every_verdict_is_on_the_page_with_its_reason(report, text):
    prices = pd.read_csv(report / "prices.csv", keep_default_na=False)
    first = html.unescape(text.partition('<h2 id="verdict">')[2].partition("<h2")[0])
    for verdict in ("over-priced", "under-priced"):
        flagged = prices[prices["verdict"] == verdict]
        far = flagged.loc[flagged["points_over_fair"].astype(float).map(math.log).abs().nlargest(5).index]
        assert all(why in first for why in far["why"])
    for row in prices.to_dict("records"):
        words = sheet(text, row["loadout"].partition("@")[0].replace("/", "-"))
        assert f"{row['verdict']} ; {row['why']}." in words


def test_the_page_and_the_manifest_say_which_profiles_were_read(report, text):
    """Editing a folder of profiles did nothing where another one answered (item 19)."""
    manifest = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    used = profiles_used()
    assert manifest["profiles_used"] == used._asdict()
    assert f"Profiles: {used}." in text.partition("<nav")[0]
