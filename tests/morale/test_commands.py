"""The commands about morale answer from options, files, and both."""

import json

import pytest
from click.testing import CliRunner

from analyser.cli import cli

RIFLES, GRENADIERS = "crown/rifle-p@basic", "imperium/scion-grenadier-p@basic"


def run(*arguments):
    found = CliRunner().invoke(cli, ["morale", *map(str, arguments)])
    assert found.exit_code == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("grande-tactique --flight-arm cavalry --flight-enemy cavalry --flight-edge-distance 18", ["58.33%"]),
        (
            "grande-tactique --game-turns 1 --game-units|"
            "[{arm = 'cavalry', edge_distance = 18, charged_by_cavalry = 1}]",
            ["58.33%"],
        ),
        (
            "mordheim --warband-leader 8 --turns 3 --warband-casualties|{0 = 0.5, 1 = 0.5}|--warband-others|"
            "[{leadership = 7, number = 5}]",
            ["P(fighting)"],
        ),
        (
            "warmaster --dice 2 --obstacles|[{distance = 4, kind = 'friend', chain = 2}]",
            ["chain = 2", "fewest confused"],
        ),
        ("compare --models 10 --losses|{ 0 = 0.5, 2 = 0.5 }", ["P(routed)", "BREAK LIMIT"]),
        # a table of words has no measure: it is written all the same
        ("compare --models 4 --losses 1 --format csv", ["5+ on a die of 12"]),
    ],
)
def test_an_answer_is_printed(command, words):
    options, *values = command.split("|")
    text = run(*options.split(), *values)
    assert [word for word in words if word not in text] == []


def test_tables_of_words_are_in_the_json():
    tables = json.loads(run("compare", "--models", 4, "--losses", 1, "--format", "json"))["tables"]
    assert tables["correspondence"][3]["discipline"] == 3


def test_options_go_before_the_file(tmp_path):
    path = tmp_path / "unit.toml"
    path.write_text("courage = 1\ntokens = 5\nrounds = 1\n", encoding="utf-8")
    header, *lines = run("legion", path, "--tokens", 2, "--format", "csv").splitlines()
    assert header == "table,method,commander,round,measure,value,when,tokens,profiles"
    (line,) = [line for line in lines if ",p_panicked," in line]
    assert line.startswith("rounds,exact,without,1,p_panicked,0.444444444444")


def test_units_and_a_file_of_a_duel(tmp_path):
    path = tmp_path / "duel.toml"
    path.write_text(f'[duel]\nrounds = 2\n[a]\nunit = "{RIFLES}"\n[b]\nunit = "{GRENADIERS}"\n', encoding="utf-8")
    by_file = run("compare", path)
    assert by_file == run("compare", "--a", RIFLES, "--b", GRENADIERS, "--duel", "{rounds = 2}")
    assert "crown/rifle-platoon@basic, 6 models" in by_file


@pytest.mark.parametrize(
    ("kind", "options"), [("png", "compare --models 10 --losses 1"), ("svg", "legion --courage 1")]
)
def test_a_picture_is_written(tmp_path, kind, options):
    path = tmp_path / f"morale.{kind}"
    run(*options.split(), "--plot", path)
    assert path.stat().st_size > 1000
