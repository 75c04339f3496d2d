"""What beats a unit: planted fights whose answer is known, and the same as the page says it."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from analyser.analysis.matchups import matchups
from analyser.game.profiles import Profiles
from analyser.game.units import unit_of
from analyser.report import write_report
from analyser.report.enemies import Trades, enemies_data, enemies_of, rivals_of
from tests.helpers.unit_files import unit_file


def duels(*rows):
    """Attacker, defender, the chance that the attacker wins, and that nobody does."""
    return pd.DataFrame(rows, columns=["attacker", "defender", "p_attacker_wins", "p_draw"])


BOTH_WAYS = duels(
    ("b/axe@basic", "a/tank@basic", 0.9, 0.0),
    ("a/tank@basic", "b/axe@basic", 0.1, 0.2),
    ("b/axe@basic", "a/tank@full", 0.8, 0.0),
    ("a/tank@full", "b/axe@basic", 0.4, 0.0),
    ("b/gun@basic", "a/tank@basic", 0.8, 0.1),
    ("a/tank@basic", "b/gun@basic", 0.2, 0.0),
    ("b/gun@basic", "a/tank@full", 0.2, 0.0),
    ("a/tank@full", "b/gun@basic", 0.9, 0.0),
    ("b/wall@basic", "a/tank@basic", 0.4, 0.6),
    ("a/tank@basic", "b/wall@basic", 0.0, 0.6),
    ("b/wall@basic", "a/tank@full", 0.4, 0.6),
    ("a/tank@full", "b/wall@basic", 0.0, 0.6),
    ("b/straw@basic", "a/tank@basic", 0.0, 0.0),
    ("a/tank@basic", "b/straw@basic", 1.0, 0.0),
    ("a/tank@basic", "b/cloud@basic", np.nan, np.nan),
    ("a/tank@basic", "a/tank@full", 0.0, 0.0),
)


def test_enemies_stand_by_their_chance_to_win_whoever_begins():
    found = enemies_of(BOTH_WAYS)["a/tank"]
    assert [each.unit for each in found] == ["b/axe", "b/gun", "b/wall", "b/straw"]  # neither itself, nor who cannot
    axe, gun, wall, straw = found
    assert (axe.wins, axe.loses) == pytest.approx((0.75, 0.2))  # 0.8 and 0.7; 0.1 and 0.3
    assert (gun.wins, gun.loses) == pytest.approx(((0.8 + 0.8 + 0.2 + 0.1) / 4, (0.1 + 0.2 + 0.8 + 0.9) / 4))
    assert (wall.wins, wall.loses) == pytest.approx((0.4, 0.0))
    assert (straw.wins, straw.loses) == (0.0, 1.0)


def test_who_wins_more_than_half_beats_it_and_who_does_so_at_some_levels_is_told_apart():
    axe, gun, wall, straw = enemies_of(BOTH_WAYS)["a/tank"]
    assert [each.beats for each in (axe, gun, wall, straw)] == [True, False, False, False]
    assert [each.is_ahead for each in (axe, gun, wall, straw)] == [False, False, True, False]
    assert [each.at_some_levels for each in (axe, gun, wall, straw)] == [False, True, False, False]
    assert gun.beaten == {"basic": [("basic", pytest.approx(0.8))]}
    assert axe.beaten == {"basic": [("basic", pytest.approx(0.8))], "full": [("basic", pytest.approx(0.7))]}
    assert (axe.n_won, axe.pairs, gun.n_won, gun.pairs, straw.n_won, straw.pairs) == (2, 2, 1, 2, 0, 1)


def test_rock_paper_scissors_each_is_beaten_by_one():
    names = ["c/rock@basic", "c/paper@basic", "c/scissors@basic"]
    frame = duels(*((names[(at + 1) % 3], names[at], 0.9, 0.0) for at in range(3)))
    beaten = {unit: [each.unit for each in enemies if each.beats] for unit, enemies in enemies_of(frame).items()}
    assert beaten == {"c/rock": ["c/paper"], "c/paper": ["c/scissors"], "c/scissors": ["c/rock"]}


def test_exactly_half_beats_nobody():
    (enemy,) = enemies_of(duels(("b/x@basic", "a/y@basic", 0.5, 0.0)))["a/y"]
    assert not enemy.beats
    assert not enemy.is_ahead
    assert not enemy.at_some_levels


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A giant, a twin of it, a middling unit and a straw man, whose duels have a known end."""
    folder = tmp_path_factory.mktemp("giants") / "profiles"
    folder.mkdir()
    giant = (3, {"basic": (12, 200)}, 24, 12)
    units = {
        "giant": giant,
        "twin": giant,
        "middling": (2, {"basic": (6, 60), "reinforced": (8, 90)}, 8, 6),
        "straw": (1, {"basic": (1, 10)}, 1, 1),
    }
    texts = [unit_file(name, *facts) for name, facts in units.items()]
    (folder / "land.toml").write_text("\n".join(['format = 1\nid = "land"\nname = "Land"', *texts]), encoding="utf-8")
    return Profiles(folder)


