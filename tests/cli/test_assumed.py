"""The die and the deck, which the rules do not print: every answer states them, and --die and --deck set them."""

import json

import pytest

import analyser
from tests.helpers.shell import answer, commands, refusal

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
OTHER_DIE, OTHER_DECK = "heroic=1,strike=1,glancing=1,miss=1,blank=2", "1..6=3,12=2"
USUAL = (
    "die of 1 heroic, 2 strikes, 1 glancing, 1 miss, 1 blank; deck of 36 cards, 3 each of 1 to 12 "
    "(not printed in the rules; --die, --deck)"
)
SHORT = "die of 1 heroic, 1 strike, 1 glancing, 1 miss, 2 blanks; deck of 36 cards"
FAR = ("--situations", "long-range")
FILES = {
    "attack.toml": f'attack = {{ attacker = "{RIFLES}" }}\ntarget = {{ unit = "{GRENADIERS}" }}\n',
    "own.toml": f'attack = {{ attacker = "{RIFLES}" }}\ntarget = {{ unit = "{GRENADIERS}" }}\n'
    "ruleset = { die = { strike = 3, miss = 3 } }\n",
    "variants.toml": f'metric = "p_annihilated"\n[baseline]\nattack = {{ attacker = "{RIFLES}", distance = 6 }}\n'
    f'target = {{ unit = "{GRENADIERS}" }}\n[variants.aiming]\naiming = true\n',
    "plan.toml": f'[attackers]\nunits = ["{RIFLES}"]\n[defenders]\nunits = ["{GRENADIERS}"]\n',
}
FIELD = ("--against", "imperium/*@basic", *FAR)
ASKED = {
    "attack": (RIFLES, GRENADIERS),
    "charge": (RIFLES, GRENADIERS),
    "attack ": (RIFLES, RIFLES, GRENADIERS),
    "duel": (RIFLES, GRENADIERS, "--rounds", 1),
    "best duel": (RIFLES, GRENADIERS, "--rounds", 1),
    "best focus": (RIFLES, GRENADIERS),
    "battle simulate": (RIFLES, GRENADIERS, "--trials", 100),
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
    "army build": (
        "--faction",
        "crown",
        "--points",
        500,
        "--against",
        GRENADIERS,
        *FAR,
        "--no-battles",
        "--next-best",
        1,
    ),
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
}  # tested below, each by its own


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
    assert f"Assumption: {USUAL}" in " ".join(answer(*asked).split())
    usual, other = (json.loads(answer(*asked, "--format", "json", *more)) for more in ((), ("--die", OTHER_DIE)))
    assert USUAL in usual["assumptions"]
    assert usual["ruleset"]["die"]["strike"] == 2
    assert any(each.startswith(SHORT) for each in other["assumptions"])
    assert other["ruleset"]["die"] == {"heroic": 1, "strike": 1, "glancing": 1, "miss": 1, "blank": 2}
    assert numbers_in(usual) != numbers_in(other)
    assert usual.get("profiles") != other.get("profiles") or usual["profiles"] is None


def test_the_deck_counts_too():
    usual, other = (json.loads(answer("attack", *ASKED["attack"], "--format", "json", *more)) for more in ((), DECK))
    assert other["ruleset"]["deck"] == {"1": 3, "2": 3, "3": 3, "4": 3, "5": 3, "6": 3, "12": 2}
    assert other["ruleset"]["die"] == usual["ruleset"]["die"]
    assert "deck of 20 cards, 3 each of 1 to 6, 2 of 12" in other["assumptions"][0]
    assert numbers_in(other) != numbers_in(usual)


DECK = ("--deck", OTHER_DECK)


def test_the_option_goes_before_what_a_file_says():
    own, over = (
        json.loads(answer("run", "own.toml", "--format", "json", *more)) for more in ((), ("--die", OTHER_DIE))
    )
    assert own["ruleset"]["die"]["strike"] == 3
    assert over == {**json.loads(answer("run", "attack.toml", "--format", "json", "--die", OTHER_DIE))}


def test_a_file_of_another_game_refuses_a_die(tmp_path):
    (tmp_path / "legion.toml").write_text("courage = 1\n", encoding="utf-8")
    assert "no such die" in refusal("run", "legion.toml", "--die", OTHER_DIE)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--die", "heroic=1,strkie=1", "did you mean 'strike'? (allowed: heroic, strike, glancing, miss, blank, NAME)"),
        ("--die", "heroic", "'heroic' is not usable (allowed: such as heroic=1,strike=2,glancing=1,miss=1,blank=1)"),
        ("--die", "heroic=many", "'many' is not usable (allowed: an integer)"),
        ("--die", "heroic=1,heroic=2", "heroic stands there twice"),
        ("--die", "heroic=0", "0 sides in all (allowed: 1 to 1000)"),
        ("--deck", "1..6=3,5=1", "5 stands there twice"),
        ("--deck", "1..100=3", "card value '100' (allowed: integers from 0 to 99)"),
        ("--deck", "ace=3", "card value 'ace' (allowed: integers from 0 to 99)"),
        ("--deck", "1=-1", "-1 is not usable (allowed: 0 to 1000)"),
    ],
)
def test_a_wrong_die_or_deck_is_refused_in_one_line(option, value, said):
    line = refusal("attack", RIFLES, GRENADIERS, option, value)
    assert line.startswith(f"error: {option}: ")
    assert said in line


