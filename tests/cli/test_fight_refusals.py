"""Refusals of the commands about longer fights: one line, with the place and what is allowed."""

import pytest

import analyser
from analyser.common.errors import InputError
from tests.helpers.fight_questions import AIRCRAFT, CHARGE_FILE, DUEL_FILE, FILES, GUNS, ROTORCRAFT
from tests.helpers.shell import GRENADIERS, RIFLES, answer, refusal

ROCKETEERS, TANKS = "crown/spitfire-rocketeers@basic", "commonwealth/tsar-battle-tanks@basic"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["charge", GUNS, GRENADIERS], ["Static unit cannot charge"]),
        (["charge", RIFLES, AIRCRAFT], ["cannot be charged", "aircraft"]),
        (["charge", RIFLES, f"{GRENADIERS}:modles=3"], ["target.modles", "did you mean 'models'"]),
        (["charge", RIFLES, f"{GRENADIERS}:models=3,models=4"], ["twice"]),
        (["charge", RIFLES, f"{GRENADIERS}:rules=Durable"], ["target.rules", 'a list, such as ["Durable"]']),
        (["charge", RIFLES, f"{GRENADIERS}:outflankin"], ["target.outflankin", "(allowed: the option --outflanking)"]),
        (["charge", f"{RIFLES}:overrun=false", GRENADIERS], ["attacker.overrun", "allowed: the option --no-overrun"]),
        (
            ["attack", RIFLES, f"{RIFLES}:models=3", GRENADIERS],
            ["attacks.1.models", "attacker_models here, models after"],
        ),
        (["attack", RIFLES, f"{RIFLES}:exposed=7", GRENADIERS], ["attacks.1.exposed: 7 of 6 models (allowed: 1 to 6)"]),
        (["attack", RIFLES, f"{GRENADIERS}:exposed=7"], ["target.exposed: 7 of 6 models (allowed: 1 to 6)"]),
        (["attack", f"{RIFLES}:aiming=3", GRENADIERS], ["attack.aiming", "3", "the word alone"]),
        (["attack", f"{RIFLES}:bonuses=aiming,short-range", GRENADIERS], ["attack.bonuses", "a list"]),
        (["attack", RIFLES, f"{GRENADIERS}:aiming"], ["target.aiming", "after the colon of the attacker"]),
        (["attack", RIFLES, f"{GRENADIERS}:on-lookout"], ["target.on_lookout", "for charge and duel"]),
        (["attack", RIFLES, GRENADIERS, "--until", "0.5", "brokn"], ["--until", "did you mean 'broken'"]),
        (["attack", RIFLES, GRENADIERS, "--distance", "nan"], ["attack.distance", "nan is not usable", "0 to 1000"]),
        (["duel", f"{RIFLES}:distance=6", GRENADIERS], ["a.distance", "allowed: the option --distance"]),
        (["duel", f"{RIFLES}:aimng", GRENADIERS], ["a.aimng", "'aiming'", "part of a policy"]),
        (["duel", RIFLES, GRENADIERS, "--policy-a", "take-cover"], ["--policy-a", "did you mean 'take_cover'"]),
        (["charge", f"{RIFLES}:close_quarters_row=ranged-light", GRENADIERS], ["ranged-light", "ranged row"]),
        (["charge", RIFLES, f"{GRENADIERS}:damage=9"], ["target.damage", "9"]),
        (["charge", RIFLES, f"{GRENADIERS}:models=19"], ["target.models: 19 models of imperium/scion", "1 to 18"]),
        (["charge", f"{RIFLES}:garrisoned", GRENADIERS], ["attacker.garrisoned", "cannot charge, only leave"]),
        (["charge", RIFLES, f"{GRENADIERS}:garrisoned", "--outflanking"], ["charge.outflanking", "on every side"]),
        (["attack", f"{RIFLES}:attacker-models=19", GRENADIERS], ["no row can make this", "no attack dice for 19"]),
        (["duel", RIFLES, f"{GUNS}:garrisoned"], ["b.garrisoned", "field gun in a building (allowed: infantry)"]),
        (["charge", RIFLES, GRENADIERS, "--method", "both", "--precision", "0.1", "--trials", "5"], ["one of them"]),
        (["duel", TANKS, f"{ROCKETEERS}:garrisoned"], ["no ranged row against heavy", "(allowed: take_cover)"]),
        (["duel", RIFLES, AIRCRAFT], ["aircraft", "AC-9.2"]),
        (["duel", f"{RIFLES}:models", GRENADIERS], ["a.models: models needs a value (allowed: models=VALUE)"]),
        (["duel", f"{RIFLES}:rules=[Durable", GRENADIERS], ["a.rules: '[Durable' has no closing bracket (allowed: [D"]),
        (
            ["duel", f"{RIFLES}:speed=fast", GRENADIERS],
            ["a.speed: 'fast' is not usable (allowed: a number, 0 to 1000)"],
        ),
    ],
)
def test_an_input_that_cannot_be_used_is_told_in_one_line(arguments, words):
    said = refusal(*arguments)
    assert [word for word in words if word not in said] == []


