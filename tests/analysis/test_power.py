"""Planted changes of the shipped profiles: what is noticed, and what they flip elsewhere."""

import numpy as np
import pytest

from analyser.analysis.matchups import matchups
from analyser.analysis.situations import EXCHANGES
from analyser.analysis.standing import Standings, keep_verdict_within_noise
from analyser.analysis.verdict import FAIR
from analyser.game.profiles import Profiles

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def today():
    everybody = list(Profiles())
    return Standings(matchups(everybody, everybody, situations=EXCHANGES))


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


def doubled(loadout):
    """The loadout with twice the dice in every band."""
    bands = {"dice": lambda band: 2 * band.dice, "special": lambda band: band.special and 2 * band.special}
    rows = []
    for row in loadout.unit.rows:
        more = (band.model_copy(update={name: twice(band) for name, twice in bands.items()}) for band in row.bands)
        rows.append(row.model_copy(update={"bands": tuple(more)}))
    return loadout.model_copy(update={"unit": loadout.unit.model_copy(update={"rows": tuple(rows)})})


CHANGES = {  # the change; of how many loadouts it is made; the least share that is noticed
    "a fifth less": (lambda loadout: loadout.with_(points=round(0.8 * loadout.level.points)), 6, 0.8),
    "a fifth more": (lambda loadout: loadout.with_(points=round(1.2 * loadout.level.points)), 6, 0.8),
    "twice the dice": (doubled, 8, 0.95),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_what_is_fair_is_noticed_and_others_keep_their_verdicts(today, fair, name):
    change, step, least = CHANGES[name]
    noticed, promised, flipped = [], [], []
    for selector in fair[::step]:
        old, loadout = today[selector], next(each for each in today.table.attackers if each.selector == selector)
        after = today.with_([change(loadout)])
        new = after[selector]
        assert (new.over_probability > old.over_probability) == (name == "a fifth more")
        assert (new.under_probability > old.under_probability) == (name != "a fifth more")
        noticed.append(new.verdict != FAIR)
        promised.append(today.prices.frame.set_index("loadout").loc[selector, "noticed_from"] <= 0.2)
        flipped.append(flips(today, after, selector))
    assert len(noticed) > 10
    assert np.mean(noticed) >= least
    assert np.mean(np.array(noticed)[promised]) >= least
    assert np.mean(flipped) <= 0.02
