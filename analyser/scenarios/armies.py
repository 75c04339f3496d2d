"""An army from whatever it is given as: a file, a list of selectors, a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from analyser.common.errors import InputError, check_choice
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import checked
from analyser.game.army import Army
from analyser.game.army_file import ArmyFile, resolved_army
from analyser.game.profiles import ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.rules.policies import POLICIES

AUTO = "auto"  # the policy of a unit that does what its armaments are for
ArmyLike = Army | str | os.PathLike[str] | Mapping[str, Any] | Sequence[str | Loadout | Mapping[str, Any]]


def load_army(source: ArmyLike, profiles: ProfilesLike | None = None) -> Army:
    """An army, checked, every unit with its profile.

    Parameters
    ----------
    source : path, list or mapping
        The path of an army file (TOML, `docs/armies.md`); a list of units: selectors, ``3 x`` a selector, loadouts, or
        mappings of the keys of ``[[unit]]``; or a mapping of the form of the file. An Army comes back as it is.
    profiles : Profiles or path, optional
        Where selectors are looked up: a library, or a folder of unit files. Default: the shipped profiles.

    Raises
    ------
    InputError
        A file that cannot be read, a unit that there is not, or another input that cannot be used.

    Examples
    --------
    >>> army = load_army({"name": "Patrol", "faction": "crown", "unit": ["3 x rifle-platoon@basic"]})
    >>> army
    <Army Patrol: crown, skirmish, 3 units, 105 points>
    >>> load_army(["crown/rifle-platoon@basic", {"unit": "crown/rifle-platoon@basic", "models": 4}]).loadouts[1]
    <Loadout crown/rifle-platoon@basic: infantry, 4 models, 35 points; rows: ranged-light, ranged-aerial, melee>
    """
    if isinstance(source, Army):
        return source
    if isinstance(source, Mapping):
        table, where = source, "army"
    elif isinstance(source, Sequence) and not isinstance(source, str):
        table, where = {"unit": source}, "army"
    else:
        path = path_of(source, "army")
        table, where = read_toml(path), str(path)
    check_plain(table, where)
    file = checked(ArmyFile, table, where=where)
    try:
        for number, entry in enumerate(file.units):
            if entry.policy is not None:
                check_choice(entry.policy, f"unit.{number}.policy", (AUTO, *POLICIES))
        return resolved_army(file, library_of(profiles))
    except InputError as error:
        raise error.inside(where) from None
