"""Reports as the tests use them: small ones, their bytes, and what makes them fail."""

import json

from analyser.report import write_report


def contents(folder):
    """The bytes of every file, by its name in the folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def timeless(folder):
    """The same, the wall time left out."""
    files = contents(folder)
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest.pop("wall_seconds") > 0
    return {**files, "manifest.json": manifest}


def small_report(out, library, **more):
    return write_report(
        "river/otter-guard@basic", "river/beaver", out=out, profiles=library, situations=["long-range"], **more
    )


def failing(error):
    def fail(*_, **__):
        raise error

    return fail
