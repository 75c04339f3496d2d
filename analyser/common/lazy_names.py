"""Names of a package that are imported at their first use, which keeps the import of the package fast."""

from __future__ import annotations

import ast


def modules_of_names(file: str) -> dict[str, str]:
    """Return the module of each public name, which a file imports as ``from module import name as name``."""
    with open(file, encoding="utf-8") as text:  # noqa: PTH123 - importing pathlib would take longer than this function
        tree = ast.parse(text.read())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {
        name.name: str(node.module)
        for node in imports
        for name in node.names
        if name.asname and str(node.module).startswith("analyser")
    }
