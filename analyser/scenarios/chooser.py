"""Options of a side of a duel that plays best or follows a policy in words: orders, reactions and rows."""

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
from analyser.rules.activation import STOP_IS_DISTANCE, at_double_time
from analyser.rules.policies import BEST, Action, Manoeuvre, is_double_time
from analyser.rules.policy_lines import TO_RANGE, TO_SHORT_RANGE, Line, lines_of
from analyser.rules.structs import INCH, NONE, Penalty
from analyser.scenarios.charge import combats, with_overrun_choice
from analyser.scenarios.fight_records import Draft, to_length
from analyser.scenarios.policies import Shooter, rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, PolicyName


class Shot(NamedTuple):
    """A ranged attack with one row."""

    row: Row
    overcharge: bool = False
    follows: bool = False  # follows another attack of the same activation (All-Out Attack)
    reforming: bool = False  # the unit has just left its building


class CloseAttack(NamedTuple):
    """A charge or a retaliation with one row."""

    row: Row
    overcharge: bool = False


class Option(NamedTuple):
    """A possible use of an activation: a move, and an action or a charge."""

    manoeuvre: Manoeuvre
    action: Action
    shots: tuple[Shot, ...] = ()
    charge: CloseAttack | None = None
    stop: int = 0  # end of the move (:func:`~.activation.length_until_stop`), or 0 for its full length


STAY = Option(Manoeuvre.STAY, Action.NOTHING)


def _shots_with(rows: Sequence[Row]) -> list[Shot]:
    return [*map(Shot, rows), *(Shot(row, overcharge=True) for row in rows if row.has("Overcharge"))]


