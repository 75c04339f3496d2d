"""Best play of focus fire: the next attacker, row and manoeuvre in each state of the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice, shown
from analyser.common.text import counted, frequency_sentence, percent
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Operation, Setup
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout
from analyser.results.states import damage, exact_laws_of, flag, is_removed, models_left
from analyser.results.states import holds as holds_of
from analyser.rules.activation import length_moved
from analyser.rules.policies import Manoeuvre
from analyser.rules.structs import INCH, NONE, SideFacts, StrikeFacts
from analyser.scenarios import load as scenarios
from analyser.scenarios.attack import Scenario
from analyser.scenarios.fight_records import length_of
from analyser.scenarios.focus import FocusScenario, attacker_of, focus_program, one_attack, resolved
from analyser.scenarios.load import Conditions, Unit
from analyser.scenarios.resolve import looked_up, row_named
from analyser.scenarios.schema import TARGET_FATES, FocusAttack, FocusFile

MOST_ATTACKERS = 8
_LIKELY = 1e-12
_SHOWN = 12


class Way(NamedTuple):
    """A combination of row and manoeuvre with which an attacker can attack."""

    attacker: int
    words: str
    advance: float  # inches advanced before the attack
    attack: FocusAttack
    scenario: Scenario


@dataclass(frozen=True, repr=False)
class BestFocus(Answer):
    """Best focus fire: the next attack in every possible state of the target.

    Attributes
    ----------
    wanted : str
        Wanted fate of the target.
    attackers : tuple of str
        Names of the attackers.
    chances : tuple of float
        Probability of the fate with the best use of up to 1, 2, ... attackers.
    as_given : float
        Probability of the fate if all fire in the given order and as given; an attacker that cannot fire from its
        position advances first.
    in_order : tuple of str
        Attack of each attacker in the given order.
    steps : tuple of dict
        The plan: `fired`, the number of attacks already made; `target`, its state; `next`, the next attacker and its
        attack; `advance`, in inches (0: it stands); `chance` of the fate then; `costs`, the loss with the second-best
        attack; `probability` of this state.
    profiles : ProfilesUsed
    """

    wanted: str
    attackers: tuple[str, ...]
    chances: tuple[float, ...]
    as_given: float
    in_order: tuple[str, ...]
    steps: tuple[dict[str, Any], ...]
    profiles: ProfilesUsed

    @property
    def value(self) -> float:
        """Probability of the fate with the best use of all attackers."""
        return self.chances[-1]

    def until(self, chance: float) -> int | None:
        """Return the number of attackers that reach this probability at best use; None if all are too few."""
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 < chance <= 1:
            raise InputError(f"{shown(chance)} is not usable", where="until", allowed="above 0, up to 1")
        return next((number for number, probability in enumerate(self.chances, 1) if probability >= chance), None)

    schema = "analyser/best-focus/1"

    @property
    def headline(self) -> str:
        """Probability of the fate with the best use of all attackers, in one sentence."""
        return frequency_sentence("At best the target", f"is {self.wanted}", self.value)

    @property
    def summary(self) -> dict[str, Any]:
        """Probability with the best use of up to 1, 2, ... attackers, and that in the given order."""
        chances = {f"p_with_{number}": chance for number, chance in enumerate(self.chances, 1)}
        return chances | {"p_in_given_order": self.as_given}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Steps of the plan as a frame."""
        return self.to_frame()

    def rows(self) -> list[dict[str, Any]]:
        """Return the steps as plain dicts."""
        return [dict(step) for step in self.steps]

    def _body(self) -> dict[str, Any]:
        head = {"kind": "best-focus", "method": "exact", "wanted": self.wanted, "attackers": list(self.attackers)}
        chances = {"chances": list(self.chances), "as_given": self.as_given, "in_order": list(self.in_order)}
        return {**head, **chances, "steps": self.rows()} | self.profiles.fight_entries()

    def blocks(self) -> list[Block]:
        """Return the probabilities, the given order, and the most likely steps."""
        first = f"P({self.wanted}) at best {percent(self.value)}, in the given order {percent(self.as_given)}; exact"
        chances = [[counted(n, "attacker"), percent(chance)] for n, chance in enumerate(self.chances, 1)]
        head, rows = ["fired", "target", "next", "probability", "cost of second best", "frequency"], []
        for step in self.steps[:_SHOWN]:
            numbers = [percent(step["chance"]), f"{100 * step['costs']:.1f} pp", percent(step["probability"])]
            rows.append([str(step["fired"]), step["target"], step["next"], *numbers])
        return [
            Block(first),
            Block("Largest number of attackers", rows=chances, align="<>"),
            Block("In the given order", lines=self.in_order),
            Block("Plan", head, rows, "<<<>>>"),
        ]


