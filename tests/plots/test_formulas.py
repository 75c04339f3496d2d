"""No name is a formula: text between dollars, good TeX or bad, is drawn as it stands."""

import pytest

from tests.helpers.shell import run
from tests.oracle.small_profiles import FACTION

BAD = r"Guard $\frac{x$"  # a formula that cannot be read: to draw it is an error
OTTERS, BEAVERS = "river/otter-guard@basic", "river/beaver-fort@basic"
COMMANDS = {
    "attack": ["attack", OTTERS, BEAVERS, "--row", "ranged-heavy"],
    "duel": ["duel", OTTERS, OTTERS, "--rounds", "1"],
    "compare": ["compare", "river/*", "--target", OTTERS],
    "clash": ["battle", "plan", OTTERS, f"{OTTERS}, {BEAVERS}"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("profiles")
    text = FACTION
    for name in ("River", "Otter Guard", "Beaver Fort", "Heron", "Ranged (Light)", "Melee"):
        text = text.replace(f'name = "{name}"', f"name = '{name} {BAD}'")
    assert BAD in text
    (place / "river.toml").write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_draws_names_as_they_are(name, folder, tmp_path):
    picture = tmp_path / "p.svg"
    result = run(*COMMANDS[name], "--profiles", folder, "--plot", picture)
    assert (result.exit_code, result.exception) == (0, None), result.output
    assert picture.read_bytes().startswith(b"<?xml")
