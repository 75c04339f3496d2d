"""The commands about longer fights: what they print, and how they refuse."""

import csv
import io
import json

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.results.rendering import text as rendered
from analyser.rules.policies import Policy
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal, run
from tests.oracle.fight_files import row, unit

GUNS = "crown/drake-field-guns@basic"
TANKS, AIRCRAFT, ROTORCRAFT = (
    "crown/galahad-breachers@basic",
    "crown/defiance-fighter-squadron@basic",
    "commonwealth/kheshig-sky-cutter-wings@basic",
)
FEW = ["--method", "monte-carlo", "--trials", "2000", "--threads", "1"]

CHARGE_FILE = f"""
[charge]
outflanking = true
[attacker]
unit = "{RIFLES}"
[target]
unit = "{GRENADIERS}"
[[secondary]]
unit = "{GRENADIERS}"
"""
FOCUS_FILE = f"""
[[attacks]]
attacker = "{RIFLES}"
distance = 6
[[attacks]]
attacker = "{RIFLES}"
[target]
unit = "{GRENADIERS}"
"""
DUEL_FILE = f"""
[duel]
rounds = 2
policy_b = "lookout"
[a]
unit = "{RIFLES}"
[b]
unit = "{GRENADIERS}"
"""
FILES = {"charge": CHARGE_FILE, "focus": FOCUS_FILE, "duel": DUEL_FILE}
COMMANDS = {
    "charge": ["charge", RIFLES, GRENADIERS, "--outflanking", "--secondary", GRENADIERS],
    "focus": ["attack", f"{RIFLES}:distance=6", RIFLES, GRENADIERS],
    "duel": ["duel", RIFLES, GRENADIERS, "--rounds", "2", "--policy-b", "lookout"],
}


@pytest.fixture
def file(tmp_path):
    """A scenario file with that text."""

    def written(text):
        path = tmp_path / "fight.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


# --- answers ----------------------------------------------------------------------------------------------


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
def test_the_scenario_of_an_answer_can_be_asked_again(kind, file):
    first = getattr(analyser, kind)(file(FILES[kind])).as_dict()
    again = getattr(analyser, kind)(json.loads(json.dumps(first["scenario"]))).as_dict()
    assert again == first


@pytest.mark.parametrize("kind", FILES)
def test_csv_has_a_line_for_each_row_of_the_main_table(kind):
    lines = list(csv.DictReader(io.StringIO(answer(*COMMANDS[kind], "--format", "csv"))))
    assert len(lines) == {"charge": len(lines), "focus": 2, "duel": 4}[kind]
    if kind == "charge":
        assert sum(float(line["probability"]) for line in lines) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("kind", FILES)
def test_monte_carlo_says_how_it_was_played(kind):
    text = answer(*COMMANDS[kind], *FEW)
    assert "Monte Carlo, 2,000 trials, seed 0, intervals at 95%" in text
    assert "±" in text
    assert text == answer(*COMMANDS[kind], *FEW[:-1], "2")


def test_both_methods_stand_side_by_side():
    both = json.loads(answer(*COMMANDS["duel"], "--method", "both", *FEW[2:], "--format", "json"))
    assert (both["exact"]["method"], both["monte_carlo"]["trials"]) == ("exact", 2000)


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


@pytest.mark.parametrize("kind", FILES)
def test_the_option_that_puts_cards_back_is_that_of_python(kind, file):
    printed = json.loads(answer(*COMMANDS[kind], *FEW, "--replacement", "--format", "json"))
    asked = {"method": "monte-carlo", "trials": 2000, "replacement": True}
    assert printed == json.loads(json.dumps(getattr(analyser, kind)(file(FILES[kind]), **asked).as_dict()))


def test_real_decks_are_played_unless_cards_are_put_back():
    few = [*FEW, "--format", "json"]
    with_it, without_it = (json.loads(answer(*COMMANDS["duel"], *few, *more)) for more in (["--replacement"], []))
    assert with_it["summary"] != without_it["summary"]


