"""The profile library: it reads files of units, and finds a loadout (a unit at one level) by its selector."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shlex
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from analyser import __version__
from analyser.common.errors import InputError, MisspeltError, check_text, nearest, shown
from analyser.common.files import is_there, name_of, path_of, read_toml, unreadable_error
from analyser.common.text import fill
from analyser.common.validation import Record, checked
from analyser.game.forces import ForceRules
from analyser.game.names import find_named, selector_from_words, selector_parts
from analyser.game.ruleset import Ruleset, ruleset_parts, ruleset_record
from analyser.game.units import Faction, Loadout, Unit

RecordT = TypeVar("RecordT", bound=Record)

FILES_FOR_ALL = RULESET_FILE, FORCES_FILE = "ruleset.toml", "forces.toml"  # files for all factions
MORALE_RULESETS = "morale"  # subfolder of a folder of profiles, with the rulesets of other games
_VERSION_LENGTH = 12  # hexadecimal digits of a version
_TIME_STAMP_STEP = 2_000_000_000  # nanoseconds; within this time two changes may have the same time stamp
_SELECTOR_EXAMPLE = "such as crown/rifle-platoon@reinforced"


def shipped_profiles() -> Path:
    """Return the folder of profiles installed with this package."""
    inside = Path(__file__).parents[1] / "profiles"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "profiles"


class ProfilesUsed(NamedTuple):
    """Folder and version of the profiles that an answer uses."""

    folder: str  # as stated, or the name and version of the program for the shipped profiles
    version: str  # hash of the contents of the files, and of a stated ruleset
    ruleset: Ruleset | None = None  # None for other games, or if it is invalid

    def __str__(self) -> str:
        return f"{self.folder}, version {self.version}"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line; empty for other games."""
        return () if self.ruleset is None else (self.ruleset.assumption,)

    @property
    def sentences(self) -> list[str]:
        """Die, deck and profiles as sentences for the notes of an answer."""
        return [*(f"Assumption: {assumption}." for assumption in self.assumptions), f"Profiles: {self}."]

    def notes(self) -> list[str]:
        """Return the sentences as lines for a terminal."""
        *assumptions, profiles = self.sentences
        return [*(line for sentence in assumptions for line in fill(sentence)), profiles]

    def as_dict(self) -> dict[str, str]:
        """Return the folder and the version as plain data."""
        return {"folder": self.folder, "version": self.version}

    def fight_entries(self) -> dict[str, Any]:
        """Return the JSON entries `profiles`, `ruleset` and `assumptions` of an answer about fights."""
        entries = {"profiles": self.as_dict(), **ruleset_record(self.ruleset)}
        return entries | ({"assumptions": list(self.assumptions)} if self.ruleset else {})


def profiles_record(used: ProfilesUsed | None) -> dict[str, Any]:
    """Return the `profiles` entry of an answer's JSON; empty for an answer without profiles."""
    return {} if used is None else {"profiles": used.as_dict()}


def profiles_used(folder: str | os.PathLike[str] | None = None, *, morale: bool = False) -> ProfilesUsed:
    """Return a folder of profiles with its version; with `morale` the version also covers rulesets of other games."""
    root, shipped = shipped_profiles() if folder is None else Path(folder), shipped_profiles()
    rules = (f"{MORALE_RULESETS}/*.toml",) if morale else ()
    files = dict[str, Path]()  # the shipped files for all factions, unless the folder has its own
    for parent, patterns in ((shipped, (*FILES_FOR_ALL, *rules)), (root, ("*.toml", *rules))):
        files |= {path.relative_to(parent).as_posix(): path for pattern in patterns for path in parent.glob(pattern)}
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        try:
            content = path.read_bytes().replace(b"\r\n", b"\n")  # the version ignores line endings
        except OSError as error:
            raise unreadable_error(path, error) from None
        digest.update(f"{name} {len(content)}\n".encode() + content)
    name = f"shipped with analyser {__version__}" if folder is None else name_of(folder)
    return ProfilesUsed(name, digest.hexdigest()[:_VERSION_LENGTH])


