"""Data of the calculator and of the page for a game: facts of units, and figures and conditions in order of display."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.game.keywords import CLOSE_QUARTERS, DUEL, QUALITIES, RANGED_ATTACK, SPECIAL_RULES, Quality, Rule
from analyser.game.names import faction_name
from analyser.game.units import Loadout
from analyser.results.rules_used import CARDS
from analyser.rules.shots import WhyNot
from analyser.rules.structs import ATTACK, NONE, TARGET
from analyser.scenarios.attack import RANKED_BY
from analyser.web.memory_layout import unit_facts

USUAL_DISTANCE = 12  # inches; default distance on a page
STORED_WITH_UNIT = {"concealed": "target", "ammo_supply": "attacker", "carriages": "attacker"}
"""Conditions of an attack that the page stores with a unit, because in a duel they belong to the unit."""
ROUND_STATES = ("activated",)  # states that end with the round
LOSS_STATES = ("models", "damage")  # states that show that a unit has lost some of its points
SHARED_CONDITIONS = ("distance",)  # conditions of an attack that also apply when the enemy attacks back
FIGHTS = (RANGED_ATTACK, CLOSE_QUARTERS, DUEL)

MAIN_FIGURE = "annihilated"
ATTACK_FIGURES = (
    {"name": "suppressed", "label": "Suppressed", "always": True},
    {"name": "broken", "label": "Broken", "always": True},
    {"name": "fell_back", "label": "Falls back"},
    {"name": "fled", "label": "Fled"},
    {"name": "disordered", "label": "Disordered"},
    {"name": "activated", "label": "Made activated"},
    {"name": "building_wrecked", "label": "Building wrecked"},
    {"name": "mean_models_destroyed", "label": "Models lost", "isMean": True, "always": True, "of": "models"},
    {"name": "mean_attacker_models_destroyed", "label": "Own models lost", "isMean": True},
    {"name": "points", "label": "Points lost", "isMean": True, "always": True, "of": "points"},
)
COMBAT_PANELS = {
    "charge": {"heading": "Charge", "about": "The attacker charges now."},
    "duel": {
        "heading": "Duel from this distance",
        "about": "By default both shoot if they can, else charge, else take cover. A toss each round decides which "
        "acts first.",
    },
}
COMBAT_SHARES = (
    {"name": "attacker_wins", "label": "wins", "look": "won"},
    {"name": "draw", "label": "draw", "look": "even"},
    {"name": "target_wins", "label": "loses", "look": "lost"},
    {"name": "no_combat", "label": "gone before", "look": "gone"},  # only in a charge
)
COMBAT_FIGURES = (
    {"name": "annihilated", "label": "Gone"},
    {"name": "points", "label": "Points lost", "isMean": True, "of": "points"},
)
ASSUMPTIONS = (
    "Every number is exact: it comes from a complete distribution, by the same rules as in Python.",
    "The field is open, without a map: you set distance, line of sight, cover and friends here.",
    "A damaged unit has lost points in proportion to its lost models and damage; a removed unit has lost all.",
)


COMPARED_FIGURES = (
    {"name": MAIN_FIGURE, "label": "removes"},
    {"name": "suppressed", "label": "suppresses"},
    {"name": "mean_models_destroyed", "label": "models lost", "isMean": True},
    {"name": "points", "label": "points lost", "isMean": True},
    {"name": "points", "label": "points lost for 100 points of its own", "isMean": True, "perPoints": True},
)


class Edit(NamedTuple):
    """Characteristic, quality or special rule of a unit that the user can change."""

    name: str
    label: str
    role: str  # "attacker", "target" or "both"
    at: str = "unit"  # the edit changes the "unit", all its "rows", or their "dice"
    least: int = 0
    most: int = 1
    kind: str = "number"
    fields: tuple[str, ...] = ()  # fields of a record that change; by default the field called `name`

    def record(self) -> dict[str, Any]:
        """Return the edit as plain data for the page."""
        return self._asdict() | {"fields": self.fields or (self.name,)}


def edits() -> list[dict[str, Any]]:
    """Return the edits of a unit that the page offers."""
    result = [
        Edit("dice", "More attack dice", "attacker", "dice", -10, 10),
        Edit("veteran", "Veteran", "attacker", "rows", 0, 6),
        Edit("defence", "DEFENCE", "target", least=1, most=8),
        Edit("damage_limit", "DAMAGE LIMIT", "target", least=1, most=12),
        Edit("discipline", "DISCIPLINE (-1: none)", "target", least=NONE, most=12),
        Edit("break_limit", "BREAK LIMIT (-1: none)", "target", least=NONE, most=12),
        Edit("models", "Models", "both", least=1, most=18, fields=("models", "full_models")),
        Edit("points", "Points", "both", least=0, most=300),
    ]
    qualities = [Quality(name) for name in QUALITIES if name not in _NOT_FLAGS]
    row_fields, unit_fields = ATTACK.names or (), TARGET.names or ()
    result += [
        Edit(quality.field, quality.name, "attacker", "rows", kind="flag")
        for quality in qualities
        if quality.field in row_fields
    ]
    rules = (Rule(name) for name in SPECIAL_RULES)
    result += [
        Edit(rule.field, rule.name, "target", kind="flag", fields=_RULE_FIELDS.get(rule.field, (rule.field,)))
        for rule in rules
        if (rule.field in unit_fields and rule.field not in _STATE_FLAGS) or rule.field in _RULE_FIELDS
    ]
    return [edit.record() for edit in result]


_NOT_FLAGS = ("Point Blank", "Shock", "Wreckers", "Overcharge")  # qualities with a second number or a choice
_STATE_FLAGS = ("chain_of_command",)  # rules whose field is a state, not the rule
_RULE_FIELDS = {
    "automata": ("automata", "passes_tests"),
    "irrepressible": ("passes_tests",),
    "resilient": ("resilient_front",),
    "shrouded": ("always_concealed",),
}


def notes(assumptions: Iterable[str], warnings: Iterable[str] = ()) -> list[str]:
    """Return the assumptions and warnings as sentences."""
    cards = f"Charges and duels: {CARDS[True]}."
    return [*ASSUMPTIONS, *assumptions, cards, *(f"Warning: {warning}" for warning in warnings)]


def unit_entry(loadout: Loadout) -> dict[str, Any]:
    """Return the facts of a unit for the page: :func:`unit_facts`, texts, and limits of controls."""
    unit = loadout.unit
    keywords = [*unit.keywords, *chain.from_iterable(row.keywords for row in unit.rows)]
    not_modelled = {keyword.canonical: None for keyword in keywords if not _is_computed(keyword.term)}
    words = " ".join((unit.name, loadout.faction, loadout.level_name, unit.type, *unit.traits, *unit.rules))
    return unit_facts(loadout) | {
        "words": words.lower().replace("-", " "),
        "faction": faction_name(loadout.faction),
        "houseRules": list(dict.fromkeys(keyword.name for keyword in keywords if keyword.house)),
        "notModelled": list(not_modelled),
        "chargeInches": 2 * (unit.speed or 0),
        "chargeReach": f'(up to {2 * unit.speed:g}")' if unit.speed else "",
        "mostDamage": unit.damage_limit - 1,
        "farthest": max((row.long_range or 0 for row in unit.rows), default=0) or USUAL_DISTANCE,
    }


def _is_computed(term: Any) -> bool:
    """Return True if a rule is modelled in some fight, or is irrelevant to all fights."""
    return term is not None and (
        any(term.counts_in(fight) for fight in FIGHTS) or not any(term.can_matter_in(fight) for fight in FIGHTS)
    )


RANKING = {
    "rankedBy": [name.removeprefix("p_") for name in RANKED_BY],
    "sameWithin": CERTAIN_WITHIN,
    "shoots": "ranged",
}
"""Ranking of rows on a page: the figures that rank them, and the kind of rows that shoot."""


def page_data() -> dict[str, Any]:
    """Return the data of the page that do not depend on the units."""
    return {
        "figures": ATTACK_FIGURES,
        "combats": COMBAT_PANELS,
        "shares": COMBAT_SHARES,
        "outcomes": COMBAT_FIGURES,
        "chance": MAIN_FIGURE,
        "never": [int(WhyNot.CATEGORY), int(WhyNot.NOT_RANGED)],
        "usual": {"distance": USUAL_DISTANCE},
        "ofUnits": STORED_WITH_UNIT,
        "shared": SHARED_CONDITIONS,
        "eachRound": ROUND_STATES,
        "lossStates": LOSS_STATES,
        "compared": COMPARED_FIGURES,
        "edits": edits(),
        **RANKING,
    }
