"""The page of a battle: one HTML file that opens offline, and says what the terminal does, with pictures."""

from __future__ import annotations

from analyser.analysis.lists import names_apart
from analyser.report.battle_picture import deeds, ends, margin_picture, survival_picture
from analyser.report.shell import page_of
from analyser.results.battle import BattleResult
from analyser.results.battle_swings import PART, by_swing
from analyser.results.battle_tactics import by_tactic
from analyser.results.battle_text import by_margin, by_unit, left_of
from analyser.results.rendering import method_line, of_intervals
from analyser.scenarios.battle import SIDES


def battle_page(found: BattleResult) -> str:
    """The page of a battle as HTML."""
    names = names_apart(*found.scenario.armies)
    left, did = found.survivors(), found.contributions()
    return page_of(
        "battle",
        title=f"{names[0]} against {names[1]}, in battle",
        names=names,
        links=_links(found),
        found=found,
        armies=dict(zip(SIDES, found.scenario.armies)),
        asked=[*found.heading(), ("Method", method_line([found]))],
        ends=ends(found),
        margin=margin_picture(found.margins()),
        by_margin=by_margin(found)._replace(head=("mine less yours", "of battles")),
        survival=survival_picture(left),
        left={side: left_of(left, side) for side in SIDES},
        deeds=deeds(did),
        by_unit=by_unit(did, in_full=True),
        by_swing=by_swing(found.swings),
        part=PART,
        by_tactic=by_tactic(found.game) if found.game else None,
        rounds=found.story.rounds(),
        intervals=of_intervals([found]),
    )


def _links(found: BattleResult) -> list[tuple[str, str, bool]]:
    """The parts of the page that there are."""
    parts = {"battle": "In short"} | ({"tactics": "Tactics"} if found.game else {})
    parts |= {"margin": "Victory points", "left": "What is left", "did": "What units did"}
    parts |= {"swing": "Swing"} if found.swings else {}
    parts |= {"told": "A battle told"} | ({"bands": "All at once"} if found.with_bands else {})
    return [(anchor, name, False) for anchor, name in (parts | {"more": "More"}).items()]
