"""The public face: every question takes units, a scenario or a file, and says what is wrong with anything else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomlkit

import analyser
from analyser import InputError, morale

ROOT = Path(__file__).parents[1]

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
UNITS = {"unit": RIFLES}, {"unit": GRENADIERS}
FEW = {"trials": 500, "seed": 3}
QUESTIONS = {  # by kind: the two units as arguments; the same as a whole
    "attack": ((RIFLES, GRENADIERS), {"attack": {"attacker": RIFLES}, "target": {"unit": GRENADIERS}}),
    "charge": ((RIFLES, GRENADIERS), {"charge": {}, "attacker": UNITS[0], "target": UNITS[1]}),
    "focus": (([RIFLES], GRENADIERS), {"attacks": [{"attacker": RIFLES}], "target": UNITS[1]}),
    "duel": ((RIFLES, GRENADIERS), {"duel": {}, "a": UNITS[0], "b": UNITS[1]}),
}
LEGION = {"courage": 1, "tokens": 2}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_units_a_mapping_a_file_and_a_scenario_are_the_same_question(kind, tmp_path):
    units, whole = QUESTIONS[kind]
    path = tmp_path / "question.toml"
    path.write_text(tomlkit.dumps(whole), encoding="utf-8")
    ask = getattr(analyser, kind)
    expected = ask(*units)
    assert expected.kind == kind
    for same in (ask(whole), ask(path), ask(str(path)), ask(expected.scenario), ask(*units, profiles="profiles")):
        assert same.as_dict() | {"profiles": None} == expected.as_dict() | {"profiles": None}
    sampled = ask(*units, method="monte-carlo", **FEW)
    for question in (whole, path, expected.scenario):
        assert analyser.exact(question).as_dict() == expected.as_dict()
        assert analyser.simulate(question, **FEW).as_dict() == sampled.as_dict()


def test_the_two_verbs_take_questions_about_morale():
    assert str(analyser.exact(LEGION)) == str(morale.exact("legion", LEGION))
    assert str(analyser.exact(LEGION, kind="legion")) == str(analyser.exact(LEGION))
    assert str(analyser.simulate(LEGION, **FEW)) == str(morale.simulate("legion", LEGION, **FEW))
    checked = analyser.exact(morale.load_question("legion", LEGION))
    assert checked.to_frame().equals(analyser.exact(LEGION, profiles="profiles").to_frame())


@pytest.mark.parametrize("name", ["exact", "simulate", "attack", "charge", "duel"])
def test_a_selector_alone_is_told_from_a_file(name):
    ask = getattr(analyser, name)
    with pytest.raises(InputError, match="did you mean 'rifle-platoon'"):
        ask("crown/rifle-platon@basic")
    with pytest.raises(InputError, match="crown/rifle-platoon@basic is only one unit, not a question"):
        ask(RIFLES)
    with pytest.raises(InputError, match=r"no-such-file\.toml: cannot read this file"):
        ask("no-such-file.toml")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"aming": True}, "unknown key; did you mean 'aiming'"),
        ({"aiming": "yes"}, "attack: aiming: 'yes' is not usable"),
        ({"method": "monte carlo"}, "did you mean 'monte-carlo'"),
        ({"profiles": "nowhere"}, "no such folder of profiles"),
        ({"progress": "yes"}, "progress: 'yes' is not usable"),
    ],
)
def test_a_wrong_argument_is_told(wrong, told):
    with pytest.raises(InputError, match=told):
        analyser.attack(RIFLES, GRENADIERS, **wrong)


def test_a_wrong_kind_of_question_is_told():
    with pytest.raises(InputError, match="kind: 'legoin' is not usable; did you mean 'legion'"):
        analyser.exact(LEGION, kind="legoin")
    with pytest.raises(InputError, match="kind: 'charg' is not usable; did you mean 'charge'"):
        analyser.exact(RIFLES, GRENADIERS, kind="charg")
    for question in ((RIFLES, GRENADIERS), (LEGION,)):
        with pytest.raises(InputError, match=r"kind: must be text, got \['attack'\]"):
            analyser.simulate(*question, kind=["attack"])


@pytest.mark.parametrize("question", [(RIFLES, GRENADIERS), (QUESTIONS["attack"][1],), (LEGION,)])
def test_the_two_verbs_refuse_what_says_how_to_sample_beside_what_they_take(question):
    told = "unknown key .allowed: leave it out; only simulate takes trials, seed, precision, threads, replacement"
    for name, value in (("method", "exact"), ("trials", 10), ("seed", 3), ("progress", True), ("replacement", False)):
        with pytest.raises(InputError, match=f"^{name}: {told}"):
            analyser.exact(*question, **{name: value})
    with pytest.raises(InputError, match=f"^method: {told}"):
        analyser.simulate(*question, method="exact")


@pytest.mark.parametrize("kind", QUESTIONS)
def test_progress_is_told_to_whom_it_is_given(kind, capsys):
    told = []
    ask, (units, _) = getattr(analyser, kind), QUESTIONS[kind]
    ask(*units, method="monte-carlo", **FEW, progress=lambda done, aim: told.append((done, aim)))
    assert told[-1] == (500, 500)
    ask(*units, method="monte-carlo", **FEW, progress=True)
    assert "trials/s" in capsys.readouterr().err


def test_conditions_of_focus_fire_are_those_of_every_attack_but_its_own_go_before_them():
    listed = [{"attacker": RIFLES, "distance": 12}, {"attacker": RIFLES, "distance": 6, "bonuses": ["aiming"]}]
    near = {"attacker": RIFLES, "distance": 6, "bonuses": ["aiming"]}
    asked = analyser.focus([RIFLES, near], GRENADIERS, distance=12)
    assert asked.as_dict() == analyser.focus(listed, GRENADIERS).as_dict()
    best = analyser.best_focus([RIFLES, near], GRENADIERS, distance=12)
    assert best.as_dict() == analyser.best_focus(listed, GRENADIERS).as_dict()
    with pytest.raises(InputError, match="distence: unknown key; did you mean 'distance'"):
        analyser.focus([RIFLES], GRENADIERS, distence=6)


def test_the_list_of_names_is_the_public_one():
    assert set(dir(analyser)) == {*analyser.__all__, "__version__"}
    assert [name for name in analyser.__all__ if not hasattr(analyser, name)] == []


SCRIPT = """
import analyser
from typing_extensions import reveal_type

