"""Resolve and check attack scenarios, warn about them, and make their records of integers for the engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.kernel_records import python_copy
from analyser.common.validation import Record
from analyser.engine.attack.summaries import distinct_summaries
from analyser.game.house_rules import HouseRule
from analyser.game.keywords import HasKeywords, Keyword, Rule
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Rating, RatingName, Ruleset, face_mask
from analyser.game.units import MOST_MODELS, Loadout, Row
from analyser.rules import structs
from analyser.rules.attack import set_fight
from analyser.rules.house_rules import IS_A, MOST_RULES, pack_die, record_fields
from analyser.rules.shots import DICE_PER_CARRIAGE
from analyser.rules.structs import ATTACK, FIGHT, INCH, NONE, TARGET, AttackFacts, FightFacts, TargetFacts
from analyser.rules.unit_state import FALL_BACK
from analyser.scenarios import resolve
from analyser.scenarios.schema import Attack, ScenarioFile, Target

_target_values = attrgetter(*Target.model_fields)
values_of_fight = attrgetter(*(FIGHT.names or ()))


@dataclass(frozen=True)
class Scenario:
    """A resolved attack: profiles looked up, defaults filled in, everything checked."""

    kind: ClassVar[Literal["attack"]] = "attack"

    attack: Attack
    target: Target
    ruleset: Ruleset
    attacker: Loadout | None = None
    defender: Loadout | None = None
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @cached_property
    def derived(self) -> dict[str, Any]:
        """Cache for objects that other modules derive from the scenario, by name."""
        return {}

    @cached_property
    def facts(self) -> tuple[AttackFacts, TargetFacts]:
        """Records of the attack and of the target."""
        unit = None if self.attacker is None else self.attacker.unit
        attack: Any = attack_record(self.attack, unit)
        attack.die = pack_die(self.ruleset.die) if self.ruleset.die.changed else 0
        return attack, target_record(self.target)

    @cached_property
    def fight(self) -> FightFacts:
        """Record of the attack on the target with all conditions applied."""
        return fight_record(*self.facts)

    @property
    def attacker_rules(self) -> tuple[Rule, ...]:
        """The special rules of the attacker's profile."""
        return () if self.attacker is None else self.attacker.unit.rules

    @property
    def rolls_for_building(self) -> bool:
        """Return True if a die is rolled for the building after the attack (Siegebreaker, AC-6)."""
        return self.target.garrisoned and self.attack.has("Siegebreaker")

    def rating_from_conditions(self) -> RatingName:
        """Return the combat rating from bonuses and penalties (AC-3.1), even if another rating is stated."""
        fight = self.fight if self.attack.rating is None else self.with_rating(None).fight
        return cast("RatingName", Rating(fight.rating).name.lower())

    def with_rating(self, rating: RatingName | None) -> Scenario:
        """Return the scenario with another stated rating, or with no stated rating."""
        return replace(self, attack=self.attack.model_copy(update={"rating": rating}))

    def with_same_fight(self, **changes: Any) -> Scenario:
        """Return a copy with changes that do not affect the fight; the copy shares the records of this scenario."""
        copy = replace(self, **changes)
        vars(copy).update({key: vars(self)[key] for key in ("facts", "fight") if key in vars(self)})
        return copy

    def as_dict(self) -> dict[str, Any]:
        """Return the scenario as plain data with all defaults; loading it gives the same attack."""
        return {key: getattr(self, key).model_dump(mode="json") for key in ("attack", "target", "ruleset")}


def attack_record(attack: Attack, attacker: HasKeywords | None = None) -> AttackFacts:
    """Return the :data:`~analyser.rules.structs.ATTACK` record of an attack; `attacker` is the attacking unit."""
    assert attack.dice is not None
    in_parentheses = attack.dice_in_parentheses
    more = DICE_PER_CARRIAGE * attack.carriages
    extra = attack.extra_reroll
    unit_keywords = () if attacker is None else attacker.keywords
    fumes = [keyword.inches for keyword in unit_keywords if keyword.name == "Corrosive Fumes"]
    numbers = {
        "dice": attack.dice + more,
        "dice_in_parentheses": NONE if in_parentheses is None else in_parentheses + more,
        "stated_rating": NONE if attack.rating is None else int(Rating[attack.rating.upper()]),
        "bonuses": sum(structs.Bonus[name.upper()] for name in set(attack.bonuses)),
        "penalties": sum(structs.Penalty[name.upper()] for name in set(attack.penalties)) | int(attack.concealed),
        "sight": structs.Sight[attack.line_of_sight.upper()],
        "extra_faces": face_mask(extra.faces) if extra else 0,
        "extra_dice": extra.dice if extra else 0,
        "corrosive": attack.distance is not None and any(attack.distance <= reach for reach in fumes),
        "models": attack.attacker_models or MOST_MODELS,
        "damage": attack.attacker_damage,
        "damage_limit": attack.attacker_damage_limit,
        "charging": False,
        "die": 0,
        "is_a": IS_A[getattr(attacker, "type", None)] | IS_A[getattr(attacker, "category", None)],
        **house_rule_fields("attacking", (*attack.keywords, *unit_keywords)),
    }
    return cast("AttackFacts", record_of(ATTACK, numbers, attack))


