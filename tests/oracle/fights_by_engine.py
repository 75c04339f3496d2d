"""Fights in the form of the plain readings, run by the engines: charges, focus fire and duels."""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from analyser.engine.fight.exact.propagate import exact_distributions, start_states
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.game.profiles import load_ruleset
from analyser.game.ruleset import Ruleset
from analyser.results import states
from analyser.results.duel_solution import solved_duel
from analyser.rules import combat_result, unit_state
from analyser.rules.discipline import ACTIVATED, BROKEN, DISORDERED, FLED, SUPPRESSED
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import DuelScenario, duel_program
from analyser.scenarios.focus import focus_program
from analyser.scenarios.load import load_scenario
from analyser.scenarios.resolve import resolve_combatant, resolve_target
from analyser.scenarios.schema import MOST_INCHES, Charge, Combatant, DuelTerms, Passengers, Target
from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_duel, plain_focus_fire
from tests.oracle.plain_laws import marginal
from tests.oracle.plain_units import value_of

FACES = ("heroic", "strike", "glancing", "miss", "blank")
UNIT_KEYS = (
    *("type", "category", "models", "defence", "damage_limit", "damage", "discipline", "break_limit", "formation"),
    *("victory_points", "officer", "near_commander", "from_front", "fail_on_purpose", "suppressed", "disordered"),
    *("activated", "models_without_room", "garrisoned", "behemoth", "peer_review", "chain_of_command", "obstacle"),
    *("taking_cover", "exposed"),
)
COMBATANT_KEYS = ("on_lookout", "reloading", "concealed", "overcharge", "extra_reroll", "ammo_supply", "carriages")


def known(unit, keys):
    """Those of `keys` that a unit has a value for."""
    return {key: unit[key] for key in keys if unit.get(key) is not None}


def as_inches(unit, *keys):
    """Lengths, as scenario files have them."""
    return {key: float(unit[key]) for key in keys if unit.get(key) is not None}


def row_of(row, place):
    """A row of the armaments grid."""
    ranged = {}
    if row["kind"] == "ranged":
        ranged = {"against": tuple(row["against"])} | as_inches(row, "short_range", "long_range")
    bands, qualities = tuple(row["bands"]), tuple(row["qualities"])
    return {"id": f"row-{place}", "name": "Row", "kind": row["kind"], "bands": bands, "qualities": qualities, **ranged}


def charge_of(circumstances):
    """The circumstances of a charge under the names of a scenario file."""
    return Charge(**{"outflanking" if key == "outflanked" else key: value for key, value in circumstances.items()})


def combatant_of(unit, circumstances):
    """A unit of the plain reading as a combatant; it shoots with its first ranged row."""
    rows = tuple(row_of(row, place) for place, row in enumerate(unit["rows"]))
    passengers = unit.get("passengers")
    riders = None
    if passengers is not None:
        riders = Passengers(
            **known(passengers, UNIT_KEYS), **as_inches(passengers, "edge_distance"), rules=tuple(passengers["rules"])
        )
    combatant = Combatant(
        **known(unit, UNIT_KEYS + COMBATANT_KEYS),
        **as_inches(unit, "edge_distance", "speed"),
        rules=tuple(unit["rules"]),
        rows=rows,
        row=next((row["id"] for row in rows if row["kind"] == "ranged"), None),
        withdraws_without_room=unit.get("withdrawal_without_room", 0),
        veteran=value_of(unit, "Veteran"),
        capacity=value_of(unit, "Capacity") or None,
        passengers=riders,
        charge=charge_of(circumstances),
    )
    return resolve_combatant(combatant, None, "unit")


def ruleset_of(scenario):
    """Die and deck of a plain scenario as a ruleset."""
    stated = scenario.get("ruleset", {})
    usual = load_ruleset().model_dump()
    die = {face: stated.get("die", {}).get(face, 0) for face in FACES} if "die" in stated else usual["die"]
    deck = {str(value): copies for value, copies in stated["deck"].items()} if "deck" in stated else usual["deck"]
    return Ruleset.model_validate({**usual, "die": die, "deck": deck})


class Fight(NamedTuple):
    """A fight that the engines can run, and how to read a pair of its states."""

    setup: Any
    programs: list
    start: tuple
    read: Any


def laws_of(fight, scenario):
    """The exact laws {reading of a pair of states: chance} after each program of a fight."""
    ruleset = ruleset_of(scenario)
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    return [
        endings(law, fight.read) for law in exact_distributions(fight.setup, fight.programs, fight.start, die, deck)
    ]


