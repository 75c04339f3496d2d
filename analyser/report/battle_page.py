"""Page of a battle: the answer with pictures, as one HTML file that opens offline."""

from __future__ import annotations

from analyser.report.battle_picture import deeds, ends, margin_picture, survival_picture
from analyser.report.shell import page_of
from analyser.results.battle import BattleResult
from analyser.results.battle_swings import PART, by_swing
from analyser.results.battle_tactics import by_tactic
from analyser.results.battle_text import by_margin, by_unit, left_of
from analyser.results.rendering import method_line, of_intervals
from analyser.scenarios.battle import SIDES


def battle_page(answer: BattleResult) -> str:
    """Return the page of a battle as HTML."""
    names, (first, second) = answer.names, answer.names.values()
    left, did = answer.survivors(), answer.contributions()
    return page_of(
        "battle",
        title=f"{first} against {second}, in battle",
        names=names,
        links=_links(answer),
        found=answer,
        asked=[*answer.heading(), ("Method", method_line([answer]))],
        ends=ends(answer),
        margin=margin_picture(answer.margins()),
        by_margin=by_margin(answer)._replace(head=(f"{first} less {second}", "of battles")),
        survival=survival_picture(left),
        left={side: left_of(left, side) for side in SIDES},
        deeds=deeds(did),
        by_unit=by_unit(did, names, in_full=True),
        by_swing=by_swing(answer.swings, names),
        part=PART,
        by_tactic=by_tactic(answer.game, names) if answer.game else None,
        rounds=answer.story.rounds(),
        intervals=of_intervals([answer]),
    )


def _links(answer: BattleResult) -> list[tuple[str, str, bool]]:
    """Return the links to the parts of the page."""
    parts = {"battle": "In short"} | ({"tactics": "Tactics"} if answer.game else {})
    parts |= {"margin": "Victory points", "left": "What is left", "did": "What units did"}
    parts |= {"swing": "Swing"} if answer.swings else {}
    parts |= {"told": "A battle told"} | ({"bands": "All at once"} if answer.with_bands else {})
    return [(anchor, name, False) for anchor, name in (parts | {"more": "More"}).items()]