def test_cards_are_put_back_to_no_effect_where_each_is_drawn_from_a_full_deck(file):
    attack = file("[attack]\ndice = 1\n[target]\nmodels = 1\ndefence = 1\ndamage_limit = 1\n")
    result = run("run", attack, "--replacement")
    assert result.exit_code == 0
    assert result.stderr == "note: --replacement: no effect, every card is drawn from a full deck here\n"
    exact = run(*COMMANDS["duel"], "--replacement")
    assert exact.stderr == "note: --replacement: no effect on an exact answer; see --method\n"
    assert exact.stdout == answer(*COMMANDS["duel"])


def test_charge_prints_who_wins_and_what_both_lose():
    text = answer("charge", RIFLES, f"{GRENADIERS}:garrisoned,models=4", "--supported")
    for line in (
        "Charge    crown/rifle-platoon@basic -> imperium/scion-grenadier-platoon@basic",
        "Strikes   target with melee:",
        "attacker with melee: 3 dice, improved",
        "Attacker wins ",
        "Models destroyed, the attacker's down, the target's across",
        "P(broken)",
        "Expected victory points won",
        "Not modelled: none",
    ):
        assert line in text


def test_a_list_after_a_colon_needs_no_quotes():
    text = answer("charge", f"{RIFLES}:rules=[Onslaught, Veteran (2)],models=3", f'{GRENADIERS}:rules=["Durable"]')
    assert "Rules applied: Onslaught, Veteran (2), Arc, Durable" in text
    assert "3 models" in text


def test_focus_says_after_how_many_attacks():
    text = answer("attack", RIFLES, RIFLES, RIFLES, GRENADIERS, "--until", "0.5", "annihilated")
    assert "50% likely to be annihilated after 2 attacks: 52.22%" in text
    assert "Not 90% likely to be broken with this attack" in answer(
        "attack", RIFLES, GRENADIERS, "--until", 0.9, "broken"
    )
    found = json.loads(answer("attack", RIFLES, GRENADIERS, "--until", 0.9, "broken", "--format", "json"))["until"]
    assert (found["attacks"], found["fate"]) == (None, "broken")


def test_each_attack_has_its_row_and_conditions():
    terms = f"{RIFLES}:row=ranged-light,distance=6,aiming,concealed"
    asked = ("attack", terms, RIFLES, GRENADIERS, "--format", "json")
    attack, _ = json.loads(answer(*asked))["scenario"]["attacks"]
    assert (attack["row"], attack["distance"]) == ("ranged-light", 6)
    assert set(attack["bonuses"]) == {"aiming", "short_range"}
    assert attack["penalties"] == ["concealed"]


def test_a_duel_prints_its_rounds_and_who_has_won():
    text = answer(*COMMANDS["duel"])
    for line in (
        "2 rounds, first: a toss each round",
        "policy lookout",
        "By round",
        "P(A wins)",
        "VP of A less VP of B",
        "Assumption: cards with replacement",
    ):
        assert line in text


def test_the_help_tells_every_policy():
    text = answer("duel", "--help-all")
    for policy in Policy:
        assert policy.name.lower() in text


def test_an_answer_can_be_written_to_a_file(tmp_path):
    path = tmp_path / "duel.txt"
    assert answer(*COMMANDS["duel"], "--out", path) == ""
    assert path.read_text(encoding="utf-8") == answer(*COMMANDS["duel"])


def test_what_is_not_modelled_is_named():
    result = analyser.charge(
        unit(row("melee", 1, "Overcharge"), rules=["Tail Gunner (2)", "Pioneers"]), unit(rules=["Bulwark"])
    )
    assert result.not_modelled == ("Pioneers", "Bulwark")  # nobody shoots at the Tail Gunner


