"""Battles one by one, with how they end; and the duels that battles of one against one are."""

from collections import Counter

import numpy as np

import analyser
from analyser.common.kernel_records import empty_record
from analyser.common.validation import checked
from analyser.engine.battle.battle_data import CHUNK_BATTLES, MOST_UNITS, Battle, Counts
from analyser.engine.battle.play import play_chunk
from analyser.engine.battle.simulation import Simulation
from analyser.engine.rng import stream_of
from analyser.rules import discipline
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle

# Of a state what a duel and a battle both say of a unit: not where it stands, nor what is over with the round.
SAID = ((1 << 40) - 1) & ~discipline.ACTIVATED
LOSSES = (1 << discipline.FLAGS) - 1
FATE = ((1 << 37) - 1) & ~discipline.FELL_BACK
BY_POLICY = {"tactic_mine": "policies", "tactic_yours": "policies"}  # both sides, so that policies decide what units do
A_FIRST = {"initiative_yours": "give", "hand_yours": "surrender"}
TABLE = 48.0


def scenario_of(mine, yours, **terms):
    library = analyser.load_profiles()
    return battle_scenario(mine, yours, checked(BattleTerms, terms), library.ruleset, library)


def said(first, second):
    """Two states without what only one of duel and battle keeps: once one is gone, a duel is over."""
    if not (first | second) & discipline.ANNIHILATED:
        return first & SAID, second & SAID
    return tuple(state & (FATE if state & discipline.ANNIHILATED else LOSSES) for state in (first, second))


def endings(scenario, battles, seed=1, replacement=True, units=(0, MOST_UNITS)):
    """How often some units end so."""
    simulation = Simulation(*encode_battle(scenario), replacement=replacement)
    field = simulation._new_field()
    battle = Battle(simulation._setup, simulation._tables, field, empty_record(Counts))
    found = Counter()
    for number in range(battles):
        chunk, place = divmod(number, CHUNK_BATTLES)
        play_chunk(battle, stream_of(seed), chunk, place, place + 1)
        found[said(*(int(field.states[unit]) for unit in units))] += 1
    return found


def duel_law(mine, yours, policies, gap, rounds, **keys):
    """How both units of a duel end, on a table 48 inches deep: probabilities of pairs of states."""
    edge = (TABLE - gap) / 2
    both = [{"unit": unit, "edge_distance": edge, "from_front": True} | keys for unit in (mine, yours)]
    terms = {"rounds": rounds, "first": "a", "distance": gap, "policy_a": policies[0], "policy_b": policies[1]}
    result = analyser.duel(*both, **terms)
    states = result.moments[-1]
    law = Counter()
    for first, second, weight in zip(*(np.asarray(each).tolist() for each in states)):
        law[said(first, second)] += weight
    return law


class Fields:
    """A record whose fields Python reads and writes by name, even one that is called like a method of arrays."""

    def __init__(self, record):
        self.__dict__["record"] = record

    def __getattr__(self, name):
        return self.record[name]

    def __setattr__(self, name, value):
        self.record[name] = value
