"""The cache of compiled kernels: found by the content of the sources, and by nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import analyser
from analyser.common import kernel_cache
from analyser.engine.rng import fill
from tests.helpers.reports import failing

pytestmark = pytest.mark.slow

PACKAGE = Path(analyser.__file__).parent
KERNELS = """from analyser.common.jit import kernel
from analyser.rule import rule

@kernel
def twice(x):
    return 2 * rule(x)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the package, as much of it as one small kernel and one rule need."""
    root = tmp_path_factory.mktemp("source")
    root.joinpath("analyser/common").mkdir(parents=True)
    for name in ("__init__", "jit", "compiler", "kernel_records", "kernel_cache", "errors", "files"):
        shutil.copy(PACKAGE / "common" / f"{name}.py", root / "analyser/common")
    (root / "analyser/__init__.py").write_text('"""A copy."""\n')
    (root / "analyser/rule.py").write_text(
        "from analyser.common.jit import step\n\n@step\ndef rule(x):\n    return x + 1\n"
    )
    (root / "analyser/kernels.py").write_text(KERNELS)
    (root / "analyser/aside.py").write_text("SAID = 1\n")
    return root


@pytest.fixture
def copied(source, tmp_path):
    return shutil.copytree(source, tmp_path / "copy")


@pytest.fixture(scope="module")
def kept(source, tmp_path_factory):
    root = shutil.copytree(source, tmp_path_factory.mktemp("kept") / "copy")
    assert ask(root) == ["8", "False"]
    return root


@pytest.fixture
def compiled(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "compiled")


ASK = """
import warnings; warnings.simplefilter("error")
from analyser.kernels import twice
known = twice.is_cached()
print(twice(3), known)
"""


def asked(root, code=ASK, **environment):
    """The command and the keywords of a process that asks a copy."""
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env = {**own, "PYTHONPATH": str(root), **environment}
    return [sys.executable, "-c", code], {"cwd": root, "env": env, "text": True}


def ask(root, **environment):
    command, how = asked(root, **environment)
    done = subprocess.run(command, **how, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_a_kernel_can_reach_is_compiled_anew_once_it_is_edited_and_nothing_else_is(compiled):
    rule = compiled / "analyser/rule.py"
    rule.write_text(rule.read_text().replace("x + 1", "x + 2"))
    os.utime(rule, (0, 0))  # as an archive or a clock set back leaves it
    assert ask(compiled) == ["10", "False"]
    (compiled / "analyser/aside.py").write_text("SAID = 2\n")  # no kernel imports it
    text = '"""Rules of a copy."""\n\n' + rule.read_text() + "# And a comment.\n"
    rule.write_text(text.replace("(x):\n", '(x):\n    """Return two more."""\n'))
    assert ask(compiled) == ["10", "True"]


def test_a_damaged_cache_is_taken_away_and_made_again(compiled):
    (kept,) = compiled.rglob("*.nbc")
    whole = kept.read_bytes()
    (digests,) = compiled.rglob("digests.json")
    for damaged, known in ((b"", b"[1]"), (whole[:-9] + bytes(9), b'{"a": 3')):
        kept.write_bytes(damaged)
        digests.write_bytes(known)
        assert ask(compiled)[0] == "8"
        assert len(kept.read_bytes()) > len(whole) // 2
    name, machine, sources = kept.name.rsplit("-", 2)  # that of another version or processor is not read
    kept.rename(kept.with_name(f"{name}-{'0' * len(machine)}-{sources}"))
    assert ask(compiled)[0] == "8"
    assert len(list(compiled.rglob("*.nbc"))) == 2


def test_a_kernel_that_there_was_too_little_memory_to_load_is_kept(monkeypatch):
    fill(np.zeros(4, np.uint64), 4, np.uint64(1), np.uint64(3))
    ((signature, compiled),) = fill.compiled.overloads.items()
    cache, context = kernel_cache.KernelCache(fill.function), compiled.target_context
    assert cache.load_overload(signature, context) is not None
    monkeypatch.setattr(kernel_cache.pickle, "loads", failing(MemoryError()))
    assert cache.load_overload(signature, context) is None
    assert cache.is_cached()


def test_a_folder_that_others_may_write_to_is_not_used(copied, tmp_path):
    (copied / "analyser/__pycache__").mkdir()
    (copied / "analyser/__pycache__").chmod(0o777)
    assert ask(copied, HOME=str(tmp_path), XDG_CACHE_HOME="") == ["8", "False"]
    assert not list(copied.rglob("*.nbc"))
    assert ask(copied, HOME=str(tmp_path), XDG_CACHE_HOME="") == ["8", "True"]


def test_without_a_folder_one_warning_and_the_right_answer(copied, tmp_path):
    (tmp_path / "file").touch()
    command, how = asked(copied, ASK.replace('"error"', '"always"'), NUMBA_CACHE_DIR=str(tmp_path / "file"))
    done = subprocess.run(command, **how, capture_output=True, check=False)
    assert done.stdout.split() == ["8", "False"]
    assert done.stderr.count("compiled kernels cannot be stored") == 1


def test_a_kernel_is_kept_under_all_that_it_imports():
    attack = kernel_cache._digest_and_imports(PACKAGE / "engine/attack/exact.py")
    assert any(path.name == "discipline.py" for path in _closure(attack))
    assert not any(path.parent.name in ("cli", "report", "plots") for path in _closure(attack))


def _closure(source):
    found, waiting = set(), list(source[1])
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(kernel_cache._digest_and_imports(path)[1])
    return found


def test_two_first_calls_at_once_are_both_right(copied):
    command, how = asked(copied)
    both = [subprocess.Popen(command, **how, stdout=subprocess.PIPE) for _ in range(2)]
    assert [each.communicate()[0].split()[0] for each in both] == ["8", "8"]
