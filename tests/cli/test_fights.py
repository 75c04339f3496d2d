"""The commands about longer fights: what they print."""

import json

import pytest

import analyser
from analyser.results.rendering import text as rendered
from analyser.rules.policies import Policy
from tests.helpers.fight_questions import COMMANDS, DUEL_FILE, FEW, FILES, TANKS
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run
from tests.oracle.fight_files import row, unit


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_run_recognises_every_kind_of_file(kind, file):
    assert answer("run", file(FILES[kind])) == answer(*COMMANDS[kind])


@pytest.mark.parametrize("kind", FILES)
def test_the_json_is_the_python_answer(kind, file):
    printed = json.loads(answer(*COMMANDS[kind], "--format", "json"))
    result = getattr(analyser, kind)(file(FILES[kind]))
    assert printed == json.loads(json.dumps(result.as_dict()))
    assert printed["kind"] == kind


@pytest.mark.parametrize("kind", FILES)
def test_monte_carlo_says_how_it_was_played(kind):
    text = answer(*COMMANDS[kind], *FEW)
    assert "Monte Carlo, 2,000 trials, seed 0, intervals at 95%" in text
    assert "±" in text
    assert text == answer(*COMMANDS[kind], *FEW[:-1], "2")


APART = "The two methods may differ by more than chance, because they draw cards differently"


@pytest.mark.parametrize("kind", ["focus", "duel"])
def test_both_methods_say_why_they_may_differ_and_can_be_made_not_to(kind, file):
    both = ["--method", "both", *FEW[2:]]
    text = answer(*COMMANDS[kind], *both)
    assert text.count(APART) == 1
    assert "Assumption (exact): cards with replacement" in text
    assert "Assumption (Monte Carlo): cards without replacement" in text
    assert APART not in answer(*COMMANDS[kind], *FEW)
    alike = answer(*COMMANDS[kind], *both, "--replacement")
    assert APART not in alike
    assert "cards without replacement" not in alike
    assert "Assumption: cards with replacement" in alike
    assert answer("run", file(FILES[kind]), *both, "--replacement") == alike


def test_cards_are_put_back_to_no_effect_where_each_is_drawn_from_a_full_deck(file):
    attack = file("[attack]\ndice = 1\n[target]\nmodels = 1\ndefence = 1\ndamage_limit = 1\n")
    result = run("run", attack, "--replacement")
    assert result.exit_code == 0
    assert result.stderr == "note: --replacement: no effect, because every card is drawn from a full deck\n"
    exact = run(*COMMANDS["duel"], "--replacement")
    assert exact.stderr == "note: --replacement: no effect on an exact answer; see --method\n"
    assert exact.stdout == answer(*COMMANDS["duel"])


def test_a_list_after_a_colon_needs_no_quotes():
    text = answer("charge", f"{RIFLES}:rules=[Onslaught, Veteran (2)],models=3", f'{GRENADIERS}:rules=["Durable"]')
    assert "Rules applied: Onslaught, Veteran (2), Arc, Durable" in text
    assert "3 models" in text


def test_focus_says_after_how_many_attacks():
    text = answer("attack", RIFLES, RIFLES, RIFLES, GRENADIERS, "--until", "0.5", "annihilated")
    assert "50% likely to be annihilated after 2 attacks: 52.22%" in text
    asked = ("attack", RIFLES, GRENADIERS, "--until", 0.9, "broken")
    assert "P(broken) after 1 attack is below 90%: 15.35%" in answer(*asked)
    found = json.loads(answer(*asked, "--format", "json"))["until"]
    assert (found["attacks"], found["fate"]) == (None, "broken")


def test_a_number_of_equal_units_attacks():
    for asked in (("attack",), ("best", "focus")):
        assert answer(*asked, f"3 x {RIFLES}", GRENADIERS) == answer(*asked, *[RIFLES] * 3, GRENADIERS)
    assert "attackers: 0 is out of range (allowed: 1 to 64)" in refusal("attack", f"0 x {RIFLES}", GRENADIERS)


def test_the_help_tells_every_policy():
    text = answer("duel", "--help-all")
    for policy in Policy:
        assert policy.name.lower() in text


STRIKES = row("melee", 1, "Overcharge"), row("ranged", 1, "Overcharge"), row("ranged", 1) | {"id": "other"}
OVER = unit(*STRIKES, rules=["All-Out Attack (2)", "Overrun"])
BASE = {
    "charge": {"attacker": unit(row("melee", 1)), "target": unit()},
    "focus": {"target": {"models": 10, "defence": 1, "damage_limit": 1}},
    "duel": {"duel": {"rounds": 1, "policy_b": "take_cover"}, "a": OVER, "b": unit()},
}
FREE, SHOT = {"attacker": OVER}, {"dice": 1, "qualities": ["Overcharge"]}
USED, ALL_OUT = {"overcharge": True}, {"rounds": 1, "policy_b": "take_cover", "policy_a": "all_out"}
NOT_USED = [  # more of a question, without and with the key that would use something; what, and the key
    ("charge", {"secondary": [OVER]}, {"secondary": [OVER | USED]}, "Overcharge", "secondary.0.overcharge"),
    ("charge", FREE | {"charge": {"overrun": False}}, FREE, "Overrun", "charge.overrun"),
    ("focus", {"attacks": [SHOT, SHOT]}, {"attacks": [SHOT, SHOT | USED]}, "Overcharge", "attacks.1.overcharge"),
    ("duel", {}, {"duel": ALL_OUT}, "All-Out Attack (2)", 'duel.policy_a = "all_out"'),
]


