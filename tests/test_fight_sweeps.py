"""Many charges and duels in a few figures are those of each by itself; what is too large is refused."""

import numpy as np
import pytest
from fight_files import row, unit

import analyser
from analyser.errors import InputError
from analyser.fights.combatant import Combatant, resolve_combatant
from analyser.fights.duel import DuelTerms
from analyser.fights.sweeps import charge_summaries, duel_summaries

SELECTORS = ("crown/rifle-platoon@basic", "crown/horse-guard-cavalry@basic", "imperium/luftlancer-air-jaegers@basic")
FIELD_GUNS = "crown/drake-field-guns@basic"


def combatants(*selectors):
    return [resolve_combatant(Combatant(unit=selector), None, selector) for selector in selectors]


def test_charges_in_a_few_figures():
    found = charge_summaries(combatants(*SELECTORS, FIELD_GUNS), combatants(*SELECTORS))
    for place, attacker in enumerate(SELECTORS):
        for column, target in enumerate(SELECTORS):
            summary = analyser.charge(attacker, target).summary
            for name in found.dtype.names:
                assert found[name][place, column] == pytest.approx(summary[name], abs=1e-12), (attacker, target, name)
    assert np.isnan(found["p_won"][-1]).all()  # Static


def test_duels_in_a_few_figures():
    terms = DuelTerms(rounds=3, policy_a="charge", policy_b="take_cover")
    found = duel_summaries(combatants(*SELECTORS[:2], FIELD_GUNS), combatants(SELECTORS[2]), terms)
    for place, one in enumerate(SELECTORS[:2]):
        summary = analyser.duel(one, SELECTORS[2], rounds=3, policy_a="charge", policy_b="take_cover").summary
        for name in found.dtype.names:
            assert found[name][place, 0] == pytest.approx(summary[name], abs=1e-12), (one, name)
    assert np.isnan(found["p_draw"][-1]).all()


def test_an_exact_answer_that_would_take_minutes_is_refused():
    horde = unit(row("ranged", 60), row("melee", 60), models=60, damage_limit=3)
    with pytest.raises(InputError, match="fewer models or rounds, or the method monte-carlo"):
        analyser.duel(horde, horde)
    assert analyser.duel(horde, horde, method="monte-carlo", trials=1000, threads=1).trials == 1000
