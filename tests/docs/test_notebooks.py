"""The notebooks run from top to bottom, and what is kept in them is what they show."""

import ast

import nbformat
import pytest

from notebooks.running import FOLDER, cleaned, first_picture, gallery_file, paths, run

pytestmark = pytest.mark.slow

MOST_BYTES = 500_000
PATHS = paths()
each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def shown(notebook):
    """What the cells of a notebook show: text as it stands; of the rest, which kinds there are."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield [
                (output.get("text") or output["data"]["text/plain"], sorted(output.get("data", {})))
                for output in cell.outputs
            ]


@each_notebook
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries that run kernels
def test_it_runs_and_shows_what_is_kept(path):
    kept = nbformat.read(path, as_version=4)
    again = run(path)
    assert list(shown(again)) == list(shown(kept))
    assert [cell.source for cell in again.cells] == [cell.source for cell in kept.cells]


@each_notebook
def test_what_is_kept_is_clean_and_small_and_asserts_what_it_claims(path):
    kept = nbformat.read(path, as_version=4)
    nbformat.validate(kept)
    assert cleaned(nbformat.read(path, as_version=4)) == kept
    assert path.stat().st_size < MOST_BYTES
    assert first_picture(kept) == gallery_file(path).read_bytes()
    assert gallery_file(path).name in (FOLDER.parent / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert kept.cells[0].source.startswith("# ")
    assert all(cell.execution_count for cell in kept.cells if cell.cell_type == "code")
    assert kept.cells[-1].source.count("assert ") >= 5
    assert kept.cells[-1].outputs[0].text == "Every claim holds.\n"


def code_of(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@each_notebook
def test_no_file_is_named_by_a_path_from_one_folder(path):
    texts = [each.value for source in code_of(path) for each in ast.walk(ast.parse(source)) if is_text(each)]
    named = [each for each in texts for folder in (FOLDER, FOLDER.parent) if (folder / each).is_file()]
    assert named == [each for each in named if "/" not in each and each.endswith(".toml")]  # joined to their folder


def is_text(node):
    """Whether it is a text of one line that a path could be."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) < 100


def test_the_armies_are_found_from_any_folder(tmp_path, monkeypatch):
    (first,) = (code_of(path)[0] for path in PATHS if "load_army(" in code_of(path)[0])
    for folder in (tmp_path, FOLDER / "armies"):
        monkeypatch.chdir(folder)
        names = {}
        exec(first.partition("result =")[0], names)
        assert (names["mine"].name, names["yours"].name) == ("Iron Duke's Own", "Sturmbrigade Krupp")


def test_the_first_one_explores():
    assert "an.explore(" in PATHS[0].read_text(encoding="utf-8")
