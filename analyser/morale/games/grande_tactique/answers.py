"""Answers about Grande Tactique: the sections `game` and `rout`, and the answer to all sections of a question.

A turn is a list of phases (:mod:`.game_steps`), each followed by the flights that it causes, the foremost unit first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Die, ExtraDie, Phase, Recorded, Story, bernoulli, fair_die
from analyser.morale.answer_parts import Panel, Section, Sections, Sums, Table, Tables, rules_used, tally, turn_key
from analyser.morale.games.grande_tactique import fleeing
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.game_steps import STATUS_OF, STATUSES, condition_of
from analyser.morale.games.grande_tactique.question import Game, GameUnit, Question, Rout
from analyser.results.base import RulesUsed

LOST_STATUSES = (steps.RIDDEN_DOWN, steps.LEFT_MAP, steps.SURROUNDED)
SHOWN_STATUSES = ("eager", "shaken", "routed", "silenced", "destroyed", "off the map", "surrounded", "withdrawn")
CHARGE_WORDS = ("no charge", "cavalry charges", "infantry charges")
NOT_MODELLED = (  # rules, and the sections that do not model them
    ("GT-1 how silenced artillery comes back into action", "game"),
    ("GT-2 a unit in square leaves it, a firing unit stops firing: this changes none of these figures", "check, game"),
    (
        "GT-2 a unit that charges out of woods or a built-up area, loses Locked in Combat and routs: it stays there, "
        "routed",
        "check, flight, game",
    ),
    (
        "GT-2 attached generals: swept along by a routed unit until it rallies",
        "check, flight, column, rout, division, game",
    ),
    ("GT-2 attached generals: taken prisoner with a unit that is surrounded", "flight, rout, game"),
    ("GT-4 pursuit", "column, game"),
    ("GT-5 a gap between friends; woods and built-up areas beside the column", "column"),
    ("GT-5 friends in the way of units that flee again", "rout"),
    (
        "GT-5 the direction of flight and the width of gaps: stated distances are along the flight",
        "flight, column, rout, game",
    ),
    ("GT-2, GT-5 causes of routs and losses: their probabilities are given", "division"),
    ("GT-10 voluntary withdrawal", "rout, division"),
    ("GT-5 a gap between friends; GT-9 friends of Old Guard in other columns", "game"),
    ("GT-8 where a halted corps may still move", "division, game"),
    ("GT-11 follow-up charges: included in the probabilities of charges", "rout, game"),
)


class GameSection(Section[Game]):
    """A division in a game of several turns, with its states as in :mod:`.game_steps`."""

    def _prepare(self) -> None:
        section, ruleset = self.section, self.question.ruleset
        self._turns = section.turns or ruleset.turns
        # a unit flees up to twice in a turn: the second time if it is charged in rout
        flees_from_cavalry, flights = any(unit.charged_by_cavalry for unit in section.units), 2 * self._turns
        totals = [range(gt.TOTALS if flees_from_cavalry and unit.arm == "cavalry" else 1) for unit in section.units]
        paths = [gt.path_of(unit, unit_totals, flights) for unit, unit_totals in zip(section.units, totals)]
        conditions = [self._possible_conditions(unit, path) for unit, path in zip(section.units, paths)]
        self.units = steps.units_of(paths, conditions)._replace(
            columns=np.array([unit.column or -position - 1 for position, unit in enumerate(section.units)], np.int64),
            old_guard=np.array([unit.quality == "old guard" for unit in section.units], np.int64),
            modifiers=np.array([fleeing.CHECK_BONUS[unit.quality] + unit.modifier for unit in section.units], np.int64),
            target=ruleset.check_target,
            fire_shakes=int(ruleset.fire_shakes),
            rallied=STATUS_OF[section.rallied],
            pips_elsewhere=section.pips_elsewhere,
            has_collapse_field=1,
        )

    def _possible_conditions(self, unit: GameUnit, path: gt.Path) -> list[int]:
        """Return all conditions that a unit can have, and perhaps some that it cannot have, in rising order."""
        flight_totals = {
            steps.FLEEING: (0,),
            steps.FLEEING_FROM_CAVALRY: range(gt.FLIGHT_DICE, gt.TOTALS) if unit.arm == "cavalry" else (0,),
        }
        after_standing, is_safe = [], unit.column is None and not any(unit.fire + unit.charges)
        if unit.arm == "artillery" and not is_safe:
            after_standing = [steps.SHAKEN, steps.SILENCED]
        elif not is_safe:
            from_cavalry = any(other.charged_by_cavalry for other in self._column(unit))
            after_standing = [steps.SHAKEN, steps.FLEEING, steps.ROUTED, *[steps.FLEEING_FROM_CAVALRY] * from_cavalry]
        after_standing += [steps.WITHDRAWN] if unit.withdraws else []
        after_rout = [steps.FLEEING, *([steps.RIDDEN_DOWN] if unit.charges_in_rout[0] else [])]
        start = condition_of(0, 0, STATUS_OF[unit.state])
        reached, waiting = {start}, [start]
        while waiting:
            rest, status = divmod(waiting.pop(), STATUSES)
            position, rallied = divmod(rest, 2)
            after = []
            if status in (steps.EAGER, steps.SHAKEN):
                after = [(position, rallied, status_after) for status_after in after_standing]
            elif status == steps.ROUTED:
                after = [
                    (position, 1, STATUS_OF[self.section.rallied]),
                    *((position, rallied, status_after) for status_after in after_rout),
                ]
            elif status in flight_totals:
                ends = {path.ends_by_total[position][total] for total in flight_totals[status]}
                after = [(end, rallied, steps.ROUTED) for end in ends if end != gt.OFF_MAP]
                after += [(0, rallied, steps.LEFT_MAP)] if gt.OFF_MAP in ends else []
                after += [(0, rallied, steps.SURROUNDED)] if self.section.surrounded else []
            new = {condition_of(*parts) for parts in after} - reached
            reached |= new
            waiting += new
        return sorted(reached)

    def _column(self, unit: GameUnit) -> list[GameUnit]:
        others = self.section.units if unit.column is not None else ()
        return [other for other in others if other.column == unit.column] or [unit]

    def chain(self) -> Chain:
        """Return the chain of turns: withdrawals; then PIP phase, fire and charges, each followed by flights."""
        units, ruleset, count = self.section.units, self.question.ruleset, len(self.section.units)
        surrounded = bernoulli(self.section.surrounded, ("not surrounded", "surrounded"))
        surrounded_die = (ExtraDie(surrounded, gt.TOTALS),) if self.section.surrounded else ()
        flight = steps.flight(self.units, fleeing.D6, surrounded_die)
        pips = steps.change(self.units, steps.PIPS, 0)
        rally = Phase(pips, fair_die(ruleset.pip_sides), ruleset.pip_dice, title=fleeing.PIP_PHASE)
        withdrawals = [
            Phase(steps.change(self.units, steps.WITHDRAWAL, unit), title=f"Unit {unit + 1} withdraws (GT-10)")
            for unit in range(count)
        ]
        events = [rally, *[flight] * _number_mobile(units)]
        for phases_of in (self._fire, self._charges):
            for number, unit in enumerate(units):
                for phase in phases_of(number, unit):
                    events += [phase, *[flight] * _number_mobile(self._column(unit))]
        phases: list[Phase] = []
        for turn in range(1, self._turns + 1):
            leaving = [unit.withdraws is not None and unit.withdraws <= turn for unit in units]
            phases += [phase for phase, leaves in zip(withdrawals, leaving) if leaves] + [*events, RECORD]
        return Chain(
            steps.start_of(self.units, [STATUS_OF[unit.state] for unit in units]),
            tuple(phases),
            2 * math.prod(self.units.counts.tolist()),
            f"a game of {count} units, each described by its state, one of up to {self.units.to_edge.shape[1]}"
            " positions, and whether it has rallied",
            "fewer units or turns, cavalry nearer to its edge, or no edge_distance and column",
            Story(partial(steps.describe_state, self.units), "Turn"),
        )

    def _fire(self, number: int, unit: GameUnit) -> Iterator[Phase]:
        """Yield the phases of fire at a unit; infantry may take a morale check (GT-2)."""
        checks = (ExtraDie(fair_die(self.question.ruleset.check_sides), 2),) if unit.arm == "infantry" else ()
        titles = "Fire of artillery on", "Fire of infantry on", "A firing attack lost by"
        events = steps.ARTILLERY_FIRE, steps.INFANTRY_FIRE, steps.LOST_FIRING
        for start, event, probability in zip(titles, events, unit.fire):
            if probability:
                change, title = steps.change(self.units, event, number), f"{start} unit {number + 1} (GT-2)"
                yield Phase(change, bernoulli(probability), 1, checks, title=title)

    def _charges(self, number: int, unit: GameUnit) -> Iterator[Phase]:
        """Yield up to two phases of charges on a unit, of which at most one has an effect (GT-2, GT-7)."""
        for event, charges in ((steps.CHARGE_IN_ROUT, unit.charges_in_rout), (steps.CHARGE, unit.charges)):
            if any(charges):
                die = Die((1.0 - sum(charges), *charges), words=CHARGE_WORDS)
                title = f"Charge on unit {number + 1} (GT-2, GT-7)"
                yield Phase(steps.change(self.units, event, number), die, 1, title=title)

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `game` (the division), `game_units` (each unit) and `game_lost` (units lost), by turn."""
        count, (states, weights) = len(self.section.units), recorded
        (status, ever_rallied), turns = steps.read(self.units, states), turn_key(weights)
        standing = np.isin(status, (steps.EAGER, steps.SHAKEN)).sum(axis=1)
        routed, lost, withdrawn = (
            np.isin(status, statuses).sum(axis=1) for statuses in (steps.ROUTED, LOST_STATUSES, steps.WITHDRAWN)
        )
        numbers = {"standing": standing, "routed": routed, "lost": lost, "withdrawn": withdrawn}
        probabilities = fleeing.division_probabilities(self.section, standing, lost, states, weights)
        statuses_of = {word: STATUS_OF[word] for word in SHOWN_STATUSES} | {"destroyed": LOST_STATUSES}
        unit_columns = {
            f"p_{word.replace(' the ', '_')}": weights @ np.isin(status, statuses)
            for word, statuses in statuses_of.items()
        }
        unit_columns["p_rallied"] = weights @ ever_rallied
        means = {f"mean_{name}": Sums.of(weights, number) for name, number in numbers.items()}
        return {
            "game": Table(turns, probabilities, means),
            "game_units": fleeing.by_unit_and_turn(unit_columns, arm=[unit.arm for unit in self.section.units]),
            "game_lost": tally(turns, "units", weights, lost, count),
        }

    def rules(self) -> RulesUsed:
        units, pips = self.section.units, self.question.ruleset.most_pips - self.section.pips_elsewhere
        tested = [unit for unit in units if any(unit.fire) and unit.arm == "infantry"]
        attacked = any(any(unit.fire + unit.charges) for unit in units)
        columns = [unit.column for unit in units if unit.column is not None]
        flight = attacked or any(unit.state == "routed" for unit in units)
        guards = [unit for unit in units if unit.quality == "old guard" and unit.column is not None]
        ridden_down = any(any(unit.charges_in_rout) for unit in units if unit.arm != "artillery")
        applied = {
            "GT-1 states": True,
            "GT-2 units that flee": attacked,
            "GT-3 flight distance": flight,
            "GT-5 shelter": any(unit.shelter_distance is not None for unit in units),
            "GT-5 the map edge": any(unit.edge_distance is not None for unit in units),
            "GT-5 flight through friends": len(set(columns)) < len(columns),
            "GT-5 surrounded": self.section.surrounded > 0,
            "GT-6 rally": flight and gt.can_rally(pips, 0),
            "GT-6 flight again": flight,
            "GT-7 charges against routed units": ridden_down,
            "GT-8 collapse, a corps that has lost half its units": True,
            "GT-9 Old Guard and veterans on morale checks": any(unit.quality != "regular" for unit in tested),
            "GT-9 Old Guard that flees": guards,
            "GT-10 voluntary withdrawal, counted separately": any(unit.withdraws is not None for unit in units),
        }
        far = [str(n) for n, unit in enumerate(units, 1) if unit.arm != "artillery" and unit.edge_distance is None]
        edges = f"GT-5 the map edge: far from units without edge_distance ({', '.join(far)})"
        return rules_used(applied, {edges: far})


