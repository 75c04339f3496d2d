"""Five systems side by side: each against a plain reading of its rules on one stream of losses, and rolled."""

from fractions import Fraction
from itertools import product

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.compare.tables import SYSTEMS
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows

FATES = ("p_steady", "p_shaken", "p_routed", "p_gone")
LOSSES = {0: Fraction(1, 4), 1: Fraction(1, 2), 3: Fraction(1, 4)}
ROUNDS = 3
QUESTION = {
    "models": 6,
    "nerve": 2 / 3,
    "losses": {number: float(chance) for number, chance in LOSSES.items()},
    "attacks": 2,
    "edge_distance": 6.0,
    "rounds": ROUNDS,
}


def fates(question, system):
    """P(steady), P(shaken), P(routed), P(gone), round by round."""
    found = rows(morale.exact("compare", question))
    return [[row[name] for name in FATES] for (_, named), row in found.items() if named == system]


def equivalents(question):
    columns = morale.exact("compare", question).columns["equivalents"]
    return {pair[:2]: pair[2] for pair in zip(*columns.values())}


# --- by hand --------------------------------------------------------------------------------------------------------


def test_armoured_clash_by_hand():
    """One model lost of 10, nerve 2/3: DISCIPLINE 8 of 12 cards, so suppressed with 1/3 (AC-4.5, AC-5.1)."""
    (found,) = fates({"models": 10, "losses": 1, "rounds": 1}, "armoured-clash")
    assert found == pytest.approx([2 / 3, 1 / 3, 0, 0], abs=1e-12)


def test_armoured_clash_breaks_by_hand():
    """3 of 4 lost: 1 left, BREAK LIMIT 1, half or more lost: -1, so it fails above 7, 5/12, and breaks (AC-5.4)."""
    (found,) = fates({"models": 4, "losses": 3, "rounds": 1}, "armoured-clash")
    assert found == pytest.approx([7 / 12, 0, 0, 5 / 12], abs=1e-12)


def test_legion_by_hand():
    """COURAGE 2, 4 tokens for 4 models: panicked if no die of four succeeds, (2/3)^4 = 16/81 (LG-2, LG-3)."""
    (found,) = fates({"models": 10, "losses": 4, "rounds": 1}, "legion")
    assert found[2] == pytest.approx(16 / 81, abs=1e-12)


def test_grande_tactique_by_hand():
    """Eager, shaken by the first fire; by the second it fails on 1 and 2: routed with 1/3 (GT-2)."""
    found = fates({"models": 10, "losses": 1, "rounds": 2}, "grande-tactique")
    assert found[0] == pytest.approx([0, 1, 0, 0], abs=1e-12)
    assert found[1] == pytest.approx([0, 2 / 3, 1 / 3, 0], abs=1e-12)


def test_warmaster_by_hand():
    """Two models, two drive-back dice: confused with 1 - (5/6)^2 = 11/36, and steady again after (WM-1, WM-9)."""
    found = fates({"models": 10, "losses": 2, "rounds": 2}, "warmaster")
    assert found == [pytest.approx([25 / 36, 11 / 36, 0, 0], abs=1e-12)] * 2


def test_mordheim_by_hand():
    """Leadership 8: 26/36 pass. 2 of 8 are 25%: shaken if passed, else gone; again in the next turn (MD-1)."""
    found = fates({"models": 8, "losses": [2, 0], "nerve": 26 / 36, "rounds": 2}, "mordheim")
    assert found[0] == pytest.approx([0, 26 / 36, 0, 10 / 36], abs=1e-12)
    assert found[1] == pytest.approx([0, (26 / 36) ** 2, 0, 1 - (26 / 36) ** 2], abs=1e-12)


def test_everybody_destroyed_is_gone_in_every_system():
    for system in SYSTEMS:
        assert fates({"models": 2, "losses": 2, "rounds": 1}, system)[0] == pytest.approx([0, 0, 0, 1], abs=1e-12)


# --- what stands for the nerve --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nerve", "discipline", "courage", "target", "leadership"),
    [(2 / 3, "8", "2", "5+ on a die of 12", "8"), (0.4, "5", "1", "8+ on a die of 12", "6"),
     (0.9, "11", "3", "2+ on a die of 12", "10")],
)  # fmt: skip
def test_equivalents_are_the_nearest_to_the_nerve(nerve, discipline, courage, target, leadership):
    """0.4: 5 of 12 cards are 0.417; 15/36 = 0.417 for 2d6 at most 6. 0.9: 11/12 = 0.917; 33/36 = 0.917 at most 10."""
    found = equivalents({"models": 6, "losses": 1, "nerve": nerve})
    assert found["armoured-clash", "DISCIPLINE"] == discipline
    assert found["legion", "COURAGE"] == courage
    assert found["grande-tactique", "morale check"] == target
    assert found["mordheim", "Leadership"] == leadership


