"""Rosters made of catalogues, as BattleScribe and New Recruit would write them; what is in them is known.

A plain reading of the catalogues, which shares nothing with the importer.
"""

import io
import json
import random
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from tests.helpers.catalogues import Entry, catalogue

GAME_ID, GAME = "sys-e850-e7dd-b6e5-f6c0", "Armoured_Clash-Main-Snek"
NAMESPACE = "http://www.battlescribe.net/schema/rosterSchema"
LEVELS = {"Basic": "basic", "Reinforced": "reinforced", "REINFORCED": "reinforced"}
LEVELS |= dict.fromkeys(("Full Strength", "Full strength"), "full-strength")
POINTS = {"name": "Points", "typeId": "e58e-982d-7630-5342"}


@dataclass
class Listed:
    """A unit of a roster: what a reader should find."""

    name: str
    level: str
    models: int
    points: int
    battlegroup: str
    number: int = 1
    custom_name: str = ""


@dataclass
class Made:
    """A roster, and what is in it."""

    root: Element
    faction: str
    units: list[Listed] = field(default_factory=list)
    boons: list[str] = field(default_factory=list)
    unknown: list[tuple[str, int]] = field(default_factory=list)  # what nobody can understand, and its cost
    points: int = 0


def tree_of(text):
    """A catalogue without its namespace."""
    root = ElementTree.fromstring(text)
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
    return root


def real_catalogues(folder):
    return [tree_of(path.read_bytes()) for path in sorted(Path(folder).glob("*.cat"))]


BANK = (  # what a kind of battlegroup of our own takes
    '<forceEntry name="{name}" id="{id}"><categoryLinks><categoryLink name="Boons" targetId="c-boons"/>'
    '<categoryLink name="Commander" targetId="c-commander">{led}</categoryLink>'
    '<categoryLink name="Infantry" targetId="c-infantry">{infantry}</categoryLink></categoryLinks></forceEntry>'
)


def limits(**numbers):
    """At least and at most so many in a force."""
    each = '<constraint type="{}" value="{}" field="selections" scope="force"/>'
    return f"<constraints>{''.join(each.format(*pair) for pair in numbers.items())}</constraints>"


def own_catalogue():
    """A small catalogue of our own, as a text: three units, two kinds of battlegroup, a boon."""
    led = (("Commander", True), ("Infantry", False), ("Light", False))
    units = [
        Entry(attributes='id="u-otter"', categories=led),
        Entry(name="Newt Battery", rules="Emplacement", attributes='id="u-newt"'),
        Entry(name="Heron Flight", attributes='id="u-heron"', inside=limits(max=1)),
    ]
    boon = (
        '<selectionEntry type="upgrade" name="Gifts" id="b-all"><categoryLinks><categoryLink name="Boons" '
        'primary="true"/></categoryLinks><selectionEntries><selectionEntry type="upgrade" name="High Tide" id="b-tide">'
        '<costs><cost name="Points" typeId="p" value="15"/></costs></selectionEntry></selectionEntries>'
        "</selectionEntry>"
    )
    one = limits(min=1, max=1)
    forces = BANK.format(name="Bank", id="f-1", led=one, infantry=limits(min=1, max=4))
    forces += BANK.format(name="Shallows", id="f-2", led=one, infantry=limits(max=2))
    attributes = f'id="c-river" gameSystemId="{GAME_ID}"'
    text = catalogue(*units, boon, tail=f"<forceEntries>{forces}</forceEntries>", attributes=attributes)
    for name in ("Boons", "Commander", "Infantry", "Light"):
        link = f'<categoryLink name="{name}"'
        text = text.replace(f"{link} primary", f'{link} targetId="c-{name.lower()}" primary')
    return text


