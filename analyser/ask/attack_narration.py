"""Text of a simulated attack: its dice, hits, damage and card, and the fate of the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from random import Random
from typing import Any, NamedTuple

import numpy as np

from analyser.common.kernel_records import python_copy
from analyser.common.text import counted, spaced
from analyser.engine.attack.simulated import Trial
from analyser.engine.pool.dice import Die, dice_that_score, veteran_heroics
from analyser.results.attack import AttackResult
from analyser.rules import discipline, strike
from analyser.rules.attack import Scores, damage_points, hits_left_over, hits_of, losses_of
from analyser.rules.strike import Stage
from analyser.rules.structs import FightFacts, Test

_FULL_FACE_NAMES = {"heroic": "heroic strike", "glancing": "glancing strike"}
_FLAGS = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "annihilated")
_FIRST_BITS = {  # lowest bit of each number in a packed outcome
    "models_destroyed": discipline.MODELS_DESTROYED,
    "damage": discipline.DAMAGE,
    "attacker_models_destroyed": discipline.ATTACKER_DESTROYED,
    "attacker_damage": discipline.ATTACKER_DAMAGE,
}


class ResolvedStrike(NamedTuple):
    """The roll of a strike, and its final state (:mod:`analyser.rules.strike`)."""

    score: int
    face_values: Scores
    state: int
    highest: int  # highest card that passes the test; ANY_CARD if every card does, NO_CARD if none does


def resolve(
    fight: FightFacts, face_values: Scores, score: int, falls: Callable[[int], int], passes: Callable[[int], int]
) -> ResolvedStrike:
    """Resolve a strike after its roll; `falls` and `passes` are called only if chance decides.

    `falls` takes the number of destroyed models, and returns 1 if the officer is one of them. `passes` takes the
    highest card that passes the test, and returns 1 if the test is passed.
    """
    state = strike.after_roll(fight, face_values, score)
    if strike.stage_of(state) == Stage.OFFICER:
        state = strike.after_draw(fight, state, falls(strike.officer_positions(fight, state)[0]))
    highest = strike.highest_card(fight, state)
    if strike.stage_of(state) == Stage.TEST:
        state = strike.after_draw(fight, state, passes(highest))
    return ResolvedStrike(score, face_values, state, highest)


def strike_of(fight: FightFacts, face_values: Scores, trial: Trial) -> ResolvedStrike:
    """Resolve the strike of a trial from its score, its card and the position of the officer."""

    def falls(destroyed: int) -> int:
        return int((trial.officer_position or 0) < destroyed)

    def passes(highest: int) -> int:
        return int(trial.card is None or trial.card <= highest)

    return resolve(fight, face_values, trial.score, falls, passes)


def dice_lines(dice: list[Die], fight: FightFacts, face_names: Sequence[str]) -> list[str]:
    """Return a line for each die: its face, its re-rolls, and the exploding die that added it."""
    width, faces = len(str(len(dice))), [_FULL_FACE_NAMES.get(name, name) for name in face_names]
    return [f"  {number:>{width}}. {_die_text(die, fight, faces)}" for number, die in enumerate(dice, start=1)]


def _die_text(die: Die, fight: FightFacts, faces: Sequence[str]) -> str:
    text = faces[die.shows]
    if die.rerolled is not None:
        text += f", re-rolled (AC-3.4): {faces[die.rerolled]}"
    if die.extra_reroll is not None:
        text += f", re-rolled once more (AC-3.5): {faces[die.extra_reroll]}"
    if die.added_by is not None:
        return f"{text}   (added by die {die.added_by + 1})"
    explodes = f", which adds {counted(int(fight.explosion), 'die', 'dice')} (AC-3.3)"
    return text + (explodes if int(fight.exploding_faces) >> die.shows & 1 else "")


def _hits_line(fight: FightFacts, dice: list[Die], resolved: ResolvedStrike) -> str:
    turned, masks = veteran_heroics(fight, dice), (int(fight.heroic_faces), int(fight.strike_faces))
    heroics, strikes = (sum(mask >> die.final_face & 1 for die in dice) for mask in masks)
    heroics, strikes = heroics + turned, strikes - turned
    hits_each = "" if fight.strike_hits == 1 else f" with {fight.strike_hits} hits each"
    parts = [counted(strikes, "strike") + hits_each] if strikes or not heroics else []
    parts += [f"{counted(heroics, 'heroic strike')} with {fight.heroic_hits} hits each"] if heroics else []
    veteran = f" (Veteran turned {counted(turned, 'strike')} into heroic strikes, AC-7)" if turned else ""
    return f"Hits (AC-3.6): {hits_of(resolved.face_values, resolved.score)} = {' + '.join(parts)}{veteran}"


def damage_text(fight: FightFacts, resolved: ResolvedStrike) -> str:
    """Return the damage of the hits, and the part of it that comes from Devastating."""
    plain_fight = copy(fight)
    plain_fight.devastating = 0
    damage, rest = (damage_points(facts, resolved.face_values, resolved.score) for facts in (fight, plain_fight))
    added = f", {damage - rest} of it by Devastating (AC-6)" if damage > rest else ""
    return f"{damage} at DEFENCE {fight.defence}{added}"


def _damage_lines(fight: FightFacts, resolved: ResolvedStrike) -> list[str]:
    left = hits_left_over(fight, resolved.face_values, resolved.score)
    unused = f", {counted(left, 'hit')} left over" if left else ""
    earlier = f"; the unit already had {fight.damage} damage" if fight.damage else ""
    lines = [f"Damage (AC-3.7): {damage_text(fight, resolved)}{unused}{earlier}"]
    destroyed, damage, own_destroyed, own_damage = losses_of(fight, resolved.face_values, resolved.score)
    rest = f", {damage} damage left on the unit" if damage else ""
    share = f"{destroyed} of {counted(int(fight.models), 'model')}"
    lines.append(f"Destroyed (AC-3.8): {share} at DAMAGE LIMIT {fight.damage_limit}{rest}")
    if fight.overcharge and (own_destroyed or own_damage):
        lost = f"blanks destroy {counted(own_destroyed, 'model')} of the attacker"
        lines.append(f"Overcharge (AC-6): {lost} and leave {own_damage} damage on the attacker")
    return lines


def _test_lines(fight: FightFacts, card: int | None, resolved: ResolvedStrike) -> list[str]:
    """Return lines about the officer and the suppression test (AC-5.1 to AC-5.8)."""
    destroyed, fallen = strike.models_destroyed_by_roll(resolved.state), strike.officer_has_fallen(resolved.state)
    passed = strike.stage_of(resolved.state) == Stage.PASSED
    lines = ["The officer falls (AC-5.8)" + ", but a commander is near" * bool(fight.near_commander)] * fallen
    if destroyed == 0:
        return [*lines, "No model is destroyed, so the target takes no suppression test (AC-4.5)"]
    if destroyed >= fight.models:
        return lines
    if fight.test == Test.NOT_TAKEN:
        return [*lines, "The target takes no suppression test (AC-4.5)"]
    if card is None:
        result = "passes the suppression test by a rule (AC-7)" if passed else "fails the test on purpose (AC-5.1)"
        return [*lines, f"The target {result}"]
    causes = ["heavy losses (AC-5.2)"] if 2 * destroyed >= fight.models else []
    causes += ["disorder (AC-5.3)"] if discipline.disordered_at_test(fight, int(fallen)) else []
    why = f" with -1 each for {', '.join(causes)}" if causes else ""
    passes = f"up to {resolved.highest} passes: DISCIPLINE {fight.discipline}{why}"
    return [*lines, f"Suppression test (AC-5.1): card {card}, {'passed' if passed else 'failed'} ({passes})"]


def _fate_line(fight: FightFacts, outcome: int) -> str:
    if outcome & discipline.ANNIHILATED:
        if outcome & discipline.BROKEN:
            return f"The target breaks: BREAK LIMIT {fight.break_limit} (AC-5.4); it counts as annihilated"
        if outcome & discipline.FLED:
            return "The target flees off the table (AC-5.5); it counts as annihilated"
        return "The target is annihilated (AC-3.8)"
    statuses = [spaced(name) for name in _FLAGS[:4] if outcome & getattr(discipline, name.upper())]
    left = outcome & (1 << discipline.BITS) - 1
    return f"The target: {counted(left, 'model')} left, {', '.join(statuses) or 'no status'}"


def attack_lines(result: AttackResult, face_values: Scores, trial: Trial) -> list[str]:
    """Return the lines about a whole attack."""
    fight, heading = python_copy(result.scenario.fight), dict(result.heading())
    resolved = strike_of(fight, face_values, trial)
    die, source = result.scenario.ruleset.die, Random(f"{result.seed} {trial.number}")
    deck = result.scenario.ruleset.deck.counts()
    cards = np.repeat(np.arange(len(deck)), deck).tolist() if fight.overcharge else (0,)
    dice = dice_that_score(fight, face_values, trial.score, die.sides_by_face, source, cards)
    first = sum(die.added_by is None for die in dice)
    lines = [f"{label}: {heading[label]}" for label in ("Attack", "Row", "Pool", "Target", "Test") if label in heading]
    if fight.overcharge:
        added = counted(first - fight.dice, "additional die", "additional dice")
        lines.append(f"Overcharge (AC-6): the attacker draws a card of value {first - fight.dice}: {added}")
    lines.append(f"Rolled (AC-3.2): {counted(first, 'die', 'dice')}, {len(dice) - first} added (AC-3.3)")
    lines += [*dice_lines(dice, fight, die.names), _hits_line(fight, dice, resolved)]
    lines += [*_damage_lines(fight, resolved), *_test_lines(fight, trial.card, resolved)]
    lines.append(_fate_line(fight, int(strike.outcome_of(fight, resolved.state))))
    if trial.wrecks_building is not None:
        lines.append(f"The building {'is wrecked' if trial.wrecks_building else 'stands'} (Siegebreaker, AC-6)")
    return lines


def figures_of(fight: FightFacts, resolved: ResolvedStrike) -> dict[str, Any]:
    """Return the results of a trial as a dict from event or figure to value."""
    outcome, mask = int(strike.outcome_of(fight, resolved.state)), (1 << discipline.BITS) - 1
    figures: dict[str, Any] = {name: bool(outcome & getattr(discipline, name.upper())) for name in _FLAGS}
    figures |= {"hits": int(hits_of(resolved.face_values, resolved.score)), "models_left": outcome & mask}
    figures |= {name: outcome >> first_bit & mask for name, first_bit in _FIRST_BITS.items()}
    return figures | {"destroyed": figures["annihilated"] and not (figures["broken"] or figures["fled"])}
