"""The best list: against every list of a small faction; limits that always hold; what battles tell apart."""

import html
import itertools
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import analyser
from analyser.analysis import built_lists
from analyser.analysis.build import build
from analyser.analysis.built_lists import BattleRecord, army_of, play_battles, with_ties
from analyser.analysis.force_programme import Force, best_lists
from analyser.analysis.list_opponents import list_opponents, values_against
from analyser.common.errors import InputError
from analyser.common.method_settings import Sampling
from analyser.game.profiles import Profiles
from analyser.report.answer_pages import build_page
from tests.helpers.unit_files import unit_file

FORCES = """
format = 1
led_by = "commander"
least_on_table = 0.5
always_in_reserve = ["aircraft"]
passengers = ["infantry"]
[scales]
skirmish = {least_points = 60, most_points = 200, hand = 4, table = [36, 48]}
battle = {least_points = 200, most_points = 400, hand = 5, table = [48, 48]}
cataclysm = {least_points = 400, most_points = 900, hand = 6, table = [48, 48]}
"""
HEAD = """
format = 1
id = "hill"
name = "Hill"
[[battlegroup]]
id = "line"
name = "Line"
[battlegroup.slots]
commander = {name = "Commander", least = 1, most = 1}
foot = {name = "Foot", least = 1, most = 2}
guns = {name = "Guns", most = 1}
[[battlegroup]]
id = "wing"
name = "Wing"
most = 1
[battlegroup.slots]
commander = {name = "Commander", least = 1, most = 1}
foot = {name = "Foot", most = 1}
"""
CHIEF = 'line = {most = 1, slots = ["commander"]}, wing = {most = 1, slots = ["commander"]}'
FOOT = 'line = {most = 2, slots = ["foot"]}, wing = {most = 1, slots = ["foot"]}'
UNITS = {  # type, traits, places, in force, levels, DEFENCE, dice
    "chief": ("infantry", '"commander"', CHIEF, "", {"basic": 30}, 2, 5),
    "ash": ("infantry", "", FOOT, "", {"basic": 20, "reinforced": 35}, 2, 6),
    "elm": ("infantry", "", FOOT, "in_force = {most = 2}", {"basic": 25}, 3, 7),
    "gun": ("field gun", "", 'line = {most = 1, slots = ["guns"]}', "", {"basic": 40}, 1, 12),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("hill")
    texts = [HEAD]
    for name, (kind, traits, places, in_force, levels, defence, dice) in UNITS.items():
        at = {level: (6 + 6 * place, points) for place, (level, points) in enumerate(levels.items())}
        more = f"traits = [{traits}]\n{in_force}\nbattlegroups = {{ {places} }}"
        texts.append(unit_file(name, defence, at, dice, kind=kind, more=more))
    (path / "hill.toml").write_text("\n".join(texts), encoding="utf-8")
    (path / "forces.toml").write_text(FORCES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hill(folder):
    return Profiles(folder)


def a_force(hill, points, battlegroups=2, **more):
    loadouts = tuple(hill.matching("hill/*"))
    return Force(loadouts, hill.faction("hill").battlegroups, 60, points, battlegroups, "skirmish", "commander", **more)


def legal_counts(force):
    """How many of each loadout every legal list has: all contents of a battlegroup, and all battlegroups of these."""
    loadouts, groups = force.loadouts, []
    for kind in force.battlegroups:
        limits = [each.unit.battlegroups.get(kind.id) for each in loadouts]
        for counts in itertools.product(*(range(limit.most + 1 if limit else 1) for limit in limits)):
            units, slots, allowed = Counter(), Counter(), {}
            for each, limit, count in zip(loadouts, limits, counts):
                if count:
                    units[each.unit.id] += count
                    slots.update(dict.fromkeys(limit.slots, count))
                    allowed[each.unit.id] = limit
            fits = all(limit.allow(slots[slot]) for slot, limit in kind.slots.items())
            if fits and all(limit.allow(units[name]) for name, limit in allowed.items()):
                groups.append((kind, np.array(counts)))
    found = {}
    for number in range(1, force.most_battlegroups + 1):
        for some in itertools.combinations_with_replacement(groups, number):
            if any(not kind.allow(sum(each is kind for each, _ in some)) for kind in force.battlegroups):
                continue
            counts = sum(each for _, each in some)
            by_unit = {name: counts[places].sum() for name, places in force.indices_by_unit.items()}
            units = force.indices_by_unit.items()
            if not all(loadouts[places[0]].unit.in_force.allow(by_unit[name]) for name, places in units):
                continue
            if force.at_most is not None and max(by_unit.values()) > force.at_most:
                continue
            if any(counts[list(places)].sum() < least for places, least in force.must):
                continue
            if force.least_points <= force.points @ counts <= force.most_points:
                found[tuple(counts.tolist())] = counts
    return list(found.values())


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_best_of_all_lists(hill, seed):
    rng = np.random.default_rng(seed)
    more = {"at_most": int(rng.integers(1, 4))} if seed % 3 == 0 else {}
    more |= {"must": (((3,), 1),)} if seed % 3 == 1 else {}
    force = a_force(hill, int(rng.integers(12, 40)) * 5, int(rng.integers(1, 3)), **more)
    values = rng.uniform(0, 50, (1 if seed % 2 else 2, len(force.loadouts)))
    legal, found = legal_counts(force), force.best(values)
    if not legal:
        assert found is None
        return
    assert found.value == pytest.approx(max(float((values @ each).min()) for each in legal), rel=1e-4)
    assert found.bound >= found.value
    assert found.counts in {tuple(each.tolist()) for each in legal}


@pytest.mark.parametrize("seed", range(6))
def test_the_next_best_differ(hill, seed):
    rng = np.random.default_rng(seed)
    force = a_force(hill, 200)
    values = rng.uniform(0, 50, len(force.loadouts))
    found = best_lists(force, values, 4, 0.3)
    points = force.points
    for place, each in enumerate(found):
        for before in found[:place]:
            common = points @ np.minimum(each.counts, before.counts)
            assert common <= 0.7 * (points @ before.counts) + 1e-9
    legal = legal_counts(force)
    left = [each for each in legal if points @ np.minimum(each, found[0].counts) <= 0.7 * (points @ found[0].counts)]
    assert found[1].value == pytest.approx(max(float(values @ each) for each in left), rel=1e-4)
    assert [each.value for each in found] == sorted((each.value for each in found), reverse=True)


@pytest.mark.parametrize("seed", range(8))
def test_no_limit_of_a_real_faction_is_ever_broken(seed):
    """Random values make lists of every kind: the checker of armies finds nothing wrong with any of them."""
    library, rng = Profiles(), np.random.default_rng(seed)
    faction = sorted(library.factions)[seed % len(library.factions)]
    points = int(rng.integers(100, 300)) * 5
    loadouts = tuple(each for each in library.matching(f"{faction}/*") if each.level.points)
    force = Force(
        loadouts, library.faction(faction).battlegroups, 500, points, int(rng.integers(1, 4)), "skirmish", "commander"
    )
    found = force.best(rng.uniform(0, 2, len(loadouts)) * force.points)
    army = army_of("List", found, force, library)
    assert analyser.check_army(army, library).broken == ()
    assert army.points <= points


def test_the_last_bits_of_a_worth_pick_nothing():
    """They differ between machines; lists that are worth the same would change places by them."""
    library, rng = Profiles(), np.random.default_rng(1)
    loadouts = tuple(each for each in library.matching("crown/*") if each.level.points)
    values = np.ones(len(loadouts)) * 30.1

    def lists(noise):
        force = Force(loadouts, library.faction("crown").battlegroups, 500, 1000, 2, "skirmish", "commander")
        return best_lists(force, values + noise, 2, 0.2)

    first = lists(0.0)
    assert all(lists(rng.uniform(-1e-13, 1e-13, len(values))) == first for _ in range(4))


def test_a_faction_without_battlegroups_is_led_all_the_same(hill):
    force = replace(a_force(hill, 150), battlegroups=())
    values = force.points / 100.0
    values[0] = 0.0  # the chief
    found = force.best(values)
    assert found.counts[0] >= 1
    assert force.points @ found.counts <= 150


def test_worth_is_points_destroyed_and_kept(hill):
    """Of one kind of enemy: the share that each loses, times its points."""
    ash, elm = hill["hill/ash@basic"], hill["hill/elm@basic"]
    field = list_opponents("hill/elm@basic", hill, 100, "mean")
    names = [ash.selector, elm.selector]
    losses = pd.DataFrame([[0.0, 0.25], [0.5, 0.0]], names, names)  # ash takes a quarter of an elm, elm half of an ash
    worth = values_against(field.opponents, [ash], losses, 100)
    assert worth.destroyed[0, 0] == pytest.approx(0.25 * 25)
    # four elms; an ash of 20 points is attacked by each as often as it is of 100 points
    assert worth.kept[0, 0] == pytest.approx(20 - 20 / 100 * 4 * 0.5 * 20)


def asked(hill, **more):
    how = {"next_best": 2, "situations": "long-range", "battles": False, "profiles": hill}
    return build("hill", 150, "hill/ash@basic", **how | more)


def test_lists_are_legal_armies_and_are_told(hill):
    found = asked(hill)
    assert all(analyser.check_army(each.army, hill).broken == () for each in found.lists)
    assert all(each.value == pytest.approx(each.destroyed + each.kept) for each in found.lists)
    text = str(found)
    assert "proven to have the highest sum of unit values (gap 0)" in " ".join(text.split())
    assert "the mean over 1 opponent" in " ".join(text.split())
    assert json.loads(json.dumps(found.as_dict()))["lists"][0]["points"] <= 150


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"points": 20}, "no scale allows 20 points"),
        ({"points": 900, "scale": "cataclysm"}, "lists of hill reach only 280 of the 400 points"),
        ({"must": ["hill/gum"]}, "must: selector 'hill/gum': no unit is called 'gum'; did you mean 'gun'?"),
        ({"must": ["hill/gun"], "ban": ["hill/gun"]}, r"must: hill/gun is banned \(allowed"),
        ({"against": []}, "no opponents"),
        ({"next_best": 21}, r"next_best: 21 is out of range \(allowed: 0 to 20\)"),
    ],
)
def test_what_cannot_be_asked_is_refused(hill, more, message):
    keys = {"points": 150, "against": "hill/ash@basic"} | more
    with pytest.raises(InputError, match=message):
        build("hill", situations="long-range", battles=False, profiles=hill, **keys)


