"""The sections of a question about Mordheim, each answered by its module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analyser.morale.games.mordheim import alone, combat, stupidity, together, warband
from analyser.morale.games.mordheim.question import Question
from analyser.morale.systems import Sections

_SECTIONS = Sections(warband=warband, alone=alone, combat=combat, stupidity=stupidity, together=together)
chains, tables, panels, not_modelled = _SECTIONS.chains, _SECTIONS.tables, _SECTIONS.panels, _SECTIONS.not_modelled


class _Near(NamedTuple):
    """A place where a leader within 6 inches can be stated (MD-4)."""

    where: str
    leader: int | None  # his Leadership
    state: str
    own: int  # Leadership of the warrior who may use his
    tests: bool  # whether there is a test to use it in


def _leaders_near(question: Question) -> Iterator[_Near]:
    """Every place where a leader within 6 inches can be stated."""
    if (lone := question.alone) is not None:
        yield _Near("alone", lone.rally_leader, lone.leader_state, lone.leadership, alone.can_flee(lone))
    sides = {} if question.combat is None else combat.sides_of(question.combat)
    for name, (side, tests) in sides.items():
        yield _Near(f"combat.{name}", side.leader, side.leader_state, side.leadership, tests)
    if (stupid := question.stupidity) is not None:
        yield _Near("stupidity", stupid.leader, stupid.leader_state, stupid.leadership, True)
    if (several := question.together) is not None:
        for each in several.warriors:
            if each.near_leader:
                yield _Near(f"together: {each.name}", several.leader, "standing", each.leadership, True)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from: those that can have their occasion."""
    helps = any(near.leader is not None and near.tests and near.leader > near.own for near in _leaders_near(question))
    rule = 'MD-4 the Leadership of a leader within 6", unless he is down, stunned or fleeing'
    return (*_SECTIONS.applied(question), *[rule] * helps)


def warnings(question: Question) -> Iterator[str]:
    """What has no effect, and what was taken for granted."""
    yield from _SECTIONS.warnings(question)
    for near in _leaders_near(question):
        if near.state != "standing":
            of_whom = f"the leader is {near.state} and lends no Leadership"
            yield f"{near.where}: {of_whom if near.leader else 'leader_state has no effect: no leader'} (MD-4)"
        elif near.leader is not None and near.tests and near.leader <= near.own:
            yield f"{near.where}: the leader's {near.leader} is no better than {near.own}: no effect (MD-4)"
    if question.turns is not None and not (question.warband or question.alone or question.stupidity):
        yield "turns has no effect: a combat has rounds, and tests together are of one turn"
