"""Battles of the engine in a given state, beside those of the plain chooser."""

import numpy as np

import analyser
from analyser.common.kernel_records import empty_record
from analyser.common.validation import checked
from analyser.engine.battle import lookahead
from analyser.engine.battle.battle_data import MOST_UNITS, NOWHERE, Battle, Counts, Place
from analyser.engine.battle.look_ahead_weights import TACTICS
from analyser.engine.battle.random_draws import begin_stream
from analyser.engine.battle.simulation import Simulation
from analyser.engine.rng import stream_of
from analyser.game.ruleset import Ruleset
from analyser.rules import unit_state
from analyser.rules.discipline import ACTIVATED, DAMAGE, SUPPRESSED
from analyser.rules.policies import Action, Manoeuvre
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle
from tests.helpers.battles import Fields
from tests.oracle.random_battles import army_of, ruleset_of, terms_of


def battle_of(plan, tactics):
    """The engine's battle, before its deployment."""
    library = analyser.load_profiles()
    terms = terms_of(plan) | {"tactic_mine": tactics[0], "tactic_yours": tactics[1]}
    ruleset = checked(Ruleset, ruleset_of(plan))
    scenario = battle_scenario(army_of(plan.a), army_of(plan.b), checked(BattleTerms, terms), ruleset, library)
    simulation = Simulation(*encode_battle(scenario))
    field = Fields(simulation._new_field())
    with np.errstate(over="ignore"):  # random words, for ties
        begin_stream(field, stream_of(1), 0, 0)
    for side in (0, 1):
        field.tactic[side] = list(TACTICS).index(tactics[side])
    return Battle(simulation._setup, simulation._tables, field, empty_record(Counts))


def chosen_by(battle, side):
    """Return the unit that a side activates, by the interpreter; its plan is noted."""
    with np.errstate(over="ignore"):
        return int(lookahead.next_by_gain(battle, side))


def number_of(piece):
    return piece.side * MOST_UNITS + piece.number


def copy_into(battle, chooser, round_number):
    """Let the engine's battle stand as the chooser's does."""
    field, facts = battle.field, battle.setup
    field.round, field.last_look[:] = round_number, 0
    for piece in (*chooser.pieces[0], *chooser.pieces[1]):
        unit, there = number_of(piece), piece.place == "field"
        state = unit_state.with_models(int(facts.state[unit]), piece.models) | piece.damage << DAMAGE
        for flag, bit in (
            (piece.suppressed, SUPPRESSED),
            (piece.activated, ACTIVATED),
            (piece.taking_cover, unit_state.TAKING_COVER),
            (piece.reloading, unit_state.RELOADING),
        ):
            state |= bit if flag else 0
        field.states[unit] = state
        field.x[unit], field.y[unit] = piece.x, piece.y
        field.place[unit], field.off[unit] = Place.ON_FIELD if there else Place.GONE, 0 if there else NOWHERE
        field.sides[unit].edge_distance = piece.y if piece.side == 0 else facts.table - piece.y


def plan_of(battle, chooser, piece):
    """What the engine has planned for a unit, in the words of the chooser."""
    manoeuvre, action, target, attack, length, _ = battle.field.plans[number_of(piece)].tolist()
    foe = None if target < 0 else chooser.pieces[1 - piece.side][target % MOST_UNITS]
    row = None
    if action == Action.SHOOT:
        fired = battle.setup.rows[number_of(piece), target % MOST_UNITS].row[attack]
        row = chooser.rows(piece, foe)[fired]
    return Manoeuvre(manoeuvre).name, Action(action).name, foe, row, length
