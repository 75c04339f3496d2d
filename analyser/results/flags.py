"""Fates and statuses of a unit by name, with their bits in an outcome."""

from analyser.rules import discipline

FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
BIT_OF_FLAG: dict[str, int] = {name: getattr(discipline, name.upper()) for name in (*FLAGS, "activated")}
