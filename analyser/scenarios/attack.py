"""Attack scenarios: resolved, encoded as records of integers for the engines, with warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.records import plain
from analyser.common.validation import Record
from analyser.engine.attack.summaries import sweep
from analyser.game.house_rules import HouseRule
from analyser.game.keywords import HasKeywords, Keyword, Rule
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Rating, RatingName, Ruleset, face_mask
from analyser.game.units import MOST_MODELS, Loadout, Row
from analyser.rules import structs
from analyser.rules.attack import set_fight
from analyser.rules.house_rules import IS_A, MOST_RULES, in_fields, packed_die
from analyser.rules.shots import DICE_A_CARRIAGE
from analyser.rules.structs import ATTACK, FIGHT, NONE, TARGET, AttackFacts, FightFacts, TargetFacts
from analyser.scenarios import resolve
from analyser.scenarios.schema import Attack, ScenarioFile, Target

FALL_BACK_INCHES = 3.0  # AC-5.4 b
_FIELDS_OF_TARGET = attrgetter(*Target.model_fields)
values_of_fight = attrgetter(*(FIGHT.names or ()))


@dataclass(frozen=True)
class Scenario:
    """A resolved attack: profiles looked up, defaults filled in, everything checked.

    Attributes
    ----------
    attack, target : Attack, Target
        Complete for the computation; ``None`` only if the rules have a "none".
    ruleset : Ruleset
    attacker, defender : Loadout or None
        The profiles of the selectors.
    warnings : tuple of str
        Remarks for the user on the reading of the scenario.
    profiles : ProfilesUsed or None
        Source of the profiles and the ruleset.
    """

    kind: ClassVar[Literal["attack"]] = "attack"

    attack: Attack
    target: Target
    ruleset: Ruleset
    attacker: Loadout | None = None
    defender: Loadout | None = None
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Cache for results that other modules derive from the scenario, by name."""
        return {}

    @cached_property
    def facts(self) -> tuple[AttackFacts, TargetFacts]:
        """Records of both sides."""
        unit = None if self.attacker is None else self.attacker.unit
        attack: Any = attack_record(self.attack, unit)
        attack.die = packed_die(self.ruleset.die) if self.ruleset.die.changed else 0
        return attack, target_record(self.target)

    @cached_property
    def fight(self) -> FightFacts:
        """Record of the attack on the target with all conditions applied, as engines read it."""
        return fight_record(*self.facts)

    @property
    def attacker_rules(self) -> tuple[Rule, ...]:
        """The special rules of the attacker's profile."""
        return () if self.attacker is None else self.attacker.unit.rules

    @property
    def rolls_for_building(self) -> bool:
        """Return True if a die is rolled for the building after the attack (Siegebreaker, AC-6)."""
        return self.target.garrisoned and self.attack.has("Siegebreaker")

    def counted_rating(self) -> RatingName:
        """Return the combat rating from bonuses and penalties (AC-3.1), even if another one is stated."""
        fight = self.fight if self.attack.rating is None else self.with_rating(None).fight
        return cast("RatingName", Rating(fight.rating).name.lower())

    def with_rating(self, rating: RatingName | None) -> Scenario:
        """Return the scenario with another stated rating, or with none."""
        return replace(self, attack=self.attack.model_copy(update={"rating": rating}))

    def relabelled(self, **changes: Any) -> Scenario:
        """Return a copy with changes that do not affect the fight, so that its records are reused."""
        copy = replace(self, **changes)
        vars(copy).update({key: vars(self)[key] for key in ("facts", "fight") if key in vars(self)})
        return copy

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives an equal scenario."""
        return {key: getattr(self, key).model_dump(mode="json") for key in ("attack", "target", "ruleset")}


def attack_record(attack: Attack, attacker: HasKeywords | None = None) -> AttackFacts:
    """Return the :data:`~analyser.rules.structs.ATTACK` record of an attack; `attacker` has its special rules."""
    assert attack.dice is not None
    in_parentheses = attack.dice_in_parentheses
    more = DICE_A_CARRIAGE * attack.carriages
    extra = attack.extra_reroll
    of_unit = () if attacker is None else attacker.keywords
    fumes = (keyword for keyword in of_unit if keyword.name == "Corrosive Fumes")
    numbers = {
        "dice": attack.dice + more,
        "dice_in_parentheses": NONE if in_parentheses is None else in_parentheses + more,
        "stated_rating": NONE if attack.rating is None else int(Rating[attack.rating.upper()]),
        "bonuses": sum(structs.Bonus[name.upper()] for name in set(attack.bonuses)),
        "penalties": sum(structs.Penalty[name.upper()] for name in set(attack.penalties)) | int(attack.concealed),
        "sight": structs.Sight[attack.line_of_sight.upper()],
        "extra_faces": face_mask(extra.faces) if extra else 0,
        "extra_dice": extra.dice if extra else 0,
        "corrosive": attack.distance is not None and any(attack.distance <= fume.inches for fume in fumes),
        "models": attack.attacker_models or MOST_MODELS,
        "damage": attack.attacker_damage,
        "damage_limit": attack.attacker_damage_limit,
        "charging": False,
        "die": 0,
        "is_a": IS_A[getattr(attacker, "type", None)] | IS_A[getattr(attacker, "category", None)],
        **house_rules_in("attacking", (*attack.keywords, *of_unit)),
    }
    return cast("AttackFacts", record_of(ATTACK, numbers, attack))


def attacks_by(ruleset: Ruleset, attacks: Iterable[AttackFacts]) -> NDArray[np.void]:
    """Return an array of attack records with the die of a ruleset."""
    records: NDArray[np.void] = np.array(list(attacks), ATTACK)
    records["die"] = packed_die(ruleset.die)
    return records


def target_record(target: Target, *, from_front: bool | None = None) -> Any:
    """Return a record of :data:`~analyser.rules.structs.TARGET` for a resolved target; read-only, because it is shared.

    `from_front` overrides the target's own value.
    """
    return _record_of_target(_FIELDS_OF_TARGET(target), from_front)


@lru_cache(maxsize=4096)  # many fights have the same targets
def _record_of_target(fields: tuple[Any, ...], from_front: bool | None) -> Any:
    target = Target.model_construct(**dict(zip(Target.model_fields, fields)))
    assert target.category is not None
    own = house_rules_of("attacked", target.keywords)
    numbers = {
        "category": structs.CATEGORIES.index(target.category),
        "close_formation": target.formation == "close",
        "officer": structs.Officer[target.officer.upper()],
        "flees": target.edge_distance is not None and target.edge_distance <= FALL_BACK_INCHES,
        "passes_tests": target.peer_review or target.has("Automata", "Irrepressible"),
        "resilient_front": target.has("Resilient"),
        "always_concealed": target.has("Shrouded", "Obfuscating"),
        "ground_unit": not (target.type in ("aircraft", "rotorcraft") or target.aircraft or target.has("Hover")),
        "concealed_by_obstacle": target.type in (None, "infantry", "cavalry", "field gun"),
        "steady": any("disordered" in rule.ignores for rule in own),
        "is_a": IS_A[target.type] | IS_A[target.category],
        **house_rules_in("attacked", target.keywords),
    }
    if target.discipline is not None:
        more = sum(rule.test for rule in own if rule.changes_every_test)
        numbers["discipline"] = max(target.discipline + more, 0)
    numbers |= {} if from_front is None else {"from_front": from_front}
    return shared(record_of(TARGET, numbers, target))


def house_rules_of(when: str, keywords: Iterable[Keyword]) -> list[HouseRule]:
    """Return the distinct house rules among keywords that count when the unit is attacking, or attacked."""
    rules = {keyword.name: keyword.house for keyword in keywords if keyword.house is not None}
    return [rule for rule in rules.values() if rule.when == when]


_NO_RULES = in_fields(())


def house_rules_in(when: str, keywords: Iterable[Keyword]) -> dict[str, int]:
    """Return the record fields with those house rules; InputError if there are more than fields."""
    rules = house_rules_of(when, keywords)
    if len(rules) > MOST_RULES:
        problem = f"{len(rules)} house rules of a unit when {when}"
        raise InputError(problem, where="rules", allowed=f"up to {MOST_RULES}")
    return in_fields(rules) if rules else _NO_RULES


def shared(record: Any) -> Any:
    """Return the record, made read-only."""
    record.setflags(write=False)
    return record


def record_of(dtype: np.dtype[np.void], numbers: Mapping[str, Any], source: HasKeywords | None = None) -> np.void:
    """Return a record of one of :mod:`analyser.rules.structs` with those `numbers` by field.

    A `source` (Attack or Target) fills in the other fields. The value is its key of that name (NONE if not set),
    otherwise 1 if it has the keyword of that name. Without a source they are 0.
    """
    names = dtype.names or ()
    assert numbers.keys() <= set(names), f"no fields of the record: {', '.join(numbers.keys() - set(names))}"
    keys = {} if source is None else vars(source)
    flags = () if source is None else {keyword.field for keyword in source.keywords}
    values = [numbers[name] if name in numbers else keys.get(name, name in flags) for name in names]
    record: np.void = np.array([tuple(NONE if value is None else value for value in values)], dtype)[0]
    return record


def fight_record(attack: AttackFacts, target: TargetFacts) -> FightFacts:
    """Return a record of :data:`~analyser.rules.structs.FIGHT`: one attack on one target, all conditions applied.

    The rules run as plain Python: compiling them for one call would take longer.
    """
    fight: Any = SimpleNamespace()
    set_fight(plain(attack), plain(target), fight)
    record: FightFacts = np.array([values_of_fight(fight)], FIGHT)[0]
    return record


def about_attack(scenario: Scenario, rating: RatingName) -> Iterator[str]:
    """Yield the warnings of an attack, whose rating is set only if stated; `rating` is the one that counts."""
    attack, target, attacker = scenario.attack, scenario.target, scenario.attacker
    yield from resolve.unknown_names(attack.keywords, "quality in attack.qualities")
    yield from resolve.unknown_names(target.keywords, "special rule in target.rules")
    yield from resolve.unknown_names(dict.fromkeys(scenario.attacker_rules), "special rule of the attacker")
    yield from resolve.about_target(target, "target")
    prioritised = target.exposed is not None and target.exposed < (target.models or 0)
    if prioritised and (target.garrisoned or target.has("Shrouded", "Obfuscating")):
        yield "exposed models: the target counts as concealed all the same (garrisoned, Shrouded, Obfuscating)"
    yield from resolve.more_than_level(attack.attacker_models, attacker, "attack.attacker_models")
    yield from resolve.more_than_level(target.models, scenario.defender, "target.models")
    if attack.attacker_garrisoned:
        yield from resolve.large_garrison(attack.attacker_models, "attack.attacker_garrisoned")
    if target.has("Resilient") and not target.from_front:
        yield "Resilient (Front) is counted only when target.from_front says that the attack comes from the front"
    if attack.distance is None and attacker is not None and attacker.unit.has("Corrosive Fumes"):
        yield "Corrosive Fumes needs attack.distance to count"
    if attack.has("Full Steam Ahead") and not attack.carriages:
        yield "Full Steam Ahead needs attack.carriages to count"
    if attack.has("Reactive") and not attack.opportunity_fire:
        yield "a Reactive row is for opportunity fire only (AC-6): computed as asked"
    if (attack.bonuses or attack.penalties) and rating != (counted := scenario.counted_rating()):
        yield f"attack.rating says {rating}, and that was used; the bonuses and penalties make it {counted}"
    if attack.extra_reroll and not scenario.fight.extra_dice:
        yield f"attack.extra_reroll has no effect: {rating}, and nothing more to re-roll (AC-3.5)"
    if target.taking_cover:
        in_the_open = replace(scenario, target=target.model_copy(update={"taking_cover": False}))
        if scenario.fight.defence == in_the_open.fight.defence:
            yield "target.taking_cover has no effect: the concealed penalty is not in effect (AC-4.3)"
    yield from _conditions_without_effect(scenario if attack.rating is None else scenario.with_rating(None))


_LETS_NOT_FIRE = {"attacker_reloading": "Slow to Fire", "attacker_advanced": "Move or Fire"}  # AC-6
_WARNED_OF_ELSEWHERE = {"officer", "taking_cover"}
_OF_AN_INLINE_ATTACK: dict[str, Any] = {"attacker_garrisoned": False, "attacker_damage_limit": 1} | dict.fromkeys(
    ("distance", "attacker_models", "dice_in_parentheses")
)
"""Keys that have an effect only without a profile; with one they select the row and its dice."""


def _usual(section: type[Record]) -> dict[str, Any]:
    """Return the conditions of a section with their default values: keys that no profile sets."""
    usual = {key: field.default for key, field in section.model_fields.items() if field.default not in (None, ())}
    return {key: value for key, value in usual.items() if key not in _WARNED_OF_ELSEWHERE | {*_OF_AN_INLINE_ATTACK}}


_CONDITIONS = {"attack": _usual(Attack), "target": _usual(Target) | {"exposed": None}}


def _conditions_without_effect(scenario: Scenario) -> Iterator[str]:
    """Yield a warning for each condition that does not change this attack, whose rating is not stated."""
    inline = {} if scenario.attacker is not None else _OF_AN_INLINE_ATTACK
    # conditions that are also a penalty, have a warning of their own, or select the band of a behemoth's row
    elsewhere = {*scenario.attack.penalties, *(["near_commander"] if scenario.target.disordered else [])}
    elsewhere |= {"attacker_damage"} if scenario.attacker and "behemoth" in scenario.attacker.unit.traits else set()
    for section, usual in (("attack", _CONDITIONS["attack"] | inline), ("target", _CONDITIONS["target"])):
        record = getattr(scenario, section)
        for key, value in usual.items():
            if getattr(record, key) in (value, None) or key in elsewhere:
                continue
            quality = _LETS_NOT_FIRE.get(key)
            if quality and scenario.attacker is not None:
                if not any(row.has(quality) for row in scenario.attacker.unit.rows):
                    yield f"{section}.{key} has no effect: no row of the attacker is {quality} (AC-6)"
                continue
            without: Any = {section: record.model_copy(update={key: value})}
            if _facts_that_count(replace(scenario, **without)) == _facts_that_count(scenario):
                yield f"{section}.{key} has no effect on this attack"


def _facts_that_count(scenario: Scenario) -> dict[str, int]:
    """Return all facts that affect the probabilities of an attack."""
    facts: dict[str, int] = vars(plain(scenario.fight))
    left_out = [] if facts["overcharge"] else ["attacker_models", "attacker_damage", "attacker_damage_limit"]
    left_out += [] if facts["cryo"] else ["activated"]
    left_out += ["models_without_room"] if facts["test"] in (structs.Test.NOT_TAKEN, structs.Test.PASSED) else []
    return facts | dict.fromkeys(left_out, 0) | {"wrecks": scenario.rolls_for_building}


def resolved(file: ScenarioFile, library: Profiles) -> Scenario:
    """Return the attack of a checked `file`."""
    attacker = resolve.looked_up(file.attack.attacker, library, "attack.attacker")
    return scenario_between(file, attacker, resolve.looked_up(file.target.unit, library, "target.unit"))


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """Return the attack of a checked `file` between two loadouts, which need not be in a profile file."""
    target = resolve.resolve_target(file.target, defender)
    row, reason = row_for(file.attack, attacker, target, file.ruleset)
    scenario = Scenario(resolve.resolve_attack(file.attack, attacker, row), target, file.ruleset, attacker, defender)
    rating = file.attack.rating or scenario.counted_rating()
    warnings = (*([reason] if reason else []), *about_attack(scenario, rating))
    return scenario.relabelled(attack=scenario.attack.model_copy(update={"rating": rating}), warnings=warnings)


RANKED_BY = {
    "mean_models_destroyed": "expected models destroyed",
    "p_annihilated": "probability of annihilation",
    "mean_damage": "expected damage",
}
"""Figures that rank rows, most important first; the first row on the card wins ties."""


def best_of(summaries: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the index of the best attack on each target, by :data:`RANKED_BY`; the first of equals: (targets,).

    `summaries`: shape (attacks, targets), NaN if an attack is impossible; the index is -1 if all are.
    """
    best = np.full(summaries.shape[1], -1, np.int64)
    highest = np.full((len(RANKED_BY), summaries.shape[1]), -1.0)
    for place, attack in enumerate(summaries):
        figures = np.array([np.nan_to_num(attack[name], nan=-1.0) for name in RANKED_BY])
        better, equal = np.zeros(len(best), np.bool_), np.ones(len(best), np.bool_)
        for figure, other in zip(figures, highest):
            better |= equal & (figure > other + CERTAIN_WITHIN)
            equal &= np.abs(figure - other) <= CERTAIN_WITHIN
        best[better] = place
        highest[:, better] = figures[:, better]
    return best


