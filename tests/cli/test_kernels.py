"""Compiling beforehand: what `warm_up` takes, and how it tells how far it is."""

import pytest

from analyser import InputError, warm_up
from analyser.cli import kernels


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """The names that would be compiled."""
    names = []
    monkeypatch.setattr(kernels, "_compile", lambda name, _: names.append(name))
    monkeypatch.setattr(kernels, "folder_for", lambda _: tmp_path)
    return names


def test_a_name_several_or_none_are_taken(compiled):
    assert warm_up("attacks") == ("attacks",) == tuple(compiled)
    assert warm_up(name for name in ("attacks", "matchups")) == ("attacks", "matchups")
    assert warm_up() == tuple(kernels.KERNELS)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"names": 5}, "warm-up: 5 is not usable (allowed: exact-fights, "),
        ({"names": [5]}, "warm-up: must be text, got 5 (allowed: exact-fights, "),
        ({"names": "attack"}, "warm-up: 'attack' is not usable; did you mean 'attacks'"),
        ({"processes": 0}, "processes: 0 is out of range"),
        ({"progress": 5}, "progress: 5 is not usable"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_compiled(wrong, told, compiled):
    with pytest.raises(InputError) as error:
        warm_up(**wrong)
    assert told in str(error.value)
    assert compiled == []


def test_no_folder_to_keep_them_in_is_told(compiled, monkeypatch):
    monkeypatch.setattr(kernels, "folder_for", lambda _: None)
    with pytest.raises(InputError, match="warm-up: there is no folder for compiled kernels"):
        warm_up()


def test_progress_is_told_or_shown_as_a_bar(compiled, capsys):
    told = []
    warm_up(["attacks", "matchups"], progress=lambda done, aim: told.append((done, aim)))
    assert told == [(1, 2), (2, 2)]
    warm_up("attacks", progress=True)
    assert "/1" in capsys.readouterr().err
