"""Configuration of the documentation: the pages of this folder, and a reference made from the code."""

import importlib
import inspect
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reference

project = "analyser"
release = metadata.version("analyser")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"analyser {release}"
exclude_patterns = ["_build"]

myst_heading_anchors = 4
autodoc_typehints = "none"  # the docstrings say them in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # results share the names of their attributes

REFERENCE = {
    "analyser": "Questions and answers",
    "analyser.morale": "Morale in other games",
    "analyser.plots": "Pictures",
}
"""The modules whose public names (`__all__`) make up the reference of the API: one page each."""


def write_reference(app):
    """Write a page for each public module, and the pages of keys and of commands."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    reference.PAGE.write_text(reference.page(), "utf-8")
    (folder / "commands.md").write_text(reference.commands(), "utf-8")
    for name, title in REFERENCE.items():
        module = importlib.import_module(name)
        lines = [title, "=" * len(title), "", f".. automodule:: {name}", "   :no-members:", ""]
        for public in module.__all__:
            lines += directive(f"{name}.{public}", getattr(module, public))
        text = "\n".join(lines)
        page = folder / f"{name}.rst"
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")


def directive(name, thing):
    """Return the lines that describe one public class or function."""
    if inspect.isclass(thing):
        return [f".. autoclass:: {name}", "   :members:", ""]
    return [f".. autofunction:: {name}", ""] if callable(thing) else []


def setup(app):
    app.connect("builder-inited", write_reference)