def attack_records(ruleset: Ruleset, attacks: Iterable[AttackFacts]) -> NDArray[np.void]:
    """Return an array of attack records with the die of a ruleset."""
    records: NDArray[np.void] = np.array(list(attacks), ATTACK)
    records["die"] = pack_die(ruleset.die)
    return records


def target_record(target: Target) -> Any:
    """Return the read-only record of a resolved target."""
    return _record_of_target(_target_values(target))


@lru_cache(maxsize=4096)  # many fights have the same targets
def _record_of_target(fields: tuple[Any, ...]) -> Any:
    target = Target.model_construct(**dict(zip(Target.model_fields, fields)))
    assert target.category is not None
    house_rules = house_rules_of("attacked", target.keywords)
    numbers = {
        "category": structs.CATEGORIES.index(target.category),
        "close_formation": target.formation == "close",
        "officer": structs.Officer[target.officer.upper()],
        "flees": target.edge_distance is not None and target.edge_distance * INCH <= FALL_BACK,
        "passes_tests": target.peer_review or target.has("Automata", "Irrepressible"),
        "resilient_front": target.has("Resilient"),
        "always_concealed": target.has("Shrouded", "Obfuscating"),
        "ground_unit": not (target.type in ("aircraft", "rotorcraft") or target.aircraft or target.has("Hover")),
        "concealed_by_obstacle": target.type in (None, "infantry", "cavalry", "field gun"),
        "steady": any("disordered" in rule.ignores for rule in house_rules),
        "is_a": IS_A[target.type] | IS_A[target.category],
        **house_rule_fields("attacked", target.keywords),
    }
    if target.discipline is not None:
        more = sum(rule.test for rule in house_rules if rule.changes_every_test)
        numbers["discipline"] = max(target.discipline + more, 0)
    return freeze(record_of(TARGET, numbers, target))


def house_rules_of(when: str, keywords: Iterable[Keyword]) -> list[HouseRule]:
    """Return the distinct house rules among keywords for one role of the unit: "attacking" or "attacked" (`when`)."""
    rules = {keyword.name: keyword.house for keyword in keywords if keyword.house is not None}
    return [rule for rule in rules.values() if rule.when == when]


_NO_HOUSE_RULES = record_fields(())


def house_rule_fields(when: str, keywords: Iterable[Keyword]) -> dict[str, int]:
    """Return the record fields for the house rules among keywords; InputError if there are too many rules."""
    rules = house_rules_of(when, keywords)
    if len(rules) > MOST_RULES:
        problem = f"a unit has {len(rules)} house rules for when it is {when}"
        raise InputError(problem, where="rules", allowed=f"up to {MOST_RULES}")
    return record_fields(rules) if rules else _NO_HOUSE_RULES


def freeze(record: Any) -> Any:
    """Make a record read-only, and return it."""
    record.setflags(write=False)
    return record


def record_of(dtype: np.dtype[np.void], numbers: Mapping[str, Any], source: HasKeywords | None = None) -> np.void:
    """Return a record of type `dtype`; `numbers` has the values of some fields by name. None is stored as NONE.

    Any other field is the attribute of `source` with its name, else 1 if `source` has a keyword of that name, else 0.
    """
    names = dtype.names or ()
    assert numbers.keys() <= set(names), f"unknown fields of the record: {', '.join(numbers.keys() - set(names))}"
    keys = {} if source is None else vars(source)
    flags = () if source is None else {keyword.field for keyword in source.keywords}
    values = [numbers[name] if name in numbers else keys.get(name, name in flags) for name in names]
    record: np.void = np.array([tuple(NONE if value is None else value for value in values)], dtype)[0]
    return record


def fight_record(attack: AttackFacts, target: TargetFacts) -> FightFacts:
    """Return the record of an attack on a target; `set_fight` runs uncompiled, because compiling takes longer."""
    fight: Any = SimpleNamespace()
    set_fight(python_copy(attack), python_copy(target), fight)
    record: FightFacts = np.array([values_of_fight(fight)], FIGHT)[0]
    return record


