"""The attacks that are measured, as scenarios."""

from typing import Any

PLAIN_DICE = 10
TARGET = {"models": 5, "defence": 2, "damage_limit": 3, "discipline": 7, "break_limit": 2}
TWELVE_SIDES = {"heroic": 2, "strike": 4, "glancing": 2, "miss": 2, "blank": 2}
TWENTY_SIDES = {"heroic": 3, "strike": 7, "glancing": 3, "miss": 4, "blank": 3}
OVERCHARGE = {"overcharge": True, "attacker_models": 5, "attacker_damage_limit": 2}


def fight(
    dice: int = PLAIN_DICE,
    rating: str = "improved",
    target: dict[str, Any] | None = None,
    die: dict[str, int] | None = None,
    **attack: Any,
) -> dict[str, Any]:
    """A scenario: the plain attack unless the keys say otherwise."""
    scenario = {"attack": {"dice": dice, "rating": rating, **attack}, "target": TARGET | (target or {})}
    return scenario | {"ruleset": {"die": die}} if die else scenario


PLAIN = fight()

STRIKES_TOO = {"rating": "neutral", "extra_reroll": {"faces": ["strike", "miss", "blank"], "dice": 4}}
ARC = {"qualities": ["Arc"]}

# Name of the variant: the scenario, and how many dice are rolled in it on average before any re-roll.
_ADDED = 1 / 6  # the share of dice that show a heroic strike, each of which adds a die
_MEAN_CARD = 6.5
_POOL, _ARC_POOL = 10 * (1 + _ADDED), 10 * (1 + 2 * _ADDED)
_CHARGED_POOL, _CHARGED_ARC_POOL = (10 + _MEAN_CARD) * (1 + _ADDED), (10 + _MEAN_CARD) * (1 + 2 * _ADDED)
EVERY_RULE = "Arc, Veteran, Overcharge, extra re-rolls"
VARIANTS: dict[str, tuple[dict[str, Any], float]] = {
    "weakened": (fight(rating="weakened"), _POOL),
    "neutral": (fight(rating="neutral"), _POOL),
    "Arc": (fight(**ARC), _ARC_POOL),
    "Durable": (fight(target={"rules": ["Durable"]}), _POOL),
    "Veteran (3)": (fight(veteran=3), _POOL),
    "extra re-rolls, one face": (fight(extra_reroll={"faces": ["blank"], "dice": 2}), _POOL),
    "extra re-rolls, two faces": (
        fight(rating="neutral", extra_reroll={"faces": ["miss", "blank"], "dice": 3}),
        _POOL,
    ),
    "extra re-rolls, strikes too": (fight(**STRIKES_TOO), _POOL),
    "Overcharge": (fight(**OVERCHARGE), _CHARGED_POOL),
    "Arc, extra re-rolls": (fight(**ARC, **STRIKES_TOO), _ARC_POOL),
    "Arc, Overcharge": (fight(**ARC, **OVERCHARGE), _CHARGED_ARC_POOL),
    "Overcharge, extra re-rolls": (fight(**OVERCHARGE, **STRIKES_TOO), _CHARGED_POOL),
    EVERY_RULE: (
        fight(veteran=3, **ARC, **OVERCHARGE, **STRIKES_TOO),
        _CHARGED_ARC_POOL,
    ),
    "die of 12 sides": (fight(die=TWELVE_SIDES), 10 * (1 + 2 / 12)),
    "die of 20 sides": (fight(die=TWENTY_SIDES), 10 * (1 + 3 / 20)),
    "officer random": (fight(target={"officer": "random"}), _POOL),
}
