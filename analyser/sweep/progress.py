"""Progress of a sweep, and the cost of each kind of fight."""

from __future__ import annotations

from typing import Any, NamedTuple

from analyser.sweep.store_reader import Sweep

_NUMBERS = ("number", "size", "seconds", "length")  # numbers in each log line about a part


class Cost(NamedTuple):
    """Cost of the parts of one kind of fight, from the log."""

    kind: str
    parts: int
    cells: int
    seconds: float  # processor time
    length: int  # bytes of the files

    @property
    def rate(self) -> float:
        """Cells per second of one processor."""
        return self.cells / self.seconds if self.seconds else 0.0

    @property
    def bytes_per_cell(self) -> float:
        """Bytes on disk per cell."""
        return self.length / self.cells if self.cells else 0.0


class Status(NamedTuple):
    """Progress of a sweep, and the cost so far."""

    name: str
    cells: int
    parts: int
    done: int
    seconds_left: float  # processor time left
    costs: tuple[Cost, ...]
    lost: int  # number of times that a part was lost with its worker
    assumptions: tuple[str, ...]
    rulesets: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        costs = [cost._asdict() | {"rate": cost.rate} for cost in self.costs]
        return self._asdict() | {"costs": costs, "assumptions": list(self.assumptions)}


def status_of(sweep: Sweep) -> Status:
    """Return the progress of a sweep, from its folder, and its cost, from its log."""
    plan, done = sweep.plan, set(sweep.done)
    latest = {
        line["number"]: line for line in sweep.store.log_lines("part") if _is_usable(line) and line["number"] in done
    }
    kinds: dict[str, list[dict[str, Any]]] = {}
    for line in latest.values():
        kinds.setdefault(line["kind"], []).append(line)
    costs = tuple(
        Cost(kind, len(parts), *(sum(part[name] for part in parts) for name in _NUMBERS[1:]))
        for kind, parts in sorted(kinds.items())
    )
    per_part = sum(cost.seconds for cost in costs) / len(latest) if latest else 0.0
    left, lost = per_part * (plan.n_parts - len(done)), sum(1 for _ in sweep.store.log_lines("lost"))
    rulesets = dict(plan.content["rulesets"])
    return Status(plan.name, plan.n_cells, plan.n_parts, len(done), left, costs, lost, plan.assumptions, rulesets)


def _is_usable(line: dict[str, Any]) -> bool:
    """Return True if a log line about a part is undamaged."""
    return isinstance(line.get("kind"), str) and all(isinstance(line.get(name), int | float) for name in _NUMBERS)
