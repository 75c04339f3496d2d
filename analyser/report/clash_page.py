"""Page of a clash: one HTML file that opens offline, built from parts of the page of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analyser.analysis.clash import SHARE_LOST, WINS, Clash
from analyser.analysis.clash_text import (
    answer_text,
    answer_titles,
    counted_name,
    proof_text,
    value_text,
    volley_lines,
)
from analyser.analysis.lists import Listed
from analyser.analysis.volleys import AIMS, Volleys
from analyser.report.figures import figures_data, packed_figures, side_data
from analyser.report.shell import page_of

_LEVEL = "as in the army"
_CARRIED = (
    *(SHARE_LOST, "p_annihilated", "mean_models_destroyed", "p_any_destroyed", "p_half_destroyed", "p_suppressed"),
    *("p_broken", "mean_damage", "expected_points_destroyed", "attacker_share_lost", WINS, "p_draw"),
)


def clash_page(answer: Clash) -> str:
    """Return the page of a clash as HTML."""
    rounds = list(_rounds(answer))
    return page_of(
        "clash",
        title=f"{answer.mine.army.name} against {answer.yours.army.name}",
        links=[
            *([("battle", "In battle", False)] if answer.fought else []),
            ("gaps", "Gaps", False),
            *([("rounds", "Best attacks", False)] if rounds else []),
            ("heatmap", "Matrix", True),
            *((name.lower(), name, False) for name in ("Answers", "Units", "More")),
        ],
        found=answer,
        gap_lines=answer.gap_lines(),
        rounds=rounds,
        answers=list(_answers(answer)),
        units=[(army, _units(army, key)) for key, army in (("mine", answer.mine), ("yours", answer.yours))],
        data=packed_figures(_data(answer)),
        aims=AIMS,
        value_text=value_text,
        proof_text=proof_text,
        volley_lines=volley_lines,
        counted_name=counted_name,
    )


def _rounds(answer: Clash) -> Iterator[tuple[str, list[tuple[Volleys, Listed, Listed]]]]:
    """Yield the best attacks of both sides for each situation."""
    for ours, theirs in zip(answer.volleys, answer.their_volleys):
        yield ours.situation.heading, [(ours, answer.mine, answer.yours), (theirs, answer.yours, answer.mine)]


def _answers(answer: Clash) -> Iterator[tuple[str, list[tuple[str, list[tuple[str, str]]]]]]:
    """Yield, for each side, a title and the targets, each with the best and second-best counter by situation."""
    mine = (answer.mine, answer.yours, answer.answers, answer.next_answers)
    yours = (answer.yours, answer.mine, answer.threats, answer.next_threats)
    for title, (army, enemy, best, following) in zip(answer_titles(answer), (mine, yours)):
        by_target: dict[str, list[tuple[str, str]]] = {}
        for first, second in zip(best, following):
            after = "" if second.attacker is None else answer_text(second, army)
            by_target.setdefault(first.target, []).append((answer_text(first, army), after))
        yield title, [(counted_name(enemy, target), cells) for target, cells in by_target.items()]


def _units(army: Listed, key: str) -> list[dict[str, Any]]:
    """Return the units of an army, each with the anchor that the heatmap links to."""
    return [
        {
            "anchor": f"unit-{key}-{_slug(kind.selector)}",
            "name": counted_name(army, kind.selector),
            "points": kind.level.points,
            "models": kind.level.models,
            "facts": f"{kind.unit.type}, {kind.unit.category} target",
            "rules": ", ".join(map(str, kind.unit.rules)),
        }
        for kind in army.kinds
    ]


def _slug(selector: str) -> str:
    return selector.replace("/", "-").replace("@", "-")


def _data(answer: Clash) -> dict[str, Any]:
    """Return the data for the scripts: units by side, so a unit of both sides occurs twice."""
    sides, frames = [], []
    for key, army, other in (("mine", answer.mine, "yours"), ("yours", answer.yours, "mine")):
        for kind in army.kinds:
            named = {"selector": f"{key}/{_slug(kind.selector)}", "unit": counted_name(army, kind.selector)}
            sides.append(side_data(kind) | named | {"level": _LEVEL, "faction": key})
        part = answer.of(key)
        renamed = {"attacker": part["attacker"].map(lambda name, key=key: f"{key}/{_slug(name)}")}
        renamed |= {"defender": part["defender"].map(lambda name, other=other: f"{other}/{_slug(name)}")}
        frames.append(part.assign(**renamed))
    frame = pd.concat(frames, ignore_index=True)
    carried = [name for name in _CARRIED if frame[name].notna().any()]
    names = {"mine": answer.mine.army.name, "yours": answer.yours.army.name}
    if names["mine"] == names["yours"]:
        names = {key: f"{name} ({key})" for key, name in names.items()}
    return figures_data(frame, answer.situations, sides, carried) | {"every_level": _LEVEL, "faction_names": names}
