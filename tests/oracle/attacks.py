"""Attacks for the tests: scenarios from plain keys, rigged dice and cards, laws as {outcome: chance}."""

from collections import defaultdict
from types import SimpleNamespace

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.scenarios.schema import Attack, Target
from tests.oracle.fight_files import ruleset

TOLERANCE = 1e-12

SHIPPED_DIE = {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 1}  # AC-1.1
SHIPPED_DECK = {str(value): 3 for value in range(1, 13)}  # AC-1.2

# Ten models that each hit destroys one of, and that fail every test.
TEN_MODELS = {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6}

OUTCOME = (
    *("models_left", "models_destroyed", "damage_left", "suppressed", "disordered", "fell_back", "broken", "fled"),
    *("annihilated", "activated", "attacker_models_destroyed", "attacker_damage_left"),
)


def scenario(die=None, deck=None, **keys):
    """A scenario from keys of either section: unless they say otherwise, hits for certain on ten models.

    With the rigged die `dice=5` means five hits, no more and no less. `None` leaves a key out.
    """
    unknown = keys.keys() - Attack.model_fields.keys() - Target.model_fields.keys()
    assert not unknown, f"no key of a scenario: {unknown}"
    target = {key: value for key, value in keys.items() if key in Target.model_fields}
    return {
        "attack": {key: value for key, value in keys.items() if key in Attack.model_fields and value is not None},
        "target": {key: value for key, value in (TEN_MODELS | target).items() if value is not None},
        "ruleset": ruleset(die, deck),
    }


def attack(die=None, deck=None, profiles=None, **keys):
    return analyser.exact(scenario(die, deck, **keys), profiles=profiles)


def certain(die=None, deck=None, profiles=None, **keys):
    """The outcome of an attack that can end in one way only."""
    (outcome,) = law(attack(die, deck, profiles, **keys))
    return SimpleNamespace(**dict(zip(OUTCOME, outcome)))


def chance(flag, die=None, deck=None, profiles=None, **keys):
    return attack(die, deck, profiles, **keys).probability(flag).probability


def law(result):
    """The joint law {outcome: chance} of a result, outcomes in the order of OUTCOME."""
    columns = [result.column(name).tolist() for name in OUTCOME]
    return dict(zip(zip(*columns), result.weights.tolist()))


def hits_law(result):
    """The law {hits: chance} of a result."""
    return {hits: chance for hits, chance in enumerate(result.hits_weights.tolist()) if chance}


def hits_in(parts, die, **keys):
    """The law of hits in parts of a whole, which must come out as whole numbers: {hits: parts}."""
    found = {hits: chance * parts for hits, chance in hits_law(attack(die, **keys)).items()}
    rounded = {hits: round(part) for hits, part in found.items()}
    assert_same_law(found, rounded, tolerance=TOLERANCE * parts)
    return rounded


def rating_of(**keys):
    """The combat rating, told by what it re-rolls (AC-3.4).

    A die of a strike, a glancing strike and a miss hits with 3 of 9 if nothing is rolled again, with 4 if the
    glancing strike is, with 5 if the miss is too.
    """
    die = {"strike": 1, "glancing": 1, "miss": 1}
    names = {3: "weakened", 4: "neutral", 5: "improved"}
    return names[hits_in(9, die, dice=1, **keys)[1]]


def defence_of(**keys):
    """The effective DEFENCE, told by the models that 60 hits destroy of 100."""
    return 60 // certain(dice=60, models=100, discipline=None, **keys).models_destroyed


def modified_discipline(**keys):
    """DISCIPLINE with its modifiers, told by the chance to pass against the shipped deck: a twelfth a point.

    Two hits on ten models, which are no heavy losses.
    """
    keys = {"dice": 2, **keys}
    return round(12 * (1 - chance("suppressed", deck=SHIPPED_DECK, **keys)))


def refusal(**keys):
    with pytest.raises(InputError) as caught:
        attack(**keys)
    return str(caught.value)


def marginal(joint, *names):
    """The law of some columns of a joint law."""
    places = [OUTCOME.index(name) for name in names]
    chances = defaultdict(float)
    for outcome, share in joint.items():
        chances[tuple(outcome[place] for place in places)] += share
    return dict(chances)


def assert_same_law(found, wanted, tolerance=TOLERANCE):
    """Two laws are the same: an outcome that only one of them has would need chance 0."""
    for outcome in found.keys() | wanted.keys():
        difference = abs(found.get(outcome, 0) - wanted.get(outcome, 0))
        assert difference <= tolerance, f"{outcome}: {found.get(outcome, 0)}, wanted {wanted.get(outcome, 0)}"