OVERCHARGING = unit(
    row("melee", 1, "Overcharge"),
    row("ranged", 1, "Overcharge"),
    row("ranged", 1) | {"id": "other"},
    rules=["All-Out Attack (2)", "Overrun"],
)
NOT_USED = [  # a question; what is not used, and the key that would use it; the same question with that key
    (
        "charge",
        {"attacker": OVERCHARGING, "target": unit()},
        "Overcharge",
        "attacker.overcharge",
        {"attacker": OVERCHARGING | {"overcharge": True}, "target": unit()},
    ),
    (
        "charge",
        {"attacker": unit(row("melee", 1)), "target": OVERCHARGING},
        "Overcharge",
        "target.overcharge",
        {"attacker": unit(row("melee", 1)), "target": OVERCHARGING | {"overcharge": True}},
    ),
    (
        "charge",
        {"attacker": unit(row("melee", 1)), "target": unit(), "secondary": [OVERCHARGING]},
        "Overcharge",
        "secondary.0.overcharge",
        {"attacker": unit(row("melee", 1)), "target": unit(), "secondary": [OVERCHARGING | {"overcharge": True}]},
    ),
    (
        "charge",
        {"charge": {"overrun": False}, "attacker": OVERCHARGING, "target": unit()},
        "Overrun",
        "charge.overrun",
        {"attacker": OVERCHARGING, "target": unit()},
    ),
    (
        "focus",
        {"attacks": [{"dice": 1}, {"dice": 1, "qualities": ["Overcharge"]}], "target": unit()},
        "Overcharge",
        "attacks.1.overcharge",
        {"attacks": [{"dice": 1}, {"dice": 1, "qualities": ["Overcharge"], "overcharge": True}], "target": unit()},
    ),
    (
        "duel",
        {"a": OVERCHARGING, "b": unit()},
        "Overcharge",
        'duel.policy_a = "overcharge"',
        {"duel": {"policy_a": "overcharge"}, "a": OVERCHARGING, "b": unit()},
    ),
    (
        "duel",
        {"a": OVERCHARGING, "b": unit()},
        "All-Out Attack (2)",
        'duel.policy_a = "all_out"',
        {"duel": {"policy_a": "all_out"}, "a": OVERCHARGING, "b": unit()},
    ),
    (
        "duel",
        {"duel": {"policy_a": "charge"}, "a": OVERCHARGING, "b": unit()},
        "Overcharge",
        "a.overcharge",
        {"duel": {"policy_a": "charge"}, "a": OVERCHARGING | {"overcharge": True}, "b": unit()},
    ),
]


@pytest.mark.parametrize(("kind", "question", "name", "key", "used"), NOT_USED)
def test_what_is_modelled_but_not_used_is_named_with_what_would_use_it(kind, question, name, key, used):
    def asked(raw):
        if kind == "focus":
            raw = raw | {"target": {"models": 10, "defence": 1, "damage_limit": 1}}
        if kind == "duel":
            raw = raw | {"duel": {"rounds": 1, "policy_b": "take_cover"} | raw.get("duel", {})}
        return getattr(analyser, kind)(raw)

    result, other = asked(question), asked(used)
    told = f"{name}, could be used with {key}"
    assert told in result.not_used
    assert name not in (*result.not_modelled, *result.rules_applied)
    assert told in result.as_dict()["not_used"]
    listed = rendered([result]).partition("\nNot used")[2].partition("\n\n")[0]
    assert listed in {f": {'; '.join(result.not_used)}", "".join(f"\n- {each}" for each in result.not_used)}
    assert told not in other.not_used
    assert name in other.rules_applied


def test_an_attack_names_what_it_does_not_use(file):
    text = "[attack]\ndice = 1\nqualities = ['Overcharge']\n{}\n[target]\nmodels = 1\ndefence = 1\ndamage_limit = 1\n"
    told = answer("run", file(text.format("")))
    assert "Not used: Overcharge, could be used with attack.overcharge\n" in told
    assert "Not modelled: none" in told
    assert "Not used" not in answer("run", file(text.format("overcharge = true")))


def test_a_rule_of_contact_is_not_modelled_where_nobody_charges():
    a, b = unit(row("melee", 1), row("ranged", 1)), unit(rules=["Spectacular Demise (3)", "Hit & Run (7)"], models=1)
    left_out = [
        analyser.duel(a, b, policy_a=policy, policy_b="take_cover", rounds=1).not_modelled
        for policy in ("shoot", "charge")
    ]
    assert left_out == [("Spectacular Demise (3)", "Hit & Run (7)"), ("Hit & Run (7)",)]


