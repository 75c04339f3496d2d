"""The command line: what it prints, where, and how it ends."""

import csv
import io
import json
import os
import shlex
import subprocess
import sys

import click
import pytest

import analyser
from analyser import cli
from analyser.cli.command_base import HIDDEN
from analyser.cli.fights import ATTACK_OPTIONS
from analyser.common.estimates import Estimate
from analyser.scenarios.schema import Attack, Target
from tests.helpers.shell import RIFLES, answer, commands, refusal, run
from tests.helpers.skips import posix, proof

FIGHT = "[attack]\ndice = 12\n[target]\nmodels = 6\ndefence = 2\ndamage_limit = 1\ndiscipline = 7\nbreak_limit = 2\n"
SHARP_RIFLES, GRENADIERS = "crown/sharp-rifles@basic", "imperium/scion-grenadier-platoon@basic"
FEW = ["--trials", "50000", "--threads", "1"]
EVERY = commands()


@pytest.fixture
def fight(file):
    return file(FIGHT)


def test_attack_prints_the_odds_and_what_they_rest_on(river_folder):
    text = answer("attack", "otter@reinf", "OTTER@basic", "--distance", 6, "--aiming", "--profiles", river_folder)
    for line in (
        "Attack  river/otter-guard@reinforced -> river/otter-guard@basic",
        'Row     ranged-light at 6", short range',
        "Pool    10 dice, improved rating (bonuses: aiming, short range)",
        "Target  4 models, effective DEFENCE 2, DAMAGE LIMIT 1",
        "Test    suppression, by card, DISCIPLINE 7 before losses and disorder; BREAK LIMIT 2",
        "Method  exact",
        "value | probability | at least",
        "Rules applied: Point Blank, Veteran (1)",
        "Not modelled: Pioneers",
    ):
        assert line in text.splitlines(), line


def test_the_heading_states_the_distance_and_whether_it_is_short():
    attacks = ("attack", RIFLES, RIFLES, GRENADIERS)
    assert 'Attacks     1: ranged-light at 8", long range: 5 dice, neutral,' in answer(*attacks, "--distance", 8)
    for command in (attacks, ("attack", *attacks[2:]), ("explain", "luck", *attacks[2:], "--destroyed", 1)):
        assert "ranged-light, distance not stated (within long range)" in answer(*command)
    charge = ("charge", RIFLES, GRENADIERS)
    assert 'Distance  6"; the charge reaches 8"\n' in answer(*charge, "--distance", 6)
    assert 'Distance  not stated (within reach); the charge reaches 8"\n' in answer(*charge)


def test_every_probability_of_the_table_is_the_exact_one(river_folder):
    given = {"attack": {"attacker": "otter@r"}, "target": {"unit": "otter@b"}}
    result = analyser.exact(given, profiles=analyser.load_profiles(river_folder))
    text = answer("attack", "otter@r", "otter@b", "--profiles", river_folder)
    for row in result.distribution("models_destroyed"):
        assert f"{row['value']} | {Estimate(row['probability'])!s:>11} | {Estimate(row['at_least'])!s:>8}" in text
    for name in ("suppressed", "broken", "annihilated"):
        assert line_of(text, f"P({name})").split()[-1] == str(result.probability(name))
    points = result.summary["expected_victory_points"]
    assert f"{points:.3f}" in line_of(text, "Expected victory points")


