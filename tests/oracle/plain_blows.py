"""One attack roll and what it does to a unit, for the plain reading of battles: dice and damage of `plain_reading`."""

from functools import cache
from typing import NamedTuple

from tests.oracle import plain_reading as plain
from tests.oracle.plain_chance import Law
from tests.oracle.plain_laws import marginal

FACES = plain.FACES
DIE = tuple(plain.DEFAULT_DIE.values())  # AC-1.1, in the order of FACES
RATINGS = {-1: "weakened", 0: "neutral", 1: "improved"}


class Blow(NamedTuple):
    dice: int
    rating: int  # -1 weakened, 0 neutral, 1 improved (AC-3.1)
    defence: int  # the target's, with all that is added to it
    qualities: tuple = ()
    durable: bool = False
    veteran: int = 0
    faces: tuple = DIE


class Body(NamedTuple):
    models: int
    damage: int
    damage_limit: int
    behemoth: bool = False


def rating_of(bonuses, penalties):
    """AC-3.1."""
    return (bonuses > penalties) - (bonuses < penalties)


@cache
def hits_law(dice, faces, rating, arc, durable, veteran):
    """The law {hits: chance} of a pool (AC-3.2 to AC-3.6)."""
    law = plain.pool_law(dice, dict(zip(FACES, faces, strict=True)), RATINGS[rating], arc, durable, veteran)
    return marginal(law, lambda hits_and_blanks: hits_and_blanks[0])


def after_hits(body, blow, hits):
    """The body after the hits of a blow (AC-3.7, AC-3.8; Devastating and Penetrating in AC-6)."""
    target = plain.DEFAULT_TARGET | body._asdict() | {"defence": blow.defence}
    wounds = plain.wounds_of(hits, {"qualities": blow.qualities}, target)
    return body._replace(models=body.models - wounds.models_destroyed, damage=wounds.damage)


@cache
def blow_law(blow, body):
    hits = hits_law(blow.dice, blow.faces, blow.rating, "Arc" in blow.qualities, blow.durable, blow.veteran)
    return Law(marginal(hits, lambda number: after_hits(body, blow, number)))


def expected_share(blow, body):
    return sum(chance * (body.models - after.models) for after, chance in blow_law(blow, body).pairs) / body.models


def expected_damage(blow, body):
    """The expected share of the body that a blow takes, damage that destroys nothing counted, too."""
    whole = body.models * body.damage_limit
    left = sum(
        chance * (after.models * after.damage_limit - after.damage) for after, chance in blow_law(blow, body).pairs
    )
    return (whole - left) / whole


def chance_to_kill(blow, body):
    return sum(chance for after, chance in blow_law(blow, body).pairs if not after.models)
