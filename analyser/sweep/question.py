"""Question of a sample, frozen together with all loadouts that it names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import Any

from analyser.common.errors import InputError
from analyser.common.text import with_article
from analyser.common.validation import checked
from analyser.engine.battle.tables import CHUNK_BATTLES
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.game.profiles import Profiles, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Unit
from analyser.scenarios.load import AnyScenario, load
from analyser.sweep.schema import SampleFile

TRIALS_A_PART = {"attack": 1 << 31, "charge": 1 << 25, "focus": 1 << 25, "duel": 1 << 24, "battle": 1 << 15}
"""Trials of a part (some seconds of work), by kind of question."""
_SELECTORS = ("unit", "attacker")  # keys of a scenario with the name of a loadout


def frozen_question(file: SampleFile, library: Profiles, where: str) -> dict[str, Any]:
    """Return the content of the plan of a sample: its file, its scenario, and every loadout named in the scenario.

    `where` is the file, for messages. Raises InputError for a question that cannot be simulated.
    """
    try:
        scenario = load(file.question, library)
    except InputError as error:
        raise error.inside(f"{where}: question") from None
    if scenario.kind not in TRIALS_A_PART:
        problem, allowed = f"this question is {with_article(scenario.kind)}", ", ".join(TRIALS_A_PART)
        raise InputError(problem, where=f"{where}: question", allowed=allowed)
    if scenario.kind == "battle" and library.used.version != library_of(None).used.version:
        allowed = "the shipped profiles: battlegroups and boons of an army are not frozen"
        raise InputError("a battle by other profiles", where=f"{where}: question", allowed=allowed)
    part, chunk = file.sample.part_trials, _chunk(scenario.kind)
    if part is not None and part % chunk:
        raise InputError(f"{part} trials", where=f"{where}: sample.part_trials", allowed=f"a multiple of {chunk}")
    question = scenario.as_dict()
    loadouts = [(place, _loadout_at(file.question, place, name, library)) for place, name in _selectors_in(question)]
    return {
        "file": file.model_dump(mode="json"),
        "kind": scenario.kind,
        "scenario": question,
        "loadouts": [{"place": place, **_frozen(loadout)} for place, loadout in loadouts],
    }


def load_frozen_question(content: Mapping[str, Any]) -> AnyScenario:
    """Return the scenario of the content of a plan; all loadouts come from the content, none from profiles."""
    question = copy.deepcopy(content["scenario"])
    rules = question["ruleset"].get("rules")
    house_rules = None if rules is None else checked(Ruleset, question["ruleset"]).rules
    for frozen in content["loadouts"]:
        *outer, key = frozen["place"]
        facts = {name: frozen[name] for name in Loadout.model_fields}
        reduce(getitem, outer, question)[key] = checked(Loadout, facts, where="plan", house_rules=house_rules)
    scenario = load(question)
    if scenario.profiles is None or scenario.profiles.version == content["profiles"]:
        return scenario
    used = scenario.profiles._replace(folder="frozen in the plan", version=content["profiles"])
    return replace(scenario, profiles=used)


def fighting_unit(unit: Unit) -> dict[str, Any]:
    """Return a unit as plain data, with its points but without data that affect no fight."""
    return unit.record() | {"in_force": {}, "battlegroups": {}}


def _frozen(loadout: Loadout) -> dict[str, Any]:
    return {"faction": loadout.faction, "unit": fighting_unit(loadout.unit), "level_name": loadout.level_name}


def _selectors_in(section: Any, place: Sequence[str | int] = ()) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield the path and the text of each selector in a scenario given as plain data."""
    if isinstance(section, str) and place[-1] in _SELECTORS:
        yield place, section
    elif isinstance(section, dict | list | tuple):
        for key, value in section.items() if isinstance(section, dict) else enumerate(section):
            yield from _selectors_in(value, (*place, key))


def _loadout_at(question: Any, place: Sequence[str | int], selector: str, library: Profiles) -> Loadout:
    """Return the loadout object at a path in the question, or else the one named by the selector."""
    with suppress(LookupError, TypeError):  # an army may be written in another form than it is resolved to
        if isinstance(stated := reduce(getitem, place, question), Loadout):
            return stated
    return library.loadout(selector)


def _chunk(kind: str) -> int:
    """Return the size of a chunk of trials; a part of a sample is a multiple of it."""
    return CHUNK_BATTLES if kind == "battle" else CHUNK_TRIALS
