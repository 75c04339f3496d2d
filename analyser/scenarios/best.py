"""Choices of a side of a duel: its orders, its opportunity fire, and the rows for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from analyser.common.errors import InputError, did_you_mean
from analyser.engine.fight.best.choice_program import ORDERS, Choice
from analyser.engine.fight.duel_steps import add_fumes
from analyser.engine.fight.program import Kind, Operation, OrderParts, pack_order
from analyser.game.units import Row
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import BEST, Action, Manoeuvre, is_double_time
from analyser.rules.policy_lines import TO_RANGE, TO_SHORT_RANGE, Line, lines_of
from analyser.rules.structs import INCH, NONE, Penalty
from analyser.scenarios.charge import combats, with_overrun_chosen
from analyser.scenarios.fight_records import Draft, length_of
from analyser.scenarios.policies import Shooter, rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, PolicyName

_MOVES = (Manoeuvre.ADVANCE, Manoeuvre.RETIRE)


class Shot(NamedTuple):
    """An attack among the options."""

    row: Row
    overcharge: bool = False
    follows: bool = False  # follows another one (All-Out Attack)
    reforming: bool = False  # the unit has just left its building


class Charged(NamedTuple):
    """A charge, or a retaliation, among the options."""

    row: Row
    overcharge: bool = False


class Option(NamedTuple):
    """A possible use of an activation, or of a reaction."""

    manoeuvre: Manoeuvre
    action: Action
    shots: tuple[Shot, ...] = ()
    charge: Charged | None = None
    stop: int = 0  # end of the move (:func:`~.activation.length_until_stop`); 0: its full length


STAY = Option(Manoeuvre.STAY, Action.NOTHING)


@dataclass(eq=False)
class Chooser(Shooter):
    """Side of a duel that chooses: by best play, or by a policy in lines."""

    chooses: ClassVar[bool] = True

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Lines of its policy; empty for best play."""
        return () if self.policy == BEST else lines_of(self.policy, f"duel.policy_{self.where}")

    @cached_property
    def rows(self) -> list[Row]:
        """Rows usable in its own activation: the one that the scenario names, or all."""
        usable = rows_to_shoot_with(self.mine, self.theirs, "shoot")
        return [row for row in usable if self.named in (None, row)]

    @cached_property
    def lookout_rows(self) -> list[Row]:
        """Rows usable in opportunity fire."""
        usable = rows_to_shoot_with(self.mine, self.theirs, "lookout")
        return [row for row in usable if self.named in (None, row)]

    @property
    def watching(self) -> list[Row]:
        """Rows of opportunity fire among which it chooses."""
        return self.lookout_rows

    @cached_property
    def by_lookout(self) -> Row | None:
        """First row of opportunity fire, or None."""
        return self.lookout_rows[0] if self.lookout_rows else None

    @cached_property
    def charge_rows(self) -> list[Row]:
        """Rows that it can charge with (AC-8.1)."""
        if not self.mine.may_charge(self.theirs, BEST):
            return []
        first = self.mine.charge_row(self.where)
        others = [row for row in self.mine.rows or () if row.kind in ("melee", "impact") and row is not first]
        return [first] if self.mine.close_quarters_row else [first, *others]

    @cached_property
    def charges(self) -> list[Charged]:
        """Possible charges: with each row, and with its Overcharge; only the stated one if one is stated."""
        return self._with_overcharge(self.charge_rows)

    @cached_property
    def retaliations(self) -> list[Charged]:
        """Possible retaliations: with each melee row, and with its Overcharge; only the stated one if one is stated.

        Simple tactics and lists use the first (AC-8.3).
        """
        first = self.mine.retaliation_rows()
        others = [row for row in self.mine.rows or () if row.kind == "melee" and row not in first]
        named = self.mine.close_quarters_row in [row.id for row in first]
        return self._with_overcharge(first if named else [*first, *others])

    def _with_overcharge(self, rows: Sequence[Row]) -> list[Charged]:
        """Return each row as stated, then with its Overcharge unless that is stated (AC-6)."""
        able = [] if self.mine.overcharge else [row for row in rows if row.has("Overcharge")]
        plain = [Charged(row, self.mine.overcharge) for row in rows]
        return [*plain, *(Charged(row, overcharge=True) for row in able)]

    def struck_back(self) -> list[Combatant]:
        """Return the unit with each of its retaliations stated."""
        return [self._fighting(retaliation) for retaliation in self.retaliations] or [self.mine]

    def _fighting(self, charged: Charged) -> Combatant:
        """Return the unit with a row and an Overcharge stated for close quarters."""
        return self.mine.model_copy(update={"close_quarters_row": charged.row.id, "overcharge": charged.overcharge})

    @property
    def rearms(self) -> bool:
        """False: re-arming is one of the choices."""
        return False

    @cached_property
    def stops_at(self) -> list[int]:
        """Distances from the enemy at which a move may end, in hundredths of an inch.

        These are the ranges of its rows, including opportunity fire, and the distances in its lines.
        """
        ranges = {inches for row in self.lookout_rows for inches in (row.short_range, row.long_range) if inches}
        return sorted(
            {
                *map(length_of, ranges),
                *(line.stop ^ STOP_IS_DISTANCE for line in self.lines if line.stop > STOP_IS_DISTANCE),
            }
        )

    @cached_property
    def stops(self) -> list[int]:
        """Lengths after which a move may end, in hundredths of an inch: from its lines, or multiples of the step."""
        if self.lines:
            return sorted({line.stop for line in self.lines if 0 < line.stop < STOP_IS_DISTANCE})
        step = length_of(self.step or 0)
        return list(range(step, 2 * length_of(self.mine.speed or 0), step)) if step else []

    @property
    def may_retire(self) -> bool:
        """Return True if it may move away from the enemy."""
        return not self.lines or any(line.manoeuvre == Manoeuvre.RETIRE for line in self.lines)

    @property
    def _at_double_time(self) -> tuple[Manoeuvre, ...]:
        """Moves at double time; away from the enemy only if the distance of its edge is known."""
        away = [] if self.mine.edge_distance is None else [Manoeuvre.RETIRE_AT_DOUBLE_TIME]
        return (Manoeuvre.DOUBLE_TIME, *away)

    @property
    def _exits(self) -> tuple[Manoeuvre, ...]:
        """Exits from its building: up to 3 inches from it if positions count."""
        if not self.mine.garrisoned:
            return ()
        return (Manoeuvre.EXIT,) if self.distance is None else (Manoeuvre.EXIT, Manoeuvre.EXIT_BACK)

    def stop_of(self, line: Line, salvo: int) -> int:
        """Return the end of a line's move; `salvo` is the salvo that it fires, or NONE.

        The ranges are those of the row that is fired, else of the row that a tactic would fire. InputError for an
        impossible move or end.
        """
        self._check_move(line)
        if line.stop not in (TO_RANGE, TO_SHORT_RANGE):
            return line.stop
        row = self.row_meant(line.action, salvo)
        if row is None:
            return 0
        reach = row.short_range if line.stop == TO_SHORT_RANGE else None
        return STOP_IS_DISTANCE | length_of(row.long_range if reach is None else reach)

    def row_meant(self, action: Action, salvo: int) -> Row | None:
        """Return the row for the ranges of an order that names none; `salvo` is the one that it would fire, or NONE."""
        if salvo == NONE or action == Action.GO_ON_LOOKOUT:
            return self._watching_row
        return self.salvos[salvo][0].row

    @cached_property
    def _watching_row(self) -> Row | None:
        """Row of its opportunity fire by the tactic `lookout`."""
        return self.tactic("lookout").by_lookout if self.lookout_rows else None

    @cached_property
    def best_salvo(self) -> int:
        """Index in :attr:`salvos` of its default; NONE if there is nothing to fire."""
        if why_not("shoot", self.mine, self.theirs) is not None:
            return NONE
        return self.salvo_of(self.tactic("shoot"))

    def _check_move(self, line: Line) -> None:
        """Raise InputError if the unit cannot make the move of a line, or end it there."""
        where = f"duel.policy_{self.where}"
        if line.manoeuvre == Manoeuvre.RETIRE_AT_DOUBLE_TIME and self.mine.edge_distance is None:
            problem = f"{line.text!r}: the distance of the unit to its own edge is unknown"
            raise InputError(problem, where=where, allowed=f"retire; or {self.where}.edge_distance")
        longest = length_of(self.mine.speed or 0) * (2 if is_double_time(line.manoeuvre) else 1)
        if line.stop > STOP_IS_DISTANCE:
            if line.stop ^ STOP_IS_DISTANCE not in self.stops_at:
                problem = f"{line.text!r}: no move ends {(line.stop ^ STOP_IS_DISTANCE) / INCH:g} inches from the enemy"
                allowed = ", ".join(f"{stop / INCH:g}" for stop in self.stops_at) or "another move: it has no ranges"
                raise InputError(problem, where=where, allowed=allowed)
            return
        if line.stop > longest:
            problem = f"{line.text!r}: so far the unit cannot go"
            raise InputError(problem, where=where, allowed=f"up to {longest / INCH:g} inches")
        if line.stop > 0 and line.stop not in self.stops:
            problem = f"{line.text!r}: no move ends after {line.stop / INCH:g} inches"
            allowed = ", ".join(f"{stop / INCH:g}" for stop in self.stops) or "a step for the duel, such as 1 inch"
            raise InputError(problem, where=where, allowed=allowed)

    @cached_property
    def _shots(self) -> list[Shot]:
        """All shots of its own activation; those that follow another one come last."""
        result = [Shot(row) for row in self.rows]
        result += [Shot(row, overcharge=True) for row in self.rows if row.has("Overcharge")]
        fires_several = self.mine.value("All-Out Attack") > 1 and len(self.rows) > 1
        result += [Shot(row, follows=True) for row in self.rows if fires_several]
        return [*result, *(shot._replace(reforming=True) for shot in result if self.mine.garrisoned)]

    @cached_property
    def salvos(self) -> list[tuple[Shot, ...]]:
        """All attacks of one activation: each shot; with All-Out Attack, also each row followed by others."""
        shots = [shot for shot in self._shots if not shot.reforming]
        result: list[tuple[Shot, ...]] = [(shot,) for shot in shots if not shot.follows]
        most = self.mine.value("All-Out Attack")
        for main in shots:
            others = [shot for shot in shots if shot.follows and shot.row is not main.row]
            if most > 1 and others and not main.follows and not main.overcharge:
                result.append((main, *others[: most - 1]))
        return result

    def add_shots(self, draft: Draft) -> list[int]:
        """Add the strikes of all shots, and return their indices."""
        return [self._add(draft, shot, alone=int(not shot.follows and not shot.reforming)) for shot in self._shots]

    def _add(self, draft: Draft, shot: Shot, **facts: int) -> int:
        """Add a strike, and return its index. A reforming unit has left a building: no advance (AC-4.2, AC-6)."""
        number = self.add_shot(draft, shot.row, overcharge=shot.overcharge, **facts)
        strike, attack = draft.setup.strikes[number], draft.setup.attacks[number]
        if shot.reforming:
            attack.penalties |= Penalty.REFORMING
            strike.move_or_fire = 0
        if self.distance is None:  # without distances the unit cannot choose short range
            strike.short_range = NONE
        return number

    @cached_property
    def reaction_shots(self) -> list[Shot]:
        """Possible shots of opportunity fire."""
        charged = [Shot(row, overcharge=True) for row in self.lookout_rows if row.has("Overcharge")]
        return [*(Shot(row) for row in self.lookout_rows), *charged]

    def add_reactions(self, draft: Draft) -> list[int]:
        """Add the strikes of its opportunity fire, and return their indices."""
        return [self._add(draft, shot, opportunity=1) for shot in self.reaction_shots]

    @cached_property
    def options(self) -> list[Option]:
        """Possible orders, in the order of the branches of :meth:`choice`."""
        return list(self._options())

    def _options(self) -> Iterator[Option]:
        specials = [Action.TAKE_COVER]
        specials += [Action.GO_ON_LOOKOUT] if self.lookout_rows else []
        re_arms = any(row.has("Slow to Fire") for row in (*self.rows, *self.lookout_rows))
        specials += [Action.RE_ARM] if re_arms else []
        yield STAY
        moves = self._moves(_MOVES)
        for salvo in self.salvos:
            for manoeuvre, stop in ((Manoeuvre.AIM, 0), (Manoeuvre.STAY, 0), *moves):
                yield Option(manoeuvre, Action.SHOOT, salvo, stop=stop)
        for action in specials:
            for manoeuvre, stop in ((Manoeuvre.STAY, 0), *moves):
                yield Option(manoeuvre, action, stop=stop)
        for manoeuvre, stop in (*moves, *self._moves(self._at_double_time)):
            yield Option(manoeuvre, Action.NOTHING, stop=stop)
        for charge in self.charges:
            yield Option(Manoeuvre.CHARGE, Action.NOTHING, charge=charge)
        for exit_ in self._exits:
            for salvo in self.salvos:
                yield Option(exit_, Action.SHOOT, tuple(shot._replace(reforming=True) for shot in salvo))
            for action in (Action.NOTHING, *specials):
                yield Option(exit_, action)

    def _moves(self, manoeuvres: Sequence[Manoeuvre]) -> list[tuple[Manoeuvre, int]]:
        """Return those moves with each possible end; a move longer than its SPEED is at double time."""
        speed, result = length_of(self.mine.speed or 0), list[tuple[Manoeuvre, int]]()
        for manoeuvre in manoeuvres if speed and self.distance is not None else ():
            after = [stop for stop in self.stops if (stop >= speed) == is_double_time(manoeuvre)]
            result += [
                (manoeuvre, stop) for stop in (0, *(STOP_IS_DISTANCE | apart for apart in self.stops_at), *after)
            ]
        return result

    def choice(
        self,
        shots: Sequence[int],
        made: Callable[[int], list[Operation | Choice]],
        draft: Any,
        charged: Sequence[Combatant],
    ) -> Choice:
        """Return the choice of its orders.

        `shots` are the indices of its strikes, and `made` returns the operations of one. `charged` lists the ways in
        which the enemy can retaliate.
        """
        number_of = dict(zip(self._shots, shots))
        fought = iter(combats([self._fighting(charge) for charge in self.charges], charged, self.side, draft))
        branches: list[list[Operation | Choice]] = []
        for option in self.options:
            strike = number_of[option.shots[0]] if option.shots else shots[0] if shots else NONE
            order = OrderParts(option.manoeuvre, option.action, strike, option.stop)
            part = draft.part([Operation(Kind.ORDER, self.side, pack_order(order))])
            add_fumes(part)
            branch: list[Operation | Choice] = part.lines
            for shot in option.shots if option.action == Action.SHOOT else ():
                branch += made(number_of[shot])
            if option.charge is not None:
                branch += with_overrun_chosen(next(fought), self.side)
            branches.append(branch)
        return Choice(self.side, ORDERS, branches)

    def tactic(self, name: str) -> Shooter:
        """Return this side with a tactic that its unit can carry out."""
        return Shooter(self.mine, self.theirs, name, self.distance, self.ruleset, self.where)

    def salvo_named(self, fired: str) -> int:
        """Return the index in :attr:`salvos` of the salvo of a line; NONE if there is nothing to fire.

        `fired` is a row's id, ``overcharge``, ``all rows``, or empty (the best row). InputError for anything else.
        """
        where = f"duel.policy_{self.where}"
        tactics: dict[str, PolicyName] = {"overcharge": "overcharge", "all rows": "all_out"}
        if not fired:
            return self.best_salvo
        if fired not in tactics:
            said = fired.removesuffix(" overcharged").split(" and ")
            for place, salvo in enumerate(self.salvos):
                named = [shot.row.id.lower() for shot in salvo] == said or [
                    shot.row.name.lower() for shot in salvo
                ] == said
                if named and salvo[0].overcharge == fired.endswith(" overcharged"):
                    return place
            names = [row.id for row in self.rows]
            names += [tactic for tactic in tactics if why_not(tactics[tactic], self.mine, self.theirs) is None]
            problem = f"nothing to shoot with as {fired!r}{did_you_mean(fired, names)}"
            raise InputError(problem, where=where, allowed=", ".join(names) or "nothing")
        if (reason := why_not(tactics[fired], self.mine, self.theirs)) is not None:
            raise InputError(f"with {fired}: {reason}", where=where, allowed="another row")
        return self.salvo_of(self.tactic(tactics[fired]))

    def charge_named(self, fired: str) -> int:
        """Return the index in :attr:`charges` of the charge of a line; NONE if the unit cannot charge.

        `fired` is a row's id, ``overcharge``, or empty (the first row, as stated).
        """
        said, charged = fired.removesuffix(" overcharged"), fired.endswith(" overcharged") or fired == "overcharge"
        for place, charge in enumerate(self.charges):
            named = said in ("", "overcharge", charge.row.id.lower(), charge.row.name.lower())
            if named and (charge.overcharge or not charged):
                return place
        if fired and self.charges:
            names = [row.id for row in self.charge_rows]
            names += ["overcharge"] if any(charge.overcharge for charge in self.charges) else []
            problem = f"nothing to charge with as {fired!r}{did_you_mean(fired, names)}"
            raise InputError(problem, where=f"duel.policy_{self.where}", allowed=", ".join(names))
        return NONE

    def salvo_of(self, tactic: Shooter) -> int:
        """Return the index in :attr:`salvos` of a tactic's salvo; NONE if it does not shoot."""
        if not tactic.rows:
            return NONE
        charged = tactic.policy == "overcharge"
        return self.salvos.index(tuple(Shot(row, charged, row is not tactic.main) for row in tactic.rows))

    def reaction_of(self, tactic: Shooter) -> int:
        """Return the index in :attr:`reaction_shots` of a tactic's reaction; NONE if it has none."""
        row = tactic.by_lookout
        if row is None:
            return NONE
        return self.reaction_shots.index(Shot(row))
