"""What all pages share: their policy, packed data, and scripts as one."""

import re

from analyser.web.html import ENGINE, packed, scripts, with_policy
from tests.helpers.policy import policy_of, sha256
from tests.helpers.reports import unpacked

HEAD = '<!doctype html>\n<meta charset="utf-8">\n'
PAGE = HEAD + '<style>b {}</style><script>\n1;</script><script type="text/plain">x</script>'


def test_scripts_and_styles_are_allowed_by_hash_and_nothing_else():
    assert policy_of(with_policy(PAGE)) == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "script-src": sha256("\n1;"),
        "style-src": sha256("b {}"),
    }


def test_it_stands_before_what_it_is_about():
    page = with_policy(PAGE)
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script>")


def test_text_without_a_head_stays_as_it_is():
    assert with_policy("<p>no page</p>") == "<p>no page</p>"


def test_a_page_with_the_module_may_compile_it():
    page = with_policy(PAGE + f'<script type="text/plain" id="{ENGINE}">x</script>')
    assert policy_of(page)["script-src"] == f"{sha256(chr(10) + '1;')} 'wasm-unsafe-eval'"


def test_packed_data_come_back_with_the_bytes_behind_them():
    page = f'<script id="data">{packed({"name": "Otter – Guard", "none": float("nan")}, b"ab")}</script>'
    assert unpacked(page, "data") == ({"name": "Otter – Guard", "none": None}, b"ab")


def test_modules_become_one_text_without_imports_and_exports():
    text = scripts(("words", "edits"))
    assert text.index("function percent") < text.index("function changed")
    assert not re.search(r"^(import|export)", text, re.MULTILINE)
