"""Encoder of a battle as tables of integers for the kernels (:mod:`analyser.engine.battle.battle_data`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from analyser.common.kernel_records import empty_record
from analyser.engine.battle.battle_data import (
    CELLS_PER_COUNT,
    LONGEST_LENGTH,
    MOST_SHOTS,
    MOST_UNITS,
    NO_POLICY,
    NO_STRIKE,
    PAIR,
    UNITS,
    BattleSetup,
    StrikeSlot,
    Tables,
)
from analyser.engine.battle.look_ahead_weights import BY_POLICY, DEFAULT, set_mix
from analyser.engine.battle.roll_tables import expected_models, share_of_damage
from analyser.engine.pool.alias import ScorePmf
from analyser.game.ruleset import Ruleset
from analyser.rules import unit_state
from analyser.rules.activation import at_double_time
from analyser.rules.battle import (
    LEAST_HURT_SHARE,
    NOT_CONTESTING,
    OBJECTIVE_HOLDERS,
    ActivationChoice,
    CardChoice,
    TargetChoice,
)
from analyser.rules.draws import odds_of
from analyser.rules.policies import BEST, SHOOTING, Policy
from analyser.rules.policy_lines import allowed_decisions_by_view
from analyser.rules.structs import NONE, SIDE, TARGET, FightFacts, SideFacts
from analyser.scenarios.attack import target_record, values_of_fight
from analyser.scenarios.battle import SIDES, BattleScenario, BattleUnit, distance_between, policy_against
from analyser.scenarios.battle_strikes import POINTS_PER_VICTORY_POINT, Strikes, least_range, set_look_ahead, shot_rows
from analyser.scenarios.charge import blast_on, strikes_of_charge
from analyser.scenarios.fight_records import side_facts, to_length
from analyser.scenarios.policies import AUTO, Shooter, rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, PolicyName

_BY_CHARGER = (StrikeSlot.CHARGE, StrikeSlot.OVERRUN, StrikeSlot.THROW)
_BY_CHARGED = (StrikeSlot.SPONSONS, StrikeSlot.RETALIATION, StrikeSlot.RETALIATION_TO_OVERRUN)


class EncodedBattle(NamedTuple):
    """A battle as tables of integers for the kernels."""

    setup: BattleSetup
    sides: Any  # a record of SIDE for each unit
    units: Any  # a record of TARGET for each unit
    tables: Tables


def encode_battle(scenario: BattleScenario) -> EncodedBattle:
    """Return the tables of a battle."""
    return Encoder(scenario.ruleset).encode(scenario)


class _Pair(NamedTuple):
    """Options of a unit against an enemy: its policy, its rows and its strikes."""

    policy: PolicyName | None
    shooter: Shooter | None
    strikes: dict[int, int]  # indices in Strikes, by number of the shot or by StrikeSlot
    shots: int  # number of shots

    @property
    def row(self) -> Any:
        """The row of the first shot."""
        return None if self.shooter is None else self.shooter.main_row


class Encoder:
    """Encoder of battles with a ruleset; data that battles share, such as pairs of units, are cached."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._strikes = Strikes(ruleset)
        self._pairs: dict[tuple[Any, ...], _Pair] = {}
        self._facts: dict[tuple[Any, ...], Any] = {}  # records of PAIR
        self._rows: dict[tuple[int, int], Any] = {}  # records of ROWS
        self._values: list[float] = []
        self._value_at: dict[tuple[Any, ...], tuple[int, bool]] = {}  # first index in _values, and True if by damage
        self._expected: dict[tuple[int, ...], float] = {}  # expected values by pool and fight

    def encode(self, scenario: BattleScenario) -> EncodedBattle:
        """Return the tables of a battle."""
        self._scenario, fielded = scenario, scenario.fielded
        self._units = {side * MOST_UNITS + index: unit for side in range(2) for index, unit in enumerate(fielded[side])}
        setup: Any = empty_record(BattleSetup)
        sides, units = np.zeros(UNITS, SIDE), np.zeros(UNITS, TARGET)
        self._set_terms(setup)
        setup.pairs[:] = _no_options()
        setup.blasts[:] = NO_STRIKE
        setup.carrier[:], setup.cargo[:], setup.fumes[:] = NONE, NONE, NONE
        for number, unit in self._units.items():
            self._set_unit(setup, number, unit)
            sides[number], units[number] = _side_record(unit), target_record(unit.combatant)
        for number, unit in self._units.items():
            choice = TargetChoice(setup.choice[number // MOST_UNITS])
            for other, enemy in self._units.items():
                if number // MOST_UNITS != other // MOST_UNITS:
                    setup.pairs[number, other % MOST_UNITS] = self._facts_of(unit, enemy, choice)
                    if any(setup.ahead):
                        setup.rows[number, other % MOST_UNITS] = self._rows_of(unit, enemy)
                if number != other and unit.combatant.value("Spectacular Demise"):
                    blast = blast_on(unit.combatant, enemy.combatant)
                    setup.blasts[number, other] = self._strikes.index_of(blast)
        pairs = setup.pairs
        furthest = np.maximum(np.maximum(pairs["reach"], pairs["reach_rallying"]), pairs["charges"])
        speeds = np.maximum(np.array([side["speed"] for side in sides]), 0)
        free_reach = np.where(setup.rows["number"] > 0, setup.rows["long"].max(axis=2) + speeds[:, None], -1)
        setup.furthest[:] = np.maximum(furthest, free_reach).max(axis=1)
        setup.rearms_on_lookout[:] = ((pairs["tactic"] == Policy.LOOKOUT) & (pairs["rearms"] != 0)).any(axis=1)
        looks_ahead = any(setup.ahead)
        tables = self._strikes.tables(self._values, gains=looks_ahead)
        if looks_ahead:
            set_look_ahead(setup, tables, sides, units)
        return EncodedBattle(cast("BattleSetup", setup), sides, units, tables)

    def _set_terms(self, setup: Any) -> None:
        scenario, terms = self._scenario, self._scenario.terms
        deck = scenario.ruleset.deck.counts()
        setup.disembark_within, setup.disembark_by = to_length(terms.disembark_within), terms.disembark_by
        setup.rounds, setup.table = terms.rounds, to_length(terms.table)
        width = to_length(terms.width)
        setup.objectives, setup.objective_points = terms.objectives, terms.objective_points
        setup.objective_y = setup.table // 2
        for index in range(terms.objectives):
            setup.objective_x[index] = width * (2 * index + 1) // (2 * terms.objectives)
        setup.cards, setup.hand_limit = deck.sum(), terms.hand_limit
        setup.deck[: deck.sum()] = np.repeat(np.arange(len(deck)), deck)
        die = scenario.ruleset.die
        odds = odds_of(np.array(die.sides_by_face, np.int64), deck)
        setup.heroic, setup.strike, setup.miss, setup.die_sides = odds[:4]
        for name in ("cards_up_to", "probability_up_to"):
            cumulated, column = getattr(setup, name), getattr(odds, name)
            cumulated[:] = column[-1]
            cumulated[: len(column)] = column
        setup.has_lookouts = any(unit.policy in ("lookout", BEST) for unit in self._units.values())
        setup.has_reserves = any(unit.reserve for unit in self._units.values())
        setup.orders[:] = allowed_decisions_by_view()
        for side, name in enumerate(SIDES):
            units = scenario.fielded[side]
            setup.units[side] = len(units)
            setup.gives_away[side] = terms.side_term("initiative", name) == "give"
            setup.card_choice[side] = CardChoice[terms.side_term("hand", name).upper()]
            setup.order[side] = ActivationChoice[terms.side_term("order", name).upper()]
            setup.choice[side] = TargetChoice[terms.side_term("target", name).upper()]
            setup.discard_below[side] = terms.side_term("discard_below", name)
            tactic = terms.side_term("tactic", name)
            setup.ahead[side] = tactic != BY_POLICY
            if tactic != BY_POLICY:
                set_mix(setup, side, {DEFAULT if tactic == AUTO else tactic: 1.0})
            without_x = [index + side * MOST_UNITS for index, unit in enumerate(units) if unit.unit.x is None]
            setup.slots[side] = len(without_x)
            setup.slot_at[side, : len(without_x)] = without_x
            order = list(range(len(units)))
            if setup.order[side] == ActivationChoice.DEAREST:
                order.sort(key=lambda index: -(units[index].unit.points or 0))
            setup.listed[side, : len(units)] = np.array(order) + side * MOST_UNITS
            commanders = [index + side * MOST_UNITS for index, unit in enumerate(units) if unit.commander]
            setup.commanders[side] = len(commanders)
            setup.commander_at[side, : len(commanders)] = commanders
        with_fumes = [number for number, unit in self._units.items() if unit.combatant.has("Corrosive Fumes")]
        setup.fume_units = len(with_fumes)
        setup.fume_unit_at[: len(with_fumes)] = with_fumes

    def _set_unit(self, setup: Any, number: int, fielded: BattleUnit) -> None:
        unit = fielded.combatant
        setup.state[number] = unit_state.start_state(target_record(unit), 0)
        setup.x[number], setup.y[number] = fielded.x, fielded.y
        setup.arrives[number] = self._scenario.terms.arrives if fielded.reserve else 0
        setup.aircraft[number], setup.commander[number] = bool(unit.aircraft), fielded.commander
        setup.rating[number] = 1 if unit.victory_points is None else unit.victory_points
        setup.holds_objectives[number] = unit.type in OBJECTIVE_HOLDERS
        setup.contests[number] = not unit.aircraft and unit.type not in NOT_CONTESTING
        setup.hunts[number], setup.throws[number] = unit.has("Hunter"), unit.has("Throw")
        setup.stoic[number] = unit.has("Stoic Defence")
        setup.fumes[number] = unit.rule_length("Corrosive Fumes")
        setup.suffers[number] = not unit.has("Automata") and not target_record(unit).steady
        setup.models[number] = unit.models
        side = self._scenario.fielded[number // MOST_UNITS]
        points, army_points = fielded.unit.points or 0, sum(other.unit.points or 0 for other in side)
        setup.model_percent[number] = 100 * points / (army_points * (unit.models or 1)) if army_points else 0.0
        if fielded.unit.embarked_in is not None:
            names = [other.name for other in side]
            carrier = number // MOST_UNITS * MOST_UNITS + names.index(fielded.unit.embarked_in)
            setup.carrier[number], setup.cargo[carrier] = carrier, number
            setup.has_transports = 1
        setup.own_policy[number] = NONE if fielded.policy == BEST else Policy[fielded.policy.upper()]
        setup.holds[number] = fielded.chooses_target
        setup.stake[number] = setup.rating[number] + points / POINTS_PER_VICTORY_POINT
        setup.limit[number] = unit.damage_limit
        setup.health[number] = (unit.models or 1) * (unit.damage_limit or 1)
        setup.by_damage[number] = bool(unit.behemoth)
        setup.several[number] = max(unit.value("All-Out Attack"), 1)
        setup.hides[number] = unit.has("Pavises", "Shrouded", "Obfuscating")
        setup.watches[number] = fielded.policy == BEST and any(row.kind == "ranged" for row in unit.rows or ())

    def _facts_of(self, unit: BattleUnit, enemy: BattleUnit, choice: TargetChoice) -> Any:
        """Return a record of PAIR: the options of a unit against an enemy; its side chooses targets by `choice`."""
        key = (self._key(unit, enemy), self._key(enemy, unit), choice, unit.unit.points, enemy.unit.points)
        if key not in self._facts:
            self._facts[key] = self._new_facts((unit, enemy), choice)
        return self._facts[key]

    def _new_facts(self, fielded: tuple[BattleUnit, BattleUnit], choice: TargetChoice) -> Any:
        unit, enemy = fielded[0].combatant, fielded[1].combatant
        pair = self._pair(*fielded)
        facts = _no_options()
        charge_reach = min(at_double_time(to_length(unit.speed or 0)), LONGEST_LENGTH)
        for slot, strike in (pair.strikes | self._reactions(*fielded)).items():
            facts.strikes[slot] = strike
        facts.shots = pair.shots
        if pair.policy is not None:
            facts.tactic = Policy[pair.policy.upper()]
            if unit.may_charge(enemy, pair.policy):
                facts.charges = charge_reach
        if pair.row is not None:
            long, least = min(to_length(pair.row.long_range), LONGEST_LENGTH), least_range(pair.row)
            facts.reach_rallying, facts.within_rallying = long, least
            if pair.policy in SHOOTING:
                facts.reach, facts.within = long, least
        if pair.policy == "charge":
            facts.reach = charge_reach
        if pair.shooter is not None:
            facts.rearms, facts.answered = pair.shooter.rearms, pair.shooter.is_answered
        facts.has_dice = pair.shots > 0 and self._strikes.has_dice(pair.strikes[0])
        self._set_value(facts, choice, fielded)
        if fielded[0].chooses_target and pair.policy is not None:
            hurts = self._damage_share(pair, unit, enemy) >= LEAST_HURT_SHARE
            facts.shunned = not hurts or pair.policy != fielded[0].policy
            if pair.policy == "charge" and not hurts:
                facts.tactic = NO_POLICY
        return facts

    def _damage_share(self, pair: _Pair, attacker: Combatant, target: Combatant) -> float:
        """Return the expected share of a fresh enemy that a full-strength attack from beyond short range destroys."""
        strike = pair.strikes[StrikeSlot.CHARGE if pair.policy == "charge" else 0]
        count = 0 if attacker.behemoth else attacker.models or 1
        return share_of_damage(*self._strikes.score_pmf(strike, count, False), target.models or 1)

    def _key(self, unit: BattleUnit, enemy: BattleUnit) -> tuple[Any, ...]:
        distance = distance_between(unit, enemy)
        in_range = tuple(distance is None or (row.long_range or 0) >= distance for row in unit.combatant.rows or ())
        return id(unit.combatant), id(enemy.combatant), unit.policy, unit.chooses_target, in_range

    def _pair(self, unit: BattleUnit, enemy: BattleUnit) -> _Pair:
        key = self._key(unit, enemy)
        if key not in self._pairs:
            distance = distance_between(unit, enemy)
            self._pairs[key] = self._new_pair(unit.combatant, enemy.combatant, unit.policy, distance)
        return self._pairs[key]

    def _new_pair(self, unit: Combatant, enemy: Combatant, own_policy: PolicyName, distance: float | None) -> _Pair:
        policy = policy_against(own_policy, unit, enemy)
        if policy is None and own_policy == BEST and rows_to_shoot_with(unit, enemy, "lookout"):
            policy = "lookout"  # it has only Reactive rows
        if policy is None:
            return _Pair(None, None, {}, 0)
        if own_policy == BEST:
            return self._look_ahead_pair(unit, enemy, policy, distance)
        shooter = Shooter(unit, enemy, policy, distance, self._scenario.ruleset, "a")
        if policy == "charge" and shooter.main_row is None and rows_to_shoot_with(unit, enemy, "shoot"):
            # The unit shoots when it disembarks (BT-3), so it needs its ranged rows although its policy is to charge.
            shooter = Shooter(unit, enemy, "shoot", distance, self._scenario.ruleset, "a")
        shots = list(map(self._strikes.index_of, shooter.strikes(shooter.add_shots)[:MOST_SHOTS]))
        strikes = dict(enumerate(shots))
        if own_policy == "lookout" and policy == "lookout":
            strikes[StrikeSlot.REACTION] = self._strikes.index_of(shooter.strikes(shooter.add_reactions)[0])
        if unit.may_charge(enemy, policy):
            strikes |= self._strikes_of_charge(unit, enemy, _BY_CHARGER)
        return _Pair(policy, shooter, strikes, len(shots))

    def _look_ahead_pair(self, unit: Combatant, enemy: Combatant, policy: PolicyName, distance: float | None) -> _Pair:
        """Return the options of a unit that looks ahead: its charge, and its shot on lookout (BT-6)."""
        strikes: dict[int, int] = {}
        shooter = Shooter(unit, enemy, "lookout", distance, self._scenario.ruleset, "a")
        if rows_to_shoot_with(unit, enemy, "lookout"):
            strikes[StrikeSlot.REACTION] = self._strikes.index_of(shooter.strikes(shooter.add_reactions)[0])
        can_charge = why_not("charge", unit, enemy) is None
        if can_charge:
            strikes |= self._strikes_of_charge(unit, enemy, _BY_CHARGER)
        return _Pair("charge" if can_charge else policy, shooter, strikes, 0)

    def _strikes_of_charge(self, charger: Combatant, charged: Combatant, slots: Sequence[StrikeSlot]) -> dict[int, int]:
        strikes = strikes_of_charge(charger, charged)
        return {int(slot): self._strikes.index_of(strikes[slot]) for slot in slots}

    def _rows_of(self, unit: BattleUnit, enemy: BattleUnit) -> Any:
        """Return a record of ROWS: the ranged attacks that a unit can choose against an enemy (BT-6)."""
        key = id(unit.combatant), id(enemy.combatant)
        if key not in self._rows:
            self._rows[key] = shot_rows(unit.combatant, enemy.combatant, self._scenario.ruleset, self._strikes)
        return self._rows[key]

    def _reactions(self, unit: BattleUnit, enemy: BattleUnit) -> dict[int, int]:
        """Return the strikes, by StrikeSlot, with which a unit reacts to the attacks of an enemy."""
        reactions: dict[int, int] = {}
        pair = self._pair(enemy, unit)
        if pair.policy is not None and enemy.combatant.may_charge(unit.combatant, pair.policy):
            reactions = self._strikes_of_charge(enemy.combatant, unit.combatant, _BY_CHARGED)
        if pair.shooter is not None and pair.shooter.is_answered:
            (shot,) = pair.shooter.strikes(pair.shooter.add_answer)
            reactions[StrikeSlot.RETURN_SHOT] = self._strikes.index_of(shot)
        return reactions

    def _set_value(self, facts: Any, choice: TargetChoice, fielded: tuple[BattleUnit, BattleUnit]) -> None:
        """Set the value of an enemy as the target of a unit, at every strength of both (BT-4)."""
        if choice in (TargetChoice.NEAREST, TargetChoice.THREATENED_FIRST):
            return
        unit, enemy = fielded
        if choice == TargetChoice.MOST_DANGEROUS:
            strike, row = self._threat(enemy, unit)
            target, attacker = unit, enemy
        else:
            pair = self._pair(unit, enemy)
            strike = pair.strikes.get(StrikeSlot.CHARGE if pair.policy == "charge" else 0)
            row = None if pair.policy == "charge" else pair.row
            target, attacker = enemy, unit
        if strike is None:
            return
        models, points = target.combatant.models or 0, (target.unit.points or 0)
        key = (strike, choice, models, points)
        if key not in self._value_at:
            worth = 1.0 if choice != TargetChoice.MOST_POINTS else points / models
            self._value_at[key] = len(self._values), bool(attacker.combatant.behemoth)
            self._values += self._values_of(strike, models, worth, choice == TargetChoice.BEST_KILL)
        facts.value_at, facts.value_by_damage = self._value_at[key]
        short = None if row is None or choice == TargetChoice.MOST_DANGEROUS else row.short_range
        facts.value_short = min(to_length(short), LONGEST_LENGTH)

    def _threat(self, enemy: BattleUnit, unit: BattleUnit) -> tuple[int | None, Any]:
        """Return the strike by which an enemy threatens a unit (preferred shot, else charge), and the row of a shot."""
        attacker, target = enemy.combatant, unit.combatant
        if rows_to_shoot_with(attacker, target, "shoot"):
            shooter = Shooter(attacker, target, "shoot", distance_between(enemy, unit), self._scenario.ruleset, "a")
            return self._strikes.index_of(shooter.strikes(shooter.add_shots)[0]), shooter.main_row
        if why_not("charge", attacker, target) is None:
            return self._strikes.index_of(strikes_of_charge(attacker, target)[StrikeSlot.CHARGE]), None
        return None, None

    def _values_of(self, strike: int, models: int, worth: float, whole: bool) -> list[float]:
        """Return values by attacker's strength, target's models and range; `whole`: only total destruction counts."""
        values = []
        for count in range(len(self._strikes.cells[strike]) // CELLS_PER_COUNT):
            pmfs = [self._strikes.score_pmf(strike, count, short) for short in (False, True)]
            values += [0.0, 0.0]  # no model is left
            values += [worth * self._expected_value(*pmf, left, whole) for left in range(1, models + 1) for pmf in pmfs]
        return values

    def _expected_value(self, pmf: ScorePmf, fight: FightFacts, models: int, whole: bool) -> float:
        fight.models = fight.most_destroyed = models
        key = (id(pmf), *values_of_fight(fight), whole)
        if key not in self._expected:
            self._expected[key] = expected_models(pmf, fight, models, whole=whole)
        return self._expected[key]


def _no_options() -> Any:
    facts = np.zeros(1, PAIR)[0]
    for name in ("tactic", "reach", "within", "reach_rallying", "within_rallying", "charges", "strikes", "value_at"):
        facts[name] = -1
    return facts


def _side_record(fielded: BattleUnit) -> SideFacts:
    unit = fielded.combatant
    numbers = {
        "distance": 0,
        "edge_distance": 0,
        "tracks_position": 0,
        "speed": to_length(unit.speed or 0),
        "berserk": unit.has("Berserk"),
        "runs_amok": unit.has("Run Amok"),
        "overrun": unit.has("Overrun") and unit.charge.overrun,
    }
    return side_facts(unit, **numbers)
