"""Read untrusted data files safely, with size limits: XML (plain or zipped), and rosters in JSON."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers.expat import errors
from xml.parsers.expat.errors import codes

from defusedxml.common import DefusedXmlException, DTDForbidden, EntitiesForbidden
from defusedxml.ElementTree import DefusedXMLParser

from analyser.common.errors import InputError, shown
from analyser.common.files import CUT_SHORT, kind_hint, unreadable_error

LARGEST_FILE = 64 * 1024 * 1024  # bytes, before and after unpacking; real files are smaller than 1 MiB

DATA_FILES = {".cat": "catalogue", ".catz": "catalogue", ".gst": "gameSystem", ".gstz": "gameSystem"}
ROSTERS = {".ros": "roster", ".rosz": "roster", ".json": "roster"}
_HINTS = {
    **dict.fromkeys(ROSTERS, "; `analyser army` reads it"),
    **dict.fromkeys(DATA_FILES, "; `analyser units import` reads it"),
}
_TRUNCATION_ERRORS = {
    codes[errors.XML_ERROR_NO_ELEMENTS],
    codes[errors.XML_ERROR_UNCLOSED_TOKEN],
    codes[errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
}
_REFUSAL_REASONS = {DTDForbidden: "declares a document type", EntitiesForbidden: "declares entities"}


def read_document(path: Path, kinds: Mapping[str, str] = DATA_FILES) -> Element:
    """Return the root element of a file, with the namespaces removed from the tags.

    `kinds` maps each allowed extension to the name of the root element. InputError for a mislabelled or hostile file.
    """
    where, suffix = str(path), path.suffix.lower()
    if suffix not in kinds:
        problem = f"unknown kind of file {path.suffix!r}{_HINTS.get(suffix, '')}"
        raise InputError(problem, where=where, allowed=", ".join(kinds))
    data, root_name = _read(path), kinds[suffix]
    if suffix.endswith("z"):
        name, data = _unpack(data, where, suffix)
        where = f"{where}: {name}"
    elif data.startswith(b"PK\x03\x04"):
        raise InputError(f"this is a zip, not a {suffix} file", where=where, allowed=f"call it {suffix}z")
    if suffix == ".json":
        return parse_json(data, where, root_name)
    root = parse_xml(data, where)
    name = root.tag.rpartition("}")[2]
    if name != root_name:
        raise InputError(f"the root element is {name[:40]!r}", where=where, allowed=f"<{root_name}> of BattleScribe")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _read(path: Path) -> bytes:
    where = str(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError("this is a folder, not a file" if path.is_dir() else "not a file", where=where)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise unreadable_error(path, error) from None
    _check_size(len(data), where)
    if not data.strip():
        raise InputError("this file is empty", where=where)
    return data


def _check_size(size: int, where: str) -> None:
    if size > LARGEST_FILE:
        raise InputError("too large for a data file", where=where, allowed=f"up to {LARGEST_FILE} bytes")


def _unpack(data: bytes, where: str, suffix: str) -> tuple[str, bytes]:
    """Return the name and content of the only file in a zip, read in memory up to the limit of size."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) != 1:
                raise InputError(f"{len(members)} files in this zip", where=where, allowed="exactly one")
            if members[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                problem = "this zip has an unusual compression"
                raise InputError(problem, where=where, allowed="stored or deflated")
            with archive.open(members[0]) as file:
                unpacked = file.read(LARGEST_FILE + 1)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, LookupError) as error:
        # zipfile trusts headers, so a broken header can raise any of these errors
        if type(error) is RuntimeError:  # zipfile raises subclasses for other reasons
            raise InputError("this zip is encrypted", where=where) from None
        cut = kind_hint(data)
        if data.startswith(b"PK"):
            cut = f"; {CUT_SHORT}" * isinstance(error, zipfile.BadZipFile)
        is_xml = data.lstrip().startswith(b"<")
        allowed = f"a zip; the extension of an unzipped file is {suffix.removesuffix('z')}" if is_xml else ""
        raise InputError(f"not a usable zip: {error}{cut}", where=where, allowed=allowed) from None
    _check_size(len(unpacked), where)
    return members[0].filename, unpacked


