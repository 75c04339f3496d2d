"""Luck of a fight or a game: probabilities of the observed outcome, as text and as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from analyser import plots
from analyser.common.answer import Answer, Block, source_notes
from analyser.common.distributions import Distribution
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.frames import tidy
from analyser.common.look import with_subject
from analyser.common.method_settings import Sampling
from analyser.common.precision import Stopping
from analyser.common.text import spaced, word_of
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.results.base import RulesUsed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRENGTHS = ((0.01, "very "), (0.1, ""), (0.3, "a little "), (1.0, None))  # highest probability for each wording
GONE = "models_gone"  # models destroyed, or all models of a unit that broke or fled
_ENDED = {"broken": "broke", "fled": "fled", "annihilated": "was annihilated"}


class Chance(NamedTuple):
    """Probability of a worse, an equal and a better outcome.

    For simulated fights `half_width` is half the width of the wider of the 95% intervals of `as_bad` and `as_good`.
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
        """P(worse) plus half of P(equal); 50% is neither good nor bad luck."""
        return self.worse + self.equal / 2

    def as_dict(self) -> dict[str, float]:
        """Return the probabilities as plain data."""
        shares = {"as_bad_or_worse": self.as_bad, "as_good_or_better": self.as_good, "mid_p": self.mid_p}
        return {**self._asdict(), **shares}

    @property
    def verdict(self) -> tuple[bool, str]:
        """True for bad luck, False for good luck; and its strength in words."""
        bad = self.as_bad <= self.as_good
        share = self.as_bad if bad else self.as_good
        strength = next(words for most, words in _STRENGTHS if share <= most + CERTAIN_WITHIN)
        text = "Nothing unusual" if strength is None else f"{strength}{'bad' if bad else 'good'} luck".capitalize()
        return bad, text

    def in_words(self, noun: str, trials: int | None = None) -> str:
        """Return the luck of an outcome as a sentence.

        >>> Chance(0.02, 0.01, 0.97).in_words("such attacks")
        'Bad luck: as bad or worse happens in 3.00% of such attacks (exact; percentile 2.50%).'
        """
        bad, lead = self.verdict
        share, what = (self.as_bad, "as bad or worse") if bad else (self.as_good, "as good or better")
        how = "exact" if trials is None else f"{trials:,} trials"
        shown, middle = self.shown(share), self.shown(self.mid_p)
        return f"{lead}: {what} happens in {shown} of {noun} ({how}; percentile {middle})."

    def shown(self, share: float) -> str:
        """Return a probability as text; if simulated, with the interval of `half_width`."""
        half = self.half_width
        return str(Estimate(share) if half is None else Estimate(share, max(share - half, 0.0), min(share + half, 1.0)))


@dataclass(frozen=True, eq=False, repr=False)
class Fought:
    """A fight, its observed outcome, and the probability of that outcome.

    Attributes
    ----------
    label, side, kind : str
    got : mapping
        The outcome as reported, by figures and events, the most important first.
    looked_at : mapping
        The figures compared. The end of a unit is one figure, such as ``models_gone``.
    chance : Chance
    pmf : DataFrame
        All possible outcomes, from the worst to the best: the figures of `looked_at`, and `probability`.
    trials : int or None
        Number of simulated trials.
    rules : RulesUsed
        Rules not modelled, assumptions and warnings of its answer.
    asked : tuple of str
        Conditions that may have been left to defaults: row, dice, distance, target.
    gone : tuple of two int, or None
        The enemy's models that are gone, and its models in all; None if models are not compared.
    unsaid : tuple of str
        Ends of the enemy that fit the report but are missing from it. They count as "no".
    if_gone : Chance or None
        Probability of the outcome if one of the `unsaid` ends had happened.
    ruleset : Ruleset or None
        Its die and deck; None of other games.
    """

    label: str
    side: str
    kind: str
    got: Mapping[str, Any]
    looked_at: Mapping[str, Any]
    chance: Chance
    pmf: pd.DataFrame
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
        what = ", ".join(f"{spaced(name)}: {word_of(value)}" for name, value in self.got.items())
        return f"{what}. {self.chance.in_words(self._noun, self.trials)}"

    def measure(self) -> list[str]:
        """Return the figures compared, and the luck if the ends that were not reported had happened."""
        figures = [
            f"{spaced(name)} {word_of(value)}{f' of {self.gone[1]}' if self.gone and name == GONE else ''}"
            for name, value in self.looked_at.items()
        ]
        first = "" if len(figures) == 1 else " in turn, worse meaning worse for the attacker"
        lines = [f"Compared{first}: {', then '.join(figures)}."]
        if self.if_gone is not None:
            ended = " or ".join(_ENDED[fate] for fate in self.unsaid)
            said = " or ".join(f"{fate}=yes" for fate in self.unsaid)
            luck = self.if_gone.in_words(self._noun, self.trials)
            lines.append(f"Not stated, so counted as no: the unit {ended} ({said}). If it did: {luck}")
        return lines

    @property
    def figures(self) -> dict[str, Any]:
        """The models gone, if they are compared, and the probabilities."""
        gone = {} if self.gone is None else {"models_gone": self.gone[0], "of_models": self.gone[1]}
        return gone | self.chance.as_dict()

    def as_dict(self) -> dict[str, Any]:
        """Return the fight as plain data."""
        record: dict[str, Any] = {"label": self.label, "side": self.side, "kind": self.kind}
        record |= {"got": dict(self.got), "looked_at": dict(self.looked_at), "asked": list(self.asked)}
        record |= self.figures | {"said": self.sentence} | ruleset_record(self.ruleset)
        if self.if_gone is not None:
            record |= {"not_said": list(self.unsaid), "if_it_happened": self.if_gone.as_dict()}
        return record