def samples_of(fight, scenario, trials, seed, replacement=False, **options):
    """The samples {reading of a pair of states: count} after each program of a fight."""
    ruleset, found = ruleset_of(scenario), []
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    simulation = Simulation(fight.setup, fight.programs, die, deck, replacement)
    for snapshot in simulation.play(fight.start, trials, seed, **options):
        counts = defaultdict(int)
        for one, two, count in zip(*(part.tolist() for part in snapshot)):
            counts[fight.read(one, two)] += count
        found.append(counts)
    return found


def endings(law, read):
    """A law as {what `read` makes of a pair of states: chance}."""
    found = defaultdict(float)
    for row, one in enumerate(law.first.tolist()):
        for column, two in enumerate(law.second.tolist()):
            if law.probabilities[row, column]:
                found[read(one, two)] += law.probabilities[row, column]
    return found


def floats(law, read):
    """A law of a plain reading as {what `read` makes of an outcome: chance}."""
    return {ending: float(chance) for ending, chance in marginal(law, read).items()}


def fate_of(word):
    """How a unit was removed; "" while it is in play."""
    if not unit_state.is_removed(word):
        return ""
    return "broken" if word & BROKEN else "fled" if word & FLED else "destroyed"


def fate_read(fate):
    """The fates of the plain readings that the engines tell apart: without room, or Static, is destroyed."""
    return fate if fate in {"", "broken", "fled"} else "destroyed"


def has(word, bit):
    """Whether a bit is set."""
    return bool(word & bit)


# --- charges ----------------------------------------------------------------------------------------------


SIDES = ("active", "target")


def charge_fight(scenario):
    """A charge; its states are read as (active unit, target)."""
    attacker = combatant_of(scenario["active"], scenario["combat"])
    target = combatant_of(scenario["target"], {})
    others = tuple(
        combatant_of(unit, {"threatened": unit.get("threatened", False)}) for unit in scenario.get("secondaries", ())
    )
    setup, operations = charge_program(attacker, target, others)
    start = charge_start(setup)

    def read(one, two):
        return (
            *charged_unit(one, attacker, setup.sides[0]),
            states.wins_of_charge(np.array(one)).item() if setup.sides[0].hunter else 0,
            *charged_unit(two, target, setup.sides[1]),
            states.wins_of_charge(np.array(two)).item() if setup.sides[1].hunter else 0,
        )

    return Fight(setup, [operations], start, read)


def charge_law(scenario):
    """The law of a charge: {(active unit, target): chance}."""
    return laws_of(charge_fight(scenario), scenario)[-1]


def charged_unit(word, combatant, side):
    """A unit after a charge as plain values."""
    riders = None if combatant.passengers is None else riders_of(word, combatant.passengers, side)
    if fate_of(word):
        return 0, 0, False, False, False, fate_of(word), riders
    return (
        unit_state.models_of(word),
        unit_state.damage_of(word),
        has(word, SUPPRESSED),
        has(word, DISORDERED),
        has(word, ACTIVATED),
        "",
        riders,
    )


def riders_of(word, passengers, side):
    """The embarked unit: models, suppressed, activated, removed."""
    models = 0 if fate_of(word) else int(combat_result.aboard(side, unit_state.models_of(word)))
    if models == 0 or word & combat_result.PASSENGERS_BROKEN:
        return 0, False, False, True
    suppressed = passengers.suppressed or has(word, combat_result.PASSENGERS_SUPPRESSED)
    activated = passengers.activated or has(word, combat_result.PASSENGERS_ACTIVATED)
    return models, suppressed, activated, False


def plain_charge_law(scenario):
    """The same by the plain reading."""

    def read(outcome):
        won = {name: outcome.won.count(name) if "Hunter" in scenario[name]["rules"] else 0 for name in SIDES}
        return tuple(each for name in SIDES for each in (*plain_unit(getattr(outcome, name)), won[name]))

    return floats(cq.law(scenario), read)


def plain_unit(unit):
    """A unit of the plain reading as the same plain values."""
    riders = None
    if unit.passengers is not None:
        aboard = unit.passengers
        riders = (0, False, False, True) if aboard.fate else (aboard.models, aboard.suppressed, aboard.activated, False)
    if unit.fate:
        return 0, 0, False, False, False, fate_read(unit.fate), riders
    return unit.models, unit.damage, unit.suppressed, unit.disordered, unit.activated, "", riders


# --- focus fire -------------------------------------------------------------------------------------------