def _number_mobile(units: Sequence[GameUnit]) -> int:
    return sum(unit.arm != "artillery" for unit in units)


class RoutSection(Section[Rout]):
    """Routed units, played as a game in which a unit that has rallied is not attacked."""

    def _prepare(self) -> None:
        section = self.section
        keys: dict[str, Any] = {
            f"rout_charged_by_{arm}": getattr(section, f"charged_by_{arm}") for arm in ("cavalry", "infantry")
        }
        units = tuple(GameUnit(state="routed", **unit.model_dump(), **keys) for unit in section.units)
        self._collapsed = section.standing is not None and bool(gt.has_collapsed(section.standing, len(units)))
        pips_elsewhere = self.question.ruleset.most_pips if self._collapsed else section.pips_elsewhere
        game = Game(units=units, rallied="eager", pips_elsewhere=pips_elsewhere, turns=section.turns)
        self.game = GameSection(game, self.question)
        self.game.units = self.game.units._replace(has_collapse_field=0)

    def chain(self) -> Chain:
        return self.game.chain()

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `rout`, `time_in_rout`, `turns_in_rout` and `still_routed`.

        `time_in_rout` is the distribution of the turn in which a unit's rout ends, `turns_in_rout` its mean.
        """
        states, weights = recorded
        status, _ = steps.read(self.game.units, states)
        in_rout, numbers = status == steps.ROUTED, range(1, len(self.section.units) + 1)
        rallied, routed, destroyed = (
            weights @ mask for mask in (status == steps.EAGER, in_rout, np.isin(status, LOST_STATUSES))
        )
        then = {"p_rallied_then": rallied, "p_destroyed_then": destroyed}
        ended = {name: np.diff(weights, axis=0, prepend=0) for name, weights in then.items()}
        ends = sum(ended.values())
        ends[-1] += routed[-1]  # a rout that has not ended counts as ended in the last turn
        mean = Sums.of(ends.T, np.arange(1, len(ends) + 1))
        return {
            "rout": fleeing.by_unit_and_turn({"p_rallied": rallied, "p_routed": routed, "p_destroyed": destroyed}),
            "time_in_rout": fleeing.by_unit_and_turn(ended, turn="turns"),
            "turns_in_rout": Table({"unit": numbers}, means={"mean_turns": mean}),
            "still_routed": tally(turn_key(weights), "units", weights, in_rout.sum(axis=1), len(numbers)),
        }

    def rules(self) -> RulesUsed:
        game = self.game.rules()
        applied = [rule for rule in game.applied if rule.startswith(("GT-5", "GT-6", "GT-7"))]
        return replace(game, applied=(*applied, *["GT-8 collapse forbids rallying"] * self._collapsed))


_COLLAPSE, _UNIT = ("p_collapsed", "p_corps_halted"), ("p_routed", "p_silenced", "p_destroyed", "p_rallied")
MAIN_EVENTS = ("collapsed", "stands", "off_map", "rallied", "routed")
PANELS = (
    Panel("bars", "check", "Probability to stand", "arm", "p_stands"),
    Panel("bars", "flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": fleeing.DESTROYING}),
    Panel("bars", "chain", "P(exactly this many friends flee)", "friends", "p_exactly"),
    Panel("curves", "rout", "Rout", by="unit"),
    Panel("curves", "division", "Division", shown=_COLLAPSE),
    Panel("cells", "standing", "Units standing", shown="units"),
    Panel("curves", "game_units", "Game", shown=_UNIT, by="unit"),
    Panel("curves", "game", "The division", shown=_COLLAPSE),
    Panel("cells", "game_lost", "Units lost", shown="units"),
)
_SECTIONS = Sections(
    check=fleeing.CheckSection,
    flight=fleeing.FlightSection,
    column=fleeing.ColumnSection,
    rout=RoutSection,
    division=fleeing.DivisionSection,
    game=GameSection,
)
chains, answer = _SECTIONS.chains, _SECTIONS.answer


def rules(question: Question) -> RulesUsed:
    """Return the rules used, the rules not modelled, and warnings."""
    used, sections = _SECTIONS.rules(question), _SECTIONS.answers_by_section(question).keys()
    not_modelled = []
    for rule, names in NOT_MODELLED:
        without = [name for name in names.split(", ") if name in sections]
        place = "" if len(without) == len(sections) else f" ({', '.join(without)})"
        not_modelled += [rule + place] if without else []
    return replace(used, applied=(*sorted(used.applied),), not_modelled=(*not_modelled, *used.not_modelled))
