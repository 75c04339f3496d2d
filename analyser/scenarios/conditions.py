"""Keyword arguments of the public functions, for type checkers and completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from analyser.game.ruleset import RatingName
from analyser.scenarios.schema import BonusName, PenaltyName, WantName

Policy = str | Sequence[str] | Mapping[str, Any]


class Conditions(TypedDict, total=False):
    """Keys of ``[attack]``, and bonuses and penalties by name."""

    row: str | None
    distance: float | None
    dice: int | None
    dice_in_parentheses: int | None
    rating: RatingName | None
    bonuses: Sequence[BonusName]
    penalties: Sequence[PenaltyName]
    line_of_sight: Literal["own", "none", "spotter"]
    qualities: Sequence[str] | None
    veteran: int | None
    extra_reroll: Mapping[str, Any] | None
    overcharge: bool
    carriages: int
    attacker_models: int | None
    attacker_damage: int
    attacker_damage_limit: int | None
    attacker_garrisoned: bool
    attacker_reloading: bool
    attacker_advanced: bool
    aiming: bool
    short_range: bool
    ammo_supply: bool
    concealed: bool
    suppressed: bool
    opportunity_fire: bool
    reforming: bool
    outside_front_arc: bool


class Circumstances(TypedDict, total=False):
    """Keys of ``[charge]``."""

    outflanking: bool
    supported: bool
    threatened: bool
    difficult_terrain: bool
    overrun: bool


class Terms(TypedDict, total=False):
    """Keys of ``[duel]``."""

    rounds: int
    first: Literal["a", "b", "random"]
    policy_a: Policy
    policy_b: Policy
    want: WantName
    distance: float | None
    step: float | None