ODD = [
    (["charge", RIFLES, f"{GRENADIERS}:models=9"], "scion-grenadier-platoon@basic has 6"),
    (["charge", RIFLES, GRENADIERS, "--secondary", f"{GRENADIERS}:models=9"], "secondary.0.models is 9, and imperium/"),
    (["charge", RIFLES, "imperium/scion-grenadier-p@full:garrisoned"], "target.garrisoned: 18 models, and a"),
    (["charge", RIFLES, TANKS, "--outflanking"], "charge.outflanking is no bonus"),
    (["charge", RIFLES, GRENADIERS, "--secondary", f"{GRENADIERS}:garrisoned"], "secondary.0.garrisoned has no effect"),
    (["attack", RIFLES, f"{GRENADIERS}:models=9"], "target.models is 9, and imperium/"),
    (["attack", f"{RIFLES}:attacker-models=9", GRENADIERS], "attack.attacker_models is 9, and crown/"),
    (["duel", f"{RIFLES}:models=9", GRENADIERS], "a.models is 9, and crown/rifle-platoon@basic has 6"),
    (["duel", f"{RIFLES}:garrisoned", GRENADIERS, "--policy-a", "charge"], "a does not charge as long as it is in its"),
    (["duel", f"{RIFLES}:outflanking", f"{GRENADIERS}:garrisoned", "--policy-a", "charge"], "a.charge.outflanking"),
    (["charge", f"{RIFLES}:carriages=2", GRENADIERS], "attacker.carriages has no effect: no row has Full Steam Ahead"),
]


@pytest.mark.parametrize(("arguments", "warning"), ODD)
def test_what_is_odd_is_computed_and_told(arguments, warning):
    told = json.loads(answer(*arguments, "--format", "json"))["warnings"]
    assert [each for each in told if warning in each]
    usual = json.loads(answer(*COMMANDS.get(arguments[0], COMMANDS["focus"]), "--format", "json"))["warnings"]
    assert not [each for each in usual if warning in each]


MISSPELT = {
    "attack": (
        "[attack]\ndice = 1\n[target]\nmodels = 3\ndefence = 1\ndamage_limit = 1\nrules = ['Durabel']\n",
        "target",
    ),
    "charge": (CHARGE_FILE + "rules = ['Durabel']\n", "secondary.0"),
    "focus": (FOCUS_FILE + "rules = ['Durabel']\n", "target"),
    "duel": (DUEL_FILE + "rules = ['Durabel', 'Zzyzx']\n", "b"),
}


@pytest.mark.parametrize("kind", MISSPELT)
def test_a_misspelt_rule_is_refused_with_its_place_and_the_nearest_name(kind, file):
    text, section = MISSPELT[kind]
    result = run("run", file(text))
    assert result.exit_code == 2
    assert "'Durabel' is not known; did you mean 'Durable'?" in result.stderr
    assert f"{section}.rules" in result.stderr


