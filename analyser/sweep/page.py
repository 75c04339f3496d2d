"""The page of a store: what it is a sweep of, how far it is, what each kind of fights takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from analyser.common.files import write_content
from analyser.report.shell import page_of
from analyser.sweep.opening import Sweep
from analyser.sweep.plan import Plan
from analyser.sweep.store import PAGE, Missing

_MOST_SHOWN = 8  # values of an axis


class Cost(NamedTuple):
    """Cost of the parts of one kind of fights, from the log."""

    kind: str
    parts: int
    cells: int
    seconds: float  # of processors
    length: int

    @property
    def rate(self) -> float:
        """Cells a second of one processor."""
        return self.cells / self.seconds if self.seconds else 0.0

    @property
    def bytes_a_cell(self) -> float:
        """Bytes on disk."""
        return self.length / self.cells if self.cells else 0.0


class Status(NamedTuple):
    """Progress of a sweep, and its cost so far."""

    name: str
    cells: int
    parts: int
    done: int
    seconds_left: float  # of one processor
    costs: tuple[Cost, ...]
    lost: int
    assumptions: tuple[str, ...]
    rulesets: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return self._asdict() | {
            "costs": [each._asdict() | {"rate": each.rate} for each in self.costs],
            "assumptions": list(self.assumptions),
        }


def status_of(sweep: Sweep) -> Status:
    """Return the progress of a sweep from its folder, and its cost from its log."""
    latest = {line["number"]: _Logged(*(line[key] for key in _Logged._fields)) for line in _of_parts(sweep)}
    done = set(sweep.done)
    by_kind: dict[str, list[_Logged]] = {}
    for number, line in latest.items():
        if number in done:
            by_kind.setdefault(line.kind, []).append(line)
    costs = tuple(
        Cost(
            kind,
            len(lines),
            sum(each.size for each in lines),
            sum(each.seconds for each in lines),
            sum(each.length for each in lines),
        )
        for kind, lines in sorted(by_kind.items())
    )
    left = 0.0
    if costs and not sweep.is_complete:
        usual = fmean(each.seconds / each.parts for each in costs)
        pace = {each.kind: each.seconds / each.parts for each in costs}
        missing = Missing(sweep.plan, range(sweep.plan.parts), done).kinds()
        left = sum(parts * pace.get(kind, usual) for kind, parts in missing.items())
    plan, lost = sweep.plan, sum(1 for _ in sweep.store.logged("lost"))
    return Status(
        plan.name, plan.cells, plan.parts, len(done), left, costs, lost, plan.assumptions, plan.stated_rulesets
    )


class _Logged(NamedTuple):
    """Entry of the log about a part that counts here."""

    kind: str
    size: int
    seconds: float
    length: int


def _of_parts(sweep: Sweep) -> Iterator[dict[str, Any]]:
    """Yield the log lines about parts; lines edited by hand are left out."""
    for line in sweep.store.logged("part"):
        numbers = [line.get(key) for key in ("number", "size", "seconds", "length")]
        if isinstance(line.get("kind"), str) and all(isinstance(each, int | float) for each in numbers):
            yield line


def write_page(sweep: Sweep) -> None:
    """Write the summary page into the store."""
    plan = sweep.plan
    facts: list[tuple[str, str]] = [("Plan", plan.digest[:16]), ("Profiles", str(plan.content["profiles"]))]
    facts += [("Assumption", each) for each in plan.assumptions]
    facts.append(("Program", plan.content["program"][:16]))
    how = "sampled" if plan.is_sample or plan.file.sampling is not None else "all exact"
    axes = [] if plan.is_sample else list(_axes(plan))
    title, status = f"Sweep {plan.name}", status_of(sweep)
    html = page_of("sweep", title=title, sweep=sweep, status=status, how=how, axes=axes, facts=facts)
    write_content(sweep.store.folder / PAGE, html)


def _axes(plan: Plan) -> Iterator[tuple[str, int, str]]:
    """Yield each axis of the plan: its name, the number of its values, and the values in words."""
    yield "rulesets", len(plan.rulesets), ", ".join(plan.rulesets)
    yield "situations", len(plan.situations), _some([each.name for each in plan.situations])
    for name, side in plan.file.sides:
        loadouts = sum(map(len, plan.attackers.values())) if name == "attackers" else len(plan.defenders)
        yield name, loadouts, _some(side.units) + (f" at {', '.join(side.levels)}" if side.levels else "")
        for each in side.numbers:
            signed = [f"{value:+d}" if each.is_added else str(value) for value in each.values]
            yield f"{each.key.replace('_', ' ')} of {name}", len(each.values), _some(signed)


def _some(values: Sequence[str]) -> str:
    """The values, or the first and the last of many."""
    return ", ".join(values) if len(values) <= _MOST_SHOWN else f"{', '.join(values[:3])} ... {values[-1]}"
