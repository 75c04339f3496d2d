"""Files that are not what they claim, or attack: they are refused by name."""

import zipfile

import pytest

from analyser.common.errors import InputError
from analyser.game.importers import archive
from analyser.game.importers.battlescribe import import_files
from tests.helpers.catalogues import SCHEMA, Entry, catalogue, game_system


def refused(path, *parts):
    with pytest.raises(InputError) as error:
        import_files([path])
    assert error.value.where == str(path)
    for part in parts:
        assert part in str(error.value)


ENTITY_BOMB = """<?xml version="1.0"?><!DOCTYPE catalogue [<!ENTITY a "otter"><!ENTITY b "&a;&a;&a;&a;">]>
<catalogue xmlns="http://www.battlescribe.net/schema/catalogueSchema">&b;</catalogue>"""


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["empty"]),
        (bytes(range(256)) * 4, ["broken XML", "line 1"]),
        (catalogue(Entry()).encode()[:900], ["broken XML", "line", "column"]),
        (ENTITY_BOMB.encode(), ["document type"]),
        (game_system().encode(), ["root element is 'gameSystem'", "<catalogue>"]),
        (b"<?xml version='1.0' encoding='klingon'?><catalogue/>", ["broken XML"]),
        (b"PK\x03\x04rest", ["zip"]),
        (f"<catalogue xmlns='{SCHEMA}'>{'<a>' * 5000}{'</a>' * 5000}</catalogue>".encode(), ["nested too deeply"]),
        (catalogue().encode(), ["no readable unit"]),
    ],
)
def test_a_cat_that_is_none_is_refused_by_name(tmp_path, content, parts):
    path = tmp_path / "x.cat"
    path.write_bytes(content)
    refused(path, *parts)


def test_missing_files_folders_and_other_kinds_are_refused(tmp_path):
    refused(tmp_path / "none.cat", "cannot read")
    (tmp_path / "folder.cat").mkdir()
    refused(tmp_path / "folder.cat", "not a file")
    (tmp_path / "x.xml").write_text(catalogue(Entry()))
    refused(tmp_path / "x.xml", "unknown kind of file '.xml'", ".catz")
    (tmp_path / "x.catz").write_text(catalogue(Entry()))
    refused(tmp_path / "x.catz", "not a usable zip")


def test_files_with_too_much_in_them_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.cat"
    path.write_text(catalogue(Entry()))
    monkeypatch.setattr(archive, "MOST_ELEMENTS", 20)
    refused(path, "too many elements")
    monkeypatch.setattr(archive, "LARGEST_FILE", 100)
    refused(path, "too large")


def zipped(path, *members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members:
            out.writestr(name, content)
    return path


def test_zipped_files_give_what_plain_ones_give(tmp_path, imported):
    text = catalogue(Entry())
    path = zipped(tmp_path / "river.CATZ", ("river.cat", text))
    assert import_files(path).factions[0].units == imported(text).factions[0].units
    game = zipped(tmp_path / "game.gstz", ("game.gst", game_system()))
    assert len(import_files([path, game]).factions[0].units) == 1


@pytest.mark.parametrize("members", [[], [("a.cat", "x"), ("b.cat", "y")]])
def test_a_zip_holds_exactly_one_file(tmp_path, members):
    refused(zipped(tmp_path / "x.catz", *members), f"{len(members)} files in this zip")


def test_a_zip_bomb_is_unpacked_up_to_the_limit_only(tmp_path, monkeypatch):
    path = zipped(tmp_path / "x.catz", ("x.cat", b" " * (4 * 1024 * 1024)))
    monkeypatch.setattr(archive, "LARGEST_FILE", 1024 * 1024)
    refused(path, "too large")


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    path = zipped(tmp_path / "x.catz", ("x.cat", b" " * (4 * 1024 * 1024)))
    true_size = (4 * 1024 * 1024).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(true_size, (1000).to_bytes(4, "little")))
    refused(path, "not a usable zip")


def test_an_encrypted_or_oddly_packed_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "x.catz", ("x.cat", catalogue(Entry())), compression=zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")
    refused(
        zipped(tmp_path / "y.catz", ("y.cat", "x"), compression=zipfile.ZIP_LZMA), "this zip has an unusual compression"
    )