def best_focus(
    attackers: Sequence[Unit],
    target: Unit,
    *,
    want: str = "annihilated",
    profiles: ProfilesLike | None = None,
    **conditions: Unpack[Conditions],
) -> BestFocus:
    """Find which attacker should fire next at a target, after each result (AC-9.1), to make a fate likeliest.

    Each attacker fires at most once. Without a named row every usable row is tried. An attacker with a distance that
    neither aims nor has advanced may aim, or advance by its SPEED and then fire; an advance may bring it into range.
    The result is exact, by backward induction over the remaining attackers and the state of the target. Losses of an
    attacker through its own attack are not counted.

    Parameters
    ----------
    attackers : sequence of selectors or mappings
        1 to 8, see :func:`analyser.focus`.
    target : selector or mapping
    want : str
        ``annihilated``, ``broken``, ``destroyed`` or ``suppressed``.
    profiles
        As in :func:`analyser.attack`.
    **conditions
        As in :func:`analyser.focus`.

    Raises
    ------
    InputError
        An attack that cannot be made in any way, more than 8 attackers, or another unusable input.

    Examples
    --------
    >>> import analyser
    >>> found = analyser.best_focus(["crown/rifle-p@basic", "crown/rifle-p@basic"], "scion-grenadier-p@basic")
    >>> found.value >= found.as_given, found.until(0.2)
    (True, 1)
    """
    check_choice(want, "want", TARGET_FATES)
    listed = [
        scenarios.with_conditions({}, conditions) | scenarios.section_of(one, f"attacks.{place}", "attacker")
        for place, one in enumerate(attackers)
    ]
    if not 1 <= len(listed) <= MOST_ATTACKERS:
        raise InputError(f"{len(listed)} attackers", where="attackers", allowed=f"1 to {MOST_ATTACKERS}")
    library, section = library_of(profiles), scenarios.section_of(target, "target")
    file = scenarios.parse_scenario({"attacks": listed, "target": section}, FocusFile, library, where="")
    units = [_Attacker(file, place, library) for place in range(len(listed))]
    ways = [unit.ways() for unit in units]
    in_order = [first for first, _ in ways]
    given = resolved(file.model_copy(update={"attacks": tuple(way.attack for way in in_order)}), library)
    search = _Search(replace(given, profiles=library.used), [way for _, one in ways for way in one], want)
    return search.found([unit.name for unit in units], [way.words for way in in_order])


Change = tuple[dict[str, Any], str, float]  # changed keys of an attack, description, inches advanced