def line_of(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


def test_the_options_of_attack_are_the_keys_of_a_scenario(river_folder):
    options = {"attacker_models": 5, "distance": 7, "bonuses": ["aiming", "ammo_supply"], "penalties": ["reforming"]}
    options["extra_reroll"] = {"faces": ["miss", "blank"], "dice": 2}
    state = {"models": 3, "exposed": 2, "officer": "first", "formation": "open", "edge_distance": 9, "obstacle": True}
    given = {"attack": {"attacker": "otter@r", **options}, "target": {"unit": "otter@b", **state}}
    wanted = analyser.exact(given, profiles=analyser.load_profiles(river_folder)).as_dict()
    words = (
        "--attacker-models 5 --distance 7 --aiming --ammo-supply --reforming --extra-reroll miss,blank:2 --models 3 "
        "--exposed 2 --officer first --formation open --edge-distance 9 --obstacle --format json --profiles"
    )
    text = answer("attack", "otter@r", "otter@b", *words.split(), river_folder)
    assert json.loads(text) == wanted


def test_what_stands_after_a_colon_is_a_condition_as_well(river_folder):
    guard, library = "river/otter-guard@basic", ("--profiles", river_folder)
    options = answer("attack", guard, guard, "--aiming", "--models", "2", "--suppressed", *library)
    assert answer("attack", f"{guard}:aiming", f"{guard}:models=2,suppressed", *library) == options
    assert answer("attack", guard, guard, *library) != options


def test_every_condition_of_an_attack_has_an_option():
    target = "unit type category defence damage_limit discipline break_limit victory_points behemoth aircraft rules"
    profile_only = {
        "attack": {"kind", "attacker", "dice_in_parentheses", "qualities", "concealed", "attacker_damage_limit"},
        "target": {*target.split()},
    }
    for section, record in (("attack", Attack), ("target", Target)):
        offered = {option.path[1] for option in ATTACK_OPTIONS if option.path[0] == section}
        assert offered == record.model_fields.keys() - profile_only[section]


def test_zero_is_a_value_and_not_left_out(river_folder):
    text = answer("attack", "otter@b", "otter@b", "--veteran", 0, "--format", "json", "--profiles", river_folder)
    assert json.loads(text)["scenario"]["attack"]["veteran"] == 0


def test_run_prints_csv_with_every_digit(fight):
    rows = list(csv.DictReader(io.StringIO(answer("run", fight, "--format", "csv"))))
    table = analyser.exact(fight).table()
    assert list(rows[0]) == [*table, "profiles"]
    assert [float(row["probability"]) for row in rows] == table["probability"].tolist()
    assert [row["broken"] for row in rows] == [str(flag) for flag in table["broken"].tolist()]


def test_both_methods_stand_side_by_side(fight):
    both = [fight, "--method", "both", *FEW]
    assert json.loads(answer("run", *both, "--format", "json")).keys() == {"schema", "method", "exact", "monte_carlo"}
    rows = list(csv.DictReader(io.StringIO(answer("run", *both, "--format", "csv"))))
    assert {row["method"] for row in rows} == {"exact", "monte-carlo"}
    assert {row["count"] for row in rows if row["method"] == "exact"} == {""}
    text = answer("run", *both)
    assert "value | probability exact | at least exact | probability Monte Carlo | at least Monte Carlo" in text
    assert ["exact", "Monte", "Carlo"] in [line.split() for line in text.splitlines()]
    exact = json.loads(answer("run", fight, "--format", "json"))["summary"]["p_broken"]
    assert f" {Estimate(exact)} " in line_of(text, "P(broken)")
    assert "±" in line_of(text, "P(broken)")


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (["attack", SHARP_RIFLES, GRENADIERS], ["--trials", 5]),
        (["compare", SHARP_RIFLES, "--target", GRENADIERS], ["--trials", 5, "--seed", 2]),
        (["compare", SHARP_RIFLES, "--target", GRENADIERS, "--over", "dice=4"], ["--precision", 0.1]),
        (["explain", "luck", SHARP_RIFLES, GRENADIERS, "--destroyed", 1], ["--trials", 5]),
    ],
)
def test_sampling_numbers_have_no_effect_on_an_exact_answer_and_that_is_said(words, idle):
    names, result = ", ".join(each for each in idle if str(each).startswith("--")), run(*words, *idle)
    assert result.stderr == f"note: {names}: no effect on an exact answer; see --method\n"
    assert answer(*words, *idle, "--quiet") == result.stdout == answer(*words)


@pytest.mark.parametrize(("name", "begins"), [("odds.json", "{"), ("odds.csv", "models_left,"), ("odds.txt", "Attack")])
def test_out_is_written_as_its_ending_says_unless_a_format_is_given(fight, tmp_path, name, begins):
    out = tmp_path / "new" / name
    assert answer("run", fight, "--out", out) == ""
    assert [path.name for path in out.parent.iterdir()] == [name]
    assert out.read_text(encoding="utf-8").startswith(begins)
    assert answer("run", fight, "--format", "json", "--out", out) == ""
    assert out.read_text(encoding="utf-8").startswith("{")


