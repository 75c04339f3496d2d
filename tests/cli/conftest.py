"""A scenario file."""

import pytest


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "fight.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written