result = analyser.exact({"courage": 1})
reveal_type(result)
reveal_type(analyser.charge("a", "b"))
reveal_type(result.probability("broken"))
reveal_type(analyser.attack("a", "b").mean("hits"))
reveal_type(result.probability("broken") > 0.5)
reveal_type(analyser.attack("a", "b").plot())
reveal_type(analyser.charge("a", "b").plot())
reveal_type(analyser.focus(["a"], "b").plot())
reveal_type(analyser.duel("a", "b").plot())
reveal_type(analyser.compare(["a"], analyser.load_profiles()["a"], aiming=True))
reveal_type(analyser.compare(["a"], ["b", {"unit": "c"}], weights=[2, 1]))
reveal_type(analyser.compare(["a"], "b").best)
reveal_type(analyser.attack("a", "b")["hits"])
analyser.compare(["a"], "b", seed="x")
analyser.compare(["a"], "b", nonsense=1)
analyser.attack("a", "b", aiming=True, nonsense=1)
analyser.charge("a", "b", overrun=False, nonsense=1)
analyser.duel("a", "b", first="c")
"""
TYPES = ["Result", "ChargeResult", "Estimate", "float", "bool", *["Axes"] * 4]
TYPES += ["Comparison", "Comparisons", "str", "Distribution"]
REFUSALS = {"No overload": 2, "Unexpected keyword": 3, "Argument .first. to": 1}


@pytest.mark.slow
def test_a_type_checker_sees_the_types(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", str(script)]  # it finds the cache of `make lint`
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert [seen.rpartition(".")[2] for seen in re.findall(r'Revealed type is "(.*)"', said)] == TYPES, said
    assert {refusal: len(re.findall(refusal, said)) for refusal in REFUSALS} == REFUSALS, said


def test_the_two_verbs_take_two_units_as_the_questions_do():
    exactly, folder = analyser.attack(RIFLES, GRENADIERS, distance=6), str(analyser.load_profiles().folder)
    assert str(analyser.exact(RIFLES, GRENADIERS, distance=6)) == str(exactly)
    assert analyser.compare([RIFLES], GRENADIERS, profiles=folder).best == RIFLES
    sampled = analyser.simulate(RIFLES, GRENADIERS, kind="charge", replacement=True, **FEW)
    asked = analyser.charge(RIFLES, GRENADIERS, method="monte-carlo", replacement=True, **FEW)
    assert str(sampled) == str(asked)
    with pytest.raises(analyser.InputError, match="'legion' has no target"):
        analyser.exact(RIFLES, GRENADIERS, kind="legion")


@pytest.mark.parametrize(
    ("until", "told"),
    [
        (0.8, "until: 0.8 is not usable"),
        ((0.8,), 'such as (0.8, "broken")'),
        ((float("nan"), "broken"), "until: nan is not usable"),
        ((0.8, "brokn"), "did you mean 'broken'"),
        ((0.8, ["broken"]), "unknown fate ['broken']"),
    ],
)
def test_what_is_wrong_with_until_is_told_before_anything_is_solved(until, told, monkeypatch):
    monkeypatch.setattr("analyser.api.solve_focus", None)
    with pytest.raises(InputError) as error:
        analyser.focus([RIFLES], GRENADIERS, until=until)
    assert told in str(error.value)


def test_evaluate_gives_the_rows_of_questions_of_any_kind(tmp_path):
    path = tmp_path / "volley.toml"
    path.write_text(f'[attack]\nattacker = "{RIFLES}"\n[target]\nunit = "{GRENADIERS}"\n', encoding="utf-8")
    frame = analyser.evaluate([path, QUESTIONS["duel"][1], LEGION])
    assert frame["question"].unique().tolist() == [str(path), 1, 2]
    assert frame["kind"].unique().tolist() == ["attack", "duel", "legion"]
    assert frame["method"].unique().tolist() == ["exact"]
    assert frame["p_broken"][0] == float(analyser.exact(path).probability("broken"))
    assert frame["p_a_wins"][1] == float(analyser.duel(RIFLES, GRENADIERS).probability("a_wins"))
    assert frame["p_panicked"][2] == float(analyser.exact(LEGION).probability("panicked", moment=1))
    for single in (path, str(path), QUESTIONS["duel"][1], None):
        with pytest.raises(analyser.InputError, match="questions: no list"):
            analyser.evaluate(single)
    sampled = analyser.evaluate([path], method="monte-carlo", **FEW)
    assert sampled["p_broken_low"][0] <= frame["p_broken"][0] <= sampled["p_broken_high"][0]


def test_evaluate_says_which_question_is_wrong(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[attack]\ndice = -1\n[target]\nmodels = 2\ndefence = 1\n", encoding="utf-8")
    for question, place in ((path, "wrong.toml"), ({"attack": {"dic": 3}}, "question 1")):
        with pytest.raises(InputError, match=place):
            analyser.evaluate([QUESTIONS["attack"][1], question])
