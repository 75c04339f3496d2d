"""No message of a bad input is long, however long the input is, and each has the nearest right name."""

import click
import pytest

from tests.helpers.shell import GRENADIERS, RIFLES, commands, run

LONGEST = 300  # characters of a line of standard error
LENGTHS = (10, 5000)
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