def attack_warnings(scenario: Scenario, rating: RatingName) -> Iterator[str]:
    """Yield the warnings of an attack; `rating` is its combat rating, stated or computed."""
    attack, target, attacker = scenario.attack, scenario.target, scenario.attacker
    yield from resolve.unknown_name_warnings(attack.keywords, "quality in attack.qualities")
    yield from resolve.unknown_name_warnings(target.keywords, "special rule in target.rules")
    yield from resolve.unknown_name_warnings(dict.fromkeys(scenario.attacker_rules), "special rule of the attacker")
    yield from resolve.target_warnings(target, "target")
    prioritised = target.exposed is not None and target.exposed < (target.models or 0)
    if prioritised and (target.garrisoned or target.has("Shrouded", "Obfuscating")):
        yield "target.exposed: the exposed models also count as concealed (garrisoned, Shrouded, Obfuscating)"
    yield from resolve.model_warnings(attack.attacker_models, attacker, "attack.attacker_models")
    yield from resolve.model_warnings(target.models, scenario.defender, "target.models")
    if attack.attacker_garrisoned:
        yield from resolve.garrison_warnings(attack.attacker_models, "attack.attacker_garrisoned")
    if target.has("Resilient") and not target.from_front:
        yield "Resilient (Front) counts only if target.from_front is true (the attack comes from the front)"
    if attack.distance is None and attacker is not None and attacker.unit.has("Corrosive Fumes"):
        yield "Corrosive Fumes counts only if attack.distance is stated"
    if attack.has("Full Steam Ahead") and not attack.carriages:
        yield "Full Steam Ahead counts only if attack.carriages is stated"
    if attack.has("Reactive") and not attack.opportunity_fire:
        yield "a Reactive row fires only opportunity fire (AC-6); the attack is computed nevertheless"
    if (attack.bonuses or attack.penalties) and rating != (from_conditions := scenario.rating_from_conditions()):
        yield f"the stated attack.rating {rating} is used; the bonuses and penalties alone would give {from_conditions}"
    if attack.extra_reroll and not scenario.fight.extra_dice:
        yield f"attack.extra_reroll has no effect: at {rating} there are no further dice to re-roll (AC-3.5)"
    if scenario.fight.extra_faces & scenario.fight.strike_faces and scenario.fight.strike_hits:
        yield "attack.extra_reroll also re-rolls strikes, which can lower the hits (AC-3.5)"
    if target.taking_cover:
        in_the_open = replace(scenario, target=target.model_copy(update={"taking_cover": False}))
        if scenario.fight.defence == in_the_open.fight.defence:
            yield "target.taking_cover has no effect, because the target is not concealed (AC-4.3)"
    yield from _impossible_combinations(attack)
    yield from _conditions_without_effect(scenario if attack.rating is None else scenario.with_rating(None))


_MANOEUVRES = ("aiming", "reforming", "attacker_advanced")
_NO_MANOEUVRE = {
    "attacker_garrisoned": "a unit makes no manoeuvre in a building (AC-4.4)",
    "opportunity_fire": "opportunity fire is in the enemy's turn, and manoeuvres count in the unit's own turn (AC-4.2)",
}


def _impossible_combinations(attack: Attack) -> Iterator[str]:
    """Yield a warning for each pair of conditions that the rules exclude; the attack is computed nevertheless."""
    stated = {*attack.bonuses, *attack.penalties, *(key for key, value in attack if value is True)}
    made = [name for name in _MANOEUVRES if name in stated]
    for first, second in combinations(made, 2):
        yield f"{first} and {second} contradict each other: a unit makes one manoeuvre in its turn (AC-4.2)"
    for state, reason in _NO_MANOEUVRE.items():
        for manoeuvre in made if state in stated else ():
            yield f"{state} and {manoeuvre} contradict each other: {reason}"
    if attack.distance == 0:
        yield f"attack.distance {resolve.IN_CONTACT}"


_QUALITY_OF_CONDITION = {"attacker_reloading": "Slow to Fire", "attacker_advanced": "Move or Fire"}  # AC-6
_OTHER_WARNINGS = {"officer", "taking_cover"}  # keys that have a warning of their own
_DEFAULTS_WITHOUT_PROFILE: dict[str, Any] = {"attacker_garrisoned": False, "attacker_damage_limit": 1} | dict.fromkeys(
    ("distance", "attacker_models", "dice_in_parentheses")
)
"""Defaults of keys checked only if the attacker has no profile; with a profile, they select the row and its dice."""


