"""Data for the sliders on the card of a unit: verdicts at other prices, and the calculator with the facts of units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.efficiency import TableRow
from analyser.analysis.mutual_losses import EXCHANGE_KINDS, is_near
from analyser.analysis.situations import Situation
from analyser.analysis.verdict import OVER, UNDECIDED, probabilities, verdict_of
from analyser.common.errors import InputError
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.web.html import pack_engine
from analyser.web.memory_layout import layout
from analyser.web.page_data import RANKING, edits, unit_entry

STEP = 1.02  # ratio between successive prices
PRICE_RANGE = 2.0  # prices on a card go from fair points / PRICE_RANGE to fair points * PRICE_RANGE
ADJUSTABLE = {"dice": "Dice added to every attack of the unit", "defence": "DEFENCE"}


class VerdictsByPrice(NamedTuple):
    """Verdicts at prices from low to high, and the probabilities that a price is more than 10% too low or too high."""

    today: int  # index of today's price
    under: list[float]
    over: list[float]
    verdicts: list[str]  # over-priced from the price of a better loadout upwards
    doubt: str  # reason why the other verdicts are undecided, or empty


def verdicts_by_price(price: TableRow) -> VerdictsByPrice:
    """Return verdicts at prices around fair points.

    A doubt that alone makes today's verdict undecided also makes the verdicts at other prices undecided.
    """
    ends = np.log([1 / PRICE_RANGE, PRICE_RANGE]) - np.log(price["points_over_fair"])
    first, last = min(0, int(ends[0] / np.log(STEP))), max(0, int(ends[1] / np.log(STEP)))
    change = np.arange(first, last + 1) * np.log(STEP)
    mispricing = np.log(price["probably_over_fair"]) + price["sensitivity"] * change
    under, over = probabilities(mispricing, np.full(len(change), price["error"]))
    is_decided_by_fights = verdict_of(price["under_probability"], price["over_probability"]) != UNDECIDED
    doubt = price["doubt"] if is_decided_by_fights else ""
    dominated = price["points"] * np.exp(change) >= price["at_most"]  # False if there is no better loadout
    by_fights = [UNDECIDED if doubt else verdict_of(*likely) for likely in zip(under, over)]
    verdicts = [OVER if better else verdict for better, verdict in zip(dominated, by_fights)]
    return VerdictsByPrice(-first, under.tolist(), over.tolist(), verdicts, doubt)


def slider_data() -> dict[str, Any]:
    """Return the ratio between successive prices, and the adjustable numbers of a unit."""
    adjustable = [edit | {"label": ADJUSTABLE[edit["name"]]} for edit in edits() if edit["name"] in ADJUSTABLE]
    return {"step": STEP, "edits": adjustable}


def engine_of(loadouts: Iterable[Loadout], situations: Sequence[Situation], ruleset: Ruleset) -> str:
    """Return the WebAssembly calculator and the units as text; empty without shots and charges, or units that fit."""
    actions = [_action(situation) for situation in situations if situation.kind in EXCHANGE_KINDS]
    units = {}
    for loadout in loadouts:
        with suppress(InputError):  # too large for the calculator
            units[loadout.selector] = unit_entry(loadout)
    if not actions or not units:
        return ""
    return pack_engine({"layout": layout(ruleset), "units": units, "actions": actions} | RANKING)


def _action(situation: Situation) -> dict[str, Any]:
    conditions: dict[str, Any] = dict.fromkeys((*situation.bonuses, *situation.penalties), True)
    if situation.distance is not None:
        conditions["distance"] = situation.distance
    suppressed = {"attacker": {"suppressed": conditions.pop("suppressed", False)}}
    kind = "charge" if situation.kind == "charge" else "attack"
    return {"kind": kind, "near": is_near(situation), "conditions": conditions | suppressed}
