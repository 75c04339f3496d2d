"""Invented BattleScribe catalogues, with every kind of dirt that is asked for."""

from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

SCHEMA = "http://www.battlescribe.net/schema/catalogueSchema"
GAME_SCHEMA = "http://www.battlescribe.net/schema/gameSystemSchema"
STATS = {"Target type": "Light", "Size": "1", "Models": "", "VPR": "", "Speed": '5"', "Defence": "2"}
STATS |= {"Damage limit": "1", "Discipline": "7", "Break Limit": "2"}


def profile(name, cells, modifiers="", type_name="Type"):
    cell = "<characteristic name={} typeId={}>{}</characteristic>"
    columns = "".join(cell.format(quoteattr(key), quoteattr(f"t-{key}"), escape(text)) for key, text in cells.items())
    inside = f"<characteristics>{columns}</characteristics>{modifiers}"
    return f"<profile name={quoteattr(name)} typeName={quoteattr(type_name)}>{inside}</profile>"


def weapon(name="Ranged (Light)", reach='6"/12"', cells=None, qualities="-"):
    cells = cells or {"1-3": "4", "4-6": "8", "7-9": "12"}
    return profile(name, {"Range": reach, **cells, "Qualities": qualities})


def level(name, models, points, vpr, stats=None, title="Otter Guard", modifiers=None, extra=""):
    if modifiers is None:
        modifiers = f"<modifier type='set' value='{models}' field='t-Models'/>"
        modifiers += f"<modifier type='set' value='{vpr}' field='t-VPR'/>"
    inside = profile(title, {**STATS, **(stats or {})}, f"<modifiers>{modifiers}</modifiers>", "Basic unit")
    cost = "" if points is None else f"<costs><cost name='points' typeId='p' value='{points}'/></costs>"
    return f"<entryLink name={quoteattr(name)} targetId='none'><profiles>{inside}</profiles>{cost}{extra}</entryLink>"


def three_levels(**kwargs):
    levels = ("Basic", 3, 50, 1), ("Full strength", 9, 140, 3), ("REINFORCED", 6, 95, 2)
    return "".join(level(*each, **kwargs) for each in levels)


FORCES = """<forceEntries><forceEntry id="f-1" name="River Folk Faction Battlegroup"><categoryLinks>
<categoryLink name="Infantry" targetId="c-1"><constraints><constraint id="k-1" type="min" value="1" field="selections"
scope="force"/><constraint id="k-2" type="max" value="4" field="selections" scope="parent"/></constraints>
</categoryLink><categoryLink name="Boons" targetId="c-2"/></categoryLinks></forceEntry></forceEntries>"""


@dataclass
class Entry:
    """One invented unit, clean unless told otherwise."""

    name: str = "Otter Guard"
    levels: str = field(default_factory=three_levels)
    weapons: str = field(default_factory=weapon)
    rules: str = "Hover, Bulky"
    categories: tuple = (("Infantry", True), ("Light", False), ("River Folk/Others", False))
    inside: str = ""
    attributes: str = ""

    def xml(self):
        link = "<categoryLink name={} primary='{}'/>"
        links = "".join(link.format(quoteattr(name), str(primary).lower()) for name, primary in self.categories)
        rules = profile("Special Rules", {"Special Rules": self.rules}, type_name="Special Rules")
        return f"""<selectionEntry type="unit" name={quoteattr(self.name)} {self.attributes}>
            <categoryLinks>{links}</categoryLinks><profiles>{rules}</profiles>{self.inside}
            <selectionEntryGroups><selectionEntryGroup name="Size"><entryLinks>{self.levels}</entryLinks>
            </selectionEntryGroup></selectionEntryGroups>
            <selectionEntries><selectionEntry type="upgrade" name=" Weapons"><profiles>{self.weapons}</profiles>
            </selectionEntry></selectionEntries></selectionEntry>"""


def catalogue(*entries, tail="", schema=SCHEMA, name="River Folk", attributes=""):
    units = "".join(entry if isinstance(entry, str) else entry.xml() for entry in entries)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><catalogue name={quoteattr(name)} revision="3" xmlns="{schema}" '
        f"{attributes}><selectionEntries>{units}</selectionEntries>{tail}</catalogue>"
    )


def game_system(body=""):
    return f'<gameSystem name="Game" xmlns="{GAME_SCHEMA}">{body}</gameSystem>'