def _default_conditions(section: type[Record]) -> dict[str, Any]:
    """Return the conditions of a section (keys that no profile sets) with their default values."""
    defaults = {key: field.default for key, field in section.model_fields.items() if field.default not in (None, ())}
    excluded = _OTHER_WARNINGS | {*_DEFAULTS_WITHOUT_PROFILE}
    return {key: value for key, value in defaults.items() if key not in excluded}


_CONDITIONS = {
    "attack": _default_conditions(Attack),
    "target": _default_conditions(Target) | {"exposed": None, "edge_distance": None, "behemoth": False},
}


def _conditions_without_effect(scenario: Scenario) -> Iterator[str]:
    """Yield a warning for each condition that does not change the attack; `scenario` has no stated rating."""
    attacker = scenario.attacker
    unstated = _DEFAULTS_WITHOUT_PROFILE if attacker is None else {"attacker_damage_limit": attacker.unit.damage_limit}
    # Skip conditions that are also a penalty, have a warning of their own, or select the band of a behemoth's row.
    skipped = {*scenario.attack.penalties, *(["near_commander"] if scenario.target.disordered else [])}
    skipped |= {"attacker_damage"} if attacker and "behemoth" in attacker.unit.traits else set()
    skipped |= {"behemoth"} if scenario.defender and "behemoth" in scenario.defender.unit.traits else set()
    for section, defaults in (("attack", _CONDITIONS["attack"] | unstated), ("target", _CONDITIONS["target"])):
        record = getattr(scenario, section)
        for key, value in defaults.items():
            if getattr(record, key) in (value, None) or key in skipped:
                continue
            quality = _QUALITY_OF_CONDITION.get(key)
            if quality and scenario.attacker is not None:
                if not any(row.has(quality) for row in scenario.attacker.unit.rows):
                    yield f"{section}.{key} has no effect: no row of the attacker is {quality} (AC-6)"
                continue
            with_default: Any = {section: record.model_copy(update={key: value})}
            if _relevant_facts(replace(scenario, **with_default)) == _relevant_facts(scenario):
                yield f"{section}.{key} has no effect on this attack"


def _relevant_facts(scenario: Scenario) -> dict[str, int]:
    """Return the facts of an attack, with 0 for facts that do not affect its probabilities."""
    facts: dict[str, int] = vars(python_copy(scenario.fight))
    irrelevant = [] if facts["overcharge"] else ["attacker_models", "attacker_damage", "attacker_damage_limit"]
    irrelevant += [] if facts["cryo"] else ["activated"]
    may_fail = facts["test"] not in (structs.Test.NOT_TAKEN, structs.Test.PASSED)
    irrelevant += [] if may_fail and facts["suppressed"] else ["models_without_room", "flees"]  # does not fall back
    irrelevant += ["near_commander"] if facts["officer"] == structs.Officer.LAST else []
    irrelevant += [] if facts["penetrating"] else ["behemoth"]
    return facts | dict.fromkeys(irrelevant, 0) | {"wrecks": scenario.rolls_for_building}


def resolve_scenario(file: ScenarioFile, library: Profiles) -> Scenario:
    """Return the attack of a checked `file`."""
    attacker = resolve.look_up(file.attack.attacker, library, "attack.attacker")
    return scenario_between(file, attacker, resolve.look_up(file.target.unit, library, "target.unit"))


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """Return the attack of a checked `file` between two loadouts, which need not be in a profile file."""
    target = resolve.resolve_target(file.target, defender)
    row, reason = choose_row(file.attack, attacker, target, file.ruleset)
    scenario = Scenario(resolve.resolve_attack(file.attack, attacker, row), target, file.ruleset, attacker, defender)
    rating = file.attack.rating or scenario.rating_from_conditions()
    warnings = (*([reason] if reason else []), *attack_warnings(scenario, rating))
    if "short_range" in set(file.attack.bonuses) - set(scenario.attack.bonuses):
        row_name = f"row {scenario.attack.row!r} of {scenario.attack.attacker}"
        warnings = (*warnings, f"{row_name} has no short range (AC-4.1): it attacks without this bonus")
    return scenario.with_same_fight(attack=scenario.attack.model_copy(update={"rating": rating}), warnings=warnings)


RANKED_BY = {
    "mean_models_destroyed": "expected models destroyed",
    "p_annihilated": "probability of annihilation",
    "mean_damage": "expected damage",
}
"""Figures that rank rows, the most important first; of equally good rows the first in the profile is chosen."""