class Profiles:
    """A folder of unit files, one for each faction, all read on first use.

    Parameters
    ----------
    folder : path, optional
        Default: the shipped profiles.
    ruleset : Ruleset or mapping, optional
        A die, a deck or house rules, such as ``{"die": {"strike": 3, "miss": 3}}``. They replace those of the folder
        and of scenarios. Default: the ruleset of the folder.

    Examples
    --------
    >>> Profiles()["crown/rifle-platoon@reinforced"].level.models
    12
    >>> Profiles()
    <Profiles shipped with analyser ...>
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, ruleset: RulesetLike | None = None) -> None:
        self.stated_folder, self._loadouts = folder, dict[str, Loadout]()
        self.stated_ruleset = {} if ruleset is None else ruleset_parts(ruleset)
        self.folder = shipped_profiles() if folder is None else path_of(folder, "profiles")
        if not is_there(self.folder) or not self.folder.is_dir():
            raise InputError("no such folder of profiles", where=str(self.folder))

    @cached_property
    def used(self) -> ProfilesUsed:
        """Folder and version of the files at the time of reading."""
        return self._used_now()

    def _used_now(self) -> ProfilesUsed:
        now = profiles_used(self.stated_folder)
        if self.stated_ruleset:
            content = f"{now.version} {self.ruleset.model_dump_json()}".encode()
            now = now._replace(version=hashlib.sha256(content).hexdigest()[:_VERSION_LENGTH])
        with suppress(InputError):  # an invalid ruleset file is reported when its die is used
            now = now._replace(ruleset=self.ruleset)
        return now

    def with_ruleset(self, ruleset: RulesetLike | None) -> Profiles:
        """Return the profiles with another die, deck or house rules; the same object if `ruleset` is None."""
        if ruleset is None:
            return self
        return Profiles(self.stated_folder, {**self.stated_ruleset, **ruleset_parts(ruleset)})

    @cached_property
    def factions(self) -> dict[str, Faction]:
        """Every faction of the folder by its id, sorted by id."""
        vars(self)["used"] = self._used_now()  # the version at the time of reading
        paths = sorted(path for path in self.folder.glob("*.toml") if path.name not in FILES_FOR_ALL)
        if not paths:
            raise InputError("no unit files here", where=str(self.folder), allowed="at least one faction .toml")
        result: dict[str, tuple[Path, Faction]] = {}
        for path in paths:
            faction = checked(Faction, read_toml(path), where=str(path), house_rules=self.ruleset.rules)
            if faction.id in result:
                problem = f"the same faction {faction.id!r} as in {result[faction.id][0]}"
                raise InputError(problem, where=str(path), allowed="each faction once")
            result[faction.id] = path, faction
        return {name: result[name][1] for name in sorted(result)}

    @cached_property
    def ruleset(self) -> Ruleset:
        """Attack die, deck and house rules: as stated, or of the folder, or as shipped."""
        ruleset, stated = _record_for_all(Ruleset, self.folder, RULESET_FILE), self.stated_ruleset
        return checked(Ruleset, {**ruleset.model_dump(mode="json"), **stated}) if stated else ruleset

    @cached_property
    def force_rules(self) -> ForceRules:
        """Rules of force building for all factions: of the folder, or as shipped."""
        return _record_for_all(ForceRules, self.folder, FORCES_FILE)

    @cached_property
    def by_selector(self) -> dict[str, Loadout]:
        """Every loadout by its full selector, sorted by faction, then in the order of the file."""
        units = ((faction, unit) for faction in self.factions.values() for unit in faction.units)
        result = {loadout.selector: loadout for pair in units for loadout in self._loadouts_of(*pair)}
        self._loadouts |= result
        return result

    def _loadouts_of(self, faction: Faction, unit: Unit) -> list[Loadout]:
        loadouts = (Loadout(faction=faction.id, unit=unit, level_name=name) for name in unit.levels)
        return [loadout.with_house_rules(self.ruleset.rules) for loadout in loadouts]

    def __iter__(self) -> Iterator[Loadout]:
        return iter(self.by_selector.values())

    def __repr__(self) -> str:
        units = ", ".join(f"{name} ({len(faction.units)} units)" for name, faction in self.factions.items())
        return f"<Profiles {self.used}: {units}>"

    def faction(self, name: str) -> Faction:
        """Return the faction called `name`, which may be abbreviated; errors are those of :meth:`loadout`."""
        check_text(name, "faction", "a name such as crown")
        return find_named(selector_parts(f"{name}/")[0], self.factions.items(), "faction")

    def loadout(self, selector: str | Loadout) -> Loadout:
        """Return the loadout that `selector` means; a loadout is returned unchanged.

        Parameters
        ----------
        selector : str or Loadout
            ``faction/unit@level``, or these words separated by spaces; case is ignored. Any unambiguous abbreviation
            is accepted. The faction may be left out, and so may the level of a unit with a single level.

        Raises
        ------
        InputError
            No loadout matches (the message has the most similar names), or several match.
        """
        if isinstance(selector, Loadout):
            return selector
        check_text(selector, "selector", _SELECTOR_EXAMPLE)
        if selector not in self._loadouts:
            normalised = selector_from_words(selector, self.factions)
            level = selector_parts(normalised)[2]
            levels = [(loadout.level_name, loadout) for loadout in self._loadouts_of(*self.unit(normalised))]
            is_only = not level and len(levels) == 1
            self._loadouts[selector] = levels[0][1] if is_only else find_named(level, levels, "level", normalised)
        return self._loadouts[selector]

    __getitem__ = loadout

    def unit(self, selector: str) -> tuple[Faction, Unit]:
        """Return the faction and the unit of a selector, ignoring its level; errors are those of :meth:`loadout`."""
        check_text(selector, "selector", _SELECTOR_EXAMPLE)
        before, colon, _ = selector.partition(":")
        if colon:  # some commands accept keys after a colon
            problem = f"selector {shown(selector)}: no keys are accepted after a colon here"
            raise InputError(problem, allowed=f"{before!r}; keys go into a table in a file, or a mapping in Python")
        selector = selector_from_words(selector, self.factions)
        faction_part, unit_part, _ = selector_parts(selector)
        by_name = [find_named(faction_part, self.factions.items(), "faction", selector)] if faction_part else []
        factions = by_name or self.factions.values()
        units = [(unit.id, (faction, unit)) for faction in factions for unit in faction.units]
        named_faction = None if faction_part else self.factions.get(unit_part)  # the selector may name only a faction
        try:
            return find_named(unit_part, units, "unit", selector, f"{self.command('units', factions)} lists them")
        except InputError:
            if named_faction is None or not named_faction.units:
                raise
        example, command = f"{named_faction.id}/{named_faction.units[0].id}", self.command("units", [named_faction])
        allowed = f"one of its units, such as {example}; {command} lists them"
        raise InputError(f"selector {shown(selector)}: {named_faction.id} is a faction", allowed=allowed)

    def command(self, words: str, factions: Collection[Faction] = ()) -> str:
        """Return a command line with the option for these profiles, and with the faction if `factions` has only one."""
        ids = [faction.id for faction in factions if len(factions) == 1]
        folder = [] if self.stated_folder is None else ["--profiles", shlex.quote(os.fspath(self.stated_folder))]
        return " ".join(["analyser", words, *ids, *folder])

    def matching(self, pattern: str) -> list[Loadout]:
        """Return every loadout that matches a selector, ordered as in `by_selector`; InputError if none does.

        Wildcards: ``crown/*`` means all units of the faction at all levels, ``*/*@basic`` all basic loadouts. If only
        the level has a wildcard, as in ``rifle-p@*``, the unit may be abbreviated as in :meth:`loadout`.
        """
        check_text(pattern, "selector", _SELECTOR_EXAMPLE)
        if not _has_wildcard(pattern):
            return [self.loadout(pattern)]
        name, at, level = pattern.lower().partition("@")
        if not _has_wildcard(name):
            named_faction, unit = self.unit(name)
            name = f"{named_faction.id}/{unit.id}"
        faction, slash, rest = name.partition("/")
        if slash and not _has_wildcard(faction):
            faction = self.faction(faction).id
        wildcard = f"{faction}{slash}{rest}@{level if at else '*'}"
        for wanted in (wildcard, f"*/{wildcard}"):  # the second pattern: a unit without its faction
            if matching := [loadout for loadout in self if fnmatch.fnmatchcase(loadout.selector, wanted)]:
                return matching
        names = sorted(self.by_selector)
        similar = nearest(pattern, names) or names[:3]
        raise MisspeltError(f"selector {shown(pattern)} fits no loadout", allowed=f"such as {', '.join(similar)}")


def _has_wildcard(text: str) -> bool:
    return any(mark in text for mark in "*?[")


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
    return _cached_library(None if folder is None else os.fspath(folder), library.folder.absolute(), state)


@lru_cache(maxsize=8)
def _cached_library(folder: str | None, *_: object) -> Profiles:
    return Profiles(folder)


def library_of(profiles: ProfilesLike | None) -> Profiles:
    """Return the profiles of a library or a folder; None stands for the shipped folder."""
    return profiles if isinstance(profiles, Profiles) else load_profiles(profiles)


def _state_of(folder: Path) -> tuple[tuple[str, int, int, int], ...] | None:
    """Return name, time, size and inode of each file; None if a time is too recent to reveal a later change."""
    try:
        with os.scandir(folder) as entries:
            files = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".toml")]
    except OSError:  # reading the files reports the error
        return None
    if any(time.time_ns() - status.st_mtime_ns < _TIME_STAMP_STEP for _, status in files):
        return None
    return tuple((name, status.st_mtime_ns, status.st_size, status.st_ino) for name, status in files)


def _record_for_all(model: type[RecordT], folder: Path, name: str) -> RecordT:
    """Return the record in the file `name` of a folder, or in the shipped file if the folder has none."""
    path = folder / name if (folder / name).exists() else shipped_profiles() / name
    return cast("RecordT", _read_record(model, path, path.read_bytes() if path.is_file() else b""))


@lru_cache(maxsize=16)  # the content is an argument, so a changed file is read again
def _read_record(model: type[Record], path: Path, _: bytes) -> Record:
    shipped = shipped_profiles() / path.name  # omitted parts of a ruleset come from the shipped file
    defaults = read_toml(shipped) if model is Ruleset and shipped != path else {}
    return checked(model, {**defaults, **read_toml(path)}, where=str(path))
