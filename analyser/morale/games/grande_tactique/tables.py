"""Answers about Grande Tactique: the classes of all sections, and that of a division under attack (GT-1 to GT-11).

A turn is a list of phases (:mod:`.game_steps`), each about one unit. After each phase come the flights that it causes,
the foremost unit first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from analyser.common.validation import Record
from analyser.engine.chain.chain import (
    MOST_STATES,
    RECORD,
    Chain,
    Die,
    ExtraDie,
    Phase,
    Recorded,
    Story,
    bernoulli,
    fair_die,
)
from analyser.morale.games.grande_tactique import fleeing
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.game_steps import STATUSES, condition_of
from analyser.morale.games.grande_tactique.question import Column, Flight, Game, GameUnit, Question, Rout
from analyser.morale.result_tables import (
    Answer,
    Cells,
    Curves,
    Mean,
    Rules,
    Section,
    Sections,
    Table,
    tally,
    turns_of,
)

LOST = (steps.RIDDEN_DOWN, steps.LEFT_MAP, steps.SURROUNDED)
STATUS_OF = {
    "eager": steps.EAGER,
    "shaken": steps.SHAKEN,
    "routed": steps.ROUTED,
    "silenced": steps.SILENCED,
    "destroyed": steps.RIDDEN_DOWN,
}
STATUSES_OF: dict[str, Any] = STATUS_OF | {"destroyed": LOST, "off_map": steps.LEFT_MAP}
STATUSES_OF |= {"surrounded": steps.SURROUNDED, "withdrawn": steps.WITHDRAWN}
SWEPT_ALONG = "GT-2 attached generals: swept along by a routed unit until it rallies"
NOT_MODELLED = (  # rules, and the sections that leave them out
    ("GT-1 how silenced artillery comes back into action", "game"),
    ("GT-2 squares leave square, a firing unit stops firing: they change none of these figures", "check, game"),
    (
        "GT-2 a unit that routs after a lost Locked in Combat from its own charge out of woods or a built-up area: "
        "it stays there, routed",
        "check, flight, game",
    ),
    (SWEPT_ALONG, "check, flight, rout, division, game"),
    ("GT-2 attached generals: taken prisoner with a unit that is surrounded", "flight, rout, game"),
    ("GT-4 pursuit", "column, game"),
    ("GT-5 a gap between friends, woods and built-up areas beside the column", "column"),
    ("GT-5 friends in the way of those that flee again: see [column]", "rout"),
    (
        "GT-5 direction of flight, and gaps that are wide enough: the distances given are taken along it",
        "flight, column, rout, game",
    ),
    (SWEPT_ALONG, "column"),
    ("GT-2, GT-5 causes of routs and losses: their probabilities are given; see [game]", "division"),
    ("GT-10 voluntary withdrawal: see [game]", "rout, division"),
    ("GT-5 a gap between friends; GT-9 friends of Old Guard in other columns", "game"),
    ("GT-8 where a halted corps may still move", "division, game"),
    ("GT-11 follow-up charges: included in the probabilities of charges", "rout, game"),
)


class DivisionUnderAttack(Section[Game]):
    """The units of a game, as in :mod:`.game_steps`."""

    def _prepare(self) -> None:
        asked, ruleset = self.asked, self.question.ruleset
        self._turns = asked.turns or ruleset.turns
        # same as for units in rout
        dice, flights = any(unit.charged_by_cavalry for unit in asked.units), 2 * self._turns
        totals = [range(gt.TOTALS if dice and unit.arm == "cavalry" else 1) for unit in asked.units]
        paths = [gt.path_of(unit, of_unit, flights) for unit, of_unit in zip(asked.units, totals)]
        reached = [self._reached(unit, path) for unit, path in zip(asked.units, paths)]
        self.units = steps.units_of(paths, reached)._replace(
            columns=np.array([unit.column or -place - 1 for place, unit in enumerate(asked.units)], np.int64),
            old_guard=np.array([unit.quality == "old guard" for unit in asked.units], np.int64),
            modifiers=np.array([fleeing.BONUS[unit.quality] + unit.modifier for unit in asked.units], np.int64),
            target=ruleset.check_target,
            fire_shakes=int(ruleset.fire_shakes),
            rallied=STATUS_OF[asked.rallied],
            elsewhere=asked.pips_elsewhere,
            collapses=1,
        )

    def _reached(self, unit: GameUnit, path: gt.Path) -> list[int]:
        """Return the sorted conditions that a unit can have, by a search; some of them may be impossible."""
        of_a_flight = {
            steps.FLEEING: (0,),
            steps.FLEEING_FROM_CAVALRY: range(gt.FLIGHT_DICE, gt.TOTALS) if unit.arm == "cavalry" else (0,),
        }
        of_standing = [steps.SHAKEN]
        if unit.arm == "artillery":
            of_standing.append(steps.SILENCED)
        else:
            from_cavalry = any(other.charged_by_cavalry for other in self._column(unit))
            of_standing += [steps.FLEEING, steps.ROUTED, *[steps.FLEEING_FROM_CAVALRY] * from_cavalry]
        of_standing += [steps.WITHDRAWN] if unit.withdraws else []
        of_rout = [steps.FLEEING, *([steps.RIDDEN_DOWN] if unit.charges_in_rout[0] else [])]
        start = condition_of(0, 0, STATUS_OF[unit.state])
        reached, waiting = {start}, [start]
        while waiting:
            rest, status = divmod(waiting.pop(), STATUSES)
            place, rallied = divmod(rest, 2)
            after = []
            if status in (steps.EAGER, steps.SHAKEN):
                after = [(place, rallied, status_after) for status_after in of_standing]
            elif status == steps.ROUTED:
                after = [
                    (place, 1, STATUS_OF[self.asked.rallied]),
                    *((place, rallied, status_after) for status_after in of_rout),
                ]
            elif status in of_a_flight:
                ends = {path.onward[place][total] for total in of_a_flight[status]}
                after = [(end, rallied, steps.ROUTED) for end in ends if end != gt.OFF_MAP]
                after += [(0, rallied, steps.LEFT_MAP)] if gt.OFF_MAP in ends else []
                after += [(0, rallied, steps.SURROUNDED)] if self.asked.surrounded else []
            new = {condition_of(*parts) for parts in after} - reached
            reached |= new
            waiting += new
        return sorted(reached)

    def _column(self, unit: GameUnit) -> list[GameUnit]:
        """Return the units of a unit's column; the unit itself if it is in none."""
        others = self.asked.units if unit.column is not None else ()
        return [other for other in others if other.column == unit.column] or [unit]

    def chain(self) -> Chain:
        """Return the turns, each with withdrawals, the PIP phase, fire and charges on each unit; records each turn.

        Each phase is followed by flights, one for each unit that may have to flee.
        """
        units, ruleset, count = self.asked.units, self.question.ruleset, len(self.asked.units)
        surrounded = bernoulli(self.asked.surrounded, ("not surrounded", "surrounded"))
        gap = (ExtraDie(surrounded, gt.TOTALS),) if self.asked.surrounded else ()
        flight = steps.flight(self.units, fleeing.DIE, gap)
        pips = steps.change(self.units, steps.PIPS, 0)
        rally = Phase(pips, fair_die(ruleset.pip_sides), ruleset.pip_dice, title=fleeing.PIP_PHASE)
        withdrawals = [
            Phase(steps.change(self.units, steps.WITHDRAWAL, unit), title=f"Unit {unit + 1} withdraws (GT-10)")
            for unit in range(count)
        ]
        events = [rally, *[flight] * _mobile(units)]
        for befall in (self._fire, self._charges):
            for number, unit in enumerate(units):
                for phase in befall(number, unit):
                    events += [phase, *[flight] * _mobile(self._column(unit))]
        phases: list[Phase] = []
        for turn in range(1, self._turns + 1):
            leaving = [unit.withdraws is not None and unit.withdraws <= turn for unit in units]
            phases += [phase for phase, leaves in zip(withdrawals, leaving) if leaves] + [*events, RECORD]
        return Chain(
            steps.start_of(self.units, [STATUS_OF[unit.state] for unit in units]),
            tuple(phases),
            # few states can be reached: above MOST_STATES these are searched, not all tabulated
            max(2 * math.prod(self.units.counts.tolist()), MOST_STATES + 1),
            f"a game of {count} units, each by its state, up to {self.units.ground.places.max()} places and whether it"
            " has rallied",
            "fewer units or turns, cavalry nearer to its edge, or no edge_distance and column",
            Story(partial(steps.describe_state, self.units), "Turn"),
        )

    def _fire(self, number: int, unit: GameUnit) -> Iterator[Phase]:
        """Yield the phases of fire at a unit, with the die of a morale check; only infantry takes one (GT-2)."""
        checks = (ExtraDie(fair_die(self.question.ruleset.check_sides), 2),) if unit.arm == "infantry" else ()
        whats = "Fire of artillery on", "Fire of infantry on", "A firing attack lost by"
        events = steps.ARTILLERY_FIRE, steps.INFANTRY_FIRE, steps.LOST_FIRING
        for what, event, probability in zip(whats, events, unit.fire):
            if probability:
                change, title = steps.change(self.units, event, number), f"{what} unit {number + 1} (GT-2)"
                yield Phase(change, bernoulli(probability), 1, checks, title=title)

    def _charges(self, number: int, unit: GameUnit) -> Iterator[Phase]:
        """Yield the phases of charges, in rout and while it stands; at most one takes place (GT-2, GT-7, GT-11)."""
        for event, charges in ((steps.CHARGE_IN_ROUT, unit.charges_in_rout), (steps.CHARGE, unit.charges)):
            if any(charges):
                die = Die((1.0 - sum(charges), *charges), words=fleeing.CHARGES)
                title = f"Charge on unit {number + 1} (GT-2, GT-7)"
                yield Phase(steps.change(self.units, event, number), die, 1, title=title)

    def answer(self, recorded: Recorded) -> Answer:
        """Return `game`: the division by turn; `game_units`: each unit by turn; `game_lost`: number lost by turn."""
        count, (states, weights) = len(self.asked.units), recorded
        (status, ever), turns = steps.read(self.units, states), turns_of(weights)
        standing = np.isin(status, (steps.EAGER, steps.SHAKEN)).sum(axis=1)
        routed, lost, withdrawn = (
            np.isin(status, statuses).sum(axis=1) for statuses in (steps.ROUTED, LOST, steps.WITHDRAWN)
        )
        numbers = {"standing": standing, "routed": routed, "lost": lost, "withdrawn": withdrawn}
        probabilities = fleeing.division_probabilities(self.asked, standing, lost, states, weights)
        of_units = {f"p_{name}": weights @ np.isin(status, statuses) for name, statuses in STATUSES_OF.items()}
        of_units["p_rallied"] = weights @ ever
        means = {f"mean_{name}": Mean.of(weights, number) for name, number in numbers.items()}
        tables = {
            "game": Table(turns, probabilities, means),
            "game_units": fleeing.by_unit_and_turn(of_units, arm=[unit.arm for unit in self.asked.units]),
            "game_lost": tally(turns, "units", weights, lost, count),
        }
        lines = {name: name[2:].replace("_", " ") for name in ("p_routed", "p_silenced", "p_destroyed", "p_rallied")}
        headings = {unit: f"Unit {unit} of the game" for unit in range(1, count + 1)}
        panels = [
            *(Curves("game_units", heading, "turn", lines, {"unit": unit}) for unit, heading in headings.items()),
            Curves("game", "The division", "turn", fleeing.DIVISION_LINES),
            Cells("game_lost", "Units lost", "turn", "units"),
        ]
        return tables, panels

    def rules(self) -> Rules:
        units, pips = self.asked.units, self.question.ruleset.most_pips - self.asked.pips_elsewhere
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
            "GT-5 surrounded": self.asked.surrounded > 0,
            "GT-6 rally": flight and gt.rallies(pips, 0),
            "GT-6 flight again": flight,
            "GT-7 charges against routed units": ridden_down,
            "GT-8 collapse, a corps that has lost half its units": True,
            "GT-9 Old Guard and veterans on morale checks": any(unit.quality != "regular" for unit in tested),
            "GT-9 Old Guard that flees": guards,
            "GT-10 voluntary withdrawal, counted apart": any(unit.withdraws is not None for unit in units),
        }
        warnings = {
            f"game.units.{number}: {warning}": holds
            for number, unit in enumerate(units)
            for warning, holds in _without_effect(unit).items()
        }
        return Rules(applied, {}, warnings)