def best_attacks(summaries: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the index of the best attack on each target (-1 if all are NaN); `summaries`: shape (attacks, targets)."""
    return best_by_figures(np.array([summaries[name] for name in RANKED_BY]))


def best_by_figures(ranking: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the index of the best attack on each target; `ranking` has the shape (figures, attacks, targets)."""
    best = np.full(ranking.shape[2], -1, np.int64)
    highest = np.full((len(ranking), len(best)), -1.0)
    for index in range(ranking.shape[1]):
        figures = np.nan_to_num(ranking[:, index], nan=-1.0)
        better, equal = np.zeros(len(best), np.bool_), np.ones(len(best), np.bool_)
        for figure, best_figure in zip(figures, highest):
            better |= equal & (figure > best_figure + CERTAIN_WITHIN)
            equal &= np.abs(figure - best_figure) <= CERTAIN_WITHIN
        best[better] = index
        highest[:, better] = figures[:, better]
    return best


def summaries_of(attacks: Sequence[AttackFacts], target: TargetFacts, ruleset: Ruleset) -> NDArray[np.void]:
    """Return exact summaries of several attacks on one target, shape (attacks, 1); NaN for an attack without dice."""
    can_be_made = np.array([[attack.dice > 0] for attack in attacks])
    records, targets = attack_records(ruleset, attacks), np.array([target], TARGET)
    die = np.array(ruleset.die.sides_by_face, np.int64)
    return distinct_summaries(records, targets, can_be_made, die, ruleset.deck.counts()).table


def choose_row(attack: Attack, attacker: Loadout | None, target: Target, ruleset: Ruleset) -> tuple[Row | None, str]:
    """Return the attacking row (None without attacker), and the reason for a choice; InputError if no row can."""
    if attacker is None:
        if attack.row is not None:
            raise InputError("a row without an attacker", where="attack.row", allowed="also state attack.attacker")
        return None, ""
    row = None if attack.row is None else resolve.find_row(attacker.unit.rows, attack.row, "attack.row")
    if row is not None and resolve.why_not(row, attack, attacker, target) is None:
        return row, ""
    why_not = {candidate.id: resolve.why_not(candidate, attack, attacker, target) for candidate in attacker.unit.rows}
    possible = [candidate for candidate in attacker.unit.rows if why_not[candidate.id] is None]
    if row is not None:
        allowed = ", ".join(candidate.id for candidate in possible)
        problem = f"row {row.id!r} cannot make this attack: {why_not[row.id]}"
        raise InputError(problem + ("" if possible else "; no other row can"), where="attack.row", allowed=allowed)
    if not possible:
        ranged = [candidate.id for candidate in attacker.unit.rows if candidate.kind == "ranged"]
        reasons = "; ".join(f"{name}: {why_not[name]}" for name in ranged or why_not) or "the unit has no rows"
        can_charge = not ranged and attacker.unit.rows and not attacker.unit.has("Static")
        instead = "; it can charge: analyser charge" if can_charge else ""
        raise InputError(f"{attacker.selector}: no row can make this attack ({reasons}{instead})")
    if len(possible) == 1:
        return possible[0], ""
    candidates = _candidates(attack, attacker, possible)
    rows = [candidate for candidate, _ in candidates]
    summaries = summaries_of([record for _, record in candidates], target_record(target), ruleset)
    best = int(best_attacks(summaries)[0])
    return rows[best], f"attack.row is not stated: {_reason(rows, best, summaries[:, 0])}"


def _candidates(attack: Attack, attacker: Loadout, rows: Sequence[Row]) -> list[tuple[Row, AttackFacts]]:
    """Return rows with their attack records, if they have the qualities that `attack` uses (Overcharge, Turret)."""
    candidates, errors = [], []
    for row in rows:
        try:
            candidates.append((row, attack_record(resolve.resolve_attack(attack, attacker, row), attacker.unit)))
        except InputError as error:
            errors.append(error)
    if not candidates:
        raise errors[0]
    return candidates


def _reason(rows: Sequence[Row], best: int, summaries: NDArray[np.void]) -> str:
    """Return the reason for choosing row `best`: the figure in which it exceeds every other row, with all values."""
    if len(rows) == 1:
        return f"row {rows[0].id!r} is the only row that can make this attack"
    others = [index for index in range(len(rows)) if index != best]
    for name, title in RANKED_BY.items():
        figures = summaries[name]
        if (figures[best] > figures[others] + CERTAIN_WITHIN).all():
            rivals = ", ".join(f"{rows[index].id} {figures[index]:.3g}" for index in others)
            return f"row {rows[best].id!r} has the highest {title}: {figures[best]:.3g} ({rivals})"
    rivals = ", ".join(repr(rows[index].id) for index in others)
    return f"row {rows[best].id!r} is the first of the equally good rows (compared with {rivals})"
