"""Best play of focus fire: the next attacker, its row of armaments and its manoeuvre in each state of the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, NamedTuple, Unpack

import numpy as np

from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice
from analyser.common.kernel_records import python_copy
from analyser.common.text import counted, frequency_sentence, percent
from analyser.engine.fight.exact.distribution import side_probabilities
from analyser.engine.fight.exact.propagate import start_states
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout
from analyser.results.states import damage, flag, holds, is_removed, joint_distributions, models_left
from analyser.rules.activation import highest_rally_card, length_moved, start_activation
from analyser.rules.discipline import ANY_CARD
from analyser.rules.draws import odds_of, success_counts, test_draw
from analyser.rules.policies import Manoeuvre
from analyser.rules.structs import INCH, NONE, SideFacts, StrikeFacts
from analyser.rules.unit_state import start_state
from analyser.scenarios import load as scenarios
from analyser.scenarios.attack import Scenario, target_record
from analyser.scenarios.fight_records import to_length
from analyser.scenarios.focus import FocusScenario, attack_of_focus, attacker_of, focus_program, resolve_focus
from analyser.scenarios.load import Conditions, Unit
from analyser.scenarios.resolve import find_row, look_up
from analyser.scenarios.schema import TARGET_FATES, FocusAttack, FocusFile

MOST_ATTACKERS = 8
_LEAST_GAIN = 1e-12  # smaller gains of probability are rounding errors
_MOST_STEPS_SHOWN = 12  # rows of the plan in the text


class Option(NamedTuple):
    """An attack that `attacker` (an index) may make after an `advance` in inches; `action` describes both in words.

    `rally` is the probability that the attacker may do this: below 1 if it must pass a rally test first (AC-5.6).
    """

    attacker: int
    name: str
    action: str
    advance: float
    attack: FocusAttack
    scenario: Scenario
    rally: float

    @property
    def words(self) -> str:
        return f"{self.name} {self.action}"


@dataclass(frozen=True, repr=False)
class BestFocus(Answer):
    """Best focus fire: the next attack in every possible state of the target.

    Attributes
    ----------
    chances : tuple of float
        Probability that the target meets the fate `wanted`, with the best use of up to 1, 2, ... attackers.
    as_given : float
        Probability of the fate if all attackers fire in the stated order, each as stated. An attacker that cannot fire
        as stated advances first if possible, or makes another possible attack.
    in_order : tuple of str
        Attack of each attacker in the stated order, in words.
    steps : tuple of dict
        A step for each state in which the plan attacks: `fired`, the number of attacks before; `target`, its state;
        `next`, the next attacker and its attack; `advance`, in inches (0 if it stands). `chance` is the probability of
        the fate if all follow the plan. `costs` is the probability lost if the second-best attack is made instead.
        `probability` is that of reaching the state.
    """

    wanted: str
    attackers: tuple[str, ...]
    chances: tuple[float, ...]
    as_given: float
    in_order: tuple[str, ...]
    steps: tuple[dict[str, Any], ...]
    profiles: ProfilesUsed

    schema = "analyser/best-focus/1"

    @property
    def value(self) -> float:
        """Probability of the fate with the best use of all attackers."""
        return self.chances[-1]

    @property
    def headline(self) -> str:
        return frequency_sentence("At best the target", f"is {self.wanted}", self.value)

    @property
    def summary(self) -> dict[str, Any]:
        chances = {f"p_with_{number}": chance for number, chance in enumerate(self.chances, 1)}
        return chances | {"p_in_given_order": self.as_given}

    def rows(self) -> list[dict[str, Any]]:
        return [dict(step) for step in self.steps]

    def _body(self) -> dict[str, Any]:
        head = {"kind": "best-focus", "method": "exact", "wanted": self.wanted, "attackers": list(self.attackers)}
        chances = {"chances": list(self.chances), "as_given": self.as_given, "in_order": list(self.in_order)}
        return {**head, **chances, "steps": self.rows()} | self.profiles.fight_entries()

    def blocks(self) -> list[Block]:
        first = f"P({self.wanted}) at best {percent(self.value)}, in the given order {percent(self.as_given)}; exact"
        chances = [[counted(n, "attacker"), percent(chance)] for n, chance in enumerate(self.chances, 1)]
        head, rows = ["fired", "target", "next", "probability", "cost of second best", "frequency"], []
        for step in self.steps[:_MOST_STEPS_SHOWN]:
            numbers = [percent(step["chance"]), f"{100 * step['costs']:.1f} pp", percent(step["probability"])]
            rows.append([str(step["fired"]), step["target"], step["next"], *numbers])
        return [
            Block(first),
            Block("With up to", rows=chances, align="<>"),
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
    """Return the attacker that should fire next after each result, so that the wanted fate is most likely (AC-9.1).

    Each attacker fires at most once, with its stated row (if none is stated, with any ranged row). It aims or, if a
    distance is stated, may advance by its SPEED first. A suppressed attacker that fails its rally test fires from where
    it is (AC-5.6). An attacker fires as stated if it is an aircraft, has no profile, aims already, has advanced,
    reforms, is garrisoned or makes opportunity fire. The result is exact; attackers' own losses do not count.

    Parameters
    ----------
    attackers : sequence of selectors or mappings
        1 to 8, see :func:`analyser.focus`.
    target : selector or mapping
    want : str
        Fate of the target: ``annihilated``, ``broken``, ``destroyed`` or ``suppressed``.
    profiles, conditions
        As in :func:`analyser.focus`.

    Examples
    --------
    >>> import analyser
    >>> found = analyser.best_focus(["crown/rifle-p@basic", "crown/rifle-p@basic"], "scion-grenadier-p@basic")
    >>> found.value >= found.as_given, found.chances[0] >= 0.2
    (True, True)
    """
    check_choice(want, "want", TARGET_FATES)
    attacks = [
        scenarios.with_conditions({}, conditions) | scenarios.section_of(attacker, f"attacks.{index}", "attacker")
        for index, attacker in enumerate(attackers)
    ]
    if not 1 <= len(attacks) <= MOST_ATTACKERS:
        raise InputError(f"{len(attacks)} attackers", where="attackers", allowed=f"1 to {MOST_ATTACKERS}")
    library, section = library_of(profiles), scenarios.section_of(target, "target")
    file = scenarios.parse_scenario({"attacks": attacks, "target": section}, FocusFile, library, where="")
    units = [_Attacker(file, index, library) for index in range(len(attacks))]
    options = [unit.options() for unit in units]
    in_order = [stated for stated, _ in options]
    scenario = resolve_focus(file.model_copy(update={"attacks": tuple(option.attack for option in in_order)}), library)
    all_options = [option for _, own_options in options for option in own_options]
    search = _Search(replace(scenario, profiles=library.used), all_options, want)
    passed = [option.words + " (after a passed rally test)" * (option.rally < 1.0) for option in in_order]
    return search.answer([unit.name for unit in units], passed)


_Change = tuple[dict[str, Any], str, float]  # changed keys of an attack, description, inches advanced


class _Attacker:
    def __init__(self, file: FocusFile, index: int, library: Profiles) -> None:
        self.file, self.index, self.library = file, index, library
        self.attack = file.attacks[index]
        self.loadout = look_up(self.attack.attacker, library, f"attacks.{index}.attacker")
        self.name = f"attack {index + 1}" if self.loadout is None else f"{index + 1} {self.loadout.selector}"

    def options(self) -> tuple[Option, list[Option]]:
        """Return the attack as stated (after an advance if needed), and all attacks to choose from (AC-4.2)."""
        refusal, stated, words = None, list[Option](), "stays and fires"
        if self.attack.attacker_advanced:
            words = "has advanced and fires"
        elif "aiming" in self.attack.bonuses:
            words = "stays, aims and fires"
        try:
            stated.append(self._option(({}, words, 0.0)))
        except InputError as error:
            refusal = error
        choices = self._possible(self._manoeuvres())
        usable = stated or self._possible(self._advances({})) or choices
        if not usable:
            assert refusal is not None
            raise self._with_name(refusal)
        return usable[0], choices or stated

    def _option(self, change: _Change) -> Option:
        keys, words, advance = change
        attack = self.attack.model_copy(update=keys)
        scenario = attack_of_focus(self.file, attack, self.index, self.library)
        action = " ".join(filter(None, (words, scenario.attack.row)))
        rally = _rally(scenario) if {"bonuses", "attacker_advanced"} & keys.keys() else 1.0
        return Option(self.index, self.name, action, advance, attack, scenario, rally)

    def _possible(self, changes: Iterable[_Change]) -> list[Option]:
        options = []
        for change in changes:
            with suppress(InputError):
                options.append(self._option(change))
        return options

    def _manoeuvres(self) -> Iterator[_Change]:
        """Yield, for each ranged row, an aimed attack and, if possible, an attack after an advance."""
        if self.loadout is None or not self._may_manoeuvre(self.loadout):
            return
        rows, stated = self.loadout.unit.rows, self.attack.row
        if stated is not None:
            rows = (find_row(rows, stated, f"attacks.{self.index}.row"),)
        for row in rows:
            if row.kind == "ranged":
                keys = {"row": row.id, "bonuses": (*self.attack.bonuses, "aiming")}
                yield keys, "stays, aims and fires", 0.0
                if "suppressed" in self.attack.penalties:
                    yield {"row": row.id}, "stays and fires", 0.0
                yield from self._advances({"row": row.id})

    def _may_manoeuvre(self, loadout: Loadout) -> bool:
        attack = self.attack
        used = {*attack.bonuses, *attack.penalties} & {"aiming", "opportunity_fire", "reforming"}
        moved = attack.attacker_advanced or attack.attacker_garrisoned or attack.opportunity_fire
        return not used and not moved and loadout.unit.type != "aircraft"

    def _advances(self, keys: dict[str, Any]) -> Iterator[_Change]:
        """Yield an attack with these `keys` after an advance by SPEED, if an advance is possible."""
        if self.loadout is None or self.attack.distance is None or not self._may_manoeuvre(self.loadout):
            return
        side, distance = SideFacts(speed=to_length(self.loadout.unit.speed or 0)), to_length(self.attack.distance)
        length = length_moved(Manoeuvre.ADVANCE, side, StrikeFacts(), distance, NONE)
        if length > 0:
            by, left = length / INCH, (distance - length) / INCH
            yield {**keys, "distance": left, "attacker_advanced": True}, f'advances {by:g}" to {left:g}" and fires', by

    def _with_name(self, refusal: InputError) -> InputError:
        """Return the error of an attacker that cannot fire at all, with its name and the advance that was tried."""
        if refusal.where not in (where := f"attacks.{self.index}", f"{where}.row"):
            return refusal
        tried = [f" or after an advance of {by:g} inches" for _, _, by in self._advances({})]
        reason = refusal.problem.removeprefix(f"{self.name.partition(' ')[2]}: ")
        problem = f"{self.name} cannot fire at the target, standing{''.join(tried)}: {reason}"
        return InputError(problem, where=refusal.where, allowed=refusal.allowed)


def _rally(scenario: Scenario) -> float:
    """Return the probability that the attacker passes its rally test, 1 if it takes none (AC-5.6)."""
    attacker = attacker_of(scenario)
    if attacker is None:
        return 1.0
    facts = python_copy(target_record(attacker))
    highest = highest_rally_card(start_activation(start_state(facts, 0), facts), facts)
    if highest == ANY_CARD:
        return 1.0
    ruleset = scenario.ruleset
    die = np.array(ruleset.die.sides_by_face, np.int64)
    passed, cards = success_counts(test_draw(0), highest, odds_of(die, ruleset.deck.counts()))
    return int(passed) / int(cards)


class _Search:
    """Backward induction; a node is the set of attackers that have not fired and the state of the target."""

    def __init__(self, scenario: FocusScenario, options: Sequence[Option], want: str) -> None:
        self.scenario, self.options, self.want = scenario, list(options), want
        attacks = [option.scenario for option in self.options]
        self.setup, self.programs = focus_program(attacks, list(map(attacker_of, attacks)))
        self.start = start_states(self.setup)
        self._after: dict[tuple[int, int], list[tuple[int, float]]] = {}
        self._values: dict[tuple[int, int, int], tuple[float, int]] = {}

    def states_after(self, option: int, state: int) -> list[tuple[int, float]]:
        if (option, state) not in self._after:
            programs = [self.programs[option]]
            joint = joint_distributions(self.setup, programs, (self.start[0], state), self.scenario.ruleset)[0]
            pmf = side_probabilities(joint)[1]
            self._after[option, state] = [(int(after), float(p)) for after, p in zip(joint.second, pmf) if p > 0]
        return self._after[option, state]

    def has_fate(self, state: int) -> bool:
        return bool(holds(np.array([state]), self.want, self.scenario.target)[0])

    def value(self, left: int, state: int, most: int) -> tuple[float, int]:
        """Return the probability of the fate with best play, and the index of the best option, -1 if no option helps.

        `left` has a bit for each attacker that has not fired; up to `most` of these may still fire.
        """
        key = (left, state, most)
        if key not in self._values:
            best, chosen = float(self.has_fate(state)), -1
            if most and best < 1.0 and not is_removed(np.array([state]))[0]:
                for option in self.left_options(left):
                    chance = self.probability_by(option, left, state, most)
                    if chance > best + _LEAST_GAIN:
                        best, chosen = chance, option
            self._values[key] = best, chosen
        return self._values[key]

    def left_options(self, left: int) -> list[int]:
        return [index for index, option in enumerate(self.options) if left >> option.attacker & 1]

    def probability_by(self, option: int, left: int, state: int, most: int) -> float:
        """Return the probability of the fate if this option is tried next, a rally test included."""
        rally, passed = self.options[option].rally, self._probability_after(option, left, state, most)
        if rally == 1.0:
            return passed
        return rally * passed + (1 - rally) * self.without_rally(option, left, state, most)[0]

    def _probability_after(self, option: int, left: int, state: int, most: int) -> float:
        rest = left & ~(1 << self.options[option].attacker)
        return fsum(share * self.value(rest, after, most - 1)[0] for after, share in self.states_after(option, state))

    def without_rally(self, option: int, left: int, state: int, most: int) -> tuple[float, int]:
        """Return the probability of the fate after a failed rally test, and the index of the option then, or -1."""
        attacker = self.options[option].attacker
        result = self.value(left & ~(1 << attacker), state, most - 1)[0], -1
        for number, other in enumerate(self.options):
            if other.attacker == attacker and other.rally == 1.0:
                result = max(result, (self._probability_after(number, left, state, most), number))
        return result

    def answer(self, attackers: Sequence[str], in_order: Sequence[str]) -> BestFocus:
        count = len(self.scenario.attacks)
        all_attackers = (1 << count) - 1
        chances = tuple(self.value(all_attackers, self.start[1], most)[0] for most in range(1, count + 1))
        steps, used = tuple(self._steps(all_attackers, count)), self.scenario.profiles
        assert used is not None
        setup, programs = focus_program(self.scenario.attacks, self.scenario.attackers)
        program = [step for operations in programs for step in operations]
        joint = joint_distributions(setup, [program], start_states(setup), self.scenario.ruleset)[0]
        as_given = fsum(p for end, p in zip(joint.second, side_probabilities(joint)[1]) if self.has_fate(int(end)))
        return BestFocus(self.want, tuple(attackers), chances, as_given, tuple(in_order), steps, used)

    def _steps(self, all_attackers: int, count: int) -> list[dict[str, Any]]:
        pmf, steps = {(all_attackers, self.start[1]): 1.0}, list[dict[str, Any]]()
        for fired in range(count):
            rows, following = list[dict[str, Any]](), dict[tuple[int, int], float]()
            for (left, state), probability in pmf.items():
                chance, chosen = self.value(left, state, count - fired)
                if chosen < 0:
                    continue
                option = self.options[chosen]
                others = [
                    self.probability_by(other, left, state, count - fired)
                    for other in self.left_options(left)
                    if self.options[other].words != option.words
                ]
                branches, words = [(option.rally, chosen)], option.words
                if option.rally < 1.0:
                    otherwise = self.without_rally(chosen, left, state, count - fired)[1]
                    branches.append((1 - option.rally, otherwise))
                    action = "makes no attack" if otherwise < 0 else self.options[otherwise].action
                    words += f"; after a failed rally test {action}"
                row = {"fired": fired, "target": _state_text(state), "next": words, "advance": option.advance}
                costs = max(chance - max(others, default=chance), 0.0)
                rows.append(row | {"chance": chance, "costs": costs, "probability": probability})
                rest = left & ~(1 << option.attacker)
                for chance, number in branches:
                    for after, share in self.states_after(number, state) if number >= 0 else [(state, 1.0)]:
                        following[rest, after] = following.get((rest, after), 0.0) + chance * share * probability
            steps += sorted(rows, key=lambda row: -row["probability"])
            pmf = following
        return steps


def _state_text(state: int) -> str:
    states = np.array([state])
    parts = [counted(int(models_left(states)[0]), "model")]
    parts += [f"{damage(states)[0]} damage"] if damage(states)[0] else []
    parts += [name for name in ("suppressed", "disordered", "activated") if flag(states, name)[0]]
    return ", ".join(parts)
