"""The numbers of two units: a literal list, and the scenario in which one of them is more or less than it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from analyser.common.validation import checked
from analyser.game.units import Loadout
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import scenario_between
from analyser.scenarios.schema import Attack, ScenarioFile, Target

Change = Callable[[Scenario, int], Scenario]


class Number(NamedTuple):
    """A number of a unit.

    Attributes
    ----------
    side : "attacker" or "target"
    name : str
        As the rules spell it.
    read : callable
        Its value in a scenario; None where the unit has none.
    change : callable
        The scenario with it changed by so much; raises InputError where the rules do not allow that.
    """

    side: str
    name: str
    read: Callable[[Scenario], float | None]
    change: Change


def _plain(side: str, key: str, name: str) -> Number:
    """A number that is a key of its own of a scenario."""
    section = "attack" if side == "attacker" else "target"

    def change(scenario: Scenario, by: int) -> Scenario:
        return _again(scenario, section, {key: getattr(getattr(scenario, section), key) + by})

    return Number(side, name, lambda scenario: getattr(getattr(scenario, section), key), change)


def _dice(scenario: Scenario, by: int) -> Scenario:
    attack = scenario.attack
    second = attack.dice_in_parentheses
    keys = {"dice": (attack.dice or 0) + by, "dice_in_parentheses": None if second is None else second + by}
    return _again(scenario, "attack", keys)


def _attacker_models(scenario: Scenario, by: int) -> Scenario:
    """The band of the grid decides the dice anew (AC-2.3)."""
    models = (scenario.attack.attacker_models or 0) + by
    return _again(scenario, "attack", {"attacker_models": models, "dice": None, "dice_in_parentheses": None})


def _range(key: str) -> Change:
    def change(scenario: Scenario, by: int) -> Scenario:
        """What is short range, and what out of range, is decided anew (AC-4.1)."""
        loadout = scenario.attacker
        assert loadout is not None
        rows = [
            row.model_copy(update={key: getattr(row, key) + by}) if row.id == scenario.attack.row else row
            for row in loadout.unit.rows
        ]
        unit = loadout.unit.model_copy(update={"rows": tuple(rows)})
        bonuses = tuple(each for each in scenario.attack.bonuses if each != "short_range")
        changed = loadout.model_copy(update={"unit": unit})
        return _again(scenario, "attack", {"bonuses": bonuses}, attacker=changed)

    return change


def _range_of(key: str) -> Callable[[Scenario], float | None]:
    def read(scenario: Scenario) -> float | None:
        if scenario.attacker is None or scenario.attack.distance is None or scenario.attack.row is None:
            return None
        row = scenario.attacker.unit.row(scenario.attack.row)
        return None if row is None else getattr(row, key)

    return read


def _models_with_a_grid(scenario: Scenario) -> float | None:
    """A behemoth's dice go by its damage, and those of an attack without a profile by nothing."""
    if scenario.attacker is None or "behemoth" in scenario.attacker.unit.traits:
        return None
    return scenario.attack.attacker_models


NUMBERS: tuple[Number, ...] = (
    Number("attacker", "attack dice", lambda scenario: scenario.attack.dice, _dice),
    Number("attacker", "models", _models_with_a_grid, _attacker_models),
    _plain("attacker", "veteran", "Veteran"),
    Number("attacker", "short range", _range_of("short_range"), _range("short_range")),
    Number("attacker", "long range", _range_of("long_range"), _range("long_range")),
    _plain("target", "models", "models"),
    _plain("target", "defence", "DEFENCE"),
    _plain("target", "damage_limit", "DAMAGE LIMIT"),
    _plain("target", "discipline", "DISCIPLINE"),
    _plain("target", "break_limit", "BREAK LIMIT"),
    _plain("target", "victory_points", "victory points"),
)
"""Every number of either unit that a ranged attack reads. Ranges count where the scenario has a distance."""


def _again(scenario: Scenario, section: str, keys: dict[str, Any], attacker: Loadout | None = None) -> Scenario:
    """The scenario with some keys of a section changed, checked and resolved once more."""
    attack, target = scenario.attack.model_dump(), scenario.target.model_dump()
    if scenario.counted_rating() == scenario.attack.rating:  # as bonuses and penalties make it (AC-3.1)
        attack["rating"] = None
    (attack if section == "attack" else target).update(keys)
    changed = checked(Attack, attack, where="attack")
    hit = checked(Target, target, where="target")
    file = ScenarioFile(attack=changed, target=hit, ruleset=scenario.ruleset)
    return scenario_between(file, attacker or scenario.attacker, scenario.defender)
