"""Attacks: exact, simulated, and many at once."""
