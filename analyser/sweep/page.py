"""The page of a store: what it is a sweep of, how far it is, what each kind of fights takes."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any, NamedTuple

from analyser import __version__
from analyser.common.files import write_content
from analyser.report.page import templates
from analyser.sweep.opening import Sweep
from analyser.sweep.store import PAGE


class Cost(NamedTuple):
    """What parts of one kind of fights took, by the log."""

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
    """How far a sweep is."""

    name: str
    cells: int
    parts: int
    done: int
    seconds_left: float  # of one processor
    costs: tuple[Cost, ...]
    lost: int

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return self._asdict() | {"costs": [each._asdict() | {"rate": each.rate} for each in self.costs]}


def status_of(sweep: Sweep) -> Status:
    """How far a sweep is, from its folder; what it took, from its log."""
    latest = {line["number"]: line for line in sweep.store.logged("part") if _is_of_a_part(line)}
    done = set(sweep.done)
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for number, line in latest.items():
        if number in done:
            by_kind.setdefault(str(line["kind"]), []).append(line)
    costs = tuple(
        Cost(
            kind,
            len(lines),
            sum(each["size"] for each in lines),
            sum(each["seconds"] for each in lines),
            sum(each["length"] for each in lines),
        )
        for kind, lines in sorted(by_kind.items())
    )
    left = 0.0
    if costs and not sweep.is_complete:
        usual = fmean(each.seconds / each.parts for each in costs)
        pace = {each.kind: each.seconds / each.parts for each in costs}
        missing = (number for number in range(sweep.plan.parts) if number not in done)
        left = sum(pace.get(sweep.plan.kind(number), usual) for number in missing)
    plan = sweep.plan
    return Status(plan.name, plan.cells, plan.parts, len(done), left, costs, len(sweep.store.logged("lost")))


_KEYS = ("number", "kind", "size", "seconds", "length")


def _is_of_a_part(line: Mapping[str, Any]) -> bool:
    return all(key in line for key in _KEYS) and all(
        isinstance(line[key], int | float) for key in _KEYS if key != "kind"
    )


def write_page(sweep: Sweep) -> None:
    """Write the summary page into the store."""
    plan = sweep.plan
    facts: list[tuple[str, str]] = [("Plan", plan.digest[:16]), ("Profiles", str(plan.content["profiles"]))]
    facts += [(name.capitalize(), str(value)[:16]) for name, value in plan.content["program"].items()]
    axes: list[tuple[str, int]] = []
    if not plan.is_sample:
        axes = [("rulesets", len(plan.rulesets)), ("situations", len(plan.situations))]
        axes.append(("attackers", sum(map(len, plan.attackers.values()))))
        axes += [(f"{each.key} of attackers", len(each.values)) for each in plan.file.attackers.numbers]
        axes.append(("defenders", len(plan.defenders)))
        axes += [(f"{each.key} of defenders", len(each.values)) for each in plan.file.defenders.numbers]
    page = templates().get_template("sweep.html.jinja")
    html = page.render(version=__version__, sweep=sweep, status=status_of(sweep), axes=axes, facts=facts)
    write_content(sweep.store.folder / PAGE, html)
