"""A slow, plain reading of a duel (AC-9.2), for the tests to compare the engines with: rounds of activations in turn.

A ranged attack is read by `plain_reading`, a charge by `plain_close_quarters`; what is new here is the course of an
activation: statuses that end, rally test, opportunity fire, manoeuvre and attack by policy, reloading, and who goes
when. Every step turns one duel into a law {duel: chance} in fractions; equal duels become one. For few models.
"""

from fractions import Fraction

from tests.oracle import plain_reading as plain
from tests.oracle.plain_decks import deck_of, draws
from tests.oracle.plain_duel_policies import POLICIES, close_quarters
from tests.oracle.plain_duel_shots import after_demise, has_dice, must_reload, rows_in_range, shoot_row
from tests.oracle.plain_duel_state import (
    DEFAULT_DUEL,
    DEFAULT_SIDE,
    OTHER,
    Duel,
    Field,
    Side,
    Turn,
    change,
    in_fumes,
    is_over,
    speed,
    unit_of,
)
from tests.oracle.plain_laws import certainly, collect, then
from tests.oracle.plain_units import Unit
from tests.oracle.plain_units import unit_of as unit_at_first

HALF = Fraction(1, 2)


def starts(field, duel, side):
    """The activation begins: activated, no longer on lookout or taking cover."""
    keeps = plain.has_rule(getattr(field, side), "Pavises") and getattr(duel, side).taking_cover
    unit = unit_of(duel, side)
    duel = change(duel, side, activated=True, on_lookout=False, taking_cover=keeps)
    return Turn(side, duel, unit.suppressed, unit.disordered)


def rally(field, turn):
    """The rally test of a suppressed unit (AC-5.6)."""
    facts = getattr(field, turn.side)
    if not turn.was_suppressed or facts["discipline"] is None or passes_rally(facts):
        return certainly(turn)
    discipline = facts["discipline"] - turn.was_disordered + facts["chain_of_command"]
    name = f"deck_{turn.side}"
    return collect(
        (turn._replace(duel=turn.duel._replace(**{name: rest}), rallied=value <= discipline), chance)
        for value, chance, rest in draws(getattr(turn.duel, name), field.deck, replacement=field.replacement)
    )


def passes_rally(facts):
    """Whether a unit passes rally tests without a card (AC-7)."""
    names = ("Automata", "Irrepressible", "Hot Headed")
    return facts["peer_review"] or any(plain.has_rule(facts, name) for name in names)


def reaction(field, turn):
    """A reaction step: the enemy on lookout fires, and is on lookout no more, if it can (AC-4, AC-9.2)."""
    watcher = OTHER[turn.side]
    if is_over(turn.duel) or not getattr(turn.duel, watcher).on_lookout:
        return certainly(turn)
    rows = rows_in_range(field, turn.duel, watcher, opportunity=True)
    rows = [
        row for row in rows if not must_reload(row, turn.duel, watcher) and has_dice(field, turn.duel, watcher, row)
    ]
    if not rows:
        return certainly(turn)
    duel = change(turn.duel, watcher, on_lookout=False)
    law = shoot_row(field, duel, watcher, rows[0], opportunity=True)
    return {turn._replace(duel=after): chance for after, chance in law.items()}


def acts(field, turn):
    """Manoeuvre and attack by the side's policy, or as a rule makes the unit act."""
    if is_over(turn.duel):
        return certainly(turn)
    name = getattr(field, f"policy_{turn.side}")
    policy = charge_anyway if must_charge(field, turn) else POLICIES[name]
    charged = policy is charge_anyway or (name == "charge" and turn.rallied and can_charge(field, turn))
    return {turn._replace(duel=after, charged=charged): chance for after, chance in policy(field, turn).items()}


def can_charge(field, turn):
    """Whether the enemy may be charged, and is within twice SPEED (AC-8.1)."""
    duel, side = turn.duel, turn.side
    facts, enemy = getattr(field, side), getattr(field, OTHER[side])
    if plain.has_rule(facts, "Static") or enemy["type"] in {"aircraft", "rotorcraft"} or unit_of(duel, side).garrisoned:
        return False
    if not any(row["kind"] in {"melee", "impact"} for row in facts["rows"]):
        return False
    return duel.distance is None or duel.distance <= 2 * speed(field, side)


def must_charge(field, turn):
    """Whether the unit charges whatever its policy: Berserk after a failed rally test, Run Amok else (AC-7)."""
    facts = getattr(field, turn.side)
    return can_charge(field, turn) and plain.has_rule(facts, "Run Amok" if turn.rallied else "Berserk")


