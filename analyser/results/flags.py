"""What may become of a unit, by name, and its bit in an outcome."""

from analyser.rules import discipline

FLAGS = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated")
BIT_OF_FLAG: dict[str, int] = {name: getattr(discipline, name.upper()) for name in (*FLAGS, "activated")}