def _mobile(units: Sequence[GameUnit]) -> int:
    return sum(unit.arm != "artillery" for unit in units)


def _without_effect(unit: GameUnit) -> dict[str, Any]:
    infantry, artillery, guard = unit.arm == "infantry", unit.arm == "artillery", unit.quality == "old guard"
    sheltered = unit.in_shelter and unit.shelter_distance is not None
    charged_in_rout = unit.rout_charged_by_cavalry or unit.rout_charged_by_infantry
    untested = (unit.quality == "veteran" or unit.modifier) and not (infantry and any(unit.fire))
    no_rout = f"loses_firing has no effect: {unit.arm} does not flee after a firing attack of its own (GT-2)"
    return {
        "shelter_distance has no effect: the unit is in shelter already": sheltered,
        no_rout: unit.loses_firing and not infantry,
        "charges in rout have no effect: artillery does not rout (GT-1)": artillery and charged_in_rout,
        "Old Guard outside a column affects no other unit (GT-9)": guard and unit.column is None,
        "quality and modifier have no effect: no morale check is made (GT-2)": untested,
    }


_SECTIONS = Sections(
    check=fleeing.UnitTested,
    flight=fleeing.OneFlight,
    column=fleeing.ChainReaction,
    rout=fleeing.UnitsInRout,
    division=fleeing.UnitsOfDivision,
    game=DivisionUnderAttack,
)
chains, answer = _SECTIONS.chains, _SECTIONS.answer


