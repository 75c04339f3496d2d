"""The plain reading of Spectacular Demise and Tail Gunner, against cases worked by hand."""

from fractions import Fraction

import pytest

from tests.oracle import plain_aftermath as aftermath
from tests.oracle.plain_units import read_unit, unit_of

ONLY_STRIKES = {"strike": 1}


def facts(models=8, **given):
    """A unit that each hit costs a model, of DISCIPLINE 6."""
    return read_unit({"type": "infantry", "models": models, "defence": 1, "discipline": 6, **given})


def ruleset(die=ONLY_STRIKES, deck=None):
    return {"die": die, "deck": deck or {12: 1}}


def models_and_suppressed(law):
    """The law in a word: models left, suppressed or not."""
    return {(unit.models, unit.suppressed): chance for unit, chance in law.items()}


def test_tail_gunner():
    # AC-7: three hits and a test that fails; none for an aircraft, but for one that is Hot Headed.
    gunner = facts(rules=["Tail Gunner (3)"])
    for given, suppressed in [
        ({"type": "rotorcraft"}, True),
        ({"type": "aircraft"}, False),
        ({"type": "aircraft", "rules": ["Hot Headed"]}, True),
    ]:
        unit = facts(**given)
        law = aftermath.tail_gunner(gunner, unit, unit_of(unit), ruleset())
        assert models_and_suppressed(law) == {(5, suppressed): 1}


def test_spectacular_demise():
    gone = facts(rules=["Spectacular Demise (3)", "Veteran (1)"])
    unit = facts()

    def after(inches, face):
        """Where the die of the blast is a certain face; a face that hits also rolls its own dice."""
        return models_and_suppressed(
            aftermath.spectacular_demise(gone, unit, unit_of(unit), inches, ruleset({face: 1}))
        )

    # A strike: 3 dice within 4", and the test fails.
    assert after(4, "strike") == {(5, True): 1}
    assert after(5, "strike") == {(8, False): 1}
    # A heroic strike: 3 dice, each heroic and with one added, 12 hits, within 8".
    assert after(8, "heroic") == {(0, False): 1}
    assert after(9, "heroic") == {(8, False): 1}
    # A miss: a test within 6"; no models lost.
    assert after(6, "miss") == {(8, True): 1}
    assert after(7, "miss") == {(8, False): 1}
    # A glancing strike or blank: nothing.
    assert after(0, "glancing") == after(0, "blank") == {(8, False): 1}


def test_the_blast_is_neutral():
    # A strike (1/2) is one die: a hit with 1/2, or a glancing strike rolled again 1/4: 3/4 of 1/2.
    gone, unit = facts(rules=["Spectacular Demise (1)"]), facts(discipline=None)
    die = {"strike": 1, "glancing": 1}
    law = aftermath.spectacular_demise(gone, unit, unit_of(unit), 0, ruleset(die))
    assert models_and_suppressed(law) == {(7, False): Fraction(3, 8), (8, False): Fraction(5, 8)}


@pytest.mark.parametrize("lost", [3, 4])
def test_its_test_counts_half_of_the_models(lost):
    # AC-5.2: 4 of 8 by the blast: a 6 fails DISCIPLINE 6 - 1; 3 of 8: it passes.
    gone, unit = facts(rules=[f"Spectacular Demise ({lost})"]), facts()
    law = aftermath.spectacular_demise(gone, unit, unit_of(unit), 0, ruleset(deck={6: 1}))
    assert models_and_suppressed(law) == {(8 - lost, lost == 4): 1}