def test_a_rule_that_is_like_none_is_a_note(file, tmp_path):
    warning = "unknown special rule in b.rules: 'Zzyzx', left out of the numbers"
    path = file(MISSPELT["duel"][0].replace("'Durabel', ", ""))
    printed = answer("run", path)
    assert printed.count(f"Warning: {warning}\n") == 1
    assert [each for each in json.loads(answer("run", path, "--format", "json"))["warnings"] if each.endswith(warning)]
    for options in (["--format", "csv"], ["--out", tmp_path / "answer.txt"]):
        result = run("run", path, *options)
        assert result.exit_code == 0
        assert result.stderr.count("warning: ") == result.stderr.count("\n") == printed.count("Warning: ")
        assert warning in result.stderr


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["charge", ROTORCRAFT, GRENADIERS], ["no melee or impact row", "AC-8.1"]),
        (["charge", GUNS, GRENADIERS], ["Static unit cannot charge"]),
        (["charge", RIFLES, AIRCRAFT], ["cannot be charged", "aircraft"]),
        (["charge", RIFLES, ROTORCRAFT], ["cannot be charged", "rotorcraft"]),
        (["charge", RIFLES, f"{GRENADIERS}:modles=3"], ["target.modles", "did you mean 'models'"]),
        (["charge", RIFLES, f"{GRENADIERS}:models=3,models=4"], ["twice"]),
        (["charge", RIFLES, f"{GRENADIERS}:rules=Durable"], ["target.rules", 'a list, such as ["Durable"]']),
        (
            ["charge", RIFLES, f"{GRENADIERS}:outflankin"],
            ["target.outflankin", "did you mean 'outflanking'? (allowed: the option --outflanking)"],
        ),
        (["charge", f"{RIFLES}:overrun=false", GRENADIERS], ["attacker.overrun", "allowed: the option --no-overrun"]),
        (
            ["charge", RIFLES, GRENADIERS, "--secondary", f"{GRENADIERS}:threatend"],
            ["secondary.0.threatend", "did you mean 'threatened'? (allowed: threatened, "],
        ),
        (
            ["attack", f"{RIFLES}:aimng", GRENADIERS],
            ["attack.aimng", "did you mean 'aiming'? (allowed: aiming, "],
        ),
        (
            ["attack", RIFLES, f"{RIFLES}:models=3", GRENADIERS],
            ["attacks.1.models", "attacker_models here, models after the colon of the target"],
        ),
        (["attack", f"{RIFLES}:aiming=3", GRENADIERS], ["attack.aiming", "3", "the word alone"]),
        (["attack", f"{RIFLES}:bonuses=aiming,short-range", GRENADIERS], ["attack.bonuses", "a list"]),
        (["attack", RIFLES, f"{GRENADIERS}:aiming"], ["target.aiming", "after the colon of who attacks"]),
        (["attack", RIFLES, f"{GRENADIERS}:on-lookout"], ["target.on_lookout", "for charge and duel"]),
        (["attack", RIFLES, GRENADIERS, "--until", "0.5", "brokn"], ["--until", "did you mean 'broken'"]),
        (["attack", RIFLES, GRENADIERS, "--distance", "nan"], ["attack.distance", "nan is not usable", "0 to 1000"]),
        (["attack", f"{RIFLES}:exposed=3", GRENADIERS], ["attack.exposed", "after the colon of the target"]),
        (["attack", f"{RIFLES}:bonuses=aiming", GRENADIERS, "--short-range"], ["attack.bonuses", "a list"]),
        (
            ["duel", f"{RIFLES}:overcharg", GRENADIERS],
            ["a.overcharg", "did you mean 'overcharge'? (allowed: overcharge, "],
        ),
        (["duel", f"{RIFLES}:distance=6", GRENADIERS], ["a.distance", "allowed: the option --distance"]),
        (["duel", f"{RIFLES}:aimng", GRENADIERS], ["a.aimng", "'aiming'", "a matter of policy"]),
        (["duel", RIFLES, GRENADIERS, "--policy-a", "take-cover"], ["--policy-a", "did you mean 'take_cover'"]),
        (["charge", f"{RIFLES}:close_quarters_row=ranged-light", GRENADIERS], ["ranged-light", "ranged row"]),
        (["charge", RIFLES, f"{GRENADIERS}:close_quarters_row=claws"], ["target.close_quarters_row", "claws"]),
        (["charge", RIFLES, f"{GRENADIERS}:damage=9"], ["target.damage", "9"]),
        (["charge", "crown/nobody", GRENADIERS], ["attacker.unit", "nobody"]),
        (["charge", RIFLES, f"{GRENADIERS}:models=19"], ["target.models: 19 models of imperium/scion", "1 to 18"]),
        (["charge", f"{RIFLES}:garrisoned", GRENADIERS], ["attacker.garrisoned", "makes no charge"]),
        (["charge", RIFLES, f"{GUNS}:garrisoned"], ["target.garrisoned: a unit of type field gun in a building"]),
        (["charge", RIFLES, f"{GRENADIERS}:garrisoned", "--outflanking"], ["charge.outflanking", "on every side"]),
        (["attack", f"{RIFLES}:attacker-models=19", GRENADIERS], ["attack.row", "no attack dice for 19"]),
        (["attack", f"{GUNS}:attacker-garrisoned", GRENADIERS], ["attacker_garrisoned", "field gun"]),
        (["attack", RIFLES, f"{GUNS}:garrisoned"], ["target.garrisoned", "field gun in a building"]),
        (["attack", RIFLES, f"{GRENADIERS}:models=19"], ["target.models", "1 to 18"]),
        (["duel", f"{RIFLES}:models=1000", GRENADIERS], ["a.models: 1000 models of crown/rifle-platoon", "1 to 18"]),
        (["duel", RIFLES, f"{GUNS}:garrisoned"], ["b.garrisoned", "field gun in a building (allowed: infantry)"]),
        (["charge", RIFLES, GRENADIERS, "--method", "both", "--precision", "0.1", "--trials", "5"], ["one of them"]),
        (["attack", GRENADIERS], ["missing argument"]),
        (["attack", RIFLES, f"{RIFLES}:distance=90", GRENADIERS], ["attacks.1.row", "distance 90"]),
        (["attack", f"{RIFLES}:distanse=9", GRENADIERS], ["attack.distanse", "did you mean 'distance'"]),
        (["attack", RIFLES, GRENADIERS, "--until", "1.5", "broken"], ["until", "1.5"]),
        (["duel", RIFLES, GRENADIERS, "--rounds", "0"], ["duel.rounds", "0"]),
        (["duel", RIFLES, GRENADIERS, "--rounds", "1000000"], ["duel.rounds", "1000000"]),
        (["duel", RIFLES, GRENADIERS, "--policy-a", "all_out"], ["All-Out Attack"]),
        (["duel", RIFLES, GRENADIERS, "--policy-b", "overcharge"], ["Overcharge"]),
        (["duel", GUNS, GRENADIERS, "--policy-a", "charge"], ["Static"]),
        (["duel", RIFLES, AIRCRAFT], ["aircraft", "AC-9.2"]),
        (["duel", RIFLES, GRENADIERS, "--distance", "400"], ["duel.distance", "400"]),
    ],
)
def test_an_input_that_cannot_be_used_is_told_in_one_line(arguments, words):
    said = refusal(*arguments)
    assert [word for word in words if word not in said] == []


