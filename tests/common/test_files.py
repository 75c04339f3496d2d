"""Files are read or refused within bounds."""

import tomllib
import tracemalloc

import pytest

from analyser.common import files
from analyser.common.errors import InputError
from analyser.common.files import DEEPEST, parsed_toml

LONG_KEY = ".".join(["a"] * 5000)
OF_MANY_PARTS = {
    "key": f"{LONG_KEY} = 1",
    "spaced": f"{LONG_KEY.replace('.', ' . ')} = 1",
    "quoted": '"' + '"."'.join(["a"] * 100) + '" = 1',
    "literal": "'" + "'.'".join(["a"] * 100) + "' = 1",
    "header": f"[{LONG_KEY}]\n",
    "header of a list": f"[[{LONG_KEY}]]\n",
    "inline table": f"x = {{{LONG_KEY} = 1}}",
    "in a list": f"x = [1, {{y = 2, {LONG_KEY} = 1}}]",
    "after strings": f"""x = {{a = \"\"\"b\"\"\"\", c = '''d'''', e = "\\"", f = '\\', {LONG_KEY} = 1}}""",
    "after a comment": f"# '''\n{LONG_KEY} = 1",
    "cut short": LONG_KEY,
}
HONEST = {
    "dots in a string": f"x = '{'.' * 500}'",
    "dots in an escaped string": f'x = "\\"{"." * 500}"',
    "dots in a text of lines": f'x = """\n{LONG_KEY} = 1\n"""',
    "dots in a literal text": f"x = '''\n{LONG_KEY} = 1\n'''",
    "dots in a quoted key": f"'{LONG_KEY}' = 1",
    "dots in a comment": f"x = 1 # {LONG_KEY}",
    "many numbers": f"x = [{', '.join(['1.5'] * 500)}]",
    "many short keys": f"x = {{{', '.join(f'a{n}.b.c = {n}.5' for n in range(500))}}}",
    "as deep as may be": f"{'.'.join(['a'] * (DEEPEST - 2))} = 1",
}


@pytest.mark.parametrize("text", OF_MANY_PARTS.values(), ids=OF_MANY_PARTS)
def test_a_key_of_very_many_parts_is_refused_before_it_is_parsed(text, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("parsed"))
    with pytest.raises(InputError, match=r"mine\.toml: broken TOML: a key of more than 32 parts \(at line \d\)"):
        parsed_toml(text, "mine.toml")


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_dots_elsewhere_are_no_key_of_many_parts(text):
    assert parsed_toml(text, "mine.toml") == tomllib.loads(text)


def test_a_key_of_fifty_thousand_parts_takes_no_memory_to_refuse():
    tracemalloc.start()
    with pytest.raises(InputError):
        parsed_toml(".".join(["a"] * 50_000) + " = 1", "mine.toml")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_text_is_bounded_as_a_file_is(monkeypatch):
    monkeypatch.setattr(files, "LARGEST_TEXT", 100)
    with pytest.raises(InputError, match="too large"):
        parsed_toml("# " + 100 * "x", "option")
