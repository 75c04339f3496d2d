"""The profile library: unit files, and the selectors that find a loadout in them."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from analyser import __version__
from analyser.common.errors import InputError, MisspeltError, check_text, nearest, shown
from analyser.common.files import cannot_read, is_there, name_of, path_of, read_toml
from analyser.common.text import fill
from analyser.common.validation import Record, checked
from analyser.game.forces import ForceRules
from analyser.game.names import one_named, selector_parts, with_marks
from analyser.game.ruleset import HouseRules, Ruleset, checked_parts, ruleset_record
from analyser.game.units import Faction, Loadout, Unit

if TYPE_CHECKING:
    import pandas as pd

RecordT = TypeVar("RecordT", bound=Record)

RULESET_FILE = "ruleset.toml"
FORCES_FILE = "forces.toml"
FOR_ALL_FACTIONS = (RULESET_FILE, FORCES_FILE)  # files in a folder of profiles that are not factions
MORALE_RULESETS = "morale"  # folder of rulesets of other games, inside a folder of profiles
_VERSION_LENGTH = 12  # hexadecimal digits, enough to avoid a chance collision
_TOO_FRESH = 2_000_000_000  # ns: a file changed more recently can change again within the same time stamp
_NOT_IN_TABLE = {"id", "name", "entry", "levels", "rows", "in_force", "battlegroups"}
_SELECTOR = "such as crown/rifle-platoon@reinforced"
_KEYS_IN_PYTHON = (
    'in Python keys go into a mapping: {"unit": "...", "suppressed": True}, of an attack {"attacker": "...", '
    '"distance": 6}'
)


def shipped_profiles() -> Path:
    """Return the folder of profiles installed with this package."""
    inside = Path(__file__).parents[1] / "profiles"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "profiles"


class ProfilesUsed(NamedTuple):
    """Folder and version of the profiles behind an answer.

    Attributes
    ----------
    folder : str
        The folder as given; for the shipped profiles, the name of the program.
    version : str
        Hash of the contents of the files; it does not depend on their folder.
    ruleset : Ruleset or None
        Die and deck of fights with these profiles; None for other games.
    """

    folder: str
    version: str
    ruleset: Ruleset | None = None

    def __str__(self) -> str:
        return f"{self.folder}, version {self.version}"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line; empty for other games."""
        return () if self.ruleset is None else (self.ruleset.assumed,)

    @property
    def said(self) -> list[str]:
        """Die, deck and profiles as sentences below an answer."""
        return [*(f"Assumption: {assumption}." for assumption in self.assumptions), f"Profiles: {self}."]

    def notes(self) -> list[str]:
        """Return `said` as lines for a terminal."""
        return [line for paragraph in self.said[:-1] for line in fill(paragraph)] + self.said[-1:]

    def as_dict(self) -> dict[str, str]:
        """Return the folder and the version as plain data."""
        return {"folder": self.folder, "version": self.version}

    def of_fights(self) -> dict[str, Any]:
        """Return the JSON entries `profiles`, `ruleset` and `assumptions` of an answer about fights."""
        own = {"profiles": self.as_dict(), **ruleset_record(self.ruleset)}
        return own | ({"assumptions": list(self.assumptions)} if self.ruleset else {})


def profiles_record(used: ProfilesUsed | None) -> dict[str, Any]:
    """Return the `profiles` entry of an answer's JSON; empty for an answer without profiles."""
    return {} if used is None else {"profiles": used.as_dict()}


def profiles_used(folder: str | os.PathLike[str] | None = None, *, morale: bool = False) -> ProfilesUsed:
    """Return the folder of profiles and its version; `morale`: include the rulesets of other games.

    Examples
    --------
    >>> profiles_used().folder
    'shipped with analyser 0.1.0'
    """
    place = shipped_profiles() if folder is None else Path(folder)
    rules = (f"{MORALE_RULESETS}/*.toml",) if morale else ()
    files = {path.relative_to(place).as_posix(): path for pattern in ("*.toml", *rules) for path in place.glob(pattern)}
    for path in (path for pattern in (*FOR_ALL_FACTIONS, *rules) for path in shipped_profiles().glob(pattern)):
        files.setdefault(path.relative_to(shipped_profiles()).as_posix(), path)  # used if the folder lacks the file
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        try:
            content = path.read_bytes().replace(b"\r\n", b"\n")  # normalise line endings
        except OSError as error:
            raise cannot_read(path, error) from None
        digest.update(f"{name} {len(content)}\n".encode() + content)
    named = f"shipped with analyser {__version__}" if folder is None else name_of(folder)
    return ProfilesUsed(named, digest.hexdigest()[:_VERSION_LENGTH])


