"""Scenarios: what is read, what is filled in, what is echoed, and which row may fire at whom."""

import json

import numpy as np
import pytest

import analyser
from analyser.common.errors import InputError
from tests.oracle.small_profiles import FACTION, write_profiles

INLINE = {"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}


def between(attacker, target, **keys):
    """A scenario of two selectors; `keys` go to the attack."""
    return {"attack": {"attacker": attacker, **keys}, "target": {"unit": target}}


def saved(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "fight.toml"
    path.write_text(text, encoding=encoding)
    return path


def test_a_scenario_written_inline_gets_the_defaults_of_the_contract():
    scenario = analyser.load_scenario(INLINE)
    attack, target = scenario.attack, scenario.target
    assert (attack.kind, attack.rating, attack.qualities, attack.veteran) == ("ranged", "neutral", (), 0)
    assert (attack.bonuses, attack.penalties, attack.extra_reroll) == ((), (), None)
    assert (attack.opportunity_fire, attack.overcharge, attack.concealed) == (False,) * 3
    assert (target.formation, target.officer, target.damage, target.rules) == ("close", "last", 0, ())
    assert (target.discipline, target.break_limit, target.exposed, target.edge_distance) == (None,) * 4
    flags = ("suppressed", "disordered", "near_commander", "taking_cover", "garrisoned", "from_front", "behemoth")
    assert not any(getattr(target, flag) for flag in flags)
    assert analyser.exact(scenario).conditions["rating"] == "neutral"


def test_a_profile_fills_in_both_sides(river):
    scenario = analyser.load_scenario(between("otter@r", "beaver", row="ranged-heavy"), river)
    attack, target = scenario.attack, scenario.target
    assert attack.attacker == "river/otter-guard@reinforced"
    assert (attack.dice, attack.attacker_models, attack.veteran, attack.qualities) == (2, 8, 1, ("Coruscating",))
    assert target.unit == "river/beaver-fort@basic"
    assert (target.models, target.defence, target.damage_limit, target.victory_points) == (2, 3, 2, 4)
    assert (target.type, target.category, target.formation) == ("fortification", "heavy", "open")
    assert (target.discipline, target.break_limit, target.rules) == (None, None, ("Static",))


def test_nobody_has_more_models_than_at_the_largest_level(tmp_path):  # AC-2.2
    folder = write_profiles(tmp_path / "profiles")
    text = FACTION.replace("last = 8", "last = 20")
    (folder / "river.toml").write_text(text, encoding="utf-8")
    river = analyser.load_profiles(folder)
    for section, key in (("attack", "attacker_models"), ("target", "models")):
        asked = between("otter@b", "otter@b")
        asked[section][key] = 9
        with pytest.raises(InputError) as caught:
            analyser.load_scenario(asked, river)
        said = f"{section}.{key}: 9 models of river/otter-guard (allowed: 1 to 8, its largest level)"
        assert str(caught.value) == said
        asked[section][key] = 8
        assert analyser.load_scenario(asked, river).warnings == (
            f"{section}.{key} is 8, more than the 4 models of river/otter-guard@basic",
        )


@pytest.mark.parametrize(
    ("target", "keys", "parts"),
    [
        ("otter@b", {"row": "ranged-hevy"}, ["attack.row", "unknown row 'ranged-hevy'", "did you mean 'ranged-heavy'"]),
        (
            "otter@b",
            {"row": "ranged-heavy"},
            ["attack.row", "fires at heavy targets", "the target is light", "ranged-light"],
        ),
        ("otter@b", {"row": "ranged-light", "distance": 13}, ["attack.row", "its long range is 12", "the distance 13"]),
        ("otter@b", {"distance": 13}, ["no row can make this attack", "ranged-light: its long range is 12"]),
        ("heron", {}, ["no row can make this attack", "the target is aerial"]),
    ],
)
def test_a_row_that_cannot_make_the_attack(river, target, keys, parts):
    with pytest.raises(InputError) as caught:
        analyser.load_scenario(between("otter@b", target, **keys), river)
    assert [part for part in parts if part not in str(caught.value)] == []


TEXT = "[attack]\ndice = 12\n[target]\nmodels = 6\ndefence = 2\ndamage_limit = 1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_file_says_the_same_as_a_mapping(tmp_path, encoding):
    assert analyser.load_scenario(saved(tmp_path, TEXT, encoding)) == analyser.load_scenario(INLINE)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["not a scenario of a fight", "[attack] and [target]"]),
        (TEXT + "modles = 2\n", ["target.modles", "unknown key", "did you mean 'models'"]),
        (TEXT.replace("12", "0"), ["attack.dice", "0", "1"]),
        (TEXT + "[attack]\n", ["broken TOML", "line 7"]),
        ("[[attack]]\ndice = 1\n", ["attack", "a table"]),
    ],
    ids=["empty", "unknown key", "no dice", "twice", "list"],
)
def test_a_file_that_cannot_be_used(tmp_path, text, parts):
    path = saved(tmp_path, text)
    with pytest.raises(InputError) as caught:
        analyser.load_scenario(path)
    assert [part for part in [str(path), *parts] if part not in str(caught.value)] == []