def parse_xml(data: bytes, where: str) -> Element:
    """Return the root element of an XML document; InputError if it is broken, or declares a DTD or entities."""
    parser = DefusedXMLParser(target=BoundedBuilder(), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(data)
        root: Element = parser.close()
    except InputError as error:
        raise error.inside(where) from None
    except ParseError as error:
        line, column = error.position
        problem = f"broken XML: {str(error).partition(':')[0]} at line {line}, column {column + 1}"
        kind = kind_hint(data)
        if error.code in _TRUNCATION_ERRORS:
            problem += f"; {CUT_SHORT}"
        elif kind != kind_hint(b"<?xml"):
            problem += kind
        raise InputError(problem, where=where) from None
    except DefusedXmlException as error:
        reason = _REFUSAL_REASONS.get(type(error), "refers to something outside the file")
        raise InputError(f"refused: this XML {reason}", where=where, allowed="plain elements") from None
    except (ValueError, LookupError, UnicodeError) as error:  # such as an encoding that the parser does not know
        raise InputError(f"broken XML: {error}", where=where) from None
    return root


TEXT = "$text"  # JSON key of the text that XML has between the tags of an element
_AS_TEXT: Any = {"parse_int": str, "parse_float": str, "parse_constant": str}
_SINGULAR = {"categories": "category"}


def parse_json(data: bytes, where: str, root: str) -> Element:
    """Return the object under the key `root` of a JSON text, as the equivalent XML element."""
    try:
        value = json.loads(data, **_AS_TEXT)
    except RecursionError:
        raise InputError("broken JSON: values nested too deeply", where=where) from None
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
        problem = f"broken JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise InputError(problem + (f"; {CUT_SHORT}" if is_cut else kind_hint(data)), where=where) from None
    except ValueError as error:  # undecodable bytes
        raise InputError(f"broken JSON: {error}", where=where) from None
    table = value.get(root) if isinstance(value, dict) else None
    if not isinstance(table, dict):
        keys = list(map(shown, value))[:3] if isinstance(value, dict) else []
        problem = f"this JSON has no key {root} (it has {', '.join(keys) or 'none'})"
        if isinstance(value, dict) and root in value:
            problem = f"the value of the key {root} of this JSON is not an object"
        raise InputError(problem, where=where, allowed=f'{{"{root}": {{...}}}}, as New Recruit exports it')
    builder = BoundedBuilder()
    try:
        _add(builder, root, table)
    except InputError as error:
        raise error.inside(where) from None
    return builder.close()


def _add(builder: BoundedBuilder, tag: str, value: Any) -> None:
    """Add a value as an element; lists and objects in it become children, other values become attributes."""
    if isinstance(value, list):
        raise InputError(f"a list inside the list of {shown(tag)}")
    table = value if isinstance(value, dict) else {TEXT: value}
    plain = {key: entry for key, entry in table.items() if entry is not None and not isinstance(entry, dict | list)}
    texts = {key: str(entry).lower() if isinstance(entry, bool) else str(entry) for key, entry in plain.items()}
    text = texts.pop(TEXT, "")
    builder.start(tag, texts)
    builder.data(text)
    for key, entry in table.items():
        if isinstance(entry, dict):
            _add(builder, key, entry)
        elif isinstance(entry, list):
            builder.start(key, {})
            for child in entry:
                _add(builder, _SINGULAR.get(key, key.removesuffix("s")), child)
            builder.end(key)
    builder.end(tag)


MOST_ELEMENTS = 1_000_000
DEEPEST_NESTING = 100  # levels of nested elements; real files have fewer than 20


class BoundedBuilder(TreeBuilder):
    """A tree builder that raises InputError for too many or too deeply nested elements."""

    depth = count = 0

    def start(self, tag: Any, attrs: Any) -> Any:
        """Open an element."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST_NESTING:
            raise InputError("elements nested too deeply", allowed=f"up to {DEEPEST_NESTING} levels")
        if self.count > MOST_ELEMENTS:
            raise InputError("too many elements", allowed=f"up to {MOST_ELEMENTS}")
        return super().start(tag, attrs)

    def end(self, tag: Any) -> Any:
        """Close an element."""
        self.depth -= 1
        return super().end(tag)