POLICIES_OF_UNITS = [  # a duel, a policy of A, why not, what A can do instead
    (
        [RIFLES, GRENADIERS],
        "all_out",
        "it does not have the rule All-Out Attack",
        "shoot, short_range, charge, lookout, take_cover",
    ),
    (
        [GUNS, GRENADIERS],
        "charge",
        "a Static unit cannot charge (AC-7)",
        "shoot, short_range, lookout, take_cover",
    ),
    (
        [GRENADIERS, ROTORCRAFT],
        "lookout",
        "it has no ranged row against aerial targets",
        "take_cover",
    ),
]


@pytest.mark.parametrize(("units", "policy", "why", "possible"), POLICIES_OF_UNITS)
def test_who_cannot_carry_out_a_policy_is_told_what_it_can(units, policy, why, possible):
    said = refusal("duel", *units, "--policy-a", policy)
    assert said.startswith("error: duel.policy_a: ")
    assert f"cannot carry out the policy {policy}: {why} (allowed: {possible})" in said
    for other in possible.split(", "):
        assert analyser.duel(*units, policy_a=other, rounds=1).method == "exact"


def test_a_policy_that_there_is_not():
    result = run("duel", RIFLES, GRENADIERS, "--policy-a", "shot")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert "'shoot'" in result.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[charge]\noutflank = true\n[attacker]\n[target]\n", ["fight.toml: charge.outflank", "outflanking"]),
        ("[charge]\n[attacker]\nmodels = 3\ndefence = 1\ndamage_limit = 1\n[target]\n", ["target.models", "missing"]),
        ("[attacker]\nunit = 1\n[target]\n", ["fight.toml: attacker.unit"]),
        (CHARGE_FILE + "speed = 'fast'\n", ["secondary.0.speed"]),
        ("attacks = []\n[target]\n", ["attacks", "at least 1"]),
        ("[duel]\nfirst = 'c'\n[a]\n[b]\n", ["duel.first", "'c'"]),
        ("[duel]\n[a]\n", ["fight.toml: b", "missing"]),
        ("[duel]\npolicy_a = 'shot'\n[a]\n[b]\n", ["duel.policy_a", "did you mean 'shoot'"]),
        (DUEL_FILE + "[ruleset]\ndie = { strike = 0 }\n", ["ruleset"]),
        (DUEL_FILE + "[b.passengers]\nmodels = 1\n", ["b.passengers"]),
        (DUEL_FILE + "[typo]\n", ["typo", "unknown key"]),
        (CHARGE_FILE.replace("[target]", "[attacker.charge]\n[target]"), ["attacker.charge", "[charge]"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_key(text, words, file):
    said = refusal("run", file(text))
    assert [word for word in words if word not in said] == []


def test_python_refuses_the_same():
    with pytest.raises(InputError, match="secondary: not a list of units"):
        analyser.charge(RIFLES, GRENADIERS, secondary=GRENADIERS)
    focused = analyser.focus([RIFLES], GRENADIERS)
    for asked, message in (
        (lambda: focused.until("broken", 0.8), "no fate 0.8"),
        (lambda: focused.after("2"), "attack: must be an integer, got '2'"),
        (
            lambda: analyser.exact(
                {"attack": {"dice": 1}, "target": {"models": 1, "defence": 1, "damage_limit": 1}}
            ).at_least(-1),
            "models: -1 is out of range",
        ),
        (lambda: focused.at_least("x"), "models: must be an integer, got 'x'"),
        (lambda: focused.at_least(-1), "models: -1 is out of range"),
    ):
        with pytest.raises(InputError, match=message):
            asked()
    with pytest.raises(InputError, match="until: 'a' is not usable"):
        analyser.focus([RIFLES], GRENADIERS).until("a", "broken")
    with pytest.raises(InputError, match="not a list of attacks"):
        analyser.focus(RIFLES, GRENADIERS)
    with pytest.raises(InputError, match="did you mean 'outflanking'"):
        analyser.charge(RIFLES, GRENADIERS, outflankin=True)
    with pytest.raises(InputError, match="no event 'wins'"):
        analyser.charge(RIFLES, GRENADIERS).probability("wins")
    with pytest.raises(InputError, match="round: 7 is out of range"):
        analyser.duel(RIFLES, GRENADIERS, rounds=1).probability("a_wins", 7)
    with pytest.raises(InputError, match="method: 'exactly' is not usable"):
        analyser.duel(RIFLES, GRENADIERS, method="exactly")


def test_why_no_row_fits_is_not_told_as_what_is_allowed():
    said = refusal("attack", f"{RIFLES}:distance=60", GRENADIERS)
    assert "no row can make this attack (ranged-light: its long range is 14, and the distance 60;" in said
    assert "allowed" not in said


def test_what_one_of_several_attacks_says_of_its_target_is_refused_in_its_place():
    said = refusal("attack", RIFLES, f"{RIFLES}:exposed=7", GRENADIERS)
    assert "attacks.1.exposed: 7 of 6 models (allowed: 1 to 6)" in said
    said = refusal("attack", RIFLES, f"{GRENADIERS}:exposed=7")
    assert "target.exposed: 7 of 6 models (allowed: 1 to 6)" in said


@pytest.mark.parametrize(
    ("ask", "second"), [(analyser.charge, "target"), (analyser.focus, "target"), (analyser.duel, "b")]
)
def test_one_unit_alone_is_told_that_the_second_is_missing(ask, second):
    with pytest.raises(InputError, match=rf"is a unit alone, and no question \(allowed: a unit as {second}="):
        ask(RIFLES)
    with pytest.raises(InputError, match=r"nowhere\.toml: cannot read this file"):
        ask("nowhere.toml")


def test_attacks_without_a_target_are_told_that_it_is_missing():
    with pytest.raises(InputError, match=r"target: .* the second unit is missing"):
        analyser.focus([RIFLES, RIFLES])


def test_keys_after_a_colon_are_told_to_be_a_mapping_in_python():
    with pytest.raises(InputError, match="keys after a colon are for the commands") as caught:
        analyser.charge(f"{RIFLES}:suppressed", GRENADIERS)
    assert '{"unit": "...", "suppressed": True}' in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no scenario of a fight"),
        ("[dual]\nrounds = 2\n", "no scenario of a fight: 'dual' is no section of one; did you mean 'duel'?"),
    ],
)
def test_a_file_that_is_no_scenario_is_told_what_it_may_hold(tmp_path, text, problem):
    path = tmp_path / "fight.toml"
    path.write_text(text, encoding="utf-8")
    for ask in (analyser.exact, analyser.charge, analyser.focus, analyser.duel):
        with pytest.raises(InputError) as caught:
            ask(str(path))
        assert caught.value.problem == problem
        assert caught.value.where == str(path)
        assert caught.value.allowed == (
            "[attack] and [target]; or [charge], [attacker] and [target]; "
            "or [[attacks]] and [target]; or [duel], [a] and [b]; or [battle], mine and yours"
        )


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_another_kind_is_told_which_it_is(tmp_path, kind):
    path = tmp_path / "fight.toml"
    path.write_text(FILES[kind], encoding="utf-8")
    described = {"charge": "a charge", "focus": "focus fire", "duel": "a duel"}[kind]
    for other in {"attack", *FILES} - {kind}:
        with pytest.raises(InputError, match=f"this describes {described}, not "):
            getattr(analyser, other)(str(path))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("models", "models: models needs a value (allowed: such as models=4)"),
        ("row", "row: row needs a value (allowed: such as row=...)"),
        ("formation", "formation: formation needs a value (allowed: such as formation=close)"),
        ("rules=[Durable", "rules: '[Durable' has no closing bracket (allowed: [Durable])"),
        ("speed=fast", "speed: 'fast' is not usable (allowed: a number, 0 to 1000)"),
    ],
)
def test_a_key_without_a_value_that_fits(words, problem):
    assert f"a.{problem}" in refusal("duel", f"{RIFLES}:{words}", GRENADIERS)


