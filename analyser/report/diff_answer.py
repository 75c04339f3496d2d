"""Answer of a diff as text and data: sentences on loadouts, then the edits, then the matchups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analyser.analysis.prices import Opponents
from analyser.analysis.verdict import RULE
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.metrics import EFFICIENCY, MATCHUP_METRICS, number_text
from analyser.common.text import code_span, counted, escape_markup, fill
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import ruleset_record
from analyser.report.diff_changes import Edit, StandingChange

PROBABILITY = "probability"  # unit of figures that are probabilities
MOST_EDITS, MOST_MATCHUPS, MOST_OTHERS, MOST_REASONS, MOST_IN_SUMMARY = 40, 20, 6, 5, 10  # largest numbers of lines
KEYS = ["attacker", "defender", "situation"]


@dataclass(frozen=True, eq=False, repr=False)
class Diff(FramedAnswer):
    """Changes from old to new profiles or reports, and their effects.

    Attributes
    ----------
    frame : DataFrame
        The changed matchups, largest change first: `attacker`, `defender`, `situation`, `metric`, `old`, `new`,
        `change`, and `unit`. `note` marks an attack that became possible or impossible; an impossible one counts as 0.
    for_points : DataFrame
        Changes of the expected points destroyed per 100 points, in matchups of loadouts whose points changed. `share`
        is the change divided by the old figure, or by 1 point if 1 is larger. Empty if a metric is stated.
    """

    edits: tuple[Edit, ...]  #: of the units and the ruleset
    frame: pd.DataFrame
    for_points: pd.DataFrame
    n_compared: int  #: matchups that are in old and in new
    gone: tuple[str, ...]  #: loadouts only in old
    added: tuple[str, ...]  #: loadouts only in new
    old: ProfilesUsed
    new: ProfilesUsed
    unchanged: bool = False  #: True if two folders of profiles are equal
    changes: tuple[StandingChange, ...] = ()  #: of edited loadouts (of all if the ruleset changed), the largest first
    others: tuple[StandingChange, ...] = ()  #: of other loadouts with a new verdict
    no_verdict: str = ""  #: the reason why there are no verdicts; empty if there are some
    opponents: Opponents | None = None  #: of the new verdicts; None without verdicts
    judged: str = ""  #: the opponents and situations on which the new verdicts depend, in words

    schema = "analyser/diff/1"

    @property
    def headline(self) -> str:
        """The numbers of edits, changed verdicts and changed matchups, in a sentence."""
        if self.unchanged or not self.edits:
            return "The profiles are equal."
        verdicts = sum(change.has_new_verdict for change in (*self.changes, *self.others))
        parts = [counted(len(self.edits), "edit"), counted(verdicts, "verdict"), counted(len(self.frame), "matchup")]
        return f"{parts[0]}: {parts[1]} and {parts[2]} changed."

    @property
    def profiles(self) -> ProfilesUsed:
        """The new profiles."""
        return self.new

    @property
    def worst(self) -> float:
        """The largest absolute change of a matchup, or of `share` in `for_points`."""
        changes = (self.frame["change"], self.for_points["share"])
        return max((float(change.abs().max()) for change in changes if len(change)), default=0.0)

    def text(self, limit: int = MOST_MATCHUPS) -> str:
        """Return the diff as text, with at most `limit` loadouts and matchups."""
        return "\n\n".join(block.text for block in self.blocks(limit)) + "\n"

    __str__ = text

    def notes(self) -> list[str]:
        """Return the profiles of old and new, with die and deck."""
        return [f"Old: {self.old}", f"New: {self.new}", *(f"Assumption: {line}." for line in self._die_and_deck())]

    def blocks(self, limit: int = MOST_MATCHUPS) -> list[Block]:
        """Return a sentence for each loadout, the edits, and the largest changes of matchups."""
        lines: list[Sequence[str]] = [fill(f"{self.judged}.")] if self.changes or self.others else []
        if self.changes:
            lines.append([*(change.sentence for change in self.changes[:limit]), *_more(self.changes, limit)])
        if self.others:
            sentences = [f"  {other.verdict_line}" for other in self.others[:MOST_OTHERS]]
            lines.append(["Other changed verdicts:", *sentences, *_more(self.others, MOST_OTHERS)])
        if self.no_verdict:
            lines.append([f"No verdicts: {self.no_verdict}"])
        lines += [self.notes(), *self._edit_lines()]
        return [*(Block(lines=line) for line in lines), *self._matchups(limit)]

    def _edit_lines(self) -> list[Sequence[str]]:
        if self.unchanged:
            same = f"all {counted(self.n_compared, 'matchup')} are the same, and were not computed"
            return [[f"Profiles: nothing changed, so {same}"]]
        lines = [f"  {edit}" for edit in self.edits[:MOST_EDITS]] + _more(self.edits, MOST_EDITS)
        only_in = (("old", self.gone), ("new", self.added))
        result = [[f"Profiles: {counted(len(self.edits), 'change') if lines else 'nothing changed'}", *lines]]
        return [*result, *([f"Only in {side}: {', '.join(names)}"] for side, names in only_in if names)]

    def _matchups(self, limit: int) -> list[Block]:
        compared = f"{counted(self.n_compared, 'matchup')} compared, exact"
        result = [_table(self.frame, compared, limit)] if len(self.frame) else []
        if not result and not self.unchanged:
            result = [Block(lines=[f"{compared}: none changed"])]
        return result + (
            [_table(self.for_points, MATCHUP_METRICS[EFFICIENCY].title, limit)] if len(self.for_points) else []
        )

    def _die_and_deck(self) -> list[str]:
        """Return the assumed die and deck; if they differ, those of old and those of new."""
        old, new = self.old.assumptions, self.new.assumptions
        return [*new] if old == new else [*(f"old: {line}" for line in old), *(f"new: {line}" for line in new)]

    def failures(self, limit: float) -> list[str]:
        """Return lines about matchups that changed by more than `limit`, and about newly mispriced loadouts."""
        lines, frame = list[str](), self.frame[self.frame["change"].abs() > limit]
        if len(frame):
            unit = frame["unit"].iloc[0]
            scale, measure = (100, " pp") if unit == PROBABILITY else (1, f" {unit}")
            heading = f"{counted(len(frame), 'matchup')} changed by more than {scale * limit:.4g}{measure}"
            lines.append(f"{heading}{', the largest change first' if len(frame) > 1 else ''}:")
            lines += [f"  {line}" for line in _matchup_lines(frame.head(MOST_REASONS))] + _more(frame, MOST_REASONS)
        newly_mispriced = [change for change in (*self.changes, *self.others) if change.is_newly_mispriced]
        if newly_mispriced:
            lines.append(f"{counted(len(newly_mispriced), 'loadout')} became over-priced or under-priced:")
            lines += [f"  {change.verdict_line}" for change in newly_mispriced[:MOST_REASONS]]
            lines += _more(newly_mispriced, MOST_REASONS)
        return lines

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each changed matchup."""
        parts = [part for part in (self.frame, self.for_points) if len(part)]
        table = pd.concat(parts, ignore_index=True) if parts else self.frame
        return plain_rows(table.assign(old_profiles=str(self.old), new_profiles=str(self.new)))

    def _body(self) -> dict[str, Any]:
        return {
            "summary": {
                "sentences": [change.sentence for change in self.changes],
                "other_verdicts": [change.verdict_line for change in self.others],
                "no_verdict": self.no_verdict or None,
                "judged_among": None if self.opponents is None else self.opponents.as_dict(),
                "edits": len(self.edits),
                "compared": self.n_compared,
                "changed": len(self.frame),
                "changed_for_points": len(self.for_points),
                "worst": self.worst,
            },
            "method": "exact",
            "old": self.old.as_dict() | ruleset_record(self.old.ruleset),
            "new": self.new.as_dict(),
            **ruleset_record(self.new.ruleset),
            "assumptions": self._die_and_deck(),
            "rule": " ".join(RULE),
            "loadouts": [change.as_dict() for change in self.changes],
            "others": [other.as_dict() for other in self.others],
            "edits": [edit._asdict() for edit in self.edits],
            "gone": list(self.gone),
            "added": list(self.added),
            "compared": self.n_compared,
            "worst": self.worst,
            "matchups": plain_rows(self.frame),
            "for_points": plain_rows(self.for_points),
        }

    def markdown(self) -> str:
        """Return a summary in Markdown for a pull request."""
        parts = (escape_markup(change.sentence).partition(":") for change in self.changes)
        sentences = [f"- **{name}**:{rest}" for name, _, rest in parts]
        if self.others:
            shown = [other.verdict_line for other in self.others[:MOST_OTHERS]]
            sentence = "; ".join([*shown, *(line.removeprefix("  … ") for line in _more(self.others, MOST_OTHERS))])
            sentences.append(f"- Other changed verdicts: {escape_markup(sentence)}")
        blocks = [["### Effects of the change (exact)"]]
        if sentences:
            blocks.append([escape_markup(f"{self.judged}.")])
        blocks.append(sentences or ["No verdicts." if self.edits else "No loadout was edited."])
        if self.edits:
            lines = [f"- {code_span(str(edit))}" for edit in self.edits[:MOST_EDITS]]
            blocks.append(["Edits:", "", *lines, *_more(self.edits, MOST_EDITS)])
        for block in self._matchups(MOST_IN_SUMMARY):
            if block.rows:
                lines = [" | ".join(map(escape_markup, row)) for row in block.rows]
                table = [" | ".join(block.head), "|".join(["---"] * len(block.head)), *lines]
                blocks.append([f"{block.title}:", "", *(f"| {line} |" for line in table)])
        blocks.append([escape_markup(line) for line in self.notes()])
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _more(items: Sized, most: int) -> list[str]:
    return [f"  … and {len(items) - most} more"] if len(items) > most else []