def roster(book, seed, *, most_units=14):
    """A roster of the units of a catalogue at random, the dirt of real ones in it."""
    rng = random.Random(seed)
    made = _begun(book, f"List {seed}", f"r{seed}", rng.choice((-1, 1500, 2000)))
    kinds = [(each.get("id"), each.get("name")) for each in book.iterfind("forceEntries/forceEntry")]
    holder = made.root
    for number in range(rng.choice((1, 1, 2, 3))):
        forces = holder.find("forces") if holder.find("forces") is not None else SubElement(holder, "forces")
        force = _force(forces, rng.choice(kinds), book, number)
        battlegroup = _free_name(force.get("name"), made)
        selections = SubElement(force, "selections")
        for entry in rng.choices(_entries(book, "unit"), k=rng.randint(1, most_units)):
            _add_any(selections, entry, battlegroup, made, rng)
        if rng.random() < 0.4:
            holder_of_boons = rng.choice(_entries(book, "upgrade"))
            boon = rng.choice([*holder_of_boons.iterfind(".//selectionEntry")])
            _add_boon(selections, holder_of_boons, boon, made).append(_profiles(boon))
        if rng.random() < 0.2:
            _add_unknown(selections, "Lucky Charm", rng.choice((0, 5)), made)
        holder = rng.choice((made.root, force))  # forces inside forces
    return _finished(made)


def _begun(book, name, roster_id, limit):
    root = Element("roster", {"id": roster_id, "name": name, "battleScribeVersion": "2.03"})
    root.attrib |= {"gameSystemId": GAME_ID, "gameSystemName": GAME, "gameSystemRevision": "2", "xmlns": NAMESPACE}
    SubElement(root, "costs")
    SubElement(SubElement(root, "costLimits"), "costLimit", POINTS | {"value": str(limit)})
    return Made(root, book.get("name"))


def _finished(made):
    """The roster with its points, and a number for each selection."""
    SubElement(made.root.find("costs"), "cost", POINTS | {"value": f"{made.points}.0"})
    for number, each in enumerate(made.root.iter("selection")):
        each.set("id", f"s{number}")
    return made


def _force(forces, kind, book, number):
    attributes = {"id": f"f{number}", "name": kind[1], "entryId": kind[0], "catalogueId": book.get("id", "")}
    return SubElement(forces, "force", attributes | {"catalogueName": book.get("name"), "catalogueRevision": "1"})


def _free_name(name, made):
    taken = {unit.battlegroup for unit in made.units}
    numbers = (f"{name} #{number}" for number in range(2, 99))
    return name if name not in taken else next(each for each in numbers if each not in taken)


def _entries(book, kind):
    return [each for each in book.iterfind("selectionEntries/selectionEntry") if each.get("type") == kind]


def _add_any(selections, entry, battlegroup, made, rng):
    """A unit at a level at random, one or two of it, perhaps with a name of its own and a trinket."""
    number = rng.choice((1, 1, 1, 1, 2))
    levels = [link for link in entry.iter("entryLink") if link.get("name") in LEVELS]
    selection = _add_unit(selections, entry, rng.choice(levels), number, battlegroup, made)
    unit = made.units[-1]
    if rng.random() < 0.15:
        unit.custom_name = f"{unit.name} of {rng.randrange(10**6)}"
        selection.set("customName", unit.custom_name)
    if rng.random() < 0.1:
        _add_unknown(selection.find("selections"), f"Trinket {rng.randrange(100)}", 0, made)


def _add_unit(selections, entry, link, number, battlegroup, made):
    """So many units of an entry at the level that a link of it is; their selection."""
    stats = _cells(link.find("profiles/profile"))
    cost = sum(int(float(each.get("value"))) for each in (*link.iterfind("costs/cost"), *entry.iterfind("costs/cost")))
    level = LEVELS[link.get("name")]
    made.units.append(Listed(entry.get("name").strip(), level, int(stats["Models"]), cost, battlegroup, number))
    made.points += cost * number
    selection = _selection(selections, entry.get("name"), entry.get("id", ""), "unit", number)
    selection.append(_profiles(entry))
    categories = SubElement(selection, "categories")
    for each in entry.iterfind("categoryLinks/categoryLink"):
        attributes = {"id": each.get("id", ""), "name": each.get("name"), "entryId": each.get("targetId", "")}
        SubElement(categories, "category", attributes | {"primary": each.get("primary", "false")})
    inside = SubElement(selection, "selections")
    chain = "::".join(filter(None, (link.get("id"), link.get("targetId"))))
    chosen = _selection(inside, link.get("name"), chain, "upgrade", number)
    chosen.append(_profiles(link))
    _costs(chosen, cost * number)
    for each in entry.iterfind("selectionEntries/selectionEntry"):
        _selection(inside, each.get("name"), each.get("id", ""), "upgrade", number).append(_profiles(each))
    return selection


