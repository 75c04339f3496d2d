"""The second process of a report takes its modules from where this one has them, never from the current folder."""

import sys
from pathlib import Path

import pytest

from analyser.report import worker

SPY = "from pathlib import Path\nPath({marker!r}).touch()\nraise ImportError('a module of the current folder')\n"


@pytest.mark.parametrize("module", ["pickle", "tqdm", "numpy", "analyser", "runpy", "sitecustomize"])
@pytest.mark.parametrize("by", ["script", "module"])
def test_a_file_where_the_command_is_run_is_not_imported(module, by, tmp_path, monkeypatch):
    marker = tmp_path / "imported"
    (tmp_path / f"{module}.py").write_text(SPY.format(marker=str(marker)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if by == "module":  # as `python -m analyser` leaves it
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    code = worker.starting_code("print('started', file=sys.stderr)\nimport pickle, tqdm, numpy")
    done = worker.subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "started" in done.stderr
    assert not Path(marker).exists()
