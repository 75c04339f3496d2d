"""A battle with the units in other orders: how much the probability to win depends on it (`docs/battle.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from analyser.common.answer import Block
from analyser.common.estimates import Estimate, estimate, estimate_in, probability_figures
from analyser.common.sampling import Sampling
from analyser.common.text import counted, fill
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome, Turn
from analyser.scenarios.battle import SIDES, BattleScenario, reordered
from analyser.scenarios.battle_tables import Encoder

SHUFFLES = 6  # of each list, and of both
BOTH = "both"
CHANGED = (*SIDES, BOTH)  # whose units are in another order
WHOSE = {"mine": "mine, theirs as given", "yours": "yours, mine as given", BOTH: "both"}
POLICIES = tuple(each.name.lower() for each in Turn)
_WON = [Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]
PICKED = "Each was picked of all that were tried, and then played anew, so that being picked does not move it."
_NOT_TRIED = "That is of the habits above: other policies, orders, targets and cards can move it by tens of points."


class Order(NamedTuple):
    """A battle with the units in another order: whose units, which order, and the battle."""

    changed: str
    name: str
    scenario: BattleScenario


def other_orders(scenario: BattleScenario, seed: int) -> Iterator[Order]:
    """Each other policy of order of one side and of both, then shuffles by a seed; what stays the same is left out."""
    as_listed = [list(range(len(units))) for units in scenario.fielded]
    if max(map(len, as_listed)) == 1:
        return
    draws, seen = np.random.default_rng(seed), [_alike(scenario)]
    shuffles = [[draws.permutation(len(each)).tolist() for each in as_listed] for _ in range(SHUFFLES)]
    for changed in CHANGED:
        sides = SIDES if changed == BOTH else (changed,)
        for name in POLICIES:
            terms = {f"order_{side}": name for side in sides}
            if any(getattr(scenario.terms, key) != value for key, value in terms.items()):
                yield Order(changed, name, reordered(scenario, as_listed, **terms))
        for number, places in enumerate(shuffles, 1):
            lists = [places[at] if side in sides else as_listed[at] for at, side in enumerate(SIDES)]
            shuffled = reordered(scenario, lists)
            if _alike(shuffled) not in seen:
                seen.append(_alike(shuffled))
                yield Order(changed, f"shuffle {number}", shuffled)


def _alike(scenario: BattleScenario) -> list[list[Any]]:
    """The units in their order, by all that they bring to the battle besides their names."""
    return [
        [(each.unit.loadout.selector, each.unit.points, each[1:], each.unit.embarked_in) for each in units]
        for units in scenario.fielded
    ]


def orders_tried(scenario: BattleScenario, trials: int, sampling: Sampling) -> tuple[dict[str, Any], ...]:
    """So many battles with the units in each other order; by whose order it is, the least chance comes first.

    The two at the ends are then played anew, twice as often, by other random numbers, and that is what is said of them:
    being picked does not move it.
    """
    seed, encoder = int(sampling.seed), Encoder(scenario.ruleset)

    def played(order: Order, trials: int, seed: int) -> dict[str, Any]:
        simulation = Simulation(*encoder.encoded(order.scenario), replacement=sampling.replacement)
        counts = simulation.play(trials, seed, sampling.n_threads)
        won = estimate(float(counts.outcomes[:, _WON].sum()), trials)
        return {"trials": trials, **probability_figures("p_victory", won)}

    rows: list[dict[str, Any]] = []
    orders = list(other_orders(scenario, seed))
    for changed in CHANGED:
        found = [(played(each, trials, seed), each) for each in orders if each.changed == changed]
        found.sort(key=lambda one: float(one[0]["p_victory"]))
        for place, (figures, order) in enumerate(found):
            is_end = place in (0, len(found) - 1)
            said = played(order, 2 * trials, seed + 1) if is_end else figures
            terms, fielded = order.scenario.terms, order.scenario.fielded
            policies = {f"order_{side}": terms.of("order", side) for side in SIDES}
            sides = list(zip(SIDES, fielded))
            units = {f"{side}_units": [each.name for each in units] for side, units in sides}
            units |= {f"{side}_names": [each.title for each in units] for side, units in sides}
            head = {"changed": changed, "order": order.name, "picked": is_end}
            rows.append({**head, **policies, **units, **said})
        first = len(rows) - len(found)
        if found and rows[first]["p_victory"] > rows[-1]["p_victory"]:  # as played anew
            rows[first], rows[-1] = rows[-1], rows[first]
    return tuple(rows)


def orders_lines(rows: Sequence[dict[str, Any]], as_given: Estimate) -> list[str]:
    """Return sentences: how much the probability to win depends on the order, and the best order of my side.

    `as_given`: the probability in the order of the question.
    """
    if not rows:
        return [_NOT_TRIED]
    least, most = (pick(rows, key=lambda row: row["p_victory"]) for pick in (min, max))
    lines = [
        f"The order counts: as given {as_given}, in other orders {_chance(least)} to {_chance(most)} "
        f"({counted(len(rows), 'order')} tried); an order that was not tried may be beyond both."
    ]
    own = _of(rows, SIDES[0])
    if own:
        lines.append(
            f"My own order alone, theirs as given: {_chance(own[0])} ({called(own[0])}) to {_chance(own[-1])} "
            f"({called(own[-1])}, the best of {counted(len(own), 'other')} tried). {_GAINS[_gains(own[-1], as_given)]}"
        )
    return lines


def _gains(row: dict[str, Any], as_given: Estimate) -> bool | None:
    """Return True if an order wins more often than the given one, False if less; None: no significant difference."""
    chance = estimate_in(row, "p_victory")
    ends = [(each.low, each.high) for each in (chance, as_given)]
    (low, high), (given_low, given_high) = ((low or 0.0, 1.0 if high is None else high) for low, high in ends)
    return True if low > given_high else False if high < given_low else None


_GAINS = {
    True: "That is better than as given.",
    None: "That cannot be told from as given.",
    False: "All of them are worse than as given.",
}


def by_order(rows: Sequence[dict[str, Any]], as_given: Estimate) -> Block:
    """The least and the greatest chance by whose order it is, beside that `as_given`; and a better one, to copy."""
    picked = [row for changed in CHANGED for row in _of(rows, changed) if row["picked"]]
    lines = [["as given", "", str(as_given)], *([WHOSE[row["changed"]], called(row), _chance(row)] for row in picked)]
    told = fill(PICKED)
    if better := better_order(rows, as_given):
        told += [f"{better.title}:", *(f"  {line}" for line in better.lines)]
    head = ("whose order", "which", "mine wins")
    return Block("In other orders: the least and the greatest chance", head, lines, "<<>", lines=told)


class BetterOrder(NamedTuple):
    """The best order of my side of those tried: what it is, and the option, or the units from the first on, to copy."""

    title: str
    lines: list[str]


def better_order(rows: Sequence[dict[str, Any]], as_given: Estimate) -> BetterOrder | None:
    """My best order of those tried; None where none is better than that as given."""
    own = _of(rows, SIDES[0])
    if not own or not _gains(own[-1], as_given):
        return None
    best = own[-1]
    lines = [f"{number:>2}  {name}" for number, name in enumerate(best["mine_names"], 1)]
    if best["order"] in POLICIES:
        lines = [f"--order-mine {best['order']}"]
    return BetterOrder(f"Better than as given, mine in the order of {called(best)}", lines)


def _of(rows: Sequence[dict[str, Any]], changed: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["changed"] == changed]


def called(row: dict[str, Any]) -> str:
    """Return the name of an order: ``order nearest``, ``shuffle 3``."""
    return f"order {row['order']}" if row["order"] in POLICIES else str(row["order"])


def _chance(row: dict[str, Any]) -> str:
    return str(estimate_in(row, "p_victory"))