def _add_boon(selections, holder, boon, made):
    outer = _selection(selections, holder.get("name"), holder.get("id"), "upgrade", 1)
    cost = sum(int(float(each.get("value"))) for each in boon.iterfind("costs/cost"))
    inner = _selection(SubElement(outer, "selections"), boon.get("name"), boon.get("id"), "upgrade", 1)
    _costs(inner, cost)
    made.boons.append(boon.get("name"))
    made.points += cost
    return inner


def _add_unknown(selections, name, cost, made):
    _costs(_selection(selections, name, "0000-none", "upgrade", 1), cost)
    made.unknown.append((name, cost))
    made.points += cost


def _selection(selections, name, entry, kind, number):
    attributes = {"id": "", "name": name, "entryId": entry, "number": str(number), "type": kind}
    return SubElement(selections, "selection", attributes | {"from": "entry"})


def _costs(selection, value):
    SubElement(SubElement(selection, "costs"), "cost", POINTS | {"value": f"{value}.0"})


def _profiles(holder):
    """The profiles of an entry as a roster has them: with what their modifiers made of them."""
    profiles = Element("profiles")
    for each in holder.iterfind("profiles/profile"):
        attributes = {"id": each.get("id", ""), "name": each.get("name"), "hidden": "false"}
        profile = SubElement(profiles, "profile", attributes | {"typeName": each.get("typeName", "")})
        cells = SubElement(profile, "characteristics")
        for name, text in _cells(each).items():
            SubElement(cells, "characteristic", {"name": name, "typeId": "t"}).text = text or None
    return profiles


def _cells(profile):
    found = {each.get("typeId"): each for each in profile.iterfind("characteristics/characteristic")}
    texts = {key: each.text or "" for key, each in found.items()}
    for modifier in profile.iterfind("modifiers/modifier"):
        if modifier.get("field") in found:  # else it hides the profile, of which no roster has more than its name
            assert modifier.get("type") == "set"
            texts[modifier.get("field")] = modifier.get("value")
    return {found[key].get("name"): text for key, text in texts.items()}


def xml_of(made):
    return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + ElementTree.tostring(made.root, "utf-8")


def zip_of(made, name="list.ros"):
    return packed(xml_of(made), name)


def packed(content, name="list.ros"):
    """A zip of one file; of equal contents the same bytes, whenever and wherever it is made."""
    buffer, entry = io.BytesIO(), zipfile.ZipInfo(name)  # of 1980, where nobody says another date
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, content)
    return buffer.getvalue()


def read_again(path):
    """The roster in a `.rosz` file, without the list of what is in it."""
    with zipfile.ZipFile(path) as archive:
        root = tree_of(archive.read(archive.infolist()[0]))
    root.set("xmlns", NAMESPACE)
    return Made(root, "")


def json_of(made):
    """The roster as New Recruit's JSON: without the wrappers, numbers as numbers."""
    return json.dumps({"roster": _table(made.root) | {"generatedBy": "https://newrecruit.eu"}}).encode()


def _table(element):
    table = {key: _plain(key, value) for key, value in element.attrib.items()}
    for wrapper in element:
        if not len(wrapper) and not wrapper.attrib:
            continue
        table[wrapper.tag] = [_table(each) for each in wrapper]
    return table | ({"$text": element.text} if element.text else {})


def _plain(key, value):
    if key in ("number", "value", "battleScribeVersion", "catalogueRevision", "gameSystemRevision"):
        return float(value) if "." in value and not value.endswith(".0") else int(float(value))
    return value == "true" if key in ("hidden", "primary") else value


FORMS = {".ros": xml_of, ".rosz": zip_of, ".json": json_of}
