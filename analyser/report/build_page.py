"""Page of a build: the army lists side by side, their results in battles, and the units of each."""

from __future__ import annotations

from analyser.analysis.build_answer import Build, proof_text
from analyser.analysis.build_battles import Played
from analyser.analysis.built_lists import by_battlegroup
from analyser.game.army import Army
from analyser.report.shell import page_of


def build_page(build: Build) -> str:
    """Return the page of a build as HTML, which opens offline."""
    order = build.order or range(len(build.lists))
    values = {item.army.name: item for item in build.lists}
    fought: list[tuple[Army, Played | None, str]] = [*build.fought()] or [(item.army, None, "") for item in build.lists]
    return page_of(
        "build",
        title=build.title,
        found=build,
        not_in_it=[*(f"Left out: {line}" for line in build.left_out), *build.assumptions],
        rows=[
            (army, played, said, build.own_worth if army is build.own else values[army.name])
            for army, played, said in fought
        ],
        ranked=[build.lists[place].army for place in order] + ([build.own] if build.own is not None else []),
        by_battlegroup=by_battlegroup,
        proof_text=proof_text,
    )