def test_how_much_hangs_on_it():
    """The two numbers of the README."""
    asked = "crown/rifle-platoon@reinforced", GRENADIERS
    usual = analyser.attack(*asked, distance=6, aiming=True)
    profiles = analyser.Profiles(ruleset={"die": {"heroic": 1, "strike": 1, "glancing": 1, "miss": 1, "blank": 2}})
    other = analyser.attack(*asked, distance=6, aiming=True, profiles=profiles)
    assert [str(each.probability("annihilated")) for each in (usual, other)] == ["78.38%", "55.86%"]
    assert usual.assumptions == (USUAL,)
    assert other.as_dict()["ruleset"]["die"]["blank"] == 2


@pytest.mark.slow
def test_notebooks_state_them():
    shown = [
        analyser.attack(RIFLES, GRENADIERS),
        analyser.duel(RIFLES, GRENADIERS, rounds=1),
        analyser.compare(RIFLES, target=GRENADIERS),
        analyser.compare(RIFLES, target=[GRENADIERS, RIFLES]),
        analyser.matchups(RIFLES, GRENADIERS, situations="long-range"),
        analyser.sensitivity(RIFLES, GRENADIERS),
        analyser.curve(RIFLES, target=GRENADIERS, over="distance=6..8"),
        analyser.search(FILES_AS_QUESTION),
        analyser.luck(RIFLES, GRENADIERS, got={"destroyed": 1}),
        analyser.tell(RIFLES, GRENADIERS),
        analyser.tactics(RIFLES, GRENADIERS, rounds=1),
        analyser.fair_points(RIFLES, against=GRENADIERS, situations="long-range"),
        analyser.what_if(RIFLES, points=80, against="imperium/*@basic", situations="long-range"),
        analyser.clash([RIFLES], [GRENADIERS], situations="long-range"),
    ]
    for each in shown:
        assert USUAL in " ".join(each._repr_html_().replace("&#x27;", "'").split()), type(each).__name__


FILES_AS_QUESTION = {
    "metric": "p_annihilated",
    "baseline": {"attack": {"attacker": RIFLES}, "target": {"unit": GRENADIERS}},
    "variants": {"aiming": {"aiming": True}},
}


@pytest.mark.slow
def test_pages_and_folders_state_them(tmp_path):
    sides = ("--attackers", RIFLES, "--defenders", GRENADIERS)
    answer("report", *sides, *FAR, "--out", "site/v1/crown-imperium", "--die", OTHER_DIE)
    manifest = json.loads((tmp_path / "site/v1/crown-imperium/manifest.json").read_text(encoding="utf-8"))
    assert manifest["ruleset"]["die"]["blank"] == 2
    answer("report", "site", "site")
    answer("battle", "plan", RIFLES, GRENADIERS, *FAR, "--battles", 0, "--out", "clash.html", "--die", OTHER_DIE)
    answer("battle", RIFLES, GRENADIERS, "--trials", 100, "--out", "battle.html", "--die", OTHER_DIE, "--quiet")
    for page in ("site/v1/crown-imperium/index.html", "site/index.html", "clash.html", "battle.html"):
        assert SHORT in " ".join((tmp_path / page).read_text(encoding="utf-8").split()), page


@pytest.mark.slow
def test_a_sweep_is_kept_under_its_die(tmp_path):
    for name, die in (("usual", ()), ("other", ("--die", OTHER_DIE))):
        assert ("die of 1 heroic, 2 strikes" in answer("sweep", "plan.toml", "--out", name, "--workers", 1, *die)) is (
            not die
        )
    stores = [analyser.open_sweep(tmp_path / name) for name in ("usual", "other")]
    assert stores[0].plan.digest != stores[1].plan.digest
    assert not stores[0].frame().equals(stores[1].frame())
    assert SHORT in " ".join((tmp_path / "other/summary.html").read_text(encoding="utf-8").split())
    assert json.loads(answer("sweep", "status", "other", "--json"))["assumptions"][0].startswith(SHORT)


@pytest.mark.slow
def test_a_diff_states_die_and_deck(tmp_path):
    from analyser.game.profiles import shipped_profiles

    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        for faction in ("crown", "imperium"):
            text = (shipped_profiles() / f"{faction}.toml").read_text(encoding="utf-8")
            (tmp_path / name / f"{faction}.toml").write_text(text, encoding="utf-8")
    path = tmp_path / "new/crown.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("defence = 3", "defence = 4"), encoding="utf-8")
    asked = (
        "report",
        "diff",
        "old",
        "new",
        "--attackers",
        "imperium/scion*@basic",
        "--defenders",
        "crown/*@basic",
        *FAR,
    )
    assert f"Assumption: {USUAL}." in " ".join(answer(*asked).split())
    usual, other = (json.loads(answer(*asked, "--format", "json", *more)) for more in ((), ("--die", OTHER_DIE)))
    assert usual["assumptions"] == [USUAL]
    assert other["ruleset"]["die"]["blank"] == 2
    assert numbers_in(usual["matchups"]) != numbers_in(other["matchups"])
