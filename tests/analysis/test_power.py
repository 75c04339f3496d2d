"""Planted changes of the shipped profiles: what is noticed, and what they flip elsewhere."""

import numpy as np
import pytest

from analyser.analysis.matchups import matchups
from analyser.analysis.prices import SITUATIONS
from analyser.analysis.standing import Standings, keep_verdict_within_noise
from analyser.analysis.verdict import FAIR
from analyser.game.profiles import Profiles

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def today():
    everybody = list(Profiles())
    return Standings(matchups(everybody, everybody, situations=SITUATIONS))


@pytest.fixture(scope="module")
def fair(today):
    frame = today.prices.frame
    return frame[frame["verdict"] == FAIR]["loadout"].tolist()


def flips(before, after, changed):
    """The share of the other loadouts whose verdict is another one, as two versions are compared."""
    units = [each.split("@")[0] for each in before.verdicts.index]
    others = [name for name, unit in zip(before.verdicts.index, units) if unit != changed.split("@")[0]]
    moved = [name for name in others if before.verdicts[name] != after.verdicts[name]]
    steady = [keep_verdict_within_noise(before[name], after[name]).verdict for name in moved]
    return sum(verdict != before[name].verdict for name, verdict in zip(moved, steady)) / len(others)


@pytest.mark.parametrize("times", [0.8, 1.2])
def test_a_fifth_more_or_less_on_a_fair_price_is_noticed_and_others_keep_their_verdicts(today, fair, times):
    noticed, promised, flipped = [], [], []
    for name in fair[::6]:
        old = today[name]
        loadout = next(each for each in today.table.attackers if each.selector == name)
        after = today.with_([loadout.with_(points=round(times * old.points))])
        new = after[name]
        assert (new.over_probability > old.over_probability) == (times > 1)
        assert (new.under_probability > old.under_probability) == (times < 1)
        noticed.append(new.verdict != FAIR)
        promised.append(today.prices.frame.set_index("loadout").loc[name, "noticed_from"] <= abs(times - 1))
        flipped.append(flips(today, after, name))
    assert len(noticed) >= 20
    assert np.mean(noticed) >= 0.8
    assert np.mean(np.array(noticed)[promised]) >= 0.8
    assert np.mean(flipped) <= 0.02


def test_doubled_dice_are_noticed_and_others_keep_their_verdicts(today, fair):
    noticed, flipped = [], []
    for name in fair[::8]:
        loadout = next(each for each in today.table.attackers if each.selector == name)
        rows = [
            row.model_copy(
                update={
                    "bands": tuple(
                        band.model_copy(update={"dice": 2 * band.dice, "special": band.special and 2 * band.special})
                        for band in row.bands
                    )
                }
            )
            for row in loadout.unit.rows
        ]
        doubled = loadout.model_copy(update={"unit": loadout.unit.model_copy(update={"rows": tuple(rows)})})
        after = today.with_([doubled])
        assert after[name].under_probability > today[name].under_probability
        noticed.append(after[name].verdict != FAIR)
        flipped.append(flips(today, after, name))
    assert np.mean(noticed) >= 0.95
    assert np.mean(flipped) <= 0.02
