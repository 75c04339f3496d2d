"""The compiler's cache: what is compiled before need not be compiled again."""

from pathlib import Path

from analyser import jit
from analyser.engine.streams import counter_of_chunk


def test_a_kernel_that_has_run_is_compiled():
    counter_of_chunk(1, 3, 0)
    assert jit.is_compiled(counter_of_chunk)


def test_a_kernel_without_cache_is_not_compiled_yet(tmp_path, monkeypatch):
    class Fresh:
        py_func = counter_of_chunk.py_func
        signatures = ()

        class stats:  # noqa: N801 - as the compiler calls it
            cache_path = str(tmp_path)

    assert not jit.is_compiled(Fresh)
    Path(tmp_path, "streams.counter_of_chunk-41.py311.nbi").touch()
    assert jit.is_compiled(Fresh)
