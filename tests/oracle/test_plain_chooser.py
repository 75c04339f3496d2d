"""What a side that looks ahead gains by acting, beside a plain chooser that shares nothing with it (BT-6)."""

import random
from dataclasses import replace

import pytest

from analyser.engine.battle.look_ahead_weights import FACTORS, TACTICS, Weight
from analyser.rules.structs import NONE
from tests.helpers.looking_ahead import battle_of, chosen_by, copy_into, number_of, plan_of
from tests.oracle.plain_battle_chooser import Chooser, Weights
from tests.oracle.plain_battle_field import hundredths
from tests.oracle.random_battles import random_plan
from tests.oracle.random_scenarios import often

SEEDS, STATES = 24, 12
CLOSE = 0.012  # of a victory point: values are kept in thousandths, and strengths in 256ths


def looking_ahead(plan):
    """The same plan, with units that state no policy, and without objectives, of which the chooser knows nothing."""
    sides = [
        replace(side, units=tuple(replace(unit, policy="auto") for unit in side.units)) for side in (plan.a, plan.b)
    ]
    return replace(plan, a=sides[0], b=sides[1], objectives=0)


def weights_of(tactic, rounds_left):
    weights = FACTORS[min((rounds_left + 1) // 2, 2)] * TACTICS[tactic].weights
    return Weights(*(weights[Weight[name]] for name in ("LOSS", "FUTURE", "VALUE", "REMOVAL", "DENIAL", "CHARGE")))


def disturb(rng, chooser, round_number):
    for piece in (*chooser.pieces[0], *chooser.pieces[1]):
        piece.x, piece.y = rng.randrange(hundredths(24)), rng.randrange(chooser.table + 1)
        piece.models, piece.damage = rng.randint(1, piece.unit.models), rng.randrange(piece.unit.damage_limit)
        piece.suppressed, piece.activated, piece.taking_cover = often(0.2, rng), often(0.3, rng), often(0.2, rng)
        slow = any("Slow to Fire" in row.qualities for row in piece.unit.rows)
        piece.reloading = slow and often(0.4, rng)
        piece.place = "gone" if round_number > 1 and often(0.15, rng) else "field"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_gains_of_all_options_are_those_of_a_plain_chooser(seed):
    rng = random.Random(seed)
    plan = looking_ahead(random_plan(rng, odd=False))
    tactics = [rng.choice(list(TACTICS)) for _ in range(2)]
    battle = battle_of(plan, tactics)
    compared = 0
    for _ in range(STATES):
        round_number = rng.randint(1, plan.rounds)
        weights = [weights_of(tactic, plan.rounds - round_number) for tactic in tactics]
        chooser = Chooser(plan, weights, round_number)
        disturb(rng, chooser, round_number)
        for side in (0, 1):
            copy_into(battle, chooser, round_number)
            chosen, values, first = chosen_by(battle, side), {}, {}
            for piece in chooser.pieces[side]:
                if piece.place == "field" and not piece.activated:
                    values[number_of(piece)], options = chooser.gains(piece)
                    compared += len(options)
                    first[number_of(piece)] = values[number_of(piece)] + chooser.urgency(piece)
                    told = plan, round_number, side, piece.unit.name
                    assert battle.field.value[number_of(piece)] == pytest.approx(values[number_of(piece)], abs=CLOSE), (
                        told
                    )
                    planned = plan_of(battle, chooser, piece)
                    if planned not in options and chooser.is_enough_in_doubt(piece):
                        continue
                    assert planned in options, (planned, told)
                    assert options[planned] > max(options.values()) - CLOSE, (planned, told)
            best = max(first.values(), default=None)
            assert chosen == NONE if best is None else first[chosen] > best - CLOSE
    assert compared > 0