@pytest.mark.parametrize(("kind", "key"), [("charge", "secondary"), ("focus", "attacks")])
def test_one_of_several_tables_stands_in_double_brackets(tmp_path, kind, key):
    path = tmp_path / "fight.toml"
    single = f'[attacker]\nunit = "{RIFLES}"\n' if kind == "charge" else ""
    path.write_text(f'{single}[{key}]\n[target]\nunit = "{GRENADIERS}"\n', encoding="utf-8")
    assert f"(allowed: a list of tables, in a file [[{key}]] in double brackets)" in refusal("run", path)


def test_options_of_focus_fire_hold_for_every_attack_that_does_not_say_otherwise():
    attacks = [f"{RIFLES}:distance=12", RIFLES]
    options = ["--distance", 6, "--aiming", "--suppressed", "--format", "json"]
    scenario = json.loads(answer("attack", *attacks, GRENADIERS, *options))["scenario"]
    assert [attack["distance"] for attack in scenario["attacks"]] == [12, 6]
    assert all("aiming" in attack["bonuses"] for attack in scenario["attacks"])
    assert scenario["target"]["suppressed"]


def test_the_help_groups_options_by_what_they_are_about():
    text = answer("attack", "--help-all")
    assert [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")] == [
        "Attack:",
        "Bonuses:",
        "Penalties:",
        "Target:",
        "Method:",
        "Assumed:",
        "Input and output:",
        "Options:",
    ]


def test_one_word_can_be_a_policy_in_words():
    told = answer("duel", RIFLES, GRENADIERS, "--rounds", "1", "--distance", "18", "--policy-a", "retire")
    assert "policy retire" in told
    few = [f"{each}:models=2" for each in (RIFLES, GRENADIERS)]
    told = answer("best", *few, "--rounds", "1", "--against", "take cover if suppressed; hold")
    assert "policy take cover if suppressed; hold" in told
    assert "did you mean 'shoot'" in refusal("best", RIFLES, GRENADIERS, "--against", "shoott")
    for given in ("", "shoott"):
        refused = refusal("duel", RIFLES, GRENADIERS, "--policy-a", given)
        assert "nor a policy in words, such as 'aim and shoot'" in refused


def test_a_fight_that_is_no_battle_has_nothing_in_short(file):
    assert "--full: only a battle tells less than all" in refusal("run", file(FILES["duel"]), "--full")