def test_equivalents_can_be_stated():
    question = {"models": 6, "losses": 1, "armoured_clash": {"discipline": 3, "break_limit": "none"},
                "legion": {"courage": 4}, "mordheim": {"leadership": 12}}  # fmt: skip
    found = equivalents(question)
    assert found["armoured-clash", "DISCIPLINE"] == "3"
    assert found["armoured-clash", "BREAK LIMIT"] == "none"
    assert found["legion", "COURAGE"] == "4"
    assert found["mordheim", "Leadership"] == "12"


# --- plain readings: dictionaries of states, fractions --------------------------------------------------------------


def spread(law, rule):
    following = {}
    for state, chance in law.items():
        for after, share in rule(state):
            following[after] = following.get(after, 0) + chance * share
    return following


def plain(start, attack, tests, later, fate):
    """Rounds of two attacks each; what `fate` calls the states after the tests."""
    law = {start: Fraction(1)}
    for _ in range(ROUNDS):
        for _ in range(2):
            law = spread(law, lambda state: ((attack(state, lost), p) for lost, p in LOSSES.items()))
            law = spread(law, tests["after an attack"])
        law = spread(law, tests["when it acts"])
        yield [float(sum(chance for state, chance in law.items() if fate(state) == each)) for each in FATES]
        law = spread(law, later)


def stays(state):
    yield state, Fraction(1)


def clash_loses(state, lost):
    models, status, fallen, _ = state
    return (
        (models, status, fallen, 0)
        if status == "removed"
        else (max(models - lost, 0), status, fallen, min(lost, models))
    )


def clash_tests(state):
    models, status, fallen, lost = state
    if not lost or not models or status == "removed":
        yield (models, status, fallen, 0), Fraction(1)
        return
    discipline = 8 - (2 * lost >= models + lost)
    yield (models, status, fallen, 0), Fraction(discipline, 12)
    if models <= 2:
        after = models, "removed", fallen, 0
    elif status == "calm":
        after = models, "suppressed", fallen, 0
    else:  # 6 inches from the edge: the second time it falls back, it flees
        after = (models, "removed", fallen, 0) if fallen == 1 else (models, "fell back", 1, 0)
    yield after, 1 - Fraction(discipline, 12)


def clash_fate(state):
    if not state[0] or state[1] == "removed":
        return "p_gone"
    return {"calm": "p_steady", "suppressed": "p_shaken", "fell back": "p_routed"}[state[1]]


def clash_rests(state):
    models, status, fallen, lost = state
    yield (models, status if status == "removed" else "calm", fallen, lost), Fraction(1)


def legion_loses(state, lost):
    models, tokens, panicked, gone = state
    return state if gone else (max(models - lost, 0), tokens + min(lost, models), panicked, gone)


def legion_rallies(state):
    models, tokens, _, gone = state
    if gone or not models:
        yield state, Fraction(1)
        return
    for faces in product((0, 0, 1), repeat=tokens):
        kept = tokens - sum(faces)
        yield (models, kept, kept >= 4, gone), Fraction(1, 3**tokens)


def legion_fate(state):
    models, tokens, panicked, gone = state
    if gone or not models:
        return "p_gone"
    return "p_routed" if panicked else "p_shaken" if tokens >= 2 else "p_steady"


def legion_moves(state):
    models, tokens, panicked, gone = state
    yield (models, max(tokens - 1, 0), False, gone or panicked), Fraction(1)  # the edge is one move away


def tactique_loses(state, lost):
    models, status, flights, _ = state
    return max(models - lost, 0), status, flights, min(lost, models)


def tactique_checks(state):
    models, status, flights, lost = state
    if lost == 0 or status not in ("eager", "shaken"):
        yield (models, status, flights, 0), Fraction(1)
    elif status == "eager":
        yield (models, "shaken", 0, 0), Fraction(1)
    else:
        yield (models, "shaken", 0, 0), Fraction(2, 3)
        yield (models, "off the map", 1, 0), Fraction(1, 3)  # 7 inches, the edge is at 6


