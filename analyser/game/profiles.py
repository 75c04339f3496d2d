"""The profile library: unit files, and the selectors that find a loadout in them."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from analyser import __version__
from analyser.common.errors import InputError, MisspeltError, check_text, nearest, one_of_these, shown
from analyser.common.files import cannot_read, is_there, path_of, read_toml
from analyser.common.validation import Record, checked
from analyser.game.forces import ForceRules
from analyser.game.ruleset import Ruleset
from analyser.game.units import Faction, Loadout, Unit

if TYPE_CHECKING:
    import pandas as pd

ItemT = TypeVar("ItemT")
RecordT = TypeVar("RecordT", bound=Record)

RULESET_FILE = "ruleset.toml"
FORCES_FILE = "forces.toml"
FOR_ALL_FACTIONS = (RULESET_FILE, FORCES_FILE)  # files of a folder of profiles that are not a faction's
MORALE_RULESETS = "morale"  # the folder of ruleset files of other games, in a folder of profiles
_VERSION_LENGTH = 12  # hexadecimal figures: no two sets of profiles will ever share them by chance
_TOO_FRESH = 2_000_000_000  # ns: files changed later than that before a look can change again at the same time stamp
MOST_LISTED = 12  # names in a message
_LIKE_A_WORD = 0.75  # as `likeness` of `nearest`
_NOT_IN_TABLE = {"id", "name", "entry", "levels", "rows", "in_force", "battlegroups"}
_SELECTOR = "such as crown/rifle-platoon@reinforced"
_KEYS_IN_PYTHON = (
    'in Python keys go into a mapping: {"unit": "...", "suppressed": True}, of an attack {"attacker": "...", '
    '"distance": 6}'
)


def shipped_profiles() -> Path:
    """The folder of profiles that came with this package."""
    inside = Path(__file__).parents[1] / "profiles"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "profiles"


class ProfilesUsed(NamedTuple):
    """Which profiles an answer comes from, so that two answers can be told apart.

    Attributes
    ----------
    folder : str
        As it was given; of the shipped ones the program that they came with, wherever it is installed.
    version : str
        Stands for the content of the files: equal for equal files, in whatever folder they are.
    """

    folder: str
    version: str

    def __str__(self) -> str:
        return f"{self.folder}, version {self.version}"


def profiles_record(used: ProfilesUsed | None) -> dict[str, Any]:
    """The `profiles` entry of an answer's JSON; empty for an answer without profiles."""
    return {} if used is None else {"profiles": used._asdict()}


def profiles_used(folder: str | os.PathLike[str] | None = None, *, morale: bool = False) -> ProfilesUsed:
    """The folder of profiles and its version; `morale`: the rulesets of other games count too.

    Examples
    --------
    >>> profiles_used().folder
    'shipped with analyser 0.1.0'
    """
    place = shipped_profiles() if folder is None else Path(folder)
    rules = (f"{MORALE_RULESETS}/*.toml",) if morale else ()
    files = {path.relative_to(place).as_posix(): path for pattern in ("*.toml", *rules) for path in place.glob(pattern)}
    for path in (path for pattern in (*FOR_ALL_FACTIONS, *rules) for path in shipped_profiles().glob(pattern)):
        files.setdefault(path.relative_to(shipped_profiles()).as_posix(), path)  # stands in for one that is not there
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        try:
            content = path.read_bytes().replace(b"\r\n", b"\n")  # lines ended as everywhere
        except OSError as error:
            raise cannot_read(path, error) from None
        digest.update(f"{name} {len(content)}\n".encode() + content)
    named = f"shipped with analyser {__version__}" if folder is None else str(folder)
    return ProfilesUsed(named, digest.hexdigest()[:_VERSION_LENGTH])


