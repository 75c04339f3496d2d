"""Every example of every page is run: files, commands with the output that is quoted, Python with what it prints."""

import ast
import io
import json
import re
import shlex
import shutil
import tomllib
from contextlib import redirect_stdout

import pytest

import analyser
from analyser.common.metrics import MATCHUP_METRICS, forget
from tests.helpers.pages import PAGES, ROOT, assert_part_of, blocks
from tests.helpers.shell import commands, run

EVERY = commands()
GROUPS = {words[:-1] for words in EVERY}
REPORTS = {"diff", "report", "site"}
SLOW = {"balance", "battle", "best", "build", "plan", "prices", "variants", "sweep", *REPORTS}
SLOW_PAGES = {"armies", "own-unit", "prices", "sweeps"}
FAR = {"--situations": "long-range"}
FEWER = {  # options with which an example that takes long is run
    **dict.fromkeys(("prices", "what-if", "solve-price", "solve-dice", "fix"), FAR),
    "battle": {"--trials": "50"},
    "build": {"--next-best": "1", "--trials": "10", **FAR},
    "plan": {"--battles": "0", **FAR},
    "site": {"--profiles": "few"},
}
MAY_END_WITH_1 = {"check", "--fail-over", "--fail-on-verdict"}
FILES = [each for path in PAGES for each in blocks(path, "toml")]
COMMANDS = [each for path in PAGES for each in blocks(path, "sh") if "\nanalyser " in f"\n{each.text}"]
IN_PYTHON = [path for path in PAGES if blocks(path, "python")]


def command_of(words):
    """The command that some words call, and the words behind its name; the usual one of a group where none is named."""
    named = next(words[:length] for length in (2, 1) if (*words[:length],) in {*EVERY, *GROUPS})
    usual = (each for each in EVERY if each[:-1] == (*named,))
    return next(usual) if (*named,) in GROUPS else (*named,), words[len(named) :]


def typed(block):
    return [shlex.split(line, comments=True)[1:] for line in block.text.splitlines() if line.startswith("analyser ")]


def marked(items, is_slow, name):
    return [pytest.param(each, id=name(each), marks=[pytest.mark.slow] if is_slow(each) else []) for each in items]


def speed(block):
    """How long the commands of a block take, as marks: most are quick, whole reports are for `make proof`."""
    commands = {word for words in typed(block) for word in words[:2]}
    return [mark for mark, names in ((pytest.mark.slow, SLOW), (pytest.mark.proof, REPORTS)) if commands & names]


def fewer(words):
    """The options that make a command quick that would take long."""
    named = next((word for word in words[1::-1] if word in FEWER), None)
    return [part for pair in FEWER.get(named, {}).items() if pair[0] not in words for part in pair]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that has what a clone has, profiles with one price changed, and profiles of two factions alone."""
    for name in ("notebooks", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    changed = shutil.copytree(ROOT / "profiles", tmp_path / "my-profiles") / "crown.toml"
    shutil.copytree(ROOT / "profiles", tmp_path / "few", ignore=shutil.ignore_patterns("com*", "cro*", "enl*"))
    before, rest = changed.read_text(encoding="utf-8").split('id = "rifle-platoon"')
    rest = rest.replace("points = 60", "points = 75", 1)
    changed.write_text(f'{before}id = "rifle-platoon"{rest}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name, what in MATCHUP_METRICS.items() if what.function is not None]:
        forget(name)


def write_files(page, folder):
    for block in blocks(page, "toml"):
        (folder / block.name).write_text(block.text, encoding="utf-8")
        if "id" in tomllib.loads(block.text):  # a faction
            shutil.copy(block.name, folder / "my-profiles")


def command_for(block, folder):
    keys = tomllib.loads(block.text)
    if "id" in keys:
        return ["units", keys["id"], "--profiles", "my-profiles"]
    for key, command in (("fight", "explain luck"), ("baseline", "compare variants"), ("faction", "army")):
        if key in keys:
            return [*command.split(), block.name]
    if "attackers" in keys:
        return ["sweep", block.name, "--out", "store", "--workers", "1"]
    return ["run", block.name]


@pytest.mark.parametrize("block", marked(FILES, lambda block: block.name in ("battle.toml", "plan.toml"), str))
def test_every_file_is_answered(block, folder):
    write_files(block.page, folder)
    done = run(*command_for(block, folder))
    assert (done.exit_code, done.exception) == (0, None), done.stderr


@pytest.mark.parametrize("block", [pytest.param(each, id=str(each), marks=speed(each)) for each in COMMANDS])
def test_every_command_is_answered_with_the_output_that_is_quoted(block, folder):
    write_files(block.page, folder)
    said = ""
    for words in typed(block):
        done = run(*words, *fewer(words))
        allowed = (0, 1) if MAY_END_WITH_1 & {*words} else (0,)
        assert done.exit_code in allowed, (words, done.stderr)
        said += done.stdout
    after = next((each for each in blocks(block.page) if each.number == block.number + 1), None)
    if after is not None and after.language == "text" and not after.follows:
        missing = [line for line in after.text.splitlines() if line != "..." and line not in said.splitlines()]
        assert missing == []


@pytest.mark.parametrize("page", marked(IN_PYTHON, lambda page: page.stem in SLOW_PAGES, lambda page: page.stem))
def test_the_lines_of_python_print_what_they_say(page, folder):
    write_files(page, folder)
    names = {}
    for block in blocks(page, "python"):
        lines = block.text.splitlines()
        for statement in ast.parse(block.text).body:
            source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
            with redirect_stdout(io.StringIO()) as printed:
                exec(compile(source, page.name, "exec"), names)
            if source.startswith("print("):
                assert source.partition("  # ")[2] == printed.getvalue().strip()


@pytest.mark.parametrize("block", COMMANDS, ids=str)
def test_every_command_takes_its_options_and_arguments(block):
    for words in typed(block):
        name, rest = command_of(words)
        EVERY[name].make_context(name[-1], rest)


def test_a_command_that_a_sentence_names_is_there():
    named = {name for page in PAGES for name in re.findall("`analyser ([^`]+)`", page.read_text(encoding="utf-8"))}
    assert len(named) > 10
    assert [name for name in named if name[:2] != "--" and command_of(name.split())[0] not in EVERY] == []


def test_the_json_excerpt_is_the_programs():
    page = ROOT / "docs" / "scenario.md"
    (shown,) = blocks(page, "json")
    (asked,) = [each for each in blocks(page, "toml") if each.name == "inline.toml"]
    assert_part_of(json.loads(shown.text), analyser.exact(tomllib.loads(asked.text)).as_dict())


def test_the_commands_of_the_readme_fit_a_screen():
    (block,) = [each for each in COMMANDS if each.page.stem == "README"]
    assert len(block.text.splitlines()) <= 12