def tactique_fate(state):
    if not state[0] or state[1] == "off the map":
        return "p_gone"
    return {"eager": "p_steady", "shaken": "p_shaken"}[state[1]]


def warmaster_loses(state, lost):
    models, confused, _ = state
    return max(models - lost, 0), confused, min(lost, models)


def warmaster_rolls(state):
    models, confused, dice = state
    spared = Fraction(5, 6) ** dice
    yield (models, confused, 0), spared
    yield (models, True, 0), 1 - spared


def mordheim_tests(state):
    if state in ("routed", 0) or 4 * (6 - state) < 6:
        yield state, Fraction(1)
        return
    yield state, Fraction(26, 36)
    yield "routed", Fraction(10, 36)


NOTHING = {"after an attack": stays, "when it acts": stays}
PLAIN = {
    "armoured-clash": (
        (6, "calm", 0, 0), clash_loses, NOTHING | {"after an attack": clash_tests}, clash_rests, clash_fate,
    ),
    "legion": (
        (6, 0, False, False), legion_loses, NOTHING | {"when it acts": legion_rallies}, legion_moves, legion_fate,
    ),
    "grande-tactique": (
        (6, "eager", 0, 0), tactique_loses, NOTHING | {"after an attack": tactique_checks}, stays, tactique_fate,
    ),
    "warmaster": (
        (6, False, 0), warmaster_loses, NOTHING | {"after an attack": warmaster_rolls},
        lambda state: [((state[0], False, 0), Fraction(1))],
        lambda state: "p_gone" if not state[0] else "p_shaken" if state[1] else "p_steady",
    ),
    "mordheim": (
        6, lambda state, lost: state if state == "routed" else max(state - lost, 0),
        NOTHING | {"when it acts": mordheim_tests}, stays,
        lambda state: "p_gone" if state in ("routed", 0) else "p_shaken" if 4 * (6 - state) >= 6 else "p_steady",
    ),
}  # fmt: skip


@pytest.mark.parametrize("system", PLAIN)
def test_against_the_plain_reading(system):
    found = fates(QUESTION, system)
    for turn, expected in enumerate(plain(*PLAIN[system])):
        assert found[turn] == pytest.approx(expected, abs=1e-12)


def test_a_routed_unit_rallies_or_flees_on():
    """20 inches: off with the third flight. Routed with 1/3 in round 2; 5/6 rally in round 3, 1/6 flee on (GT-6)."""
    question = {"models": 10, "losses": [1, 1, 0], "edge_distance": 20.0, "rounds": 3}
    found = fates(question, "grande-tactique")
    assert found[1] == pytest.approx([0, 2 / 3, 1 / 3, 0], abs=1e-12)
    assert found[2] == pytest.approx([0, 2 / 3 + 5 / 18, 1 / 18, 0], abs=1e-12)


# --- by Monte Carlo, on the command line ----------------------------------------------------------------------------


def test_the_dice_agree_with_the_laws():
    assert_sample_fits("compare", QUESTION | {"edge_distance": 20.0})


def test_same_seed_same_bits():
    assert_same_on_any_threads("compare", QUESTION)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"models": 0, "losses": 1}, "models: 0 is not usable"),
        ({"models": 5, "losses": -1}, "losses"),
        ({"models": 5, "losses": [1, 2]}, "losses has 2 numbers"),
        ({"models": 5, "losses": 1, "nerve": 1.5}, "nerve: 1.5 is not usable"),
        ({"models": 5, "losses": 1, "mordheim": {"leadership": 13}}, "mordheim.leadership: 13 is not usable"),
        ({"models": 5, "losses": 1, "legion": {"courage": 0}}, "legion.courage: 0 is not usable"),
        ({"models": 5, "losses": {1: 0.7}}, "add up to 0.7"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("compare", wrong)
    assert told in str(error.value)


def test_the_command_prints_the_equivalents_beside_the_fates(tmp_path):
    path, picture = tmp_path / "unit.toml", tmp_path / "fates.png"
    path.write_text("models = 10\nlosses = { 0 = 0.5, 2 = 0.5 }\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["morale", "compare", str(path), "--plot", str(picture)])
    assert found.exit_code == 0, found.stderr
    assert "P(routed)" in found.stdout
    assert "BREAK LIMIT" in found.stdout
    assert picture.stat().st_size > 1000