@pytest.fixture
def fought(monkeypatch):
    """The armies of all battles, which are won as often as an army has points."""
    armies = []

    def battles(army, enemy, sampling, library, tell):
        armies.append(army)
        tell(sampling.first_trials() // 2)
        each = sampling.first_trials() // built_lists.PARTS
        return [[min(army.points, each), 0, each]] * built_lists.PARTS

    monkeypatch.setattr(built_lists, "battles_by_part", battles)
    return armies


def armies_of(hill, *lists):
    named = ({"name": f"L{at}", "faction": "hill", "unit": each} for at, each in enumerate(lists))
    return [analyser.load_army(each, hill) for each in named]


def test_finished_battles_are_not_simulated_again(hill, fought, cached):
    lists = armies_of(hill, ["hill/ash@basic"], ["hill/gun@basic"], ["hill/elm@basic"])
    enemy, sampling, told = armies_of(hill, ["hill/chief@basic"]), Sampling("monte-carlo", 100), []
    first = play_battles(lists[:2], enemy, sampling, hill)
    assert len(fought) == 2
    reporting = replace(sampling, progress=lambda done, total: told.append((done, total)))
    whole = play_battles(lists, enemy, reporting, hill)
    assert len(fought) == 3
    assert whole[:2] == first
    assert told[-1] == (288, 288)  # 16 orders, 6 each
    for other in (Sampling("monte-carlo", 100, seed=1), Sampling("monte-carlo", 116)):
        before = len(fought)
        play_battles(lists, enemy, other, hill)
        assert len(fought) == before + 3


def test_a_lucky_order_makes_no_best_list():
    """Of two lists with one mean over the orders neither is the best, whatever single orders say; a sure gain is."""
    ups, downs = [(900, 0, 1000)] * 8, [(100, 0, 1000)] * 8
    swinging, steady = BattleRecord((*ups, *downs)), BattleRecord(((480, 0, 1000),) * 16)
    assert [each.is_tied for each in with_ties([swinging, steady])] == [True, True]
    assert BattleRecord(((4000, 500, 10_000),)).score == pytest.approx(0.425)
    assert swinging.range_text == "10 to 90"
    better = BattleRecord(tuple((won + 60, 0, 1000) for won, _, _ in swinging.by_part))
    assert [each.is_tied for each in with_ties([swinging, better])] == [False, True]  # in each order, so paired


def test_the_own_list_fights_too(hill, fought):
    against = [{"name": "Enemy", "faction": "hill", "unit": ["hill/ash@basic"]}]
    own = {"name": "Mine", "faction": "hill", "unit": ["hill/gun@basic"]}
    how = {"next_best": 1, "situations": "long-range", "trials": 3200, "profiles": hill}
    found = build("hill", 150, against, mine=own, **how)
    assert (len(fought), len(found.battles)) == (3, 2)
    assert found.own.battles.score == 40 / 200
    assert "Your own list, Mine, does worse than the best: score 20.0" in found.verdict
    assert found.as_dict()["own"]["battles"]["score"] == 0.2
    assert found.as_dict()["own"]["value"] == found.own.destroyed + found.own.kept > 0


def test_the_own_list_is_valued_as_those_that_are_built(hill, fought):
    """A list that is the best one again has its value; one of other units than the programme has says which."""
    against = [{"name": "Enemy", "faction": "hill", "unit": ["hill/ash@basic"]}]
    how = {"next_best": 1, "situations": "long-range", "trials": 3200, "profiles": hill}
    for over in ("mean", "worst"):
        first = build("hill", 150, against, over=over, battles=False, **how | {"trials": 1}).lists[0]
        again = build("hill", 150, against, over=over, mine=first.army, **how).own
        assert (again.destroyed, again.kept) == pytest.approx((first.destroyed, first.kept))
        assert (again.differs, again.without_value) == (0.0, ())
    gun = {"unit": "hill/gun@basic", "defence": 9}
    found = build("hill", 150, against, mine={"name": "Mine", "faction": "hill", "unit": [gun]}, **how)
    assert (np.isnan(found.own.value), found.own.without_value) == (True, ("gun, basic",))
    assert "of Mine is not reported: the search does not include its gun, basic." in " ".join(str(found).split())
    assert found.as_dict()["own"]["kept"] is None


@pytest.mark.parametrize(
    ("won", "says"),
    [
        ((900, 500), "Battles confirm the ranking: Hill list 1 is the best. The values of these lists"),
        ((500, 900), "Battles change the ranking: Hill list 2 does better than Hill list 1."),
        ((898, 900), "The differences of these lists in battle are not significant"),
    ],
)
def test_the_verdict_is_that_of_the_battles(hill, won, says):
    found = asked(hill, next_best=2)
    records = with_ties([BattleRecord(((each, 0, 1000),)) for each in won])
    lists = tuple(built._replace(battles=record) for built, record in zip(found.lists, records))
    verdict = replace(found, lists=lists).verdict
    assert says in verdict
    assert ", and their scores by at most " in verdict


def test_without_battles_nothing_is_said_of_them(hill):
    """No page, no text and no line in the terminal calls a list the best that has not fought."""
    found = asked(hill)
    assert found.title == "Lists of hill with the highest sums of unit values, 60 to 150 points"
    assert found.verdict.startswith("Without battles: Hill list 1 has the highest sum of unit values (")
    page = build_page(found)
    assert html.escape(found.verdict).replace("&#x27;", "&#39;") in page
    assert " ".join(found.verdict.split()) in " ".join(str(found).split())
    for said in (page, str(found), found.verdict):
        for word in ("In battle", "in battle", "Best list", "the best list", "their scores", "95%"):
            assert word not in said
    assert "no battles were simulated" in page
    with pytest.raises(InputError, match=r"mine: needs battles.* \(allowed: with battles\)"):
        asked(hill, mine=["hill/gun@basic"])
