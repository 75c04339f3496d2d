"""Fights in the form of the plain readings, run by the engines: charges, focus fire and duels."""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from analyser.engine.fight.exact.propagate import exact_distributions, start_states
from analyser.engine.fight.simulated.simulation import Simulation
from analyser.game.profiles import load_profiles
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

SAME = 1e-12
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
    return {key: float(unit[key]) for key in keys if unit.get(key) is not None}


def row_of(row, place):
    ranged = {}
    if row["kind"] == "ranged":
        ranged = {"against": tuple(row["against"])} | as_inches(row, "short_range", "long_range")
    bands, qualities = tuple(row["bands"]), tuple(row["qualities"])
    return {"id": f"row-{place}", "name": "Row", "kind": row["kind"], "bands": bands, "qualities": qualities, **ranged}


def charge_of(circumstances):
    return Charge(**{"outflanking" if key == "outflanked" else key: value for key, value in circumstances.items()})


def combatant_of(unit, circumstances):
    """A unit of the plain reading as a combatant; it shoots with its first ranged row."""
    rows = tuple(row_of(row, place) for place, row in enumerate(unit["rows"]))
    aboard, riders = unit.get("passengers"), None
    if aboard is not None:
        edge, rules = as_inches(aboard, "edge_distance"), tuple(aboard["rules"])
        riders = Passengers(**known(aboard, UNIT_KEYS), **edge, rules=rules)
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
    stated = scenario.get("ruleset", {})
    usual = load_profiles().ruleset.model_dump()
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
    die, deck = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    laws = exact_distributions(fight.setup, fight.programs, fight.start, die, deck)
    return [endings(law, fight.read) for law in laws]


def samples_of(fight, scenario, trials, seed, replacement=False, **options):
    """The samples {reading of a pair of states: count} after each program of a fight."""
    ruleset, found = ruleset_of(scenario), []
    die, deck = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
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
    pairs = law.first[law.rows].tolist(), law.second[law.columns].tolist()
    for one, two, chance in zip(*pairs, law.probabilities.tolist()):
        found[read(one, two)] += chance
    return found


def assert_same(ours, plain, scenario):
    """Equal laws, and nothing lost."""
    assert abs(sum(ours.values()) - 1) < 1e-9
    wrong = {
        ending: (ours.get(ending, 0.0), plain.get(ending, 0.0))
        for ending in ours.keys() | plain.keys()
        if abs(ours.get(ending, 0.0) - plain.get(ending, 0.0)) > SAME
    }
    assert not wrong, scenario


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
    return bool(word & bit)


# --- charges ----------------------------------------------------------------------------------------------


SIDES = ("active", "target")
GONE = 0, 0, False, False, False


def charge_fight(scenario):
    """A charge; its states are read as (active unit, target)."""
    both = combatant_of(scenario["active"], scenario["combat"]), combatant_of(scenario["target"], {})
    others = scenario.get("secondaries", ())
    others = tuple(combatant_of(unit, {"threatened": unit.get("threatened", False)}) for unit in others)
    setup, operations = charge_program(*both, others)

    def charged(word, combatant, side):
        riders = None if combatant.passengers is None else riders_of(word, combatant.passengers, side)
        return *unit_read(word), riders, states.wins_of_charge(np.array(word)).item() if side.hunter else 0

    def read(*words):
        return sum(map(charged, words, both, setup.sides), ())

    return Fight(setup, [operations], charge_start(setup), read)


def charge_law(scenario):
    """The law of a charge: {(active unit, target): chance}."""
    return laws_of(charge_fight(scenario), scenario)[-1]


def unit_read(word):
    """A unit as plain values: models, damage, suppressed, disordered, activated, fate."""
    if fate_of(word):
        return *GONE, fate_of(word)
    flags = (has(word, bit) for bit in (SUPPRESSED, DISORDERED, ACTIVATED))
    return unit_state.models_of(word), unit_state.damage_of(word), *flags, ""


