"""A trial of an attack in words: its dice, hits, damage and card, and the fate of the target."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from analyser.common.records import plain
from analyser.common.text import counted
from analyser.engine.attack.told import Trial
from analyser.engine.pool.replay import Die, score_of_dice, turned_heroic
from analyser.game.ruleset import Face
from analyser.results.attack import AttackResult
from analyser.rules import discipline, strike
from analyser.rules.attack import Scores, hits_left_over, hits_of, losses_of, points_of
from analyser.rules.strike import Stage
from analyser.rules.structs import FightFacts, Test

FACES = {
    Face.HEROIC: "heroic strike",
    Face.STRIKE: "strike",
    Face.GLANCING: "glancing strike",
    Face.MISS: "miss",
    Face.BLANK: "blank",
}


class Came(NamedTuple):
    """Results of an attack, as the rules read its dice and its card."""

    score: int
    turned: int  # strikes that Veteran turns into heroic strikes (AC-7)
    losses: tuple[int, int, int, int]
    officer_lost: bool
    up_to: int  # the highest card that passes; ANY_CARD, NO_CARD
    passed: bool
    outcome: int


def came_to(fight: FightFacts, scores: Scores, trial: Trial) -> Came:
    """Return the results of the dice and the card of a trial, computed for it alone."""
    score = score_of_dice(fight, scores, trial.dice)
    losses = losses_of(fight, scores, score)
    known = strike.after_losses(fight, losses)
    if strike.stage_of(known) == Stage.OFFICER:
        known = strike.answered(fight, known, int((trial.place or 0) < strike.officer_among(fight, known)[0]))
    up_to = strike.highest_card(fight, known)
    if strike.stage_of(known) == Stage.TEST:
        known = strike.answered(fight, known, int(trial.card is None or trial.card <= up_to))
    passed, fallen = strike.stage_of(known) == Stage.PASSED, strike.has_fallen(known)
    return Came(
        score, turned_heroic(fight, trial.dice), losses, fallen, up_to, passed, int(strike.outcome_of(fight, known))
    )


def dice_lines(dice: list[Die], added: int = 1) -> list[str]:
    """A line a die: what it shows, what re-rolls give, and which die it was added by."""
    width = len(str(len(dice)))
    return [f"  {place:>{width}}. {_die(each, added)}" for place, each in enumerate(dice, start=1)]


def _die(die: Die, added: int) -> str:
    text = FACES[die.shows]
    if die.rerolled is not None:
        text += f", re-rolled (AC-3.4): {FACES[die.rerolled]}"
    if die.again is not None:
        text += f", re-rolled once more (AC-3.5): {FACES[die.again]}"
    if die.added_by is not None:
        return f"{text}   (added by die {die.added_by + 1})"
    explodes = f", which adds {counted(added, 'die', 'dice')} (AC-3.3)"
    return text + (explodes if die.shows == Face.HEROIC else "")


def hits_line(fight: FightFacts, dice: list[Die], came: Came, scores: Scores) -> str:
    """The hits of a pool and what they are made of (AC-3.6)."""
    faces = Counter(each.ends for each in dice)
    heroics, strikes = faces[Face.HEROIC] + came.turned, faces[Face.STRIKE] - came.turned
    parts = [counted(strikes, "strike")] if strikes or not heroics else []
    parts += [f"{counted(heroics, 'heroic strike')} of {fight.heroic_hits} each"] if heroics else []
    veteran = f", {counted(came.turned, 'strike')} turned heroic by Veteran (AC-7)" if came.turned else ""
    return f"Hits (AC-3.6): {hits_of(scores, came.score)} = {' + '.join(parts)}{veteran}"


def damage_lines(fight: FightFacts, scores: Scores, came: Came) -> list[str]:
    """Points of damage, and the models that they destroy (AC-3.7, AC-3.8)."""
    points, left = points_of(fight, scores, came.score), hits_left_over(fight, scores, came.score)
    over = f", {counted(left, 'hit')} left over" if left else ""
    carried = f"; {fight.damage} was on the unit" if fight.damage else ""
    lines = [f"Damage (AC-3.7): {points} at DEFENCE {fight.defence}{over}{carried}"]
    destroyed, damage, own_destroyed, own_damage = came.losses
    rest = f", {damage} damage left on the unit" if damage else ""
    of = f"{destroyed} of {counted(int(fight.models), 'model')}"
    lines.append(f"Destroyed (AC-3.8): {of} at DAMAGE LIMIT {fight.damage_limit}{rest}")
    if fight.overcharge and (own_destroyed or own_damage):
        lost = counted(own_destroyed, "model")
        lines.append(f"Overcharge (AC-6): the attacker's blanks cost it {lost}, {own_damage} damage left on it")
    return lines


def test_lines(fight: FightFacts, trial: Trial, came: Came) -> list[str]:
    """The officer, the suppression test, and how it went (AC-5.1 to AC-5.8)."""
    destroyed = came.losses[0]
    lines = []
    if came.officer_lost:
        lines.append("The officer falls (AC-5.8)" + (", but a commander is near" if fight.near_commander else ""))
    if destroyed == 0:
        return [*lines, "No model destroyed, so no suppression test (AC-4.5)"]
    if destroyed >= fight.models or fight.test == Test.NOT_TAKEN:
        return lines if destroyed >= fight.models else [*lines, "It takes no suppression test (AC-4.5)"]
    if trial.card is None:
        how = "passes the suppression test by a rule (AC-7)" if came.passed else "fails the test on purpose (AC-5.1)"
        return [*lines, f"It {how}"]
    changes = ["heavy losses (AC-5.2)"] if 2 * destroyed >= fight.models else []
    changes += ["disorder (AC-5.3)"] if discipline.disordered_by_loss(fight, int(came.officer_lost)) else []
    why = f" with -1 each for {', '.join(changes)}" if changes else ""
    verdict = "passed" if came.passed else "failed"
    passes = f"up to {came.up_to} passes: DISCIPLINE {fight.discipline}{why}"
    return [*lines, f"Suppression test (AC-5.1): card {trial.card}, {verdict} ({passes})"]


def fate_line(fight: FightFacts, outcome: int) -> str:
    """Return the fate of the target (AC-5.4, AC-5.5, AC-5.9)."""
    if outcome & discipline.ANNIHILATED:
        if outcome & discipline.BROKEN:
            return f"The target breaks: BREAK LIMIT {fight.break_limit} (AC-5.4); it counts as annihilated"
        if outcome & discipline.FLED:
            return "The target flees off the table (AC-5.5); it counts as annihilated"
        return "The target is annihilated (AC-3.8)"
    names = ("SUPPRESSED", "DISORDERED", "ACTIVATED", "FELL_BACK")
    has = [each.lower().replace("_", " ") for each in names if outcome & getattr(discipline, each)]
    left = outcome & (1 << discipline.BITS) - 1
    return f"The target: {counted(left, 'model')} left" + (f", {', '.join(has)}" if has else ", no status")


def attack_lines(result: AttackResult, scores: Scores, trial: Trial) -> list[str]:
    """The whole attack, line by line."""
    fight, came = plain(result.scenario.fight), came_to(plain(result.scenario.fight), scores, trial)
    heading = dict(result.heading())
    lines = [f"{label}: {heading[label]}" for label in ("Attack", "Row", "Pool", "Target", "Test") if label in heading]
    if trial.own_card is not None:
        lines.append(f"Overcharge (AC-6): the attacker turns a {trial.own_card} for as many dice more")
    first = sum(each.added_by is None for each in trial.dice)
    lines.append(f"Rolled (AC-3.2): {counted(first, 'die', 'dice')}, {len(trial.dice) - first} added (AC-3.3)")
    lines += [*dice_lines(trial.dice, int(fight.explosion)), hits_line(fight, trial.dice, came, scores)]
    lines += [*damage_lines(fight, scores, came), *test_lines(fight, trial, came), fate_line(fight, came.outcome)]
    if trial.building is not None:
        wrecks = trial.building < sum(result.scenario.ruleset.die.faces[: Face.STRIKE + 1])
        lines.append(f"The building {'is wrecked' if wrecks else 'stands'} (Siegebreaker, AC-6)")
    return lines


def figures_of_trial(came: Came, scores: Scores) -> dict[str, Any]:
    """Return the results of a trial, by the names of events and figures."""
    outcome, mask = came.outcome, (1 << discipline.BITS) - 1
    flags = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "annihilated")
    found: dict[str, Any] = {name: bool(outcome & getattr(discipline, name.upper())) for name in flags}
    found |= {"hits": hits_of(scores, came.score), "models_left": outcome & mask}
    found |= {"models_destroyed": outcome >> discipline.MODELS_DESTROYED & mask}
    found |= {"damage": outcome >> discipline.DAMAGE & mask}
    found["attacker_models_destroyed"] = outcome >> discipline.ATTACKER_DESTROYED & mask
    found["attacker_damage"] = outcome >> discipline.ATTACKER_DAMAGE & mask
    found["destroyed"] = found["annihilated"] and not (found["broken"] or found["fled"])
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in found.items()}
