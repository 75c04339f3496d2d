"""Pages allow what they have, and nothing else."""

import re

import pytest

from analyser.report.page_frame import _templates
from tests.helpers.policy import policy_of, sha256

ATTRIBUTE = re.compile(r"""<[a-z][^>]*\s(?:style|on[a-z]+)\s*=""")


def test_no_template_has_attributes_that_would_need_more():
    """Nor does a script write any: these set styles one by one, which no policy forbids."""
    environment = _templates()
    for name in environment.loader.list_templates():
        text, _, _ = environment.loader.get_source(environment, name)
        assert not ATTRIBUTE.search(text), name
        assert 'setAttribute("style"' not in text, name


@pytest.mark.slow
def test_all_pages_have_one_style_and_one_script_and_a_policy_for_them(pages):
    texts = {path.stem: path.read_text(encoding="utf-8") for path in pages.glob("*.html")}
    assert texts.keys() == {"army", "battle", "build", "clash"}
    parts = [re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL) for page in texts.values()]
    assert all(each == parts[0] for each in parts)
    assert len(parts[0]) == 2
    for page in texts.values():
        allowed = policy_of(page)
        assert [allowed["style-src"], allowed["script-src"]] == [sha256(part) for part in parts[0]]


@pytest.mark.slow
def test_what_is_not_of_the_page_does_not_run(browser, browsed, tmp_path):
    """A script, a handler and a style that came in through a name have no effect; the browser reports them."""
    text = (browsed / "index.html").read_text(encoding="utf-8")
    evil = '<script>document.title = "evil"</script><b onclick="document.title = 1" style="color: red" id="evil">x</b>'
    (tmp_path / "index.html").write_text(text.replace("<body>", f"<body>{evil}", 1), encoding="utf-8")
    page = browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto((tmp_path / "index.html").as_uri())
    page.locator("html.ready").wait_for()
    page.evaluate("document.getElementById('evil').click()")
    assert page.title() == "Crown against Imperium and Crown"
    assert page.evaluate("getComputedStyle(document.getElementById('evil')).color") != "rgb(255, 0, 0)"
    assert sum("Content Security Policy" in each for each in complaints) >= 3
    page.close()
