"""The page of a build: the lists side by side, what battles say of them, and what is in each."""

from __future__ import annotations

from analyser.analysis.build_answer import Build, proof_text
from analyser.analysis.build_battles import Played
from analyser.analysis.built_lists import by_battlegroup
from analyser.game.army import Army
from analyser.report.shell import page_of


def build_page(found: Build) -> str:
    """The page of a build as HTML, which opens offline."""
    order = found.order or range(len(found.lists))
    values = {each.army.name: each for each in found.lists}
    fought: list[tuple[Army, Played | None, str]] = [*found.fought()] or [(each.army, None, "") for each in found.lists]
    return page_of(
        "build",
        title=found.title,
        found=found,
        not_in_it=[*(f"Left out: {each}" for each in found.left_out), *found.assumptions],
        rows=[
            (army, played, said, found.own_worth if army is found.own else values[army.name])
            for army, played, said in fought
        ],
        ranked=[found.lists[place].army for place in order] + ([found.own] if found.own is not None else []),
        by_battlegroup=by_battlegroup,
        proof_text=proof_text,
    )
