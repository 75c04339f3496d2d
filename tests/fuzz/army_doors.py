"""The doors that take armies: files and lists of our own, and rosters of other programs in all their forms."""

import functools
import json
import tempfile
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import analyser
from analyser.common.errors import printable, shown
from analyser.game.importers.battlescribe import import_files
from analyser.report.army_card import army_card
from tests.helpers import rosters

SAMPLES = Path(__file__).parents[2] / "notebooks" / "armies"
SHIPPED = "shipped"  # whose profiles an army is looked up in; else those of a catalogue of our own
NEWTS = {"unit": "newt-battery@reinforced", "count": 2, "reserve": True, "behind": 2.5}
LISTS = [["river-folk/otter-guard@basic", NEWTS]]


@functools.cache
def library():
    folder = Path(tempfile.mkdtemp())
    (folder / "river.cat").write_text(rosters.own_catalogue(), encoding="utf-8")
    import_files(folder / "river.cat", out=folder / "profiles")
    return analyser.load_profiles(folder / "profiles")


def judged(army, profiles):
    """An army as plain data, where its own file makes the same army again; it is shown in every form, and checked."""
    again = analyser.load_army(tomllib.loads(army.to_toml()), profiles)
    assert again.loadouts == army.loadouts, "the army written is another when it is read"
    assert [unit.name for unit in again] == [unit.name for unit in army]
    assert (again.points, again.scale, again.boons) == (army.points, army.scale, army.boons)
    check = analyser.check_army(army, profiles)
    assert str(army)
    assert army_card(army).startswith("<!doctype html>")
    return army.as_dict() | {
        "warnings": list(army.warnings),
        "rows": army.rows(),
        "check": check.as_dict() | {"text": str(check)},
    }


def table(given, _folder):
    return judged(analyser.load_army(given["source"], library()), library())


def file_of(ending, key="file"):
    """An army or a roster as a file of that ending; what is no bytes is written as JSON."""

    def ask(given, folder):
        content, numbers = given[key], given.get("numbers", "profile")
        path = folder / f"list{ending}"
        path.write_bytes(content if isinstance(content, bytes) else _dumped(content))
        named = given.get("profiles")
        profiles = analyser.load_profiles() if isinstance(named, str) and named == SHIPPED else library()
        return judged(analyser.load_army(path, profiles, numbers=numbers), profiles)

    return ask


def _dumped(value):
    try:
        return json.dumps(value, default=repr, skipkeys=True).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # what holds itself, or more than a file can
        return shown(value).encode("utf-8", "replace")


def unzipped(given, folder):
    content = given["file"] if isinstance(given["file"], bytes) else repr(given["file"]).encode("utf-8", "replace")
    return file_of(".rosz")(given | {"file": rosters.packed(content)}, folder)


def well_formed(given, folder):
    """A roster that was changed element by element, so that it is XML, whatever it says."""
    return file_of(".ros")(given | {"file": "".join(_written(given["file"])).encode("utf-8", "replace")}, folder)


def _elements(made):
    """A roster as plain data: what each element is called, what it says, and what is in it."""

    def plain(element):
        inside = [plain(each) for each in element]
        return {"tag": element.tag, "is": dict(element.attrib), "text": element.text or "", "has": inside}

    return plain(made.root)


def _written(element):
    """Such data as XML; what is no element is left out."""
    if not isinstance(element, dict):
        return
    tag, is_, text, has = (element.get(key) for key in ("tag", "is", "text", "has"))
    name = tag if isinstance(tag, str) and tag.isalpha() else "selection"
    said = is_.items() if isinstance(is_, dict) else ()
    said = ((key, value) for key, value in said if isinstance(key, str) and key.isalpha())
    pairs = (f" {key}={quoteattr(printable(value if isinstance(value, str) else shown(value)))}" for key, value in said)
    yield f"<{name}{''.join(pairs)}>{escape(printable(text)) if isinstance(text, str) else ''}"
    for each in has if isinstance(has, list) else ():
        yield from _written(each)
    yield f"</{name}>"


def small(form):
    """Some rosters of a few units, and the sample rosters, which are whole."""
    book = rosters.tree_of(rosters.own_catalogue())
    made = [rosters.roster(book, seed, most_units=2) for seed in range(6)]
    numbers = ("profile", "roster")
    inputs = [{"file": form(each), "numbers": numbers[place % 2]} for place, each in enumerate(made)]
    whole = [rosters.read_again(path) for path in sorted(SAMPLES.glob("*.rosz"))]
    return inputs + [{"file": form(each), "numbers": "profile", "profiles": SHIPPED} for each in whole]


def toml_files(tables):
    armies = [analyser.load_army(each, library()) for each in tables]
    files = [{"file": each.to_toml().encode()} for each in armies]
    whole = [path.read_bytes() for path in sorted(SAMPLES.glob("*.toml"))]
    return files + [{"file": each, "profiles": SHIPPED} for each in whole]


def doors(tables):
    return {
        "army": (table, [{"source": each} for each in (*tables, *LISTS)]),
        "army toml": (file_of(".toml"), toml_files(tables)),
        "army ros": (file_of(".ros"), small(rosters.xml_of)),
        "army rosz": (unzipped, small(rosters.xml_of)),
        "army elements": (well_formed, small(_elements)),
        "army zip": (file_of(".rosz"), small(rosters.zip_of)),
        "army json": (file_of(".json"), small(rosters.json_of)),
        "army tree": (file_of(".json"), small(lambda made: json.loads(rosters.json_of(made)))),
    }