@dataclass(eq=False)
class Chooser(Shooter):
    """Side of a duel that plays best or follows a policy in words, such as ``charge if the enemy is suppressed``."""

    chooses: ClassVar[bool] = True

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Lines of the policy in words; empty for best play."""
        return () if self.policy == BEST else lines_of(self.policy, f"duel.policy_{self.where}")

    @cached_property
    def rows(self) -> list[Row]:
        """Rows that the unit can fire in its activation: only the stated row, or else all."""
        usable = rows_to_shoot_with(self.unit, self.enemy, "shoot")
        return [row for row in usable if self.stated_row in (None, row)]

    @cached_property
    def lookout_rows(self) -> list[Row]:
        """Rows usable in opportunity fire."""
        usable = rows_to_shoot_with(self.unit, self.enemy, "lookout")
        return [row for row in usable if self.stated_row in (None, row)]

    @property
    def reaction_rows(self) -> list[Row]:
        """Rows of opportunity fire."""
        return self.lookout_rows

    @cached_property
    def lookout_row(self) -> Row | None:
        """First row of opportunity fire."""
        return self.lookout_rows[0] if self.lookout_rows else None

    @cached_property
    def charge_rows(self) -> list[Row]:
        """Rows with which the unit can charge (AC-8.1)."""
        if not self.unit.may_charge(self.enemy, BEST):
            return []
        first = self.unit.charge_row(self.where)
        others = [row for row in self.unit.rows or () if row.kind in ("melee", "impact") and row is not first]
        return [first] if self.unit.close_quarters_row else [first, *others]

    @cached_property
    def charges(self) -> list[CloseAttack]:
        """Possible charges: with each row (or only the stated row), then with Overcharge where a row has it."""
        return self._with_overcharge(self.charge_rows)

    @cached_property
    def retaliations(self) -> list[CloseAttack]:
        """Possible retaliations (AC-8.3), in the order of `charges`; tactics and policies in words use the first."""
        first = self.unit.retaliation_rows()
        others = [row for row in self.unit.rows or () if row.kind == "melee" and row not in first]
        is_stated = self.unit.close_quarters_row in [row.id for row in first]
        return self._with_overcharge(first if is_stated else [*first, *others])

    def _with_overcharge(self, rows: Sequence[Row]) -> list[CloseAttack]:
        rows_with_overcharge = [] if self.unit.overcharge else [row for row in rows if row.has("Overcharge")]
        plain = [CloseAttack(row, self.unit.overcharge) for row in rows]
        return [*plain, *(CloseAttack(row, overcharge=True) for row in rows_with_overcharge)]

    def variants(self, attacks: Sequence[CloseAttack]) -> list[Combatant]:
        """Return a copy of the unit for each attack, in which the row and the Overcharge of the attack are stated."""
        keys = ({"close_quarters_row": row.id, "overcharge": overcharge} for row, overcharge in attacks)
        return [self.unit.model_copy(update=update) for update in keys]

    @property
    def rearms(self) -> bool:
        """False, because re-arming is one of the options."""
        return False

    @cached_property
    def stop_distances(self) -> list[int]:
        """Distances from the enemy (hundredths of an inch) where a move may end: ranges, and those in the policy."""
        ranges = {inches for row in self.lookout_rows for inches in (row.short_range, row.long_range) if inches}
        in_lines = {line.stop ^ STOP_IS_DISTANCE for line in self.lines if line.stop > STOP_IS_DISTANCE}
        return sorted(in_lines | {*map(to_length, ranges)})

    @cached_property
    def stop_lengths(self) -> list[int]:
        """Lengths (hundredths of an inch) after which a move may end: those in the policy, or multiples of the step."""
        if self.lines:
            return sorted({line.stop for line in self.lines if 0 < line.stop < STOP_IS_DISTANCE})
        step = to_length(self.step or 0)
        return list(range(step, at_double_time(to_length(self.unit.speed or 0)), step)) if step else []

    @property
    def may_retire(self) -> bool:
        """Return True if the unit may move away from the enemy."""
        return not self.lines or any(line.manoeuvre == Manoeuvre.RETIRE for line in self.lines)

    @property
    def _exits(self) -> tuple[Manoeuvre, ...]:
        """Manoeuvres that leave the unit's building; if a distance is stated, also EXIT_BACK, away from the enemy."""
        if not self.unit.garrisoned:
            return ()
        return (Manoeuvre.EXIT,) if self.distance is None else (Manoeuvre.EXIT, Manoeuvre.EXIT_BACK)

    def stop_of(self, line: Line, salvo: int) -> int:
        """Return the end of a line's move; `salvo`: index of its salvo, or NONE. InputError for an impossible move."""
        self._check_move(line)
        if line.stop not in (TO_RANGE, TO_SHORT_RANGE):
            return line.stop
        row = self.row_of_ranges(line.action, salvo)
        if row is None:
            return 0
        reach = row.short_range if line.stop == TO_SHORT_RANGE else None
        return STOP_IS_DISTANCE | to_length(row.long_range if reach is None else reach)

    def row_of_ranges(self, action: Action, salvo: int) -> Row | None:
        """Return the row at whose ranges a move can end: the first of the salvo, or that of the tactic `lookout`."""
        if salvo == NONE or action == Action.GO_ON_LOOKOUT:
            return self.tactic("lookout").lookout_row if self.lookout_rows else None
        return self.salvos[salvo][0].row

    @cached_property
    def best_salvo(self) -> int:
        """Index in :attr:`salvos` of the salvo of the tactic `shoot`; NONE if there is nothing to fire."""
        if why_not("shoot", self.unit, self.enemy) is not None:
            return NONE
        return self.salvo_of_tactic(self.tactic("shoot"))

    def _check_move(self, line: Line) -> None:
        """Raise InputError if the unit cannot make the move of a line, or cannot stop where the line says."""
        where = f"duel.policy_{self.where}"
        if line.manoeuvre == Manoeuvre.RETIRE_AT_DOUBLE_TIME and self.unit.edge_distance is None:
            problem = f"{line.text!r}: the distance of the unit to its own edge is unknown"
            raise InputError(problem, where=where, allowed=f"retire; or {self.where}.edge_distance")
        longest = to_length(self.unit.speed or 0) * (2 if is_double_time(line.manoeuvre) else 1)
        stop, possible, end, others = line.stop, self.stop_lengths, "after {:g} inches", "a step, such as 1 inch"
        if stop > STOP_IS_DISTANCE:
            stop ^= STOP_IS_DISTANCE
            possible, end, others = self.stop_distances, "{:g} inches from the enemy", "another move"
        elif stop > longest:
            problem = f"{line.text!r}: the unit cannot move so far"
            raise InputError(problem, where=where, allowed=f"up to {longest / INCH:g} inches")
        if stop > 0 and stop not in possible:
            allowed = ", ".join(f"{length / INCH:g}" for length in possible) or others
            raise InputError(f"{line.text!r}: no move ends {end.format(stop / INCH)}", where=where, allowed=allowed)

    @cached_property
    def _shots(self) -> list[Shot]:
        """All shots of an activation: first and further attacks, each also as made after leaving a building."""
        shots = _shots_with(self.rows)
        fires_several = self.unit.value("All-Out Attack") > 1 and len(self.rows) > 1
        shots += [Shot(row, follows=True) for row in self.rows if fires_several]
        return [*shots, *(shot._replace(reforming=True) for shot in shots if self.unit.garrisoned)]

    @cached_property
    def salvos(self) -> list[tuple[Shot, ...]]:
        """Possible attacks of one activation: each shot alone or, with All-Out Attack, one row and then other rows."""
        shots = [shot for shot in self._shots if not shot.reforming]
        salvos: list[tuple[Shot, ...]] = [(shot,) for shot in shots if not shot.follows]
        most = self.unit.value("All-Out Attack")
        for main in shots:
            others = [shot for shot in shots if shot.follows and shot.row is not main.row]
            if most > 1 and others and not main.follows and not main.overcharge:
                salvos.append((main, *others[: most - 1]))
        return salvos

    def add_shots(self, draft: Draft) -> list[int]:
        """Add the strikes of all shots, and return their indices."""
        return [self._add(draft, shot, alone=int(not shot.follows and not shot.reforming)) for shot in self._shots]

    def _add(self, draft: Draft, shot: Shot, **facts: int) -> int:
        number = self.add_shot(draft, shot.row, overcharge=shot.overcharge, **facts)
        strike, attack = draft.setup.strikes[number], draft.setup.attacks[number]
        if shot.reforming:  # leaving a building does not count as an advance (AC-4.2, AC-6)
            attack.penalties |= Penalty.REFORMING
            strike.move_or_fire = 0
        if self.distance is None:  # without distances the unit cannot choose short range
            strike.short_range = NONE
        return number

    @cached_property
    def reaction_shots(self) -> list[Shot]:
        """Possible shots of opportunity fire."""
        return _shots_with(self.lookout_rows)

    def add_reactions(self, draft: Draft) -> list[int]:
        """Add the strikes of opportunity fire, and return their indices."""
        return [self._add(draft, shot, opportunity=1) for shot in self.reaction_shots]

    @cached_property
    def options(self) -> list[Option]:
        """Possible uses of an activation, in the order of the branches of :meth:`choice`."""
        return list(self._options())

    def _options(self) -> Iterator[Option]:
        specials = [Action.TAKE_COVER]
        specials += [Action.GO_ON_LOOKOUT] if self.lookout_rows else []
        re_arms = any(row.has("Slow to Fire") for row in (*self.rows, *self.lookout_rows))
        specials += [Action.RE_ARM] if re_arms else []
        yield STAY
        moves = self._moves([Manoeuvre.ADVANCE, Manoeuvre.RETIRE])
        for salvo in self.salvos:
            for manoeuvre, stop in ((Manoeuvre.AIM, 0), (Manoeuvre.STAY, 0), *moves):
                yield Option(manoeuvre, Action.SHOOT, salvo, stop=stop)
        for action in specials:
            for manoeuvre, stop in ((Manoeuvre.STAY, 0), *moves):
                yield Option(manoeuvre, action, stop=stop)
        away = [] if self.unit.edge_distance is None else [Manoeuvre.RETIRE_AT_DOUBLE_TIME]
        for manoeuvre, stop in (*moves, *self._moves([Manoeuvre.DOUBLE_TIME, *away])):
            yield Option(manoeuvre, Action.NOTHING, stop=stop)
        for charge in self.charges:
            yield Option(Manoeuvre.CHARGE, Action.NOTHING, charge=charge)
        for exit_ in self._exits:
            for salvo in self.salvos:
                yield Option(exit_, Action.SHOOT, tuple(shot._replace(reforming=True) for shot in salvo))
            for action in (Action.NOTHING, *specials):
                yield Option(exit_, action)

    def _moves(self, manoeuvres: Sequence[Manoeuvre]) -> list[tuple[Manoeuvre, int]]:
        """Return each of `manoeuvres` with each possible end; a move stopped after SPEED or more is at double time."""
        speed, moves = to_length(self.unit.speed or 0), list[tuple[Manoeuvre, int]]()
        for manoeuvre in manoeuvres if speed and self.distance is not None else ():
            distances = [STOP_IS_DISTANCE | distance for distance in self.stop_distances]
            lengths = [stop for stop in self.stop_lengths if (stop >= speed) == is_double_time(manoeuvre)]
            moves += [(manoeuvre, stop) for stop in (0, *distances, *lengths)]
        return moves

    def choice(
        self,
        shots: Sequence[int],
        operations_of: Callable[[int], list[Operation | Choice]],
        draft: Any,
        charged: Sequence[Combatant],
    ) -> Choice:
        """Return the choice among `options`; `shots` is from `add_shots`, `charged` are the enemy's variants."""
        number_of = dict(zip(self._shots, shots))
        charges = iter(combats(self.variants(self.charges), charged, self.side, draft))
        branches: list[list[Operation | Choice]] = []
        for option in self.options:
            strike = number_of[option.shots[0]] if option.shots else shots[0] if shots else NONE
            order = OrderParts(option.manoeuvre, option.action, strike, option.stop)
            part = draft.part([Operation(Kind.ORDER, self.side, pack_order(order))])
            add_fumes(part)
            branch: list[Operation | Choice] = part.lines
            for shot in option.shots if option.action == Action.SHOOT else ():
                branch += operations_of(number_of[shot])
            if option.charge is not None:
                branch += with_overrun_choice(next(charges), self.side)
            branches.append(branch)
        return Choice(self.side, ORDERS, branches)

    def tactic(self, name: str) -> Shooter:
        """Return this side with the tactic `name`, which its unit must be able to carry out."""
        return Shooter(self.unit, self.enemy, name, self.distance, self.ruleset, self.where)

    def salvo_in_words(self, words: str) -> int:
        """Return the index in :attr:`salvos` of the salvo of a line; NONE if there is nothing to fire.

        `words` are rows (``ROW``, ``ROW overcharged``, ``ROW and ROW``), ``overcharge``, ``all rows``, or empty for the
        best salvo.
        """
        where = f"duel.policy_{self.where}"
        tactics: dict[str, PolicyName] = {"overcharge": "overcharge", "all rows": "all_out"}
        if not words:
            return self.best_salvo
        if words not in tactics:
            row_names = words.removesuffix(" overcharged").split(" and ")
            for index, salvo in enumerate(self.salvos):
                ids, names = ([shot.row.id.lower() for shot in salvo], [shot.row.name.lower() for shot in salvo])
                if row_names in (ids, names) and salvo[0].overcharge == words.endswith(" overcharged"):
                    return index
            usable = [key for key, name in tactics.items() if why_not(name, self.unit, self.enemy) is None]
            allowed = [*(row.id for row in self.rows), *usable]
            problem = f"the unit has no ranged row {words!r}{did_you_mean(words, allowed)}"
            raise InputError(problem, where=where, allowed=", ".join(allowed) or "nothing")
        if (reason := why_not(tactics[words], self.unit, self.enemy)) is not None:
            raise InputError(f"with {words}: {reason}", where=where, allowed="another row")
        return self.salvo_of_tactic(self.tactic(tactics[words]))

    def charge_in_words(self, words: str) -> int:
        """Return the index in :attr:`charges` of the charge of a line; NONE if the unit cannot charge.

        `words` are ``ROW``, ``ROW overcharged``, ``overcharge``, or empty for the first charge.
        """
        row_name = words.removesuffix(" overcharged")
        is_overcharged = words.endswith(" overcharged") or words == "overcharge"
        for index, charge in enumerate(self.charges):
            fits = row_name in ("", "overcharge", charge.row.id.lower(), charge.row.name.lower())
            if fits and (charge.overcharge or not is_overcharged):
                return index
        if words and self.charges:
            names = [row.id for row in self.charge_rows]
            names += ["overcharge"] if any(charge.overcharge for charge in self.charges) else []
            problem = f"the unit has no row {words!r} to charge with{did_you_mean(words, names)}"
            raise InputError(problem, where=f"duel.policy_{self.where}", allowed=", ".join(names))
        return NONE

    def salvo_of_tactic(self, tactic: Shooter) -> int:
        """Return the index in :attr:`salvos` of the salvo of a tactic; NONE if the tactic does not shoot."""
        if not tactic.rows:
            return NONE
        overcharged = tactic.policy == "overcharge"
        return self.salvos.index(tuple(Shot(row, overcharged, row is not tactic.main_row) for row in tactic.rows))

    def reaction_of_tactic(self, tactic: Shooter) -> int:
        """Return the index in :attr:`reaction_shots` of the reaction of a tactic; NONE without a reaction."""
        row = tactic.lookout_row
        return NONE if row is None else self.reaction_shots.index(Shot(row))
