"""Luck of a fight or a game: probabilities of the observed outcome, as text and as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser import plots
from analyser.common.answer import Answer, Block, source_notes
from analyser.common.distributions import Distribution
from analyser.common.estimates import CERTAIN_WITHIN, Estimate
from analyser.common.frames import tidy
from analyser.common.look import with_subject
from analyser.common.method_settings import Sampling
from analyser.common.precision import Stopping
from analyser.common.text import spaced, text_of
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import ruleset_record
from analyser.results.base import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STRENGTHS = ((0.01, "very "), (0.1, ""), (0.3, "a little "), (1.0, None))  # highest probability for each wording
GONE = "models_gone"  # figure: models destroyed, or all models of a unit that broke or fled


class Chance(NamedTuple):
    """Probabilities of a worse, an equal and a better outcome."""

    worse: float
    equal: float
    better: float
    half_width: float | None = None  #: half the wider 95% interval of `as_bad` and `as_good`; None if exact

    @property
    def as_bad(self) -> float:
        """Probability of an outcome as bad or worse."""
        return min(self.worse + self.equal, 1.0)

    @property
    def as_good(self) -> float:
        """Probability of an outcome as good or better."""
        return min(self.better + self.equal, 1.0)

    @property
    def mid_p(self) -> float:
        """Probability of a worse outcome plus half that of an equal one; 50% is neither good nor bad luck."""
        return self.worse + self.equal / 2

    def as_dict(self) -> dict[str, float]:
        """Return the probabilities as plain data."""
        shares = {"as_bad_or_worse": self.as_bad, "as_good_or_better": self.as_good, "mid_p": self.mid_p}
        return {**self._asdict(), **shares}

    @property
    def _is_bad(self) -> bool:
        return self.as_bad <= self.as_good

    @property
    def verdict(self) -> str:
        """The luck in a few words."""
        share = min(self.as_bad, self.as_good)
        strength = next(words for most, words in _STRENGTHS if share <= most + CERTAIN_WITHIN)
        kind = "bad" if self._is_bad else "good"
        return "Nothing unusual" if strength is None else f"{strength}{kind} luck".capitalize()

    def in_words(self, noun: str, trials: int | None = None) -> str:
        """Return the luck of an outcome as a sentence.

        >>> Chance(0.02, 0.01, 0.97).in_words("such attacks")
        'Bad luck: a result this bad or worse happens in 3.00% of such attacks (exact; percentile 2.50%).'
        """
        result_text = "this bad or worse" if self._is_bad else "this good or better"
        method = "exact" if trials is None else f"{trials:,} trials"
        percent, percentile = map(self.probability_text, (min(self.as_bad, self.as_good), self.mid_p))
        lead = f"{self.verdict}: a result {result_text} happens"
        return f"{lead} in {percent} of {noun} ({method}; percentile {percentile})."

    def probability_text(self, share: float) -> str:
        """Return a probability as text; if simulated, with an interval of plus and minus `half_width`."""
        half = self.half_width
        return str(Estimate(share) if half is None else Estimate(share, max(share - half, 0.0), min(share + half, 1.0)))


@dataclass(frozen=True, eq=False, repr=False)
class FightLuck:
    """A fight, its observed outcome, and the probabilities of a worse, an equal and a better outcome."""

    label: str
    side: str
    reported: Mapping[str, Any]  #: the outcome as reported
    compared: Mapping[str, Any]  #: by importance; losses and ends of a unit count as `models_gone`
    chance: Chance
    pmf: pd.DataFrame  #: possible outcomes, the worst first: figures of `compared`, and `probability`
    result: Result
    gone: tuple[int, int] | None  #: the enemy's models that are gone, and all its models; None if not compared
    gone_pmf: NDArray[np.float64]  #: probability of 0, 1, ... models gone; empty if not compared
    unreported_ends: tuple[str, ...]  #: possible ends of the enemy that are not reported; they count as "no"

    @property
    def conditions(self) -> list[str]:
        """Lines of text that state the row, dice, distance and target used."""
        lines = self.result.heading()[1:]
        width = max(len(label) for label, _ in lines)
        return [f"{label:{width}}  {text}".rstrip() for label, text in lines]

    @property
    def sentence(self) -> str:
        """The luck of the fight, in plain words."""
        kind = self.result.kind
        outcome = ", ".join(f"{spaced(name)}: {text_of(value)}" for name, value in self.reported.items())
        noun = "such sequences of focus fire" if kind == "focus" else f"such {kind}s"
        return f"{outcome}. {self.chance.in_words(noun, self.result.trials)}"

    def comparison_lines(self) -> list[str]:
        """Return a line about the figures compared, and a line about the ends that are possible but not stated."""
        figures = [
            f"{spaced(name)} {text_of(value)}{f' of {self.gone[1]}' if self.gone and name == GONE else ''}"
            for name, value in self.compared.items()
        ]
        order = "" if len(figures) == 1 else " in this order (worse means worse for the attacker)"
        lines = [f"Compared{order}: {', then '.join(figures)}."]
        if self.unreported_ends:
            lines.append(f"Not stated, so counted as no: {', '.join(self.unreported_ends)}.")
        return lines

    @property
    def figures(self) -> dict[str, Any]:
        """The models gone, if they are compared, and the probabilities."""
        gone = {} if self.gone is None else {"models_gone": self.gone[0], "of_models": self.gone[1]}
        return gone | self.chance.as_dict()

    def as_dict(self) -> dict[str, Any]:
        """Return the fight as plain data."""
        record: dict[str, Any] = {"label": self.label, "side": self.side, "kind": self.result.kind}
        record |= {"got": dict(self.reported), "looked_at": dict(self.compared), "asked": self.conditions}
        record |= self.figures | {"said": self.sentence} | ruleset_record(self.result.scenario.ruleset)
        record |= {"not_said": list(self.unreported_ends)} if self.unreported_ends else {}
        return record


@dataclass(frozen=True, eq=False, repr=False)
class SideLuck:
    """Sum of the losses that a side inflicted in its fights, and the distribution of this sum."""

    side: str
    measured_in: str  #: "points" or "models"
    gone: float  #: observed losses of the enemy: destroyed models, and all models of units that broke or fled
    expected: float
    chance: Chance
    distribution: Distribution

    def as_dict(self) -> dict[str, Any]:
        """Return the sums and the probabilities as plain data."""
        sums = {"side": self.side, "unit": self.measured_in, "gone": self.gone, "expected": self.expected}
        return sums | self.chance.as_dict()


@dataclass(frozen=True, eq=False, repr=False)
class Luck(Answer):
    """Luck in one fight (`sides` is empty), or in a whole game (`sides` has an entry for each side with fights)."""

    fights: tuple[FightLuck, ...]
    sides: tuple[SideLuck, ...]
    sampling: Sampling
    profiles: ProfilesUsed | None

    schema = "analyser/luck/1"

    @property
    def headline(self) -> str:
        if not self.sides:
            return f"It was {self.fights[0].chance.verdict.lower()}."
        return f"{', '.join(f'{side.side} had {side.chance.verdict.lower()}' for side in self.sides)}."

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each fight, with its outcome and the probabilities; the sides of a game come last."""
        rows: list[dict[str, Any]] = []
        for fight in self.fights:
            got = ", ".join(f"{name}={text_of(value)}" for name, value in fight.reported.items())
            rows.append({"fight": fight.label, "side": fight.side, "got": got, **fight.figures})
        for side in self.sides:
            got = f"{side.gone:.1f} {side.measured_in} gone"
            rows.append({"fight": "all", "side": side.side, "got": got, **side.chance.as_dict()})
        return [row | {"profiles": str(self.profiles)} for row in rows]

    def to_frame(self) -> pd.DataFrame:
        """Return the fights as a tidy frame, without the sums of the sides."""
        return tidy(self.rows()[: len(self.fights)])

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {"method": self.sampling.method}
        if not self.sampling.is_exact:
            trials = self.sampling.first_trials()
            record |= {"trials": trials, "seed": int(self.sampling.seed), **Stopping(trials).as_dict()}
        record |= {"fights": [fight.as_dict() for fight in self.fights]}
        record |= {"sides": [side.as_dict() for side in self.sides], "notes": self._notes()}
        first, *others = (ruleset_record(fight.result.scenario.ruleset) for fight in self.fights)
        record |= {"assumptions": list(dict.fromkeys(self._rules("assumptions")))}
        record |= first if all(other == first for other in others) else {}
        return record | {"profiles": self.profiles and self.profiles.as_dict()}

    def blocks(self) -> list[Block]:
        if not self.sides:
            (fight,) = self.fights
            lines = [fight.sentence, *fight.comparison_lines()]
            return [Block(fight.label, lines=fight.conditions), Block(lines=lines)]
        head = ["fight", "side", "got", "models gone", "as bad or worse", "as good or better", "percentile"]
        rows = [
            [fight.label, fight.side, str(row["got"]), f"{row['models_gone']} of {row['of_models']}"]
            + [fight.chance.probability_text(row[name]) for name in ("as_bad_or_worse", "as_good_or_better", "mid_p")]
            for fight, row in zip(self.fights, self.rows())
        ]
        sums = [
            f"{side.side}: {side.gone:.1f} {side.measured_in} of the enemy gone, {side.expected:.1f} expected. "
            + side.chance.in_words("such games", self.fights[0].result.trials).replace(
                " trials;", " trials of each fight;"
            )
            for side in self.sides
        ]
        return [Block(head=head, rows=rows, align="<<<>"), Block(lines=sums)]

    def notes(self) -> list[str]:
        conditions = (
            f"{fight.label}: {'; '.join(' '.join(line.split()) for line in fight.conditions)}." for fight in self.fights
        )
        return [*self._notes(), *(conditions if self.sides else ())]

    def _notes(self) -> list[str]:
        notes = [
            "Percentile: probability of worse results plus half that of equal ones (mid-p value); 50% is neither good "
            "nor bad luck. The verdict uses the smaller of two probabilities: this bad or worse, this good or better."
        ]
        if any(fight.gone is not None for fight in self.fights):
            notes.append("Gone: the enemy's destroyed models, or all models of a unit that broke or fled.")
        elif any(name.endswith("annihilated") for fight in self.fights for name in fight.compared):
            notes.append("Annihilated: destroyed, broken or fled. The number of destroyed models is not compared.")
        if self.sides:
            distribution = "the exact distribution of this sum"
            if not self.sampling.is_exact:
                distribution = "the simulated distribution of this sum (±: from 400 resamples)"
            notes.append(
                f"Each side: the sum of the losses that its attacks inflicted is compared with {distribution}."
            )
            notes += [f"{fight.label}: {line}" for fight in self.fights for line in fight.comparison_lines()[1:]]
        notes += source_notes(dict.fromkeys(self._rules("not_modelled")), self._rules("assumptions"))
        notes += dict.fromkeys(f"Warning: {text}." for text in self._rules("warnings"))
        return [*notes, *([] if self.profiles is None else [f"Profiles: {self.profiles}."])]

    def _rules(self, name: str) -> list[str]:
        return [text for fight in self.fights for text in getattr(fight.result.rules, name)]

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the distribution of a fight with its outcome; for a game, draw each fight and the sum of each side."""
        if not self.sides:
            (fight,) = self.fights
            return plots.outcome_distribution(
                with_subject(fight.pmf, fight.label), happened=dict(fight.compared), ax=ax, **more
            )
        rows = self.rows()
        for row in rows[: len(self.fights)]:
            row["got"] = f"{row['models_gone']} of {row['of_models']} models"
        return plots.luck_strips(pd.DataFrame(rows), ax=ax, **more)
