"""What a report is made from, and the key that stands for all of it."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from analyser import __version__
from analyser.analysis.grid import METHOD
from analyser.analysis.situations import Situation
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout

UNITS = "units.json"  # the units and the ruleset of a report, so that two reports can be told apart
_LIBRARIES = ("numba", "numpy", "pandas", "pyarrow", "matplotlib", "pillow", "choix")  # whose versions can change bytes


class Inputs(NamedTuple):
    """All that the bytes of a report depend on, but for the versions of the programs.

    `row` is None for the best one, `metrics` are those of the heatmaps, and `used` says which profiles these are in
    words that do not depend on where they lie: the folder's own name alone.
    """

    attackers: tuple[Loadout, ...]
    defenders: tuple[Loadout, ...]
    situations: tuple[Situation, ...]
    row: str | None
    metrics: tuple[str, ...]
    ruleset: Ruleset
    used: ProfilesUsed


def facts_of(inputs: Inputs) -> dict[str, Any]:
    """The inputs as the manifest says them; profiles and ruleset also as SHA-256 of their content."""
    ruleset = inputs.ruleset.model_dump(mode="json")
    return {
        "format": 2,
        "version": __version__,
        "method": METHOD,
        "trials": None,
        "seed": None,
        "row": inputs.row or "best",
        "situations": [each.model_dump(mode="json") for each in inputs.situations],
        "metrics": list(inputs.metrics),
        "ruleset": {"sha256": _sha256(ruleset), **ruleset},
        "profiles_used": inputs.used._asdict(),
        "profiles": {faction: _sha256(units) for faction, units in units_of(inputs).items()},
        "attackers": [each.selector for each in inputs.attackers],
        "defenders": [each.selector for each in inputs.defenders],
    }


def units_of(inputs: Inputs) -> dict[str, dict[str, Any]]:
    """By faction and id the units that take part: their content, so comments and layout do not count."""
    units: dict[str, dict[str, Any]] = {}
    for each in (*inputs.attackers, *inputs.defenders):
        units.setdefault(each.faction, {})[each.unit.id] = each.unit.model_dump(mode="json")
    return {faction: units[faction] for faction in sorted(units)}


def write_units(inputs: Inputs, folder: Path) -> None:
    """Write the units and the ruleset as plain data, units by ``faction/unit``."""
    units = {f"{faction}/{name}": unit for faction, each in units_of(inputs).items() for name, unit in each.items()}
    text = json.dumps({**units, "ruleset": inputs.ruleset.model_dump(mode="json")}, indent=1, ensure_ascii=False)
    (folder / UNITS).write_text(text + "\n", encoding="utf-8", newline="\n")


def key_of(inputs: Inputs) -> str:
    """Equal for two runs that would write the same report: same inputs, same program, same libraries."""
    libraries = {name: version(name) for name in _LIBRARIES}
    return _sha256([facts_of(inputs), libraries, _sources(Path(__file__).parents[1])])


def _sources(package: Path) -> str:
    """What the program itself is: a change of its code is a change of what it writes."""
    found = hashlib.sha256()
    for path in sorted(each for each in package.rglob("*") if each.suffix in {".py", ".jinja", ".js", ".css"}):
        found.update(path.read_bytes())
    return found.hexdigest()


def _sha256(data: object) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
