"""The levels of the package and who may know whom: imports go down, never up, and never round."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import analyser

PACKAGE = Path(analyser.__file__).parent

# What stands at the top of the package, level by level: each may import what stands on the levels below its own.
LEVELS = (
    ("common",),
    ("game",),
    ("rules",),
    ("engine",),
    ("scenarios",),
    ("plots",),
    ("results",),
    ("analysis", "morale"),
    ("ask", "web"),
    ("report", "api"),
    ("sweep",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
FRONT_DOOR = "__init__"  # `analyser` itself: hands out names of other modules when they are asked for
NUMBERS_ONLY = {"rules": {"common", "game", "rules"}, "engine": {"common", "game", "rules", "engine"}}
NO_TABLES = {"pandas", "matplotlib", "pyarrow", "click", "tqdm"}
MAY_PRINT_AND_EXIT = {"cli", "__main__"}


@cache
def modules():
    """Every module of the package by its full name: its syntax tree."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(("analyser", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found


def place_of(module):
    """What a module belongs to at the top of the package."""
    place = module.split(".")[1] if "." in module else FRONT_DOOR
    return place if place in LEVEL else FRONT_DOOR


def names_imported(tree):
    """The full names of all that a module imports, wherever in it and for whatever purpose."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports here are written in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def wrong_imports(place, tree):
    """What a module of `place` imports though it stands no lower."""
    for name in names_imported(tree):
        if name.partition(".")[0] != "analyser" or name == "analyser.__version__":
            continue
        other = place_of(name)
        if other == FRONT_DOOR and place == "cli":  # commands call the public functions
            continue
        if other == FRONT_DOOR or (other != place and LEVEL[other] >= LEVEL[place]):
            yield f"{place} -> {name}"


def prints_or_exits(tree):
    """The lines of a module that write to the terminal or end the program."""
    writers = {"print", "exit", "quit", "SystemExit"}
    writers |= {"sys.exit", "os._exit", "sys.stdout", "sys.stderr", "click.echo"}
    last = {name.rpartition(".")[2] for name in writers}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        if (node.id if isinstance(node, ast.Name) else node.attr) in last and (named := ast.unparse(node)) in writers:
            yield f"line {node.lineno}: {named}"


def imported_at_once(module, tree):
    """The modules of the package that importing a module imports: not those for type checkers, nor those for later."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            waiting.extend(node.body)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name in names_imported(ast.Module([node], [])):
                for candidate in (name, name.rpartition(".")[0]):
                    if candidate in modules() and candidate != module:
                        yield candidate
                        break


def imports_of_tests(text):
    """The statements of a module that import a module of tests."""
    statements = re.findall(r"^[ \t]*(?:from tests\S* import (?:\([^)]*\)|.*)|import tests.*)", text, re.MULTILINE)
    return [each for each in statements if re.search(r"\btest_\w+", each)]


def circles(graph):
    """The modules that import each other, directly or by way of others: those that no order can be found for."""
    left = dict(graph)
    while free := [module for module, others in left.items() if not set(others) & left.keys()]:
        for module in free:
            del left[module]
    return sorted(left)


def test_every_module_has_a_level():
    assert {place_of(module) for module in modules()} <= LEVEL.keys() | {FRONT_DOOR}
    assert [module for module in modules() if place_of(module) == FRONT_DOOR] == ["analyser"]


def test_imports_go_down():
    inside = [(module, tree) for module, tree in modules().items() if module != "analyser"]
    assert [wrong for module, tree in inside for wrong in wrong_imports(place_of(module), tree)] == []


def test_no_imports_go_round():
    graph = {module: list(imported_at_once(module, tree)) for module, tree in modules().items() if module != "analyser"}
    assert circles(graph) == []


@pytest.mark.parametrize("place", NUMBERS_ONLY)
def test_rules_and_engines_know_numbers_only(place):
    known = {
        place_of(name)
        for module, tree in modules().items()
        if place_of(module) == place
        for name in names_imported(tree)
        if name.partition(".")[0] == "analyser"
    }
    assert known <= NUMBERS_ONLY[place]


@pytest.mark.parametrize("place", ["rules", "engine", "game"])
def test_rules_and_engines_import_no_tables_and_no_pictures(place):
    tables_when_asked = {"analyser.game.profiles"}  # a library as a table, loaded by who wants one
    mine = [tree for module, tree in modules().items() if place_of(module) == place and module not in tables_when_asked]
    assert {name.partition(".")[0] for tree in mine for name in names_imported(tree)} & NO_TABLES == set()


def test_only_the_command_line_prints_or_exits():
    elsewhere = [(module, tree) for module, tree in modules().items() if place_of(module) not in MAY_PRINT_AND_EXIT]
    assert [f"{module}, {found}" for module, tree in elsewhere for found in prints_or_exits(tree)] == []


@pytest.mark.parametrize("package", [analyser, analyser.morale, analyser.plots], ids=lambda each: each.__name__)
def test_no_module_hides_a_public_name(package):
    """A package that hands names out when they are first asked for would hand out a module of the same name."""
    inside = {name.rpartition(".")[2] for name in modules() if name.rpartition(".")[0] == package.__name__}
    hidden = {name for name in package.__all__ if name in inside} - {"morale", "plots"}
    assert hidden == set()


def test_no_test_imports_another():
    """What several tests use stands in `tests/helpers` or `tests/oracle`."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py")}
    assert [(name, line) for name, text in texts.items() for line in imports_of_tests(text)] == []