class Profiles:
    """A folder of unit files, one for each faction, read on first use.

    Parameters
    ----------
    folder : path, optional
        Default: the shipped profiles.
    ruleset : Ruleset or mapping, optional
        A die, a deck or house rules, such as ``{"die": {"strike": 3, "miss": 3}}``. They replace those of the folder
        and of a scenario. Default: those of the folder.

    Examples
    --------
    >>> Profiles()["crown/rifle-platoon@reinforced"].level.models
    12
    >>> Profiles()
    <Profiles shipped with analyser ...>
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, ruleset: RulesetLike | None = None) -> None:
        self.given, self._read, self._found = folder, dict[Path, Faction](), dict[str, Loadout]()
        self.stated = {} if ruleset is None else checked_parts(ruleset)
        self.folder = shipped_profiles() if folder is None else path_of(folder, "profiles")
        if not is_there(self.folder) or not self.folder.is_dir():
            raise InputError("no such folder of profiles", where=str(self.folder))

    @cached_property
    def used(self) -> ProfilesUsed:
        """Folder and version of the files read."""
        return self._used_now()

    def _used_now(self) -> ProfilesUsed:
        """Return the folder and its current version; a stated ruleset counts as content."""
        now = profiles_used(self.given)
        if self.stated:
            content = f"{now.version} {self.ruleset.model_dump_json()}".encode()
            now = now._replace(version=hashlib.sha256(content).hexdigest()[:_VERSION_LENGTH])
        with suppress(InputError):  # a bad ruleset file is reported when its die is used
            now = now._replace(ruleset=self.ruleset)
        return now

    def under(self, ruleset: RulesetLike | None) -> Profiles:
        """Return the profiles under another die, deck or both; itself if `ruleset` is None."""
        return self if ruleset is None else Profiles(self.given, {**self.stated, **checked_parts(ruleset)})

    @cached_property
    def factions(self) -> dict[str, Faction]:
        """Every faction of the folder by its id, sorted by id."""
        now = self._used_now()
        if vars(self).get("used", now) != now:  # a file changed after a single faction had been read
            self._read.clear()
            self._found.clear()
        vars(self)["used"] = now
        paths = sorted(path for path in self.folder.glob("*.toml") if path.name not in FOR_ALL_FACTIONS)
        if not paths:
            raise InputError("no unit files here", where=str(self.folder), allowed="at least one faction .toml")
        result: dict[str, Path] = {}
        for path in paths:
            if (other := result.setdefault(self._faction_in(path).id, path)) != path:
                problem = f"the same faction {self._faction_in(path).id!r} as in {other}"
                raise InputError(problem, where=str(path), allowed="each faction once")
        return {name: self._faction_in(result[name]) for name in sorted(result)}

    def _faction_in(self, path: Path) -> Faction:
        if path not in self._read:
            vars(self).setdefault("used", self._used_now())  # the version at the time of reading
            self._read[path] = checked(Faction, read_toml(path), where=str(path), house_rules=self.ruleset.rules)
        return self._read[path]

    def _factions_for(self, name: str) -> Mapping[str, Faction]:
        """Return the factions that a name can mean; to save time, only that of NAME.toml if there is such a file.

        Otherwise all factions, for a file of another name or a part of a name.
        """
        path = self.folder / f"{name}.toml"
        if "factions" in vars(self) or not name.replace("-", "").isalnum() or path.name in FOR_ALL_FACTIONS:
            return self.factions
        if not is_there(path) or not path.is_file() or self._faction_in(path).id != name:
            return self.factions
        return {name: self._faction_in(path)}

    @cached_property
    def ruleset(self) -> Ruleset:
        """Attack die, deck and house rules: stated, else those of the folder, else the shipped ones."""
        usual = load_ruleset(self.folder)
        return checked(Ruleset, {**usual.model_dump(mode="json"), **self.stated}) if self.stated else usual

    @cached_property
    def force_rules(self) -> ForceRules:
        """Rules of force building for all factions; the shipped ones if the folder has no file of them."""
        return _record_in(ForceRules, *_for_all(self.folder, FORCES_FILE))

    @cached_property
    def by_selector(self) -> dict[str, Loadout]:
        """Every loadout by its full selector, in the order of the files."""
        result = _by_selector(self.factions.values(), self.ruleset.rules)
        self._found |= result
        return result

    def __iter__(self) -> Iterator[Loadout]:
        return iter(self.by_selector.values())

    def __repr__(self) -> str:
        units = ", ".join(f"{name} ({len(faction.units)} units)" for name, faction in self.factions.items())
        return f"<Profiles {self.used}: {units}>"

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each loadout, in the order of the files.

        Returns
        -------
        DataFrame
            The selector; the faction, the unit's name and the level; the unit's profile; the ids of its rows.

        Examples
        --------
        >>> table = Profiles().to_frame().set_index("selector")
        >>> table.loc["crown/rifle-platoon@basic", ["unit", "type", "rows"]].tolist()
        ['Rifle platoon', 'infantry', 'ranged-light, ranged-aerial, melee']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "selector": loadout.selector,
                "faction": loadout.faction,
                "unit": loadout.unit.name,
                "level": loadout.level_name,
                **loadout.level.model_dump(include={"models", "points", "victory_points"}),
                **{
                    key: ", ".join(value) if isinstance(value, tuple) else value
                    for key, value in loadout.unit.model_dump(exclude=_NOT_IN_TABLE).items()
                },
                "rows": ", ".join(row.id for row in loadout.unit.rows),
            }
            for loadout in self
        )

    def faction(self, name: str) -> Faction:
        """Return the one faction that `name` means; parses and raises as :meth:`loadout`."""
        check_text(name, "faction", "a name such as crown")
        part = selector_parts(f"{name}/")[0]
        return one_named(part, self._factions_for(part).items(), "faction")

    def loadout(self, selector: str | Loadout) -> Loadout:
        """Return the one loadout that `selector` means.

        Parameters
        ----------
        selector : str or Loadout
            ``faction/unit@level``, or the words with spaces between them. Case and underscores are ignored. Any
            unambiguous abbreviation is accepted; the faction may be left out, and the level of a unit with only one. A
            loadout is returned unchanged.

        Raises
        ------
        InputError
            Nothing matches (with the nearest names), or more than one thing does.
        """
        if isinstance(selector, Loadout):
            return selector
        check_text(selector, "selector", _SELECTOR)
        if selector not in self._found:
            marked = with_marks(selector, self._factions_for(selector_parts(selector)[0]))
            level = selector_parts(marked)[2]
            levels = [(loadout.level_name, loadout) for loadout in _loadouts(*self.unit(marked), self.ruleset.rules)]
            is_one = not level and len(levels) == 1
            self._found[selector] = levels[0][1] if is_one else one_named(level, levels, "level", marked)
        return self._found[selector]

    __getitem__ = loadout

    def unit(self, selector: str) -> tuple[Faction, Unit]:
        """Return the one unit that `selector` means at any level, and its faction; raises as :meth:`loadout`."""
        check_text(selector, "selector", _SELECTOR)
        before, colon, _ = selector.partition(":")
        if colon:  # some commands accept keys after a colon
            keys = "keys after a colon are for the commands attack, charge and duel"
            raise InputError(f"selector {shown(selector)}: {keys}", allowed=f"{before!r}; {_KEYS_IN_PYTHON}")
        selector = with_marks(selector, self._factions_for(selector_parts(selector)[0]))
        faction_part, unit_part, _ = selector_parts(selector)
        named = self._factions_for(faction_part).items()
        factions = [one_named(faction_part, named, "faction", selector)] if faction_part else self.factions.values()
        units = [(unit.id, (faction, unit)) for faction in factions for unit in faction.units]
        named_alone = None if faction_part else self.factions.get(unit_part)
        try:
            return one_named(unit_part, units, "unit", selector, f"{self.command('units', factions)} lists them")
        except InputError:
            if named_alone is None or not named_alone.units:
                raise
        example = f"{named_alone.id}/{named_alone.units[0].id}"
        allowed = f"one of its units, such as {example}; {self.command('units', [named_alone])} lists them"
        raise InputError(f"selector {shown(selector)}: {named_alone.id} is a faction", allowed=allowed)

    def command(self, words: str, factions: Collection[Faction] = ()) -> str:
        """Return a command line for these profiles: for one faction, or for all.

        >>> Profiles().command("army kinds", [Profiles().faction("crown")])
        'analyser army kinds crown'
        """
        ids = [faction.id for faction in factions] if len(factions) == 1 else []
        folder = [] if self.given is None else ["--profiles", shlex.quote(os.fspath(self.given))]
        return " ".join(["analyser", words, *ids, *folder])

    def matching(self, pattern: str) -> list[Loadout]:
        """Return every loadout that matches a selector with wildcards, in the order of the files.

        ``crown/*`` means all units at all levels, ``*/*@basic`` all basic loadouts. A pattern without a wildcard is
        resolved by :meth:`loadout`.

        Raises
        ------
        InputError
            Nothing matches.
        """
        check_text(pattern, "selector", _SELECTOR)
        if not any(mark in pattern for mark in "*?["):
            return [self.loadout(pattern)]
        faction, slash, rest = pattern.lower().partition("/")
        among: Iterable[Loadout] = self
        if slash and not any(mark in faction for mark in "*?["):
            named = self.faction(faction)
            faction = named.id
            among = self if "factions" in vars(self) else _by_selector([named], self.ruleset.rules).values()
        wildcard = f"{faction}{slash}{rest}" + ("" if "@" in pattern else "@*")
        fitting = [loadout for loadout in among if fnmatch.fnmatchcase(loadout.selector, wildcard)]
        if not fitting:
            names = sorted(self.by_selector)
            close = nearest(pattern, names) or names[:3]
            raise MisspeltError(f"selector {shown(pattern)} fits nothing", allowed=f"such as {', '.join(close)}")
        return fitting


ProfilesLike = Profiles | str | os.PathLike[str]
RulesetLike = Ruleset | Mapping[str, Any]


def load_profiles(folder: str | os.PathLike[str] | None = None) -> Profiles:
    """Return the profile library in `folder`, cached until a file in it changes.

    Parameters
    ----------
    folder : path, optional
        Default: the shipped profiles.

    Raises
    ------
    InputError
        No such folder.

    Examples
    --------
    >>> sorted(load_profiles().factions)
    ['commonwealth', 'crown', 'empire', 'enlightened', 'imperium']
    >>> load_profiles() is load_profiles()
    True
    """
    library = Profiles(folder)
    state = _state_of(library.folder)
    if state is None:
        return library
    return _kept(None if folder is None else os.fspath(folder), library.folder.absolute(), state)


@lru_cache(maxsize=8)
def _kept(folder: str | None, *_: object) -> Profiles:
    return Profiles(folder)


def library_of(profiles: ProfilesLike | None, ruleset: RulesetLike | None = None) -> Profiles:
    """Return a library from a library, the path of its folder, or None for the shipped profiles.

    `ruleset`: a die, a deck or both that replace those of the folder.
    """
    return (profiles if isinstance(profiles, Profiles) else load_profiles(profiles)).under(ruleset)


def _state_of(folder: Path) -> tuple[tuple[str, int, int, int], ...] | None:
    """Return names, times and sizes of the profile files; None if a time stamp is too recent to show changes."""
    try:
        with os.scandir(folder) as entries:
            files = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".toml")]
    except OSError:  # reading the file reports the error
        return None
    if any(time.time_ns() - status.st_mtime_ns < _TOO_FRESH for _, status in files):
        return None
    return tuple((name, status.st_mtime_ns, status.st_size, status.st_ino) for name, status in files)


def load_ruleset(folder: Path | None = None) -> Ruleset:
    """Return the current ruleset of a folder of profiles, or the shipped one if the folder has none.

    Examples
    --------
    >>> load_ruleset().die.sides, len(load_ruleset().deck.counts())
    (6, 13)
    """
    return _record_in(Ruleset, *_for_all(folder, RULESET_FILE))  # omitted parts are the shipped ones


def _for_all(folder: Path | None, name: str) -> tuple[Path, bytes]:
    """Return path and content of a file for all factions: that of a folder, or the shipped one if it has none."""
    path = (folder or shipped_profiles()) / name
    if not path.exists():
        path = shipped_profiles() / name
    return path, path.read_bytes() if path.is_file() else b""


def _record_in(model: type[RecordT], path: Path, content: bytes) -> RecordT:
    return cast("RecordT", _read_record(model, path, content))


@lru_cache(maxsize=16)
def _read_record(model: type[Record], path: Path, _: bytes) -> Record:
    shipped = shipped_profiles() / path.name
    left_out = read_toml(shipped) if model is Ruleset and shipped != path else {}
    return checked(model, {**left_out, **read_toml(path)}, where=str(path))


def _by_selector(factions: Iterable[Faction], house_rules: HouseRules) -> dict[str, Loadout]:
    units = ((faction, unit) for faction in factions for unit in faction.units)
    return {loadout.selector: loadout for faction, unit in units for loadout in _loadouts(faction, unit, house_rules)}


def _loadouts(faction: Faction, unit: Unit, house_rules: HouseRules) -> list[Loadout]:
    loadouts = (Loadout(faction=faction.id, unit=unit, level_name=name) for name in unit.levels)
    return [loadout.under(house_rules) for loadout in loadouts]
