"""A diff as people and programs read it: sentences first, then what is written differently, then the matchups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analyser.analysis.prices import Among
from analyser.analysis.verdict import RULE
from analyser.common.text import aligned, code_span, counted, fill, markdown
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import ruleset_record
from analyser.plots.metrics import EFFICIENCY, METRICS, number_text
from analyser.report.edits import Edit
from analyser.report.moves import Move

PROBABILITY = "probability"  # from 0 to 1
MOST_EDITS, MOST_MATCHUPS, MOST_OTHERS, MOST_REASONS, MOST_IN_SUMMARY = 40, 20, 6, 5, 10  # in text
_DIGITS = 9  # of a share: what comes after them is the rounding of sums
KEY = ["attacker", "defender", "situation"]


@dataclass(frozen=True, eq=False, repr=False)
class Diff:
    """Changes from old to new.

    Attributes
    ----------
    moves : tuple of Move
        Every loadout that is written differently, the one that moved most first.
    others : tuple of Move
        The other loadouts that have another verdict now.
    no_verdict : str
        Why there are no verdicts; empty where there are.
    among : Among or None
        The opponents of the verdicts, as they are now; None where there are no verdicts.
    edits : tuple of Edit
        Edits of the units and the ruleset.
    frame : DataFrame
        The matchups of both that changed, worst first: `attacker`, `defender`, `situation`, `metric`, `unit` (what the
        next three count: ``"probability"``, from 0 to 1, or ``"models"`` and the like), `old`, `new`, `change`; `note`
        tells where an attack can be made in one of them only, and does nothing in the other.
    for_points : DataFrame
        The matchups of a loadout whose points changed, by the expected points destroyed per 100, the largest change of
        it first: the same columns, and `share`, the change as a share of the old figure, or of 1 point where that was
        less. Empty where a metric was asked for.
    n_compared : int
        The matchups that both have.
    gone, added : tuple of str
        Loadouts that take part in old or in new only.
    old, new : ProfilesUsed
        The folders, as given, and the versions of the profiles.
    unchanged : bool
        Whether two folders of profiles say the same, so that no matchup was worked out.
    """

    edits: tuple[Edit, ...]
    frame: pd.DataFrame
    for_points: pd.DataFrame
    n_compared: int
    gone: tuple[str, ...]
    added: tuple[str, ...]
    old: ProfilesUsed
    new: ProfilesUsed
    unchanged: bool = False
    moves: tuple[Move, ...] = ()
    others: tuple[Move, ...] = ()
    no_verdict: str = ""
    among: Among | None = None

    def __str__(self) -> str:
        """Return the text that the command line prints."""
        return diff_text(self)

    __repr__ = __str__  # a shell shows what is printed

    @property
    def worst(self) -> float:
        """The largest change of any matchup, without its sign, where points changed as a share; 0 if none changed."""
        changes = (self.frame["change"], self.for_points["share"])
        return max((float(each.abs().max()) for each in changes if len(each)), default=0.0)


def diff_text(found: Diff, limit: int = MOST_MATCHUPS) -> str:
    """A sentence for each loadout, what is written differently, then the matchups that changed most, up to `limit`."""
    blocks = [fill(_judged(found))] if found.moves or found.others else []
    if found.moves:
        blocks.append([*(each.sentence for each in found.moves[:limit]), *_more(found.moves, limit)])
    if found.others:
        told = list(_others(found))
        lines = [f"  {each}" for each in told[:MOST_OTHERS]] + _more(told, MOST_OTHERS)
        blocks.append(["Other verdicts that moved:", *lines])
    if found.no_verdict:
        blocks.append([f"No verdicts: {found.no_verdict}"])
    blocks.append([f"Old: {found.old}", f"New: {found.new}", *(f"Assumption: {each}." for each in _assumed(found))])
    compared = f"{counted(found.n_compared, 'matchup')} compared, exact"
    if found.unchanged:
        same = f"all {counted(found.n_compared, 'matchup')} are the same, and none was worked out"
        blocks.append([f"Profiles: nothing changed, so that {same}"])
    else:
        lines = [f"  {each}" for each in found.edits[:MOST_EDITS]] + _more(found.edits, MOST_EDITS)
        blocks.append([f"Profiles: {counted(len(found.edits), 'change') if lines else 'nothing changed'}", *lines])
        both = (("old", found.gone), ("new", found.added))
        blocks += [[f"Only in {side}: {', '.join(names)}"] for side, names in both if names]
        blocks.append(_table(found.frame, compared, limit) if len(found.frame) else [f"{compared}: none changed"])
    if len(found.for_points):
        blocks.append(_table(found.for_points, METRICS[EFFICIENCY].title, limit))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _assumed(found: Diff) -> list[str]:
    """Die and deck, of both where they differ."""
    old, new = found.old.assumptions, found.new.assumptions
    return [*new] if old == new else [*(f"old: {each}" for each in old), *(f"new: {each}" for each in new)]


def _judged(found: Diff) -> str:
    return f"Judged {found.among}."


def _more(every: Sized, most: int) -> list[str]:
    return [f"  … and {len(every) - most} more"] if len(every) > most else []


def _others(found: Diff) -> Iterator[str]:
    return (each.told for each in found.others)


def _listed(names: Iterable[str], most: int) -> str:
    every = list(names)
    return "; ".join([*every[:most], *([f"and {len(every) - most} more"] if len(every) > most else [])])


def _columns(frame: pd.DataFrame) -> dict[str, list[str]]:
    """The figures of rows as text by head; with a share they are those of a change of points."""
    (unit,), for_points = frame["unit"].unique(), "share" in frame
    scale, unit, of_change = (100, "%", "pp") if unit == PROBABILITY else (1, unit, unit)
    if for_points:
        unit = of_change = "points"
    return {
        f"change ({of_change})": [number_text(scale * each, "+") for each in frame["change"]],
        **({"change (% of old)": [f"{100 * each:+.1f}" for each in frame["share"]]} if for_points else {}),
        **{f"{name} ({unit})": [number_text(scale * each) for each in frame[name]] for name in ("old", "new")},
    }


def _names(frame: pd.DataFrame) -> dict[str, list[str]]:
    names = {name: frame[name].tolist() for name in KEY}
    figures = [METRICS[name].head for name in frame["metric"]]
    return names if "share" in frame else {"figure": figures, **names, "": frame["note"].tolist()}


def _table(frame: pd.DataFrame, heading: str, limit: int) -> list[str]:
    """The matchups that changed most below a heading."""
    figures, names = (part(frame.head(limit)) for part in (_columns, _names))
    where = f"changed{' where points did' if 'share' in frame else ''}, worst first"
    first = f" (the first {limit})" if len(frame) > limit else ""
    rows = [[*figures, *names], *zip(*figures.values(), *names.values())]
    return [f"{heading}: {len(frame):,} {where}{first}", *aligned(rows, ">" * len(figures) + "<")]


def over_limit(found: Diff, limit: float) -> list[str]:
    """Return why a diff fails: matchups that changed by more than `limit`, and loadouts that became wrongly priced.

    Points that change move what is destroyed for 100 of them in every matchup: that is no failure.
    """
    lines, frame = list[str](), found.frame[found.frame["change"].abs() > limit]
    if len(frame):
        unit = frame["unit"].iloc[0]
        scale, measure = (100, " pp") if unit == PROBABILITY else (1, f" {unit}")
        told = f"{counted(len(frame), 'matchup')} changed by more than {scale * limit:.4g}{measure}"
        lines.append(f"{told}{', the largest change first' if len(frame) > 1 else ''}:")
        lines += [f"  {each}" for each in _told(frame.head(MOST_REASONS))]
        lines += _more(frame, MOST_REASONS)
    flipped = [each for each in (*found.moves, *found.others) if each.is_flipped]
    if flipped:
        lines.append(f"{counted(len(flipped), 'loadout')} became over-priced or under-priced:")
        lines += [f"  {each.told}" for each in flipped[:MOST_REASONS]] + _more(flipped, MOST_REASONS)
    return lines


def _told(frame: pd.DataFrame) -> Iterator[str]:
    """Return rows as lines: attacker, target, and the figure before and after."""
    figures = list(_columns(frame).values())
    for row, change, old, new in zip(frame.to_dict("records"), figures[0], *figures[-2:]):
        fight = f"{row['attacker']} on {row['defender']}, {row['situation'].replace('-', ' ')}"
        if "share" in row:
            yield f"{fight}: destroys {old} → {new} points for 100 ({100 * row['share']:+.1f}%)"
        elif row["unit"] == PROBABILITY:
            yield f"{fight}: {METRICS[row['metric']].title} {old}% → {new}% ({change} pp)"
        else:
            yield f"{fight}: {METRICS[row['metric']].title} {old} → {new} ({change} {row['unit']})"


def diff_record(found: Diff) -> dict[str, Any]:
    """The whole diff as plain data, for JSON: a summary at its head."""
    return {
        "summary": {
            "sentences": [each.sentence for each in found.moves],
            "other_verdicts": list(_others(found)),
            "no_verdict": found.no_verdict or None,
            "judged_among": None if found.among is None else found.among.as_dict(),
            "edits": len(found.edits),
            "compared": found.n_compared,
            "changed": len(found.frame),
            "changed_for_points": len(found.for_points),
            "worst": found.worst,
        },
        "method": "exact",
        "old": found.old.as_dict() | ruleset_record(found.old.ruleset),
        "new": found.new.as_dict(),
        **ruleset_record(found.new.ruleset),
        "assumptions": _assumed(found),
        "rule": " ".join(RULE),
        "loadouts": [each.as_dict() for each in found.moves],
        "others": [each.as_dict() for each in found.others],
        "edits": [each._asdict() for each in found.edits],
        "gone": list(found.gone),
        "added": list(found.added),
        "compared": found.n_compared,
        "worst": found.worst,
        "matchups": found.frame.to_dict("records"),
        "for_points": found.for_points.to_dict("records"),
    }


def diff_rows(found: Diff) -> list[dict[Any, Any]]:
    """Every matchup that changed, a row each; `share` where points did."""
    parts = [each for each in (found.frame, found.for_points) if len(each)]
    table = (pd.concat(parts, ignore_index=True) if parts else found.frame).astype(object)
    table = table.where(table.notna(), None).assign(old_profiles=str(found.old), new_profiles=str(found.new))
    return table.to_dict("records")


def diff_markdown(found: Diff) -> str:
    """A summary in Markdown, to paste into a pull request: sentences, edits, and the matchups that changed most."""
    blocks = [["### What the change does (exact)"]]
    parts = (markdown(each.sentence).partition(":") for each in found.moves)
    sentences = [f"- **{name}**:{rest}" for name, _, rest in parts]
    if found.others:
        sentences.append(f"- Other verdicts that moved: {markdown(_listed(_others(found), MOST_OTHERS))}")
    if found.moves or found.others:
        blocks.append([markdown(_judged(found))])
    blocks.append(sentences or ["No loadout is written differently." if not found.edits else "No verdicts."])
    if found.edits:
        lines = [f"- {code_span(str(each))}" for each in found.edits[:MOST_EDITS]]
        blocks.append(["What is written differently:", "", *lines, *_more(found.edits, MOST_EDITS)])
    changed = f"{counted(found.n_compared, 'matchup')} compared"
    for frame, heading in ((found.frame, changed), (found.for_points, METRICS[EFFICIENCY].title)):
        if len(frame):
            shown = frame.head(MOST_IN_SUMMARY)
            columns = _columns(shown) | _names(shown)
            head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
            rows = [f"| {' | '.join(map(markdown, row))} |" for row in zip(*columns.values())]
            first = f", the first {MOST_IN_SUMMARY}" if len(frame) > MOST_IN_SUMMARY else ""
            blocks.append([f"{heading}: {len(frame):,} changed, worst first{first}:", "", *head, *rows])
    assumed = [f"Assumption: {each}." for each in _assumed(found)]
    blocks.append([markdown(line) for line in (f"Old: {found.old}. New: {found.new}.", *assumed)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
