"""How far a question travels through the package, and what is done once on its way."""

import sys
from collections import Counter
from pathlib import Path

import pytest

import analyser
from analyser.common.jit import interpreted
from analyser.game import profiles
from analyser.scenarios import attack

PACKAGE = f"{Path(analyser.__file__).parent}/"
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def text_of_a_sample():
    return str(analyser.attack(RIFLES, GRENADIERS, method="monte-carlo", trials=1000, threads=1))


def moves_of(work):
    """Calls of `work` from one module of the package to another, by both."""
    moves, stack = Counter(), []

    def follow(frame, event, _):
        module = frame.f_code.co_filename
        if not module.startswith(PACKAGE):
            return
        if event == "call":
            if stack and stack[-1] != module:
                moves[stack[-1], module] += 1
            stack.append(module)
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(follow)
    try:
        work()
    finally:
        sys.setprofile(None)
    return moves


def test_a_sample_of_two_selectors_comes_to_its_text_in_few_moves():
    with interpreted(False):
        text_of_a_sample()  # reads the library, compiles the kernels
        moves = moves_of(text_of_a_sample)
    assert sum(moves.values()) <= 330, moves.most_common(
        10
    )  # some of them for the intervals of means, and for the base of all answers


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_an_attack_is_encoded_once_and_no_profile_is_read_again(monkeypatch, method):
    text_of_a_sample()
    encoded, read = [], []
    fight_record, read_toml = attack.fight_record, profiles.read_toml
    monkeypatch.setattr(attack, "fight_record", lambda *facts: encoded.append(facts) or fight_record(*facts))
    monkeypatch.setattr(profiles, "read_toml", lambda path: read.append(path) or read_toml(path))
    result = analyser.attack(RIFLES, GRENADIERS, method=method, **({} if method == "exact" else {"trials": 1000}))
    assert str(result)
    assert (len(encoded), read) == (1, [])