def test_the_help_lists_sixteen_commands_and_the_others_on_request():
    shown, everything = answer("--help"), answer("--help-all")
    names = {name for heading, names in cli.COMMANDS.items() if heading != HIDDEN for name in names}
    assert len(names) == 16
    for name in (*names, *cli.COMMANDS[HIDDEN]):
        assert (f"\n  {name} " in shown) is (name in names)
        assert f"\n  {name} " in everything


@pytest.mark.parametrize(("words", "command"), EVERY.items(), ids=map(" ".join, EVERY))
def test_a_help_is_short_and_its_examples_can_be_typed(words, command):
    written = answer(*words, "--help")
    options = {line.split()[0] for line in written.splitlines() if line.startswith("  -")}
    assert len(options) <= 14  # twelve, and two for help
    lines = [each.strip() for each in written.partition("Examples:")[2].splitlines() if each.strip()]
    assert len(lines) == 2
    for line in lines:
        program, *typed = shlex.split(line)
        assert program == "analyser"
        typed = typed[1:] if typed[: len(words)] != [*words] else typed[len(words) :]
        command.make_context(words[-1], typed)  # each of its options and arguments is taken
    everything = answer(*words, "--help-all")
    assert [each for each in command.params if isinstance(each, click.Option) and each.opts[0] not in everything] == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--out", "."], "not a file"),
        (["--out", os.devnull], "not a file"),
        (["--out", "fight.toml/x"], "cannot write here"),
        (["--method", "monte-carlo", "--precision", 1e-6], "precision: 1e-06 is out of range"),
        (["--method", "monte-carlo", "--precision", "nan"], "precision: nan is out of range"),
        (["--profiles", "nowhere"], "nowhere: no such folder"),
    ],
)
def test_numbers_and_places_that_cannot_be_used(fight, tmp_path, monkeypatch, more, told):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert told in refusal("run", fight, *more)
    assert sorted(tmp_path.rglob("*")) == before
    assert not os.path.isfile(os.devnull)  # noqa: PTH113


def test_main_hands_back_the_exit_status(fight, capsys):
    assert cli.main(["run", fight]) == 0
    assert cli.main(["run", "nowhere.toml"]) == 2
    assert "error: nowhere.toml" in capsys.readouterr().err
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"analyser {analyser.__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "sign"), [("koi8-r", "?"), *proof(("ascii", "±"))])
def test_a_terminal_that_does_not_know_every_sign(encoding, sign):
    """Click writes UTF-8 to a terminal that claims to know ASCII only."""
    words = ["morale", "legion", "--courage", "1", "--tokens", "2", "--method", "monte-carlo", "--trials", "100"]
    command, where = [sys.executable, "-m", "analyser", *words], os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=where, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"% {sign}".encode() in done.stdout


@pytest.mark.slow
@posix
@pytest.mark.parametrize("arguments", [["run", "{fight}", "--format", "json"], *proof(["--help"])])
def test_a_reader_that_has_gone_is_no_error(fight, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "analyser", *(each.format(fight=fight) for each in arguments)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


HEAVY = ("numba", "pandas", "matplotlib", "scipy", "pyarrow")
LOADED = """
import sys
def check(asked, names):
    loaded = [name for name in names if name in sys.modules]
    assert not loaded, (asked, loaded)
import analyser
check("import analyser", HEAVY)
from analyser.cli import cli, main
from click.shell_completion import BashComplete
for words, names in ASKED[:-2]:
    main(words)
    check(words, names)
for *words, last in [each.split(" ") for each in KEYS]:
    assert BashComplete(cli, {}, "analyser", "").get_completions(words, last)
    check(words, HEAVY[:4])
for words, names in ASKED[-2:]:
    main(words)
    check(words, names)
"""


def test_what_is_heavy_is_loaded_only_where_it_is_needed(fight):
    """By a help next to nothing, by that of `attack` what has the keys of a scenario, by an exact table no tables."""
    asked = [
        *((words, (*HEAVY, "numpy", "pydantic")) for words in (["--version"], ["--help"], ["morale", "--help"])),
        (["attack", "--help"], HEAVY[:4]),
        (["run", fight], ("pandas", "matplotlib", "scipy.stats")),
    ]
    keys = ["attack crown/", "units cr", "duel a b --policy-a "]
    program = f"HEAVY, ASKED, KEYS = {HEAVY}, {asked}, {keys}\n{LOADED}"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).stderr == b""
