"""A flight through friends, and theirs through others: the chain reaction (GT-5, GT-9)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, bernoulli
from analyser.morale.answers import Answer, Mean, Part, Table, rules_used
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.flight import DIE
from analyser.morale.games.grande_tactique.ground import OFF_MAP, START, TOTALS, Path
from analyser.morale.games.grande_tactique.question import Column, Question
from analyser.morale.pictures import Bars
from analyser.morale.questions import as_written
from analyser.results.base import RulesUsed

NAMES = {gt.EAGER: "eager", gt.SHAKEN: "shaken", gt.ROUTED: "routed", steps.LEFT_MAP: "off the map"}


class ChainReaction(Part):
    """The units as those of a game (:mod:`.game_steps`) in one column, the first to flee as the lowest field.

    Each is eager, shaken, fleeing, routed or off the map.
    """

    asked: Column

    def __init__(self, asked: Column, question: Question) -> None:
        super().__init__(asked, question)
        arms = [gt.Arm[arm.upper()] for arm in (asked.arm, *(friend.arm for friend in asked.friends))]
        places = (Fraction(0), *(as_written(friend.distance) for friend in asked.friends))
        edge, paths = None if asked.edge_distance is None else as_written(asked.edge_distance), []
        for arm, place in zip(arms, places):
            flights = [gt.flight_distance(arm, total) for total in range(TOTALS)]
            left = [edge is not None and gt.off_map(flight, edge - place) for flight in flights]
            paths.append(Path(arm, (edge or Fraction(0)) - place, [START], [[OFF_MAP if off else 0 for off in left]]))
        fleeing = steps.FLEEING_FROM_CAVALRY if asked.enemy == "cavalry" else gt.FLEEING
        statuses = (gt.EAGER, gt.SHAKEN, fleeing, gt.ROUTED, *([] if edge is None else [steps.LEFT_MAP]))
        old_guard = (asked.old_guard, *(friend.old_guard for friend in asked.friends))
        conditions = [steps.condition_of(0, 0, status) for status in statuses]
        units = steps.units_of(paths, [conditions] * len(paths))
        self.units, self._statuses = units._replace(old_guard=np.array(old_guard, np.int64)), len(statuses)

    def _shaking(self, place: int, states: Any, shaken: Any) -> Any:
        digit = self._statuses**place
        return np.where(shaken & (states // digit % self._statuses == gt.EAGER), states + digit * gt.SHAKEN, states)

    def _first_flees(self, states: Any, _: Any) -> Any:
        enemy = steps.BY_CAVALRY if self.asked.enemy == "cavalry" else steps.BY_INFANTRY
        return steps.change(self.units, steps.CHARGE, 0)(states, np.arange(enemy + 1))[:, [enemy]]

    def chain(self) -> Chain:
        """Which friends are shaken, then the first is made to flee, then flight after flight as long as anybody is."""
        count, dice = len(self.units.arms), [bernoulli(friend.shaken) for friend in self.asked.friends]
        shaken = (Phase(partial(self._shaking, place), die, 1) for place, die in enumerate(dice, start=1))
        phases = (*shaken, Phase(self._first_flees), *[steps.flight(self.units, DIE)] * count, RECORD)
        what = f"a flight through {count - 1} friends, each with {self._statuses} states"
        return Chain(0, phases, self._statuses**count, what, "fewer friends")

    def answer(self, recorded: Recorded) -> Answer:
        """`chain`: how many friends flee; `friends`: what becomes of each; `joint`: of all together."""
        states, weights = recorded
        (pmf,), statuses = weights, steps.read(self.units, states)[0]
        friends, count, met = statuses[:, 1:], len(self.asked.friends), np.flatnonzero(pmf)
        fleeing, numbers = np.isin(friends, (gt.ROUTED, steps.LEFT_MAP)).sum(axis=1), range(count + 1)
        of_numbers = {
            "p_exactly": np.array([pmf[fleeing == number].sum() for number in numbers]),
            "p_at_least": np.array([pmf[fleeing >= number].sum() for number in numbers]),
        }
        of_friends = {f"p_{name}".replace(" the ", "_"): pmf @ (friends == status) for status, name in NAMES.items()}
        keys = {
            "friend": numbers[1:],
            "arm": [friend.arm for friend in self.asked.friends],
            "distance": [friend.distance for friend in self.asked.friends],
        }
        names = ["first", *(f"friend_{friend}" for friend in numbers[1:])]
        joint = {name: [NAMES[status] for status in of_each] for name, of_each in zip(names, statuses[met].T.tolist())}
        tables = {
            "chain": Table({"friends": numbers}, of_numbers),
            "chain_means": Table({"units": [count]}, means={"mean_friends_fleeing": Mean.of(weights, fleeing)}),
            "friends": Table(keys, of_friends),
            "joint": Table(joint, {"probability": pmf[met]}),
        }
        return Answer(tables, [Bars("chain", "P(exactly so many friends flee)", "friends", "p_exactly")])

    def rules(self) -> RulesUsed:
        """The rules that the numbers come from."""
        friends = self.asked.friends
        applied = {
            "GT-1 artillery does not rout by chain": any(friend.arm == "artillery" for friend in friends),
            "GT-3 flight distance": True,
            "GT-5 flight through friends": True,
            "GT-5 the map edge": self.asked.edge_distance is not None,
            "GT-9 Old Guard that flees": self.asked.old_guard or any(friend.old_guard for friend in friends),
        }
        return rules_used(applied)