@pytest.mark.parametrize(("kind", "question", "used", "name", "key"), NOT_USED)
def test_what_is_modelled_but_not_used_is_named_with_what_would_use_it(kind, question, used, name, key):
    result, other = (getattr(analyser, kind)(BASE[kind] | more) for more in (question, used))
    told = f"{name}, could be used with {key}"
    assert told in result.not_used
    assert name not in (*result.not_modelled, *result.rules_applied)
    assert told in result.as_dict()["not_used"]
    listed = rendered([result]).partition("\nNot used")[2].partition("\n\n")[0]
    assert listed in {f": {'; '.join(result.not_used)}", "".join(f"\n- {each}" for each in result.not_used)}
    assert told not in other.not_used
    assert name in other.rules_applied


ODD = [
    (["charge", RIFLES, f"{GRENADIERS}:models=9"], "the 6 models of imperium/scion"),
    (["charge", RIFLES, "imperium/scion-grenadier-p@full:garrisoned"], "target.garrisoned: 18 models are more than a"),
    (["charge", RIFLES, TANKS, "--outflanking"], "charge.outflanking gives no bonus"),
    (["charge", RIFLES, GRENADIERS, "--secondary", f"{GRENADIERS}:garrisoned"], "secondary.0.garrisoned has no effect"),
    (["attack", f"{RIFLES}:attacker-models=9", GRENADIERS], "attack.attacker_models is 9, more than"),
    (["duel", f"{RIFLES}:models=9", GRENADIERS], "a.models is 9, more than the 6 models of crown/rifle-platoon@basic"),
    (
        ["duel", f"{RIFLES}:garrisoned", GRENADIERS, "--policy-a", "charge"],
        "a cannot charge while it is in its building",
    ),
    (["duel", f"{RIFLES}:outflanking", f"{GRENADIERS}:garrisoned", "--policy-a", "charge"], "a.charge.outflanking"),
    (["attack", RIFLES, GRENADIERS, "--aiming", "--attacker-garrisoned"], "attacker_garrisoned and aiming contradict"),
    (["attack", RIFLES, GRENADIERS, "--aiming", "--opportunity-fire"], "opportunity_fire and aiming contradict each"),
    (["attack", RIFLES, GRENADIERS, "--aiming", "--reforming"], "a unit makes one manoeuvre in its turn (AC-4.2)"),
    (["attack", RIFLES, GRENADIERS, "--aiming", "--attacker-advanced"], "aiming and attacker_advanced contradict"),
    (["attack", RIFLES, GRENADIERS, "--distance", "0"], "attack.distance 0 is contact, where a unit must make a close"),
    (["duel", RIFLES, GRENADIERS, "--distance", "0"], "duel.distance 0 is contact, where a unit must make a close"),
    (
        ["duel", RIFLES, GRENADIERS, "--distance", "14", "--policy-a", "shoot if beyond 30, else charge"],
        "a does nothing in at least half of its activations, mostly because: no line of its policy can",
    ),
    (["duel", f"{RIFLES}:outflanking", GRENADIERS], "a.charge.outflanking has no effect: the unit does not charge"),
    (["duel", f"{RIFLES}:outflanking", TANKS, "--policy-a", "charge"], "a.charge.outflanking gives no bonus: only"),
    (["duel", f"{RIFLES}:taking-cover", GRENADIERS], "a.taking_cover has no effect, because the unit is not concealed"),
    (["duel", f"{RIFLES}:from-front", GRENADIERS], "a.from_front has no effect: the unit is not Resilient (AC-7)"),
    (["duel", f"{RIFLES}:capacity=3", GRENADIERS], "a.capacity has no effect: no unit is embarked"),
    (["duel", RIFLES, GRENADIERS, "--want", "margin"], "duel.want has no effect: neither side plays best"),
    (["charge", f"{RIFLES}:carriages=2", GRENADIERS], "attacker.carriages has no effect: no row has Full Steam Ahead"),
]


@pytest.mark.parametrize(("arguments", "warning"), ODD)
def test_what_is_odd_is_computed_and_told(arguments, warning):
    told = json.loads(answer(*arguments, "--format", "json"))["warnings"]
    assert [each for each in told if warning in each]
    usual = json.loads(answer(*COMMANDS.get(arguments[0], COMMANDS["focus"]), "--format", "json"))["warnings"]
    assert not [each for each in usual if warning in each]


def test_a_rule_that_is_like_none_is_a_note(file, tmp_path):
    warning = "unknown special rule in b.rules: 'Zzyzx', left out of the numbers"
    path = file(f"{DUEL_FILE}rules = ['Zzyzx']\n")
    printed = answer("run", path)
    assert printed.count(f"Warning: {warning}\n") == 1
    assert [each for each in json.loads(answer("run", path, "--format", "json"))["warnings"] if each.endswith(warning)]
    for options in (["--format", "csv"], ["--out", tmp_path / "answer.txt"]):
        result = run("run", path, *options)
        assert result.exit_code == 0
        assert result.stderr.count("warning: ") == result.stderr.count("\n") == printed.count("Warning: ")
        assert warning in result.stderr