def rules(question: Question) -> Rules:
    """Return the rules of all sections; a rule not modelled names the sections that leave it out."""
    used, asked, sections_of = _SECTIONS.rules(question), _SECTIONS.of(question), dict[str, list[str]]()
    way_there = rf"[:;] see \[({'|'.join(asked)})\]$"  # omitted if the question has that section
    for name, part in asked.items():
        left_out = (rule for rule, sections in NOT_MODELLED if name in sections.split(", "))
        for rule in (*left_out, *_far(part.asked)):
            sections_of.setdefault(re.sub(way_there, "", rule), []).append(f"[{name}]")
    not_modelled = [f"{', '.join(names)}: {rule}" if len(asked) > 1 else rule for rule, names in sections_of.items()]
    return Rules(dict(sorted(used.applied.items())), dict.fromkeys(not_modelled, True), used.warnings)


def _far(section: Record) -> list[str]:
    """Return the rules not modelled because an `edge_distance` was left out."""
    if isinstance(section, Flight | Column):
        return ["GT-5 the map edge: no edge_distance was given, so it is far"] * (section.edge_distance is None)
    units: tuple[Any, ...] = section.units if isinstance(section, Rout | Game) else ()
    far = [str(n) for n, unit in enumerate(units, 1) if unit.arm != "artillery" and unit.edge_distance is None]
    return [f"GT-5 the map edge: far from units given no edge_distance ({', '.join(far)})"] if far else []
