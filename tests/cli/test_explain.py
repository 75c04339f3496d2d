"""The commands about one result: a trial told, and luck."""

import csv
import io
import json

import pytest

from tests.helpers.shell import answer, refusal, run

SHARP, RIFLES, KRUPP = "crown/sharp-rifles@basic", "crown/rifle-p@basic", "imperium/krupp@basic"
GRENADIERS = "scion-grenadier-p@basic"


def test_tell_is_the_attack_of_that_number(file):
    told = answer("explain", RIFLES, KRUPP, "--distance", 6, "--trial", 7, "--seed", 3)
    assert told.startswith("Trial 7 of 1,000 with seed 3")
    record = json.loads(answer("explain", RIFLES, KRUPP, "--pick", "best", "--metric", "hits", "--format", "json"))
    assert record["picked"].startswith("the best by hits")
    path = file(f'attack = {{attacker = "{RIFLES}", distance = 6}}\ntarget = {{unit = "{KRUPP}"}}\n')
    assert answer("explain", path, "--trial", 7, "--seed", 3).splitlines()[1:] == told.splitlines()[1:]
    assert "with a TARGET" in refusal("explain", path, "--aiming")
    assert "--metric: no effect without --pick" in run("explain", RIFLES, KRUPP, "--metric", "hits").stderr
    assert "one of them" in refusal("explain", RIFLES, KRUPP, "--pick", "best", "--trial", 1)


def test_warnings_of_the_question(file):
    garrison = ("enlightened/phobos@basic", "crown/rifle-p@full:garrisoned")
    warning = "Warning: target.garrisoned: 18 models are more than a defensible building can hold (12)"
    assert warning in answer("explain", *garrison, "--kind", "charge")
    assert "Warning: target.garrisoned: " in answer("explain", *garrison)
    assert json.loads(answer("explain", *garrison, "--format", "json"))["warnings"]
    assert "Warning: no tokens: state tokens" in answer("explain", file("courage = 2\n"))


def test_luck_of_one_attack_and_of_a_game(file, tmp_path):
    said = answer("explain", "luck", RIFLES, KRUPP, "--distance", 6, "--destroyed", 0)
    assert "this bad or worse happens in" in said
    joint = ["explain", "luck", RIFLES, KRUPP, "--distance", 6, "--destroyed", 1, "--got", "suppressed=yes"]
    record = json.loads(answer(*joint, "--format", "json", "--plot", tmp_path / "l.png"))
    assert record["fights"][0]["got"] == {"models_destroyed": 1, "suppressed": True}
    assert (tmp_path / "l.png").stat().st_size > 5000
    fight = f'[[fight]]\ngot = {{destroyed = 1}}\nattack = {{attacker = "{RIFLES}"}}\ntarget = {{unit = "{KRUPP}"}}\n'
    path = file(fight * 2)
    rows = list(csv.DictReader(io.StringIO(answer("explain", "luck", path, "--format", "csv"))))
    assert [row["fight"] for row in rows] == ["fight 1", "fight 2", "all"]
    turned = ["explain", "luck", RIFLES, KRUPP, "--distance", 6, "--got", "suppressed=yes", "--destroyed", 1]
    looked_at = [json.loads(answer(*each, "--format", "json"))["fights"][0]["looked_at"] for each in (joint, turned)]
    assert [list(each) for each in looked_at] == [["models_gone", "suppressed"], ["suppressed", "models_gone"]]
    assert "or analyser explain luck" in refusal("explain", path)
    assert "given twice" in refusal("explain", "luck", RIFLES, KRUPP, "--destroyed", 1, "--got", "destroyed=1")
    charge = answer("explain", "luck", RIFLES, KRUPP, "--kind", "charge", "--destroyed", 1)
    assert "such charges" in charge
    assert "not usable" in refusal("explain", "luck", RIFLES, KRUPP, "--got", "suppressed")
    assert "with a TARGET" in refusal("explain", "luck", path, "--aiming")


@pytest.mark.slow
def test_tell_a_charge_and_a_duel():
    few = (RIFLES, GRENADIERS, "--trials", 50, "--kind")
    assert "wins the combat" in answer("explain", *few, "charge", "--pick", "best")
    assert "is activated" in answer("explain", *few, "duel", "--trial", 3)


def test_conditions_of_charges_and_duels_are_options():
    duel = ("--kind", "duel", "--rounds", 2)
    broken = ("--distance", 10, "--got", "b_broken=yes")
    assert "such duels" in answer("explain", "luck", RIFLES, GRENADIERS, *duel, *broken)
    over = ("--policy-b", "lookout", "--over", "distance=10,20")
    assert "P(a wins) over distance" in answer("compare", RIFLES, "--target", GRENADIERS, *duel, *over)
    assert answer("explain", "luck", RIFLES, GRENADIERS, "--kind", "charge", "--outflanking", "--destroyed", 1)
    assert "--rounds: an attack has no such option (allowed: with --kind duel)" in refusal(
        "explain", RIFLES, KRUPP, "--rounds", 2
    )
    assert "with --kind charge" in refusal("explain", RIFLES, KRUPP, "--kind", "duel", "--outflanking")
