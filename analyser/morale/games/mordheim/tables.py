"""The sections of a question about Mordheim, each answered by its class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analyser.morale.answers import Sections, joined, rules_used
from analyser.morale.games.mordheim import combat, warband, warriors
from analyser.morale.games.mordheim.question import Question
from analyser.results.base import RulesUsed

_SECTIONS = Sections(
    warband=warband.Game,
    alone=warriors.AllAlone,
    combat=combat.Duel,
    stupidity=warriors.Stupid,
    together=warriors.TestsTogether,
)
chains, answer = _SECTIONS.chains, _SECTIONS.answer


class _Near(NamedTuple):
    """A place where a leader within 6 inches can be stated (MD-4)."""

    where: str
    leader: int | None  # his Leadership
    state: str
    own: int  # Leadership of the warrior who may use his
    tests: bool  # whether there is a test to use it in


def _leaders_near(question: Question) -> Iterator[_Near]:
    """Every place where a leader within 6 inches can be stated."""
    parts = _SECTIONS.parts(question)
    if (lone := question.alone) is not None:
        yield _Near("alone", lone.rally_leader, lone.leader_state, lone.leadership, parts["alone"].can_flee)
    if question.combat is not None:
        for name, side, tests in zip(combat.SIDE_NAMES, parts["combat"].sides, parts["combat"].tests):
            yield _Near(f"combat.{name}", side.leader, side.leader_state, side.leadership, tests)
    if (stupid := question.stupidity) is not None:
        yield _Near("stupidity", stupid.leader, stupid.leader_state, stupid.leadership, True)
    if (several := question.together) is not None:
        for each in several.warriors:
            if each.near_leader:
                yield _Near(f"together: {each.name}", several.leader, "standing", each.leadership, True)


def rules(question: Question) -> RulesUsed:
    """The rules of each section, and of the leaders that are near (MD-4)."""
    helps, warnings = False, {}
    for near in _leaders_near(question):
        standing = near.state == "standing"
        of_whom = f"the leader is {near.state} and lends no Leadership"
        why = of_whom if near.leader else "leader_state has no effect: no leader"
        warnings[f"{near.where}: {why} (MD-4)"] = not standing
        used, better = near.leader is not None and near.tests, (near.leader or 0) > near.own
        no_better = f"the leader's {near.leader} is no better than {near.own}: no effect (MD-4)"
        warnings[f"{near.where}: {no_better}"] = standing and used and not better
        helps = helps or (used and better)
    in_turns = question.warband or question.alone or question.stupidity
    warnings["turns has no effect: a combat has rounds, and tests together are of one turn"] = (
        question.turns is not None and not in_turns
    )
    rule = 'MD-4 the Leadership of a leader within 6", unless he is down, stunned or fleeing'
    return joined((_SECTIONS.rules(question), rules_used({rule: helps}, {}, warnings)))
