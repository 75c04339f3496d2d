"""What things are called in profile files: ids, names, and the ids of the data that they were read from."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from analyser.game.keywords import plain_name

LONGEST_ID = 80  # characters; of a faction it is the name of a file, too

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_ID)]
Name = Annotated[str, AfterValidator(plain_name)]
Entry = Annotated[str, Field(max_length=LONGEST_ID), AfterValidator(plain_name)]
"""The id of an entry of a data file, by which a roster names what it holds."""


def faction_name(faction: str) -> str:
    """The name of a faction, for people.

    >>> faction_name("holy-orders")
    'Holy Orders'
    """
    return faction.replace("-", " ").title()
