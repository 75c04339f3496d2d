"""Luck of a fight or a game: its probabilities, as text and as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from analyser import plots
from analyser.common.answer import Answer, Block
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.precision import Stopping
from analyser.common.sampling import Sampling
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.plots.look import about
from analyser.results.base import RulesUsed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRENGTHS = ((0.01, "very "), (0.1, ""), (0.3, "a little "), (1.0, None))  # up to which share of all outcomes


GONE = "models_gone"  # destroyed, or all of a unit that broke or fled
_ENDED = {"broken": "broke", "fled": "fled", "annihilated": "was annihilated"}


class Chance(NamedTuple):
    """Probability that an outcome is worse, exactly as good, or better.

    For simulated fights `half_width` is half of the 95% interval of `as_bad` or `as_good`, the wider of the two.
    """

    worse: float
    equal: float
    better: float
    half_width: float | None = None

    @property
    def as_bad(self) -> float:
        """P(as bad or worse)."""
        return min(self.worse + self.equal, 1.0)

    @property
    def as_good(self) -> float:
        """P(as good or better)."""
        return min(self.better + self.equal, 1.0)

    @property
    def mid_p(self) -> float:
        """P(worse) and half of P(exactly that): 50% where it was neither good nor bad."""
        return self.worse + self.equal / 2

    def as_dict(self) -> dict[str, float]:
        """Return the probabilities as plain data."""
        return {
            **self._asdict(),
            "as_bad_or_worse": self.as_bad,
            "as_good_or_better": self.as_good,
            "mid_p": self.mid_p,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Fought:
    """A fight, its outcome, and how likely that was.

    Attributes
    ----------
    label, side, kind : str
    got : mapping
        The outcome as reported, by figures and events, the most important first.
    looked_at : mapping
        The figures compared, with how the unit ended as one figure, such as ``models_gone``.
    chance : Chance
    law : DataFrame
        All possible outcomes, from the worst to the best: those figures, and `probability`.
    trials : int or None
        Number of simulated trials.
    rules : RulesUsed
        Rules not modelled, assumptions and warnings of its answer.
    asked : tuple of str
        Conditions that may have been left to defaults: row, dice, distance, target.
    gone : tuple of two int, or None
        The enemy's models that are gone, and of how many; None where that is not compared.
    unsaid : tuple of str
        Ends of the enemy that fit the report but are not in it, and so count as "no".
    if_gone : Chance or None
        Probability of the outcome if one of these had happened.
    ruleset : Ruleset or None
        Its die and deck; None of other games.
    """

    label: str
    side: str
    kind: str
    got: Mapping[str, Any]
    looked_at: Mapping[str, Any]
    chance: Chance
    law: pd.DataFrame
    trials: int | None
    rules: RulesUsed
    asked: tuple[str, ...] = ()
    gone: tuple[int, int] | None = None
    unsaid: tuple[str, ...] = ()
    if_gone: Chance | None = None
    ruleset: Ruleset | None = None

    @property
    def _noun(self) -> str:
        return "such sequences of focus fire" if self.kind == "focus" else f"such {self.kind}s"

    @property
    def sentence(self) -> str:
        """The luck of the fight, in plain words."""
        what = ", ".join(f"{words_of(name)}: {word_of(value)}" for name, value in self.got.items())
        return f"{what}. {in_words(self.chance, self._noun, self.trials)}"

    def measure(self) -> list[str]:
        """Return the figures compared, and the luck if the ends that were not reported had happened."""
        of = "" if self.gone is None else f" of {self.gone[1]}"
        figures = [
            f"{words_of(name)} {word_of(value)}{of if name == GONE else ''}" for name, value in self.looked_at.items()
        ]
        first = "" if len(figures) == 1 else " in turn, worse being what is less good for who attacks"
        lines = [f"Looked at{first}: {', then '.join(figures)}."]
        if self.if_gone is not None:
            ended = " or ".join(_ENDED[each] for each in self.unsaid)
            said = " or ".join(f"{each}=yes" for each in self.unsaid)
            lines.append(
                f"Not said, so it did not happen: that the unit {ended} ({said}). "
                f"With that: {in_words(self.if_gone, self._noun, self.trials)}"
            )
        return lines


@dataclass(frozen=True, eq=False, repr=False)
class SideLuck:
    """Losses that a side has inflicted in all its fights, against their distribution.

    Attributes
    ----------
    side : str
    unit : str
        Unit of the sum: ``points`` or ``models``.
    gone, expected : float
        Losses of the enemy: models destroyed, and all of each unit that broke or fled.
    chance : Chance
    law : DataFrame
        `gone`, `probability`: the distribution of the sum over all fights.
    """

    side: str
    unit: str
    gone: float
    expected: float
    chance: Chance
    law: pd.DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Luck(Answer):
    """Luck in one fight or a whole game.

    Attributes
    ----------
    fights : tuple of Fought
    sides : tuple of SideLuck
        Both sides of a game of several fights; empty for a single fight.
    profiles : ProfilesUsed or None
    """

    fights: tuple[Fought, ...]
    sides: tuple[SideLuck, ...]
    sampling: Sampling
    profiles: ProfilesUsed | None

    schema = "analyser/luck/1"

    @property
    def headline(self) -> str:
        """The luck, in one sentence."""
        if not self.sides:
            return f"It was {_verdict(self.fights[0].chance)[1].lower()}."
        return f"{', '.join(f'{each.side} had {_verdict(each.chance)[1].lower()}' for each in self.sides)}."

    def rows(self) -> list[dict[str, Any]]:
        """A row for each fight, with what came of it and the chances; the sides of a game come last."""
        rows: list[dict[str, Any]] = []
        for each in self.fights:
            got = ", ".join(f"{name}={word_of(value)}" for name, value in each.got.items())
            gone = {} if each.gone is None else {"models_gone": each.gone[0], "of_models": each.gone[1]}
            rows.append({"fight": each.label, "side": each.side, "got": got, **gone, **each.chance.as_dict()})
        for side in self.sides:
            got = f"{side.gone:.1f} {side.unit} gone"
            rows.append({"fight": "all", "side": side.side, "got": got, **side.chance.as_dict()})
        return [row | {"profiles": str(self.profiles)} for row in rows]

    def _body(self) -> dict[str, Any]:
        fights = [
            {
                "label": x.label,
                "side": x.side,
                "kind": x.kind,
                "got": dict(x.got),
                "looked_at": dict(x.looked_at),
                "asked": list(x.asked),
                **({} if x.gone is None else {"models_gone": x.gone[0], "of_models": x.gone[1]}),
                **x.chance.as_dict(),
                "said": x.sentence,
                **ruleset_record(x.ruleset),
                **({} if x.if_gone is None else {"not_said": list(x.unsaid), "if_it_happened": x.if_gone.as_dict()}),
            }
            for x in self.fights
        ]
        sides = [
            {"side": x.side, "unit": x.unit, "gone": x.gone, "expected": x.expected, **x.chance.as_dict()}
            for x in self.sides
        ]
        used = self.profiles and self.profiles.as_dict()
        asked: dict[str, Any] = {"method": self.sampling.method}
        if not self.sampling.is_exact:
            trials = self.sampling.first_trials()
            asked |= {"trials": trials, "seed": int(self.sampling.seed), **Stopping(trials).as_dict()}
        return {
            **asked,
            "fights": fights,
            "sides": sides,
            "notes": self._notes(),
            "assumptions": list(dict.fromkeys(said for x in self.fights for said in x.rules.assumptions)),
            **(
                ruleset_record(self.fights[0].ruleset)
                if all(x.ruleset == self.fights[0].ruleset for x in self.fights)
                else {}
            ),
            "profiles": used,
        }

    def blocks(self) -> list[Block]:
        """The events, how likely they were, and of a game the sums of both sides."""
        if not self.sides:
            (fight,) = self.fights
            return [Block(fight.label, lines=fight.asked), Block(lines=[fight.sentence, *fight.measure()])]
        head = ["fight", "side", "got", "models gone", "as bad or worse", "as good or better", "percentile"]
        rows = [
            [each.label, each.side, str(row["got"]), f"{gone} of {models}"]
            + [_shown(share, each.chance) for share in (each.chance.as_bad, each.chance.as_good, each.chance.mid_p)]
            for each, row, (gone, models) in zip(self.fights, self.rows(), self._gone())
        ]
        said = [
            f"{x.side}: {x.gone:.1f} {x.unit} of the enemy gone, {x.expected:.1f} expected. "
            + in_words(x.chance, "such games", self.fights[0].trials).replace(" trials;", " trials of each fight;")
            for x in self.sides
        ]
        return [Block(head=head, rows=rows, align="<<<>"), Block(lines=said)]

    def notes(self) -> list[str]:
        """The meaning of the figures, the rules and where the numbers come from; of a game also the questions."""
        asked = [f"{each.label}: {'; '.join(' '.join(line.split()) for line in each.asked)}." for each in self.fights]
        return [*self._notes(), *(asked if self.sides else [])]

    def _notes(self) -> list[str]:
        notes = ["Percentile: the share of what is worse, and half of what is exactly this (its mid-p value); at 50% "]
        notes = [f"{notes[0]}it is neither good luck nor bad. The words go by how often as bad or as good happens."]
        if any(each.gone is not None for each in self.fights):
            notes.append("Gone: the enemy's models that are destroyed, all of a unit that broke or fled.")
        elif any(name.endswith("annihilated") for each in self.fights for name in each.looked_at):
            notes.append("Annihilated: destroyed, broken or fled; fewer models destroyed are not told apart.")
        if self.sides:
            how = "exactly, each by its own law"
            if not self.sampling.is_exact:
                how = "each by its own sampled law; ± by 400 samples of those laws"
            notes.append(f"Of both sides: the sum over all fights of what is gone, and of nothing else, {how}.")
            notes += [f"{each.label}: {line}" for each in self.fights for line in each.measure()[1:]]
        gaps = dict.fromkeys(gap for each in self.fights for gap in each.rules.not_modelled)
        notes.append(f"Not modelled: {', '.join(gaps) or 'none'}.")
        notes += dict.fromkeys(f"Assumption: {said}." for each in self.fights for said in each.rules.assumptions)
        notes += dict.fromkeys(f"Warning: {said}." for each in self.fights for said in each.rules.warnings)
        return [*notes, *([] if self.profiles is None else [f"Profiles: {self.profiles}."])]

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """The law of one fight with what happened marked; of a game each fight and both sums among their chances."""
        if not self.sides:
            (fight,) = self.fights
            return plots.outcome_law(about(fight.law, fight.label), happened=dict(fight.looked_at), ax=ax, **more)
        frame = pd.DataFrame(self.rows())
        frame["got"] = [
            *(f"{gone} of {models} models" for gone, models in self._gone()),
            *frame["got"][len(self.fights) :],
        ]
        return plots.luck_strips(frame, ax=ax, **more)

    def _gone(self) -> list[tuple[int, int]]:
        """The models that are gone in each fight of a game, and of how many."""
        return [each.gone for each in self.fights if each.gone is not None]


def _verdict(chance: Chance) -> tuple[bool, str]:
    """Return True for bad luck rather than good, and its strength in words."""
    bad = chance.as_bad <= chance.as_good
    share = chance.as_bad if bad else chance.as_good
    strength = next(words for most, words in _STRENGTHS if share <= most + CERTAIN_WITHIN)
    return bad, "Nothing unusual" if strength is None else f"{strength}{'bad' if bad else 'good'} luck".capitalize()


def in_words(chance: Chance, noun: str, trials: int | None = None) -> str:
    """Return the luck of an outcome as a sentence.

    >>> in_words(Chance(0.02, 0.01, 0.97), "such attacks")
    'Bad luck: as bad or worse happens in 3.00% of such attacks (exact; percentile 2.50%).'
    """
    bad, lead = _verdict(chance)
    share = chance.as_bad if bad else chance.as_good
    what = "as bad or worse" if bad else "as good or better"
    how = "exact" if trials is None else f"{trials:,} trials"
    shown, middle = _shown(share, chance), _shown(chance.mid_p, chance)
    return f"{lead}: {what} happens in {shown} of {noun} ({how}; percentile {middle})."


def _shown(share: float, chance: Chance) -> str:
    """A share of all outcomes, of a sample with the widest interval of any of them."""
    half = chance.half_width
    return str(Estimate(share) if half is None else Estimate(share, max(share - half, 0.0), min(share + half, 1.0)))


def words_of(name: str) -> str:
    """A figure or an event as a sentence has it."""
    return name.replace("_", " ")


def word_of(value: Any) -> str:
    """A value as a sentence has it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
