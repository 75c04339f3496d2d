"""Reports as the tests use them: small ones, their bytes, and what makes them fail."""

import base64
import html
import json
import os
import re
import struct
import zlib

import numpy as np
from filelock import FileLock

from analyser.report import write_report

FIELD = ["crown/r*", "crown/drake*", "imperium/*@basic"]  # opponents of the report browsed: all that are in it


def made_once(factory, name, make):
    """Return a folder that one process of a test run makes, by `make(folder)`, and all others read."""
    root = factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
    with FileLock(root / f"{name}.lock"):
        if not (root / name).exists():
            make(root / name)
    return root / name


def contents(folder):
    """The bytes of every file, by its name in the folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def timeless(folder):
    """The same, the wall time left out."""
    files = contents(folder)
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest.pop("wall_seconds") > 0
    return {**files, "manifest.json": manifest}


def plain(part):
    """The words of a piece of a page."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", part)).split())


def small_report(out, library, **more):
    return write_report(
        "river/otter-guard@basic", "river/beaver", out=out, profiles=library, situations=["long-range"], **more
    )


def failing(error):
    def fail(*_, **__):
        raise error

    return fail


def unpacked(page, name):
    """The data of an element of a page, and the bytes behind them."""
    whole = zlib.decompress(base64.b64decode(page.partition(f'id="{name}">')[2].partition("</script>")[0]))
    (length,) = struct.unpack_from("<I", whole)
    return json.loads(whole[4 : 4 + length]), whole[4 + length :]


def figures_on(page):
    """The figures that the scripts of a page unpack."""
    data, rest = unpacked(page, "figures")
    pairs, situations = len(data["pairs"][0]), len(data["situations"])
    floats = np.frombuffer(rest, "<f4").reshape(-1, situations, pairs)
    columns = {name: column.T.ravel() for name, column in zip(data["columns"], floats)}
    return {**data, "columns": columns, "row": columns.pop("row"), "why_not": columns.pop("why_not")}
