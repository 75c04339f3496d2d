"""Charges for the plain reading of close quarters combat, small enough to be worked by hand."""

from tests.oracle import plain_close_quarters as cq
from tests.oracle.plain_after_blows import Fight
from tests.oracle.plain_units import unit_of

ONLY_STRIKES = {"strike": 1}  # as many hits as dice, for certain
COIN = {"strike": 1, "blank": 1}
LOW_CARD = {"1": 1}  # passes every test
HIGH_CARD = {"12": 1}  # fails every test
EVEN_CARDS = {"1": 1, "12": 1}


def row(dice, kind="melee", most=12, qualities=()):
    """A row: `dice` a model, or a table of dice by models."""
    if isinstance(dice, int):
        dice = {models: models * dice for models in range(1, most + 1)}
    bands = [{"first": models, "last": models, "dice": number} for models, number in dice.items()]
    return {"kind": kind, "bands": bands, "qualities": list(qualities)}


def flat(dice, **keys):
    """A row of so many dice whatever the number of models, none with 0 dice."""
    return row(dict.fromkeys(range(1, 13), dice), **keys)


def unit(models, *rows, **facts):
    """A unit that each hit costs a model, of DISCIPLINE 6."""
    return {
        "type": "infantry",
        "models": models,
        "defence": 1,
        "discipline": 6,
        "rows": list(rows),
        **facts,
    }


def charge(active, target, *secondaries, die=ONLY_STRIKES, deck=LOW_CARD, **combat):
    """The law of a charge with a rigged die and deck."""
    return cq.law(
        {
            "active": active,
            "target": target,
            "secondaries": list(secondaries),
            "combat": combat,
            "ruleset": {"die": die, "deck": deck},
        }
    )


def certain(*units, **keys):
    """The one end of a charge that has only one."""
    (outcome,) = charge(*units, **keys)
    return outcome


def ratings(active, target, *secondaries, again=False, **combat):
    """The ratings of the attack, of the retaliation and of each secondary combatant."""
    field = cq.read({"active": active, "target": target, "secondaries": list(secondaries), "combat": combat})._replace(
        again=again
    )
    others = tuple(map(unit_of, field.secondaries))
    fight = Fight(unit_of(field.active), unit_of(field.target), others)
    return (
        cq.active_rating(field, fight, cq.row_of_charge(field.active)),
        cq.target_rating(field, fight),
        *(cq.secondary_rating(field, facts, one) for facts, one in zip(field.secondaries, others)),
    )
