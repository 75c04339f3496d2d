"""One attack, ready for an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from analyser.game.keywords import Rule
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Rating, RatingName, Ruleset
from analyser.game.units import Loadout
from analyser.rules.structs import AttackFacts, FightFacts, TargetFacts
from analyser.scenarios.encode import attack_record, fight_record, shared_target_record
from analyser.scenarios.schema import Attack, Target


@dataclass(frozen=True)
class Scenario:
    """An attack, resolved: profiles looked up, defaults filled in, everything checked.

    Attributes
    ----------
    attack, target : Attack, Target
        Nothing left out that the computation needs; ``None`` only where the rules know "none".
    ruleset : Ruleset
    attacker, defender : Loadout or None
        The profiles that the selectors named.
    warnings : tuple of str
        What the user should know about how the scenario was read.
    profiles : ProfilesUsed or None
        Where the profiles and the ruleset come from.
    """

    attack: Attack
    target: Target
    ruleset: Ruleset
    attacker: Loadout | None = None
    defender: Loadout | None = None
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @cached_property
    def facts(self) -> tuple[AttackFacts, TargetFacts]:
        """Both sides as the rules read them."""
        unit = None if self.attacker is None else self.attacker.unit
        return attack_record(self.attack, unit), shared_target_record(self.target)

    @cached_property
    def fight(self) -> FightFacts:
        """The attack on the target, all conditions applied: what an engine reads."""
        return fight_record(*self.facts)

    @property
    def attacker_rules(self) -> tuple[Rule, ...]:
        """The special rules of the attacker's profile."""
        return () if self.attacker is None else self.attacker.unit.rules

    @property
    def rolls_for_building(self) -> bool:
        """Whether a die is rolled for the building after the attack (Siegebreaker, AC-6)."""
        return self.target.garrisoned and self.attack.has("Siegebreaker")

    def counted_rating(self) -> RatingName:
        """The combat rating that bonuses and penalties make (AC-3.1), whatever is stated."""
        fight = self.fight if self.attack.rating is None else self.with_rating(None).fight
        name: RatingName = Rating(fight.rating).name.lower()  # type: ignore[assignment]
        return name

    def with_rating(self, rating: RatingName | None) -> Scenario:
        """The same with another rating stated, or with none."""
        return replace(self, attack=self.attack.model_copy(update={"rating": rating}))

    def relabelled(self, **changes: Any) -> Scenario:
        """A copy with changes that leave the fight what it is, so that it is not encoded again."""
        copy = replace(self, **changes)
        vars(copy).update({key: vars(self)[key] for key in ("facts", "fight") if key in vars(self)})
        return copy

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "attack": self.attack.model_dump(mode="json"),
            "target": self.target.model_dump(mode="json"),
            "ruleset": self.ruleset.model_dump(mode="json"),
        }