def _figures(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the figures of a frame as text, by heading."""
    (unit,), for_points = frame["unit"].unique(), "share" in frame
    scale, unit, change_unit = (100, "%", "pp") if unit == PROBABILITY else (1, unit, unit)
    if for_points:
        unit = change_unit = "points"
    return {
        f"change ({change_unit})": [number_text(scale * change, "+") for change in frame["change"]],
        **({"change (% of old)": [f"{100 * share:+.1f}" for share in frame["share"]]} if for_points else {}),
        **{f"{name} ({unit})": [number_text(scale * value) for value in frame[name]] for name in ("old", "new")},
    }


def _table(frame: pd.DataFrame, heading: str, limit: int) -> Block:
    """Return the matchups with the largest changes, below a heading."""
    shown, for_points = frame.head(limit), "share" in frame
    figures, names = _figures(shown), {name: shown[name].tolist() for name in KEYS}
    if not for_points:
        heads = [MATCHUP_METRICS[name].head for name in shown["metric"]]
        names = {"figure": heads, **names, "": shown["note"].tolist()}
    where = f"changed{' because points changed' if for_points else ''}, largest change first"
    first = f" (the first {limit})" if len(frame) > limit else ""
    title, rows = f"{heading}: {len(frame):,} {where}{first}", [*zip(*figures.values(), *names.values())]
    return Block(title, [*figures, *names], rows, ">" * len(figures) + "<")


def _matchup_lines(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each matchup: attacker, target, and the old and new figure."""
    changes, *_, olds, news = _figures(frame).values()
    for row, change, old, new in zip(frame.to_dict("records"), changes, olds, news):
        fight = f"{row['attacker']} on {row['defender']}, {row['situation'].replace('-', ' ')}"
        sign, unit = ("%", "pp") if row["unit"] == PROBABILITY else ("", row["unit"])
        yield f"{fight}: {MATCHUP_METRICS[row['metric']].title} {old}{sign} → {new}{sign} ({change} {unit})"
