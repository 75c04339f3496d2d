"""Fights with choices: their possible outcomes, and best play."""
