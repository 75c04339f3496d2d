"""The rooms of the package and who may know whom: imports go one way."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import analyser

PACKAGE = Path(analyser.__file__).parent

# A room may import the rooms of the floors below it; a package, such as `rules`, also its own modules.
FLOORS = (
    ("errors",),
    ("files",),
    ("kernel_cache",),
    ("validation", "jit", "estimates", "sampling", "glossary"),
    ("dice", "cards", "units"),
    ("tables",),
    ("profiles", "bounds"),
    ("ruleset", "importers"),
    ("scenario",),
    ("resolve", "situations"),
    ("rules",),
    ("compile",),
    ("engine",),
    ("rows", "metrics"),
    ("results", "account"),
    ("plots", "api"),
    ("fights",),
    ("comparisons", "morale"),
    ("balance", "studies"),
    ("explorer",),
    ("report",),
    ("changes",),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FRONT_DOOR = "__init__"  # `analyser` itself: hands out names of other rooms when they are asked for
ONLY_NUMBERS = {"rules": {"dice", "jit", "rules"}, "engine": {"errors", "dice", "cards", "jit", "rules", "engine"}}
MAY_PRINT_AND_EXIT = {"cli", "__main__"}
HEAVY = ("pandas", "matplotlib", "numba", "scipy", "pyarrow")


def sources():
    """Every module of the package: its room and its syntax tree."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield room_at(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8"), str(path))


def room_at(path):
    """The room that a file of the package stands in."""
    return path.parts[0].removesuffix(".py")


def modules_imported(tree):
    """The full names of all that a module imports, wherever in it and for whatever purpose."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports here are written in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(tree):
    """The rooms of this package that a module imports."""
    for name in modules_imported(tree):
        package, _, rest = name.partition(".")
        if package == "analyser":
            room = rest.partition(".")[0]
            yield room if room in FLOOR else FRONT_DOOR


def wrong_arrows(room, tree):
    """What a module of `room` imports though it stands no lower than that room."""
    for other in rooms_imported(tree):
        if other == FRONT_DOOR:
            if set(names_of_the_front_door(tree)) - {"__version__"}:
                yield f"{room} -> analyser"
        elif other != room and FLOOR[other] >= FLOOR[room]:
            yield f"{room} -> {other}"


def names_of_the_front_door(tree):
    for name in modules_imported(tree):
        package, _, rest = name.partition(".")
        if package == "analyser" and rest.partition(".")[0] not in FLOOR:
            yield rest


def prints_or_exits(tree):
    """The lines of a module that write to the terminal or end the program."""
    for node in ast.walk(tree):
        named = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
        if named in {
            "print",
            "exit",
            "quit",
            "SystemExit",
            "sys.exit",
            "os._exit",
            "sys.stdout",
            "sys.stderr",
            "click.echo",
        }:
            yield f"line {node.lineno}: {named}"


MODULES = list(sources())


def test_every_module_has_a_floor():
    assert {room for room, _ in MODULES} - {FRONT_DOOR} <= FLOOR.keys()


def test_imports_go_one_way():
    inside = [(room, tree) for room, tree in MODULES if room in FLOOR]
    assert [arrow for room, tree in inside for arrow in wrong_arrows(room, tree)] == []


@pytest.mark.parametrize("room", ONLY_NUMBERS)
def test_rules_and_engines_know_numbers_only(room):
    known = {other for each, tree in MODULES if each == room for other in rooms_imported(tree)}
    assert known <= ONLY_NUMBERS[room]


@pytest.mark.parametrize("room", ["rules", "engine", "jit", "dice", "cards"])
def test_rules_and_engines_import_no_tables_and_no_pictures(room):
    imported = {name.partition(".")[0] for each, tree in MODULES if each == room for name in modules_imported(tree)}
    assert not imported & {"pandas", "matplotlib", "scipy", "pyarrow", "click", "tqdm"}


def test_only_the_command_line_prints_or_exits():
    elsewhere = [(room, tree) for room, tree in MODULES if room not in MAY_PRINT_AND_EXIT]
    assert [f"{room}, {found}" for room, tree in elsewhere for found in prints_or_exits(tree)] == []


def test_import_analyser_stays_quick():
    look = f"import sys, analyser; print(*[name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_every_public_name_can_be_had():
    assert [name for name in analyser.__all__ if not hasattr(analyser, name)] == []


# --- the checks themselves --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("room", "line", "wrong"),
    [
        ("rules", "from analyser.scenario import Scenario", []),
        ("scenario", "from analyser.rules.armoured_clash import damage", ["scenario -> rules"]),
        ("engine", "def later():\n    import analyser.results", ["engine -> results"]),
        ("units", "from analyser import dice, errors", ["units -> dice"]),
        ("rules", "from analyser.rules.armoured_clash.facts import FIGHT", []),
        ("results", "from analyser import exact", ["results -> analyser"]),
        ("cli", "from analyser import __version__", []),
    ],
)
def test_a_wrong_arrow_is_seen(room, line, wrong):
    assert list(wrong_arrows(room, ast.parse(line))) == wrong


@pytest.mark.parametrize("line", ["print(1)", "import sys; sys.exit(2)", "raise SystemExit", "sys.stderr.write('')"])
def test_a_print_or_an_exit_is_seen(line):
    assert list(prints_or_exits(ast.parse(line)))
