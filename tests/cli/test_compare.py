"""The commands that set many fights side by side."""

import json

import pytest

from analyser.analysis.comparison_figures import BATCHES
from analyser.engine.parallel import CHUNK_TRIALS
from tests.helpers.shell import answer, refusal

SHARP, RIFLES, KRUPP = "crown/sharp-rifles@basic", "crown/rifle-p@basic", "imperium/krupp@basic"


def test_curve_over_files_maps_and_fronts(file):
    path = file("courage = 1\ntokens = 3\n")
    assert "P(panicked@1) over tokens" in answer("compare", path, "--over", "tokens=1..3", "--metric", "p_panicked@1")
    cells = answer("compare", SHARP, "--target", KRUPP, "--over", "dice=4..6", "--over", "DEFENCE=1..2", "--aiming")
    assert "dice \\ defence" in cells
    two = ("--over", "dice=4..6", "--metric", "p_broken", "--metric", "mean_hits")
    assert "no other point is better in both" in answer("compare", SHARP, "--target", KRUPP, *two)
    assert answer("compare", RIFLES, "--target", KRUPP, "--kind", "charge", "--over", "target.models=1..2")


def test_curve_refuses_in_one_line():
    assert "did you mean 'distance'" in refusal("compare", SHARP, "--target", KRUPP, "--over", "distnce")
    assert "with --target" in refusal("compare", "fight.toml", "--aiming")
    assert "a charge has no such option" in refusal("compare", SHARP, "--target", KRUPP, "--kind", "charge", "--aiming")
    assert "'maybe' is not usable (allowed: true or false; in --over and ranges also yes or no)" in refusal(
        "compare", SHARP, "--target", KRUPP, "--over", "aiming=maybe"
    )
    assert "100,000" in refusal("compare", SHARP, "--target", KRUPP, "--over", "dice=1..1000000000")


def test_search_as_text_json_csv_and_picture(file, tmp_path):
    text = f'[baseline]\nattack = {{attacker = "{RIFLES}"}}\ntarget = {{unit = "{KRUPP}"}}\n[ranges]\ndice = "2..6"\n'
    path = file(text)
    assert "The best is dice 6: Mean models destroyed" in answer("compare", "variants", path)
    record = json.loads(answer("compare", "variants", path, "--least", "--format", "json"))
    assert (record["best"], record["method"]) == ("dice 2", "exact")
    assert len(answer("compare", "variants", path, "--metric", "p_broken", "--format", "csv").splitlines()) == 7
    answer("compare", "variants", path, "--plot", tmp_path / "s.png")
    assert (tmp_path / "s.png").stat().st_size > 5000
    race = ("--method", "race", "--metric", "p_any_destroyed", "--format", "json")
    assert json.loads(answer("compare", "variants", path, *race))["stop_reason"] in ("decided", "alike", "trials")
    path = file(f'{text}DEFENCE = "1..100000"\nmodels = "1..100000"\n')
    assert "50,000,000,000 variants" in refusal("compare", "variants", path)


def test_charges_and_duels_are_compared_without_a_range_of_ones_own():
    text = answer("compare", SHARP, RIFLES, "--target", KRUPP, "--kind", "charge")
    assert "P(attacker wins) over outflanking" in text
    assert text == answer("compare", SHARP, RIFLES, "--target", KRUPP, "--kind", "charge", "--over", "outflanking")


def test_trials_rounded_up_are_said():
    note = f"rounded up to a multiple of {BATCHES * CHUNK_TRIALS:,}"
    few, step = (("--method", "monte-carlo", "--trials", trials) for trials in (1000, BATCHES * CHUNK_TRIALS))
    assert f"--trials is {note}." in answer("compare", RIFLES, "--target", KRUPP, *few)
    assert note not in answer("compare", RIFLES, "--target", KRUPP, *step)
    assert note in " ".join(answer("compare", "loadouts", "--help-all").split())


@pytest.mark.parametrize(
    ("kind", "stated", "over"),
    [
        ("charge", ("--outflanking",), "outflanking=yes"),
        ("duel", ("--distance", 8), "distance=8"),
    ],
)
def test_a_stated_default_key_has_this_one_value(kind, stated, over):
    question = ("compare", SHARP, "--target", KRUPP, "--kind", kind)
    assert answer(*question, *stated) == answer(*question, "--over", over)
    assert "so a stated value has no effect" in refusal(*question, *stated, "--over", over)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--metric", "p_broken", "--metric", "mean_hits"), "--metric: several metrics need a range"),
        (("--over", "distance", "--per-points"), "--per-points: no effect over a range (allowed: without --over)"),
        (("--over", "distance", "--target", RIFLES), "--target: more than one target over a range"),
    ],
)
def test_options_of_a_range_and_of_none_are_not_mixed(more, message):
    assert message in refusal("compare", SHARP, "--target", KRUPP, *more)


def test_help_lists_the_metrics_that_the_command_takes():
    assert "share_lost" not in answer("compare", "--help-all")
    assert "mean_share_lost" in answer("matchups", "--help-all")
