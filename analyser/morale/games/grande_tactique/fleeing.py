"""Whether a unit flees, one flight and its pursuit, and the chain reaction among friends (GT-1 to GT-5, GT-9)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, bernoulli, sided
from analyser.morale.answers import Answer, Bars, Mean, Part, Rules, Table
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.ground import OFF_MAP, START, TOTALS, Path
from analyser.morale.games.grande_tactique.question import Check, Column, Flight
from analyser.morale.questions import as_written

UNDECIDED, EAGER, SHAKEN, ROUTED, SILENCED = range(5)
BONUS = {"regular": 0, "veteran": gt.VETERAN_BONUS, "old guard": gt.OLD_GUARD_BONUS}
CAUSES = {"charged": gt.CHARGED, "worn down": gt.WORN_DOWN, "lost firing": gt.LOST_FIRING}
DIE = sided(6)
SURROUNDED = TOTALS  # a state is the total of the flight dice; then comes this one
DESTROYED = ("off the map", "surrounded")
NAMES = {gt.EAGER: "eager", gt.SHAKEN: "shaken", gt.ROUTED: "routed", steps.LEFT_MAP: "off the map"}


class UnitTested(Part[Check]):
    """A unit to which something happens that may make it flee."""

    def _prepare(self) -> None:
        cause = CAUSES[self.asked.cause]
        if cause == gt.WORN_DOWN and self.asked.worn_down_by != "infantry":
            cause = gt.WORN_DOWN_BY_ARTILLERY
        response = gt.response(gt.ARMS[self.asked.arm], self.asked.state == "shaken", cause)
        ignored = response == gt.IS_SHAKEN and not self.question.ruleset.fire_shakes
        self.response = gt.STANDS if ignored else response  # one of those of the rules (GT-1, GT-2)

    def chain(self) -> Chain:
        """One die, if there is a check at all."""
        check, ruleset, stands = self.asked, self.question.ruleset, SHAKEN if self.asked.state == "shaken" else EAGER
        end = {gt.FLEES: ROUTED, gt.IS_SHAKEN: SHAKEN, gt.IS_SILENCED: SILENCED}.get(self.response, stands)

        def checked(_: Any, rolled: Any) -> Any:
            if self.response != gt.CHECKS:
                return end
            modifier = BONUS[check.quality] + check.modifier
            return np.where(gt.passes_check(rolled, modifier, ruleset.check_target), stands, ROUTED)

        die = Phase(checked, sided(ruleset.check_sides), int(self.response == gt.CHECKS))
        return Chain(UNDECIDED, (die, RECORD), SILENCED + 1)

    def answer(self, recorded: Recorded) -> Answer:
        """`check`: whether it stands, flees or is silenced, and its state afterwards."""
        weights = recorded.of_all(SILENCED + 1)
        probabilities = {
            "p_stands": weights[:, EAGER] + weights[:, SHAKEN],
            "p_flees": weights[:, ROUTED],
            "p_silenced": weights[:, SILENCED],
            "p_eager": weights[:, EAGER],
            "p_shaken": weights[:, SHAKEN],
            "p_routed": weights[:, ROUTED],
        }
        routed = "silenced" if self.asked.arm == "artillery" else "routed"
        panel = Bars("check", f"Probability to be {routed}", "arm", f"p_{routed}")
        return Answer({"check": Table({"arm": [self.asked.arm]}, probabilities)}, [panel])

    def rules(self) -> Rules:
        """The rules that the numbers come from, what has no effect, and what was taken for granted."""
        check, tested, by_whom = self.asked, self.response == gt.CHECKS, self.asked.worn_down_by is not None
        is_regular, is_artillery = check.quality == "regular", check.arm == "artillery"
        is_shelled = check.cause == "worn down" and is_artillery
        is_safe = check.state == "eager" and check.cause != "charged" and not is_artillery
        is_safe_firing = check.arm != "infantry" and check.cause == "lost firing"
        applied = {
            "GT-1 states": True,
            "GT-2 who flees": True,
            "GT-9 Old Guard and veterans on morale checks": tested and not is_regular,
        }
        useless = "check.worn_down_by has no effect: it matters to artillery that is worn down by fire (GT-1)"
        taken = "check: artillery has worn it down; fire of infantry (worn_down_by) would not silence it (GT-1)"
        untested = "check.quality and check.modifier have no effect: no morale check is made (GT-2)"
        warnings = {
            useless: by_whom and not is_shelled,
            taken: is_shelled and not by_whom,
            "check: an eager unit does not flee from fire (GT-2)": is_safe,
            f"check: {check.arm} does not flee after losing a firing attack of its own (GT-2)": is_safe_firing,
            untested: not tested and (check.modifier or not is_regular),
        }
        return Rules(applied, {}, warnings)


class OneFlight(Part[Flight]):
    """A unit that flees, and who pursues it."""

    def _prepare(self) -> None:
        self._arm, self._enemy = gt.ARMS[self.asked.arm], gt.ARMS[self.asked.enemy]

    def chain(self) -> Chain:
        """Whether there is a gap, then the flight dice."""
        gap = Phase(lambda states, none: np.where(none, SURROUNDED, states), bernoulli(self.asked.surrounded), 1)
        dice = gt.flight_dice(self._arm, self._enemy)
        rolled = Phase(lambda states, total: np.where(states == SURROUNDED, SURROUNDED, total), DIE, dice)
        return Chain(0, (gap, rolled, RECORD), TOTALS + 1)

    def _end(self, total: int) -> tuple[str, float]:
        """The fate of a flight with this total of its dice, and how far it went."""
        distance, shelter = float(gt.flight_distance(self._arm, total)), self.asked.shelter_distance
        if shelter is not None and gt.finds_shelter(self._arm, shelter):
            return "in shelter", shelter
        edge = self.asked.edge_distance
        return "off the map" if edge is not None and gt.off_map(distance, edge) else "routed", distance

    def answer(self, recorded: Recorded) -> Answer:
        """`flight`: fate, distance and pursuit together; `fates`: how likely each is, and the mean distances."""
        weights = recorded.of_all(TOTALS + 1)
        ends = [*(self._end(total) for total in range(TOTALS)), ("surrounded", 0.0)]
        fates, distances = map(np.array, zip(*ends))
        moves = fates != "surrounded"  # a unit that is surrounded does not move, and nobody pursues it
        pursued = [float(gt.pursuit_distance(self._enemy, self._arm, distance)) for distance in distances]
        pursuits, met = np.where(moves, pursued, 0.0), np.flatnonzero(weights[0])
        keys = {"fate": fates[met].tolist(), "distance": distances[met].tolist(), "pursuit": pursuits[met].tolist()}
        probabilities = {
            "p_off_map": weights @ (fates == "off the map"),
            "p_surrounded": weights @ (fates == "surrounded"),
            "p_destroyed": weights @ np.isin(fates, DESTROYED),
            "p_in_shelter": weights @ (fates == "in shelter"),
            "p_routed": weights @ np.isin(fates, ("in shelter", "routed")),
        }
        means = {}
        for name, lengths in (("flight", distances), ("pursuit", pursuits)) if self.asked.surrounded < 1 else ():
            means[f"mean_{name}_if_it_flees"] = Mean.of(weights * moves, lengths)._replace(given=weights @ moves)
        tables = {
            "flight": Table(keys, {"probability": weights[0, met]}),
            "fates": Table({"arm": [self.asked.arm]}, probabilities, means),
        }
        panel = Bars("flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": DESTROYED})
        return Answer(tables, [panel])

    def rules(self) -> Rules:
        """The rules that the numbers come from, and what has no effect."""
        flight, shelter = self.asked, self.asked.shelter_distance is not None
        applied = {
            "GT-3 flight distance": True,
            "GT-4 pursuit": flight.enemy == "cavalry",
            "GT-5 shelter": flight.arm == "infantry" and shelter,
            "GT-5 the map edge": flight.edge_distance is not None,
            "GT-5 surrounded": flight.surrounded > 0,
        }
        useless = "flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)"
        return Rules(applied, {}, {useless: flight.arm == "cavalry" and shelter})


class ChainReaction(Part[Column]):
    """The units as those of a game (:mod:`.game_steps`) in one column, the first to flee as the lowest field.

    Each is eager, shaken, fleeing, routed or off the map.
    """

    def _prepare(self) -> None:
        asked = self.asked
        arms = [gt.ARMS[arm] for arm in (asked.arm, *(friend.arm for friend in asked.friends))]
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

    def rules(self) -> Rules:
        """The rules that the numbers come from."""
        friends = self.asked.friends
        applied = {
            "GT-1 artillery does not rout by chain": any(friend.arm == "artillery" for friend in friends),
            "GT-3 flight distance": True,
            "GT-5 flight through friends": True,
            "GT-5 the map edge": self.asked.edge_distance is not None,
            "GT-9 Old Guard that flees": self.asked.old_guard or any(friend.old_guard for friend in friends),
        }
        return Rules(applied)