class _Attacker:
    """An attacker and its possible attacks."""

    def __init__(self, file: FocusFile, place: int, library: Profiles) -> None:
        self.file, self.place, self.library = file, place, library
        self.attack = file.attacks[place]
        self.loadout = looked_up(self.attack.attacker, library, f"attacks.{place}.attacker")
        self.name = f"attack {place + 1}" if self.loadout is None else f"{place + 1} {self.loadout.selector}"

    def ways(self) -> tuple[Way, list[Way]]:
        """Return its attack as given (after an advance if needed), and all its possible attacks (AC-4.2)."""
        refusal, standing = None, list[Way]()
        try:
            standing.append(self._way(({}, self._as_given(), 0.0)))
        except InputError as error:
            refusal = error
        others = self._possible(self._manoeuvres())
        in_order = standing or self._possible(self._advances({})) or others
        if not in_order:
            assert refusal is not None
            raise self._named(refusal)
        return in_order[0], others or standing

    def _as_given(self) -> str:
        if self.attack.attacker_advanced:
            return "has advanced and fires"
        return "stays, aims and fires" if "aiming" in self.attack.bonuses else "stays and fires"

    def _way(self, change: Change) -> Way:
        keys, words, advance = change
        attack = self.attack.model_copy(update=keys)
        scenario = one_attack(self.file, attack, self.place, self.library)
        words = " ".join(filter(None, (self.name, words, scenario.attack.row)))
        return Way(self.place, words, advance, attack, scenario)

    def _possible(self, changes: Iterable[Change]) -> list[Way]:
        result = []
        for change in changes:
            with suppress(InputError):
                result.append(self._way(change))
        return result

    def _manoeuvres(self) -> Iterator[Change]:
        """Yield the aimed shot and the advance of each row, if the attacker can still manoeuvre."""
        if self.loadout is None or not self._is_free(self.loadout):
            return
        rows, stated = self.loadout.unit.rows, self.attack.row
        if stated is not None:
            rows = (row_named(rows, stated, f"attacks.{self.place}.row"),)
        for row in rows:
            if row.kind == "ranged":
                keys = {"row": row.id, "bonuses": (*self.attack.bonuses, "aiming")}
                yield keys, "stays, aims and fires", 0.0
                yield from self._advances({"row": row.id})

    def _is_free(self, loadout: Loadout) -> bool:
        """Return True if it can still aim or advance; garrisons and sorties of aircraft can do neither."""
        attack = self.attack
        marks = {*attack.bonuses, *attack.penalties} & {"aiming", "opportunity_fire", "reforming"}
        moved = attack.attacker_advanced or attack.attacker_garrisoned or attack.opportunity_fire
        return not marks and not moved and loadout.unit.type != "aircraft"

    def _advances(self, keys: dict[str, Any]) -> Iterator[Change]:
        """Yield an advance by its SPEED with these `keys`, if it is possible."""
        if self.loadout is None or self.attack.distance is None or not self._is_free(self.loadout):
            return
        side, distance = SideFacts(speed=length_of(self.loadout.unit.speed or 0)), length_of(self.attack.distance)
        length = length_moved(Manoeuvre.ADVANCE, side, StrikeFacts(), distance, NONE)
        if length > 0:
            by, to = length / INCH, (distance - length) / INCH
            yield {**keys, "distance": to, "attacker_advanced": True}, f'advances {by:g}" to {to:g}" and fires', by

    def _named(self, refusal: InputError) -> InputError:
        """Return the refusal of the attack as given, with the attacker's name and the advance that was tried."""
        if not refusal.where.endswith(".row"):
            return refusal
        tried = [f" or after an advance of {by:g} inches" for _, _, by in self._advances({})]
        reason = refusal.problem.removeprefix(f"{self.name.partition(' ')[2]}: ")
        problem = f"{self.name} cannot fire at the target, standing{''.join(tried)}: {reason}"
        return InputError(problem, where=refusal.where, allowed=refusal.allowed)


