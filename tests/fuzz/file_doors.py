"""The doors of files: scenarios, folders of profiles, and data files of other programs."""

import io
import zipfile

import analyser
from analyser.game.profiles import Profiles
from analyser.importers.battlescribe import import_files
from tests.fuzz.command_doors import spoken
from tests.helpers.catalogues import FORCES, Entry, catalogue


def toml(value):
    """A mapping as a TOML file."""
    import tomlkit

    return tomlkit.dumps(stated(value)).encode()


def stated(value):
    """What a file can say of a value: nothing of what is absent."""
    if isinstance(value, dict):
        return {key: stated(each) for key, each in value.items() if each is not None}
    return [stated(each) for each in value] if isinstance(value, list) else value


def files_of(sources):
    """Mappings as files."""
    return [{"file": toml(each)} for each in sources]


def write(folder, name, content):
    """Write what may be bytes; mutations put anything there."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else str(content).encode("utf-8", "surrogatepass"))
    return path


def run_file(given, folder):
    """A file handed to the command `run`."""
    path = write(folder, "scenario.toml", given["file"])
    return spoken(["run", path.name, "--format", "json"], folder)


def profile_folder(given, folder):
    """A folder of profiles with its ruleset, listed, and asked for a selector in it."""
    place = folder / "profiles"
    place.mkdir()
    write(place, "river.toml", given["faction"])
    write(place, "ruleset.toml", given["ruleset"])
    spoken(["units", "--profiles", "profiles"], folder)
    source = {"attack": {"attacker": "otter-guard@basic", "distance": 5}, "target": {"unit": "beaver-fort"}}
    try:
        return analyser.exact(source, profiles=analyser.load_profiles(place)).as_dict()
    finally:
        duel = ["duel", "otter-guard@basic", "otter-guard@basic", "--rounds", "1", "--profiles", "profiles"]
        spoken(duel, folder)


def import_one(given, folder):
    """Data files imported into a folder, which then holds all that was made of them, or nothing."""
    paths = [write(folder, name, given[key]) for key, name in (("cat", "a.cat"), ("gst", "b.gst")) if given.get(key)]
    if given.get("catz") is not None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.cat", given["catz"] if isinstance(given["catz"], bytes) else str(given["catz"]))
        paths.append(write(folder, "c.catz", packed.getvalue()))
    if given.get("zip") is not None:
        paths.append(write(folder, "d.catz", given["zip"]))
    out = folder / "out"
    try:
        report = import_files(paths, out=out)
    except analyser.InputError:
        assert not out.exists() or not [*out.iterdir()], "a refused import has written something"
        raise
    read = Profiles(out).factions
    assert {each.id: each for each in report.factions} == read, "the profiles written are others when they are read"
    return {"text": str(report)}


def zipped(text):
    """A data file packed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.cat", text)
    return packed.getvalue()


CATALOGUE = catalogue(Entry(), Entry(name="Newt Battery", rules="Sponsons (2), Veteran (1)"), tail=FORCES)