def riders_of(word, passengers, side):
    """The embarked unit: models, suppressed, activated, removed."""
    models = 0 if fate_of(word) else int(combat_result.passengers_left(side, unit_state.models_of(word)))
    if models == 0 or word & combat_result.PASSENGERS_BROKEN:
        return 0, False, False, True
    suppressed = passengers.suppressed or has(word, combat_result.PASSENGERS_SUPPRESSED)
    activated = passengers.activated or has(word, combat_result.PASSENGERS_ACTIVATED)
    return models, suppressed, activated, False


def plain_charge_law(scenario):
    def read(outcome):
        won = {name: outcome.won.count(name) if "Hunter" in scenario[name]["rules"] else 0 for name in SIDES}
        return tuple(each for name in SIDES for each in (*plain_unit(getattr(outcome, name)), won[name]))

    return floats(cq.law(scenario), read)


def plain_unit(unit):
    """The same of the plain reading, and the embarked unit."""
    riders = None
    if unit.passengers is not None:
        aboard = unit.passengers
        riders = (0, False, False, True) if aboard.fate else (aboard.models, aboard.suppressed, aboard.activated, False)
    return *plain_target(unit), riders


# --- focus fire -------------------------------------------------------------------------------------------


def focus_fight(scenario):
    """Focus fire; its states are read as the target's, and where they are known as the attacker's too."""
    ruleset = ruleset_of(scenario)
    attackers = [attacker_of(given) for given in scenario["attacks"]]
    scenarios = []
    for given in scenario["attacks"]:
        raw = {"attack": given["attack"], "target": scenario["target"] | given.get("circumstances", {})}
        ready = load_scenario(raw | {"ruleset": ruleset.model_dump()})
        scenarios.append(ready.with_rating(given["attack"].get("rating")))
    setup, programs = focus_program(scenarios, attackers)

    def read(one, two):
        return (*unit_read(two), *unit_read(one)) if all(attackers) else unit_read(two)

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
    return [floats(law, plain_target) for law in plain_focus_fire.laws(scenario)]


def plain_target(unit):
    fate = fate_read(unit.fate)
    if fate:
        return *GONE, fate
    return unit.models, unit.damage, unit.suppressed, unit.disordered, unit.activated, ""


# --- duels ------------------------------------------------------------------------------------------------


def duel_fight(scenario):
    """A duel; its states are read as (a, b)."""
    a, b = (combatant_of(scenario[name], scenario[name].get("charge", {})) for name in "ab")
    setup, rounds = duel_program(a, b, terms_of(scenario), ruleset_of(scenario))
    start = start_states(setup, (statuses_of(a), statuses_of(b)))
    return Fight(setup, rounds, start, lambda one, two: (*duellist(one), *duellist(two)))


def terms_of(scenario):
    terms = known(scenario, ("rounds", "first", "policy_a", "policy_b"))
    return DuelTerms(**terms, **as_inches(scenario, "distance", "step"))


def duel_laws(scenario):
    """The laws of both units at the end of each round, a list of {(a, b): chance}."""
    return laws_of(duel_fight(scenario), scenario)


def plain_duel_laws(scenario):
    laws = plain_duel.laws(scenario)
    return [floats(law, lambda duel: (*plain_duellist(duel.a), *plain_duellist(duel.b))) for law in laws]


def statuses_of(combatant):
    """Statuses at the start that are no part of a target's record."""
    return (unit_state.ON_LOOKOUT if combatant.on_lookout else 0) | (unit_state.RELOADING if combatant.reloading else 0)


def duellist(word):
    if fate_of(word):
        return (fate_of(word),)
    bits = (SUPPRESSED, DISORDERED, unit_state.ON_LOOKOUT, unit_state.TAKING_COVER, unit_state.RELOADING)
    return unit_state.models_of(word), unit_state.damage_of(word), *(has(word, bit) for bit in bits)


def plain_duellist(side):
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
