"""The die and the deck, which the rules do not print: every answer states them, and --die and --deck set them."""

import json

import pytest

import analyser
from analyser.sweep.plan import read_plan
from tests.helpers.shell import answer, commands, refusal
from tests.oracle.small_profiles import EASIER, write_profiles

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
OTHER_DIE, OTHER_DECK = "heroic=1,strike=1,glancing=1,miss=1,blank=2", "1..6=3,12=2"
USUAL = "die of 1 heroic, 2 strikes, 1 glancing, 1 miss, 1 blank; deck of 36 cards, 3 each of 1 to 12 "
USUAL += "(not printed in the rules; --die, --deck)"
SHORT = "die of 1 heroic, 1 strike, 1 glancing, 1 miss, 2 blanks; deck of 36 cards"
FAR = ("--situations", "long-range")
ATTACK = f'attack = {{ attacker = "{RIFLES}" }}\ntarget = {{ unit = "{GRENADIERS}" }}\n'
FILES = {
    "attack.toml": ATTACK,
    "own.toml": f"{ATTACK}ruleset = {{ die = {{ strike = 3, miss = 3 }} }}\n",
    "variants.toml": f'metric = "p_annihilated"\n[baseline]\n{ATTACK}[variants.aiming]\naiming = true\n',
    "plan.toml": f'[attackers]\nunits = ["{RIFLES}"]\n[defenders]\nunits = ["{GRENADIERS}"]\n',
}
FIELD = ("--against", "imperium/*@basic", *FAR)
FEWEST = ("--no-battles", "--next-best", 1)
ASKED = {
    "attack": (RIFLES, GRENADIERS),
    "charge": (RIFLES, GRENADIERS),
    "attack ": (RIFLES, RIFLES, GRENADIERS),
    "duel": (RIFLES, GRENADIERS, "--rounds", 1),
    "best duel": (RIFLES, GRENADIERS, "--rounds", 1),
    "best focus": (RIFLES, GRENADIERS),
    "battle simulate": (RIFLES, GRENADIERS, "--trials", 100, "--no-swing", "--no-tactics"),
    "explain trial": (RIFLES, GRENADIERS, "--pick", "best"),
    "explain luck": (RIFLES, GRENADIERS, "--destroyed", 1),
    "run": ("attack.toml",),
    "compare loadouts": (RIFLES, "--target", GRENADIERS),
    "matchups": (RIFLES, GRENADIERS, *FAR),
    "compare loadouts ": (RIFLES, "--target", GRENADIERS, "--over", "distance=6..8"),
    "compare variants": ("variants.toml",),
    "best tactics": (RIFLES, GRENADIERS, "--rounds", 1),
    "compare sensitivity": (RIFLES, GRENADIERS),
    "battle plan": (RIFLES, GRENADIERS, *FAR),
    "army build": ("--faction", "crown", "--points", 500, "--against", GRENADIERS, *FAR, *FEWEST),
    "balance prices": (RIFLES, "--against", GRENADIERS, *FAR),
    "balance what-if": (RIFLES, "dice-1", *FIELD),
    "balance check": ("*/*guns@basic", "--against", "*/*guns@basic", "--points", 100, "--trials", 2),
    "balance fix": (RIFLES, *FIELD, "--most-changes", "1"),
    "balance solve-price": ("crown/rifle-platoon@reinforced", *FIELD),
    "balance solve-dice": ("crown/rifle-platoon@reinforced", "--most", 1, *FIELD),
}
TO_FOLDERS = {
    "report write",
    "report site",
    "report diff",
    "sweep start",
    "army table",
    "calculator",
}  # each by its own


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def numbers_in(thing):
    """Every number in plain data, but those of die, deck and question."""
    if isinstance(thing, dict):
        return [each for key, part in thing.items() if key not in ("ruleset", "scenario") for each in numbers_in(part)]
    if isinstance(thing, list):
        return [each for part in thing for each in numbers_in(part)]
    return [thing] if isinstance(thing, int | float) else []


def test_every_command_is_looked_at():
    """Those that compute fights of Armoured Clash have --die, and no other has."""
    have = {" ".join(words) for words in commands() if "--die FACES" in answer(*words, "--help-all")}
    assert have == {name.strip() for name in ASKED} | TO_FOLDERS