class Profiles:
    """A folder of unit files, one a faction, read when first asked for.

    Parameters
    ----------
    folder : path, optional
        Default: the shipped profiles.

    Examples
    --------
    >>> Profiles()["crown/rifle-platoon@reinforced"].level.models
    12
    >>> Profiles()
    <Profiles shipped with analyser ...>
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._given, self._read, self._found = folder, dict[Path, Faction](), dict[str, Loadout]()
        self.folder = shipped_profiles() if folder is None else path_of(folder, "profiles")
        if not is_there(self.folder) or not self.folder.is_dir():
            raise InputError("no such folder of profiles", where=str(self.folder))

    @cached_property
    def used(self) -> ProfilesUsed:
        """The folder and the version of what is read from it."""
        return profiles_used(self._given)

    @cached_property
    def factions(self) -> dict[str, Faction]:
        """Every faction of the folder by its id, in the order of the ids."""
        now = profiles_used(self._given)
        if vars(self).get("used", now) != now:  # since a file was read alone
            self._read.clear()
            self._found.clear()
        vars(self)["used"] = now
        paths = sorted(path for path in self.folder.glob("*.toml") if path.name not in FOR_ALL_FACTIONS)
        if not paths:
            raise InputError("no unit files here", where=str(self.folder), allowed="at least one faction .toml")
        found: dict[str, Path] = {}
        for path in paths:
            if (other := found.setdefault(self._faction_in(path).id, path)) != path:
                problem = f"the same faction {self._faction_in(path).id!r} as in {other}"
                raise InputError(problem, where=str(path), allowed="each faction once")
        return {name: self._faction_in(found[name]) for name in sorted(found)}

    def _faction_in(self, path: Path) -> Faction:
        if path not in self._read:
            vars(self).setdefault("used", profiles_used(self._given))  # the version of what is read now
            self._read[path] = checked(Faction, read_toml(path), where=str(path))
        return self._read[path]

    def _factions_for(self, name: str) -> Mapping[str, Faction]:
        """The factions that a faction's name can mean: that of the file of that name alone, for the others take time.

        A file of another name, or a part of a name, is looked for among them all.
        """
        path = self.folder / f"{name}.toml"
        if "factions" in vars(self) or not name.replace("-", "").isalnum() or path.name in FOR_ALL_FACTIONS:
            return self.factions
        if not path.is_file() or self._faction_in(path).id != name:
            return self.factions
        return {name: self._faction_in(path)}

    @cached_property
    def ruleset(self) -> Ruleset:
        """The attack die and the deck of the folder; the shipped ones where it has no ruleset file."""
        return load_ruleset(self.folder)

    @cached_property
    def force_rules(self) -> ForceRules:
        """The force building that is the same for all factions; the shipped one where the folder has no file of it."""
        return _record_in(ForceRules, *_for_all(self.folder, FORCES_FILE))

    @cached_property
    def by_selector(self) -> dict[str, Loadout]:
        """Every loadout by its whole selector, in the order of the files."""
        found = _by_selector(self.factions.values())
        self._found |= found
        return found

    def __iter__(self) -> Iterator[Loadout]:
        return iter(self.by_selector.values())

    def __repr__(self) -> str:
        units = ", ".join(f"{name} ({len(faction.units)} units)" for name, faction in self.factions.items())
        return f"<Profiles {self.used}: {units}>"

    def to_frame(self) -> pd.DataFrame:
        """Every loadout as a row of a table, in the order of the files.

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
                "selector": each.selector,
                "faction": each.faction,
                "unit": each.unit.name,
                "level": each.level_name,
                **each.level.model_dump(include={"models", "points", "victory_points"}),
                **{
                    key: ", ".join(value) if isinstance(value, tuple) else value
                    for key, value in each.unit.model_dump(exclude=_NOT_IN_TABLE).items()
                },
                "rows": ", ".join(row.id for row in each.unit.rows),
            }
            for each in self
        )

    def faction(self, name: str) -> Faction:
        """The one faction that `name` means; forgives and raises as :meth:`loadout`."""
        check_text(name, "faction", "a name such as crown")
        part = _parts(f"{name}/")[0]
        return _one(part, self._factions_for(part).items(), "faction")

    def loadout(self, selector: str | Loadout) -> Loadout:
        """The one loadout that `selector` means.

        Parameters
        ----------
        selector : str or Loadout
            ``faction/unit@level``. Case, spaces and underscores are forgiven, and so is any shortening
            that still means one thing; the faction may be left out, and the level of a unit with only one.
            A loadout comes back as it is.

        Raises
        ------
        InputError
            Nothing fits (with the nearest names), or more than one thing does.
        """
        if isinstance(selector, Loadout):
            return selector
        check_text(selector, "selector", _SELECTOR)
        if selector not in self._found:
            level, levels = _parts(selector)[2], [(each.level_name, each) for each in _loadouts(*self.unit(selector))]
            is_one = not level and len(levels) == 1
            self._found[selector] = levels[0][1] if is_one else _one(level, levels, "level", selector)
        return self._found[selector]

    __getitem__ = loadout

    def unit(self, selector: str) -> tuple[Faction, Unit]:
        """The one unit that `selector` means, whatever its level, and its faction; raises as :meth:`loadout`."""
        check_text(selector, "selector", _SELECTOR)
        before, colon, _ = selector.partition(":")
        if colon:  # some commands take keys there
            keys = "keys after a colon are for the commands attack, charge, focus and duel"
            raise InputError(f"selector {shown(selector)}: {keys}", allowed=f"{before!r}; {_KEYS_IN_PYTHON}")
        faction_part, unit_part, _ = _parts(selector)
        named = self._factions_for(faction_part).items()
        factions = [_one(faction_part, named, "faction", selector)] if faction_part else self.factions.values()
        units = [(unit.id, (faction, unit)) for faction in factions for unit in faction.units]
        named_alone = None if faction_part else self.factions.get(unit_part)
        try:
            return _one(unit_part, units, "unit", selector, f"{self.command('units', factions)} lists them")
        except InputError:
            if named_alone is None or not named_alone.units:
                raise
        example = f"{named_alone.id}/{named_alone.units[0].id}"
        allowed = f"one of its units, such as {example}; {self.command('units', [named_alone])} lists them"
        raise InputError(f"selector {shown(selector)}: {named_alone.id} is a faction", allowed=allowed)

    def command(self, words: str, factions: Collection[Faction] = ()) -> str:
        """A command line about these profiles: of one faction, or of all.

        >>> Profiles().command("army kinds", [Profiles().faction("crown")])
        'analyser army kinds crown'
        """
        faction = [each.id for each in factions] if len(factions) == 1 else []
        folder = [] if self._given is None else ["--profiles", shlex.quote(os.fspath(self._given))]
        return " ".join(["analyser", words, *faction, *folder])

    def matching(self, pattern: str) -> list[Loadout]:
        """Every loadout that a selector with wildcards fits, in the order of the files.

        ``crown/*`` means all units at all levels, ``*/*@basic`` all basic loadouts. A pattern without a
        wildcard means what :meth:`loadout` makes of it.

        Raises
        ------
        InputError
            Nothing fits.
        """
        check_text(pattern, "selector", _SELECTOR)
        if not any(mark in pattern for mark in "*?["):
            return [self.loadout(pattern)]
        faction, slash, rest = pattern.lower().partition("/")
        among: Iterable[Loadout] = self
        if slash and not any(mark in faction for mark in "*?["):
            named = self.faction(faction)
            faction = named.id
            among = self if "factions" in vars(self) else _by_selector([named]).values()
        wildcard = f"{faction}{slash}{rest}" + ("" if "@" in pattern else "@*")
        fitting = [each for each in among if fnmatch.fnmatchcase(each.selector, wildcard)]
        if not fitting:
            names = sorted(self.by_selector)
            close = nearest(pattern, names) or names[:3]
            raise MisspeltError(f"selector {shown(pattern)} fits nothing", allowed=f"such as {', '.join(close)}")
        return fitting