class _Search:
    """Backward induction over the attackers left and the state of the target."""

    def __init__(self, given: FocusScenario, ways: Sequence[Way], want: str) -> None:
        self.given, self.ways, self.want = given, list(ways), want
        every = [way.scenario for way in self.ways]
        self.setup: Setup
        self.setup, self.programs = focus_program(every, list(map(attacker_of, every)))
        self.start = start_states(self.setup)
        self._after: dict[tuple[int, int], list[tuple[int, float]]] = {}
        self._values: dict[tuple[int, int, int], tuple[float, int]] = {}

    def after(self, way: int, state: int) -> list[tuple[int, float]]:
        """Return the possible states of the target after an attack, with their probabilities."""
        if (way, state) not in self._after:
            program: list[Operation] = self.programs[way]
            joint = exact_laws_of(self.setup, [program], (self.start[0], state), self.given.ruleset)[0]
            chances = joint.probabilities.sum(axis=0)
            self._after[way, state] = [(int(to), float(p)) for to, p in zip(joint.second, chances) if p > 0]
        return self._after[way, state]

    def holds(self, state: int) -> bool:
        """Return True if the target has the fate."""
        states = np.array([state])
        if self.want == "annihilated":
            return bool(is_removed(states)[0])
        return bool(holds_of(states, self.want, self.given.target)[0])

    def value(self, left: int, state: int, most: int) -> tuple[float, int]:
        """Return the chance of the fate if up to `most` of the attackers `left` fire, and the next way; -1 to stop."""
        key = (left, state, most)
        if key not in self._values:
            best, chosen = float(self.holds(state)), -1
            if most and best < 1.0 and not is_removed(np.array([state]))[0]:
                for way in range(len(self.ways)):
                    if left >> self.ways[way].attacker & 1:
                        chance = self.probability_by(way, left, state, most)
                        if chance > best + _LIKELY:
                            best, chosen = chance, way
            self._values[key] = best, chosen
        return self._values[key]

    def probability_by(self, way: int, left: int, state: int, most: int) -> float:
        """Return the chance of the fate if this attack is next and best play follows."""
        rest = left & ~(1 << self.ways[way].attacker)
        return sum(share * self.value(rest, to, most - 1)[0] for to, share in self.after(way, state))

    def found(self, attackers: Sequence[str], in_order: Sequence[str]) -> BestFocus:
        """Return the answer; `in_order` describes each attack in the given order."""
        count = len(self.given.attacks)
        everybody = (1 << count) - 1
        chances = tuple(self.value(everybody, self.start[1], most)[0] for most in range(1, count + 1))
        steps, used = tuple(self._steps(everybody, count)), self.given.profiles
        assert used is not None
        return BestFocus(self.want, tuple(attackers), chances, self._as_given(), tuple(in_order), steps, used)

    def _as_given(self) -> float:
        setup, programs = focus_program(self.given.attacks, self.given.attackers)
        joint = exact_laws_of(
            setup, [[step for program in programs for step in program]], start_states(setup), self.given.ruleset
        )[0]
        return float(sum(p for to, p in zip(joint.second, joint.probabilities.sum(axis=0)) if self.holds(int(to))))

    def _steps(self, everybody: int, count: int) -> list[dict[str, Any]]:
        pmf, steps = {(everybody, self.start[1]): 1.0}, list[dict[str, Any]]()
        for fired in range(count):
            rows, following = list[dict[str, Any]](), dict[tuple[int, int], float]()
            for (left, state), probability in pmf.items():
                chance, way = self.value(left, state, count - fired)
                if way < 0:
                    continue
                others = [
                    other for other in range(len(self.ways)) if left >> self.ways[other].attacker & 1 and other != way
                ]
                others = [other for other in others if self.ways[other].words != self.ways[way].words]
                second = max(
                    (self.probability_by(other, left, state, count - fired) for other in others), default=chance
                )
                rows.append(
                    {
                        "fired": fired,
                        "target": self._in_words(state),
                        "next": self.ways[way].words,
                        "advance": self.ways[way].advance,
                        "chance": chance,
                        "costs": max(chance - second, 0.0),
                        "probability": probability,
                    }
                )
                rest = left & ~(1 << self.ways[way].attacker)
                for to, share in self.after(way, state):
                    following[rest, to] = following.get((rest, to), 0.0) + share * probability
            steps += sorted(rows, key=lambda row: -row["probability"])
            pmf = following
        return steps

    def _in_words(self, state: int) -> str:
        states = np.array([state])
        parts = [counted(int(models_left(states)[0]), "model")]
        parts += [f"{damage(states)[0]} damage"] if damage(states)[0] else []
        parts += [name for name in ("suppressed", "disordered", "activated") if flag(states, name)[0]]
        return ", ".join(parts)