@pytest.mark.slow
@pytest.mark.parametrize("command", ASKED)
def test_every_answer_states_die_and_deck_and_the_option_changes_its_numbers(command):
    asked = [*command.split(), *ASKED[command]]
    usual, other = (json.loads(answer(*asked, "--format", "json", *more)) for more in ((), ("--die", OTHER_DIE)))
    assert USUAL in usual["assumptions"]
    assert usual["ruleset"]["die"]["strike"] == 2
    assert any(each.startswith(SHORT) for each in other["assumptions"])
    assert other["ruleset"]["die"] == {"heroic": 1, "strike": 1, "glancing": 1, "miss": 1, "blank": 2}
    assert numbers_in(usual) != numbers_in(other)
    assert usual.get("profiles") != other.get("profiles") or usual["profiles"] is None


def test_the_deck_counts_too():
    deck = ("--deck", OTHER_DECK)
    usual, other = (json.loads(answer("attack", *ASKED["attack"], "--format", "json", *more)) for more in ((), deck))
    assert other["ruleset"]["deck"] == {"1": 3, "2": 3, "3": 3, "4": 3, "5": 3, "6": 3, "12": 2}
    assert other["ruleset"]["die"] == usual["ruleset"]["die"]
    assert "deck of 20 cards, 3 each of 1 to 6, 2 of 12" in other["assumptions"][0]
    assert numbers_in(other) != numbers_in(usual)


def test_the_option_goes_before_what_a_file_says():
    asked = ("--format", "json", "--die", OTHER_DIE)
    assert json.loads(answer("run", "own.toml", *asked[:2]))["ruleset"]["die"]["strike"] == 3
    assert answer("run", "own.toml", *asked) == answer("run", "attack.toml", *asked)


def test_a_file_of_another_game_refuses_a_die(file):
    assert "does not use the die" in refusal("run", file("courage = 1\n"), "--die", OTHER_DIE)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--die", "heroic=1,strkie=1", "did you mean 'strike'? (allowed: heroic, strike, glancing, miss, blank, NAME)"),
        ("--die", "heroic", "'heroic' is not usable (allowed: such as heroic=1,strike=2,glancing=1,miss=1,blank=1)"),
        ("--die", "heroic=1,heroic=2", "heroic is given twice"),
        ("--die", "heroic=0", "0 sides in all (allowed: 1 to 1000)"),
        ("--deck", "1..6=3,5=1", "5 is given twice"),
        ("--deck", "ace=3", "card value 'ace' (allowed: integers from 0 to 99)"),
    ],
)
def test_a_wrong_die_or_deck_is_refused_in_one_line(option, value, said):
    line = refusal("attack", RIFLES, GRENADIERS, option, value)
    assert line.startswith(f"error: {option}: ")
    assert said in line


@pytest.mark.slow
def test_pages_and_folders_state_them(tmp_path):
    sides = ("--attackers", RIFLES, "--defenders", GRENADIERS)
    answer("report", *sides, *FAR, "--field", "imperium/*@basic", "--out", "site/v1/crown-imperium", "--die", OTHER_DIE)
    manifest = json.loads((tmp_path / "site/v1/crown-imperium/manifest.json").read_text(encoding="utf-8"))
    assert manifest["ruleset"]["die"]["blank"] == 2
    answer("report", "site", "site")
    answer("battle", "plan", RIFLES, GRENADIERS, *FAR, "--battles", 0, "--out", "clash.html", "--die", OTHER_DIE)
    answer("battle", RIFLES, GRENADIERS, "--trials", 100, "--out", "battle.html", "--die", OTHER_DIE, "--quiet")
    for page in ("site/v1/crown-imperium/index.html", "site/index.html", "clash.html", "battle.html"):
        assert SHORT in " ".join((tmp_path / page).read_text(encoding="utf-8").split()), page


@pytest.mark.slow
def test_a_sweep_is_kept_under_its_die(tmp_path):
    assert SHORT in " ".join(answer("sweep", "plan.toml", "--out", "other", "--workers", 1, "--die", OTHER_DIE).split())
    assert analyser.open_sweep(tmp_path / "other").plan.digest != read_plan("plan.toml").digest
    assert json.loads(answer("sweep", "status", "other", "--json"))["assumptions"][0].startswith(SHORT)


def test_a_diff_states_die_and_deck(tmp_path):
    write_profiles(tmp_path / "old")
    write_profiles(tmp_path / "new", EASIER)
    asked = ("report", "diff", "old", "new", *FAR)
    assert f"Assumption: {USUAL}." in " ".join(answer(*asked).split())
    usual, other = (json.loads(answer(*asked, "--format", "json", *more)) for more in ((), ("--die", OTHER_DIE)))
    assert usual["assumptions"] == [USUAL]
    assert other["ruleset"]["die"]["blank"] == 2
    assert numbers_in(usual["matchups"]) != numbers_in(other["matchups"])