@dataclass(frozen=True, eq=False, repr=False)
class SideLuck:
    """Losses that a side inflicted in all its fights, and the distribution of that sum.

    Attributes
    ----------
    side : str
    unit : str
        Unit of the sum: ``points`` or ``models``.
    gone, expected : float
        Losses of the enemy: models destroyed, and all of each unit that broke or fled.
    chance : Chance
    distribution : Distribution
        Distribution of the sum over all fights.
    """

    side: str
    unit: str
    gone: float
    expected: float
    chance: Chance
    distribution: Distribution

    def as_dict(self) -> dict[str, Any]:
        """Return the sums and the probabilities as plain data."""
        return {name: getattr(self, name) for name in ("side", "unit", "gone", "expected")} | self.chance.as_dict()


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
            return f"It was {self.fights[0].chance.verdict[1].lower()}."
        return f"{', '.join(f'{side.side} had {side.chance.verdict[1].lower()}' for side in self.sides)}."

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each fight, with its outcome and the probabilities; the sides of a game come last."""
        rows: list[dict[str, Any]] = []
        for fight in self.fights:
            got = ", ".join(f"{name}={word_of(value)}" for name, value in fight.got.items())
            rows.append({"fight": fight.label, "side": fight.side, "got": got, **fight.figures})
        for side in self.sides:
            got = f"{side.gone:.1f} {side.unit} gone"
            rows.append({"fight": "all", "side": side.side, "got": got, **side.chance.as_dict()})
        return [row | {"profiles": str(self.profiles)} for row in rows]

    def to_frame(self) -> pd.DataFrame:
        """Return the fights as a tidy frame; the sums of the sides are the table `sides`."""
        return tidy(self.rows()[: len(self.fights)])

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {"method": self.sampling.method}
        if not self.sampling.is_exact:
            trials = self.sampling.first_trials()
            record |= {"trials": trials, "seed": int(self.sampling.seed), **Stopping(trials).as_dict()}
        record |= {"fights": [fight.as_dict() for fight in self.fights]}
        record |= {"sides": [side.as_dict() for side in self.sides], "notes": self._notes()}
        first = self.fights[0].ruleset
        record |= {"assumptions": list(dict.fromkeys(self._rules("assumptions")))}
        record |= ruleset_record(first) if all(fight.ruleset == first for fight in self.fights) else {}
        return record | {"profiles": self.profiles and self.profiles.as_dict()}

    def blocks(self) -> list[Block]:
        """Return the outcomes and their probabilities; for a game also the sums of both sides."""
        if not self.sides:
            (fight,) = self.fights
            return [Block(fight.label, lines=fight.asked), Block(lines=[fight.sentence, *fight.measure()])]
        head = ["fight", "side", "got", "models gone", "as bad or worse", "as good or better", "percentile"]
        rows = [
            [fight.label, fight.side, str(row["got"]), f"{row['models_gone']} of {row['of_models']}"]
            + [fight.chance.shown(row[name]) for name in ("as_bad_or_worse", "as_good_or_better", "mid_p")]
            for fight, row in zip(self.fights, self.rows())
        ]
        sums = [
            f"{side.side}: {side.gone:.1f} {side.unit} of the enemy gone, {side.expected:.1f} expected. "
            + side.chance.in_words("such games", self.fights[0].trials).replace(" trials;", " trials of each fight;")
            for side in self.sides
        ]
        return [Block(head=head, rows=rows, align="<<<>"), Block(lines=sums)]

    def notes(self) -> list[str]:
        """Return the meaning of the figures, the rules and the sources; for a game also its questions."""
        asked = (
            f"{fight.label}: {'; '.join(' '.join(line.split()) for line in fight.asked)}." for fight in self.fights
        )
        return [*self._notes(), *(asked if self.sides else ())]

    def _notes(self) -> list[str]:
        notes = [
            "Percentile: share of worse results plus half of equal ones (mid-p value); 50% is neither good nor bad "
            "luck. The verdict uses the probability of a result at least as bad, or at least as good."
        ]
        if any(fight.gone is not None for fight in self.fights):
            notes.append("Gone: the enemy's models that are destroyed, all of a unit that broke or fled.")
        elif any(name.endswith("annihilated") for fight in self.fights for name in fight.looked_at):
            notes.append("Annihilated: destroyed, broken or fled; fewer models destroyed are not distinguished.")
        if self.sides:
            how = "its exact distribution"
            if not self.sampling.is_exact:
                how = "its simulated distribution (±: by 400 resamples)"
            notes.append(f"Each side: the models gone in all of its fights, compared with {how}.")
            notes += [f"{fight.label}: {line}" for fight in self.fights for line in fight.measure()[1:]]
        notes += source_notes(dict.fromkeys(self._rules("not_modelled")), self._rules("assumptions"))
        notes += dict.fromkeys(f"Warning: {text}." for text in self._rules("warnings"))
        return [*notes, *([] if self.profiles is None else [f"Profiles: {self.profiles}."])]

    def _rules(self, name: str) -> list[str]:
        return [text for fight in self.fights for text in getattr(fight.rules, name)]

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of a fight with its outcome; for a game, each fight and both sums."""
        if not self.sides:
            (fight,) = self.fights
            return plots.outcome_distribution(
                with_subject(fight.pmf, fight.label), happened=dict(fight.looked_at), ax=ax, **more
            )
        rows = self.rows()
        for row in rows[: len(self.fights)]:
            row["got"] = f"{row['models_gone']} of {row['of_models']} models"
        return plots.luck_strips(pd.DataFrame(rows), ax=ax, **more)