def focus_fight(scenario):
    """Focus fire; its states are read as the target's, and where they are known as the attacker's too."""
    ruleset = ruleset_of(scenario)
    attackers = [attacker_of(given) for given in scenario["attacks"]]
    scenarios = []
    for given in scenario["attacks"]:
        raw = {"attack": given["attack"], "target": scenario["target"] | given.get("circumstances", {})}
        rating = given["attack"].get("rating")
        scenarios.append(load_scenario(raw | {"ruleset": ruleset.model_dump()}).with_rating(rating))
    setup, programs = focus_program(scenarios, attackers)

    def read(one, two):
        return (*focused_unit(two), *focused_unit(one)) if all(attackers) else focused_unit(two)

    return Fight(setup, programs, start_states(setup), read)


def attacker_of(given):
    """Who makes an attack, as a unit that can be shot at; None where it is not known."""
    if "attacker" not in given:
        return None
    unit = given["attacker"]
    target = Target(**known(unit, UNIT_KEYS), **as_inches(unit, "edge_distance"), rules=tuple(unit["rules"]))
    return resolve_target(target, None)


def focus_laws(scenario):
    """The laws of the target after each attack, a list of {target: chance}."""
    return laws_of(focus_fight(scenario), scenario)


def plain_focus_laws(scenario):
    """The same by the plain reading."""
    return [floats(law, plain_target) for law in plain_focus_fire.laws(scenario)]


def plain_target(unit):
    """The target, or an attacker, of the plain reading as the same plain values."""
    fate = fate_read(unit.fate)
    if fate:
        return 0, 0, False, False, False, fate
    return unit.models, unit.damage, unit.suppressed, unit.disordered, unit.activated, ""


def focused_unit(word):
    """The target of focus fire as plain values."""
    fate = fate_of(word)
    if fate:
        return 0, 0, False, False, False, fate
    flags = (has(word, bit) for bit in (SUPPRESSED, DISORDERED, ACTIVATED))
    return unit_state.models_of(word), unit_state.damage_of(word), *flags, ""


# --- duels ------------------------------------------------------------------------------------------------


def duel_fight(scenario):
    """A duel; its states are read as (a, b)."""
    a, b = (combatant_of(scenario[name], scenario[name].get("charge", {})) for name in "ab")
    setup, rounds = duel_program(a, b, terms_of(scenario), ruleset_of(scenario))
    start = start_states(setup, (statuses_of(a), statuses_of(b)))
    return Fight(setup, rounds, start, lambda one, two: (*duellist(one), *duellist(two)))


def terms_of(scenario):
    """The terms of a duel."""
    distance = scenario.get("distance")
    return DuelTerms(
        rounds=scenario["rounds"],
        first=scenario["first"],
        policy_a=scenario["policy_a"],
        policy_b=scenario["policy_b"],
        distance=None if distance is None else float(distance),
        step=float(scenario["step"]) if "step" in scenario else None,
    )


def duel_laws(scenario):
    """The laws of both units at the end of each round, a list of {(a, b): chance}."""
    return laws_of(duel_fight(scenario), scenario)


def plain_duel_laws(scenario):
    """The same by the plain reading."""
    laws = plain_duel.laws(scenario)
    return [floats(law, lambda duel: (*plain_duellist(duel.a), *plain_duellist(duel.b))) for law in laws]


def statuses_of(combatant):
    """Statuses at the start that are no part of a target's record."""
    return (unit_state.ON_LOOKOUT if combatant.on_lookout else 0) | (unit_state.RELOADING if combatant.reloading else 0)


def duellist(word):
    """One unit of a duel as plain values."""
    if fate_of(word):
        return (fate_of(word),)
    bits = (SUPPRESSED, DISORDERED, unit_state.ON_LOOKOUT, unit_state.TAKING_COVER, unit_state.RELOADING)
    return unit_state.models_of(word), unit_state.damage_of(word), *(has(word, bit) for bit in bits)


def plain_duellist(side):
    """The same of the plain reading."""
    unit = side.unit
    if unit.fate:
        return (fate_read(unit.fate),)
    flags = unit.suppressed, unit.disordered, side.on_lookout, side.taking_cover, side.reloading
    return unit.models, unit.damage, *flags


def best_play_of(scenario, want="win"):
    """The play of a duel in which somebody has the policy ``best``, with whichever rows there are."""
    a, b = (combatant_of(scenario[name], scenario[name].get("charge", {})) for name in "ab")
    a, b = (
        unit.model_copy(update={"row": None}) if scenario[f"policy_{name}"] == "best" else unit
        for name, unit in (("a", a), ("b", b))
    )
    terms = terms_of(scenario).model_copy(update={"want": want})
    if terms.step is None:  # so long a step adds no place: the plain readings move to ranges, or the full length
        terms = terms.model_copy(update={"step": MOST_INCHES})
    return solved_duel(DuelScenario(terms, a, b, ruleset_of(scenario)))