ProfilesLike = Profiles | str | os.PathLike[str]


def load_profiles(folder: str | os.PathLike[str] | None = None) -> Profiles:
    """The profile library in `folder`, read once a process and again whenever a file in it has changed.

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


def library_of(profiles: ProfilesLike | None) -> Profiles:
    """A library as it may be given: itself, by the path of its folder, or None for the shipped one."""
    return profiles if isinstance(profiles, Profiles) else load_profiles(profiles)


def _state_of(folder: Path) -> tuple[tuple[str, int, int, int], ...] | None:
    """What changes with the files of a folder; None where they changed too recently for their time stamps to tell."""
    try:
        with os.scandir(folder) as entries:
            files = [(each.name, each.stat()) for each in entries if each.name.endswith(".toml")]
    except OSError:  # whoever reads the file says what is wrong with it
        return None
    if any(time.time_ns() - status.st_mtime_ns < _TOO_FRESH for _, status in files):
        return None
    return tuple((name, status.st_mtime_ns, status.st_size, status.st_ino) for name, status in files)


def load_ruleset(folder: Path | None = None) -> Ruleset:
    """The ruleset of a folder of profiles, as it is now, or the shipped one where the folder has none.

    Examples
    --------
    >>> load_ruleset().die.sides, len(load_ruleset().deck.counts())
    (6, 13)
    """
    return _record_in(Ruleset, *_for_all(folder, RULESET_FILE))


def _for_all(folder: Path | None, name: str) -> tuple[Path, bytes]:
    """A file that is of no faction, and what is in it: that of a folder, or the shipped one where it has none."""
    path = (folder or shipped_profiles()) / name
    if not path.exists():
        path = shipped_profiles() / name
    return path, path.read_bytes() if path.is_file() else b""


def _record_in(model: type[RecordT], path: Path, content: bytes) -> RecordT:
    return cast("RecordT", _read_record(model, path, content))


@lru_cache(maxsize=16)
def _read_record(model: type[Record], path: Path, _: bytes) -> Record:
    return checked(model, read_toml(path), where=str(path))


def _by_selector(factions: Iterable[Faction]) -> dict[str, Loadout]:
    units = ((faction, unit) for faction in factions for unit in faction.units)
    return {each.selector: each for faction, unit in units for each in _loadouts(faction, unit)}


def _loadouts(faction: Faction, unit: Unit) -> list[Loadout]:
    return [Loadout(faction=faction.id, unit=unit, level_name=name) for name in unit.levels]


def _parts(selector: str) -> tuple[str, str, str]:
    """Faction, unit and level of a selector, tidied; the parts left out are empty."""
    tidied = "-".join(selector.lower().replace("_", " ").split()).replace("-/-", "/").replace("-@-", "@")
    faction, slash, rest = tidied.partition("/")
    if not slash:
        faction, rest = "", tidied
    unit, _, level = rest.partition("@")
    return faction, unit, level


def _one(part: str, named: Collection[tuple[str, ItemT]], what: str, selector: str = "", lists: str = "") -> ItemT:
    """The item that `part` names: exactly, else by its beginning, else by words or letters in it.

    `selector` is what it is a part of; `lists` says what lists the names where these are too many for a message.
    """
    place = f"selector {shown(selector)}: " if selector else ""
    for fits in (
        lambda name: name == part,
        lambda name: name.startswith(part),
        lambda name: f"-{part}" in f"-{name}",
        lambda name: part in name,
    ):
        fitting = [(name, item) for name, item in named if part and fits(name)]
        if len(fitting) == 1:
            return fitting[0][1]
        if fitting:
            allowed = _listed(name for name, _ in fitting)
            raise InputError(f"{place}{shown(part)} fits more than one {what}", allowed=allowed)
    names = [name for name, _ in named]
    problem = f"no {what} is called {shown(part)}" if part else f"the {what} is missing"
    close = _near(part, names)
    allowed = _listed(names)
    if len(set(names)) > MOST_LISTED:
        allowed = f"one of {len(set(names))} {what}s; {lists}" if lists else "" if close else allowed
    if not part and "@" not in selector and names:
        allowed += f"; such as {selector}@{names[0]}" * (what == "level")
    raise MisspeltError(f"{place}{problem}{one_of_these(close)}", allowed=allowed)


def _near(part: str, names: Collection[str]) -> list[str]:
    """The names most like `part`, or with a word like one of its words; a word alone is first looked for as a word."""
    whole = nearest(part, names)
    if whole and "-" in part:
        return whole
    words = sorted({word for name in names for word in name.split("-")})
    alike = {each for word in part.split("-")[:MOST_LISTED] for each in nearest(word, words, likeness=_LIKE_A_WORD)}
    return nearest(part, [name for name in names if alike.intersection(name.split("-"))], likeness=0.0) or whole


def _listed(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = f", … ({len(distinct)} in all)" if len(distinct) > MOST_LISTED else ""
    return ", ".join(distinct[:MOST_LISTED]) + more
