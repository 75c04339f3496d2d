"""What is done once, however often a question asks for it."""

import pytest

import analyser
from analyser.game import profiles
from analyser.scenarios import attack

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


def text_of_a_sample():
    return str(analyser.attack(RIFLES, GRENADIERS, method="monte-carlo", trials=1000, threads=1))


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
