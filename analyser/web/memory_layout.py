"""Facts about units for the WebAssembly module, and the layout of its memory, as plain data for JSON.

`module.js` writes and reads fields of records by name, and has no rules of the game. Numbers of a unit can be changed
before a call (``unit.numbers.defence = 3``). The ``conditions`` of a call are values by name; those of units are in
``attacker`` and ``target``. Conditions that are left out or null have defaults. The default tactic in duels is to shoot
with the best row; a unit that cannot shoot charges, or else takes cover. Answers have figures by name. If an answer has
a ``refused`` other than 0, ``layout.refusals[refused]`` is the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from analyser.common.errors import InputError
from analyser.engine.fight.step_builder import UnitFacts
from analyser.game.profiles import library_of
from analyser.game.ruleset import Rating, Ruleset
from analyser.game.units import Loadout, Row
from analyser.rules.house_rules import pack_die
from analyser.rules.policies import Policy
from analyser.rules.shots import RowFacts, WhyNot
from analyser.rules.structs import INCH, NONE, Officer, Sight
from analyser.scenarios.attack import attack_record, target_record
from analyser.scenarios.fight_records import unit_facts as facts_of
from analyser.scenarios.resolve import WHY_NOT, resolve_combatant, row_facts, veteran_of
from analyser.scenarios.schema import BONUSES, PENALTIES, Attack, Charge, Combatant, DuelTerms, Target
from analyser.web.memory_records import (
    ANSWERS,
    MOST_BANDS,
    MOST_CARDS,
    MOST_MODELS,
    MOST_ROWS,
    QUESTION,
    BandFacts,
    Circumstances,
    Kind,
    Refusal,
)

REFUSALS: Mapping[int, str] = {
    WhyNot.IT_CAN: "",
    WhyNot.NOT_RANGED: "it is not a ranged row",
    WhyNot.CATEGORY: "it does not fire at such targets",
    WhyNot.OUT_OF_RANGE: "the target is out of range",
    WhyNot.NO_DICE: "no attack dice for this number of models",
    **{int(reason): text for reason, text in WHY_NOT.items()},
    Refusal.IS_STATIC: "a Static unit cannot charge",
    Refusal.NO_ROW_TO_CHARGE_WITH: "it has no melee or impact row to charge with",
    Refusal.CANNOT_BE_CHARGED: "the target cannot be charged",
    Refusal.IN_BUILDING: "a unit in a building cannot charge: it can only exit",
    Refusal.AIRCRAFT: "an aircraft cannot fight a duel: it only flies sorties",
    Refusal.NO_ROW_TO_SHOOT_WITH: "it has no ranged row that its policy can fire at such targets",
    Refusal.NO_ALL_OUT_ATTACK: "it does not have the rule All-Out Attack",
    Refusal.TOO_MANY_POSITIONS: "the distances are too fine or too long: use whole inches, or fewer rounds",
    Refusal.FRONT_ALL_ROUND: "a unit in a building has its front on every side",
    Refusal.TOO_LARGE: "this duel is too large for the page: set fewer rounds or no distance, or use the command line",
}
"""Reasons why a question has no answer."""


class Condition(NamedTuple):
    """Condition that the user of a page can set."""

    name: str
    kind: str  # "flag", "count", "models" (a number of the unit's models), "inches", "choice" or "row"
    label: str
    questions: tuple[str, ...]  # kinds of questions that use it
    field: str = ""  # field of the record; empty if it is called `name`
    choices: tuple[tuple[str, int], ...] = ()
    needs: str = ""  # rule, quality or type without which a unit cannot have the condition
    panel: str = "attack"  # panel that has its control: "attack", "charge" or "duel"; empty: no control
    side: str = "fight"  # "attacker", "target" or "fight"
    rank: int = 0  # order of the conditions that are always shown; 0: under "More conditions"
    of_row: bool = False  # if it is set, rows without the quality `needs` cannot fire

    def record(self) -> dict[str, Any]:
        """Return the condition as plain data for the page; `often` marks conditions that are always shown."""
        role = "attacker" if self.side == "fight" else self.side
        record: dict[str, Any] = {"name": self.name, "side": self.side, "kind": self.kind, "label": self.label}
        record |= {"in": list(self.questions), "field": self.field or self.name, "description": self.description}
        record |= {"role": role, "panel": self.panel, "often": self.rank > 0}
        record |= {"choices": dict(self.choices)} if self.choices else {}
        return record | ({"needs": self.needs, "ofRow": self.of_row} if self.needs else {})

    @property
    def description(self) -> str:
        """Description of the scenario key with the same name; empty without such a key."""
        modifiers: tuple[Mapping[Any, str], ...] = (BONUSES, PENALTIES)
        if self.side == "fight" and (text := next((texts[self.name] for texts in modifiers if self.name in texts), "")):
            return text
        sections = {"fight": (Attack, DuelTerms), "target": (Target,), "attacker": (Charge,)}[self.side]
        fields = (section.model_fields.get(self.name) for section in sections)
        return next((field.description for field in fields if field and field.description), "")


_IN_ATTACKS, _IN_DUELS = ("attack",), ("duel",)
_IN_ALL, _IN_COMBATS, _IN_SHOTS = ("attack", "charge", "duel"), ("charge", "duel"), ("attack", "duel")
_OFFICERS = tuple((officer.name.lower(), int(officer)) for officer in Officer)
_FORMATIONS, _OVERRUNS = (("close", 1), ("open", 0)), (("yes", 1), ("no", 0))
_SIDES = (("attacker", 0), ("target", 1))
_SIGHTS = tuple((sight.name.lower(), int(sight)) for sight in Sight)
_RATINGS = tuple((rating.name.lower(), int(rating)) for rating in Rating)
_POLICIES = tuple((policy.name.lower(), int(policy)) for policy in Policy)


def _unit_conditions() -> Iterator[Condition]:
    for side in ("attacker", "target"):
        unit, is_target = partial(Condition, side=side), side == "target"
        # kinds of questions in which conditions for tests, charges, incoming shots and reloading matter
        in_tests, charges = (_IN_ALL, _IN_DUELS) if is_target else (_IN_COMBATS, _IN_COMBATS)
        shots = _IN_SHOTS if is_target else _IN_DUELS
        reloads = _IN_DUELS if is_target else _IN_SHOTS
        in_charge = "" if is_target else "charge"  # panel for conditions of a charge; none for a target
        yield unit("models", "count", "models left", _IN_ALL, panel="")
        yield unit("damage", "count", "damage", _IN_ALL, panel="")
        yield unit("suppressed", "flag", "suppressed", _IN_ALL, rank=4 if is_target else 2)
        yield unit("disordered", "flag", "disordered", in_tests, rank=5 if is_target else 0)
        yield unit("activated", "flag", "activated", in_tests)
        yield unit("garrisoned", "flag", "in a building", _IN_ALL, needs="infantry", rank=3 if is_target else 0)
        yield unit("taking_cover", "flag", "taking cover", shots, rank=2 if is_target else 0)
        yield unit("near_commander", "flag", "near a commander", in_tests)
        yield unit("from_front", "flag", "attacked from its front", in_tests, needs="Resilient")
        yield unit("obstacle", "flag", "behind an obstacle", shots)
        yield unit("exposed", "models", "exposed models", shots)
        yield unit("edge_distance", "inches", "distance to its table edge", in_tests)
        yield unit("formation", "choice", "formation", in_tests, "close_formation", _FORMATIONS)
        yield unit("officer", "choice", "officer falls", in_tests, "", _OFFICERS)
        yield unit("models_without_room", "models", "models without room to fall back", in_tests)
        yield unit("withdraws_without_room", "models", "models without room to withdraw", _IN_COMBATS, panel=in_charge)
        yield unit("fail_on_purpose", "flag", "fails its test on purpose", in_tests)
        yield unit("peer_review", "flag", "near Peer Review", in_tests, "passes_tests")
        yield unit("chain_of_command", "flag", "Chain of Command", in_tests, needs="Chain of Command")
        yield unit("reloading", "flag", "reloading", reloads, needs="Slow to Fire", rank=0 if is_target else 3)
        yield unit("on_lookout", "flag", "on lookout", _IN_DUELS, panel="duel")
        yield unit("ammo_supply", "flag", "near Ammo Supply", _IN_DUELS)
        yield unit("concealed", "flag", "concealed", _IN_DUELS, rank=1 if is_target else 0)
        yield unit("carriages", "count", "carriages", _IN_COMBATS, needs="Full Steam Ahead")
        yield unit("overcharge", "flag", "Overcharge in close quarters", _IN_COMBATS, "overcharges", (), "Overcharge")
        yield unit("policy", "choice", "tactic", _IN_DUELS, "", _POLICIES, panel="duel")
        yield unit("row", "row", "row to shoot with", _IN_DUELS, panel="duel")
        yield unit("close_quarters_row", "row", "row for close quarters", _IN_COMBATS, panel=in_charge)
        yield unit("outflanking", "flag", "charges from outside the front arc", charges, panel=in_charge)
        yield unit("supported", "flag", "supported", charges, panel=in_charge)
        yield unit("threatened", "flag", "threatened", charges, panel=in_charge)
        yield unit("difficult_terrain", "flag", "charges through difficult terrain", charges, panel=in_charge)
        yield unit("overrun", "choice", "Overrun", charges, "overruns", _OVERRUNS, "Overrun", panel=in_charge)


def _fight_conditions() -> Iterator[Condition]:
    yield Condition("distance", "inches", "distance", _IN_SHOTS)
    yield Condition("rounds", "count", "rounds", _IN_DUELS, panel="")
    yield Condition("first", "choice", "activated first", _IN_DUELS, "", _SIDES, panel="duel")
    yield Condition("aiming", "flag", "aiming", _IN_ATTACKS, rank=1)
    yield Condition("short_range", "flag", "short range", _IN_ATTACKS, panel="")
    yield Condition("ammo_supply", "flag", "Ammo Supply", _IN_ATTACKS, panel="")
    yield Condition("concealed", "flag", "concealed", _IN_ATTACKS, panel="")
    yield Condition("opportunity_fire", "flag", "opportunity fire", _IN_ATTACKS)
    yield Condition("reforming", "flag", "reforming", _IN_ATTACKS)
    yield Condition("outside_front_arc", "flag", "outside the front arc", _IN_ATTACKS, needs="Turret", of_row=True)
    yield Condition("advanced", "flag", "has advanced", _IN_ATTACKS, needs="Move or Fire")
    yield Condition("overcharge", "flag", "Overcharge", _IN_ATTACKS, needs="Overcharge", of_row=True)
    yield Condition("line_of_sight", "choice", "line of sight", _IN_ATTACKS, "", _SIGHTS, "Indirect", of_row=True)
    yield Condition("carriages", "count", "carriages", _IN_ATTACKS, needs="Full Steam Ahead", panel="")
    yield Condition("rating", "choice", "combat rating", _IN_ATTACKS, "", _RATINGS)


CONDITIONS = (*_unit_conditions(), *_fight_conditions())


_USUAL_UNIT = {"exposed": NONE} | {name: value for name, value in UnitFacts._field_defaults.items() if value}
_PLAIN_ATTACK: Any = attack_record(Attack(dice=1, qualities=(), attacker_damage_limit=1))
_PLAIN_NUMBERS = {name: int(_PLAIN_ATTACK[name]) for name in _PLAIN_ATTACK.dtype.names if _PLAIN_ATTACK[name]}
"""Nonzero fields of an attack without qualities."""


def layout(ruleset: Ruleset | None = None) -> dict[str, Any]:
    """Return the memory layout of the module with its labels, by default for the ruleset of the shipped profiles.

    >>> layout()["conditions"][0]["label"]
    'models left'
    """
    ruleset = ruleset or library_of(None).ruleset
    units, row = QUESTION["units"].base, QUESTION["units"].base["rows"].base
    cards = ruleset.deck.counts().tolist()
    if len(cards) > MOST_CARDS:
        raise InputError(f"{len(cards)} card values", where="deck", allowed=f"up to {MOST_CARDS}")
    plain = _PLAIN_NUMBERS | {"die": pack_die(ruleset.die)}
    return {
        "inch": INCH,
        "none": NONE,
        "question": _offsets(QUESTION, ("kind", "row", "die", "n_cards", "deck")),
        "kinds": {kind.name.lower(): int(kind) for kind in Kind},
        "die": list(ruleset.die.sides_by_face),
        "deck": cards,
        "unit": {
            "at": _array_at(QUESTION, "units"),
            "fields": _fields(units, ("facts", "target")) | _offsets(units, ("full_models", "n_rows")),
            "usual": _USUAL_UNIT,
        },
        "row": {
            "at": _array_at(units, "rows"),
            "fields": _fields(row, ("facts", "attack")) | _offsets(row, ("n_bands",)),
            "usual": _defaults(RowFacts) | plain,
        },
        "band": {"at": _array_at(row, "bands"), "fields": _fields(row, ("bands",)), "order": list(BandFacts._fields)},
        "fight": {"fields": _fields(QUESTION, ("fight",)), "usual": _defaults(Circumstances)},
        "plain": {"fields": _fields(QUESTION, ("plain",)), "usual": plain},
        "answers": {name: _answer_layout(dtype) for name, dtype in ANSWERS.items()},
        "conditions": [
            condition.record() for condition in sorted(CONDITIONS, key=lambda condition: max(condition.rank, 1))
        ],
        "refusals": [REFUSALS[reason] for reason in (*WhyNot, *Refusal)],
        "ratings": [name for name, _ in _RATINGS],
        "policies": [name for name, _ in _POLICIES],
    }


def _offsets(dtype: np.dtype[np.void], names: tuple[str, ...]) -> dict[str, int]:
    assert dtype.fields is not None
    return {name: dtype.fields[name][1] for name in names}


def _fields(dtype: np.dtype[np.void], parts: tuple[str, ...]) -> dict[str, int]:
    """Return the byte offsets, in a record, of all fields of some of its inner records."""
    fields: dict[str, int] = {}
    for part in parts:
        at, inner = _offsets(dtype, (part,))[part], dtype[part].base
        names = inner.names or ()
        fields |= {name: at + offset for name, offset in _offsets(inner, names).items()}
    return fields


def _array_at(dtype: np.dtype[np.void], name: str) -> list[int]:
    """Return the offset of an array of records, the size of an element, and the length."""
    field = dtype[name]
    return [_offsets(dtype, (name,))[name], field.base.itemsize, int(np.prod(field.shape))]


def _defaults(facts: Any) -> dict[str, int]:
    return {name: value for name, value in facts._field_defaults.items() if value}


def _answer_layout(dtype: np.dtype[np.void]) -> dict[str, Any]:
    """Return the offsets of the fields of an answer: whole numbers, figures, lists by number of models, and sides."""
    kinds: dict[str, Any] = {"whole": {}, "figures": {}, "lists": {}}
    for name in dtype.names or ():
        field, at = dtype[name], _offsets(dtype, (name,))[name]
        if field.base.names:
            kinds["sides"] = {"at": _array_at(dtype, name), "answer": _answer_layout(field.base)}
            continue
        kinds["lists" if field.shape else "whole" if field == np.int64 else "figures"][name] = at
    return kinds


def unit_facts(loadout: Loadout) -> dict[str, Any]:
    """Return the facts of a unit for the module, with names for a page.

    The `numbers` of the unit and of its rows leave out values that are in `usual` of :func:`layout`. A list in `bands`
    has first, last, dice and dice in parentheses. InputError if the module cannot hold the unit.

    >>> from analyser import load_profiles
    >>> unit_facts(load_profiles()["crown/rifle-platoon@basic"])["rows"][0]["reach"]
    '7"/14"'
    """
    unit, level = loadout.unit, loadout.level
    for noun, count, most in (("rows", len(unit.rows), MOST_ROWS), ("models", level.models, MOST_MODELS)):
        if count > most:
            raise InputError(f"{loadout.selector}: {count} {noun}", allowed=f"up to {most}")
    combatant = resolve_combatant(Combatant(), None, "unit", loadout)
    target = target_record(combatant)
    facts = facts_of(combatant)._replace(points=_number_or_none(level.points))._asdict()
    numbers = {name: int(target[name]) for name in target.dtype.names} | facts
    numbers["full_models"] = level.models
    return {
        "id": loadout.selector,
        "name": unit.name,
        "level": loadout.level_name,
        "type": unit.type,
        "category": combatant.category,
        "models": level.models,
        "points": level.points,
        "rules": [rule.canonical for rule in unit.rules],
        "numbers": _not_default(numbers, _USUAL_UNIT),
        "rows": [_row(row, combatant, loadout) for row in unit.rows],
    }


def _row(row: Row, combatant: Combatant, loadout: Loadout) -> dict[str, Any]:
    if len(row.bands) > MOST_BANDS:
        raise InputError(f"{loadout.selector}: {len(row.bands)} bands of {row.id}", allowed=f"up to {MOST_BANDS}")
    keys: dict[str, Any] = {"veteran": veteran_of(loadout.unit), "attacker_damage_limit": combatant.damage_limit}
    attack: Any = attack_record(Attack(dice=1, qualities=row.qualities, **keys), combatant)
    facts = row_facts(row)
    numbers = {name: int(attack[name]) for name in attack.dtype.names} | facts._asdict()
    return {
        "id": row.id,
        "name": row.name,
        "kind": row.kind,
        "reach": row.ranges,
        "against": list(row.against),
        "qualities": [quality.canonical for quality in row.qualities],
        "numbers": _not_default(numbers, _defaults(RowFacts) | _PLAIN_NUMBERS),
        "bands": [[band.first, band.last, band.dice, _number_or_none(band.special)] for band in row.bands],
    }


def _number_or_none(number: int | None) -> int:
    return NONE if number is None else number


def _not_default(numbers: Mapping[str, int], usual: Mapping[str, int]) -> dict[str, int]:
    return {name: value for name, value in numbers.items() if value != usual.get(name, 0)}
