"""One attack roll and what it does to a unit, read plainly from AC-3 and AC-6 for the plain reading of battles."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from tests.oracle.plain_chance import Law, law_of

FACES = ("heroic", "strike", "glancing", "miss", "blank")
DIE = (1, 2, 1, 1, 1)  # AC-1.1, in the order of FACES
REROLLED = {-1: (), 0: ("glancing",), 1: ("glancing", "miss")}  # AC-3.4


class Blow(NamedTuple):
    """An attack ready to be rolled."""

    dice: int
    rating: int  # -1 weakened, 0 neutral, 1 improved (AC-3.1)
    defence: int  # the target's, with all that is added to it
    qualities: tuple = ()
    durable: bool = False
    veteran: int = 0
    faces: tuple = DIE


class Body(NamedTuple):
    """What an attack works on."""

    models: int
    damage: int
    damage_limit: int
    behemoth: bool = False


def rating_of(bonuses, penalties):
    """AC-3.1."""
    return (bonuses > penalties) - (bonuses < penalties)


def one_die(chance, faces, rating, arc):
    """One die of the first roll with the dice that it adds: (strikes, heroic strikes) (AC-3.3, AC-3.4, Arc)."""
    law = Law(dict(zip(FACES, faces, strict=True)))
    rolled = [chance.pick(law)]
    if rolled[0] == "heroic":
        rolled += [chance.pick(law) for _ in range(2 if arc else 1)]
    final = [chance.pick(law) if face in REROLLED[rating] else face for face in rolled]
    return final.count("strike"), final.count("heroic")


@cache
def pool(dice, faces, rating, arc):
    """The law {(strikes, heroic strikes): chance} of a pool: dice and what they add do not touch each other."""
    if not dice:
        return {(0, 0): Fraction(1)}
    law = defaultdict(Fraction)
    for (strikes, heroics), chance in pool(dice - 1, faces, rating, arc).items():
        for (more_strikes, more_heroics), more_chance in law_of(one_die, faces, rating, arc).items():
            law[strikes + more_strikes, heroics + more_heroics] += chance * more_chance
    return law


@cache
def hits_law(blow):
    """The law {hits: chance} of a blow (AC-3.6; Durable and Veteran in AC-7)."""
    law = defaultdict(Fraction)
    for (strikes, heroics), chance in pool(blow.dice, blow.faces, blow.rating, "Arc" in blow.qualities).items():
        turned = min(strikes, blow.veteran)
        law[strikes - turned + (heroics + turned) * (1 if blow.durable else 2)] += chance
    return dict(law)


def damaged(body, damage):
    """The body after so much damage (AC-3.8)."""
    models, on_it = body.models, body.damage
    for _ in range(damage):
        if models:
            on_it += 1
            if on_it == body.damage_limit:
                models, on_it = models - 1, 0
    return body._replace(models=models, damage=on_it)


def after_hits(body, blow, hits):
    """The body after the hits of a blow (AC-3.7, AC-3.8; Devastating and Penetrating in AC-6)."""
    damage = hits // blow.defence
    if "Devastating" in blow.qualities and hits % blow.defence:
        damage += 1
    body = damaged(body, damage)
    if "Penetrating" in blow.qualities and damage and body.models and body.damage:
        if body.behemoth:
            return damaged(body, 1)
        return body._replace(models=body.models - 1, damage=0)
    return body


@cache
def blow_law(blow, body):
    """The law of the body after a blow."""
    law = defaultdict(Fraction)
    for hits, chance in hits_law(blow).items():
        law[after_hits(body, blow, hits)] += chance
    return Law(law)


def expected_share(blow, body):
    """The expected share of the body's models that a blow destroys."""
    return sum(chance * (body.models - after.models) for after, chance in blow_law(blow, body).pairs) / body.models


def expected_damage(blow, body):
    """The expected share of the body that a blow takes, damage that destroys nothing counted, too."""
    whole = body.models * body.damage_limit
    left = sum(
        chance * (after.models * after.damage_limit - after.damage) for after, chance in blow_law(blow, body).pairs
    )
    return (whole - left) / whole


def chance_to_kill(blow, body):
    """The chance that a blow destroys all its models."""
    return sum(chance for after, chance in blow_law(blow, body).pairs if not after.models)
