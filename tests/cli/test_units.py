"""The commands about profiles and about many attacks: which units, what is drawn from them, how they refuse."""

import json

import pytest

from tests.helpers.shell import answer, refusal, run

RIFLES, KRUPP = "crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic"


def selectors(*arguments):
    return [unit["selector"] for unit in json.loads(answer("units", *arguments, "--format", "json"))["units"]]


def test_units_can_be_named_by_faction_part_or_wildcards():
    assert selectors("crown") == selectors("CRO") == selectors("crown/*")
    assert selectors("rifle-platoon@basic") == ["commonwealth/ryadovoy-rifle-platoon@basic", RIFLES]
    assert RIFLES in selectors("Rifle Platoon")
    assert all(each.endswith("@basic") for each in selectors("*/*@basic"))
    assert "did you mean 'crown'" in refusal("units", "crwn")
    assert "fits no loadout" in refusal("units", "x*")


def test_a_card_says_what_the_army_list_prints():
    text = answer("units", "card", "imperium/faust")
    for line in (
        "Faust Vitruvian Colossus  imperium/faust-vitruvian-colossus",
        "SIZE 5, SPEED 6, DEFENCE 4, DAMAGE LIMIT 12, DISCIPLINE 7",
        "full-strength       1     430   8",
        "row            against   range  damage 0-4      5-9   10-11",
        "melee                              17 (19)  13 (15)  9 (11)",
        "  Devastating, Wreckers",
    ):
        assert line in text.splitlines()
    assert answer("units", "card", "imperium/faust@full-strength") == text
    assert max(map(len, text.splitlines())) <= 80
    card = json.loads(answer("units", "card", "imperium/faust", "--format", "json"))
    assert card["levels"]["full-strength"]["points"] == 430
    assert [row["id"] for row in card["rows"]] == ["ranged-light", "ranged-heavy", "ranged-aerial", "melee"]


def test_a_card_of_nobody_is_refused_with_the_nearest_name():
    assert "did you mean 'krupp-field-guns'" in refusal("units", "card", "imperium/krupp-feild-guns")
    assert "no keys are accepted after a colon" in refusal("units", "card", f"{RIFLES}:models=3")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["matchups", "crown/*", "imperium/*", "--situations", "long-rang"], "did you mean 'long-range'"),
        (["matchups", "crown/*", "imperium/*", "--metric", "p_brokn"], "did you mean 'p_broken'"),
        (["compare", "sensitivity", RIFLES, KRUPP, "--metric", "p_brokn"], "did you mean 'p_broken'"),
        (["compare", RIFLES, "--target", KRUPP, "--weights", "1,x"], "--weights: must be a number, got 'x'"),
    ],
)
def test_what_is_misspelt_is_refused_with_the_nearest_name(arguments, problem):
    assert problem in refusal(*arguments)


def test_the_picture_of_several_situations_shows_the_first(tmp_path):
    result = run("matchups", RIFLES, KRUPP, "--plot", tmp_path / "a.svg")
    assert result.stderr == "note: the picture shows long-range alone; see --situations\n"
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
