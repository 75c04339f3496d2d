"""Answers to battles: odds, survivors, contributions, swing units, stories."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import analyser
from analyser.common.errors import InputError
from analyser.common.intervals import trials_for
from analyser.common.sampling import Sampling
from analyser.results.battle import swing_trials
from analyser.results.battle_rules import NOT_MODELLED
from analyser.results.battle_tactics import equilibrium
from tests.helpers.battles import BY_POLICY

RIFLES = ["crown/rifle-command-platoon@basic", "2 x crown/rifle-platoon@basic"]
SAMPLES = Path(__file__).parents[2] / "notebooks" / "armies"
GRENADIERS = ["3 x imperium/scion-grenadier-platoon@basic"]


@pytest.fixture(scope="module")
def result():
    return analyser.battle(RIFLES, GRENADIERS, trials=4000, rounds=3, seed=5)


@pytest.mark.slow
def test_chances_add_up(result):
    assert sum(result.probability(name) for name in ("victory", "draw", "defeat")) == pytest.approx(1)
    assert result.probability("devastating_victory") <= result.probability("victory")
    assert sum(row["probability"] for row in result.margins()) == pytest.approx(1)
    better = sum(row["probability"] for row in result.margins() if row["margin"] > 0)
    assert better == pytest.approx(result.probability("victory"))


@pytest.mark.slow
def test_points_that_are_left_and_lost_are_those_of_the_army(result):
    last = {row["side"]: row for row in result.survivors() if row["round"] == 3}
    for side, army in zip(("mine", "yours"), result.scenario.armies):
        absorbed = sum(row["points_absorbed"] for row in result.contributions() if row["side"] == side)
        assert last[side]["mean_points"] + absorbed == pytest.approx(army.points)
        enemy = sum(row["points_destroyed"] for row in result.contributions() if row["side"] != side)
        assert enemy == pytest.approx(absorbed)
        assert last[side]["mean_percent"] == pytest.approx(100 * last[side]["mean_points"] / army.points, rel=1e-12)


@pytest.mark.slow
def test_contributions_have_errors_that_shrink():
    how = {"rounds": 3, "swing": False, "tactics": False}
    some, more = (analyser.battle(RIFLES, GRENADIERS, trials=trials, seed=6, **how) for trials in (4000, 64_000))
    for few, many in zip(some.contributions(), more.contributions()):
        assert many["points_destroyed_standard_error"] < few["points_destroyed_standard_error"]
        error = few["points_destroyed_standard_error"]
        assert abs(few["points_destroyed"] - many["points_destroyed"]) < 5 * error


@pytest.mark.slow
def test_every_unit_swings_and_the_first_most(result):
    rows = result.swing()
    assert len(rows) == 6
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences, reverse=True)
    assert all(row["low"] <= row["difference"] <= row["high"] for row in rows)
    assert differences[0] > 0


@pytest.mark.slow
def test_the_story_is_of_the_median_margin(result):
    story = result.story
    assert story.margin == result.quantile("margin", 0.5)
    lines = list(story.lines())
    assert lines[0].startswith("Round 1: ")
    assert lines[-1].startswith("End of round 3: ")
    assert str(result.tell(story.number)) == str(story)


@pytest.mark.slow
def test_what_is_not_modelled_is_said(result):
    assert "terrain, buildings and objectives" in result.not_modelled
    assert any("there is no map" in each for each in result.assumptions)
    assert any("without replacement" in each for each in result.assumptions)


@pytest.mark.slow
def test_what_is_not_modelled_of_these_units_is_printed_and_how_to_see_all(result):
    gaps, flat = result.not_modelled, " ".join(str(result).split())
    own = [gap for gap in gaps if gap not in NOT_MODELLED]
    assert own == list(gaps[: len(own)])
    assert own
    assert (
        f"Not modelled ({len(gaps)}): {'; '.join(own)}; and {len(NOT_MODELLED)} more of any such battle (--full" in flat
    )
    assert not any(gap in flat for gap in NOT_MODELLED)
    in_full = str(result.in_full())
    assert all(gap in in_full for gap in gaps)
    assert "--full" not in in_full
    assert result.as_dict()["not_modelled"] == result.in_full().as_dict()["not_modelled"] == list(gaps)
    assert all(rule in flat for rule in result.rules_applied)


@pytest.mark.slow
def test_what_is_printed_above_the_tables_fits_a_terminal(result):
    tables = [line for block in result.blocks() if block.rows for line in (block.title, *block.lines)]
    assert all(len(line) <= 80 for line in (*result.blocks()[0].lines, *tables))


def test_tactics_are_told_once_where_both_sides_have_them():
    alike = analyser.battle(RIFLES, GRENADIERS, trials=1, rounds=1, swing=False, tactics=False).heading()
    assert [text for label, text in alike if label == "Tactics"] == [
        "both: tactic balanced, hand highest, initiative take"
    ]
    how = {"target_yours": "most_points", "trials": 1, "rounds": 1, "swing": False, "tactics": False}
    told = [text for label, text in analyser.battle(RIFLES, GRENADIERS, **how).heading() if label == "Tactics"]
    assert told == [
        "Crown: tactic balanced, hand highest, initiative take",
        "Imperium: policies, target most points, order listed, hand highest, initiative take",
    ]


@pytest.mark.slow
def test_an_answer_is_plain_data_and_text(result):
    record = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert record["kind"] == "battle"
    assert {"rounds", "margins", "contributions", "swing", "story", "summary", "tactics"} <= record.keys()
    text = str(result)
    assert "VP of Crown less VP of Imperium: " in text
    assert "Without each unit" in text
    assert result.to_frame()["count"].sum() == 4000
    assert len(result.to_frame(by_round=True)) == 6
    assert len(result.to_frame(contributions=True)) == 6


@pytest.mark.slow
def test_who_wins_and_who_swings_it_is_said_first(result):
    first, win, pairs, *plays, mine, yours = result.conclusions()[:9]
    assert first == result.headline
    chance = {name: result.probability(name) for name in result.events}
    assert win == (
        f"Crown wins {chance['victory']} of these battles and loses {chance['defeat']}; "
        f"{chance['draw']} are draws. "
        f"Devastating victories: Crown {chance['devastating_victory']}, "
        f"Imperium {chance['devastating_defeat']}."
    )
    assert pairs.startswith("Over 49 pairs of tactics Crown wins ")
    assert [line.partition(" plays ")[0] for line in plays[:2]] == ["Crown", "Imperium"]
    assert plays[2].startswith("Neither side can improve by changing its tactic")
    assert plays[3].startswith("Terrain, objectives and line of sight are not modelled")
    for (side, army), line in zip(result.names.items(), (mine, yours)):
        own = [row for row in result.swing() if row["side"] == side]
        if own[0]["low"] <= 0:
            assert line == f"Swing unit of {army}: no swing is significant with this number of battles."
            continue
        assert line.startswith(f"Swing unit of {army}: {own[0]['name']}. Without it {army} wins ")
        for row in own:
            assert (row["name"] in line) == (row["high"] >= own[0]["low"])


@pytest.mark.slow
def test_no_unit_is_said_to_swing_what_it_does_not():
    found = analyser.battle(RIFLES, GRENADIERS, trials=100, rounds=1, gap=36)
    assert "Swing unit of Crown: no swing is significant with this number of battles." in str(found)


@pytest.mark.slow
def test_pairs_of_tactics_are_the_battles_of_those_tactics(result):
    pairs = result.tactics()["pairs"]
    assert len(pairs) == 49
    for row in [row for row in pairs if row["picked"]] + pairs[:3]:
        stated = {"tactic_mine": row["mine"], "tactic_yours": row["yours"], "trials": row["trials"]}
        again = analyser.battle(RIFLES, GRENADIERS, rounds=3, seed=6, swing=False, **stated)
        if row["picked"]:  # which is simulated anew
            assert float(again.probability("victory")) == row["p_victory"]
        else:
            assert again.probability("victory") == pytest.approx(row["p_victory"], abs=0.12)


@pytest.mark.slow
def test_neither_side_gains_by_leaving_the_equilibrium(result):
    game = result.game
    mine, yours = game.against_mix(0), game.against_mix(1)
    assert max(mine) == pytest.approx(min(yours), abs=1e-6)
    assert result.probability("victory") + 0.5 * result.probability("draw") == pytest.approx(max(mine), abs=0.1)


def test_equilibria_of_small_games():
    """Matching pennies, a dominated row, and rock, paper and scissors."""
    pennies, value = equilibrium(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (pennies.tolist(), value) == ([0.5, 0.5], 0.5)
    dominated, value = equilibrium(np.array([[0.2, 0.3], [0.6, 0.4]]))
    assert (dominated.tolist(), round(value, 9)) == ([0.0, 1.0], 0.4)
    three, value = equilibrium(np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]))
    assert three == pytest.approx([1 / 3] * 3)
    assert value == pytest.approx(0.5)


@pytest.mark.slow
def test_all_that_a_side_chooses_by_is_in_the_heading():
    how = {"trials": 20, "swing": False, "tactics": False, "rounds": 1}
    odd = {"unit": "imperium/scion-grenadier-platoon@basic", "policy": "lookout"}
    found = analyser.battle(RIFLES, [odd], policy_mine="charge", discard_below_mine=4, **how)
    mine, yours = (text for label, text in found.heading() if label == "Tactics")
    assert mine.startswith("Crown: policies, policy charge, target nearest")
    assert mine.endswith("cards below 4 discarded")
    assert yours.startswith("Imperium: tactic balanced")
    assert yours.endswith("1 unit with a policy of its own")


@pytest.mark.slow
def test_a_blast_among_friends_is_no_point_of_the_enemy():
    """Landships burst among their own: what they take of each other is told apart from what they take of the enemy."""
    how = BY_POLICY | {"trials": 2000, "swing": False, "width": 0, "gap": 12}
    found = analyser.battle(
        ["imperium/faust@full", "3 x imperium/krupp@full"], ["3 x crown/sovereign-landship@full"], **how
    )
    rows = found.contributions()
    for side, other in (("mine", "yours"), ("yours", "mine")):
        by_enemies = sum(row["points_destroyed"] for row in rows if row["side"] == other)
        by_friends = sum(row["friends_destroyed"] for row in rows if row["side"] == side)
        assert by_enemies + by_friends <= sum(row["points_absorbed"] for row in rows if row["side"] == side) + 1e-9
    assert sum(row["friends_destroyed"] for row in rows) > 10
    assert "Of their own side, by blasts, and not counted as destroyed: " in str(found)


@pytest.mark.slow
def test_boons_are_paid_for_and_not_modelled():
    army = analyser.load_army(SAMPLES / "crown.rosz")
    found = analyser.battle(army, GRENADIERS, trials=20, swing=False, tactics=False, rounds=1)
    bought = [each.boon for each in army.boons if each.boon.points]
    assert bought
    assert [f"boon {each.name}" for each in bought] == [name for name in found.not_modelled if name.startswith("boon ")]
    assert f"{sum(each.points for each in bought)} of them for boons" in str(found)


@pytest.mark.slow
def test_who_was_told_no_tactic_leaves_alone_whom_it_cannot_hurt():
    """Rifles before a fortress that they can only scratch: by tactic they die charging it, by themselves they hold."""
    wall = analyser.load_profiles().loadout("imperium/sieger-vitruvian-colossus@full-strength")
    rifles = ["crown/rifle-command-platoon@basic"]
    how = BY_POLICY | {"trials": 200, "swing": False, "tactics": False, "rounds": 2}
    free = analyser.battle(rifles, [wall], **how)
    assert any("holds and takes cover" in line for line in free.tell(0).lines())
    assert not any(line.startswith("  Crown: ") and "moves at double" in line for line in free.tell(0).lines())
    told = analyser.battle(rifles, [wall], policy_mine="charge", **how)
    assert any("moves at double time" in line for line in told.tell(0).lines())


@pytest.mark.slow
def test_of_two_enemies_the_one_that_can_be_hurt_is_attacked():
    """The Colossus stands nearer; the rifles fire at the guns beside it."""
    colossus = {"unit": "imperium/sieger-vitruvian-colossus@full-strength", "x": 18}
    guns = {"unit": "imperium/krupp-field-guns@basic", "x": 18, "behind": 6}
    mine = [{"unit": "crown/rifle-platoon@full-strength", "x": 18}]
    found = analyser.battle(mine, [colossus, guns], gap=8, trials=20, rounds=1, swing=False, tactics=False)
    first = next(line for line in found.tell(0).lines() if line.startswith("  Crown: ") and " away" in line)
    assert " Krupp Field Guns, basic, " in first
    assert "Colossus" not in first


@pytest.mark.slow
def test_stated_tactics_are_no_game():
    stated = analyser.battle(RIFLES, GRENADIERS, trials=100, rounds=1, tactic_mine="attack", tactic_yours="policies")
    assert stated.tactics() == {}
    assert "Terrain, objectives and line of sight are not modelled" in " ".join(str(stated).split())
    one = analyser.battle(RIFLES, GRENADIERS, trials=100, rounds=1, tactic_mine="attack")
    assert {row["mine"] for row in one.tactics()["pairs"]} == {"attack"}
    unasked = analyser.battle(RIFLES, GRENADIERS, trials=100, rounds=1, tactics=False)
    assert unasked.as_dict()["tactics"] == {}


@pytest.mark.slow
def test_a_story_says_who_reloads():
    """A landship is Slow to Fire: after each order to shoot with which it has hit comes one with which it reloads."""
    how = BY_POLICY | {"trials": 20, "swing": False}
    found = analyser.battle(["crown/monarch-landship@full-strength"], GRENADIERS, **how)
    for number in range(20):
        story = found.tell(number)
        loaded = True
        for line in story.lines():
            if not line.startswith("  Crown: Monarch Landship") or " away" not in line:
                continue
            fires = "; Monarch Landship, full-strength attacks" in line
            assert not (fires and "reloads instead of shooting (Slow to Fire)" in line)
            assert loaded or not fires
            if not loaded:
                assert "reloads instead of shooting (Slow to Fire)" in line or "charges" in line
            loaded = not fires
    assert "reloads" in str(found.tell(0))


def gunners(quality, **keys):
    """A unit whose one row has that quality: short range 6 inches, long range 30."""
    row = {"id": "row", "name": "Row", "kind": "ranged", "against": ["light"], "qualities": [quality]}
    row |= {"bands": [{"first": 1, "last": 9, "dice": 3}], "short_range": 6, "long_range": 30}
    unit = {"name": "Gunners", "type": "infantry", "category": "light", "models": 9, "points": 60, "victory_points": 3}
    return unit | {"defence": 9, "damage_limit": 3, "break_limit": 0, "speed": 4, "rows": [row]} | keys


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quality", "gap", "told"),
    [
        ("Indirect", 4, "cannot shoot at a target within its short range (Indirect)"),
        ("Move or Fire", 32, "cannot shoot after an advance (Move or Fire)"),
    ],
)
def test_a_story_says_why_nobody_shoots(quality, gap, told):
    both = [gunners(quality)], [gunners(quality)]
    tactics = {"policy_mine": "shoot", "policy_yours": "shoot"}
    found = analyser.battle(*both, gap=gap, trials=5, swing=False, rounds=2, **tactics)
    lines = [line for line in found.tell(0).lines() if " away" in line]
    assert told in lines[0]
    assert not any(told in line and " attacks " in line for line in lines)


@pytest.mark.slow
def test_an_aircraft_fires_a_row_that_is_slow_to_fire_once():
    """A sortie is no standard activation: its one deed is a ranged attack, and only a re-arm action loads a row."""
    plane = gunners("Slow to Fire", name="Plane", type="aircraft", category="aerial")
    armies = [gunners("Arc"), plane], [gunners("Arc", damage_limit=90)]
    found = analyser.battle(*armies, trials=50, swing=False, rounds=6, gap=36, **BY_POLICY)
    assert any("Plane fires its Slow to Fire row once" in warning for warning in found.scenario.warnings)
    shots = [sum("; Plane attacks" in line for line in found.tell(number).lines()) for number in range(20)]
    assert set(shots) == {1}
    assert str(found.tell(0)).count("cannot shoot again: a sortie has no re-arm action (Slow to Fire)") == 3


@pytest.mark.slow
def test_a_precision_is_reached():
    found = analyser.battle(RIFLES[:1], GRENADIERS, precision=0.05, rounds=1, swing=False)
    assert found.widest_interval() <= 0.05


@pytest.mark.slow
def test_pictures_show_what_is_there(result):
    assert sum(bar.get_height() for bar in result.plot().patches) == pytest.approx(100, abs=0.1)
    assert result.plot_survival().lines[0].get_ydata()[0] == 100
    widths = [bar.get_width() for bar in result.plot_contributions().patches]
    assert widths[:6] == pytest.approx([row["points_destroyed"] for row in result.contributions()])


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"rounds": 11}, "battle: rounds: 11 is not usable (allowed: 1 to 10)"),
        ({"target_mine": "nearst"}, "battle: target_mine: 'nearst' is not usable; did you mean 'nearest'"),
        ({"gap": 50.0}, "battle.gap: 50 inches (allowed: up to the table's 36)"),
        ({"gab": 5.0}, "battle: gab: unknown key; did you mean 'gap'"),
        ({"trails": 10}, "battle: trails: unknown key; did you mean 'trials' or "),
        ({"wholly": 10}, "unknown key (allowed: rounds, scale, "),
        ({"sed": 10}, "battle: sed: unknown key; did you mean 'seed'"),
        ({"policy_mine": "shot"}, "battle: policy_mine: 'shot' is not usable; did you mean 'shoot'"),
        ({"swing": 3}, "swing: "),
        ({"trials": 0}, "trials: "),
    ],
    ids=str,
)
def test_wrong_terms_are_refused(terms, told):
    with pytest.raises(InputError) as error:
        analyser.battle(RIFLES, GRENADIERS, **terms)
    assert told in str(error.value)


def test_armies_that_cannot_fight_are_refused():
    late = {"unit": "crown/rifle-platoon@basic", "reserve": True}
    with pytest.raises(InputError, match="mine: 2 of 3 units in reserve"):
        analyser.battle([RIFLES[0], late, late], GRENADIERS)
    with pytest.raises(InputError, match="65 units in one battle"):
        analyser.battle(["65 x crown/rifle-platoon@basic"], GRENADIERS)
    far = {"unit": "crown/rifle-platoon@basic", "behind": 30.0}
    with pytest.raises(InputError, match="behind: 30 inches"):
        analyser.battle([far], GRENADIERS)
    with pytest.raises(InputError, match="yours"):
        analyser.battle(RIFLES, ["imperium/nobody"])


@pytest.mark.slow
def test_a_long_law_is_printed_in_bands_and_kept_whole_as_data():
    result = analyser.battle(3 * RIFLES, 3 * GRENADIERS, trials=2000, swing=False)
    assert len(result.margins()) > 16
    title = "VP of Crown less VP of Imperium"
    (block,) = [block for block in result.blocks() if block.title.startswith(title)]
    assert 5 < len(block.rows) <= 16
    labels = [row[0] for row in block.rows]
    assert any(" to " in label for label in labels)
    assert "0" in labels
    shown = sum(float(row[1].split("%")[0]) for row in block.rows)
    assert shown == pytest.approx(100, abs=3)


@pytest.mark.parametrize(
    ("sampling", "trials"),
    [
        (Sampling("monte-carlo", trials=50_000), 5000),
        (Sampling("monte-carlo", trials=500), 500),
        (Sampling("monte-carlo"), 1000),
        (Sampling("monte-carlo", precision="5%"), 1000),
    ],
)
def test_swings_are_of_a_number_of_battles_known_beforehand(sampling, trials):
    assert swing_trials(sampling) == trials


def test_the_swings_of_a_precision_do_not_depend_on_its_pilot():
    assert swing_trials(Sampling("monte-carlo", precision=0.02)) == max(1000, trials_for(0.02) // 10)


def test_a_battle_has_no_exact_answer():
    with pytest.raises(InputError, match="no exact answer"):
        analyser.exact({"battle": {}, "mine": RIFLES, "yours": GRENADIERS})


def test_rows_of_one_name_are_printed_each():
    """A unit that both sides have."""
    squads = ["crown/rifle-platoon@basic", "crown/sharp-rifles@basic"]
    text = str(analyser.battle(squads, squads, trials=600, rounds=2))
    for part, whose in (
        ("Contribution of each unit", ["Army 1", "Army 2"]),
        ("Without each unit", ["Army 1", "Army 2"]),
    ):
        lines = text.partition(part)[2].partition("\n\n")[0].splitlines()
        sides = sorted(line.split("  ")[1].strip() for line in lines if line.startswith("Sharp Rifles, basic"))
        assert sides == whose, part


NAMED = [{"unit": "crown/rifle-platoon@basic", "name": "Old Guard"}, "2 x crown/rifle-platoon@basic"]
NAMES = ["Old Guard", "Rifle platoon, basic", "Rifle platoon, basic #2"]


@pytest.fixture(scope="module")
def mirror():
    """The same army on both sides, a unit of which has a name of its own."""
    return analyser.battle(NAMED, NAMED, trials=600, rounds=2, seed=3)


@pytest.mark.slow
def test_units_are_called_what_people_call_them_and_ids_stay_for_machines(mirror):
    ids = ["Old Guard", "rifle-platoon@basic", "rifle-platoon@basic #2"]
    for rows in (mirror.contributions(), mirror.swing()):
        assert sorted((row["side"], row["unit"], row["name"]) for row in rows) == sorted(
            (side, *pair) for side in ("mine", "yours") for pair in zip(ids, NAMES)
        )
    shown = (str(mirror), str(mirror.story), *mirror.conclusions())
    assert not any("rifle-platoon" in text or "@" in text for text in shown)
    labels = [text.get_text() for text in mirror.plot_contributions().get_yticklabels()]
    assert labels == [f"{army}: {name}" for army in mirror.names.values() for name in NAMES]


@pytest.mark.slow
def test_both_sides_of_a_mirror_are_told_apart(mirror):
    text = str(mirror)
    for part in ("Contribution of each unit", "Without each unit"):
        lines = text.partition(part)[2].partition("\n\n")[0].splitlines()
        found = sorted(tuple(line.split("  ")[:2]) for line in lines if line.startswith("Old Guard"))
        assert len(found) == 2, part
    for whose in ("Army 1: Old Guard (", "Army 2: Old Guard ("):
        assert whose in str(mirror.story)


@pytest.mark.slow
def test_a_story_reads_as_it_would_be_told():
    """An aircraft flies a sortie; what does no damage says so; a test tells what would have passed."""
    mine = ["crown/rifle-command-platoon@basic", "crown/rifle-platoon@basic", "crown/defiance-fighter-squadron@basic"]
    found = analyser.battle(mine, GRENADIERS, trials=30, swing=False, tactics=False)
    told = "\n".join(str(found.tell(number)) for number in range(30))
    sorties = [line for line in told.splitlines() if line.startswith("  Crown: Defiance Fighter Squadron, basic (")]
    flown = [line for line in sorties if ";" in line]  # the others find nobody to fire at
    assert flown
    assert all("; flies a sortie against Scion Grenadier Platoon, basic" in line for line in flown)
    assert not any("advances" in line or "closes in" in line for line in sorties)
    assert ": no damage" in told
    assert " 0 damage" not in told
    tests = re.findall(r" (passes|fails) its (?:rally )?test: card (\d+), (\d+) or less passes", told)
    assert {verdict for verdict, _, _ in tests} == {"passes", "fails"}
    assert all((int(card) <= int(most)) == (verdict == "passes") for verdict, card, most in tests)


@pytest.mark.slow
def test_who_stays_aboard_is_told_to_do_so():
    box = {"unit": "crown/stirling-armoured-transports@basic", "name": "Box"}
    riders = {"unit": "crown/rifle-platoon@basic", "name": "Riders", "embarked_in": "Box"}
    how = {"trials": 20, "swing": False, "tactics": False, "rounds": 2, "gap": 36, "disembark_by": 2}
    lines = list(analyser.battle([box, riders], GRENADIERS, **how).tell(0).lines())
    first, second = (line for line in lines if line.startswith("  Crown: Riders"))
    assert first.endswith(" models); stays aboard")
    assert "disembarks" in second
    assert "stays aboard" not in second
