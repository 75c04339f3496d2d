"""Text of a simulated attack or strike: its dice, hits, damage and card, and the fate of the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np

from analyser.ask.narration import NarratedTrial, state_text
from analyser.common.kernel_records import python_copy
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, spaced
from analyser.engine.attack.simulated import Trial, replayed_trials
from analyser.engine.pool.dice import Die, dice_that_score, veteran_heroics
from analyser.results.attack import (
    ATTACKER_LOSSES,
    UNIT_FIGURES,
    discipline_modifiers,
    discipline_text,
    figure_of,
    solve_attack,
)
from analyser.results.states import BIT_OF_FLAG
from analyser.rules import strike
from analyser.rules.attack import Scores, damage_points, hits_left_over, hits_of, losses_of
from analyser.rules.discipline import ANY_CARD
from analyser.rules.strike import Stage
from analyser.rules.structs import FightFacts
from analyser.scenarios.attack import Scenario

_FULL_FACE_NAMES = {"heroic": "heroic strike", "glancing": "glancing strike"}


class ResolvedStrike(NamedTuple):
    """A strike (an attack from its roll to its test): its score and final progress (:mod:`analyser.rules.strike`)."""

    score: int
    face_values: Scores  # of each face in the score
    progress: int
    highest: int  # highest card that passes the test; ANY_CARD if every card does, NO_CARD if none does


def resolve(
    fight: FightFacts, face_values: Scores, score: int, falls: Callable[[int], int], passes: Callable[[int], int]
) -> ResolvedStrike:
    """Resolve a strike after its roll; `falls` and `passes` are called only if chance decides.

    `falls` takes the number of destroyed models, and returns 1 if the officer is one of them. `passes` takes the
    highest card that passes the test, and returns 1 if the test is passed.
    """
    progress = strike.after_roll(fight, face_values, score)
    if strike.stage_of(progress) == Stage.OFFICER:
        progress = strike.after_draw(fight, progress, falls(strike.officer_positions(fight, progress)[0]))
    highest = strike.highest_card(fight, progress)
    if strike.stage_of(progress) == Stage.TEST:
        progress = strike.after_draw(fight, progress, passes(highest))
    return ResolvedStrike(score, face_values, progress, highest)


def strike_of(fight: FightFacts, face_values: Scores, trial: Trial) -> ResolvedStrike:
    """Resolve the strike of a trial from its score (hits and blanks), its card and the position of the officer."""
    return resolve(
        fight,
        face_values,
        trial.score,
        falls=lambda destroyed: int((trial.officer_position or 0) < destroyed),
        passes=lambda highest: int(trial.card is None or trial.card <= highest),
    )


class CardTest(NamedTuple):
    """A card drawn for a test of DISCIPLINE."""

    card: int
    discipline: int  # of the unit, before modifiers
    modifiers: Mapping[str, int]

    def text(self, highest: int, heavy_losses: int, disordered: int) -> str:
        """Return the card and its result, and why cards up to `highest` pass (AC-5.1 to AC-5.3)."""
        modifiers = {**self.modifiers, "heavy losses (AC-5.2)": -heavy_losses, "disorder (AC-5.3)": -disordered}
        passing = "no card passes" if highest < 0 else f"cards up to {highest} pass"
        result = "passed" if self.card <= highest else "failed"
        return f"card {self.card}, {result} ({passing}: {discipline_text(self.discipline, highest, modifiers)})"


def strike_lines(
    fight: FightFacts,
    resolved: ResolvedStrike,
    dice: Sequence[Die],
    face_names: Sequence[str],
    test: CardTest | None,
    *,
    striker: str = "the attacker",
    models: int,
) -> list[str]:
    """Return the lines about a strike: its dice, hits and damage, the officer, and the suppression test.

    `test` is None if no card decides the test. `models`: number of models of the unit `striker`.
    """
    first = sum(die.added_by is None for die in dice)
    width, faces = len(str(len(dice))), [_FULL_FACE_NAMES.get(name, name) for name in face_names]
    return [
        f"Rolled (AC-3.2): {counted(first, 'die', 'dice')}, {len(dice) - first} added (AC-3.3)",
        *(f"  {number:>{width}}. {_die_text(die, fight, faces)}" for number, die in enumerate(dice, start=1)),
        _hits_line(fight, dice, resolved),
        *_loss_lines(fight, resolved, striker, models),
        *_test_lines(fight, test, resolved),
    ]


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


def _hits_line(fight: FightFacts, dice: Sequence[Die], resolved: ResolvedStrike) -> str:
    turned, masks = veteran_heroics(fight, dice), (int(fight.heroic_faces), int(fight.strike_faces))
    heroics, strikes = (sum(mask >> die.final_face & 1 for die in dice) for mask in masks)
    heroics, strikes = heroics + turned, strikes - turned
    hits_each = "" if fight.strike_hits == 1 else f" with {counted(int(fight.strike_hits), 'hit')} each"
    parts = [counted(strikes, "strike") + hits_each] if strikes or not heroics else []
    if heroics:
        hits = counted(int(fight.heroic_hits), "hit")
        parts.append(f"{counted(heroics, 'heroic strike')} with {hits} each")
    veteran = f" (Veteran turned {counted(turned, 'strike')} into heroic strikes, AC-7)" if turned else ""
    return f"Hits (AC-3.6): {hits_of(resolved.face_values, resolved.score)} = {' + '.join(parts)}{veteran}"


def _loss_lines(fight: FightFacts, resolved: ResolvedStrike, striker: str, models: int) -> list[str]:
    """Return lines about damage and losses (AC-3.7, AC-3.8; Devastating, Penetrating and Overcharge, AC-6)."""
    roll, undevastating, unpenetrating = (resolved.face_values, resolved.score), copy(fight), copy(fight)
    undevastating.devastating = unpenetrating.penetrating = 0
    points, rest = (damage_points(facts, *roll) for facts in (fight, undevastating))
    text = f"{points} at DEFENCE {fight.defence}"
    text += f", {points - rest} of it by Devastating (AC-6)" if points > rest else ""
    hits = hits_left_over(fight, *roll)
    text += f", {counted(hits, 'hit')} left over" if hits else ""
    text += f"; the unit already had {fight.damage} damage" if fight.damage else ""
    destroyed, damage, own_destroyed, own_damage = losses_of(fight, *roll)
    plainly_destroyed, plain_damage, *_ = losses_of(unpenetrating, *roll)
    share = f"{destroyed} of {counted(int(fight.models), 'model')} at DAMAGE LIMIT {fight.damage_limit}"
    share += ", 1 of them by Penetrating (AC-6)" if destroyed > plainly_destroyed else ""
    share += f", {damage} damage left on the unit" if damage else ""
    share += ", 1 of it by Penetrating (AC-6)" if damage > plain_damage else ""
    lines = [f"Damage (AC-3.7): {text}", f"Destroyed (AC-3.8): {share}"]
    if own_destroyed or own_damage:
        lost = f"blanks destroy {counted(min(own_destroyed, models), 'model')} of {striker}"
        left = f" and leave {own_damage} damage on it" if own_destroyed < models else ""
        lines.append(f"Overcharge (AC-6): {lost}{left}")
    return lines


def _test_lines(fight: FightFacts, test: CardTest | None, resolved: ResolvedStrike) -> list[str]:
    """Return lines about the officer, and about the suppression test if chance decides it (AC-5.1 to AC-5.8)."""
    fallen = strike.officer_has_fallen(resolved.progress)
    steady = ", but a commander or a house rule prevents disorder" * bool(fight.near_commander)
    lines = [f"The officer falls (AC-5.8){steady}"] * fallen
    if abs(resolved.highest) == ANY_CARD:
        return lines
    text = "passed" if strike.stage_of(resolved.progress) == Stage.PASSED else "failed"
    if test is not None:
        heavy_losses = 2 * strike.models_destroyed_by_roll(resolved.progress) >= fight.models
        text = test.text(resolved.highest, heavy_losses, strike.is_disordered(fight, resolved.progress))
    return [*lines, f"Suppression test (AC-5.1): {text}"]


def attack_trials(scenario: Scenario, trials: int, seed: int, first: int = 0) -> Iterator[NarratedTrial]:
    """Yield the trials of a simulated attack, numbers `first` to `trials` - 1."""
    result = solve_attack(scenario, Sampling("monte-carlo", trials=1, seed=seed))
    plan, fight, ruleset = scenario.derived["plan"], python_copy(scenario.fight), scenario.ruleset
    deck, modifiers = ruleset.deck.counts(), discipline_modifiers(*scenario.facts)
    cards = np.repeat(np.arange(len(deck)), deck).tolist() if fight.overcharge else (0,)

    def lines(trial: Trial, resolved: ResolvedStrike, figures: dict[str, Any]) -> list[str]:
        source = Random(f"{seed} {trial.number}")
        dice = dice_that_score(fight, plan.scores, trial.score, ruleset.die.sides_by_face, source, cards)
        text = [f"{label}: {words}" for label, words in result.heading()]
        if fight.overcharge:
            card = sum(die.added_by is None for die in dice) - fight.dice
            added = counted(card, "additional die", "additional dice")
            text.append(f"Overcharge (AC-6): the attacker draws a card of value {card}: {added}")
        test = None if trial.card is None else CardTest(trial.card, scenario.target.discipline or 0, modifiers)
        models = int(fight.attacker_models)
        text += strike_lines(fight, resolved, dice, ruleset.die.names, test, models=models)
        words = {"models left": figures["models_left"]} | {spaced(name): figures[name] for name in BIT_OF_FLAG}
        text.append(f"The target: {state_text(words)}")
        if trial.wrecks_building is not None:
            text.append(f"The building {'is wrecked' if trial.wrecks_building else 'stands'} (Siegebreaker, AC-6)")
        return text

    for trial in replayed_trials(plan, deck, seed, trials, first):
        resolved = strike_of(fight, plan.scores, trial)
        figures = _figures_of(fight, resolved)
        yield NarratedTrial(trial.number, figures, partial(lines, trial, resolved, figures), lambda: scenario.warnings)


def _figures_of(fight: FightFacts, resolved: ResolvedStrike) -> dict[str, Any]:
    outcome = int(strike.outcome_of(fight, resolved.progress))
    names = (*BIT_OF_FLAG, *UNIT_FIGURES, *ATTACKER_LOSSES, "destroyed")
    hits = int(hits_of(resolved.face_values, resolved.score))
    return {"hits": hits, **{name: figure_of(outcome, name) for name in names}}