def summaries_of(attacks: Sequence[AttackFacts], target: TargetFacts, ruleset: Ruleset) -> NDArray[np.void]:
    """Return exact summaries of several attacks on one target; NaN for those without dice."""
    can_be_made, die = np.array([[attack.dice > 0] for attack in attacks]), np.array(ruleset.die.faces, np.int64)
    return sweep(attacks_by(ruleset, attacks), np.array([target], TARGET), can_be_made, die, ruleset.deck.counts())


def row_for(attack: Attack, attacker: Loadout | None, target: Target, ruleset: Ruleset) -> tuple[Row | None, str]:
    """Return the row that attacks a resolved target, and a sentence with the reason if it was the best of several."""
    if attacker is None:
        if attack.row is not None:
            raise InputError("a row without an attacker", where="attack.row", allowed="give attack.attacker too")
        return None, ""
    row = None if attack.row is None else resolve.row_named(attacker.unit.rows, attack.row, "attack.row")
    if row is not None and resolve.why_not(row, attack, attacker, target) is None:
        return row, ""
    why_not = {candidate.id: resolve.why_not(candidate, attack, attacker, target) for candidate in attacker.unit.rows}
    fitting = [candidate for candidate in attacker.unit.rows if why_not[candidate.id] is None]
    if row is not None:
        allowed = ", ".join(candidate.id for candidate in fitting)
        problem = f"row {row.id!r} cannot make this attack: {why_not[row.id]}"
        raise InputError(problem + ("" if fitting else "; no other row fits"), where="attack.row", allowed=allowed)
    if not fitting:
        ranged = [
            candidate.id for candidate in attacker.unit.rows if candidate.kind == "ranged"
        ]  # no other row is expected to fire
        reasons = "; ".join(f"{name}: {why_not[name]}" for name in ranged or why_not) or "the unit has no rows"
        instead = "" if ranged else "; it can charge: analyser charge"
        problem = f"{attacker.selector}: no row can make this attack ({reasons}{instead})"
        raise InputError(problem, where="attack.row")
    if len(fitting) == 1:
        return fitting[0], ""
    made = _candidates(attack, attacker, fitting)
    candidates = [candidate for candidate, _ in made]
    summaries = summaries_of([record for _, record in made], target_record(target), ruleset)
    best = int(best_of(summaries)[0])
    return candidates[best], f"attack.row is not given: {_reason(candidates, best, summaries[:, 0])}"


