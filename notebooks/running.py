"""Run a notebook from top to bottom, and store its outputs without parts that change from run to run."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
SECONDS_A_CELL = 300
_WIDGET = "application/vnd.jupyter.widget-view+json"  # means nothing without the kernel that made it
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def paths() -> list[Path]:
    """Return the paths of the notebooks, in the order of their numbers."""
    return sorted(FOLDER.glob("*.ipynb"))


def run(path: Path) -> Any:
    """Run the notebook at `path` and return it with the new outputs; the file is unchanged."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(FOLDER.parent)}},
    )
    client.execute()
    return cleaned(notebook)


def cleaned(notebook: Any) -> Any:
    """Return the notebook without parts that differ between two runs or two machines."""
    notebook.metadata = nbformat.from_dict({"kernelspec": _KERNEL, "language_info": {"name": "python"}})
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.outputs = _joined([each for each in cell.outputs if each.get("name") != "stderr"])
            for output in cell.outputs:
                shown = output.get("data", {})
                shown.pop(_WIDGET, None)
                if "text/plain" in shown:
                    shown["text/plain"] = _ADDRESS.sub("", shown["text/plain"])
    return notebook


def _joined(outputs: list[Any]) -> list[Any]:
    """Join adjacent pieces of printed text, because their boundaries are random."""
    joined: list[Any] = []
    for each in outputs:
        if each.output_type == "stream" and joined and joined[-1].output_type == "stream":
            joined[-1].text += each.text
        else:
            joined.append(each)
    return joined


def write(notebook: Any, path: Path) -> None:
    """Write the notebook to its file, and its first picture to the file for the gallery."""
    path.write_text(nbformat.writes(notebook, indent=1) + "\n", encoding="utf-8", newline="\n")
    gallery_file(path).write_bytes(first_picture(notebook))


def gallery_file(path: Path) -> Path:
    """Return the file for a notebook's first picture, which pages show."""
    return FOLDER.parent / "docs" / "images" / f"notebook-{path.name[0]}.png"


def first_picture(notebook: Any) -> bytes:
    """Return the first picture of a notebook, as PNG."""
    outputs = (output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)
    return b64decode(next(output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})))
