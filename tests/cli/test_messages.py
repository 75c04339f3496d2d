"""No message of a bad input is long, however long the input is, and each has the nearest right name."""

import copy
import tomllib

import click
import pytest

import analyser
from analyser.ask.variants import read_variants
from analyser.cli import COMMANDS
from analyser.common.errors import InputError, nearest
from analyser.game.profiles import load_profiles
from analyser.scenarios.load import load
from analyser.sweep.plan import read_plan
from tests.fuzz.doors import INPUTS, MORALE
from tests.helpers.shell import GRENADIERS, RIFLES, commands, run
from tests.oracle.small_profiles import FACTION, write_profiles

LONGEST = 300  # characters of a line of standard error
LENGTHS = (10, 300, 5000)
QUICK = {  # a question that goes on to what the options say; others get units that there are not
    "attack": (RIFLES, GRENADIERS),
    "charge": (RIFLES, GRENADIERS),
    "best focus": (RIFLES, GRENADIERS),
    "duel": (RIFLES, GRENADIERS, "--rounds", 1),
    "explain trial": (RIFLES, GRENADIERS),
    "explain luck": (RIFLES, GRENADIERS, "--destroyed", 1),
    "compare loadouts": (RIFLES, "--target", GRENADIERS),
    "units card": (RIFLES,),
    "units list": (),
    "report site": ("not-ours",),
}


EVERY = commands()


def misspelt(name):
    """The name with one of its letters left out."""
    return f"{name[:-2]}{name[-1]}"


def line(*arguments):
    """What a command says of an input that it refuses, in a line; nothing where it takes it."""
    result = run(*arguments)
    if result.exit_code != 2:
        return None
    said = result.stderr.splitlines()[-1]
    assert len(said) <= LONGEST, (len(said), said)
    return said


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "not-ours").mkdir()
    (tmp_path / "not-ours/index.html").write_text("another page", encoding="utf-8")


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_no_option_makes_a_long_message(words):
    places = [each for each in EVERY[words].params if isinstance(each, click.Argument)]
    asked = QUICK.get(" ".join(words), ("nobody/nothing",) * len(places))
    for option in EVERY[words].params:
        if option in places or option.is_flag or option.name == "dask":  # which looks for a scheduler
            continue
        for length in LENGTHS:
            line(*words, *asked, option.opts[0], *["z" * length] * option.nargs)
        if isinstance(option.type, click.Choice) and option.nargs == 1:
            for choice in option.type.choices:
                said = line(*words, *asked, option.opts[0], misspelt(choice)) or ""
                assert "is not one of" not in said or choice in said


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
@pytest.mark.parametrize("length", LENGTHS)
def test_no_argument_makes_a_long_message(words, length):
    parameters = EVERY[words].params
    places = [each for each in parameters if isinstance(each, click.Argument)]
    needed = [each.opts[0] for each in parameters if each.required and isinstance(each, click.Option)]
    for letter in "z@,:=é" if places else "":
        line(*words, *(letter * length for _ in places), *(part for each in needed for part in (each, GRENADIERS)))
    assert line(*words, f"--{'z' * length}") is not None
    assert line("z" * length) is not None


def test_a_misspelt_command_is_told_the_right_one():
    for section in COMMANDS.values():
        for name in section:
            assert f"'{name}'" in line(misspelt(name))


def read_faction(raw, folder):
    """The units of a profile file that says so."""
    lines = [f"{key} = {_toml(value)}" for key, value in raw.items()]
    return list(load_profiles(write_profiles(folder, "\n".join(lines))))


def _toml(value):
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def army(raw, _):
    return analyser.load_army(raw)


KINDS = {
    **{name: (lambda raw, _: load(raw), INPUTS[name][-1]) for name in ("attack", "charge", "focus", "duel", "battle")},
    "army": (army, INPUTS["battle"][1]["mine"]),
    "variants": (lambda raw, _: read_variants(raw, "", load_profiles()), INPUTS["variants"][0]),
    "profiles": (read_faction, tomllib.loads(FACTION)),
    **{f"sweep {place}": (lambda raw, _: read_plan(raw), each) for place, each in enumerate(INPUTS["sweep"])},
    **{
        f"morale {name} {place}": (lambda raw, _, name=name: analyser.morale.load_question(name, raw), each)
        for name, questions in MORALE.items()
        for place, each in enumerate(questions)
    },
}


def tables_in(raw, path=()):
    """The way to every table of a file."""
    if isinstance(raw, dict) and raw and all(isinstance(key, str) for key in raw):  # no distribution of numbers
        yield path
    for key, part in raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ():
        yield from tables_in(part, (*path, key))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [0, *LENGTHS])
def test_no_unknown_key_of_a_file_makes_a_long_message(kind, length, tmp_path):
    read, raw = KINDS[kind]
    refused = 0
    for path in tables_in(raw):
        changed = copy.deepcopy(raw)
        table = changed
        for step in path:
            table = table[step]
        right = max((key for key in table if key.isidentifier()), key=len, default="models")
        wrong = "z" * length if length else misspelt(right)
        table[wrong] = table.pop(right, 1)
        try:
            read(changed, tmp_path / "profiles")
        except InputError as error:
            said, refused = str(error), refused + 1
            assert len(f"error: {said}") <= LONGEST, said
            if not length and "unknown key" in said and nearest(wrong, [right]):
                assert right in said or "did you mean" in said  # or a nearer one
    assert refused
