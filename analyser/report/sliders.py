"""Data for the sliders of a unit's card: verdicts at other prices, and the exact engines with the units of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.balance import Row
from analyser.analysis.mutual_losses import WAYS, is_near
from analyser.analysis.situations import Situation
from analyser.analysis.verdict import OVER, probabilities, verdict_of
from analyser.common.errors import InputError
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.web.contents import RANKING, edits, unit_entry
from analyser.web.facts import layout
from analyser.web.html import engine

STEP = 1.02  # from one price to the next
RATIOS = 0.5 * STEP ** np.arange(71)
"""Points over fair points at which a card knows the verdict: from a half to twice as much."""
SLID = ("dice", "defence")


class Verdicts(NamedTuple):
    """Verdicts at each of :data:`RATIOS`, and the probabilities, in percent, that points are more than 10% wrong."""

    under: list[int]
    over: list[int]
    verdicts: list[str]


def verdicts_at(price: Row) -> Verdicts:
    """Return the verdict on a loadout at each of :data:`RATIOS`, by the model that gave its fair points.

    It needs a fair price.
    """
    fair = float(price["fair_points"])
    wrong = np.log(price["probably_over_fair"]) + price["follows"] * np.log(RATIOS / price["points_over_fair"])
    least = np.full(len(RATIOS), -np.inf) if np.isnan(price["at_most"]) else np.log(RATIOS * fair / price["at_most"])
    under, over = probabilities(wrong, np.full(len(RATIOS), price["error"]), least)
    verdicts = [OVER if most > 0 else verdict_of(*each) for *each, most in zip(under, over, least >= 0)]
    low, high = ((100 * each).round().astype(int).tolist() for each in (under, over))
    return Verdicts(low, high, verdicts)


def slider_data() -> dict[str, Any]:
    """Return what the sliders of all cards share: the grid of prices, and the numbers of a unit that can be changed."""
    return {"first": RATIOS[0], "step": STEP, "edits": [edit for edit in edits() if edit["name"] in SLID]}


def engine_of(loadouts: Iterable[Loadout], situations: Sequence[Situation], ruleset: Ruleset) -> str:
    """Return the exact engines with the units of a report, packed; empty if the report has no shots or charges.

    Its data: `units`, the facts of each loadout by its selector, without those that the module has no room for; `acts`,
    what units do to each other (`kind`, `near`, and `conditions` of the module); and the ranking of rows.
    """
    acts = [_act(situation) for situation in situations if situation.kind in WAYS]
    units = {each.selector: entry for each in loadouts if (entry := entry_of(each)) is not None}
    if not acts or not units:
        return ""
    return engine({"layout": layout(ruleset), "units": units, "acts": acts} | RANKING)


def _act(situation: Situation) -> dict[str, Any]:
    conditions: dict[str, Any] = dict.fromkeys((*situation.bonuses, *situation.penalties), True)
    if situation.distance is not None:
        conditions["distance"] = situation.distance
    suppressed = {"attacker": {"suppressed": conditions.pop("suppressed", False)}}
    kind = "charge" if situation.kind == "charge" else "attack"
    return {"kind": kind, "near": is_near(situation), "conditions": conditions | suppressed}


def entry_of(loadout: Loadout) -> dict[str, Any] | None:
    """Return the facts of a loadout for the module; None if it has no room for them."""
    try:
        return unit_entry(loadout)
    except InputError:
        return None