def charge_anyway(field, turn):
    """A charge that no failed rally test forbids."""
    return close_quarters(field, turn.duel, turn.side)


def run_amok(field, turn):
    """Who runs amok and has not charged costs the enemy near it 1 damage, and itself a model (Run Amok in AC-7)."""
    duel, side, enemy_side = turn.duel, turn.side, OTHER[turn.side]
    facts, enemy = getattr(field, side), getattr(field, enemy_side)
    if turn.charged or is_over(duel) or not plain.has_rule(facts, "Run Amok") or enemy["category"] == "aerial":
        return certainly(turn)
    if duel.distance is None or duel.distance > 6:
        return certainly(turn)
    damage = unit_of(duel, enemy_side).damage + 1
    destroys = damage == enemy["damage_limit"]
    duel = lose_model(duel, enemy_side) if destroys else change(duel, enemy_side, damage=damage)
    law = after_demise(field, lose_model(duel, side), duel.distance)
    return {turn._replace(duel=after): chance for after, chance in law.items()}


def lose_model(duel, side):
    """One model less, and no damage on the unit."""
    left = unit_of(duel, side).models - 1
    if left == 0:
        return duel._replace(**{side: Side(Unit(0, fate="destroyed"))})
    return change(duel, side, models=left, damage=0)


def ends(field, turn):
    """The end of the activation: suppressed and disordered end if they were there at its start (AC-5.7, AC-5.8)."""
    unit = unit_of(turn.duel, turn.side)
    lasting = plain.has_rule(getattr(field, turn.side), "Construct")
    return change(
        turn.duel,
        turn.side,
        suppressed=unit.suppressed and not turn.was_suppressed,
        disordered=unit.disordered and (lasting or not turn.was_disordered),
    )


def activation(field, duel, side):
    """The law of the duel after one activation, if the unit is there and ready (AC-9.2)."""
    if is_over(duel) or unit_of(duel, side).activated:
        return certainly(duel)
    law = certainly(starts(field, in_fumes(field, duel), side))
    for step in (rally, reaction, acts, reaction, run_amok):
        law = then(law, lambda turn, step=step: step(field, turn))
    return then(law, lambda turn: certainly(in_fumes(field, ends(field, turn))))


def round_of(field, duel, order):
    """The law of the duel after a round in which the sides activate in this order."""
    law = certainly(duel)
    for side in order:
        law = then(law, lambda state, side=side: activation(field, state, side))
    return then(law, lambda state: certainly(end_phase(state)))


def end_phase(duel):
    for side in "ab":
        if not unit_of(duel, side).fate:
            duel = change(duel, side, activated=False)
    return duel


def one_round(field, duel, first):
    """The law of a round: the side named first goes first, or either with one half."""
    if is_over(duel):
        return certainly(duel)
    if first != "random":
        return round_of(field, duel, (first, OTHER[first]))
    return then({"ab": HALF, "ba": HALF}, lambda order: round_of(field, duel, order))


def read(scenario):
    given = plain.with_defaults(scenario, DEFAULT_DUEL, "duel")
    ruleset = plain.with_defaults(given["ruleset"], plain.DEFAULT_RULESET, "ruleset")
    sides = {name: plain.with_defaults(given[name], DEFAULT_SIDE, name) for name in "ab"}
    deck = deck_of(ruleset["deck"])
    field = Field(
        sides["a"], sides["b"], given["policy_a"], given["policy_b"], ruleset["die"], deck, given["replacement"]
    )
    start = Duel(side_of(sides["a"]), side_of(sides["b"]), given["distance"], deck, deck)
    return field, start, given["rounds"], given["first"]


def side_of(facts):
    return Side(unit_at_first(facts), facts["on_lookout"], facts["taking_cover"], facts["reloading"])


def laws(scenario):
    """The law {Duel: chance} at the end of each round, a list; once a duel is over it stays as it is."""
    field, start, rounds, first = read(scenario)
    law, found = certainly(start), []
    for _ in range(rounds):
        law = then(law, lambda duel: one_round(field, duel, first))
        found.append(law)
    return found


def points(scenario, duel):
    """Victory points of both sides: the other's VPR if it is gone, and Hunter (AC-5.9, AC-7)."""
    lost_a = bool(duel.a.unit.fate) * scenario["a"].get("victory_points", 0)
    lost_b = bool(duel.b.unit.fate) * scenario["b"].get("victory_points", 0)
    return lost_b + duel.hunted_a, lost_a + duel.hunted_b
