"""The two questions: what are the odds exactly, and what do a million fights say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from analyser import account
from analyser.compile import scenario_records
from analyser.engine.exact import exact_attack
from analyser.errors import InputError
from analyser.profiles import Profiles
from analyser.resolve import resolve
from analyser.results import Result
from analyser.rules.armoured_clash.conditions import set_fight
from analyser.rules.armoured_clash.facts import FIGHT, FightFacts
from analyser.ruleset import load_ruleset
from analyser.scenario import Scenario, parse_scenario, read_scenario

ScenarioLike = Scenario | str | os.PathLike[str] | Mapping[str, Any]


def load_scenario(source: ScenarioLike, profiles: Profiles | None = None) -> Scenario:
    """A scenario from a TOML file or a mapping of the same form (`docs/scenario.md`), checked and resolved.

    Parameters
    ----------
    source : path or mapping
        A scenario that is resolved already comes back as it is.
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> scenario = load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}})
    >>> scenario.target.formation
    'close'
    """
    if isinstance(source, Scenario):
        return source
    raw, where = read_scenario(source)
    default = load_ruleset(None if profiles is None else profiles.folder)
    file = parse_scenario(raw, default, where=where)
    try:
        return resolve(file, profiles)
    except InputError as error:
        raise error.inside(where) from None


def fight_of(scenario: Scenario) -> FightFacts:
    """The fight record of a scenario, all conditions applied."""
    attack, target = scenario_records(scenario)
    fight: FightFacts = np.zeros(1, FIGHT)[0]
    set_fight(attack, target, fight)
    return fight


def exact(scenario: ScenarioLike, profiles: Profiles | None = None) -> Result:
    """The exact odds of an attack: the whole joint law of its outcome.

    Parameters
    ----------
    scenario : Scenario, path or mapping
    profiles : Profiles, optional

    Returns
    -------
    Result
        Its probabilities are exact, up to the rounding of floating-point sums (below 1e-12).

    Raises
    ------
    InputError
        As :func:`load_scenario`.

    Examples
    --------
    >>> result = exact({"attack": {"dice": 1}, "target": {"models": 6, "defence": 1, "damage_limit": 1}})
    >>> round(result.summary["mean_hits"], 4)
    0.8981
    """
    ready = load_scenario(scenario, profiles)
    fight = fight_of(ready)
    die = np.array(ready.ruleset.die.faces, np.int64)
    law, outcomes, chances = exact_attack(fight, die, ready.ruleset.deck.counts())
    return Result(
        scenario=ready,
        method="exact",
        outcomes=outcomes,
        weights=chances,
        hits_weights=law.sum(axis=1),
        conditions=account.conditions(fight),
        applied=account.applied(ready, fight),
        not_modelled=account.not_modelled(ready),
        warnings=ready.warnings,
    )