@pytest.mark.parametrize(
    "given",
    [
        INLINE,
        between("otter@r", "otter@b"),
        between("otter@r", "otter@b", distance=3),  # the dice in parentheses (Point Blank)
        between("otter@b", "beaver", bonuses=["aiming"], extra_reroll={"faces": ["blank"], "dice": 1}),
        between("otter@b", "otter@r", penalties=["concealed", "opportunity_fire"]),
    ],
)
def test_the_echoed_scenario_gives_the_same_law_and_the_same_echo(river, given):
    result = analyser.exact(given, profiles=river)
    echoed = json.loads(json.dumps(result.as_dict()["scenario"]))
    again = analyser.exact(echoed, profiles=river)
    assert again.as_dict()["scenario"] == echoed
    assert again.conditions == result.conditions
    assert again.outcomes.tolist() == result.outcomes.tolist()
    assert again.weights.tolist() == result.weights.tolist()


def test_a_row_without_a_short_range_gets_no_bonus_for_it():  # AC-4.1
    grenadiers, target = "imperium/scion-grenadier-platoon@basic", "imperium/krupp-field-guns@basic"
    plain = analyser.attack(grenadiers, target, aiming=True)
    near = analyser.attack(grenadiers, target, aiming=True, short_range=True)
    assert near.summary == plain.summary
    assert [text for text in near.warnings if "has no short range (AC-4.1)" in text]
    compared = analyser.compare(grenadiers, target, aiming=True, short_range=True)
    assert compared.frame["mean_models_destroyed"].tolist() == [plain.mean("models_destroyed")]
    both = analyser.matchups(grenadiers, target, situations="short-range-aimed")
    assert both.frame["mean_models_destroyed"].tolist() == pytest.approx([plain.mean("models_destroyed")])
    stated = analyser.attack(grenadiers, target, row="ranged-light", aiming=True, short_range=True)
    assert (stated.summary, stated.warnings) == (plain.summary, near.warnings)
    bare = {"attack": {"dice": 4, "short_range": True}, "target": {"unit": target}}
    assert analyser.exact(bare).scenario.attack.bonuses == ("short_range",)
    focused, stands = [{"attacker": grenadiers, "short_range": True}], [{"attacker": grenadiers}]
    assert analyser.best_focus(focused, target).value == analyser.best_focus(stands, target).value


def answers(integer, flag):
    """Answers to questions stated with integers and flags of these types, as JSON."""
    attacker, target = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
    state = {"unit": target, "models": integer(4)}
    loadout = analyser.Profiles()[attacker].with_(points=integer(65), defence=integer(4))
    compared = [state, {"unit": target, "models": integer(5)}]
    yield analyser.attack(loadout, state, distance=integer(10), aiming=flag).to_json()
    yield analyser.duel(attacker, state, rounds=integer(1)).to_json()
    yield analyser.compare(attacker, state, at_least=integer(2)).to_json()
    yield analyser.compare(attacker, compared, weights=[integer(1), integer(2)]).to_json()
    yield analyser.morale.legion(courage=integer(1)).to_json()


def test_numpy_scalars_are_python_values():
    assert [*answers(np.int64, np.bool_(True))] == [*answers(int, True)]
