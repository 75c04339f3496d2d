"""Sides that look ahead: exact gains, an order that means nothing, planted cases, and strength against tactics."""

import random
import re

import numpy as np
import pytest
from scipy import stats

import analyser
from analyser.engine.battle.simulation import Simulation
from analyser.engine.battle.tables import cell_of, condition_of
from analyser.rules.battle import Choice, Outcome, Turn
from analyser.scenarios.battle_tables import Encoder, encoded
from tests.helpers.battles import scenario_of

BOTH = {"tactic_mine": "balanced", "tactic_yours": "balanced"}
RIFLES = ["crown/rifle-platoon@basic", "crown/drake-field-guns@basic", "crown/horse-guard-cavalry@basic"]
GRENADIERS = ["2 x imperium/scion-grenadier-platoon@basic", "imperium/krupp-field-guns@basic"]
POINTS = (500, 750, 1000, 1250, 1500)


def outcomes_of(mine, yours, trials, seed=1, **terms):
    """How many battles have each outcome."""
    return Simulation(*encoded(scenario_of(mine, yours, **terms))).play(trials, seed).outcomes.sum(axis=0)


def scores(mine, yours, trials, seed=1, **terms):
    """The share of battles that mine wins, half of a draw counting as won."""
    outcomes = outcomes_of(mine, yours, trials, seed, **terms) / trials
    return outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum() + 0.5 * outcomes[Outcome.DRAW]


def random_list(chance, points):
    """Units of one faction at random, none of them aircraft, of at most so many points."""
    faction = chance.choice(list(analyser.load_profiles().factions.values()))
    priced = [
        (f"{faction.id}/{unit.id}@{name}", level.points)
        for unit in faction.units
        if unit.type != "aircraft"
        for name, level in unit.levels.items()
        if level.points
    ]
    found, left = [], points
    while len(found) < 14 and (fitting := [each for each in priced if each[1] <= left]):
        unit, price = chance.choice(fitting)
        found, left = [*found, unit], left - price
    return found


def squad(models, **keys):
    """A unit of two dice a model at most, without a test to take; its one row reaches 24 inches."""
    row = {"id": "row", "name": "Row", "kind": "ranged", "against": ["light"], "long_range": 24}
    row |= {"bands": [{"first": 1, "last": 9, "dice": 2}]}
    unit = {"name": "Squad", "type": "infantry", "category": "light", "models": models, "points": 50, "speed": 4}
    return unit | {"defence": 1, "damage_limit": 1, "victory_points": 2, "rows": [row]} | keys


def test_gains_are_exact():
    """Two coins against three models: one is hit on average; a last model falls 3 in 4, the last two 1 in 4."""
    library = analyser.load_profiles()
    ruleset = library.ruleset.model_copy(update={"die": library.ruleset.die.model_validate({"strike": 1, "blank": 1})})
    encoder = Encoder(ruleset)
    encoding, _, _, tables = encoder.encoded(scenario_of([squad(3)], [squad(3)], **BOTH))
    strike = int(encoding.rows[0, 0]["strikes"][0])
    cell = tables.first_cell[strike] + cell_of(3, False, condition_of(False, 0))
    rows = tables.gains[tables.gains_of[cell] :][:4]
    assert rows[:, 0] * 3 == pytest.approx([0, 0.75, 1, 1], abs=1e-6)  # share of the three models
    assert rows[:, 1] == pytest.approx([0, 0.75, 0.25, 0], abs=1e-6)  # removed


def by_order(mine, yours, shufflings, trials, seed):
    """How likely the results of shuffled lists are, if the order means nothing: chi-square."""
    chance, counts = random.Random(seed), []
    for number in range(shufflings):
        lists = chance.sample(mine, len(mine)), chance.sample(yours, len(yours))
        counts.append(outcomes_of(*lists, trials, 100 * seed + number, **BOTH))
    table = np.array(counts)
    often = table.sum(axis=0) >= 5 * shufflings
    table = np.column_stack([table[:, often], table[:, ~often].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


@pytest.mark.slow
@pytest.mark.parametrize("pair", [(RIFLES, GRENADIERS), (GRENADIERS, [*RIFLES, *RIFLES])], ids=("small", "larger"))
def test_the_order_of_a_list_means_nothing(pair):
    assert by_order(*pair, 3, 1000, 1) > 1e-3


def in_two_orders(army, trials):
    """The scores of a list against itself: as listed, and from the last unit to the first."""
    return [scores(army, listed, trials, **BOTH) for listed in (army, army[::-1])]


@pytest.mark.slow
@pytest.mark.parametrize("army", [RIFLES, GRENADIERS], ids=str)
def test_a_list_against_itself_is_even_in_every_order(army):
    assert in_two_orders(army, 4000) == pytest.approx([0.5, 0.5], abs=4 * np.sqrt(0.25 / 4000))


@pytest.mark.slow
def test_a_colossus_is_used():
    """430 points that nothing here can hurt destroy more than 100 points of the sample list."""
    folder = "notebooks/armies"
    found = analyser.battle(f"{folder}/crown.rosz", f"{folder}/imperium.rosz", trials=500, swing=False, tactics=False)
    (colossus,) = [row for row in found.contributions() if "Colossus" in row["name"]]
    assert colossus["points_destroyed"] > 100


@pytest.mark.slow
def test_artillery_does_not_advance_into_charges():
    """Guns beyond the 18 inches that the riders charge stay beyond them; nearer ones may close in."""
    guns, riders = ["2 x crown/drake-field-guns@basic"], ["3 x imperium/totenkopf-jaeger-cavalry@basic"]
    found = analyser.battle(guns, riders, trials=50, swing=False, tactics=False)
    aims = 0
    for number in range(50):
        rounds = list(found.tell(number).lines())
        first = rounds[: next(at for at, line in enumerate(rounds) if line.startswith("End of round 1"))]
        for line in first:
            if line.startswith("  Crown: Drake") and (away := re.search(r'([\d.]+)" away', line)):
                gone = re.search(r'moves ([\d.]+)"', line) if "advances on" in line or "double time" in line else None
                after = float(away[1]) - (float(gone[1]) if gone else 0)
                assert float(away[1]) <= 18 or after > 18 or not gone, line
                aims += "aims at" in line
    assert aims > 20


@pytest.mark.slow
def test_looking_ahead_beats_tactics():
    ahead = {"tactic_mine": "balanced", "tactic_yours": "policies"}
    behind = {"tactic_mine": "policies", "tactic_yours": "balanced"}
    assert scores(RIFLES, RIFLES, 2000, **ahead) > 0.6
    assert scores(RIFLES, RIFLES, 2000, **behind) < 0.4


@pytest.mark.proof
@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "order"),
    [(Choice(each % len(Choice)), Turn(each % len(Turn))) for each in range(len(Choice) * len(Turn))],
)
def test_looking_ahead_beats_every_tactic_on_18_of_20_pairs_of_lists(target, order):
    chance, won = random.Random(7), 0
    for _ in range(20):
        points = chance.choice(POINTS)
        first, second = random_list(chance, points), random_list(chance, points)
        tactics = {"target": target.name.lower(), "order": order.name.lower(), "tactic": "policies"}
        sides = [{f"{key}_{side}": value for key, value in tactics.items()} for side in ("mine", "yours")]
        with_first = scores(first, second, 300, tactic_mine="balanced", **sides[1])
        with_second = 1 - scores(first, second, 300, tactic_yours="balanced", **sides[0])
        won += with_first + with_second >= 1
    assert won >= 18