def _candidates(attack: Attack, attacker: Loadout, rows: Sequence[Row]) -> list[tuple[Row, AttackFacts]]:
    """Return the rows with the qualities that `attack` uses (Overcharge, Turret), and their records."""
    made, refusals = [], []
    for row in rows:
        try:
            made.append((row, attack_record(resolve.resolve_attack(attack, attacker, row), attacker.unit)))
        except InputError as error:
            refusals.append(error)
    if not made:
        raise refusals[0]
    return made


def _reason(rows: Sequence[Row], best: int, summaries: NDArray[np.void]) -> str:
    """Return the reason for a row: the figure in which it exceeds every other row, and their values."""
    if len(rows) == 1:
        return f"row {rows[0].id!r} is the only one that can make this attack"
    others = [place for place in range(len(rows)) if place != best]
    for name, what in RANKED_BY.items():
        figures = summaries[name]
        if (figures[best] > figures[others] + CERTAIN_WITHIN).all():
            rivals = ", ".join(f"{rows[place].id} {figures[place]:.3g}" for place in others)
            return f"row {rows[best].id!r} has the highest {what}: {figures[best]:.3g} ({rivals})"
    rivals = ", ".join(repr(rows[place].id) for place in others)
    return f"row {rows[best].id!r} is the first of the best (compared with {rivals})"
