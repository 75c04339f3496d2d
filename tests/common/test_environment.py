"""Variables of the environment that a library cannot use end in one line that names them, or make no difference."""

import os
import sys

import pytest

from analyser.common import jit
from analyser.common.errors import InputError
from tests.helpers.shell import GRENADIERS, RIFLES, process, refusal
from tests.helpers.skips import proof

SAMPLE = ["attack", RIFLES, GRENADIERS, "--method", "monte-carlo", "--trials", "1000"]
UNUSABLE = {
    "NUMBA_NUM_THREADS": ("0", "-1", "many"),
    "NUMBA_DISABLE_JIT": ("1", "yes"),
    "NUMBA_CPU_FEATURES": ("nonsense", "+avx2,nonsense"),
}
USABLE = {
    "NUMBA_NUM_THREADS": ("", "1", "64"),
    "NUMBA_DISABLE_JIT": ("", "0"),
    "NUMBA_CPU_FEATURES": ("", "+avx2,-fma", "-avx512f"),
}


def pairs(table):
    return [(name, value) for name, values in table.items() for value in values]


@pytest.mark.parametrize(("name", "value"), pairs(UNUSABLE))
def test_the_compiler_is_not_imported_where_a_variable_would_break_it(name, value, monkeypatch):
    monkeypatch.delitem(sys.modules, "analyser.common.compiler", raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=rf"^{name}: .* is not usable \(allowed: "):
        jit._compiler()
    assert "analyser.common.compiler" not in sys.modules


@pytest.mark.parametrize(("name", "value"), pairs(USABLE))
def test_what_the_compiler_can_use_is_let_through(name, value, monkeypatch):
    monkeypatch.delitem(sys.modules, "analyser.common.compiler", raising=False)
    monkeypatch.setattr(jit.importlib, "import_module", lambda module: module)
    monkeypatch.setenv(name, value)
    assert jit._compiler() == "analyser.common.compiler"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [("NUMBA_OPT", "nonsense"), *proof(("NUMBA_NUM_THREADS", "0"), ("NUMBA_LOOP_VECTORIZE", "nonsense"))],
)
def test_a_sample_refuses_it_in_one_line(name, value):
    done = process(*SAMPLE, env=os.environ | {name: value})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {name}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["module://nowhere", *proof("nonsense", "TkAgg", "")])
def test_a_picture_is_drawn_whatever_the_backend(backend, tmp_path):
    done = process(*SAMPLE[:3], "--plot", tmp_path / "p.png", env=os.environ | {"MPLBACKEND": backend})
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("value", ["nonsense", "-1", "1.5", "9" * 20])
def test_a_date_that_is_none_is_refused_before_anything_is_written(value, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    line = refusal(*SAMPLE[:3], "--out", tmp_path / "o.json", "--plot", tmp_path / "p.pdf")
    assert line.startswith("error: SOURCE_DATE_EPOCH: ")
    assert list(tmp_path.iterdir()) == []