POLICIES_OF_UNITS = [  # a duel, a policy of A, why not, what A can do instead
    ([RIFLES, GRENADIERS], "all_out", "it does not have the rule All-Out Attack", ", charge, lookout, take_cover"),
    ([GUNS, GRENADIERS], "charge", "a Static unit cannot charge (AC-7)", ", lookout, take_cover"),
    ([GRENADIERS, ROTORCRAFT], "lookout", "it has no ranged row against aerial targets", "take_cover"),
]


@pytest.mark.parametrize(("units", "policy", "why", "possible"), POLICIES_OF_UNITS)
def test_who_cannot_carry_out_a_policy_is_told_what_it_can(units, policy, why, possible):
    possible = f"shoot, short_range{possible}" if possible.startswith(",") else possible
    said = refusal("duel", *units, "--policy-a", policy)
    assert said.startswith("error: duel.policy_a: ")
    assert f"cannot carry out the policy {policy}: {why} (allowed: {possible})" in said
    for other in possible.split(", "):
        assert analyser.duel(*units, policy_a=other, rounds=1).method == "exact"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[charge]\noutflank = true\n[attacker]\n[target]\n", ["fight.toml: charge.outflank", "outflanking"]),
        ("[charge]\n[attacker]\nmodels = 3\ndefence = 1\ndamage_limit = 1\n[target]\n", ["target.models", "missing"]),
        (CHARGE_FILE + "speed = 'fast'\n", ["secondary.0.speed"]),
        (DUEL_FILE + "rules = ['Durabel']\n", ["b.rules", "'Durabel' is unknown; did you mean 'Durable'?"]),
        ("[duel]\npolicy_a = 'shot'\n[a]\n[b]\n", ["duel.policy_a", "did you mean 'shoot'"]),
        (CHARGE_FILE.replace("[target]", "[attacker.charge]\n[target]"), ["attacker.charge", "[charge]"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_key(text, words, file):
    said = refusal("run", file(text))
    assert [word for word in words if word not in said] == []


def test_python_refuses_the_same():
    with pytest.raises(InputError, match="secondary: not a list of units"):
        analyser.charge(RIFLES, GRENADIERS, secondary=GRENADIERS)
    focused, charge = analyser.focus([RIFLES], GRENADIERS), analyser.charge(RIFLES, GRENADIERS)
    for asked, message in (
        (lambda: focused.until("broken", 0.8), "unknown fate 0.8"),
        (lambda: focused.until("a", "broken"), "until: 'a' is not usable"),
        (lambda: focused.joint_states("2"), "attack: must be an integer, got '2'"),
        (lambda: focused.at_least("x"), "models: must be an integer, got 'x'"),
        (lambda: focused.at_least(-1), "models: -1 is out of range"),
        (lambda: analyser.attack(RIFLES, GRENADIERS).at_least(-1), "models: -1 is out of range"),
        (lambda: analyser.focus(RIFLES, GRENADIERS), "not a list of attacks"),
        (lambda: charge.probability("wins"), "unknown event 'wins'"),
        (lambda: analyser.duel(RIFLES, GRENADIERS, rounds=1).probability("a_wins", 7), "round: 7 is out of range"),
    ):
        with pytest.raises(InputError, match=message):
            asked()


def test_keys_after_a_colon_are_told_to_be_a_mapping_in_python():
    with pytest.raises(InputError, match="no keys are accepted after a colon here") as caught:
        analyser.charge(f"{RIFLES}:suppressed", GRENADIERS)
    assert "keys go into a table in a file, or a mapping in Python" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "more"), [("", ""), ("[dual]\nrounds = 2\n", ": unknown section 'dual'; did you mean 'duel'?")]
)
def test_a_file_that_is_no_scenario_is_told_what_it_may_hold(file, text, more):
    path = file(text)
    for ask in (analyser.exact, analyser.charge, analyser.focus, analyser.duel):
        with pytest.raises(InputError) as caught:
            ask(path)
        assert (caught.value.where, caught.value.problem) == (path, f"this is not a scenario of a fight{more}")
        assert caught.value.allowed == (
            "[attack] and [target]; or [charge], [attacker] and [target]; "
            "or [[attacks]] and [target]; or [duel], [a] and [b]; or [battle], mine and yours"
        )


@pytest.mark.parametrize("kind", FILES)
def test_a_file_of_another_kind_is_told_which_it_is(file, kind):
    path = file(FILES[kind])
    described = {"charge": "a charge", "focus": "focus fire", "duel": "a duel"}[kind]
    for other in {"attack", *FILES} - {kind}:
        with pytest.raises(InputError, match=f"this describes {described}, not "):
            getattr(analyser, other)(path)


@pytest.mark.parametrize(("kind", "key"), [("charge", "secondary"), ("focus", "attacks")])
def test_one_of_several_tables_stands_in_double_brackets(file, kind, key):
    single = f'[attacker]\nunit = "{RIFLES}"\n' if kind == "charge" else ""
    path = file(f'{single}[{key}]\n[target]\nunit = "{GRENADIERS}"\n')
    assert f"(allowed: a list of tables, in a file [[{key}]] in double brackets)" in refusal("run", path)


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