def test_planted_fights_have_the_known_answer(field):
    found = enemies_of(matchups("land/*", "land/*", situations=["duel"], profiles=field).frame)
    beaten_by = {unit: [each.unit for each in enemies if each.beats] for unit, enemies in found.items()}
    assert beaten_by["land/giant"] == beaten_by["land/twin"] == []
    assert set(beaten_by["land/middling"]) == {"land/giant", "land/twin"}
    assert set(beaten_by["land/straw"]) == {"land/giant", "land/twin", "land/middling"}
    (twin,) = (each for each in found["land/giant"] if each.unit == "land/twin")
    assert twin.wins == pytest.approx(twin.loses, abs=1e-12)  # each begins one of two
    for unit, enemies in found.items():
        for enemy in enemies:
            (back,) = (each for each in found[enemy.unit] if each.unit == unit)
            assert (enemy.wins, enemy.loses) == pytest.approx((back.loses, back.wins), abs=1e-12)


def test_rivals_stand_by_the_difference_and_nobody_is_its_own():
    destroyed = np.array([[50.0, 30.0, 10.0], [10.0, 50.0, np.nan], [40.0, np.nan, 50.0]])
    ahead, behind = rivals_of(Trades(["a", "b", "c"], destroyed))["a"]
    assert [(each.unit, each.destroys, each.loses, each.ahead) for each in ahead] == [("c", 40.0, 10.0, 30.0)]
    assert [(each.unit, each.ahead) for each in behind] == [("b", -20.0)]


def test_what_the_page_unpacks_is_a_square_table_of_all():
    names = ["a/tank", "b/axe", "b/gun", "b/wall", "b/straw", "b/cloud"]
    trades = Trades(["a/tank", "b/cloud"], np.array([[9.0, 12.34], [5.0, 9.0]]))
    found = enemies_data(names, enemies_of(BOTH_WAYS), trades)
    assert found["units"] == names
    assert [row[0] for row in found["wins"]] == [None, 750, 475, 400, 0, None]
    assert found["wins"][0][1:] == [200, 500, 0, 1000, None]
    assert [row[0] for row in found["won"]] == [None, 2, 1, 0, 0, None]
    assert [row[0] for row in found["pairs"]] == [None, 2, 2, 2, 1, None]
    assert (found["destroys"][0][5], found["destroys"][5][0], found["destroys"][0][0]) == (12.3, 5.0, None)


def card(text, unit):
    return text.partition(f'id="unit-{unit}"')[2].partition('<details class="sheet"')[0].partition('<h2 id="ratings')[0]


def plain(part):
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", part)).split())


@pytest.fixture(scope="module")
def page(field, tmp_path_factory):
    out = tmp_path_factory.mktemp("reports") / "land"
    return (write_report("land/*", "land/*", out=out, profiles=field) / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_card_names_what_beats_a_unit_with_its_chance(page):
    part = card(page, "land-middling").partition("<h4>What beats it</h4>")[2].partition("<h4>")[0]
    rows = re.findall(r'<th scope="row"><a href="#(unit-[^"]+)">([^<]+)</a></th>', part)
    assert sorted(rows) == [("unit-land-giant", "giant"), ("unit-land-twin", "twin")]
    words = plain(part)
    assert "2 of the 3 enemies that fight it here win more than half of their duels with it" in words
    assert re.search(r"giant 200 (>99|100)% (<1|0)% basic ", words)
    assert re.match(r"In duels : (giant , twin|twin , giant) \. Points for points", words)
    assert plain(card(page, "land-giant")).count("In duels : nobody here, more often than not.") == 1
    assert "The other 1 at no level : by name below, under Every enemy ." in words
    assert "Not one of the 3 enemies" in plain(card(page, "land-giant"))
    assert "land against itself" in page.lower().partition("</title>")[0]


@pytest.mark.slow
def test_every_card_of_a_report_names_those_that_a_plain_reading_finds(tmp_path):
    out = write_report("crown/r*", "imperium/s*", out=tmp_path / "r", situations=["duel", "long-range"])
    text, frame = (out / "index.html").read_text(encoding="utf-8"), pd.read_parquet(out / "matchups.parquet")
    rows = frame[frame["p_attacker_wins"].notna()].to_dict("records")
    chances, checked = {}, 0
    for row in rows:
        me, other, wins = row["defender"], row["attacker"], row["p_attacker_wins"]
        chances.setdefault((unit_of(me), unit_of(other)), {}).setdefault((me, other), []).append(wins)
        lost = 1 - wins - row["p_draw"]
        chances.setdefault((unit_of(other), unit_of(me)), {}).setdefault((other, me), []).append(lost)
    for unit in {me for me, _ in chances}:
        means = {}
        for (me, other), pairs in chances.items():
            if me == unit:
                means[other] = np.mean([np.mean(each) for each in pairs.values()])
        wanted = [other for other, wins in sorted(means.items(), key=lambda each: -each[1]) if wins > 0.5]
        part = card(text, unit.replace("/", "-")).partition("<h4>What beats it</h4>")[2].partition("<h4>")[0]
        shown = re.findall(r'<th scope="row"><a href="#unit-([^"]+)">', part)
        assert shown == [each.replace("/", "-") for each in wanted[:8]]
        checked += len(shown)
    assert checked > 5
